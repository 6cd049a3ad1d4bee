// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading below a root that comes from a stranger. */
#include "unit.h"

#include "root-fixture.h"

/* ---- plain reading ---- */

static void plain_case(struct fixture *f)
{
	struct qm_dir dir = { .fd = -1 }, deeper = { .fd = -1 };
	struct qm_names names = { 0 };
	struct qm_cpuset set = { 0 };
	const char *text;
	char *line = NULL;
	long long v = 0;

	assert_read(f, "a/b/text", "one\n");
	assert_fails(f, "a/b/none", -ENOENT, NULL);
	assert_fails(f, "none", -ENOENT, NULL);
	assert_fails(f, "a/b/text/below", -ENOENT, NULL); /* what is no directory holds nothing */
	assert_fails(f, "a/b", -EISDIR, "Is a directory");
	assert_fails(f, "a", -EISDIR, "Is a directory");
	assert_int_equal(qm_dir_open(&f->root, "a", &dir), 0);
	assert_int_equal(qm_dir_openat(&dir, "b", &deeper), 0);
	assert_int_equal(qm_dir_read(&deeper, "text", &text), 4);
	assert_int_equal(qm_dir_openat(&dir, "none", &deeper), -ENOENT);
	assert_int_equal(qm_dir_openat(&dir, "b/text", &deeper), -ENOENT);
	assert_int_equal(qm_dir_names(&dir, ".", &names), 0);
	assert_int_equal(names.n, 4);
	assert_string_equal(names.v[0], "b");
	assert_string_equal(names.v[1], "cpu2"); /* natural order */
	assert_string_equal(names.v[2], "cpu10");
	assert_string_equal(names.v[3], "list");
	qm_names_done(&names);
	assert_int_equal(qm_dir_names(&dir, "none", &names), -ENOENT);
	assert_int_equal(qm_dir_names(&dir, "list", &names), -ENOENT);
	assert_int_equal(qm_dir_read_line(&dir, "cpu2", &line), 0);
	assert_string_equal(line, "  7");
	free(line);
	assert_int_equal(qm_dir_read_num(&dir, "cpu2", &v), 0);
	assert_int_equal(v, 7);
	assert_int_equal(qm_dir_read_cpulist(&dir, "list", &set), 0);
	assert_int_equal(qm_cpuset_count(&set), 3);
	assert_int_equal(qm_dir_exists(&dir, "b/text"), 1);
	assert_int_equal(qm_dir_exists(&dir, "b"), 1);
	assert_int_equal(qm_dir_exists(&dir, "c"), 0);
	assert_int_equal(qm_dir_exists(&dir, "c/d"), 0);
	qm_dir_close(&deeper);
	qm_dir_close(&dir);
}

static void plain(void **state)
{
	(void)state;
	both(plain_case, "a/b/text one\na/cpu10\na/cpu2   7  \na/list 0-1,5\n");
}

static void garbled_case(struct fixture *f)
{
	struct qm_cpuset set = { 0 };
	long long v = 5;

	assert_int_equal(qm_dir_read_num(&f->top, "text", &v), -EINVAL);
	assert_int_equal(qm_dir_read_num(&f->top, "empty", &v), -EINVAL);
	assert_int_equal(qm_dir_read_num(&f->top, "big", &v), -ERANGE);
	assert_int_equal(qm_dir_read_cpulist(&f->top, "text", &set), -EINVAL);
	assert_int_equal(qm_dir_read_cpulist(&f->top, "big", &set), -ERANGE);
	assert_int_equal(qm_dir_read_cpumask(&f->top, "text", &set), -EINVAL);
	assert_int_equal(qm_dir_read_cpumask(&f->top, "none", &set), -ENOENT);
	assert_int_equal(v, 5);
	assert_true(qm_cpuset_is_empty(&set));
	/* once per file and error */
	assert_problems(f, "text: garbled\nempty: garbled\nbig: a number beyond what a kernel can have\n");
}

static void garbled(void **state)
{
	(void)state;
	both(garbled_case, "text 12 monkeys\nempty\nbig 99999999999999999999\n");
}

/* NULs end a file: captures pad with them. */
static void nuls_case(struct fixture *f)
{
	static const char padded[8192] = "0-3\n";
	long long v = 0;

	tree_raw(&f->tree, "padded", padded, sizeof(padded));
	assert_read(f, "padded", "0-3\n");
	tree_raw(&f->tree, "behind", "5\n\0garbage", 10);
	assert_int_equal(qm_dir_read_num(&f->top, "behind", &v), 0);
	assert_int_equal(v, 5);
	tree_raw(&f->tree, "first", "\0" "5\n", 3);
	assert_read(f, "first", "");
}

static void nuls(void **state)
{
	(void)state;
	both(nuls_case, "");
}

