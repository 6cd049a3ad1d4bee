// SPDX-License-Identifier: GPL-2.0-or-later
/* list: the controllers, their disks, and the block devices without queues. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/report.h"

/* Partitions and path disks are told by what they belong to; the others would be missed. Only where nothing was named. */
static int find_bare(const struct qm_run *run, size_t **ret, size_t *ret_n)
{
	const struct qm_machine *m = &run->m;
	size_t *v = malloc((m->n_disks + 1) * sizeof(*v)), n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; run->n_args == 0 && i < m->n_disks; i++) {
		if (m->disks[i].controller < 0 && m->disks[i].kind != QM_DISK_PARTITION)
			v[n++] = i;
	}
	*ret = v;
	*ret_n = n;
	return 0;
}

static int list_run(struct qm_run *run)
{
	struct qm_list_result res = { 0 };
	_cleanup_free_ size_t *bare = NULL;
	struct qm_reporter rep;
	int r = qm_reporter_init(&rep, run, 0, true);

	if (r == 0)
		r = find_bare(run, &bare, &res.n_bare);
	if (r == 0) {
		res.reports = qm_reporter_reports(&rep);
		if (!res.n_bare)
			qm_devices_tell_none(run);
		res.bare = bare;
		r = run->out.face->list(&run->out, &res);
	}
	qm_reporter_done(&rep);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_list, NULL };

const struct qm_command qm_command_list = {
	.name = "list",
	.summary = "controllers and disks, their queues and worst finding",
	.operands = "[DEVICE...]",
	.complete = QM_COMPLETE_DEVICE,
	.example = "qmapctl list -o +WITNESS",
	.example_help = "all controllers, and who tells their number of queues",
	.layouts = layouts,
	.run = list_run,
};
