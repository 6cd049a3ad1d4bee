/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plan.c and place.c share. */
#ifndef QM_PLANNER_H
#define QM_PLANNER_H

#include "hint/hint.h"

struct qm_planner {
	struct qm_root *root;
	const struct qm_machine *m;
	const struct qm_plan_options *opt;
	struct qm_cpuset usable; /* online, not isolated, not reserved */
	struct qm_plan *p;
};

/* The CPUs as a list, a new string. */
QM_MUST_CHECK int qm_planner_list(const struct qm_cpuset *set, char **ret);
/* The queue's interrupt; NULL if it has none or none is known. */
const struct qm_irq *qm_planner_irq(const struct qm_planner *pl, const struct qm_hctx *h);

/*
 * place.c: adds a change for every interrupt that should move, and what is to be said of others as notes. vectors has a
 * number for each controller of the machine, set to how many interrupts complete its requests; 0 for those not selected.
 */
QM_MUST_CHECK int qm_planner_place(struct qm_planner *pl, size_t *vectors);

#endif
