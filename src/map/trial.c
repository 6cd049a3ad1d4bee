// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/trial.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>


/* More vectors than a PCI function can have. */
#define VECTORS_MAX 2048

/* ---- the live map ---- */

/* One set of all queues; what their types say otherwise is done by the callers. */
static void one_set(struct qm_trial *t)
{
	t->n_sets = 1;
	t->sets[0] = (struct qm_trial_set){ .type = QM_HCTX_DEFAULT, .n = (unsigned)t->c->n_hctx };
}

/* Runs of queues of one type. False where they are not in the kernel's order: default, read, poll. */
static bool sets_by_type(struct qm_trial *t)
{
	int type = QM_HCTX_UNKNOWN;

	t->n_sets = 0;
	for (unsigned i = 0; i < t->c->n_hctx; i++) {
		int now = t->c->hctx[i].type;

		if (now < 0 || now >= _QM_HCTX_TYPE_MAX || now < type)
			return false;
		if (now != type)
			t->sets[t->n_sets++] = (struct qm_trial_set){ .type = now, .first = i };
		t->sets[t->n_sets - 1].n++;
		type = now;
	}
	return t->n_sets > 0;
}

/* Where types are not told: a queue that lists a CPU once more starts the next type. */
static void sets_by_overlap(struct qm_trial *t)
{
	struct qm_cpuset seen = { 0 };

	one_set(t);
	t->sets[0].n = 0;
	for (unsigned i = 0; i < t->c->n_hctx; i++) {
		const struct qm_cpuset *cpus = t->c->hctx[i].cpus;

		if (qm_cpuset_intersects(&seen, cpus)) {
			if (t->n_sets == QM_ARRAY_SIZE(t->sets)) {
				one_set(t); /* no kernel makes this */
				return;
			}
			t->sets[t->n_sets++] = (struct qm_trial_set){ .type = QM_HCTX_UNKNOWN, .first = i };
			qm_cpuset_zero(&seen);
		}
		t->sets[t->n_sets - 1].n++;
		qm_cpuset_or(&seen, cpus);
	}
	if (t->n_sets == QM_ARRAY_SIZE(t->sets)) {
		t->sets[1].type = QM_HCTX_READ;
		t->sets[2].type = QM_HCTX_POLL;
	}
}

static int fill_live(struct qm_trial *t, struct qm_trial_set *s, unsigned nr_cpus)
{
	s->live = malloc(((size_t)nr_cpus + 1) * sizeof(*s->live));
	if (!s->live)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		s->live[cpu] = QM_QUEUE_NONE;
	for (unsigned q = 0; q < s->n; q++) {
		const struct qm_hctx *h = &t->c->hctx[s->first + q];
		int cpu;

		s->incomplete |= h->cpus_unknown;
		QM_CPUSET_FOREACH(cpu, h->cpus) {
			if ((unsigned)cpu < nr_cpus)
				s->live[cpu] = (int32_t)q;
		}
	}
	return 0;
}

/* Isolated CPUs that no list names: this kernel leaves them out. */
static void find_unlisted(struct qm_trial *t, const struct qm_topology *topo)
{
	qm_cpuset_copy(&t->unlisted, &topo->isolated);
	qm_cpuset_or(&t->unlisted, &topo->nohz_full);
	qm_cpuset_and(&t->unlisted, &topo->possible);
	for (size_t i = 0; i < t->c->n_hctx; i++)
		qm_cpuset_andnot(&t->unlisted, t->c->hctx[i].cpus);
}

void qm_trial_done(struct qm_trial *t)
{
	for (size_t i = 0; i < QM_ARRAY_SIZE(t->sets); i++)
		free(t->sets[i].live);
	free(t->map);
	free(t->used);
	free(t->masks);
	free(t->mask_of);
	*t = (struct qm_trial){ 0 };
}

