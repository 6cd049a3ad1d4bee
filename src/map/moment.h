/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to map/: moments at which a map may have been made. What a kernel saw then differs from today in the online CPUs,
 * and with them in the siblings.
 */
#ifndef QM_MAP_MOMENT_H
#define QM_MAP_MOMENT_H

#include "map/trial.h"

void qm_moment_done(struct qm_moment *m);
/* Today. t is borrowed. */
QM_MUST_CHECK int qm_moment_now(const struct qm_topology *t, struct qm_moment *ret);

/*
 * All present CPUs online. Siblings of offline CPUs that nobody told are completed in the style of those that are known;
 * guess counts the styles from 0. 0, -ENOENT: there are no more, or -ENOMEM.
 */
QM_MUST_CHECK int qm_moment_all_online(const struct qm_topology *t, unsigned guess, struct qm_moment *ret);

/* What a search may spend, and what it found. */
struct qm_search {
	unsigned budget; /* maps left to try */
	bool gave_up;
	bool found;
	struct qm_cpuset offline;
};

/*
 * Looks for the smallest set of CPUs that, offline, makes a give exactly the live map: all sets of one, two ... CPUs as
 * far as the budget goes, then the shapes that administrators and kernels make (a node, all second threads, the CPUs
 * above a number), then step by step along the trace that each offline CPU leaves. all: a moment with all CPUs
 * online. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_search_offline(struct qm_trial *t, const struct qm_moment *all, const struct qm_algo *a,
				    struct qm_search *s);

/* The moment when these CPUs were offline and all other present ones online. */
QM_MUST_CHECK int qm_moment_without(const struct qm_moment *all, const struct qm_cpuset *offline, struct qm_moment *ret);

#endif
