// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about where the interrupts of storage devices go. */
#include "audit/irqs.h"
#include "audit/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_virtqueues_name(const struct qm_irq *irq)
{
	return irq->name && strstr(irq->name, "-virtqueues");
}

/* The interrupt tied to a queue; NULL where none is known. */
static const struct qm_irq *irq_of(const struct qm_audit *a, const struct qm_hctx *h)
{
	return h->irq >= 0 && (size_t)h->irq < a->m->n_irqs ? &a->m->irqs[h->irq] : NULL;
}

/* The one CPU that an interrupt is delivered to; -1 where that is not known or not one. */
static int only_cpu(const struct qm_irq *irq)
{
	const struct qm_cpuset *s = irq->has_effective ? irq->effective : irq->requested;

	if (!irq->has_effective && !irq->has_requested)
		return -1;
	return qm_cpuset_count(s) == 1 ? qm_cpuset_first(s) : -1;
}

/* Interrupts of the controller that the user may move, as far as is known; those not known count as managed. */
static bool is_free(const struct qm_audit *a, const struct qm_controller *c, const struct qm_irq *irq)
{
	return qm_irq_is_managed(a->m, c, irq) == 0;
}

static void draft_hint_command(struct qm_draft *d, const struct qm_controller *c)
{
	qm_draft_command(d, "qmapctl hint plan %s", qm_draft_quote(d, c->name));
}

/* ---- irq-managed, irq-not-managed ---- */

static void word_managed(struct qm_draft *d, int managed)
{
	size_t n = d->f.irqs.n;

	if (managed) {
		qm_draft_message(d,
			"%zu interrupt%s placed by the kernel along the queue map: writing an affinity is refused "
			"(EIO, since Linux 6.12 EPERM), which fills irqbalance's log and is no fault.",
			n, qm_plural(n));
		qm_draft_advice(d, "Nothing needs doing.");
	} else {
		qm_draft_message(d,
			"%zu interrupt%s that the kernel does not place: where completions run is decided by the "
			"driver, irqbalance, or whoever writes an affinity.",
			n, qm_plural(n));
		qm_draft_advice(d, "Nothing needs doing unless another line finds some misplaced.");
	}
}

static int say_managed(struct qm_audit *a, const struct qm_rule *rule, size_t i, int managed)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_ids *irqs = &a->c[i].irqs;
	struct qm_draft d;

	/* Where a device has one interrupt there is nothing to spread, and no news in it. */
	if (!managed && irqs->n < 2)
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, (long)i);
	for (size_t k = 0; k < irqs->n; k++) {
		if (qm_irq_is_managed(a->m, c, &a->m->irqs[irqs->v[k]]) == managed)
			qm_draft_irq(&d, a->m->irqs[irqs->v[k]].nr);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	word_managed(&d, managed);
	return qm_draft_commit(&d);
}

static int run_irq_managed(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	return say_managed(a, rule, i, 1);
}

