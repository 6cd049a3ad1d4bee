// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules about interrupts, isolation and host adapters, on machines made by hand. */
#include "audit.h"

#include "audit/irqs.h"

static const struct topo_spec flat4 = { .possible = "0-3" };
static const struct topo_spec flat8 = { .possible = "0-7" };
static const struct topo_spec two_nodes = { .possible = "0-7", .nodes = "0:0-3;1:4-7", .llc = "0-3;4-7" };

/* ---- whose interrupt is it ---- */

static void owners(void **state)
{
	static const struct {
		const char *name, *driver, *device;
		bool completes;
	} t[] = {
		{ "nvme0q0", "nvme", "nvme0", false },
		{ "nvme12q10", "nvme", "nvme12", true },
		{ "virtio3-config", NULL, NULL, false },
		{ "virtio3-req.0", "virtio_blk", "virtio3", true },
		{ "virtio3-virtqueues", "virtio_blk", "virtio3", true },
		{ "virtio3-request", "virtio_scsi", "virtio3", true },
		{ "virtio3-requests", NULL, NULL, true }, /* a file system, or a disk: not told by the name */
		{ "virtio0-input.0", NULL, NULL, true },
		{ "eth0, virtio3-req.0", "virtio_blk", "virtio3", true },
		{ "mpt3sas0-msix3", "mpt3sas", "mpt3sas0", true },
		{ "mpi3mr0-msix0", "mpi3mr", "mpi3mr0", false },
		{ "megasas2-msix14", "megaraid_sas", "megasas2", true },
		{ "hpsa0-msix14", "hpsa", "hpsa0", true },
		{ "qla2xxx7_default", "qla2xxx", "qla2xxx7", false },
		{ "qla2xxx7_qpair1", "qla2xxx", "qla2xxx7", true },
		{ "hisi_sas_v3_hw cq", "hisi_sas_v3_hw", "hisi_sas_v3_hw", true },
		{ "hisi_sas_v3_hw phy", "hisi_sas_v3_hw", "hisi_sas_v3_hw", false },
		{ "blkif", "xen-blkfront", "blkif", true },
		{ "ahci[0000:00:1f.2]", "ahci", "ahci", true },
		{ "eth0-rx-0", NULL, NULL, true },
		{ "nvmem", NULL, NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_irq irq = { .name = (char *)t[i].name };
		const char *driver = qm_irq_driver(&irq), *device;
		size_t len;

		if (!driver != !t[i].driver || (driver && strcmp(driver, t[i].driver) != 0))
			fail_msg("%s: driver %s", t[i].name, driver ? driver : "none");
		assert_int_equal(qm_irq_completes(&irq), t[i].completes);
		assert_int_equal(qm_irq_device(&irq, &device, &len), t[i].device != NULL);
		if (t[i].device) {
			assert_int_equal(len, strlen(t[i].device));
			assert_memory_equal(device, t[i].device, len);
		}
	}
	assert_null(qm_irq_driver(&(struct qm_irq){ .name = NULL }));
}

static void found_by_controller(void **state)
{
	const struct qm_finding *one;
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat4, "6.12", "");
	machine_add(&m, "nvme1", "nvme", "0-1;2-3");
	machine_add(&m, "nvme10", "nvme", "0-1;2-3");
	c = machine_add(&m, "vda", "virtio_blk", "0-3");
	c->syspath = machine_string("sys/devices/pci0000:00/0000:00:05.0/virtio3");
	c = machine_add(&m, "host4", "megaraid_sas", "0-1;2-3");
	c->scsi_host = 4;
	machine_irq(&m, 20, "nvme1q0", "0-3", "0", -1);
	machine_irq(&m, 21, "nvme1q1", "0-1", "0", -1);
	machine_irq(&m, 22, "nvme10q1", "0-1", "0", -1);
	machine_irq(&m, 23, "virtio3-config", "0-3", "0", -1);
	machine_irq(&m, 24, "virtio3-req.0", "0-3", "0", 0);
	machine_irq(&m, 25, "megasas4-msix0", "0", "0", 1);
	machine_irq(&m, 26, "megasas5-msix0", "0", "0", 1);
	machine_irq(&m, 27, NULL, "0-3", "0", -1);
	f = audit_run(&m);
	one = audit_nth(&f, "irq-managed", 0);
	assert_int_equal(one->controller, 0);
	assert_int_equal(one->irqs.n, 1);
	assert_int_equal(one->irqs.v[0], 21); /* not the admin queue's */
	one = audit_nth(&f, "irq-managed", 1);
	assert_int_equal(one->irqs.v[0], 22);
	one = audit_nth(&f, "irq-managed", 2);
	assert_int_equal(one->controller, 3);
	assert_int_equal(one->irqs.n, 1);
	assert_int_equal(one->irqs.v[0], 25);
	assert_null(audit_nth(&f, "irq-managed", 3));
	audit_silent(&f, "irq-not-managed");
	audit_clean(&f);
	audit_done(&f, &m);
}

