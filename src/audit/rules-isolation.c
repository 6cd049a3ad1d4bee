// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about CPUs that storage was to leave alone. */
#include "audit/irqs.h"
#include "audit/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* CPUs that are isolated and online, whoever says so. */
static void isolated_cpus(const struct qm_machine *m, struct qm_cpuset *ret)
{
	qm_cpuset_copy(ret, &m->topo.isolated);
	qm_cpuset_or(ret, &m->cmdline.isolcpus);
	qm_cpuset_and(ret, &m->topo.online);
}

/*
 * Where an interrupt lands: the CPU in use, else its mask. A managed one under an isolation that is only thought of: its
 * mask, since the kernel would then take a CPU of the host if there is one. NULL: not known.
 */
static const struct qm_cpuset *landing(const struct qm_audit *a, const struct qm_controller *c, const struct qm_irq *irq)
{
	bool in_use = irq->has_effective && !qm_cpuset_is_empty(irq->effective);

	if (in_use && a->opt->whatif && a->m->cmdline.iso_managed_irq && irq->has_requested &&
		qm_irq_is_managed(a->m, c, irq) == 1)
		in_use = false;
	return in_use ? irq->effective : irq->has_requested ? irq->requested : NULL;
}

static bool lands_within(const struct qm_cpuset *landing, const struct qm_cpuset *set)
{
	return landing && !qm_cpuset_is_empty(landing) && qm_cpuset_is_subset(landing, set);
}

static void add_landing(struct qm_draft *d, const struct qm_irq *irq, const struct qm_cpuset *on)
{
	qm_cpuset_or(&d->f.cpus, on);
	qm_draft_irq(d, irq->nr);
}

/* ---- isolated-cpu-irq ---- */

static int run_isolated_cpu_irq(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const struct qm_ids *irqs = &a->c[i].irqs;
	struct qm_cpuset isolated;
	bool some_free = false;
	struct qm_draft d;

	isolated_cpus(a->m, &isolated);
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];
		const struct qm_cpuset *on = landing(a, c, irq);

		if (!lands_within(on, &isolated))
			continue;
		some_free = some_free || qm_irq_is_managed(a->m, c, irq) == 0;
		add_landing(&d, irq, on);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (c->hctx[q].irq >= 0 && (size_t)c->hctx[q].irq < a->m->n_irqs &&
			lands_within(landing(a, c, &a->m->irqs[c->hctx[q].irq]), &isolated))
			qm_draft_hctx(&d, c->hctx[q].id);
	}
	qm_draft_message(&d,
		"%zu storage interrupt%s arrive%s on isolated CPUs (%s): storage traffic of these queues disturbs what "
		"runs there, for a millisecond and more at times.",
		d.f.irqs.n, qm_plural(d.f.irqs.n), d.f.irqs.n == 1 ? "s" : "", qm_draft_cpulist(&d, &d.f.cpus));
	if (some_free) {
		qm_draft_advice(&d,
			"Move them to CPUs that are not isolated, and give irqaffinity= on the kernel command line.");
		qm_draft_command(&d, "qmapctl hint plan %s", qm_draft_quote(&d, c->name));
	} else {
		qm_draft_advice(&d,
			"They are managed and cannot be moved: use fewer queues, so that each also serves a CPU of the "
			"host, with isolcpus=managed_irq; and keep jobs that do I/O off the isolated CPUs.");
	}
	return qm_draft_commit(&d);
}

/* An interrupt of no controller, with the device that its name tells. */
struct unowned {
	const struct qm_irq *irq;
	const char *device;
	size_t len;
};

static bool is_same_device(const struct unowned *x, const struct unowned *y)
{
	return x->len == y->len && memcmp(x->device, y->device, x->len) == 0;
}

/* By device, then by number. */
static int compare_unowned(const void *a, const void *b)
{
	const struct unowned *x = a, *y = b;
	int r;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	r = memcmp(x->device, y->device, x->len);
	return r ? r : x->irq->nr < y->irq->nr ? -1 : 1;
}

/*
 * Of a device that the tree does not show, only its interrupts. An admin vector belongs to all CPUs and may arrive anywhere;
 * it counts only where somebody sent it to isolated ones.
 */
static bool is_isolated_unowned(const struct qm_audit *a, const struct qm_irq *irq, const struct qm_cpuset *isolated)
{
	if (!lands_within(landing(a, NULL, irq), isolated))
		return false;
	return qm_irq_completes(irq) || (irq->has_requested && lands_within(irq->requested, isolated));
}

