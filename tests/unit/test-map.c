// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of algorithms, bad arguments, kernel bugs as results, maps from masks, and the machines of the reports. */
#include "unit.h"

#include <errno.h>

#include "../vectors/mkmachine.h"
#include "map/map.h"
#include "topo.h"

static int32_t map[QM_CPU_MAX];

static struct qm_mapper *mapper_of(const struct topo_spec *s)
{
	struct qm_topology t;
	struct qm_mapper *m = NULL;

	topo_make(s, &t);
	assert_int_equal(qm_mapper_new(&t, &m), 0);
	qm_topology_done(&t);
	return m;
}

static struct qm_mapper *mapper_regular(unsigned nodes, unsigned cores, unsigned threads)
{
	struct qm_topology t;
	struct qm_mapper *m = NULL;

	assert_int_equal(make_machine(nodes, cores, threads, &t), 0);
	assert_int_equal(qm_mapper_new(&t, &m), 0);
	qm_topology_done(&t);
	return m;
}

static const struct qm_algo *map_algo(const char *id)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_MAP, id);

	assert_non_null(a);
	return a;
}

static const struct qm_algo *irq_algo(const char *id)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_IRQ, id);

	assert_non_null(a);
	return a;
}

static void run(struct qm_mapper *m, const char *id, unsigned queues, unsigned want_warn)
{
	unsigned warn = 99;

	assert_int_equal(qm_map_run(m, map_algo(id), queues, NULL, map, &warn), 0);
	assert_int_equal(warn, want_warn);
}

static void assert_map(unsigned n, const int32_t *want)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(map[i], want[i]);
}

/* Queues without any CPU, as a set. */
static struct qm_cpuset unmapped(const struct qm_mapper *m, unsigned queues)
{
	struct qm_cpuset s = { 0 };

	qm_cpuset_set_range(&s, 0, queues - 1);
	for (unsigned cpu = 0; cpu < qm_mapper_nr_cpus(m); cpu++) {
		if (map[cpu] >= 0)
			qm_cpuset_clear(&s, (unsigned)map[cpu]);
	}
	return s;
}

static void assert_set(const struct qm_cpuset *s, const char *want)
{
	struct qm_cpuset w = topo_list(want);

	assert_true(qm_cpuset_is_equal(s, &w));
}

/* Queues that serve CPUs of more than one node, nodes being equal runs of the first threads. */
static unsigned cross_node(unsigned nodes, unsigned cores, unsigned threads, unsigned queues)
{
	unsigned n = 0;

	for (unsigned q = 0; q < queues; q++) {
		int seen = -1;
		bool crosses = false;

		for (unsigned cpu = 0; cpu < nodes * cores * threads; cpu++) {
			int node = (int)(cpu % (nodes * cores) / cores);

			if (map[cpu] != (int32_t)q)
				continue;
			crosses = crosses || (seen >= 0 && seen != node);
			seen = node;
		}
		n += crosses;
	}
	return n;
}

static void table_is_in_order(void **state)
{
	static const char *const ids[] = {
		"v3.13", "v3.19", "v4.13-posted", "v4.13", "v4.16", "v5.3", "v6.3", "v6.9", "v6.11", "v6.17", "v7.0",
		"suse-hk", "v4.9", "v4.12", "v4.13", "v4.16", "v4.17", "v4.20", "v5.0", "v5.1", "v5.4", "el8-394", "v5.19",
		"v6.3", "v6.9", "v6.11", "v6.17", "v7.0", "v4.9", "v4.11", "v4.13", "v4.14", "v6.14",
	};
	const struct qm_algo *a;
	size_t n = 0;

	(void)state;
	for (; (a = qm_algo_get(n)); n++) {
		assert_true(n < QM_ARRAY_SIZE(ids));
		assert_string_equal(a->id, ids[n]);
		assert_int_equal(a->family, n < 12 ? QM_FAMILY_MAP : n < 28 ? QM_FAMILY_IRQ : QM_FAMILY_VECTOR);
		assert_ptr_equal(qm_algo_find(a->family, a->id), a);
		assert_true(strlen(a->title) > 10 && strlen(a->title) < 80);
		assert_true(strlen(a->text) > 50);
		assert_true(strlen(a->commits) > 6);
		assert_true(a->first && a->rule);
	}
	assert_int_equal(n, QM_ARRAY_SIZE(ids));
	assert_null(qm_algo_get(n + 1000));
}

