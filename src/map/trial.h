/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to map/: one controller's live map, and how far an algorithm's result is from it. */
#ifndef QM_MAP_TRIAL_H
#define QM_MAP_TRIAL_H

#include "map/driver.h"

/* The queues of one type. */
struct qm_trial_set {
	int type; /* enum qm_hctx_type; unknown where lists overlap and nobody tells why */
	unsigned first, n;
	bool incomplete; /* some list may lack CPUs */
	int32_t *live;   /* by CPU: the queue counted from first, QM_QUEUE_NONE = in no list */
};

struct qm_trial {
	const struct qm_controller *c;
	unsigned pre; /* vectors ahead of the queues' */
	struct qm_trial_set sets[_QM_HCTX_TYPE_MAX];
	unsigned n_sets;
	struct qm_cpuset unlisted; /* isolated CPUs in no list: nobody shows where they are */
	const struct qm_cpuset *housekeeping; /* NULL: no isolation of managed interrupts */

	/* scratch memory */
	int32_t *map;
	bool *used; /* by queue */
	struct qm_cpuset *masks;
	const struct qm_cpuset **mask_of;
	unsigned n_masks;
};

/* A set of CPUs that were online when the map may have been made. */
struct qm_moment {
	struct qm_topology *topo; /* own copy, or NULL */
	const struct qm_topology *t;
	struct qm_mapper *mapper;
};

/* m and c are borrowed and must outlive the trial. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_trial_init(const struct qm_machine *m, const struct qm_controller *c, unsigned pre,
				const struct qm_cpuset *housekeeping, struct qm_trial *ret);
void qm_trial_done(struct qm_trial *t);

/*
 * Runs an algorithm and counts the CPUs (and the queues that only isolated CPUs could explain) that are elsewhere; 0 is an
 * exact match. ignore: CPUs not to look at, or NULL. *differs, if wanted, gets the CPUs. 0, or -EINVAL where the algorithm
 * gives no map for this device (a crash, no masks for this many vectors), or -ENOMEM.
 */
QM_MUST_CHECK int qm_trial_run(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a,
			       const struct qm_cpuset *ignore, struct qm_cpuset *differs, unsigned *ret_count);

#endif
