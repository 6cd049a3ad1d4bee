// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps read off interrupt masks: blk_mq_pci_map_queues() (4.9 to 6.13), blk_mq_virtio_map_queues() (4.11 to 6.13),
 * blk_mq_rdma_map_queues() (4.14 to 6.4), blk_mq_map_hw_queues() (6.14 and later).
 */
#include <errno.h>

#include "map/rule.h"

const struct qm_rule qm_rule_vector_error = { .fallback = QM_FALLBACK_ERROR };
const struct qm_rule qm_rule_vector_queue0 = { .fallback = QM_FALLBACK_QUEUE0 };
const struct qm_rule qm_rule_vector_map = { .fallback = QM_FALLBACK_MAP };

enum qm_vector_fallback qm_algo_fallback(const struct qm_algo *a)
{
	return a->rule->fallback;
}

static void fill(const struct qm_mapper *m, int32_t queue, int32_t *map)
{
	for (uint32_t cpu = 0; cpu < m->nr_cpus; cpu++)
		map[cpu] = QM_QUEUE_NONE;
	for (uint32_t i = 0; i < m->n_possible; i++)
		map[m->possible[i]] = queue;
}

/* What the kernel does without a usable mask. The offset holds for the queues it gives. */
static int fall_back(struct qm_mapper *m, unsigned n, unsigned offset, enum qm_vector_fallback fallback,
		     const struct qm_algo *algo, int32_t *map)
{
	int r;

	switch (fallback) {
	case QM_FALLBACK_QUEUE0:
		fill(m, 0, map);
		return 0;
	case QM_FALLBACK_MAP:
		if (!algo)
			return -EINVAL;
		r = qm_map_run(m, algo, n, NULL, map, NULL);
		if (r < 0)
			return r;
		for (uint32_t i = 0; i < m->n_possible; i++)
			map[m->possible[i]] += (int32_t)offset;
		return 0;
	case QM_FALLBACK_ERROR:
		break;
	}
	return -EINVAL;
}

int qm_vector_map(struct qm_mapper *m, const struct qm_cpuset *const *masks, unsigned n, unsigned offset,
		  enum qm_vector_fallback fallback, const struct qm_algo *fallback_algo, int32_t *map)
{
	if (!n || n > QM_QUEUES_MAX || offset > QM_QUEUES_MAX - n)
		return -EINVAL;
	for (unsigned q = 0; q < n; q++) {
		if (!masks[q])
			return fall_back(m, n, offset, fallback, fallback_algo, map);
	}
	fill(m, 0, map);
	for (unsigned q = 0; q < n; q++) {
		int cpu;

		QM_CPUSET_FOREACH(cpu, masks[q]) {
			if (qm_cpuset_test(&m->possible_set, (unsigned)cpu))
				map[cpu] = (int32_t)(q + offset);
		}
	}
	return 0;
}
