// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One file per run, JSON by lines: a head, one line per entry with the old value byte for byte, an end mark, and then marks
 * appended as the run goes on. The file appears whole (see qm_state_create()); only an appended mark can be cut, and a
 * cut mark is as good as none: what was really written is seen by comparing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "base/jsontext.h"
#include "base/strbuf.h"
#include "hint/hint.h"

#define JOURNAL_PREFIX "hint-"
#define JOURNAL_SUFFIX ".jsonl"
/* 65,536 entries of a path and two values each stay below this. */
#define JOURNAL_MAX (64 * 1024 * 1024)

/* An object that could not be made has left its error with its first value. */
static void add_line(struct qm_strbuf *b, struct json_object *o)
{
	qm_strbuf_add_json(b, o);
	qm_strbuf_addc(b, '\n');
	json_object_put(o);
}

/* A value that is lost would be missing when it is to be restored: then there is no journal. */
static void add_value(struct qm_strbuf *b, struct json_object *o, const char *key, struct json_object *value)
{
	if (o && value && json_object_object_add(o, key, value) == 0)
		return;
	json_object_put(value);
	b->err = b->err ? b->err : -ENOMEM;
}

static void add_string(struct qm_strbuf *b, struct json_object *o, const char *key, const char *value)
{
	if (value)
		add_value(b, o, key, json_object_new_string(value));
}

static void add_number(struct qm_strbuf *b, struct json_object *o, const char *key, long long value)
{
	add_value(b, o, key, json_object_new_int64(value));
}

static void format_journal(const struct qm_plan *p, const char *boot, struct qm_strbuf *b)
{
	struct json_object *o;
	size_t n = 0;

	o = json_object_new_object();
	add_string(b, o, "qmapctl_journal", "1");
	add_number(b, o, "time", (long long)time(NULL));
	add_string(b, o, "boot", boot);
	add_line(b, o);
	for (size_t i = 0; i < p->n; i++) {
		const struct qm_change *c = &p->v[i];

		if (c->state != QM_CHANGE_PLANNED)
			continue;
		o = json_object_new_object();
		add_number(b, o, "entry", (long long)n++);
		add_string(b, o, "path", c->path);
		add_string(b, o, "old", c->old);
		add_string(b, o, "new", c->new);
		add_string(b, o, "controller", c->controller);
		add_string(b, o, "handler", c->handler);
		add_line(b, o);
	}
	o = json_object_new_object();
	add_number(b, o, "end", (long long)n);
	add_line(b, o);
}

/* The number in a journal's name, or -1 for other names. */
static long journal_number(const char *name)
{
	const char *p = name + strlen(JOURNAL_PREFIX);
	size_t n;

	if (strncmp(name, JOURNAL_PREFIX, strlen(JOURNAL_PREFIX)) != 0)
		return -1;
	n = strspn(p, "0123456789");
	if (n < 1 || n > 9 || strcmp(p + n, JOURNAL_SUFFIX) != 0)
		return -1;
	return strtol(p, NULL, 10);
}

int qm_journal_boot(struct qm_root *root, char **ret)
{
	struct qm_dir top = qm_root_dir(root);
	struct qm_problems *problems = root->problems;
	char *boot = NULL;
	int r;

	root->problems = NULL;
	r = qm_dir_read_line(&top, "proc/sys/kernel/random/boot_id", &boot);
	root->problems = problems;
	if (r == -ENOMEM)
		return r;
	*ret = r < 0 ? NULL : boot;
	return 0;
}

int qm_journal_create(struct qm_state *s, const struct qm_plan *p, const char *boot, char **ret_name)
{
	struct qm_strbuf text = { 0 };
	struct qm_names names = { 0 };
	char name[64], *copy;
	long last = 0;
	int r;

	r = qm_state_names(s, &names);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		long nr = journal_number(names.v[i]);

		last = nr > last ? nr : last;
	}
	qm_names_done(&names);
	snprintf(name, sizeof(name), JOURNAL_PREFIX "%06ld" JOURNAL_SUFFIX, last + 1);
	format_journal(p, boot, &text);
	r = text.err;
	if (r == 0)
		r = qm_state_create(s, name, text.s, text.len);
	qm_strbuf_done(&text);
	if (r < 0)
		return r;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	*ret_name = copy;
	return 0;
}

int qm_journal_mark(struct qm_state *s, const char *name, const char *mark, long entry)
{
	char line[64];
	int n;

	/* The line break before it ends a mark that an earlier run may have left half-written. */
	if (entry >= 0)
		n = snprintf(line, sizeof(line), "\n{\"%s\":%ld}\n", mark, entry);
	else
		n = snprintf(line, sizeof(line), "\n{\"%s\":true}\n", mark);
	return qm_state_append(s, name, line, (size_t)n);
}

static const char *string_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}

static bool number_of(struct json_object *o, const char *key, long long *ret)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int))
		return false;
	*ret = json_object_get_int64(v);
	return true;
}

