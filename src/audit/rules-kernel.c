// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about what the kernel did: whether it is what this kernel does, and whether that is a known bug. */
#include "audit/irqs.h"
#include "audit/rules.h"

#include <string.h>

/* ---- map-unexpected ---- */

static const char *algo_name(struct qm_draft *d, const struct qm_algo *algo)
{
	return qm_draft_text(d, "%s:%s", qm_family_name(algo->family), algo->id);
}

bool qm_identity_is_predicted(const struct qm_identity *id)
{
	for (size_t i = 0; i < id->n_matches; i++) {
		for (size_t k = 0; k < id->predicted.n; k++) {
			if (id->matches[i] == id->predicted.v[k])
				return true;
		}
	}
	return false;
}

/* Would the map that this kernel makes be better than the one that is there? */
static int would_be_better(struct qm_audit *a, size_t i, bool *ret)
{
	static const enum qm_fault faults[] = { QM_FAULT_UNMAPPED, QM_FAULT_CROSS_NODE, QM_FAULT_UNEVEN };

	*ret = false;
	for (unsigned k = 0; k < a->c[i].n_sets; k++) {
		for (size_t f = 0; f < QM_ARRAY_SIZE(faults); f++) {
			struct qm_reach reach = { 0 };
			int r = 0;

			if (qm_set_is_worse(&a->c[i].sets[k], faults[f]))
				r = qm_reach_find(a, i, &a->c[i].sets[k], faults[f], &reach);
			if (r < 0)
				return r;
			*ret = *ret || reach.again;
		}
	}
	return 0;
}

static void word_unexpected(
	struct qm_draft *d, const struct qm_controller *c, const struct qm_identity *id, bool better)
{
	const char *expected = algo_name(d, id->predicted.v[0]);
	unsigned n = qm_cpuset_count(&id->offline_then);

	qm_draft_command(d, "qmapctl compare %s", qm_draft_quote(d, c->name));
	if (id->other_time) {
		qm_cpuset_copy(&d->f.cpus, &id->offline_then);
		qm_draft_message(d,
			"the map is the one that this kernel makes while %s %s offline: it was made then and is kept, "
			"so queues are dealt as if %s still missing.",
			qm_draft_cpus(d, &id->offline_then), n == 1 ? "is" : "are",
			n == 1 ? "it were" : "they were");
		qm_draft_advice(d, "%s",
			better ? "Have it made again: reload the driver, connect again, or reboot."
			       : "Nothing needs doing: made again now it would be no better.");
	} else if (id->n_matches) {
		qm_draft_message(d,
			"the map is that of %s, while %s was expected of this kernel: its maker has taken over another "
			"version of the mapping code.",
			algo_name(d, id->matches[0]), expected);
		qm_draft_advice(d, "Nothing needs doing; predictions for this machine should use %s.",
			algo_name(d, id->matches[0]));
	} else {
		qm_cpuset_copy(&d->f.cpus, &id->differs);
		qm_draft_message(d,
			"no algorithm known here gives this map; the nearest is %s, with other queues for %s. The "
			"driver may have a rule of its own, so predictions for this device cannot be relied on.",
			id->nearest ? algo_name(d, id->nearest) : expected, qm_draft_cpus(d, &id->differs));
		qm_draft_advice(d, "%s",
			better ? "Made again, by reloading the driver or a reboot, it should be better."
			       : "Nothing needs doing if the device works well.");
	}
}

static int run_map_unexpected(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_identity *id;
	struct qm_draft d;
	bool better;
	int r;

	/* A what-if changes the kernel or the CPUs under a map that stays as it was read. */
	if (a->opt->whatif || !qm_kernel_is_known(&a->m->kernel))
		return 0;
	if (a->c[i].n_sets == 0 || !qm_lists_are_whole(a, c))
		return 0;
	r = qm_audit_identity(a, i, &id);
	if (r < 0)
		return r;
	if (!id->rule.sure || !id->predicted.sure || id->predicted.n == 0 ||
		id->rule.family == QM_FAMILY_VECTOR)
		return 0;
	if (id->other_time && !qm_cpuset_intersects(&id->offline_then, &a->m->topo.online))
		return 0; /* made when more CPUs were online: such a map is kept on purpose */
	if (!id->other_time && id->exact && qm_identity_is_predicted(id))
		return 0;
	r = would_be_better(a, i, &better);
	if (r < 0)
		return r;
	qm_draft_begin(&d, a, rule, better ? QM_WARNING : QM_INFO, (long)i);
	word_unexpected(&d, c, id, better);
	return qm_draft_commit(&d);
}

