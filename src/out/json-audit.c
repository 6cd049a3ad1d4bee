// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of audit, explain and capture. */
#include "out/json.h"
#include "out/results.h"

static json_object *disk_names(struct qm_json *j, const struct qm_machine *m, const struct qm_finding *f)
{
	const struct qm_controller *c = f->controller < 0 ? NULL : &m->controllers[f->controller];
	json_object *a = qm_json_new_array(j);

	for (size_t i = 0; c && i < c->n_disks; i++)
		qm_json_append(j, a, qm_json_string(j, m->disks[c->disks[i]].name));
	return a;
}

static json_object *finding_value(struct qm_json *j, const struct qm_machine *m, const struct qm_finding *f)
{
	json_object *o = qm_json_new(j);

	qm_json_str(j, o, "rule", f->rule->name);
	qm_json_str(j, o, "severity", qm_severity_name(f->severity));
	qm_json_str(j, o, "family", f->rule->family);
	qm_json_str(j, o, "title", f->rule->title);
	qm_json_str(j, o, "controller", f->controller < 0 ? NULL : m->controllers[f->controller].name);
	qm_json_add(j, o, "disks", disk_names(j, m, f));
	qm_json_ids(j, o, "hctx", &f->hctx);
	qm_json_ids_list(j, o, "hctx_list", &f->hctx);
	qm_json_cpus(j, o, "cpus", &f->cpus);
	qm_json_list(j, o, "cpu_list", &f->cpus);
	qm_json_ids(j, o, "irqs", &f->irqs);
	qm_json_str(j, o, "message", f->message);
	qm_json_str(j, o, "advice", f->advice);
	qm_json_str(j, o, "command", f->command);
	return o;
}

int qm_json_audit(struct qm_out *out, const struct qm_audit_result *res)
{
	const struct qm_findings *f = res->findings;
	json_object *summary;
	struct qm_json j;

	qm_json_begin(&j, out);
	qm_json_array(&j, "findings");
	for (size_t i = 0; i < f->n; i++)
		qm_json_element(&j, finding_value(&j, out->m, &f->v[i]));
	qm_json_array_end(&j);
	summary = qm_json_new(&j);
	for (int s = _QM_SEVERITY_MAX; s-- > 0;)
		qm_json_int(&j, summary, qm_severity_name((enum qm_severity)s), f->count[s]);
	qm_json_key(&j, "summary", summary);
	return qm_json_end(&j);
}

static json_object *explanation_value(struct qm_json *j, const struct qm_explanation *e)
{
	json_object *o = qm_json_new(j);

	if (e->rule) {
		qm_json_str(j, o, "kind", "rule");
		qm_json_str(j, o, "name", e->rule->name);
		qm_json_str(j, o, "severity", qm_severity_name(e->rule->severity));
		qm_json_str(j, o, "family", e->rule->family);
		qm_json_str(j, o, "title", e->rule->title);
		qm_json_str(j, o, "text", e->rule->text);
		return o;
	}
	qm_json_str(j, o, "kind", "algorithm");
	qm_json_algo(j, o, "name", e->algo);
	qm_json_str(j, o, "family", qm_family_name(e->algo->family));
	qm_json_str(j, o, "id", e->algo->id);
	qm_json_str(j, o, "first", e->algo->first);
	qm_json_str(j, o, "last", e->algo->last);
	qm_json_bool(j, o, "upstream", e->algo->upstream);
	qm_json_str(j, o, "commits", e->algo->commits);
	qm_json_str(j, o, "title", e->algo->title);
	qm_json_str(j, o, "text", e->algo->text);
	return o;
}

int qm_json_explain(struct qm_out *out, const struct qm_explain_result *res)
{
	struct qm_json j;

	qm_json_begin(&j, out);
	qm_json_array(&j, "explanations");
	for (size_t i = 0; i < res->n; i++)
		qm_json_element(&j, explanation_value(&j, &res->v[i]));
	qm_json_array_end(&j);
	return qm_json_end(&j);
}

int qm_json_capture(struct qm_out *out, const struct qm_capture_result *res)
{
	json_object *o, *refused;
	struct qm_json j;

	qm_json_begin(&j, out);
	o = qm_json_new(&j);
	refused = qm_json_new_array(&j);
	qm_json_str(&j, o, "dir", res->dir);
	qm_json_int(&j, o, "files", (long long)res->files);
	qm_json_int(&j, o, "links", (long long)res->links);
	qm_json_int(&j, o, "dirs", (long long)res->dirs);
	qm_json_bool(&j, o, "redacted", res->redacted);
	for (size_t i = 0; i < res->refused->n; i++)
		qm_json_append(&j, refused, qm_json_string(&j, res->refused->v[i].path));
	qm_json_add(&j, o, "refused", refused);
	qm_json_key(&j, "capture", o);
	return qm_json_end(&j);
}
