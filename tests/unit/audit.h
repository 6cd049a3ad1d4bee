/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running the rules over a machine made by hand, and asking what they found. */
#ifndef QM_TEST_AUDIT_H
#define QM_TEST_AUDIT_H

#include "unit.h"

#include "audit/audit.h"
#include "machine.h"

/* Runs all rules, or with only those named. The machine is freed. */
static inline struct qm_findings audit_with(struct qm_machine *m, const struct qm_audit_options *opt)
{
	struct qm_findings f = { 0 };

	assert_int_equal(qm_audit_run(m, opt, &f), 0);
	return f;
}

static inline struct qm_findings audit_run(struct qm_machine *m)
{
	const struct qm_audit_options opt = { 0 };

	return audit_with(m, &opt);
}

/* The nth finding of a rule; NULL. */
static inline const struct qm_finding *audit_nth(const struct qm_findings *f, const char *rule, size_t n)
{
	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->v[i].rule->name, rule) == 0 && n-- == 0)
			return &f->v[i];
	}
	return NULL;
}

static inline const struct qm_finding *audit_find(const struct qm_findings *f, const char *rule)
{
	return audit_nth(f, rule, 0);
}

/* The rule said something of that severity about these queues, CPUs and interrupts (lists; NULL: not looked at). */
static inline const struct qm_finding *audit_says(const struct qm_findings *f, const char *rule, const char *severity,
	const char *hctx, const char *cpus, const char *irqs)
{
	const struct qm_finding *one = audit_find(f, rule);
	struct qm_strbuf h = { 0 }, c = { 0 }, i = { 0 };

	if (!one)
		fail_msg("no %s", rule);
	assert_string_equal(qm_severity_name(one->severity), severity);
	qm_ids_format(&one->hctx, &h);
	qm_cpuset_format(&one->cpus, &c);
	qm_ids_format(&one->irqs, &i);
	if (hctx)
		assert_string_equal(qm_strbuf_str(&h), hctx);
	if (cpus)
		assert_string_equal(qm_strbuf_str(&c), cpus);
	if (irqs)
		assert_string_equal(qm_strbuf_str(&i), irqs);
	qm_strbuf_done(&h);
	qm_strbuf_done(&c);
	qm_strbuf_done(&i);
	assert_non_null(one->message);
	assert_non_null(one->advice);
	return one;
}

static inline void audit_silent(const struct qm_findings *f, const char *rule)
{
	const struct qm_finding *one = audit_find(f, rule);

	if (one)
		fail_msg("%s: %s", rule, one->message);
}

/* Nothing at warning or above. */
static inline void audit_clean(const struct qm_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].severity > QM_INFO)
			fail_msg("%s: %s", f->v[i].rule->name, f->v[i].message);
	}
}

static inline void audit_done(struct qm_findings *f, struct qm_machine *m)
{
	qm_findings_done(f);
	qm_machine_done(m);
}

#endif
