// SPDX-License-Identifier: GPL-2.0-or-later
/* show: one row a hardware queue, with a heading for each controller. */
#include <string.h>

#include "out/results.h"
#include "out/text.h"

struct show_row {
	const struct qm_report *r;
	const struct qm_queue_view *q;
};

#define QUEUE(row) (((const struct show_row *)(row))->q)

GETTER(show_device)
{
	const struct show_row *queue = row;

	qm_cell_str(cell, queue->r->c->name);
}

GETTER(show_hctx)
{
	qm_cell_num(cell, QUEUE(row)->h->id);
}

GETTER(show_qid)
{
	qm_cell_num(cell, QUEUE(row)->qid);
}

GETTER(show_type)
{
	qm_cell_str(cell, qm_hctx_type_name(QUEUE(row)->h->type));
	cell->usual = QUEUE(row)->h->type == QM_HCTX_DEFAULT;
}

GETTER(show_cpus)
{
	if (qm_queue_is_blank(QUEUE(row)))
		return;
	qm_cell_cpus(cell, QUEUE(row)->h->cpus);
	if (QUEUE(row)->h->cpus_unknown)
		qm_strbuf_adds(&cell->text, ",?");
}

GETTER(show_online)
{
	if (!qm_queue_is_blank(QUEUE(row)))
		qm_cell_cpus(cell, &QUEUE(row)->online);
}

GETTER(show_nodes)
{
	if (!qm_queue_is_blank(QUEUE(row)))
		qm_cell_ids(cell, &QUEUE(row)->nodes);
}

GETTER(show_tags)
{
	qm_cell_num(cell, QUEUE(row)->h->tags);
}

GETTER(show_reserved)
{
	qm_cell_num(cell, QUEUE(row)->h->reserved_tags);
}

GETTER(show_irq)
{
	qm_cell_num(cell, QUEUE(row)->irq ? (long long)QUEUE(row)->irq->nr : -1);
}

GETTER(show_tie)
{
	qm_cell_str(cell, qm_irq_tie_name(QUEUE(row)->h->tie));
}

GETTER(show_irq_name)
{
	qm_cell_str(cell, QUEUE(row)->irq ? QUEUE(row)->irq->name : NULL);
}

GETTER(show_requested)
{
	if (QUEUE(row)->irq && QUEUE(row)->irq->has_requested)
		qm_cell_cpus(cell, QUEUE(row)->irq->requested);
}

GETTER(show_effective)
{
	if (QUEUE(row)->irq && QUEUE(row)->irq->has_effective)
		qm_cell_cpus(cell, QUEUE(row)->irq->effective);
}

GETTER(show_managed)
{
	qm_cell_bool(cell, QUEUE(row)->managed);
}

/* "5 hardirq", "own softirq", and of both the CPUs: "5 hardirq: 0-3, own softirq: 4-7". */
static void add_place(struct qm_cell *cell, int cpu, enum qm_complete_how how, const struct qm_cpuset *whose)
{
	if (cell->text.len)
		qm_strbuf_adds(&cell->text, ", ");
	if (cpu >= 0)
		qm_strbuf_addf(&cell->text, "%d ", cpu);
	else
		qm_strbuf_adds(&cell->text, "own ");
	qm_strbuf_adds(&cell->text, qm_complete_how_name(how));
	if (!whose)
		return;
	qm_strbuf_adds(&cell->text, ": ");
	qm_cell_cpus(cell, whose);
}

void qm_cell_completion(struct qm_cell *cell, const struct qm_completion *done, int cpu)
{
	bool both = cpu < 0 && done->local_how && done->remote_how;
	bool local = cpu < 0 || qm_cpuset_test(&done->local, (unsigned)cpu);
	bool remote = cpu < 0 || qm_cpuset_test(&done->remote, (unsigned)cpu);

	if (!done->known)
		return;
	if (local && done->local_how)
		add_place(cell, done->local_how == QM_COMPLETE_POLL ? -1 : done->irq_cpu, done->local_how,
			  both ? &done->local : NULL);
	if (remote && done->remote_how)
		add_place(cell, -1, done->remote_how, both ? &done->remote : NULL);
	if (cell->text.len && !done->sure)
		qm_strbuf_adds(&cell->text, "?");
}

GETTER(show_completes)
{
	qm_cell_completion(cell, &QUEUE(row)->done, -1);
}

