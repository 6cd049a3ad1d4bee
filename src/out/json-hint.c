// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of hints: the same list for plan, apply, undo and status, so that a plan can be saved, edited and applied. */
#include "hint/hint.h"
#include "out/json.h"
#include "out/results.h"

static json_object *change_value(struct qm_json *j, const struct qm_change *c)
{
	json_object *o = qm_json_new(j);
	long irq = -1;

	if (!qm_hint_path_is_allowed(c->path, NULL, &irq))
		irq = -1;
	qm_json_str(j, o, "path", c->path);
	qm_json_str(j, o, "what", qm_change_what_name(c->what));
	qm_json_num(j, o, "irq", irq);
	qm_json_str(j, o, "controller", c->controller);
	qm_json_str(j, o, "handler", c->handler);
	qm_json_str(j, o, "old", c->old);
	qm_json_str(j, o, "new", c->new);
	qm_json_str(j, o, "reason", c->reason);
	qm_json_str(j, o, "state", qm_change_state_name(c->state));
	qm_json_str(j, o, "error", c->error);
	return o;
}

static void add_changes(struct qm_json *j, const struct qm_hint_result *res)
{
	qm_json_array(j, "changes");
	for (size_t p = 0; p < res->n_plans; p++) {
		for (size_t i = 0; i < res->plans[p].n; i++)
			qm_json_element(j, change_value(j, &res->plans[p].v[i]));
	}
	qm_json_array_end(j);
}

static void add_notes(struct qm_json *j, const struct qm_hint_result *res)
{
	qm_json_array(j, "notes");
	for (size_t p = 0; p < res->n_plans; p++) {
		for (size_t i = 0; i < res->plans[p].n_notes; i++) {
			json_object *o = qm_json_new(j);

			qm_json_str(j, o, "controller", res->plans[p].notes[i].controller);
			qm_json_str(j, o, "text", res->plans[p].notes[i].text);
			qm_json_element(j, o);
		}
	}
	qm_json_array_end(j);
}

static void add_runs(struct qm_json *j, const struct qm_hint_result *res)
{
	qm_json_array(j, "journals");
	for (size_t i = 0; i < res->n_runs; i++) {
		json_object *o = qm_json_new(j);

		qm_json_str(j, o, "name", res->runs[i].name);
		qm_json_num(j, o, "time", res->runs[i].time);
		qm_json_bool(j, o, "undone", res->runs[i].undone);
		qm_json_num(j, o, "changes", (long long)res->runs[i].changes);
		qm_json_element(j, o);
	}
	qm_json_array_end(j);
}

int qm_json_hint(struct qm_out *out, const struct qm_hint_result *res)
{
	struct qm_json j;

	qm_json_begin(&j, out);
	qm_json_key(&j, "verb", qm_json_string(&j, res->verb));
	qm_json_key(&j, "possible_list", res->possible ? qm_json_string(&j, res->possible) : NULL);
	add_changes(&j, res);
	add_notes(&j, res);
	qm_json_key(&j, "journal", res->journal ? qm_json_string(&j, res->journal) : NULL);
	add_runs(&j, res);
	return qm_json_end(&j);
}
