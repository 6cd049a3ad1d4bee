// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * show --matrix: a picture of CPUs (down) against hardware queues (across), one panel a node.
 *
 * What makes it readable on large machines: CPUs of one queue and one state share a row; a panel has only the queues that
 * serve its node; long stretches where each next row has the next queue are cut to their first and last row; panels that are still
 * too wide are parted, which loses nothing since each row has one mark.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out/results.h"
#include "out/text.h"

/* Stretches of at least so many rows are cut, unless all was asked for. */
#define FOLD_MIN 7
#define LABEL_MAX 18

enum mark {
	MARK_ONLINE,
	MARK_CROSS,    /* online, and the queue has online CPUs in another node too */
	MARK_ISOLATED,
	MARK_OFFLINE,  /* or absent */
	_MARK_MAX,
};

struct row {
	struct qm_cpuset cpus;
	int32_t queue;
	enum mark mark;
	bool folded; /* inside a stretch that is not drawn */
};

struct panel {
	const struct qm_out *out;
	const struct qm_topology *t;
	const struct qm_report *report;
	const int32_t *map;
	struct row *rows;
	size_t n, cap;
	struct qm_cpuset without; /* CPUs of the node that no queue lists */
	int32_t *columns;         /* queues that have a column, ascending */
	size_t n_columns;
	bool used[_MARK_MAX];
};

static const char *mark_text(const struct qm_out *out, enum mark m)
{
	static const char *const utf8[_MARK_MAX] = { "\u25cf", "\u25c6", "\u25cc", "\u25cb" };
	static const char *const ascii[_MARK_MAX] = { "#", "X", "i", "o" };

	return out->ascii ? ascii[m] : utf8[m];
}

static enum mark mark_of(const struct panel *p, unsigned cpu, int32_t queue)
{
	if (!qm_cpuset_test(&p->t->online, cpu))
		return MARK_OFFLINE;
	if (qm_cpuset_test(&p->t->isolated, cpu))
		return MARK_ISOLATED;
	return p->report->q[queue].state == QM_QUEUE_CROSS ? MARK_CROSS : MARK_ONLINE;
}

/* ---- rows ---- */

static int add_cpu(struct panel *p, unsigned cpu)
{
	int32_t queue = p->map[cpu];
	enum mark mark;
	int r;

	if (queue < 0) {
		qm_cpuset_set(&p->without, cpu);
		return 0;
	}
	mark = mark_of(p, cpu, queue);
	for (size_t i = 0; i < p->n; i++) {
		if (p->rows[i].queue == queue && p->rows[i].mark == mark) {
			qm_cpuset_set(&p->rows[i].cpus, cpu);
			return 0;
		}
	}
	r = qm_array_grow(&p->rows, &p->cap, p->n + 1, sizeof(*p->rows));
	if (r < 0)
		return r;
	p->rows[p->n].cpus.nw = 0;
	p->rows[p->n].queue = queue;
	p->rows[p->n].mark = mark;
	p->rows[p->n].folded = false;
	qm_cpuset_set(&p->rows[p->n++].cpus, cpu);
	p->used[mark] = true;
	return 0;
}

/* b is a, each CPU so many higher. */
static bool is_shifted(const struct qm_cpuset *a, const struct qm_cpuset *b, int by)
{
	int cpu;

	if (qm_cpuset_count(a) != qm_cpuset_count(b))
		return false;
	QM_CPUSET_FOREACH(cpu, a) {
		if (cpu + by < 0 || cpu + by >= (int)QM_CPU_MAX || !qm_cpuset_test(b, (unsigned)(cpu + by)))
			return false;
	}
	return true;
}

static bool is_in_step(const struct row *a, const struct row *b, int by)
{
	return b->queue == a->queue + 1 && b->mark == a->mark && is_shifted(&a->cpus, &b->cpus, by);
}

