// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/advice.h"

#include <errno.h>

#include "fabrics/command.h"
#include "fabrics/request.h"
#include "fabrics/words.h"

void qm_advice_done(struct qm_advice *a)
{
	qm_connect_counts_done(&a->counts);
	free(a->message);
	free(a->command);
	*a = (struct qm_advice){ 0 };
}

static void add_rule(struct qm_advice *a, const char *rule)
{
	for (size_t i = 0; i + 1 < QM_ARRAY_SIZE(a->rules); i++) {
		if (!a->rules[i]) {
			a->rules[i] = rule;
			return;
		}
	}
}

/* Message and command are complete. */
static int finish(struct qm_advice *a, struct qm_strbuf *message, struct qm_strbuf *command)
{
	int r = qm_strbuf_take(message, &a->message);

	if (r == 0 && (command->len || command->err))
		r = qm_strbuf_take(command, &a->command);
	return r;
}

/* ---- a new connection ---- */

static void add_failure(struct qm_strbuf *b, const struct qm_advice *a)
{
	if (!a->has_failure) {
		qm_strbuf_addf(b, ": the target grants %u of the %u queues asked for, and this kernel's map goes beyond them",
			       a->queues.total, a->queues.asked);
		return;
	}
	qm_strbuf_adds(b, ": ");
	qm_words_queue(b, (long)a->failure.hctx + 1);
	qm_strbuf_adds(b, " has no CPU that can send its Connect command: ");
	qm_words_reason(b, &a->failure, a->algo, false);
}

static void add_queues(struct qm_strbuf *b, const struct qm_advice *a, const struct qm_connect_request *req)
{
	qm_strbuf_addf(b, "a connect with %s%u queue%s", req->io ? "" : "the default of ", a->requested,
		       a->requested == 1 ? "" : "s");
	if (a->queues.n[QM_HCTX_READ] || a->queues.n[QM_HCTX_POLL])
		qm_strbuf_addf(b, " (%u default, %u read, %u poll)", a->queues.n[QM_HCTX_DEFAULT],
			       a->queues.n[QM_HCTX_READ], a->queues.n[QM_HCTX_POLL]);
	if (a->queues.total < a->queues.asked)
		qm_strbuf_addf(b, ", of which %u are granted,", a->queues.total);
}

/* Is that number among the safe ones? What is beyond the CPUs online is cut to them. */
static bool is_safe(const struct qm_advice *a, unsigned n_online)
{
	for (size_t i = 0; i < a->counts.safe.n; i++) {
		if (a->counts.safe.v[i] == a->requested || (a->counts.safe.v[i] == n_online && a->requested > n_online))
			return true;
	}
	return false;
}

static void add_outcome(struct qm_strbuf *b, const struct qm_advice *a, unsigned n_online)
{
	switch (a->outcome) {
	case QM_CONNECT_CONNECTS:
		if (!a->sure) {
			qm_strbuf_adds(b, is_safe(a, n_online) ? " should work" :
						       " may work: it has a queue without a CPU that surely serves it");
			break;
		}
		qm_strbuf_adds(b, " works");
		/* Fewer queues than asked for may be worse than all. */
		if (!a->counts.largest_any_grant && !a->granted)
			qm_strbuf_adds(b, " if the target grants them all, and perhaps not if it grants fewer");
		else if (a->counts.largest_any_grant < a->queues.n[QM_HCTX_DEFAULT] && !a->granted)
			qm_strbuf_addf(b, " if the target grants them all; whatever it grants, up to %u work",
				       a->counts.largest_any_grant);
		break;
	case QM_CONNECT_REFUSED:
		qm_strbuf_adds(b, " is refused (EXDEV, \"Invalid cross-device link\")");
		add_failure(b, a);
		break;
	case QM_CONNECT_UNDEFINED:
		qm_strbuf_adds(b, " is unsafe, since this kernel does not check and reads beyond its tables");
		add_failure(b, a);
		break;
	case QM_CONNECT_UNKNOWN:
		qm_strbuf_adds(b, " cannot be judged: nothing is known about this kernel");
		break;
	}
	if (!a->sure && a->outcome != QM_CONNECT_UNKNOWN)
		qm_strbuf_adds(b, "; what this kernel does is not quite known");
}

