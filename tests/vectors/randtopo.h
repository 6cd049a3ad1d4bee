/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random machines, the same on every architecture for the same seed. */
#ifndef QM_RANDTOPO_H
#define QM_RANDTOPO_H

#include "machine/topology.h"

/* splitmix64 */
static inline uint64_t rand_next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* 0..n - 1 */
static inline unsigned rand_below(uint64_t *seed, unsigned n)
{
	return (unsigned)(rand_next(seed) % n);
}

enum rand_kind {
	RAND_ANY,         /* absent and offline CPUs, holes in every numbering */
	RAND_ALL_PRESENT, /* one stage */
};

/* Up to 96 CPUs on up to 9 nodes. 0 or -ENOMEM; the caller calls qm_topology_done(). */
QM_MUST_CHECK int rand_topology(uint64_t *seed, enum rand_kind kind, struct qm_topology *ret);

#endif
