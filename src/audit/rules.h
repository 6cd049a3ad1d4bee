/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rules share among themselves; nobody else includes this. */
#ifndef QM_RULES_H
#define QM_RULES_H

#include "audit/audit.h"

/* The rows of each family, ended by one without a name. */
extern const struct qm_rule qm_rules_map[];
extern const struct qm_rule qm_rules_cpu[];
extern const struct qm_rule qm_rules_fabrics[];
extern const struct qm_rule qm_rules_kernel[];
extern const struct qm_rule qm_rules_irq[];
extern const struct qm_rule qm_rules_isolation[];
extern const struct qm_rule qm_rules_hba[];
extern const struct qm_rule qm_rules_log[];

/*
 * A finding being written. Errors are sticky: a call after a failed one does nothing, and qm_draft_commit() reports it.
 * Texts that are lent live until the commit.
 */
struct qm_draft {
	struct qm_audit *a;
	struct qm_finding f;
	char **lent;
	size_t n_lent, cap_lent;
	bool no_command; /* a name cannot be written in a command line */
	int err;
};

/* controller: index, -1 = the machine. */
void qm_draft_begin(
	struct qm_draft *d, struct qm_audit *a, const struct qm_rule *rule, enum qm_severity severity, long controller);
/* What is so, and what the admin sees because of it. */
void qm_draft_message(struct qm_draft *d, const char *fmt, ...) QM_PRINTF(2, 3);
/* What mends it. Replaces what was there, as do the others. */
void qm_draft_advice(struct qm_draft *d, const char *fmt, ...) QM_PRINTF(2, 3);
/* A command line that can be run; every word that is not the program's own goes through qm_draft_quote(). */
void qm_draft_command(struct qm_draft *d, const char *fmt, ...) QM_PRINTF(2, 3);
void qm_draft_hctx(struct qm_draft *d, unsigned id);
void qm_draft_irq(struct qm_draft *d, unsigned nr);
/* Nothing was found: the draft holds no queue and no interrupt, and no error that its commit would report. */
bool qm_draft_is_empty(const struct qm_draft *d);
/* Lent texts: a list with ranges, cut where it gets long; a new text; a word made safe for a shell. */
const char *qm_draft_cpulist(struct qm_draft *d, const struct qm_cpuset *set);
const char *qm_draft_idlist(struct qm_draft *d, const struct qm_ids *ids);
const char *qm_draft_text(struct qm_draft *d, const char *fmt, ...) QM_PRINTF(2, 3);
const char *qm_draft_quote(struct qm_draft *d, const char *word);
/* "CPU 3" or "CPUs 3,5". */
const char *qm_draft_cpus(struct qm_draft *d, const struct qm_cpuset *set);
/* The same list whole, for a command. */
const char *qm_draft_whole_cpulist(struct qm_draft *d, const struct qm_cpuset *set);
/* Hands the finding over to the audit. 0 or -errno; the draft is empty after it. */
QM_MUST_CHECK int qm_draft_commit(struct qm_draft *d);

/* "" or "s", for a count in a message. */
const char *qm_plural(size_t n);

/* What a map is faulted for. */
enum qm_fault {
	QM_FAULT_UNMAPPED,
	QM_FAULT_CROSS_NODE,
	QM_FAULT_UNEVEN,
	QM_FAULT_SPLIT_CORES,
};

/* Goes on to the next controller that was asked for, from i; the number of controllers where there is none. */
size_t qm_audit_next(const struct qm_audit *a, size_t i);
#define QM_AUDIT_FOREACH(i, a)                                                                                         \
	for ((i) = qm_audit_next((a), 0); (i) < (a)->m->n_controllers; (i) = qm_audit_next((a), (i) + 1))

/* Which algorithm made the controller's map; computed once. *ret is borrowed. */
QM_MUST_CHECK int qm_audit_identity(struct qm_audit *a, size_t controller, const struct qm_identity **ret);
/* A fabrics controller that will connect its queues again some day. */
bool qm_controller_reconnects(const struct qm_controller *c);
/* Is the algorithm that the kernel is expected to have among those that give the live map? */
bool qm_identity_is_predicted(const struct qm_identity *id);
/* A queue that its next connect fails at: such queues are fabrics-reconnect-risk's and said by no other rule. */
bool qm_queue_stops_connect(const struct qm_audit *a, const struct qm_controller *c, const struct qm_hctx *h);

/* Are all of the controller's lists known? One that could not be read is a problem of its own and proves nothing. */
bool qm_lists_are_whole(const struct qm_audit *a, const struct qm_controller *c);
/* Is the set's map worse than the best possible one in this, however one looks at the CPUs that are offline? */
bool qm_set_is_worse(const struct qm_audit_set *set, enum qm_fault fault);
/* " read" or " poll" before "queue", where a controller has several sets; else "". */
const char *qm_set_word(const struct qm_audit_controller *ac, const struct qm_audit_set *set);

/* ---- reach.c: is there a way to a better map? ---- */

struct qm_reach {
	unsigned count; /* another number of queues under this kernel; 0 = none */
	const struct qm_algo *kernel; /* the first newer algorithm that does as well as any newer one; NULL = none */
	unsigned kernel_left, best; /* what is left of the fault there, and in the best possible map */
	bool again; /* made again by this kernel now, the map would be better: it is of another state */
	bool fallback; /* the device uses the generic mapper, though its driver's others use their vectors */
};

void qm_reach_tools_free(struct qm_reach_tools *tools);

/* The machine's topology, prepared for mapping; borrowed. */
QM_MUST_CHECK int qm_audit_mapper(struct qm_audit *a, struct qm_mapper **ret);
/* True where the user chooses the number of queues. */
bool qm_count_is_free(const struct qm_controller *c);
/*
 * Looks for ways to less of that fault in a set of the controller. Counts are only tried where the user chooses them:
 * the largest below today's (not less than half of it, unless queues are unmapped), else one per CPU, else the smallest
 * above. 0 or -errno.
 */
QM_MUST_CHECK int qm_reach_find(struct qm_audit *a, size_t controller, const struct qm_audit_set *set,
	enum qm_fault fault, struct qm_reach *ret);
/* Does this code divide by zero when it spreads the controller's vectors on this machine? 0 or -errno. */
QM_MUST_CHECK int qm_reach_crashes(
	struct qm_audit *a, size_t controller, const struct qm_driver_rule *rule, const struct qm_algo *irq, bool *ret);
bool qm_reach_is_any(const struct qm_reach *r);
/* Writes advice and command for what was found; what: the fault in words, "queue that spans nodes". */
void qm_draft_reach(struct qm_draft *d, const struct qm_audit_set *set, const struct qm_reach *r);
/* The command that makes the controller anew with that many queues, NULL where there is none; lent. */
const char *qm_draft_count_command(struct qm_draft *d, const struct qm_controller *c, unsigned count);

#endif
