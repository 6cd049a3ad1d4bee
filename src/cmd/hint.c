// SPDX-License-Identifier: GPL-2.0-or-later
/* hint: plan, apply, undo, status and export of affinity hints. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "cmd/cmd.h"
#include "hint/hint.h"
#include "hint/nvme.h"
#include "out/results.h"

/* A plan that names every interrupt of the largest machine stays below this. */
#define PLAN_FILE_MAX (64 * 1024 * 1024)

struct hint_options {
	const char *reserved, *exclude, *state, *format, *file;
	bool yes, all_or_nothing, all;
};

#define OPT(field) offsetof(struct hint_options, field)

static const struct qm_option options[] = {
	{ 'y', "yes", NULL, "apply, undo: do not ask", OPT(yes), QM_OPTION_FLAG, QM_GROUP_COMMAND, NULL, false },
	{ 0, "all-or-nothing", NULL, "apply: take everything back if one write is refused", OPT(all_or_nothing),
	  QM_OPTION_FLAG, QM_GROUP_COMMAND, NULL, false },
	{ 0, "all", NULL, "undo: every run still in force, not only the last", OPT(all), QM_OPTION_FLAG,
	  QM_GROUP_COMMAND, NULL, false },
	{ 0, "exclude", "IRQ,..", "interrupts that are never touched", OPT(exclude), QM_OPTION_LIST, QM_GROUP_COMMAND,
	  NULL, false },
	{ 0, "reserved", "CPUS", "CPUs meant for something else: no interrupt goes there", OPT(reserved),
	  QM_OPTION_LIST, QM_GROUP_COMMAND, NULL, false },
	{ 0, "state", "DIR", "where the journal is (default: /var/lib/qmapctl in the root)", OPT(state),
	  QM_OPTION_STRING, QM_GROUP_COMMAND, QM_COMPLETE_DIR, false },
	{ 0, "format", "FORMAT", "export: shell, udev, systemd, irqbalance or nvme", OPT(format), QM_OPTION_STRING,
	  QM_GROUP_COMMAND, "shell|udev|systemd|irqbalance|nvme", false },
	{ 0, "file", "FILE", "export: write it there instead of standard output", OPT(file), QM_OPTION_STRING,
	  QM_GROUP_COMMAND, QM_COMPLETE_FILE, false },
	{ 0 },
};

/* Numbers of interrupts as a list: "16,20-24". */
static int parse_irqs(struct qm_run *run, const char *text, struct qm_ids *ret)
{
	while (text && *text) {
		unsigned long first, last;
		bool empty;
		char *end;

		errno = 0;
		first = last = strtoul(text, &end, 10);
		empty = end == text;
		if (!empty && *end == '-') {
			const char *p = end + 1;

			last = strtoul(p, &end, 10);
			empty = end == p;
		}
		if (empty || errno || first > last || last > INT32_MAX || last - first > 65535 ||
		    (*end && *end != ','))
			return qm_usage_error(run, "--exclude '%s': not a list of interrupt numbers", text);
		for (unsigned long i = first; i <= last; i++) {
			int r = qm_ids_add(ret, (unsigned)i);

			if (r < 0)
				return r;
		}
		text = *end ? end + 1 : end;
	}
	return 0;
}

static int make_plan(struct qm_run *run, const struct qm_ids *exclude, struct qm_plan_options *ret_opt, struct qm_plan *ret)
{
	const struct hint_options *opt = run->opt;
	struct qm_plan_options po = { .exclude = *exclude };
	int r;

	if (opt->reserved) {
		r = qm_source_parse_list(run, "--reserved", opt->reserved, &po.reserved);
		if (r < 0)
			return r;
	}
	r = qm_devices_resolve(run);
	if (r < 0)
		return r;
	po.controllers = run->controllers;
	po.n_controllers = run->n_controllers;
	*ret_opt = po;
	return qm_plan_make(&run->root, &run->m, &po, ret);
}

static int load_plan(const char *path, struct qm_plan *ret)
{
	_cleanup_free_ char *text = NULL, *error = NULL;
	size_t len;
	int r;

	r = qm_input_read(path, PLAN_FILE_MAX, &text, &len);
	if (r < 0) {
		qm_error("%s: %s", qm_input_name(path), qm_strerror(r));
		return QM_SAID;
	}
	r = qm_plan_parse(text, len, ret, &error);
	if (r == -EINVAL && error) {
		qm_error("%s: %s; nothing was written", qm_input_name(path), error);
		return QM_SAID;
	}
	return r;
}

