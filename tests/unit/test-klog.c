// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel logs: what the corpus in tests/data/klog cannot hold. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fabrics/klog-event.h"
#include "fabrics/klog-line.h"
#include "fabrics/klog-match.h"
#include "fabrics/klog.h"

static void feed(struct qm_klog *k, const char *text)
{
	assert_int_equal(qm_klog_feed(k, text, strlen(text)), 0);
}

static struct qm_klog_report finish(struct qm_klog *k)
{
	struct qm_klog_report r;

	assert_int_equal(qm_klog_finish(k, &r), 0);
	qm_klog_free(k);
	return r;
}

static struct qm_klog_report read_text(const char *text, const struct qm_klog_since *since)
{
	struct qm_klog *k;

	assert_int_equal(qm_klog_new(since, &k), 0);
	feed(k, text);
	return finish(k);
}

#define FAILURE "nvme nvme0: failed to connect queue: 3 ret=-18"

static void empty(void **state)
{
	struct qm_klog_report r = read_text("", NULL);

	(void)state;
	assert_int_equal(r.n + r.lines + r.n_hosts, 0);
	assert_false(r.unfinished);
	qm_klog_report_done(&r);
	r = read_text("\n\n\n", NULL);
	assert_int_equal(r.lines, 3);
	qm_klog_report_done(&r);
}

/* A megabyte without a newline: its head is looked at, the rest thrown away, the next line is whole again. */
static void long_lines(void **state)
{
	_cleanup_free_ char *text = malloc(1 << 20);
	struct qm_klog_report r;
	struct qm_klog *k;

	(void)state;
	memset(text, 'x', 1 << 20);
	assert_int_equal(qm_klog_new(NULL, &k), 0);
	feed(k, FAILURE " ");
	assert_int_equal(qm_klog_feed(k, text, 1 << 20), 0);
	feed(k, "\n");
	assert_int_equal(qm_klog_feed(k, text, 1 << 20), 0);
	feed(k, FAILURE "\n[ 1.0] " FAILURE "\n");
	assert_int_equal(qm_klog_feed(k, text, 1 << 20), 0);
	r = finish(k);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.v[0].count, 2);
	assert_int_equal(r.v[0].line, 1);
	assert_string_equal(r.v[0].last, "1.0");
	assert_int_equal(r.lines, 4);
	assert_int_equal(r.too_long, 3);
	qm_klog_report_done(&r);
}

static void boundaries_of_the_buffer(void **state)
{
	static const char line[] = "[ 5.0] " FAILURE "\n";
	struct qm_klog_report r;
	struct qm_klog *k;
	unsigned long n = 0;

	(void)state;
	assert_int_equal(qm_klog_new(NULL, &k), 0);
	/* pieces that share no factor with the buffer's size */
	for (size_t fed = 0, total = sizeof(line) - 1; fed < 3000000;) {
		char piece[4099];

		for (size_t i = 0; i < sizeof(piece); i++, fed++) {
			piece[i] = line[fed % total];
			n += piece[i] == '\n';
		}
		assert_int_equal(qm_klog_feed(k, piece, sizeof(piece)), 0);
	}
	r = finish(k);
	assert_int_equal(r.lines, n + r.unfinished);
	assert_int_equal(r.n, 1);
	assert_in_range(r.v[0].count, n, n + 1);
	assert_int_equal(r.too_long + r.dropped + r.no_text, 0);
	qm_klog_report_done(&r);
}

/* Memory is bounded: the oldest incidents, and what is known of controllers, are given up. */
static void too_much_of_everything(void **state)
{
	struct qm_klog_report r;
	struct qm_klog *k;
	char line[128];

	(void)state;
	assert_int_equal(qm_klog_new(NULL, &k), 0);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(line, sizeof(line), "nvme nvme%u: failed to connect queue: %u ret=-18\n", i, i + 1);
		feed(k, line);
	}
	r = finish(k);
	assert_in_range(r.n, QM_KLOG_INCIDENTS_MAX / 2, QM_KLOG_INCIDENTS_MAX);
	assert_int_equal(r.n + r.dropped, 5000);
	assert_string_equal(r.v[r.n - 1].controller, "nvme4999");
	qm_klog_report_done(&r);

	assert_int_equal(qm_klog_new(NULL, &k), 0);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(line, sizeof(line), "Mar  4 09:16:11 host%u kernel: " FAILURE "\n", i);
		feed(k, line);
	}
	r = finish(k);
	assert_int_equal(r.n_hosts, 64);
	assert_int_equal(r.relevant, 200);
	qm_klog_report_done(&r);
}

