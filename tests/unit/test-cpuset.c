// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/setpool.h"
#include "base/strbuf.h"

static void assert_set(const struct qm_cpuset *s, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

static void list_forms(void **state)
{
	static const struct {
		const char *in;
		int max;
		const char *out; /* NULL: error */
		int err;
	} t[] = {
		{ "0-3,8\n", -1, "0-3,8", 0 },
		{ "0, 20\n", -1, "0,20", 0 },
		{ "0-31:2/4", -1, "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29", 0 },
		{ ",4-7\n", -1, "4-7", 0 },
		{ "", -1, "", 0 },
		{ "\n", -1, "", 0 },
		{ "   (null)   \n", -1, "", 0 },
		{ "5  \n", -1, "5", 0 },
		{ "8191", -1, "8191", 0 },
		{ "8192", -1, NULL, -ERANGE },
		{ "99999999", -1, NULL, -ERANGE },
		{ "99999999999999999999999", -1, NULL, -ERANGE },
		{ "3-1", -1, NULL, -EINVAL },
		{ "1-", -1, NULL, -EINVAL },
		{ "-1", -1, NULL, -EINVAL },
		{ "x", -1, NULL, -EINVAL },
		{ "1x", -1, NULL, -EINVAL },
		{ "0-7:0/2", -1, NULL, -EINVAL },
		{ "0-7:3/2", -1, NULL, -EINVAL },
		{ "0-7:1/0", -1, NULL, -EINVAL },
		{ "all", -1, NULL, -EINVAL },
		{ "4-N", -1, NULL, -EINVAL },
		{ "all", 5, "0-5", 0 },
		{ "All", 5, "0-5", 0 },
		{ "all:1/2", 5, "0,2,4", 0 },
		{ "all:1", 5, NULL, -EINVAL },
		{ "all-3", 5, NULL, -EINVAL },
		{ "allx", 5, NULL, -EINVAL },
		{ "3:1/2", 5, NULL, -EINVAL },
		{ "all", QM_CPU_MAX, NULL, -ERANGE },
		{ "4-N", 7, "4-7", 0 },
		{ "N", 7, "7", 0 },
		{ "63-64,127-128", -1, "63-64,127-128", 0 },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_cpuset s = { 0 };
		int r = qm_cpuset_parse_list(t[i].in, t[i].max, &s);

		assert_int_equal(r, t[i].err);
		if (t[i].out)
			assert_set(&s, t[i].out);
	}
}

static void mask_forms(void **state)
{
	static const struct {
		const char *in, *out;
		int err;
	} t[] = {
		{ "f\n", "0-3", 0 },
		{ "00,00100001\n", "0,20", 0 },
		{ "ff,ffffc000,000fffff,fc000000", "26-51,78-103", 0 },
		{ "00000000", "", 0 },
		{ "80000000,00000000", "63", 0 },
		{ "1,00000000,00000000", "64", 0 },
		{ "", NULL, -EINVAL },
		{ "g", NULL, -EINVAL },
		{ "123456789", NULL, -EINVAL },
		{ ",1", NULL, -EINVAL },
		{ "1,", NULL, -EINVAL },
		{ "1,,1", NULL, -EINVAL },
		{ "1 1", NULL, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_cpuset s = { 0 };
		int r = qm_cpuset_parse_mask(t[i].in, &s);

		assert_int_equal(r, t[i].err);
		if (t[i].out)
			assert_set(&s, t[i].out);
	}
}

static void algebra(void **state)
{
	struct qm_cpuset a = { 0 }, b = { 0 }, c;

	(void)state;
	assert_int_equal(qm_cpuset_parse_list("0-70", -1, &a), 0);
	assert_int_equal(qm_cpuset_parse_list("64,200", -1, &b), 0);
	c = a;
	qm_cpuset_and(&c, &b);
	assert_set(&c, "64");
	c = a;
	qm_cpuset_or(&c, &b);
	assert_set(&c, "0-70,200");
	c = b;
	qm_cpuset_andnot(&c, &a);
	assert_set(&c, "200");
	assert_int_equal(qm_cpuset_count(&a), 71);
	assert_int_equal(qm_cpuset_count_and(&a, &b), 1);
	assert_true(qm_cpuset_intersects(&a, &b));
	assert_false(qm_cpuset_is_subset(&b, &a));
	assert_true(qm_cpuset_is_subset(&a, &a));
	qm_cpuset_clear(&b, 200);
	assert_true(qm_cpuset_is_subset(&b, &a));
	assert_int_equal(qm_cpuset_last(&b), 64);
	assert_int_equal(qm_cpuset_first(&b), 64);
	qm_cpuset_clear(&b, 64);
	assert_true(qm_cpuset_is_empty(&b));
	c = (struct qm_cpuset){ 0 };
	assert_true(qm_cpuset_is_equal(&b, &c)); /* different widths, same content */
	assert_int_equal(qm_cpuset_next(&a, 71), -1);
	assert_int_equal(qm_cpuset_next(&a, 100000), -1);
	assert_int_equal(qm_cpuset_last(&c), -1);
}

static void pool(void **state)
{
	const struct qm_cpuset *a, *b, *kept[3000];
	struct qm_setpool p = { 0 };
	struct qm_cpuset s = { 0 };

	(void)state;
	assert_int_equal(qm_setpool_add(&p, &s, &a), 0);
	assert_ptr_equal(a, &qm_cpuset_none);
	assert_true(qm_cpuset_is_empty(a));
	/* equal sets are one, however wide, */
	assert_int_equal(qm_cpuset_parse_list("3", -1, &s), 0);
	assert_int_equal(qm_setpool_add(&p, &s, &a), 0);
	qm_cpuset_set(&s, 500);
	assert_int_equal(qm_setpool_add(&p, &s, &b), 0);
	assert_ptr_not_equal(a, b);
	assert_set(b, "3,500");
	qm_cpuset_clear(&s, 500);
	assert_int_equal(qm_setpool_add(&p, &s, &b), 0);
	assert_ptr_equal(a, b);
	assert_int_equal(p.n, 2);
	/* and stay where they are, whatever comes. */
	for (unsigned i = 0; i < 3000; i++) {
		s = (struct qm_cpuset){ 0 };
		qm_cpuset_set(&s, i);
		qm_cpuset_set(&s, i + 1000);
		assert_int_equal(qm_setpool_add(&p, &s, &kept[i]), 0);
	}
	for (unsigned i = 0; i < 3000; i++) {
		assert_int_equal(qm_cpuset_first(kept[i]), (int)i);
		assert_int_equal(qm_cpuset_last(kept[i]), (int)i + 1000);
		assert_int_equal(qm_cpuset_count(kept[i]), 2);
		assert_int_equal(qm_setpool_add(&p, kept[i], &b), 0);
		assert_true(qm_cpuset_is_equal(b, kept[i]));
	}
	/* Hardly any is kept twice. */
	assert_true(p.n < 2 + 3000 + 30);
	assert_set(a, "3");
	qm_setpool_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_forms),
		cmocka_unit_test(mask_forms),
		cmocka_unit_test(algebra),
		cmocka_unit_test(pool),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("cpuset", tests, NULL, NULL);
}
