// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <limits.h>
#include <string.h>

#include "base/natsort.h"
#include "base/strbuf.h"
#include "machine/syspath.h"

int qm_scan_long(const struct qm_dir *dir, const char *name, long *ret)
{
	long long v;
	int r;

	r = qm_dir_read_num(dir, name, &v);
	if (r < 0)
		return qm_optional(r);
	if (v >= LONG_MIN && v <= LONG_MAX)
		*ret = (long)v;
	return 0;
}

/* Where an entry of a class directory leads; the entry itself where it is no link. New string. */
int qm_scan_class_target(struct qm_scan *s, const char *class, const char *name, char **ret)
{
	_cleanup_free_ char *entry = NULL, *target = NULL;
	int r;

	r = qm_syspath_join(class, name, &entry);
	if (r < 0)
		return r;
	r = qm_dir_link(&s->top, entry, &target);
	if (r == -EINVAL) {
		*ret = entry;
		entry = NULL;
		return 0;
	}
	return r < 0 ? r : qm_path_join(class, target, ret);
}

static int add_controller(struct qm_machine *m, const char *name, size_t len, char *syspath, size_t *ret)
{
	_cleanup_free_ char *path = syspath;
	struct qm_controller c = {
		.node = -1, .requested = -1, .rq_affinity = -1, .queue_count = -1, .sqsize = -1,
		.scsi_host = -1, .scsi_can_queue = -1, .scsi_cmd_per_lun = -1, .scsi_host_tagset = -1,
	};
	const char *pci;
	size_t pci_len;
	int r;

	if (!path)
		return -ENOMEM;
	for (int w = 0; w < _QM_WITNESS_MAX; w++)
		c.counts[w] = -1;
	for (int t = 0; t < _QM_HCTX_TYPE_MAX; t++)
		c.nr_types[t] = -1;
	r = qm_array_grow(&m->controllers, &m->cap_controllers, m->n_controllers + 1, sizeof(*m->controllers));
	if (r < 0)
		return r;
	pci = qm_syspath_find(path, qm_syspath_is_pci, &pci_len);
	c.name = strndup(name, len);
	c.pci = pci ? strndup(pci, pci_len) : NULL;
	if (!c.name || (pci && !c.pci)) {
		free(c.name);
		free(c.pci);
		return -ENOMEM;
	}
	c.syspath = path;
	path = NULL;
	*ret = m->n_controllers;
	m->controllers[m->n_controllers++] = c;
	return 0;
}

