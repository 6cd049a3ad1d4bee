/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per driver and kernel: which rule makes the map, how the queues split into types, which vectors are not queues. Pure. */
#ifndef QM_DRIVER_H
#define QM_DRIVER_H

#include "map/era.h"
#include "map/sets.h"

struct qm_driver_rule {
	const char *driver;      /* NULL: the default for drivers nobody described */
	enum qm_family family;   /* MAP: generic mapper; IRQ: managed vectors; VECTOR: masks given by others (rdma) */
	unsigned pre_vectors;    /* admin, config: vectors before the first queue's */
	bool managed;            /* its queue vectors are managed interrupts */
	bool single;             /* one hardware queue at most */
	const struct qm_algo *vectors; /* how it reads its map off the vectors, of family vector; NULL = not at all or unknown */
	bool sure;
};

/*
 * Never fails: an unknown driver is a generic mapper, not sure. driver (NULL = unknown) is the kernel's name, for NVMe over
 * fabrics with the transport ("nvme-tcp"). k may be unparsed: then what holds on today's kernels, not sure.
 */
void qm_driver_rule_get(const char *driver, const struct qm_kernel *k, struct qm_driver_rule *ret);

/* Which of the rules in sets.h the PCI driver of NVMe follows. */
enum qm_nvme_pci_rule qm_driver_nvme_pci_rule(const struct qm_kernel *k, bool *ret_sure);

#endif