static void managed_or_not(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* One vector for admin and I/O cannot be managed, whatever the driver else does; nor could old kernels. */
	machine_make(&m, &flat4, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0-3");
	machine_queue_irq(&m, 0, 0, 30, "nvme0q0, nvme0q1", "0-3", "2", -1);
	f = audit_run(&m);
	audit_silent(&f, "irq-managed");
	audit_silent(&f, "irq-not-managed"); /* one is no news */
	audit_silent(&f, "irq-shared-devices");
	audit_clean(&f);
	audit_done(&f, &m);

	machine_make(&m, &flat4, "4.4.0", "");
	machine_add(&m, "nvme0", "nvme", "0-1;2-3");
	machine_queue_irq(&m, 0, 0, 30, "nvme0q1", "0-1", "0", -1);
	machine_queue_irq(&m, 0, 1, 31, "nvme0q2", "2-3", "2", -1);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "irq-not-managed", "info", "", "", "30-31")->message,
		"2 interrupts that the kernel does not place: where completions run is decided by the driver, irqbalance, or "
		"whoever writes an affinity.");
	audit_done(&f, &m);

	/* An adapter whose disks, if any, are elsewhere. */
	machine_make(&m, &flat4, "5.14", "");
	machine_irq(&m, 130, "qla2xxx7_default", NULL, NULL, -1);
	machine_irq(&m, 132, "qla2xxx7_qpair1", "0-3", NULL, 0);
	machine_irq(&m, 133, "eth0", "0-3", NULL, 0);
	f = audit_run(&m);
	assert_int_equal(audit_says(&f, "irq-not-managed", "info", "", "", "132")->controller, -1);
	audit_done(&f, &m);
}

/* ---- placement ---- */

static void outside_hctx(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "6.12", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-1;2-3;4-5;6-7");
	machine_queue_irq(&m, 0, 0, 70, "a", "0-1", "0", 0);
	machine_queue_irq(&m, 0, 1, 71, "b", "6", "6", 0);
	machine_queue_irq(&m, 0, 2, 72, "c", "0-7", "0", 0); /* may go where it should */
	f = audit_run(&m);
	one = audit_says(&f, "irq-effective-outside-hctx", "warning", "1", "2-3", "71");
	assert_string_equal(one->message,
		"the interrupt of 1 queue (hctx 1) is sent to CPU 6, which the queue does not serve: each completion "
		"wakes another CPU than the one that asked.");
	assert_string_equal(one->command, "qmapctl hint plan xvda");
	audit_done(&f, &m);

	/* Managed ones cannot be helped; offline CPUs and unread lists prove nothing. */
	machine_make(&m, &(struct topo_spec){ .possible = "0-7", .online = "0-3,6-7" }, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0-1;2-3;4-5;6-7");
	m.controllers[0].hctx[3].cpus_unknown = true;
	machine_queue_irq(&m, 0, 0, 70, "nvme0q1", "2", "2", 1);
	machine_queue_irq(&m, 0, 2, 72, "nvme0q3", "0", "0", 0);
	machine_queue_irq(&m, 0, 3, 73, "nvme0q4", "0", "0", 0);
	f = audit_run(&m);
	audit_says(&f, "irq-effective-outside-hctx", "info", "0", "0-1", "70");
	audit_done(&f, &m);
}

static void outside_mask(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &(struct topo_spec){ .possible = "0-7", .online = "0-1,4-7" }, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0-1;2-3;4-7");
	machine_queue_irq(&m, 0, 0, 40, "nvme0q1", "0-1", "0", 1);
	machine_queue_irq(&m, 0, 1, 41, "nvme0q2", "2-3", "0", 1); /* all its CPUs are offline */
	machine_queue_irq(&m, 0, 2, 42, "nvme0q3", "4-7", "1", 1); /* moved, and idle since */
	machine_irq(&m, 43, "eth0", "7", "", 0); /* nothing is in use */
	machine_irq(&m, 44, "dmar1", "6", "5", 0);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "irq-outside-mask", "info", "", "5", "44")->message,
		"1 interrupt (44) was last delivered outside its mask, on CPU 5: pending, as a move takes effect with "
		"the next interrupt.");
	assert_non_null(strstr(audit_nth(&f, "irq-outside-mask", 1)->message, "pending"));
	assert_int_equal(audit_nth(&f, "irq-outside-mask", 1)->irqs.v[0], 42);
	assert_string_equal(audit_nth(&f, "irq-outside-mask", 2)->message,
		"1 interrupt (41) is shut-down: all CPUs of its mask are offline, and the CPU shown as its target "
		"takes none.");
	audit_silent(&f, "irq-effective-outside-hctx");
	audit_done(&f, &m);
}

