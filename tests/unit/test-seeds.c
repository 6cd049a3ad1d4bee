// SPDX-License-Identifier: GPL-2.0-or-later
/* The reports that this work grew from, and what each change of the kernel did about them. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "map/era.h"
#include "map/score.h"
#include "map/sets.h"

#define MACHINE_72 "pack:2 [numa] core:18 pu:2 order=thread-first"
#define MACHINE_88 "pack:2 [numa] core:22 pu:2 order=thread-first"
#define MACHINE_160 "pack:2 [numa] core:80 pu:1"

static const char *const eras[] = { "v3.13", "v3.19", "v4.13-posted", "v4.13", "v4.16", "v5.3",
				    "v6.3",  "v6.9",  "v6.11",	      "v6.17", "v7.0" };

enum { V3_13, V3_19, V4_13_POSTED, V4_13, V4_16, V5_3, V6_3, V6_9, V6_11, V6_17, V7_0, N_ERAS };

static void machine(const char *spec, struct qm_topology *ret)
{
	char *error = NULL;

	if (qm_synthetic_parse(spec, ret, &error) < 0)
		fail_msg("%s: %s", spec, error ? error : "?");
}

static void switch_off(struct qm_topology *t, const char *cpus)
{
	struct qm_cpuset off = { 0 };

	assert_int_equal(qm_cpuset_parse_list(cpus, -1, &off), 0);
	qm_cpuset_andnot(&t->online, &off);
}

/* The map of one era and its score. map may be NULL. */
static void run(const struct qm_topology *t, unsigned era, unsigned queues, int32_t *map, struct qm_score *ret)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_MAP, eras[era]);
	int32_t *m = map ? map : calloc(t->nr_cpus, sizeof(*m));
	struct qm_score score = { 0 };
	struct qm_mapper *mapper;
	struct qm_scorer *scorer;

	assert_non_null(a);
	assert_int_equal(qm_mapper_new(t, &mapper), 0);
	assert_int_equal(qm_map_run(mapper, a, queues, NULL, m, NULL), 0);
	assert_int_equal(qm_scorer_new(t, &scorer), 0);
	assert_int_equal(qm_scorer_map(scorer, m, qm_era_listed_cpus(a, t), queues, &score), 0);
	qm_scorer_free(scorer);
	qm_mapper_free(mapper);
	if (!map)
		free(m);
	*ret = score;
}

