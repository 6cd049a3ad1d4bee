/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of a whole device: default, read and poll queues together, as a driver deals them out with one algorithm. Pure.
 */
#ifndef QM_DEAL_H
#define QM_DEAL_H

#include "machine/machine.h"
#include "map/map.h"

struct qm_deal {
	const struct qm_algo *algo;  /* of family map, or of family irq where the driver takes its map from its vectors */
	const struct qm_algo *poll;  /* generic mapper for poll queues beside family irq: they have no vectors; else unused */
	unsigned n[_QM_HCTX_TYPE_MAX]; /* queues of each type; default at least 1 */
	unsigned pre;                /* vectors ahead of the queues', family irq */
	const struct qm_cpuset *housekeeping; /* as for qm_map_run() */
};

/*
 * Makes the maps: maps[type] is the caller's for each type with queues, one entry per CPU below nr_cpus, counted from the
 * set's first queue. *ret_outcome tells what the kernel does; with QM_SPREAD_DIVIDE_BY_ZERO there are no maps, with
 * QM_SPREAD_NO_MASKS all CPUs go to queue 0, as drivers then do. *ret_warn: how often that kernel warns. Returns 0, -EINVAL,
 * -ENOMEM, or -ENOTSUP where kernels of this algorithm cannot have these sets.
 */
QM_MUST_CHECK int qm_deal_run(struct qm_mapper *m, const struct qm_deal *d, int32_t *const maps[_QM_HCTX_TYPE_MAX],
			      enum qm_spread_outcome *ret_outcome, unsigned *ret_warn);

/* The generic mapper of the kernels that spread vectors by this algorithm (the oldest of them); never NULL for family irq. */
const struct qm_algo *qm_deal_companion(const struct qm_algo *irq);

#endif
