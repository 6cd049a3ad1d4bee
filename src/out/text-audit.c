// SPDX-License-Identifier: GPL-2.0-or-later
/* audit: findings as text, worst first; as a table where columns, -r or -P ask for one. */
#include "out/results.h"
#include "out/text.h"

struct finding_row {
	const struct qm_machine *m;
	const struct qm_finding *f;
};

#define FINDING(row) (((const struct finding_row *)(row))->f)

static const char *const severity_colors[_QM_SEVERITY_MAX] = { NULL, YELLOW, RED };

GETTER(finding_severity)
{
	qm_cell_str(cell, qm_severity_name(FINDING(row)->severity));
	cell->color = severity_colors[FINDING(row)->severity];
}

GETTER(finding_rule)
{
	qm_cell_str(cell, FINDING(row)->rule->name);
}

GETTER(finding_controller)
{
	const struct finding_row *r = row;

	if (r->f->controller >= 0)
		qm_cell_str(cell, r->m->controllers[r->f->controller].name);
}

GETTER(finding_hctx)
{
	qm_cell_ids(cell, &FINDING(row)->hctx);
}

GETTER(finding_cpus)
{
	qm_cell_cpus(cell, &FINDING(row)->cpus);
}

GETTER(finding_irqs)
{
	qm_cell_ids(cell, &FINDING(row)->irqs);
}

GETTER(finding_message)
{
	qm_cell_str(cell, FINDING(row)->message);
}

GETTER(finding_advice)
{
	qm_cell_str(cell, FINDING(row)->advice);
}

GETTER(finding_command)
{
	qm_cell_str(cell, FINDING(row)->command);
}

static const struct qm_column audit_columns[] = {
	{ "SEVERITY", "findings[].severity", "error, warning or info", QM_COLUMN_STRING, 0, finding_severity },
	{ "RULE", "findings[].rule", "name of the rule, for explain", QM_COLUMN_STRING, 0, finding_rule },
	{ "CONTROLLER", "findings[].controller", "controller; none: the machine", QM_COLUMN_STRING, 0, finding_controller },
	{ "HCTX", "findings[].hctx_list", "hardware queues", QM_COLUMN_LIST, 0, finding_hctx },
	{ "CPUS", "findings[].cpu_list", "CPUs", QM_COLUMN_LIST, 0, finding_cpus },
	{ "IRQS", "findings[].irqs", "interrupts", QM_COLUMN_LIST, 0, finding_irqs },
	{ "MESSAGE", "findings[].message", "what is so and what it causes", QM_COLUMN_STRING, QM_COLUMN_TEXT,
	  finding_message },
	{ "ADVICE", "findings[].advice", "what mends it", QM_COLUMN_STRING, QM_COLUMN_EXTRA | QM_COLUMN_TEXT,
	  finding_advice },
	{ "COMMAND", "findings[].command", "to run", QM_COLUMN_STRING, QM_COLUMN_EXTRA, finding_command },
};

const struct qm_layout qm_layout_audit = { NULL, audit_columns, QM_ARRAY_SIZE(audit_columns) };

static int print_table(struct qm_out *out, const struct qm_audit_result *res)
{
	struct qm_table *t;
	int r = qm_table_new(out, &qm_layout_audit, &t);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < res->findings->n; i++) {
		struct finding_row row = { .m = out->m, .f = &res->findings->v[i] };

		/* who parses it chooses for himself */
		if (row.f->severity >= res->shown || out->raw || out->pairs)
			r = qm_table_add(t, &row);
	}
	if (r == 0)
		r = qm_table_print(t);
	qm_table_free(t);
	return r;
}

static void add_color(struct qm_strbuf *b, const struct qm_out *out, enum qm_severity s, bool on)
{
	static const char *const codes[_QM_SEVERITY_MAX] = { NULL, "\033[33m", "\033[31m" };

	if (out->color && codes[s])
		qm_strbuf_adds(b, on ? codes[s] : "\033[0m");
}

static void add_numbers(struct qm_strbuf *b, const char *what, const struct qm_ids *ids, unsigned max)
{
	if (!ids->n)
		return;
	qm_strbuf_addf(b, ", %s ", what);
	qm_text_ids_short(b, ids, max);
}

/* Lists in the head of a finding stay short unless all was asked for. */
#define HEAD_LIST_MAX 30

static void add_head(struct qm_strbuf *b, const struct qm_out *out, const struct qm_finding *f)
{
	unsigned max = out->verbose ? QM_TEXT_WHOLE : HEAD_LIST_MAX;

	add_color(b, out, f->severity, true);
	qm_strbuf_adds(b, qm_severity_name(f->severity));
	add_color(b, out, f->severity, false);
	qm_strbuf_addf(b, " %s", f->rule->name);
	if (f->controller >= 0) {
		qm_strbuf_adds(b, ": ");
		qm_text_safe(b, out->m->controllers[f->controller].name);
	} else {
		qm_strbuf_adds(b, ": machine");
	}
	add_numbers(b, "hctx", &f->hctx, max);
	if (!qm_cpuset_is_empty(&f->cpus)) {
		qm_strbuf_addf(b, ", CPU%s ", qm_cpuset_count(&f->cpus) == 1 ? "" : "s");
		qm_text_cpus_short(b, &f->cpus, max);
	}
	if (out->verbose)
		add_numbers(b, "IRQ", &f->irqs, max);
	qm_strbuf_addc(b, '\n');
}

static void print_finding(struct qm_out *out, const struct qm_finding *f)
{
	struct qm_strbuf b = { 0 };

	qm_strbuf_addc(&b, '\n');
	add_head(&b, out, f);
	qm_text_paragraph(&b, out, "", f->message);
	qm_text_paragraph(&b, out, "do:  ", f->advice);
	qm_text_command(&b, f->command);
	qm_text_print(out, &b, "");
	qm_strbuf_done(&b);
}

static void add_count(struct qm_strbuf *b, unsigned n, const char *one, const char *many, bool *first)
{
	if (!n)
		return;
	qm_strbuf_addf(b, "%s%u %s", *first ? "" : ", ", n, n == 1 ? one : many);
	*first = false;
}

int qm_text_audit(struct qm_out *out, const struct qm_audit_result *res)
{
	const struct qm_findings *f = res->findings;
	unsigned hidden = 0, shown = 0;
	struct qm_strbuf b = { 0 }, text = { 0 };
	bool first = true;

	if (out->raw || out->pairs || out->columns || out->noheadings)
		return print_table(out, res);
	for (int s = 0; s < _QM_SEVERITY_MAX; s++) {
		if ((enum qm_severity)s < res->shown)
			hidden += f->count[s];
		else
			shown += f->count[s];
	}
	qm_text_safe(&b, res->summary);
	qm_strbuf_adds(&b, ": ");
	if (f->count[QM_ERROR] + f->count[QM_WARNING] == 0) {
		qm_strbuf_adds(&b, "nothing wrong");
		first = false;
	}
	add_count(&b, f->count[QM_ERROR], "error", "errors", &first);
	add_count(&b, f->count[QM_WARNING], "warning", "warnings", &first);
	add_count(&b, f->count[QM_INFO], "note", "notes", &first);
	qm_strbuf_adds(&b, hidden ? " (-v shows)" : "");
	qm_text_wrap(&text, qm_strbuf_str(&b), 0, 2, shown ? out->width : QM_CPU_MAX);
	qm_strbuf_carry(&text, &b);
	qm_text_print(out, &text, "\n");
	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].severity >= res->shown)
			print_finding(out, &f->v[i]);
	}
	qm_strbuf_done(&b);
	qm_strbuf_done(&text);
	return 0;
}
