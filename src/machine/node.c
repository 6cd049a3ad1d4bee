// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NUMA nodes. A node's list tells the node of its online CPUs, all in one file; the links between nodes and CPUs, which
 * cost more to read, are asked only for the CPUs that no list names: present ones that are offline.
 */
#include "machine/topology-read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct qm_dir dir; /* of all nodes */
	struct qm_machine *m;
};

/* An empty or missing file says nothing: there is always a node. */
static bool read_ids(const struct reader *rd, const char *name, struct qm_cpuset *ret)
{
	return qm_dir_read_cpulist(&rd->dir, name, ret) == 0 && !qm_cpuset_is_empty(ret);
}

/* Which nodes there are and which are online. -ENOENT: none that anybody names. */
static int read_node_ids(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	struct qm_cpuset possible = { 0 }, online = { 0 };
	bool has_possible = read_ids(rd, "possible", &possible);
	bool has_online = read_ids(rd, "online", &online);
	int r, id;

	if (!has_online) {
		r = qm_numbered_names(&rd->dir, ".", "node", &online);
		if (r < 0)
			return r;
	}
	if (has_possible && !qm_cpuset_is_subset(&online, &possible))
		qm_problem_addf(&rd->m->problems, QM_NODE_DIR "/possible", "lacks nodes that are online");
	qm_cpuset_or(&possible, &online);
	t->nr_node_ids = (unsigned)qm_cpuset_last(&possible) + 1;
	t->nodes = calloc(qm_cpuset_count(&possible), sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	QM_CPUSET_FOREACH(id, &possible) {
		t->nodes[t->n_nodes].id = id;
		t->nodes[t->n_nodes].online = qm_cpuset_test(&online, (unsigned)id);
		t->nodes[t->n_nodes++].mem_kb = -1;
	}
	return 0;
}

static void node_problem(const struct reader *rd, int id, const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), QM_NODE_DIR "/node%d/%s", id, file);
	qm_problem_addf(&rd->m->problems, path, "%s", text);
}

/* Gives the node's CPUs their node; the first node that names a CPU keeps it. */
static void give_cpus(const struct reader *rd, struct qm_node *node, const struct qm_cpuset *cpus, const char *file)
{
	struct qm_topology *t = &rd->m->topo;
	int cpu, taken = -1;

	QM_CPUSET_FOREACH(cpu, cpus) {
		if (!qm_cpuset_test(&t->possible, (unsigned)cpu))
			continue;
		if (t->node_of[cpu] < 0) {
			t->node_of[cpu] = node->id;
			qm_cpuset_set(&node->cpus, (unsigned)cpu);
		} else if (t->node_of[cpu] != node->id && taken < 0) {
			taken = cpu;
		}
	}
	if (taken >= 0) {
		char text[96];

		snprintf(text, sizeof(text), "names CPU %d, which node %d has already", taken, t->node_of[taken]);
		node_problem(rd, node->id, file, text);
	}
}

static void read_node_cpus(const struct reader *rd, struct qm_node *node)
{
	struct qm_cpuset list = { 0 }, mask = { 0 };
	const char *file = "cpulist";
	bool has_list, has_mask = false;
	char name[64];
	int r;

	snprintf(name, sizeof(name), "node%d/cpulist", node->id);
	r = qm_dir_read_cpulist(&rd->dir, name, &list);
	has_list = r == 0;
	/* A kernel prints both from one mask, but a tree may have been edited. */
	if (!has_list || !rd->dir.root->live) {
		snprintf(name, sizeof(name), "node%d/cpumap", node->id);
		r = qm_dir_read_cpumask(&rd->dir, name, &mask);
		has_mask = r == 0;
	}
	if (has_list && has_mask && !qm_cpuset_is_equal(&list, &mask))
		node_problem(rd, node->id, "cpumap", "differs from cpulist, which is taken");
	if (!has_list && has_mask) {
		qm_cpuset_copy(&list, &mask);
		file = "cpumap";
	}
	if (has_list || has_mask)
		give_cpus(rd, node, &list, file);
}

static void read_node_memory(const struct reader *rd, struct qm_node *node)
{
	static const char tag[] = "MemTotal:";
	const char *text;
	long long kb;
	char name[64], *end;
	int r;

	snprintf(name, sizeof(name), "node%d/meminfo", node->id);
	r = qm_dir_read(&rd->dir, name, &text);
	if (r < 0)
		return;
	text = strstr(text, tag);
	if (!text) {
		node_problem(rd, node->id, "meminfo", "has no line MemTotal");
		return;
	}
	text += sizeof(tag) - 1;
	errno = 0;
	kb = strtoll(text, &end, 10);
	if (errno || end == text || kb < 0)
		node_problem(rd, node->id, "meminfo", "MemTotal is no number");
	else
		node->mem_kb = kb;
}

/* One number per online node. Returns false, perhaps with a problem, if there is no such row. */
static bool read_distance_row(const struct reader *rd, int id, unsigned n, unsigned *row)
{
	const char *text;
	unsigned got = 0;
	char name[64];
	int r;

	snprintf(name, sizeof(name), "node%d/distance", id);
	r = qm_dir_read(&rd->dir, name, &text);
	if (r < 0)
		return false;
	for (;;) {
		char *end;
		unsigned long v;

		text += strspn(text, " \t\r\n");
		if (!*text)
			break;
		errno = 0;
		v = strtoul(text, &end, 10);
		if (!isdigit((unsigned char)*text) || errno || v > 1000000 || got == n) {
			got = n + 1;
			break;
		}
		row[got++] = (unsigned)v;
		text = end;
	}
	if (got == n)
		return true;
	node_problem(rd, id, "distance", "does not hold one number for each online node");
	return false;
}

