/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs, nodes, cores, clusters, packages and caches of a machine, as plain data.
 *
 * Nothing here knows where the facts came from (live, a tree, a JSON file, a synthetic spec), and a what-if is a copy
 * with another online set. The mapping code takes this structure and nothing else.
 */
#ifndef QM_TOPOLOGY_H
#define QM_TOPOLOGY_H

#include "base/cpuset.h"

/*
 * Disjoint sets of CPUs, numbered by their lowest CPU; none is empty, and offline members are included as far as known. Kept
 * as chains of CPUs: a large machine has a thousand cores, and as CPU sets they would be a megabyte of zeros.
 */
struct qm_groups {
	unsigned n;
	int16_t *first; /* n entries: the lowest CPU of each; NULL, as the others, while n == 0 */
	int16_t *next;  /* nr_cpus entries: the next higher CPU of the same group, -1 behind the last */
	int16_t *of;    /* nr_cpus entries: the number of the CPU's group, -1 where not known */
};

/* cpu is an int; runs over group number i in ascending order. */
#define QM_GROUP_FOREACH(cpu, groups, i) \
	for ((cpu) = (groups)->first[i]; (cpu) >= 0; (cpu) = (groups)->next[cpu])

struct qm_node {
	int id;
	bool online;
	struct qm_cpuset cpus; /* all possible CPUs of the node, absent ones included (see node_guessed) */
	long long mem_kb;      /* -1 = unknown */
};

/* What the sibling and cluster masks of an offline CPU hold: nothing (x86) or the CPU itself (arm64 and others). */
enum qm_offline_masks {
	QM_OFFLINE_MASKS_EMPTY,
	QM_OFFLINE_MASKS_SELF,
};

struct qm_topology {
	char *name; /* label of the source, may be NULL */
	char *arch; /* as uname -m, NULL = unknown */
	unsigned nr_cpus; /* highest possible CPU + 1 */
	struct qm_cpuset possible, present, online;
	struct qm_cpuset isolated, nohz_full; /* empty where the kernel does not tell */
	bool possible_derived, present_derived; /* no file said so: derived from the cpuN directories */

	unsigned nr_node_ids;  /* highest possible node id + 1; at least 1 */
	struct qm_node *nodes; /* ascending ids, holes allowed */
	unsigned n_nodes;
	int *node_of;                 /* nr_cpus entries: node id, -1 = in no node */
	struct qm_cpuset node_guessed; /* absent CPUs whose node is the kernel's usual round robin, not a fact */

	/* Hardware sets: offline CPUs are members where known. Kernel masks are these cut to the online CPUs. */
	struct qm_groups cores, packages, llc;
	struct qm_groups clusters;     /* n == 0: every CPU is a cluster of its own */
	bool clusters_sure;            /* false: guessed, results of v7.0 and later depend on it */
	struct qm_cpuset unknown_core; /* possible CPUs whose siblings nobody told; each counts as a core of its own */
	enum qm_offline_masks offline_masks;

	unsigned *distances; /* n_distances x n_distances, online nodes in ascending order; NULL = unknown */
	unsigned n_distances;
};

/* All take an object that is {0} or was initialised; _done leaves it {0} again. */
void qm_topology_done(struct qm_topology *t);
/* Deep copy into *ret, which the caller passes uninitialised or {0}. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_topology_copy(const struct qm_topology *t, struct qm_topology *ret);

/* Index into t->nodes of a node id, or -1. */
int qm_topology_node_index(const struct qm_topology *t, int id);
/* How many nodes own a CPU of the set. */
unsigned qm_topology_count_nodes(const struct qm_topology *t, const struct qm_cpuset *set);

void qm_groups_done(struct qm_groups *g);
/* The CPUs of group number i. */
void qm_groups_get(const struct qm_groups *g, unsigned i, struct qm_cpuset *ret);
/* How many of the groups of a machine with nr_cpus CPUs have one of the set. */
unsigned qm_groups_count(const struct qm_groups *g, unsigned nr_cpus, const struct qm_cpuset *set);
QM_MUST_CHECK int qm_groups_copy(const struct qm_groups *g, unsigned nr_cpus, struct qm_groups *ret);
/*
 * Adds the set to the groups of a machine with nr_cpus CPUs. Members already in a group stay there (the first wins);
 * nothing is added when none is left. Call qm_groups_sort() when all are in. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_groups_add(struct qm_groups *g, unsigned nr_cpus, const struct qm_cpuset *set);
/* Numbers the groups by their lowest CPU. */
void qm_groups_sort(struct qm_groups *g, unsigned nr_cpus);

#endif
