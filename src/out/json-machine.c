// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of what was read: topology, controllers with their hardware queues, block devices. */
#include "out/json.h"

#include "machine/topojson.h"
#include "out/results.h"

int qm_json_topology(struct qm_out *out, const struct qm_topology_result *res)
{
	struct json_object *o = NULL;
	struct qm_json j;
	int r;

	qm_json_begin(&j, out);
	r = qm_topojson_build(res->topo, &o);
	qm_json_key(&j, "topology", o);
	j.err = r < 0 ? r : j.err;
	return qm_json_end(&j);
}

/* ---- controllers ---- */

static json_object *disk_names(struct qm_json *j, const struct qm_machine *m, const struct qm_controller *c)
{
	json_object *a = qm_json_new_array(j);

	for (size_t i = 0; i < c->n_disks; i++)
		qm_json_append(j, a, qm_json_string(j, m->disks[c->disks[i]].name));
	return a;
}

static json_object *queues_value(struct qm_json *j, const struct qm_controller *c)
{
	json_object *o = qm_json_new(j), *w = qm_json_new(j);

	qm_json_int(j, o, "total", (long long)c->n_hctx);
	qm_json_int(j, o, "mapped", c->mapped);
	qm_json_num(j, o, "default", c->nr_types[QM_HCTX_DEFAULT]);
	qm_json_num(j, o, "read", c->nr_types[QM_HCTX_READ]);
	qm_json_num(j, o, "poll", c->nr_types[QM_HCTX_POLL]);
	qm_json_str(j, o, "witness", qm_witness_name(c->witness));
	for (int i = QM_WITNESS_NONE + 1; i < _QM_WITNESS_MAX; i++)
		qm_json_num(j, w, qm_witness_name((enum qm_witness)i), c->counts[i]);
	qm_json_add(j, o, "witnesses", w);
	qm_json_num(j, o, "requested", c->requested);
	return o;
}

static json_object *algo_id(struct qm_json *j, const struct qm_algo *a)
{
	struct qm_strbuf b = { 0 };
	json_object *o;

	qm_strbuf_addf(&b, "%s:%s", qm_family_name(a->family), a->id);
	j->err = b.err ? b.err : j->err;
	o = qm_json_string(j, qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return o;
}

void qm_json_algo(struct qm_json *j, json_object *o, const char *key, const struct qm_algo *a)
{
	if (a)
		qm_json_add(j, o, key, algo_id(j, a));
	else
		qm_json_null(j, o, key);
}

json_object *qm_json_matches(struct qm_json *j, const struct qm_identity *id)
{
	json_object *a = qm_json_new_array(j);

	for (size_t i = 0; i < id->n_matches; i++)
		qm_json_append(j, a, algo_id(j, id->matches[i]));
	return a;
}

static json_object *algorithm_value(struct qm_json *j, const struct qm_report *r)
{
	json_object *o, *candidates;
	const struct qm_identity *id = &r->id;

	if (!r->has_id)
		return NULL;
	o = qm_json_new(j);
	qm_json_str(j, o, "family", qm_family_name(id->rule.family));
	qm_json_algo(j, o, "predicted", id->predicted.n ? id->predicted.v[0] : NULL);
	candidates = qm_json_new_array(j);
	for (size_t i = 0; i < id->predicted.n; i++)
		qm_json_append(j, candidates, algo_id(j, id->predicted.v[i]));
	qm_json_add(j, o, "candidates", candidates);
	qm_json_add(j, o, "matches", qm_json_matches(j, id));
	qm_json_bool(j, o, "exact", id->exact);
	qm_json_bool(j, o, "sure", id->predicted.sure && id->rule.sure);
	qm_json_algo(j, o, "nearest", id->nearest);
	if (id->nearest)
		qm_json_list(j, o, "differs_list", &id->differs);
	else
		qm_json_null(j, o, "differs_list");
	if (id->other_time)
		qm_json_list(j, o, "offline_then_list", &id->offline_then);
	else
		qm_json_null(j, o, "offline_then_list");
	return o;
}

static json_object *maps_value(struct qm_json *j, const struct qm_report *r)
{
	json_object *o = qm_json_new(j);

	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++)
		qm_json_map(j, o, qm_hctx_type_name(type), r->maps[type], r->nr_cpus, 0);
	return o;
}

