// SPDX-License-Identifier: GPL-2.0-or-later
/* The rule table, its runner, and the rules about maps, CPUs, fabrics and kernels, on machines made by hand. */
#include "audit.h"

#define ALL_8 "0-7"
#define TWO_NODES "0:0-3;1:4-7"
#define FOUR_CORES "0-1;2-3;4-5;6-7"

static const struct topo_spec flat4 = { .possible = "0-3" };
static const struct topo_spec flat8 = { .possible = ALL_8 };
/* Siblings next to each other, as the captured machines have them. */
static const struct topo_spec std8 = {
	.possible = ALL_8,
	.nodes = TWO_NODES,
	.cores = FOUR_CORES,
	.clusters = FOUR_CORES,
	.llc = "0-3;4-7",
};
/* The machine of the original report: 36 cores, second threads numbered last. */
static const struct topo_spec report = {
	.possible = "0-71",
	.nodes = "0:0-17,36-53;1:18-35,54-71",
	.cores = "0,36;1,37;2,38;3,39;4,40;5,41;6,42;7,43;8,44;9,45;10,46;11,47;12,48;13,49;14,50;15,51;16,52;17,53;18,54;19,55;20,56;21,57;22,58;23,59;24,60;25,61;26,62;27,63;28,64;29,65;30,66;31,67;32,68;33,69;34,70;35,71",
};

/* ---- the table ---- */

static void table_is_whole(void **state)
{
	static const char *const names[] = {
		"hctx-unmapped",
		"fabrics-connect-exdev",
		"fabrics-reconnect-risk",
		"rdma-resource-limit",
		"kdump-queue-mismatch",
		"queue-cross-numa",
		"queue-uneven",
		"cpu-without-queue",
		"irq-all-on-one-cpu",
		"irq-effective-outside-hctx",
		"irq-remote-node",
		"irq-spread-low",
		"irq-hint-ignored",
		"isolated-cpu-irq",
		"reserved-cpu-irq",
		"isolation-ineffective",
		"cmdline-conflict",
		"tcp-iocpu-pileup",
		"tcp-iocpu-outside-hctx",
		"single-vector-shared",
		"irq-shared-devices",
		"hidden-reply-queues",
		"queues-exceed-cpus",
		"vector-exhausted",
		"completion-remote",
		"single-queue-hardirq",
		"map-unexpected",
		"kernel-map-bug",
		"log-timeout",
		"log-irq-lost",
		"hctx-no-online-cpu",
		"hctx-only-isolated",
		"core-split",
		"queue-count-short",
		"possible-exceeds-present",
		"irq-managed",
		"irq-not-managed",
		"irq-not-movable",
		"irq-untied",
		"irq-outside-mask",
		"irqbalance-active",
		"queue-types",
		"host-tagset",
		"hba-highiops-vectors",
		"node-without-memory",
		"log-errno",
		"log-wrong-cpu",
	};
	static const char *const paragraphs[] = {
		"Meaning: ", "\nConsequence: ", "\nRemedy: ", "\nKernels: ", "\nNo problem: "
	};
	size_t n = 0;

	(void)state;
	while (qm_rule_get(n))
		n++;
	assert_int_equal(n, QM_ARRAY_SIZE(names));
	for (size_t i = 0; i < n; i++) {
		const struct qm_rule *r = qm_rule_find(names[i]);
		const char *at;

		if (!r)
			fail_msg("no rule %s", names[i]);
		assert_true(r->severity < _QM_SEVERITY_MAX);
		assert_non_null(r->family);
		assert_non_null(r->title);
		at = r->text;
		for (size_t k = 0; k < QM_ARRAY_SIZE(paragraphs); k++) {
			at = strstr(at, paragraphs[k]);
			if (!at)
				fail_msg("%s: its text has no \"%s\", or not in its place", names[i], paragraphs[k]);
		}
		assert_ptr_equal(qm_rule_find(qm_rule_get(i)->name), qm_rule_get(i));
	}
	assert_null(qm_rule_find("no-such-rule"));
}

static void severities(void **state)
{
	(void)state;
	assert_string_equal(qm_severity_name(QM_ERROR), "error");
	assert_string_equal(qm_severity_name(QM_WARNING), "warning");
	assert_string_equal(qm_severity_name(QM_INFO), "info");
	assert_int_equal(qm_rule_find("hctx-unmapped")->severity, QM_ERROR);
	assert_int_equal(qm_rule_find("queue-cross-numa")->severity, QM_WARNING);
	assert_int_equal(qm_rule_find("irqbalance-active")->severity, QM_WARNING);
	assert_int_equal(qm_rule_find("core-split")->severity, QM_INFO);
}

