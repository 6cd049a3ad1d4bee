// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/diagnose.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "fabrics/command.h"
#include "fabrics/status.h"
#include "fabrics/words.h"

/* A diagnosis in the making. */
struct making {
	const struct qm_klog_incident *i;
	const struct qm_diagnose_env *env;
	struct qm_diagnosis d;
	struct qm_strbuf cause, advice, command;
};

void qm_diagnosis_done(struct qm_diagnosis *d)
{
	free(d->cause);
	free(d->advice);
	free(d->command);
	*d = (struct qm_diagnosis){ 0 };
}

static void making_done(struct making *k)
{
	qm_strbuf_done(&k->cause);
	qm_strbuf_done(&k->advice);
	qm_strbuf_done(&k->command);
}

static int finish(struct making *k, struct qm_diagnosis *ret)
{
	int r;

	/* Advice is put together from parts of a sentence. */
	qm_strbuf_addc(&k->advice, '.');
	if (!k->advice.err)
		k->advice.s[0] = (char)toupper((unsigned char)k->advice.s[0]);
	r = qm_strbuf_take(&k->cause, &k->d.cause);
	if (r == 0)
		r = qm_strbuf_take(&k->advice, &k->d.advice);
	if (r == 0 && (k->command.len || k->command.err))
		r = qm_strbuf_take(&k->command, &k->d.command);
	if (r < 0) {
		qm_diagnosis_done(&k->d);
		return r;
	}
	*ret = k->d;
	return 0;
}

/* What the whole connect comes to when one queue cannot be opened. */
#define ALL_FAILS                                                                                                      \
	"The kernel refuses its Connect command with EXDEV (\"Invalid cross-device link\") and gives up the whole "    \
	"connection; the network, the address and the target are not at fault."

static const struct qm_controller *find_controller(const struct making *k)
{
	const struct qm_machine *m = k->env->apart ? NULL : k->env->m;

	for (size_t i = 0; m && k->i->controller && i < m->n_controllers; i++) {
		if (m->controllers[i].name && strcmp(m->controllers[i].name, k->i->controller) == 0)
			return &m->controllers[i];
	}
	return NULL;
}

/*
 * The controller that the incident is about. One that could not be connected is gone, and its name is free: what has that
 * name now may be anything.
 */
static const struct qm_controller *same_controller(const struct making *k)
{
	return k->i->kind == QM_KLOG_CONNECT ? NULL : find_controller(k);
}

/*
 * The controller where the machine has it with a map and it tries again, else NULL. A log that ends with the failure does
 * not say that it will be tried again, but a controller that had disks does.
 */
static const struct qm_controller *trying_controller(const struct making *k)
{
	const struct qm_controller *ctrl = find_controller(k);

	return ctrl && ctrl->n_hctx && ctrl->state && strcmp(ctrl->state, "connecting") == 0 ? ctrl : NULL;
}

/* ---- a queue without a CPU ---- */

/* Which transport it was, as far as anybody says: the machine, or the words of the message. */
static bool transport_of(const struct making *k, const struct qm_controller *ctrl, enum qm_transport *ret)
{
	if (ctrl && ctrl->transport && qm_transport_parse(ctrl->transport, ret) == 0)
		return true;
	*ret = QM_TRANSPORT_TCP;
	if (!k->i->text || !strstr(k->i->text, "NVME-FC{"))
		return false;
	*ret = QM_TRANSPORT_FC;
	return true;
}

/* The request as the log tells it: how many queues there were is what the target granted. */
static struct qm_connect_request request_of(const struct qm_klog_incident *i)
{
	struct qm_connect_request req = { 0 };

	if (i->created > 0 && i->created <= (long)QM_QUEUES_MAX)
		req.io = (unsigned)i->created;
	if (i->queues[0] <= 0 || i->queues[0] > (long)QM_QUEUES_MAX || i->queues[1] > (long)QM_QUEUES_MAX ||
		i->queues[2] > (long)QM_QUEUES_MAX)
		return req;
	req.io = (unsigned)i->queues[0];
	if (i->queues[1] > 0) {
		req.io = (unsigned)i->queues[1];
		req.write = (unsigned)i->queues[0];
	}
	if (i->queues[2] > 0)
		req.poll = (unsigned)i->queues[2];
	return req;
}

/* The largest safe number that the target surely grants: no more than it granted then. */
static int recommend(struct making *k, const struct qm_connect_request *req, unsigned *ret)
{
	struct qm_connect_counts n;
	unsigned best = 0;
	int r = qm_connect_count(k->env->connect, req, &n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n.safe.n; i++) {
		if (!req->io || n.safe.v[i] <= req->io)
			best = n.safe.v[i];
	}
	qm_connect_counts_done(&n);
	*ret = best;
	return 0;
}

