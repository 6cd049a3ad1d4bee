// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line, read with the option tables. A parser of its own, because global options are welcome before and after
 * the command and every message should name what was wrong.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define G(field) .offset = offsetof(struct qm_globals, field)

const struct qm_option qm_global_options[] = {
	{ 's', "sysroot", "DIR", "read the machine below DIR (a capture) instead of this one", G(sysroot),
	  QM_OPTION_STRING, QM_GROUP_SOURCE, QM_COMPLETE_DIR, false },
	{ 0, "topology", "FILE", "a topology as written by 'qmapctl topology -J'", G(topology),
	  QM_OPTION_STRING, QM_GROUP_SOURCE, QM_COMPLETE_FILE, false },
	{ 0, "synthetic", "SPEC", "a topology in words: \"pack:2 [numa] core:18 pu:2\"", G(synthetic),
	  QM_OPTION_STRING, QM_GROUP_SOURCE, NULL, false },
	{ 0, "demo", NULL, "the machine of the original report, 72 CPUs and 64 queues", G(demo),
	  QM_OPTION_FLAG, QM_GROUP_SOURCE, NULL, false },
	{ 0, "kernel", "KERNEL", "as if it ran this kernel: a release, a version or an algorithm", G(kernel),
	  QM_OPTION_LIST, QM_GROUP_WHATIF, QM_COMPLETE_ALGO, false },
	{ 0, "online", "LIST", "as if exactly these CPUs were online", G(online),
	  QM_OPTION_LIST, QM_GROUP_WHATIF, NULL, false },
	{ 0, "offline", "LIST", "as if these CPUs were offline too", G(offline),
	  QM_OPTION_LIST, QM_GROUP_WHATIF, NULL, false },
	{ 0, "isolcpus", "ARG", "as if booted with isolcpus=ARG", G(isolcpus),
	  QM_OPTION_STRING, QM_GROUP_WHATIF, NULL, false },
	{ 0, "nohz-full", "LIST", "as if booted with nohz_full=LIST", G(nohz_full),
	  QM_OPTION_LIST, QM_GROUP_WHATIF, NULL, false },
	{ 'J', "json", NULL, "write JSON, always complete", G(json),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'o', "output", "COLS", "columns to show; +COL,.. adds to the usual ones", G(output),
	  QM_OPTION_LIST, QM_GROUP_OUTPUT, QM_COMPLETE_COLUMN, false },
	{ 'H', "list-columns", NULL, "list the columns and end", G(list_columns),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'n', "noheadings", NULL, "no headings", G(noheadings),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'r', "raw", NULL, "rows of words with one blank between", G(raw),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'P', "pairs", NULL, "rows of COLUMN=\"value\"", G(pairs),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'i', "ascii", NULL, "ASCII characters only", G(ascii),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 0, "color", "WHEN", "colours: auto, always or never", G(color),
	  QM_OPTION_STRING, QM_GROUP_OUTPUT, "always|auto|never", true },
	{ 'q', "quiet", NULL, "no remarks and problems on standard error", G(quiet),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'v', "verbose", NULL, "show more: full lists, what needs no action", G(verbose),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'h', "help", NULL, "help; with -v every global option", G(help),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 'V', "version", NULL, "version", G(version),
	  QM_OPTION_FLAG, QM_GROUP_OUTPUT, NULL, false },
	{ 0 },
};

static const struct qm_option no_options[] = { { 0 } };

/* Both tables in turn: the command's own options, then the global ones. */
struct scope {
	struct qm_run *run;
	const struct qm_option *own;
};

static struct scope scope_of(struct qm_run *run)
{
	const struct qm_option *own = run->command ? run->command->options : NULL;

	return (struct scope){ .run = run, .own = own ? own : no_options };
}

static const struct qm_option *scope_next(const struct scope *s, const struct qm_option *o)
{
	o = o ? o + 1 : s->own;
	if (!o->name && !(o >= qm_global_options && o < qm_global_options + QM_ARRAY_SIZE(qm_global_options)))
		o = qm_global_options;
	return o->name ? o : NULL;
}

static bool is_global(const struct qm_option *o)
{
	return o >= qm_global_options && o < qm_global_options + QM_ARRAY_SIZE(qm_global_options);
}

static const struct qm_option *find_letter(const struct scope *s, char letter)
{
	for (const struct qm_option *o = scope_next(s, NULL); o; o = scope_next(s, o)) {
		if (o->letter == letter)
			return o;
	}
	return NULL;
}

/* By the whole name, or by the beginning of only one. NULL with *ret_other set: two fit. */
static const struct qm_option *find_name(const struct scope *s, const char *name, size_t len,
					 const struct qm_option **ret_other)
{
	const struct qm_option *found = NULL;

	*ret_other = NULL;
	for (const struct qm_option *o = scope_next(s, NULL); o; o = scope_next(s, o)) {
		if (strncmp(o->name, name, len) != 0)
			continue;
		if (o->name[len] == '\0') {
			*ret_other = NULL;
			return o;
		}
		if (found)
			*ret_other = o;
		else
			found = o;
	}
	return found;
}

