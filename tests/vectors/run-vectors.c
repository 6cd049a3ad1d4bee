// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs every golden vector through the algorithms; TAP on stdout. Depends on the mapping code and the C library only,
 * so that it can be built for any machine. Input: topologies first, then vectors, see vecfile.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vecfile.h"

/* Never fewer than these: a shrunken file must not pass for a green one. */
static const unsigned expected[_VEC_MAX] = { 14333, 453, 16035 };
static const char *const names[_VEC_MAX] = { "cpumap", "suse-hk", "irq" };
#define EXPECTED_TOPOLOGIES 47
#define SHOWN_MAX 5

struct machine {
	struct qm_topology topology;
	struct qm_mapper *mapper;
};

struct run {
	struct machine machines[EXPECTED_TOPOLOGIES];
	unsigned n_machines;
	unsigned seen[_VEC_MAX], bad[_VEC_MAX];
	int32_t *map;
	struct qm_cpuset *masks;
};

static void *must(void *p)
{
	if (!p) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return p;
}

static void add_topology(void *data, struct qm_topology *t)
{
	struct run *run = data;
	struct machine *m = &run->machines[run->n_machines];

	if (run->n_machines == EXPECTED_TOPOLOGIES || qm_mapper_new(t, &m->mapper) < 0) {
		printf("Bail out! topology %s refused\n", t->name);
		exit(1);
	}
	m->topology = *t;
	run->n_machines++;
}

static struct machine *find_machine(struct run *run, const char *name)
{
	for (unsigned i = 0; i < run->n_machines; i++) {
		if (strcmp(run->machines[i].topology.name, name) == 0)
			return &run->machines[i];
	}
	return NULL;
}

static const char *check_map(struct run *run, struct machine *m, const struct vec *v)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_MAP, v->algorithm);
	unsigned warn;

	if (!a)
		return "unknown algorithm";
	if (v->n != qm_mapper_nr_cpus(m->mapper))
		return "another number of CPUs";
	if (qm_map_run(m->mapper, a, v->queues, v->isolated ? &v->housekeeping : NULL, run->map, &warn) < 0)
		return "refused";
	if (memcmp(run->map, v->map, v->n * sizeof(*v->map)))
		return "another map";
	return warn == v->warn ? NULL : "another number of warnings";
}

static const char *check_irq(struct run *run, struct machine *m, const struct vec *v)
{
	const struct qm_algo *a = qm_algo_find(QM_FAMILY_IRQ, v->algorithm);
	enum qm_spread_outcome outcome;
	unsigned warn;

	if (!a)
		return "unknown algorithm";
	run->masks = must(realloc(run->masks, v->spread.vectors * sizeof(*run->masks)));
	if (qm_spread_run(m->mapper, a, &v->spread, run->masks, &outcome, &warn) < 0)
		return "refused";
	if (outcome != v->outcome)
		return "another outcome";
	if (outcome == QM_SPREAD_OK) {
		for (unsigned i = 0; i < v->n; i++) {
			if (!qm_cpuset_is_equal(&run->masks[i], &v->masks[i]))
				return "other masks";
		}
	}
	return warn == v->warn ? NULL : "another number of warnings";
}

static void check_vector(void *data, const struct vec *v)
{
	struct run *run = data;
	struct machine *m = find_machine(run, v->topology);
	const char *wrong = "unknown topology";

	if (m)
		wrong = v->kind == VEC_IRQ ? check_irq(run, m, v) : check_map(run, m, v);
	run->seen[v->kind]++;
	if (!wrong)
		return;
	if (run->bad[v->kind]++ < SHOWN_MAX) {
		printf("# %s on %s, %u %s (pre %u, %u sets): %s\n", v->algorithm, v->topology,
		       v->kind == VEC_IRQ ? v->spread.vectors : v->queues, v->kind == VEC_IRQ ? "vectors" : "queues",
		       v->kind == VEC_IRQ ? v->spread.pre : 0, v->kind == VEC_IRQ ? v->spread.n_sets : 0, wrong);
	}
}

int main(void)
{
	static const struct vec_ops ops = { .topology = add_topology, .vector = check_vector };
	static struct run run;
	bool fine = true;
	unsigned long bad_line;

	run.map = must(calloc(QM_CPU_MAX, sizeof(*run.map)));
	printf("1..%d\n", _VEC_MAX + 2);
	bad_line = vec_read(stdin, &ops, &run);
	printf("%sok 1 - input read to its end\n", bad_line ? "not " : "");
	printf("%sok 2 - %u topologies of %u\n", run.n_machines == EXPECTED_TOPOLOGIES ? "" : "not ", run.n_machines,
	       EXPECTED_TOPOLOGIES);
	fine = !bad_line && run.n_machines == EXPECTED_TOPOLOGIES;
	for (unsigned k = 0; k < _VEC_MAX; k++) {
		bool ok = !run.bad[k] && run.seen[k] >= expected[k];

		fine = fine && ok;
		printf("%sok %u - %s: %u vectors equal of %u, at least %u wanted\n", ok ? "" : "not ", k + 3, names[k],
		       run.seen[k] - run.bad[k], run.seen[k], expected[k]);
	}
	for (unsigned i = 0; i < run.n_machines; i++) {
		qm_mapper_free(run.machines[i].mapper);
		qm_topology_done(&run.machines[i].topology);
	}
	free(run.map);
	free(run.masks);
	return fine ? 0 : 1;
}
