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
 * tree was made. True if the set is known; one that is not is empty.
 */
static bool read_set(const struct qm_dir *cpu, const char *name, struct qm_cpuset *ret)
{
	if (qm_dir_read_cpulist(cpu, name, ret) == 0 && !qm_cpuset_is_empty(ret))
		return true;
	qm_cpuset_zero(ret);
	return false;
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

/* Cuts a set to the one that must hold it, and says so. */
static void cut_to(struct qm_cpuset *set, const struct qm_cpuset *limit, const char *name, const char *limit_name,
		   struct qm_machine *m)
{
	char path[64];

	if (qm_cpuset_is_subset(set, limit))
		return;
	snprintf(path, sizeof(path), QM_CPU_DIR "/%s", name);
	qm_problem_addf(&m->problems, path, "names CPUs that are not %s; they are left out", limit_name);
	qm_cpuset_and(set, limit);
}

/* What the files possible and present do not say follows from the CPUs' directories. -ENOENT: there are none. */
static int derive_sets(const struct qm_dir *cpu, bool has_possible, bool has_present, struct qm_topology *t)
{
	struct qm_cpuset dirs = { 0 };
	int r;

	r = qm_numbered_names(cpu, ".", "cpu", &dirs);
	if (r < 0 && r != -ENOENT)
		return r;
	if (!has_possible) {
		t->possible_derived = true;
		qm_cpuset_copy(&t->possible, &dirs);
		qm_cpuset_or(&t->possible, &t->present);
		qm_cpuset_or(&t->possible, &t->online);
	}
	if (qm_cpuset_is_empty(&t->possible))
		return -ENOENT;
	if (!has_present) {
		t->present_derived = true;
		qm_cpuset_copy(&t->present, qm_cpuset_is_empty(&dirs) ? &t->possible : &dirs);
		qm_cpuset_and(&t->present, &t->possible);
	}
	return 0;
}

static int read_sets(const struct qm_dir *cpu, struct qm_machine *m)
{
	struct qm_topology *t = &m->topo;
	bool has_possible, has_present, has_online;
	int r, id;

	has_possible = read_set(cpu, "possible", &t->possible);
	has_present = read_set(cpu, "present", &t->present);
	has_online = read_set(cpu, "online", &t->online);
	if (!has_possible || !has_present) {
		r = derive_sets(cpu, has_possible, has_present, t);
		if (r < 0)
			return r;
	}
	if (has_present)
		cut_to(&t->present, &t->possible, "present", "possible", m);
	if (has_online) {
		cut_to(&t->online, &t->present, "online", "present", m);
	} else {
		QM_CPUSET_FOREACH(id, &t->present) {
			if (is_online(cpu, (unsigned)id, m))
				qm_cpuset_set(&t->online, (unsigned)id);
		}
	}
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
		if (!read_set(&cpu, sets[i].name, &now))
			continue;
		qm_cpuset_and(&now, i ? &m->topo.present : &m->topo.possible);
		if (!qm_cpuset_is_equal(&now, sets[i].was))
			return 1;
	}
	return 0;
}
