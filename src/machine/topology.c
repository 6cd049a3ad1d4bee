// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a topology: the sets of CPUs; siblings.c and node.c do the rest. */
#include "machine/topology-read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int qm_numbered_names(const struct qm_dir *dir, const char *name, const char *prefix, struct qm_cpuset *ret)
{
	size_t len = strlen(prefix);
	struct qm_names names = { 0 };
	struct qm_cpuset ids = { 0 };
	int r;

	r = qm_dir_names(dir, name, &names);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		struct qm_cpuset one = { 0 };

		if (strncmp(names.v[i], prefix, len) == 0 && isdigit((unsigned char)names.v[i][len]) &&
		    qm_cpuset_parse_list(names.v[i] + len, -1, &one) == 0 && qm_cpuset_count(&one) == 1)
			qm_cpuset_or(&ids, &one);
	}
	qm_names_done(&names);
	if (qm_cpuset_is_empty(&ids))
		return -ENOENT;
	qm_cpuset_copy(ret, &ids);
	return 0;
}

/*
 * One of possible, present, online. None of them can be empty, so an empty file is one that could not be read when the
 * tree was made; a set that is not known is empty.
 */
static void read_set(const struct qm_dir *cpu, const char *name, struct qm_cpuset *ret)
{
	int r = qm_dir_read_cpulist(cpu, name, ret);

	if (r < 0)
		qm_cpuset_zero(ret);
}

/*
 * Is a CPU online, by its own file? The file is missing where a CPU cannot go offline, and of no bytes where it could not be
 * read when the tree was made: neither means offline.
 */
static bool is_online(const struct qm_dir *cpu, unsigned id, struct qm_machine *m)
{
	char name[64], path[128];
	const char *text;
	int r;

	snprintf(name, sizeof(name), "cpu%u/online", id);
	r = qm_dir_read(cpu, name, &text);
	if (r < 0)
		return true;
	text += strspn(text, " \t\r\n");
	if (*text == '0' && !text[1 + strspn(text + 1, " \t\r\n")])
		return false;
	if (*text && (*text != '1' || text[1 + strspn(text + 1, " \t\r\n")])) {
		snprintf(path, sizeof(path), QM_CPU_DIR "/%s", name);
		qm_problem_addf(&m->problems, path, "neither 0 nor 1; taken as online");
	}
	return true;
}

/* Cuts a set to the one that must hold it, and says so. False if nothing is left: then the file told nothing. */
static bool cut_to(struct qm_cpuset *set, const struct qm_cpuset *limit, const char *name, const char *limit_name,
		   struct qm_machine *m)
{
	char path[64];

	if (qm_cpuset_is_subset(set, limit))
		return true;
	snprintf(path, sizeof(path), QM_CPU_DIR "/%s", name);
	qm_problem_addf(&m->problems, path, "names CPUs that are not %s; they are left out", limit_name);
	qm_cpuset_and(set, limit);
	return !qm_cpuset_is_empty(set);
}

/* Present CPUs are online by their own files. Some CPU always is. */
static void derive_online(const struct qm_dir *cpu, struct qm_machine *m)
{
	struct qm_topology *t = &m->topo;
	int id;

	QM_CPUSET_FOREACH(id, &t->present) {
		if (is_online(cpu, (unsigned)id, m))
			qm_cpuset_set(&t->online, (unsigned)id);
	}
	if (!qm_cpuset_is_empty(&t->online))
		return;
	qm_problem_addf(&m->problems, QM_CPU_DIR, "no CPU is online by its own file; all are taken as online");
	qm_cpuset_copy(&t->online, &t->present);
}

/* Present CPUs are those with a directory, and what is online, whose directory may not have been copied. */
static void derive_present(const struct qm_cpuset *dirs, struct qm_topology *t)
{
	t->present_derived = true;
	qm_cpuset_copy(&t->present, dirs);
	if (!qm_cpuset_is_empty(dirs))
		qm_cpuset_or(&t->present, &t->online);
	qm_cpuset_and(&t->present, &t->possible);
	if (qm_cpuset_is_empty(&t->present))
		qm_cpuset_copy(&t->present, &t->possible);
}

/*
 * Whatever the files say, each set lies within the one before and none is empty: what they do not say, or say of CPUs that
 * cannot be, follows from the CPUs' directories. -ENOENT: there are no CPUs.
 */
