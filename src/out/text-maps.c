// SPDX-License-Identifier: GPL-2.0-or-later
/* compare and predict as tables: a row for each group of algorithms that agree, and the maps themselves by queue. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out/results.h"
#include "out/text.h"

struct map_row {
	const struct qm_map_result *r;
	const struct qm_topology *t;
	/* by queue or vector */
	unsigned index;
	const struct qm_cpuset *cpus;
};

#define RESULT(row) (((const struct map_row *)(row))->r)

GETTER(map_device)
{
	qm_cell_str(cell, RESULT(row)->controller);
}

GETTER(map_kernel)
{
	qm_cell_str(cell, RESULT(row)->kernel);
}

/* "v6.3-v6.8": a group goes by its first and last member; the generic mapper's go without family, as everywhere */
GETTER(map_algorithm)
{
	const struct qm_map_result *r = RESULT(row);

	if (r->algo->family != QM_FAMILY_MAP)
		qm_strbuf_addf(&cell->text, "%s:", qm_family_name(r->algo->family));
	qm_cell_str(cell, r->algo->id);
	if (r->group_last && r->group_last != r->algo)
		qm_strbuf_addf(&cell->text, "-%s", r->group_last->id);
}

/* "6.3"; of what a distribution has made, its name and release: "openSUSE/SLE 6.4" and "RHEL 8.7 4.18.0-394" are long. */
static void cell_version(struct qm_cell *cell, const char *version)
{
	const char *slash = strrchr(version, '/'), *from = slash ? slash + 1 : version;
	size_t len = strcspn(from, " ");

	if (from[len])
		len += 1 + strcspn(from + len + 1, " ");
	qm_strbuf_add(&cell->text, from, len);
}

GETTER(map_kernels)
{
	const struct qm_map_result *r = RESULT(row);
	const struct qm_algo *last = r->group_last ? r->group_last : r->algo;

	cell_version(cell, r->algo->first);
	if (!last->last) {
		qm_strbuf_addc(&cell->text, '-');
	} else if (strcmp(r->algo->first, last->last) != 0) {
		qm_strbuf_addc(&cell->text, '-');
		cell_version(cell, last->last);
	}
}

GETTER(map_queues)
{
	qm_cell_num(cell, RESULT(row)->queues);
}

GETTER(map_set)
{
	qm_cell_str(cell, qm_hctx_type_name(RESULT(row)->set));
	cell->usual = RESULT(row)->set == QM_HCTX_DEFAULT;
}

static void cell_count(struct qm_cell *cell, const struct qm_ids *ids, const char *color)
{
	qm_cell_num(cell, (long long)ids->n);
	cell->color = ids->n ? color : NULL;
}

GETTER(map_unmapped)
{
	if (RESULT(row)->score)
		cell_count(cell, &RESULT(row)->score->unmapped, RED);
	else if (RESULT(row)->outcome == QM_SPREAD_DIVIDE_BY_ZERO)
		qm_cell_str(cell, "crash");
}

GETTER(map_dead)
{
	if (RESULT(row)->score)
		cell_count(cell, &RESULT(row)->score->dead, RED);
}

GETTER(map_cross_node)
{
	if (RESULT(row)->score)
		cell_count(cell, &RESULT(row)->score->cross_node, YELLOW);
}

GETTER(map_cross_llc)
{
	const struct qm_score *s = RESULT(row)->score;

	if (!s)
		return;
	cell_count(cell, &s->cross_llc, NULL);
	cell->usual = s->cross_llc.n == s->cross_node.n; /* as where each node has one */
}

GETTER(map_split)
{
	if (RESULT(row)->score)
		qm_cell_num(cell, RESULT(row)->score->split_cores);
}

GETTER(map_min_max)
{
	const struct qm_score *s = RESULT(row)->score;

	if (s && s->min_cpus == s->max_cpus)
		qm_cell_num(cell, s->min_cpus);
	else if (s)
		qm_strbuf_addf(&cell->text, "%u-%u", s->min_cpus, s->max_cpus);
}

GETTER(map_resilience)
{
	if (RESULT(row)->score)
		qm_cell_num(cell, RESULT(row)->score->resilience);
}

