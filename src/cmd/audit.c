// SPDX-License-Identifier: GPL-2.0-or-later
/* audit: what is wrong, why, and what mends it. */
#include "audit/audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "out/results.h"

struct audit_options {
	const char *only, *ignore, *fail_on, *reserved;
};

#define OPT(field, what) .offset = offsetof(struct audit_options, field), .kind = what, .group = QM_GROUP_COMMAND

static const struct qm_option options[] = {
	{ .name = "only", .arg = "RULE,..", .help = "these rules alone", .complete = QM_COMPLETE_RULE,
	  OPT(only, QM_OPTION_LIST) },
	{ .name = "ignore", .arg = "RULE,..", .help = "all rules but these", .complete = QM_COMPLETE_RULE,
	  OPT(ignore, QM_OPTION_LIST) },
	{ .name = "fail-on", .arg = "LEVEL", .help = "exit status 1 from this severity on; the usual one is warning",
	  .complete = "info|warning|error|never", OPT(fail_on, QM_OPTION_STRING) },
	{ .name = "reserved", .arg = "LIST", .help = "CPUs meant for something else, as for DPDK or SPDK",
	  OPT(reserved, QM_OPTION_LIST) },
	{ 0 },
};

/* Splits "A,B" into a NULL-terminated list in one allocation; every name must be a rule. */
static int parse_rules(struct qm_run *run, const char *option, const char *text, char ***ret)
{
	_cleanup_free_ char **v = NULL;
	size_t n = 0;
	char *names, *name, *rest;

	if (!text)
		return 0;
	v = calloc(strlen(text) / 2 + 2, sizeof(*v));
	names = v ? strdup(text) : NULL;
	if (!names || qm_run_own(run, names) < 0)
		return -ENOMEM;
	for (rest = names; (name = strsep(&rest, ","));) {
		if (!*name)
			continue;
		if (!qm_rule_find(name))
			return qm_usage_error(run, "%s: no rule '%s': 'qmapctl explain' lists them", option, name);
		v[n++] = name;
	}
	if (!n)
		return qm_usage_error(run, "%s needs the name of a rule", option);
	*ret = v;
	v = NULL;
	return 0;
}

/* "Nothing wrong" where nothing was looked at would deceive. */
static int check_rules(const struct qm_run *run, char **only, char **ignore)
{
	if (!only || !ignore)
		return 0;
	for (; *only; only++) {
		char **i = ignore;

		while (*i && strcmp(*i, *only) != 0)
			i++;
		if (!*i)
			return 0;
	}
	return qm_usage_error(run, "--only and --ignore leave no rule");
}

/* The severity from which on the answer is "no"; _QM_SEVERITY_MAX = never. */
static int parse_level(struct qm_run *run, const char *text, enum qm_severity *ret)
{
	if (!text) {
		*ret = QM_WARNING;
		return 0;
	}
	for (int s = 0; s < _QM_SEVERITY_MAX; s++) {
		if (strcmp(text, qm_severity_name((enum qm_severity)s)) == 0) {
			*ret = (enum qm_severity)s;
			return 0;
		}
	}
	*ret = _QM_SEVERITY_MAX;
	return strcmp(text, "never") == 0 ? 0 : qm_usage_error(run, "--fail-on is info, warning, error or never, not '%s'",
							       text);
}

static void add_number(struct qm_strbuf *b, const char *before, size_t n, const char *what)
{
	qm_strbuf_addf(b, "%s%zu %s%s", before, n, what, n == 1 ? "" : "s");
}

/* "What if: Linux 6.12.48, 70 of 72 CPUs on 2 nodes, 3 controllers with 100 queues" */
static void summarize(const struct qm_run *run, struct qm_strbuf *b)
{
	const struct qm_topology *t = &run->m.topo;
	unsigned online = qm_cpuset_count(&t->online), possible = qm_cpuset_count(&t->possible);
	size_t queues = 0;

	qm_strbuf_adds(b, run->whatif ? "What if: " : "");
	if (run->m.kernel.release)
		qm_strbuf_addf(b, "Linux %s, ", run->m.kernel.release);
	if (online == possible)
		add_number(b, "", online, "CPU");
	else
		qm_strbuf_addf(b, "%u of %u CPUs online", online, possible);
	if (t->n_nodes > 1)
		add_number(b, online == possible ? " on " : ", ", t->n_nodes, "node");
	for (size_t i = 0; i < run->n_controllers; i++)
		queues += run->m.controllers[run->controllers[i]].n_hctx;
	if (!run->n_controllers) {
		qm_strbuf_adds(b, ", no device with hardware queues");
		return;
	}
	add_number(b, ", ", run->n_controllers, "controller");
	add_number(b, " with ", queues, "hardware queue");
	/* Whoever keeps only stdout must see that the answer is not whole. */
	if (run->m.problems.n)
		add_number(b, ", ", run->m.problems.n + run->m.problems.dropped, "reading problem");
}

