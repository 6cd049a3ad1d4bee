// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/irqs.h"

#include <errno.h>
#include <stdlib.h>

#include "audit/irqs.h"
#include "base/strbuf.h"

#define NOT_SHOWN SIZE_MAX

static int add(struct qm_irq_views *x, const struct qm_run *run, size_t report, const struct qm_irq *irq)
{
	const struct qm_machine *m = &run->m;
	struct qm_irq_view *v;
	int r = qm_array_grow(&x->v, &x->cap, x->n + 1, sizeof(*x->v));

	if (r < 0)
		return r;
	v = &x->v[x->n++];
	*v = (struct qm_irq_view){ .irq = irq, .report = report };
	v->c = report < run->n_controllers ? &m->controllers[run->controllers[report]] : NULL;
	v->managed = qm_irq_who_places(m, v->c, irq, &v->managed_by);
	v->outside = qm_irq_outside_name(qm_irq_outside_mask(&m->topo, irq));
	return 0;
}

/* The view of an interrupt that a queue of the report's controller has; made if need be, for one shared with others. */
static int add_queue(struct qm_irq_views *x, const struct qm_run *run, size_t report, const struct qm_hctx *h,
		     size_t *view_of)
{
	size_t at = view_of[h->irq];
	int r = 0;

	if (at == NOT_SHOWN || x->v[at].report != report) {
		r = add(x, run, report, &run->m.irqs[h->irq]);
		at = x->n - 1;
		view_of[h->irq] = at;
	}
	if (r == 0)
		r = qm_ids_add(&x->v[at].hctx, h->id);
	if (r == 0)
		x->v[at].tie = h->tie;
	return r;
}

/* The interrupts that belong to a controller which is shown, or to none. */
static int add_owned(struct qm_irq_views *x, const struct qm_run *run, size_t *view_of)
{
	const struct qm_machine *m = &run->m;
	_cleanup_free_ size_t *report_of = malloc((m->n_controllers + 1) * sizeof(*report_of));
	int r = report_of ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < m->n_controllers; i++)
		report_of[i] = NOT_SHOWN;
	for (size_t i = 0; r == 0 && i < run->n_controllers; i++)
		report_of[run->controllers[i]] = i;
	for (size_t i = 0; r == 0 && i < m->n_irqs; i++) {
		const struct qm_irq *irq = &m->irqs[i];
		size_t report = irq->controller >= 0  ? report_of[irq->controller] :
				!run->n_args && qm_irq_is_storage(irq) ? run->n_controllers :
								  NOT_SHOWN;

		view_of[i] = report == NOT_SHOWN ? NOT_SHOWN : x->n;
		if (report != NOT_SHOWN)
			r = add(x, run, report, irq);
	}
	return r;
}

static int compare_views(const void *a, const void *b)
{
	const struct qm_irq_view *x = a, *y = b;

	if (x->report != y->report)
		return x->report < y->report ? -1 : 1;
	return x->irq->nr < y->irq->nr ? -1 : x->irq->nr > y->irq->nr;
}

int qm_irq_views_make(const struct qm_run *run, struct qm_irq_views *ret)
{
	const struct qm_machine *m = &run->m;
	_cleanup_free_ size_t *view_of = malloc((m->n_irqs + 1) * sizeof(*view_of));
	struct qm_irq_views x = { 0 };
	int r = view_of ? add_owned(&x, run, view_of) : -ENOMEM;

	for (size_t i = 0; r == 0 && i < run->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[run->controllers[i]];

		for (size_t q = 0; r == 0 && q < c->n_hctx; q++) {
			if (c->hctx[q].irq >= 0 && (size_t)c->hctx[q].irq < m->n_irqs)
				r = add_queue(&x, run, i, &c->hctx[q], view_of);
		}
	}
	if (x.n)
		qsort(x.v, x.n, sizeof(*x.v), compare_views);
	if (r < 0)
		qm_irq_views_done(&x);
	else
		*ret = x;
	return r;
}

void qm_irq_views_done(struct qm_irq_views *x)
{
	for (size_t i = 0; i < x->n; i++)
		qm_ids_done(&x->v[i].hctx);
	free(x->v);
	*x = (struct qm_irq_views){ 0 };
}