GETTER(map_differs)
{
	if (RESULT(row)->differs)
		qm_cell_num(cell, qm_cpuset_count(RESULT(row)->differs));
}

GETTER(map_marks)
{
	const struct qm_map_result *r = RESULT(row);
	const char *const marks[] = { r->group_live ? "live" : NULL, r->group_predicted ? "pred" : NULL,
				      r->best ? "best" : NULL, r->sure ? NULL : "unsure" };

	for (size_t i = 0; i < QM_ARRAY_SIZE(marks); i++) {
		if (marks[i])
			qm_strbuf_addf(&cell->text, cell->text.len ? ",%s" : "%s", marks[i]);
	}
}

static void cell_ids_moved(struct qm_cell *cell, const struct qm_ids *ids, unsigned offset)
{
	struct qm_ids moved = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ids->n; i++)
		r = qm_ids_add(&moved, ids->v[i] + offset);
	qm_cell_ids(cell, &moved);
	cell->text.err = r < 0 ? r : cell->text.err;
	qm_ids_done(&moved);
}

GETTER(map_unmapped_list)
{
	if (RESULT(row)->score)
		cell_ids_moved(cell, &RESULT(row)->score->unmapped, RESULT(row)->offset);
}

GETTER(map_dead_list)
{
	if (RESULT(row)->score)
		cell_ids_moved(cell, &RESULT(row)->score->dead, RESULT(row)->offset);
}

GETTER(map_cross_list)
{
	if (RESULT(row)->score)
		cell_ids_moved(cell, &RESULT(row)->score->cross_node, RESULT(row)->offset);
}

GETTER(map_differs_list)
{
	if (RESULT(row)->differs)
		qm_cell_cpus(cell, RESULT(row)->differs);
}

#define SCORE_COLUMNS \
	{ "UNMAPPED", NULL, "queues without a CPU", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, map_unmapped }, \
	{ "DEAD", NULL, "queues whose CPUs are all offline", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, map_dead }, \
	{ "CROSS", NULL, "queues that serve several nodes", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, map_cross_node }, \
	{ "LLC", NULL, "queues that serve several last-level caches", QM_COLUMN_NUMBER, \
	  QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, map_cross_llc }, \
	{ "SPLIT", NULL, "cores whose threads are on several queues", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, map_split }, \
	{ "CPUS", NULL, "fewest to most online CPUs a queue serves", QM_COLUMN_STRING, QM_COLUMN_RIGHT, map_min_max }, \
	{ "SPARE", NULL, "so many cores may go offline and no queue is dead", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, \
	  map_resilience }

#define LIST_COLUMNS \
	{ "UNMAPPEDLIST", "results[].unmapped_list", "which queues have no CPU", QM_COLUMN_LIST, QM_COLUMN_EXTRA, \
	  map_unmapped_list }, \
	{ "DEADLIST", "results[].dead_list", "which queues have only offline CPUs", QM_COLUMN_LIST, QM_COLUMN_EXTRA, \
	  map_dead_list }, \
	{ "CROSSLIST", "results[].cross_node_list", "which queues serve several nodes", QM_COLUMN_LIST, \
	  QM_COLUMN_EXTRA, map_cross_list }

static const struct qm_column compare_columns[] = {
	{ "DEVICE", NULL, "controller", QM_COLUMN_STRING, QM_COLUMN_PLAIN, map_device },
	{ "ALGORITHM", NULL, "algorithms with this result", QM_COLUMN_STRING, 0, map_algorithm },
	{ "KERNELS", NULL, "mainline versions that run them", QM_COLUMN_STRING, 0, map_kernels },
	{ "QUEUES", "results[].queues", "hardware queues", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, map_queues },
	{ "SET", "results[].set", "default, read or poll", QM_COLUMN_STRING, QM_COLUMN_MAYBE, map_set },
	SCORE_COLUMNS,
	{ "DIFF", NULL, "CPUs that are elsewhere in the live map", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE,
	  map_differs },
	{ "MARK", NULL, "live, predicted for this kernel, best possible, unsure", QM_COLUMN_STRING, QM_COLUMN_MAYBE, map_marks },
	LIST_COLUMNS,
	{ "DIFFLIST", "results[].differs_list", "which CPUs are elsewhere", QM_COLUMN_LIST, QM_COLUMN_EXTRA,
	  map_differs_list },
};