/* Notes stay away from people who did not ask for them: they need no action. */
static enum qm_severity lowest_shown(const struct qm_run *run, const struct audit_options *opt, enum qm_severity fail_on)
{
	return run->g.verbose || opt->only || fail_on == QM_INFO ? QM_INFO : QM_WARNING;
}

/* The options without which a command would ask about another machine than was judged; but not --kernel, if it has one. */
static void add_assumptions(struct qm_strbuf *b, const struct qm_globals *g, const char *command)
{
	const struct {
		const char *option, *value;
	} v[] = {
		{ "--topology", g->topology },
		{ "--synthetic", g->synthetic },
		{ "--kernel", strstr(command, " --kernel ") ? NULL : g->kernel },
		{ "--online", g->online },
		{ "--offline", g->offline },
		{ "--isolcpus", g->isolcpus },
		{ "--nohz-full", g->nohz_full },
	};

	qm_strbuf_adds(b, g->demo ? " --demo" : "");
	for (size_t i = 0; i < QM_ARRAY_SIZE(v); i++) {
		if (!v[i].value)
			continue;
		qm_strbuf_addf(b, " %s ", v[i].option);
		qm_strbuf_add_word(b, v[i].value);
	}
}

/*
 * Commands are for the machine that was judged; where a tree was, to be typed there. What was only assumed of it, and a
 * machine that was made up, has to be said again.
 */
static int complete_commands(const struct qm_run *run, struct qm_findings *findings)
{
	static const char own[] = "qmapctl ";
	int r = 0;

	for (size_t i = 0; r == 0 && i < findings->n; i++) {
		struct qm_strbuf b = { 0 };
		char **command = &findings->v[i].command, *whole = NULL;

		if (!*command || strncmp(*command, own, strlen(own)) != 0)
			continue;
		qm_strbuf_adds(&b, *command);
		add_assumptions(&b, &run->g, *command);
		r = qm_strbuf_take(&b, &whole);
		qm_strbuf_done(&b);
		if (r == 0) {
			free(*command);
			*command = whole;
		}
	}
	return r;
}

static int judge(struct qm_run *run, const struct qm_audit_options *ao, enum qm_severity fail_on)
{
	struct qm_findings findings = { 0 };
	struct qm_strbuf summary = { 0 };
	struct qm_audit_result res = { .findings = &findings, .shown = lowest_shown(run, run->opt, fail_on) };
	int r = qm_audit_run(&run->m, ao, &findings);

	if (r < 0)
		return r;
	for (int s = (int)fail_on; s < _QM_SEVERITY_MAX; s++) {
		if (findings.count[s])
			run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
	}
	summarize(run, &summary);
	res.summary = qm_strbuf_str(&summary);
	r = summary.err ? summary.err : complete_commands(run, &findings);
	if (r == 0)
		r = run->out.face->audit(&run->out, &res);
	qm_strbuf_done(&summary);
	qm_findings_done(&findings);
	return r;
}

static int audit_run(struct qm_run *run)
{
	const struct audit_options *opt = run->opt;
	_cleanup_free_ char **only = NULL, **ignore = NULL;
	struct qm_audit_options ao = { 0 };
	enum qm_severity fail_on;
	int r = parse_level(run, opt->fail_on, &fail_on);

	if (r == 0)
		r = parse_rules(run, "--only", opt->only, &only);
	if (r == 0)
		r = parse_rules(run, "--ignore", opt->ignore, &ignore);
	if (r == 0)
		r = check_rules(run, only, ignore);
	if (r == 0)
		r = qm_source_open(run, QM_READ_DEVICES | QM_READ_IRQS | QM_READ_IRQBALANCE);
	/* A tree may lack its release; a machine made up for the question must say what it runs. */
	if (r == 0 && (run->g.topology || run->g.synthetic) && !qm_source_need_kernel(run))
		r = QM_SAID;
	if (r == 0 && opt->reserved)
		r = qm_source_parse_list(run, "--reserved", opt->reserved, &ao.reserved);
	if (r == 0)
		r = qm_devices_resolve(run);
	if (r < 0)
		return r;
	ao.only = (const char *const *)only;
	ao.ignore = (const char *const *)ignore;
	ao.whatif = run->whatif;
	/* Without names the machine as a whole is judged too. */
	ao.controllers = run->n_args ? run->controllers : NULL;
	ao.n_controllers = run->n_controllers;
	return judge(run, &ao, fail_on);
}

static const struct qm_layout *const layouts[] = { &qm_layout_audit, NULL };

const struct qm_command qm_command_audit = {
	.name = "audit",
	.summary = "what is wrong with the queues, why, and what mends it",
	.operands = "[DEVICE...]",
	.complete = QM_COMPLETE_DEVICE,
	.example = "qmapctl audit --offline 11,27",
	.example_help = "may these CPUs be taken offline? Which queues and reconnects would suffer",
	.options = options,
	.options_size = sizeof(struct audit_options),
	.layouts = layouts,
	.run = audit_run,
};
