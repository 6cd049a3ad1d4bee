// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The best possible map.
 *
 * Every possible CPU belongs to exactly one queue. With more queues than possible CPUs some stay unmapped, and with more
 * than online CPUs some dead; the rest, the live ones, share out the online CPUs:
 *
 * - as soon as each node with online CPUs can have a queue of its own, none needs to cross; with fewer queues than nodes one
 *   crossing queue suffices, which takes all that the others leave;
 * - the smallest maximum m is then the least with enough queues of m CPUs for every node;
 * - split cores: how many whole cores fit into the queues of a node is a packing of few small sizes. The smallest cores go
 *   first (replacing a larger by a smaller one never hurts), threads of split cores fill any gap. Where each size divides the
 *   next a count of places is exact; elsewhere best fit gives an attained figure and the count a bound. How the queues are
 *   best dealt to the nodes is found by trying all counts, node after node.
 */
#include "map/score.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "map/map.h"

/* The online CPUs that may share a queue without crossing. */
struct pool {
	unsigned cpus;
	unsigned *cores; /* online threads of each core wholly inside, ascending */
	unsigned n_cores;
};

struct machine {
	unsigned *memory; /* all the cores arrays */
	struct pool *pools; /* one per node with online CPUs */
	unsigned n_pools;
	struct pool all;     /* as if there were no nodes */
	unsigned free_cpus;  /* online CPUs in no node, while there are at least two pools */
	unsigned torn_cores; /* cores with online threads in several pools: split in any map without crossing */
	bool sizes_divide;
};

static unsigned div_up(unsigned a, unsigned b)
{
	return a / b + (a % b != 0);
}