static void fold(struct panel *p)
{
	size_t i = 0;

	while (i + 1 < p->n) {
		int by = qm_cpuset_first(&p->rows[i + 1].cpus) - qm_cpuset_first(&p->rows[i].cpus);
		size_t end = i;

		while (end + 1 < p->n && is_in_step(&p->rows[end], &p->rows[end + 1], by))
			end++;
		if (end - i + 1 >= FOLD_MIN) {
			for (size_t k = i + 1; k < end; k++)
				p->rows[k].folded = true;
		}
		i = end > i ? end : i + 1;
	}
}

/* ---- columns ---- */

static int compare_queues(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static int make_columns(struct panel *p)
{
	size_t n = 0;

	p->columns = malloc((p->n ? p->n : 1) * sizeof(*p->columns));
	if (!p->columns)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		if (!p->rows[i].folded)
			p->columns[n++] = p->rows[i].queue;
	}
	qsort(p->columns, n, sizeof(*p->columns), compare_queues);
	p->n_columns = 0;
	for (size_t i = 0; i < n; i++) {
		if (!i || p->columns[i] != p->columns[i - 1])
			p->columns[p->n_columns++] = p->columns[i];
	}
	return 0;
}

/* ---- drawing ---- */

/* A stretch of columns and how far apart they stand. */
struct part {
	size_t from, n;
	unsigned step, label;
};

static void pad(struct qm_strbuf *b, unsigned n)
{
	while (n--)
		qm_strbuf_addc(b, ' ');
}

