/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels' own ways to spread CPUs over hardware queues and interrupt vectors, side by side.
 *
 * Pure: topology and numbers in, map out. No input or output, no globals. An algorithm is a family and the first
 * mainline version that behaves so.
 */
#ifndef QM_MAP_H
#define QM_MAP_H

#include "machine/topology.h"

enum qm_family {
	QM_FAMILY_MAP,    /* the generic software mapper */
	QM_FAMILY_IRQ,    /* spreading of managed interrupts */
	QM_FAMILY_VECTOR, /* map taken from given vector masks */
	_QM_FAMILY_MAX,
};

/* An entry of a map: the hardware queue, or this for a CPU that is not possible. */
#define QM_QUEUE_NONE (-1)
#define QM_QUEUES_MAX 65535u

struct qm_rule;

struct qm_algo {
	enum qm_family family;
	const char *id;      /* "v6.3" */
	const char *first;   /* "6.3" */
	const char *last;    /* "6.8"; NULL = still so */
	const char *commits; /* source commits, for explain */
	const char *title;   /* one line */
	const char *text;    /* what changed, why, what its authors measured; for explain */
	bool upstream;       /* false: a distribution's or never released as such */
	const struct qm_rule *rule; /* private to map/ */
};

/* "map", "irq", "vector" */
const char *qm_family_name(enum qm_family f);
/* The table, by family and then by age; NULL behind the last. */
const struct qm_algo *qm_algo_get(size_t index);
const struct qm_algo *qm_algo_find(enum qm_family family, const char *id);
/* "map:v6.3", or a bare "v6.3" which then is of family dflt. Returns 0 or -ENOENT. */
QM_MUST_CHECK int qm_algo_parse(const char *spec, enum qm_family dflt, const struct qm_algo **ret);

/*
 * A topology prepared for mapping: sibling order, node lists and the like, computed once and used for any number of
 * runs. Borrows nothing; the topology may be freed. Not for concurrent use (it holds scratch memory).
 */
struct qm_mapper;
QM_MUST_CHECK int qm_mapper_new(const struct qm_topology *t, struct qm_mapper **ret);
void qm_mapper_free(struct qm_mapper *m);
unsigned qm_mapper_nr_cpus(const struct qm_mapper *m);

/*
 * Runs a generic mapper. queues: 1..QM_QUEUES_MAX. housekeeping: CPUs that take managed interrupts, for suse-hk; NULL =
 * no isolation (ignored by the others). map: caller's, one entry per CPU id below nr_cpus. *ret_warn (may be NULL): how
 * often the kernel warns. Returns 0, -EINVAL (count out of range, algorithm of another family, no possible CPU takes
 * managed interrupts).
 */
QM_MUST_CHECK int qm_map_run(struct qm_mapper *m, const struct qm_algo *a, unsigned queues,
			     const struct qm_cpuset *housekeeping, int32_t *map, unsigned *ret_warn);

/* What a spreading algorithm knows: reserved vectors ahead of the spread ones (not 4.9), sets (5.0 and later). */
bool qm_algo_takes_pre(const struct qm_algo *a);
bool qm_algo_takes_sets(const struct qm_algo *a);

struct qm_spread {
	unsigned vectors, pre;    /* vectors includes pre */
	unsigned sets[4], n_sets; /* n_sets == 0: one set of vectors - pre */
};

enum qm_spread_outcome {
	QM_SPREAD_OK,
	QM_SPREAD_NO_MASKS,       /* this kernel returns none (v5.1, one vector) */
	QM_SPREAD_DIVIDE_BY_ZERO, /* this kernel crashes here */
};

/*
 * Spreads managed interrupts. masks: caller's, what->vectors of them, need not be initialised. *ret_warn as above. Returns
 * 0, or -EINVAL for counts out of range, sets that do not add up, or what the algorithm does not know; what the kernel
 * does is in *ret_outcome, and masks hold nothing useful unless that is QM_SPREAD_OK.
 */
QM_MUST_CHECK int qm_spread_run(struct qm_mapper *m, const struct qm_algo *a, const struct qm_spread *what,
				struct qm_cpuset *masks, enum qm_spread_outcome *ret_outcome, unsigned *ret_warn);

/*
 * What a driver that takes its map from vector masks does where a mask is missing: all CPUs to queue 0 (pci helper), or
 * the generic mapper.
 */
enum qm_vector_fallback {
	QM_FALLBACK_QUEUE0,
	QM_FALLBACK_MAP,
	QM_FALLBACK_ERROR, /* v4.9: -EINVAL */
};

/* The fall-back of an algorithm of family vector. */
enum qm_vector_fallback qm_algo_fallback(const struct qm_algo *a);

/*
 * The map a device takes from n vector masks: CPUs of mask q get queue q + offset, later masks overwrite, CPUs in no
 * mask keep queue 0 (offset excluded). A NULL entry in masks is a vector without mask; fallback_algo is the generic
 * mapper in force (only for QM_FALLBACK_MAP). Returns 0, or -EINVAL for QM_FALLBACK_ERROR's case and bad arguments.
 */
QM_MUST_CHECK int qm_vector_map(struct qm_mapper *m, const struct qm_cpuset *const *masks, unsigned n, unsigned offset,
				enum qm_vector_fallback fallback, const struct qm_algo *fallback_algo, int32_t *map);

#endif