/* Writing needs the machine as it is. */
static int need_writable(struct qm_run *run, const char *verb)
{
	if (run->g.kernel || run->g.online || run->g.offline || run->g.isolcpus || run->g.nohz_full)
		return qm_usage_error(run, "hint %s does not go with a what-if option: it writes to the machine as it is",
				      verb);
	return 0;
}

static const char *state_error(int r)
{
	switch (-r) {
	case ELOOP:
		return "is a symbolic link; not used";
	case EPERM:
		return "belongs to somebody else or others may write to it; not used";
	case EACCES:
		return "no permission; run it as root";
	case EROFS:
		return "the file system is read-only; name another directory with --state";
	default:
		return qm_strerror(r);
	}
}

/* Says what is wrong with the state directory, by the name under which the user finds it. */
static void tell_state(const struct qm_run *run, const char *text)
{
	const struct hint_options *opt = run->opt;

	if (opt->state)
		qm_error("%s: %s", opt->state, text);
	else
		qm_error("%s/%s: %s", run->g.sysroot ? run->g.sysroot : "", QM_STATE_DEFAULT, text);
}

/* Opens and locks the state directory. Without create, -ENOENT comes back silently. */
static int open_state(struct qm_run *run, bool create, bool lock, struct qm_state *ret)
{
	const struct hint_options *opt = run->opt;
	int r;

	r = qm_state_open(&run->root, opt->state, create, ret);
	if (r == -ENOENT && !create)
		return r;
	if (r < 0) {
		tell_state(run, state_error(r));
		return QM_SAID;
	}
	r = lock ? qm_state_lock(ret) : 0;
	if (r < 0) {
		qm_state_close(ret);
		tell_state(run, r == -EWOULDBLOCK ? "another run is at work; nothing was done" : state_error(r));
		return QM_SAID;
	}
	return 0;
}

/* True if it may go on: --yes, or "y" at the terminal. Tells what it needs otherwise. */
static bool is_confirmed(struct qm_run *run, const char *verb)
{
	const struct hint_options *opt = run->opt;
	char line[16];

	if (opt->yes)
		return true;
	if (run->g.json || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		qm_error("hint %s changes this machine: say --yes to let it", verb);
		return false;
	}
	fflush(run->out.f);
	fprintf(stderr, "%s? [y/N] ", strcmp(verb, "undo") == 0 ? "Restore the old values" : "Write these changes");
	fflush(stderr);
	if (fgets(line, sizeof(line), stdin) && (line[0] == 'y' || line[0] == 'Y'))
		return true;
	qm_error("nothing was written");
	return false;
}

static bool has_state(const struct qm_plan *p, enum qm_change_state s)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].state == s)
			return true;
	}
	return false;
}

/* That irqbalance would undo the plan's work, and what keeps it from that. NULL where it does not run or has nothing to undo. */
static int irqbalance_text(const struct qm_run *run, const struct qm_plan *p, char **ret)
{
	struct qm_strbuf list = { 0 }, text = { 0 };
	struct qm_ids ids = { 0 };
	long nr;
	int r = 0;

	*ret = NULL;
	for (size_t i = 0; r == 0 && i < p->n; i++) {
		if (p->v[i].what == QM_CHANGE_IRQ && p->v[i].state == QM_CHANGE_PLANNED &&
		    qm_hint_path_is_allowed(p->v[i].path, NULL, &nr) && nr <= INT_MAX)
			r = qm_ids_add(&ids, (unsigned)nr);
	}
	if (r == 0 && run->m.irqbalance == 1 && ids.n) {
		qm_ids_sort(&ids);
		qm_ids_format(&ids, &list);
		if (run->m.irqbalance_policy)
			qm_strbuf_addf(&text, "irqbalance is running with the policy script %s and will move IRQ %s again unless "
				       "that bans them: 'qmapctl hint export --format irqbalance' prints one that does",
				       run->m.irqbalance_policy, qm_strbuf_str(&list));
		else
			qm_strbuf_addf(&text, "irqbalance is running and will move IRQ %s again: stop it, or start it with "
				       "--policyscript=FILE, a file that 'qmapctl hint export --format irqbalance' prints",
				       qm_strbuf_str(&list));
		text.err = list.err ? list.err : text.err;
		r = qm_strbuf_take(&text, ret);
	}
	qm_strbuf_done(&list);
	qm_strbuf_done(&text);
	qm_ids_done(&ids);
	return r;
}

