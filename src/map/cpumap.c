// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The generic mapper: blk_mq_map_queues() and its predecessors (block/blk-mq-cpumap.c). Where several maps exist (5.0
 * and later, ed76e329d74a) the caller adds the queue offset.
 */
#include <errno.h>

#include "map/rule.h"

/* k-th of n things: its queue, 3.13 (k / ceil(n / queues)) or 3.19 (k * queues / n). */
typedef uint32_t (*qm_slice_fn)(uint32_t k, uint32_t n, uint32_t queues);

static uint32_t slice_ceil(uint32_t k, uint32_t n, uint32_t queues)
{
	return k / ((n + queues - 1) / queues);
}

static uint32_t slice_even(uint32_t k, uint32_t n, uint32_t queues)
{
	return k * queues / n;
}

/*
 * The online CPUs in slices, one slice per queue. With enough queues for all, or without siblings, each CPU counts;
 * else each core does and a sibling copies the first one's queue. A CPU that is not online keeps queue 0.
 */
static void map_slices(struct qm_mapper *m, const struct qm_map_job *j, qm_slice_fn slice)
{
	uint32_t cores = 0, k = 0;
	int32_t *map = j->map;

	for (uint32_t i = 0; i < m->n_online; i++)
		cores += m->first_sibling[m->online[i]] == m->online[i];
	if (j->queues >= m->n_online || cores == m->n_online) {
		for (uint32_t i = 0; i < m->n_online; i++)
			map[m->online[i]] = (int32_t)slice(i, m->n_online, j->queues);
		return;
	}
	for (uint32_t i = 0; i < m->n_online; i++) {
		uint32_t cpu = m->online[i], first = m->first_sibling[cpu];

		map[cpu] = first == cpu ? (int32_t)slice(k++, cores, j->queues) : map[first];
	}
}

/* 3.13 to 3.18, 320ae51feed5; made again at every hotplug event. */
static void map_3_13(struct qm_mapper *m, const struct qm_map_job *j)
{
	map_slices(m, j, slice_ceil);
}

/* 3.19 to 4.12, 959f5f5b2b8e; made again at every hotplug event. */
static void map_3_19(struct qm_mapper *m, const struct qm_map_job *j)
{
	map_slices(m, j, slice_even);
}

/*
 * By CPU number: cpu mod queues for CPUs below the number of queues and for first siblings, the first sibling's queue
 * for the others; CPUs that do not count (NULL = all do) keep queue 0.
 */
static void map_by_number(struct qm_mapper *m, const struct qm_map_job *j, const bool *counts)
{
	int32_t *map = j->map;

	for (uint32_t i = 0; i < m->n_possible; i++) {
		uint32_t cpu = m->possible[i], first = m->first_sibling[cpu];

		if (cpu >= j->queues && first != cpu)
			map[cpu] = map[first];
		else if (!counts || counts[cpu])
			map[cpu] = (int32_t)(cpu % j->queues);
	}
}

/* As first posted for 4.13 (fe631457ff3e): online CPUs count. No release has it. */
static void map_4_13_posted(struct qm_mapper *m, const struct qm_map_job *j)
{
	map_by_number(m, j, m->is_online);
}

/* 4.13 to 4.15, fe631457ff3e with 4b855ad37194: present CPUs count. Not made again at hotplug any more. */
static void map_4_13(struct qm_mapper *m, const struct qm_map_job *j)
{
	map_by_number(m, j, m->is_present);
}

/* 4.16 to 5.2 and 4.14.y, 20e4d8139319: every possible CPU counts. */
static void map_4_16(struct qm_mapper *m, const struct qm_map_job *j)
{
	map_by_number(m, j, NULL);
}

/*
 * 5.3 to 6.2, 556f36e90dbe; also RHEL 8 from 4.18.0-147 on. A counter runs over the present CPUs until each queue has
 * one. Then, over all CPUs without a queue: while queues are left, and for first siblings, it runs on and wraps; other
 * siblings copy.
 */
static void map_5_3(struct qm_mapper *m, const struct qm_map_job *j)
{
	uint32_t given = m->n_present < j->queues ? m->n_present : j->queues, n = given;
	int32_t *map = j->map;

	for (uint32_t i = 0; i < m->n_possible; i++)
		map[m->possible[i]] = QM_QUEUE_NONE;
	for (uint32_t i = 0; i < given; i++)
		map[m->present[i]] = (int32_t)i;
	for (uint32_t i = 0; i < m->n_possible; i++) {
		uint32_t cpu = m->possible[i], first = m->first_sibling[cpu];

		if (map[cpu] != QM_QUEUE_NONE)
			continue;
		if (n < j->queues || first == cpu)
			map[cpu] = (int32_t)(n++ % j->queues);
		else
			map[cpu] = map[first];
	}
}

