// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/natsort.h"
#include "base/strbuf.h"
#include "machine/syspath.h"

/* ---- finding the disks ---- */

/* Adds a disk; takes over syspath. */
static int add_disk(struct qm_machine *m, const char *name, char *syspath)
{
	_cleanup_free_ char *path = syspath;
	struct qm_disk d = { .controller = -1 };
	int r;

	if (!path)
		return -ENOMEM;
	r = qm_array_grow(&m->disks, &m->cap_disks, m->n_disks + 1, sizeof(*m->disks));
	if (r < 0)
		return r;
	d.name = strdup(name);
	if (!d.name)
		return -ENOMEM;
	d.syspath = path;
	path = NULL;
	m->disks[m->n_disks++] = d;
	return 0;
}

static int compare_disks(const void *a, const void *b)
{
	const struct qm_disk *x = a, *y = b;

	return qm_natcmp(x->name, y->name);
}

static void disks_sort(struct qm_machine *m)
{
	if (m->n_disks)
		qsort(m->disks, m->n_disks, sizeof(*m->disks), compare_disks);
}

/* Among the first n disks, which are sorted. */
static struct qm_disk *disk_find(const struct qm_machine *m, size_t n, const char *name)
{
	struct qm_disk key = { .name = (char *)name };

	return n ? bsearch(&key, m->disks, n, sizeof(*m->disks), compare_disks) : NULL;
}

/* Disks from a directory of links. With only_new those that are known already are left alone. -ENOENT: no directory. */
static int add_class(struct qm_scan *s, const char *class, bool only_new)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	size_t known = s->m->n_disks;
	int r;

	r = qm_dir_names(&s->top, class, &names);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		char *path;

		if (only_new && disk_find(s->m, known, names.v[i]))
			continue;
		r = qm_scan_class_target(s, class, names.v[i], &path);
		if (r == 0)
			r = add_disk(s->m, names.v[i], path);
		if (r == -ENOMEM)
			return r;
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct qm_disk *x = a, *y = b;
	size_t n = strlen(x->syspath), k = strlen(y->syspath);
	int r = compare_disks(a, b);

	return r ? r : n != k ? (n > k) - (n < k) : strcmp(x->syspath, y->syspath);
}

/* A kernel's disks all have other names, but a copy may hold one's directory twice: the shorter path stays. */
static void disks_sort_found(struct qm_machine *m)
{
	size_t kept = 0;

	if (m->n_disks)
		qsort(m->disks, m->n_disks, sizeof(*m->disks), compare_places);
	for (size_t i = 0; i < m->n_disks; i++) {
		if (kept && strcmp(m->disks[i].name, m->disks[kept - 1].name) == 0) {
			free(m->disks[i].name);
			free(m->disks[i].syspath);
		} else {
			m->disks[kept++] = m->disks[i];
		}
	}
	m->n_disks = kept;
}

/* Directories that hold no disks, or too much. */
static bool is_dull(const char *name)
{
	static const char *const dull[] = { "system", "power", "queue", "mq", "msi_irqs", "slaves", "holders", "trace" };

	for (size_t i = 0; i < QM_ARRAY_SIZE(dull); i++) {
		if (strcmp(name, dull[i]) == 0)
			return true;
	}
	return false;
}

static bool is_disk_place(const char *parent, const char *name)
{
	const char *base = qm_path_base(parent);
	unsigned a, b;
	int c;

	if (strcmp(base, "block") == 0)
		return true;
	return qm_name_is_nvme_disk(name, &a, &c, &b) && strncmp(base, "nvme", 4) == 0;
}

/* 1: there is a directory, 0: there is none, -ENOMEM. */
static int is_directory(const struct qm_scan *s, const char *path)
{
	_cleanup_(qm_dir_close) struct qm_dir dir = { .fd = -1 };
	int r = qm_dir_openat(&s->top, path, &dir);

	return r == -ENOMEM ? r : r == 0;
}

/* More directories than this are no device tree. */
#define WALK_MAX 200000

struct walk {
	struct qm_scan *s;
	size_t known; /* disks that there were before */
	struct qm_names todo;
	bool more; /* than fit into it */
};

/* Takes over path. */
static int walk_later(struct walk *w, char *path)
{
	int r = w->todo.n < WALK_MAX ? qm_array_grow(&w->todo.v, &w->todo.cap, w->todo.n + 1, sizeof(*w->todo.v)) : 0;

	if (r == 0 && w->todo.n < WALK_MAX) {
		w->todo.v[w->todo.n++] = path;
		return 0;
	}
	w->more = r == 0;
	free(path);
	return r;
}

/* A disk, or something to look into later: whether it is a directory is seen then. Takes over path. */
static int walk_take(struct walk *w, const char *parent, const char *name, char *path)
{
	int r;

	if (!is_disk_place(parent, name))
		return walk_later(w, path);
	r = disk_find(w->s->m, w->known, name) ? 0 : is_directory(w->s, path);
	if (r > 0)
		return add_disk(w->s->m, name, path);
	free(path);
	return r;
}

static int walk_look(struct walk *w, const char *parent, const char *name)
{
	_cleanup_free_ char *target = NULL;
	char *path;
	int r;

	if (is_dull(name))
		return 0;
	r = qm_syspath_join(parent, name, &path);
	if (r < 0)
		return r;
	r = qm_dir_link(&w->s->top, path, &target);
	if (r == -EINVAL)
		return walk_take(w, parent, name, path);
	free(path);
	return r == -ENOMEM ? r : 0;
}

