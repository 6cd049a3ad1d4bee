/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that read interrupts share. For src/machine only. */
#ifndef QM_IRQ_H
#define QM_IRQ_H

#include "machine/device.h"

struct qm_irq_scan {
	struct qm_root *root;
	struct qm_machine *m;
	struct qm_dir top, proc; /* the root; proc/irq, fd -1 where absent */
	unsigned what;           /* QM_READ_* */
};

/* One handler's name after the other; *p starts as the interrupt's name, which may be NULL. False at the end. */
bool qm_irq_names_next(const char **p, const char **ret, size_t *ret_len);
/* Reads chip and hwirq, once. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_irq_read_chip(struct qm_irq_scan *s, struct qm_irq *irq);

/* tie.c: whose interrupt each is. Names first, since they also count queues; then what else there is. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_ties_by_name(struct qm_irq_scan *s);
QM_MUST_CHECK int qm_ties_by_device(struct qm_irq_scan *s);
/* managed.c: which of the controllers' interrupts the kernel keeps to itself. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_managed_read(struct qm_irq_scan *s);

#endif