static void order_and_choice(void **state)
{
	static const char *const only[] = { "hctx-unmapped", NULL },
				 *const ignore[] = { "hctx-unmapped", "queue-cross-numa", NULL };
	static const size_t second[] = { 1 };
	struct qm_audit_options opt = { 0 };
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "nullb0", "null_blk", "0-3;4-7;-");
	machine_add(&m, "nullb1", "null_blk", "0,4;1,5;2,6;3,7;-");
	f = audit_with(&m, &opt);
	/* Errors first, each by controller. */
	assert_true(f.n >= 3);
	assert_string_equal(f.v[0].rule->name, "hctx-unmapped");
	assert_int_equal(f.v[0].controller, 0);
	assert_string_equal(f.v[1].rule->name, "hctx-unmapped");
	assert_int_equal(f.v[1].controller, 1);
	assert_int_equal(f.count[QM_ERROR], 2);
	for (size_t i = 1; i < f.n; i++)
		assert_true(f.v[i - 1].severity >= f.v[i].severity);
	qm_findings_done(&f);

	opt.only = only;
	f = audit_with(&m, &opt);
	assert_int_equal(f.n, 2);
	qm_findings_done(&f);

	opt = (struct qm_audit_options){ .ignore = ignore };
	f = audit_with(&m, &opt);
	audit_silent(&f, "hctx-unmapped");
	audit_silent(&f, "queue-cross-numa");
	qm_findings_done(&f);

	opt = (struct qm_audit_options){ .controllers = second, .n_controllers = 1 };
	f = audit_with(&m, &opt);
	for (size_t i = 0; i < f.n; i++)
		assert_true(f.v[i].controller == 1 || f.v[i].controller == -1);
	assert_non_null(audit_find(&f, "hctx-unmapped"));
	assert_null(audit_nth(&f, "hctx-unmapped", 1));
	audit_done(&f, &m);
}

static void no_machine_at_all(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat4, NULL, NULL);
	f = audit_run(&m);
	assert_int_equal(f.n, 0);
	audit_done(&f, &m);
}

/* A controller without queues, and one whose interrupt index makes no sense, hurt nobody. */
static void odd_controllers(void **state)
{
	struct qm_machine m;
	struct qm_findings f;
	struct qm_controller *c;

	(void)state;
	machine_make(&m, &flat4, "6.12", "");
	c = machine_add(&m, "nvme0", "nvme", "0-3");
	free(c->hctx);
	c->hctx = NULL;
	c->n_hctx = c->mapped = 0;
	c = machine_add(&m, "nvme1", NULL, "0-3");
	c->hctx[0].irq = 77;
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);
}

/* ---- maps ---- */

static void unmapped(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat4, "6.12", "");
	machine_add(&m, "vda", "virtio_blk", "0;1;2;3;-;-");
	f = audit_run(&m);
	one = audit_says(&f, "hctx-unmapped", "error", "4-5", "", "");
	assert_string_equal(one->message,
		"2 of 6 hardware queues serve no CPU (hctx 4-5): they and their tags lie idle, the other queues carry "
		"the whole load, and a request made for one of them is refused with EXDEV.");
	assert_string_equal(one->command, "qmapctl compare vda");
	audit_says(&f, "queues-exceed-cpus", "warning", "4-5", "", "");
	audit_done(&f, &m);

	machine_make(&m, &flat4, "6.12", "");
	machine_add(&m, "vda", "virtio_blk", "0;1;2;3");
	f = audit_run(&m);
	audit_silent(&f, "hctx-unmapped");
	audit_silent(&f, "queues-exceed-cpus");
	audit_clean(&f);
	audit_done(&f, &m);
}

/* 64 queues on 36 cores under the map of 3.19 to 4.12, as the program's demo shows it. */
static void demo_of_the_report(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;
	const struct qm_audit_options opt = { 0 };

	(void)state;
	assert_int_equal(qm_demo_make(&m), 0);
	assert_int_equal(qm_audit_run(&m, &opt, &f), 0);
	one = audit_says(&f, "hctx-unmapped", "error", NULL, NULL, NULL);
	assert_int_equal(one->hctx.n, 28);
	assert_string_equal(one->command, "modprobe -r null_blk && modprobe null_blk submit_queues=36");
	one = audit_says(&f, "kernel-map-bug", "warning", NULL, NULL, NULL);
	assert_int_equal(one->hctx.n, 28);
	assert_string_equal(one->message,
		"this kernel's mapper (map:v3.19) leaves 28 of 64 queues without a CPU on a machine with 72 CPUs: a "
		"known fault, mended in Linux 4.13.");
	audit_done(&f, &m);
}

static void cross_numa(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* As the kernel 6.1 of a captured machine deals 4 queues; every queue could stay within a node. */
	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	machine_add(&m, "sq4", "null_blk", "0,4-5;1,6-7;2;3");
	f = audit_run(&m);
	one = audit_says(&f, "queue-cross-numa", "warning", "0-1", "0-1,4-7", "");
	assert_string_equal(one->message,
		"2 of 4 queues (hctx 0-1) serve CPUs of more than one NUMA node, none has to: jobs on different nodes "
		"share a queue's locks, tags and interrupt, and get less out of the device.");
	assert_string_equal(one->advice,
		"Ask for 8 queues, which this kernel maps well. Linux 6.3 maps 4 queues as well as can be.");
	assert_string_equal(one->command, "modprobe -r null_blk && modprobe null_blk submit_queues=8");
	/* It is uneven as well, but one remedy is enough. */
	audit_silent(&f, "queue-uneven");
	audit_done(&f, &m);

	/* Where the user has no say in the count there is the kernel. */
	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	machine_add(&m, "loop0", "loop", "0,4-5;1,6-7;2;3");
	f = audit_run(&m);
	one = audit_says(&f, "queue-cross-numa", "warning", "0-1", NULL, NULL);
	assert_string_equal(one->command, "qmapctl predict --kernel 6.3 --queues 4");
	audit_done(&f, &m);

	/* One queue must cross, and so must one of two on three nodes. */
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sda", "scsi_debug", "0-7");
	f = audit_run(&m);
	audit_silent(&f, "queue-cross-numa");
	audit_done(&f, &m);

	/* Crossing with nothing better to be had is said as info. */
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sda", "some_hba", "0,4;1,5;2,6;3,7");
	f = audit_run(&m);
	one = audit_says(&f, "queue-cross-numa", "info", "0-3", NULL, NULL);
	assert_string_equal(one->advice,
		"Nothing needs doing: no other number of queues and no newer kernel known here maps this device "
		"better.");
	assert_null(one->command);
	audit_done(&f, &m);
}

