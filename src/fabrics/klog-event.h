/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to fabrics/: what one message of the kernel tells. */
#ifndef QM_KLOG_EVENT_H
#define QM_KLOG_EVENT_H

#include "fabrics/klog.h"

enum qm_klog_event_type {
	QM_EVENT_NONE,
	QM_EVENT_BOOT,         /* "Linux version RELEASE": text */
	QM_EVENT_CPU_OFFLINE,  /* n[0] */
	QM_EVENT_CPU_ONLINE,   /* n[0] */
	/* of a controller */
	QM_EVENT_CREATING,     /* n[0] queues */
	QM_EVENT_MAPPED,       /* n[0..2] */
	QM_EVENT_CONNECT_CODE, /* n[0]: errno or status; the queue comes with the next line, if at all */
	QM_EVENT_CONNECT_RAW,  /* n[0]: the same in the old form */
	QM_EVENT_CONNECT_QUEUE, /* n[0] = qid, n[1] = errno or status */
	QM_EVENT_CONNECT_ERROR, /* n[0]: without the queue */
	QM_EVENT_RECONNECTING, /* will be tried again: what failed was a reconnect or a reset */
	QM_EVENT_RECONNECT_FAILED, /* n[0] = errno: fc tells all in one line */
	QM_EVENT_CONNECTED,
	QM_EVENT_REMOVED,
	/* an incident by itself */
	QM_EVENT_INCIDENT,     /* kind; the fields of the incident below that it sets */
};

struct qm_klog_event {
	enum qm_klog_event_type type;
	char controller[16]; /* "" = none */
	long n[3];
	const char *text; /* in the message */
	enum qm_klog_kind kind;
	bool has_status;
	long status, qid, pool, cpu, irq, vector; /* -1 */
};

/* Reads a message. ret->type is QM_EVENT_NONE for those that tell nothing here. */
void qm_klog_event_parse(const char *message, struct qm_klog_event *ret);
/* The errno or status behind the old form of a code: -16402 -> -18. */
long qm_klog_code_decode(long raw);

#endif