static json_object *completion_value(struct qm_json *j, const struct qm_completion *done)
{
	json_object *o = qm_json_new(j);

	qm_json_num(j, o, "irq_cpu", done->irq_cpu);
	qm_json_list(j, o, "local_list", &done->local);
	qm_json_str(j, o, "local_context", qm_complete_how_name(done->local_how));
	qm_json_list(j, o, "remote_list", &done->remote);
	qm_json_str(j, o, "remote_context", qm_complete_how_name(done->remote_how));
	qm_json_bool(j, o, "sure", done->sure);
	return o;
}

static json_object *queue_value(struct qm_json *j, const struct qm_queue_view *q)
{
	json_object *o = qm_json_new(j);
	const struct qm_irq *irq = q->irq;

	qm_json_int(j, o, "id", q->h->id);
	qm_json_num(j, o, "qid", q->qid);
	qm_json_str(j, o, "type", qm_hctx_type_name(q->h->type));
	qm_json_bool(j, o, "mapped", q->h->mapped);
	qm_json_bool(j, o, "cpus_unknown", q->h->cpus_unknown);
	if (qm_queue_is_blank(q)) {
		qm_json_null(j, o, "cpus");
		qm_json_null(j, o, "cpu_list");
		qm_json_null(j, o, "online_list");
		qm_json_null(j, o, "nodes");
	} else {
		qm_json_cpus(j, o, "cpus", q->h->cpus);
		qm_json_list(j, o, "cpu_list", q->h->cpus);
		qm_json_list(j, o, "online_list", &q->online);
		qm_json_ids(j, o, "nodes", &q->nodes);
	}
	qm_json_str(j, o, "state", qm_queue_state_name(q->state));
	qm_json_num(j, o, "tags", q->h->tags);
	qm_json_num(j, o, "reserved_tags", q->h->reserved_tags);
	qm_json_num(j, o, "irq", irq ? (long long)irq->nr : -1);
	qm_json_str(j, o, "irq_tie", qm_irq_tie_name(q->h->tie));
	qm_json_str(j, o, "irq_name", irq ? irq->name : NULL);
	if (irq && irq->has_requested)
		qm_json_list(j, o, "requested_list", irq->requested);
	else
		qm_json_null(j, o, "requested_list");
	if (irq && irq->has_effective)
		qm_json_list(j, o, "effective_list", irq->effective);
	else
		qm_json_null(j, o, "effective_list");
	qm_json_bool(j, o, "managed", q->managed);
	qm_json_str(j, o, "managed_by", q->managed_by);
	if (q->done.known)
		qm_json_add(j, o, "completion", completion_value(j, &q->done));
	else
		qm_json_null(j, o, "completion");
	return o;
}

static json_object *pin_value(struct qm_json *j, const struct qm_report *r)
{
	json_object *a = qm_json_new_array(j);

	for (size_t i = 0; i < r->c->n_hctx; i++) {
		struct qm_strbuf b = { 0 };

		if (!qm_queue_is_pinnable(&r->q[i]))
			continue;
		qm_cpuset_format(&r->q[i].online, &b);
		j->err = b.err ? b.err : j->err;
		qm_json_append(j, a, qm_json_string(j, qm_strbuf_str(&b)));
		qm_strbuf_done(&b);
	}
	return a;
}

static void add_nvme(struct qm_json *j, json_object *o, const struct qm_controller *c)
{
	qm_json_str(j, o, "state", c->state);
	qm_json_str(j, o, "address", c->address);
	qm_json_str(j, o, "nqn", c->nqn);
	qm_json_str(j, o, "serial", c->serial);
	qm_json_str(j, o, "model", c->model);
	qm_json_str(j, o, "firmware", c->firmware);
	qm_json_bool(j, o, "fabrics", c->fabrics);
}

