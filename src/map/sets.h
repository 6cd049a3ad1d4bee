/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How drivers cut their queues into default, read and poll ones: counts in, sets out. Pure. Which rule a driver follows
 * on which kernel is said elsewhere.
 */
#ifndef QM_SETS_H
#define QM_SETS_H

#include "machine/machine.h"
#include "map/map.h"

/* Indexed by enum qm_hctx_type. */
struct qm_sets {
	unsigned n[_QM_HCTX_TYPE_MAX];      /* queues of the type, 0 = none */
	unsigned offset[_QM_HCTX_TYPE_MAX]; /* its first queue */
	bool has_read;                      /* reads have a map of their own; else the default one serves them, n is 0 */
};

/* All queues are default ones: kernels and drivers without types. queues: 1..QM_QUEUES_MAX; 0 or -EINVAL, as below. */
QM_MUST_CHECK int qm_sets_single(unsigned queues, struct qm_sets *ret);

/* ---- nvme (PCI) ---- */

enum qm_nvme_pci_rule {
	QM_NVME_PCI_SHARED,  /* up to 4.15: vector 0 serves the admin queue and I/O queue 1; one type */
	QM_NVME_PCI_PRE,     /* 4.16 to 4.20: a reserved vector for the admin queue; one type (5.0: not known) */
	QM_NVME_PCI_TYPES,   /* 5.1 and later, RHEL 8.1: and write_queues, poll_queues */
};

struct qm_nvme_pci_in {
	unsigned queues;                    /* I/O queues the controller grants, all types together */
	unsigned write_queues, poll_queues; /* module parameters; 0 where the rule has no types */
	unsigned vectors;                   /* interrupt vectors granted, admin's included; 0 = as many as asked */
};

/*
 * Cuts the queues, and says which interrupts are spread how: *ret_spread is what qm_spread_run() takes, vector 0 being
 * the admin queue's. ret_spread->vectors == 0: only one vector, none is managed, and the maps are made without masks.
 * Poll queues have no interrupt: the generic mapper makes their map. Fewer vectors than asked mean fewer queues.
 */
QM_MUST_CHECK int qm_sets_nvme_pci(enum qm_nvme_pci_rule rule, const struct qm_nvme_pci_in *in, struct qm_sets *ret,
				   struct qm_spread *ret_spread);

/* ---- nvme over fabrics ---- */

enum qm_fabrics_rule {
	QM_FABRICS_PLAIN,         /* rdma of 4.9: nr_io_queues as given */
	QM_FABRICS_CAPPED,        /* rdma of 4.14 and 4.19: no more than online CPUs and completion vectors; one type */
	QM_FABRICS_REQUESTED,     /* tcp of 5.0 to 5.2, RHEL 8.1: read queues, and maps by what was asked, not granted */
	QM_FABRICS_SPLIT_VECTORS, /* rdma of 5.10 and 6.1: the granted queues are split, by numbers capped like above */
	QM_FABRICS_SPLIT,         /* tcp of 5.10 and later, rdma of 6.11 and later: split by the numbers as given */
};

struct qm_fabrics_in {
	unsigned nr_io, nr_write, nr_poll; /* connect options, nr_io with its default filled in; else 0 = not given */
	unsigned online;                   /* online CPUs */
	unsigned vectors;                  /* completion vectors (rdma); 0 = unknown or no limit */
};

/* How many I/O queues the host asks the controller for. */
unsigned qm_fabrics_asked(enum qm_fabrics_rule rule, const struct qm_fabrics_in *in);
/*
 * What becomes of the granted ones (at most those asked for are used). With QM_FABRICS_REQUESTED the sets can name more
 * queues than there are: that is what those kernels do.
 */
QM_MUST_CHECK int qm_sets_fabrics(enum qm_fabrics_rule rule, const struct qm_fabrics_in *in, unsigned granted,
				  struct qm_sets *ret);

/* ---- others ---- */

/*
 * null_blk. submit: submit_queues, which the driver cuts to max (nr_cpu_ids; in per-node mode the number of online
 * nodes). poll: poll_queues, 0 where the kernel has none.
 */
QM_MUST_CHECK int qm_sets_null_blk(unsigned submit, unsigned max, unsigned poll, struct qm_sets *ret);
/*
 * virtio-blk. offered: the device's num_queues, of which at most max are used (4.14 and later: nr_cpu_ids, or the
 * num_request_queues parameter; 7.0: possible CPUs; before: no limit, UINT_MAX). poll: poll_queues.
 */
QM_MUST_CHECK int qm_sets_virtio_blk(unsigned offered, unsigned max, unsigned poll, struct qm_sets *ret);

#endif
