/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to fabrics/: finds the lines worth a look, at the speed of memory. */
#ifndef QM_KLOG_MATCH_H
#define QM_KLOG_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* One automaton for all key words; next[state][byte], states of QM_MATCH_HIT and above end a key word. */
struct qm_match {
	uint8_t next[256][256];
	unsigned n_states, hit; /* states numbered hit and above are ends */
};

/* Builds the automaton for the words, NULL-terminated. 0, or -EINVAL (too many letters for the table). */
QM_MUST_CHECK int qm_match_init(struct qm_match *m, const char *const *words);
/* The end of the first key word in text, or NULL. */
const char *qm_match_find(const struct qm_match *m, const char *text, size_t len);

#endif