static unsigned min_u(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static int compare_unsigned(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static void machine_done(struct machine *m)
{
	free(m->memory);
	free(m->pools);
}

/* ---- the machine in pools ---- */

/* A core as met while walking its online CPUs. */
struct core {
	unsigned threads;
	unsigned pool; /* index, POOL_NONE: only CPUs in no node so far */
	bool torn;
};

#define POOL_NONE UINT_MAX

/* The pool of each node with online CPUs is numbered in order; CPUs in no known node are in none. */
static unsigned pool_of(const struct qm_topology *t, const unsigned *pool_of_node, int cpu)
{
	int at = t->node_of ? qm_topology_node_index(t, t->node_of[cpu]) : -1;

	return at < 0 ? POOL_NONE : pool_of_node[at];
}

/* Counts CPUs per pool and gathers the cores; returns their number. */
static unsigned gather_cores(const struct qm_topology *t, const unsigned *pool_of_node, struct machine *m,
			     unsigned *number, struct core *cores)
{
	unsigned n = 0;
	int cpu;

	QM_CPUSET_FOREACH(cpu, &t->online) {
		int g = t->cores.of ? t->cores.of[cpu] : -1;
		unsigned p = pool_of(t, pool_of_node, cpu);
		struct core *c;

		if (g >= 0 && number[g]) {
			c = &cores[number[g] - 1];
		} else {
			c = &cores[n++];
			*c = (struct core){ .pool = POOL_NONE };
			if (g >= 0)
				number[g] = n;
		}
		c->threads++;
		m->all.cpus++;
		if (p == POOL_NONE) {
			m->free_cpus++;
			continue;
		}
		m->pools[p].cpus++;
		if (c->pool != POOL_NONE && c->pool != p)
			c->torn = true;
		c->pool = p;
	}
	return n;
}

/* Hands each core to its pool and all of them to the pool without nodes. */
static int deal_cores(struct machine *m, const struct core *cores, unsigned n)
{
	unsigned *at;

	m->memory = calloc(2 * (size_t)n + 1, sizeof(*m->memory));
	if (!m->memory)
		return -ENOMEM;
	at = m->memory;
	m->all.cores = at;
	for (unsigned i = 0; i < n; i++) {
		m->all.cores[m->all.n_cores++] = cores[i].threads;
		if (cores[i].torn)
			m->torn_cores++;
		else if (cores[i].pool != POOL_NONE)
			m->pools[cores[i].pool].n_cores++;
	}
	at += n;
	for (unsigned p = 0; p < m->n_pools; p++) {
		m->pools[p].cores = at;
		at += m->pools[p].n_cores;
		m->pools[p].n_cores = 0;
	}
	for (unsigned i = 0; i < n; i++) {
		struct pool *p = cores[i].torn || cores[i].pool == POOL_NONE ? NULL : &m->pools[cores[i].pool];

		if (p)
			p->cores[p->n_cores++] = cores[i].threads;
	}
	qsort(m->all.cores, m->all.n_cores, sizeof(*m->all.cores), compare_unsigned);
	m->sizes_divide = true;
	for (unsigned i = 1; i < n; i++) {
		if (m->all.cores[i] % m->all.cores[i - 1])
			m->sizes_divide = false;
	}
	for (unsigned p = 0; p < m->n_pools; p++)
		qsort(m->pools[p].cores, m->pools[p].n_cores, sizeof(*m->pools[p].cores), compare_unsigned);
	return 0;
}

static int machine_make(const struct qm_topology *t, struct machine *ret)
{
	_cleanup_free_ unsigned *pool_of_node = calloc((size_t)t->n_nodes + 1, sizeof(unsigned));
	_cleanup_free_ unsigned *number = calloc((size_t)t->cores.n + 1, sizeof(unsigned));
	_cleanup_free_ struct core *cores = calloc((size_t)t->nr_cpus + 1, sizeof(struct core));
	struct machine m = { .pools = calloc((size_t)t->n_nodes + 1, sizeof(*m.pools)) };
	int cpu, r = -ENOMEM;
	unsigned n;

	if (!pool_of_node || !number || !cores || !m.pools)
		goto out;
	for (unsigned i = 0; i < t->n_nodes; i++)
		pool_of_node[i] = POOL_NONE;
	QM_CPUSET_FOREACH(cpu, &t->online) {
		int at = t->node_of ? qm_topology_node_index(t, t->node_of[cpu]) : -1;

		if (at >= 0 && pool_of_node[at] == POOL_NONE)
			pool_of_node[at] = m.n_pools++;
	}
	n = gather_cores(t, pool_of_node, &m, number, cores);
	r = deal_cores(&m, cores, n);
out:
	if (r < 0)
		machine_done(&m);
	else
		*ret = m;
	return r;
}

/* ---- whole cores in the queues of one pool ---- */

/*
 * Necessary for the smallest n cores to lie whole in k queues of m CPUs: for each size, the places of that size suffice.
 * Also sufficient where each size divides the next.
 */
static bool may_fit(const struct pool *p, unsigned n, unsigned k, unsigned m)
{
	for (unsigned i = n; i > 0;) {
		unsigned size = p->cores[i - 1], lowest = i;
		unsigned long long places = 0;

		while (lowest > 0 && p->cores[lowest - 1] == size)
			lowest--;
		for (unsigned j = n; j > lowest;) {
			unsigned other = p->cores[j - 1], first = j;

			while (first > lowest && p->cores[first - 1] == other)
				first--;
			places += (unsigned long long)(j - first) * (other / size);
			j = first;
		}
		if (places > (unsigned long long)k * (m / size))
			return false;
		i = lowest;
	}
	return true;
}

/* Best fit, largest first: a packing that exists. rest: m + 1 numbers, how many queues have that much room left. */
static bool does_fit(const struct pool *p, unsigned n, unsigned k, unsigned m, unsigned *rest)
{
	memset(rest, 0, ((size_t)m + 1) * sizeof(*rest));
	rest[m] = k;
	for (unsigned i = n; i > 0;) {
		unsigned size = p->cores[i - 1], left = 0;

		while (i > 0 && p->cores[i - 1] == size) {
			i--;
			left++;
		}
		for (unsigned r = size; r <= m && left; r++) {
			unsigned each = r / size, queues, full, odd;

			queues = rest[r];
			full = min_u(queues, left / each);
			odd = full < queues ? left % each : 0;
			if (full == queues)
				left -= full * each;
			else
				left = 0;
			rest[r] -= full + (odd != 0);
			rest[r - each * size] += full;
			if (odd)
				rest[r - odd * size]++;
		}
		if (left)
			return false;
	}
	return true;
}

/* Most cores of the pool that stay whole in k queues of at most m CPUs, each queue having a CPU. rest: NULL = the bound. */
static unsigned most_whole(const struct pool *p, unsigned k, unsigned m, unsigned *rest)
{
	unsigned lo = 0, hi = p->n_cores, threads = 0, fill = 0;

	while (lo < hi) {
		unsigned mid = hi - (hi - lo) / 2;
		bool fits = rest ? does_fit(p, mid, k, m, rest) : may_fit(p, mid, k, m);

		if (fits)
			lo = mid;
		else
			hi = mid - 1;
	}
	/* Queues that have no whole core take a thread of a split one. */
	while (fill < lo && k <= fill + 1 + p->cpus - (threads + p->cores[fill]))
		threads += p->cores[fill++];
	return fill;
}

/* ---- queues to pools ---- */

static bool same_pool(const struct pool *a, const struct pool *b)
{
	return a->cpus == b->cpus && a->n_cores == b->n_cores &&
	       memcmp(a->cores, b->cores, a->n_cores * sizeof(*a->cores)) == 0;
}

/* Fewest split cores with exactly n queues of at most m CPUs over pools that need not cross; UINT_MAX = impossible. */
static int deal_queues(const struct machine *mc, unsigned n, unsigned m, unsigned *rest, unsigned *ret)
{
	_cleanup_free_ unsigned *before = malloc(((size_t)n + 1) * sizeof(unsigned));
	_cleanup_free_ unsigned *after = malloc(((size_t)n + 1) * sizeof(unsigned));
	_cleanup_free_ unsigned *cost = malloc(((size_t)n + 1) * sizeof(unsigned));
	unsigned lo = 0, hi = 0;

	if (!before || !after || !cost)
		return -ENOMEM;
	before[0] = 0;
	for (unsigned i = 0; i < mc->n_pools; i++) {
		const struct pool *p = &mc->pools[i];
		unsigned least = div_up(p->cpus, m), most = min_u(p->cpus, n), new_hi;
		unsigned *swap;

		if (least > n - lo) {
			*ret = UINT_MAX;
			return 0;
		}
		/* Most machines have equal nodes: what the one before cost, this one costs. */
		for (unsigned k = least; k <= most && !(i && same_pool(p, p - 1)); k++)
			cost[k] = p->n_cores - most_whole(p, k, m, rest);
		new_hi = min_u(hi + most, n);
		for (unsigned s = 0; s <= new_hi; s++)
			after[s] = UINT_MAX;
		for (unsigned s = lo; s <= hi; s++) {
			for (unsigned k = least; k <= most && s + k <= n && before[s] != UINT_MAX; k++)
				after[s + k] = min_u(after[s + k], before[s] + cost[k]);
		}
		lo += least;
		hi = new_hi;
		swap = before;
		before = after;
		after = swap;
	}
	*ret = hi == n ? before[n] : UINT_MAX;
	return 0;
}

/* Least m with which n queues hold all CPUs, none crossing. At least one queue per pool. */
static unsigned smallest_maximum(const struct machine *mc, unsigned n)
{
	unsigned lo = div_up(mc->all.cpus, n), hi = mc->all.cpus;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2, need = 0;

		for (unsigned i = 0; i < mc->n_pools; i++)
			need += div_up(mc->pools[i].cpus, mid);
		if (need <= n)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* What n - 1 queues of m CPUs leave for the crossing one at best: each next queue goes where it takes most. */
static unsigned left_for_crossing(const struct machine *mc, unsigned n, unsigned m, unsigned *left)
{
	unsigned sum = mc->free_cpus;

	for (unsigned i = 0; i < mc->n_pools; i++)
		left[i] = mc->pools[i].cpus;
	for (unsigned q = 1; q < n; q++) {
		unsigned best = 0;

		for (unsigned i = 1; i < mc->n_pools; i++) {
			if (min_u(left[i], m) > min_u(left[best], m))
				best = i;
		}
		left[best] -= min_u(left[best], m);
	}
	for (unsigned i = 0; i < mc->n_pools; i++)
		sum += left[i];
	return sum;
}

/* Fewer queues than pools: one crosses. */
static int best_crossing(const struct machine *mc, unsigned n, struct qm_best *b)
{
	_cleanup_free_ unsigned *left = calloc(mc->n_pools, sizeof(unsigned));
	unsigned lo = div_up(mc->all.cpus, n), hi = mc->all.cpus;
	bool whole = mc->torn_cores == 0 && mc->free_cpus == 0;

	if (!left)
		return -ENOMEM;
	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (left_for_crossing(mc, n, mid, left) <= mid)
			hi = mid;
		else
			lo = mid + 1;
	}
	(void)left_for_crossing(mc, n, lo, left);
	/* Whole nodes for the crossing queue and one queue for each other node split nothing. */
	for (unsigned i = 0; i < mc->n_pools; i++)
		whole = whole && (left[i] == 0 || left[i] == mc->pools[i].cpus) && (left[i] || mc->pools[i].cpus <= lo);
	b->cross_node = 1;
	b->max_cpus = lo;
	b->split_cores = whole ? 0 : mc->all.n_cores - most_whole(&mc->all, n, lo, NULL);
	b->exact = whole;
	return 0;
}

/* As many queues as pools or more: none crosses. */
static int best_apart(const struct machine *mc, unsigned n, struct qm_best *b)
{
	_cleanup_free_ unsigned *rest = NULL;
	unsigned m = smallest_maximum(mc, n), bound, attained;
	int r;

	b->max_cpus = m;
	if (mc->free_cpus) {
		/* CPUs that may lie anywhere: the machine without nodes bounds it. */
		b->split_cores = mc->all.n_cores - most_whole(&mc->all, n, m, NULL);
		b->exact = false;
		return 0;
	}
	r = deal_queues(mc, n, m, NULL, &bound);
	attained = bound;
	if (r == 0 && !mc->sizes_divide) {
		rest = malloc(((size_t)m + 1) * sizeof(unsigned));
		r = rest ? deal_queues(mc, n, m, rest, &attained) : -ENOMEM;
	}
	if (r < 0)
		return r;
	b->split_cores = mc->torn_cores + bound;
	b->exact = attained == bound;
	return 0;
}

int qm_best_map(const struct qm_topology *t, unsigned queues, struct qm_best *ret)
{
	unsigned possible = qm_cpuset_count(&t->possible), mapped, live;
	struct qm_best b = { .exact = true };
	struct machine mc;
	int r;

	if (queues < 1 || queues > QM_QUEUES_MAX)
		return -EINVAL;
	r = machine_make(t, &mc);
	if (r < 0)
		return r;
	mapped = min_u(queues, possible);
	live = min_u(mapped, mc.all.cpus);
	b.unmapped = queues - mapped;
	b.dead = mapped - live;
	if (mc.n_pools < 2) {
		/* Nothing to cross: CPUs in no node count as those of the only one. */
		mc.pools[0] = mc.all;
		mc.n_pools = 1;
		mc.free_cpus = 0;
	}
	if (live)
		r = live < mc.n_pools ? best_crossing(&mc, live, &b) : best_apart(&mc, live, &b);
	machine_done(&mc);
	if (r == 0)
		*ret = b;
	return r;
}
