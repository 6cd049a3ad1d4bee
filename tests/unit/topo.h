/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small topologies for tests, from text. */
#ifndef QM_TEST_TOPO_H
#define QM_TEST_TOPO_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/setpool.h"
#include "machine/topology.h"

/* Every field is a kernel list, or lists joined by ";"; NULL is what a plain machine has. */
struct topo_spec {
	const char *possible; /* required */
	const char *present;  /* NULL: as possible */
	const char *online;   /* NULL: as present */
	const char *nodes;    /* "0:0-3;2:4-7", an empty list is a node of memory; NULL: all CPUs in node 0; "": no nodes */
	const char *cores;    /* NULL: each CPU is one, told by nobody */
	const char *clusters; /* NULL: each CPU is one */
	const char *llc;      /* NULL: unknown */
	unsigned nr_node_ids; /* 0: highest node + 1 */
	bool self_masks;
};

static inline struct qm_cpuset topo_list(const char *text)
{
	struct qm_cpuset s = { 0 };

	if (qm_cpuset_parse_list(text, -1, &s) < 0) {
		fprintf(stderr, "bad list in a test: %s\n", text);
		abort();
	}
	return s;
}

/* For what points to a set: one that lives until the program ends. */
static inline const struct qm_cpuset *topo_keep(const struct qm_cpuset *set)
{
	static struct qm_setpool pool;
	const struct qm_cpuset *kept;

	if (qm_setpool_add(&pool, set, &kept) < 0)
		abort();
	return kept;
}

static inline const struct qm_cpuset *topo_kept_list(const char *text)
{
	struct qm_cpuset set = topo_list(text);

	return topo_keep(&set);
}

static inline void topo_groups(const char *text, unsigned nr_cpus, struct qm_groups *g)
{
	_cleanup_free_ char *copy = text ? strdup(text) : NULL;
	char *save = NULL;

	for (char *p = copy ? strtok_r(copy, ";", &save) : NULL; p; p = strtok_r(NULL, ";", &save)) {
		struct qm_cpuset s = topo_list(p);

		if (qm_groups_add(g, nr_cpus, &s) < 0)
			abort();
	}
	qm_groups_sort(g, nr_cpus);
}

static inline void topo_node(struct qm_topology *t, char *text)
{
	struct qm_node *n = &t->nodes[t->n_nodes++];
	int cpu;

	n->id = (int)strtol(text, &text, 10);
	n->cpus = topo_list(text + 1);
	n->online = true;
	n->mem_kb = -1;
	if (t->nr_node_ids <= (unsigned)n->id)
		t->nr_node_ids = (unsigned)n->id + 1;
	QM_CPUSET_FOREACH(cpu, &n->cpus)
		t->node_of[cpu] = n->id;
}

static inline void topo_make(const struct topo_spec *s, struct qm_topology *ret)
{
	struct qm_topology t = { 0 };
	_cleanup_free_ char *copy = NULL;
	char *save = NULL;

	t.possible = topo_list(s->possible);
	t.present = s->present ? topo_list(s->present) : t.possible;
	t.online = s->online ? topo_list(s->online) : t.present;
	t.nr_cpus = (unsigned)qm_cpuset_last(&t.possible) + 1;
	t.nr_node_ids = s->nr_node_ids ? s->nr_node_ids : 1;
	t.node_of = malloc(t.nr_cpus * sizeof(*t.node_of));
	t.nodes = calloc(t.nr_cpus + 256, sizeof(*t.nodes));
	copy = strdup(s->nodes ? s->nodes : "");
	if (!t.node_of || !t.nodes || !copy)
		abort();
	for (unsigned i = 0; i < t.nr_cpus; i++)
		t.node_of[i] = -1;
	for (char *p = strtok_r(copy, ";", &save); p; p = strtok_r(NULL, ";", &save))
		topo_node(&t, p);
	if (!s->nodes) {
		char all[32];

		snprintf(all, sizeof(all), "0:");
		topo_node(&t, all);
		t.nodes[0].cpus = t.possible;
		for (unsigned i = 0; i < t.nr_cpus; i++)
			t.node_of[i] = qm_cpuset_test(&t.possible, i) ? 0 : -1;
	}
	topo_groups(s->cores, t.nr_cpus, &t.cores);
	topo_groups(s->clusters, t.nr_cpus, &t.clusters);
	topo_groups(s->llc, t.nr_cpus, &t.llc);
	if (!t.cores.n)
		t.unknown_core = t.possible;
	t.clusters_sure = true;
	t.offline_masks = s->self_masks ? QM_OFFLINE_MASKS_SELF : QM_OFFLINE_MASKS_EMPTY;
	*ret = t;
}

#endif
