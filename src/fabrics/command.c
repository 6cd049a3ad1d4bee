// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/command.h"

#include <string.h>

/* What may stand in a command that is going to be pasted into a root shell. */
static bool is_harmless(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-%[]", s[i]) || !s[i])
			return false;
	}
	return len > 0 && s[0] != '-';
}

static void add_option(struct qm_strbuf *b, const char *option, const char *value, size_t len, const char *word)
{
	qm_strbuf_addf(b, " %s ", option);
	if (value && is_harmless(value, len))
		qm_strbuf_add(b, value, len);
	else
		qm_strbuf_adds(b, word);
}

/* "traddr=192.0.2.1,trsvcid=4420": the value of a key, or NULL. */
static const char *address_part(const char *address, const char *key, size_t *ret_len)
{
	size_t key_len = strlen(key);

	while (address && *address) {
		size_t len = strcspn(address, ",");

		if (len > key_len && strncmp(address, key, key_len) == 0 && address[key_len] == '=') {
			*ret_len = len - key_len - 1;
			return address + key_len + 1;
		}
		address += len + (address[len] == ',');
	}
	*ret_len = 0;
	return NULL;
}

static void add_address(
	struct qm_strbuf *b, const struct qm_controller *ctrl, bool has_transport, enum qm_transport transport)
{
	const char *all = ctrl ? ctrl->address : NULL, *part;
	size_t len;

	if (has_transport && transport == QM_TRANSPORT_LOOP)
		return;
	part = address_part(all, "traddr", &len);
	add_option(b, "-a", part, len, "ADDRESS");
	if (has_transport && transport == QM_TRANSPORT_FC) {
		part = address_part(all, "host_traddr", &len);
		add_option(b, "-w", part, len, "HOST-ADDRESS");
		return;
	}
	part = address_part(all, "trsvcid", &len);
	if (part || !ctrl)
		add_option(b, "-s", part, len, "PORT");
}

void qm_command_connect(
	struct qm_strbuf *b, const struct qm_controller *ctrl, bool has_transport, const struct qm_connect_request *req)
{
	const char *nqn = ctrl ? ctrl->nqn : NULL;

	qm_strbuf_addf(b, "nvme connect -t %s", has_transport ? qm_transport_name(req->transport) : "TRANSPORT");
	add_address(b, ctrl, has_transport, req->transport);
	add_option(b, "-n", nqn, nqn ? strlen(nqn) : 0, "NQN");
	if (req->io)
		qm_strbuf_addf(b, " --nr-io-queues=%u", req->io);
	if (has_transport && !qm_transport_has_sets(req->transport))
		return;
	if (req->write)
		qm_strbuf_addf(b, " --nr-write-queues=%u", req->write);
	if (req->poll)
		qm_strbuf_addf(b, " --nr-poll-queues=%u", req->poll);
}

void qm_command_reconnect(struct qm_strbuf *b, const struct qm_controller *ctrl, const struct qm_connect_request *req)
{
	qm_strbuf_adds(b, "nvme disconnect");
	add_option(b, "-d", ctrl->name, strlen(ctrl->name), "CONTROLLER");
	qm_strbuf_adds(b, " && ");
	qm_command_connect(b, ctrl, true, req);
}

void qm_command_online(struct qm_strbuf *b, const struct qm_cpuset *cpus)
{
	qm_strbuf_adds(b, "chcpu -e ");
	qm_cpuset_format(cpus, b);
}

void qm_command_cycle(struct qm_strbuf *b, const struct qm_cpuset *cpus)
{
	qm_strbuf_adds(b, "chcpu -d ");
	qm_cpuset_format(cpus, b);
	qm_strbuf_adds(b, " && ");
	qm_command_online(b, cpus);
}
