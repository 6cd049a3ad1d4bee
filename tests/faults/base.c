// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of src/base with an allocation or a system call that fails; see units.c. */
#include "units.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "../unit/tree.h"
#include "base/cpuset.h"
#include "base/ids.h"
#include "base/input.h"
#include "base/jsontext.h"
#include "base/log.h"
#include "base/natsort.h"
#include "base/root.h"
#include "base/setpool.h"
#include "base/state.h"
#include "base/strbuf.h"
#include "base/tree.h"
#include "inject.h"

/* What out parameters hold before. */
static char mark[] = "untouched";

/* ---- in memory ---- */

static int make_text(void)
{
	struct qm_strbuf b = { 0 }, from = { 0 };
	char *text = mark;
	int r;

	qm_strbuf_adds(&from, "a piece");
	qm_strbuf_adds(&b, qm_strbuf_str(&from));
	qm_strbuf_carry(&b, &from);
	qm_strbuf_addc(&b, ';');
	qm_strbuf_addf(&b, "%d", 1);
	qm_strbuf_addf(&b, "%0100d", 2);
	EXPECT(!b.s || strlen(b.s) == b.len);
	EXPECT(strcmp(qm_strbuf_str(&b), b.s ? b.s : "") == 0);
	r = qm_strbuf_take(&b, &text);
	EXPECT(r == 0 || (text == mark && b.err == -ENOMEM));
	EXPECT(r < 0 || (!b.s && !b.len));
	if (r == 0) {
		units_say("%.9s%zu", text, strlen(text));
		free(text);
	}
	qm_strbuf_reset(&from);
	EXPECT(qm_strbuf_str(&from)[0] == '\0');
	qm_strbuf_done(&from);
	qm_strbuf_done(&b);
	return r;
}

/* Sizes beyond all memory, and what cannot be formatted. */
static int text_limits(void)
{
	struct qm_strbuf b = { 0 }, full = { .len = SIZE_MAX - 4 };
	size_t cap = 1;
	void *array = mark;

	EXPECT(qm_array_grow(&array, &cap, SIZE_MAX / 2 + 2, 1) == -ENOMEM);
	EXPECT(qm_array_grow(&array, &cap, SIZE_MAX / 8, 16) == -ENOMEM);
	EXPECT(array == mark && cap == 1);
	qm_strbuf_add(&full, "12345678", 8);
	EXPECT(full.err == -ENOMEM && !full.s);
	qm_strbuf_adds(&b, "so far");
	qm_strbuf_addf(&b, "%lc", (wint_t)0x110000);
	EXPECT(b.err == -EINVAL);
	EXPECT(strcmp(qm_strbuf_str(&b), "so far") == 0);
	qm_strbuf_done(&b);
	return 0;
}

/* So many that slots and chunks are made anew; each is found again. */
static int keep_sets(void)
{
	const struct qm_cpuset *kept[140], *again = NULL;
	struct qm_setpool pool = { 0 };
	struct qm_cpuset set = { 0 };
	int r = 0;

	for (unsigned i = 0; r == 0 && i < QM_ARRAY_SIZE(kept); i++) {
		qm_cpuset_zero(&set);
		qm_cpuset_set(&set, i);
		kept[i] = &set;
		r = qm_setpool_add(&pool, &set, &kept[i]);
		EXPECT(r == 0 || kept[i] == &set);
		if (r == 0)
			r = qm_setpool_add(&pool, &set, &again);
		EXPECT(r < 0 || (again == kept[i] && qm_cpuset_is_equal(again, &set)));
	}
	if (r == 0)
		units_say("%zu", pool.n);
	qm_setpool_done(&pool);
	EXPECT(!pool.slots && !pool.chunks);
	return r;
}

/* The slot of a set that is alone in a pool. */
static size_t slot_of(const struct qm_cpuset *set)
{
	struct qm_setpool pool = { 0 };
	const struct qm_cpuset *kept;
	size_t at = 0;

	assert_int_equal(qm_setpool_add(&pool, set, &kept), 0);
	while (!pool.slots[at])
		at++;
	qm_setpool_done(&pool);
	return at;
}

static struct qm_cpuset crowd[18];

/* Sets that all want the same slot. */
static void make_crowd(void)
{
	struct qm_cpuset set;
	size_t n = 0;

	for (unsigned i = 0; n < QM_ARRAY_SIZE(crowd); i++) {
		assert_true(i < QM_CPU_MAX);
		qm_cpuset_zero(&set);
		qm_cpuset_set(&set, i);
		if (slot_of(&set) == 7)
			qm_cpuset_copy(&crowd[n++], &set);
	}
}

/* Where too many are in the way, a set is kept once more rather than searched for. */
static int keep_crowd(void)
{
	const struct qm_cpuset *kept = NULL, *again = NULL;
	struct qm_setpool pool = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < QM_ARRAY_SIZE(crowd); i++) {
		r = qm_setpool_add(&pool, &crowd[i], &kept);
		if (r == 0)
			r = qm_setpool_add(&pool, &crowd[i], &again);
		EXPECT(r < 0 || (qm_cpuset_is_equal(kept, &crowd[i]) && qm_cpuset_is_equal(again, &crowd[i])));
	}
	if (r == 0)
		units_say("%zu", pool.n);
	qm_setpool_done(&pool);
	return r;
}

