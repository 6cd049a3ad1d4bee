// SPDX-License-Identifier: GPL-2.0-or-later
/* What the host's own libraries add to a live machine: names that udev gives, and libnuma's opinion of the nodes. */
#include "machine/machine.h"

#include <errno.h>
#include <stdio.h>

#include "live/numa.h"
#include "live/udev.h"

int qm_live_read_links(struct qm_machine *m)
{
	struct qm_udev *udev;
	int r;

	r = qm_udev_new(&udev);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; r != -ENOMEM && i < m->n_disks; i++)
		r = qm_udev_links(udev, m->disks[i].name, &m->disks[i].links, &m->disks[i].n_links);
	qm_udev_free(udev);
	return r == -ENOMEM ? r : 0;
}

static void differs(struct qm_machine *m, int node, const char *file, const char *what, long long ours, long long theirs)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/devices/system/node/node%d/%s", node, file);
	qm_problem_addf(&m->problems, path, "libnuma says %s %lld, the file says %lld", what, theirs, ours);
}

static void check_distances(struct qm_machine *m)
{
	const struct qm_topology *t = &m->topo;
	unsigned row = 0;

	for (unsigned i = 0; i < t->n_nodes; i++) {
		unsigned column = 0;

		for (unsigned k = 0; t->nodes[i].online && k < t->n_nodes; k++) {
			unsigned ours, theirs;

			if (!t->nodes[k].online)
				continue;
			ours = row < t->n_distances && column < t->n_distances ? t->distances[row * t->n_distances + column] : 0;
			theirs = qm_numa_distance(t->nodes[i].id, t->nodes[k].id);
			if (ours && theirs && ours != theirs)
				differs(m, t->nodes[i].id, "distance", "the distance is", ours, theirs);
			column++;
		}
		row += t->nodes[i].online;
	}
}

static void check_memory(struct qm_machine *m)
{
	const struct qm_topology *t = &m->topo;

	for (unsigned i = 0; i < t->n_nodes; i++) {
		const struct qm_node *n = &t->nodes[i];
		long long theirs = n->online ? qm_numa_memory_kb(n->id) : -1;

		if (n->mem_kb > 0 && theirs > 0 && n->mem_kb != theirs)
			differs(m, n->id, "meminfo", "the node has this many kB:", n->mem_kb, theirs);
	}
}

static void check_cpus(struct qm_machine *m)
{
	const struct qm_topology *t = &m->topo;
	struct qm_cpuset left, theirs;
	int cpu;

	/* Of several nodes that have a CPU the first counts. */
	qm_cpuset_copy(&left, &t->online);
	for (unsigned i = 0; i < t->n_nodes; i++) {
		if (qm_numa_cpus(t->nodes[i].id, &theirs) < 0)
			continue;
		qm_cpuset_and(&theirs, &left);
		qm_cpuset_andnot(&left, &theirs);
		QM_CPUSET_FOREACH(cpu, &theirs) {
			int ours = t->node_of[cpu];

			if (ours >= 0 && ours != t->nodes[i].id)
				differs(m, ours, "cpulist", "a CPU listed here is on node", ours, t->nodes[i].id);
		}
	}
}

void qm_live_check_nodes(struct qm_machine *m)
{
	if (qm_numa_init() < 0)
		return;
	if (m->topo.distances)
		check_distances(m);
	check_memory(m);
	if (m->topo.node_of)
		check_cpus(m);
}
