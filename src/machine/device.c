// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/natsort.h"
#include "base/strbuf.h"

/* ---- names and paths ---- */

/* A decimal number without leading zeros at *s, below end. Moves *s behind it. */
static bool take_number(const char **s, const char *end, unsigned *ret)
{
	unsigned long long v = 0;
	const char *p = *s;

	if (p == end || *p < '0' || *p > '9' || (*p == '0' && p + 1 < end && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (unsigned)(*p - '0');
		if (v > INT_MAX)
			return false;
	}
	*s = p;
	*ret = (unsigned)v;
	return true;
}

bool qm_name_has_number(const char *s, size_t len, const char *word, unsigned *ret)
{
	const char *end = s + len;
	size_t n = strlen(word);
	unsigned v;

	if (len < n || memcmp(s, word, n) != 0)
		return false;
	s += n;
	if (!take_number(&s, end, &v) || s != end)
		return false;
	*ret = v;
	return true;
}

bool qm_name_is_nvme_disk(const char *name, unsigned *ret_instance, int *ret_path, unsigned *ret_head)
{
	const char *p = name, *end = name + strlen(name);
	unsigned instance, path, head;
	bool has_path = false;

	if (strncmp(p, "nvme", 4) != 0)
		return false;
	p += 4;
	if (!take_number(&p, end, &instance))
		return false;
	if (*p == 'c') {
		p++;
		if (!take_number(&p, end, &path))
			return false;
		has_path = true;
	}
	if (*p++ != 'n' || !take_number(&p, end, &head) || p != end)
		return false;
	*ret_instance = instance;
	*ret_path = has_path ? (int)path : -1;
	*ret_head = head;
	return true;
}

static bool has_number(const char *name, const char *word)
{
	unsigned nr;

	return qm_name_has_number(name, strlen(name), word, &nr);
}

/* Hex digits: at least min of them. Returns how many, 0 if too few. */
static size_t hex_digits(const char *s, size_t len, size_t min)
{
	size_t n = 0;

	while (n < len && ((s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'f')))
		n++;
	return n >= min ? n : 0;
}

/* "0000:04:00.0", "10000:e1:00.0": a domain of four digits or more, bus, device, function. */
static bool is_pci_address(const char *s, size_t len)
{
	size_t domain = hex_digits(s, len, 4);

	if (!domain || len != domain + 8)
		return false;
	s += domain;
	return s[0] == ':' && hex_digits(s + 1, 2, 2) && s[3] == ':' && hex_digits(s + 4, 2, 2) && s[6] == '.' &&
	       s[7] >= '0' && s[7] <= '7';
}

/* Walks the components of a path: *p is behind the last one. False at the end. */
static bool next_part(const char **p, const char **ret, size_t *ret_len)
{
	const char *s = *p + strspn(*p, "/");
	size_t n = strcspn(s, "/");

	*ret = s;
	*ret_len = n;
	*p = s + n;
	return n > 0;
}

/* The last component that match() takes; NULL if there is none. */
static const char *find_part(const char *path, bool (*match)(const char *, size_t), size_t *ret_len)
{
	const char *p = path, *part, *found = NULL;
	size_t len;

	while (next_part(&p, &part, &len)) {
		if (match(part, len)) {
			found = part;
			*ret_len = len;
		}
	}
	return found;
}

static bool is_host(const char *s, size_t len)
{
	unsigned nr;

	return qm_name_has_number(s, len, "host", &nr);
}

static bool is_nvme(const char *s, size_t len)
{
	unsigned nr;

	return qm_name_has_number(s, len, "nvme", &nr);
}

/* The directory a path is in; new string. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) : 0);
}

static bool has_part(const char *path, const char *word)
{
	const char *p = path, *part;
	size_t n = strlen(word), len;

	while (next_part(&p, &part, &len)) {
		if (len >= n && memcmp(part, word, n) == 0)
			return true;
	}
	return false;
}

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

static int join(const char *a, const char *b, char **ret)
{
	struct qm_strbuf buf = { 0 };
	int r;

	qm_strbuf_addf(&buf, "%s/%s", a, b);
	r = qm_strbuf_take(&buf, ret);
	if (r < 0)
		qm_strbuf_done(&buf);
	return r;
}

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

static struct qm_disk *disk_find(const struct qm_machine *m, const char *name)
{
	struct qm_disk key = { .name = (char *)name };

	if (!m->n_disks)
		return NULL;
	return bsearch(&key, m->disks, m->n_disks, sizeof(*m->disks), compare_disks);
}

/* Where an entry of a class directory leads; the entry itself where it is no link. New string. */
static int class_target(struct qm_scan *s, const char *class, const char *name, char **ret)
{
	_cleanup_free_ char *entry = NULL, *target = NULL;
	int r;

	r = join(class, name, &entry);
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
		struct qm_machine old = { .disks = s->m->disks, .n_disks = known };
		char *path;

		if (only_new && disk_find(&old, names.v[i]))
			continue;
		r = class_target(s, class, names.v[i], &path);
		if (r == 0)
			r = add_disk(s->m, names.v[i], path);
		if (r == -ENOMEM)
			return r;
	}
	return 0;
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

/* More directories than this are no device tree. */
#define WALK_MAX 200000

/*
 * The last resort: every directory below sys/devices, links left alone. Adds the disks that are not known yet and leaves
 * them all sorted.
 */
static int add_walked(struct qm_scan *s)
{
	struct qm_machine old = { .disks = NULL };
	struct qm_names todo = { 0 };
	size_t known = s->m->n_disks;
	int r = 0;

	todo.v = malloc(sizeof(*todo.v));
	if (todo.v)
		todo.v[0] = strdup("sys/devices");
	if (!todo.v || !todo.v[0]) {
		free(todo.v);
		return -ENOMEM;
	}
	todo.n = todo.cap = 1;
	for (size_t at = 0; r == 0 && at < todo.n && todo.n < WALK_MAX; at++) {
		_cleanup_(qm_names_done) struct qm_names names = { 0 };

		/* What is a file says so now. */
		r = qm_optional(qm_dir_names(&s->top, todo.v[at], &names));
		for (size_t i = 0; r == 0 && i < names.n; i++) {
			_cleanup_free_ char *path = NULL, *target = NULL;

			if (is_dull(names.v[i]))
				continue;
			r = join(todo.v[at], names.v[i], &path);
			if (r < 0)
				break;
			if (qm_dir_link(&s->top, path, &target) != -EINVAL)
				continue;
			if (is_disk_place(todo.v[at], names.v[i])) {
				old.disks = s->m->disks;
				old.n_disks = known;
				if (disk_find(&old, names.v[i]))
					continue;
				r = add_disk(s->m, names.v[i], path);
				path = NULL;
				continue;
			}
			r = qm_array_grow(&todo.v, &todo.cap, todo.n + 1, sizeof(*todo.v));
			if (r < 0)
				break;
			todo.v[todo.n++] = path;
			path = NULL;
		}
	}
	qm_names_done(&todo);
	disks_sort(s->m);
	return r;
}

static int find_disks(struct qm_scan *s)
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
		r = add_walked(s);
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

	r = join(d->syspath, "slaves", &path);
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

	r = join(d->syspath, file, &path);
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
	_cleanup_free_ char *parent = parent_of(d->syspath);
	const struct qm_disk *disk;

	if (!parent)
		return NULL;
	disk = disk_find(m, qm_path_base(parent));
	return disk && strcmp(disk->syspath, parent) == 0 ? disk : NULL;
}