static int list_numbers(void)
{
	struct qm_ids ids = { 0 }, copy = { .n = 77 };
	struct qm_strbuf b = { 0 };
	int r = 0;

	for (unsigned i = 0; r == 0 && i < 20; i++) {
		r = qm_ids_add(&ids, 19 - i);
		EXPECT(ids.n == i + (r == 0));
	}
	if (r == 0)
		r = qm_ids_copy(&ids, &copy);
	EXPECT(r == 0 || copy.n == 77);
	qm_ids_done(&ids);
	if (r < 0)
		return r;
	qm_ids_sort(&copy);
	qm_ids_format(&copy, &b);
	r = b.err;
	if (r == 0)
		units_say("%s", qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	qm_ids_done(&copy);
	return r;
}

static int write_set(void)
{
	struct qm_strbuf b = { 0 };
	struct qm_cpuset set;
	int r;

	r = qm_cpuset_parse_list("0-3,8,4096-4100", -1, &set);
	if (r < 0)
		return r;
	qm_cpuset_format(&set, &b);
	r = b.err;
	if (r == 0)
		units_say("%s", qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return r;
}

static int refuse_sets(void)
{
	static char far[9 * 5000];
	struct qm_cpuset set = { .nw = 77 };

	EXPECT(qm_cpuset_parse_list("0-7:x/2", -1, &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_list("0-7:1/x", -1, &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_list("0-7:1", -1, &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_list("7-0", -1, &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_list("0-9999", -1, &set) == -ERANGE);
	EXPECT(qm_cpuset_parse_list("(null) 3", -1, &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_mask("-1", &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_mask("G", &set) == -EINVAL);
	EXPECT(qm_cpuset_parse_mask("g", &set) == -EINVAL);
	strcpy(far, "1");
	for (size_t i = 0, len = 1; i < QM_CPU_MAX / 32; i++, len += 9)
		strcpy(far + len, ",00000000");
	EXPECT(qm_cpuset_parse_mask(far, &set) == -ERANGE);
	for (size_t i = 0; i + 9 < sizeof(far); i += 9)
		memcpy(far + i, i ? ",00000000" : "000000000", 9);
	memcpy(far, "00000000,", 9);
	far[9] = '0';
	EXPECT(qm_cpuset_parse_mask(far, &set) < 0);
	EXPECT(set.nw == 77);
	EXPECT(qm_cpuset_parse_mask("F\t\r\n", &set) == 0 && qm_cpuset_count(&set) == 4);
	EXPECT(qm_cpuset_next_and(&set, &set, 64) == -1);
	return 0;
}

static struct json_object *json;

static void make_json(void)
{
	json = json_tokener_parse("{\"a\":[1,true,null,\"\\u0001\\n\\\"x\"],\"b\":{}}");
	assert_non_null(json);
}

static void drop_json(int r)
{
	(void)r;
	json_object_put(json);
}

static int write_json(void)
{
	struct qm_strbuf b = { 0 };
	char *text = mark;
	int r;

	qm_strbuf_add_json(&b, json);
	r = qm_strbuf_take(&b, &text);
	EXPECT(r == 0 || text == mark);
	qm_strbuf_done(&b);
	if (r == 0) {
		units_say("%s", text);
		free(text);
	}
	return r;
}

static int write_json_lines(void)
{
	struct qm_strbuf b = { 0 };
	int r;

	qm_strbuf_add_json_lines(&b, json);
	r = b.err;
	if (r == 0)
		units_say("%s", qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return r;
}

static void make_fraction(void)
{
	json = json_object_new_double(0.5);
}

static int write_fraction(void)
{
	struct qm_strbuf b = { 0 };

	qm_strbuf_add_json(&b, json);
	EXPECT(b.err == -EINVAL);
	qm_strbuf_done(&b);
	return 0;
}

/* What went wrong first is what is told. */
static int write_after_an_error(void)
{
	struct qm_strbuf b = { .err = -ENOMEM };
	json_object *nested = json_object_new_array();

	qm_strbuf_add_json(&b, json);
	EXPECT(b.err == -ENOMEM);
	for (int i = 0; i < 40; i++) {
		json_object *outer = json_object_new_array();

		json_object_array_add(outer, nested);
		nested = outer;
	}
	qm_strbuf_add_json(&b, nested);
	EXPECT(b.err == -ENOMEM);
	qm_strbuf_done(&b);
	qm_strbuf_add_json(&b, nested);
	EXPECT(b.err == -EINVAL);
	qm_strbuf_done(&b);
	json_object_put(nested);
	return 0;
}

static int order_names(void)
{
	EXPECT(qm_natcmp("nvme0n1", "nvme0n1p1") < 0 && qm_natcmp("nvme0n1p1", "nvme0n1") > 0);
	EXPECT(qm_natcmp("nvme2", "nvme10") < 0 && qm_natcmp("sda", "sda") == 0);
	return 0;
}

/* One that cannot be kept is not half kept, and not forgotten without a word. */
static int collect_problems(void)
{
	struct qm_problems p = { 0 };
	int r;

	for (int i = 0; i < 20; i++)
		qm_problem_addf(&p, "sys/x", "number %d: %0100d", i / 2, 0);
	r = p.err;
	for (size_t i = 0; i < p.n; i++)
		EXPECT(p.v[i].path && p.v[i].error);
	if (r == 0)
		units_say("%zu", p.n);
	qm_problems_done(&p);
	return r;
}

static int too_many_problems(void)
{
	struct qm_problems p = { 0 };

	for (int i = 0; i < QM_PROBLEMS_MAX + 3; i++)
		qm_problem_addf(&p, "sys/x", "%d", i);
	EXPECT(p.n == QM_PROBLEMS_MAX && p.dropped == 3 && p.err == 0);
	qm_problems_done(&p);
	return 0;
}

static const struct unit memory[] = {
	{ .name = "strbuf", .run = make_text, .answer = "a piece;1109" },
	{ .name = "strbuf at its limits", .run = text_limits, .answer = "", .once = true },
	{ .name = "setpool", .run = keep_sets, .answer = "140" },
	{ .name = "setpool with a crowd", .make = make_crowd, .run = keep_crowd, .answer = "20" },
	{ .name = "ids", .run = list_numbers, .answer = "0-19" },
	{ .name = "cpuset", .run = write_set, .answer = "0-3,8,4096-4100" },
	{ .name = "cpuset that is none", .run = refuse_sets, .answer = "", .once = true },
	{ .name = "jsontext", .make = make_json, .run = write_json, .check = drop_json, .own = true,
	  .answer = "{\"a\":[1,true,null,\"\\u0001\\n\\\"x\"],\"b\":{}}" },
	{ .name = "jsontext by lines", .make = make_json, .run = write_json_lines, .check = drop_json, .own = true,
	  .answer = "{\n  \"a\":[\n    1,\n    true,\n    null,\n    \"\\u0001\\n\\\"x\"\n  ],\n  \"b\":{\n  }\n}" },
	{ .name = "jsontext of a fraction", .make = make_fraction, .run = write_fraction, .check = drop_json, .answer = "" },
	{ .name = "jsontext after an error", .make = make_fraction, .run = write_after_an_error, .check = drop_json,
	  .answer = "", .once = true },
	{ .name = "natsort", .run = order_names, .answer = "", .once = true },
	{ .name = "log", .run = collect_problems, .answer = "10" },
	{ .name = "log that is full", .run = too_many_problems, .answer = "", .once = true },
};

/* ---- files that the user names ---- */

static struct tree tree;

static void make_files(void)
{
	tree_make(&tree, "text some text\nempty/\nold what stood there before and is longer\n");
}

static void drop_files(int r)
{
	(void)r;
	tree_done(&tree);
}

static int read_input(void)
{
	char path[1024], *text = mark;
	size_t len = 77;
	int r;

	tree_path(&tree, "text", path);
	r = qm_input_read(path, 100, &text, &len);
	EXPECT(r == 0 || (text == mark && len == 77));
	if (r < 0)
		return r;
	units_say("%zu %s", len, text);
	free(text);
	return 0;
}

static int read_standard_input(void)
{
	char *text = mark;
	size_t len = 77;
	int r;

	r = qm_input_read("-", 100, &text, &len);
	EXPECT(r == 0 || (text == mark && len == 77));
	if (r < 0)
		return r;
	units_say("%zu%s", len, text);
	free(text);
	return 0;
}

static int refuse_input(void)
{
	char path[1024], *text = mark;
	size_t len = 77;

	tree_path(&tree, "empty", path);
	EXPECT(qm_input_open(path) == -EISDIR);
	tree_path(&tree, "none", path);
	EXPECT(qm_input_open(path) == -ENOENT);
	EXPECT(qm_output_write(tree.dir, "", 0) == -EISDIR);
	tree_path(&tree, "text", path);
	EXPECT(qm_input_read(path, 9, &text, &len) == -EFBIG);
	EXPECT(text == mark && len == 77);
	return 0;
}

/* It may be kept from us. */
static int open_kernel_log(void)
{
	int fd = qm_input_open_kmsg();

	if (fd >= 0)
		close(fd);
	return fd < 0 && inject.hit ? fd : 0;
}

static int write_output(void)
{
	char path[1024];

	tree_path(&tree, "old", path);
	return qm_output_write(path, "new", 3);
}

static void check_output(int r)
{
	char buf[64] = "", path[1024];
	FILE *f;

	tree_path(&tree, "old", path);
	f = fopen(path, "r");
	assert_non_null(f);
	EXPECT(fread(buf, 1, sizeof(buf) - 1, f) > 0 || r < 0);
	fclose(f);
	EXPECT(r < 0 || strcmp(buf, "new") == 0);
	drop_files(r);
}

static const struct unit inputs[] = {
	{ .name = "reading", .make = make_files, .run = read_input, .check = drop_files, .answer = "10 some text\n" },
	{ .name = "standard input", .run = read_standard_input, .answer = "0" },
	{ .name = "what is refused", .make = make_files, .run = refuse_input, .check = drop_files, .answer = "", .once = true },
	{ .name = "the kernel's log", .run = open_kernel_log, .answer = "" },
	{ .name = "writing", .make = make_files, .run = write_output, .check = check_output, .answer = "", .closes = 1 },
};

/* ---- below a root ---- */

enum mode { OPENAT2, WALK, LIVE };

static enum mode mode;
static struct qm_problems problems;
static struct qm_root root;
static struct qm_dir top;

static void tell_file(void *arg, const char *path, const char *data, size_t len)
{
	(void)arg;
	(void)data;
	units_say("[file %s %zu]", path, len);
}

static void tell_link(void *arg, const char *path, const char *target)
{
	(void)arg;
	units_say("[link %s %s]", path, target);
}

static void tell_dir(void *arg, const char *path)
{
	(void)arg;
	units_say("[dir %s]", path);
}

static void tell_seen(void *arg, const char *path)
{
	(void)arg;
	units_say("[seen %s]", path);
}

static void tell_refused(void *arg, const char *path)
{
	(void)arg;
	units_say("[refused %s]", path);
}

static void tell_mode(void *arg, const char *path, unsigned bits)
{
	(void)arg;
	units_say("[mode %s %o]", path, bits);
}

static const struct qm_root_tap tap = {
	.file = tell_file, .link = tell_link, .dir = tell_dir, .seen = tell_seen, .refused = tell_refused, .mode = tell_mode,
};

static void make_tree(void)
{
	tree_make(&tree, "d/num 42\nd/list 0-3,8\nd/mask 0000000f\nd/odd what\nd/sub/deep down here\n"
			 "l -> d\nd/up -> ../d/sub\nabs -> /d/sub\nchain -> l/up\n");
}

static void make_root(void)
{
	problems = (struct qm_problems){ 0 };
	assert_int_equal(qm_root_open(&root, tree.dir, mode == LIVE, &problems), 0);
	root.no_openat2 = mode == WALK;
	root.tap = &tap;
	top = qm_root_dir(&root);
}

static void drop_root(int r)
{
	(void)r;
	qm_root_close(&root);
	qm_problems_done(&problems);
}

/* What went wrong is told as a problem, or that it cannot be told. */
static int told(int r)
{
	if (r == -ENOMEM)
		EXPECT(problems.err == -ENOMEM);
	else if (r < 0)
		EXPECT(problems.err == -ENOMEM || problems.n == 1);
	else
		EXPECT(problems.n == 0);
	r = r < 0 ? r : problems.err;
	qm_problems_done(&problems);
	return r;
}

static int open_root(void)
{
	struct qm_root one = { .fd = 77 };
	int r;

	r = qm_root_open(&one, tree.dir, mode == LIVE, NULL);
	EXPECT(r == 0 || one.fd == 77);
	if (r == 0)
		qm_root_close(&one);
	return r;
}

static int read_below(void)
{
	struct qm_dir d = { .fd = -1 }, sub = { .fd = 77 };
	const char *text = mark;
	int r;

	r = qm_dir_open(&root, "d", &d);
	if (r == 0)
		r = qm_dir_openat(&d, "sub", &sub);
	EXPECT(r == 0 || sub.fd == 77);
	if (r == 0) {
		r = qm_dir_read(&sub, "deep", &text);
		EXPECT(r >= 0 || text == mark);
		if (r >= 0)
			units_say("%s", text);
		qm_dir_close(&sub);
	}
	if (d.fd >= 0)
		qm_dir_close(&d);
	/* A view of the root owns nothing. */
	qm_dir_close(&top);
	EXPECT(top.fd == root.fd);
	return told(r);
}

static int read_kinds(void)
{
	struct qm_cpuset set = { .nw = 77 };
	const char *text = mark;
	long long n = 77;
	char *line = mark;
	int r;

	r = qm_dir_read_line(&top, "d/odd", &line);
	EXPECT(r == 0 || line == mark);
	if (r == 0) {
		units_say("%s ", line);
		free(line);
		r = qm_dir_read_head(&top, "d/odd", 2, &text);
		EXPECT(r == 2 || text == mark);
	}
	if (r >= 0) {
		units_say("%s ", text);
		r = qm_dir_read_num(&top, "d/num", &n);
		EXPECT(r == 0 || n == 77);
	}
	if (r >= 0) {
		units_say("%lld ", n);
		r = qm_dir_read_cpulist(&top, "d/list", &set);
		EXPECT(r == 0 || set.nw == 77);
	}
	if (r >= 0) {
		units_say("%u ", qm_cpuset_count(&set));
		set.nw = 77;
		r = qm_dir_read_cpumask(&top, "d/mask", &set);
		EXPECT(r == 0 || set.nw == 77);
	}
	if (r >= 0)
		units_say("%u", qm_cpuset_count(&set));
	return told(r);
}

static int look_at(void)
{
	char *target = mark, *base = mark;
	int r;

	r = qm_dir_link(&top, "l", &target);
	EXPECT(r == 0 || target == mark);
	if (r == 0) {
		free(target);
		r = qm_dir_link_base(&top, "d/up", &base);
		EXPECT(r == 0 || base == mark);
	}
	if (r == 0) {
		units_say("%s ", base);
		free(base);
		r = qm_dir_exists(&top, "d/up/deep");
	}
	if (r >= 0) {
		units_say("%d ", r);
		r = qm_dir_exists(&top, "d/none");
	}
	if (r >= 0) {
		units_say("%d ", r);
		r = qm_dir_mode(&top, "d/num");
	}
	if (r >= 0)
		r = qm_dir_mode(&top, "l");
	return told(r < 0 ? r : 0);
}

static bool is_odd(const char *name)
{
	return strcmp(name, "odd") == 0;
}

/* What came of a list of names, in which n is 77 until it is written. */
static int told_names(int r, struct qm_names *names)
{
	EXPECT(r == 0 || names->n == 77);
	if (r == 0) {
		for (size_t i = 0; i < names->n; i++)
			units_say("%s ", names->v[i]);
		qm_names_done(names);
	}
	return told(r);
}

static int list_names(void)
{
	struct qm_names names = { .n = 77 };

	return told_names(qm_dir_names_but(&top, "d", is_odd, &names), &names);
}

static int open_one(void)
{
	int fd = qm_dir_open_file(&top, "d/num");

	if (fd >= 0)
		close(fd);
	return told(fd < 0 ? fd : 0);
}

/* One that can be told of or not. */
static int meet_problem(void)
{
	long long n = 77;
	int r;

	r = qm_dir_read_num(&top, "d/odd", &n);
	EXPECT(n == 77);
	if (r != -EINVAL)
		return told(r);
	EXPECT(problems.n == 1 || problems.err == -ENOMEM);
	r = problems.err;
	if (r == 0)
		units_say("%s: %s", problems.v[0].path, problems.v[0].error);
	qm_problems_done(&problems);
	return r;
}

/* The root itself, by a name of its own. */
static int list_top(void)
{
	struct qm_names names = { .n = 77 };
	int r;

	r = qm_dir_exists(&top, ".");
	if (r >= 0)
		r = qm_dir_names(&top, ".", &names);
	return told_names(r, &names);
}

/* A tap need not listen to everything, and nobody has to keep problems. */
static int read_unheard(void)
{
	static const struct qm_root_tap deaf;
	struct qm_names names;
	const char *text;
	char *target;
	int r;

	root.tap = &deaf;
	root.problems = NULL;
	top.root_only = true;
	r = qm_dir_read(&top, "d/num", &text);
	if (r >= 0)
		units_say("%s", text);
	if (r >= 0)
		r = qm_dir_mode(&top, "d/num");
	if (r >= 0)
		r = qm_dir_exists(&top, "d/num");
	if (r >= 0)
		r = qm_dir_link(&top, "d/up", &target);
	if (r < 0)
		return r;
	free(target);
	r = qm_dir_names(&top, "d", &names);
	if (r == 0)
		qm_names_done(&names);
	return r;
}

/* Through links: relative, absolute, and one behind the other. */
static int follow(void)
{
	static const char *const names[] = { "l/num", "abs/deep", "chain/deep", "d/up/../../l/sub/./deep" };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < QM_ARRAY_SIZE(names); i++) {
		const char *text = mark;

		r = qm_dir_read(&top, names[i], &text);
		EXPECT(r >= 0 || text == mark);
		if (r >= 0)
			units_say("%s", text);
	}
	return told(r < 0 ? r : 0);
}

/* For root alone: no problem, but the tap is told. */
static int be_refused(void)
{
	const char *text = mark;
	int r;

	top.root_only = true;
	r = qm_dir_read(&top, "d/num", &text);
	EXPECT(r >= 0 || text == mark);
	if (inject.hit && (r == -EACCES || r == -EPERM)) {
		EXPECT(problems.n == 0);
		return r;
	}
	return told(r < 0 ? r : 0);
}

static int write_one(void)
{
	int r = qm_dir_write(&top, "d/num", "7\n", 2);

	/* What a refusal means is the writer's business. */
	EXPECT(problems.n == 0);
	return r;
}

static void check_written(int r)
{
	const char *text = mark;

	EXPECT(qm_dir_read(&top, "d/num", &text) >= 0);
	/* The kernel's files are not cut; a plain one may stop on the way. */
	if (r == 0)
		EXPECT(strcmp(text, mode == LIVE ? "7\n\n" : "7\n") == 0);
	else
		EXPECT(strcmp(text, "42\n") == 0 || strcmp(text, "7\n\n") == 0);
	drop_root(r);
	tree_add(&tree, "d/num 42\n");
}

#define NAME64 "0123456789012345678901234567890123456789012345678901234567890123"

static void make_odd(void)
{
	static char big[QM_FILE_MAX + 1];
	char path[1024];

	make_root();
	root.tap = NULL;
	memset(big, 'x', sizeof(big));
	tree_raw(&tree, "big", big, sizeof(big));
	tree_raw(&tree, "page", big, 2000);
	tree_add(&tree, "blanks \t42 \t\r\nhuge 99999999999999999999\nfar 99999\nloop -> loop\npiece -> num\n");
	tree_path(&tree, "pipe", path);
	assert_true(mkfifo(path, 0600) == 0 || errno == EEXIST);
	for (int i = 0; i < 600; i++) {
		snprintf(path, sizeof(path), "many/%d", i);
		tree_raw(&tree, path, "", 0);
	}
	snprintf(path, sizeof(path), "x");
	for (int i = 0; i < 130; i++)
		strcat(path, "/x");
	tree_raw(&tree, path, "", 0);
}

static void expect_refused(int r, int want, const char *error)
{
	EXPECT(r == want);
	EXPECT(problems.n == (error ? 1 : 0));
	EXPECT(!error || (problems.n == 1 && strcmp(problems.v[0].error, error) == 0));
	qm_problems_done(&problems);
}

/* What a tap is not told for want of memory, where nobody keeps problems, is for the tap's owner to bear. */
static void tell_nobody(void)
{
	root.tap = &tap;
	root.problems = NULL;
	inject_arm(INJECT_OWN, ENOMEM, 1);
	EXPECT(qm_dir_mode(&top, "l") == 0777);
	EXPECT(inject.hit);
	inject_arm(INJECT_NONE, 0, 0);
	root.tap = NULL;
	root.problems = &problems;
}

static void refuse_endless(void)
{
	struct qm_names names = { .n = 77 };
	char *target = mark;

	inject.endless = true;
	expect_refused(qm_dir_names(&top, "many", &names), -E2BIG,
		       "more entries than any such directory of a kernel, not read");
	EXPECT(names.n == 77);
	expect_refused(qm_dir_link(&top, "l", &target), -ENAMETOOLONG, strerror(ENAMETOOLONG));
	if (mode == WALK)
		expect_refused(qm_dir_exists(&top, "l/num"), -ENAMETOOLONG, strerror(ENAMETOOLONG));
	EXPECT(target == mark);
	inject.endless = false;
}

static int refuse_odd(void)
{
	const char *text = mark, *head;
	long long blank = 77;
	char deep[512] = "x", *line = mark;
	struct qm_dir dir, unopened = { 0 };
	struct qm_root closed = { .fd = -1 };
	struct qm_cpuset set;
	long long n = 77;

	expect_refused(qm_dir_read(&top, "big", &text), -EFBIG, "larger than any such file of a kernel, not read");
	expect_refused(qm_dir_read_head(&top, "big", 2000, &head), 2000, NULL);
	expect_refused(qm_dir_read_num(&top, "blanks", &blank), 0, NULL);
	EXPECT(blank == 42);
	expect_refused(qm_dir_read_head(&top, "page", 5000, &head), 2000, NULL);
	expect_refused(qm_dir_read_num(&top, "huge", &n), -ERANGE, "a number beyond what a kernel can have");
	expect_refused(qm_dir_read_num(&top, "d/odd", &n), -EINVAL, "garbled");
	expect_refused(qm_dir_read_cpulist(&top, "far", &set), -ERANGE, "a number beyond what a kernel can have");
	expect_refused(qm_dir_read_cpumask(&top, "d/odd", &set), -EINVAL, "garbled");
	expect_refused(qm_dir_read(&top, "d", &text), -EISDIR, strerror(EISDIR));
	expect_refused(qm_dir_read(&top, "loop", &text), -ELOOP, strerror(ELOOP));
	expect_refused(qm_dir_open_file(&top, "loop"), -ELOOP, strerror(ELOOP));
	expect_refused(qm_dir_openat(&top, "d/num", &dir), -ENOENT, NULL);
	expect_refused(qm_dir_exists(&top, "d/num/x"), 0, NULL);
	expect_refused(qm_dir_read(&top, NAME64 NAME64 NAME64 NAME64, &text), -ENAMETOOLONG, strerror(ENAMETOOLONG));
	expect_refused(qm_dir_link(&top, "none/x", &line), -ENOENT, NULL);
	expect_refused(qm_dir_link(&top, "d/num", &line), -EINVAL, NULL);
	expect_refused(qm_dir_mode(&top, "none/x"), -ENOENT, NULL);
	expect_refused(qm_dir_mode(&top, "none"), -ENOENT, NULL);
	expect_refused(qm_dir_read_line(&top, "none", &line), -ENOENT, NULL);
	expect_refused(qm_dir_link_base(&top, "none", &line), -ENOENT, NULL);
	expect_refused(qm_dir_write(&top, "none", "", 0), -ENOENT, NULL);
	expect_refused(qm_dir_write(&top, "pipe", "", 0), -EMEDIUMTYPE, NULL);
	expect_refused(qm_dir_write(&top, "l", "", 0), -ELOOP, NULL);
	for (int i = 0; i < 130; i++)
		strcat(deep, "/x");
	if (mode == WALK)
		expect_refused(qm_dir_exists(&top, deep), -ELOOP, strerror(ELOOP));
	if (mode != LIVE)
		expect_refused(qm_dir_read(&top, "pipe", &text), -EMEDIUMTYPE, "not a regular file, not opened");
	refuse_endless();
	tell_nobody();
	/* What is closed can be closed, and what was never opened. */
	qm_dir_close(&unopened);
	qm_dir_close(&unopened);
	EXPECT(fcntl(0, F_GETFD) >= 0);
	qm_root_close(&closed);
	qm_root_close(&closed);
	EXPECT(text == mark && line == mark && n == 77);
	return 0;
}

/* ---- below a root that somebody changes meanwhile ---- */

static void make_changing(void)
{
	tree_make(&tree, "in/d/num 42\nin/d/other -> up\nin/l -> d\nout/num secret\nout/other -> secret\n");
}

/* Links that lead out, relative and absolute. */
static void change_file(void)
{
	tree_link(&tree, "in/d/num", "../../out/num");
}

static void change_file_far(void)
{
	char path[1024];

	tree_path(&tree, "out/num", path);
	tree_link(&tree, "in/d/num", path);
}

static void change_dir_to(const char *to)
{
	char from[1024], path[1024];

	tree_path(&tree, "in/d", from);
	tree_path(&tree, "in/was", path);
	assert_int_equal(rename(from, path), 0);
	tree_link(&tree, "in/d", to);
}

static void change_dir(void)
{
	change_dir_to("../out");
}

static void change_dir_far(void)
{
	char path[1024];

	tree_path(&tree, "out", path);
	change_dir_to(path);
}

/* The directory that is being walked is moved out of the root. */
static void move_dir(void)
{
	char from[1024], to[1024];

	tree_path(&tree, "in/d", from);
	tree_path(&tree, "out/d", to);
	assert_int_equal(rename(from, to), 0);
}

static void remove_file(void)
{
	tree_remove(&tree, "in/d/num");
}

static int race_read(void)
{
	const char *text;
	int r = qm_dir_read(&top, "l/num", &text);

	EXPECT(r < 0 || strcmp(text, "42\n") == 0);
	return r;
}

static int race_read_up(void)
{
	const char *text;
	int r = qm_dir_read(&top, "d/../out/num", &text);

	EXPECT(r == -ENOENT);
	return r;
}

static int race_write(void)
{
	return qm_dir_write(&top, "d/num", "7\n", 2);
}

static int race_link(void)
{
	char *target = NULL;
	int r = qm_dir_link(&top, "d/other", &target);

	EXPECT(r < 0 || strcmp(target, "up") == 0);
	free(target);
	return r;
}

static int race_names(void)
{
	struct qm_names names = { 0 };
	int r = qm_dir_names(&top, "d", &names);

	EXPECT(r < 0 || (names.n > 0 && strcmp(names.v[names.n - 1], "other") == 0));
	qm_names_done(&names);
	return r;
}

/* Once; true: there are more points. */
static bool race(int (*op)(void), void (*meanwhile)(void), unsigned long at, bool *ret_loop)
{
	struct qm_problems p = { 0 };
	char path[1024], buf[16] = "";
	bool hit;
	FILE *f;
	int r;

	make_changing();
	tree_path(&tree, "in", path);
	assert_int_equal(qm_root_open(&root, path, false, &p), 0);
	root.no_openat2 = mode == WALK;
	top = qm_root_dir(&root);
	inject.meanwhile = meanwhile;
	inject_arm(INJECT_RACE, 0, at);
	r = op();
	hit = inject.hit;
	inject_arm(INJECT_NONE, 0, 0);
	*ret_loop |= r == -ELOOP;
	qm_root_close(&root);
	qm_problems_done(&p);
	tree_path(&tree, "out/num", path);
	f = fopen(path, "r");
	assert_non_null(f);
	EXPECT(fread(buf, 1, sizeof(buf) - 1, f) > 0 && strcmp(buf, "secret\n") == 0);
	fclose(f);
	tree_done(&tree);
	return hit;
}

/* Whatever happens to it between two calls, nothing outside is read or written. */
static int change_meanwhile(void)
{
	static int (*const ops[])(void) = { race_read, race_read_up, race_write, race_link, race_names };
	static void (*const changes[])(void) = {
		change_file, change_file_far, change_dir, change_dir_far, move_dir, remove_file,
	};
	bool write_refused = false, other = false;

	for (size_t i = 0; i < QM_ARRAY_SIZE(ops); i++) {
		for (size_t k = 0; k < QM_ARRAY_SIZE(changes); k++) {
			unsigned long at = 1;

			while (race(ops[i], changes[k], at, ops[i] == race_write ? &write_refused : &other))
				at++;
			EXPECT(at > 1 && at < 100);
		}
	}
	EXPECT(write_refused);
	return 0;
}

static const struct unit races[] = {
	{ .name = "changes meanwhile", .run = change_meanwhile, .answer = "", .once = true },
};

static int join_paths(void)
{
	char *path = mark;
	int r;

	r = qm_path_join("a/b", "../.././../c//./.x/d", &path);
	EXPECT(r == 0 || path == mark);
	if (r < 0)
		return r;
	units_say("%s ", path);
	free(path);
	path = mark;
	r = qm_path_join("a/b", "/" NAME64 "/..", &path);
	EXPECT(r == 0 || path == mark);
	if (r < 0)
		return r;
	units_say("%s", path);
	free(path);
	return 0;
}

#define ROOT_UNIT(n, f, ...) { .name = n, .make = make_root, .run = f, .check = drop_root, __VA_ARGS__ }

static const struct unit roots[] = {
	ROOT_UNIT("open", open_root, .answer = ""),
	ROOT_UNIT("directories", read_below, .answer = "[seen d][seen d/sub][file d/sub/deep 10]down here\n"),
	ROOT_UNIT("kinds of files", read_kinds, .survives = "fstatat",
		  .answer = "[file d/odd 5]what [file d/odd 2]wh [file d/num 3]42 [file d/list 6]5 [file d/mask 9]4"),
	ROOT_UNIT("what is there", look_at,
		  .answer = "[link l d][link d/up ../d/sub]sub [seen d/up/deep]1 0 [mode d/num 644][mode l 777]"),
	ROOT_UNIT("names", list_names, .answer = "[dir d]list mask num sub up "),
	ROOT_UNIT("a file to stream", open_one, .survives = "fstatat", .answer = "[file d/num 0]"),
	ROOT_UNIT("for root alone", be_refused, .survives = "fstatat", .answer = "[file d/num 3]"),
	ROOT_UNIT("a problem", meet_problem, .survives = "fstatat", .answer = "[file d/odd 5]d/odd: garbled"),
	ROOT_UNIT("its own directory", list_top, .answer = "[seen ][dir ]abs chain d l "),
	ROOT_UNIT("unheard", read_unheard, .survives = "fstatat", .answer = "42\n"),
	{ .name = "writing", .make = make_root, .run = write_one, .check = check_written, .answer = "" },
	{ .name = "what is refused", .make = make_odd, .run = refuse_odd, .check = drop_root, .answer = "", .once = true },
};

static const struct unit below_root[] = {
	ROOT_UNIT("links", follow, .survives = "fstatat",
		  .answer = "[file l/num 3]42\n[file abs/deep 10]down here\n[file chain/deep 10]down here\n"
			    "[file d/up/../../l/sub/./deep 10]down here\n"),
};

static const struct unit paths[] = {
	{ .name = "paths", .run = join_paths, .answer = "c/.x/d " },
};

/* ---- the state directory ---- */

static struct qm_state state;
static char state_path[512];

static void make_empty(void)
{
	tree_make(&tree, "file\nlink -> .\nopen/\nvar/\n");
	assert_int_equal(qm_root_open(&root, tree.dir, false, NULL), 0);
	snprintf(state_path, sizeof(state_path), "%s/state//", tree.dir);
}

static void drop_all(int r)
{
	qm_state_close(&state);
	qm_root_close(&root);
	drop_files(r);
}

static void make_state(void)
{
	make_empty();
	assert_int_equal(qm_state_open(&root, state_path, true, &state), 0);
	tree_add(&tree, "state/old before\nstate/new left behind\n");
}

static int open_state(const char *path)
{
	struct qm_state s = { .fd = 77, .lock_fd = 78 };
	int r;

	r = qm_state_open(&root, path, true, &s);
	EXPECT(r == 0 || (s.fd == 77 && s.lock_fd == 78));
	if (r < 0)
		return r;
	r = qm_state_lock(&s);
	EXPECT(r == 0 || s.lock_fd == -1);
	qm_state_close(&s);
	EXPECT(s.fd == -1 && s.lock_fd == -1);
	return r;
}

static int open_named(void)
{
	return open_state(state_path);
}

static int open_default(void)
{
	return open_state(NULL);
}

/* Whatever failed, the next one finds nothing in its way. */
static void check_opened(int r)
{
	EXPECT(open_named() == 0);
	EXPECT(open_default() == 0);
	drop_all(r);
}

static int refuse_state(void)
{
	struct qm_state one = QM_STATE_INIT, two = QM_STATE_INIT, top_one = QM_STATE_INIT;
	struct stat st;
	char path[1024];

	tree_path(&tree, "file", path);
	EXPECT(qm_state_open(&root, path, true, &one) == -ENOTDIR);
	tree_path(&tree, "link", path);
	EXPECT(qm_state_open(&root, path, true, &one) == -ELOOP);
	tree_path(&tree, "none/none", path);
	EXPECT(qm_state_open(&root, path, true, &one) == -ENOENT);
	tree_path(&tree, "none", path);
	EXPECT(qm_state_open(&root, path, false, &one) == -ENOENT);
	EXPECT(qm_state_open(&root, NULL, false, &one) == -ENOENT);
	tree_path(&tree, "open", path);
	assert_int_equal(chmod(path, 0777), 0);
	EXPECT(qm_state_open(&root, path, true, &one) == -EPERM);
	EXPECT(one.fd == -1);
	EXPECT(qm_state_open(&root, state_path, true, &one) == 0);
	EXPECT(qm_state_open(&root, state_path, true, &two) == 0);
	/* Without a directory in the name, and right below the root of all. */
	EXPECT(qm_state_open(&root, "no-such-state", false, &(struct qm_state)QM_STATE_INIT) == -ENOENT);
	EXPECT(qm_state_open(&root, "/no-such-state", false, &(struct qm_state)QM_STATE_INIT) == -ENOENT);
	/* Another user's, who could put a journal there. Only root can make one. */
	/* Root's is fine for everybody else. */
	assert_int_equal(stat("/proc", &st), 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	EXPECT(qm_state_open(&root, "/proc", false, &top_one) == (st.st_uid == 0 ? 0 : -EPERM));
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	qm_state_close(&top_one);
	/* The root of all has no name to be looked at by. */
	EXPECT(qm_state_open(&root, "//", false, &top_one) == -ENOENT);
	qm_state_close(&top_one);
	tree_path(&tree, "var", path);
	if (chown(path, 65534, 65534) == 0)
		EXPECT(qm_state_open(&root, path, true, &(struct qm_state)QM_STATE_INIT) == -EPERM);
	EXPECT(qm_state_lock(&one) == 0);
	EXPECT(qm_state_lock(&two) == -EWOULDBLOCK);
	EXPECT(two.lock_fd == -1);
	qm_state_close(&one);
	qm_state_close(&two);
	return 0;
}

/* What stands in its way is named, where it can be looked at. */
static int refuse_file(void)
{
	char path[1024];
	int r;

	tree_path(&tree, "file", path);
	r = qm_state_open(&root, path, true, &(struct qm_state)QM_STATE_INIT);
	return r == -ENOTDIR ? 0 : r;
}

static void make_state_dir(void)
{
	char path[1024];

	tree_path(&tree, "state", path);
	assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
}

static void make_state_link(void)
{
	char path[1024];

	tree_path(&tree, "state", path);
	assert_true(symlink("open", path) == 0 || errno == EEXIST);
}

/* Somebody else makes it at the same time: the same directory is as good, a link is not. */
static int open_in_a_race(void)
{
	char path[1024], made[1024];
	bool hit = true, refused = false;

	tree_path(&tree, "state", path);
	tree_path(&tree, "open/lock", made);
	for (unsigned long at = 1; hit; at++) {
		struct qm_state s = QM_STATE_INIT;
		bool link = at % 2;
		int r;

		inject.meanwhile = link ? make_state_link : make_state_dir;
		inject_arm(INJECT_RACE, 0, (at + 1) / 2);
		r = qm_state_open(&root, path, true, &s);
		if (r == 0)
			r = qm_state_lock(&s);
		hit = inject.hit;
		inject_arm(INJECT_NONE, 0, 0);
		qm_state_close(&s);
		EXPECT(r == 0 || (link && r == -ELOOP));
		EXPECT(access(made, F_OK) < 0);
		refused |= r == -ELOOP;
		remove(path);
		tree_path(&tree, "state/lock", path);
		remove(path);
		tree_path(&tree, "state", path);
		remove(path);
	}
	EXPECT(refused);
	return 0;
}

static int create_entry(void)
{
	return qm_state_create(&state, "entry", "whole", 5);
}

/* The text of a file in the state directory, "" if there is none. */
static void expect_entry(const char *name, const char *one, const char *other)
{
	char *text = NULL;
	size_t len;
	int r;

	r = qm_state_read(&state, name, 100, &text, &len);
	EXPECT(r == 0 || r == -ENOENT);
	EXPECT(r < 0 || (text && len == strlen(text)));
	EXPECT(strcmp(text ? text : "", one) == 0 || (other && strcmp(text ? text : "", other) == 0));
	free(text);
}

/* It is there whole or not at all, and the next one can be made. */
static void check_created(int r)
{
	expect_entry("entry", "whole", r < 0 ? "" : NULL);
	EXPECT(qm_state_create(&state, "next", "more", 4) == 0);
	expect_entry("next", "more", NULL);
	EXPECT(qm_state_create(&state, "next", "again", 5) == -EEXIST);
	expect_entry("next", "more", NULL);
	expect_entry("new", "", NULL);
	drop_all(r);
}

static int append_line(void)
{
	return qm_state_append(&state, "old", "more\n", 5);
}

static void check_appended(int r)
{
	expect_entry("old", "before\nmore\n", r < 0 ? "before\n" : NULL);
	drop_all(r);
}

static int read_state(void)
{
	struct qm_names names = { .n = 77 };
	char *text = mark;
	size_t len = 77;
	int r;

	r = qm_state_read(&state, "old", 100, &text, &len);
	EXPECT(r == 0 || (text == mark && len == 77));
	if (r < 0)
		return r;
	units_say("%zu %s", len, text);
	free(text);
	r = qm_state_names(&state, &names);
	EXPECT(r == 0 || names.n == 77);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++)
		units_say("%s ", names.v[i]);
	qm_names_done(&names);
	return 0;
}

static int refuse_entries(void)
{
	char path[1024], *text = mark;
	size_t len = 77;

	tree_path(&tree, "state/pipe", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	tree_path(&tree, "state/link", path);
	assert_int_equal(symlink("old", path), 0);
	EXPECT(qm_state_read(&state, "none", 100, &text, &len) == -ENOENT);
	EXPECT(qm_state_read(&state, "old", 6, &text, &len) == -EFBIG);
	EXPECT(qm_state_read(&state, "pipe", 100, &text, &len) == -EMEDIUMTYPE);
	EXPECT(qm_state_read(&state, "link", 100, &text, &len) == -ELOOP);
	EXPECT(qm_state_append(&state, "link", "x", 1) == -ELOOP);
	EXPECT(qm_state_append(&state, "none", "x", 1) == -ENOENT);
	EXPECT(text == mark && len == 77);
	return 0;
}

static const struct unit states[] = {
	{ .name = "by name", .make = make_empty, .run = open_named, .check = check_opened, .answer = "" },
	{ .name = "the default", .make = make_empty, .run = open_default, .check = check_opened, .answer = "" },
	{ .name = "what is refused", .make = make_empty, .run = refuse_state, .check = drop_all, .answer = "", .once = true },
	{ .name = "a file in its place", .make = make_empty, .run = refuse_file, .check = drop_all, .answer = "",
	  .survives = "fstatat" },
	{ .name = "made by two", .make = make_empty, .run = open_in_a_race, .check = drop_all, .answer = "", .once = true },
	{ .name = "a new file", .make = make_state, .run = create_entry, .check = check_created, .answer = "", .closes = 1 },
	{ .name = "one more line", .make = make_state, .run = append_line, .check = check_appended, .answer = "", .closes = 1 },
	{ .name = "reading", .make = make_state, .run = read_state, .check = drop_all, .answer = "7 before\nnew old " },
	{ .name = "no entries", .make = make_state, .run = refuse_entries, .check = drop_all, .answer = "", .once = true },
};

/* ---- a tree that is made ---- */

static struct qm_tree made;
static int stream = -1;
static char made_path[512];

static void make_made(void)
{
	char path[1024];

	tree_make(&tree, "from streamed\nfull/file\nto/a/file old and longer\nto/a/ln -> file\n");
	tree_path(&tree, "from", path);
	stream = open(path, O_RDONLY | O_CLOEXEC);
	tree_path(&tree, "to", path);
	made.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(stream >= 0 && made.fd >= 0);
	snprintf(made_path, sizeof(made_path), "%s/made", tree.dir);
}

static void drop_made(int r)
{
	close(stream);
	qm_tree_close(&made);
	drop_files(r);
}

static int open_made(void)
{
	struct qm_tree t = { .fd = 77 };
	int r;

	r = qm_tree_open(made_path, &t);
	EXPECT(r == 0 || t.fd == 77);
	if (r == 0)
		qm_tree_close(&t);
	return r;
}

static int make_dir(void)
{
	int r = qm_tree_dir(&made, "a/b/c");

	return r < 0 ? r : qm_tree_dir(&made, "a/b");
}

static int make_link(void)
{
	int r = qm_tree_link(&made, "b/link", "../from");

	return r < 0 ? r : qm_tree_link(&made, "b/link", "../from");
}

static int make_file(void)
{
	return qm_tree_file(&made, "b/new", "text\n", 5);
}

static int replace_file(void)
{
	return qm_tree_file(&made, "a/file", "text\n", 5);
}

static int make_stream(void)
{
	return qm_tree_stream(&made, "b/streamed", stream, 9);
}

static int touch_file(void)
{
	int r = qm_tree_touch(&made, "b/touched");

	return r < 0 ? r : qm_tree_touch(&made, "a/file");
}

static int set_mode(void)
{
	return qm_tree_mode(&made, "a/file", 0200);
}

/* Each of them says by 1 that something was there. */
#define ONE_THERE(f) static int f##_there(void) { int r = f(); EXPECT(r <= 1); return r < 0 ? r : r == 1 ? 0 : -EBADE; }
ONE_THERE(make_dir)
ONE_THERE(make_link)
ONE_THERE(replace_file)
ONE_THERE(touch_file)

static void expect_text(const char *name, const char *want)
{
	char path[1024], buf[64] = "";
	FILE *f;

	tree_path(&tree, name, path);
	f = fopen(path, "r");
	EXPECT(f != NULL);
	if (!f)
		return;
	EXPECT(fread(buf, 1, sizeof(buf) - 1, f) == strlen(want));
	fclose(f);
	EXPECT(strcmp(buf, want) == 0);
}

/* What half of it was made is not in the way of making it again. */
static void check_made(int r)
{
	assert_int_equal(lseek(stream, 0, SEEK_SET), 0);
	EXPECT(open_made() == 0);
	EXPECT(make_dir() == 1);
	EXPECT(make_link() == 1);
	EXPECT(make_file() >= 0);
	EXPECT(replace_file() == 1);
	EXPECT(make_stream() >= 0);
	EXPECT(touch_file() == 1);
	EXPECT(set_mode() == 0);
	expect_text("to/b/new", "text\n");
	expect_text("to/a/file", "text\n");
	expect_text("to/b/streamed", "streamed\n");
	expect_text("to/b/touched", "");
	drop_made(r);
}

static int refuse_made(void)
{
	static const char *const bad[] = { "", "../x", "a/./x", NAME64 NAME64 NAME64 NAME64, "a/file/x", "a/ln/x" };
	static const int errors[] = { -EINVAL, -EINVAL, -EINVAL, -ENAMETOOLONG, -ENOTDIR, 0 };
	struct qm_tree t = { .fd = 77 };
	char path[1024];

	tree_path(&tree, "full", path);
	EXPECT(qm_tree_open(path, &t) == -ENOTEMPTY);
	tree_path(&tree, "from", path);
	EXPECT(qm_tree_open(path, &t) == -ENOTDIR);
	EXPECT(t.fd == 77);
	for (size_t i = 0; i < QM_ARRAY_SIZE(bad); i++) {
		int r = qm_tree_dir(&made, bad[i]);

		/* A link in the way is one or the other. */
		EXPECT(errors[i] ? r == errors[i] : r == -ELOOP || r == -ENOTDIR);
		EXPECT(qm_tree_link(&made, bad[i], "x") == r);
		EXPECT(qm_tree_file(&made, bad[i], "x", 1) == r);
		EXPECT(qm_tree_stream(&made, bad[i], stream, 9) == r);
		EXPECT(qm_tree_touch(&made, bad[i]) == r);
		EXPECT(qm_tree_mode(&made, bad[i], 0) == r);
	}
	EXPECT(qm_tree_file(&made, "a/ln", "x", 1) == -ELOOP);
	EXPECT(qm_tree_mode(&made, "a/ln", 0) == -ELOOP);
	EXPECT(qm_tree_mode(&made, "a/none", 0) == -ENOENT);
	EXPECT(qm_tree_stream(&made, "b/cut", stream, 8) == -EFBIG);
	return 0;
}

#define TREE_UNIT(n, f, ...) { .name = n, .make = make_made, .run = f, .check = check_made, .answer = "", __VA_ARGS__ }

static const struct unit trees[] = {
	TREE_UNIT("opening", open_made),
	TREE_UNIT("directories", make_dir_there),
	TREE_UNIT("links", make_link_there),
	TREE_UNIT("a new file", make_file, .closes = 1),
	TREE_UNIT("another file", replace_file_there, .closes = 1),
	TREE_UNIT("a stream", make_stream, .closes = 1),
	TREE_UNIT("an empty file", touch_file_there),
	TREE_UNIT("permission bits", set_mode),
	{ .name = "what is refused", .make = make_made, .run = refuse_made, .check = drop_made, .answer = "", .once = true },
};

int main(void)
{
	static const char *const modes[] = { "root with openat2: ", "root by the walk: ", "live root: " };
	bool good;

	good = units_run("", memory, QM_ARRAY_SIZE(memory));
	good = units_run("input: ", inputs, QM_ARRAY_SIZE(inputs)) && good;
	for (mode = OPENAT2; mode <= LIVE; mode++) {
		make_tree();
		good = units_run(modes[mode], roots, QM_ARRAY_SIZE(roots)) && good;
		if (mode != LIVE)
			good = units_run(modes[mode], below_root, QM_ARRAY_SIZE(below_root)) && good;
		tree_done(&tree);
		if (mode != LIVE)
			good = units_run(modes[mode], races, QM_ARRAY_SIZE(races)) && good;
	}
	good = units_run("root: ", paths, QM_ARRAY_SIZE(paths)) && good;
	good = units_run("state: ", states, QM_ARRAY_SIZE(states)) && good;
	good = units_run("tree: ", trees, QM_ARRAY_SIZE(trees)) && good;
	return !good;
}