const struct qm_layout qm_layout_compare = { NULL, compare_columns, QM_ARRAY_SIZE(compare_columns) };

static const struct qm_column predict_columns[] = {
	{ "KERNEL", "results[].kernel", "kernel as named", QM_COLUMN_STRING, QM_COLUMN_MAYBE, map_kernel },
	{ "QUEUES", "results[].queues", "hardware queues", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, map_queues },
	{ "SET", "results[].set", "default, read or poll", QM_COLUMN_STRING, QM_COLUMN_MAYBE, map_set },
	{ "ALGORITHM", NULL, "algorithms with this result", QM_COLUMN_STRING, 0, map_algorithm },
	{ "KERNELS", NULL, "mainline versions that run them", QM_COLUMN_STRING, QM_COLUMN_EXTRA, map_kernels },
	SCORE_COLUMNS,
	{ "MARK", NULL, "predicted for this kernel, best possible, unsure", QM_COLUMN_STRING, QM_COLUMN_MAYBE, map_marks },
	LIST_COLUMNS,
};

const struct qm_layout qm_layout_predict = { NULL, predict_columns, QM_ARRAY_SIZE(predict_columns) };

/* ---- by queue, by vector ---- */

GETTER(slot_index)
{
	const struct map_row *slot = row;

	qm_cell_num(cell, slot->index);
}

GETTER(slot_cpus)
{
	qm_cell_cpus(cell, ((const struct map_row *)row)->cpus);
}

GETTER(slot_online)
{
	const struct map_row *m = row;
	struct qm_cpuset online;

	qm_cpuset_copy(&online, m->cpus);
	qm_cpuset_and(&online, &m->t->online);
	qm_cell_cpus(cell, &online);
}

GETTER(slot_nodes)
{
	const struct map_row *m = row;

	for (unsigned i = 0; i < m->t->n_nodes; i++) {
		if (qm_cpuset_intersects(m->cpus, &m->t->nodes[i].cpus))
			qm_strbuf_addf(&cell->text, cell->text.len ? ",%d" : "%d", m->t->nodes[i].id);
	}
}

static const struct qm_column queue_columns[] = {
	{ "KERNEL", NULL, "kernel as named", QM_COLUMN_STRING, QM_COLUMN_EXTRA, map_kernel },
	{ "ALGORITHM", NULL, "algorithms with this result", QM_COLUMN_STRING, QM_COLUMN_PLAIN, map_algorithm },
	{ "QUEUES", NULL, "hardware queues", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT | QM_COLUMN_PLAIN, map_queues },
	{ "SET", NULL, "default, read or poll", QM_COLUMN_STRING, QM_COLUMN_PLAIN, map_set },
	{ "HCTX", NULL, "hardware queue", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, slot_index },
	{ "CPUS", NULL, "CPUs it serves", QM_COLUMN_LIST, 0, slot_cpus },
	{ "ONLINE", NULL, "those that are online", QM_COLUMN_LIST, 0, slot_online },
	{ "NODES", NULL, "their NUMA nodes", QM_COLUMN_LIST, 0, slot_nodes },
};

const struct qm_layout qm_layout_predict_queue = { "by-queue", queue_columns, QM_ARRAY_SIZE(queue_columns) };

static const struct qm_column vector_columns[] = {
	{ "KERNEL", NULL, "kernel as named", QM_COLUMN_STRING, QM_COLUMN_EXTRA, map_kernel },
	{ "ALGORITHM", NULL, "algorithms with this result", QM_COLUMN_STRING, QM_COLUMN_PLAIN, map_algorithm },
	{ "VECTOR", NULL, "interrupt vector", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, slot_index },
	{ "CPUS", "results[].masks[]", "CPUs it may go to", QM_COLUMN_LIST, 0, slot_cpus },
	{ "ONLINE", NULL, "those that are online", QM_COLUMN_LIST, 0, slot_online },
	{ "NODES", NULL, "their NUMA nodes", QM_COLUMN_LIST, 0, slot_nodes },
};

