// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must hold on any machine, tried on random ones. QMAP_SEED chooses others; the seed is printed. TAP on stdout;
 * depends on the mapping code and the C library only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map/map.h"
#include "naive.h"
#include "randtopo.h"

#define MACHINES 250
#define CPUS_MAX 96
#define QUEUES_MAX (CPUS_MAX + 8)

struct trial {
	uint64_t *seed;
	struct qm_topology t;
	struct qm_mapper *m;
};

/* Says what a failed property was about; every check returns whether it held. */
static bool complain(const struct trial *x, const char *what, const struct qm_algo *a, unsigned queues)
{
	printf("# %s: %s, %u queues, %u CPUs, %u nodes\n", what, a ? a->id : "-", queues, x->t.nr_cpus, x->t.n_nodes);
	return false;
}

static unsigned rand_queues(const struct trial *x)
{
	return 1 + rand_below(x->seed, x->t.nr_cpus + 8);
}

static const struct qm_algo *find(enum qm_family f, const char *id)
{
	return qm_algo_find(f, id);
}

/* Every possible CPU is mapped, to a queue that exists; the others are not. Also: warnings only with surplus queues. */
static bool every_cpu_once(struct trial *x)
{
	const struct qm_algo *a;

	for (size_t i = 0; (a = qm_algo_get(i)); i++) {
		unsigned queues = rand_queues(x), warn = 9;
		int32_t map[CPUS_MAX];

		if (a->family != QM_FAMILY_MAP)
			continue;
		if (qm_map_run(x->m, a, queues, rand_below(x->seed, 2) ? &x->t.online : NULL, map, &warn) < 0)
			return complain(x, "refused", a, queues);
		for (unsigned cpu = 0; cpu < x->t.nr_cpus; cpu++) {
			bool possible = qm_cpuset_test(&x->t.possible, cpu);

			if (possible ? map[cpu] < 0 || map[cpu] >= (int32_t)queues : map[cpu] != QM_QUEUE_NONE)
				return complain(x, "no or no such queue", a, queues);
		}
		if (warn > (queues > qm_cpuset_count(&x->t.possible)))
			return complain(x, "warning without reason", a, queues);
	}
	return true;
}

/* Without absent CPUs and clusters: queues of one node differ by at most one CPU where there are more queues than nodes. */
static bool even_inside_nodes(struct trial *x)
{
	static const char *const ids[] = { "v6.3", "v6.9", "v6.11", "v6.17" };
	const struct qm_algo *a = find(QM_FAMILY_MAP, ids[rand_below(x->seed, 4)]);
	unsigned n_cpus = qm_cpuset_count(&x->t.possible), nodes = 0, queues = rand_queues(x);
	unsigned count[QUEUES_MAX] = { 0 };
	int node_of[QUEUES_MAX];
	int32_t map[CPUS_MAX];
	int cpu;

	for (unsigned i = 0; i < x->t.n_nodes; i++)
		nodes += !qm_cpuset_is_empty(&x->t.nodes[i].cpus);
	if (queues <= nodes || queues > n_cpus)
		return true;
	if (qm_map_run(x->m, a, queues, NULL, map, NULL) < 0)
		return complain(x, "refused", a, queues);
	QM_CPUSET_FOREACH(cpu, &x->t.possible) {
		if (count[map[cpu]]++ && node_of[map[cpu]] != x->t.node_of[cpu])
			return complain(x, "queue of two nodes", a, queues);
		node_of[map[cpu]] = x->t.node_of[cpu];
	}
	for (unsigned p = 0; p < queues; p++) {
		for (unsigned q = 0; q < queues; q++) {
			if (!count[p])
				return complain(x, "queue without CPU", a, queues);
			if (node_of[p] == node_of[q] && count[p] > count[q] + 1)
				return complain(x, "uneven queues of a node", a, queues);
		}
	}
	return true;
}

/* A copy of the machine that has never heard of its absent CPUs. */
static int without_absent(const struct qm_topology *t, struct qm_topology *ret)
{
	int r = qm_topology_copy(t, ret);

	if (r < 0)
		return r;
	ret->possible = t->present;
	ret->nr_cpus = (unsigned)qm_cpuset_last(&t->present) + 1;
	for (unsigned i = 0; i < ret->n_nodes; i++)
		qm_cpuset_and(&ret->nodes[i].cpus, &t->present);
	return 0;
}

/* Do two maps put the same present CPUs together? */
static bool same_parts(const struct qm_topology *t, const int32_t *a, const int32_t *b)
{
	int32_t to[QUEUES_MAX], from[QUEUES_MAX];
	int cpu;

	memset(to, -1, sizeof(to));
	memset(from, -1, sizeof(from));
	QM_CPUSET_FOREACH(cpu, &t->present) {
		if (to[a[cpu]] < 0 && from[b[cpu]] < 0) {
			to[a[cpu]] = b[cpu];
			from[b[cpu]] = a[cpu];
		}
		if (to[a[cpu]] != b[cpu] || from[b[cpu]] != a[cpu])
			return false;
	}
	return true;
}

