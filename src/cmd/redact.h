/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces what tells whose machine it is in captured files, the same value by the same word everywhere. */
#ifndef QM_REDACT_H
#define QM_REDACT_H

#include <stddef.h>

#include "base/cleanup.h"

struct qm_redact_word {
	char *value, *word;
};

struct qm_redact {
	struct qm_redact_word *v;
	size_t n, cap;
};

void qm_redact_done(struct qm_redact *r);
/*
 * What to write instead of a file's data: a new string and its length, or NULL where the data stays. path is relative to the
 * root. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_redact_file(struct qm_redact *r, const char *path, const char *data, size_t len, char **ret,
				 size_t *ret_len);

#endif
