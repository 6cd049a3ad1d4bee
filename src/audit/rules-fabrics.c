// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about NVMe over fabrics, whose every queue must get a Connect command through before there is a disk. */
#include "audit/rules.h"

#include <errno.h>
#include <string.h>

#include "fabrics/connect.h"

static bool state_is(const struct qm_controller *c, const char *state)
{
	return c->state && strncmp(c->state, state, strlen(state)) == 0;
}

bool qm_controller_reconnects(const struct qm_controller *c)
{
	return c->fabrics && !state_is(c, "deleting") && !state_is(c, "dead");
}

bool qm_queue_stops_connect(const struct qm_audit *a, const struct qm_controller *c, const struct qm_hctx *h)
{
	struct qm_cpuset left;
	bool sure;

	if (!qm_controller_reconnects(c) || h->cpus_unknown)
		return false;
	qm_cpuset_copy(&left, h->cpus);
	qm_cpuset_andnot(&left, &a->unusable);
	if (!qm_cpuset_is_empty(&left))
		return false;
	/* Listed CPUs that are only offline: the oldest kernels take the first of them all the same. */
	qm_cpuset_copy(&left, h->cpus);
	qm_cpuset_andnot(&left, &a->unlisted);
	return qm_cpuset_is_empty(&left) || qm_era_dead_queue(&a->m->kernel, &sure) != QM_DEAD_FIRST_CPU;
}

/* ---- fabrics-connect-exdev ---- */

/* Transports in use among the controllers asked for; tcp where there is none and nobody asked for some. */
static unsigned transports_in_use(const struct qm_audit *a)
{
	unsigned in_use = 0;
	size_t i;

	QM_AUDIT_FOREACH(i, a) {
		const struct qm_controller *c = &a->m->controllers[i];
		enum qm_transport t;

		if (c->fabrics && c->transport && qm_transport_parse(c->transport, &t) == 0)
			in_use |= 1u << t;
	}
	if (!in_use && !a->opt->controllers && (a->m->fabrics_in_use || a->opt->whatif))
		in_use = 1u << QM_TRANSPORT_TCP;
	return in_use;
}

static const char *failure_words(struct qm_draft *d, const struct qm_connect_failure *f)
{
	unsigned n = qm_cpuset_count(&f->cpus);

	switch (f->reason) {
	case QM_REASON_OFFLINE:
		if (!qm_cpuset_is_subset(&f->cpus, &f->offline))
			return qm_draft_text(d, "%s, all of which are offline or isolated", qm_draft_cpus(d, &f->cpus));
		return qm_draft_text(d, "%s, which %s offline", qm_draft_cpus(d, &f->cpus), n == 1 ? "is" : "are");
	case QM_REASON_ISOLATED:
		return "isolated CPUs only, which this kernel leaves out";
	case QM_REASON_UNMAPPED:
	case QM_REASON_GRANT:
	case QM_REASON_INACTIVE:
	case QM_REASON_NONE:
		break;
	}
	return "no CPU at all";
}

static void word_exdev(
	struct qm_draft *d, const char *transports, const struct qm_connect_answer *answer, unsigned safe)
{
	const struct qm_connect_failure *f = &answer->failure;
	bool refused = answer->outcome == QM_CONNECT_REFUSED;

	qm_draft_message(d,
		"an NVMe connect (%s) with the default of %u queues %s %s: %zu of them ha%s no usable CPU, first the "
		"one with qid %u (hctx %u), which has %s. Neither network nor target would be at fault.",
		transports, answer->queues.total, answer->sure ? "is" : "may be",
		refused ? "refused (errno -18, \"Invalid cross-device link\")"
			: "unsafe, as this kernel does not check and reads beyond its tables",
		d->f.hctx.n, d->f.hctx.n == 1 ? "s" : "ve", f->hctx + 1, f->hctx, failure_words(d, f));
	if (safe)
		qm_draft_advice(d,
			"Ask for %u queue%s (nvme connect --nr-io-queues=%u); advise lists every number that works%s.",
			safe, qm_plural(safe), safe,
			f->reason == QM_REASON_OFFLINE && !d->a->opt->whatif ? ", or bring the CPUs online" : "");
	else
		qm_draft_advice(d, "No number of queues connects with the CPUs as they are: bring CPUs online first.");
}

