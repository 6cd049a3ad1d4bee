// SPDX-License-Identifier: GPL-2.0-or-later
/* The topology as a data structure: copy, free, groups. Reading it is topology.c's work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/topology.h"

/* Copies n elements; NULL stays NULL. */
static int copy_array(const void *src, size_t n, size_t size, void *ret)
{
	void *p = NULL;

	if (src) {
		p = calloc(n ? n : 1, size);
		if (!p)
			return -ENOMEM;
		memcpy(p, src, n * size);
	}
	memcpy(ret, &p, sizeof(p));
	return 0;
}

void qm_groups_done(struct qm_groups *g)
{
	free(g->sets);
	free(g->of);
	*g = (struct qm_groups){ 0 };
}

unsigned qm_groups_count(const struct qm_groups *g, const struct qm_cpuset *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++)
		n += qm_cpuset_intersects(&g->sets[i], set);
	return n;
}

int qm_groups_copy(const struct qm_groups *g, unsigned nr_cpus, struct qm_groups *ret)
{
	struct qm_groups c = { .n = g->n };

	if (copy_array(g->sets, g->n, sizeof(*g->sets), &c.sets) < 0 ||
	    copy_array(g->of, nr_cpus, sizeof(*g->of), &c.of) < 0) {
		qm_groups_done(&c);
		return -ENOMEM;
	}
	*ret = c;
	return 0;
}

int qm_groups_add(struct qm_groups *g, unsigned nr_cpus, const struct qm_cpuset *set)
{
	struct qm_cpuset left = { 0 };
	int cpu;

	if (!g->of) {
		g->of = malloc((nr_cpus ? nr_cpus : 1) * sizeof(*g->of));
		if (!g->of)
			return -ENOMEM;
		for (unsigned i = 0; i < nr_cpus; i++)
			g->of[i] = -1;
	}
	QM_CPUSET_FOREACH(cpu, set) {
		if ((unsigned)cpu < nr_cpus && g->of[cpu] < 0)
			qm_cpuset_set(&left, (unsigned)cpu);
	}
	if (qm_cpuset_is_empty(&left))
		return 0;
	/* Grows at powers of two only: the capacity follows from n. */
	if ((g->n & (g->n - 1)) == 0) {
		size_t cap = g->n ? 2 * (size_t)g->n : 1;
		struct qm_cpuset *p = realloc(g->sets, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		g->sets = p;
	}
	qm_cpuset_copy(&g->sets[g->n], &left);
	QM_CPUSET_FOREACH(cpu, &left)
		g->of[cpu] = (int)g->n;
	g->n++;
	return 0;
}

static int compare_first(const void *a, const void *b)
{
	return qm_cpuset_first(a) - qm_cpuset_first(b);
}

void qm_groups_sort(struct qm_groups *g, unsigned nr_cpus)
{
	bool sorted = true;

	(void)nr_cpus;
	for (unsigned i = 1; sorted && i < g->n; i++)
		sorted = compare_first(&g->sets[i - 1], &g->sets[i]) < 0;
	/* As a reader finds them, by ascending CPUs. */
	if (sorted)
		return;
	if (g->n)
		qsort(g->sets, g->n, sizeof(*g->sets), compare_first);
	for (unsigned i = 0; i < g->n; i++) {
		int cpu;

		QM_CPUSET_FOREACH(cpu, &g->sets[i])
			g->of[cpu] = (int)i;
	}
}

void qm_topology_done(struct qm_topology *t)
{
	free(t->name);
	free(t->arch);
	free(t->nodes);
	free(t->node_of);
	free(t->distances);
	qm_groups_done(&t->cores);
	qm_groups_done(&t->packages);
	qm_groups_done(&t->llc);
	qm_groups_done(&t->clusters);
	*t = (struct qm_topology){ 0 };
}

static int copy_string(const char *s, char **ret)
{
	return copy_array(s, s ? strlen(s) + 1 : 0, 1, ret);
}

int qm_topology_copy(const struct qm_topology *t, struct qm_topology *ret)
{
	struct qm_topology c = *t;
	int r;

	c.name = c.arch = NULL;
	c.nodes = NULL;
	c.node_of = NULL;
	c.distances = NULL;
	c.cores = c.packages = c.llc = c.clusters = (struct qm_groups){ 0 };
	r = copy_string(t->name, &c.name);
	if (r == 0)
		r = copy_string(t->arch, &c.arch);
	if (r == 0)
		r = copy_array(t->nodes, t->n_nodes, sizeof(*t->nodes), &c.nodes);
	if (r == 0)
		r = copy_array(t->node_of, t->nr_cpus, sizeof(*t->node_of), &c.node_of);
	if (r == 0)
		r = copy_array(t->distances, (size_t)t->n_distances * t->n_distances, sizeof(*t->distances), &c.distances);
	if (r == 0)
		r = qm_groups_copy(&t->cores, t->nr_cpus, &c.cores);
	if (r == 0)
		r = qm_groups_copy(&t->packages, t->nr_cpus, &c.packages);
	if (r == 0)
		r = qm_groups_copy(&t->llc, t->nr_cpus, &c.llc);
	if (r == 0)
		r = qm_groups_copy(&t->clusters, t->nr_cpus, &c.clusters);
	if (r < 0) {
		qm_topology_done(&c);
		return r;
	}
	*ret = c;
	return 0;
}

int qm_topology_node_index(const struct qm_topology *t, int id)
{
	unsigned lo = 0, hi = t->n_nodes;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (t->nodes[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n_nodes && t->nodes[lo].id == id ? (int)lo : -1;
}

unsigned qm_topology_count_nodes(const struct qm_topology *t, const struct qm_cpuset *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_nodes; i++)
		n += qm_cpuset_intersects(&t->nodes[i].cpus, set);
	return n;
}
