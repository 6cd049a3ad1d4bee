// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/moment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void qm_moment_done(struct qm_moment *m)
{
	qm_mapper_free(m->mapper);
	if (m->topo)
		qm_topology_done(m->topo);
	free(m->topo);
	*m = (struct qm_moment){ 0 };
}

int qm_moment_now(const struct qm_topology *t, struct qm_moment *ret)
{
	struct qm_moment m = { .t = t };
	int r = qm_mapper_new(t, &m.mapper);

	if (r == 0)
		*ret = m;
	return r;
}

/* A moment on a copy that the caller may go on to change before qm_moment_ready(). */
static int moment_copy(const struct qm_topology *t, struct qm_moment *ret)
{
	struct qm_moment m = { .topo = calloc(1, sizeof(*m.topo)) };
	int r;

	if (!m.topo)
		return -ENOMEM;
	r = qm_topology_copy(t, m.topo);
	if (r < 0) {
		free(m.topo);
		return r;
	}
	m.t = m.topo;
	*ret = m;
	return 0;
}

/* ---- siblings nobody told ---- */

/* How the threads of a core are numbered: steps from the first to each. */
struct style {
	unsigned step[16];
	unsigned n;
};

/* The largest core that is known shows the style; false where none has a second thread. */
static bool style_of_known(const struct qm_topology *t, struct style *ret)
{
	struct style best = { .n = 0 };

	for (unsigned i = 0; i < t->cores.n; i++) {
		unsigned n = 0;
		int cpu;

		QM_GROUP_FOREACH(cpu, &t->cores, i)
			n++;
		if (n <= best.n || n > QM_ARRAY_SIZE(best.step))
			continue;
		best.n = 0;
		QM_GROUP_FOREACH(cpu, &t->cores, i)
			best.step[best.n++] = (unsigned)(cpu - t->cores.first[i]);
	}
	*ret = best;
	return best.n > 1;
}

/* The styles worth a try, most likely first. False: no more. */
static bool style_number(const struct qm_topology *t, unsigned guess, struct style *ret)
{
	static const struct style alone = { .step = { 0 }, .n = 1 };
	unsigned half = qm_cpuset_count(&t->present) / 2;

	if (style_of_known(t, ret)) {
		if (guess == 1)
			*ret = alone;
		return guess <= 1;
	}
	*ret = alone;
	if (guess < 2) {
		/* Second threads behind all first ones, or right behind each. */
		ret->n = 2;
		ret->step[1] = guess == 0 && half ? half : 1;
	}
	return guess <= 2;
}

/* CPUs that may belong together although nobody says so: unknown ones, and known ones without siblings. */
static void loose_cpus(const struct qm_topology *t, struct qm_cpuset *ret)
{
	qm_cpuset_copy(ret, &t->unknown_core);
	for (unsigned i = 0; i < t->cores.n; i++) {
		int cpu = t->cores.first[i];

		if (t->cores.next[cpu] < 0)
			qm_cpuset_set(ret, (unsigned)cpu);
	}
	qm_cpuset_and(ret, &t->present);
}

/* New groups: those made by the style around unknown CPUs first, then the known ones as far as they are left. */
static int complete_groups(const struct qm_topology *t, const struct style *style, const struct qm_groups *known,
			   struct qm_groups *ret)
{
	struct qm_groups g = { 0 };
	struct qm_cpuset loose;
	int cpu, r = 0;

	loose_cpus(t, &loose);
	QM_CPUSET_FOREACH(cpu, &loose) {
		struct qm_cpuset core = { 0 };

		for (unsigned i = 0; i < style->n; i++) {
			unsigned other = (unsigned)cpu + style->step[i];

			if (qm_cpuset_test(&loose, other))
				qm_cpuset_set(&core, other);
		}
		if (!qm_cpuset_intersects(&core, &t->unknown_core))
			continue;
		qm_cpuset_andnot(&loose, &core);
		r = qm_groups_add(&g, t->nr_cpus, &core);
		if (r < 0)
			break;
	}
	for (unsigned i = 0; r == 0 && i < known->n; i++) {
		struct qm_cpuset left;

		qm_groups_get(known, i, &left);
		r = qm_groups_add(&g, t->nr_cpus, &left);
	}
	if (r < 0) {
		qm_groups_done(&g);
		return r;
	}
	qm_groups_sort(&g, t->nr_cpus);
	*ret = g;
	return 0;
}

static bool same_groups(const struct qm_groups *a, const struct qm_groups *b, unsigned nr_cpus)
{
	return a->n == b->n && (!a->n || memcmp(a->of, b->of, nr_cpus * sizeof(*a->of)) == 0);
}

static int complete_siblings(struct qm_topology *t, const struct style *style)
{
	struct qm_groups cores, clusters;
	/* Where each cluster is a core it will be for the others too; other kinds cannot be guessed. */
	bool both = t->clusters.n && same_groups(&t->clusters, &t->cores, t->nr_cpus);
	int r;

	r = complete_groups(t, style, &t->cores, &cores);
	if (r < 0)
		return r;
	if (both) {
		r = complete_groups(t, style, &t->clusters, &clusters);
		if (r < 0) {
			qm_groups_done(&cores);
			return r;
		}
		qm_groups_done(&t->clusters);
		t->clusters = clusters;
	}
	qm_groups_done(&t->cores);
	t->cores = cores;
	qm_cpuset_andnot(&t->unknown_core, &t->present);
	return 0;
}