static int read_distances(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	unsigned n = 0, at = 0, *d;
	bool all = true;

	for (unsigned i = 0; i < t->n_nodes; i++)
		n += t->nodes[i].online;
	/* One more: where there is no node, none would be allocated, which may look like no memory. */
	d = calloc((size_t)n * n + 1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	for (unsigned i = 0; i < t->n_nodes && all; i++) {
		if (t->nodes[i].online)
			all = read_distance_row(rd, t->nodes[i].id, n, d + (size_t)n * at++);
	}
	if (!all) {
		free(d);
		return 0;
	}
	t->distances = d;
	t->n_distances = n;
	return 0;
}

/* Are there CPUs of the set without a node? */
static bool some_without_node(const struct qm_topology *t, const struct qm_cpuset *set)
{
	int cpu;

	QM_CPUSET_FOREACH(cpu, set) {
		if (t->node_of[cpu] < 0)
			return true;
	}
	return false;
}

/* The links of a node's directory name its present CPUs, offline ones too. */
static void read_node_links(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;

	for (unsigned i = 0; i < t->n_nodes && some_without_node(t, &t->present); i++) {
		struct qm_cpuset cpus = { 0 };
		char name[32];
		int r;

		snprintf(name, sizeof(name), "node%d", t->nodes[i].id);
		r = t->nodes[i].online ? qm_numbered_names(&rd->dir, name, "cpu", &cpus) : -ENOENT;
		if (r == 0) {
			int cpu;

			/* The lists have spoken for the others. */
			QM_CPUSET_FOREACH(cpu, &t->possible) {
				if (t->node_of[cpu] >= 0)
					qm_cpuset_clear(&cpus, (unsigned)cpu);
			}
			give_cpus(rd, &t->nodes[i], &cpus, "cpulist");
		}
	}
}

/* The same links from the other side, for trees that have only these. */
static int read_cpu_links(struct qm_root *root, const struct reader *rd)
{
	_cleanup_(qm_dir_close) struct qm_dir cpu_dir = { .fd = -1 };
	struct qm_topology *t = &rd->m->topo;
	int cpu, r;

	if (!some_without_node(t, &t->present))
		return 0;
	r = qm_dir_open(root, QM_CPU_DIR, &cpu_dir);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	QM_CPUSET_FOREACH(cpu, &t->present) {
		struct qm_cpuset nodes = { 0 }, one = { 0 };
		char name[32];
		int index;

		if (t->node_of[cpu] >= 0)
			continue;
		snprintf(name, sizeof(name), "cpu%d", cpu);
		r = qm_numbered_names(&cpu_dir, name, "node", &nodes);
		if (r == -ENOMEM)
			return r;
		index = r == 0 ? qm_topology_node_index(t, qm_cpuset_first(&nodes)) : -1;
		if (index < 0)
			continue;
		qm_cpuset_set(&one, (unsigned)cpu);
		give_cpus(rd, &t->nodes[index], &one, "cpulist");
	}
	return 0;
}

/*
 * Nobody tells the node of a CPU that is not present. x86 without word from the firmware deals them to the online nodes
 * in turn; others put them on the first node.
 */
static void guess_absent(struct qm_topology *t)
{
	bool in_turn = !t->arch || qm_arch_is_x86(t->arch), sure = t->n_nodes == 1;
	unsigned at = 0;
	int cpu;

	while (at < t->n_nodes && !t->nodes[at].online)
		at++;
	if (at == t->n_nodes)
		return;
	QM_CPUSET_FOREACH(cpu, &t->possible) {
		if (t->node_of[cpu] >= 0 || qm_cpuset_test(&t->present, (unsigned)cpu))
			continue;
		t->node_of[cpu] = t->nodes[at].id;
		qm_cpuset_set(&t->nodes[at].cpus, (unsigned)cpu);
		if (!sure)
			qm_cpuset_set(&t->node_guessed, (unsigned)cpu);
		do {
			at = in_turn ? (at + 1) % t->n_nodes : at;
		} while (!t->nodes[at].online);
	}
}

static int read_nodes(struct qm_root *root, const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	int r;

	r = read_node_ids(rd);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < t->n_nodes; i++) {
		if (!t->nodes[i].online)
			continue;
		read_node_cpus(rd, &t->nodes[i]);
		read_node_memory(rd, &t->nodes[i]);
	}
	read_node_links(rd);
	r = read_cpu_links(root, rd);
	if (r < 0)
		return r;
	guess_absent(t);
	return read_distances(rd);
}

int qm_nodes_read(struct qm_root *root, struct qm_machine *m)
{
	struct reader rd = { .dir = { .fd = -1 }, .m = m };
	struct qm_topology *t = &m->topo;
	int r;

	t->nr_node_ids = 1;
	t->node_of = malloc(t->nr_cpus * sizeof(*t->node_of));
	if (!t->node_of)
		return -ENOMEM;
	for (unsigned i = 0; i < t->nr_cpus; i++)
		t->node_of[i] = -1;
	r = qm_dir_open(root, QM_NODE_DIR, &rd.dir);
	if (r == 0) {
		r = read_nodes(root, &rd);
		qm_dir_close(&rd.dir);
	}
	/* No nodes, or none that can be read, is what kernels without NUMA show. */
	return r == -ENOMEM ? r : 0;
}
