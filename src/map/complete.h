/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On which CPU, and in which context, a hardware queue's requests complete. */
#ifndef QM_COMPLETE_H
#define QM_COMPLETE_H

#include "machine/machine.h"

enum qm_complete_how {
	QM_COMPLETE_NOWHERE, /* nobody who submits completes so */
	QM_COMPLETE_HARDIRQ, /* in the handler of the queue's interrupt */
	QM_COMPLETE_SOFTIRQ, /* in a softirq that the handler, or an IPI's, raises */
	QM_COMPLETE_IPI,     /* in the handler of an inter-processor interrupt */
	QM_COMPLETE_POLL,    /* by the task that waits for it */
	_QM_COMPLETE_MAX,
};

/* The queue's online CPUs, parted by where what they submit completes. */
struct qm_completion {
	bool known;              /* false: the interrupt's CPU, rq_affinity, the caches or the kernel is not known */
	bool sure;               /* false: the kernel may be of either side of a change */
	int irq_cpu;             /* that takes the queue's interrupt; -1 = none */
	struct qm_cpuset local;  /* completed on irq_cpu, or by polling where they are */
	struct qm_cpuset remote; /* completed on the submitting CPU itself, which is interrupted for it */
	enum qm_complete_how local_how, remote_how;
};

/*
 * What blk_mq_complete_request() does with requests of hctx h of controller c, which belongs to m. rq_affinity: 0 leaves
 * them where the interrupt arrived; 1 sends them to the submitting CPU unless that shares the last-level cache; 2 always
 * sends them. Over time: 4.20 (36e765392e48) raises a softirq for devices with one queue; 5.15 for whatever is sent to
 * another CPU, and never sends with threaded interrupts; 6.1 (f168420c62e7) sends nothing for a queue that serves a single
 * CPU, which from 6.11 on holds only on that CPU; 6.9 asks for equally strong CPUs beside the shared cache.
 */
void qm_completion_find(const struct qm_machine *m, const struct qm_controller *c, const struct qm_hctx *h,
			struct qm_completion *ret);
const char *qm_complete_how_name(enum qm_complete_how how); /* "hardirq", ..; NULL for nowhere */

#endif
