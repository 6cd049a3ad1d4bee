/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libnuma says of the running host's nodes, as a second opinion. It always looks at the host, so this is for a live
 * source only. Built without libnuma, or where the kernel does not let it work, the first call returns -EOPNOTSUPP.
 */
#ifndef QM_NUMA_H
#define QM_NUMA_H

#include "base/cpuset.h"

/* 0 if it can be asked; -EOPNOTSUPP. */
QM_MUST_CHECK int qm_numa_init(void);
/* Distance between two nodes, as ACPI counts it; 0 = it does not know. */
unsigned qm_numa_distance(int from, int to);
/* Memory of a node in kB; -1 = it does not know, or the node has none. */
long long qm_numa_memory_kb(int node);
/* CPUs of a node: asked CPU by CPU it would go through all nodes for each. 0, -ENOMEM, -ENOENT, -EOPNOTSUPP. */
QM_MUST_CHECK int qm_numa_cpus(int node, struct qm_cpuset *ret);

#endif
