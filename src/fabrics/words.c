// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/words.h"

void qm_words_cpus(struct qm_strbuf *b, const struct qm_cpuset *s)
{
	qm_strbuf_adds(b, qm_cpuset_count(s) == 1 ? "CPU " : "CPUs ");
	qm_cpuset_format(s, b);
}

void qm_words_queue(struct qm_strbuf *b, long qid)
{
	qm_strbuf_addf(b, "queue %ld (hctx %ld)", qid, qid - 1);
}

void qm_words_reason(struct qm_strbuf *b, const struct qm_connect_failure *f, const struct qm_algo *a, bool past)
{
	bool one = qm_cpuset_count(&f->cpus) == 1;
	bool offline = f->reason == QM_REASON_OFFLINE, isolated = !offline || !qm_cpuset_is_subset(&f->cpus, &f->offline);
	const char *be = past ? (one ? "was" : "were") : (one ? "is" : "are");

	if (f->reason == QM_REASON_UNMAPPED) {
		qm_strbuf_addf(b, "this kernel's map gives it no CPU at all (%s, more queues than it can fill)", a->id);
		return;
	}
	qm_strbuf_adds(b, "its ");
	qm_words_cpus(b, &f->cpus);
	qm_strbuf_addf(b, " %s ", be);
	if (offline)
		qm_strbuf_adds(b, "offline");
	if (offline && isolated) {
		qm_strbuf_adds(b, " (");
		qm_cpuset_format(&f->offline, b);
		qm_strbuf_adds(b, ") or ");
	}
	if (isolated)
		qm_strbuf_adds(b, "isolated, and this kernel leaves isolated CPUs out of a queue's list");
}
