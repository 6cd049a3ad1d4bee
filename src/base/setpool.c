// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/setpool.h"

#include <errno.h>

#include "base/strbuf.h"

/* Sets allocated at once. Of each only the words in use are touched. */
#define CHUNK 64
/* So many slots are looked at: where sets are made to have the same hash, a few are kept twice instead of being searched. */
#define PROBES 16

const struct qm_cpuset qm_cpuset_none;

/* Words behind the last CPU do not count. */
static size_t hash(const struct qm_cpuset *set)
{
	uint64_t h = 1; /* 0 would stay through empty words, and not tell how many */
	uint32_t nw = set->nw;

	while (nw && !set->w[nw - 1])
		nw--;
	for (uint32_t i = 0; i < nw; i++) {
		h = (h ^ set->w[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	/* A single CPU moves the high bits only; the low ones choose the slot. */
	h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(h ^ (h >> 32));
}

/* The slot that has the set or is free for it; NULL where too many others are in the way. */
static const struct qm_cpuset **find(const struct qm_setpool *pool, const struct qm_cpuset *set)
{
	size_t h = hash(set);

	for (size_t i = 0; i < PROBES; i++) {
		const struct qm_cpuset **slot = &pool->slots[(h + i) & (pool->n_slots - 1)];

		if (!*slot || qm_cpuset_is_equal(*slot, set))
			return slot;
	}
	return NULL;
}

/* Keeps the slots at most half full. */
static int make_slots(struct qm_setpool *pool)
{
	struct qm_setpool more = *pool;

	if (2 * (pool->n + 1) <= pool->n_slots)
		return 0;
	more.n_slots = pool->n_slots ? 2 * pool->n_slots : 2 * CHUNK;
	more.slots = calloc(more.n_slots, sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (size_t i = 0; i < pool->n_slots; i++) {
		const struct qm_cpuset **slot = pool->slots[i] ? find(&more, pool->slots[i]) : NULL;

		if (slot)
			*slot = pool->slots[i];
	}
	free(pool->slots);
	*pool = more;
	return 0;
}

/* A place of its own for a set. */
static int keep(struct qm_setpool *pool, const struct qm_cpuset *set, const struct qm_cpuset **ret)
{
	struct qm_cpuset *copy;
	int r;

	if (pool->n == pool->n_chunks * CHUNK) {
		r = qm_array_grow(&pool->chunks, &pool->cap_chunks, pool->n_chunks + 1, sizeof(*pool->chunks));
		if (r < 0)
			return r;
		pool->chunks[pool->n_chunks] = malloc(CHUNK * sizeof(**pool->chunks));
		if (!pool->chunks[pool->n_chunks])
			return -ENOMEM;
		pool->n_chunks++;
	}
	copy = &pool->chunks[pool->n / CHUNK][pool->n % CHUNK];
	qm_cpuset_copy(copy, set);
	pool->n++;
	*ret = copy;
	return 0;
}

int qm_setpool_add(struct qm_setpool *pool, const struct qm_cpuset *set, const struct qm_cpuset **ret)
{
	const struct qm_cpuset **slot;
	int r;

	if (qm_cpuset_is_empty(set)) {
		*ret = &qm_cpuset_none;
		return 0;
	}
	r = make_slots(pool);
	if (r < 0)
		return r;
	slot = find(pool, set);
	if (!slot)
		return keep(pool, set, ret);
	if (!*slot) {
		r = keep(pool, set, slot);
		if (r < 0)
			return r;
	}
	*ret = *slot;
	return 0;
}

void qm_setpool_done(struct qm_setpool *pool)
{
	for (size_t i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	free(pool->slots);
	*pool = (struct qm_setpool){ 0 };
}
