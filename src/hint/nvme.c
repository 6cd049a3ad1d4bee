// SPDX-License-Identifier: GPL-2.0-or-later
/* NVMe-oF has no file to write: what can be set is the number of queues at connect time, as a note and as configuration. */
#include <errno.h>
#include <string.h>

#include <json-c/json.h>

#include "base/jsontext.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "fabrics/command.h"
#include "fabrics/connect.h"
#include "hint/hint.h"
#include "hint/nvme.h"

/*
 * What to reconnect with: a count whose every queue outlives the loss of a core, else one that works now. None (0) is known
 * where the transport is not. *ret_resilient tells which.
 */
static int best_request(struct qm_connect *connect, const struct qm_controller *c, struct qm_connect_request *ret,
			bool *ret_resilient)
{
	struct qm_connect_request req = { 0 };
	struct qm_connect_counts counts = { 0 };
	int r;

	*ret = req;
	*ret_resilient = false;
	if (!c->transport || qm_transport_parse(c->transport, &req.transport) < 0)
		return 0;
	r = qm_connect_count(connect, &req, &counts);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	*ret_resilient = counts.largest_resilient > 0;
	req.io = counts.largest_resilient ? counts.largest_resilient : counts.largest_safe;
	*ret = req;
	qm_connect_counts_done(&counts);
	return 0;
}

typedef int (*nvme_fn)(void *arg, const struct qm_controller *c, const struct qm_connect_request *req, bool resilient);

static int each_fabrics(const struct qm_machine *m, const struct qm_plan_options *opt, nvme_fn fn, void *arg)
{
	struct qm_connect *connect = NULL;
	struct qm_connect_env env;
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[i];
		struct qm_connect_request req;
		bool resilient;

		if (!c->fabrics || !qm_plan_is_selected(opt, i))
			continue;
		if (!connect) {
			qm_connect_env_get(m, true, &env);
			r = qm_connect_new(&env, &connect);
		}
		if (r == 0)
			r = best_request(connect, c, &req, &resilient);
		if (r == 0 && req.io)
			r = fn(arg, c, &req, resilient);
	}
	qm_connect_free(connect);
	return r;
}

static int add_note(void *arg, const struct qm_controller *c, const struct qm_connect_request *req, bool resilient)
{
	/* What is as small already outlives as much. */
	if (c->n_hctx <= req->io)
		return 0;
	return qm_plan_add_note(arg, c->name, "reconnect it with --nr-io-queues=%u: %s ('hint export --format nvme')", req->io,
				resilient ? "every queue then outlives the loss of any one core" :
					    "the most that connect now");
}

int qm_nvme_add_notes(const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_plan *p)
{
	return each_fabrics(m, opt, add_note, p);
}

/* The value of key in "traddr=10.0.0.1,trsvcid=4420", a new string; NULL if it is not there. */
static int address_part(const char *address, const char *key, char **ret)
{
	size_t n = strlen(key);

	*ret = NULL;
	while (address && *address) {
		size_t len = strcspn(address, ",");

		if (len > n && strncmp(address, key, n) == 0 && address[n] == '=') {
			*ret = strndup(address + n + 1, len - n - 1);
			return *ret ? 0 : -ENOMEM;
		}
		address += len;
		address += *address == ',';
	}
	return 0;
}

/* Puts the value into an object, or with no key into an array; it is used up. An error that was there stays. */
static int attach(int r, struct json_object *to, const char *key, struct json_object *value)
{
	if (r == 0 && to && value && (key ? json_object_object_add(to, key, value) : json_object_array_add(to, value)) == 0)
		return 0;
	json_object_put(value);
	return r < 0 ? r : -ENOMEM;
}

static int add_string(int r, struct json_object *o, const char *key, const char *value)
{
	return r < 0 || !value ? r : attach(r, o, key, json_object_new_string(value));
}

static bool is_plain(const char *s)
{
	return !s || qm_utf8_is_plain(s, strlen(s));
}

/* One host with one subsystem and one port: what nvme-cli merges when it reads the file. */
static int add_connection(struct json_object *list, const struct qm_controller *c, const char *traddr, const char *trsvcid,
			  unsigned queues)
{
	struct json_object *host = json_object_new_object(), *subsystems = json_object_new_array();
	struct json_object *subsystem = json_object_new_object(), *ports = json_object_new_array();
	struct json_object *port = json_object_new_object();
	int r = 0;

	r = add_string(r, host, "hostnqn", c->hostnqn);
	r = add_string(r, subsystem, "nqn", c->nqn);
	r = add_string(r, port, "transport", c->transport);
	r = add_string(r, port, "traddr", traddr);
	r = add_string(r, port, "trsvcid", trsvcid);
	r = attach(r, port, "nr_io_queues", json_object_new_int((int)queues));
	/* From the inside out, and each is given away even where it cannot be taken. */
	r = attach(r, ports, NULL, port);
	r = attach(r, subsystem, "ports", ports);
	r = attach(r, subsystems, NULL, subsystem);
	r = attach(r, host, "subsystems", subsystems);
	return attach(r, list, NULL, host);
}

/* Names that are no text are no kernel's, and JSON cannot hold them. */
static int add_config(void *arg, const struct qm_controller *c, const struct qm_connect_request *req, bool resilient)
{
	_cleanup_free_ char *traddr = NULL, *trsvcid = NULL;
	int r;

	(void)resilient;
	if (!is_plain(c->hostnqn) || !is_plain(c->nqn) || !is_plain(c->address))
		return 0;
	r = address_part(c->address, "traddr", &traddr);
	if (r == 0)
		r = address_part(c->address, "trsvcid", &trsvcid);
	return r < 0 ? r : add_connection(arg, c, traddr, trsvcid, req->io);
}

int qm_nvme_export(const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_strbuf *out)
{
	struct json_object *list = json_object_new_array();
	int r;

	if (!list)
		return -ENOMEM;
	r = each_fabrics(m, opt, add_config, list);
	qm_strbuf_add_json_lines(out, list);
	qm_strbuf_addc(out, '\n');
	json_object_put(list);
	return r < 0 ? r : out->err;
}

static int add_command(void *arg, const struct qm_controller *c, const struct qm_connect_request *req, bool resilient)
{
	struct qm_strbuf *out = arg;

	(void)resilient;
	qm_command_connect(out, c, true, req);
	qm_strbuf_addc(out, '\n');
	return 0;
}

int qm_nvme_commands(const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_strbuf *out)
{
	int r;

	r = each_fabrics(m, opt, add_command, out);
	return r < 0 ? r : out->err;
}
