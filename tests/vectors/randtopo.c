// SPDX-License-Identifier: GPL-2.0-or-later
#include "randtopo.h"

#include <errno.h>
#include <stdlib.h>

/* Groups of up to max CPUs: neighbours, or a stride apart. Some CPUs may stay in none. */
static int rand_groups(uint64_t *seed, const struct qm_topology *t, unsigned max, struct qm_groups *g)
{
	unsigned stride = rand_below(seed, 3) ? 1 : 1 + rand_below(seed, t->nr_cpus);
	unsigned size = 1 + rand_below(seed, max);
	bool uneven = !rand_below(seed, 4);
	int r = 0;

	for (unsigned cpu = 0; r == 0 && cpu < t->nr_cpus; cpu++) {
		unsigned n = uneven ? 1 + rand_below(seed, max) : size;
		struct qm_cpuset set = { 0 };

		for (unsigned i = 0; i < n && cpu + i * stride < t->nr_cpus; i++) {
			if (qm_cpuset_test(&t->possible, cpu + i * stride))
				qm_cpuset_set(&set, cpu + i * stride);
		}
		if (g->of && g->of[cpu] >= 0)
			continue;
		if (uneven && !rand_below(seed, 8))
			continue;
		r = qm_groups_add(g, t->nr_cpus, &set);
	}
	qm_groups_sort(g, t->nr_cpus);
	return r;
}

static void rand_cpus(uint64_t *seed, enum rand_kind kind, struct qm_topology *t)
{
	unsigned n = 1 + rand_below(seed, rand_below(seed, 2) ? 24 : 96), holes = rand_below(seed, 2) * 6;
	unsigned absent = kind == RAND_ANY ? rand_below(seed, 5) : 0, offline = rand_below(seed, 4);

	for (unsigned cpu = 0; cpu < n; cpu++) {
		if (holes && !rand_below(seed, holes) && cpu + 1 < n)
			continue;
		qm_cpuset_set(&t->possible, cpu);
		if (absent && !rand_below(seed, 6 - absent))
			continue;
		qm_cpuset_set(&t->present, cpu);
		if (offline && kind == RAND_ANY && !rand_below(seed, 2 + 2 * offline))
			continue;
		qm_cpuset_set(&t->online, cpu);
	}
	t->nr_cpus = (unsigned)qm_cpuset_last(&t->possible) + 1;
	/* At least one CPU runs. */
	if (qm_cpuset_is_empty(&t->online)) {
		qm_cpuset_set(&t->present, t->nr_cpus - 1);
		qm_cpuset_set(&t->online, t->nr_cpus - 1);
	}
}

static int rand_nodes(uint64_t *seed, struct qm_topology *t)
{
	unsigned n = 1 + rand_below(seed, 9), id = 0, how = rand_below(seed, 3);
	unsigned sparse = rand_below(seed, 3) ? 1 : 4;
	int cpu;

	t->nodes = calloc(n, sizeof(*t->nodes));
	t->node_of = malloc(t->nr_cpus * sizeof(*t->node_of));
	if (!t->nodes || !t->node_of)
		return -ENOMEM;
	t->n_nodes = n;
	for (unsigned i = 0; i < n; i++) {
		id += (i || !rand_below(seed, 4)) * (1 + (sparse > 1 ? rand_below(seed, sparse) : 0));
		t->nodes[i] = (struct qm_node){ .id = (int)id, .online = true, .mem_kb = -1 };
	}
	t->nr_node_ids = id + 1 + (rand_below(seed, 4) ? 0 : rand_below(seed, 4));
	for (unsigned i = 0; i < t->nr_cpus; i++)
		t->node_of[i] = -1;
	QM_CPUSET_FOREACH(cpu, &t->possible) {
		unsigned i = how == 0 ? (unsigned)cpu * n / t->nr_cpus :
			     how == 1 ? (unsigned)cpu % n :
					rand_below(seed, n);

		t->node_of[cpu] = t->nodes[i].id;
		qm_cpuset_set(&t->nodes[i].cpus, (unsigned)cpu);
	}
	return 0;
}

int rand_topology(uint64_t *seed, enum rand_kind kind, struct qm_topology *ret)
{
	struct qm_topology t = { 0 };
	int r;

	rand_cpus(seed, kind, &t);
	t.offline_masks = rand_below(seed, 2) ? QM_OFFLINE_MASKS_EMPTY : QM_OFFLINE_MASKS_SELF;
	r = rand_nodes(seed, &t);
	if (r == 0)
		r = rand_groups(seed, &t, 4, &t.cores);
	if (r == 0 && rand_below(seed, 3))
		r = rand_below(seed, 2) ? qm_groups_copy(&t.cores, t.nr_cpus, &t.clusters) :
					  rand_groups(seed, &t, 12, &t.clusters);
	if (r < 0) {
		qm_topology_done(&t);
		return r;
	}
	*ret = t;
	return 0;
}
