// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables for people and scripts: which columns, how a cell looks, and libsmartcols to draw it. */
#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <string.h>
#include <strings.h>

#include "out/out.h"

/* ---- which columns ---- */

static const struct qm_column *find_column(const struct qm_layout *layout, const char *name, size_t len)
{
	for (size_t i = 0; i < layout->n; i++) {
		const struct qm_column *c = &layout->columns[i];

		if (strncasecmp(c->name, name, len) == 0 && c->name[len] == '\0')
			return c;
	}
	return NULL;
}

static void select_usual(const struct qm_layout *layout, bool plain, bool verbose, struct qm_selection *sel)
{
	for (size_t i = 0; i < layout->n && sel->n < QM_ARRAY_SIZE(sel->v); i++) {
		unsigned flags = layout->columns[i].flags;

		if (!(flags & QM_COLUMN_EXTRA) && (plain || !(flags & QM_COLUMN_PLAIN)) &&
		    (verbose || !(flags & QM_COLUMN_VERBOSE)))
			sel->v[sel->n++] = &layout->columns[i];
	}
}

static bool is_selected(const struct qm_selection *sel, const struct qm_column *c)
{
	for (size_t i = 0; i < sel->n; i++) {
		if (sel->v[i] == c)
			return true;
	}
	return false;
}

int qm_layout_select(const struct qm_layout *layout, const char *spec, bool plain, bool verbose,
		     struct qm_selection *ret, char **ret_bad)
{
	struct qm_selection sel = { 0 };

	*ret_bad = NULL;
	if (!spec || *spec == '+')
		select_usual(layout, plain, verbose, &sel);
	/* repeated options are joined with commas, each may start with its own plus */
	while (spec && *spec) {
		size_t skip = strspn(spec, ",+ "), len = strcspn(spec + skip, ",+ ");
		const struct qm_column *c;

		spec += skip;
		if (!len)
			break;
		c = find_column(layout, spec, len);
		if (!c) {
			*ret_bad = strndup(spec, len);
			return *ret_bad ? -EINVAL : -ENOMEM;
		}
		if (!is_selected(&sel, c) && sel.n < QM_ARRAY_SIZE(sel.v))
			sel.v[sel.n++] = c;
		spec += len;
	}
	if (!sel.n)
		return -EINVAL;
	*ret = sel;
	return 0;
}

int qm_layout_print(const struct qm_layout *layout, struct qm_out *out)
{
	size_t width = 0;

	for (size_t i = 0; i < layout->n; i++) {
		size_t len = strlen(layout->columns[i].name);

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < layout->n; i++) {
		const struct qm_column *c = &layout->columns[i];

		fprintf(out->f, "%-*s  %s\n", (int)width, c->name, c->help);
	}
	return 0;
}

/* ---- cells ---- */

void qm_cell_str(struct qm_cell *cell, const char *s)
{
	if (s)
		qm_text_safe(&cell->text, s);
}

void qm_cell_int(struct qm_cell *cell, long long n)
{
	qm_strbuf_addf(&cell->text, "%lld", n);
}

void qm_cell_num(struct qm_cell *cell, long long n)
{
	if (n >= 0)
		qm_cell_int(cell, n);
}

void qm_cell_bool(struct qm_cell *cell, int b)
{
	if (b >= 0)
		qm_cell_str(cell, b ? "yes" : "no");
}

/* Characters that a CPU list may take in a table for people, unless all was asked for. */
#define LIST_MAX 36

static unsigned list_max(const struct qm_out *out)
{
	return out->verbose || out->raw || out->pairs ? QM_TEXT_WHOLE : LIST_MAX;
}

void qm_cell_cpus(struct qm_cell *cell, const struct qm_cpuset *s)
{
	if (qm_cpuset_is_empty(s))
		qm_cell_str(cell, "none");
	else
		qm_text_cpus_short(&cell->text, s, list_max(cell->out));
}

void qm_cell_ids(struct qm_cell *cell, const struct qm_ids *ids)
{
	if (!ids->n)
		qm_cell_str(cell, "none");
	else
		qm_text_ids_short(&cell->text, ids, list_max(cell->out));
}