static void one_cpu(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "4.4", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-7");
	for (unsigned i = 0; i < 8; i++)
		machine_irq(&m, 70 + i, "blkif", "0-7", "0", 0);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "irq-all-on-one-cpu", "warning", "", "0", "70-77")->message,
		"all 8 interrupts of the device go to CPU 0: it alone takes every completion, and is the first to be "
		"full.");
	audit_says(&f, "irq-untied", "info", "", "", "70-77");
	audit_silent(&f, "irq-spread-low");
	audit_done(&f, &m);

	/* Spread, managed, or on the only CPU there is. */
	machine_make(&m, &flat8, "4.4", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-7");
	machine_irq(&m, 70, "blkif", "0-7", "0", 0);
	machine_irq(&m, 71, "blkif", "0-7", "1", 0);
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);
	machine_make(&m, &flat8, "6.12", "");
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_irq(&m, 70, "nvme0q1", "0-3", "0", 1);
	machine_irq(&m, 71, "nvme0q2", "4-7", "0", 1);
	f = audit_run(&m);
	audit_silent(&f, "irq-all-on-one-cpu");
	audit_done(&f, &m);
	machine_make(&m, &(struct topo_spec){ .possible = "0" }, "4.4", "");
	machine_add(&m, "xvda", "xen-blkfront", "0");
	machine_irq(&m, 70, "blkif", "0", "0", 0);
	machine_irq(&m, 71, "blkif", "0", "0", 0);
	f = audit_run(&m);
	audit_silent(&f, "irq-all-on-one-cpu");
	audit_done(&f, &m);
}

