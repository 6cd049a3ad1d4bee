// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about host adapters, whose real queues blk-mq may not see, and about where requests complete. */
#include "audit/irqs.h"
#include "audit/rules.h"

#include <string.h>

static bool driver_in(const struct qm_controller *c, const char *const *names)
{
	for (; c->driver && *names; names++) {
		if (strcmp(c->driver, *names) == 0)
			return true;
	}
	return false;
}

/* Reply queues that no blk-mq queue stands for: the adapter's vectors where there is one queue. */
static size_t hidden_vectors(const struct qm_audit *a, size_t i)
{
	static const char *const drivers[] = {
		"hisi_sas_v3_hw",
		"hisi_sas_v2_hw",
		"mpt3sas",
		"mpt2sas",
		"megaraid_sas",
		"hpsa",
		"smartpqi",
		"aacraid",
		NULL,
	};
	const struct qm_controller *c = &a->m->controllers[i];

	return c->n_hctx == 1 && driver_in(c, drivers) && a->c[i].irqs.n > 1 ? a->c[i].irqs.n : 0;
}

/* ---- hidden-reply-queues ---- */

static int run_hidden_reply_queues(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	size_t n = hidden_vectors(a, i), managed = 0;
	struct qm_draft d;

	if (!qm_kernel_is_known(&a->m->kernel) || qm_kernel_is_at_least(&a->m->kernel, 5, 10))
		return 0;
	for (size_t k = 0; k < n; k++)
		managed += qm_irq_is_managed(a->m, c, &a->m->irqs[a->c[i].irqs.v[k]]) == 1;
	if (managed < 2)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	for (size_t k = 0; k < n; k++)
		qm_draft_irq(&d, a->m->irqs[a->c[i].irqs.v[k]].nr);
	qm_draft_hctx(&d, 0);
	qm_draft_message(&d,
		"blk-mq has one queue, and behind it the adapter completes on %zu managed interrupts that "
		"blk-mq cannot drain: taking CPUs offline under load can strand requests until they time out.",
		n);
	qm_draft_advice(&d,
		"Take no CPU offline while the adapter works, or use Linux 5.10 or later, where such drivers "
		"show their queues.");
	return qm_draft_commit(&d);
}

/* ---- completion-remote ---- */

/* The queue's interrupt arrives where none of the CPUs it serves shares a cache with it, for some of them. */
static bool completes_far(const struct qm_audit *a, const struct qm_hctx *h)
{
	const struct qm_groups *llc = &a->m->topo.llc;
	const struct qm_irq *irq;
	struct qm_cpuset far;
	int cpu, near;

	if (h->irq < 0 || (size_t)h->irq >= a->m->n_irqs || llc->n < 2)
		return false;
	irq = &a->m->irqs[h->irq];
	cpu = irq->has_effective ? qm_cpuset_first(irq->effective) : -1;
	if (cpu < 0 || (unsigned)cpu >= a->m->topo.nr_cpus || llc->of[cpu] < 0)
		return false;
	qm_cpuset_copy(&far, h->cpus);
	qm_cpuset_and(&far, &a->m->topo.online);
	QM_GROUP_FOREACH(near, llc, llc->of[cpu])
		qm_cpuset_clear(&far, (unsigned)near);
	return !qm_cpuset_is_empty(&far);
}

