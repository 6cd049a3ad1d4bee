// SPDX-License-Identifier: GPL-2.0-or-later
#include "out/results.h"

#include <stdlib.h>

void qm_report_done(struct qm_report *r)
{
	for (size_t i = 0; r->q && i < r->c->n_hctx; i++)
		qm_ids_done(&r->q[i].nodes);
	free(r->q);
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++)
		free(r->maps[type]);
	*r = (struct qm_report){ 0 };
}

bool qm_queue_is_pinnable(const struct qm_queue_view *q)
{
	return (q->h->type == QM_HCTX_DEFAULT || q->h->type == QM_HCTX_UNKNOWN) && !qm_cpuset_is_empty(&q->online);
}

bool qm_queue_is_blank(const struct qm_queue_view *q)
{
	return q->h->cpus_unknown && qm_cpuset_is_empty(q->h->cpus);
}

const char *qm_queue_state_name(enum qm_queue_state s)
{
	static const char *const names[_QM_QUEUE_STATE_MAX] = { "ok", "cross-node", "inactive", "isolated", "offline", "unmapped", NULL };

	return s < _QM_QUEUE_STATE_MAX ? names[s] : NULL;
}
