// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/mapper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Far above any kernel's (1024); keeps a broken file from asking for gigabytes. */
#define NODE_SLOTS_MAX 32768u

static void stage_done(struct qm_stage *s)
{
	free(s->node);
	for (unsigned k = 0; k < _QM_SORT_MAX; k++)
		free(s->order[k]);
	free(s->cluster);
	free(s->node_members.cpu);
	free(s->node_members.next);
	free(s->cluster_members.cpu);
	free(s->cluster_members.next);
}

/* Memory that is written before it is read: not touched here. */
static void *room(size_t n, size_t size)
{
	return malloc(n ? n * size : 1);
}

/* Room for a stage over n CPUs of any node. */
static int stage_alloc(const struct qm_mapper *m, struct qm_stage *s, size_t n)
{
	size_t nodes = n < m->n_nodes ? n : m->n_nodes;
	bool ok = true;

	s->node = room(nodes, sizeof(*s->node));
	for (unsigned k = 0; k < _QM_SORT_MAX; k++) {
		s->order[k] = room(nodes, sizeof(*s->order[k]));
		ok = ok && s->order[k];
	}
	s->cluster = room(n, sizeof(*s->cluster));
	s->node_members.cpu = room(n, sizeof(*s->node_members.cpu));
	s->node_members.next = room(n, sizeof(*s->node_members.next));
	s->cluster_members.cpu = room(n, sizeof(*s->cluster_members.cpu));
	s->cluster_members.next = room(n, sizeof(*s->cluster_members.next));
	ok = ok && s->node && s->cluster && s->node_members.cpu && s->node_members.next && s->cluster_members.cpu &&
	     s->cluster_members.next;
	return ok ? 0 : -ENOMEM;
}

/* Ties each CPU of a pool to its next sibling in the pool. Offline CPUs are cores of their own. */
static void link_siblings(struct qm_mapper *m, const struct qm_members *list, struct qm_pool pool)
{
	uint32_t end = pool.first + pool.n;

	for (uint32_t i = pool.first; i < end; i++)
		m->last_of_core[m->core[list->cpu[i]]] = QM_NO_SIBLING;
	for (uint32_t i = pool.first; i < end; i++) {
		uint32_t cpu = list->cpu[i];

		list->next[i] = QM_NO_SIBLING;
		if (m->last_of_core[m->core[cpu]] != QM_NO_SIBLING)
			list->next[m->last_of_core[m->core[cpu]]] = (uint16_t)i;
		m->last_of_core[m->core[cpu]] = (uint16_t)i;
	}
}

/* Counting sort of the set's CPUs by node: entries[slot].key counts, then entries[slot].index is the node's row. */
static void stage_fill_nodes(struct qm_mapper *m, struct qm_stage *s)
{
	uint32_t pos = 0;
	int cpu;

	for (uint32_t i = 0; i < m->nr_node_ids; i++)
		m->entries[i] = (struct qm_sort_entry){ .key = 0 };
	QM_CPUSET_FOREACH(cpu, &s->set)
		m->entries[m->slot[cpu]].key++;
	s->n_nodes = 0;
	for (uint32_t i = 0; i < m->nr_node_ids; i++) {
		if (!m->entries[i].key)
			continue;
		s->node[s->n_nodes] = (struct qm_stage_node){ .pool = { .first = (uint16_t)pos }, .slot = (uint16_t)i };
		m->entries[i].index = s->n_nodes++;
		pos += (uint32_t)m->entries[i].key;
	}
	s->n_cpus = pos;
	QM_CPUSET_FOREACH(cpu, &s->set) {
		struct qm_pool *p = &s->node[m->entries[m->slot[cpu]].index].pool;

		s->node_members.cpu[p->first + p->n++] = (uint16_t)cpu;
	}
	for (uint32_t i = 0; i < s->n_nodes; i++)
		link_siblings(m, &s->node_members, s->node[i].pool);
}

