/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of reading a topology; qm_topology_read() calls them in this order. Each needs the CPU sets in m->topo. */
#ifndef QM_TOPOLOGY_READ_H
#define QM_TOPOLOGY_READ_H

#include "machine/machine.h"

/* Directories below the root. */
#define QM_CPU_DIR "sys/devices/system/cpu"
#define QM_NODE_DIR "sys/devices/system/node"

/*
 * topology.c: the numbers in a directory's names of the form prefix12, as far as they are below QM_CPU_MAX. -ENOENT: there
 * is no such directory or name.
 */
QM_MUST_CHECK int qm_numbered_names(const struct qm_dir *dir, const char *name, const char *prefix, struct qm_cpuset *ret);

/* arch.c: m->topo.arch and offline_masks. Uses the kernel release where it is known. */
QM_MUST_CHECK int qm_arch_read(struct qm_root *root, struct qm_machine *m);
bool qm_arch_is_x86(const char *arch);
/* Do kernels of this architecture know clusters of CPUs at all? Unknown architectures: true. */
bool qm_arch_has_clusters(const char *arch);
/* What offline CPUs' masks hold on this architecture; NULL as x86. */
enum qm_offline_masks qm_arch_offline_masks(const char *arch);

/* siblings.c: cores, packages, clusters, last-level caches. cpu is QM_CPU_DIR. */
QM_MUST_CHECK int qm_siblings_read(const struct qm_dir *cpu, struct qm_machine *m);

/* node.c: nodes, the CPUs' nodes, distances, memory. */
QM_MUST_CHECK int qm_nodes_read(struct qm_root *root, struct qm_machine *m);

#endif