/* Room is made while an attempt remembers the number of an incident. */
static void room_is_made_in_an_attempt(void **state)
{
	struct qm_klog_report r;
	struct qm_klog *k;
	char line[128];

	(void)state;
	assert_int_equal(qm_klog_new(NULL, &k), 0);
	feed(k, "nvme nvme0: failed to initialize MR pool sized 128 for QID 16\nrun queue from wrong CPU 1, hctx active\n");
	for (unsigned i = 0; i < 1100; i++) {
		snprintf(line, sizeof(line), "nvme nvme1: I/O 1 QID %u timeout, aborting\n", i);
		feed(k, line);
	}
	feed(k, "nvme nvme0: rdma connection establishment failed (-12)\n[ 1.0] smpboot: CPU 3 is now offline\n");
	r = finish(k);
	assert_int_equal(r.v[r.n - 1].kind, QM_KLOG_NO_CONNECTION);
	assert_int_equal(r.v[r.n - 1].status, -12);
	qm_klog_report_done(&r);
}

static void since(void **state)
{
	static const char seconds[] = "[    5.000000] smpboot: CPU 2 is now offline\n"
				      "[   10.000000] " FAILURE "\n"
				      "[   20.000000] nvme nvme1: failed to connect queue: 4 ret=-18\n"
				      "nvme nvme2: failed to connect queue: 5 ret=-18\n";
	static const char dates[] = "2026-03-04T09:00:00+01:00 a kernel: " FAILURE "\n"
				    "Mar  4 09:30:00 a kernel: nvme nvme1: failed to connect queue: 4 ret=-18\n"
				    "2026-03-04T09:30:00Z a kernel: nvme nvme2: failed to connect queue: 5 ret=-18\n";
	struct qm_klog_since mono = { .has_mono = true, .mono = 15 };
	/* 4 March 2026, 08:15 in Greenwich, on a machine one hour east of it */
	struct qm_klog_since wall = { .has_wall = true, .wall = 1772612100, .utc_offset = 3600, .now = 1772625600 };
	struct qm_klog_report r = read_text(seconds, &mono);

	(void)state;
	assert_int_equal(r.n, 2);
	assert_string_equal(r.v[0].controller, "nvme1");
	assert_non_null(r.v[0].offline);
	assert_int_equal(r.skipped_before, 1);
	assert_int_equal(r.undated, 1);
	qm_klog_report_done(&r);
	r = read_text(dates, &wall);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.v[0].controller, "nvme1");
	assert_int_equal(r.skipped_before, 1);
	qm_klog_report_done(&r);
	/* five minutes later only the last one is left: the other was at 08:30 in Greenwich */
	wall.wall += 1200;
	r = read_text(dates, &wall);
	assert_int_equal(r.n, 1);
	assert_string_equal(r.v[0].controller, "nvme2");
	qm_klog_report_done(&r);
}

static void dates(void **state)
{
	static const struct {
		const char *line, *message;
		double wall, mono;
		bool local;
	} rows[] = {
		{ "2026-03-04T12:00:00.5+00:00 h kernel: m", "m", 1772625600.5, -1, false },
		{ "2026-03-04T12:00:00,250000-0130 h kernel: m", "m", 1772631000.25, -1, false },
		{ "2026-03-04 12:00:00 h kernel: [  9.5] m", "m", 1772625600, 9.5, true },
		{ "Mar  4 12:00:00 h kernel[0]: m", "m", 1772625600, -1, true },
		{ "Mar  6 12:00:00 h kernel: m", "m", 1772625600 - 363 * 86400.0, -1, true },
		{ "[Wed Mar  4 12:00:00 2026] m", "m", 1772625600, -1, true },
		{ "[Sat Feb 29 00:00:00 2020] m", "m", 1582934400, -1, true },
		{ "[Fri Dec 31 23:59:59 1999] m", "m", 946684799, -1, true },
		{ "[    0.000000] m", "m", -1, 0, false },
		{ "4,1,1500000,-;m", "m", -1, 1.5, false },
		{ "m", "m", -1, -1, false },
		{ "[drm] m", "[drm] m", -1, -1, false },
		{ "\033[32m[    1.500000] \033[0m\033[33mm\033[0m\033[", "m", -1, 1.5, false },
		{ "    MESSAGE=m", "m", -1, -1, false },
		{ "\t\"MESSAGE\" : \"m\",", "m", -1, -1, false },
		{ "         \"msg\": \"m\"", "m", -1, -1, false },
		{ "\"msg\": \"", "", -1, -1, false },
		{ "\036{\"MESSAGE\":\"m\",\"__MONOTONIC_TIMESTAMP\":\"2000000\"}", "m", -1, 2, false },
		{ "data: {\"MESSAGE\":\"m\",\"__MONOTONIC_TIMESTAMP\":\"2000000\"}", "m", -1, 2, false },
		{ "2026-13-04T12:00:00 h kernel: m", "2026-13-04T12:00:00 h kernel: m", -1, -1, false },
		{ "daemon: kernel: m", "daemon: kernel: m", -1, -1, false },
		{ "{\"MESSAGE\":\"m\",\"__REALTIME_TIMESTAMP\":\"1772625600500000\",\"__MONOTONIC_TIMESTAMP\":\"2000000\"}", "m",
		  1772625600.5, 2, false },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(rows); i++) {
		struct qm_klog_line l;

		assert_true(qm_klog_line_parse(rows[i].line, strlen(rows[i].line), 1772625600, &l));
		assert_string_equal(l.message, rows[i].message);
		assert_int_equal(l.has_wall, rows[i].wall >= 0);
		assert_int_equal(l.has_mono, rows[i].mono >= 0);
		assert_int_equal(l.is_local, rows[i].local);
		if (l.has_wall)
			assert_true(l.wall == rows[i].wall);
		if (l.has_mono)
			assert_true(l.mono == rows[i].mono);
	}
}

