// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/numa.h"

#include "config.h"

#include <errno.h>

#ifdef HAVE_LIBNUMA
#include <numa.h>

/* The library would print to stderr; what it cannot read, our own reader reports. */
void numa_warn(int num, char *fmt, ...)
{
	(void)num;
	(void)fmt;
}

int qm_numa_init(void)
{
	return numa_available() < 0 ? -EOPNOTSUPP : 0;
}

unsigned qm_numa_distance(int from, int to)
{
	int d = numa_distance(from, to);

	return d > 0 ? (unsigned)d : 0;
}

long long qm_numa_memory_kb(int node)
{
	long long bytes = numa_node_size64(node, NULL);

	return bytes > 0 ? bytes / 1024 : -1;
}

int qm_numa_cpus(int node, struct qm_cpuset *ret)
{
	struct bitmask *mask = numa_allocate_cpumask();
	int r;

	if (!mask)
		return -ENOMEM;
	r = numa_node_to_cpus(node, mask);
	if (r == 0) {
		qm_cpuset_zero(ret);
		for (unsigned long cpu = 0; cpu < mask->size && cpu < QM_CPU_MAX; cpu++) {
			if (numa_bitmask_isbitset(mask, (unsigned)cpu))
				qm_cpuset_set(ret, (unsigned)cpu);
		}
	}
	numa_bitmask_free(mask);
	return r == 0 ? 0 : -ENOENT;
}

#else /* !HAVE_LIBNUMA */

int qm_numa_init(void)
{
	return -EOPNOTSUPP;
}

unsigned qm_numa_distance(int from, int to)
{
	(void)from;
	(void)to;
	return 0;
}

long long qm_numa_memory_kb(int node)
{
	(void)node;
	return -1;
}

int qm_numa_cpus(int node, struct qm_cpuset *ret)
{
	(void)node;
	(void)ret;
	return -EOPNOTSUPP;
}

#endif
