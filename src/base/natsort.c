// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/natsort.h"

#include <stddef.h>
#include <string.h>

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compares two runs of digits by value and moves both past them. */
static int compare_runs(const char **a, const char **b)
{
	size_t la, lb;
	int r;

	while (**a == '0')
		++*a;
	while (**b == '0')
		++*b;
	for (la = 0; is_digit((*a)[la]); la++)
		;
	for (lb = 0; is_digit((*b)[lb]); lb++)
		;
	if (la != lb)
		return la < lb ? -1 : 1;
	r = memcmp(*a, *b, la);
	*a += la;
	*b += lb;
	return r;
}

int qm_natcmp(const char *a, const char *b)
{
	const char *p = a, *q = b;

	while (*p && *q) {
		if (is_digit(*p) && is_digit(*q)) {
			int r = compare_runs(&p, &q);

			if (r)
				return r;
		} else if (*p != *q) {
			return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
		} else {
			p++;
			q++;
		}
	}
	if (*p || *q)
		return *p ? 1 : -1;
	return strcmp(a, b);
}

int qm_natcmp_ptr(const void *a, const void *b)
{
	return qm_natcmp(*(char *const *)a, *(char *const *)b);
}
