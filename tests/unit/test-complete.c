// SPDX-License-Identifier: GPL-2.0-or-later
/* Where requests complete: rq_affinity, caches, and what kernels did over time. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "map/complete.h"

static const struct topo_spec caches = { .possible = "0-7", .nodes = "0:0-3;1:4-7", .llc = "0-3;4-7" };
static const struct topo_spec no_caches = { .possible = "0-7" };
static const struct topo_spec half_off = { .possible = "0-7", .online = "0-2,4", .llc = "0-3;4-7" };

struct question {
	const struct topo_spec *topo;
	const char *kernel, *cmdline, *queues;
	int rq_affinity;
	const char *requested, *effective; /* of hctx 0's interrupt */
	const char *want;
};

/* "2 hardirq 0-1 ipi 4-5 sure" */
static void answer(const struct qm_completion *c, char *ret, size_t size)
{
	struct qm_strbuf b = { 0 };

	if (!c->known) {
		snprintf(ret, size, "unknown");
		return;
	}
	qm_strbuf_addf(&b, "%d", c->irq_cpu);
	if (c->local_how) {
		qm_strbuf_addf(&b, " %s ", qm_complete_how_name(c->local_how));
		qm_cpuset_format(&c->local, &b);
	}
	if (c->remote_how) {
		qm_strbuf_addf(&b, " own %s ", qm_complete_how_name(c->remote_how));
		qm_cpuset_format(&c->remote, &b);
	}
	qm_strbuf_adds(&b, c->sure ? "" : " unsure");
	snprintf(ret, size, "%s", qm_strbuf_str(&b));
	qm_strbuf_done(&b);
}

static void check(const struct question *q)
{
	struct qm_completion c;
	struct qm_machine m;
	char text[128];

	machine_make(&m, q->topo, q->kernel, q->cmdline);
	machine_add(&m, "nvme0", "nvme", q->queues);
	m.controllers[0].rq_affinity = q->rq_affinity;
	if (q->requested || q->effective)
		machine_queue_irq(&m, 0, 0, 60, "nvme0q1", q->requested, q->effective, 1);
	qm_completion_find(&m, &m.controllers[0], &m.controllers[0].hctx[0], &c);
	answer(&c, text, sizeof(text));
	if (strcmp(text, q->want) != 0)
		fail_msg("%s, %s, rq_affinity %d, effective %s: %s, not %s", q->kernel ? q->kernel : "no kernel", q->queues,
			 q->rq_affinity, q->effective ? q->effective : "-", text, q->want);
	qm_machine_done(&m);
}

#define TWO "0-1,4-5;2-3,6-7"