int qm_run_own(struct qm_run *run, char *s)
{
	int r = s ? qm_array_grow(&run->owned, &run->cap_owned, run->n_owned + 1, sizeof(*run->owned)) : -ENOMEM;

	if (r < 0) {
		free(s);
		return r;
	}
	run->owned[run->n_owned++] = s;
	return 0;
}

static int join_value(struct qm_run *run, const char **field, const char *value)
{
	struct qm_strbuf b = { 0 };
	char *s;
	int r;

	qm_strbuf_addf(&b, "%s,%s", *field, value);
	r = qm_strbuf_take(&b, &s);
	if (r == 0)
		r = qm_run_own(run, s);
	if (r == 0)
		*field = s;
	return r;
}

static int store(struct qm_run *run, const struct qm_option *o, const char *value)
{
	char *base = is_global(o) ? (char *)&run->g : run->opt;
	const char **field;

	if (o->kind == QM_OPTION_FLAG) {
		*(bool *)(base + o->offset) = true;
		return 0;
	}
	field = (const char **)(void *)(base + o->offset);
	if (o->kind == QM_OPTION_LIST && *field)
		return join_value(run, field, value);
	*field = value;
	return 0;
}

/* "A,B" in one word, or A and then B. Returns how many words beside the first were used. */
static int store_pair(struct qm_run *run, const struct qm_option *o, const char *value, char **rest)
{
	const char **field = (const char **)(void *)((is_global(o) ? (char *)&run->g : (char *)run->opt) + o->offset);
	const char *comma = strchr(value, ',');
	char *first;
	int r;

	if (!comma) {
		if (!*rest || **rest == '-')
			return qm_usage_error(run, "option '--%s' needs two arguments: %s", o->name, o->arg);
		field[0] = value;
		field[1] = *rest;
		return 1;
	}
	first = strndup(value, (size_t)(comma - value));
	r = qm_run_own(run, first);
	if (r < 0)
		return r;
	field[0] = first;
	field[1] = comma + 1;
	return 0;
}

/* For an option whose argument was left out: the first of the words it can be. */
static int store_first_word(struct qm_run *run, const struct qm_option *o)
{
	char *s = strndup(o->complete, strcspn(o->complete, "|"));
	int r = qm_run_own(run, s);

	return r < 0 ? r : store(run, o, s);
}

/* --name, --name=value, --name value. Returns how many words were used, or an error. */
static int parse_long(struct qm_run *run, char **argv)
{
	struct scope s = scope_of(run);
	const char *name = argv[0] + 2, *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	const struct qm_option *other, *o = find_name(&s, name, len, &other);
	int r;

	if (other)
		return qm_usage_error(run, "option '--%.*s' is ambiguous: --%s or --%s", (int)len, name, o->name, other->name);
	if (!o)
		return qm_usage_error(run, "unknown option '--%.*s'", (int)len, name);
	if (!o->arg && eq)
		return qm_usage_error(run, "option '--%s' takes no argument", o->name);
	if (!o->arg || (o->arg_optional && !eq)) {
		r = o->arg ? store_first_word(run, o) : store(run, o, NULL);
		return r < 0 ? r : 1;
	}
	if (!eq && !argv[1])
		return qm_usage_error(run, "option '--%s' needs %s: %s", o->name,
				      o->kind == QM_OPTION_PAIR ? "two arguments" : "an argument", o->arg);
	if (o->kind == QM_OPTION_PAIR)
		r = store_pair(run, o, eq ? eq + 1 : argv[1], argv + (eq ? 1 : 2));
	else
		r = store(run, o, eq ? eq + 1 : argv[1]);
	return r < 0 ? r : r + (eq ? 1 : 2);
}

/* -abc, -ovalue, -o value. */
static int parse_short(struct qm_run *run, char **argv)
{
	struct scope s = scope_of(run);

	for (const char *p = argv[0] + 1; *p; p++) {
		const struct qm_option *o = find_letter(&s, *p);
		int r;

		if (!o)
			return qm_usage_error(run, "unknown option '-%c'", *p);
		if (!o->arg) {
			r = store(run, o, NULL);
			if (r < 0)
				return r;
			continue;
		}
		if (!p[1] && !argv[1])
			return qm_usage_error(run, "option '-%c' needs an argument: %s", *p, o->arg);
		r = store(run, o, p[1] ? p + 1 : argv[1]);
		return r < 0 ? r : p[1] ? 1 : 2;
	}
	return 1;
}

static int set_command(struct qm_run *run, const char *name)
{
	run->command = qm_command_find(name);
	if (!run->command)
		return qm_usage_error(run, "unknown command '%s'", name);
	run->opt = calloc(1, run->command->options_size ? run->command->options_size : 1);
	return run->opt ? 0 : -ENOMEM;
}

static int add_operand(struct qm_run *run, char *word)
{
	if (!run->command)
		return set_command(run, word);
	run->args[run->n_args++] = word;
	return 0;
}