/* Adapters without a disk here, such as one in target mode, are seen by their interrupts' names only. */
static int run_irq_not_managed_unowned(struct qm_audit *a, const struct qm_rule *rule)
{
	_cleanup_(qm_ids_done) struct qm_ids unowned = { 0 };
	struct qm_draft d;
	int r = qm_audit_unowned_irqs(a, &unowned);

	if (r < 0)
		return r;
	qm_draft_begin(&d, a, rule, QM_INFO, -1);
	for (size_t k = 0; k < unowned.n; k++) {
		const struct qm_irq *irq = &a->m->irqs[unowned.v[k]];

		if (irq->managed == 0 && qm_irq_is_storage(irq))
			qm_draft_irq(&d, irq->nr);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	word_managed(&d, 0);
	return qm_draft_commit(&d);
}

static int run_irq_not_managed(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	return say_managed(a, rule, i, 0);
}

/* ---- irq-effective-outside-hctx ---- */

/* Is the interrupt sent to CPUs none of which the queue serves, although some of those are online? */
static bool is_outside(const struct qm_audit *a, const struct qm_hctx *h, const struct qm_irq *irq)
{
	const struct qm_cpuset *target = irq->has_requested ? irq->requested : irq->effective;

	if (h->cpus_unknown || (!irq->has_requested && !irq->has_effective) || qm_cpuset_is_empty(target))
		return false;
	return qm_cpuset_intersects(h->cpus, &a->m->topo.online) && !qm_cpuset_intersects(h->cpus, target);
}

/*
 * Marks in ret, by index, the interrupts that are where one of their queues is: one that several queues share cannot be
 * with all of them.
 */
static void mark_inside(const struct qm_audit *a, const struct qm_controller *c, bool *ret)
{
	for (size_t q = 0; q < c->n_hctx; q++) {
		const struct qm_hctx *h = &c->hctx[q];
		const struct qm_irq *irq = irq_of(a, h);

		if (!irq || (!irq->has_requested && !irq->has_effective))
			continue;
		if (h->cpus_unknown || qm_cpuset_intersects(h->cpus, irq->has_requested ? irq->requested : irq->effective))
			ret[h->irq] = true;
	}
}

static int run_irq_effective_outside_hctx(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	_cleanup_free_ bool *inside = NULL;
	struct qm_cpuset target = { 0 };
	struct qm_draft d;
	bool some_free = false;

	if (a->m->n_irqs == 0)
		return 0;
	inside = calloc(a->m->n_irqs, sizeof(*inside));
	if (!inside)
		return -ENOMEM;
	mark_inside(a, c, inside);
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		const struct qm_irq *irq = irq_of(a, &c->hctx[q]);

		if (!irq || inside[c->hctx[q].irq] || !is_outside(a, &c->hctx[q], irq))
			continue;
		some_free = some_free || is_free(a, c, irq);
		qm_draft_hctx(&d, c->hctx[q].id);
		qm_draft_irq(&d, irq->nr);
		qm_cpuset_or(&d.f.cpus, c->hctx[q].cpus);
		qm_cpuset_or(&target, irq->has_requested ? irq->requested : irq->effective);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	if (!some_free)
		d.f.severity = QM_INFO;
	qm_draft_message(&d,
		"the interrupt%s of %zu queue%s (hctx %s) %s sent to %s, which the queue%s %s not serve: each "
		"completion wakes another CPU than the one that asked.",
		qm_plural(d.f.hctx.n), d.f.hctx.n, qm_plural(d.f.hctx.n), qm_draft_idlist(&d, &d.f.hctx),
		d.f.hctx.n == 1 ? "is" : "are", qm_draft_cpus(&d, &target), qm_plural(d.f.hctx.n),
		d.f.hctx.n == 1 ? "does" : "do");
	if (some_free) {
		qm_draft_advice(&d,
			"Send each queue's interrupt to the CPUs it serves; keep irqbalance from undoing it.");
		draft_hint_command(&d, c);
	} else {
		qm_draft_advice(&d, "Nothing can be done by hand: these interrupts are managed by the kernel.");
	}
	return qm_draft_commit(&d);
}

/* ---- irq-outside-mask ---- */

/* One line for a list of interrupts in one of the two states. */
static int say_outside_mask(struct qm_audit *a, const struct qm_rule *rule, long controller, const struct qm_ids *irqs,
	enum qm_irq_outside state)
{
	struct qm_draft d;

	qm_draft_begin(&d, a, rule, QM_INFO, controller);
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];

		if (qm_irq_outside_mask(&a->m->topo, irq) != state)
			continue;
		qm_draft_irq(&d, irq->nr);
		qm_cpuset_or(&d.f.cpus, irq->effective);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	if (state == QM_OUTSIDE_PENDING)
		qm_draft_message(&d,
			"%zu interrupt%s (%s) %s last delivered outside %s mask, on %s: pending, as a move takes "
			"effect with the next interrupt.",
			d.f.irqs.n, qm_plural(d.f.irqs.n), qm_draft_idlist(&d, &d.f.irqs),
			d.f.irqs.n == 1 ? "was" : "were", d.f.irqs.n == 1 ? "its" : "their",
			qm_draft_cpus(&d, &d.f.cpus));
	else
		qm_draft_message(&d,
			"%zu interrupt%s (%s) %s shut-down: all CPUs of %s mask are offline, and the CPU shown as its "
			"target takes none.",
			d.f.irqs.n, qm_plural(d.f.irqs.n), qm_draft_idlist(&d, &d.f.irqs),
			d.f.irqs.n == 1 ? "is" : "are", d.f.irqs.n == 1 ? "its" : "their");
	qm_draft_advice(&d, "Nothing needs doing: %s.",
		state == QM_OUTSIDE_PENDING ? "an idle device keeps its old target until it works"
					 : "it starts again with the first of these CPUs");
	return qm_draft_commit(&d);
}

