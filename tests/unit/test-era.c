// SPDX-License-Identifier: GPL-2.0-or-later
/* Which algorithm a release string means, and what else its age decides. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "map/era.h"
#include "topo.h"

static void assert_era(const char *release, enum qm_family family, const char *want, bool sure)
{
	struct qm_kernel k = { 0 };
	struct qm_strbuf b = { 0 };
	struct qm_era e;

	assert_int_equal(qm_kernel_parse(release, &k), 0);
	qm_era_of_kernel(&k, family, &e);
	for (size_t i = 0; i < e.n; i++)
		qm_strbuf_addf(&b, "%s%s", i ? " " : "", e.v[i]->id);
	if (strcmp(qm_strbuf_str(&b), want) != 0 || e.sure != sure)
		print_message("# %s %s\n", qm_family_name(family), release);
	assert_string_equal(qm_strbuf_str(&b), want);
	assert_int_equal(e.sure, sure);
	for (size_t i = 0; i < e.n; i++)
		assert_int_equal(e.v[i]->family, family);
	qm_strbuf_done(&b);
	qm_kernel_done(&k);
}

struct era_case {
	const char *release, *want;
	bool sure;
};

static void map_eras(void **state)
{
	static const struct era_case t[] = {
		{ "3.12.0", "", false }, /* no multi-queue block layer */
		{ "3.13", "v3.13", true },
		{ "3.18.140", "v3.13", true },
		{ "3.19-rc4", "v3.19 v3.13", false }, /* still had the old rule */
		{ "3.19", "v3.19", true },
		{ "4.12.14", "v3.19", true },
		{ "4.13", "v4.13", true },
		{ "4.14", "v4.13 v4.16", false },
		{ "4.14.20", "v4.16 v4.13", false },
		{ "4.14.154", "v4.16", true },
		{ "4.14.355-276.618.amzn2.x86_64", "v4.16", true },
		{ "4.15.18", "v4.13", true },
		{ "4.15.0-20-generic", "v4.13 v4.16", false },
		{ "4.16", "v4.16", true },
		{ "4.19.191", "v4.16", true },
		{ "5.2.21", "v4.16", true },
		{ "5.3", "v5.3", true },
		{ "5.4.0-150-generic", "v5.3", true },
		{ "5.10.0-32-amd64", "v5.3", true },
		{ "5.15.0-47-generic", "v5.3", true },
		{ "6.1.192", "v5.3", true },
		{ "6.1.0-18-amd64", "v5.3", true },
		{ "6.2.16", "v5.3", true },
		{ "6.3.0", "v6.3", true },
		{ "6.8.0-31-generic", "v6.3", true },
		{ "6.8.12-4-pve", "v6.3", true },
		{ "6.9.7-200.fc40.x86_64", "v6.9", true },
		{ "6.10.0-0.rc5.43.fc41.x86_64", "v6.9", true }, /* 6.10 changed nothing */
		{ "6.11.0-0.rc1.1.fc42.x86_64", "v6.11 v6.9", false },
		{ "6.11.5", "v6.11", true },
		{ "6.12.117+deb13-amd64", "v6.11", true },
		{ "6.16.1-arch1-1", "v6.11", true },
		{ "6.17.0-1014-nvidia", "v6.17", true },
		{ "6.19.3", "v6.17", true },
		{ "7.0-rc5", "v7.0 v6.17", false },
		{ "7.0", "v7.0", true },
		{ "7.2.13+deb14-amd64", "v7.0", true },
		{ "7.3", "v7.0", false }, /* newer than all we know */
		{ "12.1", "v7.0", false },
		/* distributions that rework the block layer */
		{ "2.6.32-754.el6.x86_64", "v3.13", false },
		{ "3.10.0-1160.el7.x86_64", "v3.19 v3.13 v4.13 v4.16", false },
		{ "4.18.0-80.el8.x86_64", "v4.16 v5.3", false },
		{ "4.18.0-147.el8.x86_64", "v5.3", true },
		{ "4.18.0-394.el8.x86_64", "v5.3", true },
		{ "4.18.0-553.8.1.el8", "v5.3 v6.3", false },
		{ "5.14.0-70.13.1.el9_0.x86_64", "v5.3 v6.3", false },
		{ "5.14.0-427.el9", "v6.3 v5.3 v6.9 v6.11 v6.17", false },
		{ "6.12.0-55.9.1.el10_0.aarch64", "v6.11 v6.17 v7.0", false },
		{ "4.12.14-122.37-default", "v3.19 v4.13 v4.16 v5.3", false },
		{ "5.3.18-150300-default", "v5.3", true },
		{ "5.14.21-150500.55.52-default", "v5.3 v6.3 suse-hk", false },
		{ "6.4.0-150600.23.7-default", "suse-hk v6.3", false },
		{ "6.12.0-160000.5-default", "suse-hk v6.17 v6.11", false },
		{ "6.9.7-1-default", "v6.9 suse-hk", false },
		{ "6.18.2-1-default", "v6.17 suse-hk", false },
		{ "7.1.2-1-default", "v7.0 suse-hk", false },
		{ "4.14.35-1902.300.11.el7uek.x86_64", "v4.16 v4.13 v5.3", false },
		{ "5.15.0-204.147.6.2.el9uek.x86_64", "v5.3 v6.3", false },
		{ "6.12.0-100.28.2.el9uek.x86_64", "v6.17 v6.11", false },
		{ "4.19.91-26.al7.x86_64", "v5.3 v4.16", false },
		/* unknown: any later one may have been taken back */
		{ "5.15.153.1-microsoft-standard-WSL2", "v5.3 v6.3 v6.9 v6.11 v6.17 v7.0", false },
		{ "7.1.0-homebrew", "v7.0", false },
		{ "3.14.0-foo", "v3.13 v3.19 v4.13 v4.16 v5.3 v6.3 v6.9 v6.11 v6.17 v7.0", false },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++)
		assert_era(t[i].release, QM_FAMILY_MAP, t[i].want, t[i].sure);
}

