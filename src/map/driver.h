/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per driver and kernel: which rule makes the map, how the queues split into types, which vectors are not queues. Pure. */
#ifndef QM_DRIVER_H
#define QM_DRIVER_H

#include "map/era.h"

struct qm_driver_rule {
	const char *driver;      /* NULL: the default for drivers nobody described */
	enum qm_family family;   /* MAP: generic mapper; IRQ: managed vectors; VECTOR: masks given by others (rdma) */
	unsigned pre_vectors;    /* admin, config: vectors before the first queue's */
	bool managed;            /* its queue vectors are managed interrupts */
	bool sure;
};

/* Never fails: an unknown driver is a generic mapper, not sure. k may be unparsed. */
void qm_driver_rule_get(const char *driver, const struct qm_kernel *k, struct qm_driver_rule *ret);

#endif
