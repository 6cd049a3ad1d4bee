// SPDX-License-Identifier: GPL-2.0-or-later
/* Scores against a second, slow way to count them; the best possible map against all maps of small machines. */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/strbuf.h"
#include "map/map.h"
#include "map/score.h"
#include "topo.h"

static int score_map(const struct qm_topology *t, const int32_t *map, unsigned queues, struct qm_score *ret)
{
	struct qm_scorer *s;
	int r;

	*ret = (struct qm_score){ 0 };
	assert_int_equal(qm_scorer_new(t, &s), 0);
	r = qm_scorer_map(s, map, NULL, queues, ret);
	qm_scorer_free(s);
	return r;
}

static void assert_ids(const struct qm_ids *ids, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_ids_format(ids, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

/* Two nodes of two cores with two threads; CPU 7 offline. */
static const struct topo_spec eight = {
	.possible = "0-7",
	.online = "0-6",
	.nodes = "0:0-3;1:4-7",
	.cores = "0,1;2,3;4,5;6,7",
	.llc = "0-3;4-5;6-7",
};

static void scores_a_map(void **state)
{
	/* 0: cores 0 and 2, both nodes; 1: whole core 1; 2: core 3 with the offline CPU; 3: thread of core 2; 4: none */
	static const int32_t map[] = { 0, 0, 1, 1, 0, 3, 2, 2 };
	struct qm_topology t;
	struct qm_score s;

	(void)state;
	topo_make(&eight, &t);
	assert_int_equal(score_map(&t, map, 5, &s), 0);
	assert_int_equal(s.queues, 5);
	assert_ids(&s.unmapped, "4");
	assert_ids(&s.dead, "");
	assert_ids(&s.cross_node, "0");
	assert_ids(&s.cross_llc, "0");
	assert_int_equal(s.min_cpus, 1);
	assert_int_equal(s.max_cpus, 3);
	assert_int_equal(s.split_cores, 1);
	assert_int_equal(s.resilience, 0);
	qm_score_done(&s);
	qm_topology_done(&t);
}

static void dead_and_listed(void **state)
{
	static const int32_t map[] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	struct qm_topology t;
	struct qm_scorer *sc;
	struct qm_score s = { 0 };

	(void)state;
	topo_make(&eight, &t);
	assert_int_equal(qm_scorer_new(&t, &sc), 0);
	assert_int_equal(qm_scorer_map(sc, map, NULL, 2, &s), 0);
	assert_ids(&s.unmapped, "");
	assert_ids(&s.dead, "1");
	assert_int_equal(s.min_cpus, 7);
	assert_int_equal(s.resilience, 3); /* any three of four cores */
	/* A kernel that lists online CPUs only leaves it unmapped. */
	assert_int_equal(qm_scorer_map(sc, map, &t.online, 2, &s), 0);
	assert_ids(&s.unmapped, "1");
	assert_ids(&s.dead, "");
	qm_score_done(&s);
	qm_scorer_free(sc);
	qm_topology_done(&t);
}

static void refuses(void **state)
{
	static const int32_t over[] = { 0, 0, 0, 0, 0, 0, 0, 2 }, under[] = { -2, 0, 0, 0, 0, 0, 0, 0 };
	static const int32_t fine[] = { 0, 0, 0, 0, 0, 0, 0, 0 };
	struct qm_topology t;
	struct qm_score s;
	struct qm_best b;

	(void)state;
	topo_make(&eight, &t);
	assert_int_equal(score_map(&t, over, 2, &s), -EINVAL);
	assert_int_equal(score_map(&t, under, 2, &s), -EINVAL);
	assert_int_equal(score_map(&t, fine, 0, &s), -EINVAL);
	assert_int_equal(score_map(&t, fine, QM_QUEUES_MAX + 1, &s), -EINVAL);
	assert_int_equal(qm_best_map(&t, 0, &b), -EINVAL);
	assert_int_equal(qm_best_map(&t, QM_QUEUES_MAX + 1, &b), -EINVAL);
	qm_topology_done(&t);
}

static void scores_sets(void **state)
{
	struct qm_cpuset a = topo_list("0,2,4"), b = topo_list("1,3"), c = topo_list("7"), d = { 0 };
	const struct qm_cpuset *sets[] = { &a, &b, &c, &d };
	struct qm_topology t;
	struct qm_score s;

	(void)state;
	topo_make(&eight, &t);
	assert_int_equal(qm_score_sets(&t, sets, 4, &s), 0);
	assert_ids(&s.unmapped, "3");
	assert_ids(&s.dead, "2");
	assert_ids(&s.cross_node, "0");
	assert_ids(&s.cross_llc, "0");
	assert_int_equal(s.split_cores, 2);
	assert_int_equal(s.min_cpus, 2);
	assert_int_equal(s.max_cpus, 3);
	assert_int_equal(s.resilience, 1);
	qm_score_done(&s);
	qm_topology_done(&t);
}

/* What nobody knows accuses nobody: a CPU in no node or cache crosses nothing, siblings nobody told are no core. */
static void unknown_places(void **state)
{
	static const struct topo_spec spec = { .possible = "0-5", .nodes = "0:0-1;1:2-3", .llc = "0-1" };
	static const int32_t map[] = { 0, 0, 1, 1, 0, 1 };
	struct qm_topology t;
	struct qm_score s;

	(void)state;
	topo_make(&spec, &t);
	assert_int_equal(score_map(&t, map, 2, &s), 0);
	assert_ids(&s.cross_node, "");
	assert_ids(&s.cross_llc, "");
	assert_int_equal(s.split_cores, 0);
	assert_int_equal(s.resilience, 2);
	qm_score_done(&s);
	qm_topology_done(&t);
}

/* ---- the slow way ---- */

static bool same_core(const struct qm_topology *t, unsigned a, unsigned b)
{
	return a == b || (t->cores.of && t->cores.of[a] >= 0 && t->cores.of[a] == t->cores.of[b]);
}

struct figures {
	unsigned v[5]; /* unmapped, dead, cross_node, max_cpus, split_cores */
	unsigned resilience;
};

static void count_slowly(const struct qm_topology *t, const int32_t *map, unsigned queues, struct figures *ret)
{
	struct figures f = { .resilience = UINT_MAX };

	for (unsigned q = 0; q < queues; q++) {
		unsigned cpus = 0, cores = 0, all = 0;
		bool cross = false;

		for (unsigned c = 0; c < t->nr_cpus; c++) {
			bool first = true;

			if (map[c] != (int32_t)q)
				continue;
			all++;
			if (!qm_cpuset_test(&t->online, c))
				continue;
			cpus++;
			for (unsigned d = 0; d < c; d++) {
				if (map[d] != (int32_t)q || !qm_cpuset_test(&t->online, d))
					continue;
				first = first && !same_core(t, c, d);
				cross = cross || (t->node_of[c] >= 0 && t->node_of[d] >= 0 && t->node_of[c] != t->node_of[d]);
			}
			cores += first;
		}
		f.v[0] += !all;
		f.v[1] += all && !cpus;
		f.v[2] += cross;
		f.v[3] = cpus > f.v[3] ? cpus : f.v[3];
		if (cpus && cores - 1 < f.resilience)
			f.resilience = cores - 1;
	}
	for (unsigned c = 0; c < t->nr_cpus; c++) {
		bool first = true, split = false;

		if (!qm_cpuset_test(&t->online, c))
			continue;
		for (unsigned d = 0; d < t->nr_cpus; d++) {
			if (d == c || !qm_cpuset_test(&t->online, d) || !same_core(t, c, d))
				continue;
			first = first && d > c;
			split = split || map[d] != map[c];
		}
		f.v[4] += first && split;
	}
	if (f.resilience == UINT_MAX)
		f.resilience = 0;
	*ret = f;
}

static int compare_figures(const unsigned *a, const unsigned *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

struct random {
	uint64_t x;
};

static unsigned pick(struct random *r, unsigned below)
{
	r->x = r->x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(r->x >> 33) % below;
}

/* Any small machine: cores of up to four threads, some over two nodes; offline CPUs, holes, CPUs in no node. */
static void random_topology(struct random *rnd, unsigned nr_cpus, struct qm_topology *ret)
{
	unsigned nodes = 1 + pick(rnd, 4), threads = 1 + pick(rnd, 4);
	bool torn = pick(rnd, 6) == 0, loose = pick(rnd, 6) == 0, offline = pick(rnd, 2), even = pick(rnd, 2);
	struct qm_cpuset core[8] = { { 0 } };
	struct qm_topology t;
	struct topo_spec spec = { .nodes = "0:;1:;2:;3:" };
	char possible[16];

	snprintf(possible, sizeof(possible), "0-%u", nr_cpus - 1);
	spec.possible = possible;
	topo_make(&spec, &t);
	for (unsigned c = 0; c < nr_cpus; c++) {
		unsigned k = even ? c / threads : c % threads + pick(rnd, 2), node = pick(rnd, nodes);

		if (!torn && !qm_cpuset_is_empty(&core[k]))
			node = (unsigned)t.node_of[qm_cpuset_first(&core[k])];
		t.node_of[c] = (int)node;
		qm_cpuset_set(&core[k], c);
		qm_cpuset_set(&t.nodes[node].cpus, c);
	}
	for (unsigned k = 0; k < QM_ARRAY_SIZE(core); k++) {
		if (!qm_cpuset_is_empty(&core[k]))
			assert_int_equal(qm_groups_add(&t.cores, nr_cpus, &core[k]), 0);
	}
	qm_groups_sort(&t.cores, nr_cpus);
	qm_cpuset_zero(&t.unknown_core);
	if (loose)
		t.node_of[pick(rnd, nr_cpus)] = -1;
	for (unsigned c = 1; c < nr_cpus && offline; c++) {
		if (pick(rnd, 3) == 0)
			qm_cpuset_clear(&t.online, c);
	}
	*ret = t;
}

static void score_is_as_counted(void **state)
{
	struct random rnd = { 7 };
	struct qm_topology t;
	struct qm_score s = { 0 };

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		unsigned n = 1 + pick(&rnd, 8), queues = 1 + pick(&rnd, 5);
		struct qm_scorer *sc;
		int32_t map[8];

		random_topology(&rnd, n, &t);
		assert_int_equal(qm_scorer_new(&t, &sc), 0);
		for (unsigned j = 0; j < 20; j++) {
			struct qm_cpuset sets[5] = { { 0 } };
			const struct qm_cpuset *p[] = { &sets[0], &sets[1], &sets[2], &sets[3], &sets[4] };
			struct qm_score s2;
			struct figures f;

			for (unsigned c = 0; c < n; c++) {
				map[c] = (int32_t)pick(&rnd, queues);
				qm_cpuset_set(&sets[map[c]], c);
			}
			count_slowly(&t, map, queues, &f);
			assert_int_equal(qm_scorer_map(sc, map, NULL, queues, &s), 0);
			assert_int_equal(s.unmapped.n, f.v[0]);
			assert_int_equal(s.dead.n, f.v[1]);
			assert_int_equal(s.cross_node.n, f.v[2]);
			assert_int_equal(s.max_cpus, f.v[3]);
			assert_int_equal(s.split_cores, f.v[4]);
			assert_int_equal(s.resilience, f.resilience);
			assert_int_equal(qm_score_sets(&t, p, queues, &s2), 0);
			assert_int_equal(s2.unmapped.n, f.v[0]);
			assert_int_equal(s2.dead.n, f.v[1]);
			assert_int_equal(s2.cross_node.n, f.v[2]);
			assert_int_equal(s2.max_cpus, f.v[3]);
			assert_int_equal(s2.split_cores, f.v[4]);
			assert_int_equal(s2.resilience, f.resilience);
			assert_int_equal(s2.min_cpus, s.min_cpus);
			qm_score_done(&s2);
		}
		qm_scorer_free(sc);
		qm_topology_done(&t);
	}
	qm_score_done(&s);
}

/* The best of all maps. */
static void try_all(const struct qm_topology *t, unsigned queues, struct figures *ret)
{
	struct figures best = { .v = { UINT_MAX } };
	struct qm_score s = { 0 };
	struct qm_scorer *sc;
	int32_t map[8] = { 0 };

	assert_int_equal(qm_scorer_new(t, &sc), 0);
	for (;;) {
		struct figures f;
		unsigned c = 0;

		assert_int_equal(qm_scorer_map(sc, map, NULL, queues, &s), 0);
		f.v[0] = (unsigned)s.unmapped.n;
		f.v[1] = (unsigned)s.dead.n;
		f.v[2] = (unsigned)s.cross_node.n;
		f.v[3] = s.max_cpus;
		f.v[4] = s.split_cores;
		if (compare_figures(f.v, best.v, 5) < 0)
			best = f;
		while (c < t->nr_cpus && ++map[c] == (int32_t)queues)
			map[c++] = 0;
		if (c == t->nr_cpus)
			break;
	}
	qm_score_done(&s);
	qm_scorer_free(sc);
	*ret = best;
}

static void best_is_best(void **state)
{
	struct random rnd = { 11 };
	unsigned exact = 0, all = 0;

	(void)state;
	for (unsigned i = 0; i < 260; i++) {
		unsigned n = 1 + pick(&rnd, 7);
		struct qm_topology t;

		random_topology(&rnd, n, &t);
		for (unsigned queues = 1; queues <= (n > 6 ? 4 : 5); queues++) {
			struct qm_best b;
			struct figures f;
			unsigned v[5];

			try_all(&t, queues, &f);
			assert_int_equal(qm_best_map(&t, queues, &b), 0);
			v[0] = b.unmapped;
			v[1] = b.dead;
			v[2] = b.cross_node;
			v[3] = b.max_cpus;
			v[4] = b.split_cores;
			assert_int_equal(compare_figures(v, f.v, b.exact ? 5 : 4), 0);
			if (!b.exact)
				assert_true(b.split_cores <= f.v[4]);
			exact += b.exact;
			all++;
		}
		qm_topology_done(&t);
	}
	print_message("# best map exact in %u of %u cases\n", exact, all);
	assert_true(exact * 10 > all * 8);
}

static void assert_best(const struct topo_spec *spec, unsigned queues, const struct qm_best *want)
{
	struct qm_topology t;
	struct qm_best b;

	topo_make(spec, &t);
	assert_int_equal(qm_best_map(&t, queues, &b), 0);
	assert_int_equal(b.unmapped, want->unmapped);
	assert_int_equal(b.dead, want->dead);
	assert_int_equal(b.cross_node, want->cross_node);
	assert_int_equal(b.max_cpus, want->max_cpus);
	assert_int_equal(b.split_cores, want->split_cores);
	assert_int_equal(b.exact, want->exact);
	qm_topology_done(&t);
}

/* n CPUs, sibling of c at c + n/2. */
static char *far_cores(unsigned n)
{
	struct qm_strbuf b = { 0 };
	char *s;

	for (unsigned c = 0; c < n / 2; c++)
		qm_strbuf_addf(&b, "%s%u,%u", c ? ";" : "", c, c + n / 2);
	assert_int_equal(qm_strbuf_take(&b, &s), 0);
	return s;
}

static void best_of_known_machines(void **state)
{
	char *cores = far_cores(72);
	const struct topo_spec two = { .possible = "0-71", .nodes = "0:0-17,36-53;1:18-35,54-71", .cores = cores };
	const struct topo_spec half = {
		.possible = "0-71", .online = "0-35", .nodes = "0:0-17,36-53;1:18-35,54-71", .cores = cores,
	};
	const struct topo_spec four = { .possible = "0-15", .nodes = "0:0-3;1:4-7;2:8-11;3:12-15;4:" };

	(void)state;
	/* 18, 18, 12, 12, 12: an even split would cross. */
	assert_best(&two, 5, &(struct qm_best){ .max_cpus = 18, .exact = true });
	assert_best(&two, 1, &(struct qm_best){ .cross_node = 1, .max_cpus = 72, .exact = true });
	assert_best(&two, 2, &(struct qm_best){ .max_cpus = 36, .exact = true });
	assert_best(&two, 24, &(struct qm_best){ .max_cpus = 3, .split_cores = 12, .exact = true });
	assert_best(&two, 36, &(struct qm_best){ .max_cpus = 2, .exact = true });
	/* Each queue beyond 36 splits a core. */
	assert_best(&two, 37, &(struct qm_best){ .max_cpus = 2, .split_cores = 1, .exact = true });
	assert_best(&two, 64, &(struct qm_best){ .max_cpus = 2, .split_cores = 28, .exact = true });
	assert_best(&two, 72, &(struct qm_best){ .max_cpus = 1, .split_cores = 36, .exact = true });
	assert_best(&two, 80, &(struct qm_best){ .unmapped = 8, .max_cpus = 1, .split_cores = 36, .exact = true });
	assert_best(&half, 64, &(struct qm_best){ .dead = 28, .max_cpus = 1, .exact = true });
	assert_best(&half, 36, &(struct qm_best){ .max_cpus = 1, .exact = true });
	/* Fewer queues than nodes: one crosses, whatever one does. */
	assert_best(&four, 3, &(struct qm_best){ .cross_node = 1, .max_cpus = 8, .exact = true });
	assert_best(&four, 4, &(struct qm_best){ .max_cpus = 4, .exact = true });
	assert_best(&four, 6, &(struct qm_best){ .max_cpus = 4, .exact = true });
	free(cores);
}

static void compares_with_best(void **state)
{
	struct qm_best best = { .cross_node = 1, .max_cpus = 4, .split_cores = 2, .exact = true };
	struct qm_score s = { .max_cpus = 4, .split_cores = 2 };

	(void)state;
	assert_true(qm_score_compare_best(&s, &best) < 0); /* crosses nowhere */
	assert_int_equal(qm_ids_add(&s.cross_node, 3), 0);
	assert_int_equal(qm_score_compare_best(&s, &best), 0);
	s.split_cores = 3;
	assert_true(qm_score_compare_best(&s, &best) > 0);
	best.exact = false;
	assert_int_equal(qm_score_compare_best(&s, &best), 0);
	s.max_cpus = 5;
	assert_true(qm_score_compare_best(&s, &best) > 0);
	s.max_cpus = 4;
	assert_int_equal(qm_ids_add(&s.dead, 1), 0);
	assert_true(qm_score_compare_best(&s, &best) > 0);
	qm_score_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores_a_map),
		cmocka_unit_test(dead_and_listed),
		cmocka_unit_test(refuses),
		cmocka_unit_test(scores_sets),
		cmocka_unit_test(unknown_places),
		cmocka_unit_test(score_is_as_counted),
		cmocka_unit_test(best_is_best),
		cmocka_unit_test(best_of_known_machines),
		cmocka_unit_test(compares_with_best),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("score", tests, NULL, NULL);
}