/* Others than the kernel speak of nvme, too. */
static void not_from_the_kernel(void **state)
{
	static const char *const lines[] = {
		"Mar  4 12:00:00 h nvme[12]: " FAILURE,
		"2026-03-04T12:00:00Z h sudo: root : COMMAND=/bin/echo " FAILURE,
		"{\"MESSAGE\":\"" FAILURE "\",\"_TRANSPORT\":\"stdout\"}",
		"{\"MESSAGE\":{\"a\":1}}",
		"{\"MESSAGE\":null}",
		"{\"MESSAGE\":\"" FAILURE "\"",
		"[1,\"MESSAGE\"]",
		"audit: said: " FAILURE,
		"nvme nvme0n1: failed to connect queue: 3 ret=-18",
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(lines); i++) {
		struct qm_klog_report r = read_text(lines[i], NULL);

		assert_int_equal(r.n, 0);
		qm_klog_report_done(&r);
	}
}

static void old_codes(void **state)
{
	(void)state;
	assert_int_equal(qm_klog_code_decode(-16402), -18);
	assert_int_equal(qm_klog_code_decode(-16388), -4);
	assert_int_equal(qm_klog_code_decode(-16384), -16384);
	assert_int_equal(qm_klog_code_decode(-18), -18);
	assert_int_equal(qm_klog_code_decode(7), 7);
	assert_int_equal(qm_klog_code_decode(-9999999), -9999999);
}

static void scanning(void **state)
{
	long v[4];

	(void)state;
	assert_true(qm_klog_scan("a 12 b -3 and more", "a %d b %d", v));
	assert_int_equal(v[0], 12);
	assert_int_equal(v[1], -3);
	assert_true(qm_klog_scan("x 0xff.", "x %x.", v));
	assert_int_equal(v[0], 255);
	assert_true(qm_klog_scan("I/O tag 5 (QI) QID 7 timeout", "I/O %*QID %d timeout", v));
	assert_int_equal(v[0], 7);
	assert_false(qm_klog_scan("I/O tag 5", "I/O %*QID %d", v));
	assert_false(qm_klog_scan("a ", "a %d", v));
	assert_false(qm_klog_scan("a", "a b", v));
	assert_true(qm_klog_scan("n 123456789012345678901234567890", "n %d", v));
	assert_true(v[0] > 1000000000L);
}

static void automaton(void **state)
{
	static const char *const words[] = { "he", "she", "hers", "x\xff", NULL };
	_cleanup_free_ char *many = malloc(400);
	const char *const too_long[] = { many, NULL };
	_cleanup_free_ struct qm_match *m = malloc(sizeof(*m));

	(void)state;
	assert_int_equal(qm_match_init(m, words), 0);
	{
		const char *text = "ushers", *odd = "..x\xffy";

		assert_ptr_equal(qm_match_find(m, text, 6), text + 4);
		assert_null(qm_match_find(m, text, 3));
		assert_null(qm_match_find(m, "sssh", 4));
		assert_ptr_equal(qm_match_find(m, odd, 5), odd + 4);
	}
	memset(many, 'a', 399);
	many[399] = '\0';
	assert_int_equal(qm_match_init(m, too_long), -EINVAL);
}

static void kind_names(void **state)
{
	(void)state;
	for (unsigned k = 0; k < _QM_KLOG_KIND_MAX; k++)
		assert_non_null(qm_klog_kind_name(k));
	assert_string_equal(qm_klog_kind_name(QM_KLOG_VECTORS_OUT), "vectors-exhausted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(boundaries_of_the_buffer),
		cmocka_unit_test(too_much_of_everything),
		cmocka_unit_test(room_is_made_in_an_attempt),
		cmocka_unit_test(since),
		cmocka_unit_test(dates),
		cmocka_unit_test(not_from_the_kernel),
		cmocka_unit_test(old_codes),
		cmocka_unit_test(scanning),
		cmocka_unit_test(automaton),
		cmocka_unit_test(kind_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
