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
	const char *be = past ? (one ? "was" : "were") : (one ? "is" : "are");

	if (f->reason == QM_REASON_UNMAPPED) {
		qm_strbuf_addf(b, "this kernel's map gives it no CPU at all (%s, more queues than it can fill)", a->id);
		return;
	}
	qm_strbuf_adds(b, "its ");
	qm_words_cpus(b, &f->cpus);
	if (f->reason == QM_REASON_ISOLATED)
		qm_strbuf_addf(b, " %s isolated, and this kernel leaves isolated CPUs out of a queue's list", be);
	else
		qm_strbuf_addf(b, " %s offline", be);
}
