/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing list of numbers (queue ids, IRQ numbers), ascending by custom. {0} is empty. */
#ifndef QM_IDS_H
#define QM_IDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct qm_strbuf;

struct qm_ids {
	unsigned *v;
	size_t n, cap;
};

QM_MUST_CHECK int qm_ids_add(struct qm_ids *ids, unsigned id);
/* Deep copy into *ret ({0} or uninitialised). */
QM_MUST_CHECK int qm_ids_copy(const struct qm_ids *ids, struct qm_ids *ret);
void qm_ids_sort(struct qm_ids *ids);
bool qm_ids_has(const struct qm_ids *ids, unsigned id);
void qm_ids_done(struct qm_ids *ids);
/* Appends "0-3,8" for an ascending list; errors stay in the strbuf. */
void qm_ids_format(const struct qm_ids *ids, struct qm_strbuf *out);

#endif