/* Limits that are not the map's. */
static const char *note_of(const struct qm_kernel *k, enum qm_transport t)
{
	if (qm_connect_map_is_device_made(k, t))
		return "the adapter may make the map instead on this kernel; its completion vectors and memory regions may allow "
		       "fewer queues, too";
	if (t == QM_TRANSPORT_RDMA)
		return "the adapter's completion vectors and memory regions may allow fewer queues: other limits than the map";
	return t == QM_TRANSPORT_FC ? "the port's driver may allow fewer queues: another limit than the map" : NULL;
}

/* The number that surely works, or the CPUs that are missing. */
static int add_command(struct qm_connect *c, const struct qm_connect_request *req, const struct qm_advice *a,
		       struct qm_strbuf *command)
{
	struct qm_connect_request one = *req;
	struct qm_cpuset mend;
	int r;

	one.io = a->outcome == QM_CONNECT_CONNECTS && a->sure ? a->requested : a->counts.largest_safe;
	if (one.io) {
		qm_command_connect(command, NULL, true, &one);
		return 0;
	}
	if (a->outcome == QM_CONNECT_CONNECTS || a->outcome == QM_CONNECT_UNKNOWN)
		return 0;
	r = qm_connect_mend(c, req, &mend);
	if (r == 0 && !qm_cpuset_is_empty(&mend))
		qm_command_online(command, &mend);
	return r;
}

int qm_advise_connect(struct qm_connect *c, const struct qm_connect_request *req, struct qm_advice *ret)
{
	_cleanup_(qm_advice_done) struct qm_advice a = { .transport = req->transport, .granted = req->granted };
	_cleanup_(qm_strbuf_done) struct qm_strbuf message = { 0 }, command = { 0 };
	struct qm_connect_answer ans;
	int r = qm_connect_ask(c, req, &ans);

	if (r == 0)
		r = qm_connect_count(c, req, &a.counts);
	if (r < 0)
		return r;
	a.algo = qm_connect_algo(c);
	a.queues = ans.queues;
	a.requested = req->io ? req->io : qm_cpuset_count(qm_connect_online(c));
	a.outcome = ans.outcome;
	a.sure = ans.sure;
	a.has_failure = ans.has_failure;
	a.failure = ans.failure;
	if (ans.outcome == QM_CONNECT_REFUSED || ans.outcome == QM_CONNECT_UNDEFINED)
		add_rule(&a, "fabrics-connect-exdev");
	add_queues(&message, &a, req);
	add_outcome(&message, &a, qm_cpuset_count(qm_connect_online(c)));
	a.note = note_of(qm_connect_kernel(c), req->transport);
	qm_strbuf_addc(&message, '.');
	r = add_command(c, req, &a, &command);
	if (r == 0)
		r = finish(&a, &message, &command);
	if (r < 0)
		return r;
	*ret = a;
	a = (struct qm_advice){ 0 };
	return 0;
}

/* ---- a controller that is there ---- */

/* Queues that have a CPU and get no tag all the same. */
static void add_inactive(struct qm_strbuf *b, const struct qm_connect_reset *reset)
{
	if (!reset->inactive.n)
		return;
	qm_strbuf_adds(b, reset->dead.n ? "; besides, hctx "
					: "it will not outlive the next reset or loss of connection: hctx ");
	qm_ids_format(&reset->inactive, b);
	qm_strbuf_adds(b, reset->inactive.n == 1 ? " is still marked inactive, though a CPU of it is online"
						 : " are still marked inactive, though a CPU of each is online");
	if (!qm_cpuset_is_empty(&reset->cycle)) {
		qm_strbuf_adds(b, "; take ");
		qm_words_cpus(b, &reset->cycle);
		qm_strbuf_adds(b, " offline and online again before that");
	}
}

