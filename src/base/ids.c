// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/ids.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"

int qm_ids_add(struct qm_ids *ids, unsigned id)
{
	int r;

	r = qm_array_grow(&ids->v, &ids->cap, ids->n + 1, sizeof(*ids->v));
	if (r < 0)
		return r;
	ids->v[ids->n++] = id;
	return 0;
}

int qm_ids_copy(const struct qm_ids *ids, struct qm_ids *ret)
{
	struct qm_ids c = { 0 };
	int r;

	r = ids->n ? qm_array_grow(&c.v, &c.cap, ids->n, sizeof(*c.v)) : 0;
	if (r < 0)
		return r;
	if (ids->n)
		memcpy(c.v, ids->v, ids->n * sizeof(*c.v));
	c.n = ids->n;
	*ret = c;
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

void qm_ids_sort(struct qm_ids *ids)
{
	if (ids->n > 1)
		qsort(ids->v, ids->n, sizeof(*ids->v), compare_ids);
}

bool qm_ids_has(const struct qm_ids *ids, unsigned id)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (ids->v[i] == id)
			return true;
	}
	return false;
}

void qm_ids_done(struct qm_ids *ids)
{
	free(ids->v);
	*ids = (struct qm_ids){ 0 };
}

void qm_ids_format(const struct qm_ids *ids, struct qm_strbuf *out)
{
	for (size_t i = 0, end; i < ids->n; i = end + 1) {
		end = i;
		while (end + 1 < ids->n && ids->v[end + 1] == ids->v[end] + 1)
			end++;
		qm_strbuf_addf(out, "%s%u", i ? "," : "", ids->v[i]);
		if (end > i)
			qm_strbuf_addf(out, "-%u", ids->v[end]);
	}
}