/* A fabrics controller is connected anew, with its own address; what a stranger's tree says is quoted. */
static void connect_command(void **state)
{
	const struct qm_finding *one;
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	c = machine_add(&m, "nvme0", "nvme-tcp", "0,4-5;1,6-7;2;3");
	c->nqn = machine_string("nqn.2014-08.org.example:$(reboot)'s");
	c->address = machine_string("traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9");
	f = audit_run(&m);
	one = audit_says(&f, "queue-cross-numa", "warning", NULL, NULL, NULL);
	assert_string_equal(one->command,
		"nvme disconnect -d nvme0 && nvme connect -t tcp -n 'nqn.2014-08.org.example:$(reboot)'\\''s' -a "
		"192.0.2.1 -s 4420 --nr-io-queues=8");
	audit_done(&f, &m);

	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	c = machine_add(&m, "nvme0", "nvme-tcp", "0,4-5;1,6-7;2;3");
	c->nqn = machine_string("nqn.2014-08.org.example:x\nreboot");
	f = audit_run(&m);
	one = audit_says(&f, "queue-cross-numa", "warning", NULL, NULL, NULL);
	assert_null(one->command);
	audit_done(&f, &m);
}

static void uneven(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* CPUs that came online after a 4.14 kernel had made its map. */
	machine_make(&m, &(struct topo_spec){ .possible = "0-15" }, "4.14", "");
	machine_add(&m, "vda", "virtio_blk", "0,4-15;1;2;3");
	f = audit_run(&m);
	one = audit_says(&f, "queue-uneven", "warning", "0", "0,4-15", "");
	assert_string_equal(one->message,
		"1 of 4 queues (hctx 0) serves up to 13 CPUs, others as few as 1; none needs more than 4: jobs on the "
		"CPUs of a crowded queue wait for each other while other queues have room.");
	audit_done(&f, &m);

	/* 5 queues on 2 nodes of 4 CPUs: 2, 2, 2, 1, 1 is as good as can be. */
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sq5", "null_blk", "4-5;6;7;0-1;2-3");
	f = audit_run(&m);
	audit_silent(&f, "queue-uneven");
	audit_clean(&f);
	audit_done(&f, &m);

	/* The crowd is only one because CPUs went offline since: no fault of the map. */
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .online = "4-7" }, "6.12", "");
	machine_add(&m, "sq4", "null_blk", "0-1;2-3;4-5;6-7");
	f = audit_run(&m);
	audit_silent(&f, "queue-uneven");
	audit_done(&f, &m);
}

/* 5 queues on 2 nodes of 36 CPUs: an even split would cross nodes. */
static void uneven_nodes_are_fine(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &report, "6.12", "");
	machine_add(&m, "sq5", "null_blk", "18-26,54-62;27-35,63-71;0-5,36-41;6-11,42-47;12-17,48-53");
	f = audit_run(&m);
	audit_clean(&f);
	audit_silent(&f, "queue-uneven");
	audit_silent(&f, "queue-cross-numa");
	audit_silent(&f, "core-split");
	audit_done(&f, &m);
}

static void split_cores(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sda", "some_hba", "0,2;1,3;4,6;5,7");
	f = audit_run(&m);
	one = audit_says(&f, "core-split", "info", "", "", "");
	assert_string_equal(one->message,
		"the threads of 4 cores are spread over different queues, where 0 would be: such threads share a cache "
		"but not a queue, so a request may complete on another core.");
	audit_done(&f, &m);

	/* More queues than cores, and a queue per CPU: threads have to part. */
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sda", "some_hba", "0,2;1;3;4,6;5;7");
	machine_add(&m, "sdb", "some_hba", "0;1;2;3;4;5;6;7");
	f = audit_run(&m);
	audit_silent(&f, "core-split");
	audit_done(&f, &m);
}

static void types(void **state)
{
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat4, "6.12", "");
	c = machine_add(&m, "nvme0", "nvme", "0-1;2-3;0-3;0-3");
	c->hctx[2].type = QM_HCTX_READ;
	c->hctx[3].type = QM_HCTX_POLL;
	c->nr_types[QM_HCTX_DEFAULT] = 2;
	c->nr_types[QM_HCTX_READ] = c->nr_types[QM_HCTX_POLL] = 1;
	f = audit_run(&m);
	audit_says(&f, "queue-types", "info", "2-3", "", "");
	assert_string_equal(audit_says(&f, "queue-count-short", "info", "", "", "")->message,
		"2 queues for 4 online CPUs: CPUs share a queue, its tags and its interrupt (the rest are read or poll "
		"queues, as asked for).");
	/* Each type is judged on its own: no CPU is in a queue twice. */
	audit_clean(&f);
	audit_done(&f, &m);

	/* Types that nobody can tell: lists overlap, and no map is judged. */
	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	c = machine_add(&m, "nvme0", "nvme", "0,4-5;1,6-7;2;3;0-7");
	for (size_t i = 0; i < c->n_hctx; i++)
		c->hctx[i].type = QM_HCTX_UNKNOWN;
	f = audit_run(&m);
	audit_silent(&f, "queue-types");
	audit_silent(&f, "queue-cross-numa");
	audit_clean(&f);
	audit_done(&f, &m);
}