int qm_moment_all_online(const struct qm_topology *t, unsigned guess, struct qm_moment *ret)
{
	struct style style = { .n = 0 };
	struct qm_moment m;
	int r;

	/* CPUs that are all alone lose nothing by not being told. */
	if (qm_cpuset_intersects(&t->unknown_core, &t->present)) {
		if (!style_number(t, guess, &style))
			return -ENOENT;
	} else if (guess) {
		return -ENOENT;
	}
	r = moment_copy(t, &m);
	if (r < 0)
		return r;
	qm_cpuset_or(&m.topo->online, &t->present);
	if (style.n)
		r = complete_siblings(m.topo, &style);
	if (r == 0)
		r = qm_mapper_new(m.topo, &m.mapper);
	if (r < 0)
		qm_moment_done(&m);
	else
		*ret = m;
	return r;
}

int qm_moment_without(const struct qm_moment *all, const struct qm_cpuset *offline, struct qm_moment *ret)
{
	struct qm_moment m;
	int r = moment_copy(all->t, &m);

	if (r < 0)
		return r;
	qm_cpuset_andnot(&m.topo->online, offline);
	r = qm_mapper_new(m.topo, &m.mapper);
	if (r < 0)
		qm_moment_done(&m);
	else
		*ret = m;
	return r;
}

/* ---- the search ---- */

struct hunt {
	struct qm_trial *t;
	const struct qm_algo *a;
	struct qm_search *s;
	struct qm_moment at; /* its topology's online set is changed for each try */
	struct qm_cpuset all;
	unsigned *cpus; /* to switch off, the likeliest first */
	unsigned n_cpus;
};

/* How far the map is off with these CPUs offline; UINT_MAX where that cannot be. *ret_differs may be NULL. */
static int try_offline(struct hunt *h, const struct qm_cpuset *offline, struct qm_cpuset *ret_differs, unsigned *ret)
{
	struct qm_topology *topo = h->at.topo;
	int r;

	*ret = (unsigned)-1;
	if (!h->s->budget) {
		h->s->gave_up = true;
		return 0;
	}
	h->s->budget--;
	qm_cpuset_copy(&topo->online, &h->all);
	qm_cpuset_andnot(&topo->online, offline);
	if (qm_cpuset_is_empty(&topo->online))
		return 0;
	qm_mapper_free(h->at.mapper);
	h->at.mapper = NULL;
	r = qm_mapper_new(topo, &h->at.mapper);
	if (r == 0)
		r = qm_trial_run(h->t, &h->at, h->a, qm_era_guessed_cpus(h->a, topo), ret_differs, ret);
	if (r == 0 && *ret == 0 && !h->s->found) {
		h->s->found = true;
		qm_cpuset_copy(&h->s->offline, offline);
	}
	return r == -ENOMEM ? r : 0;
}

/* C(n, k), or more than limit. */
static bool too_many(unsigned n, unsigned k, unsigned limit)
{
	unsigned long long c = 1;

	for (unsigned i = 1; i <= k; i++) {
		c = c * (n - k + i) / i;
		if (c > limit)
			return true;
	}
	return false;
}

/* Moves to the next k of n in lexicographic order; false behind the last. */
static bool next_choice(unsigned *pick, unsigned n, unsigned k)
{
	for (unsigned i = k; i-- > 0;) {
		if (pick[i] < n - k + i) {
			pick[i]++;
			for (unsigned j = i + 1; j < k; j++)
				pick[j] = pick[j - 1] + 1;
			return true;
		}
	}
	return false;
}

/* All sets, small ones first, until a size would cost too much. *ret_all: none was left out. */
static int hunt_all(struct hunt *h, bool *ret_all)
{
	_cleanup_free_ unsigned *pick = calloc((size_t)h->n_cpus + 1, sizeof(*pick));
	unsigned count;
	int r;

	if (!pick)
		return -ENOMEM;
	for (unsigned k = 1; k < h->n_cpus; k++) {
		if (too_many(h->n_cpus, k, h->s->budget / 4 * 3)) {
			*ret_all = false;
			return 0;
		}
		for (unsigned i = 0; i < k; i++)
			pick[i] = i;
		do {
			struct qm_cpuset offline = { 0 };

			for (unsigned i = 0; i < k; i++)
				qm_cpuset_set(&offline, h->cpus[pick[i]]);
			r = try_offline(h, &offline, NULL, &count);
			if (r < 0 || h->s->found)
				return r;
		} while (next_choice(pick, h->n_cpus, k));
	}
	*ret_all = true;
	return 0;
}

