// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/score.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "map/map.h"

#define NO_CORE UINT_MAX

struct online_cpu {
	unsigned cpu, core;
	int node, llc; /* -1 = unknown: such a CPU never makes a queue cross */
};

/* What is known of a queue so far, from its online CPUs. */
struct queue_row {
	unsigned cpus, cores;
	unsigned last_core; /* CPUs come core by core: enough to count distinct ones */
	int node, llc;
	bool mapped, cross_node, cross_llc;
};

struct qm_scorer {
	unsigned nr_cpus, n_cores;
	struct online_cpu *online; /* core by core */
	unsigned n_online;
	unsigned *offline; /* possible CPUs that are not online */
	unsigned n_offline;
	unsigned *owner; /* by core, for sets: the first queue seen there */
	bool *split;     /* by core, for sets */
	unsigned *core_of; /* by CPU; NO_CORE = not online */
	unsigned *row_of;  /* by CPU: index into online */
	struct queue_row *rows;
	size_t cap_rows;
};

void qm_scorer_free(struct qm_scorer *s)
{
	if (!s)
		return;
	free(s->online);
	free(s->offline);
	free(s->owner);
	free(s->split);
	free(s->core_of);
	free(s->row_of);
	free(s->rows);
	free(s);
}

/* Numbers the cores of the online CPUs, a CPU without known siblings being its own. */
static int number_cores(struct qm_scorer *s, const struct qm_topology *t)
{
	_cleanup_free_ unsigned *number = calloc((size_t)t->cores.n + 1, sizeof(*number));
	int cpu;

	if (!number)
		return -ENOMEM;
	QM_CPUSET_FOREACH(cpu, &t->online) {
		int g = t->cores.of ? t->cores.of[cpu] : -1;

		if ((unsigned)cpu >= s->nr_cpus)
			break;
		if (g >= 0 && !number[g])
			number[g] = ++s->n_cores;
		s->core_of[cpu] = g >= 0 ? number[g] - 1 : s->n_cores++;
	}
	return 0;
}

/* Sorts the online CPUs by core (a counting sort; owner is used as scratch memory). */
static void sort_by_core(struct qm_scorer *s, const struct qm_topology *t)
{
	unsigned at = 0;

	for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (s->core_of[cpu] != NO_CORE)
			s->owner[s->core_of[cpu]]++;
	}
	for (unsigned i = 0; i < s->n_cores; i++) {
		unsigned n = s->owner[i];

		s->owner[i] = at;
		at += n;
	}
	for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct online_cpu *o;

		if (s->core_of[cpu] == NO_CORE)
			continue;
		s->row_of[cpu] = s->owner[s->core_of[cpu]]++;
		o = &s->online[s->row_of[cpu]];
		o->cpu = cpu;
		o->core = s->core_of[cpu];
		o->node = t->node_of ? t->node_of[cpu] : -1;
		o->llc = t->llc.of ? t->llc.of[cpu] : -1;
	}
	s->n_online = at;
}

int qm_scorer_new(const struct qm_topology *t, struct qm_scorer **ret)
{
	struct qm_scorer *s = calloc(1, sizeof(*s));
	size_t n = (size_t)t->nr_cpus + 1;
	int r = -ENOMEM;

	if (!s)
		return r;
	s->nr_cpus = t->nr_cpus;
	s->online = calloc(n, sizeof(*s->online));
	s->offline = calloc(n, sizeof(*s->offline));
	s->owner = calloc(n, sizeof(*s->owner));
	s->split = calloc(n, sizeof(*s->split));
	s->core_of = malloc(n * sizeof(*s->core_of));
	s->row_of = calloc(n, sizeof(*s->row_of));
	if (!s->online || !s->offline || !s->owner || !s->split || !s->core_of || !s->row_of)
		goto fail;
	for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
		s->core_of[cpu] = NO_CORE;
		if (qm_cpuset_test(&t->possible, cpu) && !qm_cpuset_test(&t->online, cpu))
			s->offline[s->n_offline++] = cpu;
	}
	r = number_cores(s, t);
	if (r < 0)
		goto fail;
	sort_by_core(s, t);
	*ret = s;
	return 0;
fail:
	qm_scorer_free(s);
	return r;
}

void qm_score_done(struct qm_score *s)
{
	qm_ids_done(&s->unmapped);
	qm_ids_done(&s->dead);
	qm_ids_done(&s->cross_node);
	qm_ids_done(&s->cross_llc);
	*s = (struct qm_score){ 0 };
}

static int reset_rows(struct qm_scorer *s, unsigned queues)
{
	int r = qm_array_grow(&s->rows, &s->cap_rows, queues, sizeof(*s->rows));

	if (r < 0)
		return r;
	for (unsigned q = 0; q < queues; q++)
		s->rows[q] = (struct queue_row){ .last_core = NO_CORE, .node = -1, .llc = -1 };
	return 0;
}

/* Two known places that differ make a crossing. */
static bool merge_place(int *place, int other)
{
	if (other < 0 || *place == other)
		return false;
	if (*place < 0) {
		*place = other;
		return false;
	}
	return true;
}

static void add_online(struct queue_row *row, const struct online_cpu *o)
{
	row->mapped = true;
	row->cpus++;
	if (row->last_core != o->core) {
		row->last_core = o->core;
		row->cores++;
	}
	if (merge_place(&row->node, o->node))
		row->cross_node = true;
	if (merge_place(&row->llc, o->llc))
		row->cross_llc = true;
}