static void count_short(void **state)
{
	static const struct {
		const char *driver, *queues, *limiter;
	} t[] = {
		{ "nvme", "0-1;2-3", "the device offers no more" },
		{ "virtio_blk", "0-3", "the hypervisor offers no more" },
		{ "virtio_scsi", "0-3", "the hypervisor offers no more" },
		{ "nvme-tcp", "0-3", "the connect asked for no more or the target grants no more" },
		{ "some_hba", "0-1;2-3", "the device or its driver allows no more" },
		{ "some_hba", "0-3", NULL }, /* one queue, and nobody says it could have more */
		{ "ahci", "0-3", NULL }, { "nvme", "0;1;2;3", NULL }, { "null_blk", "0-3", NULL }, /* as asked for */
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		const struct qm_finding *one;
		struct qm_machine m;
		struct qm_findings f;

		machine_make(&m, &flat4, "6.12", "");
		machine_add(&m, "x0", t[i].driver, t[i].queues);
		f = audit_run(&m);
		one = audit_find(&f, "queue-count-short");
		assert_int_equal(one != NULL, t[i].limiter != NULL);
		if (one) {
			assert_int_equal(one->severity, QM_INFO);
			assert_non_null(strstr(one->message, t[i].limiter));
		}
		audit_clean(&f);
		audit_done(&f, &m);
	}
}

static void count_short_reasons(void **state)
{
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "6.4.0-150600.23-default", "isolcpus=managed_irq,domain,2-7");
	machine_add(&m, "nvme0", "nvme", "0,2-4;1,5-7");
	f = audit_run(&m);
	assert_non_null(strstr(audit_says(&f, "queue-count-short", "info", "", "", "")->message,
		"as many as CPUs are left for the host's own work by isolcpus="));
	audit_done(&f, &m);

	machine_make(&m, &flat8, "6.12", "");
	c = machine_add(&m, "nullb0", "null_blk", "0-3;4-7");
	c->requested = 4;
	f = audit_run(&m);
	assert_non_null(
		strstr(audit_says(&f, "queue-count-short", "info", "", "", "")->message, "2 used of 4 asked for"));
	audit_done(&f, &m);
}

/* ---- CPUs ---- */

static void offline_queues(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .present = "0-5", .online = "0-3" }, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0-1;2-3;4;5-6;7");
	f = audit_run(&m);
	one = audit_says(&f, "hctx-no-online-cpu", "info", "2-4", "4-7", "");
	assert_string_equal(one->message,
		"3 of 5 queues (hctx 2-4) have no online CPU (CPUs 4-7: offline or not present): idle until one comes "
		"online, and nothing waits for them.");
	assert_null(one->command);
	audit_says(&f, "possible-exceeds-present", "info", "", "6-7", "");
	audit_clean(&f);
	audit_done(&f, &m);

	machine_make(&m, &flat8, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0;1;2;3;4;5;6;7");
	f = audit_run(&m);
	audit_silent(&f, "hctx-no-online-cpu");
	audit_silent(&f, "possible-exceeds-present");
	audit_done(&f, &m);
}

static void isolated_queues(void **state)
{
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* What the isolated CPUs are is known, and the lists leave them out. */
	machine_make(&m, &flat8, "6.12", "isolcpus=domain,2-5");
	m.topo.isolated = topo_list("2-5");
	machine_add(&m, "nvme0", "nvme", "0;1;;;;;6;7");
	f = audit_run(&m);
	audit_says(&f, "hctx-only-isolated", "info", "2-5", "", "");
	audit_silent(&f, "hctx-no-online-cpu");
	audit_silent(&f, "hctx-unmapped");
	audit_silent(&f, "cpu-without-queue");
	audit_clean(&f);
	audit_done(&f, &m);

	/* A kernel that lists them all the same. */
	machine_make(&m, &flat8, "5.10.0-32-amd64", "isolcpus=domain,2-5");
	m.topo.isolated = topo_list("2-5");
	machine_add(&m, "nvme0", "nvme", "0;1;2;3;4;5;6;7");
	f = audit_run(&m);
	audit_silent(&f, "hctx-only-isolated");
	audit_done(&f, &m);

	/* A list that could not be read is no empty list. */
	machine_make(&m, &flat8, "6.12", "");
	c = machine_add(&m, "nvme0", "nvme", "0;1;2;3;4;5;6;7");
	c->hctx[3].cpus = &qm_cpuset_none;
	c->hctx[3].cpus_unknown = true;
	f = audit_run(&m);
	assert_int_equal(f.n, audit_find(&f, "irq-managed") ? 1 : 0);
	audit_done(&f, &m);
}

static void cpus_without_queue(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "4.14.154", "");
	machine_add(&m, "vda", "virtio_blk", "0;1;2;3,4");
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "cpu-without-queue", "warning", "", "5-7", "")->message,
		"3 online CPUs (5-7) are in no queue's list: the map was made without them, so their requests all go "
		"to queue 0, which serves other CPUs too.");
	audit_done(&f, &m);

	/* Empty lists, and nobody says which CPUs are isolated: then they may be these. */
	machine_make(&m, &flat8, "6.12", "");
	machine_add(&m, "vda", "virtio_blk", "0;1;2;3,4;");
	f = audit_run(&m);
	audit_silent(&f, "cpu-without-queue");
	audit_done(&f, &m);

	/* Offline CPUs need no queue. */
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .online = "0-3" }, "4.12", "");
	machine_add(&m, "vda", "virtio_blk", "0;1;2;3");
	f = audit_run(&m);
	audit_silent(&f, "cpu-without-queue");
	audit_done(&f, &m);
}