static int classify(struct qm_scan *s, struct qm_disk *d)
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
		} else if (has_part(d->syspath, "nvme-subsys")) {
			d->kind = QM_DISK_HEAD;
			r = add_paths(s->m, d, instance, head);
		}
	} else if (has_number(d->name, "dm-")) {
		d->kind = QM_DISK_DM;
		r = read_label(s, d, "dm/name", &d->label);
		if (r == 0)
			r = read_label(s, d, "dm/uuid", &d->uuid);
		if (r == 0)
			r = add_slaves(s, d);
	} else if (has_number(d->name, "md") || strncmp(d->name, "md_", 3) == 0) {
		d->kind = QM_DISK_MD;
		r = read_label(s, d, "md/level", &d->label);
		if (r == 0)
			r = add_slaves(s, d);
	} else if (has_number(d->name, "loop")) {
		d->kind = QM_DISK_LOOP;
	} else if (has_number(d->name, "ram")) {
		d->kind = QM_DISK_RAM;
	} else if (has_number(d->name, "zram")) {
		d->kind = QM_DISK_ZRAM;
	} else if (has_number(d->name, "bcache")) {
		r = add_slaves(s, d);
	}
	return r;
}

/* ---- controllers ---- */

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
	pci = find_part(path, is_pci_address, &pci_len);
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