const struct qm_layout qm_layout_predict_vectors = { "vectors", vector_columns, QM_ARRAY_SIZE(vector_columns) };

static int add_queues(struct qm_table *t, const struct map_row *row)
{
	const struct qm_map_result *r = row->r;
	struct qm_cpuset *cpus = calloc(r->queues ? r->queues : 1, sizeof(*cpus));
	int ret = cpus ? 0 : -ENOMEM;

	for (unsigned cpu = 0; cpus && r->map && cpu < r->nr_cpus; cpu++) {
		if (r->map[cpu] >= 0 && (unsigned)r->map[cpu] < r->queues)
			qm_cpuset_set(&cpus[r->map[cpu]], cpu);
	}
	for (unsigned q = 0; ret == 0 && r->map && q < r->queues; q++) {
		struct map_row queue = { .r = r, .t = row->t, .index = q + r->offset, .cpus = &cpus[q] };

		ret = qm_table_add(t, &queue);
	}
	free(cpus);
	return ret;
}

static int add_vectors(struct qm_table *t, const struct map_row *row)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && row->r->masks && i < row->r->vectors; i++) {
		struct map_row vector = { .r = row->r, .t = row->t, .index = i, .cpus = &row->r->masks[i] };

		ret = qm_table_add(t, &vector);
	}
	return ret;
}

/* ---- what stands above the tables ---- */

static void print_line(struct qm_out *out, struct qm_strbuf *b)
{
	struct qm_strbuf text = { 0 };

	qm_text_wrap(&text, qm_strbuf_str(b), 0, 2, out->width);
	qm_strbuf_carry(&text, b);
	qm_text_print(out, &text, "\n");
	qm_strbuf_done(&text);
	qm_strbuf_reset(b);
}

/* "map:v6.3-v6.8, 24 queues, read" above the rows of one map */
static void print_map_heading(struct qm_out *out, const struct map_row *row, bool again)
{
	const struct qm_map_result *r = row->r;
	struct qm_cell cell = { .out = out };

	map_algorithm(row, &cell);
	if (r->kernel)
		qm_strbuf_addf(&cell.text, ", kernel %s", r->kernel);
	if (r->is_vectors)
		qm_strbuf_addf(&cell.text, ", %u vectors, %u of them before the queues'", r->vectors, r->pre);
	else
		qm_strbuf_addf(&cell.text, ", %u %s queue%s", r->queues, qm_hctx_type_name(r->set), r->queues == 1 ? "" : "s");
	if (r->outcome == QM_SPREAD_DIVIDE_BY_ZERO)
		qm_strbuf_adds(&cell.text, ": this kernel divides by zero here and crashes");
	else if (r->outcome == QM_SPREAD_NO_MASKS)
		qm_strbuf_adds(&cell.text, ": this kernel makes no masks here");
	else
		qm_strbuf_adds(&cell.text, ":");
	if (again)
		fputc('\n', out->f);
	print_line(out, &cell.text);
	qm_strbuf_done(&cell.text);
}