static void nodes_without_memory(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .nodes = "0:0-3;1:4-5;2:;3:6-7" }, "6.12", "");
	m.topo.nodes[0].mem_kb = m.topo.nodes[1].mem_kb = m.topo.nodes[2].mem_kb = 1024;
	m.topo.nodes[3].mem_kb = 0;
	f = audit_run(&m);
	assert_non_null(strstr(audit_says(&f, "node-without-memory", "info", "", "6-7", "")->message,
		"node 3 has CPUs (6-7) but no memory"));
	audit_done(&f, &m);

	machine_make(&m, &std8, "6.12", ""); /* memory unknown */
	f = audit_run(&m);
	audit_silent(&f, "node-without-memory");
	audit_done(&f, &m);
}

static void derived_sets_are_no_excess(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .present = "0-3" }, "6.12", "");
	m.topo.possible_derived = true;
	f = audit_run(&m);
	audit_silent(&f, "possible-exceeds-present");
	audit_done(&f, &m);
}

/* ---- fabrics ---- */

static void reconnect_risk(void **state)
{
	static const struct topo_spec off = { .possible = "0-31", .online = "0-11,16-31" };
	const struct qm_finding *one;
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &off, "6.1.0-57-amd64", "");
	c = machine_add(&m, "nvme8", "nvme-fc", "0-3;4-7;8-11;12-15;16-19;20-23;24-27;28-31");
	c->state = machine_string("live");
	f = audit_run(&m);
	one = audit_says(&f, "fabrics-reconnect-risk", "error", "3", "12-15", "");
	assert_string_equal(one->message,
		"1 of 8 I/O queues (hctx 3, first qid 4) has no usable CPU: I/O goes on, but the next reset or "
		"reconnect is refused (errno -18, \"Invalid cross-device link\") and the disks stay away.");
	assert_string_equal(one->command, "chcpu -e 12");
	/* Said alone. */
	audit_silent(&f, "hctx-no-online-cpu");
	audit_done(&f, &m);

	/* A kernel that does not look whether the CPU it finds exists. */
	machine_make(&m, &off, "5.15", "");
	machine_add(&m, "nvme8", "nvme-fc", "0-3;4-7;8-11;12-15;16-19;20-23;24-27;28-31");
	f = audit_run(&m);
	assert_non_null(strstr(audit_says(&f, "fabrics-reconnect-risk", "error", "3", "12-15", "")->message,
		"reads beyond its tables"));
	audit_done(&f, &m);

	/* One that takes an offline CPU without complaint. */
	machine_make(&m, &off, "4.14.154", "");
	machine_add(&m, "nvme8", "nvme-fc", "0-3;4-7;8-11;12-15;16-19;20-23;24-27;28-31");
	f = audit_run(&m);
	audit_silent(&f, "fabrics-reconnect-risk");
	audit_says(&f, "hctx-no-online-cpu", "info", "3", "12-15", "");
	audit_done(&f, &m);

	/* On its way out it will not connect again. */
	machine_make(&m, &off, "6.1.0-57-amd64", "");
	c = machine_add(&m, "nvme8", "nvme-fc", "0-3;4-7;8-11;12-15;16-19;20-23;24-27;28-31");
	c->state = machine_string("deleting (no IO)");
	f = audit_run(&m);
	audit_silent(&f, "fabrics-reconnect-risk");
	audit_done(&f, &m);
}

/* As many queues as CPUs: with one CPU less a reset asks for one queue less, and the last one is not needed. */
static void reconnect_risk_of_the_last_queue(void **state)
{
	static const struct topo_spec off7 = { .possible = ALL_8, .online = "0-6" };
	static const struct topo_spec off6 = { .possible = ALL_8, .online = "0-5,7" };
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &off7, "6.1.0-57-amd64", "");
	machine_add(&m, "nvme8", "nvme-tcp", "0;1;2;3;4;5;6;7");
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "fabrics-reconnect-risk", "warning", "7", "7", "")->message,
		"1 of 8 I/O queues (hctx 7, first qid 8) has no usable CPU: the next reset or reconnect asks for 7 queues, "
		"as many as CPUs are online; it works where the kernel opens no more of the old ones, and is refused "
		"(errno -18, \"Invalid cross-device link\") elsewhere.");
	audit_done(&f, &m);

	machine_make(&m, &off6, "6.1.0-57-amd64", "");
	machine_add(&m, "nvme8", "nvme-tcp", "0;1;2;3;4;5;6;7");
	f = audit_run(&m);
	audit_says(&f, "fabrics-reconnect-risk", "error", "6", "6", "");
	audit_done(&f, &m);

	/* With queues of several types there are more than CPUs anyway. */
	machine_make(&m, &off7, "6.1.0-57-amd64", "");
	c = machine_add(&m, "nvme8", "nvme-tcp", "0;1;2;3;4;5;6;7");
	c->hctx[0].type = QM_HCTX_READ;
	f = audit_run(&m);
	audit_says(&f, "fabrics-reconnect-risk", "error", "7", "7", "");
	audit_done(&f, &m);
}

