/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small machines for tests, from text: a topology, a kernel, controllers with queues, interrupts. */
#ifndef QM_TEST_MACHINE_H
#define QM_TEST_MACHINE_H

#include "machine/machine.h"
#include "topo.h"

#include "base/strbuf.h"

static inline char *machine_string(const char *s)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy)
		abort();
	return copy;
}

/* kernel: a release, NULL = none. cmdline: NULL = not known. */
static inline void machine_make(
	struct qm_machine *m, const struct topo_spec *topo, const char *kernel, const char *cmdline)
{
	*m = (struct qm_machine){ .source = QM_SOURCE_SYSROOT, .irqbalance = -1 };
	topo_make(topo, &m->topo);
	m->kernel.major = m->kernel.minor = m->kernel.patch = -1;
	if (kernel && qm_kernel_parse(kernel, &m->kernel) < 0)
		abort();
	if (cmdline && qm_cmdline_parse(cmdline, m->topo.nr_cpus, &m->cmdline) < 0)
		abort();
}

static inline void machine_queue(struct qm_hctx *h, unsigned id, const char *text)
{
	*h = (struct qm_hctx){ .id = id, .type = QM_HCTX_DEFAULT, .tags = -1, .reserved_tags = -1, .irq = -1 };
	h->mapped = strcmp(text, "-") != 0;
	h->cpus = topo_kept_list(h->mapped ? text : "");
}

/*
 * Adds a controller with one disk. queues: their lists joined by ";": "0-1;2-3"; "-" is an unmapped queue, an empty
 * list one of isolated CPUs only. The pointer is good until the next one is added.
 */
static inline struct qm_controller *machine_add(
	struct qm_machine *m, const char *name, const char *driver, const char *queues)
{
	struct qm_controller *c;
	struct qm_disk *d;

	if (qm_array_grow(&m->controllers, &m->cap_controllers, m->n_controllers + 1, sizeof(*c)) < 0 ||
		qm_array_grow(&m->disks, &m->cap_disks, m->n_disks + 1, sizeof(*d)) < 0)
		abort();
	c = &m->controllers[m->n_controllers];
	d = &m->disks[m->n_disks];
	*c = (struct qm_controller){
		.name = machine_string(name),
		.driver = machine_string(driver),
		.node = -1,
		.requested = -1,
		.rq_affinity = -1,
		.queue_count = -1,
		.sqsize = -1,
		.scsi_host = -1,
		.scsi_can_queue = -1,
		.scsi_cmd_per_lun = -1,
		.scsi_host_tagset = -1,
		.nr_types = { -1, -1, -1 },
		.types_known = true,
	};
	c->fabrics = driver && strncmp(driver, "nvme-", 5) == 0;
	if (c->fabrics)
		c->transport = machine_string(driver + 5);
	*d = (struct qm_disk){ .name = machine_string(name), .has_mq = true, .controller = (long)m->n_controllers };
	if (qm_array_grow(&c->disks, &c->cap_disks, 1, sizeof(*c->disks)) < 0)
		abort();
	c->disks[c->n_disks++] = m->n_disks++;
	for (;;) {
		size_t len = strcspn(queues, ";");
		_cleanup_free_ char *one = strndup(queues, len);
		struct qm_hctx *grown = realloc(c->hctx, (c->n_hctx + 1) * sizeof(*grown));

		if (!one || !grown)
			abort();
		c->hctx = grown;
		machine_queue(&c->hctx[c->n_hctx], (unsigned)c->n_hctx, one);
		c->mapped += c->hctx[c->n_hctx++].mapped;
		if (!queues[len])
			break;
		queues += len + 1;
	}
	m->n_controllers++;
	return c;
}

/* Adds an interrupt and returns its index. NULL lists are not known. */
static inline long machine_irq(
	struct qm_machine *m, unsigned nr, const char *name, const char *requested, const char *effective, int managed)
{
	struct qm_irq *irq;

	if (qm_array_grow(&m->irqs, &m->cap_irqs, m->n_irqs + 1, sizeof(*irq)) < 0)
		abort();
	irq = &m->irqs[m->n_irqs];
	*irq = (struct qm_irq){ .nr = nr, .name = machine_string(name), .hwirq = -1, .node = -1, .managed = managed, .controller = -1 };
	irq->has_requested = requested != NULL;
	irq->has_effective = effective != NULL;
	irq->requested = topo_kept_list(requested ? requested : "");
	irq->effective = topo_kept_list(effective ? effective : "");
	irq->hint = &qm_cpuset_none;
	return (long)m->n_irqs++;
}

/* The same for the interrupt of a queue. */
static inline void machine_queue_irq(struct qm_machine *m, size_t controller, unsigned hctx, unsigned nr,
	const char *name, const char *requested, const char *effective, int managed)
{
	long irq = machine_irq(m, nr, name, requested, effective, managed);

	m->irqs[irq].controller = (long)controller;
	m->irqs[irq].role = QM_ROLE_QUEUE;
	m->controllers[controller].hctx[hctx].irq = irq;
	m->controllers[controller].hctx[hctx].tie = QM_TIE_NAME;
}

#endif