static void few_cpus(void **state)
{
	static const char *const cpus[] = { "0", "0", "1", "1", "0", "1" };
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "4.4", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-7");
	for (unsigned i = 0; i < 6; i++)
		machine_irq(&m, 70 + i, "blkif", "0-7", cpus[i], 0);
	f = audit_run(&m);
	audit_says(&f, "irq-spread-low", "warning", "", "0-1", "70-75");
	audit_silent(&f, "irq-all-on-one-cpu");
	audit_done(&f, &m);

	machine_make(&m, &flat8, "4.4", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-7");
	for (unsigned i = 0; i < 6; i++)
		machine_irq(&m, 70 + i, "blkif", "0-7", i % 2 ? cpus[i] : i == 2 ? "5" : "3", 0);
	f = audit_run(&m);
	audit_silent(&f, "irq-spread-low");
	audit_done(&f, &m);
}

static void remote_node(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &two_nodes, "6.12", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-7;0-3")->node = 0;
	machine_queue_irq(&m, 0, 0, 70, "x", "4-7", "5", 0);
	machine_queue_irq(&m, 0, 1, 71, "y", "0-3", "0", 0);
	f = audit_run(&m);
	audit_says(&f, "irq-remote-node", "warning", "0", "4-7", "70");
	audit_done(&f, &m);

	/* A queue of far CPUs is best served there. */
	machine_make(&m, &two_nodes, "6.12", "");
	machine_add(&m, "xvda", "xen-blkfront", "0-3;4-7")->node = 0;
	machine_queue_irq(&m, 0, 0, 70, "x", "0-3", "0", 0);
	machine_queue_irq(&m, 0, 1, 71, "y", "4-7", "4", 0);
	f = audit_run(&m);
	audit_silent(&f, "irq-remote-node");
	audit_done(&f, &m);
}

static void hints(void **state)
{
	const struct qm_finding *one;
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &two_nodes, "4.14", "");
	c = machine_add(&m, "host0", "mpt3sas", "0-7");
	c->scsi_host = 0;
	for (unsigned i = 0; i < 8; i++) {
		char name[] = "mpt3sas0-msix0", cpu[] = "0";

		name[13] = cpu[0] = (char)('0' + i);
		machine_irq(&m, 120 + i, name, i < 4 ? cpu : "0-3", i < 4 ? cpu : "0", 0);
		m.irqs[i].has_hint = true;
		m.irqs[i].hint = topo_kept_list(cpu);
	}
	f = audit_run(&m);
	one = audit_says(&f, "irq-hint-ignored", "warning", "", "4-7", "124-127");
	assert_string_equal(one->message,
		"4 interrupts (124-127) are kept away from the CPUs that the driver asks for (4-7): completions meant "
		"for these gather on other CPUs, up to soft lockups under load.");
	audit_done(&f, &m);

	/* A wider mask keeps the hint; an empty hint asks for nothing. */
	machine_make(&m, &two_nodes, "4.14", "");
	c = machine_add(&m, "host0", "mpt3sas", "0-7");
	c->scsi_host = 0;
	machine_irq(&m, 120, "mpt3sas0-msix0", "0-7", "3", 0);
	machine_irq(&m, 121, "mpt3sas0-msix1", "2", "2", 0);
	m.irqs[0].has_hint = m.irqs[1].has_hint = true;
	m.irqs[0].hint = topo_kept_list("5");
	f = audit_run(&m);
	audit_silent(&f, "irq-hint-ignored");
	audit_done(&f, &m);
}

static void shared_vectors(void **state)
{
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* Too few vectors for the queues. */
	machine_make(&m, &flat8, "6.12", "");
	c = machine_add(&m, "vdb", "virtio_blk", "0-3;4-7");
	c->syspath = machine_string("sys/devices/pci0000:00/0000:00:05.0/virtio2");
	machine_irq(&m, 76, "virtio2-config", "0-7", "0", -1);
	machine_irq(&m, 77, "virtio2-virtqueues", "0-7", "0", -1);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "single-vector-shared", "warning", "0-1", "", "77")->message,
		"2 queues share one interrupt (IRQ 77): completions of all CPUs arrive on one, and the queue map does "
		"not follow any vector.");
	audit_silent(&f, "irq-shared-devices");
	audit_done(&f, &m);

	/* It cannot be at the CPUs of both; at those of neither it is outside. */
	machine_make(&m, &flat8, "6.12", "");
	c = machine_add(&m, "vdb", "virtio_blk", "0-1;2-3");
	machine_queue_irq(&m, 0, 0, 77, "virtio2-virtqueues", "2-7", "2", 0);
	c->hctx[1].irq = c->hctx[0].irq;
	f = audit_run(&m);
	audit_silent(&f, "irq-effective-outside-hctx");
	audit_done(&f, &m);
	machine_make(&m, &flat8, "6.12", "");
	c = machine_add(&m, "vdb", "virtio_blk", "0-1;2-3");
	machine_queue_irq(&m, 0, 0, 77, "virtio2-virtqueues", "4-7", "4", 0);
	c->hctx[1].irq = c->hctx[0].irq;
	f = audit_run(&m);
	audit_says(&f, "irq-effective-outside-hctx", "warning", "0-1", "0-3", "77");
	audit_done(&f, &m);

	/* A line that three devices share. */
	machine_make(&m, &flat8, "5.4", "");
	c = machine_add(&m, "vda", "virtio_blk", "0-7");
	c->syspath = machine_string("sys/devices/pci0000:00/0000:00:05.0/virtio0");
	machine_irq(&m, 18, "virtio3, virtio0, virtio2", "0-7", "1", -1);
	f = audit_run(&m);
	audit_says(&f, "single-vector-shared", "warning", "0", "", "18");
	assert_string_equal(audit_says(&f, "irq-shared-devices", "warning", "", "", "18")->message,
		"IRQ 18 is shared with other devices (virtio3, virtio0, virtio2): each interrupt runs all their "
		"handlers on one CPU, and counts cannot be told apart.");
	audit_done(&f, &m);

	/* A vector of one's own per queue. */
	machine_make(&m, &flat8, "6.12", "");
	c = machine_add(&m, "vda", "virtio_blk", "0-3;4-7");
	c->syspath = machine_string("sys/devices/pci0000:00/0000:00:05.0/virtio0");
	machine_queue_irq(&m, 0, 0, 30, "virtio0-req.0", "0-3", "0", -1);
	machine_queue_irq(&m, 0, 1, 31, "virtio0-req.1", "4-7", "4", -1);
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);
}

