// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where interrupts belong. Looked at are the interrupts, not the queues: one may serve several queues, and several devices
 * on an old line, and a single queue may hide many vectors of an adapter.
 */
#include "hint/planner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "audit/irqs.h"
#include "base/strbuf.h"

/* One interrupt and what it serves. */
struct target {
	const struct qm_irq *irq;
	const struct qm_controller *c; /* the first of those it serves */
	const struct qm_hctx *h;       /* and its first queue */
	size_t queues, controllers;
	bool reply;            /* one of several vectors behind the only queue: the driver deals the CPUs to them */
	struct qm_cpuset cpus; /* of all its queues */
	int node;              /* the devices' common one, else -1 */
	/* what is made of it */
	struct qm_cpuset mask;
	const char *why;
	bool done;
};

struct targets {
	struct target *v;
	size_t n, cap;
	size_t *of; /* per interrupt of the machine: index + 1, 0 = not there */
};

static void targets_done(struct targets *t)
{
	free(t->v);
	free(t->of);
}

const struct qm_irq *qm_planner_irq(const struct qm_planner *pl, const struct qm_hctx *h)
{
	if (h->irq < 0 || (size_t)h->irq >= pl->m->n_irqs)
		return NULL;
	return &pl->m->irqs[h->irq];
}

/* With create false only an interrupt that is there already gets the queue, too. */
static int add_queue(const struct qm_planner *pl, struct targets *x, const struct qm_irq *irq, const struct qm_controller *c,
		     const struct qm_hctx *h, bool reply, bool create)
{
	size_t *at = &x->of[irq - pl->m->irqs];
	struct target *t;
	int r;

	if (*at) {
		t = &x->v[*at - 1];
		t->queues++;
		t->controllers += t->c != c;
		t->node = t->node == c->node ? t->node : -1;
		qm_cpuset_or(&t->cpus, h->cpus);
		return 0;
	}
	if (!create)
		return 0;
	r = qm_array_grow(&x->v, &x->cap, x->n + 1, sizeof(*x->v));
	if (r < 0)
		return r;
	t = &x->v[x->n++];
	*t = (struct target){ .irq = irq, .c = c, .h = h, .queues = 1, .controllers = 1, .reply = reply, .node = c->node };
	qm_cpuset_copy(&t->cpus, h->cpus);
	*at = x->n;
	return 0;
}

static int add_controller(const struct qm_planner *pl, struct targets *x, size_t index, bool create)
{
	const struct qm_controller *c = &pl->m->controllers[index];
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_hctx; i++) {
		const struct qm_irq *irq = qm_planner_irq(pl, &c->hctx[i]);

		if (irq && c->hctx[i].mapped)
			r = add_queue(pl, x, irq, c, &c->hctx[i], false, create);
	}
	if (c->n_hctx != 1 || !c->hctx[0].mapped || c->hctx[0].irq >= 0)
		return r;
	for (size_t i = 0; r == 0 && i < pl->m->n_irqs; i++) {
		const struct qm_irq *irq = &pl->m->irqs[i];

		if (irq->controller == (long)index && irq->role == QM_ROLE_REPLY)
			r = add_queue(pl, x, irq, c, &c->hctx[0], true, create);
	}
	return r;
}

/* Those of the selected controllers, with all that others have to do with them. */
static int collect(const struct qm_planner *pl, struct targets *x)
{
	int r;

	x->of = calloc(pl->m->n_irqs ? pl->m->n_irqs : 1, sizeof(*x->of));
	r = x->of ? 0 : -ENOMEM;
	for (size_t i = 0; r == 0 && i < pl->m->n_controllers; i++) {
		if (qm_plan_is_selected(pl->opt, i))
			r = add_controller(pl, x, i, true);
	}
	for (size_t i = 0; r == 0 && i < pl->m->n_controllers; i++) {
		if (!qm_plan_is_selected(pl->opt, i))
			r = add_controller(pl, x, i, false);
	}
	return r;
}

