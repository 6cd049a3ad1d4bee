// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which kernel runs which algorithm.
 *
 * Upstream follows from the version alone. Stable series and distributions take changes back into older versions: rows
 * say where that was seen (sure) or may be so (not sure, all candidates). The first row that fits wins, upstream's ladder
 * is the last resort; kernels of distributions that rework the block layer, and of unknown ones, are never sure without a
 * row that says so.
 */
#include "map/era.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "map/when.h"

int qm_kernel_version(const struct qm_kernel *k)
{
	/* Capped: a garbled version must not overflow. */
	int major = k->major < 1000 ? k->major : 1000, minor = k->minor < 999 ? k->minor : 999;

	return qm_kernel_is_known(k) ? V(major, minor) : -1;
}

bool qm_when_fits(const struct qm_when *w, const struct qm_kernel *k)
{
	int v = qm_kernel_version(k), sub;

	if (!(BIT(k->distro) & w->distros) || v < w->from || v > w->to)
		return false;
	if (w->sub == QM_WHEN_ALL)
		return true;
	sub = w->sub == QM_WHEN_PATCH ? k->patch : k->distro_build[0];
	return sub >= w->lo && sub <= w->hi;
}

/* ---- algorithms ---- */

struct step {
	int from;
	const char *id;
};

static const struct step map_ladder[] = {
	{ V(3, 13), "v3.13" }, { V(3, 19), "v3.19" }, { V(4, 13), "v4.13" }, { V(4, 16), "v4.16" }, { V(5, 3), "v5.3" },
	{ V(6, 3), "v6.3" },   { V(6, 9), "v6.9" },   { V(6, 11), "v6.11" }, { V(6, 17), "v6.17" }, { V(7, 0), "v7.0" },
};

static const struct step irq_ladder[] = {
	{ V(4, 9), "v4.9" },   { V(4, 12), "v4.12" }, { V(4, 13), "v4.13" }, { V(4, 16), "v4.16" }, { V(4, 17), "v4.17" },
	{ V(4, 20), "v4.20" }, { V(5, 0), "v5.0" },   { V(5, 1), "v5.1" },   { V(5, 4), "v5.4" },   { V(5, 19), "v5.19" },
	{ V(6, 3), "v6.3" },   { V(6, 9), "v6.9" },   { V(6, 11), "v6.11" }, { V(6, 17), "v6.17" }, { V(7, 0), "v7.0" },
};

struct era_row {
	struct qm_when when;
	bool sure;
	const char *ids[6];
};