static void texts_give_the_figures(void **state)
{
	(void)state;
	assert_non_null(strstr(map_algo("v4.13")->text, "4723.5K"));
	assert_non_null(strstr(map_algo("v4.13")->text, "4890.4K"));
	assert_non_null(strstr(map_algo("v6.3")->text, "30 %"));
	assert_non_null(strstr(map_algo("v6.3")->text, "2.5M"));
	assert_non_null(strstr(map_algo("v6.3")->text, "4.3M"));
}

static void specs_are_parsed(void **state)
{
	static const char *const bad[] = { "", "v9.9", "map:", ":v6.3", "map:v9.9", "ma:v6.3", "mapp:v6.3", "irq:suse-hk",
					   "v6.3 ", "V6.3", "cpumap:v6.3", "map:irq:v6.3" };
	const struct qm_algo *a = NULL;

	(void)state;
	assert_int_equal(qm_algo_parse("v6.3", QM_FAMILY_MAP, &a), 0);
	assert_ptr_equal(a, map_algo("v6.3"));
	assert_int_equal(qm_algo_parse("v6.3", QM_FAMILY_IRQ, &a), 0);
	assert_ptr_equal(a, irq_algo("v6.3"));
	assert_int_equal(qm_algo_parse("map:v6.3", QM_FAMILY_IRQ, &a), 0);
	assert_ptr_equal(a, map_algo("v6.3"));
	assert_int_equal(qm_algo_parse("vector:v4.13", QM_FAMILY_MAP, &a), 0);
	assert_int_equal(a->family, QM_FAMILY_VECTOR);
	a = NULL;
	for (size_t i = 0; i < QM_ARRAY_SIZE(bad); i++) {
		assert_int_equal(qm_algo_parse(bad[i], QM_FAMILY_MAP, &a), -ENOENT);
		assert_null(a);
	}
	assert_string_equal(qm_family_name(QM_FAMILY_IRQ), "irq");
	assert_string_equal(qm_family_name(_QM_FAMILY_MAX), "?");
}

static void bad_counts_are_refused(void **state)
{
	struct qm_mapper *m = mapper_regular(2, 2, 2);
	struct qm_cpuset none = { 0 };
	const struct qm_algo *a;

	(void)state;
	for (size_t i = 0; (a = qm_algo_get(i)); i++) {
		int want = a->family == QM_FAMILY_MAP ? 0 : -EINVAL;

		map[0] = 77;
		assert_int_equal(qm_map_run(m, a, 0, NULL, map, NULL), -EINVAL);
		assert_int_equal(qm_map_run(m, a, 65536, NULL, map, NULL), -EINVAL);
		assert_int_equal(qm_map_run(m, a, UINT32_MAX, NULL, map, NULL), -EINVAL);
		assert_int_equal(map[0], 77);
		assert_int_equal(qm_map_run(m, a, 65535, NULL, map, NULL), want);
	}
	assert_int_equal(qm_map_run(m, map_algo("suse-hk"), 4, &none, map, NULL), -EINVAL);
	assert_int_equal(qm_map_run(m, map_algo("v6.3"), 4, &none, map, NULL), 0);
	qm_mapper_free(m);
	qm_mapper_free(NULL);
}

static void bad_machines_are_refused(void **state)
{
	struct qm_topology t = { 0 };
	struct qm_mapper *m = NULL;

	(void)state;
	assert_int_equal(qm_mapper_new(&t, &m), -EINVAL);
	t.nr_cpus = 4;
	assert_int_equal(qm_mapper_new(&t, &m), -EINVAL);
	qm_cpuset_set_range(&t.possible, 0, 4);
	assert_int_equal(qm_mapper_new(&t, &m), -EINVAL);
	t.nr_cpus = QM_CPU_MAX + 1;
	assert_int_equal(qm_mapper_new(&t, &m), -EINVAL);
	t.nr_cpus = 5;
	t.nr_node_ids = 1u << 31;
	assert_int_equal(qm_mapper_new(&t, &m), -ERANGE);
	assert_null(m);
	/* No node, no core, nothing present or online: odd, but it has CPUs. */
	t.nr_node_ids = 0;
	assert_int_equal(qm_mapper_new(&t, &m), 0);
	run(m, "v6.3", 2, 0);
	assert_map(5, (const int32_t[]){ 0, 0, 0, 1, 1 });
	run(m, "v3.19", 2, 0);
	assert_map(5, (const int32_t[]){ 0, 0, 0, 0, 0 });
	qm_mapper_free(m);
}