/* The number and the CPUs that make it work. */
static int advise_connect(struct making *k, const struct qm_connect_request *asked)
{
	struct qm_connect_request req = *asked;
	const struct qm_controller *ctrl = same_controller(k);
	struct qm_cpuset mend;
	bool known = transport_of(k, ctrl, &req.transport);
	int r = qm_connect_mend(k->env->connect, &req, &mend);

	if (r == 0)
		r = recommend(k, &req, &req.io);
	if (r == 0 && !req.io && (req.write || req.poll)) {
		req = (struct qm_connect_request){ .io = asked->io, .transport = req.transport };
		r = recommend(k, &req, &req.io);
	}
	if (r < 0)
		return r;
	if (req.io) {
		qm_strbuf_addf(&k->advice,
			"connect with --nr-io-queues=%u, the largest number%s with which every queue has a "
			"CPU now",
			req.io, asked->io ? " up to what was tried" : "");
		if ((asked->write || asked->poll) && !req.write && !req.poll)
			qm_strbuf_adds(&k->advice, ", and without write and poll queues");
		qm_command_connect(&k->command, ctrl, known, &req);
	}
	if (!qm_cpuset_is_empty(&mend)) {
		qm_strbuf_adds(&k->advice, req.io ? "; or bring " : "bring ");
		qm_words_cpus(&k->advice, &mend);
		qm_strbuf_adds(&k->advice, " online first, then it works as it was tried");
		if (!req.io)
			qm_command_online(&k->command, &mend);
	}
	if (!req.io && qm_cpuset_is_empty(&mend))
		qm_strbuf_adds(&k->advice, "no number of queues works in this state");
	return 0;
}

static void add_reason(struct making *k, const struct qm_connect_failure *f, bool past)
{
	qm_words_reason(&k->cause, f, qm_connect_algo(k->env->connect), past);
}

static void keep_failure(struct making *k, const struct qm_connect_failure *f)
{
	k->d.hctx = f->hctx;
	if (k->d.qid < 0) {
		k->d.qid = (long)f->hctx + 1;
		k->d.qid_foretold = true;
	}
	k->d.has_cpus = true;
	qm_cpuset_copy(&k->d.cpus, &f->cpus);
	qm_cpuset_copy(&k->d.offline, &f->offline);
}

static bool same_queue(const struct making *k, const struct qm_connect_answer *ans)
{
	return ans->has_failure && (k->i->qid < 0 || (long)ans->failure.hctx + 1 == k->i->qid);
}

#define NOT_TOLD " (The log does not say how many queues were tried; this is so with %u.)"

/* It would work now. What was different then? told: the log tells how many queues were tried. */
static int explain_past(struct making *k, const struct qm_connect_request *req, const struct qm_connect_answer *now,
			bool told)
{
	struct qm_connect_answer ans = { .has_failure = false };
	struct qm_cpuset then = k->env->m->topo.online;
	int r = 0;

	/* As it would have gone with the CPUs offline that the log saw going. */
	if (k->i->offline)
		qm_cpuset_andnot(&then, k->i->offline);
	if (k->i->offline && !qm_cpuset_is_empty(&then))
		r = qm_connect_ask_if(k->env->connect, &then, req, &ans);
	if (r < 0)
		return r;
	k->d.stands = 0;
	if (same_queue(k, &ans)) {
		keep_failure(k, &ans.failure);
		qm_words_queue(&k->cause, k->d.qid);
		qm_strbuf_adds(&k->cause, " had no CPU that could send its Connect command: ");
		add_reason(k, &ans.failure, true);
		qm_strbuf_adds(&k->cause, ". With the CPUs online now it would connect.");
	} else {
		if (k->i->qid > 0)
			qm_words_queue(&k->cause, k->i->qid);
		else
			qm_strbuf_adds(&k->cause, "some queue");
		qm_strbuf_adds(&k->cause, " had no CPU that could send its Connect command");
		if (k->i->offline) {
			qm_strbuf_adds(&k->cause, " (the log shows ");
			qm_words_cpus(&k->cause, k->i->offline);
			qm_strbuf_adds(&k->cause, " going offline before)");
		}
		qm_strbuf_adds(&k->cause, ". With the CPUs online now every queue has one, so it would connect.");
	}
	if (!told)
		qm_strbuf_addf(&k->cause, NOT_TOLD, now->queues.total);
	qm_strbuf_adds(&k->advice, "nothing needs doing: try again");
	return 0;
}