GETTER(show_state)
{
	static const char *const colors[_QM_QUEUE_STATE_MAX] = {
		[QM_QUEUE_INACTIVE] = RED,
		[QM_QUEUE_OFFLINE] = YELLOW,
		[QM_QUEUE_UNMAPPED] = RED,
	};

	qm_cell_str(cell, qm_queue_state_name(QUEUE(row)->state));
	cell->color = colors[QUEUE(row)->state];
}

static const struct qm_column show_columns[] = {
	{ "DEVICE", NULL, "controller", QM_COLUMN_STRING, QM_COLUMN_PLAIN, show_device },
	{ "HCTX", "controllers[].hctx[].id", "hardware queue", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, show_hctx },
	{ "QID", "controllers[].hctx[].qid", "number of the NVMe queue", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, show_qid },
	{ "TYPE", "controllers[].hctx[].type", "default, read or poll", QM_COLUMN_STRING, QM_COLUMN_MAYBE, show_type },
	{ "CPUS", "controllers[].hctx[].cpu_list", "CPUs as the kernel lists them", QM_COLUMN_LIST, 0, show_cpus },
	{ "ONLINE", "controllers[].hctx[].online_list", "those that are online", QM_COLUMN_LIST, 0, show_online },
	{ "NODES", "controllers[].hctx[].nodes", "NUMA nodes of its CPUs", QM_COLUMN_LIST, 0, show_nodes },
	{ "TAGS", "controllers[].hctx[].tags", "requests it can have in flight", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_MAYBE,
	  show_tags },
	{ "IRQ", "controllers[].hctx[].irq", "its interrupt", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, show_irq },
	{ "EFFECTIVE", "controllers[].hctx[].effective_list", "CPU that takes the interrupt", QM_COLUMN_LIST,
	  QM_COLUMN_MAYBE,
	  show_effective },
	{ "COMPLETES", NULL, "CPU and context that its requests complete in", QM_COLUMN_STRING,
	  QM_COLUMN_MAYBE | QM_COLUMN_VERBOSE, show_completes },
	{ "STATE", "controllers[].hctx[].state", "ok, cross-node, inactive, isolated, offline or unmapped", QM_COLUMN_STRING, 0,
	  show_state },
	{ "TIE", "controllers[].hctx[].irq_tie", "how the interrupt was found", QM_COLUMN_STRING, QM_COLUMN_EXTRA,
	  show_tie },
	{ "IRQNAME", "controllers[].hctx[].irq_name", "name of the interrupt", QM_COLUMN_STRING, QM_COLUMN_EXTRA,
	  show_irq_name },
	{ "REQUESTED", "controllers[].hctx[].requested_list", "CPUs that the interrupt may go to", QM_COLUMN_LIST,
	  QM_COLUMN_EXTRA, show_requested },
	{ "MANAGED", "controllers[].hctx[].managed", "the kernel places the interrupt", QM_COLUMN_BOOL, QM_COLUMN_EXTRA,
	  show_managed },
	{ "RESERVED", "controllers[].hctx[].reserved_tags", "tags kept for the driver", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, show_reserved },
};

const struct qm_layout qm_layout_show = { NULL, show_columns, QM_ARRAY_SIZE(show_columns) };

GETTER(pin_cpus)
{
	qm_cpuset_format(&QUEUE(row)->online, &cell->text);
}

static const struct qm_column pin_columns[] = {
	{ "PIN", "controllers[].pin_lists[]", "online CPUs of the queue", QM_COLUMN_LIST, 0, pin_cpus },
	{ "DEVICE", NULL, "controller", QM_COLUMN_STRING, QM_COLUMN_EXTRA, show_device },
	{ "HCTX", NULL, "hardware queue", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, show_hctx },
	{ "NODES", NULL, "NUMA nodes of its CPUs", QM_COLUMN_LIST, QM_COLUMN_EXTRA, show_nodes },
};

const struct qm_layout qm_layout_show_pin = { "pin", pin_columns, QM_ARRAY_SIZE(pin_columns) };