int qm_trial_init(const struct qm_machine *m, const struct qm_controller *c, unsigned pre,
		  const struct qm_cpuset *housekeeping, struct qm_trial *ret)
{
	struct qm_trial t = { .c = c, .pre = pre, .housekeeping = housekeeping };
	int r = 0;

	if (!sets_by_type(&t))
		sets_by_overlap(&t);
	find_unlisted(&t, &m->topo);
	t.map = malloc(((size_t)m->topo.nr_cpus + 1) * sizeof(*t.map));
	t.used = malloc((c->n_hctx + 1) * sizeof(*t.used));
	if (!t.map || !t.used)
		r = -ENOMEM;
	for (unsigned i = 0; r == 0 && i < t.n_sets; i++)
		r = fill_live(&t, &t.sets[i], m->topo.nr_cpus);
	if (r < 0)
		qm_trial_done(&t);
	else
		*ret = t;
	return r;
}

/* ---- comparing ---- */

/* What one comparison looks at and adds to. */
struct comparison {
	const struct qm_cpuset *listed; /* what the algorithm's kernels list */
	const struct qm_cpuset *ignore;
	struct qm_cpuset *differs;
	unsigned count;
};

static void add_difference(struct comparison *cmp, unsigned cpu)
{
	cmp->count++;
	if (cmp->differs)
		qm_cpuset_set(cmp->differs, cpu);
}

static bool is_silent(const struct qm_hctx *h)
{
	return !h->cpus_unknown && qm_cpuset_is_empty(h->cpus);
}

/* Queues that list nothing: either no CPU is mapped to them, or only ones that are never listed. */
static void compare_silent(const struct qm_trial *t, const struct qm_trial_set *s, struct comparison *cmp)
{
	const struct qm_hctx *hctx = t->c->hctx + s->first;
	int cpu;

	for (unsigned q = 0; q < s->n; q++)
		t->used[q] = false;
	QM_CPUSET_FOREACH(cpu, &t->unlisted) {
		int32_t q = t->map[cpu];

		if (q < 0 || !qm_cpuset_test(cmp->listed, (unsigned)cpu))
			continue;
		t->used[q] = true;
		if (is_silent(&hctx[q]) && !hctx[q].mapped)
			add_difference(cmp, (unsigned)cpu);
	}
	for (unsigned q = 0; q < s->n; q++) {
		if (is_silent(&hctx[q]) && hctx[q].mapped && !t->used[q])
			cmp->count++;
	}
}

static void compare_set(const struct qm_trial *t, const struct qm_trial_set *s, const struct qm_topology *topo,
			struct comparison *cmp)
{
	int cpu;

	QM_CPUSET_FOREACH(cpu, &topo->possible) {
		int32_t live = s->live[cpu];

		if (cmp->ignore && qm_cpuset_test(cmp->ignore, (unsigned)cpu))
			continue;
		if (live == QM_QUEUE_NONE) {
			if (s->incomplete || !qm_cpuset_test(cmp->listed, (unsigned)cpu) ||
			    qm_cpuset_test(&t->unlisted, (unsigned)cpu))
				continue;
		}
		if (live != t->map[cpu])
			add_difference(cmp, (unsigned)cpu);
	}
	compare_silent(t, s, cmp);
}

/* ---- running ---- */

static int compare_generic(struct qm_trial *t, const struct qm_moment *at, const struct qm_trial_set *s,
			   const struct qm_algo *a, struct comparison *cmp)
{
	int r = qm_map_run(at->mapper, a, s->n, t->housekeeping, t->map, NULL);

	if (r == 0)
		compare_set(t, s, at->t, cmp);
	return r;
}

/* Poll queues have no interrupts: the generic mapper of whatever kernel this is; the best one counts. */
static int compare_poll(struct qm_trial *t, const struct qm_moment *at, const struct qm_trial_set *s,
			struct comparison *cmp)
{
	const struct qm_algo *a, *best = NULL;
	unsigned fewest = UINT_MAX;

	for (size_t i = 0; (a = qm_algo_get(i)) != NULL && fewest; i++) {
		struct comparison one = { .listed = cmp->listed, .ignore = cmp->ignore };

		if (a->family != QM_FAMILY_MAP || compare_generic(t, at, s, a, &one) < 0 || one.count >= fewest)
			continue;
		fewest = one.count;
		best = a;
	}
	return best ? compare_generic(t, at, s, best, cmp) : -EINVAL;
}

