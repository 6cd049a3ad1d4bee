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

/*
 * CPU ids, positions and node slots are stored in 16 bits: half the memory is half the page faults, which are most of
 * the cost of a single map.
 */
_Static_assert(2 * QM_CPU_MAX < UINT16_MAX, "group ids fit 16 bits");
#define QM_NO_SIBLING UINT16_MAX

/* CPUs that are spread together: positions first .. first + n - 1 of a member list. */
struct qm_pool {
	uint16_t first, n;
};

/* CPU ids, pool by pool, ascending in each; next: the position of the next online sibling in the same pool. */
struct qm_members {
	uint16_t *cpu, *next;
};

struct qm_stage_node {
	struct qm_pool pool;    /* in stage->node_members */
	uint16_t first_cluster; /* in stage->cluster */
	uint16_t n_clusters;    /* 0: clusters do not count here, a CPU of the pool has an empty mask */
	uint16_t slot;          /* node id */
};

/* One set of CPUs ready for spreading. */
struct qm_stage {
	bool built;
	struct qm_cpuset set;
	uint32_t n_cpus, n_nodes, n_clusters;
	struct qm_stage_node *node;    /* those that own a CPU of the set, ascending */
	uint16_t *order[_QM_SORT_MAX]; /* indices into node as that sort leaves them */
	struct qm_pool *cluster;       /* in cluster_members; a node's are in the order of QM_SORT_SHORT_TAIL */
	struct qm_members node_members, cluster_members;
};

struct qm_mapper {
	uint32_t nr_cpus, n_possible, n_present, n_online;
	uint32_t nr_node_ids;
	uint32_t n_nodes;      /* that own a possible CPU */
	uint32_t online_nodes; /* memory-only ones included */
	bool own_clusters;     /* no cluster masks: each CPU is its own, online or not */
	enum qm_offline_masks offline_masks;

	struct qm_cpuset possible_set, online_set;
	/* CPU ids, ascending. */
	uint16_t *possible, *present, *online;
	/* By CPU id. */
	bool *is_present, *is_online;
	uint16_t *first_sibling;  /* lowest CPU of its sibling mask, itself where that is empty */
	uint16_t *slot;           /* node id */
	uint16_t *core, *cluster; /* numbers that online CPUs of one core or cluster share and nobody else has */

	struct qm_stage s_present, s_absent;
	/* Made when first asked for; the last one again when asked for with another set. */
	struct qm_stage s_possible, s_online, s_housekeeping;

	/* Scratch. */
	struct qm_sort_entry *entries; /* by slot or by cluster of a node */
	uint16_t *last_of_core;        /* by core id */
	uint16_t *found_as;            /* by cluster id */
	uint16_t *row_of;              /* by the order clusters were found in */
	bool *taken;                   /* by position in a pool */
	int32_t *group_of;             /* by CPU id */
};

const struct qm_stage *qm_mapper_possible(struct qm_mapper *m);
const struct qm_stage *qm_mapper_online(struct qm_mapper *m);
/* The possible CPUs among set. */
const struct qm_stage *qm_mapper_housekeeping(struct qm_mapper *m, const struct qm_cpuset *set);

#endif