/* ---- kernel-map-bug ---- */

/* Has the set queues without CPU, and not only such as serve isolated ones? */
static bool has_unmapped(const struct qm_controller *c, const struct qm_audit_set *set)
{
	for (size_t k = 0; k < set->score.unmapped.n; k++) {
		if (c->hctx[set->hctx.v[set->score.unmapped.v[k]]].mapped)
			return false;
	}
	return set->score.unmapped.n > 0;
}

/* Queues without CPU although there are CPUs enough, where a newer kernel leaves none. */
static int say_unmapped_bug(struct qm_audit *a, const struct qm_rule *rule, size_t i, const struct qm_audit_set *set)
{
	const struct qm_identity *id;
	struct qm_reach reach = { 0 };
	struct qm_draft d;
	int r = qm_reach_find(a, i, set, QM_FAULT_UNMAPPED, &reach);

	if (r == 0)
		r = qm_audit_identity(a, i, &id);
	if (r < 0)
		return r;
	if (!reach.kernel || reach.kernel_left || id->n_matches == 0)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t k = 0; k < set->score.unmapped.n; k++)
		qm_draft_hctx(&d, set->hctx.v[set->score.unmapped.v[k]]);
	qm_draft_message(&d,
		"this kernel's mapper (%s) leaves %zu of %zu queues without a CPU on a machine with %u CPUs: a known "
		"fault, mended in Linux %s.",
		algo_name(&d, id->matches[0]), set->score.unmapped.n, set->hctx.n, qm_cpuset_count(&a->m->topo.online),
		reach.kernel->first);
	qm_draft_reach(&d, set, &reach);
	return qm_draft_commit(&d);
}

/* Would this kernel divide by zero when it spreads the controller's vectors? *ret_algo: the code that does. */
static int find_crash(struct qm_audit *a, size_t i, const struct qm_algo **ret_algo)
{
	struct qm_driver_rule rule;
	struct qm_era era;
	bool crash = false;
	int r;

	*ret_algo = NULL;
	qm_driver_rule_get(a->m->controllers[i].driver, &a->m->kernel, &rule);
	if (rule.family != QM_FAMILY_IRQ || a->c[i].n_sets == 0)
		return 0;
	qm_era_of_kernel(&a->m->kernel, QM_FAMILY_IRQ, &era);
	if (era.n == 0 || !era.sure || !rule.sure)
		return 0;
	r = qm_reach_crashes(a, i, &rule, era.v[0], &crash);
	if (r == 0 && crash)
		*ret_algo = era.v[0];
	return r;
}

static int say_crash(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_algo *algo;
	struct qm_draft d;
	int r = find_crash(a, i, &algo);

	if (r < 0 || !algo)
		return r;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	qm_draft_message(&d,
		"this kernel (%s) divides by zero when it spreads the device's vectors on this machine: x86 stops "
		"there when the driver loads.",
		algo_name(&d, algo));
	qm_draft_advice(&d,
		"Use Linux 5.4 or later, or nr_cpus= on the kernel command line so that no CPU is possible and "
		"absent.");
	return qm_draft_commit(&d);
}

static int run_kernel_map_bug(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	unsigned cpus = qm_cpuset_count(&a->m->topo.online);
	int r = 0;

	if (!qm_kernel_is_known(&a->m->kernel))
		return 0;
	for (unsigned k = 0; k < a->c[i].n_sets && r == 0; k++) {
		const struct qm_audit_set *set = &a->c[i].sets[k];

		if (!a->opt->whatif && set->hctx.n <= cpus && has_unmapped(&a->m->controllers[i], set))
			r = say_unmapped_bug(a, rule, i, set);
	}
	/* What runs did not crash: this is for a kernel that somebody thinks of. */
	if (r == 0 && a->opt->whatif)
		r = say_crash(a, rule, i);
	return r;
}

/* ---- cmdline-conflict ---- */

enum conflict {
	CONFLICT_IRQAFFINITY, /* irqaffinity= names isolated CPUs */
	CONFLICT_ALL, /* isolcpus= leaves nothing */
	CONFLICT_IMPOSSIBLE, /* isolcpus= or nohz_full= name CPUs that cannot exist */
	CONFLICT_IO_QUEUE, /* a flag that this kernel does not have */
	_CONFLICT_MAX,
};

