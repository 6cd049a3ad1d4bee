// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/sets.h"

#include <errno.h>

static unsigned min_uint(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* 0 is no limit. */
static unsigned cap(unsigned n, unsigned limit)
{
	return limit ? min_uint(n, limit) : n;
}

/* Types follow each other. */
static int make_sets(unsigned dflt, unsigned read, unsigned poll, struct qm_sets *ret)
{
	if (!dflt || dflt > QM_QUEUES_MAX || read > QM_QUEUES_MAX || poll > QM_QUEUES_MAX ||
	    dflt + read + poll > QM_QUEUES_MAX)
		return -EINVAL;
	*ret = (struct qm_sets){
		.n = { [QM_HCTX_DEFAULT] = dflt, [QM_HCTX_READ] = read, [QM_HCTX_POLL] = poll },
		.offset = { [QM_HCTX_READ] = read ? dflt : 0, [QM_HCTX_POLL] = dflt + read },
		.has_read = read > 0,
	};
	return 0;
}

int qm_sets_single(unsigned queues, struct qm_sets *ret)
{
	return make_sets(queues, 0, 0, ret);
}

/* Of n queues with interrupts: the default ones, given write_queues (what the parameter is called). The rest reads. */
static unsigned nvme_pci_default(unsigned n, unsigned write_queues)
{
	if (!write_queues || n == 1)
		return n;
	return write_queues >= n ? n - 1 : write_queues;
}

int qm_sets_nvme_pci(enum qm_nvme_pci_rule rule, const struct qm_nvme_pci_in *in, struct qm_sets *ret,
		     struct qm_spread *ret_spread)
{
	bool types = rule == QM_NVME_PCI_TYPES;
	unsigned pre = rule == QM_NVME_PCI_SHARED ? 0 : 1, poll, n, dflt;
	struct qm_spread spread = { 0 };
	int r;

	if (!in->queues || in->queues > QM_QUEUES_MAX || (!types && (in->write_queues || in->poll_queues)))
		return -EINVAL;
	/* At least one queue keeps its interrupt. */
	poll = types ? min_uint(in->poll_queues, in->queues - 1) : 0;
	n = in->queues - poll;
	/* Where not even the reserved vector leaves one over, admin and I/O share it. */
	if (in->vectors)
		n = min_uint(n, in->vectors > pre ? in->vectors - pre : 1);
	dflt = types ? nvme_pci_default(n, in->write_queues) : n;
	r = make_sets(dflt, n - dflt, poll, ret);
	if (r < 0)
		return r;
	if (!in->vectors || in->vectors > pre) {
		spread.vectors = n + pre;
		spread.pre = pre;
		if (dflt < n) {
			spread.n_sets = 2;
			spread.sets[0] = dflt;
			spread.sets[1] = n - dflt;
		}
	}
	*ret_spread = spread;
	return 0;
}

/* The options as far as the rule knows them; nr_io is cut to the online CPUs when the option is read. */
static struct qm_fabrics_in fabrics_given(enum qm_fabrics_rule rule, const struct qm_fabrics_in *in)
{
	struct qm_fabrics_in c = *in;

	c.nr_io = cap(c.nr_io, c.online);
	if (rule == QM_FABRICS_PLAIN || rule == QM_FABRICS_CAPPED)
		c.nr_write = 0;
	if (rule != QM_FABRICS_SPLIT_VECTORS && rule != QM_FABRICS_SPLIT)
		c.nr_poll = 0;
	return c;
}

/* What is asked for. Poll queues need no completion vector. */
static struct qm_fabrics_in fabrics_capped(enum qm_fabrics_rule rule, const struct qm_fabrics_in *in)
{
	struct qm_fabrics_in c = fabrics_given(rule, in);

	c.nr_write = cap(c.nr_write, c.online);
	c.nr_poll = cap(c.nr_poll, c.online);
	if (rule == QM_FABRICS_CAPPED || rule == QM_FABRICS_SPLIT_VECTORS) {
		c.nr_io = cap(c.nr_io, c.vectors);
		c.nr_write = cap(c.nr_write, c.vectors);
	}
	return c;
}

unsigned qm_fabrics_asked(enum qm_fabrics_rule rule, const struct qm_fabrics_in *in)
{
	struct qm_fabrics_in c = fabrics_capped(rule, in);

	return c.nr_io + c.nr_write + c.nr_poll;
}

/* nr_io stands for reads once writes are apart, and those are served first. */
static int fabrics_split(const struct qm_fabrics_in *by, unsigned granted, struct qm_sets *ret)
{
	unsigned read = 0, dflt, poll;

	if (by->nr_write && by->nr_io < granted) {
		read = by->nr_io;
		dflt = min_uint(by->nr_write, granted - read);
	} else {
		dflt = min_uint(by->nr_io, granted);
	}
	poll = min_uint(by->nr_poll, granted - dflt - read);
	return make_sets(dflt, read, poll, ret);
}

int qm_sets_fabrics(enum qm_fabrics_rule rule, const struct qm_fabrics_in *in, unsigned granted, struct qm_sets *ret)
{
	struct qm_fabrics_in by;

	if (!granted || !in->nr_io || in->nr_io > QM_QUEUES_MAX || in->nr_write > QM_QUEUES_MAX ||
	    in->nr_poll > QM_QUEUES_MAX)
		return -EINVAL;
	granted = min_uint(granted, qm_fabrics_asked(rule, in));
	/* Only the rule with vectors splits by its capped numbers. */
	by = rule == QM_FABRICS_SPLIT_VECTORS || rule == QM_FABRICS_CAPPED ? fabrics_capped(rule, in) :
									      fabrics_given(rule, in);
	if (rule != QM_FABRICS_REQUESTED)
		return fabrics_split(&by, granted, ret);
	if (!by.nr_write)
		return make_sets(by.nr_io, 0, 0, ret);
	return make_sets(by.nr_write, by.nr_io, 0, ret);
}

int qm_sets_null_blk(unsigned submit, unsigned max, unsigned poll, struct qm_sets *ret)
{
	return make_sets(min_uint(submit, max), 0, poll, ret);
}

int qm_sets_virtio_blk(unsigned offered, unsigned max, unsigned poll, struct qm_sets *ret)
{
	unsigned n = min_uint(offered, max);

	if (!n)
		return -EINVAL;
	poll = min_uint(poll, n - 1);
	return make_sets(n - poll, 0, poll, ret);
}
