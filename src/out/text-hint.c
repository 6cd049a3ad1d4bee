// SPDX-License-Identifier: GPL-2.0-or-later
/* hint: one row a change, then what is no change. */
#include <string.h>
#include <time.h>

#include "hint/hint.h"
#include "out/results.h"
#include "out/text.h"

GETTER(change_controller)
{
	qm_cell_str(cell, ((const struct qm_change *)row)->controller);
}

GETTER(change_irq)
{
	long nr = -1;

	if (qm_hint_path_is_allowed(((const struct qm_change *)row)->path, NULL, &nr))
		qm_cell_num(cell, nr);
}

GETTER(change_what)
{
	qm_cell_str(cell, qm_change_what_name(((const struct qm_change *)row)->what));
}

/* Values are lines of the kernel's; their line breaks are not for tables. */
static void add_value(struct qm_cell *cell, const char *value)
{
	qm_strbuf_add(&cell->text, value, strcspn(value, "\n"));
}

GETTER(change_old)
{
	add_value(cell, ((const struct qm_change *)row)->old);
}

GETTER(change_new)
{
	add_value(cell, ((const struct qm_change *)row)->new);
}

GETTER(change_state)
{
	const struct qm_change *c = row;

	qm_cell_str(cell, qm_change_state_name(c->state));
	if (c->state == QM_CHANGE_REFUSED)
		cell->color = RED;
	else if (c->state == QM_CHANGE_MOVED)
		cell->color = YELLOW;
}

GETTER(change_reason)
{
	const struct qm_change *c = row;

	qm_cell_str(cell, c->error ? c->error : c->reason);
}

GETTER(change_path)
{
	qm_cell_str(cell, ((const struct qm_change *)row)->path);
}

static const struct qm_column columns[] = {
	{ "CONTROLLER", "changes[].controller", "whose it is", QM_COLUMN_STRING, 0, change_controller },
	{ "IRQ", "changes[].irq", "the interrupt", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, change_irq },
	{ "WHAT", "changes[].what", "the file that is written", QM_COLUMN_STRING, 0, change_what },
	{ "OLD", NULL, "what it holds", QM_COLUMN_STRING, 0, change_old },
	{ "NEW", NULL, "what it should hold", QM_COLUMN_STRING, 0, change_new },
	{ "STATE", "changes[].state", "planned, same, applied, refused, moved or undone", QM_COLUMN_STRING, 0, change_state },
	{ "REASON", NULL, "why, or why not", QM_COLUMN_STRING, QM_COLUMN_TEXT, change_reason },
	{ "PATH", "changes[].path", "the file's path", QM_COLUMN_STRING, QM_COLUMN_EXTRA, change_path },
};

const struct qm_layout qm_layout_hint = { NULL, columns, QM_ARRAY_SIZE(columns) };

static size_t count_changes(const struct qm_hint_result *res, size_t counts[_QM_CHANGE_STATE_MAX])
{
	size_t n = 0;

	memset(counts, 0, _QM_CHANGE_STATE_MAX * sizeof(*counts));
	for (size_t p = 0; p < res->n_plans; p++) {
		for (size_t i = 0; i < res->plans[p].n; i++)
			counts[res->plans[p].v[i].state]++;
		n += res->plans[p].n;
	}
	return n;
}

static void print_summary(struct qm_out *out, const struct qm_hint_result *res)
{
	size_t counts[_QM_CHANGE_STATE_MAX], n = count_changes(res, counts);
	const char *sep = "";

	if (strcmp(res->verb, "status") == 0 || strcmp(res->verb, "undo") == 0) {
		if (!res->n_runs) {
			fputs("No journal: no hint was ever applied here.\n", out->f);
			return;
		}
		if (!res->n_plans) {
			fputs("Nothing is in force: every run was undone.\n", out->f);
			return;
		}
	} else if (!n) {
		fputs(res->plans[0].blind ? "Nothing is planned.\n" :
					    "Nothing to do: every interrupt that may be moved serves its queue well.\n", out->f);
		return;
	}
	for (int s = 0; s < _QM_CHANGE_STATE_MAX; s++) {
		if (!counts[s])
			continue;
		fprintf(out->f, "%s%zu %s", sep, counts[s], qm_change_state_name((enum qm_change_state)s));
		sep = ", ";
	}
	if (res->journal)
		fprintf(out->f, "%sjournal %s", *sep ? "; " : "", res->journal);
	fputs(".\n", out->f);
	if (strcmp(res->verb, "plan") == 0)
		fputs("Nothing was written: 'qmapctl hint apply' does it, 'qmapctl hint undo' takes it back.\n", out->f);
}

static int print_notes(struct qm_out *out, const struct qm_hint_result *res)
{
	struct qm_strbuf b = { 0 };
	int r;

	for (size_t p = 0; p < res->n_plans; p++) {
		for (size_t i = 0; i < res->plans[p].n_notes; i++) {
			const struct qm_hint_note *note = &res->plans[p].notes[i];
			struct qm_strbuf line = { 0 };

			if (note->controller) {
				qm_text_safe(&line, note->controller);
				qm_strbuf_adds(&line, ": ");
			}
			qm_text_safe(&line, note->text);
			qm_text_wrap(&b, qm_strbuf_str(&line), 0, 4, out->width);
			qm_strbuf_addc(&b, '\n');
			b.err = line.err ? line.err : b.err;
			qm_strbuf_done(&line);
		}
	}
	fputs(qm_strbuf_str(&b), out->f);
	r = b.err;
	qm_strbuf_done(&b);
	return r;
}

int qm_text_hint(struct qm_out *out, const struct qm_hint_result *res)
{
	bool plain = out->raw || out->pairs || out->noheadings || out->columns;
	size_t counts[_QM_CHANGE_STATE_MAX];
	struct qm_table *table;
	int r;

	r = qm_table_new(out, &qm_layout_hint, &table);
	if (r < 0)
		return r;
	for (size_t p = 0; r == 0 && p < res->n_plans; p++) {
		for (size_t i = 0; r == 0 && i < res->plans[p].n; i++)
			r = qm_table_add(table, &res->plans[p].v[i]);
	}
	if (r == 0 && (count_changes(res, counts) || plain))
		r = qm_table_print(table);
	qm_table_free(table);
	if (r < 0 || plain)
		return r;
	r = print_notes(out, res);
	print_summary(out, res);
	return r;
}