/* ---- drawing ---- */

struct qm_table {
	struct qm_out *out;
	struct qm_selection sel;
	struct libscols_table *tb;
	bool worth[QM_ARRAY_SIZE(((struct qm_selection *)NULL)->v)]; /* some row of the column tells something */
};

static int add_columns(struct qm_table *t)
{
	for (size_t i = 0; i < t->sel.n; i++) {
		const struct qm_column *c = t->sel.v[i];
		int flags = c->flags & QM_COLUMN_RIGHT ? SCOLS_FL_RIGHT : 0;

		if (c->flags & QM_COLUMN_TEXT && t->out->wrap)
			flags |= SCOLS_FL_WRAP;
		if (!scols_table_new_column(t->tb, c->name, 0, flags))
			return -ENOMEM;
	}
	return 0;
}

int qm_table_new(struct qm_out *out, const struct qm_layout *layout, struct qm_table **ret)
{
	struct qm_table *t = calloc(1, sizeof(*t));
	_cleanup_free_ char *bad = NULL;
	int r;

	if (!t)
		return -ENOMEM;
	t->out = out;
	r = qm_layout_select(layout, out->columns, out->raw || out->pairs, out->verbose && !out->raw && !out->pairs, &t->sel,
			     &bad);
	t->tb = r < 0 ? NULL : scols_new_table();
	if (r == 0)
		r = t->tb ? add_columns(t) : -ENOMEM;
	if (r < 0) {
		qm_table_free(t);
		return r;
	}
	scols_table_set_stream(t->tb, out->f);
	scols_table_enable_raw(t->tb, out->raw);
	scols_table_enable_export(t->tb, out->pairs);
	scols_table_enable_ascii(t->tb, out->ascii);
	scols_table_enable_noheadings(t->tb, out->noheadings);
	scols_table_enable_colors(t->tb, out->color && !out->raw && !out->pairs);
	scols_table_set_termforce(t->tb, out->wrap ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (out->wrap)
		scols_table_set_termwidth(t->tb, out->width);
	*ret = t;
	return 0;
}

static int add_cell(struct qm_table *t, struct libscols_line *line, size_t i, const void *row)
{
	struct qm_cell cell = { .out = t->out };
	int r;

	t->sel.v[i]->get(row, &cell);
	r = cell.text.err;
	t->worth[i] |= cell.text.len && !cell.usual;
	if (r == 0)
		r = scols_line_set_data(line, i, cell.text.len ? cell.text.s : "-");
	if (r == 0 && cell.color)
		r = scols_cell_set_color(scols_line_get_cell(line, i), cell.color);
	qm_strbuf_done(&cell.text);
	return r;
}

int qm_table_add(struct qm_table *t, const void *row)
{
	struct libscols_line *line = scols_table_new_line(t->tb, NULL);
	int r = line ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < t->sel.n; i++)
		r = add_cell(t, line, i, row);
	return r;
}

/* Columns that tell nothing take room from those that do; whoever named his columns, or parses them, gets them all. */
static void hide_columns(struct qm_table *t)
{
	bool all = t->out->columns || t->out->raw || t->out->pairs;

	for (size_t i = 0; i < t->sel.n; i++) {
		struct libscols_column *c = scols_table_get_column(t->tb, i);
		int flags = scols_column_get_flags(c) & ~SCOLS_FL_HIDDEN;

		if (!all && t->sel.v[i]->flags & QM_COLUMN_MAYBE && !t->worth[i])
			flags |= SCOLS_FL_HIDDEN;
		scols_column_set_flags(c, flags);
		t->worth[i] = false;
	}
}

int qm_table_print(struct qm_table *t)
{
	int r = 0;

	if (!scols_table_is_empty(t->tb)) {
		hide_columns(t);
		r = scols_print_table(t->tb);
	}
	scols_table_remove_lines(t->tb);
	return r;
}

void qm_table_free(struct qm_table *t)
{
	if (!t)
		return;
	scols_unref_table(t->tb);
	free(t);
}
