// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of interrupts. */
#include <limits.h>

#include "out/json.h"
#include "out/results.h"

static void add_set(struct qm_json *j, json_object *o, const char *key, const struct qm_cpuset *s)
{
	if (s)
		qm_json_list(j, o, key, s);
	else
		qm_json_null(j, o, key);
}

static void add_counts(struct qm_json *j, json_object *o, const struct qm_irq_counts *c)
{
	add_set(j, o, "delivered_list", c ? &c->cpus : NULL);
	qm_json_num(j, o, "delivered", !c ? -1 : c->total > LLONG_MAX ? LLONG_MAX : (long long)c->total);
	qm_json_num(j, o, "busiest_cpu", c && c->total ? (long long)c->busiest : -1);
	qm_json_num(j, o, "busiest", !c || !c->total ? -1 : c->most > LLONG_MAX ? LLONG_MAX : (long long)c->most);
}

static json_object *irq_value(struct qm_json *j, const struct qm_irq_view *v)
{
	const struct qm_irq *irq = v->irq;
	json_object *o = qm_json_new(j);

	qm_json_int(j, o, "irq", irq->nr);
	qm_json_str(j, o, "name", irq->name);
	qm_json_str(j, o, "controller", v->c ? v->c->name : NULL);
	qm_json_str(j, o, "role", qm_irq_role_name(irq->role));
	if (v->hctx.n)
		qm_json_ids_list(j, o, "hctx_list", &v->hctx);
	else
		qm_json_null(j, o, "hctx_list");
	qm_json_str(j, o, "irq_tie", qm_irq_tie_name(v->tie));
	qm_json_bool(j, o, "managed", v->managed);
	qm_json_str(j, o, "managed_by", v->managed_by);
	add_set(j, o, "requested_list", irq->has_requested ? irq->requested : NULL);
	add_set(j, o, "effective_list", irq->has_effective ? irq->effective : NULL);
	add_set(j, o, "hint_list", irq->has_hint ? irq->hint : NULL);
	qm_json_str(j, o, "outside", v->outside);
	qm_json_num(j, o, "node", irq->node);
	qm_json_str(j, o, "chip", irq->chip);
	qm_json_num(j, o, "hwirq", irq->hwirq);
	add_counts(j, o, irq->counts);
	return o;
}

void qm_json_irqs(struct qm_json *j, const struct qm_show_result *res)
{
	qm_json_array(j, "irqs");
	for (size_t i = 0; i < res->n_irqs; i++)
		qm_json_element(j, irq_value(j, &res->irqs[i]));
	qm_json_array_end(j);
}
