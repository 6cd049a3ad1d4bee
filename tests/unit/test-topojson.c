// SPDX-License-Identifier: GPL-2.0-or-later
/* Topologies in and out of JSON: the golden ones round, bad ones refused with their reason. */
#include "unit.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/topojson.h"
#include "map/map.h"
#include "topo-equal.h"

static void parse(const char *text, struct qm_topology *ret)
{
	char *error = NULL;
	int r;

	r = qm_topojson_parse(text, strlen(text), ret, &error);
	if (r < 0)
		print_message("# %s\n", error);
	assert_int_equal(r, 0);
}

/* All mappers give both the same maps; suse-hk with some of the CPUs isolated. */
static void assert_same_maps(const struct qm_topology *a, const struct qm_topology *b)
{
	const unsigned counts[] = { 1, 3, 8, a->nr_cpus / 2 + 1, a->nr_cpus, a->nr_cpus + 7 };
	struct qm_mapper *ma = NULL, *mb = NULL;
	static int32_t map_a[QM_CPU_MAX], map_b[QM_CPU_MAX];
	const struct qm_algo *algo;

	assert_int_equal(qm_mapper_new(a, &ma), 0);
	assert_int_equal(qm_mapper_new(b, &mb), 0);
	for (size_t i = 0; (algo = qm_algo_get(i)) != NULL; i++) {
		for (size_t k = 0; algo->family == QM_FAMILY_MAP && k < QM_ARRAY_SIZE(counts); k++) {
			assert_int_equal(qm_map_run(ma, algo, counts[k], &a->online, map_a, NULL), 0);
			assert_int_equal(qm_map_run(mb, algo, counts[k], &b->online, map_b, NULL), 0);
			assert_memory_equal(map_a, map_b, a->nr_cpus * sizeof(*map_a));
		}
	}
	qm_mapper_free(ma);
	qm_mapper_free(mb);
}

/* Written and read again it is the same, bare and as the answer of a command. */
static void assert_round(const struct qm_topology *t, bool maps)
{
	static const char *const forms[] = { "%s", "{\"schema\":\"qmapctl/1\",\"command\":\"topology\",\"topology\":%s}\n" };
	struct json_object *o = NULL;
	struct qm_strbuf text = { 0 };

	assert_int_equal(qm_topojson_build(t, &o), 0);
	for (size_t i = 0; i < QM_ARRAY_SIZE(forms); i++) {
		struct qm_topology again = { 0 };
		const char *end = strstr(forms[i], "%s");

		qm_strbuf_reset(&text);
		qm_strbuf_add(&text, forms[i], (size_t)(end - forms[i]));
		qm_strbuf_adds(&text, json_object_to_json_string(o));
		qm_strbuf_adds(&text, end + 2);
		parse(qm_strbuf_str(&text), &again);
		assert_topology_equal(t, &again);
		if (maps)
			assert_same_maps(t, &again);
		qm_topology_done(&again);
	}
	qm_strbuf_done(&text);
	json_object_put(o);
}

static void golden(void **state)
{
	const char *srcdir = getenv("srcdir");
	struct qm_strbuf cmd = { 0 };
	char *line = NULL;
	size_t cap = 0, n = 0;
	FILE *f;

	(void)state;
	qm_strbuf_addf(&cmd, "xz -dc '%s/tests/data/vectors/topologies.jsonl.xz'", srcdir ? srcdir : ".");
	f = popen(qm_strbuf_str(&cmd), "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		struct qm_topology t = { 0 };

		parse(line, &t);
		assert_round(&t, true);
		qm_topology_done(&t);
		n++;
	}
	assert_int_equal(pclose(f), 0);
	free(line);
	qm_strbuf_done(&cmd);
	print_message("# %zu topologies\n", n);
	assert_true(n >= 47);
}

