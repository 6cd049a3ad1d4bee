// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about the state of the CPUs behind the queues, and about the machine's shape. */
#include "audit/rules.h"

#include <string.h>

enum queue_state {
	QUEUE_FINE,
	QUEUE_OFFLINE, /* has CPUs, none is online */
	QUEUE_ISOLATED, /* its online CPUs are all isolated, and this kernel leaves them out */
};

static enum queue_state state_of(const struct qm_audit *a, const struct qm_hctx *h)
{
	struct qm_cpuset left;

	if (!h->mapped || h->cpus_unknown)
		return QUEUE_FINE;
	if (qm_cpuset_is_empty(h->cpus))
		return QUEUE_ISOLATED;
	if (!qm_cpuset_intersects(h->cpus, &a->m->topo.online))
		return QUEUE_OFFLINE;
	qm_cpuset_copy(&left, h->cpus);
	qm_cpuset_andnot(&left, &a->unusable);
	return qm_cpuset_is_empty(&left) ? QUEUE_ISOLATED : QUEUE_FINE;
}

/* Begins a finding with the controller's queues of that state that stop no connect. False: there are none. */
static bool begin_with_state(
	struct qm_draft *d, struct qm_audit *a, const struct qm_rule *rule, size_t i, enum queue_state state)
{
	const struct qm_controller *c = &a->m->controllers[i];

	qm_draft_begin(d, a, rule, rule->severity, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (state_of(a, &c->hctx[q]) == state && !qm_queue_stops_connect(a, c, &c->hctx[q])) {
			qm_draft_hctx(d, c->hctx[q].id);
			qm_cpuset_or(&d->f.cpus, c->hctx[q].cpus);
		}
	}
	return d->f.hctx.n > 0 || d->err < 0;
}

/* ---- hctx-no-online-cpu ---- */

static int run_hctx_no_online_cpu(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_topology *t = &a->m->topo;
	bool present, absent;
	struct qm_cpuset gone;
	struct qm_draft d;

	if (!begin_with_state(&d, a, rule, i, QUEUE_OFFLINE))
		return 0;
	present = qm_cpuset_intersects(&d.f.cpus, &t->present);
	qm_cpuset_copy(&gone, &d.f.cpus);
	qm_cpuset_andnot(&gone, &t->present);
	absent = !qm_cpuset_is_empty(&gone);
	qm_draft_message(&d,
		"%zu of %zu queues (hctx %s) %s no online CPU (%s: %s): idle until one comes online, and "
		"nothing waits for %s.",
		d.f.hctx.n, a->m->controllers[i].n_hctx, qm_draft_idlist(&d, &d.f.hctx),
		d.f.hctx.n == 1 ? "has" : "have", qm_draft_cpus(&d, &d.f.cpus),
		present && absent ? "offline or not present"
			: absent  ? "not present"
				  : "offline",
		d.f.hctx.n == 1 ? "it" : "them");
	qm_draft_advice(&d, "Nothing needs doing: such queues are kept for the CPUs to come.");
	return qm_draft_commit(&d);
}

/* ---- hctx-only-isolated ---- */

static int run_hctx_only_isolated(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	struct qm_draft d;

	if (!begin_with_state(&d, a, rule, i, QUEUE_ISOLATED))
		return 0;
	qm_draft_message(&d,
		"%zu of %zu queues (hctx %s) serve isolated CPUs only: this kernel leaves those out of a "
		"queue's list. I/O started on an isolated CPU still uses its queue, and is carried out "
		"elsewhere.",
		d.f.hctx.n, a->m->controllers[i].n_hctx, qm_draft_idlist(&d, &d.f.hctx));
	qm_draft_advice(&d, "Nothing needs doing for a local disk. NVMe-oF connects with such queues are refused.");
	return qm_draft_commit(&d);
}

/* ---- cpu-without-queue ---- */

bool qm_lists_are_whole(const struct qm_audit *a, const struct qm_controller *c)
{
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (c->hctx[q].cpus_unknown)
			return false;
	}
	/* A list is empty and no CPU known to be isolated: then nobody can tell which ones were left out. */
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (c->hctx[q].mapped && qm_cpuset_is_empty(c->hctx[q].cpus) && qm_cpuset_is_empty(&a->unlisted))
			return false;
	}
	return c->mapped > 0;
}

