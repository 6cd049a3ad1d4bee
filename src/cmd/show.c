// SPDX-License-Identifier: GPL-2.0-or-later
/* show: the map of each controller, by queue, by CPU, as a picture, or as CPU lists to pin jobs to. */
#include <errno.h>

#include "cmd/irqs.h"
#include "cmd/report.h"

struct show_options {
	bool by_cpu, matrix, pin, irq, counts;
};

#define OPT(field) .offset = offsetof(struct show_options, field), .kind = QM_OPTION_FLAG, .group = QM_GROUP_COMMAND

static const struct qm_option options[] = {
	{ .name = "by-cpu", .help = "one row a CPU instead of one a queue", OPT(by_cpu) },
	{ .name = "irq", .help = "one row an interrupt, those that serve no queue too", OPT(irq) },
	{ .name = "counts", .help = "with --irq, CPUs that took the interrupts, and how often", OPT(counts) },
	{ .name = "matrix", .help = "a picture of CPUs against queues, node by node", OPT(matrix) },
	{ .name = "pin", .help = "online CPUs of each queue, one list a line, for taskset or fio", OPT(pin) },
	{ 0 },
};

/* Jobs pinned by a list that leaves queues out would miss them without a word. */
static int tell_unpinnable(const struct qm_run *run)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->n_controllers; i++) {
		const struct qm_controller *c = &run->m.controllers[run->controllers[i]];
		struct qm_strbuf b = { 0 };
		struct qm_ids ids = { 0 };

		for (size_t q = 0; r == 0 && q < c->n_hctx; q++) {
			if (c->hctx[q].type <= QM_HCTX_DEFAULT && !qm_cpuset_intersects(c->hctx[q].cpus, &run->m.topo.online))
				r = qm_ids_add(&ids, c->hctx[q].id);
		}
		qm_ids_format(&ids, &b);
		r = r < 0 ? r : b.err;
		if (r == 0 && ids.n && !run->g.quiet)
			qm_error("%s: left out, no online CPU: hctx %s", c->name, qm_strbuf_str(&b));
		qm_strbuf_done(&b);
		qm_ids_done(&ids);
	}
	return r;
}

/* Containers often hide the file, or show an empty one in its place. */
static void tell_uncounted(const struct qm_run *run)
{
	for (size_t i = 0; i < run->m.n_irqs; i++) {
		if (run->m.irqs[i].counts)
			return;
	}
	if (run->m.n_irqs && !run->g.quiet)
		qm_error("no counts: proc/interrupts is not there, or tells of none of these interrupts");
}

static int show_run(struct qm_run *run)
{
	const struct show_options *opt = run->opt;
	struct qm_show_result res = { .by_cpu = opt->by_cpu, .pin = opt->pin, .matrix = opt->matrix, .irq = opt->irq };
	unsigned more = (opt->irq ? QM_READ_IRQ_DETAIL : 0) | (opt->counts ? QM_READ_IRQ_COUNTS : 0);
	struct qm_irq_views irqs = { 0 };
	struct qm_reporter rep;
	int r;

	if (opt->by_cpu + opt->matrix + opt->pin + opt->irq > 1)
		return qm_usage_error(run, "--by-cpu, --irq, --matrix and --pin exclude each other");
	if (opt->counts && !opt->irq)
		return qm_usage_error(run, "--counts are of interrupts: it needs --irq");
	if (opt->matrix && (run->g.raw || run->g.pairs || run->g.output))
		return qm_usage_error(run, "--matrix is a picture: --raw, --pairs and --output are for tables");
	r = qm_reporter_init(&rep, run, more, true);
	if (r == 0 && opt->irq)
		r = qm_irq_views_make(run, &irqs);
	if (r == 0) {
		res.irqs = irqs.v;
		res.n_irqs = irqs.n;
		res.reports = qm_reporter_reports(&rep);
		qm_devices_tell_none(run);
		if (opt->pin)
			r = tell_unpinnable(run);
		if (opt->counts)
			tell_uncounted(run);
		if (r == 0)
			r = run->out.face->show(&run->out, &res);
	}
	qm_irq_views_done(&irqs);
	qm_reporter_done(&rep);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_show, &qm_layout_show_cpu, &qm_layout_show_pin, &qm_layout_show_irq, NULL };

const struct qm_command qm_command_show = {
	.name = "show",
	.summary = "the map: which CPUs each hardware queue serves, and its interrupt",
	.operands = "[DEVICE...]",
	.complete = QM_COMPLETE_DEVICE,
	.example = "qmapctl show nvme0n1 --by-cpu",
	.example_help = "for each CPU the queue that its requests take",
	.options = options,
	.options_size = sizeof(struct show_options),
	.layouts = layouts,
	.run = show_run,
};