static void advise_unowned(struct qm_draft *d, const struct qm_audit *a, const struct qm_ids *movable, size_t managed,
	const struct qm_cpuset *isolated)
{
	struct qm_strbuf numbers = { 0 };
	struct qm_cpuset house;

	if (managed == d->f.irqs.n)
		qm_draft_advice(d,
			"They are managed and cannot be moved: use fewer queues, so that each also serves a CPU of the "
			"host, with isolcpus=managed_irq; and keep jobs that do I/O off the isolated CPUs.");
	else if (movable->n == d->f.irqs.n)
		qm_draft_advice(d,
			"Move them to CPUs that are not isolated, and give irqaffinity= on the kernel command line.");
	else
		qm_draft_advice(d,
			"%sThose that the kernel manages cannot be moved: keep jobs that do I/O off the isolated CPUs, "
			"and their queues stay silent. Move the others to CPUs that are not isolated.",
			qm_kernel_is_known(&a->m->kernel) ? "" : "Give --kernel to learn which are managed. ");
	qm_cpuset_copy(&house, &a->m->topo.online);
	qm_cpuset_andnot(&house, isolated);
	if (!movable->n || qm_cpuset_is_empty(&house))
		return;
	for (size_t k = 0; k < movable->n; k++)
		qm_strbuf_addf(&numbers, "%s%u", k ? " " : "", movable->v[k]);
	if (movable->n == 1)
		qm_draft_command(d, "echo %s > /proc/irq/%s/smp_affinity_list", qm_draft_whole_cpulist(d, &house),
			qm_strbuf_str(&numbers));
	else
		qm_draft_command(d, "for i in %s; do echo %s > /proc/irq/$i/smp_affinity_list; done",
			qm_strbuf_str(&numbers), qm_draft_whole_cpulist(d, &house));
	if (numbers.err < 0)
		d->err = numbers.err;
	qm_strbuf_done(&numbers);
}

/* The n interrupts of one device. */
static int say_isolated_unowned(struct qm_audit *a, const struct qm_rule *rule, const struct unowned *v, size_t n,
	const struct qm_cpuset *isolated)
{
	_cleanup_(qm_ids_done) struct qm_ids movable = { 0 };
	size_t managed = 0;
	struct qm_draft d;
	int r = 0;

	qm_draft_begin(&d, a, rule, QM_WARNING, -1);
	for (size_t k = 0; k < n; k++) {
		const struct qm_irq *irq = v[k].irq;
		int who;

		if (!is_isolated_unowned(a, irq, isolated))
			continue;
		who = qm_irq_is_managed(a->m, NULL, irq);
		managed += who == 1;
		if (who == 0 && r == 0)
			r = qm_ids_add(&movable, irq->nr);
		add_landing(&d, irq, landing(a, NULL, irq));
	}
	if (r < 0)
		d.err = r;
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"%zu of %zu interrupt%s of %.*s arrive%s on isolated CPUs (%s): storage traffic of these queues disturbs "
		"what runs there, for a millisecond and more at times.",
		d.f.irqs.n, n, qm_plural(n), (int)v->len, v->device, d.f.irqs.n == 1 ? "s" : "",
		qm_draft_cpulist(&d, &d.f.cpus));
	advise_unowned(&d, a, &movable, managed, isolated);
	return qm_draft_commit(&d);
}

/* The interrupts of storage drivers that no controller owns, device by device. */
static int run_isolated_cpu_irq_unowned(struct qm_audit *a, const struct qm_rule *rule)
{
	_cleanup_(qm_ids_done) struct qm_ids irqs = { 0 };
	_cleanup_free_ struct unowned *v = NULL;
	struct qm_cpuset isolated;
	size_t n = 0, same;
	int r = qm_audit_unowned_irqs(a, &irqs);

	if (r == 0)
		v = calloc(irqs.n + 1, sizeof(*v));
	if (!v)
		return r < 0 ? r : -ENOMEM;
	for (size_t k = 0; k < irqs.n; k++) {
		v[n].irq = &a->m->irqs[irqs.v[k]];
		n += qm_irq_device(v[n].irq, &v[n].device, &v[n].len);
	}
	isolated_cpus(a->m, &isolated);
	qsort(v, n, sizeof(*v), compare_unowned);
	for (size_t k = 0; r == 0 && k < n; k += same) {
		for (same = 1; k + same < n && is_same_device(&v[k], &v[k + same]);)
			same++;
		r = say_isolated_unowned(a, rule, &v[k], same, &isolated);
	}
	return r;
}

