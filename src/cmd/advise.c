// SPDX-License-Identifier: GPL-2.0-or-later
/* advise: which numbers of queues connect over NVMe fabrics on this machine and kernel now. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "fabrics/advice.h"
#include "out/results.h"

struct advise_options {
	const char *transport, *queues, *write_queues, *poll_queues, *granted, *print;
};

#define OPT(field, what) .offset = offsetof(struct advise_options, field), .kind = what, .group = QM_GROUP_COMMAND

static const struct qm_option options[] = {
	{ .name = "transport", .arg = "T,..", .help = "these transports alone: tcp, rdma, fc, loop",
	  .complete = "tcp|rdma|fc|loop", OPT(transport, QM_OPTION_LIST) },
	{ .name = "queues", .arg = "N", .help = "judge this number (nvme connect --nr-io-queues) instead of the default",
	  OPT(queues, QM_OPTION_STRING) },
	{ .name = "write-queues", .arg = "N", .help = "as nvme connect --nr-write-queues", OPT(write_queues, QM_OPTION_STRING) },
	{ .name = "poll-queues", .arg = "N", .help = "as nvme connect --nr-poll-queues", OPT(poll_queues, QM_OPTION_STRING) },
	{ .name = "granted", .arg = "N", .help = "the target is known to grant no more I/O queues than this",
	  OPT(granted, QM_OPTION_STRING) },
	{ .name = "print", .arg = "WHICH", .help = "print one number and nothing else: safe, resilient, any-grant or default",
	  .complete = "safe|resilient|any-grant|default", OPT(print, QM_OPTION_STRING) },
	{ 0 },
};

/* A number of queues, from 1 on. */
static int parse_count(const struct qm_run *run, const char *option, const char *text, unsigned *ret)
{
	unsigned long n;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || !n || n > QM_QUEUES_MAX)
		return qm_usage_error(run, "%s takes a number from 1 to %u, not '%s'", option, QM_QUEUES_MAX, text);
	*ret = (unsigned)n;
	return 0;
}

static int parse_transports(const struct qm_run *run, const char *text, unsigned *ret)
{
	_cleanup_free_ char *copy = text ? strdup(text) : NULL;
	char *rest = copy, *name;
	unsigned chosen = 0;

	if (!text) {
		*ret = (1u << _QM_TRANSPORT_MAX) - 1;
		return 0;
	}
	if (!copy)
		return -ENOMEM;
	while ((name = strsep(&rest, ","))) {
		enum qm_transport t;

		if (qm_transport_parse(name, &t) < 0)
			return qm_usage_error(run, "--transport is tcp, rdma, fc or loop, not '%s'", name);
		chosen |= 1u << t;
	}
	*ret = chosen;
	return 0;
}

/* What a connect is asked with, but for the transport. */
static int parse_request(const struct qm_run *run, struct qm_connect_request *ret)
{
	const struct advise_options *opt = run->opt;
	struct qm_connect_request req = { 0 };
	int r = parse_count(run, "--queues", opt->queues, &req.io);

	if (r == 0)
		r = parse_count(run, "--write-queues", opt->write_queues, &req.write);
	if (r == 0)
		r = parse_count(run, "--poll-queues", opt->poll_queues, &req.poll);
	if (r == 0)
		r = parse_count(run, "--granted", opt->granted, &req.granted);
	if (r == 0)
		*ret = req;
	return r;
}

/* ---- --print ---- */

enum which {
	PRINT_SAFE,
	PRINT_RESILIENT,
	PRINT_ANY_GRANT,
	PRINT_DEFAULT,
	_PRINT_MAX,
};

static const char *const which_names[_PRINT_MAX] = { "safe", "resilient", "any-grant", "default" };

static int parse_which(const struct qm_run *run, const char *text, enum which *ret)
{
	for (unsigned w = 0; w < _PRINT_MAX; w++) {
		if (strcmp(text, which_names[w]) == 0) {
			*ret = w;
			return 0;
		}
	}
	return qm_usage_error(run, "--print is safe, resilient, any-grant or default, not '%s'", text);
}

static int number_of(struct qm_run *run, struct qm_connect *c, const struct qm_connect_request *req, enum which which,
		     unsigned *ret)
{
	struct qm_connect_counts n;
	int r;

	if (which == PRINT_DEFAULT) {
		*ret = qm_cpuset_count(&run->m.topo.online);
		return 0;
	}
	r = qm_connect_count(c, req, &n);
	if (r < 0)
		return r;
	*ret = which == PRINT_SAFE	? n.largest_safe :
	       which == PRINT_RESILIENT ? n.largest_resilient :
					  n.largest_any_grant;
	qm_connect_counts_done(&n);
	return 0;
}

