// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of advise and diagnose. */
#include "fabrics/status.h"
#include "out/json.h"
#include "out/results.h"

static json_object *failure_value(struct qm_json *j, const struct qm_connect_failure *f)
{
	json_object *o = qm_json_new(j);

	qm_json_num(j, o, "hctx", f->hctx);
	qm_json_num(j, o, "qid", (long long)f->hctx + 1);
	qm_json_str(j, o, "type", qm_hctx_type_name(f->type));
	qm_json_cpus(j, o, "cpus", &f->cpus);
	qm_json_list(j, o, "cpu_list", &f->cpus);
	qm_json_list(j, o, "offline_list", &f->offline);
	qm_json_str(j, o, "reason", qm_connect_reason_name(f->reason));
	return o;
}

static json_object *queues_value(struct qm_json *j, const struct qm_connect_queues *q)
{
	json_object *o = qm_json_new(j);

	qm_json_num(j, o, "asked", q->asked);
	qm_json_num(j, o, "total", q->total);
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++)
		qm_json_num(j, o, qm_hctx_type_name(type), q->n[type]);
	return o;
}

static json_object *rules_value(struct qm_json *j, const char *const *rules)
{
	json_object *a = qm_json_new_array(j);

	for (; *rules; rules++)
		qm_json_append(j, a, qm_json_string(j, *rules));
	return a;
}

/* A number of queues: 0 where none works, null where nobody knows. */
static void add_count(struct qm_json *j, json_object *o, const char *key, const struct qm_advice *a, unsigned n)
{
	if (a->algo)
		qm_json_num(j, o, key, n);
	else
		qm_json_null(j, o, key);
}

static void add_counts(struct qm_json *j, json_object *o, const struct qm_advice *a)
{
	const struct qm_connect_counts *n = &a->counts;

	if (a->algo)
		qm_json_ids_list(j, o, "safe_list", &n->safe);
	else
		qm_json_null(j, o, "safe_list");
	add_count(j, o, "largest_safe", a, n->largest_safe);
	add_count(j, o, "largest_safe_any_grant", a, n->largest_any_grant);
	add_count(j, o, "largest_resilient", a, n->largest_resilient);
	add_count(j, o, "largest_after_loss", a, n->largest_after_loss);
}

static json_object *advice_value(struct qm_json *j, const struct qm_advice *a)
{
	json_object *o = qm_json_new(j);

	qm_json_str(j, o, "controller", a->controller ? a->controller->name : NULL);
	qm_json_str(j, o, "transport", qm_transport_name(a->transport));
	qm_json_str(j, o, "kernel_algorithm", a->algo ? a->algo->id : NULL);
	qm_json_num(j, o, "requested", a->requested);
	qm_json_num(j, o, "granted", a->granted ? (long long)a->granted : -1);
	qm_json_add(j, o, "queues", queues_value(j, &a->queues));
	qm_json_str(j, o, "outcome", qm_connect_outcome_name(a->outcome));
	qm_json_bool(j, o, "sure", a->sure);
	qm_json_add(j, o, "rules", rules_value(j, a->rules));
	if (a->has_failure)
		qm_json_add(j, o, "first_failure", failure_value(j, &a->failure));
	else
		qm_json_null(j, o, "first_failure");
	add_counts(j, o, a);
	qm_json_str(j, o, "message", a->message);
	qm_json_str(j, o, "note", a->note);
	qm_json_str(j, o, "command", a->command);
	return o;
}

int qm_json_advise(struct qm_out *out, const struct qm_advise_result *res)
{
	struct qm_json j;

	qm_json_begin(&j, out);
	qm_json_array(&j, "advice");
	for (size_t i = 0; i < res->n; i++)
		qm_json_element(&j, advice_value(&j, &res->v[i]));
	qm_json_array_end(&j);
	return qm_json_end(&j);
}

/* ---- diagnose ---- */