/* ---- isolation-ineffective ---- */

struct ineffective {
	struct qm_cpuset isolated, house;
	bool had_choice; /* the mask also has a CPU of the host */
};

static void add_ineffective(struct qm_draft *d, const struct qm_audit *a, const struct qm_controller *c,
	const struct qm_ids *irqs, const struct ineffective *what)
{
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];
		const struct qm_cpuset *on = landing(a, c, irq);

		if (!irq->has_requested || (!c && !qm_irq_completes(irq)) || qm_irq_is_managed(a->m, c, irq) != 1 ||
			!lands_within(on, &what->isolated) ||
			qm_cpuset_intersects(irq->requested, &what->house) != what->had_choice)
			continue;
		add_landing(d, irq, on);
	}
}

/* Managed interrupts on isolated CPUs in spite of managed_irq, because there is no other in the mask, or although. */
static int say_ineffective(struct qm_audit *a, const struct qm_rule *rule, bool had_choice)
{
	_cleanup_(qm_ids_done) struct qm_ids unowned = { 0 };
	struct ineffective what = { .had_choice = had_choice };
	struct qm_draft d;
	size_t i;
	int r = qm_audit_unowned_irqs(a, &unowned);

	if (r < 0)
		return r;

	isolated_cpus(a->m, &what.isolated);
	qm_cpuset_copy(&what.house, &a->m->topo.online);
	qm_cpuset_andnot(&what.house, &what.isolated);
	qm_draft_begin(&d, a, rule, QM_WARNING, -1);
	QM_AUDIT_FOREACH(i, a)
		add_ineffective(&d, a, &a->m->controllers[i], &a->c[i].irqs, &what);
	add_ineffective(&d, a, NULL, &unowned, &what);
	if (qm_draft_is_empty(&d))
		return 0;
	if (had_choice) {
		qm_draft_message(&d,
			"%zu managed interrupt%s %s delivered to isolated CPUs (%s) although %s mask has CPUs of the "
			"host: isolcpus=managed_irq is in force, but the kernel's interrupt code does not keep to it.",
			d.f.irqs.n, qm_plural(d.f.irqs.n), d.f.irqs.n == 1 ? "is" : "are",
			qm_draft_cpulist(&d, &d.f.cpus), d.f.irqs.n == 1 ? "its" : "their");
		qm_draft_advice(&d,
			"Use a newer kernel: some interrupt controllers' drivers picked from the whole mask.");
	} else {
		qm_draft_message(&d,
			"isolcpus=managed_irq cannot help %zu storage interrupt%s: %s mask%s hold%s isolated CPUs only "
			"(%s), and it only chooses among the CPUs of a mask.",
			d.f.irqs.n, qm_plural(d.f.irqs.n), d.f.irqs.n == 1 ? "its" : "their", qm_plural(d.f.irqs.n),
			d.f.irqs.n == 1 ? "s" : "", qm_draft_cpulist(&d, &d.f.cpus));
		qm_draft_advice(&d,
			"With fewer queues than CPUs of the host each mask would hold one of those; with a queue per "
			"CPU keep jobs that do I/O off the isolated CPUs: their queues are then silent.");
	}
	return qm_draft_commit(&d);
}

static int run_isolation_ineffective(struct qm_audit *a, const struct qm_rule *rule)
{
	int r;

	if (!a->m->cmdline.iso_managed_irq)
		return 0;
	r = say_ineffective(a, rule, false);
	return r < 0 ? r : say_ineffective(a, rule, true);
}

/* ---- reserved-cpu-irq ---- */

/* "CPU 2: hpsa0-msix14, nvme0q15" for one reserved CPU. */
static void list_cpu(const struct qm_audit *a, const struct qm_ids *irqs, int cpu, struct qm_strbuf *b)
{
	struct qm_cpuset one = { 0 };
	unsigned shown = 0, more = 0;

	qm_cpuset_set(&one, (unsigned)cpu);
	for (size_t k = 0; k < irqs->n; k++) {
		const struct qm_irq *irq = &a->m->irqs[irqs->v[k]];

		if (!lands_within(landing(a, NULL, irq), &one))
			continue;
		if (shown == 4) {
			more++;
			continue;
		}
		if (shown == 0)
			qm_strbuf_addf(b, "%sCPU %d: ", b->len ? "; " : "", cpu);
		qm_strbuf_addf(b, "%s%s", shown++ ? ", " : "", irq->name ? irq->name : "?");
	}
	if (more)
		qm_strbuf_addf(b, " and %u more", more);
}

