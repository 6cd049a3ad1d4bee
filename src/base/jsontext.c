// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/jsontext.h"

#include <errno.h>
#include <string.h>

/* Nothing of ours is nested half as deep. */
#define DEPTH_MAX 32

/* Bytes of the control character at s, 0: none. JSON lets DEL and U+0080 to U+009F stand, but terminals obey them. */
static size_t control_length(const char *s, size_t len)
{
	unsigned char c = (unsigned char)s[0], next = len > 1 ? (unsigned char)s[1] : 0;

	if (c < 0x20 || c == 0x7f)
		return 1;
	return c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

/* Length of what needs no escape. */
static size_t plain_length(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && !control_length(s + n, len - n) && s[n] != '"' && s[n] != '\\')
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
		n = p ? 1 : control_length(s, len);
		if (p)
			qm_strbuf_addf(b, "\\%c", letter[p - plain]);
		else
			qm_strbuf_addf(b, "\\u%04x", (unsigned char)s[n - 1]);
		s += n;
		len -= n;
	}
	qm_strbuf_addc(b, '"');
}

static void add_scalar(struct qm_strbuf *b, json_object *value)
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
	default:
		b->err = b->err ? b->err : -EINVAL;
	}
}

/* An object or array whose members are being written. */
struct level {
	json_object *o;
	bool is_object;
	size_t i, n; /* of an array */
	struct json_object_iterator at, end; /* of an object */
	bool some; /* not the first one */
};

static void open_level(struct qm_strbuf *b, json_object *o, struct level *ret)
{
	*ret = (struct level){ .o = o, .is_object = json_object_is_type(o, json_type_object) };
	if (ret->is_object) {
		ret->at = json_object_iter_begin(o);
		ret->end = json_object_iter_end(o);
	} else {
		ret->n = (size_t)json_object_array_length(o);
	}
	qm_strbuf_addc(b, ret->is_object ? '{' : '[');
}

/* A new line of a text of many. */
static void add_break(struct qm_strbuf *b, bool lines, size_t depth)
{
	if (lines)
		qm_strbuf_addf(b, "\n%*s", (int)(2 * depth), "");
}

/* Writes what stands before the next member. False behind the last. */
static bool next_member(struct qm_strbuf *b, bool lines, size_t depth, struct level *l, json_object **ret)
{
	if (l->is_object ? json_object_iter_equal(&l->at, &l->end) : l->i == l->n)
		return false;
	if (l->some)
		qm_strbuf_addc(b, ',');
	l->some = true;
	add_break(b, lines, depth);
	if (l->is_object) {
		const char *key = json_object_iter_peek_name(&l->at);

		add_string(b, key, strlen(key));
		qm_strbuf_addc(b, ':');
		*ret = json_object_iter_peek_value(&l->at);
		json_object_iter_next(&l->at);
	} else {
		*ret = json_object_array_get_idx(l->o, l->i++);
	}
	return true;
}

static bool has_members(json_object *value)
{
	return json_object_is_type(value, json_type_object) || json_object_is_type(value, json_type_array);
}

static void add_value(struct qm_strbuf *b, json_object *value, bool lines)
{
	struct level levels[DEPTH_MAX];
	size_t depth = 0;

	do {
		if (!has_members(value)) {
			add_scalar(b, value);
		} else if (depth < DEPTH_MAX) {
			open_level(b, value, &levels[depth++]);
		} else {
			b->err = b->err ? b->err : -EINVAL;
			return;
		}
		while (depth && !next_member(b, lines, depth, &levels[depth - 1], &value)) {
			add_break(b, lines, --depth);
			qm_strbuf_addc(b, levels[depth].is_object ? '}' : ']');
		}
	} while (depth);
}

void qm_strbuf_add_json(struct qm_strbuf *b, json_object *value)
{
	add_value(b, value, false);
}

bool qm_json_is_lost(const json_object *o, const char *text)
{
	return !o && strncmp(text + strspn(text, " \t\r\n"), "null", 4) != 0;
}

void qm_strbuf_add_json_lines(struct qm_strbuf *b, json_object *value)
{
	add_value(b, value, true);
}
