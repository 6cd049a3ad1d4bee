// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What should change: for every unmanaged interrupt of a queue the mask that serves the queue, for every disk the
 * rq_affinity that brings completions home. What is good already is left alone, and nothing is proposed that the kernel
 * would refuse.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "hint/hint.h"
#include "hint/nvme.h"
#include "map/driver.h"

struct planner {
	struct qm_root *root;
	const struct qm_machine *m;
	const struct qm_plan_options *opt;
	struct qm_cpuset usable; /* online, not isolated, not reserved */
	struct qm_plan *p;
};

/* Vectors that serve the same CPUs: one per queue as a rule, several where a driver hides its reply queues behind one. */
struct vectors {
	const struct qm_controller *c;
	const struct qm_hctx **hctx;
	const struct qm_irq **irq;
	size_t n;
};

static bool is_managed(const struct qm_irq *irq, const struct qm_driver_rule *rule)
{
	if (irq->managed >= 0)
		return irq->managed == 1;
	return rule->managed;
}

static const struct qm_irq *irq_of(const struct planner *pl, const struct qm_hctx *h)
{
	if (h->irq < 0 || (size_t)h->irq >= pl->m->n_irqs)
		return NULL;
	return &pl->m->irqs[h->irq];
}

static unsigned count_nodes(const struct qm_topology *t, const struct qm_cpuset *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_nodes; i++)
		n += qm_cpuset_intersects(&t->nodes[i].cpus, set);
	return n;
}

static unsigned count_groups(const struct qm_groups *g, const struct qm_cpuset *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++)
		n += qm_cpuset_intersects(&g->sets[i], set);
	return n;
}

/* The CPUs that should take a queue's interrupt: its own usable ones, of the device's node where it has some there. */
static void wanted_cpus(const struct planner *pl, const struct qm_controller *c, const struct qm_hctx *h,
			struct qm_cpuset *ret, bool *ret_cut)
{
	int node = c->node < 0 ? -1 : qm_topology_node_index(&pl->m->topo, c->node);

	qm_cpuset_copy(ret, &h->cpus);
	qm_cpuset_and(ret, &pl->usable);
	*ret_cut = false;
	if (node >= 0 && count_nodes(&pl->m->topo, ret) > 1 &&
	    qm_cpuset_intersects(ret, &pl->m->topo.nodes[node].cpus)) {
		qm_cpuset_and(ret, &pl->m->topo.nodes[node].cpus);
		*ret_cut = true;
	}
}

static int list_text(const struct qm_cpuset *set, char **ret)
{
	struct qm_strbuf b = { 0 };
	int r;

	qm_cpuset_format(set, &b);
	r = qm_strbuf_take(&b, ret);
	qm_strbuf_done(&b);
	return r;
}

static int add_irq_change(const struct planner *pl, const struct vectors *v, size_t i, const struct qm_cpuset *mask,
			  const char *why)
{
	_cleanup_free_ char *new = NULL, *old = NULL;
	struct qm_dir top = qm_root_dir(pl->root);
	struct qm_strbuf reason = { 0 };
	const char *text;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity_list", v->irq[i]->nr);
	r = qm_dir_read(&top, path, &text);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* gone or unreadable: a problem by now, and nothing to plan */
	old = strdup(text);
	r = old ? list_text(mask, &new) : -ENOMEM;
	if (r < 0)
		return r;
	qm_strbuf_addf(&reason, "hctx %u serves CPUs ", v->hctx[i]->id);
	qm_cpuset_format(&v->hctx[i]->cpus, &reason);
	qm_strbuf_addf(&reason, "; %s", why);
	r = reason.err;
	if (r == 0)
		r = qm_plan_add(pl->p, QM_CHANGE_IRQ, path, old, new, v->c->name, reason.s);
	qm_strbuf_done(&reason);
	return r;
}

/* The CPU that takes the interrupt, as far as it is known. */
static int target_cpu(const struct qm_irq *irq, const struct qm_cpuset *live)
{
	int cpu = irq->has_effective ? qm_cpuset_first(&irq->effective) : -1;

	return cpu >= 0 && qm_cpuset_test(live, (unsigned)cpu) ? cpu : qm_cpuset_first(live);
}

/* Is every vector inside the wanted CPUs, and does no CPU take two while another takes none? */
static bool is_well_placed(const struct planner *pl, const struct vectors *v, const struct qm_cpuset *want)
{
	struct qm_cpuset seen = { 0 }, twice = { 0 };

	for (size_t i = 0; i < v->n; i++) {
		struct qm_cpuset live;
		int cpu;

		/* A mask may name offline CPUs too: no interrupt goes there. */
		qm_cpuset_copy(&live, &v->irq[i]->requested);
		qm_cpuset_and(&live, &pl->m->topo.online);
		if (!v->irq[i]->has_requested || qm_cpuset_is_empty(&live) || !qm_cpuset_is_subset(&live, want))
			return false;
		cpu = target_cpu(v->irq[i], &live);
		qm_cpuset_set(qm_cpuset_test(&seen, (unsigned)cpu) ? &twice : &seen, (unsigned)cpu);
	}
	return qm_cpuset_is_empty(&twice) || qm_cpuset_is_equal(&seen, want);
}