static int run_reserved_cpu_irq(struct qm_audit *a, const struct qm_rule *rule)
{
	const struct qm_cpuset *reserved = &a->opt->reserved;
	_cleanup_(qm_ids_done) struct qm_ids landed = { 0 };
	struct qm_strbuf b = { 0 };
	struct qm_draft d;
	int cpu, r = 0;

	if (qm_cpuset_is_empty(reserved))
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, -1);
	for (size_t i = 0; i < a->m->n_irqs && r == 0; i++) {
		const struct qm_irq *irq = &a->m->irqs[i];
		const struct qm_cpuset *on = qm_irq_is_storage(irq) ? landing(a, NULL, irq) : NULL;

		if (!lands_within(on, reserved))
			continue;
		add_landing(&d, irq, on);
		r = qm_ids_add(&landed, (unsigned)i);
	}
	if (landed.n == 0 && r == 0 && d.err == 0)
		return 0;
	QM_CPUSET_FOREACH(cpu, &d.f.cpus) {
		if (b.len < 200)
			list_cpu(a, &landed, cpu, &b);
	}
	qm_draft_message(&d,
		"%zu storage interrupt%s arrive%s on CPUs reserved for something else (%s): each one stops a poller "
		"there, and host I/O waits for CPUs that never leave it.",
		landed.n, qm_plural(landed.n), landed.n == 1 ? "s" : "", qm_strbuf_str(&b));
	qm_draft_advice(&d,
		"Those that are not managed can be moved (qmapctl hint plan). Managed ones go quiet when no job on a "
		"reserved CPU does I/O through the kernel.");
	if (r < 0 || b.err < 0)
		d.err = -ENOMEM;
	qm_strbuf_done(&b);
	return qm_draft_commit(&d);
}

const struct qm_rule qm_rules_isolation[] = {
	{
		.name = "isolated-cpu-irq",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "storage interrupts arrive on isolated CPUs",
		.text = "Meaning: the CPU that takes a queue's interrupt is isolated (isolcpus=).\n"
			"Consequence: jobs that were to run undisturbed are interrupted when I/O uses such a queue, "
			"even I/O of the host's own journal if it runs there.\n"
			"Remedy: isolcpus=managed_irq, which helps where a mask also holds a CPU of the host; fewer "
			"queues, so that every mask does; unmanaged interrupts can be moved. Jobs that do I/O belong "
			"on the other CPUs.\n"
			"Kernels: managed_irq since 5.6. With a queue per CPU every isolated CPU has a vector of its "
			"own, on all mainline kernels.\n"
			"No problem: queues of isolated CPUs where nothing on these CPUs does I/O: they stay silent.",
		.each = run_isolated_cpu_irq,
		.run = run_isolated_cpu_irq_unowned,
	},
	{
		.name = "isolation-ineffective",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "isolcpus=managed_irq does not keep interrupts off isolated CPUs",
		.text = "Meaning: managed_irq makes the kernel prefer, within an interrupt's mask, the CPUs that are "
			"not isolated. Either the mask has none, or the kernel's interrupt code did not look.\n"
			"Consequence: storage interrupts arrive on isolated CPUs in spite of the option.\n"
			"Remedy: fewer queues than CPUs of the host, so that each mask has one of them; a newer kernel "
			"where the mask has one and it is not used.\n"
			"Kernels: since 5.6. Some arm64 kernels up to 5.17 picked from the whole mask.\n"
			"No problem: SUSE's kernels, which give queues to the host's CPUs only.",
		.run = run_isolation_ineffective,
	},
	{
		.name = "reserved-cpu-irq",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "storage interrupts arrive on CPUs given to --reserved",
		.text = "Meaning: the CPUs named with --reserved (pollers of SPDK or DPDK, pinned guests) take "
			"interrupts of storage devices.\n"
			"Consequence: each interrupt stops the poller, and requests of the host that land there wait "
			"for a CPU that is always busy.\n"
			"Remedy: move those that can be moved; for managed ones keep I/O off these CPUs or use fewer "
			"queues.\n"
			"Kernels: all.\n"
			"No problem: without --reserved, where nothing is said.",
		.run = run_reserved_cpu_irq,
	},
	{ 0 },
};
