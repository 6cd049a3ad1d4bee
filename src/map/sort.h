/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's sort(), in the three forms it has had since the mapping code uses it.
 *
 * It is a heapsort and not stable. Nodes with equally many CPUs are common, and the order this sort leaves them in
 * decides which of them gets the low queue numbers, so it is followed swap by swap.
 */
#ifndef QM_MAP_SORT_H
#define QM_MAP_SORT_H

#include <stdint.h>

enum qm_sort_kind {
	QM_SORT_CLASSIC,    /* up to 6.8 */
	QM_SORT_TWO_POP,    /* 6.9 and 6.10 */
	QM_SORT_SHORT_TAIL, /* 6.11 and later */
	_QM_SORT_MAX,
};

/* The key of a node slot without CPUs: the kernel's marker, all bits set, compares as a negative number. */
#define QM_SORT_MARKER (-1)

struct qm_sort_entry {
	int32_t key;
	uint32_t index;
};

/* Sorts the n entries of a by key, ascending, leaving equal keys in the order in which that kernel leaves them. */
void qm_sort(struct qm_sort_entry *a, uint32_t n, enum qm_sort_kind kind);

#endif
