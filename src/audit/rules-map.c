// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules about how the CPUs are dealt to the hardware queues. */
#include "audit/rules.h"

#include <string.h>

static bool driver_is(const struct qm_controller *c, const char *name)
{
	return c->driver && strcmp(c->driver, name) == 0;
}

const char *qm_set_word(const struct qm_audit_controller *ac, const struct qm_audit_set *set)
{
	if (ac->n_sets < 2)
		return "";
	return set->type == QM_HCTX_READ ? "read " : set->type == QM_HCTX_POLL ? "poll " : "default ";
}

/* Adds the queues of a score's list, whose numbers are positions in the set. */
static void draft_positions(struct qm_draft *d, const struct qm_audit_set *set, const struct qm_ids *positions)
{
	for (size_t i = 0; i < positions->n; i++)
		qm_draft_hctx(d, set->hctx.v[positions->v[i]]);
}

/* ---- hctx-unmapped ---- */

static int run_hctx_unmapped(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_draft d;
	const char *command;
	struct qm_reach reach = { 0 };
	int r = 0;

	qm_draft_begin(&d, a, rule, QM_ERROR, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (!c->hctx[q].mapped && !qm_queue_stops_connect(a, c, &c->hctx[q]))
			qm_draft_hctx(&d, c->hctx[q].id);
	}
	if (qm_draft_is_empty(&d))
		return 0;
	if (a->c[i].n_sets == 1)
		r = qm_reach_find(a, i, &a->c[i].sets[0], QM_FAULT_UNMAPPED, &reach);
	if (r < 0)
		d.err = r;
	qm_draft_message(&d,
		"%zu of %zu hardware queues serve no CPU (hctx %s): they and their tags lie idle, the other "
		"queues carry the whole load, and a request made for one of them is refused with EXDEV.",
		d.f.hctx.n, c->n_hctx, qm_draft_idlist(&d, &d.f.hctx));
	qm_draft_advice(
		&d, "Use no more queues than this kernel's mapper fills, or a newer kernel; compare shows which.");
	if (a->c[i].n_sets == 1 && qm_reach_is_any(&reach)) {
		qm_draft_reach(&d, &a->c[i].sets[0], &reach);
	} else {
		command = qm_draft_quote(&d, c->name);
		qm_draft_command(&d, "qmapctl compare %s", command);
	}
	return qm_draft_commit(&d);
}

/* ---- queue-cross-numa ---- */

static const char *needed_words(struct qm_draft *d, unsigned n)
{
	if (n == 0)
		return "none has";
	return qm_draft_text(d, n == 1 ? "only %u has" : "only %u have", n);
}

static int run_queue_cross_numa(
	struct qm_audit *a, const struct qm_rule *rule, size_t i, const struct qm_audit_set *set)
{
	const struct qm_audit_controller *ac = &a->c[i];
	struct qm_reach reach = { 0 };
	struct qm_draft d;
	int r;

	if (!qm_set_is_worse(set, QM_FAULT_CROSS_NODE))
		return 0;
	r = qm_reach_find(a, i, set, QM_FAULT_CROSS_NODE, &reach);
	if (r < 0)
		return r;
	qm_draft_begin(&d, a, rule, qm_reach_is_any(&reach) ? QM_WARNING : QM_INFO, (long)i);
	draft_positions(&d, set, &set->score.cross_node);
	for (size_t k = 0; k < d.f.hctx.n; k++)
		qm_cpuset_or(&d.f.cpus, a->m->controllers[i].hctx[d.f.hctx.v[k]].cpus);
	qm_draft_message(&d,
		"%zu of %zu %squeues (hctx %s) serve%s CPUs of more than one NUMA node, %s to: jobs on different nodes "
		"share a queue's locks, tags and interrupt, and get less out of the device.",
		set->score.cross_node.n, set->hctx.n, qm_set_word(ac, set), qm_draft_idlist(&d, &d.f.hctx),
		set->score.cross_node.n == 1 ? "s" : "", needed_words(&d, set->best.cross_node));
	qm_draft_reach(&d, set, &reach);
	return qm_draft_commit(&d);
}

/* ---- queue-uneven ---- */

