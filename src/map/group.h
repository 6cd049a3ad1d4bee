/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to map/: the parts that mappers and interrupt spreading share, in the kernel's own order of steps. */
#ifndef QM_MAP_GROUP_H
#define QM_MAP_GROUP_H

#include "map/mapper.h"

/* Takes CPUs from a pool, lowest first, siblings together. */
struct qm_picker {
	const uint16_t *cpu, *next; /* member list, from the pool's first member on */
	uint32_t low;               /* below this position all are taken */
	uint32_t base;              /* position of the pool in the member list */
	uint32_t n;
	bool *taken;
};

void qm_picker_init(struct qm_mapper *m, const struct qm_members *list, struct qm_pool pool, struct qm_picker *ret);
/*
 * Puts want CPUs into group: the lowest left, then its siblings left, ascending, as long as more are wanted; then the
 * lowest left again. Ends early when none is left.
 */
void qm_picker_take(struct qm_picker *p, uint32_t want, int32_t group, int32_t *group_of);

/* Where the next CPUs go: group now of n, wrapping. */
struct qm_cursor {
	uint32_t now, n;
};

static inline void qm_cursor_advance(struct qm_cursor *c)
{
	if (++c->now >= c->n)
		c->now = 0;
}

/* Spreads a pool over k groups from the cursor on: equal shares, the first ones get what does not divide. */
void qm_pool_spread(struct qm_mapper *m, const struct qm_members *list, struct qm_pool pool, uint32_t k,
		    struct qm_cursor *c, int32_t *group_of);

struct qm_grouping {
	enum qm_sort_kind sort;
	bool clusters;
};

/*
 * One stage of the grouping where there are more groups than nodes that own a CPU of the stage. Returns the number of
 * groups filled; writes group_of (by CPU id) for the CPUs of the stage only.
 */
uint32_t qm_stage_group(struct qm_mapper *m, const struct qm_stage *s, const struct qm_grouping *how,
			struct qm_cursor *c, int32_t *group_of);

/* One stage, whatever the number of groups: where nodes are no fewer than groups, each node goes to one group whole. */
uint32_t qm_stage_run(struct qm_mapper *m, const struct qm_stage *s, const struct qm_grouping *how,
		      struct qm_cursor *c, int32_t *group_of);

/*
 * Both stages: the present CPUs from group 0, then the absent ones from the first group the present ones left empty.
 * group_of: by CPU id, written for every possible CPU. Returns the number of groups that hold CPUs, at most groups.
 */
uint32_t qm_group_cpus(struct qm_mapper *m, const struct qm_grouping *how, uint32_t groups, int32_t *group_of);

#endif