/* One number for all transports, or it cannot be told which is meant. */
static int print_number(struct qm_run *run, struct qm_connect *c, unsigned transports, struct qm_connect_request req)
{
	const struct advise_options *opt = run->opt;
	unsigned number = 0, first = _QM_TRANSPORT_MAX;
	enum which which = PRINT_SAFE;
	int r = parse_which(run, opt->print, &which);

	for (unsigned t = 0; r == 0 && t < _QM_TRANSPORT_MAX; t++) {
		unsigned n;

		if (!(transports & 1u << t))
			continue;
		req.transport = t;
		r = number_of(run, c, &req, which, &n);
		if (r < 0)
			break;
		if (first < _QM_TRANSPORT_MAX && n != number) {
			qm_error("--print: %u for %s, but %u for %s: say which with --transport", number,
				 qm_transport_name((enum qm_transport)first), n, qm_transport_name(req.transport));
			return QM_SAID;
		}
		first = first < _QM_TRANSPORT_MAX ? first : t;
		number = n;
	}
	if (r < 0)
		return r;
	if (number)
		fprintf(run->out.f, "%u\n", number);
	else
		run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
	return 0;
}

/* ---- advice ---- */

static int add_controllers(struct qm_run *run, struct qm_connect *c, struct qm_advice *v, size_t *n)
{
	for (size_t i = 0; i < run->m.n_controllers; i++) {
		const struct qm_controller *ctrl = &run->m.controllers[i];
		enum qm_transport t;
		int r;

		if (!ctrl->fabrics || !ctrl->transport || qm_transport_parse(ctrl->transport, &t) < 0)
			continue;
		/* A discovery controller has its admin queue alone. */
		if (!ctrl->n_hctx && (ctrl->queue_count <= 1 || ctrl->queue_count > (long)QM_QUEUES_MAX))
			continue;
		r = qm_advise_controller(c, ctrl, t, &v[*n]);
		if (r < 0)
			return r;
		++*n;
	}
	return 0;
}

static int add_transports(struct qm_run *run, struct qm_connect *c, unsigned transports, struct qm_connect_request req,
			  struct qm_advice *v, size_t *n)
{
	for (unsigned t = 0; t < _QM_TRANSPORT_MAX; t++) {
		const struct qm_advice *a = &v[*n];
		int r;

		if (!(transports & 1u << t))
			continue;
		req.transport = t;
		r = qm_advise_connect(c, &req, &v[*n]);
		if (r == -EINVAL) {
			qm_error("so many queues are too many: there are at most %u", QM_QUEUES_MAX);
			return QM_SAID;
		}
		if (r < 0)
			return r;
		if (a->outcome != QM_CONNECT_CONNECTS || !a->sure)
			run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
		++*n;
	}
	return 0;
}

static int give_advice(struct qm_run *run, struct qm_connect *c, unsigned transports,
		       const struct qm_connect_request *req)
{
	struct qm_advice *v = calloc(run->m.n_controllers + _QM_TRANSPORT_MAX, sizeof(*v));
	struct qm_advise_result res = { .v = v };
	int r;

	if (!v)
		return -ENOMEM;
	r = add_controllers(run, c, v, &res.n);
	if (r == 0)
		r = add_transports(run, c, transports, *req, v, &res.n);
	if (r == 0)
		r = run->out.face->advise(&run->out, &res);
	for (size_t i = 0; i < res.n; i++)
		qm_advice_done(&v[i]);
	free(v);
	return r;
}

/* Without sets there is nothing that the options could mean. */
static int check_sets(const struct qm_run *run, unsigned transports, const struct qm_connect_request *req)
{
	const unsigned sets = 1u << QM_TRANSPORT_TCP | 1u << QM_TRANSPORT_RDMA;

	if ((req->write || req->poll) && !(transports & sets))
		return qm_usage_error(run, "loop and fc have no write and poll queues");
	return 0;
}

static int advise_run(struct qm_run *run)
{
	const struct advise_options *opt = run->opt;
	struct qm_connect_env env;
	struct qm_connect_request req = { 0 };
	struct qm_connect *c;
	unsigned transports = 0;
	enum which which = PRINT_SAFE;
	int r = parse_request(run, &req);

	if (r == 0)
		r = parse_transports(run, opt->transport, &transports);
	if (r == 0)
		r = check_sets(run, transports, &req);
	if (r == 0 && opt->print && run->g.json)
		r = qm_usage_error(run, "--print is a number alone: --json without it tells all of them");
	if (r == 0 && opt->print && opt->queues)
		r = qm_usage_error(run, "--print looks for a number, --queues judges one: they exclude each other");
	if (r == 0 && opt->print)
		r = parse_which(run, opt->print, &which);
	if (r == 0)
		r = qm_source_open(run, QM_READ_DEVICES);
	if (r < 0)
		return r;
	if (!qm_source_need_kernel(run))
		return QM_SAID;
	qm_connect_env_get(&run->m, !run->whatif, &env);
	r = qm_connect_new(&env, &c);
	if (r < 0)
		return r;
	if (opt->print)
		r = print_number(run, c, transports, req);
	else
		r = give_advice(run, c, transports, &req);
	qm_connect_free(c);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_advise, NULL };

const struct qm_command qm_command_advise = {
	.name = "advise",
	.summary = "numbers of queues that connect over NVMe fabrics here and now",
	.example = "n=$(qmapctl advise --print safe) && nvme connect ... -i \"$n\"",
	.example_help = "connect with the largest number of queues that works here and now",
	.options = options,
	.options_size = sizeof(struct advise_options),
	.layouts = layouts,
	.run = advise_run,
};
