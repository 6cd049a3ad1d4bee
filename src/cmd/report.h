/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of controllers, made one at a time for the faces: what list and show have in common. */
#ifndef QM_CMD_REPORT_H
#define QM_CMD_REPORT_H

#include "cmd/cmd.h"
#include "out/results.h"

/* The worst finding of each controller that needs action, as far as the kernel is known. */
struct qm_worst {
	int severity;     /* enum qm_severity, -1 = none */
	const char *rule; /* NULL */
};

struct qm_reporter {
	struct qm_run *run;
	struct qm_worst *worst; /* one per controller of the machine; NULL = the audit was not asked */
	struct qm_findings findings;
	struct qm_identifier *identifier; /* made with the first report */
};

/*
 * Reads the source, more of it (QM_READ_*) than controllers and their interrupts where wanted, and resolves the operands; with
 * audit, judges the controllers too. 0, QM_SAID or -errno.
 */
QM_MUST_CHECK int qm_reporter_init(struct qm_reporter *rep, struct qm_run *run, unsigned more, bool audit);
void qm_reporter_done(struct qm_reporter *rep);
/* The reports as the faces take them, borrowed from rep. */
struct qm_reports qm_reporter_reports(struct qm_reporter *rep);

#endif