static void add_reset(struct qm_strbuf *b, const struct qm_connect_reset *reset)
{
	if (!reset->dead.n) {
		if (!reset->inactive.n)
			qm_strbuf_adds(b, "the next reset or reconnect works: each of its queues has a CPU");
		return;
	}
	if (reset->outcome == QM_CONNECT_CONNECTS)
		qm_strbuf_adds(b, "it may not outlive the next reset");
	else
		qm_strbuf_adds(b, reset->outcome == QM_CONNECT_UNDEFINED ?
					  "the next reset is unsafe, since this kernel does not check" :
					  "it will not outlive the next reset or loss of connection");
	qm_strbuf_addf(b, ": hctx ");
	qm_ids_format(&reset->dead, b);
	switch (reset->reason) {
	case QM_REASON_ISOLATED:
		qm_strbuf_adds(b, reset->dead.n == 1 ? " serves" : " serve");
		qm_strbuf_adds(b, " isolated CPUs only");
		break;
	case QM_REASON_UNMAPPED:
		qm_strbuf_adds(b, reset->dead.n == 1 ? " has no CPU" : " have no CPU");
		break;
	default:
		qm_strbuf_adds(b, reset->dead.n == 1 ? " has no CPU online" : " have no CPU online");
		break;
	}
	if (!qm_cpuset_is_empty(&reset->bring_online)) {
		qm_strbuf_adds(b, "; bring ");
		qm_words_cpus(b, &reset->bring_online);
		qm_strbuf_adds(b, " online before that");
	}
}

/* Fewer queues than were asked for. The kernel tells nobody how many those were, unless somebody wrote it down. */
static void add_short(struct qm_strbuf *b, struct qm_advice *a, const struct qm_connect *c)
{
	const struct qm_controller *ctrl = a->controller;
	size_t n_default = qm_cpuset_count(qm_connect_online(c));

	if (ctrl->requested > (long)ctrl->n_hctx)
		qm_strbuf_addf(b, ". It uses %zu of %ld queues asked for, limited by the target", ctrl->n_hctx,
			       ctrl->requested);
	else if (ctrl->requested < 0 && ctrl->n_hctx < n_default)
		qm_strbuf_addf(b, ". It uses %zu of the default of %zu queues: limited by the target, or fewer were asked for",
			       ctrl->n_hctx, n_default);
	else
		return;
	add_rule(a, "queue-count-short");
}

static void fill_failure(struct qm_advice *a, const struct qm_connect *c, const struct qm_connect_reset *reset)
{
	bool inactive = reset->inactive.n && (!reset->dead.n || reset->inactive.v[0] < reset->dead.v[0]);
	const struct qm_controller *ctrl = a->controller;
	const struct qm_hctx *h;

	if (!reset->dead.n && !inactive)
		return;
	for (size_t i = 0; i < ctrl->n_hctx; i++) {
		h = &ctrl->hctx[i];
		if (h->id != (inactive ? reset->inactive.v[0] : reset->dead.v[0]))
			continue;
		a->has_failure = true;
		a->failure = (struct qm_connect_failure){
			.hctx = h->id, .type = h->type, .reason = inactive ? QM_REASON_INACTIVE : reset->reason };
		qm_cpuset_copy(&a->failure.cpus, h->cpus);
		qm_cpuset_copy(&a->failure.offline, h->cpus);
		qm_cpuset_andnot(&a->failure.offline, qm_connect_online(c));
	}
}