static int run_queue_uneven(struct qm_audit *a, const struct qm_rule *rule, size_t i, const struct qm_audit_set *set)
{
	const struct qm_controller *c = &a->m->controllers[i];
	struct qm_reach reach = { 0 };
	struct qm_draft d;
	int r;

	if (!qm_set_is_worse(set, QM_FAULT_UNEVEN))
		return 0;
	/* A map is faulted for the first thing in which it falls short, and that one's remedy is the one to take. */
	if (qm_set_is_worse(set, QM_FAULT_CROSS_NODE)) {
		r = qm_reach_find(a, i, set, QM_FAULT_CROSS_NODE, &reach);
		if (r < 0 || qm_reach_is_any(&reach))
			return r;
	}
	r = qm_reach_find(a, i, set, QM_FAULT_UNEVEN, &reach);
	if (r < 0)
		return r;
	qm_draft_begin(&d, a, rule, qm_reach_is_any(&reach) ? QM_WARNING : QM_INFO, (long)i);
	for (size_t k = 0; k < set->hctx.n; k++) {
		const struct qm_hctx *h = &c->hctx[set->hctx.v[k]];

		if (qm_cpuset_count_and(h->cpus, &a->m->topo.online) > set->best.max_cpus) {
			qm_draft_hctx(&d, h->id);
			qm_cpuset_or(&d.f.cpus, h->cpus);
		}
	}
	qm_draft_message(&d,
		"%zu of %zu %squeues (hctx %s) serve%s up to %u CPUs, others as few as %u; none needs more than %u: "
		"jobs on the CPUs of a crowded queue wait for each other while other queues have room.",
		d.f.hctx.n, set->hctx.n, qm_set_word(&a->c[i], set), qm_draft_idlist(&d, &d.f.hctx),
		d.f.hctx.n == 1 ? "s" : "", set->score.max_cpus, set->score.min_cpus, set->best.max_cpus);
	qm_draft_reach(&d, set, &reach);
	return qm_draft_commit(&d);
}

/* ---- core-split ---- */

/* Cores that have an online CPU, as the scores count them. */
static unsigned online_cores(const struct qm_topology *t)
{
	struct qm_cpuset left;
	unsigned n = 0;
	int cpu, other;

	qm_cpuset_copy(&left, &t->online);
	QM_CPUSET_FOREACH(cpu, &left) {
		int core = t->cores.n ? t->cores.of[cpu] : -1;

		if (core >= 0) {
			QM_GROUP_FOREACH(other, &t->cores, core)
				qm_cpuset_clear(&left, (unsigned)other);
		}
		n++;
	}
	return n;
}

static int run_core_split(struct qm_audit *a, const struct qm_rule *rule, size_t i, const struct qm_audit_set *set)
{
	struct qm_draft d;

	if (!set->best.exact || !qm_set_is_worse(set, QM_FAULT_SPLIT_CORES) ||
		qm_set_is_worse(set, QM_FAULT_CROSS_NODE) || qm_set_is_worse(set, QM_FAULT_UNEVEN) ||
		set->hctx.n > online_cores(&a->m->topo))
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, (long)i);
	qm_draft_message(&d,
		"the threads of %u core%s are spread over different %squeues, where %u would be: such "
		"threads share a cache but not a queue, so a request may complete on another core.",
		set->score.split_cores, qm_plural(set->score.split_cores), qm_set_word(&a->c[i], set),
		set->best.split_cores);
	qm_draft_advice(&d,
		"Nothing needs doing: the cost is small. Newer kernels and other queue counts may keep "
		"threads together.");
	return qm_draft_commit(&d);
}

/* ---- queue-types ---- */

static int run_queue_types(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	const struct qm_controller *c = &a->m->controllers[i];
	const long *n = c->nr_types;
	struct qm_draft d;

	if (n[QM_HCTX_DEFAULT] < 0 || (n[QM_HCTX_READ] <= 0 && n[QM_HCTX_POLL] <= 0))
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, (long)i);
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (c->hctx[q].type > QM_HCTX_DEFAULT)
			qm_draft_hctx(&d, c->hctx[q].id);
	}
	qm_draft_message(&d,
		"queues of several types (default %ld, read %ld, poll %ld): each type is spread over all CPUs "
		"on its own; reads use the read queues, polled requests the poll queues.",
		n[QM_HCTX_DEFAULT], n[QM_HCTX_READ] > 0 ? n[QM_HCTX_READ] : 0,
		n[QM_HCTX_POLL] > 0 ? n[QM_HCTX_POLL] : 0);
	qm_draft_advice(&d, "Nothing needs doing. Poll queues have no interrupt and serve polled requests only.");
	return qm_draft_commit(&d);
}