/*
 * 1: the kernel keeps it, 0: it may be moved, -1: nobody says. Red Hat's 3.10 has the managed interrupts that came to others
 * with Linux 4.8.
 */
static int is_managed(const struct qm_planner *pl, const struct target *t)
{
	if (t->irq->managed < 0 && pl->m->kernel.distro == QM_DISTRO_RHEL && !qm_kernel_is_at_least(&pl->m->kernel, 4, 8))
		return -1;
	return qm_irq_is_managed(pl->m, t->c, t->irq);
}

static int note_ids(const struct qm_planner *pl, const struct qm_controller *c, struct qm_ids *ids, const char *before,
		    const char *after)
{
	struct qm_strbuf list = { 0 };
	int r;

	qm_ids_sort(ids);
	qm_ids_format(ids, &list);
	r = list.err;
	if (r == 0)
		r = qm_plan_add_note(pl->p, c->name, "%s %s%s", before, qm_strbuf_str(&list), after);
	qm_strbuf_done(&list);
	return r;
}

/* Leaves out what may not be moved or nobody wants moved, and says so, once per controller. */
static int leave_out(const struct qm_planner *pl, struct targets *x, const struct qm_controller *c)
{
	struct qm_ids unknown = { 0 }, banned = { 0 };
	size_t managed = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < x->n; i++) {
		struct target *t = &x->v[i];
		int is;

		if (t->c != c)
			continue;
		is = is_managed(pl, t);
		managed += is == 1;
		t->done = is != 0 || qm_ids_has(&pl->opt->exclude, t->irq->nr);
		if (is == -1) {
			r = qm_ids_add(&unknown, t->irq->nr);
		} else if (!t->done && qm_ids_has(&pl->m->irqbalance_banned, t->irq->nr)) {
			t->done = true;
			r = qm_ids_add(&banned, t->irq->nr);
		}
	}
	if (r == 0 && managed)
		r = qm_plan_add_note(pl->p, c->name,
				     "%zu interrupt%s placed by the kernel (managed); only another number of queues or "
				     "isolcpus=managed_irq on the kernel line would place %s otherwise",
				     managed, managed > 1 ? "s are" : " is", managed > 1 ? "them" : "it");
	if (r == 0 && unknown.n)
		r = note_ids(pl, c, &unknown, "nothing tells whether the kernel lets anybody move IRQ",
			     pl->m->privileged ?
				     ", so it stays; a plan of your own may name it" :
				     ", so it stays; root may find it in debugfs, and a plan of your own may name it");
	if (r == 0 && banned.n)
		r = note_ids(pl, c, &banned, "irqbalance is told to keep off IRQ",
			     " (--banirq): somebody places it by hand, so it stays");
	qm_ids_done(&unknown);
	qm_ids_done(&banned);
	return r;
}

/* The CPUs that should take an interrupt: its queue's own usable ones, of the device's node where it has some there. */
static void wanted_cpus(const struct qm_planner *pl, const struct target *t, struct qm_cpuset *ret, bool *ret_cut)
{
	const struct qm_topology *topo = &pl->m->topo;
	int node = t->node < 0 ? -1 : qm_topology_node_index(topo, t->node);

	qm_cpuset_copy(ret, &t->cpus);
	qm_cpuset_and(ret, &pl->usable);
	*ret_cut = false;
	/* Vectors behind one queue complete for CPUs of all nodes. */
	if (node >= 0 && !t->reply && qm_topology_count_nodes(topo, ret) > 1 &&
	    qm_cpuset_intersects(ret, &topo->nodes[node].cpus)) {
		qm_cpuset_and(ret, &topo->nodes[node].cpus);
		*ret_cut = true;
	}
}

/*
 * The i-th of n runs of the set, as drivers deal CPUs to vectors: in order, the first of them one more. Single CPUs, in
 * turn, where there are fewer CPUs than runs.
 */