static const struct era_row map_rows[] = {
	/* 4.14.y took 4.16's rule at some point up to 4.14.154, where it was seen. */
	{ PATCH(STABLE, V(4, 14), 154, INT_MAX), true, { "v4.16" } },
	{ PATCH(STABLE, V(4, 14), 1, 153), false, { "v4.16", "v4.13" } },
	{ PATCH(STABLE, V(4, 14), -1, -1), false, { "v4.13", "v4.16" } },
	{ EXACT(UBUNTU, V(4, 15)), false, { "v4.13", "v4.16" } },
	/* RHEL 8.1 and 8.7 were seen. */
	{ BUILD(RHEL, V(4, 18), -1, 146), false, { "v4.16", "v5.3" } },
	{ BUILD(RHEL, V(4, 18), 147, 394), true, { "v5.3" } },
	{ BUILD(RHEL, V(4, 18), 395, INT_MAX), false, { "v5.3", "v6.3" } },
	{ EXACT(RHEL, V(2, 6)), false, { "v3.13" } },
	{ EXACT(RHEL, V(3, 10)), false, { "v3.19", "v3.13", "v4.13", "v4.16" } },
	{ BUILD(RHEL, V(5, 14), -1, 361), false, { "v5.3", "v6.3" } },
	{ BUILD(RHEL, V(5, 14), 362, INT_MAX), false, { "v6.3", "v5.3", "v6.9", "v6.11", "v6.17" } },
	{ EXACT(RHEL, V(6, 12)), false, { "v6.11", "v6.17", "v7.0" } },
	{ EXACT(SUSE, V(4, 4)), false, { "v3.19" } },
	{ EXACT(SUSE, V(4, 12)), false, { "v3.19", "v4.13", "v4.16", "v5.3" } },
	{ EXACT(SUSE, V(5, 3)), true, { "v5.3" } },
	{ EXACT(SUSE, V(5, 14)), false, { "v5.3", "v6.3", "suse-hk" } },
	/* The housekeeping patch was seen on grouping code as old as 6.4's; newer branches carry it too. */
	{ EXACT(SUSE, V(6, 4)), false, { "suse-hk", "v6.3" } },
	{ EXACT(SUSE, V(6, 12)), false, { "suse-hk", "v6.17", "v6.11" } },
	{ RANGE(SUSE, V(6, 5), V(6, 8)), false, { "v6.3", "suse-hk" } },
	{ RANGE(SUSE, V(6, 9), V(6, 10)), false, { "v6.9", "suse-hk" } },
	{ RANGE(SUSE, V(6, 11), V(6, 16)), false, { "v6.11", "suse-hk" } },
	{ RANGE(SUSE, V(6, 17), V(6, 19)), false, { "v6.17", "suse-hk" } },
	{ RANGE(SUSE, V(7, 0), INT_MAX), false, { "v7.0", "suse-hk" } },
	{ EXACT(UEK, V(4, 1)), false, { "v3.19" } },
	{ EXACT(UEK, V(4, 14)), false, { "v4.16", "v4.13", "v5.3" } },
	{ EXACT(UEK, V(5, 4)), false, { "v5.3" } },
	{ EXACT(UEK, V(5, 15)), false, { "v5.3", "v6.3" } },
	{ EXACT(UEK, V(6, 12)), false, { "v6.17", "v6.11" } },
};