static int say_both_outside(struct qm_audit *a, const struct qm_rule *rule, long controller, const struct qm_ids *irqs)
{
	int r = say_outside_mask(a, rule, controller, irqs, QM_OUTSIDE_PENDING);

	return r < 0 ? r : say_outside_mask(a, rule, controller, irqs, QM_OUTSIDE_SHUT_DOWN);
}

static int run_irq_outside_mask(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	return say_both_outside(a, rule, (long)i, &a->c[i].irqs);
}

static int run_irq_outside_mask_unowned(struct qm_audit *a, const struct qm_rule *rule)
{
	_cleanup_(qm_ids_done) struct qm_ids unowned = { 0 };
	int r = qm_audit_unowned_irqs(a, &unowned);

	return r < 0 ? r : say_both_outside(a, rule, -1, &unowned);
}

/* ---- irq-all-on-one-cpu, irq-spread-low ---- */

struct spread {
	size_t n; /* free interrupts whose CPU is known */
	struct qm_cpuset on; /* the CPUs they go to */
};

static void measure_spread(const struct qm_audit *a, const struct qm_controller *c, const struct qm_ids *irqs,
	struct qm_draft *d, struct spread *ret)
{
	*ret = (struct spread){ 0 };
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];
		int cpu = only_cpu(irq);

		if (cpu < 0 || !is_free(a, c, irq))
			continue;
		ret->n++;
		qm_cpuset_set(&ret->on, (unsigned)cpu);
		qm_draft_irq(d, irq->nr);
	}
}

static bool is_all_on_one(const struct qm_audit *a, const struct spread *s)
{
	return s->n >= 2 && qm_cpuset_count(&s->on) == 1 && qm_cpuset_count(&a->m->topo.online) > 1;
}

/* What is the same to say of both, behind the message. */
static int commit_spread(struct qm_draft *d, const struct qm_controller *c, const struct spread *s)
{
	qm_cpuset_copy(&d->f.cpus, &s->on);
	qm_draft_advice(d, "They are not managed: spread them over the CPUs that use the device.");
	draft_hint_command(d, c);
	return qm_draft_commit(d);
}

static int run_irq_all_on_one_cpu(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct spread s;
	struct qm_draft d;

	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	measure_spread(a, c, &a->c[i].irqs, &d, &s);
	if (d.err == 0 && !is_all_on_one(a, &s)) {
		qm_ids_done(&d.f.irqs);
		return 0;
	}
	qm_draft_message(&d,
		"all %zu interrupts of the device go to CPU %s: it alone takes every completion, and is the "
		"first to be full.",
		s.n, qm_draft_cpulist(&d, &s.on));
	return commit_spread(&d, c, &s);
}

static int run_irq_spread_low(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct spread s;
	struct qm_draft d;
	unsigned on;

	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	measure_spread(a, c, &a->c[i].irqs, &d, &s);
	on = qm_cpuset_count(&s.on);
	if (d.err == 0 &&
		(s.n < 4 || on < 2 || on * 2 >= s.n || on * 2 > qm_cpuset_count(&a->m->topo.online))) {
		qm_ids_done(&d.f.irqs);
		return 0;
	}
	qm_draft_message(&d,
		"%zu interrupts of the device go to only %u CPUs (%s): these take all completions while others "
		"are free.",
		s.n, on, qm_draft_cpulist(&d, &s.on));
	return commit_spread(&d, c, &s);
}

/* ---- irq-remote-node ---- */

/* The CPUs of the device's node; NULL where the node is not known or has none online. */
static const struct qm_cpuset *node_cpus(const struct qm_audit *a, const struct qm_controller *c)
{
	int at = c->node >= 0 ? qm_topology_node_index(&a->m->topo, c->node) : -1;

	if (at < 0 || a->m->topo.n_nodes < 2)
		return NULL;
	return qm_cpuset_intersects(&a->m->topo.nodes[at].cpus, &a->m->topo.online) ? &a->m->topo.nodes[at].cpus : NULL;
}

