/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds trouble with queues in a kernel log.
 *
 * The log comes in pieces of any size and may be huge, hostile, cut, or put together from several hosts and boots:
 * memory is bounded, nothing is believed, what is left out is counted. Repeats of one trouble become one incident. Facts
 * only: what an incident means on a machine is explain.h's work. Pure.
 *
 * Forms: dmesg with and without times (-T, -x, -d, --time-format iso too), /dev/kmsg records, journalctl -k (short forms
 * and json), syslog files.
 */
#ifndef QM_KLOG_H
#define QM_KLOG_H

#include "base/cpuset.h"

enum qm_klog_kind {
	QM_KLOG_CONNECT,        /* the Connect command of an I/O queue (or the admin queue, qid 0) failed */
	QM_KLOG_RECONNECT,      /* the same after a reset or loss of connection */
	QM_KLOG_NO_CONNECTION,  /* no way to the target: socket, address, route, RDMA setup */
	QM_KLOG_TARGET_LIMIT,   /* the target gave no I/O queues, or none could be set */
	QM_KLOG_AUTHENTICATION,
	QM_KLOG_HOST_IDENTITY,  /* same host id with another host NQN, and the reverse */
	QM_KLOG_BAD_OPTION,     /* an option that this kernel or transport does not know */
	QM_KLOG_MR_POOL,        /* RDMA memory regions ran out */
	QM_KLOG_TIMEOUT,        /* a request timed out */
	QM_KLOG_TIMEOUT_POLLED, /* it was complete: its interrupt was missed */
	QM_KLOG_WRONG_CPU,      /* a queue was run from a CPU that is not its own */
	QM_KLOG_IRQ_NO_HANDLER, /* an interrupt came in on a vector nobody has */
	QM_KLOG_IRQ_NO_CPU,     /* a managed interrupt was started without a CPU */
	QM_KLOG_IRQ_MOVED,      /* an interrupt lost its affinity since its CPU went offline */
	QM_KLOG_VECTORS_OUT,    /* no free vector on the CPUs asked for */
	_QM_KLOG_KIND_MAX,
};

const char *qm_klog_kind_name(enum qm_klog_kind k); /* "connect-failed", ... */

struct qm_klog_incident {
	enum qm_klog_kind kind;
	char *controller;  /* "nvme2"; NULL where the line names none */
	char *host;        /* as the log says; NULL */
	char *boot_id;     /* journal: of its boot; NULL */
	unsigned boot;     /* boots of that host seen before, in this log */
	char *time, *last; /* of the first and the last line, as written; NULL */
	char *text;        /* the message that told it, perhaps shortened */
	unsigned long line;  /* number of the first line */
	unsigned long count; /* how often */

	long created;        /* "creating N I/O queues"; -1 */
	long queues[3];      /* default, read, poll; -1 */
	long qid;            /* -1 = the log does not say */
	bool has_status;
	long status;         /* < 0: errno; > 0: NVMe status */
	bool has_raw;
	long raw;            /* as printed where that is not the errno: -16402 */
	long pool;           /* MR_POOL: regions per queue; -1 */
	long cpu, irq, vector; /* -1 */
	bool near_hotplug;   /* WRONG_CPU: a CPU came or went within a second, or no times tell */
	bool has_hotplug;    /* ... some CPU came or went just before */
	unsigned long attempts; /* reconnects that failed */
	bool recovered;      /* the log shows this controller connected later */
	bool removed;        /* ... removed later */

	struct qm_cpuset *offline; /* CPUs that in this boot had gone offline before the last line, and not come back; NULL = none */
};

struct qm_klog_host {
	char *name;    /* NULL: lines without a host name */
	unsigned boots; /* in this log, at least 1 */
	char *release; /* "Linux version" of the last boot; NULL */
	char *boot_id; /* journal: of the last boot; NULL */
};

struct qm_klog_report {
	struct qm_klog_incident *v; /* in the order of their first lines */
	size_t n, cap;
	struct qm_klog_host *hosts;
	size_t n_hosts, cap_hosts;

	unsigned long lines, relevant; /* lines in all; of these with something about queues */
	unsigned long too_long;        /* lines looked at only in part */
	unsigned long no_text;         /* bytes that are no text */
	unsigned long skipped_before;  /* relevant lines before since */
	unsigned long undated;         /* relevant lines without a usable time although since was given */
	unsigned long backwards;       /* times that ran backwards */
	unsigned long dropped;         /* the oldest incidents, beyond QM_KLOG_INCIDENTS_MAX */
	bool unfinished;               /* the last line has no end */
};

#ifdef QM_SMALL_LIMITS
#define QM_KLOG_INCIDENTS_MAX 8
#define QM_KLOG_LINE_MAX 2048
#else
#define QM_KLOG_INCIDENTS_MAX 1000
#define QM_KLOG_LINE_MAX (64 * 1024)
#endif

/* What to leave out. */
struct qm_klog_since {
	bool has_wall, has_mono;
	double wall;       /* seconds since 1970 */
	double mono;       /* seconds since boot */
	double utc_offset; /* of local time, in seconds: many forms tell local time and no zone */
	double now;        /* seconds since 1970, for forms without a year; 0 = not known */
};

struct qm_klog;
/* since: NULL = everything. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_klog_new(const struct qm_klog_since *since, struct qm_klog **ret);
void qm_klog_free(struct qm_klog *k);
/* The next piece. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_klog_feed(struct qm_klog *k, const char *data, size_t len);
/* The end; the report is the caller's. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_klog_finish(struct qm_klog *k, struct qm_klog_report *ret);
void qm_klog_report_done(struct qm_klog_report *r);

#endif
