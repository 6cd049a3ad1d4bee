// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/topojson.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/strbuf.h"
#include "machine/machine.h"
#include "machine/topology-read.h"

/* Larger than any topology that fits: 8192 CPUs are well below one megabyte. */
#define TEXT_MAX (64 * 1024 * 1024)
#define NODE_ID_MAX 8191
/* A long value is not repeated in full in an error. */
#define SHOWN_MAX 60

/* ---- reading ---- */

struct parser {
	struct qm_topology t;
	struct qm_cpuset no_node;
	struct qm_strbuf error;
};

static int fail(struct parser *p, const char *fmt, ...) QM_PRINTF(2, 3);

/* Keeps the first reason. */
static int fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->error.len) {
		va_start(ap, fmt);
		qm_strbuf_vaddf(&p->error, fmt, ap);
		va_end(ap);
	}
	return p->error.err ? p->error.err : -EINVAL;
}

/* "what: value trouble", the value as JSON and not longer than a line. */
static int fail_value(struct parser *p, const char *what, struct json_object *v, const char *trouble)
{
	const char *text = json_object_to_json_string_ext(v, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
	size_t n = strlen(text);

	if (n <= SHOWN_MAX)
		return fail(p, "%s: %s %s", what, text, trouble);
	/* Not within a character. */
	for (n = SHOWN_MAX; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
		;
	return fail(p, "%s: %.*s... %s", what, (int)n, text, trouble);
}

/* The value of a key; NULL where it is missing or null, which always means the same here. */
static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	return json_object_object_get_ex(o, key, &v) ? v : NULL;
}

static int get_string(struct parser *p, struct json_object *o, const char *key, char **ret)
{
	struct json_object *v = get(o, key);
	char *copy;

	if (!v)
		return 0;
	if (!json_object_is_type(v, json_type_string))
		return fail_value(p, key, v, "is not a string");
	copy = strdup(json_object_get_string(v));
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

static int get_bool(struct parser *p, struct json_object *o, const char *key, bool *ret)
{
	struct json_object *v = get(o, key);

	if (!v)
		return 0;
	if (!json_object_is_type(v, json_type_boolean))
		return fail_value(p, key, v, "is not true or false");
	*ret = json_object_get_boolean(v);
	return 0;
}

static int to_int(struct parser *p, struct json_object *v, const char *what, long long min, long long max, long long *ret)
{
	long long n;

	if (!json_object_is_type(v, json_type_int))
		return fail_value(p, what, v, "is not a whole number");
	n = json_object_get_int64(v);
	if (n < min || n > max)
		return fail(p, "%s: %lld is not between %lld and %lld", what, n, min, max);
	*ret = n;
	return 0;
}

static int to_cpus(struct parser *p, struct json_object *v, const char *what, struct qm_cpuset *ret)
{
	const char *text;
	int r;

	if (!json_object_is_type(v, json_type_string))
		return fail_value(p, what, v, "is not a string with a CPU list");
	text = json_object_get_string(v);
	r = strlen(text) == (size_t)json_object_get_string_len(v) ? qm_cpuset_parse_list(text, -1, ret) : -EINVAL;
	if (r == -ERANGE)
		return fail_value(p, what, v, "goes beyond CPU 8191, the highest there can be");
	if (r < 0)
		return fail_value(p, what, v, "is not a CPU list");
	return 0;
}

/* A list that may be missing: then *ret stays as it is. */
static int get_cpus(struct parser *p, struct json_object *o, const char *key, struct qm_cpuset *ret)
{
	struct json_object *v = get(o, key);

	return v ? to_cpus(p, v, key, ret) : 0;
}

/* Fails if set holds a CPU that limit lacks. */
static int check_subset(struct parser *p, const char *what, const struct qm_cpuset *set, const char *limit_name,
			const struct qm_cpuset *limit)
{
	struct qm_cpuset rest = { 0 };

	qm_cpuset_copy(&rest, set);
	qm_cpuset_andnot(&rest, limit);
	return qm_cpuset_is_empty(&rest) ? 0 : fail(p, "%s: CPU %d is not %s", what, qm_cpuset_first(&rest), limit_name);
}

static int parse_sets(struct parser *p, struct json_object *o)
{
	struct qm_topology *t = &p->t;
	int r;

	if (!get(o, "possible"))
		return fail(p, "possible: missing");
	r = get_cpus(p, o, "possible", &t->possible);
	if (r < 0)
		return r;
	if (qm_cpuset_is_empty(&t->possible))
		return fail(p, "possible: names no CPU");
	t->nr_cpus = (unsigned)qm_cpuset_last(&t->possible) + 1;
	qm_cpuset_copy(&t->present, &t->possible);
	r = get_cpus(p, o, "present", &t->present);
	if (r == 0)
		r = check_subset(p, "present", &t->present, "possible", &t->possible);
	qm_cpuset_copy(&t->online, &t->present);
	if (r == 0)
		r = get_cpus(p, o, "online", &t->online);
	if (r == 0)
		r = check_subset(p, "online", &t->online, "present", &t->present);
	if (r == 0 && qm_cpuset_is_empty(&t->online))
		return fail(p, "online: names no CPU");
	if (r == 0)
		r = get_cpus(p, o, "isolated", &t->isolated);
	if (r == 0)
		r = check_subset(p, "isolated", &t->isolated, "possible", &t->possible);
	if (r == 0)
		r = get_cpus(p, o, "nohz_full", &t->nohz_full);
	if (r == 0)
		r = check_subset(p, "nohz_full", &t->nohz_full, "possible", &t->possible);
	return r;
}

static int parse_groups(struct parser *p, struct json_object *o, const char *key, struct qm_groups *g)
{
	struct json_object *v = get(o, key);
	size_t n;

	if (!v)
		return 0;
	if (!json_object_is_type(v, json_type_array))
		return fail_value(p, key, v, "is not an array of CPU lists");
	n = json_object_array_length(v);
	for (size_t i = 0; i < n; i++) {
		struct qm_cpuset set = { 0 };
		char what[64];
		int cpu, r;

		snprintf(what, sizeof(what), "%s[%zu]", key, i);
		r = to_cpus(p, json_object_array_get_idx(v, i), what, &set);
		if (r == 0)
			r = check_subset(p, what, &set, "possible", &p->t.possible);
		if (r < 0)
			return r;
		if (qm_cpuset_is_empty(&set))
			return fail(p, "%s: names no CPU", what);
		QM_CPUSET_FOREACH(cpu, &set) {
			if (g->of && g->of[cpu] >= 0)
				return fail(p, "%s: CPU %d is in %s[%d] already", what, cpu, key, g->of[cpu]);
		}
		r = qm_groups_add(g, p->t.nr_cpus, &set);
		if (r < 0)
			return r;
	}
	qm_groups_sort(g, p->t.nr_cpus);
	return 0;
}

static int parse_cores(struct parser *p, struct json_object *o)
{
	struct qm_topology *t = &p->t;
	struct qm_cpuset said = { 0 };
	int r, cpu;

	r = parse_groups(p, o, "cores", &t->cores);
	if (r == 0)
		r = get_cpus(p, o, "unknown_core", &said);
	if (r == 0)
		r = check_subset(p, "unknown_core", &said, "possible", &t->possible);
	if (r < 0)
		return r;
	qm_cpuset_copy(&t->unknown_core, &t->possible);
	for (unsigned i = 0; t->cores.n && i < t->nr_cpus; i++) {
		if (t->cores.of[i] >= 0)
			qm_cpuset_clear(&t->unknown_core, i);
	}
	QM_CPUSET_FOREACH(cpu, &said) {
		if (!qm_cpuset_test(&t->unknown_core, (unsigned)cpu))
			return fail(p, "unknown_core: CPU %d is in a core", cpu);
	}
	return 0;
}

/* ---- nodes ---- */

static int parse_node(struct parser *p, struct json_object *o, size_t i, struct qm_node *ret)
{
	struct qm_node node = { .online = true, .mem_kb = -1 };
	struct json_object *v;
	char what[64];
	long long id = 0;
	int r;

	snprintf(what, sizeof(what), "nodes[%zu]", i);
	if (!json_object_is_type(o, json_type_object))
		return fail_value(p, what, o, "is not an object");
	snprintf(what, sizeof(what), "nodes[%zu].id", i);
	r = to_int(p, get(o, "id"), what, 0, NODE_ID_MAX, &id);
	if (r < 0)
		return r;
	node.id = (int)id;
	snprintf(what, sizeof(what), "nodes[%zu].cpus", i);
	r = to_cpus(p, get(o, "cpus"), what, &node.cpus);
	if (r == 0)
		r = check_subset(p, what, &node.cpus, "possible", &p->t.possible);
	if (r == 0)
		r = get_bool(p, o, "online", &node.online);
	v = get(o, "mem_kb");
	snprintf(what, sizeof(what), "nodes[%zu].mem_kb", i);
	if (r == 0 && v)
		r = to_int(p, v, what, 0, LLONG_MAX, &node.mem_kb);
	if (r == 0)
		*ret = node;
	return r;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct qm_node *x = a, *y = b;

	return x->id - y->id;
}

/* Each possible CPU is in one node, where there are nodes; but for those that the source itself shows in none. */
static int assign_nodes(struct parser *p)
{
	struct qm_topology *t = &p->t;
	int cpu;

	for (unsigned i = 0; i < t->n_nodes; i++) {
		if (i && t->nodes[i].id == t->nodes[i - 1].id)
			return fail(p, "nodes: id %d occurs twice", t->nodes[i].id);
		QM_CPUSET_FOREACH(cpu, &t->nodes[i].cpus) {
			if (t->node_of[cpu] >= 0)
				return fail(p, "nodes: CPU %d is in node %d and in node %d", cpu, t->node_of[cpu],
					    t->nodes[i].id);
			t->node_of[cpu] = t->nodes[i].id;
		}
	}
	QM_CPUSET_FOREACH(cpu, &t->possible) {
		bool none = qm_cpuset_test(&p->no_node, (unsigned)cpu);

		if (t->n_nodes && t->node_of[cpu] < 0 && !none)
			return fail(p, "nodes: CPU %d is in no node", cpu);
		if (t->node_of[cpu] >= 0 && none)
			return fail(p, "no_node: CPU %d is in node %d", cpu, t->node_of[cpu]);
	}
	return 0;
}

static int parse_node_array(struct parser *p, struct json_object *v)
{
	struct qm_topology *t = &p->t;
	size_t n, cap = 0;

	if (!json_object_is_type(v, json_type_array))
		return fail_value(p, "nodes", v, "is not an array of objects");
	n = json_object_array_length(v);
	if (n > NODE_ID_MAX + 1)
		return fail(p, "nodes: %zu are more than the %d there can be", n, NODE_ID_MAX + 1);
	for (size_t i = 0; i < n; i++) {
		int r = qm_array_grow(&t->nodes, &cap, i + 1, sizeof(*t->nodes));

		if (r == 0)
			r = parse_node(p, json_object_array_get_idx(v, i), i, &t->nodes[i]);
		if (r < 0)
			return r;
		t->n_nodes++;
	}
	if (n)
		qsort(t->nodes, n, sizeof(*t->nodes), compare_nodes);
	return 0;
}

static int parse_nodes(struct parser *p, struct json_object *o)
{
	struct qm_topology *t = &p->t;
	struct json_object *v = get(o, "nodes");
	long long slots = 1;
	int r = 0;

	t->node_of = malloc(t->nr_cpus * sizeof(*t->node_of));
	if (!t->node_of)
		return -ENOMEM;
	for (unsigned i = 0; i < t->nr_cpus; i++)
		t->node_of[i] = -1;
	if (v)
		r = parse_node_array(p, v);
	if (r == 0)
		r = get_cpus(p, o, "no_node", &p->no_node);
	if (r == 0)
		r = assign_nodes(p);
	if (r == 0)
		r = get_cpus(p, o, "node_guessed", &t->node_guessed);
	if (r == 0)
		r = check_subset(p, "node_guessed", &t->node_guessed, "possible", &t->possible);
	if (r < 0)
		return r;
	if (t->n_nodes)
		slots = t->nodes[t->n_nodes - 1].id + 1;
	v = get(o, "nr_node_ids");
	if (v) {
		r = to_int(p, v, "nr_node_ids", slots, NODE_ID_MAX + 1, &slots);
		if (r < 0)
			return r;
	}
	t->nr_node_ids = (unsigned)slots;
	return 0;
}

/* ---- distances ---- */

static int parse_distance_row(struct parser *p, struct json_object *row, size_t i, size_t n, unsigned *ret)
{
	char what[64];

	snprintf(what, sizeof(what), "distances[%zu]", i);
	if (!json_object_is_type(row, json_type_array))
		return fail_value(p, what, row, "is not an array of numbers");
	if (json_object_array_length(row) != n)
		return fail(p, "%s: has %zu numbers, there are %zu rows", what, (size_t)json_object_array_length(row), n);
	for (size_t k = 0; k < n; k++) {
		long long d = 0;
		int r;

		snprintf(what, sizeof(what), "distances[%zu][%zu]", i, k);
		r = to_int(p, json_object_array_get_idx(row, k), what, 0, 1000000, &d);
		if (r < 0)
			return r;
		ret[k] = (unsigned)d;
	}
	return 0;
}

/* Leaves the rows and columns of online nodes out of a table over all nodes. */
static void keep_online(struct qm_topology *t, unsigned online)
{
	unsigned n = t->n_nodes, at = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < n; k++) {
			if (t->nodes[i].online && t->nodes[k].online)
				t->distances[at++] = t->distances[(size_t)i * n + k];
		}
	}
	t->n_distances = online;
}