/* 2 sockets, 18 cores each, 2 threads: the first report. */
static void the_72_thread_machine(void **state)
{
	static const char *const later[] = { "v4.13", "v4.16", "v5.3", "v6.3", "v6.9", "v6.11", "v6.17", "v7.0" };
	struct qm_mapper *m = mapper_regular(2, 18, 2);
	struct qm_cpuset s;

	(void)state;
	run(m, "v3.13", 64, 0);
	s = unmapped(m, 64);
	assert_set(&s, "36-63");
	run(m, "v3.19", 64, 0);
	s = unmapped(m, 64);
	assert_int_equal(qm_cpuset_count(&s), 28);
	for (size_t i = 0; i < QM_ARRAY_SIZE(later); i++) {
		run(m, later[i], 64, 0);
		s = unmapped(m, 64);
		assert_int_equal(qm_cpuset_count(&s), 0);
		run(m, later[i], 24, 0);
		assert_int_equal(cross_node(2, 18, 2, 24), i < 3 ? 12 : 0);
	}
	qm_mapper_free(m);
}

static void the_160_cpu_machine(void **state)
{
	static const char *const ids[] = { "v4.13", "v4.16", "v5.3", "v6.3", "v6.9", "v6.11", "v6.17", "v7.0" };
	struct qm_mapper *m = mapper_regular(2, 80, 1);

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(ids); i++) {
		run(m, ids[i], 2, 0);
		assert_int_equal(cross_node(2, 80, 1, 2), i < 3 ? 2 : 0);
	}
	qm_mapper_free(m);
}

/* 44 cores, 88 threads: what happens to surplus queues. */
static void surplus_queues(void **state)
{
	struct qm_mapper *m = mapper_regular(2, 22, 2);
	struct qm_cpuset s;

	(void)state;
	run(m, "v5.3", 96, 0);
	s = unmapped(m, 96);
	assert_set(&s, "88-95");
	run(m, "v6.11", 96, 1);
	s = unmapped(m, 96);
	assert_set(&s, "88-95");
	run(m, "v6.17", 96, 0);
	s = unmapped(m, 96);
	assert_set(&s, "0-7");
	qm_mapper_free(m);
}