static int parse_words(struct qm_run *run, char **argv)
{
	bool only_operands = false;

	while (*argv) {
		char *word = *argv;
		int r;

		if (only_operands || word[0] != '-' || !word[1]) {
			r = add_operand(run, word);
			r = r < 0 ? r : 1;
		} else if (strcmp(word, "--") == 0) {
			only_operands = true;
			r = 1;
		} else {
			r = word[1] == '-' ? parse_long(run, argv) : parse_short(run, argv);
		}
		if (r < 0)
			return r;
		argv += r;
	}
	return 0;
}

/* Options of which only one may be given, and why not. */
static int check_exclusive(const struct qm_run *run)
{
	const struct qm_globals *g = &run->g;
	const char *sources[] = { g->sysroot ? "--sysroot" : NULL, g->topology ? "--topology" : NULL,
				  g->synthetic ? "--synthetic" : NULL, g->demo ? "--demo" : NULL };
	const char *shapes[] = { g->json ? "--json" : NULL, g->raw ? "--raw" : NULL, g->pairs ? "--pairs" : NULL };
	const char *first = NULL;

	for (size_t i = 0; i < QM_ARRAY_SIZE(sources); i++) {
		if (sources[i] && first)
			return qm_usage_error(run, "%s and %s exclude each other: one machine at a time", first, sources[i]);
		first = sources[i] ? sources[i] : first;
	}
	first = NULL;
	for (size_t i = 0; i < QM_ARRAY_SIZE(shapes); i++) {
		if (shapes[i] && first)
			return qm_usage_error(run, "%s and %s exclude each other", first, shapes[i]);
		first = shapes[i] ? shapes[i] : first;
	}
	return 0;
}

static int check_words(const struct qm_run *run)
{
	const struct qm_globals *g = &run->g;

	if (!run->command)
		return qm_usage_error(run, "no command given");
	if (run->n_args && !run->command->operands)
		return qm_usage_error(run, "unexpected word '%s': %s takes none", run->args[0], run->command->name);
	if (g->color && strcmp(g->color, "auto") != 0 && strcmp(g->color, "always") != 0 && strcmp(g->color, "never") != 0)
		return qm_usage_error(run, "--color is auto, always or never, not '%s'", g->color);
	if ((g->sysroot && !*g->sysroot) || (g->topology && !*g->topology))
		return qm_usage_error(run, "%s is given an empty name", g->sysroot && !*g->sysroot ? "--sysroot" : "--topology");
	for (size_t i = 0; i < run->n_args; i++) {
		if (!*run->args[i])
			return qm_usage_error(run, "an empty name: %s takes %s", run->command->name, run->command->operands);
	}
	return check_exclusive(run);
}

const struct qm_layout *qm_run_layout(const struct qm_run *run)
{
	const struct qm_layout *const *l = run->command->layouts;

	for (; l && *l; l++) {
		const struct qm_option *o = run->command->options;

		for (; (*l)->option && o && o->name; o++) {
			const char *at = (const char *)run->opt + o->offset;

			if (strcmp(o->name, (*l)->option) != 0)
				continue;
			if (o->kind == QM_OPTION_FLAG ? *(const bool *)at : *(const char *const *)(const void *)at != NULL)
				return *l;
		}
	}
	return run->command->layouts ? run->command->layouts[0] : NULL;
}

/* Columns are looked at before anything is read: a typing error should not cost the reading. */
static int check_columns(const struct qm_run *run)
{
	const struct qm_layout *layout = qm_run_layout(run);
	_cleanup_free_ char *bad = NULL;
	struct qm_selection sel;
	int r;

	if (!run->g.output && !run->g.list_columns)
		return 0;
	if (!layout)
		return qm_usage_error(run, "%s prints no table, so there are no columns to choose", run->command->name);
	if (!run->g.output)
		return 0;
	r = qm_layout_select(layout, run->g.output, false, false, &sel, &bad);
	if (r == -EINVAL && bad)
		return qm_usage_error(run, "unknown column '%s': -H lists them", bad);
	if (r == -EINVAL)
		return qm_usage_error(run, "-o needs the name of a column: -H lists them");
	return r;
}

int qm_options_parse(struct qm_run *run, int argc, char **argv)
{
	int r;

	run->root.fd = -1;
	run->args = calloc((size_t)argc + 1, sizeof(*run->args));
	if (!run->args)
		return -ENOMEM;
	r = parse_words(run, argv + (argc > 0));
	if (r < 0 || run->g.help || run->g.version)
		return r;
	r = check_words(run);
	return r < 0 ? r : check_columns(run);
}

void qm_run_done(struct qm_run *run)
{
	for (size_t i = 0; i < run->n_owned; i++)
		free(run->owned[i]);
	free(run->owned);
	free(run->args);
	free(run->opt);
	free(run->controllers);
	qm_machine_done(&run->m);
	if (run->root.fd >= 0)
		qm_root_close(&run->root);
	*run = (struct qm_run){ .root.fd = -1 };
}
