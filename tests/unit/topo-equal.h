/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are two topologies equal in every fact? Included behind unit.h. */
#ifndef QM_TEST_TOPO_EQUAL_H
#define QM_TEST_TOPO_EQUAL_H

#include <string.h>

#include "base/strbuf.h"
#include "machine/topology.h"

static inline void assert_cpus(const struct qm_cpuset *s, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

/* The groups as "0,8;1,9". */
static inline void assert_groups(const struct qm_groups *g, const char *want)
{
	struct qm_strbuf b = { 0 };

	for (unsigned i = 0; i < g->n; i++) {
		struct qm_cpuset set;

		qm_groups_get(g, i, &set);
		qm_strbuf_adds(&b, i ? ";" : "");
		qm_cpuset_format(&set, &b);
	}
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

static inline void assert_groups_equal(const struct qm_groups *a, const struct qm_groups *b, unsigned nr_cpus)
{
	assert_int_equal(a->n, b->n);
	for (unsigned i = 0; i < a->n; i++)
		assert_int_equal(a->first[i], b->first[i]);
	for (unsigned i = 0; a->n && i < nr_cpus; i++) {
		assert_int_equal(a->next[i], b->next[i]);
		assert_int_equal(a->of[i], b->of[i]);
	}
}

static inline void assert_text_equal(const char *a, const char *b)
{
	assert_string_equal(a ? a : "(null)", b ? b : "(null)");
}

static inline void assert_topology_equal(const struct qm_topology *a, const struct qm_topology *b)
{
	assert_text_equal(a->name, b->name);
	assert_text_equal(a->arch, b->arch);
	assert_int_equal(a->nr_cpus, b->nr_cpus);
	assert_true(qm_cpuset_is_equal(&a->possible, &b->possible));
	assert_true(qm_cpuset_is_equal(&a->present, &b->present));
	assert_true(qm_cpuset_is_equal(&a->online, &b->online));
	assert_true(qm_cpuset_is_equal(&a->isolated, &b->isolated));
	assert_true(qm_cpuset_is_equal(&a->nohz_full, &b->nohz_full));
	assert_true(qm_cpuset_is_equal(&a->node_guessed, &b->node_guessed));
	assert_true(qm_cpuset_is_equal(&a->unknown_core, &b->unknown_core));
	assert_int_equal(a->possible_derived, b->possible_derived);
	assert_int_equal(a->present_derived, b->present_derived);
	assert_int_equal(a->nr_node_ids, b->nr_node_ids);
	assert_int_equal(a->n_nodes, b->n_nodes);
	for (unsigned i = 0; i < a->n_nodes; i++) {
		assert_int_equal(a->nodes[i].id, b->nodes[i].id);
		assert_int_equal(a->nodes[i].online, b->nodes[i].online);
		assert_int_equal(a->nodes[i].mem_kb, b->nodes[i].mem_kb);
		assert_true(qm_cpuset_is_equal(&a->nodes[i].cpus, &b->nodes[i].cpus));
	}
	assert_memory_equal(a->node_of, b->node_of, a->nr_cpus * sizeof(*a->node_of));
	assert_groups_equal(&a->cores, &b->cores, a->nr_cpus);
	assert_groups_equal(&a->packages, &b->packages, a->nr_cpus);
	assert_groups_equal(&a->llc, &b->llc, a->nr_cpus);
	assert_groups_equal(&a->clusters, &b->clusters, a->nr_cpus);
	assert_int_equal(a->clusters_sure, b->clusters_sure);
	assert_int_equal(a->offline_masks, b->offline_masks);
	assert_int_equal(a->n_distances, b->n_distances);
	if (a->n_distances)
		assert_memory_equal(a->distances, b->distances,
				    (size_t)a->n_distances * a->n_distances * sizeof(*a->distances));
}

#endif
