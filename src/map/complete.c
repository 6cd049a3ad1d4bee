// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/complete.h"

#include <string.h>

#include "map/when.h"

/* What of it a kernel does. */
struct era {
	bool known, sure;
	bool single_softirq; /* a device with one queue completes in softirq */
	bool remote_softirq; /* an IPI only raises a softirq */
	bool one_cpu_local;  /* a queue that serves one CPU never sends */
	bool capacity;       /* sharing a cache is not enough where CPUs differ in strength */
};

/* RHEL 8 calls itself 4.18; 8.1 is build 147, 8.7 is 425. */
static void rhel8_era(const struct qm_kernel *k, struct era *e)
{
	int build = k->distro_build[0];

	e->single_softirq = true;
	e->remote_softirq = build >= 425;
	e->sure = build >= 425 || (build >= 0 && build <= 147);
}

static struct era era_of(const struct qm_kernel *k)
{
	int v = qm_kernel_version(k);
	struct era e = { .known = v >= 0, .sure = v >= V(4, 1) && v <= QM_NEWEST_SEEN };

	if (v == V(4, 18) && k->distro == QM_DISTRO_RHEL) {
		rhel8_era(k, &e);
		return e;
	}
	e.single_softirq = v >= V(4, 20);
	e.remote_softirq = v >= V(5, 15);
	e.one_cpu_local = v >= V(6, 0) && v < V(6, 11);
	e.capacity = v >= V(6, 9);
	/* Between the kernels looked at; and what builders bring back into old versions is not known. */
	if ((v > V(5, 10) && v < V(5, 15)) || !(BIT(k->distro) & STABLE))
		e.sure = false;
	return e;
}

/* The CPU that takes the interrupt; -1 where it is not known or not one. */
static int irq_cpu(const struct qm_machine *m, const struct qm_hctx *h)
{
	const struct qm_irq *irq = h->irq >= 0 && (size_t)h->irq < m->n_irqs ? &m->irqs[h->irq] : NULL;
	const struct qm_cpuset *s;

	if (!irq || (!irq->has_effective && !irq->has_requested))
		return -1;
	s = irq->has_effective && !qm_cpuset_is_empty(irq->effective) ? irq->effective : irq->requested;
	return qm_cpuset_count(s) == 1 && (unsigned)qm_cpuset_first(s) < m->topo.nr_cpus ? qm_cpuset_first(s) : -1;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; p; p = strchr(p, ' '), p = p ? p + 1 : NULL) {
		if (strncmp(p, word, n) == 0 && (p[n] == '\0' || p[n] == ' ' || p[n] == '\n'))
			return true;
	}
	return false;
}

/* CPUs whose requests stay where the interrupt arrived although another submitted them. False: nobody knows. */
static bool stay(const struct qm_machine *m, const struct qm_controller *c, int cpu, const struct qm_cpuset *submit,
		 struct qm_cpuset *ret)
{
	const struct qm_groups *llc = &m->topo.llc;
	struct qm_cpuset others;
	int near;

	qm_cpuset_zero(ret);
	qm_cpuset_set(ret, (unsigned)cpu);
	qm_cpuset_copy(&others, submit);
	qm_cpuset_andnot(&others, ret);
	if (c->rq_affinity == 2 || qm_cpuset_is_empty(&others))
		return true;
	if (c->rq_affinity == 0) {
		qm_cpuset_copy(ret, submit);
		return true;
	}
	if (c->rq_affinity != 1 || !llc->n || llc->of[cpu] < 0)
		return false;
	QM_GROUP_FOREACH(near, llc, llc->of[cpu])
		qm_cpuset_set(ret, (unsigned)near);
	return true;
}

static void poll(const struct qm_cpuset *submit, struct qm_completion *ret)
{
	ret->known = ret->sure = true;
	qm_cpuset_copy(&ret->local, submit);
	ret->local_how = QM_COMPLETE_POLL;
}

void qm_completion_find(const struct qm_machine *m, const struct qm_controller *c, const struct qm_hctx *h,
			struct qm_completion *ret)
{
	struct era e = era_of(&m->kernel);
	int cpu = irq_cpu(m, h);
	struct qm_cpuset submit, here;
	bool single = c->n_hctx == 1, one_cpu = e.one_cpu_local && qm_cpuset_count(h->cpus) == 1;

	/* Not {0}, which would clear two kilobytes for each of thousands of queues. */
	ret->known = ret->sure = false;
	ret->irq_cpu = -1;
	qm_cpuset_zero(&ret->local);
	qm_cpuset_zero(&ret->remote);
	ret->local_how = ret->remote_how = QM_COMPLETE_NOWHERE;
	qm_cpuset_copy(&submit, h->cpus);
	qm_cpuset_and(&submit, &m->topo.online);
	if (h->type == QM_HCTX_POLL) {
		poll(&submit, ret);
		return;
	}
	ret->irq_cpu = cpu;
	if (cpu < 0 || !e.known || h->cpus_unknown)
		return;
	if (one_cpu || (e.remote_softirq && m->cmdline.text && has_word(m->cmdline.text, "threadirqs")))
		qm_cpuset_copy(&here, &submit);
	else if (!stay(m, c, cpu, &submit, &here))
		return;
	ret->known = true;
	ret->sure = e.sure;
	qm_cpuset_copy(&ret->local, &submit);
	qm_cpuset_and(&ret->local, &here);
	qm_cpuset_copy(&ret->remote, &submit);
	qm_cpuset_andnot(&ret->remote, &here);
	/* Isolated CPUs may be left out of the list, and count. */
	if (one_cpu && !qm_cpuset_test(&submit, (unsigned)cpu) && !qm_cpuset_is_empty(&m->topo.isolated))
		ret->sure = false;
	/* How strong CPUs are is not read: machines with several kinds exist among those of ARM. */
	if (e.capacity && c->rq_affinity == 1 && qm_cpuset_count(&ret->local) > 1 && m->topo.arch &&
	    strcmp(m->topo.arch, "aarch64") == 0)
		ret->sure = false;
	if (!qm_cpuset_is_empty(&ret->local))
		ret->local_how = single && e.single_softirq ? QM_COMPLETE_SOFTIRQ : QM_COMPLETE_HARDIRQ;
	if (!qm_cpuset_is_empty(&ret->remote))
		ret->remote_how = e.remote_softirq || (single && e.single_softirq) ? QM_COMPLETE_SOFTIRQ : QM_COMPLETE_IPI;
}

const char *qm_complete_how_name(enum qm_complete_how how)
{
	static const char *const names[_QM_COMPLETE_MAX] = { NULL, "hardirq", "softirq", "ipi", "poll" };

	return names[how];
}
