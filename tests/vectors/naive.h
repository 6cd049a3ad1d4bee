/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grouping once more, on plain sets and without any preparation: slow, short, and to be believed. */
#ifndef QM_NAIVE_H
#define QM_NAIVE_H

#include "map/sort.h"
#include "machine/topology.h"

/* groups: caller's, n of them. Returns the number of groups that hold CPUs. */
unsigned naive_group(const struct qm_topology *t, unsigned n, enum qm_sort_kind sort, bool clusters,
		     struct qm_cpuset *groups);

#endif
