// SPDX-License-Identifier: GPL-2.0-or-later
/* explain: what a rule or an algorithm means. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "out/results.h"

static int add(struct qm_explanation **v, size_t *cap, size_t *n, struct qm_explanation e)
{
	int r = qm_array_grow(v, cap, *n + 1, sizeof(**v));

	if (r == 0)
		(*v)[(*n)++] = e;
	return r;
}

static int add_all(struct qm_explanation **v, size_t *cap, size_t *n)
{
	const struct qm_rule *rule;
	const struct qm_algo *algo;
	int r = 0;

	for (size_t i = 0; r == 0 && (rule = qm_rule_get(i)); i++)
		r = add(v, cap, n, (struct qm_explanation){ .rule = rule });
	for (size_t i = 0; r == 0 && (algo = qm_algo_get(i)); i++)
		r = add(v, cap, n, (struct qm_explanation){ .algo = algo });
	return r;
}

static int add_named(struct qm_run *run, const char *name, struct qm_explanation **v, size_t *cap, size_t *n)
{
	struct qm_explanation e = { .rule = qm_rule_find(name) };

	if (!e.rule && qm_algo_parse(name, QM_FAMILY_MAP, &e.algo) < 0)
		return qm_usage_error(run, "no rule or algorithm '%s': 'qmapctl explain' lists them", name);
	return add(v, cap, n, e);
}

static int explain_run(struct qm_run *run)
{
	struct qm_explain_result res = { .list = run->n_args == 0 };
	struct qm_explanation *v = NULL;
	size_t cap = 0;
	int r = 0;

	if (res.list)
		r = add_all(&v, &cap, &res.n);
	for (size_t i = 0; r == 0 && i < run->n_args; i++)
		r = add_named(run, run->args[i], &v, &cap, &res.n);
	res.v = v;
	if (r == 0)
		r = run->out.face->explain(&run->out, &res);
	free(v);
	return r;
}

const struct qm_command qm_command_explain = {
	.name = "explain",
	.summary = "what a finding or an algorithm means",
	.operands = "[RULE|ALGORITHM...]",
	.complete = QM_COMPLETE_EXPLAIN,
	.example = "qmapctl explain queue-cross-numa v6.3",
	.example_help = "a rule of the audit, and what changed with Linux 6.3; without a name: all names",
	.run = explain_run,
};