static int show(struct qm_run *run, const char *verb, const struct qm_plan *p, const char *journal)
{
	struct qm_hint_result res = { .verb = verb, .plans = p, .n_plans = 1, .journal = journal };

	if (p->possible)
		res.possible = p->possible;
	return run->out.face->hint(&run->out, &res);
}

static int hint_plan(struct qm_run *run, const struct qm_ids *exclude)
{
	_cleanup_free_ char *irqbalance = NULL;
	struct qm_plan_options po;
	struct qm_plan p = { 0 };
	int r;

	r = make_plan(run, exclude, &po, &p);
	if (r == 0)
		r = irqbalance_text(run, &p, &irqbalance);
	if (r == 0 && irqbalance)
		r = qm_plan_add_note(&p, NULL, "%s", irqbalance);
	if (r == 0)
		r = show(run, "plan", &p, NULL);
	qm_plan_done(&p);
	return r;
}

static int apply_plan(struct qm_run *run, const struct qm_ids *exclude, struct qm_state *state, struct qm_plan *p)
{
	const struct hint_options *opt = run->opt;
	struct qm_apply_options ao = { .all_or_nothing = opt->all_or_nothing, .exclude = *exclude };
	_cleanup_free_ char *journal = NULL, *error = NULL, *irqbalance = NULL;
	int r, shown = 0;

	r = qm_plan_check(&run->root, &run->m, &ao, p, &error);
	if (r == -EINVAL && error) {
		qm_error("%s; nothing was written", error);
		return QM_SAID;
	}
	if (r < 0)
		return r;
	if (has_state(p, QM_CHANGE_PLANNED)) {
		r = irqbalance_text(run, p, &irqbalance);
		if (r < 0)
			return r;
		if (irqbalance)
			qm_error("%s", irqbalance);
		/* One answer in JSON: the outcome. People see first what will be done. */
		if (!run->g.json && !opt->yes)
			shown = show(run, "plan", p, NULL);
		if (shown < 0)
			return shown;
		if (!is_confirmed(run, "apply"))
			return QM_SAID;
		r = qm_plan_apply(&run->root, state, &ao, p, &journal);
		if (r < 0)
			qm_error("the journal cannot be written: %s; what was written until then can be undone with 'qmapctl "
				 "hint undo'",
				 qm_strerror(r));
	}
	if (has_state(p, QM_CHANGE_REFUSED) || has_state(p, QM_CHANGE_MOVED) || has_state(p, QM_CHANGE_UNDONE))
		run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
	if (r < 0)
		run->out.status = qm_status_worst(run->out.status, QM_EXIT_TROUBLE);
	return show(run, "apply", p, journal);
}