static void take_share(const struct qm_cpuset *set, size_t i, size_t n, struct qm_cpuset *ret)
{
	size_t count = qm_cpuset_count(set), more = count % n, first, size, at = 0;
	int cpu;

	if (count <= n) {
		first = count ? i % count : 0;
		size = 1;
	} else {
		first = i * (count / n) + (i < more ? i : more);
		size = count / n + (i < more);
	}
	qm_cpuset_zero(ret);
	QM_CPUSET_FOREACH(cpu, set) {
		if (at >= first && at < first + size)
			qm_cpuset_set(ret, (unsigned)cpu);
		at++;
	}
}

/* Follows the driver's hint where it lies within the queue; why tells either way. */
static void follow_hint(const struct qm_planner *pl, struct target *t)
{
	struct qm_cpuset hint;

	if (!t->irq->has_hint || qm_cpuset_is_empty(t->irq->hint))
		return;
	qm_cpuset_copy(&hint, t->irq->hint);
	qm_cpuset_and(&hint, &pl->usable);
	if (!qm_cpuset_is_subset(t->irq->hint, &t->cpus) || qm_cpuset_is_empty(&hint)) {
		t->why = "its own CPUs (the driver's affinity_hint names others and is not followed)";
		return;
	}
	qm_cpuset_copy(&t->mask, &hint);
	t->why = "the driver's affinity_hint agrees with the queue";
}

static const char *why_these(const struct target *t, size_t n, bool cut)
{
	if (t->reply)
		return "its share of them, as the driver deals CPUs to its vectors";
	if (n > 1)
		return "one share of its CPUs for each of its vectors";
	if (cut)
		return "those on the device's node, since they span nodes";
	if (t->controllers > 1)
		return "the CPUs of all devices on this line";
	return t->queues > 1 ? "the CPUs of all queues of this vector" : "its own CPUs";
}

/* The masks of n interrupts that serve the same CPUs. */
static void choose_masks(const struct qm_planner *pl, struct target **v, size_t n, struct qm_cpuset *ret_want)
{
	struct qm_cpuset dealt;
	bool cut;

	wanted_cpus(pl, v[0], ret_want, &cut);
	qm_cpuset_copy(&dealt, ret_want);
	if (v[0]->reply) {
		/* The driver deals them without asking who is isolated. */
		qm_cpuset_copy(&dealt, &v[0]->cpus);
		qm_cpuset_and(&dealt, &pl->m->topo.online);
	}
	for (size_t i = 0; i < n; i++) {
		take_share(&dealt, i, n, &v[i]->mask);
		qm_cpuset_and(&v[i]->mask, ret_want);
		v[i]->why = why_these(v[i], n, cut);
		follow_hint(pl, v[i]);
	}
}

/* The CPU that takes the interrupt, as far as it is known. */
static int target_cpu(const struct qm_irq *irq, const struct qm_cpuset *live)
{
	int cpu = irq->has_effective ? qm_cpuset_first(irq->effective) : -1;

	return cpu >= 0 && qm_cpuset_test(live, (unsigned)cpu) ? cpu : qm_cpuset_first(live);
}

/* Is every vector where it may be, and does no CPU take two while another takes none? */
static bool is_well_placed(const struct qm_planner *pl, struct target **v, size_t n, const struct qm_cpuset *want)
{
	struct qm_cpuset seen = { 0 }, twice = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct qm_cpuset live;
		int cpu;

		/* A mask may name offline CPUs too: no interrupt goes there. */
		qm_cpuset_copy(&live, v[i]->irq->requested);
		qm_cpuset_and(&live, &pl->m->topo.online);
		if (!v[i]->irq->has_requested || qm_cpuset_is_empty(&live) ||
		    !qm_cpuset_is_subset(&live, v[i]->reply ? &v[i]->mask : want))
			return false;
		cpu = target_cpu(v[i]->irq, &live);
		qm_cpuset_set(qm_cpuset_test(&seen, (unsigned)cpu) ? &twice : &seen, (unsigned)cpu);
	}
	return v[0]->reply || qm_cpuset_is_empty(&twice) || qm_cpuset_is_equal(&seen, want);
}