static const struct era_row irq_rows[] = {
	/* 4.10 and 4.11 are 4.9 with reserved vectors; 4.12's change may have come with 4.11. */
	{ RANGE(STABLE, V(4, 10), V(4, 11)), false, { "v4.9", "v4.12" } },
	{ PATCH(STABLE, V(4, 14), 154, INT_MAX), true, { "v4.16" } },
	{ PATCH(STABLE, V(4, 14), 1, 153), false, { "v4.16", "v4.13" } },
	{ PATCH(STABLE, V(4, 14), -1, -1), false, { "v4.13", "v4.16" } },
	{ EXACT(UBUNTU, V(4, 15)), false, { "v4.13", "v4.16" } },
	{ PATCH(STABLE, V(4, 19), 71, INT_MAX), true, { "v4.20" } },
	{ PATCH(STABLE, V(4, 19), 1, 70), false, { "v4.17", "v4.20" } },
	{ PATCH(STABLE, V(4, 19), -1, -1), false, { "v4.20", "v4.17" } },
	/* 5.19's fix went back to 5.10.y and 5.15.y in the summer of 2022, perhaps to others. */
	{ PATCH(STABLE, V(5, 4), 1, INT_MAX), false, { "v5.4", "v5.19" } },
	{ PATCH(STABLE, V(5, 4), -1, -1), false, { "v5.4", "v5.19" } },
	{ PATCH(STABLE, V(5, 10), 198, INT_MAX), true, { "v5.19" } },
	{ BUILD(DEBIAN, V(5, 10), 32, INT_MAX), true, { "v5.19" } },
	{ PATCH(STABLE, V(5, 10), 1, 197), false, { "v5.19", "v5.4" } },
	{ PATCH(STABLE, V(5, 10), -1, -1), false, { "v5.19", "v5.4" } },
	{ PATCH(STABLE, V(5, 15), 60, INT_MAX), true, { "v5.19" } },
	{ BUILD(UBUNTU, V(5, 15), 47, 999), true, { "v5.19" } },
	{ PATCH(STABLE, V(5, 15), 1, 59), false, { "v5.19", "v5.4" } },
	{ PATCH(STABLE, V(5, 15), -1, -1), false, { "v5.19", "v5.4" } },
	{ { STABLE, V(5, 16), V(5, 18), QM_WHEN_PATCH, 1, INT_MAX }, false, { "v5.4", "v5.19" } },
	{ { STABLE, V(5, 16), V(5, 18), QM_WHEN_PATCH, -1, -1 }, false, { "v5.4", "v5.19" } },
	/* 6.1.y has the code of 6.3, which gives what 5.19's does. */
	{ PATCH(STABLE, V(6, 1), 1, INT_MAX), true, { "v6.3" } },
	{ PATCH(STABLE, V(6, 1), -1, -1), true, { "v6.3" } },
	{ BUILD(RHEL, V(4, 18), -1, 146), false, { "v4.17", "v4.20", "v5.0", "v5.1" } },
	{ BUILD(RHEL, V(4, 18), 147, 147), true, { "v5.1" } },
	{ BUILD(RHEL, V(4, 18), 148, 393), false, { "v5.4", "v5.1", "el8-394" } },
	{ BUILD(RHEL, V(4, 18), 394, 394), true, { "el8-394" } },
	{ BUILD(RHEL, V(4, 18), 395, INT_MAX), false, { "el8-394", "v6.3" } },
	{ EXACT(RHEL, V(3, 10)), false, { "v4.9", "v4.12", "v4.13", "v4.16", "v4.17" } },
	{ BUILD(RHEL, V(5, 14), -1, 161), false, { "v5.4", "v5.19", "v6.3" } },
	{ BUILD(RHEL, V(5, 14), 162, 361), false, { "v5.19", "v5.4", "v6.3" } },
	{ BUILD(RHEL, V(5, 14), 362, INT_MAX), false, { "v6.3", "v5.19", "v6.9", "v6.11", "v6.17" } },
	{ EXACT(RHEL, V(6, 12)), false, { "v6.11", "v6.17", "v7.0" } },
	{ EXACT(SUSE, V(4, 12)), false, { "v4.12", "v4.16", "v4.17", "v4.20", "v5.1" } },
	{ EXACT(SUSE, V(5, 3)), false, { "v5.1", "v5.4", "v5.19" } },
	{ EXACT(SUSE, V(5, 14)), false, { "v5.4", "v5.19", "v6.3" } },
	{ EXACT(SUSE, V(6, 4)), false, { "v6.3", "v6.17" } },
	{ RANGE(SUSE, V(6, 5), V(6, 8)), false, { "v6.3", "v6.17" } },
	{ RANGE(SUSE, V(6, 9), V(6, 10)), false, { "v6.9", "v6.17" } },
	{ RANGE(SUSE, V(6, 11), V(6, 16)), false, { "v6.11", "v6.17" } },
	{ EXACT(UEK, V(4, 14)), false, { "v4.16", "v4.13", "v4.20" } },
	{ EXACT(UEK, V(5, 4)), false, { "v5.4", "v5.19" } },
	{ EXACT(UEK, V(5, 15)), false, { "v5.19", "v5.4", "v6.3" } },
	{ EXACT(UEK, V(6, 12)), false, { "v6.17", "v6.11" } },
};

static void add_algo(struct qm_era *e, enum qm_family family, const char *id)
{
	const struct qm_algo *a = qm_algo_find(family, id);

	if (a && e->n < QM_ARRAY_SIZE(e->v))
		e->v[e->n++] = a;
}

static void add_ids(struct qm_era *e, enum qm_family family, const char *const *ids, size_t n)
{
	for (size_t i = 0; i < n && ids[i]; i++)
		add_algo(e, family, ids[i]);
}

/* A pre-release may come before the change its version is known for: "7.0-rc1", "6.10.0-0.rc5.43.fc41.x86_64". */
static bool is_candidate(const struct qm_kernel *k)
{
	return strstr(k->release, "-rc") || strstr(k->release, ".rc");
}

