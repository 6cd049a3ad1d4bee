// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the topology below a directory as `topology -J` does: dump-topology DIR. On the way it is read back from its own
 * JSON, which must give the same again.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/topojson.h"

#define TO_TEXT (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static int read_back(struct json_object *o)
{
	const char *text = json_object_to_json_string_ext(o, TO_TEXT);
	_cleanup_free_ char *error = NULL;
	struct qm_topology t = { 0 };
	struct json_object *again = NULL;
	int r;

	r = qm_topojson_parse(text, strlen(text), &t, &error);
	if (r == 0)
		r = qm_topojson_build(&t, &again);
	if (r == 0 && strcmp(text, json_object_to_json_string_ext(again, TO_TEXT)) != 0)
		r = -1;
	if (r < 0)
		fprintf(stderr, "not the same when read back: %s\n", error ? error : "");
	json_object_put(again);
	qm_topology_done(&t);
	return r;
}

static int dump(const struct qm_machine *m)
{
	struct json_object *all = json_object_new_object(), *problems = json_object_new_array(), *topology = NULL;
	int r;

	r = qm_topojson_build(&m->topo, &topology);
	if (r < 0)
		return r;
	r = read_back(topology);
	for (size_t i = 0; i < m->problems.n; i++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "path", json_object_new_string(m->problems.v[i].path));
		json_object_object_add(one, "error", json_object_new_string(m->problems.v[i].error));
		json_object_array_add(problems, one);
	}
	json_object_object_add(all, "topology", topology);
	json_object_object_add(all, "problems", problems);
	puts(json_object_to_json_string_ext(all, TO_TEXT));
	json_object_put(all);
	return r;
}

int main(int argc, char **argv)
{
	struct qm_machine m = { 0 };
	struct qm_root root;
	int r;

	if (argc != 2) {
		fprintf(stderr, "usage: dump-topology DIR\n");
		return 2;
	}
	r = qm_root_open(&root, argv[1], strcmp(argv[1], "/") == 0, &m.problems);
	if (r == 0)
		r = qm_machine_read(&root, 0, &m);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-r));
		return 2;
	}
	r = dump(&m);
	qm_machine_done(&m);
	qm_root_close(&root);
	return r < 0;
}
