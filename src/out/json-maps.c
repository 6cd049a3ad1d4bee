// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON of predict and compare. */
#include <errno.h>
#include <string.h>

#include "out/json.h"
#include "out/results.h"

static const char *outcome_error(enum qm_spread_outcome o)
{
	return o == QM_SPREAD_DIVIDE_BY_ZERO ? "divide-by-zero" : NULL;
}

/* The ids of a score count from the set's first queue, those of the answer from the device's. */
static void add_hctx_list(struct qm_json *j, json_object *o, const char *key, const struct qm_ids *ids, unsigned offset)
{
	struct qm_ids moved = { 0 };

	for (size_t i = 0; i < ids->n; i++) {
		if (qm_ids_add(&moved, ids->v[i] + offset) < 0)
			j->err = -ENOMEM;
	}
	qm_json_ids_list(j, o, key, &moved);
	qm_ids_done(&moved);
}

static void add_score(struct qm_json *j, json_object *o, const struct qm_map_result *r)
{
	static const char *const keys[] = { "unmapped_list", "dead_list", "cross_node_list", "cross_llc_list",
					    "min_cpus", "max_cpus", "split_cores", "resilience" };
	const struct qm_score *s = r->score;

	for (size_t i = 0; !s && i < QM_ARRAY_SIZE(keys); i++)
		qm_json_null(j, o, keys[i]);
	if (!s)
		return;
	add_hctx_list(j, o, "unmapped_list", &s->unmapped, r->offset);
	add_hctx_list(j, o, "dead_list", &s->dead, r->offset);
	add_hctx_list(j, o, "cross_node_list", &s->cross_node, r->offset);
	add_hctx_list(j, o, "cross_llc_list", &s->cross_llc, r->offset);
	qm_json_int(j, o, "min_cpus", s->min_cpus);
	qm_json_int(j, o, "max_cpus", s->max_cpus);
	qm_json_int(j, o, "split_cores", s->split_cores);
	qm_json_int(j, o, "resilience", s->resilience);
}

static void add_vectors(struct qm_json *j, json_object *o, const struct qm_map_result *r)
{
	json_object *a = qm_json_new_array(j);

	qm_json_int(j, o, "vectors", r->vectors);
	qm_json_int(j, o, "pre", r->pre);
	for (unsigned i = 0; i < r->n_sets; i++)
		qm_json_append(j, a, json_object_new_int64(r->sets[i]));
	qm_json_add(j, o, "sets", a);
	if (!r->masks) {
		qm_json_null(j, o, "masks");
	} else {
		a = qm_json_new_array(j);
		for (unsigned i = 0; i < r->vectors; i++) {
			struct qm_strbuf b = { 0 };

			qm_cpuset_format(&r->masks[i], &b);
			j->err = b.err ? b.err : j->err;
			qm_json_append(j, a, qm_json_string(j, qm_strbuf_str(&b)));
			qm_strbuf_done(&b);
		}
		qm_json_add(j, o, "masks", a);
	}
	qm_json_str(j, o, "error", outcome_error(r->outcome));
}

static json_object *result_value(struct qm_json *j, const struct qm_maps_result *res, const struct qm_map_result *r)
{
	json_object *o = qm_json_new(j);

	qm_json_str(j, o, "family", qm_family_name(r->algo->family));
	qm_json_str(j, o, "algorithm", r->algo->id);
	qm_json_str(j, o, "first", r->algo->first);
	qm_json_str(j, o, "last", r->algo->last);
	if (res->compare)
		qm_json_str(j, o, "controller", r->controller);
	else
		qm_json_str(j, o, "kernel", r->kernel);
	if (r->is_vectors) {
		add_vectors(j, o, r);
	} else {
		qm_json_int(j, o, "queues", r->queues);
		qm_json_str(j, o, "set", qm_hctx_type_name(r->set));
		qm_json_int(j, o, "offset", r->offset);
		qm_json_map(j, o, "map", r->map, r->nr_cpus, r->offset);
		qm_json_str(j, o, "error", outcome_error(r->outcome));
		add_score(j, o, r);
		qm_json_bool(j, o, "predicted", r->predicted);
		qm_json_bool(j, o, "best", r->best);
	}
	qm_json_int(j, o, "warn", r->warn);
	qm_json_bool(j, o, "sure", r->sure);
	if (res->compare) {
		qm_json_bool(j, o, "live", r->has_live ? r->live : -1);
		if (r->differs)
			qm_json_list(j, o, "differs_list", r->differs);
		else
			qm_json_null(j, o, "differs_list");
	}
	return o;
}