static json_object *log_queues(struct qm_json *j, const struct qm_klog_incident *i)
{
	json_object *o = qm_json_new(j);

	qm_json_num(j, o, "created", i->created);
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++)
		qm_json_num(j, o, qm_hctx_type_name(type), i->queues[type]);
	return o;
}

/* An errno is negative, as in the log; an NVMe status stands beside it. */
static void add_code(struct qm_json *j, json_object *o, const struct qm_klog_incident *i)
{
	struct qm_status s;

	if (i->has_status && i->status < 0)
		qm_json_int(j, o, "errno", i->status);
	else
		qm_json_null(j, o, "errno");
	qm_status_describe(i->status, &s);
	qm_json_str(j, o, "errname", i->has_status ? s.name : NULL);
	qm_json_num(j, o, "status", i->has_status ? i->status : -1);
	if (i->has_raw)
		qm_json_int(j, o, "printed", i->raw);
	else
		qm_json_null(j, o, "printed");
}

static void add_place(struct qm_json *j, json_object *o, const struct qm_incident_view *v)
{
	const struct qm_diagnosis *d = &v->d;

	qm_json_num(j, o, "qid", d->qid);
	qm_json_bool(j, o, "qid_foretold", d->qid_foretold);
	qm_json_num(j, o, "hctx", d->hctx);
	qm_json_num(j, o, "irq", v->incident->irq);
	if (d->has_cpus) {
		qm_json_cpus(j, o, "cpus", &d->cpus);
		qm_json_list(j, o, "cpu_list", &d->cpus);
		qm_json_list(j, o, "offline_list", &d->offline);
	} else {
		qm_json_null(j, o, "cpus");
		qm_json_null(j, o, "cpu_list");
		qm_json_null(j, o, "offline_list");
	}
}

static json_object *incident_value(struct qm_json *j, const struct qm_incident_view *v)
{
	const struct qm_klog_incident *i = v->incident;
	json_object *o = qm_json_new(j);

	qm_json_str(j, o, "time", i->time);
	qm_json_str(j, o, "last_time", i->last);
	qm_json_num(j, o, "count", (long long)i->count);
	qm_json_num(j, o, "line", (long long)i->line);
	qm_json_str(j, o, "host", i->host);
	qm_json_num(j, o, "boot", i->boot);
	qm_json_str(j, o, "controller", i->controller);
	qm_json_str(j, o, "kind", v->decoded ? "decoded" : qm_klog_kind_name(i->kind));
	qm_json_add(j, o, "queues", log_queues(j, i));
	add_place(j, o, v);
	add_code(j, o, i);
	qm_json_str(j, o, "cause", v->d.cause);
	qm_json_bool(j, o, "stands", v->d.stands);
	qm_json_str(j, o, "rule", v->d.rule);
	qm_json_str(j, o, "severity", v->d.severity);
	qm_json_str(j, o, "advice", v->d.advice);
	qm_json_str(j, o, "command", v->d.command);
	qm_json_str(j, o, "text", i->text);
	return o;
}

static json_object *log_value(struct qm_json *j, const struct qm_diagnose_result *res)
{
	const struct qm_klog_report *log = res->log;
	json_object *o = qm_json_new(j), *notes = qm_json_new_array(j);

	qm_json_str(j, o, "name", res->name);
	qm_json_num(j, o, "lines", (long long)log->lines);
	qm_json_num(j, o, "relevant", (long long)log->relevant);
	for (size_t i = 0; i < res->n_notes; i++)
		qm_json_append(j, notes, qm_json_string(j, res->notes[i]));
	qm_json_add(j, o, "notes", notes);
	return o;
}

int qm_json_diagnose(struct qm_out *out, const struct qm_diagnose_result *res)
{
	struct qm_json j;

	qm_json_begin(&j, out);
	qm_json_key(&j, "log", log_value(&j, res));
	qm_json_array(&j, "incidents");
	for (size_t i = 0; i < res->n; i++)
		qm_json_element(&j, incident_value(&j, &res->v[i]));
	qm_json_array_end(&j);
	return qm_json_end(&j);
}