/* The directory whose numa_node is the controller's: the PCI function, or what a SCSI host is on. NULL without memory. */
static char *node_path(const struct qm_controller *c)
{
	const char *pci;
	size_t len;

	pci = find_part(c->syspath, is_pci_address, &len);
	return pci ? strndup(c->syspath, (size_t)(pci - c->syspath) + len) : parent_of(c->syspath);
}

/* The functions of one HBA share a file: it is read for the first. */
static int read_node(struct qm_scan *s, struct qm_controller *c)
{
	_cleanup_free_ char *dir = NULL, *path = NULL;
	long node = -1;
	int r;

	if (!c->pci && c->scsi_host < 0)
		return 0;
	for (const struct qm_controller *o = s->m->controllers; c->pci && o < c; o++) {
		if (o->pci && strcmp(o->pci, c->pci) == 0) {
			c->node = o->node;
			return 0;
		}
	}
	dir = node_path(c);
	r = dir ? join(dir, "numa_node", &path) : -ENOMEM;
	if (r == 0)
		r = qm_scan_long(&s->top, path, &node);
	if (node >= 0 && node < QM_NODE_ID_MAX)
		c->node = (int)node;
	return r;
}

/* The driver of the device or, if it has none of its own (an ATA port), of the nearest one it is part of. */
static int read_driver(struct qm_scan *s, const char *syspath, char **ret)
{
	_cleanup_free_ char *at = strdup(syspath);
	int r = at ? -ENOENT : -ENOMEM;

	for (int up = 0; r == -ENOENT && up < 4 && strchr(at, '/'); up++) {
		_cleanup_free_ char *link = NULL;
		bool pci = is_pci_address(qm_path_base(at), strlen(qm_path_base(at)));

		r = join(at, "driver", &link);
		if (r == 0)
			r = qm_dir_link_base(&s->top, link, ret);
		/* Beyond the function is the bridge, whose driver is another's. */
		if (r != -ENOMEM && pci)
			break;
		*strrchr(at, '/') = '\0';
	}
	return qm_optional(r);
}

static int set_text(char **dst, const char *text)
{
	*dst = strdup(text);
	return *dst ? 0 : -ENOMEM;
}

static int read_host(struct qm_scan *s, struct qm_controller *c)
{
	_cleanup_free_ char *parent = parent_of(c->syspath);
	_cleanup_(qm_dir_close) struct qm_dir dir = { .fd = -1 };
	struct qm_strbuf path = { 0 };
	int r;

	r = parent ? read_driver(s, parent, &c->driver) : -ENOMEM;
	if (r < 0)
		return r;
	qm_strbuf_addf(&path, "%s/scsi_host/%s", c->syspath, c->name);
	r = path.err ? path.err : qm_dir_openat(&s->top, path.s, &dir);
	qm_strbuf_done(&path);
	if (r == 0)
		r = qm_scan_long(&dir, "nr_hw_queues", &c->counts[QM_WITNESS_SCSI_HOST]);
	if (r == 0)
		r = qm_scan_long(&dir, "can_queue", &c->scsi_can_queue);
	if (r == 0)
		r = qm_scan_long(&dir, "cmd_per_lun", &c->scsi_cmd_per_lun);
	if (r == 0 && !c->driver)
		r = qm_optional(qm_dir_read_line(&dir, "proc_name", &c->driver));
	return qm_optional(r);
}