static void all_fields(void **state)
{
	static const char text[] =
		"{\"name\":\"\\u00e4\",\"arch\":\"aarch64\",\"possible\":\"0-7\",\"present\":\"0-5\",\"online\":\"0,2-5\",\"isolated\":\"3\","
		"\"nohz_full\":\"2-3\",\"nr_node_ids\":9,\"nodes\":[{\"id\":7,\"cpus\":\"4-6\",\"mem_kb\":12},{\"id\":1,\"cpus\":\"\","
		"\"online\":false},{\"id\":0,\"cpus\":\"0-3\",\"mem_kb\":null}],\"no_node\":\"7\",\"node_guessed\":\"6\","
		"\"cores\":[\"2-3\",\"0-1\"],\"unknown_core\":\"4-7\",\"clusters\":[\"0-3\"],\"clusters_sure\":false,"
		"\"offline_masks\":\"empty\",\"packages\":[\"0-5\"],\"llc\":[\"0-1\",\"2-5\"],\"distances\":[[10,20],[21,10]],"
		"\"possible_derived\":true,\"present_derived\":true,\"something_new\":[1,2]}";
	struct qm_topology t = { 0 };

	(void)state;
	parse(text, &t);
	assert_string_equal(t.name, "\xc3\xa4");
	assert_string_equal(t.arch, "aarch64");
	assert_int_equal(t.nr_cpus, 8);
	assert_cpus(&t.present, "0-5");
	assert_cpus(&t.online, "0,2-5");
	assert_cpus(&t.isolated, "3");
	assert_cpus(&t.nohz_full, "2-3");
	assert_cpus(&t.node_guessed, "6");
	assert_cpus(&t.unknown_core, "4-7");
	assert_true(t.possible_derived && t.present_derived);
	assert_int_equal(t.nr_node_ids, 9);
	assert_int_equal(t.n_nodes, 3);
	assert_int_equal(t.nodes[0].id, 0);
	assert_int_equal(t.nodes[0].mem_kb, -1);
	assert_int_equal(t.nodes[1].id, 1);
	assert_false(t.nodes[1].online);
	assert_int_equal(t.nodes[2].id, 7);
	assert_int_equal(t.nodes[2].mem_kb, 12);
	assert_int_equal(t.node_of[3], 0);
	assert_int_equal(t.node_of[6], 7);
	assert_int_equal(t.node_of[7], -1);
	assert_groups(&t.cores, "0-1;2-3"); /* by the lowest CPU */
	assert_int_equal(t.cores.of[2], 1);
	assert_int_equal(t.cores.of[4], -1);
	assert_groups(&t.clusters, "0-3");
	assert_false(t.clusters_sure);
	assert_groups(&t.llc, "0-1;2-5");
	assert_groups(&t.packages, "0-5");
	assert_int_equal(t.offline_masks, QM_OFFLINE_MASKS_EMPTY);
	assert_int_equal(t.n_distances, 2);
	assert_int_equal(t.distances[1], 20);
	assert_int_equal(t.distances[2], 21);
	assert_round(&t, false);
	qm_topology_done(&t);
}

static void defaults(void **state)
{
	struct qm_topology t = { 0 };

	(void)state;
	parse("{\"possible\":\"0-3\",\"arch\":null,\"distances\":[]}", &t);
	assert_null(t.name);
	assert_null(t.arch);
	assert_cpus(&t.present, "0-3");
	assert_cpus(&t.online, "0-3");
	assert_cpus(&t.isolated, "");
	assert_cpus(&t.unknown_core, "0-3");
	assert_int_equal(t.n_nodes, 0);
	assert_int_equal(t.nr_node_ids, 1);
	assert_int_equal(t.node_of[0], -1);
	assert_int_equal(t.clusters.n, 0);
	assert_true(t.clusters_sure);
	assert_int_equal(t.offline_masks, QM_OFFLINE_MASKS_EMPTY);
	assert_null(t.distances);
	assert_round(&t, false);
	qm_topology_done(&t);
	parse("{\"possible\":\"1,3\",\"present\":\"1\",\"arch\":\"aarch64\"}", &t);
	assert_cpus(&t.online, "1");
	assert_int_equal(t.offline_masks, QM_OFFLINE_MASKS_SELF);
	qm_topology_done(&t);
}

/* Tables over all nodes, as the golden topologies have them, lose the offline ones. */
static void distances_of_offline_nodes(void **state)
{
	struct qm_topology t = { 0 };

	(void)state;
	parse("{\"possible\":\"0-1\",\"nodes\":[{\"id\":0,\"cpus\":\"0\"},{\"id\":1,\"cpus\":\"\",\"online\":false},"
	      "{\"id\":2,\"cpus\":\"1\"}],\"distances\":[[1,2,3],[4,5,6],[7,8,9]]}",
	      &t);
	assert_int_equal(t.n_distances, 2);
	assert_int_equal(t.distances[0], 1);
	assert_int_equal(t.distances[1], 3);
	assert_int_equal(t.distances[2], 7);
	assert_int_equal(t.distances[3], 9);
	assert_round(&t, false);
	qm_topology_done(&t);
}

#define NODES2 "\"nodes\":[{\"id\":0,\"cpus\":\"0-1\"},{\"id\":1,\"cpus\":\"2-3\"}]"

