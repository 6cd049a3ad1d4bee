/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to fabrics/: the words that several answers share. Pure. */
#ifndef QM_WORDS_H
#define QM_WORDS_H

#include "base/strbuf.h"
#include "fabrics/connect.h"

/* "CPU 3", "CPUs 3,7-9" */
void qm_words_cpus(struct qm_strbuf *b, const struct qm_cpuset *s);
/* "queue 12 (hctx 11)" */
void qm_words_queue(struct qm_strbuf *b, long qid);
/* Why a queue has no CPU: "its CPU 11 is offline", "was" where that is past. */
void qm_words_reason(struct qm_strbuf *b, const struct qm_connect_failure *f, const struct qm_algo *a, bool past);

#endif
