/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU sets and the kernel's two text forms of them.
 *
 * A set is a plain value of fixed size: no allocation, copied by assignment, {0} is the empty set.
 * Only the first nw words carry meaning; the rest is never read, which keeps small machines cheap.
 * CPU ids run from 0 to QM_CPU_MAX - 1.
 */
#ifndef QM_CPUSET_H
#define QM_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Fuzzers reach small limits sooner, and do not spend their time on clearing memory. */
#ifdef QM_SMALL_LIMITS
#define QM_CPU_MAX 256u
#else
#define QM_CPU_MAX 8192u
#endif
#define QM_CPUSET_WORDS (QM_CPU_MAX / 64)

struct qm_strbuf;

struct qm_cpuset {
	uint32_t nw; /* words in use */
	uint64_t w[QM_CPUSET_WORDS];
};

static inline void qm_cpuset_zero(struct qm_cpuset *s)
{
	s->nw = 0;
}

static inline bool qm_cpuset_test(const struct qm_cpuset *s, unsigned cpu)
{
	return cpu / 64 < s->nw && (s->w[cpu / 64] >> (cpu % 64) & 1);
}

/* cpu must be below QM_CPU_MAX. */
static inline void qm_cpuset_set(struct qm_cpuset *s, unsigned cpu)
{
	while (s->nw <= cpu / 64)
		s->w[s->nw++] = 0;
	s->w[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static inline void qm_cpuset_clear(struct qm_cpuset *s, unsigned cpu)
{
	if (cpu / 64 < s->nw)
		s->w[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

/* Copies only the words in use; cheaper than assignment in hot loops. */
void qm_cpuset_copy(struct qm_cpuset *dst, const struct qm_cpuset *src);
/* Adds first..last; both below QM_CPU_MAX. */
void qm_cpuset_set_range(struct qm_cpuset *s, unsigned first, unsigned last);
/* dst op= src. */
void qm_cpuset_or(struct qm_cpuset *dst, const struct qm_cpuset *src);
void qm_cpuset_and(struct qm_cpuset *dst, const struct qm_cpuset *src);
void qm_cpuset_andnot(struct qm_cpuset *dst, const struct qm_cpuset *src);

bool qm_cpuset_is_empty(const struct qm_cpuset *s);
bool qm_cpuset_is_equal(const struct qm_cpuset *a, const struct qm_cpuset *b);
/* Every CPU of a is in b. */
bool qm_cpuset_is_subset(const struct qm_cpuset *a, const struct qm_cpuset *b);
bool qm_cpuset_intersects(const struct qm_cpuset *a, const struct qm_cpuset *b);
unsigned qm_cpuset_count(const struct qm_cpuset *s);
/* Number of CPUs in both sets. */
unsigned qm_cpuset_count_and(const struct qm_cpuset *a, const struct qm_cpuset *b);

/* Lowest CPU >= from, or -1. */
int qm_cpuset_next(const struct qm_cpuset *s, unsigned from);
/* Lowest CPU >= from that is in both, or -1. */
int qm_cpuset_next_and(const struct qm_cpuset *a, const struct qm_cpuset *b, unsigned from);
/* Highest CPU, or -1. */
int qm_cpuset_last(const struct qm_cpuset *s);

static inline int qm_cpuset_first(const struct qm_cpuset *s)
{
	return qm_cpuset_next(s, 0);
}

/* cpu is an int; runs over the set in ascending order. */
#define QM_CPUSET_FOREACH(cpu, set) \
	for ((cpu) = qm_cpuset_next((set), 0); (cpu) >= 0; (cpu) = qm_cpuset_next((set), (unsigned)(cpu) + 1))

/*
 * Parses the kernel's list form: "0-3,8", "0, 20", "0-31:2/4", ",4-7", "", "   (null)", with blanks, a newline or a NUL
 * behind. Where max >= 0, the words "all" (0..max; in any case of letters) and "N" (max) are understood too, as on
 * the kernel command line.
 * Returns 0; -EINVAL for anything else; -ERANGE for an id of QM_CPU_MAX or more. *ret is written only on success.
 */
QM_MUST_CHECK int qm_cpuset_parse_list(const char *text, int max, struct qm_cpuset *ret);
/* Parses the mask form: groups of 1 to 8 hex digits joined by commas, highest first. Errors as above. */
QM_MUST_CHECK int qm_cpuset_parse_mask(const char *text, struct qm_cpuset *ret);
/* Appends the list form with ranges, "0-3,8"; nothing for the empty set. Errors stay in the strbuf. */
void qm_cpuset_format(const struct qm_cpuset *s, struct qm_strbuf *out);

#endif
