// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON as text is what json-c writes, and an error where a piece is missing. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/jsontext.h"

static void assert_as_json_c(json_object *value)
{
	struct qm_strbuf b = { 0 };

	assert_non_null(value);
	qm_strbuf_add_json(&b, value);
	assert_int_equal(b.err, 0);
	assert_string_equal(qm_strbuf_str(&b),
			    json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	qm_strbuf_done(&b);
	json_object_put(value);
}

static void as_json_c(void **state)
{
	char bytes[256];

	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (char)i;
	assert_as_json_c(json_object_new_string_len(bytes, 0x7f));
	assert_as_json_c(json_object_new_string_len(bytes + 0x80, 128));
	assert_as_json_c(json_object_new_string("a/b \"c\" \\ \xc3\xa9 \xc2\xa0"));
	assert_as_json_c(json_object_new_string(""));
	assert_as_json_c(json_object_new_int64(INT64_MIN));
	assert_as_json_c(json_object_new_boolean(1));
	assert_as_json_c(json_tokener_parse("{\"a\":[],\"b\":{},\"c\":[1,[null,true],{\"d\\n\":\"x\"}],\"e\":null,\"f\":false}"));
}

/* Control characters that JSON lets stand: a terminal takes U+009B for the beginning of a command. */
static void late_controls(void **state)
{
	json_object *o = json_object_new_string("\x7f\xc2\x80x\xc2\x9b" "31m\xc2");
	struct qm_strbuf b = { 0 };

	(void)state;
	qm_strbuf_add_json(&b, o);
	assert_string_equal(qm_strbuf_str(&b), "\"\\u007f\\u0080x\\u009b31m\xc2\"");
	qm_strbuf_done(&b);
	json_object_put(o);
}

static void null_and_finished_text(void **state)
{
	struct qm_strbuf b = { 0 };
	json_object *o = json_object_new_int(0);

	(void)state;
	qm_strbuf_add_json(&b, NULL);
	json_object_set_userdata(o, strdup("[1,2]"), json_object_free_userdata);
	qm_strbuf_add_json(&b, o);
	assert_string_equal(b.s, "null[1,2]");
	json_object_put(o);
	o = json_object_new_double(1.5);
	qm_strbuf_add_json(&b, o);
	assert_int_equal(b.err, -EINVAL);
	json_object_put(o);
	qm_strbuf_done(&b);
}

/* Arrays in each other, the innermost empty. */
static json_object *nested(unsigned depth)
{
	json_object *o = json_object_new_array();

	while (--depth) {
		json_object *outer = json_object_new_array();

		json_object_array_add(outer, o);
		o = outer;
	}
	return o;
}

static void depth_is_bounded(void **state)
{
	struct qm_strbuf b = { 0 };
	json_object *o = nested(32);

	(void)state;
	qm_strbuf_add_json(&b, o);
	assert_int_equal(b.err, 0);
	assert_string_equal(b.s, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	json_object_put(o);
	o = nested(33);
	qm_strbuf_add_json(&b, o);
	assert_int_equal(b.err, -EINVAL);
	json_object_put(o);
	qm_strbuf_done(&b);
}

static void errors_stay(void **state)
{
	struct qm_strbuf b = { .err = -ENOMEM }, ok = { 0 }, bad = { .err = -ENOMEM };
	json_object *o = json_object_new_string("x");

	(void)state;
	qm_strbuf_add_json(&b, o);
	assert_int_equal(b.err, -ENOMEM);
	assert_int_equal(b.len, 0);
	json_object_put(o);
	qm_strbuf_carry(&ok, &b);
	assert_int_equal(ok.err, -ENOMEM);
	bad.err = -EINVAL;
	qm_strbuf_carry(&bad, &b);
	assert_int_equal(bad.err, -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_json_c),
		cmocka_unit_test(late_controls),
		cmocka_unit_test(null_and_finished_text),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(errors_stay),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("jsontext", tests, NULL, NULL);
}
