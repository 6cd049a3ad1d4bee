// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spreading managed interrupts over CPUs: irq_create_affinity_masks() (kernel/irq/affinity.c, 4.9: drivers/base and
 * kernel/irq). Up to 5.3 nodes take turns in ascending order; from 5.4 on CPUs are grouped as in group.c.
 */
#include <errno.h>

#include "map/rule.h"

/* One interrupt set at work. */
struct qm_spread_job {
	const struct qm_rule *rule;
	struct qm_cpuset *masks; /* the set's own, all empty at first */
	uint32_t vectors;
	uint32_t filled; /* out: by the kernel's count, may exceed vectors */
};

static void add_pool(const struct qm_stage *s, struct qm_pool pool, struct qm_cpuset *mask)
{
	for (uint32_t i = 0; i < pool.n; i++)
		qm_cpuset_set(mask, s->node_members.cpu[pool.first + i]);
}

/* Adds all possible CPUs of a node. */
static void add_whole_node(struct qm_mapper *m, uint32_t slot, struct qm_cpuset *mask)
{
	const struct qm_stage *s = qm_mapper_possible(m);
	uint32_t lo = 0, hi = s->n_nodes;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->node[mid].slot <= slot)
			lo = mid;
		else
			hi = mid;
	}
	add_pool(s, s->node[lo].pool, mask);
}

/* CPUs to which no group is given end up in no mask. */
static void forget_groups(struct qm_mapper *m, const struct qm_stage *s)
{
	for (uint32_t i = 0; i < s->n_cpus; i++)
		m->group_of[s->node_members.cpu[i]] = -1;
}

static void add_groups(const struct qm_mapper *m, const struct qm_stage *s, struct qm_cpuset *masks)
{
	for (uint32_t i = 0; i < s->n_cpus; i++) {
		uint32_t cpu = s->node_members.cpu[i];

		if (m->group_of[cpu] >= 0)
			qm_cpuset_set(&masks[m->group_of[cpu]], cpu);
	}
}

/*
 * 4.9 (34c3d9819fda). Looks at as many node numbers, from 0 on, as nodes are online, and divides by the number of nodes
 * it finds. What does not divide is given out as CPUs: see the extra ones below.
 */
static enum qm_spread_outcome spread_4_9(struct qm_mapper *m, struct qm_spread_job *j)
{
	const struct qm_stage *s = qm_mapper_online(m);
	uint32_t nodes = 0, per_node, extra, vector = 0;
	struct qm_picker p;

	while (nodes < s->n_nodes && s->node[nodes].slot < m->online_nodes)
		nodes++;
	j->filled = j->vectors;
	if (j->vectors <= nodes) {
		for (uint32_t i = 0; i < j->vectors; i++)
			add_pool(s, s->node[i].pool, &j->masks[i]);
		return QM_SPREAD_OK;
	}
	if (!nodes)
		return QM_SPREAD_DIVIDE_BY_ZERO;
	per_node = j->vectors / nodes;
	extra = j->vectors % nodes;
	forget_groups(m, s);
	for (uint32_t i = 0; i < nodes; i++) {
		struct qm_pool pool = s->node[i].pool;
		uint32_t v = per_node, share = pool.n / v;

		qm_picker_init(m, &s->node_members, pool, &p);
		for (uint32_t k = 0; k < v && vector < j->vectors; k++, vector++) {
			qm_picker_take(&p, share + (extra > 0), (int32_t)vector, m->group_of);
			/* The next nodes make one vector more once the extra CPUs are used up. */
			if (extra > 0 && --extra == 0)
				per_node++;
		}
	}
	add_groups(m, s, j->masks);
	return QM_SPREAD_OK;
}

/*
 * Nodes in ascending order, each with its even share of the vectors left, at most one per CPU. Returns the number of
 * vectors filled, 0 for an empty stage, or -1 where the kernel divides by a share of 0.
 */
static int64_t spread_nodes(struct qm_mapper *m, const struct qm_stage *s, struct qm_cursor *c)
{
	uint32_t filled = 0;

	forget_groups(m, s);
	for (uint32_t i = 0; i < s->n_nodes && filled < c->n; i++) {
		uint32_t k = (c->n - c->now) / (s->n_nodes - i);

		if (k > s->node[i].pool.n)
			k = s->node[i].pool.n;
		if (!k)
			return -1;
		qm_pool_spread(m, &s->node_members, s->node[i].pool, k, c, m->group_of);
		filled += k;
	}
	return filled;
}

/* 4.12 (7bf8222b9bd0) online, 4.13 (9a0ef98e186d) present, 4.16 (84676c1f21e8) possible CPUs, in one stage. */
static enum qm_spread_outcome spread_4_12(struct qm_mapper *m, struct qm_spread_job *j)
{
	const struct qm_stage *s = j->rule->cpus == QM_SEES_ONLINE  ? qm_mapper_online(m) :
				   j->rule->cpus == QM_SEES_PRESENT ? &m->s_present :
								      qm_mapper_possible(m);
	struct qm_cursor c = { .n = j->vectors };
	int64_t filled;

