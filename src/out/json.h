/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON for the json-*.c files: values that cannot get lost, and a document written piece by piece, so that a long answer
 * needs no memory for the whole. The envelope's keys come first and last, the command's own between:
 *
 *	struct qm_json j;
 *
 *	qm_json_begin(&j, out);
 *	qm_json_array(&j, "results");
 *	for each: json_object *o = qm_json_new(&j); qm_json_num(&j, o, "queues", n); ... qm_json_element(&j, o);
 *	qm_json_array_end(&j);
 *	return qm_json_end(&j);
 *
 * Failures of memory stick in j->err. Objects given to a function belong to it.
 */
#ifndef QM_JSON_H
#define QM_JSON_H

#include <json-c/json.h>

#include "out/out.h"

struct qm_algo;
struct qm_identity;

struct qm_json {
	struct qm_out *out;
	int err;
	bool first; /* no element in the open array yet */
};

void qm_json_begin(struct qm_json *j, struct qm_out *out);
/* A key of the document with its value. */
void qm_json_key(struct qm_json *j, const char *key, json_object *value);
void qm_json_array(struct qm_json *j, const char *key);
void qm_json_element(struct qm_json *j, json_object *value);
void qm_json_array_end(struct qm_json *j);
/* Writes problems and exit status. Returns 0 or the first error. */
QM_MUST_CHECK int qm_json_end(struct qm_json *j);

json_object *qm_json_new(struct qm_json *j);
json_object *qm_json_new_array(struct qm_json *j);
/* Adds a member. NULL as value: the failure is remembered. */
void qm_json_add(struct qm_json *j, json_object *o, const char *key, json_object *value);
void qm_json_append(struct qm_json *j, json_object *array, json_object *value);
void qm_json_null(struct qm_json *j, json_object *o, const char *key);
/* Text is made valid UTF-8; NULL is null. */
void qm_json_str(struct qm_json *j, json_object *o, const char *key, const char *s);
/* Negative is null. */
void qm_json_num(struct qm_json *j, json_object *o, const char *key, long long n);
/* Any number. */
void qm_json_int(struct qm_json *j, json_object *o, const char *key, long long n);
/* Negative is null. */
void qm_json_bool(struct qm_json *j, json_object *o, const char *key, int b);
/* A kernel list. */
void qm_json_list(struct qm_json *j, json_object *o, const char *key, const struct qm_cpuset *s);
void qm_json_ids_list(struct qm_json *j, json_object *o, const char *key, const struct qm_ids *ids);
/* Arrays of numbers. */
void qm_json_cpus(struct qm_json *j, json_object *o, const char *key, const struct qm_cpuset *s);
void qm_json_ids(struct qm_json *j, json_object *o, const char *key, const struct qm_ids *ids);
/* A map of n CPUs with offset added to each queue; QM_QUEUE_NONE is null; NULL is null. */
void qm_json_map(struct qm_json *j, json_object *o, const char *key, const int32_t *map, unsigned n, unsigned offset);
json_object *qm_json_string(struct qm_json *j, const char *s);
/* "map:v6.3"; NULL is null. */
void qm_json_algo(struct qm_json *j, json_object *o, const char *key, const struct qm_algo *a);
/* The interrupts of show --irq, as the array "irqs". */
void qm_json_irqs(struct qm_json *j, const struct qm_show_result *res);
/* The ids of all that match. */
json_object *qm_json_matches(struct qm_json *j, const struct qm_identity *id);

int qm_json_topology(struct qm_out *out, const struct qm_topology_result *res);
int qm_json_list_result(struct qm_out *out, const struct qm_list_result *res);
int qm_json_show(struct qm_out *out, const struct qm_show_result *res);
int qm_json_audit(struct qm_out *out, const struct qm_audit_result *res);
int qm_json_maps(struct qm_out *out, const struct qm_maps_result *res);
int qm_json_advise(struct qm_out *out, const struct qm_advise_result *res);
int qm_json_diagnose(struct qm_out *out, const struct qm_diagnose_result *res);
int qm_json_explain(struct qm_out *out, const struct qm_explain_result *res);
int qm_json_capture(struct qm_out *out, const struct qm_capture_result *res);
int qm_json_hint(struct qm_out *out, const struct qm_hint_result *res);

#endif