/* CPU 5 offline, CPUs 6 and 7 absent, no threads, as many queues as CPUs. */
static void offline_cpus(void **state)
{
	static const struct topo_spec s = { .possible = "0-7", .present = "0-5", .online = "0-4" };
	struct qm_mapper *m = mapper_of(&s);

	(void)state;
	run(m, "v3.19", 8, 0);
	assert_map(8, (const int32_t[]){ 0, 1, 3, 4, 6, 0, 0, 0 });
	run(m, "v4.13-posted", 8, 0);
	assert_map(8, (const int32_t[]){ 0, 1, 2, 3, 4, 0, 0, 0 });
	run(m, "v4.13", 8, 0);
	assert_map(8, (const int32_t[]){ 0, 1, 2, 3, 4, 5, 0, 0 });
	run(m, "v4.16", 8, 0);
	assert_map(8, (const int32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
	run(m, "v5.3", 4, 0);
	assert_map(8, (const int32_t[]){ 0, 1, 2, 3, 0, 1, 2, 3 });
	run(m, "v6.3", 4, 0);
	assert_map(8, (const int32_t[]){ 0, 0, 1, 1, 2, 3, 0, 1 });
	qm_mapper_free(m);
}

static void holes_have_no_queue(void **state)
{
	static const struct topo_spec s = { .possible = "1,3-4" };
	struct qm_mapper *m = mapper_of(&s);
	const struct qm_algo *a;

	(void)state;
	assert_int_equal(qm_mapper_nr_cpus(m), 5);
	for (size_t i = 0; (a = qm_algo_get(i))->family == QM_FAMILY_MAP; i++) {
		run(m, a->id, 2, 0);
		assert_int_equal(map[0], QM_QUEUE_NONE);
		assert_int_equal(map[2], QM_QUEUE_NONE);
		assert_true(map[1] >= 0 && map[3] >= 0 && map[4] >= 0);
	}
	run(m, "v4.16", 3, 0);
	assert_map(5, (const int32_t[]){ -1, 1, -1, 0, 1 });
	qm_mapper_free(m);
}

static void bad_spreads_are_refused(void **state)
{
	static const struct {
		const char *id;
		struct qm_spread what;
	} bad[] = {
		{ "v6.3", { .vectors = 0 } },
		{ "v6.3", { .vectors = 65536 } },
		{ "v6.3", { .vectors = 4, .pre = 4 } },
		{ "v6.3", { .vectors = 4, .pre = 5 } },
		{ "v6.3", { .vectors = 4, .sets = { 2, 3 }, .n_sets = 2 } },
		{ "v6.3", { .vectors = 6, .sets = { 2, 3 }, .n_sets = 2 } },
		{ "v6.3", { .vectors = 4, .sets = { 4, 0 }, .n_sets = 2 } },
		{ "v6.3", { .vectors = 4, .sets = { 5, UINT32_MAX }, .n_sets = 2 } },
		{ "v6.3", { .vectors = 5, .sets = { 1, 1, 1, 1 }, .n_sets = 5 } },
		{ "v4.9", { .vectors = 4, .pre = 1 } },
		{ "v4.20", { .vectors = 4, .sets = { 2, 2 }, .n_sets = 2 } },
	};
	struct qm_mapper *m = mapper_regular(2, 2, 2);
	enum qm_spread_outcome outcome = QM_SPREAD_NO_MASKS;
	struct qm_cpuset masks[4];

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(bad); i++) {
		assert_int_equal(qm_spread_run(m, irq_algo(bad[i].id), &bad[i].what, masks, &outcome, NULL), -EINVAL);
		assert_int_equal(outcome, QM_SPREAD_NO_MASKS);
	}
	assert_int_equal(qm_spread_run(m, map_algo("v6.3"), &(struct qm_spread){ .vectors = 4 }, masks, &outcome, NULL),
			 -EINVAL);
	assert_false(qm_algo_takes_pre(irq_algo("v4.9")));
	assert_true(qm_algo_takes_pre(irq_algo("v4.12")));
	assert_false(qm_algo_takes_sets(irq_algo("v4.20")));
	assert_true(qm_algo_takes_sets(irq_algo("v5.0")));
	qm_mapper_free(m);
}

static enum qm_spread_outcome outcome_of(struct qm_mapper *m, const char *id, unsigned vectors, unsigned pre)
{
	struct qm_spread what = { .vectors = vectors, .pre = pre };
	enum qm_spread_outcome outcome = QM_SPREAD_OK;
	struct qm_cpuset masks[16];

	assert_int_equal(qm_spread_run(m, irq_algo(id), &what, masks, &outcome, NULL), 0);
	return outcome;
}

/* Where those kernels crash. */
static void crashes_are_results(void **state)
{
	static const struct topo_spec absent = { .possible = "0-23", .present = "0-4", .nodes = "0:0-7;1:8-15;2:16-23" };
	static const struct topo_spec sparse = { .possible = "0-15", .nodes = "4:0-7;9:8-15" };
	static const char *const crash[] = { "v4.17", "v4.20", "v5.0", "v5.1" };
	static const char *const fine[] = { "v4.16", "v5.4", "v5.19", "v7.0" };
	struct qm_mapper *m = mapper_of(&absent);

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(crash); i++) {
		assert_int_equal(outcome_of(m, crash[i], 8, 1), QM_SPREAD_DIVIDE_BY_ZERO);
		assert_int_equal(outcome_of(m, crash[i], 8, 0), QM_SPREAD_OK);
	}
	for (size_t i = 0; i < QM_ARRAY_SIZE(fine); i++)
		assert_int_equal(outcome_of(m, fine[i], 8, 1), QM_SPREAD_OK);
	qm_mapper_free(m);
	m = mapper_of(&sparse);
	assert_int_equal(outcome_of(m, "v4.9", 4, 0), QM_SPREAD_DIVIDE_BY_ZERO);
	assert_int_equal(outcome_of(m, "v4.12", 4, 0), QM_SPREAD_OK);
	qm_mapper_free(m);
}