static void refused(void **state)
{
	static const struct {
		const char *text, *error;
	} t[] = {
		{ "", "not JSON: it ends too early, after 0 bytes" },
		{ "{\"possible\":\"0-3\",", "not JSON: it ends too early, after 18 bytes" },
		{ "{\"possible\":\"0-", "not JSON: it ends too early, after 15 bytes" },
		{ "{'possible':'0-3'}", "not JSON: " },
		{ "{\"possible\":\"0-3\"} x", "not JSON: " },
		{ "{\"possible\":\"0-3\"}{}", "not JSON: " },
		{ "{\"name\":\"\xff\"}", "not JSON: " },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "not JSON: " },
		{ "null", "topology: null is not an object" },
		{ "[]", "topology: [ ] is not an object" },
		{ "3", "topology: 3 is not an object" },
		{ "{}", "possible: missing" },
		{ "{\"schema\":\"qmapctl/2\",\"topology\":{}}", "schema: \"qmapctl/2\" is not \"qmapctl/1\"" },
		{ "{\"schema\":\"qmapctl/1\"}", "topology: missing; this is the answer of another command" },
		{ "{\"schema\":\"qmapctl/1\",\"topology\":[]}", "topology: [ ] is not an object" },
		{ "{\"possible\":3}", "possible: 3 is not a string with a CPU list" },
		{ "{\"possible\":[0,1]}", "possible: [ 0, 1 ] is not a string with a CPU list" },
		{ "{\"possible\":\"\"}", "possible: names no CPU" },
		{ "{\"possible\":\"3-1\"}", "possible: \"3-1\" is not a CPU list" },
		{ "{\"possible\":\"0-\\u00003\"}", "possible: \"0-\\u00003\" is not a CPU list" },
		{ "{\"possible\":\"0-99999\"}", "possible: \"0-99999\" goes beyond CPU 8191, the highest there can be" },
		{ "{\"possible\":\"0-3\",\"present\":\"0-4\"}", "present: CPU 4 is not possible" },
		{ "{\"possible\":\"0-3\",\"present\":\"0-1\",\"online\":\"1-2\"}", "online: CPU 2 is not present" },
		{ "{\"possible\":\"0-3\",\"online\":\"\"}", "online: names no CPU" },
		{ "{\"possible\":\"0-3\",\"isolated\":\"9\"}", "isolated: CPU 9 is not possible" },
		{ "{\"possible\":\"0-3\",\"nohz_full\":true}", "nohz_full: true is not a string with a CPU list" },
		{ "{\"possible\":\"0\",\"name\":1}", "name: 1 is not a string" },
		{ "{\"possible\":\"0\",\"arch\":{}}", "arch: { } is not a string" },
		{ "{\"possible\":\"0\",\"possible_derived\":1}", "possible_derived: 1 is not true or false" },
		{ "{\"possible\":\"0\",\"nodes\":{}}", "nodes: { } is not an array of objects" },
		{ "{\"possible\":\"0\",\"nodes\":[0]}", "nodes[0]: 0 is not an object" },
		{ "{\"possible\":\"0\",\"nodes\":[{}]}", "nodes[0].id: null is not a whole number" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":-1}]}", "nodes[0].id: -1 is not between 0 and 8191" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":99999}]}", "nodes[0].id: 99999 is not between 0 and 8191" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":\"0\"}]}", "nodes[0].id: \"0\" is not a whole number" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":0.5}]}", "nodes[0].id: 0.5 is not a whole number" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":0}]}", "nodes[0].cpus: null is not a string with a CPU list" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":0,\"cpus\":\"0-1\"}]}", "nodes[0].cpus: CPU 1 is not possible" },
		{ "{\"possible\":\"0\",\"nodes\":[{\"id\":0,\"cpus\":\"0\",\"mem_kb\":-5}]}",
		  "nodes[0].mem_kb: -5 is not between 0 and 9223372036854775807" },
		{ "{\"possible\":\"0-1\",\"nodes\":[{\"id\":1,\"cpus\":\"0\"},{\"id\":1,\"cpus\":\"1\"}]}",
		  "nodes: id 1 occurs twice" },
		{ "{\"possible\":\"0-3\",\"nodes\":[{\"id\":0,\"cpus\":\"0-2\"},{\"id\":1,\"cpus\":\"2-3\"}]}",
		  "nodes: CPU 2 is in node 0 and in node 1" },
		{ "{\"possible\":\"0-4\"," NODES2 "}", "nodes: CPU 4 is in no node" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"no_node\":\"1\"}", "no_node: CPU 1 is in node 0" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"nr_node_ids\":1}", "nr_node_ids: 1 is not between 2 and 8192" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"node_guessed\":\"7\"}", "node_guessed: CPU 7 is not possible" },
		{ "{\"possible\":\"0-3\",\"cores\":\"0-1\"}", "cores: \"0-1\" is not an array of CPU lists" },
		{ "{\"possible\":\"0-3\",\"cores\":[\"0-1\",\"1-2\"]}", "cores[1]: CPU 1 is in cores[0] already" },
		{ "{\"possible\":\"0-3\",\"cores\":[\"0\",\"4\"]}", "cores[1]: CPU 4 is not possible" },
		{ "{\"possible\":\"0-3\",\"cores\":[\"0\",\"\"]}", "cores[1]: names no CPU" },
		{ "{\"possible\":\"0-3\",\"cores\":[\"0\",2]}", "cores[1]: 2 is not a string with a CPU list" },
		{ "{\"possible\":\"0-3\",\"cores\":[\"0-3\"],\"unknown_core\":\"2\"}", "unknown_core: CPU 2 is in a core" },
		{ "{\"possible\":\"0-3\",\"clusters\":[\"0-1\",\"0\"]}", "clusters[1]: CPU 0 is in clusters[0] already" },
		{ "{\"possible\":\"0-3\",\"llc\":[\"x\"]}", "llc[0]: \"x\" is not a CPU list" },
		{ "{\"possible\":\"0-3\",\"packages\":7}", "packages: 7 is not an array of CPU lists" },
		{ "{\"possible\":\"0-3\",\"offline_masks\":\"full\"}", "offline_masks: \"full\" is not \"empty\" or \"self\"" },
		{ "{\"possible\":\"0-3\",\"offline_masks\":1}", "offline_masks: 1 is not \"empty\" or \"self\"" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"distances\":[[10]]}", "distances: 1 rows for 2 online nodes" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"distances\":[[10,20],[20]]}", "distances[1]: has 1 numbers, there are 2 rows" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"distances\":[[10,20],5]}", "distances[1]: 5 is not an array of numbers" },
		{ "{\"possible\":\"0-3\"," NODES2 ",\"distances\":[[10,-1],[20,10]]}",
		  "distances[0][1]: -1 is not between 0 and 1000000" },
		{ "{\"possible\":\"0-3\",\"arch\":[\"a long value is cut so that the reason fits on one line\",1,2,3,4]}",
		  "arch: [ \"a long value is cut so that the reason fits on one line\",... is not a string" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_topology topo = { 0 };
		bool prefix = strncmp(t[i].error, "not JSON: ", 11) == 0 && !t[i].error[10];
		char *error = NULL;

		assert_int_equal(qm_topojson_parse(t[i].text, strlen(t[i].text), &topo, &error), -EINVAL);
		assert_non_null(error);
		if (prefix)
			assert_memory_equal(error, "not JSON: ", 10);
		else
			assert_string_equal(error, t[i].error);
		assert_null(strchr(error, '\n'));
		assert_int_equal(topo.nr_cpus, 0); /* untouched */
		free(error);
	}
}

