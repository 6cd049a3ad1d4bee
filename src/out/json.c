// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JSON document: the envelope, and values for its parts. A document is written key by key and array element by array
 * element, each on a line of its own, so it is readable, diffs well and costs no memory for the whole.
 */
#include "out/json.h"

#include <errno.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/utf8.h"
#include "machine/machine.h"
#include "map/map.h"

/* ---- values ---- */

static json_object *kept(struct qm_json *j, json_object *o)
{
	if (!o)
		j->err = -ENOMEM;
	return o;
}

json_object *qm_json_new(struct qm_json *j)
{
	return kept(j, json_object_new_object());
}

json_object *qm_json_new_array(struct qm_json *j)
{
	return kept(j, json_object_new_array());
}

void qm_json_null(struct qm_json *j, json_object *o, const char *key)
{
	if (o && json_object_object_add(o, key, NULL) < 0)
		j->err = -ENOMEM;
}

void qm_json_add(struct qm_json *j, json_object *o, const char *key, json_object *value)
{
	if (o && kept(j, value) && json_object_object_add(o, key, value) == 0)
		return;
	j->err = -ENOMEM;
	json_object_put(value);
}

void qm_json_append(struct qm_json *j, json_object *array, json_object *value)
{
	if (array && kept(j, value) && json_object_array_add(array, value) == 0)
		return;
	j->err = -ENOMEM;
	json_object_put(value);
}

/* Bytes that are no UTF-8 become U+FFFD, one each. */
json_object *qm_json_string(struct qm_json *j, const char *s)
{
	struct qm_strbuf b = { 0 };
	json_object *o = NULL;

	while (*s) {
		uint32_t c;
		size_t len = qm_utf8_next(s, &c);

		if (len)
			qm_strbuf_add(&b, s, len);
		else
			qm_strbuf_adds(&b, "\xef\xbf\xbd");
		s += len ? len : 1;
	}
	if (!b.err)
		o = json_object_new_string(qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return kept(j, o);
}

void qm_json_str(struct qm_json *j, json_object *o, const char *key, const char *s)
{
	if (s)
		qm_json_add(j, o, key, qm_json_string(j, s));
	else
		qm_json_null(j, o, key);
}

void qm_json_int(struct qm_json *j, json_object *o, const char *key, long long n)
{
	qm_json_add(j, o, key, json_object_new_int64(n));
}

void qm_json_num(struct qm_json *j, json_object *o, const char *key, long long n)
{
	if (n < 0)
		qm_json_null(j, o, key);
	else
		qm_json_int(j, o, key, n);
}

void qm_json_bool(struct qm_json *j, json_object *o, const char *key, int b)
{
	if (b < 0)
		qm_json_null(j, o, key);
	else
		qm_json_add(j, o, key, json_object_new_boolean(b));
}

void qm_json_list(struct qm_json *j, json_object *o, const char *key, const struct qm_cpuset *s)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	j->err = b.err ? b.err : j->err;
	qm_json_str(j, o, key, qm_strbuf_str(&b));
	qm_strbuf_done(&b);
}

void qm_json_ids_list(struct qm_json *j, json_object *o, const char *key, const struct qm_ids *ids)
{
	struct qm_strbuf b = { 0 };

	qm_ids_format(ids, &b);
	j->err = b.err ? b.err : j->err;
	qm_json_str(j, o, key, qm_strbuf_str(&b));
	qm_strbuf_done(&b);
}

/*
 * An array of numbers as one object that carries its finished text: a map of a large machine would else be thousands of
 * objects.
 */
static void add_text_array(struct qm_json *j, json_object *o, const char *key, struct qm_strbuf *b)
{
	json_object *value = NULL;
	char *text;
	int r;

	qm_strbuf_addc(b, ']');
	r = qm_strbuf_take(b, &text);
	if (r < 0) {
		qm_strbuf_done(b);
		j->err = r;
		return;
	}
	value = json_object_new_int(0);
	if (value)
		json_object_set_userdata(value, text, json_object_free_userdata);
	else
		free(text);
	qm_json_add(j, o, key, value);
}

void qm_json_cpus(struct qm_json *j, json_object *o, const char *key, const struct qm_cpuset *s)
{
	struct qm_strbuf b = { 0 };
	int cpu;

	qm_strbuf_addc(&b, '[');
	QM_CPUSET_FOREACH(cpu, s)
		qm_strbuf_addf(&b, b.len > 1 ? ",%d" : "%d", cpu);
	add_text_array(j, o, key, &b);
}

