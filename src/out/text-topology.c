// SPDX-License-Identifier: GPL-2.0-or-later
/* topology: the CPU sets, and one row a node. */
#include "out/results.h"
#include "out/text.h"

struct node_row {
	const struct qm_topology *t;
	const struct qm_node_view *v;
};

#define NODE_VIEW(row) (((const struct node_row *)(row))->v)

GETTER(node_id)
{
	qm_cell_int(cell, NODE_VIEW(row)->node->id);
}

GETTER(node_online)
{
	qm_cell_bool(cell, NODE_VIEW(row)->node->online);
}

GETTER(node_cpus)
{
	qm_cell_cpus(cell, &NODE_VIEW(row)->node->cpus);
}

GETTER(node_online_cpus)
{
	qm_cell_cpus(cell, &NODE_VIEW(row)->online);
}

GETTER(node_cores)
{
	qm_cell_num(cell, NODE_VIEW(row)->cores);
}

GETTER(node_clusters)
{
	if (((const struct node_row *)row)->t->clusters.n)
		qm_cell_num(cell, NODE_VIEW(row)->clusters);
}

GETTER(node_packages)
{
	if (((const struct node_row *)row)->t->packages.n)
		qm_cell_num(cell, NODE_VIEW(row)->packages);
}

GETTER(node_llcs)
{
	if (((const struct node_row *)row)->t->llc.n)
		qm_cell_num(cell, NODE_VIEW(row)->llcs);
}

GETTER(node_memory)
{
	qm_cell_num(cell, NODE_VIEW(row)->node->mem_kb);
}

GETTER(node_distances)
{
	const struct node_row *n = row;

	for (unsigned i = 0; n->v->distance_row >= 0 && i < n->t->n_distances; i++)
		qm_strbuf_addf(&cell->text, i ? ",%u" : "%u",
			       n->t->distances[(unsigned)n->v->distance_row * n->t->n_distances + i]);
}

static const struct qm_column topology_columns[] = {
	{ "NODE", "topology.nodes[].id", "NUMA node", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, node_id },
	{ "CPUS", "topology.nodes[].cpus", "all its CPUs, offline and absent ones too", QM_COLUMN_LIST, 0, node_cpus },
	{ "ONLINE", NULL, "its online CPUs", QM_COLUMN_LIST, 0, node_online_cpus },
	{ "CORES", NULL, "cores with a CPU in it", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, node_cores },
	{ "CLUSTERS", NULL, "clusters with a CPU in it", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, node_clusters },
	{ "LLCS", NULL, "last-level caches", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, node_llcs },
	{ "PACKAGES", NULL, "packages with a CPU in it", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, node_packages },
	{ "MEMORY", "topology.nodes[].mem_kb", "memory in KiB", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, node_memory },
	{ "DISTANCES", NULL, "to the online nodes, in their order", QM_COLUMN_STRING, QM_COLUMN_MAYBE, node_distances },
	{ "NODEONLINE", "topology.nodes[].online", "the node itself is online", QM_COLUMN_BOOL, QM_COLUMN_EXTRA,
	  node_online },
};

const struct qm_layout qm_layout_topology = { NULL, topology_columns, QM_ARRAY_SIZE(topology_columns) };

static void print_set(struct qm_out *out, const char *title, const struct qm_cpuset *s, const char *note)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	fprintf(out->f, "%-11s %u%s%s%s%s\n", title, qm_cpuset_count(s), b.len ? " (" : "", qm_strbuf_str(&b),
		b.len ? ")" : "", note);
	out->err = b.err ? b.err : out->err;
	qm_strbuf_done(&b);
}

static void print_summary(struct qm_out *out, const struct qm_topology *t)
{
	struct qm_strbuf name = { 0 };

	if (t->name) {
		qm_text_safe(&name, t->name);
		fprintf(out->f, "%-11s ", "machine");
		qm_text_print(out, &name, "\n");
		qm_strbuf_done(&name);
	}
	print_set(out, "possible", &t->possible, t->possible_derived ? ", derived: the kernel does not tell" : "");
	print_set(out, "present", &t->present, t->present_derived ? ", derived: the kernel does not tell" : "");
	print_set(out, "online", &t->online, "");
	if (!qm_cpuset_is_empty(&t->isolated))
		print_set(out, "isolated", &t->isolated, "");
	if (!qm_cpuset_is_empty(&t->nohz_full))
		print_set(out, "nohz_full", &t->nohz_full, "");
	fprintf(out->f, "%-11s %u in %u package%s, ", "cores", t->cores.n, t->packages.n, t->packages.n == 1 ? "" : "s");
	if (t->llc.n)
		fprintf(out->f, "%u last-level cache%s\n", t->llc.n, t->llc.n == 1 ? "" : "s");
	else
		fputs("last-level caches unknown\n", out->f);
	if (!qm_cpuset_is_empty(&t->unknown_core))
		print_set(out, "lone", &t->unknown_core, ": nobody tells their siblings");
	if (t->clusters.n)
		fprintf(out->f, "%-11s %u%s\n", "clusters", t->clusters.n, t->clusters_sure ? "" : ", not sure");
	else
		fprintf(out->f, "%-11s none: every CPU is its own%s\n", "clusters", t->clusters_sure ? "" : ", not sure");
	if (!qm_cpuset_is_empty(&t->node_guessed))
		print_set(out, "node guess", &t->node_guessed, ": absent, their node is the kernel's usual one");
	fputc('\n', out->f);
}

int qm_text_topology(struct qm_out *out, const struct qm_topology_result *res)
{
	const struct qm_topology *t = res->topo;
	bool plain = out->raw || out->pairs || out->noheadings || out->columns;
	struct qm_table *table;
	int cpu, r;

	if (!plain && !res->by_cpu)
		print_summary(out, t);
	r = qm_table_new(out, res->by_cpu ? &qm_layout_topology_cpu : &qm_layout_topology, &table);
	if (r < 0)
		return r;
	for (unsigned i = 0; !res->by_cpu && r == 0 && i < t->n_nodes; i++) {
		struct node_row row = { .t = t, .v = &res->nodes[i] };

		r = qm_table_add(table, &row);
	}
	QM_CPUSET_FOREACH(cpu, &t->possible) {
		struct cpu_row row = { .t = t, .cpu = (unsigned)cpu };

		if (!res->by_cpu || r < 0)
			break;
		r = qm_table_add(table, &row);
	}
	if (r == 0)
		r = qm_table_print(table);
	qm_table_free(table);
	return r;
}
