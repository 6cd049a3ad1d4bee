// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/cpuset.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void qm_cpuset_copy(struct qm_cpuset *dst, const struct qm_cpuset *src)
{
	dst->nw = src->nw;
	memcpy(dst->w, src->w, src->nw * sizeof(src->w[0]));
}

void qm_cpuset_set_range(struct qm_cpuset *s, unsigned first, unsigned last)
{
	unsigned lw = last / 64, fw = first / 64;

	if (s->nw <= lw) {
		memset(s->w + s->nw, 0, (lw + 1 - s->nw) * sizeof(s->w[0]));
		s->nw = lw + 1;
	}
	for (unsigned i = fw; i <= lw; i++) {
		uint64_t m = ~UINT64_C(0);

		if (i == fw)
			m &= ~UINT64_C(0) << (first % 64);
		if (i == lw)
			m &= ~UINT64_C(0) >> (63 - last % 64);
		s->w[i] |= m;
	}
}

void qm_cpuset_or(struct qm_cpuset *dst, const struct qm_cpuset *src)
{
	while (dst->nw < src->nw)
		dst->w[dst->nw++] = 0;
	for (uint32_t i = 0; i < src->nw; i++)
		dst->w[i] |= src->w[i];
}

void qm_cpuset_and(struct qm_cpuset *dst, const struct qm_cpuset *src)
{
	dst->nw = min_u32(dst->nw, src->nw);
	for (uint32_t i = 0; i < dst->nw; i++)
		dst->w[i] &= src->w[i];
}

void qm_cpuset_andnot(struct qm_cpuset *dst, const struct qm_cpuset *src)
{
	uint32_t n = min_u32(dst->nw, src->nw);

	for (uint32_t i = 0; i < n; i++)
		dst->w[i] &= ~src->w[i];
}

bool qm_cpuset_is_empty(const struct qm_cpuset *s)
{
	for (uint32_t i = 0; i < s->nw; i++) {
		if (s->w[i])
			return false;
	}
	return true;
}

bool qm_cpuset_is_subset(const struct qm_cpuset *a, const struct qm_cpuset *b)
{
	for (uint32_t i = 0; i < a->nw; i++) {
		if (a->w[i] & ~(i < b->nw ? b->w[i] : 0))
			return false;
	}
	return true;
}

bool qm_cpuset_is_equal(const struct qm_cpuset *a, const struct qm_cpuset *b)
{
	return a == b || (qm_cpuset_is_subset(a, b) && qm_cpuset_is_subset(b, a));
}

bool qm_cpuset_intersects(const struct qm_cpuset *a, const struct qm_cpuset *b)
{
	uint32_t n = min_u32(a->nw, b->nw);

	for (uint32_t i = 0; i < n; i++) {
		if (a->w[i] & b->w[i])
			return true;
	}
	return false;
}

unsigned qm_cpuset_count(const struct qm_cpuset *s)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->nw; i++)
		n += (unsigned)__builtin_popcountll(s->w[i]);
	return n;
}

unsigned qm_cpuset_count_and(const struct qm_cpuset *a, const struct qm_cpuset *b)
{
	uint32_t nw = min_u32(a->nw, b->nw);
	unsigned n = 0;

	for (uint32_t i = 0; i < nw; i++)
		n += (unsigned)__builtin_popcountll(a->w[i] & b->w[i]);
	return n;
}

int qm_cpuset_next_and(const struct qm_cpuset *a, const struct qm_cpuset *b, unsigned from)
{
	uint32_t nw = min_u32(a->nw, b->nw), i = from / 64;
	uint64_t w;

	if (i >= nw)
		return -1;
	w = a->w[i] & b->w[i] & ~UINT64_C(0) << (from % 64);
	while (!w) {
		if (++i >= nw)
			return -1;
		w = a->w[i] & b->w[i];
	}
	return (int)(i * 64 + (unsigned)__builtin_ctzll(w));
}

int qm_cpuset_next(const struct qm_cpuset *s, unsigned from)
{
	uint32_t i = from / 64;
	uint64_t w;

	if (i >= s->nw)
		return -1;
	w = s->w[i] & ~UINT64_C(0) << (from % 64);
	while (!w) {
		if (++i >= s->nw)
			return -1;
		w = s->w[i];
	}
	return (int)(i * 64 + (unsigned)__builtin_ctzll(w));
}

int qm_cpuset_last(const struct qm_cpuset *s)
{
	for (uint32_t i = s->nw; i-- > 0;) {
		if (s->w[i])
			return (int)(i * 64 + 63 - (unsigned)__builtin_clzll(s->w[i]));
	}
	return -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/* One decimal number; values of QM_CPU_MAX and above are returned as QM_CPU_MAX so that the caller can tell range from syntax. */
static int parse_number(const char **p, int max, unsigned *ret)
{
	unsigned v = 0;

	if (max >= 0 && **p == 'N') {
		++*p;
		*ret = (unsigned)max;
		return 0;
	}
	if (**p < '0' || **p > '9')
		return -EINVAL;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		v = v * 10 + (unsigned)(**p - '0');
		if (v > QM_CPU_MAX)
			v = QM_CPU_MAX;
	}
	*ret = v;
	return 0;
}

