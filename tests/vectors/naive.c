// SPDX-License-Identifier: GPL-2.0-or-later
#include "naive.h"

#include <stdlib.h>

struct naive {
	const struct qm_topology *t;
	unsigned n, now;
	enum qm_sort_kind sort;
	bool clusters;
	struct qm_cpuset *groups;
};

/* The kernel's sibling or cluster mask of a CPU. */
static void kernel_mask(const struct qm_topology *t, const struct qm_groups *g, bool always_self, unsigned cpu,
			struct qm_cpuset *ret)
{
	bool online = qm_cpuset_test(&t->online, cpu);

	qm_cpuset_zero(ret);
	if (online && g->n && g->of[cpu] >= 0) {
		qm_groups_get(g, (unsigned)g->of[cpu], ret);
		qm_cpuset_and(ret, &t->online);
	} else if (online || always_self || t->offline_masks == QM_OFFLINE_MASKS_SELF) {
		qm_cpuset_set(ret, cpu);
	}
}

static void spread(struct naive *v, struct qm_cpuset *pool, unsigned k)
{
	unsigned count = qm_cpuset_count(pool), share = count / k, extra = count % k;

	for (unsigned i = 0; i < k; i++) {
		unsigned want = share + (i < extra);
		struct qm_cpuset *group = &v->groups[v->now];

		while (want) {
			struct qm_cpuset siblings;
			int cpu = qm_cpuset_first(pool), s;

			qm_cpuset_clear(pool, (unsigned)cpu);
			qm_cpuset_set(group, (unsigned)cpu);
			want--;
			kernel_mask(v->t, &v->t->cores, false, (unsigned)cpu, &siblings);
			QM_CPUSET_FOREACH(s, &siblings) {
				if (!want || !qm_cpuset_test(pool, (unsigned)s))
					continue;
				qm_cpuset_clear(pool, (unsigned)s);
				qm_cpuset_set(group, (unsigned)s);
				want--;
			}
		}
		v->now = (v->now + 1) % v->n;
	}
}

/* Shares for entries in sorted order, by index. */
static void deal(const struct qm_sort_entry *e, unsigned n, unsigned groups, unsigned cpus, unsigned *share)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned s;

		if (e[i].key < 0)
			continue;
		s = groups * (unsigned)e[i].key / cpus;
		share[e[i].index] = s ? s : 1;
		groups -= share[e[i].index];
		cpus -= (unsigned)e[i].key;
	}
}

/* Cluster by cluster. False if that is not possible for this node. */
static bool spread_clusters(struct naive *v, const struct qm_cpuset *pool, unsigned k)
{
	unsigned n = 0, count = qm_cpuset_count(pool), *share = calloc(count, sizeof(*share));
	struct qm_sort_entry *e = calloc(count, sizeof(*e));
	struct qm_cpuset left = *pool, *found = calloc(count, sizeof(*found));
	bool fine = e && found && share;

	while (fine && !qm_cpuset_is_empty(&left)) {
		struct qm_cpuset *c = &found[n];

		kernel_mask(v->t, &v->t->clusters, !v->t->clusters.n, (unsigned)qm_cpuset_first(&left), c);
		if (qm_cpuset_is_empty(c)) {
			fine = false;
			break;
		}
		qm_cpuset_and(c, pool);
		qm_cpuset_andnot(&left, c);
		e[n] = (struct qm_sort_entry){ .key = (int32_t)qm_cpuset_count(c), .index = n };
		n++;
	}
	fine = fine && n <= k;
	if (fine) {
		qm_sort(e, n, v->sort);
		deal(e, n, k, count, share);
		for (unsigned i = 0; i < n; i++)
			spread(v, &found[e[i].index], share[e[i].index]);
	}
	free(e);
	free(found);
	free(share);
	return fine;
}

/* The CPUs of node slot id among s. */
static void node_set(const struct naive *v, unsigned id, const struct qm_cpuset *s, struct qm_cpuset *ret)
{
	int cpu;

	qm_cpuset_zero(ret);
	QM_CPUSET_FOREACH(cpu, s) {
		if (v->t->node_of[cpu] == (int)id)
			qm_cpuset_set(ret, (unsigned)cpu);
	}
}

static unsigned stage(struct naive *v, const struct qm_cpuset *s)
{
	unsigned slots = v->t->nr_node_ids, nodes = 0, cpus = qm_cpuset_count(s), groups = v->n < cpus ? v->n : cpus;
	struct qm_sort_entry *e = calloc(slots, sizeof(*e));
	struct qm_cpuset *sets = calloc(slots, sizeof(*sets));
	unsigned *share = calloc(slots, sizeof(*share));

	for (unsigned i = 0; e && sets && share && i < slots; i++) {
		node_set(v, i, s, &sets[i]);
		e[i].index = i;
		e[i].key = qm_cpuset_is_empty(&sets[i]) ? -1 : (int32_t)qm_cpuset_count(&sets[i]);
		nodes += e[i].key > 0;
	}
	if (cpus && v->n <= nodes) {
		groups = v->n;
		for (unsigned i = 0; i < slots; i++) {
			if (e[i].key < 0)
				continue;
			qm_cpuset_or(&v->groups[v->now], &sets[i]);
			v->now = (v->now + 1) % v->n;
		}
	} else if (cpus) {
		qm_sort(e, slots, v->sort);
		deal(e, slots, groups, cpus, share);
		for (unsigned i = 0; i < slots; i++) {
			struct qm_cpuset *set = &sets[e[i].index];
			unsigned k = share[e[i].index];

			if (e[i].key >= 0 && !(v->clusters && spread_clusters(v, set, k)))
				spread(v, set, k);
		}
	}
	free(e);
	free(sets);
	free(share);
	return cpus ? groups : 0;
}

unsigned naive_group(const struct qm_topology *t, unsigned n, enum qm_sort_kind sort, bool clusters,
		     struct qm_cpuset *groups)
{
	struct naive v = { .t = t, .n = n, .sort = sort, .clusters = clusters, .groups = groups };
	struct qm_cpuset absent;
	unsigned filled;

	for (unsigned i = 0; i < n; i++)
		qm_cpuset_zero(&groups[i]);
	qm_cpuset_copy(&absent, &t->possible);
	qm_cpuset_andnot(&absent, &t->present);
	filled = stage(&v, &t->present);
	v.now = filled < n ? filled : 0;
	filled += stage(&v, &absent);
	return filled < n ? filled : n;
}