/* It would be tried, but what comes of it rests on what is not known of this kernel. */
static int explain_doubt(struct making *k, const struct qm_connect_request *req)
{
	if (k->i->qid > 0)
		qm_words_queue(&k->cause, k->i->qid);
	else
		qm_strbuf_adds(&k->cause, "a queue");
	qm_strbuf_adds(&k->cause,
		" had no CPU that could send its Connect command. Whether it would connect now cannot be told: what this "
		"kernel does is not quite known.");
	return advise_connect(k, req);
}

/*
 * A log that was cut does not tell how many queues were tried. The default, if that fails at the queue that the log
 * names; else the largest number that does. 0: none does.
 */
static int guess_number(struct making *k, struct qm_connect_request *req, struct qm_connect_answer *ret)
{
	unsigned online = ret->queues.asked;

	if (k->i->qid <= 0 || same_queue(k, ret))
		return 0;
	for (unsigned io = online; io > 0; io--) {
		struct qm_connect_request one = { .transport = req->transport, .io = io };
		struct qm_connect_answer ans;
		int r = qm_connect_ask(k->env->connect, &one, &ans);

		if (r < 0)
			return r;
		if (same_queue(k, &ans)) {
			*req = one;
			*ret = ans;
			return 0;
		}
	}
	return 0;
}

/* Only the log is there to tell. lacks: why it is not compared with the machine. */
static void explain_from_log(struct making *k, const char *lacks)
{
	struct qm_strbuf *b = &k->cause;

	if (k->i->qid > 0)
		qm_words_queue(b, k->i->qid);
	else
		qm_strbuf_adds(b, "a queue");
	qm_strbuf_adds(b,
		" had no CPU that could send its Connect command: its CPUs were all offline or isolated, or it had "
		"none. " ALL_FAILS);
	if (k->i->offline) {
		qm_strbuf_adds(b, " The log shows ");
		qm_words_cpus(b, k->i->offline);
		qm_strbuf_adds(b, " going offline before.");
	}
	if (k->i->recovered)
		qm_strbuf_adds(b, " Later it connected.");
	qm_strbuf_addf(b, " Not compared with a machine's present state: %s.", lacks);
	qm_strbuf_adds(&k->advice,
		"on that machine, bring the CPUs back online, or connect with a number that qmapctl advise "
		"calls safe there");
	if (!k->env->apart && k->env->m && !k->env->connect)
		qm_strbuf_adds(&k->advice, "; say which kernel it runs with --kernel");
}

/* A new connection, judged with the CPUs online now. */
static int explain_new(struct making *k)
{
	struct qm_connect_request req = request_of(k->i);
	struct qm_connect_answer ans;
	bool told = req.io > 0;
	int r;

	transport_of(k, same_controller(k), &req.transport);
	r = qm_connect_ask(k->env->connect, &req, &ans);
	if (r == 0 && !told)
		r = guess_number(k, &req, &ans);
	if (r < 0)
		return r;
	if (ans.outcome == QM_CONNECT_CONNECTS && !told && k->i->qid > (long)ans.queues.total) {
		char lacks[128];

		snprintf(lacks, sizeof(lacks), "the log does not say how many queues were tried, and %u, the default here, are "
			 "fewer", ans.queues.total);
		explain_from_log(k, lacks);
		return 0;
	}
	if (ans.outcome == QM_CONNECT_CONNECTS && !ans.sure) {
		req.io = told ? req.io : 0;
		return explain_doubt(k, &req);
	}
	if (ans.outcome == QM_CONNECT_CONNECTS)
		return explain_past(k, &req, &ans, told);
	k->d.stands = 1;
	if (ans.has_failure && !same_queue(k, &ans)) {
		qm_words_queue(&k->cause, k->i->qid);
		qm_strbuf_adds(&k->cause, " had no CPU that could send its Connect command. ");
		qm_strbuf_adds(&k->cause, told ? "The CPUs online have changed since, but it would be refused again: now " :
						 "Now ");
	}
	if (ans.has_failure) {
		if (same_queue(k, &ans))
			keep_failure(k, &ans.failure);
		qm_words_queue(&k->cause, (long)ans.failure.hctx + 1);
		qm_strbuf_adds(&k->cause, " has no CPU that can send its Connect command: ");
		add_reason(k, &ans.failure, false);
		qm_strbuf_adds(&k->cause, ". " ALL_FAILS);
	} else {
		qm_strbuf_adds(&k->cause, "the target granted fewer queues than were asked for, and this kernel's map goes "
					  "beyond them.");
	}
	if (!told)
		qm_strbuf_addf(&k->cause, NOT_TOLD, ans.queues.total);
	if (!ans.sure)
		qm_strbuf_adds(&k->cause, " What this kernel does is not quite known.");
	if (!told)
		req.io = 0;
	return advise_connect(k, &req);
}

