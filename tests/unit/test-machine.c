// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine that changes while it is read, and one that was copied by hand. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "machine/machine.h"
#include "topo-equal.h"
#include "tree.h"

/* Reads what such a tree holds; its own problems are of no interest. */
static int read_tree(const char *entries, unsigned what, struct qm_machine *ret)
{
	struct qm_problems outer = { 0 };
	struct qm_root root;
	struct tree tree;
	int r;

	tree_make(&tree, entries);
	assert_int_equal(qm_root_open(&root, tree.dir, false, &outer), 0);
	r = qm_machine_read(&root, what, ret);
	assert_ptr_equal(root.problems, &outer);
	qm_root_close(&root);
	tree_done(&tree);
	return r;
}

/* Changes the tree each time the set of online CPUs is read, so many times. */
struct mover {
	struct tree tree;
	unsigned seen, moves;
};

static void move(void *arg, const char *path, const char *data, size_t len)
{
	struct mover *mover = arg;

	(void)data;
	(void)len;
	if (strcmp(path, "sys/devices/system/cpu/online") != 0)
		return;
	if (mover->seen++ < mover->moves)
		tree_add(&mover->tree, mover->seen % 2 ? "c/online 0-2\n" : "c/online 0-3\n");
}

static void read_moving(unsigned moves, struct qm_machine *ret)
{
	struct mover mover = { .moves = moves };
	const struct qm_root_tap tap = { .file = move, .arg = &mover };
	struct qm_problems outer = { 0 };
	struct qm_root root;

	tree_make(&mover.tree, "c/possible 0-3\nc/present 0-3\nc/online 0-3\nproc/cmdline maxcpus=3\n");
	assert_int_equal(qm_root_open(&root, mover.tree.dir, false, &outer), 0);
	root.tap = &tap;
	assert_int_equal(qm_machine_read(&root, QM_READ_DEVICES | QM_READ_IRQS, ret), 0);
	assert_ptr_equal(root.problems, &outer);
	assert_int_equal(outer.n, 0);
	qm_root_close(&root);
	tree_done(&mover.tree);
}

static void at_rest(void **state)
{
	struct qm_machine m = { 0 };

	(void)state;
	read_moving(0, &m);
	assert_int_equal(m.problems.n, 0);
	assert_false(m.moved);
	assert_cpus(&m.topo.online, "0-3");
	assert_int_equal(m.source, QM_SOURCE_SYSROOT);
	assert_int_equal(m.cmdline.maxcpus, 3);
	assert_int_equal(m.n_controllers, 0);
	qm_machine_done(&m);
}

static void moved_once(void **state)
{
	struct qm_machine m = { 0 };

	(void)state;
	read_moving(1, &m);
	assert_int_equal(m.problems.n, 1);
	assert_string_equal(m.problems.v[0].error, "the CPU sets changed while reading; everything was read again");
	assert_false(m.moved);
	assert_cpus(&m.topo.online, "0-2");
	qm_machine_done(&m);
}

static void moving_on(void **state)
{
	struct qm_machine m = { 0 };

	(void)state;
	read_moving(99, &m);
	assert_int_equal(m.problems.n, 2);
	assert_string_equal(m.problems.v[1].error, "the CPU sets changed again; the answer may mix two states, run it once more");
	assert_true(m.moved);
	qm_machine_done(&m);
}

static void no_machine(void **state)
{
	struct qm_machine m = { 0 };

	(void)state;
	assert_int_equal(read_tree("etc/motd hello\n", QM_READ_DEVICES, &m), -ENOENT);
	assert_null(m.problems.v);
}

/* Without lists of disks the whole device tree is looked through, and a disk that is met twice is one disk. */
static void twins(void **state)
{
	static const char tree[] = "c/possible 0-3\nc/present 0-3\nc/online 0-3\n"
				   "sys/devices/copy/of/virtual/block/nullb0/mq/0/cpu_list 0-1\n"
				   "sys/devices/copy/of/virtual/block/nullb1/mq/0/cpu_list 0-3\n"
				   "sys/devices/virtual/block/nullb0/mq/0/cpu_list 0-3\n"
				   "sys/devices/block/nullb1 a file\n";
	struct qm_machine m = { 0 };

	(void)state;
	assert_int_equal(read_tree(tree, QM_READ_DEVICES, &m), 0);
	assert_int_equal(m.n_disks, 2);
	assert_string_equal(m.disks[0].syspath, "sys/devices/virtual/block/nullb0");
	assert_string_equal(m.disks[1].syspath, "sys/devices/copy/of/virtual/block/nullb1");
	assert_int_equal(m.n_controllers, 2);
	assert_cpus(m.controllers[0].hctx[0].cpus, "0-3");
	qm_machine_done(&m);
}

/* A mask may name CPUs that cannot be, the CPU an interrupt last arrived at is one that can. */
static void effective_cpus(void **state)
{
	static const char tree[] =
		"c/possible 0-3\nc/present 0-3\nc/online 0-3\n"
		"proc/irq/5/x/\nproc/irq/5/smp_affinity_list 0-63\nproc/irq/5/effective_affinity_list 2,9\n"
		"proc/irq/6/x/\nproc/irq/6/smp_affinity_list 0\nproc/irq/6/effective_affinity_list 8191\n";
	struct qm_machine m = { 0 };

	(void)state;
	assert_int_equal(read_tree(tree, QM_READ_IRQS, &m), 0);
	assert_int_equal(m.n_irqs, 2);
	assert_cpus(m.irqs[0].requested, "0-63");
	assert_true(m.irqs[0].has_effective);
	assert_cpus(m.irqs[0].effective, "2");
	assert_false(m.irqs[1].has_effective);
	assert_int_equal(m.problems.n, 2);
	assert_string_equal(m.problems.v[0].path, "proc/irq/5/effective_affinity_list");
	qm_machine_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_rest),
		cmocka_unit_test(moved_once),
		cmocka_unit_test(moving_on),
		cmocka_unit_test(no_machine),
		cmocka_unit_test(twins),
		cmocka_unit_test(effective_cpus),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