	if (j->vectors <= s->n_nodes) {
		for (uint32_t i = 0; i < j->vectors; i++)
			add_pool(s, s->node[i].pool, &j->masks[i]);
		j->filled = j->vectors;
		return QM_SPREAD_OK;
	}
	filled = spread_nodes(m, s, &c);
	if (filled < 0)
		return QM_SPREAD_DIVIDE_BY_ZERO;
	add_groups(m, s, j->masks);
	j->filled = (uint32_t)filled;
	return QM_SPREAD_OK;
}

/* A stage with no fewer nodes than vectors: each node's CPUs, the stage's or all of them, to one vector. */
static void stage_by_node(struct qm_mapper *m, const struct qm_stage *s, const struct qm_spread_job *j,
			  struct qm_cursor *c)
{
	uint32_t n = j->rule->replaces ? j->vectors : s->n_nodes;

	for (uint32_t i = 0; i < n; i++) {
		struct qm_cpuset *mask = &j->masks[c->now];

		if (j->rule->replaces)
			qm_cpuset_zero(mask);
		if (j->rule->whole_nodes)
			add_whole_node(m, s->node[i].slot, mask);
		else
			add_pool(s, s->node[i].pool, mask);
		qm_cursor_advance(c);
	}
}

/* One stage of 4.17 and later; returns as spread_nodes(). */
static int64_t run_stage(struct qm_mapper *m, const struct qm_stage *s, const struct qm_spread_job *j, bool grouped,
			 struct qm_cursor *c)
{
	int64_t filled;

	if (!s->n_cpus)
		return 0;
	if (j->vectors <= s->n_nodes) {
		stage_by_node(m, s, j, c);
		return j->vectors;
	}
	if (grouped)
		filled = qm_stage_group(m, s, &j->rule->grouping, c, m->group_of);
	else
		filled = spread_nodes(m, s, c);
	if (filled >= 0)
		add_groups(m, s, j->masks);
	return filled;
}

/* Present CPUs first; the absent ones from the first vector on that is still empty, or from the start again. */
static enum qm_spread_outcome run_stages(struct qm_mapper *m, struct qm_spread_job *j, bool grouped)
{
	struct qm_cursor c = { .n = j->vectors };
	int64_t present, absent;

	present = run_stage(m, &m->s_present, j, grouped, &c);
	if (present < 0)
		return QM_SPREAD_DIVIDE_BY_ZERO;
	c.now = present < j->vectors ? (uint32_t)present : 0;
	absent = run_stage(m, &m->s_absent, j, grouped, &c);
	if (absent < 0)
		return QM_SPREAD_DIVIDE_BY_ZERO;
	j->filled = (uint32_t)(present + absent);
	return QM_SPREAD_OK;
}

/*
 * 4.17 (d3056812e7df) to 5.3: nodes take turns in both stages. 4.20 (b82592199032): with few vectors all nodes are
 * dealt. 5.0 (6da4b3ab9a6e): sets. 5.1 (c66d4bd110a1): a lone vector is not managed.
 */
static enum qm_spread_outcome spread_4_17(struct qm_mapper *m, struct qm_spread_job *j)
{
	return run_stages(m, j, false);
}

/* 5.4 (53c1788b7d77, b1a5a73e64e9) and later: CPUs grouped evenly. 5.19 (08d835dff916): only the stage's CPUs. */
static enum qm_spread_outcome spread_5_4(struct qm_mapper *m, struct qm_spread_job *j)
{
	return run_stages(m, j, true);
}