static void balancer(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "4.19", "");
	m.irqbalance = 1;
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 60, "nvme0q1", "0-3", "0", 0);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "irqbalance-active", "info", "", "", "60")->message,
		"irqbalance runs and moves 1 storage interrupt (60) that the kernel does not manage.");
	audit_done(&f, &m);

	machine_make(&m, &flat8, "4.19", "");
	m.irqbalance = 1;
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 60, "nvme0q1", "4", "4", 0);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "irqbalance-active", "warning", "", "", "60")->command,
		"qmapctl hint export --format irqbalance");
	audit_done(&f, &m);

	/* Managed ones do not move for it; and it does not run. */
	machine_make(&m, &flat8, "6.12", "");
	m.irqbalance = 1;
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 60, "nvme0q1", "0-3", "0", 1);
	f = audit_run(&m);
	audit_silent(&f, "irqbalance-active");
	audit_done(&f, &m);
	machine_make(&m, &flat8, "4.19", "");
	m.irqbalance = 0;
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 60, "nvme0q1", "4", "4", 0);
	f = audit_run(&m);
	audit_silent(&f, "irqbalance-active");
	audit_done(&f, &m);
}

/* ---- isolation ---- */

static void nvme_per_cpu(struct qm_machine *m, const char *cmdline)
{
	machine_make(m, &flat4, "6.12", cmdline);
	machine_add(m, "nvme0", "nvme", "0;1;2;3");
	for (unsigned i = 0; i < 4; i++) {
		char name[] = "nvme0q1", cpu[] = "0";

		name[6] = (char)('1' + i);
		cpu[0] = (char)('0' + i);
		machine_queue_irq(m, 0, i, 65 + i, name, cpu, cpu, 1);
	}
}