/*
 * The last resort: every directory below sys/devices, links left alone. Adds the disks that are not known yet and leaves
 * them all sorted.
 */
int qm_disks_walk(struct qm_scan *s)
{
	struct walk w = { .s = s, .known = s->m->n_disks };
	char *top = strdup("sys/devices");
	int r = top ? walk_later(&w, top) : -ENOMEM;

	for (size_t at = 0; r == 0 && at < w.todo.n; at++) {
		_cleanup_(qm_names_done) struct qm_names names = { 0 };

		r = qm_optional(qm_dir_names(&s->top, w.todo.v[at], &names));
		for (size_t i = 0; r == 0 && i < names.n; i++)
			r = walk_look(&w, w.todo.v[at], names.v[i]);
	}
	if (w.more)
		qm_problem_addf(&s->m->problems, "sys/devices",
				"more than %d directories; disks in the others are not found", WALK_MAX);
	qm_names_done(&w.todo);
	disks_sort_found(s->m);
	return r;
}

int qm_disks_find(struct qm_scan *s)
{
	struct qm_machine *m = s->m;
	bool listed;
	int r;

	r = add_class(s, "sys/block", false);
	listed = r == 0;
	disks_sort(m);
	/* Partitions are in the class only. */
	if (r != -ENOMEM)
		r = add_class(s, "sys/class/block", listed);
	listed = listed || r == 0;
	if (!listed && r != -ENOMEM)
		return qm_optional(qm_disks_walk(s));
	disks_sort(m);
	return qm_optional(r);
}

/* ---- what kind of disk it is, and what it stands on ---- */

/* Takes over name. */
static int add_below(struct qm_disk *d, char *name)
{
	char **v;

	v = name ? realloc(d->below, (d->n_below + 1) * sizeof(*v)) : NULL;
	if (!v) {
		free(name);
		return -ENOMEM;
	}
	d->below = v;
	v[d->n_below++] = name;
	return 0;
}

static int add_slaves(struct qm_scan *s, struct qm_disk *d)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	_cleanup_free_ char *path = NULL;
	int r;

	r = qm_syspath_join(d->syspath, "slaves", &path);
	if (r == 0)
		r = qm_dir_names(&s->top, path, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = add_below(d, strdup(names.v[i]));
	return qm_optional(r);
}

static int read_label(struct qm_scan *s, const struct qm_disk *d, const char *file, char **ret)
{
	_cleanup_free_ char *path = NULL;
	int r;

	r = qm_syspath_join(d->syspath, file, &path);
	if (r == 0)
		r = qm_dir_read_line(&s->top, path, ret);
	return qm_optional(r);
}

/* A path disk is "nvme0c3n1" where its head is "nvme0n1". */
static int add_paths(struct qm_machine *m, struct qm_disk *head, unsigned instance, unsigned ns)
{
	unsigned a, b;
	int c, r;

	for (size_t i = 0; i < m->n_disks; i++) {
		if (!qm_name_is_nvme_disk(m->disks[i].name, &a, &c, &b) || a != instance || b != ns || c < 0)
			continue;
		r = add_below(head, strdup(m->disks[i].name));
		if (r < 0)
			return r;
	}
	return 0;
}

/* The disk a partition is on: the one whose directory it is in. */
static const struct qm_disk *whole_disk(const struct qm_machine *m, const struct qm_disk *d)
{
	_cleanup_free_ char *parent = qm_syspath_parent(d->syspath);
	const struct qm_disk *disk;

	if (!parent)
		return NULL;
	disk = disk_find(m, m->n_disks, qm_path_base(parent));
	return disk && strcmp(disk->syspath, parent) == 0 ? disk : NULL;
}

int qm_disk_classify(struct qm_scan *s, struct qm_disk *d)
{
	const struct qm_disk *whole = whole_disk(s->m, d);
	unsigned instance, head;
	int path, r = 0;

	d->kind = QM_DISK_PLAIN;
	if (whole) {
		d->kind = QM_DISK_PARTITION;
		r = add_below(d, strdup(whole->name));
	} else if (qm_name_is_nvme_disk(d->name, &instance, &path, &head)) {
		if (path >= 0) {
			d->kind = QM_DISK_PATH;
			d->hidden = true;
		} else if (qm_syspath_has(d->syspath, "nvme-subsys")) {
			d->kind = QM_DISK_HEAD;
			r = add_paths(s->m, d, instance, head);
		}
	} else if (qm_name_is(d->name, "dm-")) {
		d->kind = QM_DISK_DM;
		r = read_label(s, d, "dm/name", &d->label);
		if (r == 0)
			r = read_label(s, d, "dm/uuid", &d->uuid);
		if (r == 0)
			r = add_slaves(s, d);
	} else if (qm_name_is(d->name, "md") || strncmp(d->name, "md_", 3) == 0) {
		d->kind = QM_DISK_MD;
		r = read_label(s, d, "md/level", &d->label);
		if (r == 0)
			r = add_slaves(s, d);
	} else if (qm_name_is(d->name, "loop")) {
		d->kind = QM_DISK_LOOP;
	} else if (qm_name_is(d->name, "ram")) {
		d->kind = QM_DISK_RAM;
	} else if (qm_name_is(d->name, "zram")) {
		d->kind = QM_DISK_ZRAM;
	} else if (qm_name_is(d->name, "bcache")) {
		r = add_slaves(s, d);
	}
	return r;
}