static json_object *controller_value(struct qm_json *j, const struct qm_machine *m, const struct qm_report *r)
{
	const struct qm_controller *c = r->c;
	json_object *o = qm_json_new(j), *hctx = qm_json_new_array(j);

	qm_json_str(j, o, "name", c->name);
	qm_json_str(j, o, "driver", c->driver);
	qm_json_str(j, o, "transport", c->transport);
	qm_json_num(j, o, "node", c->node);
	qm_json_str(j, o, "pci", c->pci);
	qm_json_add(j, o, "disks", disk_names(j, m, c));
	qm_json_num(j, o, "rq_affinity", c->rq_affinity);
	add_nvme(j, o, c);
	qm_json_num(j, o, "scsi_host", c->scsi_host);
	qm_json_add(j, o, "queues", queues_value(j, c));
	if (r->has_id)
		qm_json_add(j, o, "algorithm", algorithm_value(j, r));
	else
		qm_json_null(j, o, "algorithm");
	qm_json_str(j, o, "worst_severity", r->worst < 0 ? NULL : qm_severity_name((enum qm_severity)r->worst));
	qm_json_str(j, o, "worst_rule", r->worst_rule);
	qm_json_add(j, o, "maps", maps_value(j, r));
	for (size_t i = 0; i < c->n_hctx; i++)
		qm_json_append(j, hctx, queue_value(j, &r->q[i]));
	qm_json_add(j, o, "hctx", hctx);
	qm_json_add(j, o, "pin_lists", pin_value(j, r));
	return o;
}

static int add_controllers(struct qm_json *j, const struct qm_reports *reports)
{
	int r = 0;

	qm_json_array(j, "controllers");
	for (size_t i = 0; r == 0 && i < reports->n; i++) {
		struct qm_report report = { 0 };

		r = reports->get(reports->arg, i, QM_REPORT_ALL, &report);
		if (r == 0)
			qm_json_element(j, controller_value(j, reports->m, &report));
		qm_report_done(&report);
	}
	qm_json_array_end(j);
	return r;
}

static json_object *disk_value(struct qm_json *j, const struct qm_machine *m, const struct qm_disk *d)
{
	json_object *o = qm_json_new(j), *below = qm_json_new_array(j), *links = qm_json_new_array(j);

	qm_json_str(j, o, "name", d->name);
	qm_json_str(j, o, "kind", qm_disk_kind_name(d->kind));
	qm_json_str(j, o, "dev", d->dev);
	qm_json_str(j, o, "label", d->label);
	qm_json_bool(j, o, "hidden", d->hidden);
	qm_json_bool(j, o, "has_mq", d->has_mq);
	qm_json_str(j, o, "controller", d->controller < 0 ? NULL : m->controllers[d->controller].name);
	for (size_t i = 0; i < d->n_below; i++)
		qm_json_append(j, below, qm_json_string(j, d->below[i]));
	qm_json_add(j, o, "below", below);
	for (size_t i = 0; i < d->n_links; i++)
		qm_json_append(j, links, qm_json_string(j, d->links[i]));
	qm_json_add(j, o, "links", links);
	return o;
}

int qm_json_list_result(struct qm_out *out, const struct qm_list_result *res)
{
	const struct qm_machine *m = res->reports.m;
	struct qm_json j;
	int r, end;

	qm_json_begin(&j, out);
	r = add_controllers(&j, &res->reports);
	qm_json_array(&j, "disks");
	for (size_t i = 0; i < m->n_disks; i++)
		qm_json_element(&j, disk_value(&j, m, &m->disks[i]));
	qm_json_array_end(&j);
	end = qm_json_end(&j);
	return r < 0 ? r : end;
}

int qm_json_show(struct qm_out *out, const struct qm_show_result *res)
{
	struct qm_json j;
	int r, end;

	qm_json_begin(&j, out);
	r = add_controllers(&j, &res->reports);
	if (res->irq)
		qm_json_irqs(&j, res);
	end = qm_json_end(&j);
	return r < 0 ? r : end;
}