/* One row for each online node, as kernels give them, or for each node. */
static int parse_distances(struct parser *p, struct json_object *o)
{
	struct json_object *v = get(o, "distances");
	struct qm_topology *t = &p->t;
	unsigned online = 0;
	size_t n;

	if (!v)
		return 0;
	if (!json_object_is_type(v, json_type_array))
		return fail_value(p, "distances", v, "is not an array of rows");
	n = json_object_array_length(v);
	if (!n)
		return 0;
	for (unsigned i = 0; i < t->n_nodes; i++)
		online += t->nodes[i].online;
	if (n != online && n != t->n_nodes)
		return fail(p, "distances: %zu rows for %u online nodes", n, online);
	t->distances = calloc(n * n, sizeof(*t->distances));
	if (!t->distances)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int r = parse_distance_row(p, json_object_array_get_idx(v, i), i, n, t->distances + i * n);

		if (r < 0)
			return r;
	}
	t->n_distances = (unsigned)n;
	if (n != online)
		keep_online(t, online);
	return 0;
}

/* ---- the whole ---- */

static int parse_offline_masks(struct parser *p, struct json_object *o)
{
	struct json_object *v = get(o, "offline_masks");
	const char *text = v && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";

	if (!v)
		p->t.offline_masks = qm_arch_offline_masks(p->t.arch);
	else if (strcmp(text, "empty") == 0)
		p->t.offline_masks = QM_OFFLINE_MASKS_EMPTY;
	else if (strcmp(text, "self") == 0)
		p->t.offline_masks = QM_OFFLINE_MASKS_SELF;
	else
		return fail_value(p, "offline_masks", v, "is not \"empty\" or \"self\"");
	return 0;
}

