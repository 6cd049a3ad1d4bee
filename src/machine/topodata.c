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
	free(g->first);
	free(g->next);
	free(g->of);
	*g = (struct qm_groups){ 0 };
}

void qm_groups_get(const struct qm_groups *g, unsigned i, struct qm_cpuset *ret)
{
	int cpu;

	qm_cpuset_zero(ret);
	QM_GROUP_FOREACH(cpu, g, i)
		qm_cpuset_set(ret, (unsigned)cpu);
}

unsigned qm_groups_count(const struct qm_groups *g, unsigned nr_cpus, const struct qm_cpuset *set)
{
	struct qm_cpuset seen; /* numbers of groups, which are fewer than CPUs */
	unsigned n = 0;
	int cpu;

	qm_cpuset_zero(&seen);
	QM_CPUSET_FOREACH(cpu, set) {
		if (!g->n || (unsigned)cpu >= nr_cpus)
			break;
		if (g->of[cpu] < 0 || qm_cpuset_test(&seen, (unsigned)g->of[cpu]))
			continue;
		qm_cpuset_set(&seen, (unsigned)g->of[cpu]);
		n++;
	}
	return n;
}

/* Room for as many groups as there are CPUs; pages that none of them reaches are never touched. */
static int make_room(struct qm_groups *g, unsigned nr_cpus)
{
	size_t n = nr_cpus ? nr_cpus : 1;
	struct qm_groups room = {
		.first = malloc(n * sizeof(*room.first)),
		.next = malloc(n * sizeof(*room.next)),
		.of = malloc(n * sizeof(*room.of)),
	};

	if (!room.first || !room.next || !room.of) {
		qm_groups_done(&room);
		return -ENOMEM;
	}
	memset(room.next, -1, n * sizeof(*room.next));
	memset(room.of, -1, n * sizeof(*room.of));
	*g = room;
	return 0;
}

int qm_groups_copy(const struct qm_groups *g, unsigned nr_cpus, struct qm_groups *ret)
{
	struct qm_groups c = { 0 };
	int r = g->n ? make_room(&c, nr_cpus) : 0;

	if (r < 0)
		return r;
	if (g->n) {
		memcpy(c.first, g->first, g->n * sizeof(*c.first));
		memcpy(c.next, g->next, nr_cpus * sizeof(*c.next));
		memcpy(c.of, g->of, nr_cpus * sizeof(*c.of));
		c.n = g->n;
	}
	*ret = c;
	return 0;
}

int qm_groups_add(struct qm_groups *g, unsigned nr_cpus, const struct qm_cpuset *set)
{
	int cpu, last = -1, r;

	if (!g->of) {
		r = make_room(g, nr_cpus);
		if (r < 0)
			return r;
	}
	QM_CPUSET_FOREACH(cpu, set) {
		if ((unsigned)cpu >= nr_cpus)
			break;
		if (g->of[cpu] >= 0)
			continue;
		if (last >= 0)
			g->next[last] = (int16_t)cpu;
		else
			g->first[g->n] = (int16_t)cpu;
		g->of[cpu] = (int16_t)g->n;
		last = cpu;
	}
	g->n += last >= 0;
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	return *(const int16_t *)a - *(const int16_t *)b;
}

void qm_groups_sort(struct qm_groups *g, unsigned nr_cpus)
{
	bool sorted = true;

	(void)nr_cpus;
	for (unsigned i = 1; sorted && i < g->n; i++)
		sorted = g->first[i - 1] < g->first[i];
	/* As a reader finds them, by ascending CPUs. */
	if (sorted)
		return;
	qsort(g->first, g->n, sizeof(*g->first), compare_cpus);
	for (unsigned i = 0; i < g->n; i++) {
		int cpu;

		QM_GROUP_FOREACH(cpu, g, i)
			g->of[cpu] = (int16_t)i;
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