static void sizes_case(struct fixture *f)
{
	static char most[QM_FILE_MAX + 1];
	const char *text;
	char path[1024];

	memset(most, 'x', sizeof(most));
	tree_raw(&f->tree, "most", most, QM_FILE_MAX);
	assert_int_equal(qm_dir_read(&f->top, "most", &text), QM_FILE_MAX);
	tree_raw(&f->tree, "more", most, QM_FILE_MAX + 1);
	assert_fails(f, "more", -EFBIG, "larger than any such file of a kernel, not read");
	tree_raw(&f->tree, "huge", "1\n", 2);
	tree_path(&f->tree, "huge", path);
	assert_int_equal(truncate(path, 1024L * 1024 * 1024), 0);
	assert_fails(f, "huge", -EFBIG, "larger than any such file of a kernel, not read");
	/* the head of it can be had */
	assert_int_equal(qm_dir_read_head(&f->top, "more", 100, &text), 100);
	assert_int_equal(qm_dir_read_head(&f->top, "huge", 4096, &text), 2);
	assert_string_equal(text, "1\n");
	assert_int_equal(qm_dir_read_head(&f->top, "small", 4096, &text), 4);
}

static void sizes(void **state)
{
	(void)state;
	both(sizes_case, "small abc\n");
}

/* ---- links ---- */

static void links_case(struct fixture *f)
{
	struct qm_dir dir = { .fd = -1 };
	const char *text;
	char *target = NULL;

	/* absolute links and too many ".." end at the root */
	assert_read(f, "passwd", "ours\n");
	assert_read(f, "up", "ours\n");
	assert_read(f, "sys/up", "ours\n");
	assert_fails(f, "shadow", -ENOENT, NULL);
	assert_read(f, "sys/etc/passwd", "ours\n"); /* a link on the way */
	assert_read(f, "sys/far/passwd", "ours\n");
	assert_fails(f, "sys/etc/hostname", -ENOENT, NULL);
	assert_fails(f, "sys/dangling/passwd", -ENOENT, NULL);
	assert_fails(f, "sys/loop", -ELOOP, "Too many levels of symbolic links");
	assert_fails(f, "sys/loop/passwd", -ELOOP, "Too many levels of symbolic links");
	assert_fails(f, "sys/self", -ELOOP, "Too many levels of symbolic links");
	assert_fails(f, "sys/root", -EISDIR, "Is a directory");
	assert_int_equal(qm_dir_open(&f->root, "sys/etc", &dir), 0);
	assert_int_equal(qm_dir_read(&dir, "passwd", &text), 5);
	assert_int_equal(qm_dir_read(&dir, "back/etc/passwd", &text), 5);
	qm_dir_close(&dir);
	assert_int_equal(qm_dir_open(&f->root, "sys/loop", &dir), -ELOOP);
	assert_problems(f, "sys/loop: Too many levels of symbolic links\n");
	assert_int_equal(qm_dir_open(&f->root, "passwd", &dir), -ENOENT);
	/* ".." of the root is the root */
	assert_int_equal(qm_dir_open(&f->root, "sys/root", &dir), 0);
	assert_int_equal(qm_dir_read(&dir, "../../etc/passwd", &text), 5);
	qm_dir_close(&dir);
	assert_int_equal(qm_dir_exists(&f->top, "sys/etc/passwd"), 1);
	assert_int_equal(qm_dir_exists(&f->top, "shadow"), 0);
	assert_int_equal(qm_dir_exists(&f->top, "sys/loop"), -ELOOP);
	assert_problems(f, "sys/loop: Too many levels of symbolic links\n");
	/* the text of a link is not followed */
	assert_int_equal(qm_dir_link(&f->top, "up", &target), 0);
	assert_string_equal(target, "../../../../../../../etc/passwd");
	free(target);
	assert_int_equal(qm_dir_link(&f->top, "sys/etc/back", &target), 0);
	assert_string_equal(target, "/");
	free(target);
	assert_int_equal(qm_dir_link_base(&f->top, "sys/driver", &target), 0);
	assert_string_equal(target, "nvme");
	free(target);
	assert_int_equal(qm_dir_link(&f->top, "etc/passwd", &target), -EINVAL);
	assert_int_equal(qm_dir_link(&f->top, "etc/none", &target), -ENOENT);
}

static void links(void **state)
{
	(void)state;
	both(links_case, "etc/passwd ours\netc/back -> /\npasswd -> /etc/passwd\nup -> ../../../../../../../etc/passwd\n"
			 "sys/up -> ../../../../../../../etc/passwd\nshadow -> /etc/shadow\nsys/etc -> /etc\n"
			 "sys/far -> ../../../etc\nsys/dangling -> /nowhere\nsys/loop -> loop2\nsys/loop2 -> loop\n"
			 "sys/self -> self\nsys/root -> ../..\nsys/driver -> ../../bus/pci/drivers/nvme\n");
}

/*
 * A link on the way that means a regular file outside and a pipe inside: what is looked at must be what is opened.
 */
