/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which algorithm made a live map. Pure. */
#ifndef QM_IDENTIFY_H
#define QM_IDENTIFY_H

#include "map/driver.h"

/*
 * rule and predicted are of the family that was taken in the end: a device with too few vectors falls back to the generic
 * mapper. Poll queues have no interrupts, so beside an interrupt algorithm any generic mapper may have made their map.
 */
struct qm_identity {
	struct qm_driver_rule rule;
	struct qm_era predicted;       /* of the rule's family */
	const struct qm_algo *matches[64]; /* algorithms that give exactly this map, by age */
	size_t n_matches;
	bool exact;                    /* n_matches > 0 with the CPU sets of now (or all online) */
	const struct qm_algo *nearest; /* if none matches: the one with fewest CPUs elsewhere; NULL = none gives any map */
	struct qm_cpuset differs;      /* those CPUs */
	/*
	 * The map was made when other CPUs were online than today: when offline_then was offline and all other present ones
	 * online. The smallest such set that was found; empty where all were online.
	 */
	bool other_time;
	struct qm_cpuset offline_then;
	bool gave_up;                  /* the search for offline_then was cut short: there may be another explanation */
};

/*
 * Identifies maps of one machine; what its controllers share is made once. m, and each controller that was identified, is
 * borrowed and must stay as it is. Not for concurrent use. Both return 0 or -ENOMEM, qm_identifier_new() also -EINVAL for a
 * machine without CPUs.
 */
struct qm_identifier;
QM_MUST_CHECK int qm_identifier_new(const struct qm_machine *m, struct qm_identifier **ret);
void qm_identifier_free(struct qm_identifier *id);
QM_MUST_CHECK int qm_identifier_run(struct qm_identifier *id, const struct qm_controller *c, struct qm_identity *ret);

#endif
