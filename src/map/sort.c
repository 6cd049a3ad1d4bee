// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/sort.h"

#include <stdbool.h>

static void swap(struct qm_sort_entry *a, uint32_t i, uint32_t j)
{
	struct qm_sort_entry t = a[i];

	a[i] = a[j];
	a[j] = t;
}

/*
 * Restores the heap below i among the first n entries: down to a leaf along the larger children first, then back up to
 * where a[i] belongs, and only then the entries move. right_on_tie: which of two equal children the way down takes.
 */
static void sift(struct qm_sort_entry *a, uint32_t i, uint32_t n, bool right_on_tie)
{
	uint32_t b = i, c;

	while (2 * b + 2 < n) {
		uint32_t left = 2 * b + 1;
		bool take_left = right_on_tie ? a[left].key > a[left + 1].key : a[left].key >= a[left + 1].key;

		b = take_left ? left : left + 1;
	}
	if (2 * b + 1 == n - 1)
		b = 2 * b + 1;
	while (b != i && a[i].key >= a[b].key)
		b = (b - 1) / 2;
	for (c = b; b != i;) {
		b = (b - 1) / 2;
		swap(a, b, c);
	}
}

/* One entry leaves the heap per round. 22a241ccb2c1 (5.2) made it bottom-up without changing the swaps. */
static void sort_classic(struct qm_sort_entry *a, uint32_t n)
{
	uint32_t i = n / 2;

	for (;;) {
		if (i > 0) {
			i--;
		} else {
			swap(a, 0, --n);
			if (n == 1)
				return;
		}
		sift(a, i, n, false);
	}
}

/*
 * Two entries leave the heap per round, the root and the larger of its children: the series "lib/sort: Optimize the
 * number of swaps and comparisons" of 6.9. From 6.11 on (41ed78043508) the last two or three entries are put in order
 * without another round: short_tail.
 */
static void sort_two_pop(struct qm_sort_entry *a, uint32_t n, bool short_tail)
{
	uint32_t i = n / 2, step = 1;

	for (;;) {
		if (short_tail && i == 0 && n <= 3) {
			swap(a, 0, --n);
			if (n == 2 && a[0].key > a[1].key)
				swap(a, 0, 1);
			return;
		}
		if (i > 0) {
			i -= step;
		} else if (n > 3) {
			swap(a, 0, --n);
			step = a[1].key <= a[2].key ? 2 : 1;
			i = step;
			swap(a, i, --n);
		} else if (n > 1) {
			swap(a, 0, --n);
		} else {
			return;
		}
		sift(a, i, n, true);
	}
}

void qm_sort(struct qm_sort_entry *a, uint32_t n, enum qm_sort_kind kind)
{
	if (n < 2)
		return;
	if (kind == QM_SORT_CLASSIC)
		sort_classic(a, n);
	else
		sort_two_pop(a, n, kind == QM_SORT_SHORT_TAIL);
}