/* The i-th of n near-equal runs of the set; single CPUs, dealt in turn, where there are fewer CPUs than runs. */
static void take_share(const struct qm_cpuset *set, size_t i, size_t n, struct qm_cpuset *ret)
{
	size_t count = qm_cpuset_count(set), first, last, at = 0;
	int cpu;

	if (count <= n) {
		first = i % count;
		last = first + 1;
	} else {
		first = i * count / n;
		last = (i + 1) * count / n;
	}
	qm_cpuset_zero(ret);
	QM_CPUSET_FOREACH(cpu, set) {
		if (at >= first && at < last)
			qm_cpuset_set(ret, (unsigned)cpu);
		at++;
	}
}

/* Follows the driver's hint where it lies within the queue. Returns whether it did; *ret_why tells either way. */
static bool follow_hint(const struct planner *pl, const struct qm_irq *irq, const struct qm_hctx *h,
			struct qm_cpuset *mask, const char **ret_why)
{
	struct qm_cpuset hint;

	if (!irq->has_hint || qm_cpuset_is_empty(&irq->hint))
		return false;
	qm_cpuset_copy(&hint, &irq->hint);
	qm_cpuset_and(&hint, &pl->usable);
	if (!qm_cpuset_is_subset(&irq->hint, &h->cpus) || qm_cpuset_is_empty(&hint)) {
		*ret_why = "its own CPUs (the driver's affinity_hint names others and is not followed)";
		return false;
	}
	qm_cpuset_copy(mask, &hint);
	*ret_why = "the driver's affinity_hint agrees with the queue";
	return true;
}