/* A mark that stays where a queue lost its CPUs, was left out by one reset and taken up by the next. */
static void reconnect_risk_of_an_inactive_queue(void **state)
{
	static const struct topo_spec off3 = { .possible = ALL_8, .online = "0-2,4-7" };
	const struct qm_finding *one;
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8 }, "7.2", "");
	c = machine_add(&m, "nvme8", "nvme-tcp", "0-1;2-3;4-5;6-7");
	c->state = machine_string("live");
	c->hctx[1].stays_inactive = true;
	f = audit_run(&m);
	one = audit_says(&f, "fabrics-reconnect-risk", "error", "1", "2-3", "");
	assert_string_equal(one->message,
		"1 of 4 I/O queues (hctx 1, first qid 2) is still marked inactive, though it has a CPU online: the kernel leaves "
		"that where a queue lost its CPUs, a reset did without it, and a later one takes it up again. Requests that go "
		"there wait, and the next reset or reconnect fails (errno -11, \"Resource temporarily unavailable\").");
	assert_string_equal(
		one->advice, "Take CPU 3 offline and online again, which removes the mark; or disconnect and connect again.");
	assert_string_equal(one->command, "chcpu -d 3 && chcpu -e 3");
	audit_done(&f, &m);

	/* Already trying, and where CPU 0 alone could remove the mark. */
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8 }, "7.2", "");
	c = machine_add(&m, "nvme8", "nvme-tcp", "0;1;2;3;4;5;6;7");
	c->state = machine_string("connecting");
	c->hctx[0].stays_inactive = true;
	f = audit_run(&m);
	one = audit_says(&f, "fabrics-reconnect-risk", "error", "0", "0", "");
	assert_non_null(strstr(one->message, "Every attempt to reconnect fails (errno -11"));
	assert_string_equal(one->advice, "Disconnect and connect again: that makes the queues anew.");
	assert_null(one->command);
	audit_done(&f, &m);

	/* Without any CPU online it is what it is marked as. */
	machine_make(&m, &off3, "7.2", "");
	c = machine_add(&m, "nvme8", "nvme-tcp", "0;1;2;3;4;5;6");
	c->hctx[3].stays_inactive = true;
	f = audit_run(&m);
	one = audit_says(&f, "fabrics-reconnect-risk", "error", "3", "3", "");
	assert_non_null(strstr(one->message, "has no usable CPU"));
	audit_done(&f, &m);
}

static void reconnect_risk_without_cure(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* Isolated and unmapped queues cannot be helped by a CPU. */
	machine_make(&m, &flat8, "6.12", "isolcpus=domain,2-5");
	m.topo.isolated = topo_list("2-5");
	machine_add(&m, "nvme0", "nvme-tcp", "0;1;;;;;6;7;-");
	f = audit_run(&m);
	one = audit_says(&f, "fabrics-reconnect-risk", "error", "2-5,8", "", "");
	assert_string_equal(one->command, "qmapctl advise --transport tcp --print safe");
	audit_silent(&f, "hctx-only-isolated");
	audit_silent(&f, "hctx-unmapped");
	audit_done(&f, &m);
}

static void reconnect_risk_beforehand(void **state)
{
	const struct qm_audit_options opt = { .whatif = true };
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = "0-31", .online = "0-10,12-26,28-31" }, "6.12", "");
	machine_add(&m, "nvme0", "nvme-tcp",
		"0,16;1,17;2,18;3,19;4,20;5,21;6,22;7,23;8,24;9,25;10,26;11,27;12,28;13,29;14,30;15,31");
	machine_add(&m, "nvme1", "nvme", "0-10,12-31;11");
	f = audit_with(&m, &opt);
	one = audit_says(&f, "fabrics-reconnect-risk", "error", "11", "11,27", "");
	assert_int_equal(one->controller, 0);
	assert_null(one->command); /* no CPU to bring back yet */
	assert_non_null(strstr(one->advice, "Keep CPU 11 online"));
	assert_int_equal(audit_says(&f, "hctx-no-online-cpu", "info", "1", "11", "")->controller, 1);
	audit_done(&f, &m);
}

static void connect_exdev(void **state)
{
	/* 16 cores with 2 threads, one core switched off. */
	static const struct topo_spec off = {
		.possible = "0-31",
		.online = "0-10,12-26,28-31",
		.cores = "0,16;1,17;2,18;3,19;4,20;5,21;6,22;7,23;8,24;9,25;10,26;12,28;13,29;14,30;15,31",
		.clusters = "0,16;1,17;2,18;3,19;4,20;5,21;6,22;7,23;8,24;9,25;10,26;12,28;13,29;14,30;15,31",
	};
	const struct qm_audit_options whatif = { .whatif = true };
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &off, "7.0", "");
	f = audit_run(&m);
	audit_silent(&f, "fabrics-connect-exdev"); /* nobody uses fabrics here */
	qm_findings_done(&f);
	f = audit_with(&m, &whatif);
	audit_says(&f, "fabrics-connect-exdev", "error", "11,25", "11,27", "");
	qm_findings_done(&f);
	m.fabrics_in_use = true;
	f = audit_run(&m);
	one = audit_says(&f, "fabrics-connect-exdev", "error", "11,25", "11,27", "");
	assert_string_equal(one->message,
		"an NVMe connect (tcp) with the default of 30 queues is refused (errno -18, \"Invalid cross-device "
		"link\"): 2 of them have no usable CPU, first the one with qid 12 (hctx 11), which has CPU 11, which "
		"is offline. Neither network nor target would be at fault.");
	assert_non_null(strstr(one->advice, "Ask for 16 queues"));
	assert_string_equal(one->command, "qmapctl advise --transport tcp");
	audit_done(&f, &m);

	/* All CPUs online: nothing to say. */
	machine_make(&m, &flat8, "7.0", "");
	m.fabrics_in_use = true;
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);

	/* Nothing is known of the kernel. */
	machine_make(&m, &off, NULL, NULL);
	m.fabrics_in_use = true;
	f = audit_run(&m);
	audit_silent(&f, "fabrics-connect-exdev");
	audit_done(&f, &m);
}