/* A controller that is there keeps its map over a reset. */
static int explain_reset(struct making *k, const struct qm_controller *ctrl)
{
	struct qm_connect_reset reset;
	struct qm_connect_request req = { .io = (unsigned)ctrl->n_hctx };
	struct qm_strbuf *b = &k->cause;
	bool live = ctrl->state && strcmp(ctrl->state, "live") == 0;
	int r = qm_connect_reset(k->env->connect, ctrl, &reset);

	if (r < 0)
		return r;
	if (reset.outcome == QM_CONNECT_CONNECTS || live || k->i->recovered) {
		k->d.stands = 0;
		qm_strbuf_adds(b,
			"a queue of this controller had no online CPU when it was reset, so its Connect command was "
			"refused with EXDEV. ");
		qm_strbuf_adds(b,
			live || k->i->recovered ? "It has come back since." :
			reset.inactive.n	? "All its queues have one now, but not all are marked so." :
						  "All its queues have one now: the next attempt works.");
		if (reset.dead.n)
			qm_strbuf_adds(b, " But it would fail again at the next reset.");
		qm_strbuf_adds(&k->advice, reset.dead.n || reset.inactive.n ? "see qmapctl advise" : "nothing needs doing");
		qm_connect_reset_done(&reset);
		return 0;
	}
	k->d.stands = 1;
	if (k->d.qid < 0) {
		k->d.qid = (long)reset.dead.v[0] + 1;
		k->d.qid_foretold = true;
	}
	k->d.hctx = k->d.qid - 1;
	if (k->d.hctx >= 0 && k->d.hctx < (long)ctrl->n_hctx) {
		k->d.has_cpus = true;
		qm_cpuset_copy(&k->d.cpus, ctrl->hctx[k->d.hctx].cpus);
		qm_cpuset_copy(&k->d.offline, &k->d.cpus);
		qm_cpuset_andnot(&k->d.offline, &k->env->m->topo.online);
	}
	qm_strbuf_adds(b, "the controller keeps its queue map over a reset, and hctx ");
	qm_ids_format(&reset.dead, b);
	qm_strbuf_addf(b,
		" of it %s no CPU that can be used: each attempt to reconnect is refused with EXDEV until %s one.",
		reset.dead.n == 1 ? "has" : "have", reset.dead.n == 1 ? "it has" : "they have");
	transport_of(k, ctrl, &req.transport);
	r = recommend(k, &req, &req.io);
	if (r == 0 && !qm_cpuset_is_empty(&reset.bring_online)) {
		qm_strbuf_adds(&k->advice, "bring ");
		qm_words_cpus(&k->advice, &reset.bring_online);
		qm_strbuf_adds(&k->advice, " online: the controller then comes back by itself");
		if (req.io)
			qm_strbuf_addf(
				&k->advice, "; or disconnect it and connect again with --nr-io-queues=%u", req.io);
		qm_command_online(&k->command, &reset.bring_online);
	} else if (r == 0 && req.io) {
		qm_strbuf_addf(&k->advice, "disconnect it and connect again with --nr-io-queues=%u", req.io);
		qm_command_reconnect(&k->command, ctrl, &req);
	}
	qm_connect_reset_done(&reset);
	return r;
}

/* Were more queues opened than this machine can ever ask for, which is one of each type for each CPU? */
static bool is_of_larger_machine(const struct making *k)
{
	const struct qm_klog_incident *i = k->i;
	long most = (long)qm_cpuset_count(&k->env->m->topo.possible) * _QM_HCTX_TYPE_MAX;

	return i->qid > most || i->created > most || i->queues[0] + i->queues[1] + i->queues[2] > most;
}

static int explain_exdev(struct making *k)
{
	const struct qm_controller *ctrl = find_controller(k);
	bool again = k->i->kind == QM_KLOG_RECONNECT || trying_controller(k);

	k->d.rule = again ? "fabrics-reconnect-risk" : "fabrics-connect-exdev";
	k->d.severity = "error";
	if (k->i->qid > 0)
		k->d.hctx = k->i->qid - 1;
	if (!k->env->connect || k->env->apart || !qm_connect_algo(k->env->connect)) {
		explain_from_log(k, k->env->apart ? k->env->apart :
				    !k->env->m	  ? "no machine is known to compare it with" :
						    "the kernel is not known");
		return 0;
	}
	if (is_of_larger_machine(k)) {
		explain_from_log(k, "it must be the log of another machine, since this one has too few CPUs for so many queues");
		return 0;
	}
	if (again && ctrl && ctrl->n_hctx)
		return explain_reset(k, ctrl);
	if (again && k->env->m->n_controllers)
		qm_strbuf_addf(&k->cause, "%s is not there any more; for a new connection: ", k->i->controller);
	return explain_new(k);
}