/* What people and kernels switch off at a stroke. */
static int hunt_shapes(struct hunt *h)
{
	const struct qm_topology *t = h->at.topo;
	struct qm_cpuset set = { 0 };
	unsigned count;
	int cpu, r = 0;

	/* nosmt */
	QM_CPUSET_FOREACH(cpu, &h->all) {
		int g = t->cores.of ? t->cores.of[cpu] : -1;

		if (g >= 0 && t->cores.first[g] != cpu)
			qm_cpuset_set(&set, (unsigned)cpu);
	}
	if (!qm_cpuset_is_empty(&set))
		r = try_offline(h, &set, NULL, &count);
	for (unsigned i = 0; r == 0 && !h->s->found && i < t->n_nodes; i++) {
		qm_cpuset_copy(&set, &t->nodes[i].cpus);
		qm_cpuset_and(&set, &h->all);
		if (!qm_cpuset_is_empty(&set))
			r = try_offline(h, &set, NULL, &count);
	}
	/* maxcpus= */
	qm_cpuset_zero(&set);
	for (unsigned c = t->nr_cpus; r == 0 && !h->s->found && c-- > 1;) {
		if (!qm_cpuset_test(&h->all, c))
			continue;
		qm_cpuset_set(&set, c);
		r = try_offline(h, &set, NULL, &count);
	}
	return r;
}

/*
 * Follows the trace: an offline CPU had no siblings, so that it and its siblings are among the CPUs that differ. Takes
 * away, one after the other, the CPU that helps most.
 */
static int hunt_trace(struct hunt *h)
{
	struct qm_cpuset offline = { 0 }, differs, next_differs;
	unsigned now;
	int r;

	r = try_offline(h, &offline, &differs, &now);
	for (unsigned step = 0; r == 0 && !h->s->found && step < h->n_cpus; step++) {
		unsigned best = now, best_cpu = (unsigned)-1;
		struct qm_cpuset best_differs = { 0 };

		for (unsigned i = 0; r == 0 && !h->s->found && i < h->n_cpus; i++) {
			unsigned cpu = h->cpus[i], count;

			if (!qm_cpuset_test(&differs, cpu) || qm_cpuset_test(&offline, cpu))
				continue;
			qm_cpuset_set(&offline, cpu);
			r = try_offline(h, &offline, &next_differs, &count);
			qm_cpuset_clear(&offline, cpu);
			if (count < best) {
				best = count;
				best_cpu = cpu;
				qm_cpuset_copy(&best_differs, &next_differs);
			}
		}
		if (best_cpu == (unsigned)-1)
			break;
		qm_cpuset_set(&offline, best_cpu);
		qm_cpuset_copy(&differs, &best_differs);
		now = best;
	}
	return r;
}

/* Leaves out each CPU that is not needed. */
static int shrink(struct hunt *h)
{
	struct qm_cpuset left = h->s->offline;
	int r = 0;

	for (unsigned i = h->n_cpus; r == 0 && i-- > 0;) {
		unsigned count;

		if (!qm_cpuset_test(&left, h->cpus[i]))
			continue;
		qm_cpuset_clear(&left, h->cpus[i]);
		r = try_offline(h, &left, NULL, &count);
		if (count)
			qm_cpuset_set(&left, h->cpus[i]);
	}
	qm_cpuset_copy(&h->s->offline, &left);
	return r;
}

/* Second threads are switched off more often than first ones, and the lowest CPU hardly ever. */
static int order_cpus(struct hunt *h)
{
	const struct qm_topology *t = h->at.topo;
	int cpu, lowest = qm_cpuset_first(&h->all);

	h->cpus = calloc((size_t)t->nr_cpus + 1, sizeof(*h->cpus));
	if (!h->cpus)
		return -ENOMEM;
	for (int first = 0; first <= 1; first++) {
		QM_CPUSET_FOREACH(cpu, &h->all) {
			int g = t->cores.of ? t->cores.of[cpu] : -1;
			bool is_first = g < 0 || t->cores.first[g] == cpu;

			if (is_first == (first == 1) && cpu != lowest)
				h->cpus[h->n_cpus++] = (unsigned)cpu;
		}
	}
	if (lowest >= 0)
		h->cpus[h->n_cpus++] = (unsigned)lowest;
	return 0;
}

/* Where there are too many sets to try them all. */
static int hunt_likely(struct hunt *h)
{
	int r = hunt_shapes(h);

	if (r == 0 && !h->s->found)
		r = hunt_trace(h);
	if (r == 0 && h->s->found)
		return shrink(h);
	h->s->gave_up = true;
	return r;
}

int qm_search_offline(struct qm_trial *t, const struct qm_moment *all, const struct qm_algo *a, struct qm_search *s)
{
	struct hunt h = { .t = t, .a = a, .s = s };
	bool complete = false;
	int r;

	s->found = false;
	r = moment_copy(all->t, &h.at);
	if (r < 0)
		return r;
	qm_cpuset_copy(&h.all, &all->t->online);
	r = order_cpus(&h);
	if (r == 0)
		r = hunt_all(&h, &complete);
	if (r == 0 && !h.s->found && !complete)
		r = hunt_likely(&h);
	free(h.cpus);
	qm_moment_done(&h.at);
	return r;
}
