/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Will an NVMe over Fabrics connect succeed, and which numbers of queues are safe?
 *
 * Every I/O queue of a fabrics controller is opened by a Connect command that the kernel sends on the very hardware
 * queue it opens. A hardware queue without a CPU that can be used has nobody to send it: the connect is refused with
 * -EXDEV, or worse on kernels that do not check. So the outcome follows from the queue map, and the map from the kernel,
 * the topology, the CPUs online and the number of queues. Pure.
 */
#ifndef QM_CONNECT_H
#define QM_CONNECT_H

#include "base/ids.h"
#include "map/era.h"

enum qm_transport {
	QM_TRANSPORT_TCP,
	QM_TRANSPORT_RDMA,
	QM_TRANSPORT_FC,
	QM_TRANSPORT_LOOP,
	_QM_TRANSPORT_MAX,
};

/* "tcp", ... */
const char *qm_transport_name(enum qm_transport t);
/* By name; 0 or -EINVAL. */
QM_MUST_CHECK int qm_transport_parse(const char *name, enum qm_transport *ret);
/* Knows it write and poll queues (-W, -P of nvme connect) at all? */
bool qm_transport_has_sets(enum qm_transport t);

/* The options of nvme connect, and what the target answers. 0 = not given everywhere. */
struct qm_connect_request {
	enum qm_transport transport;
	unsigned io;      /* --nr-io-queues; not given: as many as CPUs are online */
	unsigned write;   /* --nr-write-queues; ignored by transports without sets */
	unsigned poll;    /* --nr-poll-queues; likewise */
	unsigned granted; /* most queues that the target (or adapter) gives; 0: all that are asked for */
};

enum qm_connect_outcome {
	QM_CONNECT_CONNECTS,
	QM_CONNECT_REFUSED,   /* -EXDEV */
	QM_CONNECT_UNDEFINED, /* the kernel does not check and reads beyond its tables */
	QM_CONNECT_UNKNOWN,   /* nothing is known about this kernel */
};

enum qm_connect_reason {
	QM_REASON_NONE,
	QM_REASON_OFFLINE,  /* all CPUs of the queue are offline */
	QM_REASON_ISOLATED, /* all are isolated, and this kernel leaves isolated CPUs out */
	QM_REASON_UNMAPPED, /* it has no CPU at all */
	QM_REASON_GRANT,    /* 5.0-5.2 tcp: the map goes beyond the queues that were granted */
	QM_REASON_INACTIVE, /* a connected one: still marked inactive, with a CPU online; -EAGAIN, not -EXDEV */
};

const char *qm_connect_outcome_name(enum qm_connect_outcome o); /* "connects", ... */
const char *qm_connect_reason_name(enum qm_connect_reason r);   /* "offline", ...; NULL for none */

/* How many hardware queues of each type a connect makes. */
struct qm_connect_queues {
	unsigned asked;                  /* of the target */
	unsigned n[_QM_HCTX_TYPE_MAX];   /* default, read, poll: as used */
	unsigned total;
};

/* The first queue that fails. The queue's id on the wire (qid) is hctx + 1. */
struct qm_connect_failure {
	unsigned hctx;
	int type; /* enum qm_hctx_type */
	enum qm_connect_reason reason;
	struct qm_cpuset cpus;    /* mapped to it, as far as this kernel lists CPUs */
	struct qm_cpuset offline; /* those of them that are offline */
};

struct qm_connect_answer {
	enum qm_connect_outcome outcome;
	bool sure;
	struct qm_connect_queues queues;
	bool has_failure; /* false where all is well, and for QM_REASON_GRANT */
	enum qm_connect_reason reason;
	struct qm_connect_failure failure;
};

/* Numbers for --nr-io-queues, from 1 to the number of CPUs online. 0 = there is none. */
struct qm_connect_counts {
	struct qm_ids safe; /* connects, the target giving what is asked or what is known that it grants */
	unsigned largest_safe;
	unsigned largest_any_grant;  /* every number up to it connects: whatever the target grants works */
	unsigned largest_resilient;  /* with the map made now each queue outlives the loss of any one core */
	unsigned largest_after_loss; /* a new connect works after the loss of any one core */
};

