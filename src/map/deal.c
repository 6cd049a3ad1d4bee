// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/deal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int version_of(const char *text)
{
	unsigned major = 0, minor = 0;

	/* NOLINTNEXTLINE(cert-err34-c): the text is a row of the program's own table */
	return text && sscanf(text, "%u.%u", &major, &minor) == 2 ? (int)(major * 1000 + minor) : 0;
}

/* A distribution's algorithm stands in the table behind the released one it came from. */
static int version_near(const struct qm_algo *algo)
{
	const struct qm_algo *a;
	int version = 0;

	for (size_t i = 0; (a = qm_algo_get(i)); i++) {
		if (a->family == algo->family && a->upstream)
			version = version_of(a->first);
		if (a == algo)
			break;
	}
	return version;
}

const struct qm_algo *qm_deal_companion(const struct qm_algo *irq)
{
	const struct qm_algo *a, *found = NULL;
	int version = version_near(irq);

	for (size_t i = 0; (a = qm_algo_get(i)); i++) {
		if (a->family == QM_FAMILY_MAP && a->upstream && version_of(a->first) <= version)
			found = a;
	}
	return found;
}

static int run_generic(struct qm_mapper *m, const struct qm_deal *d, int32_t *const maps[], unsigned *warn)
{
	int r = 0;

	for (int type = 0; r == 0 && type < _QM_HCTX_TYPE_MAX; type++) {
		unsigned once = 0;

		if (d->n[type])
			r = qm_map_run(m, d->algo, d->n[type], d->housekeeping, maps[type], &once);
		*warn += once;
	}
	return r;
}

/* The maps that follow from the masks of the default and read queues' vectors. */
static int map_masks(struct qm_mapper *m, const struct qm_deal *d, const struct qm_cpuset *masks, int32_t *const maps[])
{
	unsigned at = d->pre;
	int r = 0;

	for (int type = QM_HCTX_DEFAULT; r == 0 && type <= QM_HCTX_READ; type++) {
		const struct qm_cpuset **v = calloc(d->n[type] + 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		for (unsigned i = 0; i < d->n[type]; i++)
			v[i] = &masks[at + i];
		if (d->n[type])
			r = qm_vector_map(m, v, d->n[type], 0, QM_FALLBACK_QUEUE0, NULL, maps[type]);
		at += d->n[type];
		free(v);
	}
	return r;
}

/* No vector has a mask: pointers to none. */
static int map_without_masks(struct qm_mapper *m, const struct qm_deal *d, int32_t *const maps[])
{
	int r = 0;

	for (int type = QM_HCTX_DEFAULT; r == 0 && type <= QM_HCTX_READ; type++) {
		const struct qm_cpuset **none = calloc(d->n[type] + 1, sizeof(*none));

		if (!none)
			return -ENOMEM;
		if (d->n[type])
			r = qm_vector_map(m, none, d->n[type], 0, QM_FALLBACK_QUEUE0, NULL, maps[type]);
		free(none);
	}
	return r;
}

static int run_spread(struct qm_mapper *m, const struct qm_deal *d, int32_t *const maps[], enum qm_spread_outcome *outcome,
		      unsigned *warn)
{
	struct qm_deal own = *d;
	struct qm_spread what = { 0 };
	struct qm_cpuset *masks;
	int r;

	if (d->n[QM_HCTX_READ] && !qm_algo_takes_sets(d->algo))
		return -ENOTSUP;
	own.pre = qm_algo_takes_pre(d->algo) ? d->pre : 0;
	what.pre = own.pre;
	what.vectors = own.pre + d->n[QM_HCTX_DEFAULT] + d->n[QM_HCTX_READ];
	if (d->n[QM_HCTX_READ]) {
		what.sets[what.n_sets++] = d->n[QM_HCTX_DEFAULT];
		what.sets[what.n_sets++] = d->n[QM_HCTX_READ];
	}
	masks = malloc(what.vectors * sizeof(*masks));
	if (!masks)
		return -ENOMEM;
	r = qm_spread_run(m, d->algo, &what, masks, outcome, warn);
	if (r == 0 && *outcome == QM_SPREAD_OK)
		r = map_masks(m, &own, masks, maps);
	else if (r == 0 && *outcome == QM_SPREAD_NO_MASKS)
		r = map_without_masks(m, &own, maps);
	free(masks);
	if (r == 0 && d->n[QM_HCTX_POLL])
		r = d->poll ? qm_map_run(m, d->poll, d->n[QM_HCTX_POLL], d->housekeeping, maps[QM_HCTX_POLL], NULL) : -EINVAL;
	return r;
}

int qm_deal_run(struct qm_mapper *m, const struct qm_deal *d, int32_t *const maps[_QM_HCTX_TYPE_MAX],
		enum qm_spread_outcome *ret_outcome, unsigned *ret_warn)
{
	enum qm_spread_outcome outcome = QM_SPREAD_OK;
	unsigned warn = 0;
	int r = -EINVAL;

	if (d->algo->family == QM_FAMILY_MAP)
		r = run_generic(m, d, maps, &warn);
	else if (d->algo->family == QM_FAMILY_IRQ)
		r = run_spread(m, d, maps, &outcome, &warn);
	if (r < 0)
		return r;
	*ret_outcome = outcome;
	*ret_warn = warn;
	return 0;
}