static int run_completion_remote(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	static const char *const lockup[] = { "mpt3sas", "mpt2sas", "megaraid_sas", NULL };
	const struct qm_controller *c = &a->m->controllers[i];
	size_t hidden = hidden_vectors(a, i);
	const struct qm_disk *disk;
	struct qm_draft d;
	int want = 1;

	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	/* Before 5.1 these adapters completed in the handler for as long as others kept sending. */
	if (hidden && hidden < qm_cpuset_count(&a->m->topo.online) && driver_in(c, lockup) && c->rq_affinity == 1 &&
		qm_kernel_is_known(&a->m->kernel) && !qm_kernel_is_at_least(&a->m->kernel, 5, 1)) {
		qm_draft_hctx(&d, 0);
		want = 2;
	}
	for (size_t q = 0; c->rq_affinity == 0 && q < c->n_hctx; q++) {
		if (completes_far(a, &c->hctx[q]))
			qm_draft_hctx(&d, c->hctx[q].id);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	if (want == 2)
		qm_draft_message(&d,
			"%zu reply vectors take the completions of %u CPUs, and rq_affinity=1 lets them finish where "
			"they arrive: a CPU can be kept in the handler by others' requests, up to hard lockups under "
			"load.",
			hidden, qm_cpuset_count(&a->m->topo.online));
	else
		qm_draft_message(&d,
			"rq_affinity is 0: requests of %zu queue%s (hctx %s) complete on the CPU that takes the "
			"interrupt, which shares no cache with some of those that submit.",
			d.f.hctx.n, qm_plural(d.f.hctx.n), qm_draft_idlist(&d, &d.f.hctx));
	qm_draft_advice(&d, "Set rq_affinity to %d%s.", want, want == 2 ? ", or use Linux 5.1 or later" : "");
	disk = c->n_disks ? &a->m->disks[c->disks[0]] : NULL;
	if (disk)
		qm_draft_command(&d, "echo %d > /sys/block/%s/queue/rq_affinity", want, qm_draft_quote(&d, disk->name));
	return qm_draft_commit(&d);
}

/* ---- single-queue-hardirq ---- */

/* RHEL 8 has the change from the start. */
static bool completes_in_hardirq(const struct qm_kernel *k)
{
	if (!qm_kernel_is_known(k) || qm_kernel_is_at_least(k, 4, 20))
		return false;
	return !(k->distro == QM_DISTRO_RHEL && k->distro_major >= 8);
}

static int run_single_queue_hardirq(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_draft d;

	if (!completes_in_hardirq(&a->m->kernel) || qm_cpuset_count(&a->m->topo.online) < 2)
		return 0;
	if (c->n_hctx != 1 || c->hctx[0].irq < 0 || a->c[i].irqs.n != 1)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	qm_draft_hctx(&d, 0);
	qm_draft_irq(&d, a->m->irqs[a->c[i].irqs.v[0]].nr);
	qm_draft_message(&d,
		"one queue, whose requests this kernel completes inside the hard interrupt, on the CPU that "
		"takes it: that CPU is blocked for the whole completion of everybody's requests.");
	qm_draft_advice(&d,
		"Linux 4.20 and later complete such requests in softirq context (about 13%% more requests per "
		"second were measured); or give the device several queues.");
	qm_draft_command(&d, "qmapctl show -v --kernel 4.20 %s", qm_draft_quote(&d, c->name));
	return qm_draft_commit(&d);
}

/* ---- host-tagset ---- */

static int run_host_tagset(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_draft d;

	if (c->scsi_host_tagset != 1 || c->n_hctx < 2)
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, (long)i);
	if (c->scsi_can_queue > 0)
		qm_draft_message(&d,
			"%zu queues share one set of %ld tags: the adapter takes no more requests with more "
			"queues, and each scheduler works on one queue's share.",
			c->n_hctx, c->scsi_can_queue);
	else
		qm_draft_message(&d,
			"%zu queues share one set of tags: the adapter takes no more requests with more "
			"queues, and each scheduler works on one queue's share.",
			c->n_hctx);
	qm_draft_advice(&d,
		"Nothing needs doing. If a slow disk got slower with such a kernel: the driver's parameter "
		"host_tagset_enable=0 shows one queue again.");
	return qm_draft_commit(&d);
}

/* ---- hba-highiops-vectors ---- */

static int run_hba_highiops_vectors(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	static const char *const drivers[] = { "mpt3sas", "megaraid_sas", NULL };
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_draft d;

	if (c->n_hctx < 2 || !driver_in(c, drivers))
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, (long)i);
	for (size_t k = 0; k < a->c[i].other_irqs.n; k++) {
		const struct qm_irq *irq = &a->m->irqs[a->c[i].other_irqs.v[k]];

		if (irq->role == QM_ROLE_EXTRA)
			qm_draft_irq(&d, irq->nr);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	qm_draft_message(&d,
		"%zu vector%s beside those of the %zu queues: meant for few requests at high rates or low latency, "
		"and of no queue.",
		d.f.irqs.n, qm_plural(d.f.irqs.n), c->n_hctx);
	qm_draft_advice(&d, "Nothing needs doing; they are not managed and stay near the adapter.");
	return qm_draft_commit(&d);
}