/* What decides besides the topology. */
struct qm_connect_env {
	const struct qm_topology *topo;  /* borrowed */
	const struct qm_kernel *kernel;  /* borrowed */
	struct qm_cpuset left_out;       /* isolated CPUs that this kernel leaves out of the queues' lists */
	struct qm_cpuset doubtful;       /* those of which it is not sure whether it does */
	bool has_housekeeping;           /* isolcpus=managed_irq is in force: SUSE's mapper looks at it */
	struct qm_cpuset housekeeping;
};

/*
 * Fills *ret from a machine. as_read: its queue lists are of its own kernel and isolation (no what-if changed them), so
 * they may testify whether this kernel leaves isolated CPUs out.
 */
void qm_connect_env_get(const struct qm_machine *m, bool as_read, struct qm_connect_env *ret);

/* An environment prepared for any number of questions; what was worked out once is kept. Not for concurrent use. */
struct qm_connect;
QM_MUST_CHECK int qm_connect_new(const struct qm_connect_env *env, struct qm_connect **ret);
void qm_connect_free(struct qm_connect *c);
/* The mapper in force; NULL = unknown kernel. */
const struct qm_algo *qm_connect_algo(const struct qm_connect *c);
/* CPUs that can serve a queue: online and not left out. Borrowed. */
const struct qm_cpuset *qm_connect_usable(const struct qm_connect *c);
/* Those online, and the kernel, of the environment. Borrowed. */
const struct qm_cpuset *qm_connect_online(const struct qm_connect *c);
const struct qm_kernel *qm_connect_kernel(const struct qm_connect *c);

/* What this request comes to. 0, -EINVAL (too many queues), -ENOMEM. */
QM_MUST_CHECK int qm_connect_ask(struct qm_connect *c, const struct qm_connect_request *req,
				 struct qm_connect_answer *ret);
/* The same if these CPUs were online, and no others. */
QM_MUST_CHECK int qm_connect_ask_if(const struct qm_connect *c, const struct qm_cpuset *online,
				    const struct qm_connect_request *req, struct qm_connect_answer *ret);
/* The safe numbers, with the request's write and poll queues and grant; its io is ignored. 0, -EINVAL, -ENOMEM. */
QM_MUST_CHECK int qm_connect_count(struct qm_connect *c, const struct qm_connect_request *req,
				   struct qm_connect_counts *ret);
void qm_connect_counts_done(struct qm_connect_counts *n);

/*
 * Which CPUs, brought online, make this request work: those offline ones of the queues that fail, else all that are
 * present; the empty set where that would not help. For a request that is refused or undefined. 0, -EINVAL, -ENOMEM.
 */
QM_MUST_CHECK int qm_connect_mend(struct qm_connect *c, const struct qm_connect_request *req, struct qm_cpuset *ret);

/*
 * A live controller: does its present map let it come back after a reset? The queues that cannot are in *ret_dead, and
 * *ret_online names one CPU of each that mends it when brought online (none where its CPUs are isolated).
 *
 * Others are in *inactive. Seen on 6.1 and 7.2: the last CPU of a queue goes offline, which marks the queue; a reset does
 * without it, and a later one, with the CPU back, takes it up again in some place with the mark. It gets no tags then:
 * requests of its CPUs wait, and its next Connect command fails. A CPU of it that comes online removes the mark; cycle has
 * one of each that can go offline for that. outcome and reason do not count these.
 */
struct qm_connect_reset {
	enum qm_connect_outcome outcome;
	bool sure;
	enum qm_connect_reason reason; /* of the first */
	struct qm_ids dead, inactive;
	struct qm_cpuset bring_online, cycle;
};
QM_MUST_CHECK int qm_connect_reset(const struct qm_connect *c, const struct qm_controller *ctrl,
				   struct qm_connect_reset *ret);
void qm_connect_reset_done(struct qm_connect_reset *r);
/* Adds the CPU of such a queue that can go offline and come back; none where that would be CPU 0, which mostly cannot. */
void qm_connect_add_cycle(const struct qm_hctx *h, const struct qm_topology *t, struct qm_cpuset *cycle);

#endif