static bool is_plan_file(const char *name)
{
	size_t n = strlen(name);

	return strcmp(name, "-") == 0 || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

/* No device was found: was a plan meant? */
static bool looks_like_file(const char *name)
{
	return strpbrk(name, "./") && strncmp(name, "/dev/", 5) != 0;
}

/* A plan is all there is to do: nothing beside it has a say. */
static int check_plan_file(struct qm_run *run)
{
	const struct hint_options *opt = run->opt;

	for (size_t i = 0; i < run->n_args; i++) {
		if (!is_plan_file(run->args[i]))
			continue;
		if (run->n_args > 1)
			return qm_usage_error(run, "%s is a plan: it is applied alone, without devices or other plans",
					      qm_input_name(run->args[i]));
		if (opt->reserved)
			return qm_usage_error(run, "%s is a plan, which --reserved does not change: use it with hint plan",
					      qm_input_name(run->args[i]));
	}
	return 0;
}

static int hint_apply(struct qm_run *run, const struct qm_ids *exclude)
{
	struct qm_state state = QM_STATE_INIT;
	struct qm_plan_options po;
	struct qm_plan p = { 0 };
	int r;

	if (run->n_args == 1 && is_plan_file(run->args[0]))
		r = load_plan(run->args[0], &p);
	else
		r = make_plan(run, exclude, &po, &p);
	if (r == QM_NO_ANSWER && looks_like_file(run->args[0]))
		qm_error("the name of a plan ends in .json, or is - for standard input");
	if (r == 0)
		r = open_state(run, true, true, &state);
	if (r == 0)
		r = apply_plan(run, exclude, &state, &p);
	qm_state_close(&state);
	qm_plan_done(&p);
	return r;
}

/* All journals with the truth of now. */
static int read_journals(struct qm_run *run, const struct qm_state *state, struct qm_journals *ret)
{
	struct qm_problems problems = { 0 };
	int r;

	r = qm_journals_read(state, ret, &problems);
	for (size_t i = 0; i < problems.n; i++)
		qm_error("%s: %s", problems.v[i].path, problems.v[i].error);
	if (problems.n)
		run->out.status = qm_status_worst(run->out.status, QM_EXIT_TROUBLE);
	/* "No journal" would be wrong. */
	if (r == 0 && problems.n && !ret->n && !run->g.json)
		r = QM_NO_ANSWER;
	qm_problems_done(&problems);
	return r;
}

/* Shows the journals from first on, as one answer. */
static int show_journals(struct qm_run *run, const char *verb, const struct qm_journals *js, size_t first)
{
	struct qm_hint_result res = { .verb = verb };
	_cleanup_free_ struct qm_plan *plans = NULL;
	_cleanup_free_ struct qm_hint_run *runs = NULL;
	int r;

	plans = calloc(js->n ? js->n : 1, sizeof(*plans));
	runs = calloc(js->n ? js->n : 1, sizeof(*runs));
	if (!plans || !runs)
		return -ENOMEM;
	for (size_t i = 0; i < js->n; i++) {
		runs[i] = (struct qm_hint_run){ .name = js->v[i].name, .time = js->v[i].time,
						.undone = js->v[i].closed, .changes = js->v[i].plan.n };
		if (i >= first)
			plans[res.n_plans++] = js->v[i].plan; /* borrowed: not freed from here */
	}
	res.plans = plans;
	res.runs = runs;
	res.n_runs = js->n;
	res.journal = js->n ? js->v[js->n - 1].name : NULL;
	r = run->out.face->hint(&run->out, &res);
	return r;
}

static int undo_runs(struct qm_run *run, struct qm_state *state, struct qm_journals *js)
{
	const struct hint_options *opt = run->opt;
	size_t first = js->n ? js->n - 1 : 0;
	bool todo = false;
	int r = 0;

	if (opt->all)
		first = 0;
	for (size_t i = first; i < js->n; i++)
		todo |= !js->v[i].closed;
	if (todo && !is_confirmed(run, "undo"))
		return QM_SAID;
	for (size_t i = js->n; r == 0 && i-- > first;) {
		/* What was undone before says so and stays. */
		if (js->v[i].closed)
			r = qm_journal_status(&run->root, &run->m, &js->v[i]);
		else
			r = qm_journal_undo(&run->root, &run->m, state, &js->v[i]);
		if (r == 0 && !js->v[i].closed)
			run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
	}
	if (r < 0) {
		qm_error("the journal cannot be written: %s; run 'qmapctl hint undo' again", qm_strerror(r));
		run->out.status = qm_status_worst(run->out.status, QM_EXIT_TROUBLE);
	}
	return show_journals(run, "undo", js, first);
}

static int hint_undo(struct qm_run *run)
{
	struct qm_state state = QM_STATE_INIT;
	struct qm_journals js = { 0 };
	int r;

	r = open_state(run, false, true, &state);
	if (r == -ENOENT)
		return show_journals(run, "undo", &js, 0);
	if (r == 0)
		r = read_journals(run, &state, &js);
	if (r == 0)
		r = undo_runs(run, &state, &js);
	qm_journals_done(&js);
	qm_state_close(&state);
	return r;
}

static int hint_status(struct qm_run *run)
{
	struct qm_state state = QM_STATE_INIT;
	struct qm_journals js = { 0 };
	size_t first = 0;
	int r;

	r = open_state(run, false, false, &state);
	if (r == -ENOENT)
		return show_journals(run, "status", &js, 0);
	if (r == 0)
		r = read_journals(run, &state, &js);
	for (size_t i = 0; r == 0 && i < js.n; i++) {
		r = qm_journal_status(&run->root, &run->m, &js.v[i]);
		if (js.v[i].closed)
			continue;
		/* In force and no longer so: somebody or something moved it. */
		if (has_state(&js.v[i].plan, QM_CHANGE_MOVED))
			run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
	}
	while (first < js.n && js.v[first].closed)
		first++;
	if (r == 0)
		r = show_journals(run, "status", &js, first);
	qm_journals_done(&js);
	qm_state_close(&state);
	return r;
}

static bool is_named(const struct qm_run *run, const char *controller)
{
	for (size_t i = 0; run->controllers && i < run->n_controllers; i++) {
		if (controller && strcmp(run->m.controllers[run->controllers[i]].name, controller) == 0)
			return true;
	}
	return !run->controllers;
}

static bool has_path(const struct qm_plan *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].path, path) == 0)
			return true;
	}
	return false;
}