/* All queues that would have no usable CPU, and their CPUs. */
static int list_failing(struct qm_draft *d, struct qm_audit *a, const struct qm_connect_env *env,
	struct qm_connect *connect, unsigned queues)
{
	unsigned nr_cpus = a->m->topo.nr_cpus;
	_cleanup_free_ int32_t *map = calloc((size_t)nr_cpus + 1, sizeof(*map));
	_cleanup_free_ bool *alive = calloc((size_t)queues + 1, sizeof(*alive));
	struct qm_mapper *mapper;
	int r, cpu;

	if (!map || !alive)
		return -ENOMEM;
	r = qm_audit_mapper(a, &mapper);
	if (r == 0)
		r = qm_map_run(mapper, qm_connect_algo(connect), queues,
			env->has_housekeeping ? &env->housekeeping : NULL, map, NULL);
	if (r < 0)
		return r;
	QM_CPUSET_FOREACH(cpu, qm_connect_usable(connect)) {
		if ((unsigned)cpu < nr_cpus && map[cpu] >= 0)
			alive[map[cpu]] = true;
	}
	for (unsigned q = 0; q < queues; q++) {
		if (!alive[q])
			qm_draft_hctx(d, q);
	}
	for (unsigned c = 0; c < nr_cpus; c++) {
		if (map[c] >= 0 && !alive[map[c]])
			qm_cpuset_set(&d->f.cpus, c);
	}
	return 0;
}

/* What is the default request's first failing queue, if it fails? */
static int ask_default(struct qm_connect *connect, enum qm_transport t, struct qm_connect_answer *ret)
{
	const struct qm_connect_request req = { .transport = t };
	int r = qm_connect_ask(connect, &req, ret);

	if (r < 0)
		return r == -EINVAL ? 0 : r;
	return (ret->outcome == QM_CONNECT_REFUSED || ret->outcome == QM_CONNECT_UNDEFINED) && ret->has_failure;
}

static int say_exdev(struct qm_audit *a, const struct qm_rule *rule, const struct qm_connect_env *env,
	struct qm_connect *connect, unsigned transports)
{
	struct qm_connect_answer answer[_QM_TRANSPORT_MAX];
	unsigned said = 0;

