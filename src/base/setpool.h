/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU sets kept once each. A large machine has tens of thousands of queues and interrupts with a few hundred different sets
 * between them, and a set is a kilobyte: they point into a pool instead of holding one each.
 */
#ifndef QM_SETPOOL_H
#define QM_SETPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"

/* {0} is empty. A copy of the struct is the same pool: only one may be used further. */
struct qm_setpool {
	struct qm_cpuset **chunks; /* sets never move */
	size_t n_chunks, cap_chunks;
	size_t n;
	const struct qm_cpuset **slots; /* by hash; NULL = free */
	size_t n_slots;
};

/* The empty set, which is in no pool. */
extern const struct qm_cpuset qm_cpuset_none;

/* A set equal to the given one that lives as long as the pool; borrowed. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_setpool_add(struct qm_setpool *pool, const struct qm_cpuset *set, const struct qm_cpuset **ret);
void qm_setpool_done(struct qm_setpool *pool);

#endif
