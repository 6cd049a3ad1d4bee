/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interrupts of a run's controllers, for show --irq. */
#ifndef QM_CMD_IRQS_H
#define QM_CMD_IRQS_H

#include "cmd/cmd.h"
#include "out/results.h"

struct qm_irq_views {
	struct qm_irq_view *v;
	size_t n, cap;
};

/*
 * All interrupts of the controllers that the operands named, those of no queue too; where none was named, also those that
 * bear a storage driver's name and are nobody's. By controller, then by number. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_irq_views_make(const struct qm_run *run, struct qm_irq_views *ret);
void qm_irq_views_done(struct qm_irq_views *x);

#endif