/* The order of the nodes: every slot takes part in the sort, those without CPUs with the marker. */
static void stage_order_nodes(struct qm_mapper *m, struct qm_stage *s, enum qm_sort_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nr_node_ids; i++)
		m->entries[i] = (struct qm_sort_entry){ .key = QM_SORT_MARKER };
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		m->entries[s->node[i].slot] =
			(struct qm_sort_entry){ .key = (int32_t)s->node[i].pool.n, .index = i };
	}
	qm_sort(m->entries, m->nr_node_ids, kind);
	for (uint32_t i = 0; i < m->nr_node_ids; i++) {
		if (m->entries[i].key != QM_SORT_MARKER)
			s->order[kind][n++] = (uint16_t)m->entries[i].index;
	}
}

/* A CPU whose cluster mask the kernel finds empty. */
static bool cluster_is_empty(const struct qm_mapper *m, uint32_t cpu)
{
	return !m->own_clusters && !m->is_online[cpu] && m->offline_masks == QM_OFFLINE_MASKS_EMPTY;
}

/*
 * Counts the clusters of a node's pool into entries, in the order of their lowest CPU. Returns how many, 0 if a CPU of
 * the pool has an empty mask.
 */
static uint32_t count_clusters(struct qm_mapper *m, const uint16_t *cpu, uint32_t n)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (cluster_is_empty(m, cpu[i]))
			return 0;
		m->found_as[m->cluster[cpu[i]]] = UINT16_MAX;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint16_t *c = &m->found_as[m->cluster[cpu[i]]];

		if (*c == UINT16_MAX) {
			*c = (uint16_t)found++;
			m->entries[*c] = (struct qm_sort_entry){ .index = *c };
		}
		m->entries[*c].key++;
	}
	return found;
}

/* Splits one node's pool into its clusters' pools, laid out as the sort leaves the clusters. */
static void stage_fill_clusters(struct qm_mapper *m, struct qm_stage *s, struct qm_stage_node *node)
{
	const uint16_t *cpu = s->node_members.cpu + node->pool.first;
	struct qm_pool *pool = s->cluster + s->n_clusters;
	uint32_t pos = node->pool.first;

	node->first_cluster = (uint16_t)s->n_clusters;
	node->n_clusters = (uint16_t)count_clusters(m, cpu, node->pool.n);
	s->n_clusters += node->n_clusters;
	if (!node->n_clusters)
		return;
	qm_sort(m->entries, node->n_clusters, QM_SORT_SHORT_TAIL);
	for (uint32_t i = 0; i < node->n_clusters; i++) {
		pool[i] = (struct qm_pool){ .first = (uint16_t)pos };
		pos += (uint32_t)m->entries[i].key;
		m->row_of[m->entries[i].index] = (uint16_t)i;
	}
	for (uint32_t i = 0; i < node->pool.n; i++) {
		struct qm_pool *p = &pool[m->row_of[m->found_as[m->cluster[cpu[i]]]]];

		s->cluster_members.cpu[p->first + p->n++] = cpu[i];
	}
	for (uint32_t i = 0; i < node->n_clusters; i++)
		link_siblings(m, &s->cluster_members, pool[i]);
}

/* Prepares *s, which has room for them, for the possible CPUs in set. */
static void stage_build(struct qm_mapper *m, struct qm_stage *s, const struct qm_cpuset *set)
{
	qm_cpuset_copy(&s->set, set);
	qm_cpuset_and(&s->set, &m->possible_set);
	stage_fill_nodes(m, s);
	for (unsigned kind = 0; kind < _QM_SORT_MAX; kind++)
		stage_order_nodes(m, s, kind);
	s->n_clusters = 0;
	for (uint32_t i = 0; i < s->n_nodes; i++)
		stage_fill_clusters(m, s, &s->node[i]);
	s->built = true;
}

const struct qm_stage *qm_mapper_possible(struct qm_mapper *m)
{
	if (!m->s_possible.built)
		stage_build(m, &m->s_possible, &m->possible_set);
	return &m->s_possible;
}

const struct qm_stage *qm_mapper_online(struct qm_mapper *m)
{
	if (!m->s_online.built)
		stage_build(m, &m->s_online, &m->online_set);
	return &m->s_online;
}

const struct qm_stage *qm_mapper_housekeeping(struct qm_mapper *m, const struct qm_cpuset *set)
{
	struct qm_cpuset cut;

	qm_cpuset_copy(&cut, set);
	qm_cpuset_and(&cut, &m->possible_set);
	if (!m->s_housekeeping.built || !qm_cpuset_is_equal(&cut, &m->s_housekeeping.set))
		stage_build(m, &m->s_housekeeping, &cut);
	return &m->s_housekeeping;
}