static int read_entry(struct json_object *o, struct qm_journal *j)
{
	const char *path = string_of(o, "path"), *old = string_of(o, "old"), *new = string_of(o, "new");
	enum qm_change_what what;

	if (!path || !old || !new || !qm_hint_path_is_allowed(path, &what, NULL))
		return -EINVAL;
	return qm_plan_add(&j->plan, what, path, old, new, string_of(o, "controller"), NULL, string_of(o, "handler"));
}

static void read_mark(struct json_object *o, struct qm_journal *j)
{
	static const struct {
		const char *key;
		enum qm_change_state state;
	} marks[] = {
		{ "begin", QM_CHANGE_PLANNED },
		{ "done", QM_CHANGE_APPLIED },
		{ "refused", QM_CHANGE_REFUSED },
		{ "undone", QM_CHANGE_UNDONE },
	};
	long long i;

	if (json_object_object_get_ex(o, "closed", NULL))
		j->closed = true;
	for (size_t k = 0; k < QM_ARRAY_SIZE(marks); k++) {
		if (!number_of(o, marks[k].key, &i) || i < 0 || (size_t)i >= j->plan.n)
			continue;
		j->begun[i] = true;
		j->plan.v[i].state = marks[k].state;
	}
}

/* What the line holds; NULL if that is no JSON. -ENOMEM: a mark must not be lost only because it cannot be read now. */
static int parse_line(const char *line, struct json_object **ret)
{
	enum json_tokener_error error = json_tokener_success;

	*ret = json_tokener_parse_verbose(line, &error);
	if (error != json_tokener_success)
		return 0;
	/* json-c gives no other sign of it: nothing at all, or no member of those there must be. */
	if (*ret ? json_object_is_type(*ret, json_type_object) && !json_object_object_length(*ret) : strcmp(line, "null") != 0)
		return -ENOMEM;
	return 0;
}

/* What one line means; *ended turns true at the end mark. */
static int read_line(struct json_object *o, bool *ended, bool *headed, struct qm_journal *j)
{
	const char *version = string_of(o, "qmapctl_journal"), *boot = string_of(o, "boot");
	long long n;
	int r = 0;

	if (!json_object_is_type(o, json_type_object)) {
		/* Before the end mark nothing can be cut unless the file was damaged. */
		r = *ended ? 0 : -EINVAL;
	} else if (*ended) {
		read_mark(o, j);
	} else if (version) {
		*headed = strcmp(version, "1") == 0;
		if (number_of(o, "time", &n))
			j->time = n;
		if (boot && !j->boot) {
			j->boot = strdup(boot);
			r = j->boot ? 0 : -ENOMEM;
		}
	} else if (number_of(o, "end", &n)) {
		*ended = *headed && n == (long long)j->plan.n;
		r = *ended ? 0 : -EINVAL;
		j->begun = calloc(j->plan.n ? j->plan.n : 1, sizeof(*j->begun));
		r = j->begun ? r : -ENOMEM;
	} else {
		r = read_entry(o, j);
	}
	return r;
}

void qm_journal_done(struct qm_journal *j)
{
	free(j->name);
	free(j->begun);
	free(j->boot);
	qm_plan_done(&j->plan);
}

int qm_journal_read(const struct qm_state *s, const char *name, struct qm_journal *ret)
{
	struct qm_journal j = { .time = -1 };
	_cleanup_free_ char *text = NULL;
	bool ended = false, headed = false;
	struct json_object *o;
	char *line, *next;
	size_t len;
	int r;

	r = qm_state_read(s, name, JOURNAL_MAX, &text, &len);
	for (line = text; r == 0 && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!*line)
			continue;
		r = parse_line(line, &o);
		if (r == 0)
			r = read_line(o, &ended, &headed, &j);
		json_object_put(o);
	}
	if (r == 0 && !ended)
		r = -EINVAL;
	if (r == 0) {
		j.name = strdup(name);
		r = j.name ? 0 : -ENOMEM;
	}
	if (r < 0) {
		qm_journal_done(&j);
		return r;
	}
	*ret = j;
	return 0;
}

void qm_journals_done(struct qm_journals *js)
{
	for (size_t i = 0; i < js->n; i++)
		qm_journal_done(&js->v[i]);
	free(js->v);
	*js = (struct qm_journals){ 0 };
}

int qm_journals_read(const struct qm_state *s, struct qm_journals *ret, struct qm_problems *problems)
{
	struct qm_journals js = { 0 };
	struct qm_names names = { 0 };
	int r;

	r = qm_state_names(s, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		if (journal_number(names.v[i]) < 0)
			continue;
		r = qm_array_grow(&js.v, &js.cap, js.n + 1, sizeof(*js.v));
		if (r < 0)
			break;
		r = qm_journal_read(s, names.v[i], &js.v[js.n]);
		if (r == 0) {
			js.n++;
		} else if (r != -ENOMEM) {
			qm_problem_addf(problems, names.v[i], "no journal that can be used: %s",
					r == -EINVAL ? "damaged" : strerror(-r));
			js.unreadable++;
			r = 0;
		}
	}
	qm_names_done(&names);
	if (r < 0) {
		qm_journals_done(&js);
		return r;
	}
	*ret = js;
	return 0;
}