static void lone_vectors(void **state)
{
	struct qm_mapper *m = mapper_regular(2, 2, 2);

	(void)state;
	assert_int_equal(outcome_of(m, "v5.0", 1, 0), QM_SPREAD_OK);
	assert_int_equal(outcome_of(m, "v5.1", 1, 0), QM_SPREAD_NO_MASKS);
	assert_int_equal(outcome_of(m, "v5.1", 2, 1), QM_SPREAD_OK);
	assert_int_equal(outcome_of(m, "v5.4", 1, 0), QM_SPREAD_OK);
	qm_mapper_free(m);
}

static void maps_from_masks(void **state)
{
	static const struct topo_spec s = { .possible = "0-5,7", .nodes = "0:0-2;1:3-5,7" };
	struct qm_cpuset a = topo_list("0-2"), b = topo_list("2-3,6,100"), none = { 0 };
	const struct qm_cpuset *masks[] = { &a, &b, &none };
	struct qm_mapper *m = mapper_of(&s);

	(void)state;
	assert_int_equal(qm_vector_map(m, masks, 3, 0, QM_FALLBACK_ERROR, NULL, map), 0);
	assert_map(8, (const int32_t[]){ 0, 0, 1, 1, 0, 0, -1, 0 });
	assert_int_equal(qm_vector_map(m, masks, 3, 4, QM_FALLBACK_ERROR, NULL, map), 0);
	assert_map(8, (const int32_t[]){ 4, 4, 5, 5, 0, 0, -1, 0 });
	assert_int_equal(qm_vector_map(m, masks, 0, 0, QM_FALLBACK_QUEUE0, NULL, map), -EINVAL);
	assert_int_equal(qm_vector_map(m, masks, 3, 65533, QM_FALLBACK_QUEUE0, NULL, map), -EINVAL);
	qm_mapper_free(m);
}

static void maps_without_masks(void **state)
{
	static const struct topo_spec s = { .possible = "0-5,7", .nodes = "0:0-2;1:3-5,7" };
	struct qm_cpuset a = topo_list("0-2");
	const struct qm_cpuset *masks[] = { &a, NULL };
	struct qm_mapper *m = mapper_of(&s);

	(void)state;
	assert_int_equal(qm_vector_map(m, masks, 2, 0, QM_FALLBACK_ERROR, NULL, map), -EINVAL);
	assert_int_equal(qm_vector_map(m, masks, 2, 3, QM_FALLBACK_QUEUE0, NULL, map), 0);
	assert_map(8, (const int32_t[]){ 0, 0, 0, 0, 0, 0, -1, 0 });
	assert_int_equal(qm_vector_map(m, masks, 2, 3, QM_FALLBACK_MAP, map_algo("v6.11"), map), 0);
	assert_map(8, (const int32_t[]){ 3, 3, 3, 4, 4, 4, -1, 4 });
	assert_int_equal(qm_vector_map(m, masks, 2, 3, QM_FALLBACK_MAP, NULL, map), -EINVAL);
	assert_int_equal(qm_vector_map(m, masks, 2, 3, QM_FALLBACK_MAP, irq_algo("v6.11"), map), -EINVAL);
	assert_int_equal(qm_algo_fallback(qm_algo_find(QM_FAMILY_VECTOR, "v4.9")), QM_FALLBACK_ERROR);
	assert_int_equal(qm_algo_fallback(qm_algo_find(QM_FAMILY_VECTOR, "v4.13")), QM_FALLBACK_QUEUE0);
	assert_int_equal(qm_algo_fallback(qm_algo_find(QM_FAMILY_VECTOR, "v6.14")), QM_FALLBACK_MAP);
	qm_mapper_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_in_order),
		cmocka_unit_test(texts_give_the_figures),
		cmocka_unit_test(specs_are_parsed),
		cmocka_unit_test(bad_counts_are_refused),
		cmocka_unit_test(bad_machines_are_refused),
		cmocka_unit_test(the_72_thread_machine),
		cmocka_unit_test(the_160_cpu_machine),
		cmocka_unit_test(surplus_queues),
		cmocka_unit_test(offline_cpus),
		cmocka_unit_test(holes_have_no_queue),
		cmocka_unit_test(bad_spreads_are_refused),
		cmocka_unit_test(crashes_are_results),
		cmocka_unit_test(lone_vectors),
		cmocka_unit_test(maps_from_masks),
		cmocka_unit_test(maps_without_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
