/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to map/: a topology cut into what the algorithms walk over.
 *
 * Everything that does not depend on the number of queues is worked out once: which CPUs a stage spreads, which of them
 * a node or a cluster owns, who follows whom among siblings, and in which order the kernel's sort leaves the nodes. A
 * run then touches each CPU once.
 */
#ifndef QM_MAP_MAPPER_H
#define QM_MAP_MAPPER_H

#include <stdbool.h>
#include <stdint.h>

#include "map/map.h"
#include "map/sort.h"

#define QM_NO_SIBLING UINT32_MAX

/* CPUs that are spread together: positions first .. first + n - 1 of a member list. */
struct qm_pool {
	uint32_t first, n;
};

/* CPU ids, pool by pool, ascending in each; next: the position of the next online sibling in the same pool. */
struct qm_members {
	uint32_t *cpu, *next;
};

struct qm_stage_node {
	struct qm_pool pool;     /* in stage->node_members */
	uint32_t first_cluster;  /* in stage->cluster */
	uint32_t n_clusters;     /* 0: clusters do not count here, a CPU of the pool has an empty mask */
	uint32_t slot;           /* index into mapper->slots */
};

/* One set of CPUs ready for spreading. */
struct qm_stage {
	struct qm_cpuset set;
	uint32_t n_cpus, n_nodes, n_clusters;
	struct qm_stage_node *node;        /* those that own a CPU of the set, ascending */
	uint32_t *order[_QM_SORT_MAX];     /* indices into node as that sort leaves them */
	struct qm_pool *cluster;           /* in cluster_members; a node's are in the order of QM_SORT_SHORT_TAIL */
	struct qm_members node_members, cluster_members;
};

struct qm_mapper {
	uint32_t nr_cpus, n_possible, n_present, n_online;
	uint32_t nr_node_ids;
	uint32_t online_nodes; /* memory-only ones included */
	bool own_clusters;     /* no cluster masks: each CPU is its own, online or not */
	enum qm_offline_masks offline_masks;

	/* CPU ids, ascending. */
	uint32_t *possible, *present, *online;
	/* By CPU id. */
	bool *is_present, *is_online;
	uint32_t *first_sibling;  /* lowest CPU of its sibling mask, itself where that is empty */
	uint32_t *slot;           /* node id */
	uint32_t *core, *cluster; /* numbers that online CPUs of one core or cluster share and nobody else has */

	struct qm_stage s_possible, s_present, s_absent, s_online;
	struct qm_stage s_housekeeping; /* made when asked for, kept until another set is */

	/* Scratch. */
	struct qm_sort_entry *entries; /* by slot or by cluster of a node */
	uint32_t *last_of_core;        /* by core id */
	uint32_t *found_as;            /* by cluster id */
	uint32_t *row_of;              /* by the order clusters were found in */
	bool *taken;                   /* by position in a pool */
	int32_t *group_of;             /* by CPU id */
};

/* Prepares *s for the possible CPUs in set. s has room for every possible CPU. */
void qm_stage_build(struct qm_mapper *m, struct qm_stage *s, const struct qm_cpuset *set);
/* The same for the housekeeping stage; does nothing when it holds this set already. */
const struct qm_stage *qm_mapper_housekeeping(struct qm_mapper *m, const struct qm_cpuset *set);

#endif