/* A sorted list of the set's CPUs, cut to the possible ones. */
static int list_cpus(const struct qm_mapper *m, const struct qm_cpuset *set, uint16_t **ret, uint32_t *ret_n)
{
	uint16_t *list = room(m->n_possible, sizeof(*list));
	uint32_t n = 0;

	if (!list)
		return -ENOMEM;
	for (int cpu = qm_cpuset_next_and(set, &m->possible_set, 0); cpu >= 0;
	     cpu = qm_cpuset_next_and(set, &m->possible_set, (unsigned)cpu + 1))
		list[n++] = (uint16_t)cpu;
	*ret = list;
	*ret_n = n;
	return 0;
}

static int mapper_fill_lists(struct qm_mapper *m, const struct qm_topology *t)
{
	int r;

	qm_cpuset_copy(&m->possible_set, &t->possible);
	qm_cpuset_copy(&m->online_set, &t->online);
	m->n_possible = qm_cpuset_count(&t->possible);
	r = list_cpus(m, &t->possible, &m->possible, &m->n_possible);
	if (r == 0)
		r = list_cpus(m, &t->present, &m->present, &m->n_present);
	if (r == 0)
		r = list_cpus(m, &t->online, &m->online, &m->n_online);
	return r;
}

static int mapper_alloc(struct qm_mapper *m, uint32_t n_core_ids, uint32_t n_cluster_ids)
{
	uint32_t n = m->nr_cpus;

	m->is_present = calloc(n, sizeof(*m->is_present));
	m->is_online = calloc(n, sizeof(*m->is_online));
	m->first_sibling = room(n, sizeof(*m->first_sibling));
	m->slot = room(n, sizeof(*m->slot));
	m->core = room(n, sizeof(*m->core));
	m->cluster = room(n, sizeof(*m->cluster));
	m->taken = room(n, sizeof(*m->taken));
	m->group_of = room(n, sizeof(*m->group_of));
	m->row_of = room(n, sizeof(*m->row_of));
	m->entries = room(n > m->nr_node_ids ? n : m->nr_node_ids, sizeof(*m->entries));
	m->last_of_core = room(n_core_ids, sizeof(*m->last_of_core));
	m->found_as = room(n_cluster_ids, sizeof(*m->found_as));
	if (!m->is_present || !m->is_online || !m->first_sibling || !m->slot || !m->core || !m->cluster || !m->taken ||
	    !m->group_of || !m->row_of || !m->entries || !m->last_of_core || !m->found_as)
		return -ENOMEM;
	return 0;
}

/* The number of the CPU's group among g, or one behind them that nobody shares. */
static uint16_t group_id(const struct qm_groups *g, uint32_t cpu, bool alone)
{
	if (alone || !g->n || !g->of || g->of[cpu] < 0)
		return (uint16_t)(g->n + cpu);
	return (uint16_t)g->of[cpu];
}

/* Each CPU's node, core, cluster and first sibling. A CPU in no node counts as one of the lowest node. */
static void mapper_fill_cpus(struct qm_mapper *m, const struct qm_topology *t)
{
	uint16_t fallback = t->n_nodes && t->nodes[0].id >= 0 ? (uint16_t)t->nodes[0].id : 0;

	for (uint32_t i = 0; i < m->n_present; i++)
		m->is_present[m->present[i]] = true;
	for (uint32_t i = 0; i < m->n_online; i++)
		m->is_online[m->online[i]] = true;
	for (uint32_t i = 0; i < m->n_possible; i++) {
		uint16_t cpu = m->possible[i];
		int node = t->node_of ? t->node_of[cpu] : -1;

		m->slot[cpu] = node >= 0 ? (uint16_t)node : fallback;
		m->core[cpu] = group_id(&t->cores, cpu, !m->is_online[cpu]);
		m->cluster[cpu] = group_id(&t->clusters, cpu, !m->is_online[cpu]);
	}
	/* Downwards, so that the lowest CPU of a core stays. */
	for (uint32_t i = m->n_possible; i-- > 0;)
		m->last_of_core[m->core[m->possible[i]]] = m->possible[i];
	for (uint32_t i = 0; i < m->n_possible; i++)
		m->first_sibling[m->possible[i]] = m->last_of_core[m->core[m->possible[i]]];
}

