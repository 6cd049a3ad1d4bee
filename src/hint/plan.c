// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What should change: for every unmanaged interrupt of a queue the mask that serves the queue (place.c), for every disk the
 * rq_affinity that brings completions home. What is good already is left alone, and nothing is proposed that the kernel
 * would refuse.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "base/strbuf.h"
#include "hint/hint.h"
#include "hint/nvme.h"
#include "hint/planner.h"
#include "machine/syspath.h"

int qm_planner_list(const struct qm_cpuset *set, char **ret)
{
	struct qm_strbuf b = { 0 };
	int r;

	qm_cpuset_format(set, &b);
	r = qm_strbuf_take(&b, ret);
	qm_strbuf_done(&b);
	return r;
}

/*
 * 2 brings a completion to the very CPU that submitted; 1 only to one that shares its cache. NULL: 1 is right. vectors: how
 * many interrupts complete the controller's requests.
 */
static const char *why_two(const struct qm_planner *pl, const struct qm_controller *c, size_t vectors)
{
	bool nodes = false, caches = false;

	for (size_t i = 0; i < c->n_hctx; i++) {
		struct qm_cpuset cpus;

		/* Behind a single queue the driver picks the vector by the CPU. */
		if (!qm_planner_irq(pl, &c->hctx[i]))
			continue;
		qm_cpuset_copy(&cpus, c->hctx[i].cpus);
		qm_cpuset_and(&cpus, &pl->m->topo.online);
		nodes |= qm_topology_count_nodes(&pl->m->topo, &cpus) > 1;
		caches |= qm_groups_count(&pl->m->topo.llc, pl->m->topo.nr_cpus, &cpus) > 1;
	}
	if (nodes)
		return "a queue serves several NUMA nodes: completions would cross them";
	if (caches)
		return "a queue serves several last-level caches: completions would cross them";
	if (vectors < qm_cpuset_count(&pl->m->topo.online))
		return "fewer interrupt vectors than CPUs: each completes for CPUs that did not take the interrupt";
	return NULL;
}

/* A disk whose rq_affinity is less than wanted. What stands higher was put there by somebody for a reason of theirs. */
static int plan_disk(const struct qm_planner *pl, const struct qm_controller *c, const struct qm_disk *d, int want,
		     const char *why)
{
	struct qm_dir top = qm_root_dir(pl->root);
	char new[2] = { (char)('0' + want), '\0' };
	_cleanup_free_ char *path = NULL, *old = NULL;
	const char *text;
	int r;

	r = qm_syspath_join(d->syspath, "queue/rq_affinity", &path);
	if (r < 0)
		return r;
	r = qm_dir_read(&top, path, &text);
	if (r < 0) /* a problem by now, and nothing to plan */
		return r == -ENOMEM ? r : 0;
	if (text[0] < '0' || text[0] >= new[0])
		return 0;
	old = strdup(text);
	return old ? qm_plan_add(pl->p, QM_CHANGE_RQ_AFFINITY, path, old, new, c->name, why, NULL) : -ENOMEM;
}

static int plan_rq_affinity(const struct qm_planner *pl, const struct qm_controller *c, size_t vectors)
{
	const char *why = why_two(pl, c, vectors);
	int want = why ? 2 : 1, r = 0;

	if (!why)
		why = "each queue's CPUs share a cache: completing there is enough, and 0 would not even do that";
	for (size_t i = 0; r == 0 && i < c->n_disks; i++) {
		const struct qm_disk *d = &pl->m->disks[c->disks[i]];

		/* Multipath heads and the like have no queues of their own. */
		if (d->has_mq)
			r = plan_disk(pl, c, d, want, why);
	}
	return r;
}

/* A container may show the disks and not what becomes of their interrupts. */
static int note_blind(const struct qm_machine *m, struct qm_plan *p)
{
	p->blind = m->n_controllers > 0;
	for (size_t i = 0; p->blind && i < m->n_irqs; i++)
		p->blind = !m->irqs[i].has_requested;
	if (!p->blind)
		return 0;
	return qm_plan_add_note(p, NULL, "which CPUs the interrupts go to cannot be read here (proc/irq): nothing is known of them");
}

bool qm_plan_is_selected(const struct qm_plan_options *opt, size_t index)
{
	return qm_audit_is_asked_for(opt->controllers, opt->n_controllers, index);
}

int qm_plan_make(struct qm_root *root, const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_plan *ret)
{
	struct qm_plan p = { .nr_cpus = m->topo.nr_cpus };
	struct qm_planner pl = { .root = root, .m = m, .opt = opt, .p = &p };
	_cleanup_free_ size_t *vectors = calloc(m->n_controllers ? m->n_controllers : 1, sizeof(*vectors));
	int r;

	qm_cpuset_copy(&pl.usable, &m->topo.online);
	qm_cpuset_andnot(&pl.usable, &m->topo.isolated);
	qm_cpuset_andnot(&pl.usable, &m->topo.nohz_full);
	if (m->cmdline.known && m->cmdline.has_isolcpus)
		qm_cpuset_andnot(&pl.usable, &m->cmdline.isolcpus);
	qm_cpuset_andnot(&pl.usable, &opt->reserved);
	r = vectors ? qm_planner_list(&m->topo.possible, &p.possible) : -ENOMEM;
	if (r == 0)
		r = qm_planner_place(&pl, vectors);
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		if (vectors[i])
			r = plan_rq_affinity(&pl, &m->controllers[i], vectors[i]);
	}
	if (r == 0)
		r = note_blind(m, &p);
	if (r == 0)
		r = qm_nvme_add_notes(m, opt, &p);
	if (r < 0) {
		qm_plan_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}