/* What was applied is no longer planned, and has to last all the same. */
static int add_applied(struct qm_run *run, struct qm_journal *j, struct qm_plan *p)
{
	int r = j->closed ? 0 : qm_journal_status(&run->root, &run->m, j);

	for (size_t i = 0; r == 0 && !j->closed && i < j->plan.n; i++) {
		const struct qm_change *c = &j->plan.v[i];

		if (c->state != QM_CHANGE_APPLIED || has_path(p, c->path) || !is_named(run, c->controller))
			continue;
		r = qm_plan_add(p, c->what, c->path, c->old, c->new, c->controller, "applied before", c->handler);
		if (r == 0)
			p->v[p->n - 1].state = QM_CHANGE_APPLIED;
	}
	return r;
}

/* The plan with all that is in force. A state directory that cannot be read by this user tells nothing. */
static int add_in_force(struct qm_run *run, struct qm_plan *p)
{
	const struct hint_options *opt = run->opt;
	struct qm_problems problems = { 0 };
	struct qm_state state = QM_STATE_INIT;
	struct qm_journals js = { 0 };
	int r;

	r = run->root.fd < 0 ? -ENOENT : qm_state_open(&run->root, opt->state, false, &state);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = qm_journals_read(&state, &js, &problems);
	for (size_t i = js.n; r == 0 && i-- > 0;)
		r = add_applied(run, &js.v[i], p);
	qm_problems_done(&problems);
	qm_journals_done(&js);
	qm_state_close(&state);
	return r == -ENOMEM ? r : 0;
}

/* The same by hand: beside the configuration, which has no place for it. */
static int tell_commands(struct qm_run *run, const struct qm_plan_options *po)
{
	struct qm_strbuf lines = { 0 };
	const char *line;
	int r;

	r = qm_nvme_commands(&run->m, po, &lines);
	for (line = qm_strbuf_str(&lines); r == 0 && *line; line += strcspn(line, "\n") + 1)
		qm_error("or by hand: %.*s", (int)strcspn(line, "\n"), line);
	r = r < 0 ? r : lines.err;
	if (r == 0 && !lines.len)
		qm_error("no NVMe-oF connection is here, so there is nothing to configure");
	qm_strbuf_done(&lines);
	return r;
}

static int hint_export(struct qm_run *run, const struct qm_ids *exclude)
{
	const struct hint_options *opt = run->opt;
	enum qm_export_format f = 0;
	struct qm_strbuf text = { 0 };
	struct qm_plan_options po;
	struct qm_plan p = { 0 };
	FILE *file = run->out.f;
	int r;

	while (f < _QM_EXPORT_MAX && (!opt->format || strcmp(opt->format, qm_export_format_name(f)) != 0))
		f++;
	if (f == _QM_EXPORT_MAX)
		return qm_usage_error(run, "hint export needs --format shell, udev, systemd, irqbalance or nvme%s%s",
				      opt->format ? ", not " : "", opt->format ? opt->format : "");
	r = make_plan(run, exclude, &po, &p);
	if (r == 0)
		r = add_in_force(run, &p);
	if (r == 0)
		r = qm_plan_export(&p, &run->m, &po, f, &text);
	if (r == 0 && opt->file) {
		r = qm_output_write(opt->file, text.s, text.len);
		if (r < 0) {
			qm_error("%s: %s", opt->file, qm_strerror(r));
			r = QM_SAID;
		}
	} else if (r == 0) {
		fwrite(qm_strbuf_str(&text), 1, text.len, file);
	}
	if (r == 0 && f == QM_EXPORT_NVME)
		r = tell_commands(run, &po);
	qm_strbuf_done(&text);
	qm_plan_done(&p);
	return r;
}

