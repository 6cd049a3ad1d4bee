// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans in files: a stranger may have written one, so nothing is used before all of it was checked. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <json-c/json.h>

#include "base/jsontext.h"
#include "base/strbuf.h"
#include "hint/hint.h"

/* Changes of one plan; far more than interrupts any machine has. */
#define CHANGES_MAX 65536

static bool all_in(const char *s, size_t n, const char *set)
{
	return n > 0 && strspn(s, set) >= n;
}

static bool is_irq_path(const char *path, long *ret_irq)
{
	static const char prefix[] = "proc/irq/", suffix[] = "/smp_affinity_list";
	const char *nr = path + sizeof(prefix) - 1;
	size_t n;

	if (strncmp(path, prefix, sizeof(prefix) - 1) != 0)
		return false;
	n = strcspn(nr, "/");
	if (n > 10 || !all_in(nr, n, "0123456789") || strcmp(nr + n, suffix) != 0)
		return false;
	*ret_irq = strtol(nr, NULL, 10);
	return true;
}

/* sys/block/NAME/queue/rq_affinity or the same file by its device path; no component may be "." or "..". */
static bool is_rq_affinity_path(const char *path)
{
	static const char suffix[] = "/queue/rq_affinity";
	size_t len = strlen(path);

	if (strncmp(path, "sys/block/", 10) != 0 && strncmp(path, "sys/devices/", 12) != 0)
		return false;
	if (len >= PATH_MAX || len < sizeof(suffix) || strcmp(path + len - (sizeof(suffix) - 1), suffix) != 0)
		return false;
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");

		if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
		p += *p == '/';
	}
	return true;
}

bool qm_hint_path_is_allowed(const char *path, enum qm_change_what *ret_what, long *ret_irq)
{
	long irq = -1;
	enum qm_change_what what;

	if (is_irq_path(path, &irq))
		what = QM_CHANGE_IRQ;
	else if (is_rq_affinity_path(path))
		what = QM_CHANGE_RQ_AFFINITY;
	else
		return false;
	if (ret_what)
		*ret_what = what;
	if (ret_irq)
		*ret_irq = irq;
	return true;
}

/* A string member without NULs inside; NULL if there is none. *ret_bad: there is one of another type. */
static const char *get_string(struct json_object *o, const char *key, bool *ret_bad)
{
	struct json_object *v;

	*ret_bad = false;
	if (!json_object_object_get_ex(o, key, &v) || !v)
		return NULL;
	if (!json_object_is_type(v, json_type_string) ||
	    strlen(json_object_get_string(v)) != (size_t)json_object_get_string_len(v)) {
		*ret_bad = true;
		return NULL;
	}
	return json_object_get_string(v);
}

static bool is_value_valid(enum qm_change_what what, const char *value)
{
	struct qm_cpuset set;
	size_t n = strcspn(value, "\n");

	if (what == QM_CHANGE_RQ_AFFINITY)
		return n == 1 && value[0] >= '0' && value[0] <= '2' && strlen(value) <= 2;
	return qm_cpuset_parse_list(value, -1, &set) == 0 && !qm_cpuset_is_empty(&set);
}

