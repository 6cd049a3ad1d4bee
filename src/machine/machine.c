// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"

#include <stdlib.h>

static void disk_done(struct qm_disk *d)
{
	for (size_t i = 0; i < d->n_below; i++)
		free(d->below[i]);
	for (size_t i = 0; i < d->n_links; i++)
		free(d->links[i]);
	free(d->below);
	free(d->links);
	free(d->name);
	free(d->syspath);
	free(d->label);
	free(d->uuid);
	free(d->dev);
}

static void controller_done(struct qm_controller *c)
{
	free(c->name);
	free(c->driver);
	free(c->transport);
	free(c->syspath);
	free(c->pci);
	free(c->disks);
	free(c->hctx);
	free(c->state);
	free(c->address);
	free(c->nqn);
	free(c->serial);
	free(c->model);
	free(c->firmware);
	free(c->cntrltype);
	free(c->hostnqn);
}

void qm_machine_done(struct qm_machine *m)
{
	for (size_t i = 0; i < m->n_irqs; i++) {
		free(m->irqs[i].name);
		free(m->irqs[i].chip);
		free(m->irqs[i].counts);
	}
	for (size_t i = 0; i < m->n_disks; i++)
		disk_done(&m->disks[i]);
	for (size_t i = 0; i < m->n_controllers; i++)
		controller_done(&m->controllers[i]);
	free(m->irqs);
	free(m->disks);
	free(m->controllers);
	free(m->source_path);
	free(m->irqbalance_policy);
	qm_ids_done(&m->irqbalance_banned);
	qm_setpool_done(&m->sets);
	qm_topology_done(&m->topo);
	qm_kernel_done(&m->kernel);
	qm_cmdline_done(&m->cmdline);
	qm_problems_done(&m->problems);
	*m = (struct qm_machine){ 0 };
}

/* Names for values, in the order of the enums. */
static const char *name_at(const char *const *names, size_t n, int value)
{
	return value >= 0 && (size_t)value < n ? names[value] : NULL;
}

const char *qm_hctx_type_name(int type)
{
	static const char *const names[_QM_HCTX_TYPE_MAX] = { "default", "read", "poll" };

	return name_at(names, QM_ARRAY_SIZE(names), type);
}

const char *qm_irq_role_name(enum qm_irq_role role)
{
	static const char *const names[_QM_ROLE_MAX] = { NULL, "queue", "admin", "config", "reply", "extra", "network" };

	return name_at(names, QM_ARRAY_SIZE(names), (int)role);
}

const char *qm_irq_tie_name(enum qm_irq_tie tie)
{
	static const char *const names[_QM_TIE_MAX] = { NULL, "name", "msix-index", "mask", "order" };

	return name_at(names, QM_ARRAY_SIZE(names), (int)tie);
}

const char *qm_witness_name(enum qm_witness w)
{
	static const char *const names[_QM_WITNESS_MAX] = { NULL, "debugfs", "queue_count", "nr_hw_queues", "irq-names" };

	return name_at(names, QM_ARRAY_SIZE(names), (int)w);
}

const char *qm_source_kind_name(enum qm_source_kind k)
{
	static const char *const names[_QM_SOURCE_MAX] = { "live", "sysroot", "topology", "synthetic", "demo" };

	return name_at(names, QM_ARRAY_SIZE(names), (int)k);
}

const char *qm_disk_kind_name(enum qm_disk_kind k)
{
	static const char *const names[_QM_DISK_KIND_MAX] = { "disk", "head", "path", "partition", "dm",
							      "md",   "loop", "ram",  "zram" };

	return name_at(names, QM_ARRAY_SIZE(names), (int)k);
}