/* Is there this conflict? *cpus: those it is about. */
static bool has_conflict(const struct qm_machine *m, enum conflict what, struct qm_cpuset *cpus)
{
	const struct qm_cmdline *c = &m->cmdline;

	*cpus = (struct qm_cpuset){ 0 };
	switch (what) {
	case CONFLICT_IRQAFFINITY:
		qm_cpuset_copy(cpus, &c->isolcpus);
		qm_cpuset_and(cpus, &c->irqaffinity);
		return c->has_irqaffinity && c->has_isolcpus && !qm_cpuset_is_empty(cpus);
	case CONFLICT_ALL:
		qm_cpuset_copy(cpus, &m->topo.present);
		return c->has_isolcpus && !qm_cpuset_is_empty(&m->topo.present) &&
			qm_cpuset_is_subset(&m->topo.present, &c->isolcpus);
	case CONFLICT_IMPOSSIBLE:
		qm_cpuset_copy(cpus, &c->isolcpus);
		qm_cpuset_or(cpus, &c->nohz_full);
		qm_cpuset_andnot(cpus, &m->topo.possible);
		return !m->topo.possible_derived && !qm_cpuset_is_empty(cpus);
	case CONFLICT_IO_QUEUE:
		return c->iso_io_queue && qm_kernel_is_known(&m->kernel) && !qm_kernel_is_at_least(&m->kernel, 7, 3);
	case _CONFLICT_MAX:
		break;
	}
	return false;
}

static void word_conflict(struct qm_draft *d, enum conflict what)
{
	const char *cpus = qm_draft_cpus(d, &d->f.cpus);

	switch (what) {
	case CONFLICT_IRQAFFINITY:
		qm_draft_message(d,
			"irqaffinity= sends interrupts to %s, which isolcpus= isolates: unmanaged interrupts of "
			"storage and network land on CPUs that were to be left alone.",
			cpus);
		qm_draft_advice(d, "Take %s out of irqaffinity= on the kernel command line.", cpus);
		break;
	case CONFLICT_ALL:
		qm_draft_message(d,
			"isolcpus= names every CPU that is present: nothing is left for the host's own work, and the "
			"kernel keeps one CPU for it against the wish or drops the isolation.");
		qm_draft_advice(d, "Leave some CPUs out of isolcpus=.");
		break;
	case CONFLICT_IMPOSSIBLE:
		qm_draft_message(d,
			"isolcpus= or nohz_full= name %s, which cannot exist here: the list was made for another "
			"machine or numbering, and the CPUs meant may not be isolated.",
			cpus);
		qm_draft_advice(d, "Compare the lists with qmapctl topology and correct the kernel command line.");
		qm_draft_command(d, "qmapctl topology");
		break;
	case CONFLICT_IO_QUEUE:
		qm_draft_message(d,
			"isolcpus=io_queue is not known to this kernel: it skips the flag, or the whole option if it "
			"is an old one, and queues and interrupts are spread over isolated CPUs as ever.");
		qm_draft_advice(d,
			"Do not rely on io_queue; fewer queues, or managed_irq where each vector also has a CPU of the "
			"host.");
		break;
	case _CONFLICT_MAX:
		break;
	}
}

