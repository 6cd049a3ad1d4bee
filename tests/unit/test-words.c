// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for people: harmless, broken into lines, short lists; and what a redacted capture holds. */
#include <string.h>

#include "base/utf8.h"
#include "cmd/redact.h"
#include "out/out.h"
#include "unit.h"

static void assert_safe(const char *text, const char *expected)
{
	struct qm_strbuf b = { 0 };

	qm_text_safe(&b, text);
	assert_string_equal(qm_strbuf_str(&b), expected);
	qm_strbuf_done(&b);
}

static void test_safe(void **state)
{
	(void)state;
	assert_safe("", "");
	assert_safe("nvme0n1 (a/b)", "nvme0n1 (a/b)");
	assert_safe("a\033[2Jb\n\t\177", "a\\x1b[2Jb\\x0a\\x09\\x7f");
	assert_safe("\u00e9\u20ac", "\u00e9\u20ac");
	assert_safe("\xc3", "\\xc3");
	assert_safe("\xc0\xaf", "\\xc0\\xaf");     /* a slash in two bytes */
	assert_safe("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a pair */
	assert_safe("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
	assert_safe("\xc2\x9b" "31m", "\\xc2\\x9b31m"); /* begins a sequence in one byte */
	assert_safe("a\u202eb\u2066c\u2028d", "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c\\xe2\\x80\\xa8d");
}

static void test_utf8(void **state)
{
	uint32_t c;

	(void)state;
	assert_int_equal(qm_utf8_next("\u20ac", &c), 3);
	assert_int_equal(c, 0x20ac);
	assert_int_equal(qm_utf8_next("\xf4\x8f\xbf\xbf", &c), 4);
	assert_int_equal(c, 0x10ffff);
	assert_int_equal(qm_utf8_next("\xf4\x90\x80\x80", &c), 0);
	assert_int_equal(qm_utf8_next("\xe2\x82", &c), 0);
	assert_int_equal(qm_utf8_next("\x80", &c), 0);
	assert_int_equal(qm_text_width("a\u20acb"), 3);
	assert_true(qm_utf8_is_plain("ahci[0000:00:1f.2] \u20ac", 22));
	assert_true(qm_utf8_is_plain("a\nb", 1));
	assert_false(qm_utf8_is_plain("a\nb", 3));
	assert_false(qm_utf8_is_plain("\u20ac", 2));
	assert_false(qm_utf8_is_plain("\xff", 1));
}

static void assert_wrap(const char *text, unsigned first, unsigned indent, unsigned width, const char *expected)
{
	struct qm_strbuf b = { 0 };

	qm_text_wrap(&b, text, first, indent, width);
	assert_string_equal(qm_strbuf_str(&b), expected);
	qm_strbuf_done(&b);
}

static void test_wrap(void **state)
{
	(void)state;
	assert_wrap("", 0, 2, 10, "");
	assert_wrap("one two three", 0, 2, 20, "one two three");
	assert_wrap("one two three", 0, 2, 8, "one two\n  three");
	assert_wrap("one two three", 6, 2, 8, "\n  one\n  two\n  three");
	assert_wrap("a\nb  c", 0, 1, 80, "a\n b c");
	assert_wrap("incomprehensibilities a", 0, 2, 10, "incomprehensibilities\n  a");
	/* lists are broken behind commas */
	assert_wrap("x 1,2,3,4,5,6,7", 0, 2, 8, "x 1,2,3,\n  4,5,6,\n  7");
	assert_wrap("\u20ac\u20ac\u20ac \u20ac", 0, 0, 5, "\u20ac\u20ac\u20ac \u20ac");
}

static void assert_short(const char *list, unsigned max, const char *expected)
{
	struct qm_cpuset s;
	struct qm_strbuf b = { 0 };

	assert_int_equal(qm_cpuset_parse_list(list, -1, &s), 0);
	qm_text_cpus_short(&b, &s, max);
	assert_string_equal(qm_strbuf_str(&b), expected);
	qm_strbuf_done(&b);
}

static void test_short_lists(void **state)
{
	(void)state;
	assert_short("0-3,8", 20, "0-3,8");
	assert_short("", 20, "");
	assert_short("0-1023", 6, "0-1023");
	assert_short("0,2,4,6,8,10,12,14,16", 20, "0,2,4,6,8,10,..(9)");
	assert_short("100,102,104,106,108,110", 16, "100,102,..(6)");
}

static void assert_redacted(struct qm_redact *r, const char *path, const char *data, const char *expected)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	assert_int_equal(qm_redact_file(r, path, data, strlen(data), &text, &len), 0);
	if (!expected) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_string_equal(text, expected);
	assert_int_equal(len, strlen(expected));
}

static void test_redact(void **state)
{
	struct qm_redact r = { 0 };

	(void)state;
	assert_redacted(&r, "sys/devices/virtual/nvme-fabrics/ctl/nvme0/serial", "S1\n", "serial-1\n");
	assert_redacted(&r, "sys/devices/x/nvme1/serial", "S2", "serial-2");
	assert_redacted(&r, "sys/devices/y/nvme2/serial", "S1\n", "serial-1\n");
	assert_redacted(&r, "sys/devices/y/nvme2/serial", "\n", "\n");
	assert_redacted(&r, "sys/x/nvme0/subsysnqn", "nqn.2020-01.com.example:tank\n", "nqn-1\n");
	assert_redacted(&r, "sys/x/nvme0/subsysnqn", "nqn.2014-08.org.nvmexpress.discovery\n",
			"nqn.2014-08.org.nvmexpress.discovery\n");
	assert_redacted(&r, "sys/x/nvme0/address", "traddr=192.0.2.7,trsvcid=4420,src_addr=192.0.2.1\n",
			"traddr=address-1,trsvcid=4420,src_addr=address-2\n");
	assert_redacted(&r, "sys/x/nvme1/address", "traddr=192.0.2.1,trsvcid=4421\n", "traddr=address-2,trsvcid=4421\n");
	assert_redacted(&r, "sys/x/nvme2/address", "0000:04:00.0\n", "0000:04:00.0\n");
	assert_redacted(&r, "sys/block/dm-0/dm/name", "secret-vg\n", "volume-1\n");
	assert_redacted(&r, "proc/17/comm", "bash\n", "redacted\n");
	assert_redacted(&r, "proc/18/comm", "irqbalance\n", NULL);
	assert_redacted(&r, "proc/cmdline", "root=/dev/mapper/secret isolcpus=managed_irq,2-5 nvme.write_queues=4 quiet\n",
			"redacted isolcpus=managed_irq,2-5 nvme.write_queues=4 quiet\n");
	assert_redacted(&r, "sys/block/nvme0n1/mq/0/cpu_list", "0, 1\n", NULL);
	assert_redacted(&r, "sys/x/nvme0/model", "Some Disk\n", NULL);
	qm_redact_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe),    cmocka_unit_test(test_utf8),        cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_short_lists), cmocka_unit_test(test_redact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
