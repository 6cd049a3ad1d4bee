// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a machine: its parts in their order, and once more if it changed meanwhile. */
#include "machine/machine.h"

#include <errno.h>

static int read_once(struct qm_root *root, unsigned what, struct qm_machine *m)
{
	bool lists_only;
	int r;

	m->source = root->live ? QM_SOURCE_LIVE : QM_SOURCE_SYSROOT;
	m->irqbalance = -1;
	root->problems = &m->problems;
	r = qm_kernel_read(root, m);
	if (r == 0)
		r = qm_topology_read(root, m);
	/* Trees of block devices alone exist: then the queues' lists tell which CPUs there are. */
	lists_only = r == -ENOENT && (what & QM_READ_DEVICES);
	if (lists_only)
		r = 0;
	if (r == 0 && !lists_only)
		r = qm_cmdline_read(root, m);
	if (r == 0 && (what & QM_READ_DEVICES))
		r = qm_devices_read(root, m);
	if (r == 0 && lists_only)
		r = qm_topology_from_maps(root, m);
	if (r == 0 && lists_only)
		r = qm_cmdline_read(root, m);
	if (r == 0 && (what & QM_READ_IRQS))
		r = qm_irqs_read(root, what, m);
	if (r == 0 && (what & QM_READ_IRQBALANCE))
		r = qm_irqbalance_read(root, m);
	if (r == 0 && root->live && (what & QM_READ_LINKS))
		r = qm_live_read_links(m);
	if (r == 0 && root->live && (what & QM_READ_NUMA))
		qm_live_check_nodes(m);
	return r;
}

int qm_machine_read(struct qm_root *root, unsigned what, struct qm_machine *ret)
{
	struct qm_problems *outer = root->problems;
	struct qm_machine m = { 0 };
	int r, moved;

	r = read_once(root, what, &m);
	moved = r == 0 ? qm_topology_has_moved(root, &m) : r;
	if (moved > 0) {
		qm_machine_done(&m);
		r = read_once(root, what, &m);
		qm_problem_addf(&m.problems, "sys/devices/system/cpu",
				"the CPU sets changed while reading; everything was read again");
		moved = r == 0 ? qm_topology_has_moved(root, &m) : r;
		if (moved > 0) {
			m.moved = true;
			qm_problem_addf(&m.problems, "sys/devices/system/cpu",
					"the CPU sets changed again; the answer may mix two states, run it once more");
		}
	}
	root->problems = outer;
	if (r < 0) {
		qm_machine_done(&m);
		return r;
	}
	*ret = m;
	return 0;
}