/* Every prefix of a good document is refused, none crashes. */
static void cut(void **state)
{
	static const char text[] = "{\"name\":\"n\",\"possible\":\"0-3\"," NODES2 ",\"cores\":[\"0-1\",\"2-3\"],\"clusters\":null,"
				   "\"clusters_sure\":true,\"distances\":[[10,20],[20,10]]}";

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		struct qm_topology t = { 0 };
		char *error = NULL;

		assert_int_equal(qm_topojson_parse(text, n, &t, &error), -EINVAL);
		free(error);
	}
}

static void many_cpus(void **state)
{
	struct qm_strbuf b = { 0 };
	struct qm_topology t = { 0 };

	(void)state;
	qm_strbuf_adds(&b, "{\"possible\":\"0-8191\",\"cores\":[");
	for (unsigned i = 0; i < 8192; i += 2)
		qm_strbuf_addf(&b, "%s\"%u-%u\"", i ? "," : "", i, i + 1);
	qm_strbuf_adds(&b, "]}");
	parse(qm_strbuf_str(&b), &t);
	assert_int_equal(t.cores.n, 4096);
	assert_int_equal(t.cores.of[8191], 4095);
	assert_round(&t, false);
	qm_topology_done(&t);
	qm_strbuf_done(&b);
}

static void set_online(void **state)
{
	struct qm_cpuset set = { 0 };
	struct qm_topology t = { 0 };

	(void)state;
	parse("{\"possible\":\"0-3\",\"present\":\"0-2\",\"cores\":[\"0-1\",\"2-3\"]}", &t);
	assert_int_equal(qm_topology_set_online(&t, &set), -EINVAL);
	assert_int_equal(qm_cpuset_parse_list("1,4", -1, &set), 0);
	assert_int_equal(qm_topology_set_online(&t, &set), -ERANGE);
	assert_cpus(&t.online, "0-2");
	assert_int_equal(qm_cpuset_parse_list("1,3", -1, &set), 0);
	assert_int_equal(qm_topology_set_online(&t, &set), 0);
	assert_cpus(&t.online, "1,3");
	assert_cpus(&t.present, "0-3");
	assert_groups(&t.cores, "0-1;2-3");
	qm_topology_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),  cmocka_unit_test(all_fields), cmocka_unit_test(defaults),
		cmocka_unit_test(distances_of_offline_nodes),
		cmocka_unit_test(refused), cmocka_unit_test(cut),	  cmocka_unit_test(many_cpus),
		cmocka_unit_test(set_online),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("topojson", tests, NULL, NULL);
}