static int make_masks(struct qm_trial *t, unsigned n)
{
	if (n <= t->n_masks)
		return 0;
	free(t->masks);
	free(t->mask_of);
	t->n_masks = 0;
	t->masks = malloc(n * sizeof(*t->masks));
	t->mask_of = malloc(n * sizeof(*t->mask_of));
	if (!t->masks || !t->mask_of)
		return -ENOMEM;
	t->n_masks = n;
	for (unsigned i = 0; i < n; i++)
		t->mask_of[i] = &t->masks[i];
	return 0;
}

static int spread(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a, unsigned n_vector_sets,
		  unsigned *ret_pre)
{
	struct qm_spread what = { .pre = qm_algo_takes_pre(a) ? t->pre : 0 };
	enum qm_spread_outcome outcome;
	int r;

	what.vectors = what.pre;
	for (unsigned i = 0; i < n_vector_sets; i++) {
		if (t->sets[i].n > VECTORS_MAX)
			return -EINVAL;
		what.vectors += t->sets[i].n;
		what.sets[what.n_sets++] = t->sets[i].n;
	}
	if (what.n_sets == 1)
		what.n_sets = 0;
	else if (!qm_algo_takes_sets(a))
		return -EINVAL;
	r = make_masks(t, what.vectors);
	if (r == 0)
		r = qm_spread_run(at->mapper, a, &what, t->masks, &outcome, NULL);
	if (r == 0 && outcome != QM_SPREAD_OK)
		r = -EINVAL;
	if (r == 0)
		*ret_pre = what.pre;
	return r;
}

/* The first n_vector_sets sets have interrupts, the others are polled. */
static int compare_vectors(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a,
			   unsigned n_vector_sets, struct comparison *cmp)
{
	unsigned vector = 0;
	int r;

	r = spread(t, at, a, n_vector_sets, &vector);
	for (unsigned i = 0; r == 0 && i < n_vector_sets; i++) {
		r = qm_vector_map(at->mapper, t->mask_of + vector, t->sets[i].n, 0, QM_FALLBACK_QUEUE0, NULL, t->map);
		if (r == 0)
			compare_set(t, &t->sets[i], at->t, cmp);
		vector += t->sets[i].n;
	}
	for (unsigned i = n_vector_sets; r == 0 && i < t->n_sets; i++)
		r = compare_poll(t, at, &t->sets[i], cmp);
	return r;
}

/* How many sets, the first ones, may have interrupts: all but the poll queues. */
static void vector_sets(const struct qm_trial *t, unsigned *ret_least, unsigned *ret_most)
{
	unsigned least = 1, most = 1;

	while (most < t->n_sets && t->sets[most].type != QM_HCTX_POLL) {
		if (t->sets[most].type == QM_HCTX_READ)
			least = most + 1;
		most++;
	}
	*ret_least = least;
	*ret_most = most;
}

static int run_family(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a, struct comparison *cmp)
{
	struct comparison best = *cmp;
	unsigned least, most;
	bool any = false;

	if (a->family == QM_FAMILY_MAP) {
		int r = 0;

		for (unsigned i = 0; r == 0 && i < t->n_sets; i++)
			r = compare_generic(t, at, &t->sets[i], a, cmp);
		return r;
	}
	vector_sets(t, &least, &most);
	for (unsigned n = most; n >= least; n--) {
		struct qm_cpuset differs = { 0 };
		struct comparison one = *cmp;
		int r;

		one.differs = cmp->differs ? &differs : NULL;
		r = compare_vectors(t, at, a, n, &one);
		if (r == -ENOMEM)
			return r;
		if (r < 0 || (any && one.count >= best.count))
			continue;
		any = true;
		best.count = one.count;
		if (cmp->differs)
			qm_cpuset_copy(cmp->differs, &differs);
	}
	cmp->count = best.count;
	return any ? 0 : -EINVAL;
}

int qm_trial_run(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a,
		 const struct qm_cpuset *ignore, struct qm_cpuset *differs, unsigned *ret_count)
{
	struct comparison cmp = {
		.listed = qm_era_listed_cpus(a, at->t), .ignore = ignore, .differs = differs,
	};
	int r;

	if (differs)
		qm_cpuset_zero(differs);
	r = run_family(t, at, a, &cmp);
	if (r == 0)
		*ret_count = cmp.count;
	return r;
}
