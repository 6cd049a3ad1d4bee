/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which algorithm made a live map. Pure. */
#ifndef QM_IDENTIFY_H
#define QM_IDENTIFY_H

#include "map/driver.h"

struct qm_identity {
	struct qm_driver_rule rule;
	struct qm_era predicted;       /* of the rule's family */
	const struct qm_algo *matches[64]; /* algorithms that give exactly this map, by age */
	size_t n_matches;
	bool exact;                    /* n_matches > 0 with the CPU sets of now (or all online) */
	const struct qm_algo *nearest; /* if none matches: the one with fewest CPUs elsewhere */
	struct qm_cpuset differs;      /* those CPUs */
	/* CPUs whose being offline when the map was made explains it: only if that differs from today's set */
	bool other_time;
	struct qm_cpuset offline_then;
	bool gave_up;                  /* the search for offline_then was cut short */
};

/* Identifies the map of one controller. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_identify(const struct qm_machine *m, const struct qm_controller *c, struct qm_identity *ret);

#endif