static int run_irq_remote_node(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_cpuset *local = node_cpus(a, c);
	struct qm_draft d;

	if (!local)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		const struct qm_hctx *h = &c->hctx[q];
		const struct qm_irq *irq = irq_of(a, h);

		/* Only a queue that also serves CPUs near the device: one of far CPUs is best served there. */
		if (!irq || !irq->has_requested || !is_free(a, c, irq) ||
			!qm_cpuset_intersects(h->cpus, local) ||
			qm_cpuset_intersects(irq->requested, local) || qm_cpuset_is_empty(irq->requested))
			continue;
		qm_draft_hctx(&d, h->id);
		qm_draft_irq(&d, irq->nr);
		qm_cpuset_or(&d.f.cpus, irq->requested);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"the interrupt%s of %zu queue%s (hctx %s) %s sent to %s, off the device's node %d, although "
		"the queue%s serve%s CPUs there: completions read and write memory across the link between "
		"nodes.",
		qm_plural(d.f.hctx.n), d.f.hctx.n, qm_plural(d.f.hctx.n), qm_draft_idlist(&d, &d.f.hctx),
		d.f.hctx.n == 1 ? "is" : "are", qm_draft_cpus(&d, &d.f.cpus), c->node, qm_plural(d.f.hctx.n),
		d.f.hctx.n == 1 ? "s" : "");
	qm_draft_advice(&d, "Send them to the queue's CPUs on node %d.", c->node);
	draft_hint_command(&d, c);
	return qm_draft_commit(&d);
}

/* ---- irq-hint-ignored ---- */

static int run_irq_hint_ignored(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_ids *irqs = &a->c[i].irqs;
	struct qm_draft d;

	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];

		if (!irq->has_hint || !irq->has_requested || !is_free(a, c, irq) ||
			!qm_cpuset_intersects(irq->hint, &a->m->topo.online) ||
			qm_cpuset_intersects(irq->hint, irq->requested))
			continue;
		qm_draft_irq(&d, irq->nr);
		qm_cpuset_or(&d.f.cpus, irq->hint);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"%zu interrupt%s (%s) %s kept away from the CPUs that the driver asks for (%s): completions "
		"meant for these gather on other CPUs, up to soft lockups under load.",
		d.f.irqs.n, qm_plural(d.f.irqs.n), qm_draft_idlist(&d, &d.f.irqs),
		d.f.irqs.n == 1 ? "is" : "are", qm_draft_cpulist(&d, &d.f.cpus));
	qm_draft_advice(&d,
		"Let the hints count (irqbalance --hintpolicy=exact, where it has that), or move the "
		"interrupts, or set rq_affinity to 2.");
	draft_hint_command(&d, c);
	return qm_draft_commit(&d);
}

/* ---- single-vector-shared, irq-shared-devices ---- */

/* Handlers of how many devices: the words of their names that end in a number, "virtio3" of "virtio3-req.0". */
static unsigned devices_of(const struct qm_irq *irq)
{
	const char *p = irq->name, *name, *first = NULL;
	size_t len, first_len = 0;
	unsigned n = 0;

	while (qm_irq_next_name(&p, &name, &len)) {
		size_t word = 0;

		/* "nvme0q0" and "nvme0q1" are of one device. */
		while (word < len &&
			!strchr("-[ :.",
				name[word]) &&
			!(word && name[word] == 'q' && name[word - 1] <= '9'))
			word++;
		if (first && word == first_len && strncmp(first, name, word) == 0)
			continue;
		first = name;
		first_len = word;
		n++;
	}
	return n;
}

static int run_single_vector_shared(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_ids *irqs = &a->c[i].irqs;
	const struct qm_irq *irq = irqs->n == 1 ? &a->m->irqs[irqs->v[0]] : NULL;
	bool virtio = c->driver && strncmp(c->driver, "virtio_", 7) == 0;
	struct qm_draft d;

	if (!irq)
		return 0;
	/* One vector for several queues; or a virtual disk on a line with other devices. */
	if (!(c->n_hctx > 1 && (has_virtqueues_name(irq) || c->hctx[1].irq >= 0)) &&
		!(virtio && devices_of(irq) > 1))
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++)
		qm_draft_hctx(&d, c->hctx[q].id);
	qm_draft_irq(&d, irq->nr);
	qm_draft_message(&d,
		"%zu queue%s share%s one interrupt (IRQ %u): completions of all CPUs arrive on one, and the "
		"queue map does not follow any vector.",
		c->n_hctx, qm_plural(c->n_hctx), c->n_hctx == 1 ? "s" : "", irq->nr);
	qm_draft_advice(&d, "%s",
		virtio ? "Give the device a vector per queue on the host (vectors= at least queues + 1, MSI-X "
			 "enabled); the guest cannot."
		       : "Give the device more vectors: firmware settings, or the driver's parameters.");
	return qm_draft_commit(&d);
}

