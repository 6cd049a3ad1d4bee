// SPDX-License-Identifier: GPL-2.0-or-later
/* show --irq: one row an interrupt, with a heading for each controller. */
#include <limits.h>

#include "out/results.h"
#include "out/text.h"

#define VIEW(row) ((const struct qm_irq_view *)(row))
#define IRQ(row)  (VIEW(row)->irq)

GETTER(irq_device)
{
	qm_cell_str(cell, VIEW(row)->c ? VIEW(row)->c->name : NULL);
}

GETTER(irq_number)
{
	qm_cell_num(cell, IRQ(row)->nr);
}

GETTER(irq_name)
{
	qm_cell_str(cell, IRQ(row)->name);
}

GETTER(irq_queue)
{
	if (VIEW(row)->hctx.n)
		qm_cell_ids(cell, &VIEW(row)->hctx);
}

GETTER(irq_role)
{
	qm_cell_str(cell, qm_irq_role_name(IRQ(row)->role));
}

GETTER(irq_tie)
{
	qm_cell_str(cell, qm_irq_tie_name(VIEW(row)->tie));
}

GETTER(irq_managed)
{
	qm_cell_bool(cell, VIEW(row)->managed);
}

GETTER(irq_managed_by)
{
	qm_cell_str(cell, VIEW(row)->managed_by);
}

GETTER(irq_requested)
{
	if (IRQ(row)->has_requested)
		qm_cell_cpus(cell, IRQ(row)->requested);
}

GETTER(irq_effective)
{
	if (IRQ(row)->has_effective)
		qm_cell_cpus(cell, IRQ(row)->effective);
}

GETTER(irq_hint)
{
	if (IRQ(row)->has_hint)
		qm_cell_cpus(cell, IRQ(row)->hint);
}

GETTER(irq_outside)
{
	qm_cell_str(cell, VIEW(row)->outside);
}

GETTER(irq_node)
{
	qm_cell_num(cell, IRQ(row)->node);
}

GETTER(irq_chip)
{
	qm_cell_str(cell, IRQ(row)->chip);
}

GETTER(irq_hwirq)
{
	qm_cell_num(cell, IRQ(row)->hwirq);
}

GETTER(irq_delivered)
{
	if (IRQ(row)->counts)
		qm_cell_cpus(cell, &IRQ(row)->counts->cpus);
}

static void cell_count(struct qm_cell *cell, unsigned long long n)
{
	qm_cell_num(cell, n > LLONG_MAX ? LLONG_MAX : (long long)n);
}

GETTER(irq_count)
{
	if (IRQ(row)->counts)
		cell_count(cell, IRQ(row)->counts->total);
}

GETTER(irq_busiest_cpu)
{
	if (IRQ(row)->counts && IRQ(row)->counts->total)
		qm_cell_num(cell, IRQ(row)->counts->busiest);
}

GETTER(irq_busiest)
{
	if (IRQ(row)->counts && IRQ(row)->counts->total)
		cell_count(cell, IRQ(row)->counts->most);
}

static const struct qm_column irq_columns[] = {
	{ "DEVICE", "irqs[].controller", "controller", QM_COLUMN_STRING, QM_COLUMN_PLAIN, irq_device },
	{ "IRQ", "irqs[].irq", "number of the interrupt", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, irq_number },
	{ "NAME", "irqs[].name", "its handlers", QM_COLUMN_STRING, 0, irq_name },
	{ "QUEUE", "irqs[].hctx_list", "hardware queues that it serves", QM_COLUMN_LIST, 0, irq_queue },
	{ "ROLE", "irqs[].role", "queue, admin, config, reply, extra or network", QM_COLUMN_STRING, 0, irq_role },
	{ "TIE", "irqs[].irq_tie", "how the queue was found", QM_COLUMN_STRING, 0, irq_tie },
	{ "MANAGED", "irqs[].managed", "only the kernel places it", QM_COLUMN_BOOL, 0, irq_managed },
	{ "REQUESTED", "irqs[].requested_list", "CPUs that it may go to", QM_COLUMN_LIST, 0, irq_requested },
	{ "EFFECTIVE", "irqs[].effective_list", "CPU that takes it", QM_COLUMN_LIST, 0, irq_effective },
	{ "NODE", "irqs[].node", "as its file says, which follows REQUESTED", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, irq_node },
	{ "OUTSIDE", "irqs[].outside", "why it is taken outside REQUESTED", QM_COLUMN_STRING, QM_COLUMN_MAYBE, irq_outside },
	{ "DELIVERED", "irqs[].delivered_list", "CPUs that took it (--counts)", QM_COLUMN_LIST, QM_COLUMN_MAYBE,
	  irq_delivered },
	{ "COUNT", "irqs[].delivered", "how often, all together (--counts)", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, irq_count },
	{ "BUSIEST", "irqs[].busiest_cpu", "CPU that took it most times", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA,
	  irq_busiest_cpu },
	{ "MOST", "irqs[].busiest", "how often that one", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, irq_busiest },
	{ "MANAGEDBY", "irqs[].managed_by", "who says so: debugfs, mode (of its file) or driver", QM_COLUMN_STRING,
	  QM_COLUMN_EXTRA, irq_managed_by },
	{ "HINT", "irqs[].hint_list", "CPUs that its driver asks for", QM_COLUMN_LIST, QM_COLUMN_EXTRA, irq_hint },
	{ "CHIP", "irqs[].chip", "interrupt controller", QM_COLUMN_STRING, QM_COLUMN_EXTRA, irq_chip },
	{ "INDEX", "irqs[].hwirq", "number there, with MSI-X in the device's table", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, irq_hwirq },
};

const struct qm_layout qm_layout_show_irq = { "irq", irq_columns, QM_ARRAY_SIZE(irq_columns) };

/* The line above one controller's interrupts, or above those of nobody. */
static int heading(struct qm_out *out, const struct qm_show_result *res, size_t i, bool again)
{
	struct qm_report report = { 0 };
	int r = 0;

	if (i == res->reports.n) {
		fprintf(out->f, "%sstorage interrupts of no controller that is known\n", again ? "\n" : "");
		return 0;
	}
	r = res->reports.get(res->reports.arg, i, 0, &report);
	if (r == 0)
		qm_text_heading(out, res->reports.m, &report, again);
	qm_report_done(&report);
	return r;
}

int qm_text_irqs(struct qm_out *out, const struct qm_show_result *res)
{
	bool headings = !out->raw && !out->pairs && !out->noheadings, again = false;
	struct qm_table *t;
	size_t at = 0;
	int r = qm_table_new(out, &qm_layout_show_irq, &t);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i <= res->reports.n; i++) {
		/* Controllers without an interrupt are told as such; nobody's only where there are some. */
		if (headings && (i < res->reports.n || at < res->n_irqs)) {
			r = heading(out, res, i, again);
			again = true;
		}
		for (; r == 0 && at < res->n_irqs && res->irqs[at].report == i; at++)
			r = qm_table_add(t, &res->irqs[at]);
		if (r == 0 && (headings || i == res->reports.n))
			r = qm_table_print(t);
	}
	qm_table_free(t);
	return r;
}
