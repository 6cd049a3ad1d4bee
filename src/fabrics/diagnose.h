/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an incident of a kernel log means: its cause, whether it still stands on this machine, and what mends it. A
 * failure that is not the queue map's doing is said to be so. Pure.
 */
#ifndef QM_DIAGNOSE_H
#define QM_DIAGNOSE_H

#include "fabrics/connect.h"
#include "fabrics/klog.h"
#include "machine/machine.h"

/* What the log is compared with. */
struct qm_diagnose_env {
	const struct qm_machine *m; /* NULL: no machine is known */
	struct qm_connect *connect; /* NULL: no machine, or no kernel */
	/* Why the log does not speak of this machine as it is now ("it is of another host"); NULL: it does. */
	const char *apart;
};

struct qm_diagnosis {
	const char *rule;
	const char *severity; /* "error", "warning", "info": of the rule, or less where nothing needs doing */
	long qid, hctx;      /* -1; qid may be foretold where the log does not say it */
	bool qid_foretold;
	int stands;          /* 1: it would happen again now; 0: not any more; -1: not known */
	bool has_cpus;       /* those of the queue, or that the message names */
	struct qm_cpuset cpus, offline;
	char *cause, *advice;
	char *command;       /* NULL where there is none */
};

/* 0, -EINVAL, -ENOMEM. */
QM_MUST_CHECK int qm_diagnose(const struct qm_klog_incident *i, const struct qm_diagnose_env *env,
			      struct qm_diagnosis *ret);
/* What the old form of a code says; for an incident that has one. 0, -ENOMEM. */
QM_MUST_CHECK int qm_diagnose_raw(const struct qm_klog_incident *i, struct qm_diagnosis *ret);
void qm_diagnosis_done(struct qm_diagnosis *d);

#endif
