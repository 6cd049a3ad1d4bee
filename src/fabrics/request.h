/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to fabrics/: how many hardware queues of which type each kernel makes of a connect's options. Pure. */
#ifndef QM_REQUEST_H
#define QM_REQUEST_H

#include "fabrics/connect.h"

/*
 * What a connect asks for and, the grant known, what it gets. n_online: CPUs online. 0, or -EINVAL where the numbers
 * go beyond QM_QUEUES_MAX.
 */
QM_MUST_CHECK int qm_connect_split(const struct qm_kernel *k, const struct qm_connect_request *req, unsigned n_online,
				   struct qm_connect_queues *ret);

/*
 * nvme-tcp of 5.0-5.2 (and of RHEL 8.1) makes its map for the number of queues asked for: with fewer granted, CPUs point
 * to queues that do not exist.
 */
bool qm_connect_map_is_for_request(const struct qm_kernel *k, enum qm_transport t);
bool qm_connect_map_outgrows_grant(const struct qm_kernel *k, const struct qm_connect_request *req,
				   const struct qm_connect_queues *queues);

/* nvme-rdma took its map from the adapter's completion vectors, where the adapter's driver told their CPUs. */
bool qm_connect_map_is_device_made(const struct qm_kernel *k, enum qm_transport t);

#endif
