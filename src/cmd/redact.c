// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/redact.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

void qm_redact_done(struct qm_redact *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].value);
		free(r->v[i].word);
	}
	free(r->v);
	*r = (struct qm_redact){ 0 };
}

/* The word for a value: "serial-1" for the first of its kind, and so on. */
static int word_for(struct qm_redact *r, const char *kind, const char *value, const char **ret)
{
	size_t same = 0, len = strlen(kind);
	char *copy = NULL, *word = NULL;
	int e;

	for (size_t i = 0; i < r->n; i++) {
		bool of_kind = strncmp(r->v[i].word, kind, len) == 0 && r->v[i].word[len] == '-';

		if (of_kind && strcmp(r->v[i].value, value) == 0) {
			*ret = r->v[i].word;
			return 0;
		}
		same += of_kind;
	}
	e = qm_array_grow(&r->v, &r->cap, r->n + 1, sizeof(*r->v));
	if (e < 0)
		return e;
	copy = strdup(value);
	if (!copy || asprintf(&word, "%s-%zu", kind, same + 1) < 0) {
		free(copy);
		return -ENOMEM;
	}
	r->v[r->n++] = (struct qm_redact_word){ copy, word };
	*ret = word;
	return 0;
}

/* The same for every discovery controller, and needed to know one. */
#define DISCOVERY_NQN "nqn.2014-08.org.nvmexpress.discovery"

static int redact_line(struct qm_redact *r, const char *kind, const char *text, struct qm_strbuf *out)
{
	size_t len = strcspn(text, "\n");
	_cleanup_free_ char *line = strndup(text, len);
	const char *word;
	int e = 0;

	if (!line)
		return -ENOMEM;
	if (!line[strspn(line, " \t")] || strcmp(line, DISCOVERY_NQN) == 0) {
		qm_strbuf_adds(out, text);
		return out->err;
	}
	e = word_for(r, kind, line, &word);
	if (e == 0)
		qm_strbuf_addf(out, "%s%s", word, text[len] ? "\n" : "");
	return e < 0 ? e : out->err;
}

/* "traddr=192.0.2.7,trsvcid=4420,src_addr=...": the addresses go, the port stays. A PCI address is one of the machine. */
static int redact_address(struct qm_redact *r, const char *text, struct qm_strbuf *out)
{
	static const char *const keys[] = { "traddr", "src_addr", "host_traddr", "host_iface" };
	int e = 0;

	if (!strchr(text, '=')) {
		qm_strbuf_adds(out, text);
		return out->err;
	}
	while (e == 0 && *text) {
		size_t len = strcspn(text, ",\n"), key = strcspn(text, "=");
		_cleanup_free_ char *value = NULL;
		const char *word = NULL;

		for (size_t i = 0; e == 0 && key < len && i < QM_ARRAY_SIZE(keys); i++) {
			if (strlen(keys[i]) != key || strncmp(keys[i], text, key) != 0)
				continue;
			value = strndup(text + key + 1, len - key - 1);
			e = value ? word_for(r, "address", value, &word) : -ENOMEM;
		}
		if (word)
			qm_strbuf_addf(out, "%.*s=%s", (int)key, text, word);
		else
			qm_strbuf_add(out, text, len);
		text += len;
		if (*text)
			qm_strbuf_addc(out, *text++);
	}
	return e < 0 ? e : out->err;
}

/* Of the kernel's command line only words are kept that bear on CPUs and queues; others hold names, addresses, keys. */
static int redact_cmdline(const char *text, struct qm_strbuf *out)
{
	static const char *const kept[] = {
		"isolcpus", "nohz_full", "nohz", "irqaffinity", "rcu_nocbs", "nosmt", "maxcpus", "nr_cpus", "possible_cpus",
		"elfcorehdr", "quiet", "ro", "rw", "threadirqs", "noirqdebug", "acpi_irq_nobalance", "noapic", "pci",
		"intel_iommu", "amd_iommu", "iommu", "mitigations", "numa", "numa_balancing", "skew_tick",
	};
	static const char *const kept_modules[] = { "nvme.*", "nvme_core.*", "nvme_tcp.*", "nvme_rdma.*", "null_blk.*",
						    "virtio_blk.*", "scsi_mod.*", "mpt3sas.*", "megaraid_sas.*" };

	while (*text) {
		size_t len = strcspn(text, " \n"), key = strcspn(text, "= \n");
		char name[64] = "";
		bool keep = len == 0;

		if (key < sizeof(name))
			memcpy(name, text, key);
		for (size_t i = 0; i < QM_ARRAY_SIZE(kept); i++)
			keep |= strcmp(name, kept[i]) == 0;
		for (size_t i = 0; i < QM_ARRAY_SIZE(kept_modules); i++)
			keep |= fnmatch(kept_modules[i], name, 0) == 0;
		if (keep)
			qm_strbuf_add(out, text, len);
		else
			qm_strbuf_adds(out, "redacted");
		text += len;
		if (*text)
			qm_strbuf_addc(out, *text++);
	}
	return out->err;
}

/* Which files hold what, by path. */
static const struct {
	const char *pattern, *kind;
} files[] = {
	{ "*/serial", "serial" },   { "*/wwid", "wwid" },         { "*/subsysnqn", "nqn" },
	{ "*/hostnqn", "hostnqn" }, { "*/hostid", "hostid" },     { "*/nguid", "id" },
	{ "*/eui", "id" },          { "*/uuid", "uuid" },         { "*/dm/name", "volume" },
	{ "*/hostname", "host" },   { "*/product_serial", "serial" },
};

static int redact(struct qm_redact *r, const char *path, const char *text, struct qm_strbuf *out, bool *ret_changed)
{
	*ret_changed = true;
	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++) {
		if (fnmatch(files[i].pattern, path, 0) == 0)
			return redact_line(r, files[i].kind, text, out);
	}
	if (fnmatch("*/nvme*/address", path, 0) == 0)
		return redact_address(r, text, out);
	if (strcmp(path, "proc/cmdline") == 0)
		return redact_cmdline(text, out);
	if (fnmatch("proc/[0-9]*/comm", path, 0) == 0 && strcmp(text, "irqbalance\n") != 0) {
		qm_strbuf_adds(out, "redacted\n");
		return out->err;
	}
	*ret_changed = false;
	return 0;
}

int qm_redact_file(struct qm_redact *r, const char *path, const char *data, size_t len, char **ret, size_t *ret_len)
{
	_cleanup_free_ char *text = strndup(data, len); /* cut at a NUL, as reading cuts it */
	struct qm_strbuf out = { 0 };
	bool changed = false;
	size_t out_len;
	char *s = NULL;
	int e = text ? redact(r, path, text, &out, &changed) : -ENOMEM;

	out_len = out.len;
	if (e == 0 && changed)
		e = qm_strbuf_take(&out, &s);
	qm_strbuf_done(&out);
	if (e < 0)
		return e;
	*ret = s;
	*ret_len = out_len;
	return 0;
}