/* "nvme0: 31 queues; best possible: 0 cross-node, 3 CPUs at most" above the rows of a comparison */
static void print_comparison(struct qm_out *out, const struct qm_maps_comparison *c, bool again)
{
	struct qm_cell cell = { .out = out };
	const struct qm_best *best = c->best;

	if (again)
		fputc('\n', out->f);
	if (c->controller) {
		qm_cell_str(&cell, c->controller);
		qm_strbuf_adds(&cell.text, ": ");
	}
	qm_strbuf_addf(&cell.text, "%u queue%s", c->queues, c->queues == 1 ? "" : "s");
	if (c->n[QM_HCTX_DEFAULT] < c->queues)
		qm_strbuf_addf(&cell.text, " (%u default, %u read, %u poll)", c->n[0], c->n[1], c->n[2]);
	if (best) {
		qm_strbuf_addf(&cell.text, "; best possible%s%s: ", c->n[0] < c->queues ? " for the default ones" : "",
			       best->exact ? "" : " (bound)");
		if (best->unmapped)
			qm_strbuf_addf(&cell.text, "%u unmapped, ", best->unmapped);
		if (best->dead)
			qm_strbuf_addf(&cell.text, "%u dead, ", best->dead);
		qm_strbuf_addf(&cell.text, "%u cross-node, at most %u CPU%s a queue, %u split core%s", best->cross_node,
			       best->max_cpus, best->max_cpus == 1 ? "" : "s", best->split_cores,
			       best->split_cores == 1 ? "" : "s");
	}
	print_line(out, &cell.text);
	if (c->id && !c->id->n_matches) {
		qm_strbuf_adds(&cell.text, "No algorithm gives the live map");
		if (c->id->nearest) {
			qm_strbuf_adds(&cell.text, "; nearest is ");
			qm_cell_algo(&cell, c->id->nearest);
			qm_strbuf_adds(&cell.text, ", which puts these CPUs elsewhere: ");
			qm_cpuset_format(&c->id->differs, &cell.text);
		}
		qm_strbuf_addc(&cell.text, '.');
		print_line(out, &cell.text);
	} else if (c->id && c->id->other_time) {
		qm_strbuf_adds(&cell.text, "The live map was made while these CPUs were offline: ");
		if (qm_cpuset_is_empty(&c->id->offline_then))
			qm_strbuf_adds(&cell.text, "none");
		qm_cpuset_format(&c->id->offline_then, &cell.text);
		qm_strbuf_addc(&cell.text, '.');
		print_line(out, &cell.text);
	}
	qm_strbuf_done(&cell.text);
}

/* ---- compare --diff ---- */

struct diff_row {
	const struct qm_topology *t;
	const struct qm_maps_comparison *c;
	unsigned cpu;
};

GETTER(diff_device)
{
	qm_cell_str(cell, ((const struct diff_row *)row)->c->controller);
}

GETTER(diff_cpu)
{
	qm_cell_num(cell, ((const struct diff_row *)row)->cpu);
}

GETTER(diff_node)
{
	const struct diff_row *d = row;

	if (d->t->node_of)
		qm_cell_num(cell, d->t->node_of[d->cpu]);
}

GETTER(diff_online)
{
	const struct diff_row *d = row;

	qm_cell_bool(cell, qm_cpuset_test(&d->t->online, d->cpu));
}

GETTER(diff_from)
{
	const struct diff_row *d = row;

	qm_cell_num(cell, d->c->diff->a[d->cpu]);
}

GETTER(diff_to)
{
	const struct diff_row *d = row;

	qm_cell_num(cell, d->c->diff->b[d->cpu]);
}

static const struct qm_column diff_columns[] = {
	{ "DEVICE", NULL, "controller", QM_COLUMN_STRING, QM_COLUMN_PLAIN, diff_device },
	{ "CPU", "diff.moves[].cpu", "CPU that moves", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, diff_cpu },
	{ "NODE", NULL, "its NUMA node", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, diff_node },
	{ "ONLINE", NULL, "it is online", QM_COLUMN_BOOL, 0, diff_online },
	{ "FROM", "diff.moves[].from", "its queue by the first algorithm", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, diff_from },
	{ "TO", "diff.moves[].to", "its queue by the second", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, diff_to },
};

const struct qm_layout qm_layout_compare_diff = { "diff", diff_columns, QM_ARRAY_SIZE(diff_columns) };

static void print_diff_heading(struct qm_out *out, const struct qm_maps_comparison *c, bool again)
{
	struct qm_cell cell = { .out = out };

	if (again)
		fputc('\n', out->f);
	if (c->controller) {
		qm_cell_str(&cell, c->controller);
		qm_strbuf_adds(&cell.text, ": ");
	}
	qm_strbuf_addf(&cell.text, "%u queue%s, from ", c->queues, c->queues == 1 ? "" : "s");
	qm_cell_algo(&cell, c->diff->from);
	qm_strbuf_adds(&cell.text, " to ");
	qm_cell_algo(&cell, c->diff->to);
	qm_strbuf_addf(&cell.text, ": %u of %u CPUs move", qm_cpuset_count(&c->diff->moved), c->diff->nr_cpus);
	print_line(out, &cell.text);
	qm_strbuf_done(&cell.text);
}