static bool controller_find(const struct qm_machine *m, const char *name, size_t len, size_t *ret)
{
	for (size_t i = 0; i < m->n_controllers; i++) {
		if (strncmp(m->controllers[i].name, name, len) == 0 && !m->controllers[i].name[len]) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* ---- putting them together ---- */

static int attach(struct qm_machine *m, size_t controller, size_t disk)
{
	struct qm_controller *c = &m->controllers[controller];
	int r;

	r = qm_array_grow(&c->disks, &c->cap_disks, c->n_disks + 1, sizeof(*c->disks));
	if (r < 0)
		return r;
	c->disks[c->n_disks++] = disk;
	m->disks[disk].controller = (long)controller;
	return 0;
}

static int find_nvme_controllers(struct qm_scan *s)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	int r;

	r = qm_dir_names(&s->top, "sys/class/nvme", &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		char *path;
		size_t at;

		if (!qm_syspath_is_nvme(names.v[i], strlen(names.v[i])))
			continue;
		r = qm_scan_class_target(s, "sys/class/nvme", names.v[i], &path);
		if (r == 0)
			r = add_controller(s->m, names.v[i], strlen(names.v[i]), path, &at);
		r = qm_optional(r);
	}
	return qm_optional(r);
}

/* The name of the controller that owns the disk's queues, a part of the disk's path, and the path up to it. */
static void owner_of(const struct qm_disk *d, const char **ret_name, size_t *ret_len, size_t *ret_path_len)
{
	const char *name, *dir = strrchr(d->syspath, '/');
	unsigned a, b;
	int c;

	name = qm_name_is_nvme_disk(d->name, &a, &c, &b) ? qm_syspath_find(d->syspath, qm_syspath_is_nvme, ret_len) : NULL;
	if (!name)
		name = qm_syspath_find(d->syspath, qm_syspath_is_host, ret_len);
	if (name) {
		*ret_name = name;
		*ret_path_len = (size_t)(name - d->syspath) + *ret_len;
		return;
	}
	*ret_name = d->name;
	*ret_len = strlen(d->name);
	*ret_path_len = strlen(d->syspath);
	/* DEVICE/block/NAME */
	if (dir && dir - d->syspath > 6 && strncmp(dir - 6, "/block", 6) == 0 &&
	    strncmp(d->syspath, "sys/devices/virtual/", 20) != 0 && strncmp(d->syspath, "sys/class/", 10) != 0)
		*ret_path_len = (size_t)(dir - d->syspath) - 6;
}

/* Some controller that has no disk, as far as the lists say. */
static bool has_lonely_controller(const struct qm_machine *m)
{
	for (size_t i = 0; i < m->n_controllers; i++) {
		bool found = false;

		for (size_t k = 0; k < m->n_disks && !found; k++) {
			size_t len, path_len;
			const char *name;

			owner_of(&m->disks[k], &name, &len, &path_len);
			found = strncmp(m->controllers[i].name, name, len) == 0 && !m->controllers[i].name[len];
		}
		if (!found)
			return true;
	}
	return false;
}

/* Hand-made captures hold a controller twice, in the class and where it belongs: the latter tells what carries it. */
static int relocate(struct qm_controller *c, const char *path, size_t len)
{
	const char *pci;
	size_t pci_len;
	char *copy;

	if (strncmp(c->syspath, "sys/devices/", 12) == 0 || strncmp(path, "sys/devices/", 12) != 0)
		return 0;
	copy = strndup(path, len);
	if (!copy)
		return -ENOMEM;
	free(c->syspath);
	c->syspath = copy;
	pci = qm_syspath_find(copy, qm_syspath_is_pci, &pci_len);
	if (!pci || c->pci)
		return 0;
	c->pci = strndup(pci, pci_len);
	return c->pci ? 0 : -ENOMEM;
}

static void controller_drop_last(struct qm_machine *m)
{
	struct qm_controller *c = &m->controllers[--m->n_controllers];

	free(c->name);
	free(c->syspath);
	free(c->pci);
	free(c->hctx);
}

/* Finds or makes the disk's controller and reads its map if nobody did. A disk without a map gets one of NVMe only. */
static int own_disk(struct qm_scan *s, size_t disk)
{
	struct qm_disk *d = &s->m->disks[disk];
	size_t len, path_len, at;
	struct qm_controller *c;
	const char *name;
	bool fresh;
	int r;

	owner_of(d, &name, &len, &path_len);
	fresh = name == d->name || !controller_find(s->m, name, len, &at);
	if (fresh) {
		r = add_controller(s->m, name, len, strndup(d->syspath, path_len), &at);
		if (r < 0)
			return r;
	}
	c = &s->m->controllers[at];
	r = fresh ? 0 : relocate(c, d->syspath, path_len);
	if (r == 0)
		r = c->n_hctx ? 1 : qm_hctx_read(s, c, d);
	if (r < 0)
		return r;
	d->has_mq = r > 0;
	if (!d->has_mq && !qm_nvme_is_controller(c)) {
		if (fresh)
			controller_drop_last(s->m);
		return 0;
	}
	return attach(s->m, at, disk);
}

struct by_name {
	const struct qm_controller *c;
	size_t old;
};

static int compare_controllers(const void *a, const void *b)
{
	const struct by_name *x = a, *y = b;
	int r = qm_natcmp(x->c->name, y->c->name);

	return r ? r : x->old < y->old ? -1 : 1;
}

/* Natural order of names, with the disks' indices following. */
static int sort_controllers(struct qm_machine *m)
{
	_cleanup_free_ struct by_name *order = NULL;
	_cleanup_free_ long *new_of = NULL;
	struct qm_controller *sorted;

	if (m->n_controllers < 2)
		return 0;
	order = malloc(m->n_controllers * sizeof(*order));
	new_of = malloc(m->n_controllers * sizeof(*new_of));
	sorted = malloc(m->n_controllers * sizeof(*sorted));
	if (!order || !new_of || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < m->n_controllers; i++)
		order[i] = (struct by_name){ &m->controllers[i], i };
	qsort(order, m->n_controllers, sizeof(*order), compare_controllers);
	for (size_t i = 0; i < m->n_controllers; i++) {
		new_of[order[i].old] = (long)i;
		sorted[i] = *order[i].c;
	}
	free(m->controllers);
	m->controllers = sorted;
	m->cap_controllers = m->n_controllers;
	for (size_t i = 0; i < m->n_disks; i++) {
		if (m->disks[i].controller >= 0)
			m->disks[i].controller = new_of[m->disks[i].controller];
	}
	return 0;
}

static bool may_have_queues(const struct qm_disk *d)
{
	return d->kind != QM_DISK_PARTITION && d->kind != QM_DISK_HEAD && d->kind != QM_DISK_MD && d->kind != QM_DISK_RAM &&
	       d->kind != QM_DISK_ZRAM;
}

static int read_all(struct qm_scan *s)
{
	struct qm_machine *m = s->m;
	int r;

	r = qm_disks_find(s);
	if (r == 0)
		r = find_nvme_controllers(s);
	/* A kernel lists all its disks; whoever copied a tree by hand may have forgotten some. */
	if (r == 0 && !s->root->live && has_lonely_controller(m))
		r = qm_disks_walk(s);
	for (size_t i = 0; r == 0 && i < m->n_disks; i++)
		r = qm_disk_classify(s, &m->disks[i]);
	for (size_t i = 0; r == 0 && i < m->n_disks; i++) {
		if (may_have_queues(&m->disks[i]))
			r = own_disk(s, i);
	}
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		r = qm_controller_read(s, &m->controllers[i]);
		m->fabrics_in_use = m->fabrics_in_use || m->controllers[i].fabrics;
	}
	if (r == 0 && !m->fabrics_in_use)
		m->fabrics_in_use = qm_dir_exists(&s->top, "sys/class/nvme-fabrics") > 0;
	return r == 0 ? sort_controllers(m) : r;
}

int qm_devices_read(struct qm_root *root, struct qm_machine *m)
{
	struct qm_scan s = { .root = root, .m = m, .top = qm_root_dir(root), .debug_block = { .fd = -1 }, .null_blk = -1 };
	struct qm_dir top = s.top;
	int r;

	top.root_only = true;
	r = qm_optional(qm_dir_openat(&top, "sys/kernel/debug/block", &s.debug_block));
	m->privileged = m->privileged || s.debug_block.fd >= 0;
	if (r == 0)
		r = read_all(&s);
	qm_dir_close(&s.debug_block);
	return r;
}