enum verb {
	VERB_PLAN,
	VERB_APPLY,
	VERB_UNDO,
	VERB_STATUS,
	VERB_EXPORT,
	_VERB_MAX,
};

static const char *const verbs[_VERB_MAX] = { "plan", "apply", "undo", "status", "export" };

/* An option that would do nothing was meant to do something: interrupts excluded from an undo, for one. */
static int check_options(struct qm_run *run, enum verb verb)
{
	const struct hint_options *opt = run->opt;
	const unsigned make = 1u << VERB_PLAN | 1u << VERB_APPLY | 1u << VERB_EXPORT;
	const struct {
		const char *name;
		bool given;
		unsigned verbs; /* bits of those that it goes with */
	} v[] = {
		{ "--yes", opt->yes, 1u << VERB_APPLY | 1u << VERB_UNDO },
		{ "--all-or-nothing", opt->all_or_nothing, 1u << VERB_APPLY },
		{ "--all", opt->all, 1u << VERB_UNDO },
		{ "--exclude", opt->exclude, make },
		{ "--reserved", opt->reserved, make },
		{ "--format", opt->format, 1u << VERB_EXPORT },
		{ "--file", opt->file, 1u << VERB_EXPORT },
		{ "--json", run->g.json, ~(1u << VERB_EXPORT) },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(v); i++) {
		if (v[i].given && !(v[i].verbs & 1u << verb))
			return qm_usage_error(run, "hint %s does not go with %s", verbs[verb], v[i].name);
	}
	if (run->g.topology || run->g.synthetic || run->g.demo)
		return qm_usage_error(run, "hint %s works on this machine or a --sysroot only", verbs[verb]);
	if ((verb == VERB_UNDO || verb == VERB_STATUS) && run->n_args)
		return qm_usage_error(run, "hint %s takes no devices: it works by the journal", verbs[verb]);
	if (verb == VERB_APPLY || verb == VERB_UNDO) {
		int r = need_writable(run, verbs[verb]);

		if (r < 0)
			return r;
	}
	return verb == VERB_APPLY ? check_plan_file(run) : 0;
}

static int hint_run(struct qm_run *run)
{
	const struct hint_options *opt = run->opt;
	struct qm_ids exclude = { 0 };
	enum verb verb = 0;
	int r;

	while (verb < _VERB_MAX && (!run->n_args || strcmp(run->args[0], verbs[verb]) != 0))
		verb++;
	if (verb == _VERB_MAX)
		return qm_usage_error(run, "hint needs one of plan, apply, undo, status and export%s%s",
				      run->n_args ? ", not " : "", run->n_args ? run->args[0] : "");
	/* What follows the verb are the operands proper. */
	run->n_args--;
	memmove(run->args, run->args + 1, run->n_args * sizeof(*run->args));
	r = check_options(run, verb);
	if (r == 0)
		r = parse_irqs(run, opt->exclude, &exclude);
	if (r == 0)
		r = qm_source_open(run, QM_READ_DEVICES | QM_READ_IRQS | QM_READ_IRQ_DETAIL | QM_READ_IRQBALANCE);
	if (r == 0 && verb == VERB_PLAN)
		r = hint_plan(run, &exclude);
	else if (r == 0 && verb == VERB_APPLY)
		r = hint_apply(run, &exclude);
	else if (r == 0 && verb == VERB_UNDO)
		r = hint_undo(run);
	else if (r == 0 && verb == VERB_STATUS)
		r = hint_status(run);
	else if (r == 0)
		r = hint_export(run, &exclude);
	qm_ids_done(&exclude);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_hint, NULL };

const struct qm_command qm_command_hint = {
	.name = "hint",
	.summary = "interrupt affinity and rq_affinity: plan, write, undo, persist",
	.operands = "plan|apply|undo|status|export [PLAN|DEVICE...]",
	.complete = "plan|apply|undo|status|export",
	.example = "qmapctl hint plan -J > plan.json && qmapctl hint apply plan.json",
	.example_help = "review what should change, then write it; 'hint undo' takes it back",
	.options = options,
	.options_size = sizeof(struct hint_options),
	.layouts = layouts,
	.run = hint_run,
};