/* CPUs that are online and in no list of the set; those that the kernel leaves out anyway do not count. */
static void find_without_queue(
	const struct qm_audit *a, const struct qm_controller *c, const struct qm_audit_set *set, struct qm_cpuset *ret)
{
	qm_cpuset_copy(ret, &a->m->topo.online);
	qm_cpuset_andnot(ret, &a->unlisted);
	for (size_t k = 0; k < set->hctx.n; k++)
		qm_cpuset_andnot(ret, c->hctx[set->hctx.v[k]].cpus);
}

static int run_cpu_without_queue(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_cpuset without;
	struct qm_draft d;
	unsigned n;

	if (a->c[i].n_sets == 0 || !qm_lists_are_whole(a, c))
		return 0;
	find_without_queue(a, c, &a->c[i].sets[0], &without);
	n = qm_cpuset_count(&without);
	if (n == 0)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	qm_cpuset_copy(&d.f.cpus, &without);
	qm_draft_message(&d,
		"%u online CPU%s (%s) %s in no queue's list: the map was made without %s, so %s requests all "
		"go to queue 0, which serves other CPUs too.",
		n, qm_plural(n), qm_draft_cpulist(&d, &without), n == 1 ? "is" : "are", n == 1 ? "it" : "them",
		n == 1 ? "its" : "their");
	qm_draft_advice(
		&d, "Have the map made again with these CPUs online: reload the driver, connect again, or reboot.");
	return qm_draft_commit(&d);
}

/* ---- possible-exceeds-present ---- */

static int run_possible_exceeds_present(struct qm_audit *a, const struct qm_rule *rule)
{
	const struct qm_topology *t = &a->m->topo;
	unsigned possible = qm_cpuset_count(&t->possible), present = qm_cpuset_count(&t->present);
	bool x86 = t->arch && (strcmp(t->arch, "x86_64") == 0 || strcmp(t->arch, "i686") == 0);
	struct qm_draft d;

	if (t->possible_derived || t->present_derived || qm_cpuset_is_subset(&t->possible, &t->present))
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, -1);
	qm_cpuset_copy(&d.f.cpus, &t->possible);
	qm_cpuset_andnot(&d.f.cpus, &t->present);
	qm_draft_message(&d,
		"%u CPUs are possible and %u present: firmware or hypervisor announces %u more (%s). Queue maps cover "
		"them, so some queues may wait for CPUs that never come.",
		possible, present, possible - present, qm_draft_cpulist(&d, &d.f.cpus));
	qm_draft_advice(&d,
		"If no CPU will be added while the machine runs, %s=%u on the kernel command line gives their queues "
		"to the CPUs that exist. Otherwise nothing needs doing.",
		x86 ? "possible_cpus" : "nr_cpus", present);
	return qm_draft_commit(&d);
}

/* ---- node-without-memory ---- */

static int run_node_without_memory(struct qm_audit *a, const struct qm_rule *rule)
{
	const struct qm_topology *t = &a->m->topo;
	struct qm_ids nodes = { 0 };
	struct qm_draft d;
	int r = 0;

	qm_draft_begin(&d, a, rule, QM_INFO, -1);
	for (unsigned i = 0; i < t->n_nodes && r == 0; i++) {
		const struct qm_node *n = &t->nodes[i];

		if (!n->online || n->mem_kb != 0 || !qm_cpuset_intersects(&n->cpus, &t->online))
			continue;
		qm_cpuset_or(&d.f.cpus, &n->cpus);
		r = qm_ids_add(&nodes, (unsigned)n->id);
	}
	if (r < 0)
		d.err = r;
	if (nodes.n == 0 && r == 0) /* nothing was added to the draft that needs freeing */
		return 0;
	qm_draft_message(&d,
		"node%s %s ha%s CPUs (%s) but no memory: the data of requests made there, and of queues that belong to "
		"devices there, lie on another node, so each request crosses the link between them.",
		qm_plural(nodes.n), qm_draft_idlist(&d, &nodes), nodes.n == 1 ? "s" : "ve",
		qm_draft_cpulist(&d, &d.f.cpus));
	qm_draft_advice(&d,
		"Nothing needs doing for the queue maps. If it was not meant so, look at the memory modules or at the "
		"virtual machine's memory nodes.");
	qm_ids_done(&nodes);
	return qm_draft_commit(&d);
}