static int run_irq_shared_devices(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_ids *irqs = &a->c[i].irqs;
	struct qm_draft d;
	const char *names = NULL;

	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];

		if (devices_of(irq) < 2)
			continue;
		qm_draft_irq(&d, irq->nr);
		names = names ? names : irq->name;
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"IRQ %s is shared with other devices (%s): each interrupt runs all their handlers on one CPU, "
		"and counts cannot be told apart.",
		qm_draft_idlist(&d, &d.f.irqs), names ? names : "");
	qm_draft_advice(&d, "Give the device interrupts of its own (MSI-X; in a virtual machine on the host).");
	return qm_draft_commit(&d);
}

/* ---- irq-untied ---- */

static int run_irq_untied(struct qm_audit *a, const struct qm_rule *rule)
{
	_cleanup_free_ bool *tied = calloc(a->m->n_irqs + 1, sizeof(*tied));
	struct qm_draft d;

	if (!tied)
		return -ENOMEM;
	if (a->opt->controllers)
		return 0;
	for (size_t i = 0; i < a->m->n_controllers; i++) {
		for (size_t q = 0; q < a->m->controllers[i].n_hctx; q++) {
			if (irq_of(a, &a->m->controllers[i].hctx[q]))
				tied[a->m->controllers[i].hctx[q].irq] = true;
		}
	}
	qm_draft_begin(&d, a, rule, QM_INFO, -1);
	for (size_t i = 0; i < a->m->n_irqs; i++) {
		if (!tied[i] && a->m->irqs[i].role == QM_ROLE_NONE && qm_irq_has_nameless_owner(&a->m->irqs[i]))
			qm_draft_irq(&d, a->m->irqs[i].nr);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"%zu storage interrupt%s (%s) cannot be tied to a queue: the driver's names carry no number, so which "
		"queue completes where is not known.",
		d.f.irqs.n, qm_plural(d.f.irqs.n), qm_draft_idlist(&d, &d.f.irqs));
	qm_draft_advice(&d, "Nothing needs doing; the order of the numbers is a guess at the order of the queues.");
	return qm_draft_commit(&d);
}

/* ---- irqbalance-active ---- */

/* Was an interrupt that can be moved found misplaced? Said by the rules before this one in the table. */
static bool some_misplaced(const struct qm_audit *a)
{
	static const char *const rules[] = {
		"irq-effective-outside-hctx",
		"irq-remote-node",
		"irq-all-on-one-cpu",
		"irq-spread-low",
		"irq-hint-ignored",
	};

	for (size_t i = 0; i < a->out->n; i++) {
		for (size_t k = 0; k < QM_ARRAY_SIZE(rules); k++) {
			if (a->out->v[i].severity == QM_WARNING && strcmp(a->out->v[i].rule->name, rules[k]) == 0)
				return true;
		}
	}
	return false;
}

static int run_irqbalance_active(struct qm_audit *a, const struct qm_rule *rule)
{
	bool misplaced = some_misplaced(a);
	struct qm_draft d;
	size_t i;

	if (a->m->irqbalance != 1)
		return 0;
	qm_draft_begin(&d, a, rule, misplaced ? QM_WARNING : QM_INFO, -1);
	QM_AUDIT_FOREACH(i, a) {
		for (size_t k = 0; k < a->c[i].irqs.n; k++) {
			const struct qm_irq *irq = &a->m->irqs[a->c[i].irqs.v[k]];

			if (is_free(a, &a->m->controllers[i], irq))
				qm_draft_irq(&d, irq->nr);
		}
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"irqbalance runs and moves %zu storage interrupt%s (%s) that the kernel does not manage%s.",
		d.f.irqs.n, qm_plural(d.f.irqs.n), qm_draft_idlist(&d, &d.f.irqs),
		misplaced ? "; some are misplaced, and what is set by hand it will undo" : "");
	qm_draft_advice(&d,
		misplaced ? "Ban these interrupts from irqbalance before placing them by hand."
			  : "Nothing needs doing. Ban them from irqbalance if they are to stay where somebody puts "
			    "them.");
	if (misplaced)
		qm_draft_command(&d, "qmapctl hint export --format irqbalance");
	return qm_draft_commit(&d);
}