const struct qm_rule qm_rules_hba[] = {
	{
		.name = "hidden-reply-queues",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "one queue for blk-mq, several managed reply queues behind it",
		.text = "Meaning: the driver shows blk-mq a single queue but spreads completions over several managed "
			"interrupts of its own.\n"
			"Consequence: blk-mq cannot wait for the requests of a reply queue whose CPUs go offline: "
			"requests time out, with warnings about running a queue from the wrong CPU.\n"
			"Remedy: no CPU hotplug under load on such kernels, or a kernel whose driver shows its "
			"queues.\n"
			"Kernels: before 5.10 (hisi_sas, megaraid_sas, mpt3sas).\n"
			"No problem: if CPUs are never taken offline.",
		.each = run_hidden_reply_queues,
	},
	{
		.name = "completion-remote",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "requests complete far from the CPU that made them",
		.text = "Meaning: rq_affinity lets requests complete on CPUs far from the submitting one. With 0 they "
			"complete where the interrupt arrives; with 1 on a CPU that shares the last-level cache; with "
			"2 on the very CPU.\n"
			"Consequence: cold caches; and on adapters with fewer vectors than CPUs one CPU may be kept in "
			"the handler by the requests of others, up to lockups.\n"
			"Remedy: rq_affinity 1, or 2 for the adapters with few vectors.\n"
			"Kernels: rq_affinity in all; the lockups before 5.1, where mpt3sas and megaraid_sas got "
			"polling. From 6.1 on a queue that serves one CPU completes there whatever the setting.\n"
			"No problem: one last-level cache for all CPUs.",
		.each = run_completion_remote,
	},
	{
		.name = "single-queue-hardirq",
		.severity = QM_WARNING,
		.family = "irq",
		.title = "a one-queue device completes in hard interrupt context",
		.text = "Meaning: the device has one queue, and the kernel completes its requests inside the interrupt "
			"handler.\n"
			"Consequence: one CPU is held in hard interrupts for everybody's completions. With softirq "
			"completion about 13% more requests per second were measured on a stripe of virtio-scsi "
			"disks.\n"
			"Remedy: a newer kernel, or several queues where the device or hypervisor offers them.\n"
			"Kernels: before 4.20; RHEL 8 has the change.\n"
			"No problem: slow disks.",
		.each = run_single_queue_hardirq,
	},
	{
		.name = "host-tagset",
		.severity = QM_INFO,
		.family = "irq",
		.title = "the adapter's queues share one set of tags",
		.text = "Meaning: the adapter can have a number of requests under way in all, which its queues share.\n"
			"Consequence: more queues do not mean more requests under way; schedulers work per queue, "
			"which made bfq with rotating disks slower when drivers began to show several queues.\n"
			"Remedy: nothing needs doing; host_tagset_enable=0 of the driver shows one queue again.\n"
			"Kernels: 5.10 and later (megaraid_sas, hisi_sas, mpt3sas, smartpqi).\n"
			"No problem: fast disks without a scheduler.",
		.each = run_host_tagset,
	},
	{
		.name = "hba-highiops-vectors",
		.severity = QM_INFO,
		.family = "irq",
		.title = "the adapter has vectors that belong to no queue",
		.text = "Meaning: mpt3sas and megaraid_sas keep some vectors for high rates or low latency before "
			"those of the queues.\n"
			"Consequence: vector numbers and queue numbers differ by that many.\n"
			"Remedy: nothing needs doing.\n"
			"Kernels: 5.x and later; the log then says \"High IOPs queues : enabled\".\n"
			"No problem: always.",
		.each = run_hba_highiops_vectors,
	},
	{ 0 },
};