/* The last resort. Unknown code may have any later algorithm. */
static void era_from_ladder(const struct qm_kernel *k, enum qm_family family, const struct step *ladder, size_t n,
			    struct qm_era *e)
{
	bool stable = BIT(k->distro) & STABLE;
	int v = qm_kernel_version(k);
	size_t at = n;

	while (at > 0 && ladder[at - 1].from > v)
		at--;
	if (at == 0)
		return;
	at--;
	add_algo(e, family, ladder[at].id);
	e->sure = stable && v <= QM_NEWEST_SEEN;
	if (stable && at > 0 && v == ladder[at].from && is_candidate(k)) {
		add_algo(e, family, ladder[at - 1].id);
		e->sure = false;
	}
	for (size_t i = at + 1; i < n && !stable; i++)
		add_algo(e, family, ladder[i].id);
}

/* Alibaba's 4.19 ("4.19.91-26.al7.x86_64") has 5.3's map. */
static bool is_alibaba(const struct qm_kernel *k)
{
	return k->distro == QM_DISTRO_UNKNOWN && (strstr(k->release, ".al7") || strstr(k->release, ".al8"));
}

/* Maps from the masks of RDMA completion vectors: the only given ones. */
static void era_of_vectors(const struct qm_kernel *k, struct qm_era *e)
{
	int v = qm_kernel_version(k);

	if (v >= V(4, 14) && v <= V(6, 4)) {
		add_algo(e, QM_FAMILY_VECTOR, "v4.14");
		e->sure = (BIT(k->distro) & STABLE) && v <= V(6, 1);
	}
}

void qm_era_of_kernel(const struct qm_kernel *k, enum qm_family family, struct qm_era *ret)
{
	const struct era_row *rows = family == QM_FAMILY_MAP ? map_rows : irq_rows;
	size_t n = family == QM_FAMILY_MAP ? QM_ARRAY_SIZE(map_rows) : QM_ARRAY_SIZE(irq_rows);
	const struct qm_algo *named;
	struct qm_era e = { .n = 0 };

	*ret = e;
	if (qm_kernel_version(k) < 0)
		return;
	if (family != QM_FAMILY_MAP && family != QM_FAMILY_IRQ) {
		era_of_vectors(k, ret);
		return;
	}
	/* A kernel that was named by an algorithm no release is known for; see qm_era_parse_kernel(). */
	named = qm_algo_find(family, k->release);
	if (named) {
		e = (struct qm_era){ .v = { named }, .n = 1, .sure = true };
		*ret = e;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!qm_when_fits(&rows[i].when, k))
			continue;
		add_ids(&e, family, rows[i].ids, QM_ARRAY_SIZE(rows[i].ids));
		e.sure = rows[i].sure && !is_candidate(k);
		*ret = e;
		return;
	}
	if (family == QM_FAMILY_MAP && is_alibaba(k) && qm_kernel_version(k) == V(4, 19)) {
		static const char *const ids[] = { "v5.3", "v4.16" };

		add_ids(&e, family, ids, QM_ARRAY_SIZE(ids));
	} else if (family == QM_FAMILY_MAP) {
		era_from_ladder(k, family, map_ladder, QM_ARRAY_SIZE(map_ladder), &e);
	} else {
		era_from_ladder(k, family, irq_ladder, QM_ARRAY_SIZE(irq_ladder), &e);
	}
	*ret = e;
}

const struct qm_cpuset *qm_era_listed_cpus(const struct qm_algo *a, const struct qm_topology *t)
{
	static const struct {
		const char *id;
		bool present; /* else online */
	} rows[] = {
		{ "v3.13", false },	  { "v3.19", false }, { "v4.9", false }, { "v4.12", false },
		{ "v4.13-posted", true }, { "v4.13", true },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(rows) && a->family != QM_FAMILY_VECTOR; i++) {
		if (strcmp(a->id, rows[i].id) == 0)
			return rows[i].present ? &t->present : &t->online;
	}
	return &t->possible;
}

