// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"

#include <errno.h>

/*
 * Only the online set changes, and the present set where an absent CPU is imagined online. Siblings, clusters and caches
 * are hardware sets that keep offline members, and a kernel's masks are these cut to the online CPUs, so they stay.
 */
int qm_topology_set_online(struct qm_topology *t, const struct qm_cpuset *online)
{
	if (qm_cpuset_is_empty(online))
		return -EINVAL;
	if (!qm_cpuset_is_subset(online, &t->possible))
		return -ERANGE;
	qm_cpuset_copy(&t->online, online);
	qm_cpuset_or(&t->present, online);
	return 0;
}