static json_object *best_value(struct qm_json *j, const struct qm_best *b)
{
	json_object *o = qm_json_new(j);

	qm_json_int(j, o, "unmapped", b->unmapped);
	qm_json_int(j, o, "dead", b->dead);
	qm_json_int(j, o, "cross_node", b->cross_node);
	qm_json_int(j, o, "max_cpus", b->max_cpus);
	qm_json_int(j, o, "split_cores", b->split_cores);
	qm_json_bool(j, o, "exact", b->exact);
	return o;
}

static json_object *diff_value(struct qm_json *j, const struct qm_map_diff *d)
{
	json_object *o = qm_json_new(j), *moves = qm_json_new_array(j);
	int cpu;

	qm_json_algo(j, o, "from", d->from);
	qm_json_algo(j, o, "to", d->to);
	qm_json_cpus(j, o, "cpus", &d->moved);
	qm_json_list(j, o, "cpu_list", &d->moved);
	QM_CPUSET_FOREACH(cpu, &d->moved) {
		json_object *move = qm_json_new(j);

		qm_json_int(j, move, "cpu", cpu);
		qm_json_num(j, move, "from", d->a[cpu]);
		qm_json_num(j, move, "to", d->b[cpu]);
		qm_json_append(j, moves, move);
	}
	qm_json_add(j, o, "moves", moves);
	return o;
}

static void add_comparison(struct qm_json *j, json_object *o, const struct qm_maps_comparison *c)
{
	if (c->id)
		qm_json_add(j, o, "live", qm_json_matches(j, c->id));
	else
		qm_json_null(j, o, "live");
	qm_json_algo(j, o, "predicted", c->predicted);
	if (c->best)
		qm_json_add(j, o, "best", best_value(j, c->best));
	else
		qm_json_null(j, o, "best");
	if (c->diff)
		qm_json_add(j, o, "diff", diff_value(j, c->diff));
	else
		qm_json_null(j, o, "diff");
}

static json_object *comparison_value(struct qm_json *j, const struct qm_maps_comparison *c)
{
	json_object *o = qm_json_new(j);

	qm_json_str(j, o, "controller", c->controller);
	qm_json_int(j, o, "queues", c->queues);
	qm_json_bool(j, o, "exact", c->id ? c->id->exact : -1);
	qm_json_bool(j, o, "sure", c->predicted ? c->sure : -1);
	add_comparison(j, o, c);
	return o;
}

/* The only comparison's parts stand at the top too, where one looks for them first. */
static void add_comparisons(struct qm_json *j, const struct qm_maps_result *res)
{
	static const char *const keys[] = { "live", "predicted", "best", "diff" };
	json_object *only = NULL;

	if (res->n_comparisons == 1) {
		only = qm_json_new(j);
		add_comparison(j, only, &res->comparisons[0]);
	}
	for (size_t i = 0; i < QM_ARRAY_SIZE(keys); i++)
		qm_json_key(j, keys[i], json_object_get(json_object_object_get(only, keys[i])));
	json_object_put(only);
	qm_json_array(j, "comparisons");
	for (size_t i = 0; i < res->n_comparisons; i++)
		qm_json_element(j, comparison_value(j, &res->comparisons[i]));
	qm_json_array_end(j);
}

int qm_json_maps(struct qm_out *out, const struct qm_maps_result *res)
{
	struct qm_map_result result;
	struct qm_json j;
	int r, end;

	qm_json_begin(&j, out);
	qm_json_array(&j, "results");
	while ((memset(&result, 0, sizeof(result)), r = res->next(res->arg, &result)) > 0)
		qm_json_element(&j, result_value(&j, res, &result));
	qm_json_array_end(&j);
	if (res->compare)
		add_comparisons(&j, res);
	end = qm_json_end(&j);
	return r < 0 ? r : end;
}
