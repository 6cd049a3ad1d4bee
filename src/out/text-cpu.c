// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables with one row a CPU: show --by-cpu and topology --by-cpu. */
#include "out/results.h"
#include "out/text.h"

GETTER(cpu_device)
{
	qm_cell_str(cell, ((const struct cpu_row *)row)->r->c->name);
}

GETTER(cpu_number)
{
	qm_cell_num(cell, ((const struct cpu_row *)row)->cpu);
}

GETTER(cpu_state)
{
	const struct cpu_row *c = row;
	bool online = qm_cpuset_test(&c->t->online, c->cpu), present = qm_cpuset_test(&c->t->present, c->cpu);

	qm_cell_str(cell, !present ? "absent" : !online ? "offline" : qm_cpuset_test(&c->t->isolated, c->cpu) ? "isolated" :
														  "online");
}

GETTER(cpu_node)
{
	const struct cpu_row *c = row;

	if (c->t->node_of)
		qm_cell_num(cell, c->t->node_of[c->cpu]);
}

static void cell_group(struct qm_cell *cell, const struct qm_groups *g, unsigned cpu)
{
	if (g->n)
		qm_cell_num(cell, g->of[cpu]);
}

GETTER(cpu_core)
{
	cell_group(cell, &((const struct cpu_row *)row)->t->cores, ((const struct cpu_row *)row)->cpu);
}

GETTER(cpu_cluster)
{
	cell_group(cell, &((const struct cpu_row *)row)->t->clusters, ((const struct cpu_row *)row)->cpu);
}

GETTER(cpu_package)
{
	cell_group(cell, &((const struct cpu_row *)row)->t->packages, ((const struct cpu_row *)row)->cpu);
}

GETTER(cpu_llc)
{
	cell_group(cell, &((const struct cpu_row *)row)->t->llc, ((const struct cpu_row *)row)->cpu);
}

GETTER(cpu_isolated)
{
	const struct cpu_row *c = row;

	qm_cell_bool(cell, qm_cpuset_test(&c->t->isolated, c->cpu));
}

GETTER(cpu_nohz_full)
{
	const struct cpu_row *c = row;

	qm_cell_bool(cell, qm_cpuset_test(&c->t->nohz_full, c->cpu));
}

static void cell_map(struct qm_cell *cell, const struct cpu_row *c, enum qm_hctx_type type)
{
	if (c->r->maps[type])
		qm_cell_num(cell, c->r->maps[type][c->cpu]);
}

GETTER(cpu_default)
{
	cell_map(cell, row, QM_HCTX_DEFAULT);
}

GETTER(cpu_read)
{
	cell_map(cell, row, QM_HCTX_READ);
}

GETTER(cpu_poll)
{
	cell_map(cell, row, QM_HCTX_POLL);
}

static const struct qm_queue_view *queue_of_cpu(const struct cpu_row *c)
{
	int32_t q = c->r->maps[QM_HCTX_DEFAULT] ? c->r->maps[QM_HCTX_DEFAULT][c->cpu] : QM_QUEUE_NONE;

	return q < 0 ? NULL : &c->r->q[q];
}

GETTER(cpu_irq)
{
	const struct qm_queue_view *q = queue_of_cpu(row);

	qm_cell_num(cell, q && q->irq ? (long long)q->irq->nr : -1);
}

GETTER(cpu_effective)
{
	const struct qm_queue_view *q = queue_of_cpu(row);

	if (q && q->irq && q->irq->has_effective)
		qm_cell_cpus(cell, q->irq->effective);
}

GETTER(cpu_completes)
{
	const struct qm_queue_view *q = queue_of_cpu(row);

	if (q)
		qm_cell_completion(cell, &q->done, (int)((const struct cpu_row *)row)->cpu);
}

static const struct qm_column show_cpu_columns[] = {
	{ "DEVICE", NULL, "controller", QM_COLUMN_STRING, QM_COLUMN_PLAIN, cpu_device },
	{ "CPU", NULL, "CPU", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_number },
	{ "STATE", NULL, "online, isolated, offline or absent", QM_COLUMN_STRING, 0, cpu_state },
	{ "NODE", NULL, "NUMA node", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_node },
	{ "CORE", NULL, "core, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_core },
	{ "HCTX", "controllers[].maps.default", "hardware queue of its requests", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT,
	  cpu_default },
	{ "READ", "controllers[].maps.read", "queue of its reads, where they have their own", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, cpu_read },
	{ "POLL", "controllers[].maps.poll", "queue of its polled requests", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, cpu_poll },
	{ "IRQ", NULL, "interrupt of that hardware queue", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, cpu_irq },
	{ "EFFECTIVE", NULL, "CPU that takes the interrupt", QM_COLUMN_LIST, QM_COLUMN_MAYBE, cpu_effective },
	{ "COMPLETES", NULL, "CPU and context that its requests complete in", QM_COLUMN_STRING,
	  QM_COLUMN_MAYBE | QM_COLUMN_VERBOSE, cpu_completes },
	{ "PACKAGE", NULL, "package, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, cpu_package },
	{ "LLC", NULL, "last-level cache, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, cpu_llc },
};

const struct qm_layout qm_layout_show_cpu = { "by-cpu", show_cpu_columns, QM_ARRAY_SIZE(show_cpu_columns) };

static const struct qm_column topology_cpu_columns[] = {
	{ "CPU", NULL, "CPU", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_number },
	{ "STATE", NULL, "online, isolated, offline or absent", QM_COLUMN_STRING, 0, cpu_state },
	{ "NODE", NULL, "NUMA node", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_node },
	{ "PACKAGE", NULL, "package, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_package },
	{ "CORE", NULL, "core, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, cpu_core },
	{ "CLUSTER", NULL, "cluster, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, cpu_cluster },
	{ "LLC", NULL, "last-level cache, counted from 0", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, cpu_llc },
	{ "ISOLATED", NULL, "taken from the scheduler by isolcpus", QM_COLUMN_BOOL, QM_COLUMN_EXTRA, cpu_isolated },
	{ "NOHZFULL", NULL, "without timer tick by nohz_full", QM_COLUMN_BOOL, QM_COLUMN_EXTRA, cpu_nohz_full },
};

const struct qm_layout qm_layout_topology_cpu = { "by-cpu", topology_cpu_columns, QM_ARRAY_SIZE(topology_cpu_columns) };