static int parse_topology(struct parser *p, struct json_object *o)
{
	struct qm_topology *t = &p->t;
	int r;

	r = get_string(p, o, "name", &t->name);
	if (r == 0)
		r = get_string(p, o, "arch", &t->arch);
	if (r == 0)
		r = parse_sets(p, o);
	if (r == 0)
		r = get_bool(p, o, "possible_derived", &t->possible_derived);
	if (r == 0)
		r = get_bool(p, o, "present_derived", &t->present_derived);
	if (r == 0)
		r = parse_nodes(p, o);
	if (r == 0)
		r = parse_cores(p, o);
	if (r == 0)
		r = parse_groups(p, o, "clusters", &t->clusters);
	t->clusters_sure = true;
	if (r == 0)
		r = get_bool(p, o, "clusters_sure", &t->clusters_sure);
	if (r == 0)
		r = parse_offline_masks(p, o);
	if (r == 0)
		r = parse_groups(p, o, "packages", &t->packages);
	if (r == 0)
		r = parse_groups(p, o, "llc", &t->llc);
	if (r == 0)
		r = parse_distances(p, o);
	return r;
}

/* A whole answer of `topology -J` holds the topology; anything else is one itself. */
static int parse_document(struct parser *p, struct json_object *o)
{
	struct json_object *schema, *inner;

	if (!json_object_is_type(o, json_type_object))
		return fail_value(p, "topology", o, "is not an object");
	schema = get(o, "schema");
	if (!schema)
		return parse_topology(p, o);
	if (!json_object_is_type(schema, json_type_string) || strcmp(json_object_get_string(schema), "qmapctl/1") != 0)
		return fail_value(p, "schema", schema, "is not \"qmapctl/1\"");
	inner = get(o, "topology");
	if (!inner)
		return fail(p, "topology: missing; this is the answer of another command");
	if (!json_object_is_type(inner, json_type_object))
		return fail_value(p, "topology", inner, "is not an object");
	return parse_topology(p, inner);
}

