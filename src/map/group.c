// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Grouping CPUs evenly: group_cpus_evenly() of lib/group_cpus.c (6.3 and later, f7b3ea8cf72f), before that part of the
 * interrupt code (5.4 and later, b1a5a73e64e9 and 53c1788b7d77). Clusters: 7.0, 89802ca36c96.
 */
#include "map/group.h"

#include <string.h>

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void qm_picker_init(struct qm_mapper *m, const struct qm_members *list, struct qm_pool pool, struct qm_picker *ret)
{
	memset(m->taken, 0, pool.n * sizeof(*m->taken));
	*ret = (struct qm_picker){
		.cpu = list->cpu + pool.first,
		.next = list->next + pool.first,
		.base = pool.first,
		.n = pool.n,
		.taken = m->taken,
	};
}

void qm_picker_take(struct qm_picker *p, uint32_t want, int32_t group, int32_t *group_of)
{
	uint32_t i;

	while (want) {
		while (p->low < p->n && p->taken[p->low])
			p->low++;
		if (p->low == p->n)
			return;
		/*
		 * Siblings leave the pool in ascending order only, so behind the lowest one left all others are left
		 * too and the chain needs no test.
		 */
		for (i = p->low; want; want--) {
			p->taken[i] = true;
			group_of[p->cpu[i]] = group;
			if (p->next[i] == QM_NO_SIBLING) {
				want--;
				break;
			}
			i = p->next[i] - p->base;
		}
	}
}

void qm_pool_spread(struct qm_mapper *m, const struct qm_members *list, struct qm_pool pool, uint32_t k,
		    struct qm_cursor *c, int32_t *group_of)
{
	uint32_t share = pool.n / k, extra = pool.n % k;
	struct qm_picker p;

	qm_picker_init(m, list, pool, &p);
	for (uint32_t i = 0; i < k; i++) {
		qm_picker_take(&p, share + (i < extra), (int32_t)c->now, group_of);
		qm_cursor_advance(c);
	}
}

/* What is still to be dealt in proportion. */
struct deal {
	uint32_t groups, cpus;
};

/* The share of a node or cluster with n CPUs: in proportion to what is left, at least one. */
static uint32_t deal_take(struct deal *d, uint32_t n)
{
	uint32_t share = d->groups * n / d->cpus;

	if (!share)
		share = 1;
	d->groups -= share;
	d->cpus -= n;
	return share;
}

static void spread_node(struct qm_mapper *m, const struct qm_stage *s, const struct qm_stage_node *node,
			const struct qm_grouping *how, uint32_t k, struct qm_cursor *c, int32_t *group_of)
{
	struct deal d = { .groups = k, .cpus = node->pool.n };

	if (!how->clusters || !node->n_clusters || node->n_clusters > k) {
		qm_pool_spread(m, &s->node_members, node->pool, k, c, group_of);
		return;
	}
	for (uint32_t i = 0; i < node->n_clusters; i++) {
		struct qm_pool pool = s->cluster[node->first_cluster + i];

		qm_pool_spread(m, &s->cluster_members, pool, deal_take(&d, pool.n), c, group_of);
	}
}

uint32_t qm_stage_group(struct qm_mapper *m, const struct qm_stage *s, const struct qm_grouping *how,
			struct qm_cursor *c, int32_t *group_of)
{
	uint32_t groups = min_u32(c->n, s->n_cpus);
	struct deal d = { .groups = groups, .cpus = s->n_cpus };

	for (uint32_t i = 0; i < s->n_nodes; i++) {
		const struct qm_stage_node *node = &s->node[s->order[how->sort][i]];

		spread_node(m, s, node, how, deal_take(&d, node->pool.n), c, group_of);
	}
	return groups;
}

/* Each node's CPUs of the stage to one group, nodes ascending. */
static void nodes_whole(const struct qm_stage *s, struct qm_cursor *c, int32_t *group_of)
{
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		const uint16_t *cpu = s->node_members.cpu + s->node[i].pool.first;

		for (uint32_t j = 0; j < s->node[i].pool.n; j++)
			group_of[cpu[j]] = (int32_t)c->now;
		qm_cursor_advance(c);
	}
}

uint32_t qm_stage_run(struct qm_mapper *m, const struct qm_stage *s, const struct qm_grouping *how,
		      struct qm_cursor *c, int32_t *group_of)
{
	if (!s->n_cpus)
		return 0;
	if (c->n > s->n_nodes)
		return qm_stage_group(m, s, how, c, group_of);
	nodes_whole(s, c, group_of);
	return c->n;
}

uint32_t qm_group_cpus(struct qm_mapper *m, const struct qm_grouping *how, uint32_t groups, int32_t *group_of)
{
	struct qm_cursor c = { .n = groups };
	uint32_t filled = qm_stage_run(m, &m->s_present, how, &c, group_of);

	c.now = filled < groups ? filled : 0;
	filled += qm_stage_run(m, &m->s_absent, how, &c, group_of);
	return min_u32(filled, groups);
}