/* One more node id: slots go up to the highest, memory-only nodes and holes included. */
static int count_slot(struct qm_mapper *m, int id)
{
	if (id >= (int)NODE_SLOTS_MAX)
		return -ERANGE;
	if (id >= 0 && (uint32_t)id >= m->nr_node_ids)
		m->nr_node_ids = (uint32_t)id + 1;
	return 0;
}

static int mapper_count_nodes(struct qm_mapper *m, const struct qm_topology *t)
{
	int r = t->nr_node_ids > NODE_SLOTS_MAX ? -ERANGE : 0;

	m->nr_node_ids = t->nr_node_ids ? t->nr_node_ids : 1;
	m->online_nodes = t->n_nodes ? 0 : 1;
	for (uint32_t i = 0; r == 0 && i < t->n_nodes; i++) {
		r = count_slot(m, t->nodes[i].id);
		m->online_nodes += t->nodes[i].online;
	}
	for (uint32_t i = 0; r == 0 && t->node_of && i < m->nr_cpus; i++)
		r = count_slot(m, t->node_of[i]);
	m->n_nodes = m->nr_node_ids < m->nr_cpus ? m->nr_node_ids : m->nr_cpus;
	return r;
}

static int mapper_init(struct qm_mapper *m, const struct qm_topology *t)
{
	struct qm_cpuset absent;
	int r;

	m->nr_cpus = t->nr_cpus;
	m->own_clusters = !t->clusters.n;
	m->offline_masks = t->offline_masks;
	r = mapper_count_nodes(m, t);
	if (r == 0)
		r = mapper_fill_lists(m, t);
	if (r == 0)
		r = mapper_alloc(m, t->cores.n + t->nr_cpus, t->clusters.n + t->nr_cpus);
	if (r == 0)
		r = stage_alloc(m, &m->s_present, m->n_present);
	if (r == 0)
		r = stage_alloc(m, &m->s_absent, m->n_possible - m->n_present);
	if (r == 0)
		r = stage_alloc(m, &m->s_possible, m->n_possible);
	if (r == 0)
		r = stage_alloc(m, &m->s_online, m->n_online);
	if (r == 0)
		r = stage_alloc(m, &m->s_housekeeping, m->n_possible);
	if (r < 0)
		return r;
	mapper_fill_cpus(m, t);
	qm_cpuset_copy(&absent, &t->possible);
	qm_cpuset_andnot(&absent, &t->present);
	stage_build(m, &m->s_present, &t->present);
	stage_build(m, &m->s_absent, &absent);
	return 0;
}

int qm_mapper_new(const struct qm_topology *t, struct qm_mapper **ret)
{
	struct qm_mapper *m;
	int r;

	if (!t->nr_cpus || t->nr_cpus > QM_CPU_MAX || t->cores.n > QM_CPU_MAX || t->clusters.n > QM_CPU_MAX ||
	    qm_cpuset_is_empty(&t->possible) || qm_cpuset_last(&t->possible) >= (int)t->nr_cpus)
		return -EINVAL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	r = mapper_init(m, t);
	if (r < 0) {
		qm_mapper_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

void qm_mapper_free(struct qm_mapper *m)
{
	if (!m)
		return;
	stage_done(&m->s_possible);
	stage_done(&m->s_present);
	stage_done(&m->s_absent);
	stage_done(&m->s_online);
	stage_done(&m->s_housekeeping);
	free(m->possible);
	free(m->present);
	free(m->online);
	free(m->is_present);
	free(m->is_online);
	free(m->first_sibling);
	free(m->slot);
	free(m->core);
	free(m->cluster);
	free(m->entries);
	free(m->last_of_core);
	free(m->found_as);
	free(m->row_of);
	free(m->taken);
	free(m->group_of);
	free(m);
}

unsigned qm_mapper_nr_cpus(const struct qm_mapper *m)
{
	return m->nr_cpus;
}