static int parse_text(struct parser *p, const char *text, size_t len, struct json_object **ret)
{
	struct json_tokener *tok;
	enum json_tokener_error e;
	struct json_object *o;
	int r = 0;

	if (len > TEXT_MAX)
		return fail(p, "%zu bytes are more than a topology can have", len);
	tok = json_tokener_new();
	if (!tok)
		return -ENOMEM;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len);
	e = json_tokener_get_error(tok);
	/* A bare word or number ends only with what follows it. */
	if (e == json_tokener_continue) {
		o = json_tokener_parse_ex(tok, " ", 1);
		e = json_tokener_get_error(tok);
	}
	if (e == json_tokener_continue)
		r = fail(p, "not JSON: it ends too early, after %zu bytes", len);
	else if (e != json_tokener_success)
		r = fail(p, "not JSON: %s at byte %d", json_tokener_error_desc(e), tok->char_offset);
	else if (qm_json_is_lost(o, text))
		r = -ENOMEM;
	json_tokener_free(tok);
	if (r < 0) {
		json_object_put(o);
		return r;
	}
	*ret = o;
	return 0;
}

int qm_topojson_parse(const char *text, size_t len, struct qm_topology *ret, char **ret_error)
{
	struct parser p = { 0 };
	struct json_object *o = NULL;
	int r;

	r = parse_text(&p, text, len, &o);
	if (r == 0)
		r = parse_document(&p, o);
	json_object_put(o);
	if (r == 0)
		*ret = p.t;
	else
		qm_topology_done(&p.t);
	if (r == -EINVAL)
		r = qm_strbuf_take(&p.error, ret_error) < 0 ? -ENOMEM : -EINVAL;
	qm_strbuf_done(&p.error);
	return r;
}