static void irq_eras(void **state)
{
	static const struct era_case t[] = {
		{ "4.8", "", false },
		{ "4.9.337", "v4.9", true },
		{ "4.10", "v4.9 v4.12", false },
		{ "4.12.14", "v4.12", true },
		{ "4.13.16", "v4.13", true },
		{ "4.14.154", "v4.16", true },
		{ "4.14", "v4.13 v4.16", false },
		{ "4.16.18", "v4.16", true },
		{ "4.18.20", "v4.17", true },
		{ "4.19.0", "v4.17", true },
		{ "4.19.20", "v4.17 v4.20", false },
		{ "4.19.191", "v4.20", true },
		{ "4.19.0-26-amd64", "v4.20 v4.17", false },
		{ "4.20", "v4.20", true },
		{ "5.0", "v5.0", true },
		{ "5.3.0-76-generic", "v5.1", true },
		{ "5.4.0", "v5.4", true },
		{ "5.4.250", "v5.4 v5.19", false },
		{ "5.9.16", "v5.4", true },
		{ "5.10.0-32-amd64", "v5.19", true },
		{ "5.10.0-9-amd64", "v5.19 v5.4", false },
		{ "5.10.0", "v5.4", true },
		{ "5.10.198", "v5.19", true },
		{ "5.15.0-47-generic", "v5.19", true },
		{ "5.15.0-1008-aws", "v5.19 v5.4", false },
		{ "5.15.150", "v5.19", true },
		{ "5.19", "v5.19", true },
		{ "6.0.19", "v5.19", true },
		{ "6.1.192", "v6.3", true },
		{ "6.1.0-57-amd64", "v6.3", true },
		{ "6.2.16", "v5.19", true },
		{ "6.6.30", "v6.3", true },
		{ "6.10", "v6.9", true },
		{ "6.12.117+deb13-amd64", "v6.11", true },
		{ "6.18", "v6.17", true },
		{ "7.2.13+deb14-amd64", "v7.0", true },
		{ "8.0", "v7.0", false },
		{ "4.18.0-147.el8.x86_64", "v5.1", true },
		{ "4.18.0-240.el8.x86_64", "v5.4 v5.1 el8-394", false },
		{ "4.18.0-394.el8.x86_64", "el8-394", true },
		{ "4.18.0-553.el8", "el8-394 v6.3", false },
		{ "6.12.0-100.28.2.el9uek.x86_64", "v6.17 v6.11", false },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++)
		assert_era(t[i].release, QM_FAMILY_IRQ, t[i].want, t[i].sure);
	assert_era("4.12", QM_FAMILY_VECTOR, "", false);
	assert_era("5.10.198", QM_FAMILY_VECTOR, "v4.14", true);
	assert_era("6.3", QM_FAMILY_VECTOR, "v4.14", false);
	assert_era("6.11.5", QM_FAMILY_VECTOR, "", false);
}

