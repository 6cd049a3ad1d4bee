// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each core that may go away gives another map for each number of queues: far too many to make them all on a large
 * machine. Only the largest number that outlives every loss is wanted. A core that alone serves a queue in the map made
 * now most likely takes that queue with it, for a whole range of numbers. So such a core strikes out all numbers it can
 * at once, until the largest one standing has to be tried against every core in earnest.
 */
#include "fabrics/loss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fabrics/request.h"

/* Numbers tried in one go, since making a mapper costs as much as several maps. */
#define WINDOW 4
/* So many numbers that outlive a core one below the other end its sweep: it seldom strikes out more below them. */
#define PATIENCE 4

#define SEVERAL 0xfffffffeu
#define NOBODY  0xffffffffu

struct loss {
	const struct qm_connect_env *env;
	const struct qm_era *era;
	const struct qm_cpuset *firm;
	struct qm_connect_request req;
	struct qm_topology topo; /* without the core that is lost */
	struct qm_cpuset online; /* now */
	struct qm_cpuset *cores; /* their online CPUs */
	unsigned n_cores;

	/* of the core at hand */
	struct qm_mapper *mapper;
	unsigned n_online;
	uint32_t *usable;
	unsigned n_usable;

	int32_t *map;
	uint32_t *stamp, now; /* by queue: seen in the map of this time */
	size_t cap_stamp;

	unsigned top;     /* largest number standing */
	bool *stands;     /* by number */
	unsigned *swept;  /* by core: the smallest number it was tried for; 0 = for none */
	uint32_t *server; /* by queue: the core that serves it */
};

static void loss_done(struct loss *l)
{
	qm_topology_done(&l->topo);
	qm_mapper_free(l->mapper);
	free(l->cores);
	free(l->usable);
	free(l->map);
	free(l->stamp);
	free(l->stands);
	free(l->swept);
	free(l->server);
}

/* Every core with an online CPU; a CPU whose siblings nobody told is one of its own. */
static void fill_cores(struct loss *l)
{
	const struct qm_groups *g = &l->topo.cores;
	int cpu;

	for (unsigned i = 0; i < g->n; i++) {
		struct qm_cpuset *s = &l->cores[l->n_cores];

		qm_groups_get(g, i, s);
		qm_cpuset_and(s, &l->online);
		if (!qm_cpuset_is_empty(s))
			l->n_cores++;
	}
	QM_CPUSET_FOREACH(cpu, &l->online) {
		if (g->n && g->of[cpu] >= 0)
			continue;
		qm_cpuset_zero(&l->cores[l->n_cores]);
		qm_cpuset_set(&l->cores[l->n_cores++], (unsigned)cpu);
	}
}

static int loss_init(struct loss *l)
{
	unsigned n = l->env->topo->nr_cpus ? l->env->topo->nr_cpus : 1;
	int r = qm_topology_copy(l->env->topo, &l->topo);

	if (r < 0)
		return r;
	qm_cpuset_copy(&l->online, &l->topo.online);
	l->cores = calloc(qm_cpuset_count(&l->online) + 1, sizeof(*l->cores));
	l->usable = calloc(n, sizeof(*l->usable));
	l->map = calloc(n, sizeof(*l->map));
	n = qm_cpuset_count(&l->online);
	l->stands = calloc(n + 1, sizeof(*l->stands));
	l->swept = calloc(n + 1, sizeof(*l->swept));
	l->server = calloc(n + 1, sizeof(*l->server));
	if (!l->cores || !l->usable || !l->map || !l->stands || !l->swept || !l->server)
		return -ENOMEM;
	fill_cores(l);
	return 0;
}

/* Makes the machine without that core. */
static int lose_core(struct loss *l, const struct qm_cpuset *core)
{
	struct qm_cpuset usable;
	int cpu;

	qm_mapper_free(l->mapper);
	l->mapper = NULL;
	qm_cpuset_copy(&l->topo.online, &l->online);
	qm_cpuset_andnot(&l->topo.online, core);
	l->n_online = qm_cpuset_count(&l->topo.online);
	qm_cpuset_copy(&usable, l->firm);
	qm_cpuset_andnot(&usable, core);
	l->n_usable = 0;
	QM_CPUSET_FOREACH(cpu, &usable)
		l->usable[l->n_usable++] = (uint32_t)cpu;
	return qm_mapper_new(&l->topo, &l->mapper);
}

/* Has each queue of the map at hand a usable CPU? */
static bool all_served(struct loss *l, unsigned queues)
{
	unsigned served = 0;

	if (++l->now == 0) {
		memset(l->stamp, 0, l->cap_stamp * sizeof(*l->stamp));
		l->now = 1;
	}
	for (unsigned i = 0; i < l->n_usable && served < queues; i++) {
		uint32_t q = (uint32_t)l->map[l->usable[i]];

		if (q < queues && l->stamp[q] != l->now) {
			l->stamp[q] = l->now;
			served++;
		}
	}
	return served == queues;
}

static int run_map(struct loss *l, const struct qm_algo *a, unsigned queues)
{
	return qm_map_run(l->mapper, a, queues, l->env->has_housekeeping ? &l->env->housekeeping : NULL, l->map, NULL);
}