/* ---- queue-count-short ---- */

/* Who decides how many queues there are, by driver; only these are known to be able to have several. */
static const struct {
	const char *driver, *limiter, *advice;
} limiters[] = {
	{ "nvme", "the device offers no more", "Nothing needs doing: a device's own limit cannot be raised." },
	{ "nvme-tcp", "the connect asked for no more or the target grants no more",
		"If more are wanted: nvme connect with --nr-io-queues, and the target's own limit." },
	{ "nvme-rdma", "the connect asked for no more, or the target or the adapter's completion vectors allow no more",
		"If more are wanted: nvme connect with --nr-io-queues, and the target's own limit." },
	{ "nvme-fc", "the connect asked for no more, or the target or the host adapter allows no more",
		"If more are wanted: nvme connect with --nr-io-queues, the target's own limit and the adapter "
		"driver's." },
	{ "nvme-loop", "the connect asked for no more or the target grants no more",
		"If more are wanted: nvme connect with --nr-io-queues, and the target's own limit." },
	{ "virtio_blk", "the hypervisor offers no more",
		"If this is too slow: give the device more queues on the host (num-queues); the guest cannot." },
	{ "virtio_scsi", "the hypervisor offers no more",
		"If this is too slow: give the device more queues on the host (num_queues); the guest cannot." },
	{ "xen-blkfront", "the backend or the driver's parameter max_queues allows no more",
		"If this is too slow: raise xen_blkfront.max_queues, and the backend's limit on the host." },
	{ "vbd", "the backend or the driver's parameter max_queues allows no more",
		"If this is too slow: raise xen_blkfront.max_queues, and the backend's limit on the host." },
};

static bool find_limiter(const struct qm_controller *c, const char **limiter, const char **advice)
{
	for (size_t i = 0; i < QM_ARRAY_SIZE(limiters); i++) {
		if (driver_is(c, limiters[i].driver)) {
			*limiter = limiters[i].limiter;
			*advice = limiters[i].advice;
			return true;
		}
	}
	return false;
}

/* The CPUs that isolcpus=managed_irq (or io_queue) leaves for the host's own work; 0 = not isolated that way. */
static unsigned housekeeping_cpus(const struct qm_machine *m)
{
	struct qm_cpuset left;

	if (!m->cmdline.iso_managed_irq && !m->cmdline.iso_io_queue)
		return 0;
	qm_cpuset_copy(&left, &m->topo.online);
	qm_cpuset_andnot(&left, &m->cmdline.isolcpus);
	return qm_cpuset_count(&left);
}

/* Fewer queues than CPUs is worth a line where the device is made for several; what decides it is the point. */
static bool explain_short(const struct qm_machine *m, const struct qm_controller *c, unsigned queues, unsigned cpus,
	const char **limiter, const char **advice)
{
	bool user_set = driver_is(c, "null_blk") || driver_is(c, "scsi_debug");

	*advice = "Nothing needs doing.";
	if (queues >= cpus)
		return false;
	if (m->cmdline.kdump && queues == 1) {
		*limiter = "a crash kernel uses one queue";
		return true;
	}
	if (queues == housekeeping_cpus(m)) {
		*limiter = "as many as CPUs are left for the host's own work by isolcpus=, which this kernel's drivers "
			   "respect";
		return true;
	}
	if (user_set) {
		*limiter = "the driver cut the number asked for";
		return c->requested > (long)c->n_hctx;
	}
	if (c->nr_types[QM_HCTX_READ] > 0 || c->nr_types[QM_HCTX_POLL] > 0) {
		*limiter = "the rest are read or poll queues, as asked for";
		return true;
	}
	if (find_limiter(c, limiter, advice))
		return true;
	*limiter = "the device or its driver allows no more";
	return queues > 1;
}

