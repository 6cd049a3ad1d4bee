// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <stddef.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/syspath.h"

static const struct {
	const char *file;
	size_t at; /* of the string in struct qm_controller */
} texts[] = {
	{ "transport", offsetof(struct qm_controller, transport) },
	{ "state", offsetof(struct qm_controller, state) },
	{ "address", offsetof(struct qm_controller, address) },
	{ "subsysnqn", offsetof(struct qm_controller, nqn) },
	{ "serial", offsetof(struct qm_controller, serial) },
	{ "model", offsetof(struct qm_controller, model) },
	{ "firmware_rev", offsetof(struct qm_controller, firmware) },
	{ "cntrltype", offsetof(struct qm_controller, cntrltype) },
};

bool qm_nvme_is_controller(const struct qm_controller *c)
{
	unsigned nr;

	return qm_name_has_number(c->name, strlen(c->name), "nvme", &nr);
}

static bool is_fabrics(const struct qm_controller *c)
{
	static const char *const transports[] = { "tcp", "rdma", "fc", "loop" };

	for (size_t i = 0; c->transport && i < QM_ARRAY_SIZE(transports); i++) {
		if (strcmp(c->transport, transports[i]) == 0)
			return true;
	}
	return strstr(c->syspath, "/nvme-fabrics/") != NULL;
}

/* "pcie" -> nvme, "tcp" -> nvme-tcp, "apple-nvme" -> nvme-apple: the module's name. */
static int set_driver(struct qm_controller *c)
{
	struct qm_strbuf b = { 0 };
	int r;

	if (!c->transport && c->pci) {
		c->transport = strdup("pcie");
		if (!c->transport)
			return -ENOMEM;
	}
	if (!c->transport)
		return 0;
	qm_strbuf_adds(&b, "nvme");
	if (strcmp(c->transport, "apple-nvme") == 0)
		qm_strbuf_adds(&b, "-apple");
	else if (strcmp(c->transport, "pcie") != 0)
		qm_strbuf_addf(&b, "-%s", c->transport);
	r = qm_strbuf_take(&b, &c->driver);
	if (r < 0)
		qm_strbuf_done(&b);
	return r;
}

/* An empty file says nothing. */
static int read_text(const struct qm_dir *dir, const char *file, char **ret)
{
	char *text;
	int r;

	r = qm_dir_read_line(dir, file, &text);
	if (r < 0)
		return qm_optional(r);
	if (*text)
		*ret = text;
	else
		free(text);
	return 0;
}

int qm_nvme_read(struct qm_scan *s, struct qm_controller *c)
{
	_cleanup_(qm_dir_close) struct qm_dir dir = { .fd = -1 };
	long node = -1;
	int r;

	r = qm_dir_openat(&s->top, c->syspath, &dir);
	for (size_t i = 0; r == 0 && i < QM_ARRAY_SIZE(texts); i++)
		r = read_text(&dir, texts[i].file, (char **)((char *)c + texts[i].at));
	if (r == 0)
		r = qm_scan_long(&dir, "queue_count", &c->queue_count);
	if (r == 0)
		r = qm_scan_long(&dir, "sqsize", &c->sqsize);
	if (r == 0 && c->node < 0)
		r = qm_scan_long(&dir, "numa_node", &node);
	if (node >= 0 && node < QM_NODE_ID_MAX)
		c->node = (int)node;
	c->fabrics = is_fabrics(c);
	if (r == 0 && c->fabrics)
		r = read_text(&dir, "hostnqn", &c->hostnqn);
	r = qm_optional(r);
	if (r < 0)
		return r;
	/* The admin queue is counted too. While a controller is not live the number may be that of before. */
	if (c->queue_count > 0 && c->state && strcmp(c->state, "live") == 0)
		c->counts[QM_WITNESS_QUEUE_COUNT] = c->queue_count - 1;
	return set_driver(c);
}