/* ---- writing ---- */

struct builder {
	struct json_object *o;
	int err;
};

/* Takes the value over; NULL is JSON's null unless an allocation failed, which the caller has noted. */
static void put(struct builder *b, const char *key, struct json_object *v)
{
	if (json_object_object_add(b->o, key, v) < 0) {
		json_object_put(v);
		b->err = -ENOMEM;
	}
}

static struct json_object *made(struct builder *b, struct json_object *v)
{
	if (!v)
		b->err = -ENOMEM;
	return v;
}

static struct json_object *from_cpus(struct builder *b, const struct qm_cpuset *s)
{
	struct qm_strbuf text = { 0 };
	struct json_object *v;

	qm_cpuset_format(s, &text);
	v = text.err ? NULL : json_object_new_string(qm_strbuf_str(&text));
	qm_strbuf_done(&text);
	return made(b, v);
}

static void put_string(struct builder *b, const char *key, const char *s)
{
	put(b, key, s ? made(b, json_object_new_string(s)) : NULL);
}

static void put_array(struct builder *b, struct json_object *array, struct json_object *v)
{
	if (!array || json_object_array_add(array, v) < 0) {
		json_object_put(v);
		b->err = -ENOMEM;
	}
}

static struct json_object *from_groups(struct builder *b, const struct qm_groups *g)
{
	struct json_object *a = made(b, json_object_new_array());