/* ":used/group" behind a range */
static int parse_pattern(const char **p, unsigned *ret_used, unsigned *ret_group)
{
	int r;

	++*p;
	r = parse_number(p, -1, ret_used);
	if (r < 0)
		return r;
	if (**p != '/')
		return -EINVAL;
	++*p;
	r = parse_number(p, -1, ret_group);
	if (r < 0)
		return r;
	return *ret_group == 0 || *ret_used == 0 || *ret_used > *ret_group ? -EINVAL : 0;
}

/* "a", "a-b" or "a-b:used/group"; "all" is a range, too */
static int parse_range(const char **p, int max, struct qm_cpuset *set)
{
	unsigned first = 0, last, used, group;
	bool is_range = true;
	int r;

	if (max >= 0 && strncasecmp(*p, "all", 3) == 0) {
		*p += 3;
		last = (unsigned)max;
	} else {
		r = parse_number(p, max, &first);
		if (r < 0)
			return r;
		last = first;
		is_range = **p == '-';
		if (is_range) {
			++*p;
			r = parse_number(p, max, &last);
			if (r < 0)
				return r;
		}
	}
	/* A range without a pattern is one group, all of it used. */
	used = group = QM_CPU_MAX;
	if (is_range && **p == ':') {
		r = parse_pattern(p, &used, &group);
		if (r < 0)
			return r;
	}
	if (last < first)
		return -EINVAL;
	if (last >= QM_CPU_MAX)
		return -ERANGE;
	for (unsigned a = first; a <= last; a += group) {
		unsigned b = a + used - 1;

		qm_cpuset_set_range(set, a, b < last ? b : last);
	}
	return 0;
}

int qm_cpuset_parse_list(const char *text, int max, struct qm_cpuset *ret)
{
	struct qm_cpuset set;
	const char *p = skip_blanks(text);
	int r;

	/* Not {0}, which would clear a kilobyte for each of ten thousands of small files. */
	qm_cpuset_zero(&set);
	if (strncmp(p, "(null)", 6) == 0 && !*skip_blanks(p + 6)) {
		qm_cpuset_zero(ret);
		return 0;
	}
	while (*p) {
		if (*p == ',' || is_blank(*p)) {
			p++;
			continue;
		}
		r = parse_range(&p, max, &set);
		if (r < 0)
			return r;
		if (*p && *p != ',' && !is_blank(*p))
			return -EINVAL;
	}
	qm_cpuset_copy(ret, &set);
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int qm_cpuset_parse_mask(const char *text, struct qm_cpuset *ret)
{
	struct qm_cpuset set;
	const char *start = skip_blanks(text), *end = start, *p;
	unsigned base = 0;

	qm_cpuset_zero(&set);
	while (*end && !is_blank(*end))
		end++;
	if (*skip_blanks(end) || end == start)
		return -EINVAL;
	/* From the last group, which holds CPUs 0-31, to the first. */
	for (p = end; p > start; base += 32) {
		uint32_t v = 0;
		unsigned digits = 0;

		while (p > start && p[-1] != ',') {
			int d = hex_digit(*--p);

			if (d < 0 || digits == 8)
				return -EINVAL;
			v |= (uint32_t)d << (4 * digits++);
		}
		if (!digits || (p > start && p - 1 == start))
			return -EINVAL;
		if (p > start)
			p--;
		for (; v; v &= v - 1) {
			unsigned cpu = base + (unsigned)__builtin_ctz(v);

			if (cpu >= QM_CPU_MAX)
				return -ERANGE;
			qm_cpuset_set(&set, cpu);
		}
		if (base > 16 * QM_CPU_MAX)
			return -ERANGE;
	}
	qm_cpuset_copy(ret, &set);
	return 0;
}

/* Digits by hand: answers hold many thousands of lists. */
void qm_cpuset_format(const struct qm_cpuset *s, struct qm_strbuf *out)
{
	int cpu = qm_cpuset_first(s);
	bool more = false;

	while (cpu >= 0) {
		char text[32], *start = text + sizeof(text);
		int end = cpu;

		while (qm_cpuset_test(s, (unsigned)end + 1))
			end++;
		if (end != cpu) {
			start = qm_put_digits(start, (unsigned)end);
			*--start = '-';
		}
		start = qm_put_digits(start, (unsigned)cpu);
		if (more)
			*--start = ',';
		more = true;
		qm_strbuf_add(out, start, (size_t)(text + sizeof(text) - start));
		cpu = qm_cpuset_next(s, (unsigned)end + 1);
	}
}
