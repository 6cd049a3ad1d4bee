// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine of the report that led to the mapping of kernel 4.13: 2 sockets x 18 cores x 2 threads, a kernel before it,
 * null_blk with as many queues as the target granted, and the log of the connect that those 64 queues broke.
 */
#include "machine/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEMO_SPEC "pack:2 [numa] l3:1 core:18 pu:2 order=thread-first"
#define DEMO_CORES 36
#define DEMO_QUEUES 64
#define DEMO_TAGS 64

/*
 * The queue of each core, CPU n and its second thread n + 36, as kernels 3.19 to 4.12 deal 64 queues over 36 cores: with
 * more queues than cores and fewer than CPUs they deal by cores, and 28 queues get none.
 */
static const unsigned char queue_of_core[DEMO_CORES] = {
	0,  1,	3,  5,	7,  8,	10, 12, 14, 16, 17, 19, 21, 23, 24, 26, 28, 30,
	32, 33, 35, 37, 39, 40, 42, 44, 46, 48, 49, 51, 53, 55, 56, 58, 60, 62,
};

static const char demo_log[] =
	"[  312.448210] nvme nvme0: creating 64 I/O queues.\n"
	"[  312.702944] nvme nvme0: Connect command failed, error wo/DNR bit: -16402\n"
	"[  312.702961] nvme nvme0: failed to connect i/o queue: -18\n";

const char *qm_demo_log(void)
{
	return demo_log;
}

static int make_topology(struct qm_topology *ret)
{
	static const unsigned distances[] = { 10, 21, 21, 10 };
	_cleanup_free_ char *error = NULL;
	char *name = strdup("demo");
	int r;

	if (!name)
		return -ENOMEM;
	r = qm_synthetic_parse(DEMO_SPEC, ret, &error);
	if (r < 0) {
		free(name);
		return r;
	}
	free(ret->name);
	ret->name = name;
	ret->distances = malloc(sizeof(distances));
	if (!ret->distances)
		return -ENOMEM;
	memcpy(ret->distances, distances, sizeof(distances));
	ret->n_distances = 2;
	return 0;
}

static int make_queues(struct qm_setpool *sets, struct qm_controller *c)
{
	c->hctx = calloc(DEMO_QUEUES, sizeof(*c->hctx));
	if (!c->hctx)
		return -ENOMEM;
	c->n_hctx = DEMO_QUEUES;
	for (unsigned q = 0; q < DEMO_QUEUES; q++) {
		c->hctx[q].id = q;
		c->hctx[q].type = QM_HCTX_DEFAULT;
		c->hctx[q].cpus = &qm_cpuset_none;
		c->hctx[q].tags = c->hctx[q].reserved_tags = c->hctx[q].irq = -1;
	}
	for (unsigned core = 0; core < DEMO_CORES; core++) {
		struct qm_hctx *h = &c->hctx[queue_of_core[core]];
		struct qm_cpuset cpus = { 0 };
		int r;

		h->mapped = true;
		h->tags = DEMO_TAGS;
		h->reserved_tags = 0;
		qm_cpuset_set(&cpus, core);
		qm_cpuset_set(&cpus, core + DEMO_CORES);
		r = qm_setpool_add(sets, &cpus, &h->cpus);
		if (r < 0)
			return r;
		c->mapped++;
	}
	return 0;
}

static int make_controller(struct qm_machine *m)
{
	struct qm_controller *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	m->controllers = c;
	m->n_controllers = m->cap_controllers = 1;
	c->node = -1;
	c->requested = DEMO_QUEUES;
	c->rq_affinity = 1;
	c->queue_count = c->sqsize = -1;
	c->scsi_host = c->scsi_can_queue = c->scsi_cmd_per_lun = -1;
	c->scsi_host_tagset = -1;
	for (int w = 0; w < _QM_WITNESS_MAX; w++)
		c->counts[w] = -1;
	/* debugfs lists all queues, mapped or not */
	c->witness = QM_WITNESS_DEBUGFS;
	c->counts[QM_WITNESS_DEBUGFS] = DEMO_QUEUES;
	c->types_known = true;
	c->nr_types[QM_HCTX_DEFAULT] = DEMO_QUEUES;
	c->name = strdup("nullb0");
	c->driver = strdup("null_blk");
	c->syspath = strdup("sys/devices/virtual/block/nullb0");
	c->disks = calloc(1, sizeof(*c->disks));
	if (!c->name || !c->driver || !c->syspath || !c->disks)
		return -ENOMEM;
	c->n_disks = c->cap_disks = 1;
	return make_queues(&m->sets, c);
}

static int make_disk(struct qm_machine *m)
{
	struct qm_disk *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	m->disks = d;
	m->n_disks = m->cap_disks = 1;
	d->kind = QM_DISK_PLAIN;
	d->has_mq = true;
	d->name = strdup("nullb0");
	d->syspath = strdup("sys/devices/virtual/block/nullb0");
	return d->name && d->syspath ? 0 : -ENOMEM;
}

int qm_demo_make(struct qm_machine *ret)
{
	struct qm_machine m = { .source = QM_SOURCE_DEMO, .privileged = true, .irqbalance = -1 };
	int r;

	r = make_topology(&m.topo);
	if (r == 0)
		r = qm_kernel_parse("4.12.0", &m.kernel);
	if (r == 0)
		r = qm_cmdline_parse("", m.topo.nr_cpus, &m.cmdline);
	if (r == 0)
		r = make_disk(&m);
	if (r == 0)
		r = make_controller(&m);
	if (r < 0) {
		qm_machine_done(&m);
		return r;
	}
	*ret = m;
	return 0;
}