	for (unsigned i = 0; i < g->n; i++) {
		struct qm_cpuset set;

		qm_groups_get(g, i, &set);
		put_array(b, a, from_cpus(b, &set));
	}
	return a;
}

static struct json_object *from_nodes(struct builder *b, const struct qm_topology *t)
{
	struct json_object *a = made(b, json_object_new_array());

	for (unsigned i = 0; i < t->n_nodes; i++) {
		const struct qm_node *n = &t->nodes[i];
		struct builder node = { .o = json_object_new_object() };

		if (!made(b, node.o))
			break;
		put(&node, "id", made(&node, json_object_new_int(n->id)));
		put(&node, "cpus", from_cpus(&node, &n->cpus));
		put(&node, "online", made(&node, json_object_new_boolean(n->online)));
		put(&node, "mem_kb", n->mem_kb < 0 ? NULL : made(&node, json_object_new_int64(n->mem_kb)));
		if (node.err)
			b->err = node.err;
		put_array(b, a, node.o);
	}
	return a;
}

static struct json_object *from_distances(struct builder *b, const struct qm_topology *t)
{
	struct json_object *a;

	if (!t->distances)
		return NULL;
	a = made(b, json_object_new_array());
	for (unsigned i = 0; i < t->n_distances; i++) {
		struct json_object *row = made(b, json_object_new_array());

		for (unsigned k = 0; k < t->n_distances; k++)
			put_array(b, row, made(b, json_object_new_int64(t->distances[i * t->n_distances + k])));
		put_array(b, a, row);
	}
	return a;
}

/* Possible CPUs of a machine with nodes that are in none. */
static void without_node(const struct qm_topology *t, struct qm_cpuset *ret)
{
	int cpu;

	QM_CPUSET_FOREACH(cpu, &t->possible) {
		if (t->n_nodes && t->node_of[cpu] < 0)
			qm_cpuset_set(ret, (unsigned)cpu);
	}
}

int qm_topojson_build(const struct qm_topology *t, struct json_object **ret)
{
	struct builder b = { .o = json_object_new_object() };
	struct qm_cpuset no_node = { 0 };

	if (!b.o)
		return -ENOMEM;
	without_node(t, &no_node);
	put_string(&b, "name", t->name);
	put_string(&b, "arch", t->arch);
	put(&b, "possible", from_cpus(&b, &t->possible));
	put(&b, "present", from_cpus(&b, &t->present));
	put(&b, "online", from_cpus(&b, &t->online));
	put(&b, "isolated", from_cpus(&b, &t->isolated));
	put(&b, "nohz_full", from_cpus(&b, &t->nohz_full));
	put(&b, "possible_derived", made(&b, json_object_new_boolean(t->possible_derived)));
	put(&b, "present_derived", made(&b, json_object_new_boolean(t->present_derived)));
	put(&b, "nr_node_ids", made(&b, json_object_new_int64(t->nr_node_ids)));
	put(&b, "nodes", from_nodes(&b, t));
	put(&b, "node_guessed", from_cpus(&b, &t->node_guessed));
	put(&b, "no_node", from_cpus(&b, &no_node));
	put(&b, "cores", from_groups(&b, &t->cores));
	put(&b, "unknown_core", from_cpus(&b, &t->unknown_core));
	put(&b, "clusters", t->clusters.n ? from_groups(&b, &t->clusters) : NULL);
	put(&b, "clusters_sure", made(&b, json_object_new_boolean(t->clusters_sure)));
	put_string(&b, "offline_masks", t->offline_masks == QM_OFFLINE_MASKS_SELF ? "self" : "empty");
	put(&b, "packages", from_groups(&b, &t->packages));
	put(&b, "llc", t->llc.n ? from_groups(&b, &t->llc) : NULL);
	put(&b, "distances", from_distances(&b, t));
	if (b.err) {
		json_object_put(b.o);
		return b.err;
	}
	*ret = b.o;
	return 0;
}
