// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole devices: default, read and poll queues by one algorithm. */
#include "map/deal.h"

#include <errno.h>

#include "unit.h"

#define CPUS 8

static struct qm_topology topo;
static struct qm_mapper *mapper;
static int32_t map_default[CPUS], map_read[CPUS], map_poll[CPUS];
static int32_t *const maps[] = { map_default, map_read, map_poll };

static int setup(void **state)
{
	char *error = NULL;

	(void)state;
	assert_int_equal(qm_synthetic_parse("pack:2 [numa] core:2 pu:2", &topo, &error), 0);
	assert_int_equal(qm_mapper_new(&topo, &mapper), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	qm_mapper_free(mapper);
	qm_topology_done(&topo);
	return 0;
}

static const struct qm_algo *algo(enum qm_family family, const char *id)
{
	const struct qm_algo *a = qm_algo_find(family, id);

	assert_non_null(a);
	return a;
}

static void assert_map(const int32_t *map, const int32_t *expected)
{
	assert_memory_equal(map, expected, CPUS * sizeof(*map));
}

static void test_generic(void **state)
{
	struct qm_deal deal = { .algo = algo(QM_FAMILY_MAP, "v5.3"), .n = { 2, 4, 1 } };
	enum qm_spread_outcome outcome;
	unsigned warn;

	(void)state;
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), 0);
	assert_int_equal(outcome, QM_SPREAD_OK);
	assert_map(map_default, (const int32_t[]){ 0, 1, 0, 0, 1, 1, 0, 0 });
	assert_map(map_read, (const int32_t[]){ 0, 1, 2, 3, 0, 0, 1, 1 });
	assert_map(map_poll, (const int32_t[CPUS]){ 0 });
}

static void test_vectors(void **state)
{
	struct qm_deal deal = { .algo = algo(QM_FAMILY_IRQ, "v6.3"), .poll = algo(QM_FAMILY_MAP, "v6.3"),
				.n = { 4, 2, 1 }, .pre = 1 };
	enum qm_spread_outcome outcome;
	unsigned warn;

	(void)state;
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), 0);
	assert_map(map_default, (const int32_t[]){ 2, 2, 3, 3, 0, 0, 1, 1 });
	assert_map(map_read, (const int32_t[]){ 0, 0, 0, 0, 1, 1, 1, 1 });
	assert_map(map_poll, (const int32_t[CPUS]){ 0 });
}

static void test_sets_of_their_time(void **state)
{
	struct qm_deal deal = { .algo = algo(QM_FAMILY_IRQ, "v4.20"), .n = { 2, 2, 0 } };
	enum qm_spread_outcome outcome;
	unsigned warn;

	(void)state;
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), -ENOTSUP);
	deal.n[QM_HCTX_READ] = 0;
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), 0);
	deal.algo = algo(QM_FAMILY_VECTOR, "v4.13");
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), -EINVAL);
	deal.algo = algo(QM_FAMILY_MAP, "v6.3");
	deal.n[QM_HCTX_DEFAULT] = QM_QUEUES_MAX + 1;
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), -EINVAL);
}

/* A lone vector is not spread by 5.1 to 5.3: all CPUs go to its queue. */
static void test_no_masks(void **state)
{
	struct qm_deal deal = { .algo = algo(QM_FAMILY_IRQ, "v5.1"), .n = { 1, 0, 0 } };
	enum qm_spread_outcome outcome;
	unsigned warn;

	(void)state;
	assert_int_equal(qm_deal_run(mapper, &deal, maps, &outcome, &warn), 0);
	assert_int_equal(outcome, QM_SPREAD_NO_MASKS);
	assert_map(map_default, (const int32_t[CPUS]){ 0 });
}

static void test_companion(void **state)
{
	static const struct {
		const char *irq, *map;
	} pairs[] = { { "v4.9", "v3.19" },  { "v4.12", "v3.19" }, { "v4.13", "v4.13" }, { "v4.17", "v4.16" },
		      { "v5.1", "v4.16" },  { "v5.4", "v5.3" },   { "el8-394", "v5.3" }, { "v5.19", "v5.3" },
		      { "v6.11", "v6.11" }, { "v7.0", "v7.0" } };

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(pairs); i++)
		assert_string_equal(qm_deal_companion(algo(QM_FAMILY_IRQ, pairs[i].irq))->id, pairs[i].map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_sets_of_their_time),
		cmocka_unit_test(test_no_masks),
		cmocka_unit_test(test_companion),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