static int settle_sets(const struct qm_dir *cpu, struct qm_machine *m)
{
	struct qm_topology *t = &m->topo;
	struct qm_cpuset dirs = { 0 };
	int r = 0;

	if (!qm_cpuset_intersects(&t->present, &t->possible))
		r = qm_numbered_names(cpu, ".", "cpu", &dirs);
	if (r < 0 && r != -ENOENT)
		return r;
	if (qm_cpuset_is_empty(&t->possible)) {
		t->possible_derived = true;
		qm_cpuset_copy(&t->possible, &dirs);
		qm_cpuset_or(&t->possible, &t->present);
		qm_cpuset_or(&t->possible, &t->online);
	}
	if (qm_cpuset_is_empty(&t->possible))
		return -ENOENT;
	if (qm_cpuset_is_empty(&t->present) || !cut_to(&t->present, &t->possible, "present", "possible", m))
		derive_present(&dirs, t);
	if (qm_cpuset_is_empty(&t->online) || !cut_to(&t->online, &t->present, "online", "present", m))
		derive_online(cpu, m);
	return 0;
}

static int read_sets(const struct qm_dir *cpu, struct qm_machine *m)
{
	struct qm_topology *t = &m->topo;
	int r;

	read_set(cpu, "possible", &t->possible);
	read_set(cpu, "present", &t->present);
	read_set(cpu, "online", &t->online);
	r = settle_sets(cpu, m);
	if (r < 0)
		return r;
	t->nr_cpus = (unsigned)qm_cpuset_last(&t->possible) + 1;
	/* Kernels without the files, and files without a word, both mean none. */
	r = qm_dir_read_cpulist(cpu, "isolated", &t->isolated);
	if (r < 0)
		qm_cpuset_zero(&t->isolated);
	r = qm_dir_read_cpulist(cpu, "nohz_full", &t->nohz_full);
	if (r < 0)
		qm_cpuset_zero(&t->nohz_full);
	qm_cpuset_and(&t->isolated, &t->possible);
	qm_cpuset_and(&t->nohz_full, &t->possible);
	return 0;
}

int qm_topology_read(struct qm_root *root, struct qm_machine *m)
{
	_cleanup_(qm_dir_close) struct qm_dir cpu = { .fd = -1 };
	int r;

	r = qm_dir_open(root, QM_CPU_DIR, &cpu);
	if (r < 0)
		return r;
	r = read_sets(&cpu, m);
	if (r == 0)
		r = qm_arch_read(root, m);
	if (r == 0)
		r = qm_siblings_read(&cpu, m);
	if (r == 0)
		r = qm_nodes_read(root, m);
	return r;
}

int qm_topology_from_maps(struct qm_root *root, struct qm_machine *m)
{
	struct qm_topology *t = &m->topo;
	int r;

	for (size_t i = 0; i < m->n_controllers; i++) {
		for (size_t k = 0; k < m->controllers[i].n_hctx; k++)
			qm_cpuset_or(&t->possible, m->controllers[i].hctx[k].cpus);
	}
	if (qm_cpuset_is_empty(&t->possible))
		return -ENOENT;
	qm_problem_addf(&m->problems, QM_CPU_DIR, "not there; the CPUs are taken to be those that the queues' lists name");
	t->possible_derived = t->present_derived = true;
	qm_cpuset_copy(&t->present, &t->possible);
	qm_cpuset_copy(&t->online, &t->possible);
	qm_cpuset_copy(&t->unknown_core, &t->possible);
	t->nr_cpus = (unsigned)qm_cpuset_last(&t->possible) + 1;
	r = qm_arch_read(root, m);
	return r == 0 ? qm_nodes_read(root, m) : r;
}

int qm_topology_has_moved(struct qm_root *root, const struct qm_machine *m)
{
	_cleanup_(qm_dir_close) struct qm_dir cpu = { .fd = -1 };
	const struct {
		const char *name;
		const struct qm_cpuset *was;
	} sets[] = { { "present", &m->topo.present }, { "online", &m->topo.online } };
	int r;

	r = qm_dir_open(root, QM_CPU_DIR, &cpu);
	if (r < 0)
		return r;
	for (size_t i = 0; i < QM_ARRAY_SIZE(sets); i++) {
		struct qm_cpuset now = { 0 };

		/* What was cut to the possible CPUs when it was first read is cut here as well. */
		read_set(&cpu, sets[i].name, &now);
		qm_cpuset_and(&now, i ? &m->topo.present : &m->topo.possible);
		if (!qm_cpuset_is_empty(&now) && !qm_cpuset_is_equal(&now, sets[i].was))
			return 1;
	}
	return 0;
}
