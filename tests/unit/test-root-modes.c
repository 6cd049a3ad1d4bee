// SPDX-License-Identifier: GPL-2.0-or-later
/* Device nodes and files that may not be read: cases that only root can set up. */
#include "unit.h"

#include <sys/sysmacros.h>

#include "root-fixture.h"

static void device_case(struct fixture *f)
{
	char path[1024];

	tree_path(&f->tree, "zero", path);
	assert_int_equal(mknod(path, S_IFCHR | 0666, makedev(1, 5)), 0);
	assert_fails(f, "zero", -EMEDIUMTYPE, "not a regular file, not opened");
	assert_fails(f, "link", -EMEDIUMTYPE, "not a regular file, not opened");
}

static void devices(void **state)
{
	(void)state;
	both(device_case, "link -> zero\n");
}

static void refused_case(struct fixture *f)
{
	struct qm_dir dir = { .fd = -1 }, root_only;
	struct qm_names names = { 0 };
	const char *text;
	char path[1024];

	assert_int_equal(chmod(f->tree.dir, 0755), 0);
	tree_path(&f->tree, "closed", path);
	assert_int_equal(chmod(path, 0), 0);
	tree_path(&f->tree, "dir", path);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(setegid(65534), 0);
	assert_int_equal(seteuid(65534), 0);
	assert_read(f, "open", "yes\n");
	assert_fails(f, "closed", -EACCES, "Permission denied");
	assert_fails(f, "link", -EACCES, "Permission denied");
	assert_fails(f, "dir/file", -EACCES, "Permission denied");
	assert_int_equal(qm_dir_names(&f->top, "dir", &names), -EACCES);
	assert_int_equal(qm_dir_open(&f->root, "dir", &dir), -EACCES);
	assert_int_equal(qm_dir_exists(&f->top, "closed"), 1);
	assert_problems(f, "dir: Permission denied\n");
	/* files meant for root only: not to be had is "unknown" */
	root_only = f->top;
	root_only.root_only = true;
	assert_int_equal(qm_dir_read(&root_only, "closed", &text), -EACCES);
	assert_problems(f, "");
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
}

static void refused(void **state)
{
	(void)state;
	both(refused_case, "open yes\nclosed no\ndir/file no\nlink -> closed\n");
}

/* Containers may keep device nodes from root as well. */
static bool can_make_devices(void)
{
	struct tree t;
	char path[1024];
	int r;

	tree_make(&t, "");
	tree_path(&t, "zero", path);
	r = mknod(path, S_IFCHR | 0666, makedev(1, 5));
	tree_done(&t);
	return r == 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices),
		cmocka_unit_test(refused),
	};

	if (geteuid() != 0 || !can_make_devices()) {
		puts("1..0 # SKIP needs root, to make device nodes and to become nobody");
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("root-modes", tests, NULL, NULL);
}