/* CPUs first: they keep the connection. Else a number that works. */
static void add_reset_command(struct qm_strbuf *command, const struct qm_advice *a, const struct qm_connect_reset *reset)
{
	struct qm_connect_request req = { .transport = a->transport, .io = a->counts.largest_safe };

	if (!reset->dead.n && !reset->inactive.n)
		return;
	if (!qm_cpuset_is_empty(&reset->bring_online))
		qm_command_online(command, &reset->bring_online);
	else if (!reset->dead.n && !qm_cpuset_is_empty(&reset->cycle))
		qm_command_cycle(command, &reset->cycle);
	else if (req.io)
		qm_command_reconnect(command, a->controller, &req);
}

static int fill_controller(struct qm_connect *c, const struct qm_connect_reset *reset, struct qm_advice *a)
{
	_cleanup_(qm_strbuf_done) struct qm_strbuf message = { 0 }, command = { 0 };
	struct qm_connect_request req = { .transport = a->transport };
	bool fails = reset->dead.n || reset->inactive.n;
	int r = qm_connect_count(c, &req, &a->counts);

	if (r < 0)
		return r;
	a->outcome = reset->inactive.n && reset->outcome == QM_CONNECT_CONNECTS ? QM_CONNECT_REFUSED : reset->outcome;
	/* The mark is the disk's queue's. The one that Connect commands go through has the same history. */
	a->sure = reset->sure && !reset->inactive.n;
	fill_failure(a, c, reset);
	if (fails)
		add_rule(a, "fabrics-reconnect-risk");
	add_reset(&message, reset);
	add_inactive(&message, reset);
	if (fails && a->counts.largest_safe)
		qm_strbuf_addf(&message, "%s disconnect it and connect again with --nr-io-queues=%u",
			       qm_cpuset_is_empty(&reset->bring_online) && qm_cpuset_is_empty(&reset->cycle) ? ";" : ", or",
			       a->counts.largest_safe);
	add_short(&message, a, c);
	qm_strbuf_addc(&message, '.');
	add_reset_command(&command, a, reset);
	return finish(a, &message, &command);
}

/* Only a disk shows the map, and a controller may have none. */
static int fill_unseen(struct qm_connect *c, struct qm_advice *a)
{
	_cleanup_(qm_strbuf_done) struct qm_strbuf message = { 0 }, command = { 0 };
	struct qm_connect_request req = { .transport = a->transport };
	int r = qm_connect_count(c, &req, &a->counts);

	if (r < 0)
		return r;
	a->outcome = QM_CONNECT_UNKNOWN;
	a->granted = a->requested = a->queues.total = a->queues.asked = (unsigned)a->controller->queue_count - 1;
	qm_strbuf_adds(&message, "it has no disk, which alone would show what CPUs its queues serve: whether the next reset works "
				 "cannot be told.");
	return finish(a, &message, &command);
}

int qm_advise_controller(struct qm_connect *c, const struct qm_controller *ctrl, enum qm_transport t,
			 struct qm_advice *ret)
{
	_cleanup_(qm_advice_done) struct qm_advice a = { .controller = ctrl, .transport = t };
	struct qm_connect_reset reset;
	int r;

	a.algo = qm_connect_algo(c);
	if (!ctrl->n_hctx) {
		r = fill_unseen(c, &a);
		if (r < 0)
			return r;
		*ret = a;
		a = (struct qm_advice){ 0 };
		return 0;
	}
	r = qm_connect_reset(c, ctrl, &reset);
	if (r < 0)
		return r;
	a.granted = a.requested = (unsigned)ctrl->n_hctx;
	if (ctrl->requested > (long)ctrl->n_hctx)
		a.requested = (unsigned)ctrl->requested;
	a.queues.asked = a.requested;
	a.queues.total = (unsigned)ctrl->n_hctx;
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++)
		a.queues.n[type] = ctrl->nr_types[type] > 0 ? (unsigned)ctrl->nr_types[type] : 0;
	r = fill_controller(c, &reset, &a);
	qm_connect_reset_done(&reset);
	if (r < 0)
		return r;
	*ret = a;
	a = (struct qm_advice){ 0 };
	return 0;
}