const struct qm_rule qm_rule_irq_4_9 = { .spread = spread_4_9 };
const struct qm_rule qm_rule_irq_4_12 = {
	.spread = spread_4_12, .cpus = QM_SEES_ONLINE, .takes_pre = true, .default_rest = true,
};
const struct qm_rule qm_rule_irq_4_13 = {
	.spread = spread_4_12, .cpus = QM_SEES_PRESENT, .takes_pre = true, .default_rest = true,
};
const struct qm_rule qm_rule_irq_4_16 = {
	.spread = spread_4_12, .cpus = QM_SEES_POSSIBLE, .takes_pre = true, .default_rest = true,
};
const struct qm_rule qm_rule_irq_4_17 = {
	.spread = spread_4_17, .takes_pre = true, .whole_nodes = true, .replaces = true, .default_rest = true,
};
const struct qm_rule qm_rule_irq_4_20 = {
	.spread = spread_4_17, .takes_pre = true, .whole_nodes = true, .default_rest = true,
};
const struct qm_rule qm_rule_irq_5_0 = {
	.spread = spread_4_17, .takes_pre = true, .takes_sets = true, .whole_nodes = true, .warns = true,
};
const struct qm_rule qm_rule_irq_5_1 = {
	.spread = spread_4_17, .takes_pre = true, .takes_sets = true, .whole_nodes = true, .warns = true,
	.lone_unmanaged = true,
};
const struct qm_rule qm_rule_irq_5_4 = {
	.spread = spread_5_4, .takes_pre = true, .takes_sets = true, .whole_nodes = true, .warns = true,
	.grouping = { .sort = QM_SORT_CLASSIC },
};
const struct qm_rule qm_rule_irq_5_19 = {
	.spread = spread_5_4, .takes_pre = true, .takes_sets = true, .warns = true,
	.grouping = { .sort = QM_SORT_CLASSIC },
};
const struct qm_rule qm_rule_irq_6_9 = {
	.spread = spread_5_4, .takes_pre = true, .takes_sets = true, .warns = true,
	.grouping = { .sort = QM_SORT_TWO_POP },
};
const struct qm_rule qm_rule_irq_6_11 = {
	.spread = spread_5_4, .takes_pre = true, .takes_sets = true, .warns = true,
	.grouping = { .sort = QM_SORT_SHORT_TAIL },
};
const struct qm_rule qm_rule_irq_6_17 = {
	.spread = spread_5_4, .takes_pre = true, .takes_sets = true, .default_rest = true,
	.grouping = { .sort = QM_SORT_SHORT_TAIL },
};
const struct qm_rule qm_rule_irq_7_0 = {
	.spread = spread_5_4, .takes_pre = true, .takes_sets = true, .default_rest = true,
	.grouping = { .sort = QM_SORT_SHORT_TAIL, .clusters = true },
};

bool qm_algo_takes_pre(const struct qm_algo *a)
{
	return a->rule->takes_pre;
}

bool qm_algo_takes_sets(const struct qm_algo *a)
{
	return a->rule->takes_sets;
}

static int check_spread(const struct qm_algo *a, const struct qm_spread *what)
{
	uint32_t left;

	if (a->family != QM_FAMILY_IRQ || what->vectors > QM_QUEUES_MAX || what->pre >= what->vectors)
		return -EINVAL;
	if ((what->pre && !a->rule->takes_pre) || (what->n_sets && !a->rule->takes_sets))
		return -EINVAL;
	if (what->n_sets > QM_ARRAY_SIZE(what->sets))
		return -EINVAL;
	left = what->vectors - what->pre;
	for (unsigned i = 0; i < what->n_sets; i++) {
		if (!what->sets[i] || what->sets[i] > left)
			return -EINVAL;
		left -= what->sets[i];
	}
	return what->n_sets && left ? -EINVAL : 0;
}

/* All sets, one after the other. *ret_end: the first vector behind those they use. */
static enum qm_spread_outcome spread_sets(struct qm_mapper *m, const struct qm_algo *a, const struct qm_spread *what,
					  struct qm_cpuset *masks, uint32_t *ret_end, unsigned *ret_warn)
{
	uint32_t pos = what->pre;
	unsigned warn = 0;

	for (unsigned i = 0; i < (what->n_sets ? what->n_sets : 1); i++) {
		struct qm_spread_job j = {
			.rule = a->rule,
			.masks = masks + pos,
			.vectors = what->n_sets ? what->sets[i] : what->vectors - what->pre,
		};
		enum qm_spread_outcome outcome = a->rule->spread(m, &j);

		if (outcome != QM_SPREAD_OK)
			return outcome;
		warn += a->rule->warns && j.filled < j.vectors;
		pos += a->rule->default_rest && j.filled < j.vectors ? j.filled : j.vectors;
	}
	*ret_end = pos;
	*ret_warn = warn;
	return QM_SPREAD_OK;
}

int qm_spread_run(struct qm_mapper *m, const struct qm_algo *a, const struct qm_spread *what, struct qm_cpuset *masks,
		  enum qm_spread_outcome *ret_outcome, unsigned *ret_warn)
{
	enum qm_spread_outcome outcome = QM_SPREAD_NO_MASKS;
	uint32_t end = what->vectors;
	unsigned warn = 0;
	int r = check_spread(a, what);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < what->vectors; i++)
		qm_cpuset_zero(&masks[i]);
	if (what->vectors > 1 || !a->rule->lone_unmanaged)
		outcome = spread_sets(m, a, what, masks, &end, &warn);
	if (outcome == QM_SPREAD_OK) {
		for (uint32_t i = 0; i < what->pre; i++)
			qm_cpuset_copy(&masks[i], &m->possible_set);
		for (uint32_t i = end; i < what->vectors; i++)
			qm_cpuset_copy(&masks[i], &m->possible_set);
	}
	*ret_outcome = outcome;
	if (ret_warn)
		*ret_warn = warn;
	return 0;
}