static int parse_change(struct json_object *o, size_t i, struct qm_plan *p, char **ret_error)
{
	static const char *const keys[] = { "path", "old", "new", "controller", "reason", "handler" };
	const char *v[QM_ARRAY_SIZE(keys)];
	enum qm_change_what what;
	bool bad;

	if (!json_object_is_type(o, json_type_object))
		return qm_plan_refuse(ret_error, "changes[%zu] is not an object", i);
	for (size_t k = 0; k < QM_ARRAY_SIZE(keys); k++) {
		v[k] = get_string(o, keys[k], &bad);
		if (bad || (k < 3 && !v[k]))
			return qm_plan_refuse(ret_error, "changes[%zu].%s is not a string", i, keys[k]);
	}
	if (!qm_hint_path_is_allowed(v[0], &what, NULL))
		return qm_plan_refuse(ret_error, "changes[%zu].path \"%s\" is not a file that a plan may write", i, v[0]);
	if (!is_value_valid(what, v[2]))
		return qm_plan_refuse(ret_error, "changes[%zu].new \"%s\" is no value for %s", i, v[2],
			    qm_change_what_name(what));
	return qm_plan_add(p, what, v[0], v[1], v[2], v[3], v[4], v[5]);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One file, one value: a plan that names a file twice does not know what it wants. */
static int check_unique(const struct qm_plan *p, char **ret_error)
{
	_cleanup_free_ const char **paths = NULL;

	paths = calloc(p->n ? p->n : 1, sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		paths[i] = p->v[i].path;
	qsort(paths, p->n, sizeof(*paths), compare_paths);
	for (size_t i = 1; i < p->n; i++) {
		if (strcmp(paths[i - 1], paths[i]) == 0)
			return qm_plan_refuse(ret_error, "\"%s\" is named twice", paths[i]);
	}
	return 0;
}

static int parse_plan(struct json_object *o, struct qm_plan *p, char **ret_error)
{
	struct json_object *changes;
	const char *text;
	bool bad;

	if (!json_object_is_type(o, json_type_object))
		return qm_plan_refuse(ret_error, "not a JSON object");
	text = get_string(o, "schema", &bad);
	if (!text || strcmp(text, "qmapctl/1") != 0)
		return qm_plan_refuse(ret_error, "schema is not \"qmapctl/1\"");
	text = get_string(o, "command", &bad);
	if (!text || strcmp(text, "hint") != 0)
		return qm_plan_refuse(ret_error, "not the output of `hint plan`");
	if (!json_object_object_get_ex(o, "changes", &changes) || !json_object_is_type(changes, json_type_array))
		return qm_plan_refuse(ret_error, "changes is not an array");
	if (json_object_array_length(changes) > CHANGES_MAX)
		return qm_plan_refuse(ret_error, "changes has %zu entries, at most %d are taken",
			    (size_t)json_object_array_length(changes), CHANGES_MAX);
	text = get_string(o, "possible_list", &bad);
	if (bad)
		return qm_plan_refuse(ret_error, "possible_list is not a string");
	if (text) {
		p->possible = strdup(text);
		if (!p->possible)
			return -ENOMEM;
	}
	for (size_t i = 0; i < json_object_array_length(changes); i++) {
		int r = parse_change(json_object_array_get_idx(changes, i), i, p, ret_error);

		if (r < 0)
			return r;
	}
	return check_unique(p, ret_error);
}

int qm_plan_parse(const char *text, size_t len, struct qm_plan *ret, char **ret_error)
{
	struct qm_plan p = { 0 };
	struct json_tokener *tok;
	struct json_object *o;
	int r;

	if (len > INT_MAX)
		return qm_plan_refuse(ret_error, "larger than any plan");
	tok = json_tokener_new();
	if (!tok)
		return -ENOMEM;
	o = json_tokener_parse_ex(tok, text, (int)len);
	if (json_tokener_get_error(tok) == json_tokener_continue)
		r = qm_plan_refuse(ret_error, "cut short: the JSON text ends before it is complete");
	else if (json_tokener_get_error(tok) != json_tokener_success)
		r = qm_plan_refuse(ret_error, "not JSON: %s", json_tokener_error_desc(json_tokener_get_error(tok)));
	else if (qm_json_is_lost(o, text))
		r = -ENOMEM;
	else if (text[json_tokener_get_parse_end(tok) + strspn(text + json_tokener_get_parse_end(tok), " \t\r\n")])
		r = qm_plan_refuse(ret_error, "something follows the JSON object");
	else
		r = parse_plan(o, &p, ret_error);
	json_object_put(o);
	json_tokener_free(tok);
	if (r < 0) {
		qm_plan_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}