/* "nvme0 (nvme0n1): nvme, pcie, node 0, 31 queues (30 default, 1 read), made by irq:v6.11" */
void qm_text_heading(struct qm_out *out, const struct qm_machine *m, const struct qm_report *r, bool again)
{
	const struct qm_controller *c = r->c;
	struct qm_cell algo = { .out = out };
	struct qm_strbuf b = { 0 }, text = { 0 };

	qm_text_safe(&b, c->name);
	for (size_t i = 0; i < c->n_disks; i++) {
		if (c->n_disks == 1 && strcmp(m->disks[c->disks[i]].name, c->name) == 0)
			continue;
		qm_strbuf_adds(&b, i ? ", " : " (");
		qm_text_safe(&b, m->disks[c->disks[i]].name);
		qm_strbuf_adds(&b, i + 1 == c->n_disks ? ")" : "");
	}
	qm_strbuf_adds(&b, ": ");
	qm_text_safe(&b, c->driver ? c->driver : "unknown driver");
	if (c->transport && (!c->driver || !strstr(c->driver, c->transport))) {
		qm_strbuf_adds(&b, ", ");
		qm_text_safe(&b, c->transport);
	}
	if (c->node >= 0)
		qm_strbuf_addf(&b, ", node %d", c->node);
	qm_strbuf_addf(&b, ", %zu queue%s", c->n_hctx, c->n_hctx == 1 ? "" : "s");
	if (c->mapped < c->n_hctx)
		qm_strbuf_addf(&b, ", %u mapped", c->mapped);
	if (c->nr_types[QM_HCTX_READ] > 0 || c->nr_types[QM_HCTX_POLL] > 0)
		qm_strbuf_addf(&b, " (%ld default, %ld read, %ld poll)", c->nr_types[0], c->nr_types[1], c->nr_types[2]);
	qm_cell_made_by(&algo, r);
	if (c->n_hctx && r->id.n_matches)
		qm_strbuf_addf(&b, ", mapped by %s", qm_strbuf_str(&algo.text));
	else if (c->n_hctx && r->has_id)
		qm_strbuf_adds(&b, ", mapped by no known algorithm");
	qm_text_wrap(&text, qm_strbuf_str(&b), 0, 2, out->width);
	qm_strbuf_carry(&text, &algo.text);
	qm_strbuf_carry(&text, &b);
	fputs(again ? "\n" : "", out->f);
	qm_text_print(out, &text, "\n");
	qm_strbuf_done(&algo.text);
	qm_strbuf_done(&b);
	qm_strbuf_done(&text);
}

static int add_queues(struct qm_table *t, const struct qm_show_result *res, const struct qm_report *report)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < report->c->n_hctx; i++) {
		struct show_row row = { .r = report, .q = &report->q[i] };

		if (!res->pin || qm_queue_is_pinnable(row.q))
			r = qm_table_add(t, &row);
	}
	return r;
}

static int add_cpus(struct qm_table *t, const struct qm_topology *topo, const struct qm_report *report)
{
	int cpu, r = 0;

	QM_CPUSET_FOREACH(cpu, &topo->possible) {
		struct cpu_row row = { .t = topo, .r = report, .cpu = (unsigned)cpu };

		r = qm_table_add(t, &row);
		if (r < 0)
			break;
	}
	return r;
}

int qm_text_show(struct qm_out *out, const struct qm_show_result *res)
{
	const struct qm_layout *layout = res->pin ? &qm_layout_show_pin : res->by_cpu ? &qm_layout_show_cpu : &qm_layout_show;
	bool headings = !res->pin && !out->raw && !out->pairs && !out->noheadings;
	const struct qm_machine *m = res->reports.m;
	struct qm_table *t;
	int r;

	if (res->matrix)
		return qm_text_matrix(out, res);
	if (res->irq)
		return qm_text_irqs(out, res);
	if (res->pin && !out->columns)
		out->noheadings = true;
	r = qm_table_new(out, layout, &t);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < res->reports.n; i++) {
		struct qm_report report = { 0 };

		r = res->reports.get(res->reports.arg, i, QM_REPORT_ALL, &report);
		if (r == 0 && headings)
			qm_text_heading(out, m, &report, i > 0);
		if (r == 0)
			r = res->by_cpu ? add_cpus(t, &m->topo, &report) : add_queues(t, res, &report);
		/* a table for each controller where headings part them, else one for all, aligned alike */
		if (r == 0 && (headings || i + 1 == res->reports.n))
			r = qm_table_print(t);
		qm_report_done(&report);
	}
	qm_table_free(t);
	return r;
}