/* ---- everything else ---- */

#define NOT_THE_MAP "The queue map has nothing to do with it."
#define RAN_OUT     "try fewer queues or a smaller --queue-size: something that each queue needs ran out"

static void add_status(struct making *k)
{
	struct qm_status s;

	if (!k->i->has_status)
		return;
	qm_status_describe(k->i->status, &s);
	/* That is told elsewhere where it is a queue's; the admin queue can be sent from any CPU. */
	if (k->i->status == -EXDEV)
		s.means = NULL;
	qm_strbuf_addf(&k->cause, " (%s%s%s)", s.name, s.means ? ": " : "", s.means ? s.means : "");
}

/* Debugfs says so: see qm_connect_reset. */
static void explain_inactive(struct making *k, const struct qm_hctx *h)
{
	struct qm_cpuset cycle = { 0 };

	k->d.rule = "fabrics-reconnect-risk";
	k->d.severity = "error";
	k->d.stands = 1;
	k->d.has_cpus = true;
	qm_cpuset_copy(&k->d.cpus, h->cpus);
	qm_cpuset_copy(&k->d.offline, h->cpus);
	qm_cpuset_andnot(&k->d.offline, &k->env->m->topo.online);
	qm_strbuf_adds(&k->cause, ". It is still marked inactive, though a CPU of it is online: each attempt fails until the "
				  "mark is gone. Neither network nor target are at fault.");
	qm_connect_add_cycle(h, &k->env->m->topo, &cycle);
	if (qm_cpuset_is_empty(&cycle)) {
		qm_strbuf_adds(&k->advice, "disconnect and connect again: that makes the queues anew");
		return;
	}
	qm_strbuf_adds(&k->advice, "take ");
	qm_words_cpus(&k->advice, &cycle);
	qm_strbuf_adds(&k->advice, " offline and online again: the controller then comes back by itself; or disconnect and "
				   "connect again");
	qm_command_cycle(&k->command, &cycle);
}

/*
 * A queue that the controller had before a reset without all CPUs, and has not now. Seen on 5.10, which opens such a queue
 * before it makes it anew: -EIO each time. 6.1 and 7.2 make it first.
 */
static bool is_not_made(const struct making *k)
{
	const struct qm_controller *ctrl = trying_controller(k);

	return ctrl && k->i->has_status && k->i->status == -EIO && k->i->qid > (long)ctrl->n_hctx;
}

static int explain_not_made(struct making *k)
{
	const struct qm_controller *ctrl = trying_controller(k);
	struct qm_connect_request req = request_of(k->i);
	int r = 0;

	k->d.rule = "fabrics-reconnect-risk";
	k->d.severity = "error";
	k->d.stands = 1;
	k->d.hctx = k->i->qid - 1;
	qm_words_queue(&k->cause, k->i->qid);
	qm_strbuf_addf(&k->cause,
		" is none of the %zu that the controller has since an earlier reset, which had fewer CPUs online. This kernel "
		"opens it before it makes it, so each attempt fails (EIO). Neither network nor target are at fault.",
		ctrl->n_hctx);
	qm_strbuf_adds(&k->advice, "disconnect and connect again: no reset brings the queue back");
	transport_of(k, ctrl, &req.transport);
	if (k->env->connect && qm_connect_algo(k->env->connect))
		r = recommend(k, &req, &req.io);
	else
		req.io = 0;
	if (r == 0 && req.io)
		qm_command_reconnect(&k->command, ctrl, &req);
	return r;
}

/* No tag was to be had for an I/O queue's Connect command, which is not waited for. */
static void explain_no_tag(struct making *k)
{
	const struct qm_controller *trying = trying_controller(k), *ctrl = trying ? trying : same_controller(k);
	const char *disk = "*";

	if (trying && k->d.hctx < (long)trying->n_hctx && trying->hctx[k->d.hctx].stays_inactive) {
		explain_inactive(k, &trying->hctx[k->d.hctx]);
		return;
	}
	if (ctrl && ctrl->n_disks)
		disk = k->env->m->disks[ctrl->disks[0]].name;
	qm_strbuf_adds(&k->cause, ". The queue was busy, or it was still marked inactive: that can stay where its CPUs were "
				  "offline during one reset and are back for the next.");
	qm_strbuf_addf(&k->advice,
		"if it goes on, look as root at /sys/kernel/debug/block/%s/hctx%ld/state: where that says INACTIVE, take "
		"one of the queue's CPUs offline and online again, or disconnect and connect again", disk, k->d.hctx);
}