static void no_kernel(void **state)
{
	struct qm_kernel k = { 0 };
	struct qm_era e;
	bool sure;

	(void)state;
	qm_era_of_kernel(&k, QM_FAMILY_MAP, &e);
	assert_int_equal(e.n, 0);
	assert_false(e.sure);
	(void)qm_era_drops_isolated(&k, &sure);
	assert_false(sure);
	assert_int_equal(qm_kernel_parse("garbage", &k), -EINVAL);
	qm_era_of_kernel(&k, QM_FAMILY_IRQ, &e);
	assert_int_equal(e.n, 0);
	(void)qm_era_dead_queue(&k, &sure);
	assert_false(sure);
	qm_kernel_done(&k);
}

/* --kernel: a release, a version, an id. */
static void named_kernels(void **state)
{
	static const struct {
		const char *text; /* what is given */
		int err;
		enum qm_family family;
		const char *id; /* the only candidate, for sure */
	} t[] = {
		{ "6.12", 0, QM_FAMILY_MAP, "v6.11" },
		{ "6.1.0-18-amd64", 0, QM_FAMILY_MAP, "v5.3" },
		{ "v4.13-posted", 0, QM_FAMILY_MAP, "v4.13-posted" },
		{ "suse-hk", 0, QM_FAMILY_MAP, "suse-hk" },
		{ "irq:v5.19", 0, QM_FAMILY_IRQ, "v5.19" },
		{ "el8-394", 0, QM_FAMILY_IRQ, "el8-394" },
		{ "el8-394", 0, QM_FAMILY_MAP, "v5.3" },
		{ "v4.9", 0, QM_FAMILY_IRQ, "v4.9" },
		{ "v5.4", 0, QM_FAMILY_IRQ, "v5.4" },
		{ "vector:v4.14", -EINVAL, 0, NULL },
		{ "v9.9", -EINVAL, 0, NULL },
		{ "map:v4.9", -EINVAL, 0, NULL },
		{ "map:6.11", -EINVAL, 0, NULL },
		{ "", -EINVAL, 0, NULL },
		{ "six", -EINVAL, 0, NULL },
		{ "6", -EINVAL, 0, NULL },
	};
	const struct qm_algo *a;

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_kernel k = { 0 };
		struct qm_era e;

		assert_int_equal(qm_era_parse_kernel(t[i].text, &k), t[i].err);
		if (t[i].err < 0)
			continue;
		qm_era_of_kernel(&k, t[i].family, &e);
		assert_int_equal(e.n, 1);
		assert_true(e.sure);
		assert_string_equal(e.v[0]->id, t[i].id);
		qm_kernel_done(&k);
	}
	/* Every algorithm named is the one answered, in its own family. */
	for (size_t i = 0; (a = qm_algo_get(i)) != NULL; i++) {
		struct qm_kernel k = { 0 };
		struct qm_era e;
		char spec[64];

		if (a->family == QM_FAMILY_VECTOR)
			continue;
		snprintf(spec, sizeof(spec), "%s:%s", qm_family_name(a->family), a->id);
		assert_int_equal(qm_era_parse_kernel(spec, &k), 0);
		qm_era_of_kernel(&k, a->family, &e);
		assert_int_equal(e.n, 1);
		assert_ptr_equal(e.v[0], a);
		assert_true(e.sure);
		qm_kernel_done(&k);
	}
}