/* Taking the absent CPUs away changes nothing for the present ones (6.3 to 6.16), or only their queues' numbers (6.17). */
static bool absent_do_not_matter(struct trial *x)
{
	static const char *const ids[] = { "v6.3", "v6.9", "v6.11", "v6.17", "v7.0" };
	unsigned which = rand_below(x->seed, 5), queues = rand_queues(x);
	const struct qm_algo *a = find(QM_FAMILY_MAP, ids[which]);
	int32_t with[CPUS_MAX], without[CPUS_MAX];
	struct qm_topology t;
	struct qm_mapper *m;
	bool fine = true;
	int cpu;

	if (without_absent(&x->t, &t) < 0)
		return complain(x, "no memory", a, queues);
	if (qm_mapper_new(&t, &m) < 0) {
		qm_topology_done(&t);
		return complain(x, "machine refused", a, queues);
	}
	if (qm_map_run(x->m, a, queues, NULL, with, NULL) < 0 || qm_map_run(m, a, queues, NULL, without, NULL) < 0)
		fine = complain(x, "refused", a, queues);
	if (fine && !same_parts(&x->t, with, without))
		fine = complain(x, "other groups without the absent CPUs", a, queues);
	QM_CPUSET_FOREACH(cpu, &x->t.present) {
		if (fine && which < 3 && with[cpu] != without[cpu])
			fine = complain(x, "another map without the absent CPUs", a, queues);
	}
	qm_mapper_free(m);
	qm_topology_done(&t);
	return fine;
}

/* The kinds of grouping in force, by map algorithm. */
static const struct {
	const char *id;
	enum qm_sort_kind sort;
	bool clusters;
} groupings[] = {
	{ "v6.3", QM_SORT_CLASSIC, false },
	{ "v6.9", QM_SORT_TWO_POP, false },
	{ "v6.11", QM_SORT_SHORT_TAIL, false },
	{ "v6.17", QM_SORT_SHORT_TAIL, false },
	{ "v7.0", QM_SORT_SHORT_TAIL, true },
};

/* The prepared walk and the plain one over sets agree, for maps and for masks. */
static bool as_said_in_words(struct trial *x)
{
	static struct qm_cpuset want[QUEUES_MAX], masks[QUEUES_MAX];
	unsigned which = rand_below(x->seed, QM_ARRAY_SIZE(groupings)), queues = rand_queues(x);
	const struct qm_algo *map_algo = find(QM_FAMILY_MAP, groupings[which].id);
	const struct qm_algo *irq_algo = find(QM_FAMILY_IRQ, groupings[which].id);
	struct qm_spread what = { .vectors = queues };
	enum qm_spread_outcome outcome;
	int32_t map[CPUS_MAX];
	unsigned k = naive_group(&x->t, queues, groupings[which].sort, groupings[which].clusters, want);
	int cpu;

	if (qm_map_run(x->m, map_algo, queues, NULL, map, NULL) < 0 ||
	    qm_spread_run(x->m, irq_algo, &what, masks, &outcome, NULL) < 0 || outcome != QM_SPREAD_OK)
		return complain(x, "refused", map_algo, queues);
	for (unsigned q = 0; q < k; q++) {
		/* From 6.17 on the last queue of a group has its CPUs. */
		unsigned last = which < 3 ? q : q + (queues - 1 - q) / k * k;

		QM_CPUSET_FOREACH(cpu, &want[q]) {
			if (map[cpu] != (int32_t)last)
				return complain(x, "another map than in words", map_algo, queues);
		}
		if (!qm_cpuset_is_equal(&masks[q], &want[q]))
			return complain(x, "other masks than in words", irq_algo, queues);
	}
	for (unsigned q = k; q < queues; q++) {
		if (which < 3 ? !qm_cpuset_is_empty(&masks[q]) : !qm_cpuset_is_equal(&masks[q], &x->t.possible))
			return complain(x, "wrong mask for a surplus vector", irq_algo, queues);
	}
	return true;
}

/* From 5.19 on each set spreads each possible CPU exactly once; reserved vectors get them all. */
static bool each_set_spreads_all(struct trial *x)
{
	static const char *const ids[] = { "v5.19", "el8-394", "v6.3", "v6.9", "v6.11" };
	static struct qm_cpuset masks[2 * QUEUES_MAX + 2];
	const struct qm_algo *a = find(QM_FAMILY_IRQ, ids[rand_below(x->seed, 5)]);
	struct qm_spread what = { .pre = rand_below(x->seed, 3), .n_sets = 2 };
	enum qm_spread_outcome outcome;
	unsigned pos = what.pre;

	what.sets[0] = rand_queues(x);
	what.sets[1] = rand_queues(x);
	what.vectors = what.pre + what.sets[0] + what.sets[1];
	if (qm_spread_run(x->m, a, &what, masks, &outcome, NULL) < 0 || outcome != QM_SPREAD_OK)
		return complain(x, "refused", a, what.vectors);
	for (unsigned i = 0; i < what.pre; i++) {
		if (!qm_cpuset_is_equal(&masks[i], &x->t.possible))
			return complain(x, "reserved vector", a, what.vectors);
	}
	for (unsigned s = 0; s < what.n_sets; s++) {
		struct qm_cpuset all = { 0 };

		for (unsigned i = 0; i < what.sets[s]; i++, pos++) {
			if (qm_cpuset_intersects(&all, &masks[pos]))
				return complain(x, "CPU spread twice", a, what.sets[s]);
			qm_cpuset_or(&all, &masks[pos]);
		}
		if (!qm_cpuset_is_equal(&all, &x->t.possible))
			return complain(x, "CPU left out", a, what.sets[s]);
	}
	return true;
}

