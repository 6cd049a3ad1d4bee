// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cores, packages, clusters and last-level caches, all from the sets that CPUs name; ids are labels that repeat and may be
 * -1, so nothing is counted or indexed by them.
 *
 * A kernel keeps each set in one mask per CPU and these agree: what a CPU's file says holds for all the CPUs it names, and
 * theirs are not read. So the number of files read is that of cores, packages and caches, not that of CPUs.
 */
#include "machine/topology-read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

struct reader {
	const struct qm_dir *cpu; /* the directory of all CPUs */
	struct qm_machine *m;
	struct qm_cpuset told; /* CPUs that may have a topology directory */
};

struct set_name {
	const char *name;
	bool mask;
};

/* The names under which kernels of all times give one set, best first: lists before masks, the oldest name first. */
struct set_names {
	struct set_name v[4];
	int good; /* the one that was there last time; -1: not known yet */
	bool absent; /* none was there for a CPU that has a topology directory: this kernel does not tell */
};

#define NAMES_MAX 4

static struct set_names core_names(void)
{
	return (struct set_names){
		.v = { { "topology/thread_siblings_list", false },
		       { "topology/core_cpus_list", false },
		       { "topology/thread_siblings", true },
		       { "topology/core_cpus", true } },
		.good = -1,
	};
}

static struct set_names package_names(void)
{
	return (struct set_names){
		.v = { { "topology/core_siblings_list", false },
		       { "topology/package_cpus_list", false },
		       { "topology/core_siblings", true },
		       { "topology/package_cpus", true } },
		.good = -1,
	};
}

static struct set_names cluster_names(void)
{
	return (struct set_names){
		.v = { { "topology/cluster_cpus_list", false }, { "topology/cluster_cpus", true } },
		.good = -1,
	};
}

#define NAME_SIZE 96

/* "cpu12/FILE"; by hand, for a large machine has thousands of these. file comes from here and fits. */
static void name_file(unsigned cpu, const char *file, char name[NAME_SIZE])
{
	char digits[12] = "", *end = digits + sizeof(digits) - 1;

	name = stpcpy(stpcpy(name, "cpu"), qm_put_digits(end, cpu));
	*name++ = '/';
	stpcpy(name, file);
}

/* Reads one file of a CPU; 0, -ENOENT, or another error that is in the list of problems. */
static int read_file(const struct reader *rd, unsigned cpu, const char *file, bool mask, struct qm_cpuset *ret)
{
	char name[NAME_SIZE];

	name_file(cpu, file, name);
	return mask ? qm_dir_read_cpumask(rd->cpu, name, ret) : qm_dir_read_cpulist(rd->cpu, name, ret);
}

/* A set names its own CPU and only possible ones. */
static void check_set(const struct reader *rd, unsigned cpu, const char *file, struct qm_cpuset *set)
{
	char path[128];

	qm_cpuset_and(set, &rd->m->topo.possible);
	if (qm_cpuset_test(set, cpu))
		return;
	snprintf(path, sizeof(path), QM_CPU_DIR "/cpu%u/%s", cpu, file);
	qm_problem_addf(&rd->m->problems, path, "does not name CPU %u itself", cpu);
	qm_cpuset_set(set, cpu);
}

static int read_set_from(const struct reader *rd, unsigned cpu, const struct set_name *from, struct qm_cpuset *ret)
{
	int r = read_file(rd, cpu, from->name, from->mask, ret);

	if (r < 0 || qm_cpuset_is_empty(ret))
		return -ENOENT;
	check_set(rd, cpu, from->name, ret);
	return 0;
}

/*
 * A CPU's set under whatever name there is; a garbled file gives way to the next name. 0, or -ENOENT: nobody tells.
 */
