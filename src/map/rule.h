/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to map/: what makes one algorithm of the table differ from the next. */
#ifndef QM_MAP_RULE_H
#define QM_MAP_RULE_H

#include "map/group.h"
#include "map/map.h"

/* The arguments of qm_map_run(), checked. */
struct qm_map_job {
	const struct qm_rule *rule;
	uint32_t queues;
	const struct qm_cpuset *housekeeping;
	int32_t *map;
};

struct qm_spread_job;

enum qm_cpus_seen {
	QM_SEES_ONLINE,
	QM_SEES_PRESENT,
	QM_SEES_POSSIBLE,
};

struct qm_rule {
	struct qm_grouping grouping; /* where the kernel groups CPUs evenly */
	bool modulo;                 /* queue q takes group q mod k, k being the groups that hold CPUs (6.17) */
	bool warns;                  /* says so in the log when there are more queues or vectors than filled groups */

	/* QM_FAMILY_MAP; possible CPUs have queue 0, the others none, when it starts */
	void (*map)(struct qm_mapper *m, const struct qm_map_job *j);
	bool isolates; /* looks at the housekeeping CPUs */

	/* QM_FAMILY_IRQ: spreads one set of vectors */
	enum qm_spread_outcome (*spread)(struct qm_mapper *m, struct qm_spread_job *j);
	enum qm_cpus_seen cpus; /* up to 4.16: the CPUs that are spread */
	bool takes_pre, takes_sets;
	bool lone_unmanaged; /* one vector in all is left alone */
	bool whole_nodes;    /* where nodes are no fewer than vectors, absent CPUs of a node come along */
	bool replaces;       /* ... and take the place of what the vector held */
	bool default_rest;   /* vectors never reached get the default mask, else none */

	/* QM_FAMILY_VECTOR */
	enum qm_vector_fallback fallback;
};

/* cpumap.c */
extern const struct qm_rule qm_rule_map_3_13, qm_rule_map_3_19, qm_rule_map_4_13_posted, qm_rule_map_4_13,
	qm_rule_map_4_16, qm_rule_map_5_3, qm_rule_map_6_3, qm_rule_map_6_9, qm_rule_map_6_11, qm_rule_map_6_17,
	qm_rule_map_7_0, qm_rule_map_suse_hk;
/* spread.c */
extern const struct qm_rule qm_rule_irq_4_9, qm_rule_irq_4_12, qm_rule_irq_4_13, qm_rule_irq_4_16, qm_rule_irq_4_17,
	qm_rule_irq_4_20, qm_rule_irq_5_0, qm_rule_irq_5_1, qm_rule_irq_5_4, qm_rule_irq_5_19, qm_rule_irq_6_9,
	qm_rule_irq_6_11, qm_rule_irq_6_17, qm_rule_irq_7_0;
/* vector.c */
extern const struct qm_rule qm_rule_vector_error, qm_rule_vector_queue0, qm_rule_vector_map;

#endif