static void isolation(void **state)
{
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	nvme_per_cpu(&m, "isolcpus=managed_irq,domain,1-3");
	f = audit_run(&m);
	assert_non_null(strstr(audit_says(&f, "isolated-cpu-irq", "warning", "1-3", "1-3", "66-68")->message,
		"3 storage interrupts arrive on isolated CPUs (1-3)"));
	assert_string_equal(audit_says(&f, "isolation-ineffective", "warning", "", "1-3", "66-68")->message,
		"isolcpus=managed_irq cannot help 3 storage interrupts: their masks hold isolated CPUs only (1-3), and "
		"it only chooses among the CPUs of a mask.");
	audit_done(&f, &m);

	/* Without managed_irq there is nothing to be ineffective. */
	nvme_per_cpu(&m, "isolcpus=1-3");
	f = audit_run(&m);
	audit_says(&f, "isolated-cpu-irq", "warning", "1-3", "1-3", "66-68");
	audit_silent(&f, "isolation-ineffective");
	audit_done(&f, &m);

	nvme_per_cpu(&m, "");
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);

	/* An isolation that is only thought of would take a CPU of the host where a mask has one. */
	machine_make(&m, &flat8, "6.12", "isolcpus=managed_irq,1-3,5-7");
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 70, "nvme0q1", "0-3", "2", 1);
	machine_queue_irq(&m, 0, 1, 71, "nvme0q2", "4-7", "5", 1);
	f = audit_with(&m, &(struct qm_audit_options){ .whatif = true });
	audit_silent(&f, "isolation-ineffective");
	audit_silent(&f, "isolated-cpu-irq");
	audit_done(&f, &m);

	/* Masks that hold a CPU of the host, which is taken; and one where it is not. */
	machine_make(&m, &flat8, "6.12", "isolcpus=managed_irq,1-3,5-7");
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 70, "nvme0q1", "0-3", "0", 1);
	machine_queue_irq(&m, 0, 1, 71, "nvme0q2", "4-7", "4", 1);
	f = audit_run(&m);
	audit_clean(&f);
	audit_done(&f, &m);
	machine_make(&m, &flat8, "5.17", "isolcpus=managed_irq,1-3,5-7");
	machine_add(&m, "nvme0", "nvme", "0-3;4-7");
	machine_queue_irq(&m, 0, 0, 70, "nvme0q1", "0-3", "0", 1);
	machine_queue_irq(&m, 0, 1, 71, "nvme0q2", "4-7", "5", 1);
	f = audit_run(&m);
	assert_string_equal(audit_says(&f, "isolation-ineffective", "warning", "", "5", "71")->message,
		"1 managed interrupt is delivered to isolated CPUs (5) although its mask has CPUs of the host: "
		"isolcpus=managed_irq is in force, but the kernel's interrupt code does not keep to it.");
	audit_done(&f, &m);
}

/* Interrupts of disks that the tree does not show are known by their names. */
static void isolation_without_disks(void **state)
{
	const struct qm_finding *one;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat4, "6.12", "isolcpus=managed_irq,1-3");
	machine_irq(&m, 70, "nvme0q0", "0-3", "2", -1);
	machine_irq(&m, 71, "nvme0q2", "1", "1", -1);
	machine_irq(&m, 72, "eth0", "1", "1", -1);
	f = audit_run(&m);
	assert_int_equal(audit_says(&f, "isolated-cpu-irq", "warning", "", "1", "71")->controller, -1);
	audit_says(&f, "isolation-ineffective", "warning", "", "1", "71");
	audit_done(&f, &m);

	/* Device by device; an admin queue's counts where its mask has isolated CPUs only, and can be moved. */
	machine_make(&m, &flat4, "6.12", "isolcpus=managed_irq,1-3");
	machine_irq(&m, 60, "nvme10q1", "1", "1", -1);
	machine_irq(&m, 70, "nvme1q0", "2", "2", -1);
	machine_irq(&m, 71, "nvme1q1", "0", "0", -1);
	machine_irq(&m, 72, "nvme1q2", "1", "1", -1);
	machine_irq(&m, 80, "qla2xxx7_qpair1", "3", "3", 0);
	machine_irq(&m, 81, "qla2xxx7_qpair2", "1-2", "2", 0);
	machine_irq(&m, 82, "qla2xxx7_default", "0-3", "0", 0);
	f = audit_run(&m);
	one = audit_says(&f, "isolated-cpu-irq", "warning", "", "1-2", "70,72");
	assert_non_null(strstr(one->message, "2 of 3 interrupts of nvme1 arrive on isolated CPUs (1-2): "));
	assert_non_null(strstr(one->advice, "Move the others to CPUs that are not isolated."));
	assert_string_equal(one->command, "echo 0 > /proc/irq/70/smp_affinity_list");
	one = audit_nth(&f, "isolated-cpu-irq", 1);
	assert_non_null(strstr(one->message, "1 of 1 interrupt of nvme10 arrives on isolated CPUs (1): "));
	assert_non_null(strstr(one->advice, "They are managed and cannot be moved"));
	assert_null(one->command);
	one = audit_nth(&f, "isolated-cpu-irq", 2);
	assert_non_null(strstr(one->message, "2 of 3 interrupts of qla2xxx7 arrive on isolated CPUs (2-3): "));
	assert_non_null(strstr(one->advice, "Move them to CPUs that are not isolated, and give irqaffinity="));
	assert_string_equal(one->command, "for i in 80 81; do echo 0 > /proc/irq/$i/smp_affinity_list; done");
	assert_null(audit_nth(&f, "isolated-cpu-irq", 3));
	audit_says(&f, "isolation-ineffective", "warning", "", "1", "60,72");
	audit_done(&f, &m);

	/* No release: what a driver lets the kernel manage is not known. */
	machine_make(&m, &flat4, NULL, "isolcpus=managed_irq,1-3");
	machine_irq(&m, 70, "nvme1q0", "2", "2", -1);
	machine_irq(&m, 72, "nvme1q1", "1", "1", -1);
	f = audit_run(&m);
	one = audit_says(&f, "isolated-cpu-irq", "warning", "", "1-2", "70,72");
	assert_non_null(strstr(one->advice, "Give --kernel to learn which are managed. "));
	assert_null(one->command);
	audit_silent(&f, "isolation-ineffective");
	audit_done(&f, &m);
}