static void settings(void **state)
{
	static const struct question t[] = {
		{ &caches, "4.19", "", TWO, 0, "0-1,4-5", "1", "1 hardirq 0-1,4-5" },
		{ &caches, "4.19", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own ipi 4-5" },
		{ &caches, "4.19", "", TWO, 2, "0-1,4-5", "1", "1 hardirq 1 own ipi 0,4-5" },
		/* a CPU that serves nobody of this queue */
		{ &caches, "4.19", "", TWO, 2, "0-1,4-5", "6", "6 own ipi 0-1,4-5" },
		{ &caches, "4.19", "", TWO, 1, "0-1,4-5", "6", "6 hardirq 4-5 own ipi 0-1" },
		/* only who is online submits */
		{ &half_off, "4.19", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own ipi 4" },
		{ &half_off, "4.19", "", "3;0-2,4", 1, "3", "0", "0" },
		/* a mask that leaves no choice stands for the CPU in use */
		{ &caches, "4.19", "", TWO, 2, "1", NULL, "1 hardirq 1 own ipi 0,4-5" },
		{ &caches, "4.19", "", TWO, 2, "1", "", "1 hardirq 1 own ipi 0,4-5" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++)
		check(&t[i]);
}

static void kernels(void **state)
{
	static const struct question t[] = {
		/* one queue: softirq since 4.20 */
		{ &caches, "4.19", "", "0-7", 1, "0-7", "1", "1 hardirq 0-3 own ipi 4-7" },
		{ &caches, "4.20", "", "0-7", 1, "0-7", "1", "1 softirq 0-3 own softirq 4-7" },
		{ &caches, "5.10", "", "0-7", 1, "0-7", "1", "1 softirq 0-3 own softirq 4-7" },
		{ &caches, "4.18.0-147.el8.x86_64", "", "0-7", 1, "0-7", "1", "1 softirq 0-3 own softirq 4-7" },
		/* several: whatever is sent since 5.15 */
		{ &caches, "5.10", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own ipi 4-5" },
		{ &caches, "5.12", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own ipi 4-5 unsure" },
		{ &caches, "5.15", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own softirq 4-5" },
		{ &caches, "4.18.0-425.el8.x86_64", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own softirq 4-5" },
		{ &caches, "4.18.0-305.el8.x86_64", "", TWO, 1, "0-1,4-5", "1", "1 hardirq 0-1 own ipi 4-5 unsure" },
		{ &caches, "7.2", "", "0-7", 2, "0-7", "1", "1 softirq 1 own softirq 0,2-7" },
		{ &caches, "7.4", "", TWO, 2, "0-1,4-5", "1", "1 hardirq 1 own softirq 0,4-5 unsure" },
		/* threaded interrupts */
		{ &caches, "6.1", "quiet threadirqs", TWO, 2, "0-1,4-5", "1", "1 hardirq 0-1,4-5" },
		{ &caches, "6.1", "quiet threadirqsx", TWO, 2, "0-1,4-5", "1", "1 hardirq 1 own softirq 0,4-5" },
		{ &caches, "5.10", "threadirqs", TWO, 2, "0-1,4-5", "1", "1 hardirq 1 own ipi 0,4-5" },
		/* a queue of one CPU, whose interrupt is elsewhere */
		{ &caches, "5.15", "", "0;1-7", 2, "4", "4", "4 own softirq 0" },
		{ &caches, "6.1", "", "0;1-7", 2, "4", "4", "4 hardirq 0" },
		{ &caches, "6.11", "", "0;1-7", 2, "4", "4", "4 own softirq 0" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++)
		check(&t[i]);
}

static void what_is_not_known(void **state)
{
	static const struct question t[] = {
		{ &caches, NULL, "", TWO, 1, "0-1,4-5", "1", "unknown" },
		{ &caches, "6.1", "", TWO, -1, "0-1,4-5", "1", "unknown" },
		{ &caches, "6.1", "", TWO, 1, "0-1,4-5", "0-1", "unknown" },
		{ &caches, "6.1", "", TWO, 1, "0-1,4-5", NULL, "unknown" },
		{ &caches, "6.1", "", TWO, 1, NULL, NULL, "unknown" },
		{ &no_caches, "6.1", "", TWO, 1, "0-1,4-5", "1", "unknown" },
		/* and where it does not matter */
		{ &no_caches, "6.1", "", TWO, 2, "0-1,4-5", "1", "1 hardirq 1 own softirq 0,4-5" },
		{ &no_caches, "6.12", "", "1;0,2-7", -1, "1", "1", "1 hardirq 1" },
		/* a CPU beyond the machine's */
		{ &caches, "6.1", "", TWO, 2, "700", "700", "unknown" },
	};
	struct qm_completion c;
	struct qm_machine m;
	char text[128];

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++)
		check(&t[i]);
	/* who polls needs no interrupt */
	machine_make(&m, &half_off, "6.1", "");
	machine_add(&m, "nvme0", "nvme", TWO);
	m.controllers[0].hctx[0].type = QM_HCTX_POLL;
	qm_completion_find(&m, &m.controllers[0], &m.controllers[0].hctx[0], &c);
	answer(&c, text, sizeof(text));
	assert_string_equal(text, "-1 poll 0-1,4");
	/* ARM has CPUs of several kinds, which this says nothing of */
	m.controllers[0].hctx[0].type = QM_HCTX_DEFAULT;
	m.controllers[0].rq_affinity = 1;
	free(m.topo.arch);
	m.topo.arch = machine_string("aarch64");
	qm_kernel_done(&m.kernel);
	assert_int_equal(qm_kernel_parse("6.12", &m.kernel), 0);
	machine_queue_irq(&m, 0, 0, 60, "nvme0q1", "0", "0", 1);
	qm_completion_find(&m, &m.controllers[0], &m.controllers[0].hctx[0], &c);
	answer(&c, text, sizeof(text));
	assert_string_equal(text, "0 hardirq 0-1 own softirq 4 unsure");
	qm_machine_done(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),
		cmocka_unit_test(kernels),
		cmocka_unit_test(what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
