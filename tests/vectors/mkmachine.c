// SPDX-License-Identifier: GPL-2.0-or-later
#include "mkmachine.h"

#include <errno.h>
#include <stdlib.h>

static int add_core(struct qm_topology *t, unsigned core, unsigned all_cores, unsigned threads, struct qm_node *node)
{
	struct qm_cpuset set = { 0 };
	int r;

	for (unsigned i = 0; i < threads; i++) {
		qm_cpuset_set(&set, core + i * all_cores);
		t->node_of[core + i * all_cores] = node->id;
	}
	qm_cpuset_or(&node->cpus, &set);
	r = qm_groups_add(&t->cores, t->nr_cpus, &set);
	return r < 0 ? r : qm_groups_add(&t->clusters, t->nr_cpus, &set);
}

int make_machine(unsigned nodes, unsigned cores, unsigned threads, struct qm_topology *ret)
{
	struct qm_topology t = { .nr_cpus = nodes * cores * threads, .nr_node_ids = nodes, .n_nodes = nodes };
	int r = 0;

	if (!t.nr_cpus || t.nr_cpus > QM_CPU_MAX)
		return -EINVAL;
	qm_cpuset_set_range(&t.possible, 0, t.nr_cpus - 1);
	t.present = t.online = t.possible;
	t.nodes = calloc(nodes, sizeof(*t.nodes));
	t.node_of = calloc(t.nr_cpus, sizeof(*t.node_of));
	if (!t.nodes || !t.node_of)
		r = -ENOMEM;
	for (unsigned i = 0; r == 0 && i < nodes; i++) {
		t.nodes[i].id = (int)i;
		t.nodes[i].online = true;
		t.nodes[i].mem_kb = -1;
		for (unsigned c = 0; r == 0 && c < cores; c++)
			r = add_core(&t, i * cores + c, nodes * cores, threads, &t.nodes[i]);
	}
	if (r < 0) {
		qm_topology_done(&t);
		return r;
	}
	*ret = t;
	return 0;
}
