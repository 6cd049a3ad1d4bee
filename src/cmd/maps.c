// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/maps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "map/era.h"

/* One algorithm's result for one set of queues, or for the vectors. */
struct slot {
	const struct qm_algo *algo;
	const struct qm_algo *lead; /* the algorithm of the deal: poll queues beside vectors have another */
	int set;
	int32_t *map;             /* nr_cpus */
	struct qm_score score;
	bool has_score;
	struct qm_cpuset differs;
	bool has_live, live;
	enum qm_spread_outcome outcome;
	unsigned warn;
	struct qm_cpuset *masks;  /* of all vectors */
	const struct qm_algo *group_last;
	bool group_live, group_predicted;
};

struct qm_map_batch {
	const struct qm_map_job *job;
	struct slot *v;
	size_t n, cap;
	struct qm_best best[_QM_HCTX_TYPE_MAX];
};

/* ---- numbers ---- */

static bool take_number(const char **p, unsigned *ret)
{
	unsigned long n;
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	errno = 0;
	n = strtoul(*p, &end, 10);
	if (errno || n > UINT_MAX)
		return false;
	*p = end;
	*ret = (unsigned)n;
	return true;
}

int qm_number_parse(const struct qm_run *run, const char *option, const char *text, unsigned min, unsigned max, unsigned *ret)
{
	const char *p = text;
	unsigned n;

	if (!take_number(&p, &n) || *p)
		return qm_usage_error(run, "%s '%s': not a number", option, text);
	if (n < min || n > max)
		return qm_usage_error(run, "%s %s: from %u to %u", option, text, min, max);
	*ret = n;
	return 0;
}

static int parse_range(const char **p, unsigned *ret_first, unsigned *ret_last)
{
	if (!take_number(p, ret_first))
		return -EINVAL;
	*ret_last = *ret_first;
	if (**p != '-')
		return 0;
	++*p;
	return take_number(p, ret_last) ? 0 : -EINVAL;
}

int qm_counts_parse(const struct qm_run *run, const char *option, const char *text, struct qm_ids *ret)
{
	struct qm_ids ids = { 0 };
	const char *p = text;
	unsigned first = 0, last = 0;
	int r;

	do {
		p += p != text; /* the comma */
		r = parse_range(&p, &first, &last);
		if (r == 0 && ((*p && *p != ',') || last < first))
			r = -EINVAL;
		if (r == 0 && (!first || last > QM_QUEUES_MAX))
			r = -ERANGE;
		for (unsigned n = first; r == 0 && n <= last; n++)
			r = ids.n > QM_QUEUES_MAX ? -ERANGE : qm_ids_add(&ids, n);
	} while (r == 0 && *p);
	if (r == 0) {
		*ret = ids;
		return 0;
	}
	qm_ids_done(&ids);
	if (r == -ERANGE)
		return qm_usage_error(run, "%s %s: from 1 to %u", option, text, QM_QUEUES_MAX);
	if (r == -EINVAL)
		return qm_usage_error(run, "%s '%s': not a count or a range of counts", option, text);
	return r;
}

int qm_algos_of_family(enum qm_family family, const struct qm_algo ***ret, size_t *ret_n)
{
	const struct qm_algo *a, **v;
	size_t n = 0;

	for (size_t i = 0; (a = qm_algo_get(i)); i++)
		n += a->family == family;
	v = calloc(n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; (a = qm_algo_get(i)); i++) {
		if (a->family == family)
			v[n++] = a;
	}
	*ret = v;
	*ret_n = n;
	return 0;
}

/* ---- jobs ---- */

int qm_maps_init(struct qm_maps *maps, const struct qm_run *run)
{
	const struct qm_cmdline *c = &run->m.cmdline;
	int r;

	*maps = (struct qm_maps){ .topo = &run->m.topo };
	if (c->has_isolcpus && c->iso_managed_irq) {
		maps->has_housekeeping = true;
		qm_cpuset_copy(&maps->housekeeping, &run->m.topo.possible);
		qm_cpuset_andnot(&maps->housekeeping, &c->isolcpus);
	}
	r = qm_mapper_new(&run->m.topo, &maps->mapper);
	if (r == 0)
		r = qm_scorer_new(&run->m.topo, &maps->scorer);
	return r;
}

static void batch_free(struct qm_map_batch *b)
{
	for (size_t i = 0; b && i < b->n; i++) {
		free(b->v[i].map);
		free(b->v[i].masks);
		qm_score_done(&b->v[i].score);
	}
	if (b)
		free(b->v);
	free(b);
}

void qm_maps_done(struct qm_maps *maps)
{
	batch_free(maps->batch);
	free(maps->jobs);
	qm_mapper_free(maps->mapper);
	qm_scorer_free(maps->scorer);
	*maps = (struct qm_maps){ 0 };
}