/* A Connect command that failed for a reason of its own. */
static void explain_other_connect(struct making *k)
{
	k->d.rule = "log-errno";
	if (k->i->qid > 0)
		k->d.hctx = k->i->qid - 1;
	qm_strbuf_adds(&k->cause, "the Connect command of ");
	if (k->i->qid > 0)
		qm_words_queue(&k->cause, k->i->qid);
	else
		qm_strbuf_adds(&k->cause, k->i->qid == 0 ? "the admin queue" : "a queue");
	qm_strbuf_adds(&k->cause, " failed");
	add_status(k);
	if (k->i->qid > 0 && k->i->has_status && k->i->status == -EAGAIN) {
		explain_no_tag(k);
		return;
	}
	qm_strbuf_adds(&k->cause, ". " NOT_THE_MAP);
	if (k->i->status > 0)
		qm_strbuf_adds(&k->advice,
			"look at the target: the subsystem's name, the hosts it allows, its limits, its log");
	else if (k->i->qid > 0 && k->i->status == -ENOMEM)
		qm_strbuf_adds(&k->advice,
			RAN_OUT);
	else if (k->i->status == -EINVAL)
		qm_strbuf_adds(&k->advice,
			"look at the options of the connect, such as --queue-size, and at the target's log of that moment");
	else
		qm_strbuf_adds(&k->advice,
			"look at the connection: address, port, cables, and the target's log of that moment");
}

/* The largest number that the adapter's limit leaves, and of these one that the map allows now, too. */
static int advise_fewer(struct making *k, const struct qm_controller *ctrl)
{
	struct qm_connect_request req = { .transport = QM_TRANSPORT_RDMA, .io = (unsigned)k->i->qid - 1 };
	bool known = k->env->connect && !k->env->apart && qm_connect_algo(k->env->connect);
	unsigned number = req.io;
	int r = known ? recommend(k, &req, &number) : 0;

	if (r < 0)
		return r;
	if (!number) {
		qm_strbuf_addf(&k->advice,
			"connect with fewer than %ld queues, or with a smaller --queue-size; but no such number works with "
			"the CPUs online now, see qmapctl advise", k->i->qid);
		return 0;
	}
	qm_strbuf_addf(&k->advice, "connect with --nr-io-queues=%u, or with a smaller --queue-size", number);
	if (number < req.io)
		qm_strbuf_addf(&k->advice,
			" (the adapter may have room for %u, but with the CPUs online now the map allows no number between)",
			req.io);
	req.io = number;
	qm_command_connect(&k->command, ctrl, true, &req);
	return 0;
}

static int explain_pool(struct making *k)
{
	const struct qm_klog_incident *i = k->i;
	const struct qm_controller *ctrl = find_controller(k);
	enum qm_transport t;

	k->d.rule = "rdma-resource-limit";
	k->d.severity = "error";
	k->d.hctx = i->qid > 0 ? i->qid - 1 : -1;
	qm_strbuf_addf(&k->cause, "the RDMA adapter ran out of memory regions at queue %ld", i->qid);
	if (i->pool > 0 && i->qid > 0)
		qm_strbuf_addf(&k->cause,
			": each queue takes %ld, so it has fewer than %ld of them for this connection", i->pool,
			i->pool * i->qid);
	qm_strbuf_adds(
		&k->cause, ". This limit is the adapter's: neither offline CPUs nor the queue map are to blame.");
	if (!ctrl || !ctrl->transport || qm_transport_parse(ctrl->transport, &t) < 0 || t != QM_TRANSPORT_RDMA)
		ctrl = NULL; /* another one, that has the name now */
	if (i->qid > 1 && i->qid <= (long)QM_QUEUES_MAX)
		return advise_fewer(k, ctrl);
	qm_strbuf_adds(&k->advice, "connect with a smaller --queue-size");
	return 0;
}