static void tcp_workers(void **state)
{
	struct qm_machine m;
	struct qm_findings f;
	const struct qm_finding *one;

	(void)state;
	machine_make(&m, &flat4, "6.12", "");
	for (unsigned i = 0; i < 4; i++) {
		char name[] = "nvme0";

		name[4] = (char)('0' + i);
		machine_add(&m, name, "nvme-tcp", "0-1;2-3");
	}
	f = audit_run(&m);
	one = audit_says(&f, "tcp-iocpu-pileup", "warning", "", "0-1", "");
	assert_int_equal(one->controller, -1);
	assert_string_equal(one->message,
		"4 NVMe/TCP controllers count their workers' CPUs from the first one each: CPUs 0-1 carry 4 queues "
		"each while 2 CPUs have none, and get hot first.");
	audit_says(&f, "tcp-iocpu-outside-hctx", "warning", "1", "1", "");
	assert_non_null(audit_nth(&f, "tcp-iocpu-outside-hctx", 3));
	assert_null(audit_nth(&f, "tcp-iocpu-outside-hctx", 4));
	audit_done(&f, &m);

	/* From 6.14 on the worker follows the queue; one queue per CPU was always right. */
	machine_make(&m, &flat4, "6.14", "");
	machine_add(&m, "nvme0", "nvme-tcp", "0-1;2-3");
	machine_add(&m, "nvme1", "nvme-tcp", "0-1;2-3");
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);
	machine_make(&m, &flat4, "6.1.0-57-amd64", "");
	machine_add(&m, "nvme0", "nvme-tcp", "0;1;2;3");
	machine_add(&m, "nvme1", "nvme-tcp", "0;1;2;3");
	f = audit_run(&m);
	audit_silent(&f, "tcp-iocpu-outside-hctx");
	audit_silent(&f, "tcp-iocpu-pileup");
	audit_done(&f, &m);
}

/* Before 5.10 the worker's CPU was counted over all types: the third type starts where the second ended. */
static void tcp_workers_by_type(void **state)
{
	static const char *const kernels[] = { "5.8", "5.10.198" };

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(kernels); i++) {
		struct qm_controller *c;
		struct qm_machine m;
		struct qm_findings f;

		machine_make(&m, &flat4, kernels[i], "");
		c = machine_add(&m, "nvme0", "nvme-tcp", "0-3;0-1;2-3");
		c->hctx[1].type = c->hctx[2].type = QM_HCTX_READ;
		f = audit_run(&m);
		if (i == 0)
			audit_silent(&f, "tcp-iocpu-outside-hctx"); /* hctx 1 on CPU 1, hctx 2 on CPU 2 */
		else
			audit_says(&f, "tcp-iocpu-outside-hctx", "warning", "2", "1", ""); /* read queue 1 on CPU 1 */
		audit_done(&f, &m);
	}
}

/* ---- kernels ---- */

static void map_unexpected(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* What 6.12 makes of 2 queues, and what no kernel makes. */
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sq2", "null_blk", "0-3;4-7");
	f = audit_run(&m);
	audit_silent(&f, "map-unexpected");
	audit_done(&f, &m);

	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sq2", "null_blk", "0-2,7;3-6");
	f = audit_run(&m);
	one = audit_says(&f, "map-unexpected", "warning", "", NULL, "");
	assert_string_equal(one->command, "qmapctl compare sq2");
	audit_done(&f, &m);

	/* A driver nobody described may have its own ways. */
	machine_make(&m, &std8, "6.12", "");
	machine_add(&m, "sq2", "some_hba", "0-2,7;3-6");
	f = audit_run(&m);
	audit_silent(&f, "map-unexpected");
	audit_done(&f, &m);

	/* Another kernel's map under a what-if is what was asked for. */
	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	machine_add(&m, "sq2", "null_blk", "0-3;4-7");
	f = audit_with(&m, &(struct qm_audit_options){ .whatif = true });
	audit_silent(&f, "map-unexpected");
	audit_done(&f, &m);
}

/* Made while two CPUs were offline, which are back: the map still leaves them to others' queues. */
static void map_of_another_time(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* CPU 5 was offline, and so its own first sibling: queue 2 got what belongs to queue 1. */
	machine_make(&m, &std8, "6.1.0-57-amd64", "");
	machine_add(&m, "sq3", "null_blk", "0,4;1,5;2-3,6-7");
	f = audit_run(&m);
	one = audit_says(&f, "map-unexpected", "warning", "", "5", "");
	assert_string_equal(one->message,
		"the map is the one that this kernel makes while CPU 5 is offline: it was made then and is kept, so "
		"queues are dealt as if it were still missing.");
	assert_string_equal(one->advice, "Have it made again: reload the driver, connect again, or reboot.");
	audit_done(&f, &m);

	/* The reverse, a CPU that went offline after the map was made, is what always happens then. */
	machine_make(&m,
		&(struct topo_spec){ .possible = ALL_8, .online = "0-4,6-7", .nodes = TWO_NODES, .cores = FOUR_CORES },
		"6.1.0-57-amd64", "");
	machine_add(&m, "sq3", "null_blk", "0,4-5;1,6-7;2-3");
	f = audit_run(&m);
	audit_silent(&f, "map-unexpected");
	audit_done(&f, &m);
}