	for (int t = 0; t < _QM_TRANSPORT_MAX; t++) {
		const struct qm_connect_request req = { .transport = (enum qm_transport)t };
		struct qm_connect_counts counts = { 0 };
		const char *names;
		struct qm_draft d;
		int r = 0;

		if (!(transports >> t & 1) || (said >> t & 1))
			continue;
		r = ask_default(connect, (enum qm_transport)t, &answer[t]);
		if (r > 0)
			r = qm_connect_count(connect, &req, &counts) < 0 ? -ENOMEM : 1;
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		qm_draft_begin(&d, a, rule, QM_ERROR, -1);
		names = qm_transport_name((enum qm_transport)t);
		/* Transports that fail alike are one line. */
		for (int u = t + 1; u < _QM_TRANSPORT_MAX; u++) {
			if (!(transports >> u & 1) || ask_default(connect, (enum qm_transport)u, &answer[u]) <= 0 ||
				answer[u].failure.hctx != answer[t].failure.hctx ||
				answer[u].queues.total != answer[t].queues.total ||
				answer[u].outcome != answer[t].outcome)
				continue;
			names = qm_draft_text(&d, "%s, %s", names, qm_transport_name((enum qm_transport)u));
			said |= 1u << u;
		}
		r = list_failing(&d, a, env, connect, answer[t].queues.total);
		if (r < 0)
			d.err = r;
		word_exdev(&d, names, &answer[t], counts.largest_safe);
		qm_draft_command(&d, "qmapctl advise --transport %s", qm_transport_name((enum qm_transport)t));
		qm_connect_counts_done(&counts);
		r = qm_draft_commit(&d);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run_fabrics_connect_exdev(struct qm_audit *a, const struct qm_rule *rule)
{
	unsigned transports = transports_in_use(a);
	struct qm_connect *connect = NULL;
	struct qm_connect_env env;
	int r;

	if (!transports || !qm_kernel_is_known(&a->m->kernel))
		return 0;
	qm_connect_env_get(a->m, !a->opt->whatif, &env);
	r = qm_connect_new(&env, &connect);
	if (r == 0)
		r = say_exdev(a, rule, &env, connect, transports);
	qm_connect_free(connect);
	return r;
}

/* ---- fabrics-reconnect-risk ---- */

/*
 * The fewest CPUs that, brought online, give every queue of the finding one. False: some queue cannot be helped that
 * way, its CPUs being absent or isolated.
 */
static bool find_cure(
	const struct qm_audit *a, const struct qm_controller *c, const struct qm_ids *hctx, struct qm_cpuset *ret)
{
	bool all = true;

	*ret = (struct qm_cpuset){ 0 };
	for (size_t i = 0; i < hctx->n; i++) {
		struct qm_cpuset some;
		int cpu;

		qm_cpuset_copy(&some, c->hctx[hctx->v[i]].cpus);
		qm_cpuset_and(&some, &a->m->topo.present);
		qm_cpuset_andnot(&some, &a->unlisted);
		cpu = qm_cpuset_first(&some);
		if (cpu < 0)
			all = false;
		else
			qm_cpuset_set(ret, (unsigned)cpu);
	}
	return all;
}

static const char *risk_words(const struct qm_audit *a, const struct qm_controller *c)
{
	bool sure;

	if (qm_era_dead_queue(&a->m->kernel, &sure) == QM_DEAD_UNCHECKED)
		return "I/O goes on, but at the next reset or reconnect this kernel looks up a CPU it does not check "
		       "and reads beyond its tables; anything may happen";
	if (state_is(c, "connecting") || state_is(c, "resetting"))
		return "every attempt to reconnect is refused (errno -18, \"Invalid cross-device link\") until that "
		       "changes";
	return "I/O goes on, but the next reset or reconnect is refused (errno -18, \"Invalid cross-device link\") and "
	       "the disks stay away";
}

static void draft_cure(struct qm_draft *d, const struct qm_audit *a, const struct qm_controller *c)
{
	struct qm_cpuset cure;
	bool all = find_cure(a, c, &d->f.hctx, &cure);
	const char *cpus = qm_draft_cpus(d, &cure);

	if (!all) {
		qm_draft_advice(d,
			"Their CPUs are absent or isolated: connect again with fewer queues; advise names safe "
			"counts.");
		/* Transports may have different numbers, and then none is printed for all. */
		if (c->transport)
			qm_draft_command(d, "qmapctl advise --transport %s --print safe", qm_draft_quote(d, c->transport));
		else
			qm_draft_command(d, "qmapctl advise --print safe");
	} else if (a->opt->whatif) {
		qm_draft_advice(d,
			"Keep %s online, or first connect again with a number of queues that advise names.", cpus);
	} else {
		qm_draft_advice(d,
			"Bring %s online before any path is reset, or connect again with fewer queues.", cpus);
		qm_draft_command(d, "chcpu -e %s", qm_draft_whole_cpulist(d, &cure));
	}
}

/*
 * A reset asks for no more queues of a type than CPUs are online. So does the queue stand behind all that it opens? Seen
 * on 6.1: with the last of 8 queues dead, a controller came back with 7. Other kernels may map anew before they connect.
 */
static bool is_left_out(const struct qm_audit *a, const struct qm_controller *c, size_t q)
{
	for (size_t i = 0; i < c->n_hctx; i++) {
		if (c->hctx[i].type > QM_HCTX_DEFAULT)
			return false;
	}
	return q >= qm_cpuset_count(&a->m->topo.online);
}

static void word_risk(struct qm_draft *d, const struct qm_audit *a, const struct qm_controller *c, bool left_out)
{
	size_t n = d->f.hctx.n;
	const char *queues = qm_draft_idlist(d, &d->f.hctx);
	unsigned first = n ? d->f.hctx.v[0] + 1 : 0, online = qm_cpuset_count(&a->m->topo.online);

	if (!left_out) {
		qm_draft_message(d, "%zu of %zu I/O queues (hctx %s, first qid %u) %s no usable CPU: %s.", n, c->n_hctx,
			queues, first, n == 1 ? "has" : "have", risk_words(a, c));
		return;
	}
	d->f.severity = QM_WARNING;
	qm_draft_message(d,
		"%zu of %zu I/O queues (hctx %s, first qid %u) %s no usable CPU: the next reset or reconnect asks for "
		"%u queues, as many as CPUs are online; it works where the kernel opens no more of the old ones, and is "
		"refused (errno -18, \"Invalid cross-device link\") elsewhere.",
		n, c->n_hctx, queues, first, n == 1 ? "has" : "have", online);
}

/* Queues that have a usable CPU, but are still marked inactive; see qm_connect_reset. */
static int say_inactive(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_cpuset cycle = { 0 };
	struct qm_draft d;
	const char *cpus;
	size_t n;

	qm_draft_begin(&d, a, rule, QM_ERROR, (long)i);
	for (size_t q = 0; qm_controller_reconnects(c) && q < c->n_hctx; q++) {
		if (!c->hctx[q].stays_inactive || qm_queue_stops_connect(a, c, &c->hctx[q]))
			continue;
		qm_draft_hctx(&d, c->hctx[q].id);
		qm_cpuset_or(&d.f.cpus, c->hctx[q].cpus);
		qm_connect_add_cycle(&c->hctx[q], &a->m->topo, &cycle);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	n = d.f.hctx.n;
	qm_draft_message(&d,
		"%zu of %zu I/O queues (hctx %s, first qid %u) %s still marked inactive, though %s a CPU online: the kernel "
		"leaves that where a queue lost its CPUs, a reset did without it, and a later one takes it up again. %s (errno "
		"-11, \"Resource temporarily unavailable\").",
		n, c->n_hctx, qm_draft_idlist(&d, &d.f.hctx), d.f.hctx.n ? d.f.hctx.v[0] + 1 : 0, n == 1 ? "is" : "are",
		n == 1 ? "it has" : "they have",
		state_is(c, "connecting") || state_is(c, "resetting") ?
			"Every attempt to reconnect fails" :
			"Requests that go there wait, and the next reset or reconnect fails");
	if (qm_cpuset_is_empty(&cycle)) {
		qm_draft_advice(&d, "Disconnect and connect again: that makes the queues anew.");
		return qm_draft_commit(&d);
	}
	cpus = qm_draft_cpus(&d, &cycle);
	qm_draft_advice(&d,
		"Take %s offline and online again, which removes the mark; or disconnect and connect again.", cpus);
	cpus = qm_draft_whole_cpulist(&d, &cycle);
	qm_draft_command(&d, "chcpu -d %s && chcpu -e %s", cpus, cpus);
	return qm_draft_commit(&d);
}

static int say_no_cpu(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	bool left_out = true;
	struct qm_draft d;

	qm_draft_begin(&d, a, rule, QM_ERROR, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (!qm_queue_stops_connect(a, c, &c->hctx[q]))
			continue;
		qm_draft_hctx(&d, c->hctx[q].id);
		qm_cpuset_or(&d.f.cpus, c->hctx[q].cpus);
		left_out = left_out && is_left_out(a, c, q);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	word_risk(&d, a, c, left_out);
	draft_cure(&d, a, c);
	return qm_draft_commit(&d);
}

static int run_fabrics_reconnect_risk(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	int r = say_no_cpu(a, rule, i);

	return r < 0 ? r : say_inactive(a, rule, i);
}

/* ---- tcp-iocpu-outside-hctx, tcp-iocpu-pileup ---- */

/*
 * Up to 6.13 nvme-tcp took the CPU of a queue's worker from the queue's number. When stable branches got the change is
 * known for 6.13 only; 6.12 is certain up to the release before that.
 */
static bool counts_io_cpu(const struct qm_kernel *k)
{
	if (!qm_kernel_is_known(k))
		return false;
	if (!qm_kernel_is_at_least(k, 6, 12))
		return true;
	if (qm_kernel_is_at_least(k, 6, 14))
		return false;
	return k->minor == 13 ? k->patch < 2 : k->patch < 13;
}

/* The CPU that works queue number n of its type; index counts over all types. -1: no CPU is online. */
static int io_cpu(const struct qm_audit *a, unsigned n, unsigned index)
{
	const struct qm_cpuset *online = &a->m->topo.online;
	unsigned count = qm_cpuset_count(online), nth;
	int cpu = -1;

	if (count == 0)
		return -1;
	nth = (qm_kernel_is_at_least(&a->m->kernel, 5, 10) ? n : index) % count;
	for (unsigned k = 0; k <= nth; k++)
		cpu = qm_cpuset_next(online, (unsigned)(cpu + 1));
	return cpu;
}

static bool is_tcp(const struct qm_controller *c)
{
	return c->driver && strcmp(c->driver, "nvme-tcp") == 0;
}

/* The set of the audit that the queue is in, and its number there. */
static bool position_in_set(const struct qm_audit_controller *ac, unsigned id, unsigned *ret)
{
	for (unsigned k = 0; k < ac->n_sets; k++) {
		for (size_t n = 0; n < ac->sets[k].hctx.n; n++) {
			if (ac->sets[k].hctx.v[n] == id) {
				*ret = (unsigned)n;
				return true;
			}
		}
	}
	return false;
}

static int run_tcp_iocpu_outside_hctx(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_draft d;

	if (!counts_io_cpu(&a->m->kernel))
		return 0;
	if (!is_tcp(c))
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		const struct qm_hctx *h = &c->hctx[q];
		unsigned n;
		int cpu;

		if (!position_in_set(&a->c[i], h->id, &n) ||
			!qm_cpuset_intersects(h->cpus, &a->m->topo.online))
			continue;
		cpu = io_cpu(a, n, h->id);
		if (cpu < 0 || qm_cpuset_test(h->cpus, (unsigned)cpu))
			continue;
		qm_draft_hctx(&d, h->id);
		qm_cpuset_set(&d.f.cpus, (unsigned)cpu);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"%zu of %zu queues (hctx %s) %s worked on %s, not on a CPU served: every request crosses to "
		"another CPU and back.",
		d.f.hctx.n, c->n_hctx, qm_draft_idlist(&d, &d.f.hctx), d.f.hctx.n == 1 ? "is" : "are",
		qm_draft_cpus(&d, &d.f.cpus));
	qm_draft_advice(&d,
		"Linux 6.14 takes the worker's CPU from the queue's own; until then as many queues as CPUs "
		"help.");
	return qm_draft_commit(&d);
}

/* Queues worked per CPU over all tcp controllers; the number of these is returned, -ENOMEM. */
static int count_per_cpu(const struct qm_audit *a, unsigned *per_cpu, unsigned *ret_queues)
{
	int controllers = 0;
	size_t i;

	QM_AUDIT_FOREACH(i, a) {
		const struct qm_controller *c = &a->m->controllers[i];

		controllers += is_tcp(c);
		for (size_t q = 0; is_tcp(c) && q < c->n_hctx; q++) {
			unsigned n;
			int cpu;

			if (!position_in_set(&a->c[i], c->hctx[q].id, &n))
				continue;
			cpu = io_cpu(a, n, c->hctx[q].id);
			if (cpu < 0)
				continue;
			per_cpu[cpu]++;
			(*ret_queues)++;
		}
	}
	return controllers;
}

static int run_tcp_iocpu_pileup(struct qm_audit *a, const struct qm_rule *rule)
{
	_cleanup_free_ unsigned *per_cpu = calloc((size_t)a->m->topo.nr_cpus + 1, sizeof(*per_cpu));
	unsigned online = qm_cpuset_count(&a->m->topo.online), queues = 0, most = 0, fair, idle = 0;
	struct qm_draft d;
	int cpu, controllers;

	if (!per_cpu)
		return -ENOMEM;
	if (!counts_io_cpu(&a->m->kernel) || online == 0)
		return 0;
	controllers = count_per_cpu(a, per_cpu, &queues);
	fair = (queues + online - 1) / online;
	QM_CPUSET_FOREACH(cpu, &a->m->topo.online) {
		most = per_cpu[cpu] > most ? per_cpu[cpu] : most;
		idle += per_cpu[cpu] == 0;
	}
	if (controllers < 2 || most <= fair || idle == 0)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, -1);
	QM_CPUSET_FOREACH(cpu, &a->m->topo.online) {
		if (per_cpu[cpu] == most)
			qm_cpuset_set(&d.f.cpus, (unsigned)cpu);
	}
	qm_draft_message(&d,
		"%d NVMe/TCP controllers count their workers' CPUs from the first one each: %s carr%s %u queues each "
		"while %u CPU%s none, and get%s hot first.",
		controllers, qm_draft_cpus(&d, &d.f.cpus),
		qm_cpuset_count(&d.f.cpus) == 1 ? "ies" : "y", most, idle, idle == 1 ? " has" : "s have",
		qm_cpuset_count(&d.f.cpus) == 1 ? "s" : "");
	qm_draft_advice(&d,
		"Linux 6.14 spreads them over all controllers; until then as many queues as CPUs per controller help.");
	return qm_draft_commit(&d);
}

const struct qm_rule qm_rules_fabrics[] = {
	{
		.name = "fabrics-connect-exdev",
		.severity = QM_ERROR,
		.family = "fabrics",
		.title = "an NVMe-oF connect would be refused on this machine as it is",
		.text = "Meaning: with the number of queues that nvme connect asks for by default, some I/O queue "
			"would have no usable CPU: all its CPUs are offline, or isolated and left out of its list, or "
			"it has none.\n"
			"Consequence: each I/O queue sends its own Connect command through itself. One such queue and "
			"the whole connect fails with EXDEV: \"Invalid cross-device link\", in the log \"failed to "
			"connect queue: N ret=-18\". Network, address and target are not at fault.\n"
			"Remedy: a number of queues that works here (qmapctl advise), or the CPUs back online. Safe "
			"numbers are not all below the largest one; a fraction of the CPU count is a guess.\n"
			"Kernels: 4.8 and later refuse a queue without CPU; one whose CPUs are all offline is refused "
			"by 6.0 and later and by 5.10 and other stable branches, while some in between (4.19, 5.15) "
			"read beyond their tables.\n"
			"No problem: on machines that do not use NVMe over fabrics, where audit does not mention it.",
		.run = run_fabrics_connect_exdev,
	},
	{
		.name = "fabrics-reconnect-risk",
		.severity = QM_ERROR,
		.family = "fabrics",
		.title = "a connected NVMe-oF controller will not survive its next reset",
		.text = "Meaning: the controller has an I/O queue without a usable CPU; the queue map is kept over a "
			"reset. Or it has one that is marked inactive (debugfs, as root) though a CPU of it is online: "
			"that stays where a queue lost its CPUs, a reset did without it, and a later one takes it up "
			"again.\n"
			"Consequence: I/O goes on for now. At the next reset, path loss or reconnect the queue's "
			"Connect command is refused with EXDEV (-18), the controller stays in state connecting and "
			"retries, and its disks stay away. A reset asks for no more queues than CPUs are online; "
			"where all such queues stand behind those, it may work, and this is a warning. A queue marked "
			"inactive gets no tags: its requests wait, and its Connect command fails with EAGAIN (-11).\n"
			"Remedy: bring one CPU of each such queue online before any path is reset; the controller then "
			"comes back by itself. Or disconnect and connect again with a number of queues that qmapctl "
			"advise names. The mark goes when a CPU of the queue is taken offline and online again.\n"
			"Kernels: as for fabrics-connect-exdev; the mark was seen on 6.1 and 7.2. 5.10 fails each time "
			"that a reset opens more queues than the one before left (EIO, -5), which nothing tells "
			"beforehand. 4.9 and 4.14 take an offline CPU without complaint; 4.19 and 5.15 read beyond "
			"their tables, which is worse than a refusal.\n"
			"No problem: on local disks: there the same queue is hctx-no-online-cpu, which needs nothing.",
		.each = run_fabrics_reconnect_risk,
	},
	{
		.name = "tcp-iocpu-outside-hctx",
		.severity = QM_WARNING,
		.family = "fabrics",
		.title = "an NVMe/TCP queue is worked on a CPU that it does not serve",
		.text = "Meaning: nvme-tcp does a queue's socket work on one CPU, which these kernels take from the "
			"queue's number and not from the CPUs mapped to the queue.\n"
			"Consequence: requests cross to that CPU and their completions back. Aligning the two was "
			"measured as 18 to 29% more requests per second.\n"
			"Remedy: Linux 6.14 (or a stable kernel with the change); as many queues as CPUs, where both "
			"agree; or the module parameter wq_unbound of nvme_tcp where the kernel has it.\n"
			"Kernels: up to 6.13; before 5.10 the number also counted over default, read and poll queues.\n"
			"No problem: where the network's interrupts already come in on the worker's CPU.",
		.each = run_tcp_iocpu_outside_hctx,
	},
	{
		.name = "tcp-iocpu-pileup",
		.severity = QM_WARNING,
		.family = "fabrics",
		.title = "several NVMe/TCP controllers work their queues on the same few CPUs",
		.text = "Meaning: each controller counts its queues' worker CPUs from the first online one, so "
			"controllers with fewer queues than CPUs all use the same ones.\n"
			"Consequence: a few CPUs are hot and bound the throughput of all controllers while others "
			"idle.\n"
			"Remedy: Linux 6.14, which picks the least used CPU of each queue (the choice may change at "
			"each reconnect); or as many queues as CPUs for each controller.\n"
			"Kernels: up to 6.13.1.\n"
			"No problem: with one controller, or with one queue per CPU.",
		.run = run_tcp_iocpu_pileup,
	},
	{ 0 },
};