const struct qm_rule qm_rules_cpu[] = {
	{
		.name = "hctx-no-online-cpu",
		.severity = QM_INFO,
		.family = "cpu",
		.title = "a queue of a local disk has CPUs, but none is online",
		.text = "Meaning: every CPU that the queue serves is offline, or possible but not present.\n"
			"Consequence: none for a local disk. No CPU submits to such a queue; the queue is used again "
			"as soon as one of its CPUs comes online. A PCI device's interrupt for it is shut down "
			"meanwhile.\n"
			"Remedy: nothing needs doing. Where CPUs will never come, possible_cpus= or nr_cpus= on the "
			"kernel command line gives the queues to those that exist.\n"
			"Kernels: 4.16 and later map all possible CPUs, 4.13 to 4.15 the present ones; older kernels "
			"make the map again whenever a CPU comes or goes.\n"
			"No problem: always, on local disks. On NVMe over fabrics the same queue stops the next "
			"reconnect: that is fabrics-reconnect-risk.",
		.each = run_hctx_no_online_cpu,
	},
	{
		.name = "hctx-only-isolated",
		.severity = QM_INFO,
		.family = "cpu",
		.title = "a queue of a local disk serves isolated CPUs only",
		.text = "Meaning: all CPUs of the queue are isolated (isolcpus=domain, on some kernels nohz_full=), "
			"and this kernel leaves those out of a queue's list, which is therefore empty.\n"
			"Consequence: none for a local disk: requests from an isolated CPU still use its queue, only "
			"the work is run on other CPUs. NVMe-oF connects that need such a queue are refused although "
			"every CPU is online.\n"
			"Remedy: nothing needs doing; for fabrics ask for fewer queues.\n"
			"Kernels: isolated CPUs are left out by 6.9 and later and by 6.1 stable kernels, nohz_full "
			"ones by 6.1 and 6.12 stable but not by 7.2; 5.10 leaves none out.\n"
			"No problem: on a machine that is meant to have isolated CPUs.",
		.each = run_hctx_only_isolated,
	},
	{
		.name = "cpu-without-queue",
		.severity = QM_WARNING,
		.family = "cpu",
		.title = "an online CPU is in no queue's list",
		.text = "Meaning: the CPU is online and not isolated, and no queue of the device lists it: it was "
			"missing when the map was made.\n"
			"Consequence: its requests go to queue 0, whose CPUs it joins unseen; with many such CPUs "
			"queue 0 becomes the bottleneck of the device.\n"
			"Remedy: have the map made again (reload the driver, connect again, reboot), or a kernel that "
			"maps all possible CPUs.\n"
			"Kernels: 4.13 to 4.15, whose maps cover present CPUs only. Kernels since 4.16 map all "
			"possible CPUs at once; those before 4.13 make the map again for every CPU that comes.\n"
			"No problem: isolated CPUs on kernels that leave them out; they are not counted.",
		.each = run_cpu_without_queue,
	},
	{
		.name = "possible-exceeds-present",
		.severity = QM_INFO,
		.family = "cpu",
		.title = "more CPUs are possible than exist",
		.text = "Meaning: firmware or hypervisor announces CPUs that may be added later; the kernel prepares "
			"for all of them.\n"
			"Consequence: maps and per-CPU memory cover these CPUs. A device with more queues than CPUs "
			"exist keeps queues nobody can use, and queue lists name CPUs that are not there.\n"
			"Remedy: if nothing will be added, possible_cpus= (x86) or nr_cpus= on the kernel command "
			"line, or a smaller maximum in the virtual machine.\n"
			"Kernels: all since 4.16; 6.9 and later no longer count firmware entries that cannot come "
			"online.\n"
			"No problem: where CPUs are really added at run time, as in virtual machines.",
		.run = run_possible_exceeds_present,
	},
	{
		.name = "node-without-memory",
		.severity = QM_INFO,
		.family = "cpu",
		.title = "a NUMA node has CPUs but no memory",
		.text = "Meaning: the node's CPUs work on memory of another node.\n"
			"Consequence: buffers, tags and queue entries of devices on that node are remote for its CPUs; "
			"the maps count it as a node like any other.\n"
			"Remedy: none for the maps; put memory into the node's slots, or give the virtual machine's "
			"node memory.\n"
			"Kernels: all.\n"
			"No problem: if the machine is meant to be so; a node with memory and no CPU is not mentioned.",
		.run = run_node_without_memory,
	},
	{ 0 },
};
