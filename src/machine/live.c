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

static void check_nodes(struct qm_machine *m)
{
	const struct qm_topology *t = &m->topo;
	int cpu;

	for (unsigned i = 0; i < t->n_nodes; i++) {
		const struct qm_node *n = &t->nodes[i];
		long long theirs = n->online ? qm_numa_memory_kb(n->id) : -1;

		if (n->mem_kb > 0 && theirs > 0 && n->mem_kb != theirs)
			differs(m, n->id, "meminfo", "the node has this many kB:", n->mem_kb, theirs);
	}
	QM_CPUSET_FOREACH(cpu, &t->online) {
		int ours = t->node_of[cpu], theirs = qm_numa_node_of_cpu((unsigned)cpu);

		if (ours >= 0 && theirs >= 0 && ours != theirs)
			differs(m, ours, "cpulist", "a CPU listed here is on node", ours, theirs);
	}
}

void qm_live_check_nodes(struct qm_machine *m)
{
	if (qm_numa_init() < 0)
		return;
	if (m->topo.distances)
		check_distances(m);
	if (m->topo.node_of)
		check_nodes(m);
}
