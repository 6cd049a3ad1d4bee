/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How good a map is, and how good one of that many queues could be on that machine. Pure. */
#ifndef QM_SCORE_H
#define QM_SCORE_H

#include "base/ids.h"
#include "machine/topology.h"

struct qm_score {
	unsigned queues;
	struct qm_ids unmapped;   /* no CPU at all */
	struct qm_ids dead;       /* CPUs, but none online */
	struct qm_ids cross_node; /* online CPUs in more than one node */
	struct qm_ids cross_llc;  /* online CPUs of more than one last-level cache; empty where caches are unknown */
	unsigned min_cpus, max_cpus; /* online CPUs per queue, over the queues that have one */
	unsigned split_cores;     /* cores whose online threads are on several queues */
	/*
	 * The largest number k such that whichever k cores go offline, every queue that has an online CPU keeps one. 0
	 * where some queue lives on one core.
	 */
	unsigned resilience;
};

void qm_score_done(struct qm_score *s);

/*
 * A topology prepared for scoring, for many runs: time grows with CPUs + queues, and no run allocates once the lists of
 * the score and the scratch memory have grown. Borrows nothing; not for concurrent use.
 */
struct qm_scorer;
QM_MUST_CHECK int qm_scorer_new(const struct qm_topology *t, struct qm_scorer **ret);
void qm_scorer_free(struct qm_scorer *s);
/*
 * Scores map[cpu], cpu < nr_cpus; an entry is a queue below queues or QM_QUEUE_NONE (such CPUs count nowhere). listed: the
 * CPUs that the kernel puts in its queues' lists (qm_era_listed_cpus()), NULL = all possible ones: others do not keep a
 * queue from being unmapped. *score is {0} or an earlier result, whose lists are used again; on failure it is as after
 * qm_score_done(). Returns 0, -EINVAL, -ENOMEM.
 */
QM_MUST_CHECK int qm_scorer_map(struct qm_scorer *s, const int32_t *map, const struct qm_cpuset *listed, unsigned queues,
				struct qm_score *score);

/*
 * Scores queues given as sets, as read from a machine (isolated CPUs may be in none). Sets of different queue types overlap
 * and are scored one type at a time.
 */
QM_MUST_CHECK int qm_score_sets(const struct qm_topology *t, const struct qm_cpuset *const *sets, unsigned queues,
				struct qm_score *ret);

/*
 * The best possible map of that many queues over the online CPUs: no unmapped, then no dead, then fewest cross-node, then
 * smallest maximum, then fewest split cores, in that order. Each figure is attained together with those before it, or is
 * a true bound where exact says false.
 */
struct qm_best {
	unsigned unmapped, dead, cross_node, max_cpus, split_cores;
	bool exact;
};
QM_MUST_CHECK int qm_best_map(const struct qm_topology *t, unsigned queues, struct qm_best *ret);

/*
 * <0: a is better than b (isolation can do that), 0: as good, >0: worse. Compares in the order above; split cores above a
 * figure that is only a bound prove nothing and count as equal.
 */
int qm_score_compare_best(const struct qm_score *a, const struct qm_best *b);

#endif
