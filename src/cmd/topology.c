// SPDX-License-Identifier: GPL-2.0-or-later
/* topology: the machine's CPUs as the mapping code sees them. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "out/results.h"

struct topology_options {
	bool by_cpu;
};

static const struct qm_option options[] = {
	{ 0, "by-cpu", NULL, "one row a CPU instead of one a node", offsetof(struct topology_options, by_cpu),
	  QM_OPTION_FLAG, QM_GROUP_COMMAND, NULL, false },
	{ 0 },
};

/* Distances have one row per online node; a table that does not fit the nodes belongs to none of them. */
static void fill_distances(const struct qm_topology *t, struct qm_node_view *views)
{
	unsigned online = 0;

	for (unsigned i = 0; i < t->n_nodes; i++) {
		views[i].distance_row = t->nodes[i].online ? (long)online : -1;
		online += t->nodes[i].online;
	}
	for (unsigned i = 0; i < t->n_nodes; i++) {
		if (!t->distances || online != t->n_distances)
			views[i].distance_row = -1;
	}
}

static int topology_run(struct qm_run *run)
{
	const struct topology_options *opt = run->opt;
	const struct qm_topology *t = &run->m.topo;
	struct qm_topology_result res = { .topo = t, .by_cpu = opt->by_cpu };
	struct qm_node_view *views;
	int r = qm_source_open(run, QM_READ_NUMA);

	if (r < 0)
		return r;
	views = calloc(t->n_nodes ? t->n_nodes : 1, sizeof(*views));
	if (!views)
		return -ENOMEM;
	for (unsigned i = 0; i < t->n_nodes; i++) {
		views[i].node = &t->nodes[i];
		qm_cpuset_copy(&views[i].online, &t->nodes[i].cpus);
		qm_cpuset_and(&views[i].online, &t->online);
		views[i].cores = qm_groups_count(&t->cores, t->nr_cpus, &t->nodes[i].cpus);
		views[i].clusters = qm_groups_count(&t->clusters, t->nr_cpus, &t->nodes[i].cpus);
		views[i].packages = qm_groups_count(&t->packages, t->nr_cpus, &t->nodes[i].cpus);
		views[i].llcs = qm_groups_count(&t->llc, t->nr_cpus, &t->nodes[i].cpus);
	}
	fill_distances(t, views);
	res.nodes = views;
	r = run->out.face->topology(&run->out, &res);
	free(views);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_topology, &qm_layout_topology_cpu, NULL };

const struct qm_command qm_command_topology = {
	.name = "topology",
	.summary = "CPUs, cores, caches and nodes as the mapping code sees them",
	.example = "qmapctl topology -J > machine.json",
	.example_help = "the machine as a file for --topology",
	.options = options,
	.options_size = sizeof(struct topology_options),
	.layouts = layouts,
	.run = topology_run,
};