/* 1: a map of that many queues serves them all under every candidate, 0: not, or -errno. */
static int map_works(struct loss *l, unsigned queues)
{
	if (queues > l->n_usable)
		return 0;
	while (l->cap_stamp < queues) {
		size_t old = l->cap_stamp;
		int r = qm_array_grow(&l->stamp, &l->cap_stamp, queues, sizeof(*l->stamp));

		if (r < 0)
			return r;
		memset(l->stamp + old, 0, (l->cap_stamp - old) * sizeof(*l->stamp));
	}
	for (size_t i = 0; i < l->era->n; i++) {
		int r = run_map(l, l->era->v[i], queues);

		if (r < 0)
			return r;
		if (!all_served(l, queues))
			return 0;
	}
	return 1;
}

/* Does a connect with that number work without the core at hand? 1, 0 or -errno. */
static int connect_works(struct loss *l, unsigned io)
{
	struct qm_connect_queues q;
	int r;

	l->req.io = io;
	r = qm_connect_split(l->env->kernel, &l->req, l->n_online, &q);
	if (r < 0)
		return r;
	if (!l->n_online || qm_connect_map_outgrows_grant(l->env->kernel, &l->req, &q))
		return 0;
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++) {
		if (!q.n[type] || (type > 0 && q.n[type] == q.n[type - 1]))
			continue;
		r = map_works(l, q.n[type]);
		if (r <= 0)
			return r;
	}
	return 1;
}

/* Strikes out the largest numbers standing that do not outlive the loss of a core. */
static int sweep(struct loss *l, unsigned core)
{
	unsigned outlived = 0;
	int r = lose_core(l, &l->cores[core]);

	for (unsigned n = l->top; r >= 0 && n > 0 && outlived < PATIENCE; n--) {
		l->swept[core] = n;
		if (!l->stands[n])
			continue;
		r = connect_works(l, n);
		if (r == 0)
			l->stands[n] = false;
		outlived = r == 0 ? 0 : outlived + 1;
	}
	while (l->top && !l->stands[l->top])
		l->top--;
	return r < 0 ? r : 0;
}

/*
 * The middle one of the cores that alone serve a queue of the map at hand and were not tried for as many queues yet;
 * n_cores: none.
 */
static unsigned lone_core(struct loss *l, unsigned queues)
{
	unsigned n = 0;
	int cpu;

	for (unsigned q = 0; q < queues; q++)
		l->server[q] = NOBODY;
	for (unsigned i = 0; i < l->n_cores; i++) {
		QM_CPUSET_FOREACH(cpu, &l->cores[i]) {
			uint32_t q = (uint32_t)l->map[cpu];

			if (q < queues && qm_cpuset_test(l->firm, (unsigned)cpu))
				l->server[q] = l->server[q] == NOBODY || l->server[q] == i ? i : SEVERAL;
		}
	}
	for (unsigned q = 0; q < queues; q++) {
		if (l->server[q] < SEVERAL && (!l->swept[l->server[q]] || l->swept[l->server[q]] > queues))
			l->server[n++] = l->server[q];
	}
	return n ? l->server[n / 2] : l->n_cores;
}

/* A core that most likely takes a queue with it, by the maps made now for the largest number standing; n_cores: none. */
static int guess_core(struct loss *l, unsigned *ret)
{
	const struct qm_cpuset nothing = { 0 };
	unsigned core = l->n_cores;
	int r = lose_core(l, &nothing);

	for (size_t i = 0; r == 0 && i < l->era->n && core == l->n_cores; i++) {
		r = run_map(l, l->era->v[i], l->top);
		core = lone_core(l, l->top);
	}
	if (r == 0)
		*ret = core;
	return r;
}

/*
 * Tries the largest few numbers standing against every core and strikes out those that fail. *ret_core: the core that the
 * last of them failed for, n_cores where one of them outlived all.
 */
static int try_all(struct loss *l, unsigned *ret_core)
{
	unsigned tried[WINDOW], left = 0;

	for (unsigned n = l->top; n > 0 && left < WINDOW; n--) {
		if (l->stands[n])
			tried[left++] = n;
	}
	for (unsigned i = 0; i < l->n_cores; i++) {
		unsigned kept = 0;
		int r = lose_core(l, &l->cores[i]);

		for (unsigned k = 0; r >= 0 && k < left; k++) {
			r = connect_works(l, tried[k]);
			if (r > 0)
				tried[kept++] = tried[k];
			else
				l->stands[tried[k]] = false;
		}
		if (r < 0)
			return r;
		left = kept;
		if (!left) {
			*ret_core = i;
			return 0;
		}
	}
	l->top = tried[0];
	*ret_core = l->n_cores;
	return 0;
}

static int find_largest(struct loss *l)
{
	l->top = qm_cpuset_count(&l->online);
	for (unsigned n = 1; n <= l->top; n++)
		l->stands[n] = true;
	while (l->top) {
		unsigned before = l->top, core;
		int r = guess_core(l, &core);

		if (r == 0 && core < l->n_cores)
			r = sweep(l, core);
		if (r < 0)
			return r;
		if (l->top < before)
			continue;
		r = try_all(l, &core);
		if (r < 0)
			return r;
		if (core == l->n_cores)
			break;
		r = sweep(l, core);
		if (r < 0)
			return r;
	}
	return 0;
}

int qm_connect_after_loss(const struct qm_connect_env *env, const struct qm_era *era, const struct qm_cpuset *firm,
			  const struct qm_connect_request *req, unsigned *ret)
{
	_cleanup_(loss_done) struct loss l = { .env = env, .era = era, .firm = firm, .req = *req };
	int r;

	r = loss_init(&l);
	if (r == 0 && l.n_cores > 1)
		r = find_largest(&l);
	if (r < 0)
		return r;
	*ret = l.top;
	return 0;
}