int qm_maps_add(struct qm_maps *maps, const struct qm_map_job *job)
{
	int r = qm_array_grow(&maps->jobs, &maps->cap_jobs, maps->n_jobs + 1, sizeof(*maps->jobs));

	if (r == 0)
		maps->jobs[maps->n_jobs++] = *job;
	return r;
}

/* ---- one job: all its algorithms ---- */

static struct slot *add_slot(struct qm_map_batch *b, const struct qm_algo *algo, int set)
{
	if (qm_array_grow(&b->v, &b->cap, b->n + 1, sizeof(*b->v)) < 0)
		return NULL;
	b->v[b->n] = (struct slot){ .algo = algo, .lead = algo, .set = set };
	return &b->v[b->n++];
}

/* Where the live map tells nothing about a CPU (isolated ones are in no list), there is nothing to differ from. */
static void compare_live(const struct qm_maps *maps, const struct qm_map_job *job, struct slot *s, unsigned offset)
{
	const int32_t *live = job->live ? job->live[s->set] : NULL;
	int cpu;

	if (!live || !s->map)
		return;
	s->has_live = true;
	for (size_t i = 0; job->id && i < job->id->n_matches; i++)
		s->live |= job->id->matches[i] == s->lead;
	QM_CPUSET_FOREACH(cpu, &maps->topo->possible) {
		if (live[cpu] != QM_QUEUE_NONE && live[cpu] != s->map[cpu] + (int32_t)offset)
			qm_cpuset_set(&s->differs, (unsigned)cpu);
	}
	/* what fits is known of the device; its poll queues may be of several mappers */
	if (s->algo != s->lead)
		s->live &= qm_cpuset_is_empty(&s->differs);
}

static int run_deal(struct qm_maps *maps, struct qm_map_batch *b, const struct qm_algo *algo)
{
	const struct qm_map_job *job = b->job;
	struct qm_deal deal = {
		.algo = algo,
		.poll = algo->family == QM_FAMILY_IRQ ? qm_deal_companion(algo) : NULL,
		.pre = job->pre,
		.housekeeping = maps->has_housekeeping ? &maps->housekeeping : NULL,
	};
	int32_t *map[_QM_HCTX_TYPE_MAX] = { NULL };
	enum qm_spread_outcome outcome;
	size_t from = b->n;
	unsigned warn, offset = 0;
	int r = 0;

	for (int set = 0; set < _QM_HCTX_TYPE_MAX; set++) {
		struct slot *s = NULL;

		deal.n[set] = job->n[set];
		if (!job->n[set])
			continue;
		map[set] = malloc(((size_t)maps->topo->nr_cpus + 1) * sizeof(**map));
		s = map[set] ? add_slot(b, algo, set) : NULL;
		if (!s) {
			free(map[set]);
			return -ENOMEM;
		}
		s->map = map[set];
		if (set == QM_HCTX_POLL && deal.poll)
			s->algo = deal.poll;
	}
	r = qm_deal_run(maps->mapper, &deal, map, &outcome, &warn);
	for (size_t i = from; r == 0 && i < b->n; i++) {
		struct slot *s = &b->v[i];

		s->outcome = outcome;
		s->warn = warn;
		if (outcome == QM_SPREAD_DIVIDE_BY_ZERO) {
			free(s->map);
			s->map = NULL;
			continue;
		}
		r = qm_scorer_map(maps->scorer, s->map, qm_era_listed_cpus(algo, maps->topo), job->n[s->set], &s->score);
		s->has_score = r == 0;
		compare_live(maps, job, s, offset);
		offset += job->n[s->set];
	}
	if (r != -ENOTSUP)
		return r;
	while (b->n > from) /* kernels of this algorithm cannot have these sets: no result */
		free(b->v[--b->n].map);
	return 0;
}

static int run_vectors(struct qm_maps *maps, struct qm_map_batch *b, const struct qm_algo *algo)
{
	const struct qm_spread *what = &b->job->spread;
	struct slot *s = add_slot(b, algo, QM_HCTX_DEFAULT);
	int r;

	if (!s)
		return -ENOMEM;
	if ((what->pre && !qm_algo_takes_pre(algo)) || (what->n_sets && !qm_algo_takes_sets(algo))) {
		b->n--; /* there was no such thing then */
		return 0;
	}
	s->masks = malloc((what->vectors ? what->vectors : 1) * sizeof(*s->masks));
	if (!s->masks)
		return -ENOMEM;
	r = qm_spread_run(maps->mapper, algo, what, s->masks, &s->outcome, &s->warn);
	if (r == 0 && s->outcome != QM_SPREAD_OK) {
		free(s->masks);
		s->masks = NULL;
	}
	return r;
}