static int run_cmdline_conflict(struct qm_audit *a, const struct qm_rule *rule)
{
	if (!a->m->cmdline.known)
		return 0;
	for (int what = 0; what < _CONFLICT_MAX; what++) {
		struct qm_cpuset cpus;
		struct qm_draft d;
		int r;

		if (!has_conflict(a->m, (enum conflict)what, &cpus))
			continue;
		qm_draft_begin(&d, a, rule, QM_WARNING, -1);
		qm_cpuset_copy(&d.f.cpus, &cpus);
		word_conflict(&d, (enum conflict)what);
		r = qm_draft_commit(&d);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- kdump-queue-mismatch ---- */

static int run_kdump_queue_mismatch(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_irq *irq;
	struct qm_draft d;

	if (!a->m->cmdline.kdump)
		return 0;
	if (c->n_hctx != 1 || c->hctx[0].irq < 0 || (size_t)c->hctx[0].irq >= a->m->n_irqs)
		return 0;
	irq = &a->m->irqs[c->hctx[0].irq];
	if (qm_irq_is_managed(a->m, c, irq) != 1 || !irq->has_requested ||
		qm_cpuset_intersects(irq->requested, &a->m->topo.online))
		return 0;
	qm_draft_begin(&d, a, rule, QM_ERROR, (long)i);
	qm_draft_hctx(&d, c->hctx[0].id);
	qm_draft_irq(&d, irq->nr);
	qm_cpuset_copy(&d.f.cpus, irq->requested);
	qm_draft_message(&d,
		"this crash kernel uses one queue, but its driver spread vectors over all possible CPUs, and "
		"the queue's vector (IRQ %u) belongs to %s, none of which is online: completions never arrive, "
		"and the dump times out.",
		irq->nr, qm_draft_cpus(&d, irq->requested));
	qm_draft_advice(&d,
		"Boot the crash kernel with nr_cpus=1 instead of maxcpus=1 where the architecture allows it, "
		"or limit the driver's vectors by its parameter, or use a kernel where drivers ask for one "
		"queue then.");
	return qm_draft_commit(&d);
}

const struct qm_rule qm_rules_kernel[] = {
	{
		.name = "map-unexpected",
		.severity = QM_WARNING,
		.family = "kernel",
		.title = "the live map is not the one this kernel makes",
		.text = "Meaning: the release says which mapping code the kernel has, and the map that is there is not "
			"its result, neither with the CPUs online now nor with all of them.\n"
			"Consequence: predictions, such as safe queue counts, may not hold for the device. If the map "
			"was made while CPUs were offline, queues are still dealt as if they were missing.\n"
			"Remedy: qmapctl compare DEV shows what matches. Reloading the driver, connecting again or a "
			"reboot makes the map anew; it is a warning only where that gives a better one.\n"
			"Kernels: distributions take over newer mapping code without changing the version; then the "
			"line names the code that matches.\n"
			"No problem: drivers with a rule of their own, and maps taken from an adapter's vectors; those "
			"are not judged.",
		.each = run_map_unexpected,
	},
	{
		.name = "kernel-map-bug",
		.severity = QM_WARNING,
		.family = "kernel",
		.title = "this kernel's mapping code has a known fault that shows here",
		.text = "Meaning: the map, or what a kernel given with --kernel would do on this machine, is the "
			"result of a fault that later kernels do not have.\n"
			"Consequence: queues stay without CPU although there are enough; or the kernel divides by zero "
			"while it spreads interrupts, which stops x86 machines when the driver loads.\n"
			"Remedy: the kernel that the line names, or a number of queues that the fault does not touch.\n"
			"Kernels: 3.13 to 4.12 with queues between the number of cores and of CPUs; 4.13 to 5.2 with "
			"holes in the CPU numbers; 4.9 to 4.11 with gaps in the node numbers, and 4.17 to 5.3 with "
			"absent CPUs, divide by zero.\n"
			"No problem: the same kernel on a machine, or with a count, where the fault does not show; "
			"then it is silent.",
		.each = run_kernel_map_bug,
	},
	{
		.name = "cmdline-conflict",
		.severity = QM_WARNING,
		.family = "kernel",
		.title = "options on the kernel command line work against each other",
		.text = "Meaning: isolcpus=, nohz_full= and irqaffinity= contradict each other or the machine: "
			"interrupts are sent to isolated CPUs, every CPU is isolated, CPUs are named that cannot "
			"exist, or a flag is one the kernel lacks.\n"
			"Consequence: the isolation that was meant is not what is in force.\n"
			"Remedy: correct the command line, and reboot.\n"
			"Kernels: isolcpus= takes flags since 4.15, managed_irq since 5.6; io_queue is not in mainline "
			"up to 7.0. Unknown flags are skipped, but older kernels drop the whole option.\n"
			"No problem: nohz_full= without isolcpus=, or isolcpus=managed_irq alone.",
		.run = run_cmdline_conflict,
	},
	{
		.name = "kdump-queue-mismatch",
		.severity = QM_ERROR,
		.family = "kernel",
		.title = "a crash kernel's only queue waits for an interrupt no CPU takes",
		.text = "Meaning: in a crash kernel the block layer uses one queue, while the driver set up managed "
			"vectors for all possible CPUs; the one in use belongs to CPUs that are offline.\n"
			"Consequence: completions never arrive, requests time out, and the crash dump fails.\n"
			"Remedy: nr_cpus=1 in the crash kernel's command line where the architecture allows it "
			"(maxcpus=1 leaves all CPUs possible), a driver parameter that limits vectors, or a newer "
			"kernel.\n"
			"Kernels: up to about 6.5; from 6.11 on a crash kernel no longer cuts the number of queues.\n"
			"No problem: nvme-tcp and nvme-rdma, which count online CPUs; drivers whose interrupts are not "
			"managed.",
		.each = run_kdump_queue_mismatch,
	},
	{ 0 },
};
