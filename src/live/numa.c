// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/numa.h"

#include "config.h"

#include <errno.h>
#include <limits.h>

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

int qm_numa_node_of_cpu(unsigned cpu)
{
	return cpu > INT_MAX ? -1 : numa_node_of_cpu((int)cpu);
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

int qm_numa_node_of_cpu(unsigned cpu)
{
	(void)cpu;
	return -1;
}

#endif