static void other_meaning_case(struct fixture *f)
{
	char name[1024], path[2048];

	/* the absolute path of the tree, inside the tree again */
	snprintf(name, sizeof(name), "%s/real/file", f->tree.dir + 1);
	tree_raw(&f->tree, name, "", 0);
	tree_path(&f->tree, name, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	tree_raw(&f->tree, "real/file", "outside\n", 8);
	snprintf(path, sizeof(path), "%s/real", f->tree.dir);
	tree_link(&f->tree, "link", path);
	assert_fails(f, "link/file", -EMEDIUMTYPE, "not a regular file, not opened");
}

static void other_meaning(void **state)
{
	(void)state;
	both(other_meaning_case, "");
}

/* ---- things that are no files ---- */

static void pipe_case(struct fixture *f)
{
	struct qm_dir dir = { .fd = -1 };
	char path[1024];

	tree_path(&f->tree, "pipe", path);
	assert_int_equal(mkfifo(path, 0666), 0);
	tree_path(&f->tree, "sys/pipe", path);
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_fails(f, "pipe", -EMEDIUMTYPE, "not a regular file, not opened");
	assert_fails(f, "sys/pipe", -EMEDIUMTYPE, "not a regular file, not opened");
	assert_fails(f, "sys/link", -EMEDIUMTYPE, "not a regular file, not opened");
	assert_int_equal(qm_dir_open(&f->root, "pipe", &dir), -ENOENT);
	assert_int_equal(qm_dir_open_file(&f->top, "pipe"), -EMEDIUMTYPE);
	assert_int_equal(qm_dir_exists(&f->top, "pipe"), 1);
	assert_problems(f, "pipe: not a regular file, not opened\n");
}

static void pipes(void **state)
{
	(void)state;
	both(pipe_case, "sys/link -> ../pipe\n");
}

/* ---- what is gone, and names that cannot be ---- */

static void vanishing_case(struct fixture *f)
{
	struct qm_dir dir = { .fd = -1 };
	struct qm_names names = { 0 };
	const char *text;
	char path[1024];

	assert_int_equal(qm_dir_open(&f->root, "mq/0", &dir), 0);
	assert_int_equal(qm_dir_names(&dir, ".", &names), 0);
	assert_int_equal(names.n, 2);
	qm_names_done(&names);
	tree_remove(&f->tree, "mq/0/cpu_list");
	tree_remove(&f->tree, "mq/0/nr_tags");
	assert_int_equal(qm_dir_read(&dir, "cpu_list", &text), -ENOENT);
	tree_path(&f->tree, "mq/0", path);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(qm_dir_read(&dir, "nr_tags", &text), -ENOENT);
	assert_int_equal(qm_dir_names(&dir, ".", &names), -ENOENT);
	qm_dir_close(&dir);
}

static void vanishing(void **state)
{
	(void)state;
	both(vanishing_case, "mq/0/cpu_list 0\nmq/0/nr_tags 1\n");
}

/* A name and a path of any length are refused, not cut. */
static void long_names_case(struct fixture *f)
{
	struct qm_strbuf b = { 0 };

	for (int i = 0; i < 300; i++)
		qm_strbuf_addc(&b, 'n');
	assert_fails(f, qm_strbuf_str(&b), -ENAMETOOLONG, "File name too long");
	qm_strbuf_reset(&b);
	for (int i = 0; i < 100; i++)
		qm_strbuf_adds(&b, "dir/");
	qm_strbuf_adds(&b, "file");
	assert_fails(f, qm_strbuf_str(&b), -ENOENT, NULL);
	qm_strbuf_done(&b);
}

static void long_names(void **state)
{
	(void)state;
	both(long_names_case, "dir/\n");
}

/* ---- paths by text ---- */

static void joins(void **state)
{
	static const struct {
		const char *base, *rel, *want;
	} t[] = {
		{ "sys/block", "../devices/virtual/block/nullb0", "sys/devices/virtual/block/nullb0" },
		{ "sys/block", "nvme0n1", "sys/block/nvme0n1" },
		{ "sys/block", "../../../../etc/passwd", "etc/passwd" },
		{ "sys/block", "/sys/class", "sys/class" },
		{ "sys//block/", "./a//b/.", "sys/block/a/b" },
		{ "", "..", "" },
		{ "a", "..", "" },
		{ "a/..b", "..c", "a/..b/..c" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		char *path = NULL;

		assert_int_equal(qm_path_join(t[i].base, t[i].rel, &path), 0);
		assert_string_equal(path, t[i].want);
		free(path);
	}
	assert_string_equal(qm_path_base("a/b/nvme0"), "nvme0");
	assert_string_equal(qm_path_base("nvme0"), "nvme0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(garbled),
		cmocka_unit_test(nuls),
		cmocka_unit_test(sizes),
		cmocka_unit_test(links),
		cmocka_unit_test(other_meaning),
		cmocka_unit_test(pipes),
		cmocka_unit_test(vanishing),
		cmocka_unit_test(long_names),
		cmocka_unit_test(joins),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