static int read_set(const struct reader *rd, unsigned cpu, struct set_names *names, struct qm_cpuset *ret)
{
	int good = names->good;

	if (names->absent)
		return -ENOENT;
	if (good >= 0 && read_set_from(rd, cpu, &names->v[good], ret) == 0)
		return 0;
	for (int i = 0; i < NAMES_MAX && names->v[i].name; i++) {
		if (i != good && read_set_from(rd, cpu, &names->v[i], ret) == 0) {
			names->good = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* Adds a set that must not overlap those read before. */
static int add_set(const struct reader *rd, struct qm_groups *g, unsigned cpu, const char *file, const struct qm_cpuset *set)
{
	int other;

	QM_CPUSET_FOREACH(other, set) {
		if (g->of && g->of[other] >= 0) {
			char path[128];

			snprintf(path, sizeof(path), QM_CPU_DIR "/cpu%u/%s", cpu, file);
			qm_problem_addf(&rd->m->problems, path, "names CPU %d, which does not name CPU %u", other, cpu);
			break;
		}
	}
	return qm_groups_add(g, rd->m->topo.nr_cpus, set);
}

static bool is_grouped(const struct qm_groups *g, int cpu)
{
	return g->of && g->of[cpu] >= 0;
}

static int read_cores(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	struct set_names names = core_names();
	int cpu;

	qm_cpuset_copy(&t->unknown_core, &t->possible);
	QM_CPUSET_FOREACH(cpu, &rd->told) {
		struct qm_cpuset set = { 0 };
		int r;

		if (is_grouped(&t->cores, cpu))
			continue;
		r = read_set(rd, (unsigned)cpu, &names, &set);
		if (r < 0)
			continue;
		r = add_set(rd, &t->cores, (unsigned)cpu, names.v[names.good].name, &set);
		if (r < 0)
			return r;
		qm_cpuset_andnot(&t->unknown_core, &set);
	}
	qm_groups_sort(&t->cores, t->nr_cpus);
	return 0;
}

/* ---- packages ---- */

struct package {
	long long id; /* -1 = none */
	struct qm_cpuset cpus;
};

struct packages {
	struct package *v;
	size_t n, cap;
	struct qm_cpuset covered;
};

static int add_package(struct packages *p, long long id, const struct qm_cpuset *set)
{
	int r;

	qm_cpuset_or(&p->covered, set);
	for (size_t i = 0; id >= 0 && i < p->n; i++) {
		if (p->v[i].id == id) {
			qm_cpuset_or(&p->v[i].cpus, set);
			return 0;
		}
	}
	r = qm_array_grow(&p->v, &p->cap, p->n + 1, sizeof(*p->v));
	if (r < 0)
		return r;
	p->v[p->n].id = id;
	qm_cpuset_copy(&p->v[p->n++].cpus, set);
	return 0;
}

/*
 * The package id joins sets: a kernel once listed half a package each (Cluster-on-Die). Where the id is -1 or missing the
 * sets stand for themselves, where there are no sets the ids make them.
 */
static int read_package(const struct reader *rd, unsigned cpu, struct set_names *names, struct packages *p)
{
	struct qm_cpuset set = { 0 };
	long long id = -1;
	char name[64];
	int r, s;

	s = read_set(rd, cpu, names, &set);
	snprintf(name, sizeof(name), "cpu%u/topology/physical_package_id", cpu);
	r = qm_dir_read_num(rd->cpu, name, &id);
	if (r < 0 || id < 0)
		id = -1;
	if (s < 0) {
		if (id < 0)
			return 0;
		qm_cpuset_set(&set, cpu);
	}
	qm_cpuset_andnot(&set, &p->covered);
	return add_package(p, id, &set);
}

static int read_packages(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	struct set_names names = package_names();
	struct packages p = { 0 };
	int cpu, r = 0;

	QM_CPUSET_FOREACH(cpu, &rd->told) {
		if (qm_cpuset_test(&p.covered, (unsigned)cpu))
			continue;
		r = read_package(rd, (unsigned)cpu, &names, &p);
		if (r < 0)
			break;
	}
	for (size_t i = 0; r == 0 && i < p.n; i++)
		r = qm_groups_add(&t->packages, t->nr_cpus, &p.v[i].cpus);
	free(p.v);
	qm_groups_sort(&t->packages, t->nr_cpus);
	return r;
}

/* ---- caches ---- */

#define CACHES_MAX 16

/* What the cacheN/indexM directories of a kind of CPU are: most machines have one kind, hybrid ones two or three. */
struct shape {
	struct qm_cpuset indices;
	int level2, last; /* index numbers; -1 = none */
};

static int index_ids(const struct reader *rd, unsigned cpu, struct qm_cpuset *ret)
{
	char name[64];
	int r;

	snprintf(name, sizeof(name), "cpu%u/cache", cpu);
	r = qm_numbered_names(rd->cpu, name, "index", ret);
	return r == 0 && qm_cpuset_last(ret) >= CACHES_MAX ? -ENOENT : r;
}

/* Learns which index is which level. Of equals the later one counts: after the instruction cache comes what holds all. */
static void learn_shape(const struct reader *rd, unsigned cpu, const struct qm_cpuset *indices, struct shape *ret)
{
	long long last_level = 0;
	int index;

	qm_cpuset_copy(&ret->indices, indices);
	ret->level2 = ret->last = -1;
	QM_CPUSET_FOREACH(index, indices) {
		long long level;
		char name[64];
		int r;

		snprintf(name, sizeof(name), "cpu%u/cache/index%d/level", cpu, index);
		r = qm_dir_read_num(rd->cpu, name, &level);
		if (r < 0)
			continue;
		if (level == 2)
			ret->level2 = index;
		if (level >= last_level) {
			last_level = level;
			ret->last = index;
		}
	}
}

static int read_cache_set(const struct reader *rd, unsigned cpu, int index, struct qm_groups *g)
{
	struct qm_cpuset set = { 0 };
	char file[64];
	int r;

	snprintf(file, sizeof(file), "cache/index%d/shared_cpu_list", index);
	r = read_file(rd, cpu, file, false, &set);
	if (r < 0 || qm_cpuset_is_empty(&set)) {
		snprintf(file, sizeof(file), "cache/index%d/shared_cpu_map", index);
		r = read_file(rd, cpu, file, true, &set);
	}
	if (r < 0 || qm_cpuset_is_empty(&set))
		return 0;
	check_set(rd, cpu, file, &set);
	return add_set(rd, g, cpu, file, &set);
}

/* Last-level caches, and the sharers of the level-2 caches if level2 is wanted. */
static int read_caches(const struct reader *rd, struct qm_groups *level2)
{
	struct qm_topology *t = &rd->m->topo;
	struct shape shape = { .last = -1, .level2 = -1 };
	bool known = false, absent = false;
	int cpu, r;

	QM_CPUSET_FOREACH(cpu, &rd->told) {
		if (!is_grouped(&t->llc, cpu)) {
			struct qm_cpuset indices = { 0 };

			r = absent ? -ENOENT : index_ids(rd, (unsigned)cpu, &indices);
			if (r < 0) {
				/* Guests often show no caches at all. */
				absent = !known && is_grouped(&t->cores, cpu);
				continue;
			}
			if (!known || !qm_cpuset_is_equal(&indices, &shape.indices))
				learn_shape(rd, (unsigned)cpu, &indices, &shape);
			known = true;
			r = shape.last >= 0 ? read_cache_set(rd, (unsigned)cpu, shape.last, &t->llc) : 0;
			if (r < 0)
				return r;
		}
		if (level2 && shape.level2 >= 0 && !is_grouped(level2, cpu)) {
			struct qm_cpuset set;

			if (shape.level2 == shape.last && is_grouped(&t->llc, cpu)) {
				qm_groups_get(&t->llc, (unsigned)t->llc.of[cpu], &set);
				r = qm_groups_add(level2, t->nr_cpus, &set);
			} else {
				r = read_cache_set(rd, (unsigned)cpu, shape.level2, level2);
			}
			if (r < 0)
				return r;
		}
	}
	qm_groups_sort(&t->llc, t->nr_cpus);
	if (level2)
		qm_groups_sort(level2, t->nr_cpus);
	return 0;
}

/* ---- clusters ---- */

static int read_cluster_files(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	struct set_names names = cluster_names();
	int cpu;

	if (!qm_arch_has_clusters(t->arch))
		return 0;
	QM_CPUSET_FOREACH(cpu, &rd->told) {
		struct qm_cpuset set = { 0 };
		int r;

		if (is_grouped(&t->clusters, cpu))
			continue;
		r = read_set(rd, (unsigned)cpu, &names, &set);
		if (r < 0) {
			/* A kernel that knows no clusters has the file for no CPU. */
			names.absent = names.good < 0 && is_grouped(&t->cores, cpu);
			continue;
		}
		r = add_set(rd, &t->clusters, (unsigned)cpu, names.v[names.good].name, &set);
		if (r < 0)
			return r;
	}
	qm_groups_sort(&t->clusters, t->nr_cpus);
	return 0;
}

/* Is every online CPU in a group? */
static bool covers_online(const struct qm_topology *t, const struct qm_groups *g)
{
	int cpu;

	QM_CPUSET_FOREACH(cpu, &t->online) {
		if (!is_grouped(g, cpu))
			return false;
	}
	return true;
}

/*
 * Clusters as a newer kernel would see them. x86 makes them from the level-2 caches, so these stand in on kernels that do
 * not name clusters; without them the cores are the best guess. Some architectures never have clusters.
 */
static int read_clusters_and_caches(const struct reader *rd)
{
	struct qm_topology *t = &rd->m->topo;
	bool x86 = qm_arch_is_x86(t->arch);
	int r;

	r = read_cluster_files(rd);
	if (r < 0)
		return r;
	r = read_caches(rd, x86 && !t->clusters.n ? &t->clusters : NULL);
	if (r < 0)
		return r;
	t->clusters_sure = t->clusters.n ? covers_online(t, &t->clusters) : !qm_arch_has_clusters(t->arch);
	/* What the masks of offline CPUs hold depends on the architecture. */
	if (!t->arch && !qm_cpuset_is_equal(&t->online, &t->possible))
		t->clusters_sure = false;
	if (x86 && !t->clusters.n && t->cores.n)
		return qm_groups_copy(&t->cores, t->nr_cpus, &t->clusters);
	return 0;
}

int qm_siblings_read(const struct qm_dir *cpu, struct qm_machine *m)
{
	struct reader rd = { .cpu = cpu, .m = m };
	int r;

	/* A kernel removes the topology of an offline CPU. Trees may have kept it. */
	qm_cpuset_copy(&rd.told, cpu->root->live ? &m->topo.online : &m->topo.present);
	r = read_cores(&rd);
	if (r == 0)
		r = read_packages(&rd);
	if (r == 0)
		r = read_clusters_and_caches(&rd);
	return r;
}