static int run_queue_count_short(struct qm_audit *a, const struct qm_rule *rule, size_t i)
{
	unsigned cpus = qm_cpuset_count(&a->m->topo.online);
	const struct qm_controller *c = &a->m->controllers[i];
	unsigned queues = a->c[i].n_sets ? (unsigned)a->c[i].sets[0].hctx.n : 0;
	const char *limiter, *advice;
	struct qm_draft d;

	if (queues == 0 || !explain_short(a->m, c, queues, cpus, &limiter, &advice))
		return 0;
	qm_draft_begin(&d, a, rule, QM_INFO, (long)i);
	if (c->requested > (long)c->n_hctx)
		limiter = qm_draft_text(&d, "%zu used of %ld asked for; %s", c->n_hctx, c->requested, limiter);
	qm_draft_message(&d, "%u queue%s for %u online CPUs: CPUs share a queue, its tags and its interrupt (%s).",
		queues, qm_plural(queues), cpus, limiter);
	qm_draft_advice(&d, "%s", advice);
	if (queues > 1)
		qm_draft_command(&d, "qmapctl show --pin %s", qm_draft_quote(&d, c->name));
	return qm_draft_commit(&d);
}

/* ---- queues-exceed-cpus ---- */

static int run_queues_exceed_cpus(
	struct qm_audit *a, const struct qm_rule *rule, size_t i, const struct qm_audit_set *set)
{
	unsigned cpus = qm_cpuset_count(&a->m->topo.possible);
	const struct qm_controller *c = &a->m->controllers[i];
	unsigned queues = (unsigned)set->hctx.n;
	const char *command;
	struct qm_draft d;

	if (queues <= cpus)
		return 0;
	qm_draft_begin(&d, a, rule, QM_WARNING, (long)i);
	draft_positions(&d, set, &set->score.unmapped);
	qm_draft_message(&d,
		"%u %squeues, but only %u CPUs are possible: %u of them can never be used, and some "
		"drivers and hypervisors fail to start in such a state.",
		queues, qm_set_word(&a->c[i], set), cpus, queues - cpus);
	qm_draft_advice(
		&d, "Configure at most %u queues for the device (on the host, where it is a virtual one).", cpus);
	command = qm_draft_count_command(&d, c, cpus);
	if (command)
		qm_draft_command(&d, "%s", command);
	return qm_draft_commit(&d);
}

#define CONSEQUENCE_SHARED                                                                                             \
	"Consequence: CPUs that share a queue take turns at its lock and its tags, and their requests complete on "    \
	"one CPU. "