static bool is_same(const struct qm_maps *maps, const struct qm_map_batch *b, const struct slot *x, const struct slot *y)
{
	if (x->set != y->set || x->outcome != y->outcome || x->algo->family != y->algo->family || !x->map != !y->map)
		return false;
	if (qm_era_result_is_sure(x->algo, maps->topo) != qm_era_result_is_sure(y->algo, maps->topo))
		return false;
	if (x->map)
		return memcmp(x->map, y->map, maps->topo->nr_cpus * sizeof(*x->map)) == 0 &&
		       x->score.unmapped.n == y->score.unmapped.n && x->score.dead.n == y->score.dead.n;
	for (unsigned i = 0; x->masks && i < b->job->spread.vectors; i++) {
		if (!qm_cpuset_is_equal(&x->masks[i], &y->masks[i]))
			return false;
	}
	return true;
}

static void group(const struct qm_maps *maps, struct qm_map_batch *b)
{
	for (int set = 0; set < _QM_HCTX_TYPE_MAX; set++) {
		struct slot *head = NULL;

		for (size_t i = 0; i < b->n; i++) {
			struct slot *s = &b->v[i];

			if (s->set != set)
				continue;
			if (!s->algo->upstream) { /* not one of a row of versions */
				s->group_last = s->algo;
				s->group_live = s->live;
				s->group_predicted = b->job->n_algos > 1 && s->lead == b->job->predicted;
				continue;
			}
			if (!head || !is_same(maps, b, head, s))
				head = s;
			head->group_last = s->algo;
			head->group_live |= s->live;
			head->group_predicted |= b->job->n_algos > 1 && s->lead == b->job->predicted;
		}
	}
}

static int run_job(struct qm_maps *maps, const struct qm_map_job *job)
{
	struct qm_map_batch *b = calloc(1, sizeof(*b));
	int r = b ? 0 : -ENOMEM;

	batch_free(maps->batch);
	maps->batch = b;
	maps->next_result = 0;
	if (r < 0)
		return r;
	b->job = job;
	for (size_t i = 0; r == 0 && i < job->n_algos; i++)
		r = job->is_vectors ? run_vectors(maps, b, job->algos[i]) : run_deal(maps, b, job->algos[i]);
	for (int set = 0; r == 0 && !job->is_vectors && set < _QM_HCTX_TYPE_MAX; set++) {
		if (job->n[set])
			r = qm_best_map(maps->topo, job->n[set], &b->best[set]);
	}
	group(maps, b);
	return r;
}

/* ---- results ---- */

static void fill_result(const struct qm_maps *maps, const struct slot *s, struct qm_map_result *ret)
{
	const struct qm_map_job *job = maps->batch->job;

	*ret = (struct qm_map_result){
		.controller = job->controller,
		.kernel = job->kernel,
		.algo = s->algo,
		.queues = job->is_vectors ? 0 : job->n[s->set],
		.set = s->set,
		.map = s->map,
		.nr_cpus = maps->topo->nr_cpus,
		.score = s->has_score ? &s->score : NULL,
		.warn = s->warn,
		.outcome = s->outcome,
		.has_live = s->has_live,
		.live = s->live,
		.differs = s->has_live ? &s->differs : NULL,
		.predicted = s->lead == job->predicted,
		.sure = qm_era_result_is_sure(s->algo, maps->topo),
		.best = s->has_score && qm_score_compare_best(&s->score, &maps->batch->best[s->set]) <= 0,
		.group_last = s->group_last,
		.group_live = s->group_live,
		.group_predicted = s->group_predicted,
		.is_vectors = job->is_vectors,
		.vectors = job->spread.vectors,
		.pre = job->spread.pre,
		.sets = job->spread.sets,
		.n_sets = job->spread.n_sets,
		.masks = s->masks,
	};
	for (int set = 0; set < s->set; set++)
		ret->offset += job->n[set];
}

/* All algorithms' default queues first, then their read queues, then poll: they are what one compares. n < b->n. */
static const struct slot *nth_by_set(const struct qm_map_batch *b, size_t n)
{
	const struct slot *s = b->v;

	for (int set = 0; set < _QM_HCTX_TYPE_MAX; set++) {
		for (size_t i = 0; i < b->n; i++) {
			if (b->v[i].set != set)
				continue;
			s = &b->v[i];
			if (n-- == 0)
				return s;
		}
	}
	return s;
}

int qm_maps_next(void *arg, struct qm_map_result *ret)
{
	struct qm_maps *maps = arg;
	int r;

	while (!maps->batch || maps->next_result >= maps->batch->n) {
		if (maps->next_job >= maps->n_jobs)
			return 0;
		r = run_job(maps, &maps->jobs[maps->next_job++]);
		if (r < 0)
			return r;
	}
	fill_result(maps, nth_by_set(maps->batch, maps->next_result++), ret);
	return 1;
}