/* Does a component of the path start with word and go on with a digit? */
static bool has_numbered_part(const char *path, const char *word)
{
	const char *p = path, *part;
	size_t n = strlen(word), len;

	while (next_part(&p, &part, &len)) {
		if (len > n && memcmp(part, word, n) == 0 && part[n] >= '0' && part[n] <= '9')
			return true;
	}
	return false;
}

static const char *transport_of(const struct qm_controller *c, const struct qm_disk *disk)
{
	static const struct {
		const char *part, *transport;
	} parts[] = {
		{ "ata", "sata" },   { "usb", "usb" },	      { "session", "iscsi" }, { "rport-", "fc" },
		{ "port-", "sas" }, { "end_device-", "sas" }, { "virtio", "virtio" }, { "vbd-", "xen" },
		{ "mmc", "mmc" },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(parts); i++) {
		if (has_numbered_part(disk->syspath, parts[i].part))
			return parts[i].transport;
	}
	return c->scsi_host >= 0 ? "scsi" : NULL;
}

/* Virtual devices have no link to a driver, but most drivers name them. */
static const char *virtual_driver(struct qm_scan *s, const char *name)
{
	static const struct {
		const char *word, *driver;
	} names[] = {
		{ "nullb", "null_blk" }, { "loop", "loop" }, { "nbd", "nbd" }, { "ublkb", "ublk_drv" }, { "dm-", "dm" },
		{ "zd", "zfs" },	 { "rnbd", "rnbd_client" },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(names); i++) {
		if (has_number(name, names[i].word))
			return names[i].driver;
	}
	/* Only null_blk lets the user choose a name. */
	if (s->null_blk < 0)
		s->null_blk = qm_dir_exists(&s->top, "sys/module/null_blk") > 0;
	return s->null_blk ? "null_blk" : NULL;
}

static int read_own_driver(struct qm_scan *s, struct qm_controller *c)
{
	const char *driver;
	int r;

	if (strncmp(c->syspath, "sys/devices/virtual/", 20) == 0 || strncmp(c->syspath, "sys/block/", 10) == 0) {
		driver = virtual_driver(s, c->name);
		return driver ? set_text(&c->driver, driver) : 0;
	}
	r = read_driver(s, c->syspath, &c->driver);
	if (r == 0 && c->driver && strcmp(c->driver, "vbd") == 0) {
		free(c->driver);
		c->driver = NULL;
		r = set_text(&c->driver, "xen-blkfront");
	}
	return r;
}

/* ---- how many queues were asked for ---- */

/* Number of queues in one of null_blk's two forms: a directory of configfs or the module's parameters. */
static int read_null_blk_request(struct qm_scan *s, const char *at, long *ret)
{
	_cleanup_(qm_dir_close) struct qm_dir dir = { .fd = -1 };
	long submit = -1, poll = 0, per_node = 0;
	int r;

	r = qm_dir_openat(&s->top, at, &dir);
	if (r == 0)
		r = qm_scan_long(&dir, "submit_queues", &submit);
	if (r == 0)
		r = qm_scan_long(&dir, "poll_queues", &poll);
	if (r == 0)
		r = qm_scan_long(&dir, "use_per_node_hctx", &per_node);
	if (r == 0 && submit > 0 && poll >= 0 && poll < QM_HCTX_MAX && submit < QM_HCTX_MAX && !per_node)
		*ret = submit + poll;
	return r;
}

/* The module's parameter, of drivers that have one. */
static int read_parameter(struct qm_scan *s, const char *driver, long *ret)
{
	static const struct {
		const char *driver, *parameter;
	} known[QM_ARRAY_SIZE(s->parameters)] = {
		{ "virtio_blk", "sys/module/virtio_blk/parameters/num_request_queues" },
		{ "scsi_debug", "sys/module/scsi_debug/parameters/submit_queues" },
	};

	for (size_t i = 0; driver && i < QM_ARRAY_SIZE(known); i++) {
		struct qm_parameter *p = &s->parameters[i];
		int r;

		if (strcmp(driver, known[i].driver) != 0)
			continue;
		if (!p->read) {
			p->value = -1;
			p->read = true;
			r = qm_scan_long(&s->top, known[i].parameter, &p->value);
			if (r < 0)
				return r;
		}
		*ret = p->value;
	}
	return 0;
}

