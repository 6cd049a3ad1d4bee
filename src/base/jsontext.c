// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/jsontext.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Length of what needs no escape. */
static size_t plain_length(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (unsigned char)s[n] >= 0x20 && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

static void add_string(struct qm_strbuf *b, const char *s, size_t len)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";

	qm_strbuf_addc(b, '"');
	while (len) {
		size_t n = plain_length(s, len);
		const char *p;

		qm_strbuf_add(b, s, n);
		s += n;
		len -= n;
		if (!len)
			break;
		p = *s ? strchr(plain, *s) : NULL;
		if (p)
			qm_strbuf_addf(b, "\\%c", letter[p - plain]);
		else
			qm_strbuf_addf(b, "\\u%04x", (unsigned char)*s);
		s++;
		len--;
	}
	qm_strbuf_addc(b, '"');
}

static void add_object(struct qm_strbuf *b, json_object *o)
{
	bool first = true;

	qm_strbuf_addc(b, '{');
	json_object_object_foreach(o, key, value) {
		if (!first)
			qm_strbuf_addc(b, ',');
		first = false;
		add_string(b, key, strlen(key));
		qm_strbuf_addc(b, ':');
		qm_strbuf_add_json(b, value);
	}
	qm_strbuf_addc(b, '}');
}

static void add_array(struct qm_strbuf *b, json_object *a)
{
	size_t n = (size_t)json_object_array_length(a);

	qm_strbuf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			qm_strbuf_addc(b, ',');
		qm_strbuf_add_json(b, json_object_array_get_idx(a, i));
	}
	qm_strbuf_addc(b, ']');
}

void qm_strbuf_add_json(struct qm_strbuf *b, json_object *value)
{
	const char *text = value ? json_object_get_userdata(value) : NULL;

	switch (json_object_get_type(value)) {
	case json_type_null:
		qm_strbuf_adds(b, "null");
		break;
	case json_type_boolean:
		qm_strbuf_adds(b, json_object_get_boolean(value) ? "true" : "false");
		break;
	case json_type_int:
		if (text)
			qm_strbuf_adds(b, text);
		else
			qm_strbuf_addf(b, "%lld", (long long)json_object_get_int64(value));
		break;
	case json_type_string:
		add_string(b, json_object_get_string(value), (size_t)json_object_get_string_len(value));
		break;
	case json_type_object:
		add_object(b, value);
		break;
	case json_type_array:
		add_array(b, value);
		break;
	default:
		b->err = b->err ? b->err : -EINVAL;
	}
}
