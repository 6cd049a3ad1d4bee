/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The judgement: a table of rules, each a row and a function, run over a machine. Reads and prints nothing.
 */
#ifndef QM_AUDIT_H
#define QM_AUDIT_H

#include "base/ids.h"
#include "machine/machine.h"
#include "map/identify.h"
#include "map/score.h"

enum qm_severity {
	QM_INFO,
	QM_WARNING,
	QM_ERROR,
	_QM_SEVERITY_MAX,
};

struct qm_finding {
	const struct qm_rule *rule;
	enum qm_severity severity; /* at most the rule's */
	long controller; /* index into the machine's controllers, -1 = the machine */
	struct qm_ids hctx;
	struct qm_cpuset cpus;
	struct qm_ids irqs; /* IRQ numbers */
	char *message; /* what is so, and what the admin sees because of it */
	char *advice; /* what mends it, or why nothing needs doing */
	char *command; /* to run; NULL where there is none */
	size_t seq; /* order of arrival, for sorting */
};

struct qm_findings {
	struct qm_finding *v;
	size_t n, cap;
	unsigned count[_QM_SEVERITY_MAX];
};

struct qm_audit_options {
	const char *const *only, *const *ignore; /* NULL-terminated rule names; NULL = no restriction */
	struct qm_cpuset reserved; /* --reserved: CPUs meant for something else (DPDK, SPDK) */
	bool whatif; /* the CPU state or kernel was changed by an option */
	const size_t *controllers; /* restrict to these indices; NULL = all */
	size_t n_controllers;
};

/* Is the machine's controller of this index among the n? NULL: all are. */
bool qm_audit_is_asked_for(const size_t *controllers, size_t n, size_t index);

/* Hardware queues of one type: each type is mapped over all CPUs on its own. */
struct qm_audit_set {
	int type; /* enum qm_hctx_type; QM_HCTX_UNKNOWN: all queues, no CPU being in two of them */
	struct qm_ids hctx; /* queue numbers in the scores are positions in this list */
	struct qm_score score; /* over the CPUs that are online now */
	struct qm_best best;
	/*
	 * The same as if every present CPU were online, where some are not. A map that is as good as can be in one of
	 * the two views is not to be faulted: it was made when other CPUs were online.
	 */
	bool has_full;
	struct qm_score score_full;
	struct qm_best best_full;
};

/* What the rules know of a controller. */
struct qm_audit_controller {
	bool skipped; /* not asked for */
	struct qm_audit_set sets[_QM_HCTX_TYPE_MAX]; /* none where the types cannot be told apart */
	unsigned n_sets; /* by type, ascending */
	/* Interrupts of its device, as indices into the machine's: those that complete requests, and the others. */
	struct qm_ids irqs, other_irqs;
	struct qm_identity *identity; /* computed when first asked for: qm_audit_identity() */
};

/* What the rules look at: computed once, lent to every rule. */
struct qm_audit {
	const struct qm_machine *m;
	const struct qm_audit_options *opt;
	struct qm_cpuset unusable; /* possible CPUs that are offline, or isolated where the kernel leaves those out */
	struct qm_cpuset unlisted; /* those of them that the kernel leaves out of the queues' lists */
	struct qm_audit_controller *c; /* as many as the machine has */
	struct qm_identifier *identifier; /* made when first used, as are the tools of the search for better maps */
	struct qm_reach_tools *tools;
	struct qm_findings *out;
};

struct qm_rule {
	const char *name;
	enum qm_severity severity; /* the highest it can have */
	const char *family; /* "map", "cpu", "irq", "fabrics", "log", "kernel" */
	const char *title;
	const char *text; /* explain: meaning, consequence, remedy, kernels, when it is no problem */
	/* What judges: each set of queues, each controller, the machine. All NULL: said by diagnose or advise only. */
	int (*each_set)(
		struct qm_audit *a, const struct qm_rule *rule, size_t controller, const struct qm_audit_set *set);
	int (*each)(struct qm_audit *a, const struct qm_rule *rule, size_t controller);
	int (*run)(struct qm_audit *a, const struct qm_rule *rule);
};

/* The table in its fixed order, by family; NULL behind the last. */
const struct qm_rule *qm_rule_get(size_t index);
const struct qm_rule *qm_rule_find(const char *name);
const char *qm_severity_name(enum qm_severity s);

/* Runs the rules. Findings come by severity (errors first), then controller, then the table's order. 0 or -errno. */
QM_MUST_CHECK int qm_audit_run(const struct qm_machine *m, const struct qm_audit_options *opt, struct qm_findings *ret);
void qm_findings_done(struct qm_findings *f);

#endif
