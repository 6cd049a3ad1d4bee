// SPDX-License-Identifier: GPL-2.0-or-later
/* Machines from a line of text. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/machine.h"
#include "topo-equal.h"

static void make(const char *spec, struct qm_topology *ret)
{
	char *error = NULL;
	int r;

	r = qm_synthetic_parse(spec, ret, &error);
	if (r < 0)
		print_message("# %s: %s\n", spec, error);
	assert_int_equal(r, 0);
}

static void golden_topology(const char *name, struct qm_topology *ret)
{
	const char *srcdir = getenv("srcdir");
	struct qm_strbuf cmd = { 0 }, want = { 0 };
	char *line = NULL, *error = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	qm_strbuf_addf(&cmd, "xz -dc '%s/tests/data/vectors/topologies.jsonl.xz'", srcdir ? srcdir : ".");
	qm_strbuf_addf(&want, "{\"name\":\"%s\"", name);
	f = popen(qm_strbuf_str(&cmd), "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		if (strncmp(line, qm_strbuf_str(&want), want.len) != 0)
			continue;
		assert_int_equal(qm_topojson_parse(line, strlen(line), ret, &error), 0);
		found = true;
	}
	assert_int_equal(pclose(f), 0);
	assert_true(found);
	free(line);
	qm_strbuf_done(&cmd);
	qm_strbuf_done(&want);
}

/* The three numberings are those of real machines. */
static void numberings(void **state)
{
	static const struct {
		const char *spec, *golden;
	} t[] = {
		{ "pack:2 [numa] l3:1 core:18 pu:2", "x86-2s18c2t-adj" },
		{ "pack:2 [numa] l3:1 core:18 pu:2 order=core-first", "x86-2s18c2t-adj" },
		{ "pack:2 [numa] l3:1 core:18 pu:2 order=thread-first", "x86-2s18c2t-far" },
		{ "order=node-interleaved numa:2 package:1 L3Cache:1 Core:18 PU:2", "x86-2s18c2t-dell" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_topology a = { 0 }, b = { 0 };

		make(t[i].spec, &a);
		golden_topology(t[i].golden, &b);
		assert_string_equal(a.name, t[i].spec);
		free(a.name);
		a.name = strdup(b.name);
		free(b.distances); /* no spec gives them */
		b.distances = NULL;
		b.n_distances = 0;
		assert_topology_equal(&a, &b);
		qm_topology_done(&a);
		qm_topology_done(&b);
	}
}

static void shapes(void **state)
{
	struct qm_topology t = { 0 };
	struct qm_cpuset set;

	(void)state;
	make("numa:8 l3:2 core:8 pu:2", &t);
	assert_int_equal(t.nr_cpus, 256);
	assert_cpus(&t.online, "0-255");
	assert_int_equal(t.n_nodes, 8);
	assert_int_equal(t.nr_node_ids, 8);
	assert_cpus(&t.nodes[7].cpus, "224-255");
	assert_int_equal(t.node_of[255], 7);
	assert_int_equal(t.llc.n, 16);
	qm_groups_get(&t.llc, 1, &set);
	assert_cpus(&set, "16-31");
	assert_int_equal(t.cores.n, 128);
	assert_int_equal(t.packages.n, 0); /* nobody said */
	qm_topology_done(&t);

	make("pu:4", &t);
	assert_groups(&t.cores, "0;1;2;3");
	assert_groups(&t.clusters, "0;1;2;3");
	assert_true(t.clusters_sure);
	assert_int_equal(t.n_nodes, 1);
	assert_cpus(&t.nodes[0].cpus, "0-3");
	assert_int_equal(t.llc.n, 0);
	qm_topology_done(&t);

	make("core:3", &t);
	assert_groups(&t.cores, "0;1;2");
	qm_topology_done(&t);

	make("[numa] pack:2 l3:1 l2:2 core:1 pu:2", &t);
	assert_int_equal(t.n_nodes, 1);
	assert_groups(&t.packages, "0-3;4-7");
	assert_groups(&t.llc, "0-3;4-7"); /* the highest level */
	qm_topology_done(&t);

	make("group:2 group:2 die:1 [numa] core:2", &t);
	assert_int_equal(t.n_nodes, 4);
	assert_cpus(&t.nodes[3].cpus, "6-7");
	qm_topology_done(&t);

	make("numa:3 core:2 pu:2 order=node-interleaved", &t);
	assert_cpus(&t.nodes[0].cpus, "0,3,6,9");
	assert_groups(&t.cores, "0,6;1,7;2,8;3,9;4,10;5,11");
	qm_topology_done(&t);

	make("pu:8192", &t);
	assert_int_equal(t.nr_cpus, 8192);
	qm_topology_done(&t);
}

static void refused(void **state)
{
	static const struct {
		const char *spec, *error;
	} t[] = {
		{ "", "neither core:number nor pu:number is given" },
		{ "pack:2", "neither core:number nor pu:number is given" },
		{ "cor:4", "\"cor:4\": the types are pack, die, group, numa, l1 to l5, core and pu" },
		{ "core", "\"core\": not of the form type:number" },
		{ "core:", "\"core:\": not of the form type:number" },
		{ "core:x", "\"core:x\": not of the form type:number" },
		{ "core:4x", "\"core:4x\": not of the form type:number" },
		{ "core:-4", "\"core:-4\": not of the form type:number" },
		{ "core:0", "\"core:0\": the number must be 1 to 8192" },
		{ "core:8193", "\"core:8193\": the number must be 1 to 8192" },
		{ "core:99999999999999999999", "\"core:99999999999999999999\": the number must be 1 to 8192" },
		{ "pack:100 core:100", "more than 8192 CPUs" },
		{ "pack:8192 core:8192 pu:8192", "more than 8192 CPUs" },
		{ "core:2 core:2", "\"core:2\": this level is given twice" },
		{ "l3:2 l3cache:2 pu:1", "\"l3cache:2\": this level is given twice" },
		{ "l6:2 pu:1", "\"l6:2\": the types are pack, die, group, numa, l1 to l5, core and pu" },
		{ "l3i:2 pu:1", "\"l3i:2\": the types are pack, die, group, numa, l1 to l5, core and pu" },
		{ "pu:2 core:2", "\"core:2\": nothing can be inside a pu" },
		{ "numa:2 [numa] core:2", "\"[numa]\": the nodes are given twice" },
		{ "[numa] pack:2 [numa] core:2", "\"[numa]\": the nodes are given twice" },
		{ "[core] pu:2", "\"[core]\": only [numa] can be attached to a level" },
		{ "[numa core:2", "\"[numa\": only [numa] can be attached to a level" },
		{ "[ core:2", "\"[\": only [numa] can be attached to a level" },
		{ "core:2 numa:2 pu:2", "a node inside a core" },
		{ "core:2 pu:2 [numa]", "a node inside a core" },
		{ "numa:2(memory=1GB) core:2", "\"numa:2(memory=1GB)\": attributes in parentheses are not understood" },
		{ "core:2 order=random", "\"order=random\": the order is core-first, thread-first or node-interleaved" },
		{ "core:2 order=", "\"order=\": the order is core-first, thread-first or node-interleaved" },
		{ "group:1 group:1 group:1 group:1 group:1 group:1 group:1 group:1 group:1 group:1 group:1 group:1 group:1 "
		  "group:1 group:1 group:1 core:2",
		  "\"core:2\": more than 16 levels" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_topology topo = { 0 };
		char *error = NULL;

		assert_int_equal(qm_synthetic_parse(t[i].spec, &topo, &error), -EINVAL);
		assert_string_equal(error, t[i].error);
		assert_int_equal(topo.nr_cpus, 0);
		free(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numberings),
		cmocka_unit_test(shapes),
		cmocka_unit_test(refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("synthetic", tests, NULL, NULL);
}