/* Turns groups into queues where queue q takes the CPUs of group q mod k and later queues overwrite earlier ones. */
static void groups_to_last_queue(struct qm_mapper *m, const struct qm_map_job *j, uint32_t k)
{
	uint32_t last_round = (j->queues - 1) / k * k, in_last = (j->queues - 1) % k;

	if (k >= j->queues)
		return;
	for (uint32_t i = 0; i < m->n_possible; i++) {
		int32_t *q = &j->map[m->possible[i]];

		*q += (int32_t)((uint32_t)*q <= in_last ? last_round : last_round - k);
	}
}

/*
 * 6.3 and later, 6a6dcae8f486: groups of CPUs, evenly sized by node. Queue q serves group q, so that queues beyond the
 * groups stay without CPUs; from 6.17 on (b6139a6abf67, 3f27c1de5df2) groups are dealt out again, which leaves the
 * *first* queues without. 6.9 and 6.11 changed the sort only; 7.0 (89802ca36c96) groups by cluster inside a node.
 */
static void map_6_3(struct qm_mapper *m, const struct qm_map_job *j)
{
	uint32_t k = qm_group_cpus(m, &j->rule->grouping, j->queues, j->map);

	if (j->rule->modulo)
		groups_to_last_queue(m, j, k);
}

/*
 * SUSE's kernels with isolcpus=managed_irq (branch seen at 32c08839a56c): only the CPUs that take managed interrupts
 * are grouped, present or not, in one stage; then the others are dealt over all queues in turn.
 */
static void map_suse_hk(struct qm_mapper *m, const struct qm_map_job *j)
{
	struct qm_cursor c = { .n = j->queues }, isolated = { .n = j->queues };
	const struct qm_stage *s;
	uint32_t k;

	if (!j->housekeeping) {
		map_6_3(m, j);
		return;
	}
	s = qm_mapper_housekeeping(m, j->housekeeping);
	k = qm_stage_run(m, s, &j->rule->grouping, &c, j->map);
	groups_to_last_queue(m, j, k);
	for (uint32_t i = 0; i < m->n_possible; i++) {
		if (qm_cpuset_test(&s->set, m->possible[i]))
			continue;
		j->map[m->possible[i]] = (int32_t)isolated.now;
		qm_cursor_advance(&isolated);
	}
}

const struct qm_rule qm_rule_map_3_13 = { .map = map_3_13 };
const struct qm_rule qm_rule_map_3_19 = { .map = map_3_19 };
const struct qm_rule qm_rule_map_4_13_posted = { .map = map_4_13_posted };
const struct qm_rule qm_rule_map_4_13 = { .map = map_4_13 };
const struct qm_rule qm_rule_map_4_16 = { .map = map_4_16 };
const struct qm_rule qm_rule_map_5_3 = { .map = map_5_3 };
const struct qm_rule qm_rule_map_6_3 = { .map = map_6_3, .grouping = { .sort = QM_SORT_CLASSIC }, .warns = true };
const struct qm_rule qm_rule_map_6_9 = { .map = map_6_3, .grouping = { .sort = QM_SORT_TWO_POP }, .warns = true };
const struct qm_rule qm_rule_map_6_11 = {
	.map = map_6_3, .grouping = { .sort = QM_SORT_SHORT_TAIL }, .warns = true,
};
const struct qm_rule qm_rule_map_6_17 = {
	.map = map_6_3, .grouping = { .sort = QM_SORT_SHORT_TAIL }, .modulo = true,
};
const struct qm_rule qm_rule_map_7_0 = {
	.map = map_6_3, .grouping = { .sort = QM_SORT_SHORT_TAIL, .clusters = true }, .modulo = true,
};
const struct qm_rule qm_rule_map_suse_hk = {
	.map = map_suse_hk, .grouping = { .sort = QM_SORT_CLASSIC }, .modulo = true, .isolates = true,
};

int qm_map_run(struct qm_mapper *m, const struct qm_algo *a, unsigned queues, const struct qm_cpuset *housekeeping,
	       int32_t *map, unsigned *ret_warn)
{
	if (a->family != QM_FAMILY_MAP || !queues || queues > QM_QUEUES_MAX)
		return -EINVAL;
	if (a->rule->isolates && housekeeping && !qm_cpuset_intersects(housekeeping, &m->possible_set))
		return -EINVAL;
	for (uint32_t cpu = 0; cpu < m->nr_cpus; cpu++)
		map[cpu] = QM_QUEUE_NONE;
	for (uint32_t i = 0; i < m->n_possible; i++)
		map[m->possible[i]] = 0;
	a->rule->map(m, &(struct qm_map_job){ a->rule, queues, housekeeping, map });
	if (ret_warn)
		*ret_warn = a->rule->warns && queues > m->n_possible;
	return 0;
}