static void crash_beforehand(void **state)
{
	/* Absent CPUs on more nodes than vectors are left for them: 4.17 to 5.3 divide by zero. */
	static const struct topo_spec vm = {
		.possible = "0-23", .present = "0-3", .nodes = "0:0-1,4-9;1:2-3,10-16;2:17-23"
	};
	const struct qm_audit_options whatif = { .whatif = true };
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &vm, "5.0", "");
	machine_add(&m, "nvme0", "nvme", "0-23;-;-;-;-");
	f = audit_with(&m, &whatif);
	assert_string_equal(audit_says(&f, "kernel-map-bug", "warning", "", "", "")->message,
		"this kernel (irq:v5.0) divides by zero when it spreads the device's vectors on this machine: x86 "
		"stops there when the driver loads.");
	qm_findings_done(&f);
	f = audit_run(&m); /* a kernel that runs has not stopped */
	audit_silent(&f, "kernel-map-bug");
	audit_done(&f, &m);
	machine_make(&m, &vm, "5.0", "");
	machine_add(&m, "nvme0", "nvme", "0-23;-;-;-");
	f = audit_with(&m, &whatif);
	audit_silent(&f, "kernel-map-bug");
	audit_done(&f, &m);

	machine_make(&m, &vm, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0-23;-;-;-;-");
	f = audit_with(&m, &whatif);
	audit_silent(&f, "kernel-map-bug");
	audit_done(&f, &m);
}

static void command_line(void **state)
{
	static const struct {
		const char *cmdline, *message, *cpus;
	} t[] = {
		{ "isolcpus=2-5 irqaffinity=0-2", "irqaffinity= sends interrupts to CPU 2, which isolcpus= isolates",
			"2" },
		{ "isolcpus=0-7", "isolcpus= names every CPU that is present", "0-7" },
		{ "isolcpus=0-9", "isolcpus= names every CPU that is present", "0-7" },
		{ "isolcpus=4-9", "name CPUs 8-9, which cannot exist here", "8-9" },
		{ "isolcpus=io_queue,2-5", "isolcpus=io_queue is not known to this kernel", "" },
		{ "isolcpus=2-5 irqaffinity=0-1,6-7 nohz_full=2-5", NULL, NULL },
		{ "nohz_full=2-5", NULL, NULL },
		{ "isolcpus=managed_irq,2-5", NULL, NULL },
		{ "", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_machine m;
		struct qm_findings f;

		machine_make(&m, &flat8, "6.12", NULL);
		assert_int_equal(qm_cmdline_parse(t[i].cmdline, 16, &m.cmdline), 0);
		f = audit_run(&m);
		if (t[i].message)
			assert_non_null(
				strstr(audit_says(&f, "cmdline-conflict", "warning", "", t[i].cpus, "")->message,
					t[i].message));
		else
			audit_silent(&f, "cmdline-conflict");
		audit_done(&f, &m);
	}
}

static void kdump(void **state)
{
	static const char crash[] = "maxcpus=1 elfcorehdr=0x0";
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .online = "5" }, "6.4", crash);
	machine_add(&m, "nvme0", "nvme", "0-7");
	machine_queue_irq(&m, 0, 0, 31, "nvme0q1", "0", NULL, 1);
	f = audit_run(&m);
	audit_says(&f, "kdump-queue-mismatch", "error", "0", "0", "31");
	audit_done(&f, &m);

	/* The vector's CPU is the one that is online; and no crash kernel. */
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .online = "5" }, "6.4", crash);
	machine_add(&m, "nvme0", "nvme", "0-7");
	machine_queue_irq(&m, 0, 0, 31, "nvme0q1", "5", NULL, 1);
	f = audit_run(&m);
	audit_silent(&f, "kdump-queue-mismatch");
	audit_done(&f, &m);
	machine_make(&m, &(struct topo_spec){ .possible = ALL_8, .online = "5" }, "6.4", "maxcpus=1");
	machine_add(&m, "nvme0", "nvme", "0-7");
	machine_queue_irq(&m, 0, 0, 31, "nvme0q1", "0", NULL, 1);
	f = audit_run(&m);
	audit_silent(&f, "kdump-queue-mismatch");
	audit_done(&f, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_whole),
		cmocka_unit_test(severities),
		cmocka_unit_test(order_and_choice),
		cmocka_unit_test(no_machine_at_all),
		cmocka_unit_test(odd_controllers),
		cmocka_unit_test(unmapped),
		cmocka_unit_test(demo_of_the_report),
		cmocka_unit_test(cross_numa),
		cmocka_unit_test(connect_command),
		cmocka_unit_test(uneven),
		cmocka_unit_test(uneven_nodes_are_fine),
		cmocka_unit_test(split_cores),
		cmocka_unit_test(types),
		cmocka_unit_test(count_short),
		cmocka_unit_test(count_short_reasons),
		cmocka_unit_test(offline_queues),
		cmocka_unit_test(isolated_queues),
		cmocka_unit_test(cpus_without_queue),
		cmocka_unit_test(nodes_without_memory),
		cmocka_unit_test(derived_sets_are_no_excess),
		cmocka_unit_test(reconnect_risk),
		cmocka_unit_test(reconnect_risk_of_the_last_queue),
		cmocka_unit_test(reconnect_risk_of_an_inactive_queue),
		cmocka_unit_test(reconnect_risk_without_cure),
		cmocka_unit_test(reconnect_risk_beforehand),
		cmocka_unit_test(connect_exdev),
		cmocka_unit_test(tcp_workers),
		cmocka_unit_test(tcp_workers_by_type),
		cmocka_unit_test(map_unexpected),
		cmocka_unit_test(map_of_another_time),
		cmocka_unit_test(crash_beforehand),
		cmocka_unit_test(command_line),
		cmocka_unit_test(kdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