/* No connection to the target, or no means for one. */
static void explain_no_connection(struct making *k)
{
	bool lacks = k->i->has_status && k->i->status == -ENOMEM;

	k->d.rule = "log-errno";
	if (lacks && k->i->text && strstr(k->i->text, ": rdma ")) {
		k->d.rule = "rdma-resource-limit";
		k->d.severity = "error";
	}
	qm_strbuf_adds(&k->cause,
		lacks ? "the host could not set the connection up" : "there is no connection to the target");
	add_status(k);
	qm_strbuf_adds(&k->cause, ". " NOT_THE_MAP);
	qm_strbuf_adds(&k->advice,
		lacks ? RAN_OUT :
			"check the address, the port and the network, and that the target is up and listens");
}

static void explain_plain(struct making *k, const char *cause, const char *advice)
{
	k->d.rule = "log-errno";
	qm_strbuf_adds(&k->cause, cause);
	add_status(k);
	qm_strbuf_adds(&k->cause, ". " NOT_THE_MAP);
	qm_strbuf_adds(&k->advice, advice);
}

/* Adds the CPUs and the interrupt of the queue, where the controller is there. */
static void add_place(struct making *k)
{
	const struct qm_controller *ctrl = find_controller(k);
	const struct qm_hctx *h;
	const struct qm_irq *irq;

	k->d.hctx = k->i->qid > 0 ? k->i->qid - 1 : -1;
	if (!ctrl || k->d.hctx < 0 || k->d.hctx >= (long)ctrl->n_hctx)
		return;
	h = &ctrl->hctx[k->d.hctx];
	k->d.has_cpus = true;
	qm_cpuset_copy(&k->d.cpus, h->cpus);
	qm_cpuset_copy(&k->d.offline, h->cpus);
	qm_cpuset_andnot(&k->d.offline, &k->env->m->topo.online);
	qm_strbuf_adds(&k->cause, " It serves ");
	qm_words_cpus(&k->cause, h->cpus);
	irq = h->irq >= 0 ? &k->env->m->irqs[h->irq] : NULL;
	if (irq) {
		qm_strbuf_addf(&k->cause, "; its interrupt is IRQ %u", irq->nr);
		if (irq->has_effective && !qm_cpuset_is_empty(irq->effective)) {
			qm_strbuf_adds(&k->cause, ", delivered to ");
			qm_words_cpus(&k->cause, irq->effective);
		}
	}
	qm_strbuf_addc(&k->cause, '.');
}

static void explain_timeout(struct making *k, bool polled)
{
	k->d.rule = "log-timeout";
	k->d.severity = "warning";
	qm_strbuf_adds(&k->cause,
		polled ? "a request was done, but its interrupt was missed: the timeout found it by looking, "
			 "on "
		       : "a request was not answered in time, on ");
	if (k->i->qid > 0)
		qm_words_queue(&k->cause, k->i->qid);
	else
		qm_strbuf_adds(&k->cause, "the admin queue");
	qm_strbuf_addc(&k->cause, '.');
	add_place(k);
	qm_strbuf_adds(&k->advice,
		polled ? "look at what moves this queue's interrupt: irqbalance, a script, a CPU that went offline; "
			 "qmapctl show names interrupt and CPUs"
		       : "if it is always the same queue, look at its interrupt and CPUs with qmapctl show; if it is "
			 "many, at "
			 "the device, its firmware and the path to it");
}

static void name_cpu(struct making *k)
{
	if (k->i->cpu < 0 || k->i->cpu >= (long)QM_CPU_MAX)
		return;
	k->d.has_cpus = true;
	qm_cpuset_set(&k->d.cpus, (unsigned)k->i->cpu);
}

static void explain_wrong_cpu(struct making *k)
{
	k->d.rule = "log-wrong-cpu";
	name_cpu(k);
	qm_strbuf_addf(&k->cause, "a queue was run on CPU %ld, which is not one of its own. ", k->i->cpu);
	if (k->i->near_hotplug) {
		qm_strbuf_adds(&k->cause,
			"A CPU came or went at that moment: the queue's next CPU had been chosen before. "
			"Harmless, in spite of the stack dump.");
		qm_strbuf_adds(&k->advice, "nothing needs doing");
		return;
	}
	qm_strbuf_adds(
		&k->cause, "That happens when a CPU changes its state at that moment, but the log shows none near it.");
	qm_strbuf_adds(
		&k->advice, "look whether a CPU was switched on or off then; if not, at the map, with qmapctl audit");
}