static int add_change(const struct qm_planner *pl, const struct target *t)
{
	_cleanup_free_ char *new = NULL, *old = NULL;
	struct qm_dir top = qm_root_dir(pl->root);
	struct qm_strbuf reason = { 0 };
	const char *text;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity_list", t->irq->nr);
	r = qm_dir_read(&top, path, &text);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* gone or unreadable: a problem by now, and nothing to plan */
	old = strdup(text);
	r = old ? qm_planner_list(&t->mask, &new) : -ENOMEM;
	if (r < 0)
		return r;
	if (t->queues == 1)
		qm_strbuf_addf(&reason, "hctx %u serves CPUs ", t->h->id);
	else
		qm_strbuf_addf(&reason, "it serves %zu queues with CPUs ", t->queues);
	qm_cpuset_format(&t->cpus, &reason);
	qm_strbuf_addf(&reason, "; %s", t->why);
	r = reason.err;
	if (r == 0)
		r = qm_plan_add(pl->p, QM_CHANGE_IRQ, path, old, new, t->c->name, reason.s, t->irq->name);
	qm_strbuf_done(&reason);
	return r;
}

/* Interrupts of one controller that serve the same CPUs: these are shared out among them. */
static int place_group(const struct qm_planner *pl, struct target **v, size_t n)
{
	struct qm_cpuset want;
	int r = 0;

	choose_masks(pl, v, n, &want);
	if (!qm_cpuset_is_empty(&want) && is_well_placed(pl, v, n, &want))
		return 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct qm_irq *irq = v[i]->irq;

		if (qm_cpuset_is_empty(&v[i]->mask))
			r = qm_plan_add_note(pl->p, v[i]->c->name,
					     "hctx %u: none of its CPUs is online and free for interrupts; IRQ %u stays",
					     v[i]->h->id, irq->nr);
		else if (!irq->has_requested || !qm_cpuset_is_equal(irq->requested, &v[i]->mask))
			r = add_change(pl, v[i]);
	}
	return r;
}

static int place_all(const struct qm_planner *pl, struct targets *x)
{
	_cleanup_free_ struct target **v = calloc(x->n ? x->n : 1, sizeof(struct target *));
	int r = v ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < x->n; i++) {
		size_t n = 0;

		for (size_t k = i; !x->v[i].done && k < x->n; k++) {
			struct target *t = &x->v[k];

			if (k == i || (!t->done && t->c == x->v[i].c && qm_cpuset_is_equal(&t->cpus, &x->v[i].cpus)))
				v[n++] = t;
		}
		for (size_t k = 0; k < n; k++)
			v[k]->done = true;
		if (n)
			r = place_group(pl, v, n);
	}
	return r;
}

int qm_planner_place(struct qm_planner *pl, size_t *vectors)
{
	_cleanup_(targets_done) struct targets x = { 0 };
	int r;

	r = collect(pl, &x);
	for (size_t i = 0; r == 0 && i < pl->m->n_controllers; i++) {
		const struct qm_controller *c = &pl->m->controllers[i];

		vectors[i] = 0;
		if (!qm_plan_is_selected(pl->opt, i))
			continue;
		/* A line that serves several devices is one vector of each. */
		for (size_t k = 0; k < x.n; k++)
			vectors[i] += x.v[k].c == c;
		if (!vectors[i]) {
			for (size_t k = 0; k < c->n_hctx && !vectors[i]; k++)
				vectors[i] = c->hctx[k].irq >= 0;
		}
		r = leave_out(pl, &x, c);
	}
	return r == 0 ? place_all(pl, &x) : r;
}