/* Whatever ran before, a mapper gives the same result as a fresh one. */
static bool no_memory_of_runs(struct trial *x)
{
	unsigned queues = rand_queues(x);
	int32_t used[CPUS_MAX], fresh[CPUS_MAX];
	const struct qm_algo *a;
	struct qm_mapper *m;
	bool fine = true;

	if (qm_mapper_new(&x->t, &m) < 0)
		return complain(x, "machine refused", NULL, queues);
	for (size_t i = 0; fine && (a = qm_algo_get(i)); i++) {
		if (a->family != QM_FAMILY_MAP)
			continue;
		if (qm_map_run(x->m, a, queues, &x->t.present, used, NULL) < 0 ||
		    qm_map_run(m, a, queues, &x->t.present, fresh, NULL) < 0)
			fine = complain(x, "refused", a, queues);
		else if (memcmp(used, fresh, x->t.nr_cpus * sizeof(*used)))
			fine = complain(x, "a used mapper differs", a, queues);
	}
	qm_mapper_free(m);
	return fine;
}

/* A permutation in ascending order; where no two keys are equal, all kernels' sorts agree. */
static bool sorts_sort(struct trial *x)
{
	struct qm_sort_entry in[64], out[64];
	unsigned n = rand_below(x->seed, 65), range = 1 + rand_below(x->seed, 40);

	for (unsigned i = 0; i < n; i++)
		in[i] = (struct qm_sort_entry){ .key = (int32_t)rand_below(x->seed, range) - 1, .index = i };
	for (unsigned kind = 0; kind < _QM_SORT_MAX; kind++) {
		uint64_t seen = 0;

		memcpy(out, in, sizeof(out));
		qm_sort(out, n, kind);
		for (unsigned i = 0; i < n; i++) {
			if (i && out[i - 1].key > out[i].key)
				return complain(x, "not sorted", NULL, n);
			if (out[i].key != in[out[i].index].key || seen >> out[i].index & 1)
				return complain(x, "not a permutation", NULL, n);
			seen |= UINT64_C(1) << out[i].index;
		}
	}
	return true;
}

static const struct {
	const char *name;
	enum rand_kind kind;
	bool (*holds)(struct trial *x);
} properties[] = {
	{ "every possible CPU has one queue below the count", RAND_ANY, every_cpu_once },
	{ "queues of a node differ by at most one CPU (6.3 to 6.17)", RAND_ALL_PRESENT, even_inside_nodes },
	{ "absent CPUs do not move present ones (6.3 on)", RAND_ANY, absent_do_not_matter },
	{ "grouping as the plain form does it (6.3 on)", RAND_ANY, as_said_in_words },
	{ "grouping as the plain form does it, all CPUs present", RAND_ALL_PRESENT, as_said_in_words },
	{ "each interrupt set spreads each CPU once (5.19 on)", RAND_ANY, each_set_spreads_all },
	{ "a used mapper maps like a fresh one", RAND_ANY, no_memory_of_runs },
	{ "the three sorts sort", RAND_ANY, sorts_sort },
};

/* Runs one property on one more random machine. */
static bool try_once(uint64_t *seed, unsigned property)
{
	struct trial x = { .seed = seed };
	bool fine = false;

	if (rand_topology(seed, properties[property].kind, &x.t) < 0)
		return complain(&x, "no memory", NULL, 0);
	if (qm_mapper_new(&x.t, &x.m) < 0)
		complain(&x, "machine refused", NULL, 0);
	else
		fine = properties[property].holds(&x);
	qm_mapper_free(x.m);
	qm_topology_done(&x.t);
	return fine;
}

int main(void)
{
	const char *given = getenv("QMAP_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20170710;
	bool all = true;

	printf("1..%zu\n# QMAP_SEED=%llu\n", QM_ARRAY_SIZE(properties), (unsigned long long)seed);
	for (unsigned p = 0; p < QM_ARRAY_SIZE(properties); p++) {
		uint64_t own = seed + p;
		bool fine = true;

		for (unsigned i = 0; fine && i < MACHINES; i++)
			fine = try_once(&own, p);
		printf("%sok %u - %s\n", fine ? "" : "not ", p + 1, properties[p].name);
		all = all && fine;
	}
	return all ? 0 : 1;
}