const struct qm_cpuset *qm_era_guessed_cpus(const struct qm_algo *a, const struct qm_topology *t)
{
	const struct qm_algo *by_node;

	if (qm_cpuset_is_empty(&t->node_guessed))
		return NULL;
	/* From these on, in the order of the table, absent CPUs are dealt by node. */
	by_node = qm_algo_find(a->family, a->family == QM_FAMILY_MAP ? "v6.3" : "v4.16");
	return by_node && a >= by_node ? &t->node_guessed : NULL;
}

bool qm_era_result_is_sure(const struct qm_algo *a, const struct qm_topology *t)
{
	return !qm_era_guessed_cpus(a, t) && (t->clusters_sure || strcmp(a->id, "v7.0") != 0);
}

/* ---- kernels named by the user ---- */

/* The kernel of an algorithm's first version; of one that no upstream release has, named after it. */
static int kernel_of_algo(const struct qm_algo *a, struct qm_kernel *ret)
{
	static const struct {
		const char *id, *release;
	} rows[] = {
		{ "suse-hk", "6.4.0-150600-default" },
		{ "el8-394", "4.18.0-394.el8" },
		{ "v4.13-posted", "4.13.0" },
	};
	const char *release = a->first;
	char *name;
	int r;

	for (size_t i = 0; i < QM_ARRAY_SIZE(rows); i++) {
		if (strcmp(a->id, rows[i].id) == 0)
			release = rows[i].release;
	}
	r = qm_kernel_parse(release, ret);
	if (r < 0)
		return r;
	/* The release itself, not what its stable series became. */
	if (ret->patch < 0)
		ret->patch = 0;
	if (a->upstream)
		return 0;
	name = strdup(a->id);
	if (!name) {
		qm_kernel_done(ret);
		return -ENOMEM;
	}
	free(ret->release);
	ret->release = name;
	return 0;
}

int qm_era_parse_kernel(const char *text, struct qm_kernel *ret)
{
	struct qm_kernel k = { 0 };
	const struct qm_algo *a;
	int r;

	r = qm_algo_parse(text, QM_FAMILY_MAP, &a);
	if (r < 0)
		r = qm_algo_parse(text, QM_FAMILY_IRQ, &a);
	if (r == 0)
		r = a->family == QM_FAMILY_VECTOR ? -EINVAL : kernel_of_algo(a, &k);
	else
		r = qm_kernel_parse(text, &k);
	if (r < 0)
		qm_kernel_done(&k);
	else
		*ret = k;
	return r;
}

/* ---- what else changed with time ---- */

struct fact_row {
	struct qm_when when;
	int value;
	bool sure;
};

/* The first row that fits; the tables end with one for every kernel. */
static int fact(const struct qm_kernel *k, const struct fact_row *rows, size_t n, bool *ret_sure)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (qm_when_fits(&rows[i].when, k)) {
			*ret_sure = rows[i].sure && qm_kernel_version(k) >= 0;
			return rows[i].value;
		}
	}
	*ret_sure = false;
	return rows[n - 1].value;
}

/* Both kinds of CPUs began to be left out with the same change; -1 where what came later has to tell. */
static int drops_any(const struct qm_kernel *k, bool *ret_sure)
{
	static const struct fact_row rows[] = {
		{ RANGE(STABLE, 0, V(5, 15)), 0, true },
		{ RANGE(ANY, 0, V(5, 15)), 0, false },
		{ PATCH(STABLE, V(6, 1), 192, INT_MAX), 1, true },
		{ BUILD(DEBIAN, V(6, 1), 57, INT_MAX), 1, true },
		{ PATCH(STABLE, V(6, 1), 0, 94), 0, false },
		{ EXACT(STABLE, V(6, 1)), 1, false },
		{ PATCH(STABLE, V(6, 6), 0, 34), 0, false },
		{ EXACT(STABLE, V(6, 6)), 1, false },
		{ RANGE(ANY, V(5, 16), V(6, 8)), 0, false },
		{ RANGE(ANY, 0, INT_MAX), -1, false },
	};

	return fact(k, rows, QM_ARRAY_SIZE(rows), ret_sure);
}