/* Fills the rows from a map. Returns -EINVAL for an entry that is no queue. */
static int fill_from_map(struct qm_scorer *s, const int32_t *map, const struct qm_cpuset *listed, unsigned queues,
			 unsigned *ret_split)
{
	unsigned core = NO_CORE, split = 0;
	int32_t owner = QM_QUEUE_NONE;
	bool counted = false;

	for (unsigned i = 0; i < s->n_online; i++) {
		const struct online_cpu *o = &s->online[i];
		int32_t q = map[o->cpu];

		if (q == QM_QUEUE_NONE)
			continue;
		if (q < 0 || (uint32_t)q >= queues)
			return -EINVAL;
		if (core != o->core) {
			core = o->core;
			owner = q;
			counted = false;
		} else if (owner != q && !counted) {
			split++;
			counted = true;
		}
		add_online(&s->rows[q], o);
	}
	for (unsigned i = 0; i < s->n_offline; i++) {
		int32_t q = map[s->offline[i]];

		if (q == QM_QUEUE_NONE)
			continue;
		if (q < 0 || (uint32_t)q >= queues)
			return -EINVAL;
		if (!listed || qm_cpuset_test(listed, s->offline[i]))
			s->rows[q].mapped = true;
	}
	*ret_split = split;
	return 0;
}

/* Fills the rows from sets, which come in any order of CPUs and cores. */
static void fill_from_sets(struct qm_scorer *s, const struct qm_cpuset *const *sets, unsigned queues, unsigned *ret_split)
{
	unsigned split = 0;

	for (unsigned i = 0; i < s->n_cores; i++) {
		s->owner[i] = UINT_MAX;
		s->split[i] = false;
	}
	for (unsigned q = 0; q < queues; q++) {
		int cpu;

		QM_CPUSET_FOREACH(cpu, sets[q]) {
			unsigned core = (unsigned)cpu < s->nr_cpus ? s->core_of[cpu] : NO_CORE;
			struct queue_row *row = &s->rows[q];
			bool seen;

			row->mapped = true;
			if (core == NO_CORE)
				continue;
			/* The last queue seen on a core tells whether this one has counted the core. */
			seen = s->owner[core] == q;
			if (!seen && s->owner[core] != UINT_MAX && !s->split[core]) {
				s->split[core] = true;
				split++;
			}
			s->owner[core] = q;
			row->last_core = seen ? core : NO_CORE;
			add_online(row, &s->online[s->row_of[cpu]]);
		}
	}
	*ret_split = split;
}

/* Turns the rows into the score. */
static int finish(const struct qm_scorer *s, unsigned queues, unsigned split, struct qm_score *score)
{
	unsigned fewest_cores = 0;
	bool any = false;
	int r = 0;

	score->queues = queues;
	score->unmapped.n = score->dead.n = score->cross_node.n = score->cross_llc.n = 0;
	score->min_cpus = score->max_cpus = 0;
	score->split_cores = split;
	for (unsigned q = 0; q < queues && r == 0; q++) {
		const struct queue_row *row = &s->rows[q];

		if (!row->mapped) {
			r = qm_ids_add(&score->unmapped, q);
			continue;
		}
		if (!row->cpus) {
			r = qm_ids_add(&score->dead, q);
			continue;
		}
		if (!any || row->cpus < score->min_cpus)
			score->min_cpus = row->cpus;
		if (row->cpus > score->max_cpus)
			score->max_cpus = row->cpus;
		if (!any || row->cores < fewest_cores)
			fewest_cores = row->cores;
		any = true;
		if (row->cross_node)
			r = qm_ids_add(&score->cross_node, q);
		if (r == 0 && row->cross_llc)
			r = qm_ids_add(&score->cross_llc, q);
	}
	/* The cores of the queue that has fewest of them, all but one, are the most that any choice may take. */
	score->resilience = any ? fewest_cores - 1 : 0;
	return r;
}

int qm_scorer_map(struct qm_scorer *s, const int32_t *map, const struct qm_cpuset *listed, unsigned queues,
		  struct qm_score *score)
{
	unsigned split = 0;
	int r = queues >= 1 && queues <= QM_QUEUES_MAX ? reset_rows(s, queues) : -EINVAL;

	if (r == 0)
		r = fill_from_map(s, map, listed, queues, &split);
	if (r == 0)
		r = finish(s, queues, split, score);
	if (r < 0)
		qm_score_done(score);
	return r;
}

int qm_score_sets(const struct qm_topology *t, const struct qm_cpuset *const *sets, unsigned queues,
		  struct qm_score *ret)
{
	struct qm_score score = { 0 };
	struct qm_scorer *s;
	unsigned split;
	int r;

	if (queues < 1 || queues > QM_QUEUES_MAX)
		return -EINVAL;
	r = qm_scorer_new(t, &s);
	if (r < 0)
		return r;
	r = reset_rows(s, queues);
	if (r == 0) {
		fill_from_sets(s, sets, queues, &split);
		r = finish(s, queues, split, &score);
	}
	qm_scorer_free(s);
	if (r < 0)
		qm_score_done(&score);
	else
		*ret = score;
	return r;
}

static int compare_counts(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

int qm_score_compare_best(const struct qm_score *a, const struct qm_best *b)
{
	int c = compare_counts(a->unmapped.n, b->unmapped);

	if (c == 0)
		c = compare_counts(a->dead.n, b->dead);
	if (c == 0)
		c = compare_counts(a->cross_node.n, b->cross_node);
	if (c == 0)
		c = compare_counts(a->max_cpus, b->max_cpus);
	if (c != 0)
		return c;
	c = compare_counts(a->split_cores, b->split_cores);
	return c > 0 && !b->exact ? 0 : c;
}