static int print_diffs(struct qm_out *out, const struct qm_maps_result *res)
{
	bool headings = !out->raw && !out->pairs && !out->noheadings;
	struct qm_table *t = NULL;
	int cpu, r = qm_table_new(out, &qm_layout_compare_diff, &t);

	for (size_t i = 0; r == 0 && i < res->n_comparisons; i++) {
		const struct qm_maps_comparison *c = &res->comparisons[i];

		if (!c->diff)
			continue;
		if (headings)
			print_diff_heading(out, c, i > 0);
		QM_CPUSET_FOREACH(cpu, &c->diff->moved) {
			struct diff_row row = { .t = res->topo, .c = c, .cpu = (unsigned)cpu };

			r = qm_table_add(t, &row);
			if (r < 0)
				break;
		}
		if (r == 0 && (headings || i + 1 == res->n_comparisons))
			r = qm_table_print(t);
	}
	qm_table_free(t);
	return r;
}

/* ---- the tables ---- */

static const struct qm_maps_comparison *comparison_of(const struct qm_maps_result *res, const char *controller)
{
	for (size_t i = 0; i < res->n_comparisons; i++) {
		const char *name = res->comparisons[i].controller;

		if (name == controller || (name && controller && strcmp(name, controller) == 0))
			return &res->comparisons[i];
	}
	return NULL;
}

/* Score rows: one table, or one for each controller under its heading. */
static int print_scores(struct qm_out *out, const struct qm_maps_result *res)
{
	bool headings = res->compare && !out->raw && !out->pairs && !out->noheadings;
	const struct qm_maps_comparison *now = NULL;
	struct qm_map_result result = { 0 };
	struct qm_table *t;
	int r = qm_table_new(out, res->compare ? &qm_layout_compare : &qm_layout_predict, &t);

	if (r < 0)
		return r;
	for (;;) {
		struct map_row row = { .r = &result, .t = res->topo };
		const struct qm_maps_comparison *c;

		result = (struct qm_map_result){ 0 };
		r = res->next(res->arg, &result);
		if (r <= 0)
			break;
		c = comparison_of(res, result.controller);
		if (headings && c && c != now) {
			r = now ? qm_table_print(t) : 0;
			print_comparison(out, c, now != NULL);
			now = c;
		}
		if (r >= 0 && (result.group_last || !res->compare))
			r = result.group_last ? qm_table_add(t, &row) : 0;
		if (r < 0)
			break;
	}
	if (r == 0)
		r = qm_table_print(t);
	qm_table_free(t);
	return r;
}

/* Rows that are queues or vectors, under a heading for each map. */
static int print_slots(struct qm_out *out, const struct qm_maps_result *res)
{
	bool headings = !out->raw && !out->pairs && !out->noheadings, again = false;
	struct qm_map_result result = { 0 };
	struct qm_table *t;
	int r = qm_table_new(out, res->vectors ? &qm_layout_predict_vectors : &qm_layout_predict_queue, &t);

	if (r < 0)
		return r;
	for (;;) {
		struct map_row row = { .r = &result, .t = res->topo };

		result = (struct qm_map_result){ 0 };
		r = res->next(res->arg, &result);
		if (r <= 0)
			break;
		if (!result.group_last)
			continue;
		if (headings)
			print_map_heading(out, &row, again);
		again = true;
		r = res->vectors ? add_vectors(t, &row) : add_queues(t, &row);
		if (r == 0 && headings)
			r = qm_table_print(t);
		if (r < 0)
			break;
	}
	if (r == 0)
		r = qm_table_print(t);
	qm_table_free(t);
	return r;
}

int qm_text_maps(struct qm_out *out, const struct qm_maps_result *res)
{
	if (res->n_comparisons && res->comparisons[0].diff)
		return print_diffs(out, res);
	return res->by_queue || res->vectors ? print_slots(out, res) : print_scores(out, res);
}