static unsigned digits(int32_t n)
{
	unsigned d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

/* The number of each queue, its digits one below the other. */
static void add_header(const struct panel *p, const struct part *part, struct qm_strbuf *b)
{
	unsigned height = digits(p->columns[part->from + part->n - 1]), scale = 1;

	for (unsigned i = 1; i < height; i++)
		scale *= 10;
	for (unsigned line = 0; line < height; line++, scale /= 10) {
		qm_strbuf_addf(b, line + 1 == height ? "%*s hctx " : "%*s      ", (int)part->label, line + 1 == height ? "CPU" : "");
		for (size_t i = 0; i < part->n; i++) {
			unsigned q = (unsigned)p->columns[part->from + i];

			pad(b, part->step - 1);
			qm_strbuf_addc(b, (char)(q < scale && scale > 1 ? ' ' : '0' + q / scale % 10));
		}
		qm_strbuf_addc(b, '\n');
	}
}

static size_t column_of(const struct panel *p, int32_t queue)
{
	size_t i = 0;

	while (p->columns[i] != queue)
		i++;
	return i;
}

static void add_row(const struct panel *p, const struct part *part, const struct row *row, struct qm_strbuf *b)
{
	struct qm_strbuf label = { 0 };
	size_t column = column_of(p, row->queue);

	if (column < part->from || column >= part->from + part->n)
		return;
	qm_text_cpus_short(&label, &row->cpus, LABEL_MAX);
	qm_strbuf_addf(b, "%*s      ", (int)part->label, qm_strbuf_str(&label));
	qm_strbuf_carry(b, &label);
	for (size_t i = part->from; i < column; i++) {
		pad(b, part->step - 1);
		qm_strbuf_adds(b, p->out->ascii ? "." : "\u00b7");
	}
	pad(b, part->step - 1);
	qm_strbuf_adds(b, mark_text(p->out, row->mark));
	for (size_t i = column + 1; i < part->from + part->n; i++) {
		pad(b, part->step - 1);
		qm_strbuf_adds(b, p->out->ascii ? "." : "\u00b7");
	}
	qm_strbuf_addc(b, '\n');
	qm_strbuf_done(&label);
}

/* In place of the rows that are not drawn: "...  62 rows and queues 1-62 in step". */
static size_t add_fold(const struct panel *p, const struct part *part, size_t i, struct qm_strbuf *b)
{
	size_t end = i, column = column_of(p, p->rows[i - 1].queue);
	bool here = column >= part->from && column < part->from + part->n;

	while (p->rows[end].folded)
		end++;
	if (here)
		qm_strbuf_addf(b, "%*s      %*s%s hctx %d-%d alike: each next row, the next queue\n", (int)part->label, "...",
			       (int)((column - part->from + 1) * part->step), "", p->out->ascii ? "\\" : "\u22f1",
			       p->rows[i].queue, p->rows[end - 1].queue);
	return end;
}

static void add_part(const struct panel *p, const struct part *part, struct qm_strbuf *b)
{
	add_header(p, part, b);
	for (size_t i = 0; i < p->n;) {
		if (p->rows[i].folded) {
			i = add_fold(p, part, i, b);
			continue;
		}
		add_row(p, part, &p->rows[i], b);
		i++;
	}
}

static unsigned label_width(const struct panel *p)
{
	unsigned width = 3;

	for (size_t i = 0; i < p->n; i++) {
		struct qm_strbuf label = { 0 };

		if (!p->rows[i].folded)
			qm_text_cpus_short(&label, &p->rows[i].cpus, LABEL_MAX);
		width = label.len > width ? (unsigned)label.len : width;
		qm_strbuf_done(&label);
	}
	return width;
}

/* Two characters a column where they fit, else one, else in parts of equal width. */
static void add_parts(const struct panel *p, struct qm_strbuf *b)
{
	struct part part = { .label = label_width(p), .step = 2 };
	unsigned room = p->out->width > part.label + 14 ? p->out->width - part.label - 6 : 8;
	size_t parts, per_part;

	if (p->n_columns * 2 > room)
		part.step = 1;
	parts = (p->n_columns * part.step + room - 1) / room;
	per_part = parts ? (p->n_columns + parts - 1) / parts : 0;
	for (part.from = 0; part.from < p->n_columns; part.from += part.n) {
		part.n = p->n_columns - part.from < per_part ? p->n_columns - part.from : per_part;
		if (part.from)
			qm_strbuf_addc(b, '\n');
		add_part(p, &part, b);
	}
}

static bool has_unread_queue(const struct qm_report *report)
{
	for (size_t i = 0; i < report->c->n_hctx; i++) {
		if (report->q[i].h->cpus_unknown)
			return true;
	}
	return false;
}

static void add_without(const struct panel *p, struct qm_strbuf *b)
{
	if (qm_cpuset_is_empty(&p->without))
		return;
	qm_strbuf_adds(b, has_unread_queue(p->report) ? "in no queue that could be read: CPU " : "in no queue: CPU ");
	qm_cpuset_format(&p->without, b);
	qm_strbuf_adds(b, qm_cpuset_is_subset(&p->without, &p->t->isolated) ? " (isolated)\n" : "\n");
}

static int draw_panel(struct panel *p, const struct qm_cpuset *cpus, struct qm_strbuf *b)
{
	int cpu, r = 0;

	p->n = 0;
	qm_cpuset_zero(&p->without);
	QM_CPUSET_FOREACH(cpu, cpus) {
		r = add_cpu(p, (unsigned)cpu);
		if (r < 0)
			return r;
	}
	if (!p->out->verbose)
		fold(p);
	r = make_columns(p);
	if (r < 0)
		return r;
	add_parts(p, b);
	add_without(p, b);
	free(p->columns);
	p->columns = NULL;
	return 0;
}

/* ---- the picture ---- */

static int draw_nodes(struct panel *p, const char *type, struct qm_strbuf *b)
{
	const struct qm_topology *t = p->t;
	struct qm_cpuset left, cpus;
	int r = 0;

	qm_cpuset_copy(&left, &t->possible);
	for (unsigned i = 0; r == 0 && i < t->n_nodes; i++) {
		qm_cpuset_copy(&cpus, &t->nodes[i].cpus);
		qm_cpuset_and(&cpus, &left); /* a CPU in several nodes is drawn in the first */
		qm_cpuset_andnot(&left, &cpus);
		if (qm_cpuset_is_empty(&cpus))
			continue;
		qm_strbuf_addf(b, "\nnode %d%s%s:\n", t->nodes[i].id, type ? ", " : "", type ? type : "");
		r = draw_panel(p, &cpus, b);
	}
	if (r == 0 && !qm_cpuset_is_empty(&left)) {
		qm_strbuf_addf(b, "\nno node%s%s:\n", type ? ", " : "", type ? type : "");
		r = draw_panel(p, &left, b);
	}
	return r;
}

static void add_queue_state(const struct qm_report *report, enum qm_queue_state state, const char *text, unsigned width,
			    struct qm_strbuf *b)
{
	struct qm_strbuf words = { 0 };
	struct qm_ids ids = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < report->c->n_hctx; i++) {
		if (report->q[i].state == state)
			r = qm_ids_add(&ids, report->q[i].h->id);
	}
	if (ids.n) {
		qm_strbuf_addf(&words, "%s: hctx ", text);
		qm_ids_format(&ids, &words);
		qm_text_wrap(b, qm_strbuf_str(&words), 0, 2, width);
		qm_strbuf_addc(b, '\n');
	}
	qm_strbuf_carry(b, &words);
	qm_strbuf_done(&words);
	b->err = r < 0 ? r : b->err;
	qm_ids_done(&ids);
}

