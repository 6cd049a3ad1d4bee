/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular machines of any size, for tests and measurements. */
#ifndef QM_MKMACHINE_H
#define QM_MKMACHINE_H

#include "machine/topology.h"

/*
 * nodes x cores (per node) x threads CPUs, all online, numbered as Intel servers do: all first threads, then all second
 * ones. Clusters are the cores. The caller calls qm_topology_done(). 0, -EINVAL (too many CPUs), -ENOMEM.
 */
QM_MUST_CHECK int make_machine(unsigned nodes, unsigned cores, unsigned threads, struct qm_topology *ret);

#endif