void qm_json_ids(struct qm_json *j, json_object *o, const char *key, const struct qm_ids *ids)
{
	struct qm_strbuf b = { 0 };

	qm_strbuf_addc(&b, '[');
	for (size_t i = 0; i < ids->n; i++)
		qm_strbuf_addf(&b, i ? ",%u" : "%u", ids->v[i]);
	add_text_array(j, o, key, &b);
}

void qm_json_map(struct qm_json *j, json_object *o, const char *key, const int32_t *map, unsigned n, unsigned offset)
{
	struct qm_strbuf b = { 0 };

	if (!map) {
		qm_json_null(j, o, key);
		return;
	}
	qm_strbuf_addc(&b, '[');
	for (unsigned i = 0; i < n; i++) {
		qm_strbuf_adds(&b, i ? "," : "");
		if (map[i] == QM_QUEUE_NONE)
			qm_strbuf_adds(&b, "null");
		else
			qm_strbuf_addf(&b, "%lld", (long long)map[i] + offset);
	}
	add_text_array(j, o, key, &b);
}

/* ---- the document ---- */

static void put_value(struct qm_json *j, json_object *value)
{
	struct qm_strbuf b = { 0 };

	qm_strbuf_add_json(&b, value);
	if (b.err)
		j->err = b.err;
	else
		fwrite(b.s, 1, b.len, j->out->f);
	qm_strbuf_done(&b);
	json_object_put(value);
}

void qm_json_key(struct qm_json *j, const char *key, json_object *value)
{
	fprintf(j->out->f, ",\n \"%s\":", key);
	put_value(j, value);
}

void qm_json_array(struct qm_json *j, const char *key)
{
	fprintf(j->out->f, ",\n \"%s\":[", key);
	j->first = true;
}

void qm_json_element(struct qm_json *j, json_object *value)
{
	fputs(j->first ? "\n  " : ",\n  ", j->out->f);
	j->first = false;
	put_value(j, value);
}

void qm_json_array_end(struct qm_json *j)
{
	fputs("]", j->out->f);
}

static json_object *source_value(struct qm_json *j)
{
	const struct qm_machine *m = j->out->m;
	json_object *o;

	if (!m)
		return NULL;
	o = qm_json_new(j);
	qm_json_str(j, o, "kind", qm_source_kind_name(m->source));
	qm_json_str(j, o, "path", m->source_path);
	qm_json_bool(j, o, "privileged", m->privileged);
	return o;
}

static json_object *kernel_value(struct qm_json *j)
{
	const struct qm_kernel *k = j->out->m ? &j->out->m->kernel : NULL;
	json_object *o;
	char version[32];

	if (!k || !k->release)
		return NULL;
	o = qm_json_new(j);
	snprintf(version, sizeof(version), "%d.%d", k->major, k->minor);
	qm_json_str(j, o, "release", k->release);
	qm_json_str(j, o, "version", k->major < 0 ? NULL : version);
	qm_json_str(j, o, "distro", qm_distro_name(k->distro));
	qm_json_str(j, o, "algorithm", j->out->algorithm);
	qm_json_bool(j, o, "sure", j->out->algorithm_sure);
	return o;
}

void qm_json_begin(struct qm_json *j, struct qm_out *out)
{
	*j = (struct qm_json){ .out = out };
	fprintf(out->f, "{\"schema\":\"qmapctl/1\",\n \"command\":\"%s\"", out->command);
	qm_json_key(j, "source", source_value(j));
	qm_json_key(j, "kernel", kernel_value(j));
}

int qm_json_end(struct qm_json *j)
{
	const struct qm_problems *p = j->out->m ? &j->out->m->problems : NULL;

	qm_json_array(j, "problems");
	for (size_t i = 0; p && i < p->n; i++) {
		json_object *o = qm_json_new(j);

		qm_json_str(j, o, "path", p->v[i].path);
		qm_json_str(j, o, "error", p->v[i].error);
		qm_json_element(j, o);
	}
	qm_json_array_end(j);
	/* A document that lost something is not ended: nobody shall take it for a whole one. */
	if (j->err == 0)
		fprintf(j->out->f, ",\n \"exit_status\":%d}\n", j->out->status);
	return j->err;
}

const struct qm_face qm_face_json = {
	.name = "json",
	.topology = qm_json_topology,
	.list = qm_json_list_result,
	.show = qm_json_show,
	.audit = qm_json_audit,
	.maps = qm_json_maps,
	.advise = qm_json_advise,
	.diagnose = qm_json_diagnose,
	.explain = qm_json_explain,
	.capture = qm_json_capture,
	.hint = qm_json_hint,
};