static void add_states(const struct qm_out *out, const struct qm_report *report, struct qm_strbuf *b)
{
	static const struct {
		enum qm_queue_state state;
		const char *text;
	} lines[] = {
		{ QM_QUEUE_UNMAPPED, "unmapped, no CPU at all" },
		{ QM_QUEUE_OFFLINE, "without an online CPU" },
		{ QM_QUEUE_ISOLATED, "isolated CPUs only" },
		{ QM_QUEUE_INACTIVE, "still marked inactive, though a CPU is online" },
		{ QM_QUEUE_CROSS, "serving several nodes" },
		{ QM_QUEUE_UNKNOWN, "not or not wholly read, more CPUs may be theirs" },
	};
	struct qm_strbuf text = { 0 };

	for (size_t i = 0; i < QM_ARRAY_SIZE(lines); i++)
		add_queue_state(report, lines[i].state, lines[i].text, out->width, &text);
	if (text.len)
		qm_strbuf_addf(b, "\n%s", qm_strbuf_str(&text));
	b->err = text.err ? text.err : b->err;
	qm_strbuf_done(&text);
}

static void add_legend(const struct panel *p, struct qm_strbuf *b)
{
	static const char *const words[_MARK_MAX] = { "online", "online, queue serves several nodes", "isolated",
						      "offline or absent" };
	bool first = true;

	for (int m = 0; m < _MARK_MAX; m++) {
		if (!p->used[m])
			continue;
		qm_strbuf_addf(b, "%s%s %s", first ? "\n" : "   ", mark_text(p->out, (enum mark)m), words[m]);
		first = false;
	}
	if (!first)
		qm_strbuf_addc(b, '\n');
}

static int draw_report(const struct qm_out *out, const struct qm_machine *m, const struct qm_report *report)
{
	struct panel p = { .out = out, .t = &m->topo, .report = report };
	bool several = report->maps[QM_HCTX_READ] || report->maps[QM_HCTX_POLL];
	struct qm_strbuf b = { 0 };
	int r = 0;

	for (int type = 0; r == 0 && type < _QM_HCTX_TYPE_MAX; type++) {
		p.map = report->maps[type];
		if (p.map)
			r = draw_nodes(&p, several ? qm_hctx_type_name(type) : NULL, &b);
	}
	add_states(out, report, &b);
	add_legend(&p, &b);
	fputs(qm_strbuf_str(&b), out->f);
	r = r < 0 ? r : b.err;
	qm_strbuf_done(&b);
	free(p.rows);
	free(p.columns);
	return r;
}

int qm_text_matrix(struct qm_out *out, const struct qm_show_result *res)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < res->reports.n; i++) {
		struct qm_report report = { 0 };

		r = res->reports.get(res->reports.arg, i, QM_REPORT_ALL, &report);
		if (r == 0) {
			qm_text_heading(out, res->reports.m, &report, i > 0);
			r = draw_report(out, res->reports.m, &report);
		}
		qm_report_done(&report);
	}
	return r;
}