int qm_era_drops_isolated(const struct qm_kernel *k, bool *ret_sure)
{
	static const struct fact_row rows[] = {
		{ RANGE(STABLE, V(6, 11), QM_NEWEST_SEEN), 1, true },
		{ RANGE(ANY, 0, INT_MAX), 1, false },
	};
	int drops = drops_any(k, ret_sure);

	return drops >= 0 ? drops : fact(k, rows, QM_ARRAY_SIZE(rows), ret_sure);
}

int qm_era_drops_nohz_full(const struct qm_kernel *k, bool *ret_sure)
{
	static const struct fact_row rows[] = {
		{ EXACT(STABLE, V(6, 12)), 1, true },
		{ RANGE(ANY, V(6, 9), V(6, 13)), 1, false },
		{ EXACT(STABLE, V(7, 2)), 0, true },
		{ RANGE(ANY, 0, INT_MAX), 0, false },
	};
	int drops = drops_any(k, ret_sure);

	return drops >= 0 ? drops : fact(k, rows, QM_ARRAY_SIZE(rows), ret_sure);
}

enum qm_dead_queue qm_era_dead_queue(const struct qm_kernel *k, bool *ret_sure)
{
	static const struct fact_row rows[] = {
		{ RANGE(STABLE, 0, V(4, 14)), QM_DEAD_FIRST_CPU, true },
		{ RANGE(STABLE, V(4, 15), V(4, 15)), QM_DEAD_FIRST_CPU, false },
		{ RANGE(RHEL | SUSE | UEK, 0, V(4, 15)), QM_DEAD_FIRST_CPU, false },
		{ BUILD(RHEL, V(4, 18), 147, 394), QM_DEAD_UNCHECKED, true },
		{ PATCH(STABLE, V(4, 19), 0, 191), QM_DEAD_UNCHECKED, true },
		/* The check (14dc7a18abbe, 6.0) reached 5.10.y by 5.10.198; 5.15 as first released has none. */
		{ PATCH(STABLE, V(5, 10), 198, INT_MAX), QM_DEAD_REFUSED, true },
		{ BUILD(DEBIAN, V(5, 10), 32, INT_MAX), QM_DEAD_REFUSED, true },
		{ PATCH(STABLE, V(5, 10), 0, 0), QM_DEAD_UNCHECKED, true },
		{ EXACT(STABLE, V(5, 10)), QM_DEAD_REFUSED, false },
		{ PATCH(STABLE, V(5, 15), 0, 0), QM_DEAD_UNCHECKED, true },
		{ BUILD(UBUNTU, V(5, 15), 0, 47), QM_DEAD_UNCHECKED, true },
		{ PATCH(STABLE, V(5, 15), 60, INT_MAX), QM_DEAD_REFUSED, false },
		{ BUILD(RHEL, V(5, 14), 284, INT_MAX), QM_DEAD_REFUSED, false },
		/* Connects that kernels on their way from 5.19 to 6.0 refused were reported. */
		{ RANGE(ANY, 0, V(5, 18)), QM_DEAD_UNCHECKED, false },
		{ EXACT(ANY, V(5, 19)), QM_DEAD_REFUSED, false },
		{ EXACT(ANY, V(6, 0)), QM_DEAD_REFUSED, false },
		{ RANGE(ANY, V(6, 1), QM_NEWEST_SEEN), QM_DEAD_REFUSED, true },
		{ RANGE(ANY, 0, INT_MAX), QM_DEAD_REFUSED, false },
	};

	return (enum qm_dead_queue)fact(k, rows, QM_ARRAY_SIZE(rows), ret_sure);
}