const struct qm_rule qm_rules_map[] = {
	{
		.name = "hctx-unmapped",
		.severity = QM_ERROR,
		.family = "map",
		.title = "a hardware queue serves no CPU",
		.text = "Meaning: the device has hardware queues that no CPU is mapped to. They have no mq/N directory "
			"in sysfs; that they exist is known from another witness (debugfs, queue_count, the SCSI host) "
			"or from a gap in the numbers.\n"
			"Consequence: such a queue has no tags and is never used, so all work falls on the others. A "
			"request that must go through one particular queue, as the Connect command of NVMe over "
			"fabrics, is refused with EXDEV, \"Invalid cross-device link\", -18.\n"
			"Remedy: use no more queues than the kernel's mapper fills (qmapctl compare DEV shows each "
			"kernel's result), or a newer kernel.\n"
			"Kernels: 3.13 to 3.18 where the division leaves a rest, 3.19 to 4.12 where the queues are "
			"more than the cores and fewer than the CPUs, 4.13 to 5.2 where CPU numbers below the queue "
			"count do not exist. From 5.3 on only devices with more queues than possible CPUs; which of "
			"their queues go empty changed in 6.17.\n"
			"No problem: a queue whose directory exists and whose list is empty serves isolated CPUs only: "
			"that is hctx-only-isolated.",
		.each = run_hctx_unmapped,
	},
	{
		.name = "queue-cross-numa",
		.severity = QM_WARNING,
		.family = "map",
		.title = "a queue is shared by CPUs of several NUMA nodes without need",
		.text = "Meaning: the online CPUs of a queue belong to more than one node, and a map of the same "
			"number of queues exists on this machine in which fewer queues do.\n"
			"Consequence: jobs on different nodes meet at one queue's locks, tags and completion CPU. Two "
			"jobs on one queue from two nodes reached about 30% fewer requests per second than from one "
			"node; on a machine with 160 CPUs and 2 queues rates swung between 2.5 and 4.5 million, and "
			"were 4.3 to 5 million with one node each.\n"
			"Remedy: a number of queues that this kernel maps without crossing, or a newer kernel; both "
			"are computed and named where they exist. A warning is only given if one of them is within "
			"reach.\n"
			"Kernels: the generic mapper ignores nodes up to 6.2 and keeps queues within them from 6.3 on. "
			"Managed interrupts of PCI devices have respected nodes since 4.9.\n"
			"No problem: fewer queues than nodes; some queue must then serve several.",
		.each_set = run_queue_cross_numa,
	},
	{
		.name = "queue-uneven",
		.severity = QM_WARNING,
		.family = "map",
		.title = "some queues serve more CPUs than any queue needs to",
		.text = "Meaning: the fullest queue serves more online CPUs than the fullest one of the best possible "
			"map of that many queues on this machine, crossing no more nodes.\n" CONSEQUENCE_SHARED
			"The crowded queue becomes the bottleneck while others are idle.\n"
			"Remedy: another number of queues, a newer kernel, or making the map again if it was made "
			"while CPUs were missing; whatever helps here is named.\n"
			"Kernels: up to 4.15 CPUs that came online after the map was made all went to queue 0; up to "
			"6.2 the threads of a core are kept together even where that makes queues uneven.\n"
			"No problem: uneven nodes. Five queues on two nodes of 36 CPUs can only be 18, 18, 12, 12, 12.",
		.each_set = run_queue_uneven,
	},
	{
		.name = "core-split",
		.severity = QM_INFO,
		.family = "map",
		.title = "the threads of a core use different queues without need",
		.text = "Meaning: there are at least as many cores as queues, so all threads of a core could share one "
			"queue, yet some do not.\n"
			"Consequence: small. A job that moves to the other thread of its core changes queues, and "
			"completions may go to another core than the one that submitted.\n"
			"Remedy: none is needed; other queue counts and newer kernels may keep threads together.\n"
			"Kernels: all; those up to 5.2 go by CPU numbers, from 6.3 on queues are filled core by core.\n"
			"No problem: one queue per CPU, or more queues than cores: then cores must be split.",
		.each_set = run_core_split,
	},
	{
		.name = "queue-types",
		.severity = QM_INFO,
		.family = "map",
		.title = "the device has queues of several types",
		.text = "Meaning: besides the default queues there are queues for reads or for polled requests, set up "
			"by module parameters (nvme write_queues and poll_queues, virtio_blk and null_blk poll_queues) "
			"or by options of nvme connect.\n"
			"Consequence: every type has its own map over all CPUs, so a CPU is in one list per type, and "
			"fewer queues are left for each.\n"
			"Remedy: none is needed.\n"
			"Kernels: 5.0 and later. Types are shown in debugfs only, which root can read.\n"
			"No problem: always; it is said because lists that overlap look like a fault.",
		.each = run_queue_types,
	},
	{
		.name = "queue-count-short",
		.severity = QM_INFO,
		.family = "map",
		.title = "fewer queues than online CPUs",
		.text = "Meaning: a device that can have several queues has fewer than there are online CPUs; the line "
			"names who decides that: the device, the hypervisor, the NVMe-oF target, a module parameter, "
			"or isolation.\n" CONSEQUENCE_SHARED
			"On fast devices that costs throughput; most devices do not notice.\n"
			"Remedy: raise the limit where it is yours (hypervisor: num-queues; fabrics: --nr-io-queues "
			"and the target); else place one job per queue, with the lists of qmapctl show --pin.\n"
			"Kernels: all. SUSE's kernels ask for no more queues than isolcpus=managed_irq leaves CPUs.\n"
			"No problem: devices made with one queue, which are not mentioned; slow devices.",
		.each = run_queue_count_short,
	},
	{
		.name = "queues-exceed-cpus",
		.severity = QM_WARNING,
		.family = "map",
		.title = "more queues than CPUs can ever exist",
		.text = "Meaning: the device has more hardware queues of a type than the kernel has possible CPUs.\n"
			"Consequence: the surplus queues are never used and cost memory and vectors; virtual machines "
			"with such devices have failed to boot.\n"
			"Remedy: configure at most as many queues as CPUs, for a guest on the host (num-queues no "
			"larger than maxcpus).\n"
			"Kernels: most cut the number themselves; 4.1 and older never did, 5.10 and later only where "
			"the device has one type of queues. From 6.17 on the first queues go empty, before that the "
			"last.\n"
			"No problem: a guest that will be given more CPUs has them as possible CPUs, and these count.",
		.each_set = run_queues_exceed_cpus,
	},
	{ 0 },
};