static void assert_ids(const struct qm_ids *ids, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_ids_format(ids, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

/* 72 CPUs, 64 queues: the connect that was refused. */
static void the_report(void **state)
{
	static const char *const unmapped[] = {
		"36-63", "2,4,6,9,11,13,15,18,20,22,25,27,29,31,34,36,38,41,43,45,47,50,52,54,57,59,61,63",
	};
	struct qm_topology t;

	(void)state;
	machine(MACHINE_72, &t);
	for (unsigned e = 0; e < N_ERAS; e++) {
		struct qm_score s;

		run(&t, e, 64, NULL, &s);
		assert_ids(&s.unmapped, e < QM_ARRAY_SIZE(unmapped) ? unmapped[e] : "");
		assert_int_equal(s.unmapped.n, e < QM_ARRAY_SIZE(unmapped) ? 28 : 0);
		assert_ids(&s.dead, "");
		/* The price of 4.13: threads of a core no longer share a queue, here and below. */
		assert_int_equal(s.split_cores, e < V4_13_POSTED ? 0 : 28);
		qm_score_done(&s);
	}
	qm_topology_done(&t);
}

/* 24 queues: from 4.13 to 6.2 half of them serve both sockets. */
static void the_price(void **state)
{
	struct qm_topology t;
	struct qm_best best;

	(void)state;
	machine(MACHINE_72, &t);
	assert_int_equal(qm_best_map(&t, 24, &best), 0);
	assert_int_equal(best.cross_node, 0);
	for (unsigned e = 0; e < N_ERAS; e++) {
		struct qm_score s;

		run(&t, e, 24, NULL, &s);
		assert_int_equal(s.cross_node.n, e >= V4_13_POSTED && e <= V5_3 ? 12 : 0);
		/* Rounding up leaves queues empty in 3.13. */
		assert_int_equal(s.unmapped.n, e == V3_13 ? 6 : 0);
		/* 6.3 leaves nothing to wish for but whole cores: 6 more could share a queue. */
		assert_true(qm_score_compare_best(&s, &best) > 0);
		if (e >= V6_3) {
			assert_int_equal(s.max_cpus, best.max_cpus);
			assert_int_equal(s.split_cores, best.split_cores + 6);
		}
		qm_score_done(&s);
	}
	qm_topology_done(&t);
}

/* 44 cores, 88 threads. */
static void eighty_eight(void **state)
{
	struct qm_topology t;

	(void)state;
	machine(MACHINE_88, &t);
	for (unsigned e = 0; e < N_ERAS; e++) {
		struct qm_score s;

		run(&t, e, 64, NULL, &s);
		assert_int_equal(s.unmapped.n, e < V4_13_POSTED ? 20 : 0);
		qm_score_done(&s);
		/* As many queues as CPUs: one each, in every era. */
		run(&t, e, 88, NULL, &s);
		assert_int_equal(s.unmapped.n, 0);
		assert_int_equal(s.max_cpus, 1);
		qm_score_done(&s);
		/* More: the last ones have none, and from 6.17 on the first ones. */
		run(&t, e, 96, NULL, &s);
		if (e >= V6_17)
			assert_ids(&s.unmapped, "0-7");
		else if (e != V3_19)
			assert_ids(&s.unmapped, "88-95");
		assert_int_equal(s.unmapped.n, 8);
		qm_score_done(&s);
	}
	qm_topology_done(&t);
}

/* 160 CPUs on two nodes without threads, 2 queues: each serves both nodes from 4.13 to 6.2. */
static void two_queues(void **state)
{
	struct qm_topology t;

	(void)state;
	machine(MACHINE_160, &t);
	for (unsigned e = 0; e < N_ERAS; e++) {
		struct qm_score s;

		run(&t, e, 2, NULL, &s);
		assert_ids(&s.cross_node, e >= V4_13_POSTED && e <= V5_3 ? "0-1" : "");
		assert_int_equal(s.min_cpus, 80);
		assert_int_equal(s.max_cpus, 80);
		qm_score_done(&s);
	}
	qm_topology_done(&t);
}

/* An RDMA adapter with 60 completion vectors beside 64 queues asked for. */
static void sixty_vectors(void **state)
{
	static const struct {
		enum qm_fabrics_rule rule;
		unsigned era, asked, unmapped;
	} t[] = {
		{ QM_FABRICS_PLAIN, V3_19, 64, 28 },
		{ QM_FABRICS_CAPPED, V3_19, 60, 24 }, /* fewer vectors do not mend it */
		{ QM_FABRICS_CAPPED, V4_16, 60, 0 },
		{ QM_FABRICS_SPLIT_VECTORS, V5_3, 60, 0 },
		{ QM_FABRICS_SPLIT, V6_11, 64, 0 },
	};
	struct qm_topology topo;

	(void)state;
	machine(MACHINE_72, &topo);
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		const struct qm_fabrics_in in = { .nr_io = 64, .online = 72, .vectors = 60 };
		unsigned asked = qm_fabrics_asked(t[i].rule, &in);
		struct qm_score s;

		assert_int_equal(asked, t[i].asked);
		run(&topo, t[i].era, asked, NULL, &s);
		assert_int_equal(s.unmapped.n, t[i].unmapped);
		qm_score_done(&s);
	}
	qm_topology_done(&topo);
}

/* Offline CPUs, a first and a second thread: on queue 0 in some eras, as if online in others. */
static void offline_cpus(void **state)
{
	static const struct {
		int first, second, sibling; /* queues of CPUs 5 and 40, and of CPU 41, the online sibling of 5 */
		const char *dead;
	} want[N_ERAS] = {
		/* Offline CPUs keep queue 0; 41 stands for its core, the last of all. */
		[V3_13] = { 0, 0, 35, "" },
		[V3_19] = { 0, 0, 35, "" },
		/* The test was on online CPUs. */
		[V4_13_POSTED] = { 0, 0, 5, "" },
		/* On present ones, then on none: by number, as if online; without siblings each is a core of its own. */
		[V4_13] = { 5, 4, 5, "" },
		[V4_16] = { 5, 4, 5, "" },
		/* The same, but 40 and 41 count on from 36 instead of by number: nobody shares queue 5 with CPU 5. */
		[V5_3] = { 5, 0, 1, "5" },
		/* Node 1's groups come first; 4 and 40, 5 and 41 are no longer taken together. */
		[V6_3] = { 22, 35, 35, "" },
		[V6_9] = { 22, 35, 35, "" },
		[V6_11] = { 22, 35, 35, "" },
		[V6_17] = { 22, 35, 35, "" },
		/* A node with an offline CPU has no clusters. */
		[V7_0] = { 22, 35, 35, "" },
	};
	struct qm_topology t;
	int32_t map[72];

	(void)state;
	machine(MACHINE_72, &t);
	switch_off(&t, "5,40");
	for (unsigned e = 0; e < N_ERAS; e++) {
		struct qm_score s;

		run(&t, e, 36, map, &s);
		print_message("# %s\n", eras[e]);
		assert_int_equal(map[5], want[e].first);
		assert_int_equal(map[40], want[e].second);
		assert_int_equal(map[41], want[e].sibling);
		assert_ids(&s.unmapped, "");
		assert_ids(&s.dead, want[e].dead);
		qm_score_done(&s);
	}
	qm_topology_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report),  cmocka_unit_test(the_price),	cmocka_unit_test(eighty_eight),
		cmocka_unit_test(two_queues),  cmocka_unit_test(sixty_vectors), cmocka_unit_test(offline_cpus),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("seeds", tests, NULL, NULL);
}