const struct qm_rule qm_rules_irq[] = {
	{
		.name = "irq-managed",
		.severity = QM_INFO,
		.family = "irq",
		.title = "the kernel places the device's interrupts itself",
		.text = "Meaning: the driver asked for managed interrupts: the kernel ties each to a set of CPUs when "
			"the device starts and makes the queue map from the same sets.\n"
			"Consequence: writing smp_affinity is refused, so irqbalance logs \"cannot change affinity\" "
			"for each. When all CPUs of such an interrupt go offline it is shut down, and starts again "
			"with the first that returns.\n"
			"Remedy: nothing needs doing. To change their places change the number of queues, or "
			"isolcpus=managed_irq.\n"
			"Kernels: nvme since 4.9, most storage drivers since. The refusal is EIO up to 6.11 and EPERM "
			"from 6.12 on, where the files are also read-only.\n"
			"No problem: always.",
		.each = run_irq_managed,
	},
	{
		.name = "irq-not-managed",
		.severity = QM_INFO,
		.family = "irq",
		.title = "the device's interrupts can be moved by hand",
		.text = "Meaning: the driver, or its present mode, does not use managed interrupts: their affinity is "
			"a file anybody with the right may write, and no queue's CPUs follow from it.\n"
			"Consequence: irqbalance or scripts decide where completions run. The tie between interrupt "
			"and queue is known by name or order only.\n"
			"Remedy: none unless they are misplaced; qmapctl hint plan shows what would be better.\n"
			"Kernels: all; qla2xxx in target mode, Xen disks and older HBA drivers for example.\n"
			"No problem: always by itself.",
		.each = run_irq_not_managed,
		.run = run_irq_not_managed_unowned,
	},
	{
		.name = "irq-all-on-one-cpu",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "all interrupts of a device go to one CPU",
		.text = "Meaning: the device has several interrupts that may be moved, and all of them arrive on the "
			"same CPU.\n"
			"Consequence: that CPU does every completion and saturates while the others wait for it.\n"
			"Remedy: spread them (qmapctl hint plan DEV), and tell irqbalance to leave them there.\n"
			"Kernels: all. Xen event channels start on CPU 0; some interrupt controllers of Hyper-V and "
			"arm64 do so too.\n"
			"No problem: idle devices, and machines with one CPU.",
		.each = run_irq_all_on_one_cpu,
	},
	{
		.name = "irq-effective-outside-hctx",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "a queue's interrupt is sent to CPUs that the queue does not serve",
		.text = "Meaning: the mask asked for the interrupt and the CPUs of its queue have none in common.\n"
			"Consequence: each completion arrives on a stranger, which must wake the CPU that asked: two "
			"cache misses and an inter-processor interrupt per request.\n"
			"Remedy: send it to the queue's CPUs (qmapctl hint plan DEV).\n"
			"Kernels: all with unmanaged interrupts. A managed one cannot be outside unless its driver "
			"maps queues in its own way; then it is only said.\n"
			"No problem: where only the CPU in use differs from the mask, which is irq-outside-mask; an "
			"interrupt that several queues share, at CPUs of one of them.",
		.each = run_irq_effective_outside_hctx,
	},
	{
		.name = "irq-remote-node",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "an interrupt is sent away from the device's NUMA node",
		.text = "Meaning: the queue serves CPUs on the device's node, and its interrupt may only go to CPUs of "
			"other nodes.\n"
			"Consequence: completion entries are written on one node and read on another: each request "
			"crosses the link.\n"
			"Remedy: send it to the queue's CPUs on the device's node (qmapctl hint plan DEV).\n"
			"Kernels: all. The file /proc/irq/N/node follows the affinity and does not tell where the "
			"device is.\n"
			"No problem: queues that serve CPUs of other nodes only; managed interrupts.",
		.each = run_irq_remote_node,
	},
	{
		.name = "irq-spread-low",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "many interrupts of a device go to few CPUs",
		.text = "Meaning: the device has four or more interrupts that can be moved, and they arrive on fewer "
			"than half as many CPUs.\n"
			"Consequence: these CPUs take all completions while others are free.\n"
			"Remedy: spread them (qmapctl hint plan DEV).\n"
			"Kernels: all.\n"
			"No problem: machines with fewer CPUs than the device has interrupts; they are measured by the "
			"CPUs there are.",
		.each = run_irq_spread_low,
	},
	{
		.name = "irq-hint-ignored",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "an interrupt is kept away from the CPUs its driver asks for",
		.text = "Meaning: the driver publishes an affinity hint, and the mask in force has no CPU of it.\n"
			"Consequence: completions meant for the CPUs of the hint gather elsewhere; on large machines "
			"with one CPU taking them all, soft lockups were the result.\n"
			"Remedy: a balancer policy that follows hints exactly, or moving the interrupts, or "
			"rq_affinity=2.\n"
			"Kernels: up to about 5.x, drivers without managed interrupts (mpt3sas, megaraid_sas); "
			"irqbalance's hint policy subset keeps hints only inside the device's node.\n"
			"No problem: wider masks that include the hint.",
		.each = run_irq_hint_ignored,
	},
	{
		.name = "single-vector-shared",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "all queues of a device share one interrupt",
		.text = "Meaning: the device has one interrupt for all its queues, or has to share a line with other "
			"devices.\n"
			"Consequence: all completions arrive on one CPU, and the map falls back to the generic rule, "
			"as there are no vectors to take it from.\n"
			"Remedy: enough MSI-X vectors: on the host for a virtual device, in firmware or driver "
			"parameters else.\n"
			"Kernels: all.\n"
			"No problem: a device with one queue and an interrupt of its own.",
		.each = run_single_vector_shared,
	},
	{
		.name = "irq-shared-devices",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "a storage interrupt is shared with other devices",
		.text = "Meaning: several devices' handlers are on one interrupt, usually a level-triggered line "
			"without MSI-X.\n"
			"Consequence: every interrupt runs all handlers on one CPU; load adds up there, and counts "
			"cannot be told apart.\n"
			"Remedy: MSI-X for the device, in a virtual machine on the host.\n"
			"Kernels: all.\n"
			"No problem: admin and I/O queue of one device on a shared vector.",
		.each = run_irq_shared_devices,
	},
	{
		.name = "irq-outside-mask",
		.severity = QM_INFO,
		.family = "irq",
		.title = "an interrupt's CPU in use is not in its mask",
		.text = "Meaning: effective_affinity names a CPU outside smp_affinity. Either a move is pending until "
			"the next interrupt, or a managed interrupt is shut down because all its CPUs are offline.\n"
			"Consequence: none: a pending move takes effect with the device's next interrupt, and nothing "
			"arrives at a shut down one.\n"
			"Remedy: nothing needs doing. If it stays so while the device works, the CPUs asked for have "
			"no free vector: see vector-exhausted.\n"
			"Kernels: all.\n"
			"No problem: always.",
		.each = run_irq_outside_mask,
		.run = run_irq_outside_mask_unowned,
	},
	{
		.name = "irq-not-movable",
		.severity = QM_INFO,
		.family = "irq",
		.title = "an interrupt refuses to be moved although it is not managed",
		.text = "Meaning: the interrupt controller or driver cannot set an affinity: the mask shows all CPUs, "
			"one is in use, and a write has no effect or fails. It looks like a managed interrupt and has "
			"another cause.\n"
			"Consequence: the CPU in use takes all of the device's interrupts.\n"
			"Remedy: none by hand; MSI-X instead of a line, where the device can.\n"
			"Kernels: all. It shows only when a write is tried: qmapctl hint apply reports it by reason.\n"
			"No problem: slow devices.",
	},
	{
		.name = "irq-untied",
		.severity = QM_INFO,
		.family = "irq",
		.title = "a storage interrupt cannot be tied to a queue",
		.text = "Meaning: the driver gives all its interrupts the same name (blkif, smartpqi, aacraid, "
			"hisi_sas), so the queue behind each is not certain.\n"
			"Consequence: rules that compare a queue with its interrupt stay silent for the device.\n"
			"Remedy: nothing needs doing.\n"
			"Kernels: all.\n"
			"No problem: always.",
		.run = run_irq_untied,
	},
	{
		.name = "irqbalance-active",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "irqbalance moves storage interrupts",
		.text = "Meaning: the daemon runs, and the machine has storage interrupts that the kernel does not "
			"manage.\n"
			"Consequence: placements by hand are undone within seconds. On some virtual machines and older "
			"arm64 kernels moving interrupts under load lost some, with timeouts and \"completion "
			"polled\".\n"
			"Remedy: ban the interrupts (qmapctl hint export writes a policy), or stop the daemon.\n"
			"Kernels: all. It is a warning only where such an interrupt is misplaced.\n"
			"No problem: managed interrupts, which it cannot move.",
		.run = run_irqbalance_active,
	},
	{ 0 },
};