/*
 * A request is what a user wrote somewhere; the kernel may have cut it, and a module's parameter is not about devices made
 * later by other means. What is less than came cannot have been this device's.
 */
static int read_request(struct qm_scan *s, struct qm_controller *c)
{
	_cleanup_free_ char *path = NULL;
	long asked = -1, devices = -1;
	unsigned nr;
	int r;

	r = read_parameter(s, c->driver, &asked);
	if (r == 0 && c->driver && strcmp(c->driver, "null_blk") == 0) {
		r = join("sys/kernel/config/nullb", c->name, &path);
		if (r == 0)
			r = qm_optional(read_null_blk_request(s, path, &asked));
		if (r == 0 && asked < 0 && qm_name_has_number(c->name, strlen(c->name), "nullb", &nr)) {
			r = qm_scan_long(&s->top, "sys/module/null_blk/parameters/nr_devices", &devices);
			if (r == 0 && devices > (long)nr)
				r = qm_optional(read_null_blk_request(s, "sys/module/null_blk/parameters", &asked));
		}
	}
	if (asked > 0 && asked >= (long)c->n_hctx)
		c->requested = asked;
	return r;
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

		if (!is_nvme(names.v[i], strlen(names.v[i])))
			continue;
		r = class_target(s, "sys/class/nvme", names.v[i], &path);
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

	name = qm_name_is_nvme_disk(d->name, &a, &c, &b) ? find_part(d->syspath, is_nvme, ret_len) : NULL;
	if (!name)
		name = find_part(d->syspath, is_host, ret_len);
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
	pci = find_part(copy, is_pci_address, &pci_len);
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

static int read_controller(struct qm_scan *s, struct qm_controller *c)
{
	const struct qm_disk *disk = NULL;
	_cleanup_free_ char *path = NULL;
	const char *transport;
	unsigned host;
	long v = -1;
	int r;

	for (size_t i = 0; i < c->n_disks && !disk; i++)
		disk = s->m->disks[c->disks[i]].has_mq ? &s->m->disks[c->disks[i]] : NULL;
	if (qm_name_has_number(c->name, strlen(c->name), "host", &host))
		c->scsi_host = (long)host;
	r = read_node(s, c);
	if (r < 0)
		return r;
	if (qm_nvme_is_controller(c))
		r = qm_nvme_read(s, c);
	else if (c->scsi_host >= 0)
		r = read_host(s, c);
	else
		r = read_own_driver(s, c);
	if (r < 0)
		return r;
	transport = disk && !c->transport ? transport_of(c, disk) : NULL;
	r = transport ? set_text(&c->transport, transport) : 0;
	if (r < 0 || !disk)
		return r;
	r = join(disk->syspath, "queue/rq_affinity", &path);
	if (r == 0)
		r = qm_scan_long(&s->top, path, &v);
	if (v >= 0 && v <= 2)
		c->rq_affinity = (int)v;
	if (r == 0)
		r = qm_hctx_finish(s, c, disk);
	return r == 0 ? read_request(s, c) : r;
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

	r = find_disks(s);
	if (r == 0)
		r = find_nvme_controllers(s);
	/* A kernel lists all its disks; whoever copied a tree by hand may have forgotten some. */
	if (r == 0 && !s->root->live && has_lonely_controller(m))
		r = add_walked(s);
	for (size_t i = 0; r == 0 && i < m->n_disks; i++)
		r = classify(s, &m->disks[i]);
	for (size_t i = 0; r == 0 && i < m->n_disks; i++) {
		if (may_have_queues(&m->disks[i]))
			r = own_disk(s, i);
	}
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		r = read_controller(s, &m->controllers[i]);
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