/* One group of vectors that share their CPUs. */
static int plan_group(const struct planner *pl, const struct vectors *v)
{
	const struct qm_hctx *h = v->hctx[0];
	struct qm_cpuset want;
	const char *why;
	bool cut;

	wanted_cpus(pl, v->c, h, &want, &cut);
	if (qm_cpuset_is_empty(&want))
		return qm_plan_add_note(pl->p, v->c->name,
					"hctx %u: none of its CPUs is online and free for interrupts; IRQ %u stays", h->id,
					v->irq[0]->nr);
	if (is_well_placed(pl, v, &want))
		return 0;
	for (size_t i = 0; i < v->n; i++) {
		struct qm_cpuset mask;
		int r;

		take_share(&want, i, v->n, &mask);
		why = v->n > 1 ? "one share of its CPUs for each of its vectors" :
		      cut ? "those on the device's node, since they span nodes" : "its own CPUs";
		follow_hint(pl, v->irq[i], h, &mask, &why);
		if (v->irq[i]->has_requested && qm_cpuset_is_equal(&v->irq[i]->requested, &mask))
			continue;
		r = add_irq_change(pl, v, i, &mask, why);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Queues that own the same CPUs or share one interrupt are told apart here: each interrupt is planned once. */
static int plan_irqs(const struct planner *pl, const struct qm_controller *c, const struct qm_driver_rule *rule,
		     size_t *ret_managed)
{
	_cleanup_free_ const struct qm_hctx **hctx = NULL;
	_cleanup_free_ const struct qm_irq **irq = NULL;
	_cleanup_free_ bool *done = NULL;
	int r = 0;

	*ret_managed = 0;
	hctx = calloc(c->n_hctx ? c->n_hctx : 1, sizeof(*hctx));
	irq = calloc(c->n_hctx ? c->n_hctx : 1, sizeof(*irq));
	done = calloc(c->n_hctx ? c->n_hctx : 1, sizeof(*done));
	if (!hctx || !irq || !done)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < c->n_hctx; i++) {
		const struct qm_irq *first = irq_of(pl, &c->hctx[i]);
		struct vectors v = { .c = c, .hctx = hctx, .irq = irq };

		if (done[i] || !first || !c->hctx[i].mapped)
			continue;
		if (is_managed(first, rule)) {
			++*ret_managed;
			continue;
		}
		if (qm_ids_has(&pl->opt->exclude, first->nr))
			continue;
		/* Queues of one interrupt: it serves them all, and is planned for the first. */
		hctx[0] = &c->hctx[i];
		irq[0] = first;
		v.n = 1;
		for (size_t k = i + 1; k < c->n_hctx; k++) {
			const struct qm_irq *other = irq_of(pl, &c->hctx[k]);

			if (done[k] || !other || is_managed(other, rule) || qm_ids_has(&pl->opt->exclude, other->nr))
				continue;
			if (other == first) {
				done[k] = true;
			} else if (qm_cpuset_is_equal(&c->hctx[k].cpus, &c->hctx[i].cpus)) {
				hctx[v.n] = &c->hctx[k];
				irq[v.n++] = other;
				done[k] = true;
			}
		}
		r = plan_group(pl, &v);
	}
	return r;
}

/*
 * 2 brings a completion to the very CPU that submitted; 1 only to one that shares its cache. NULL: 1 is right.
 */
static const char *why_two(const struct planner *pl, const struct qm_controller *c)
{
	size_t vectors = 0;
	bool nodes = false, caches = false;

	for (size_t i = 0; i < c->n_hctx; i++) {
		struct qm_cpuset cpus;

		if (!irq_of(pl, &c->hctx[i]))
			continue;
		vectors++;
		qm_cpuset_copy(&cpus, &c->hctx[i].cpus);
		qm_cpuset_and(&cpus, &pl->m->topo.online);
		nodes |= count_nodes(&pl->m->topo, &cpus) > 1;
		caches |= count_groups(&pl->m->topo.llc, &cpus) > 1;
	}
	if (nodes)
		return "a queue serves several NUMA nodes: completions would cross them";
	if (caches)
		return "a queue serves several last-level caches: completions would cross them";
	if (vectors && vectors < qm_cpuset_count(&pl->m->topo.online))
		return "fewer interrupt vectors than CPUs: each completes for CPUs that did not take the interrupt";
	return NULL;
}

static int plan_rq_affinity(const struct planner *pl, const struct qm_controller *c)
{
	const char *why = why_two(pl, c);
	struct qm_dir top = qm_root_dir(pl->root);
	int want = why ? 2 : 1;

	if (!why)
		why = "each queue's CPUs share a cache: completing there is enough, and 0 would not even do that";
	for (size_t i = 0; i < c->n_disks; i++) {
		const struct qm_disk *d = &pl->m->disks[c->disks[i]];
		_cleanup_free_ char *old = NULL;
		struct qm_strbuf path = { 0 };
		const char *text;
		int r;

		/* Multipath heads and the like have no queues of their own. */
		if (!d->has_mq)
			continue;
		qm_strbuf_addf(&path, "%s/queue/rq_affinity", d->syspath);
		r = path.err;
		if (r == 0)
			r = qm_dir_read(&top, path.s, &text);
		/* What stands higher than needed was put there by somebody for a reason of theirs. */
		if (r > 0 && text[0] >= '0' && text[0] <= '2' && text[0] - '0' < want) {
			char new[2] = { (char)('0' + want), '\0' };

			old = strdup(text);
			r = old ? qm_plan_add(pl->p, QM_CHANGE_RQ_AFFINITY, path.s, old, new, c->name, why) : -ENOMEM;
		}
		qm_strbuf_done(&path);
		if (r == -ENOMEM)
			return r;
	}
	return 0;
}

static int plan_controller(const struct planner *pl, const struct qm_controller *c)
{
	struct qm_driver_rule rule;
	bool tied = false;
	size_t managed;
	int r;

	qm_driver_rule_get(c->driver, &pl->m->kernel, &rule);
	for (size_t i = 0; i < c->n_hctx; i++)
		tied |= irq_of(pl, &c->hctx[i]) != NULL;
	if (!tied)
		return 0;
	r = plan_irqs(pl, c, &rule, &managed);
	if (r == 0 && managed)
		r = qm_plan_add_note(pl->p, c->name,
				     "%zu interrupts are placed by the kernel (managed); only another number of queues or "
				     "isolcpus=managed_irq on the kernel line would place them otherwise",
				     managed);
	if (r == 0)
		r = plan_rq_affinity(pl, c);
	return r;
}

bool qm_plan_is_selected(const struct qm_plan_options *opt, size_t index)
{
	if (!opt->controllers)
		return true;
	for (size_t i = 0; i < opt->n_controllers; i++) {
		if (opt->controllers[i] == index)
			return true;
	}
	return false;
}

int qm_plan_make(struct qm_root *root, const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_plan *ret)
{
	struct qm_plan p = { .nr_cpus = m->topo.nr_cpus };
	struct planner pl = { .root = root, .m = m, .opt = opt, .p = &p };
	int r;

	qm_cpuset_copy(&pl.usable, &m->topo.online);
	qm_cpuset_andnot(&pl.usable, &m->topo.isolated);
	qm_cpuset_andnot(&pl.usable, &m->topo.nohz_full);
	if (m->cmdline.known && m->cmdline.has_isolcpus)
		qm_cpuset_andnot(&pl.usable, &m->cmdline.isolcpus);
	qm_cpuset_andnot(&pl.usable, &opt->reserved);
	r = list_text(&m->topo.possible, &p.possible);
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		if (qm_plan_is_selected(opt, i))
			r = plan_controller(&pl, &m->controllers[i]);
	}
	if (r == 0)
		r = qm_nvme_add_notes(m, opt, &p);
	if (r < 0) {
		qm_plan_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}
