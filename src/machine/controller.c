// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <string.h>

#include "base/strbuf.h"
#include "machine/syspath.h"

/* The directory whose numa_node is the controller's: the PCI function, or what a SCSI host is on. NULL without memory. */
static char *node_path(const struct qm_controller *c)
{
	const char *pci;
	size_t len;

	pci = qm_syspath_find(c->syspath, qm_syspath_is_pci, &len);
	return pci ? strndup(c->syspath, (size_t)(pci - c->syspath) + len) : qm_syspath_parent(c->syspath);
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
	r = dir ? qm_syspath_join(dir, "numa_node", &path) : -ENOMEM;
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
		bool pci = qm_syspath_is_pci(qm_path_base(at), strlen(qm_path_base(at)));

		r = qm_syspath_join(at, "driver", &link);
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
	_cleanup_free_ char *parent = qm_syspath_parent(c->syspath);
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
		if (qm_syspath_has_numbered(disk->syspath, parts[i].part))
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
		if (qm_name_is(name, names[i].word))
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
		r = qm_syspath_join("sys/kernel/config/nullb", c->name, &path);
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

/* ---- all of it ---- */

/* A host whose queues share one set of tags says so in the flags of each, which only root can read. */
static int read_host_tagset(struct qm_scan *s, struct qm_controller *c, const struct qm_disk *disk)
{
	struct qm_strbuf path = { 0 };
	const char *flags;
	int r;

	if (c->scsi_host < 0 || s->debug_block.fd < 0)
		return 0;
	qm_strbuf_addf(&path, "%s/hctx0/flags", disk->name);
	r = path.err ? path.err : qm_dir_read(&s->debug_block, path.s, &flags);
	qm_strbuf_done(&path);
	if (r >= 0)
		c->scsi_host_tagset = strstr(flags, "TAG_HCTX_SHARED") != NULL;
	return r < 0 ? qm_optional(r) : 0;
}

int qm_controller_read(struct qm_scan *s, struct qm_controller *c)
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
	r = qm_syspath_join(disk->syspath, "queue/rq_affinity", &path);
	if (r == 0)
		r = qm_scan_long(&s->top, path, &v);
	if (v >= 0 && v <= 2)
		c->rq_affinity = (int)v;
	if (r == 0)
		r = read_host_tagset(s, c, disk);
	if (r == 0)
		r = qm_hctx_finish(s, c, disk);
	return r == 0 ? read_request(s, c) : r;
}