static void isolated_and_dead(void **state)
{
	static const struct {
		const char *release;
		int isolated;
		bool isolated_sure;
		int nohz;
		bool nohz_sure;
		enum qm_dead_queue dead;
		bool dead_sure;
	} t[] = {
		{ "4.9.300", 0, true, 0, true, QM_DEAD_FIRST_CPU, true },
		{ "4.14.154", 0, true, 0, true, QM_DEAD_FIRST_CPU, true },
		{ "4.17", 0, true, 0, true, QM_DEAD_UNCHECKED, false },
		{ "4.18.0-147.el8.x86_64", 0, false, 0, false, QM_DEAD_UNCHECKED, true },
		{ "4.18.0-394.el8.x86_64", 0, false, 0, false, QM_DEAD_UNCHECKED, true },
		{ "4.19.191", 0, true, 0, true, QM_DEAD_UNCHECKED, true },
		{ "5.10.198", 0, true, 0, true, QM_DEAD_REFUSED, true },
		{ "5.10.0-32-amd64", 0, true, 0, true, QM_DEAD_REFUSED, true },
		{ "5.10", 0, true, 0, true, QM_DEAD_REFUSED, false },
		{ "5.15.0", 0, true, 0, true, QM_DEAD_UNCHECKED, true },
		{ "6.1.192", 1, true, 1, true, QM_DEAD_REFUSED, true },
		{ "6.1.0-57-amd64", 1, true, 1, true, QM_DEAD_REFUSED, true },
		{ "6.1.10", 0, false, 0, false, QM_DEAD_REFUSED, true },
		{ "6.5", 0, false, 0, false, QM_DEAD_REFUSED, true },
		{ "6.10", 1, false, 1, false, QM_DEAD_REFUSED, true },
		{ "6.11.5", 1, true, 1, false, QM_DEAD_REFUSED, true },
		{ "6.12.117+deb13-amd64", 1, true, 1, true, QM_DEAD_REFUSED, true },
		{ "7.0", 1, true, 0, false, QM_DEAD_REFUSED, true },
		{ "7.2.13+deb14-amd64", 1, true, 0, true, QM_DEAD_REFUSED, true },
		{ "7.9", 1, false, 0, false, QM_DEAD_REFUSED, false },
		{ "6.12.0-55.el10.x86_64", 1, false, 1, false, QM_DEAD_REFUSED, true },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_kernel k = { 0 };
		bool sure;

		print_message("# %s\n", t[i].release);
		assert_int_equal(qm_kernel_parse(t[i].release, &k), 0);
		assert_int_equal(qm_era_drops_isolated(&k, &sure), t[i].isolated);
		assert_int_equal(sure, t[i].isolated_sure);
		assert_int_equal(qm_era_drops_nohz_full(&k, &sure), t[i].nohz);
		assert_int_equal(sure, t[i].nohz_sure);
		assert_int_equal(qm_era_dead_queue(&k, &sure), t[i].dead);
		assert_int_equal(sure, t[i].dead_sure);
		qm_kernel_done(&k);
	}
}

static void listed_cpus(void **state)
{
	static const struct topo_spec spec = { .possible = "0-7", .present = "0-5", .online = "0-3" };
	static const struct {
		enum qm_family family;
		const char *id;
		unsigned cpus;
	} t[] = {
		{ QM_FAMILY_MAP, "v3.13", 4 }, { QM_FAMILY_MAP, "v3.19", 4 }, { QM_FAMILY_MAP, "v4.13", 6 },
		{ QM_FAMILY_MAP, "v4.16", 8 }, { QM_FAMILY_MAP, "v7.0", 8 },  { QM_FAMILY_IRQ, "v4.9", 4 },
		{ QM_FAMILY_IRQ, "v4.12", 4 }, { QM_FAMILY_IRQ, "v4.13", 6 }, { QM_FAMILY_IRQ, "v4.16", 8 },
	};
	struct qm_topology topo;

	(void)state;
	topo_make(&spec, &topo);
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		const struct qm_algo *a = qm_algo_find(t[i].family, t[i].id);

		assert_non_null(a);
		assert_int_equal(qm_cpuset_count(qm_era_listed_cpus(a, &topo)), t[i].cpus);
	}
	qm_topology_done(&topo);
}

static void sure_results(void **state)
{
	static const struct topo_spec spec = { .possible = "0-7", .present = "0-5" };
	struct qm_topology topo;

	(void)state;
	topo_make(&spec, &topo);
	assert_true(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_MAP, "v7.0"), &topo));
	topo.clusters_sure = false;
	assert_false(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_MAP, "v7.0"), &topo));
	assert_false(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_IRQ, "v7.0"), &topo));
	assert_true(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_MAP, "v6.17"), &topo));
	topo.node_guessed = topo_list("6-7");
	assert_true(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_MAP, "v5.3"), &topo));
	assert_false(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_MAP, "v6.3"), &topo));
	assert_false(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_MAP, "suse-hk"), &topo));
	assert_true(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_IRQ, "v4.13"), &topo));
	assert_false(qm_era_result_is_sure(qm_algo_find(QM_FAMILY_IRQ, "v4.16"), &topo));
	qm_topology_done(&topo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_eras),	 cmocka_unit_test(irq_eras),	      cmocka_unit_test(no_kernel),
		cmocka_unit_test(named_kernels), cmocka_unit_test(isolated_and_dead), cmocka_unit_test(listed_cpus),
		cmocka_unit_test(sure_results),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("era", tests, NULL, NULL);
}
