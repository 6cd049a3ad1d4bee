/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which algorithm a kernel runs, and what its drivers make of it. Pure: tables of facts. */
#ifndef QM_ERA_H
#define QM_ERA_H

#include "machine/machine.h"
#include "map/map.h"

/* Candidates in the order of likelihood; v[0] is the prediction. sure = there is no doubt. */
struct qm_era {
	const struct qm_algo *v[16];
	size_t n;
	bool sure;
};

/*
 * The generic mapper (QM_FAMILY_MAP) or interrupt spreading (QM_FAMILY_IRQ) of a kernel, or how it reads given
 * masks (QM_FAMILY_VECTOR). n == 0: nothing known.
 */
void qm_era_of_kernel(const struct qm_kernel *k, enum qm_family family, struct qm_era *ret);

/*
 * The CPUs that kernels with this algorithm put into a queue's list: online ones up to 4.12, present ones up to 4.15, then
 * all possible ones. Borrowed from the topology.
 */
const struct qm_cpuset *qm_era_listed_cpus(const struct qm_algo *a, const struct qm_topology *t);

/*
 * CPUs whose place hangs on what nobody shows, the nodes of absent CPUs; NULL = none. The other CPUs do not depend on them,
 * but in interrupt spreading of 4.16 to 5.18 and in suse-hk.
 */
const struct qm_cpuset *qm_era_guessed_cpus(const struct qm_algo *a, const struct qm_topology *t);

/*
 * Does what this algorithm makes of the machine hang on nothing that was guessed? Guesses are the nodes of absent CPUs
 * (where CPUs are dealt by node) and, on kernels that do not tell, the clusters (7.0 and later).
 */
bool qm_era_result_is_sure(const struct qm_algo *a, const struct qm_topology *t);

/*
 * What `--kernel` takes: a release, a version ("6.12") or an algorithm id ("v6.11", "map:v6.11"). An id gives the
 * kernel of its first version; one that belongs to no release ("suse-hk") gives a kernel of that name, for which
 * qm_era_of_kernel() answers just this. 0, -EINVAL, -ENOMEM.
 */
QM_MUST_CHECK int qm_era_parse_kernel(const char *text, struct qm_kernel *ret);

/* Does this kernel leave isolated (isolcpus=domain) or nohz_full CPUs out of a queue's list? 1, 0; *ret_sure. */
int qm_era_drops_isolated(const struct qm_kernel *k, bool *ret_sure);
int qm_era_drops_nohz_full(const struct qm_kernel *k, bool *ret_sure);

/* What the allocation for a queue whose CPUs are all offline does on this kernel. */
enum qm_dead_queue {
	QM_DEAD_REFUSED,   /* -EXDEV */
	QM_DEAD_UNCHECKED, /* reads beyond the kernel's tables: undefined */
	QM_DEAD_FIRST_CPU, /* takes the first CPU of the list, online or not */
};
enum qm_dead_queue qm_era_dead_queue(const struct qm_kernel *k, bool *ret_sure);

#endif
