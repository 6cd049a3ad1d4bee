/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden vectors as lines of words, read from a stream; needs the C library only. to-lines.py makes them from JSON.
 *
 *   topology NAME POSSIBLE PRESENT ONLINE NR_NODE_IDS empty|self
 *   node ID ONLINE CPUS                      of the topology above, as the following two
 *   core CPUS
 *   cluster CPUS
 *   on NAME                                  the topology of the lines below
 *   map ALGORITHM QUEUES WARN QUEUE...       one per CPU id, "-" for a CPU that is not possible
 *   hk ALGORITHM HOUSEKEEPING QUEUES WARN QUEUE...                           "*" without isolation
 *   irq ALGORITHM VECTORS PRE SETS WARN (MASK... | no-masks | divide-by-zero)  sets "a,b"
 *
 * "-" stands for an empty set, too.
 */
#ifndef QM_VECFILE_H
#define QM_VECFILE_H

#include <stdio.h>

#include "map/map.h"

enum vec_kind {
	VEC_MAP,
	VEC_HK,
	VEC_IRQ,
	_VEC_MAX,
};

struct vec {
	enum vec_kind kind;
	const char *topology;  /* name */
	const char *algorithm; /* id */
	unsigned queues, warn;
	bool isolated; /* VEC_HK: housekeeping holds */
	struct qm_cpuset housekeeping;
	int32_t *map; /* n entries */
	struct qm_spread spread;
	enum qm_spread_outcome outcome;
	struct qm_cpuset *masks; /* n of them */
	unsigned n;
};

struct vec_ops {
	/* A topology is complete; the callee owns it. */
	void (*topology)(void *data, struct qm_topology *t);
	void (*vector)(void *data, const struct vec *v);
};

/* Reads to the end. Returns 0, or the number of the first line that makes no sense (said on stderr). */
unsigned long vec_read(FILE *f, const struct vec_ops *ops, void *data);

#endif