static void explain_irq(struct making *k)
{
	const struct qm_klog_incident *i = k->i;
	struct qm_strbuf *b = &k->cause, *advice = &k->advice;

	k->d.rule = i->kind == QM_KLOG_VECTORS_OUT ? "vector-exhausted" : "log-irq-lost";
	if (i->kind != QM_KLOG_IRQ_MOVED)
		k->d.severity = "warning";
	name_cpu(k);
	switch (i->kind) {
	case QM_KLOG_IRQ_NO_HANDLER:
		qm_strbuf_addf(b,
			"an interrupt came in on CPU %ld, vector %ld, that nobody waits for: it was on its way while "
			"it was being moved, or its device was set up wrongly",
			i->cpu, i->vector);
		qm_strbuf_adds(advice,
			"once, beside a CPU that went offline or an affinity that was changed, nothing needs "
			"doing; if it comes again, look for timeouts of the same moment");
		break;
	case QM_KLOG_IRQ_NO_CPU:
		qm_strbuf_addf(b, "IRQ %ld is managed and was started while none of its CPUs was online", i->irq);
		qm_strbuf_adds(advice, "bring a CPU of its queue online");
		break;
	case QM_KLOG_VECTORS_OUT:
		qm_strbuf_addf(
			b, "IRQ %ld was placed outside the CPUs asked for: they had no interrupt vector left", i->irq);
		qm_strbuf_adds(advice,
			"use fewer queues a device, or spread interrupts over more CPUs; this has nothing to do with "
			"interrupts that refuse to be moved");
		break;
	default:
		qm_strbuf_addf(b,
			"IRQ %ld lost its CPU %ld, which went offline, and was moved elsewhere; it does not go back by "
			"itself when the CPU returns",
			i->irq, i->cpu);
		qm_strbuf_adds(advice,
			"once the CPU is back, set the affinity again (qmapctl hint plan), or leave it to "
			"irqbalance");
		break;
	}
	qm_strbuf_addc(b, '.');
}

static int explain(struct making *k)
{
	switch (k->i->kind) {
	case QM_KLOG_CONNECT:
	case QM_KLOG_RECONNECT:
		if (k->i->qid != 0 && k->i->has_status && k->i->status == -EXDEV)
			return explain_exdev(k);
		if (is_not_made(k))
			return explain_not_made(k);
		explain_other_connect(k);
		break;
	case QM_KLOG_NO_CONNECTION:
		explain_no_connection(k);
		break;
	case QM_KLOG_TARGET_LIMIT:
		explain_plain(k, "the target gave no I/O queue",
			"look at the target's limit (attr_qid_max of a Linux target) and at its other connections");
		break;
	case QM_KLOG_AUTHENTICATION:
		explain_plain(k, "authentication failed",
			"compare the keys of host and target (--dhchap-secret, --dhchap-ctrl-secret)");
		break;
	case QM_KLOG_HOST_IDENTITY:
		explain_plain(k, "the same host id is in use with another host NQN, which kernels refuse since 6.12",
			"give --hostnqn and --hostid that belong together (see /etc/nvme/hostnqn and "
			"/etc/nvme/hostid)");
		break;
	case QM_KLOG_BAD_OPTION:
		explain_plain(k,
			"this kernel or transport does not know an option of the connect, or its module is not loaded",
			"load the transport's module (modprobe nvme-tcp, nvme-rdma, nvme-fc), or leave the option out");
		break;
	case QM_KLOG_MR_POOL:
		return explain_pool(k);
	case QM_KLOG_TIMEOUT:
	case QM_KLOG_TIMEOUT_POLLED:
		explain_timeout(k, k->i->kind == QM_KLOG_TIMEOUT_POLLED);
		break;
	case QM_KLOG_WRONG_CPU:
		explain_wrong_cpu(k);
		break;
	default:
		explain_irq(k);
		break;
	}
	return 0;
}

int qm_diagnose(const struct qm_klog_incident *i, const struct qm_diagnose_env *env, struct qm_diagnosis *ret)
{
	_cleanup_(making_done) struct making k = {
		.i = i,
		.env = env,
		.d = { .severity = "info", .qid = i->qid, .hctx = -1, .stands = -1 },
	};
	int r = explain(&k);

	return r < 0 ? r : finish(&k, ret);
}

int qm_diagnose_raw(const struct qm_klog_incident *i, struct qm_diagnosis *ret)
{
	_cleanup_(making_done) struct making k = {
		.i = i,
		.d = { .rule = "log-errno", .severity = "info", .qid = i->qid, .hctx = -1, .stands = -1 },
	};
	struct qm_status s;

	if (i->qid > 0)
		k.d.hctx = i->qid - 1;
	qm_status_describe(i->status, &s);
	qm_strbuf_addf(&k.cause,
		"%ld in the log is %ld (%s) with bit 14 cleared, as older kernels print errors of the Connect "
		"command.",
		i->raw, i->status, s.name);
	qm_strbuf_adds(&k.advice, "read it as that error");
	return finish(&k, ret);
}