static void reserved(void **state)
{
	struct qm_audit_options opt = { 0 };
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat8, "6.8", "");
	machine_irq(&m, 69, "hpsa0-msix14", "2", "2", 1);
	machine_irq(&m, 70, "hpsa0-msix15", "3", "3", 1);
	machine_irq(&m, 94, "nvme0q15", "2", "2", 1);
	machine_irq(&m, 95, "nvme0q16", "3", "3", 1);
	machine_irq(&m, 96, "nvme0q17", "4", "4", 1);
	machine_irq(&m, 97, "eth0-rx-0", "2", "2", 0);
	f = audit_run(&m);
	audit_silent(&f, "reserved-cpu-irq");
	qm_findings_done(&f);
	opt.reserved = topo_list("2-3");
	f = audit_with(&m, &opt);
	assert_string_equal(audit_says(&f, "reserved-cpu-irq", "warning", "", "2-3", "69-70,94-95")->message,
		"4 storage interrupts arrive on CPUs reserved for something else (CPU 2: hpsa0-msix14, nvme0q15; CPU "
		"3: hpsa0-msix15, nvme0q16): each one stops a poller there, and host I/O waits for CPUs that never "
		"leave it.");
	audit_done(&f, &m);
}

/* ---- adapters and completion ---- */

static void hidden_queues(void **state)
{
	static const char *const kernels[] = { "5.4", "5.10.198" };

	(void)state;
	for (size_t k = 0; k < QM_ARRAY_SIZE(kernels); k++) {
		struct qm_machine m;
		struct qm_findings f;

		machine_make(&m, &flat8, kernels[k], "");
		machine_add(&m, "host0", "hisi_sas_v3_hw", "0-7")->scsi_host = 0;
		machine_irq(&m, 599, "hisi_sas_v3_hw phy", "0-7", "0", 0);
		for (unsigned i = 0; i < 4; i++)
			machine_irq(&m, 600 + i, "hisi_sas_v3_hw cq", i < 2 ? "0-3" : "4-7", i < 2 ? "0" : "4", 1);
		f = audit_run(&m);
		if (k == 0)
			audit_says(&f, "hidden-reply-queues", "warning", "0", "", "600-603");
		else
			audit_silent(&f, "hidden-reply-queues");
		audit_done(&f, &m);
	}
}

static void completion(void **state)
{
	const struct qm_finding *one;
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	/* Few reply vectors for many CPUs. */
	machine_make(&m, &two_nodes, "4.18", "");
	c = machine_add(&m, "host0", "mpt3sas", "0-7");
	c->rq_affinity = 1;
	for (unsigned i = 0; i < 4; i++) {
		char name[] = "mpt3sas0-msix0", cpu[] = "0";

		name[13] = cpu[0] = (char)('0' + i);
		machine_irq(&m, 100 + i, name, cpu, cpu, 1);
	}
	f = audit_run(&m);
	one = audit_says(&f, "completion-remote", "warning", "0", "", "");
	assert_string_equal(one->command, "echo 2 > /sys/block/host0/queue/rq_affinity");
	audit_says(&f, "hidden-reply-queues", "warning", "0", "", "100-103");
	m.controllers[0].rq_affinity = 2;
	qm_findings_done(&f);
	f = audit_run(&m);
	audit_silent(&f, "completion-remote");
	audit_done(&f, &m);

	/* rq_affinity 0 and an interrupt on the other cache. */
	machine_make(&m, &two_nodes, "6.12", "");
	c = machine_add(&m, "xvda", "xen-blkfront", "0-3;4-7");
	c->rq_affinity = 0;
	machine_queue_irq(&m, 0, 0, 70, "x", "0-7", "5", 0);
	machine_queue_irq(&m, 0, 1, 71, "y", "0-7", "6", 0);
	f = audit_run(&m);
	one = audit_says(&f, "completion-remote", "warning", "0", "", "");
	assert_string_equal(one->command, "echo 1 > /sys/block/xvda/queue/rq_affinity");
	m.controllers[0].rq_affinity = 1;
	qm_findings_done(&f);
	f = audit_run(&m);
	audit_silent(&f, "completion-remote");
	audit_done(&f, &m);
}

static void hardirq(void **state)
{
	static const struct {
		const char *kernel;
		bool fires;
	} t[] = {
		{ "4.19.191", true },
		{ "4.20", false },
		{ "6.12", false },
		{ "4.18.0-553.el8.x86_64", false },
		{ "3.10.0-1160.el7.x86_64", true },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_machine m;
		struct qm_findings f;

		machine_make(&m, &flat4, t[i].kernel, "");
		machine_add(&m, "host0", "virtio_scsi", "0-3");
		machine_queue_irq(&m, 0, 0, 29, "virtio1-request", "0-3", "2", -1);
		f = audit_run(&m);
		if (t[i].fires)
			assert_string_equal(audit_says(&f, "single-queue-hardirq", "warning", "0", "", "29")->command,
				"qmapctl show -v --kernel 4.20 host0");
		else
			audit_silent(&f, "single-queue-hardirq");
		audit_done(&f, &m);
	}
}

static void adapters(void **state)
{
	struct qm_controller *c;
	struct qm_machine m;
	struct qm_findings f;

	(void)state;
	machine_make(&m, &flat4, "6.12", "");
	c = machine_add(&m, "host0", "mpt3sas", "0;1;2;3");
	c->scsi_host_tagset = 1;
	c->scsi_can_queue = 240;
	for (unsigned i = 0; i < 6; i++) {
		char name[] = "mpt3sas0-msix0";

		name[13] = (char)('0' + i);
		machine_irq(&m, 100 + i, name, i < 2 ? "0-3" : "0", "0", i >= 2);
		m.irqs[i].controller = 0;
		m.irqs[i].role = i < 2 ? QM_ROLE_EXTRA : QM_ROLE_QUEUE;
	}
	f = audit_run(&m);
	assert_non_null(strstr(
		audit_says(&f, "host-tagset", "info", "", "", "")->message, "4 queues share one set of 240 tags"));
	audit_says(&f, "hba-highiops-vectors", "info", "", "", "100-101");
	audit_done(&f, &m);

	machine_make(&m, &flat4, "6.12", "");
	c = machine_add(&m, "host0", "mpt3sas", "0-3");
	c->scsi_host_tagset = 1;
	f = audit_run(&m);
	audit_silent(&f, "host-tagset");
	audit_silent(&f, "hba-highiops-vectors");
	audit_done(&f, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners),
		cmocka_unit_test(found_by_controller),
		cmocka_unit_test(managed_or_not),
		cmocka_unit_test(outside_hctx),
		cmocka_unit_test(outside_mask),
		cmocka_unit_test(one_cpu),
		cmocka_unit_test(few_cpus),
		cmocka_unit_test(remote_node),
		cmocka_unit_test(hints),
		cmocka_unit_test(shared_vectors),
		cmocka_unit_test(balancer),
		cmocka_unit_test(isolation),
		cmocka_unit_test(isolation_without_disks),
		cmocka_unit_test(reserved),
		cmocka_unit_test(hidden_queues),
		cmocka_unit_test(completion),
		cmocka_unit_test(hardirq),
		cmocka_unit_test(adapters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
