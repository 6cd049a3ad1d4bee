// SPDX-License-Identifier: GPL-2.0-or-later
/* Plan files, the journal, apply and undo on a tree of plain files. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "hint/hint.h"

#define IRQ5 "proc/irq/5/smp_affinity_list"
#define IRQ6 "proc/irq/6/smp_affinity_list"
#define RQ "sys/block/sda/queue/rq_affinity"

struct fixture {
	char dir[64], state_dir[80];
	struct qm_root root;
	struct qm_problems problems;
	struct qm_state state;
	struct qm_machine m;
};

static void put(const struct fixture *f, const char *path, const char *text)
{
	char full[256], *p;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", f->dir, path);
	for (p = full + strlen(f->dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

static void assert_file(const struct fixture *f, const char *path, const char *want)
{
	char full[256], buf[512];
	size_t n;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", f->dir, path);
	file = fopen(full, "r");
	assert_non_null(file);
	n = fread(buf, 1, sizeof(buf) - 1, file);
	buf[n] = '\0';
	fclose(file);
	assert_string_equal(buf, want);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/qmap-hint-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	put(f, IRQ5, "0-7\n");
	put(f, IRQ6, "0,1,2,3,4,5\n");
	put(f, RQ, "1\n");
	snprintf(f->state_dir, sizeof(f->state_dir), "%s/state", f->dir);
	if (qm_root_open(&f->root, f->dir, false, &f->problems) < 0)
		return -1;
	f->state = (struct qm_state)QM_STATE_INIT;
	if (qm_state_open(&f->root, f->state_dir, true, &f->state) < 0)
		return -1;
	qm_cpuset_set_range(&f->m.topo.possible, 0, 7);
	qm_cpuset_set_range(&f->m.topo.online, 0, 5);
	f->m.topo.nr_cpus = 8;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char cmd[128];

	qm_state_close(&f->state);
	qm_root_close(&f->root);
	qm_problems_done(&f->problems);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", f->dir);
	if (system(cmd) != 0)
		return -1;
	free(f);
	return 0;
}

static void make_plan(struct qm_plan *p)
{
	*p = (struct qm_plan){ 0 };
	assert_int_equal(qm_plan_add(p, QM_CHANGE_IRQ, IRQ5, "0-7\n", "2", "nvme0", "test", NULL), 0);
	assert_int_equal(qm_plan_add(p, QM_CHANGE_IRQ, IRQ6, "0-5\n", "3", "nvme0", "test", NULL), 0);
	assert_int_equal(qm_plan_add(p, QM_CHANGE_RQ_AFFINITY, RQ, "1\n", "2", "nvme0", "test", NULL), 0);
}

static void apply(struct fixture *f, const struct qm_apply_options *opt, struct qm_plan *p)
{
	char *journal = NULL, *error = NULL;

	assert_int_equal(qm_plan_check(&f->root, &f->m, opt, p, &error), 0);
	assert_int_equal(qm_plan_apply(&f->root, &f->state, opt, p, &journal), 0);
	free(journal);
}

static void read_journals(struct fixture *f, size_t n, struct qm_journals *js)
{
	assert_int_equal(qm_journals_read(&f->state, js, &f->problems), 0);
	assert_int_equal(js->n, n);
}

static void applies_and_undoes(void **state)
{
	struct fixture *f = *state;
	struct qm_apply_options opt = { 0 };
	struct qm_journals js;
	struct qm_plan p;

	make_plan(&p);
	apply(f, &opt, &p);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.v[i].state, QM_CHANGE_APPLIED);
	assert_file(f, IRQ5, "2\n");
	assert_file(f, IRQ6, "3\n");
	assert_file(f, RQ, "2\n");
	qm_plan_done(&p);

	read_journals(f, 1, &js);
	assert_false(js.v[0].closed);
	assert_string_equal(js.v[0].plan.v[1].old, "0,1,2,3,4,5\n"); /* byte for byte, not as planned */
	assert_int_equal(qm_journal_status(&f->root, NULL, &js.v[0]), 0);
	assert_int_equal(js.v[0].plan.v[2].state, QM_CHANGE_APPLIED);
	assert_int_equal(qm_journal_undo(&f->root, NULL, &f->state, &js.v[0]), 0);
	assert_true(js.v[0].closed);
	qm_journals_done(&js);
	assert_file(f, IRQ5, "0-7\n");
	assert_file(f, IRQ6, "0,1,2,3,4,5\n");
	assert_file(f, RQ, "1\n");

	read_journals(f, 1, &js);
	assert_true(js.v[0].closed);
	assert_int_equal(qm_journal_undo(&f->root, NULL, &f->state, &js.v[0]), 0); /* twice is harmless */
	qm_journals_done(&js);
	assert_file(f, IRQ5, "0-7\n");
}

static void respects_others(void **state)
{
	struct fixture *f = *state;
	struct qm_apply_options opt = { 0 };
	struct qm_journals js;
	struct qm_plan p;

	put(f, RQ, "0\n"); /* between plan and apply */
	make_plan(&p);
	apply(f, &opt, &p);
	assert_int_equal(p.v[2].state, QM_CHANGE_MOVED);
	assert_file(f, RQ, "0\n");
	qm_plan_done(&p);

	put(f, IRQ5, "4\n"); /* between apply and undo */
	read_journals(f, 1, &js);
	assert_int_equal(js.v[0].plan.n, 2);
	assert_int_equal(qm_journal_undo(&f->root, NULL, &f->state, &js.v[0]), 0);
	assert_int_equal(js.v[0].plan.v[0].state, QM_CHANGE_MOVED);
	assert_int_equal(js.v[0].plan.v[1].state, QM_CHANGE_UNDONE);
	qm_journals_done(&js);
	assert_file(f, IRQ5, "4\n");
	assert_file(f, IRQ6, "0,1,2,3,4,5\n");
}

/* Linux 6.1 shows nowhere which interrupts are managed: NVMe's queues' are, its admin queue's is not. */
static void tries_no_vector_that_the_driver_has_managed(void **state)
{
	struct fixture *f = *state;
	struct qm_apply_options opt = { 0 };
	struct qm_irq irqs[2] = {
		{ .nr = 5, .managed = -1, .controller = 0, .role = QM_ROLE_QUEUE, .name = (char *)"nvme0q1" },
		{ .nr = 6, .managed = -1, .controller = 0, .role = QM_ROLE_ADMIN, .name = (char *)"nvme0q0" },
	};
	struct qm_controller nvme = { .name = (char *)"nvme0", .driver = (char *)"nvme" };
	char *error = NULL;
	struct qm_plan p;

	assert_int_equal(qm_kernel_parse("6.1.0-57-amd64", &f->m.kernel), 0);
	f->m.irqs = irqs;
	f->m.n_irqs = 2;
	f->m.controllers = &nvme;
	f->m.n_controllers = 1;
	make_plan(&p);
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	assert_int_equal(p.v[0].state, QM_CHANGE_REFUSED);
	assert_string_equal(p.v[0].error, "the kernel places this interrupt itself (managed); not tried");
	assert_int_equal(p.v[1].state, QM_CHANGE_PLANNED);
	qm_plan_done(&p);

	/* One vector for all is not managed, and of a driver that is not known nothing is. */
	irqs[0].name = (char *)"nvme0q0, nvme0q1";
	make_plan(&p);
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	assert_int_equal(p.v[0].state, QM_CHANGE_PLANNED);
	qm_plan_done(&p);
	irqs[0].name = (char *)"nvme0q1";
	nvme.driver = NULL;
	make_plan(&p);
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	assert_int_equal(p.v[0].state, QM_CHANGE_PLANNED);
	qm_plan_done(&p);
	f->m.irqs = NULL;
	f->m.controllers = NULL;
	f->m.n_irqs = f->m.n_controllers = 0;
	qm_kernel_done(&f->m.kernel);
}

static void refuses_what_cannot_be(void **state)
{
	struct fixture *f = *state;
	struct qm_apply_options opt = { 0 };
	struct qm_irq irqs[2] = { { .nr = 5, .managed = 1 }, { .nr = 6, .managed = 0 } };
	char *error = NULL;
	struct qm_plan p;

	f->m.irqs = irqs;
	f->m.n_irqs = 2;
	make_plan(&p);
	strcpy(p.v[1].new, "7"); /* possible, but offline */
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	assert_int_equal(p.v[0].state, QM_CHANGE_REFUSED);
	assert_string_equal(p.v[0].error, "the kernel places this interrupt itself (managed); not tried");
	assert_int_equal(p.v[1].state, QM_CHANGE_REFUSED);
	assert_string_equal(p.v[1].error, "no CPU of the mask is online");
	assert_int_equal(p.v[2].state, QM_CHANGE_PLANNED);
	qm_plan_done(&p);

	make_plan(&p);
	strcpy(p.v[1].new, "8");
	assert_int_equal(qm_ids_add(&opt.exclude, 5), 0);
	f->m.n_irqs = 0;
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	assert_string_equal(p.v[0].error, "excluded");
	assert_string_equal(p.v[1].error, "names CPUs that this machine cannot have");
	qm_plan_done(&p);
	qm_ids_done(&opt.exclude);

	make_plan(&p);
	p.possible = strdup("0-31");
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), -EINVAL);
	assert_string_equal(error, "the plan is for a machine with CPUs 0-31, this one has 0-7");
	free(error);
	qm_plan_done(&p);
	f->m.irqs = NULL;
}

static void all_or_nothing(void **state)
{
	struct fixture *f = *state;
	struct qm_apply_options opt = { .all_or_nothing = true };
	char *journal = NULL, *error = NULL, path[128];
	struct qm_journals js;
	struct qm_plan p;

	/* Known beforehand: nothing is written, no journal made. */
	make_plan(&p);
	strcpy(p.v[1].new, "7");
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	assert_int_equal(qm_plan_apply(&f->root, &f->state, &opt, &p, &journal), 0);
	assert_null(journal);
	assert_file(f, IRQ5, "0-7\n");
	qm_plan_done(&p);

	/* Seen only when writing (the file vanishes after the check): what was written is taken back. */
	make_plan(&p);
	assert_int_equal(qm_plan_check(&f->root, &f->m, &opt, &p, &error), 0);
	snprintf(path, sizeof(path), "%s/%s", f->dir, RQ);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(qm_plan_apply(&f->root, &f->state, &opt, &p, &journal), 0);
	assert_int_equal(p.v[0].state, QM_CHANGE_UNDONE);
	assert_int_equal(p.v[1].state, QM_CHANGE_UNDONE);
	assert_int_equal(p.v[2].state, QM_CHANGE_REFUSED);
	assert_string_equal(p.v[2].error, "gone");
	free(journal);
	qm_plan_done(&p);
	assert_file(f, IRQ5, "0-7\n");
	assert_file(f, IRQ6, "0,1,2,3,4,5\n");
	read_journals(f, 1, &js);
	assert_true(js.v[0].closed);
	qm_journals_done(&js);
}

/* Every state in which a killed run can leave a file: untouched, written, written but not yet cut, half restored. */
static void undoes_half_made_writes(void **state)
{
	static const char *const left[] = {
		"0,1,2,3,4,5\n",     /* not written yet */
		"3\n",               /* written */
		"3\n1,2,3,4,5\n",    /* written, the tail of the old text not cut off */
		"0,1,2,3,4,5\n",     /* restored */
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < QM_ARRAY_SIZE(left); i++) {
		struct qm_journals js;
		char *name = NULL;
		struct qm_plan p = { 0 };

		assert_int_equal(qm_plan_add(&p, QM_CHANGE_IRQ, IRQ6, "0,1,2,3,4,5\n", "3", NULL, NULL, NULL), 0);
		assert_int_equal(qm_journal_create(&f->state, &p, NULL, &name), 0);
		assert_int_equal(qm_journal_mark(&f->state, name, "begin", 0), 0);
		put(f, IRQ6, left[i]);
		read_journals(f, i + 1, &js);
		assert_int_equal(qm_journal_undo(&f->root, NULL, &f->state, &js.v[i]), 0);
		assert_int_equal(js.v[i].plan.v[0].state, QM_CHANGE_UNDONE);
		assert_file(f, IRQ6, "0,1,2,3,4,5\n");
		qm_journals_done(&js);
		qm_plan_done(&p);
		free(name);
	}
}

/* Short old text, long new text: the restore itself was killed before the cut. */
static void undoes_half_made_restore(void **state)
{
	struct fixture *f = *state;
	struct qm_journals js;
	char *name = NULL;
	struct qm_plan p = { 0 };

	assert_int_equal(qm_plan_add(&p, QM_CHANGE_IRQ, IRQ5, "7\n", "0,2,4,6", NULL, NULL, NULL), 0);
	assert_int_equal(qm_journal_create(&f->state, &p, NULL, &name), 0);
	assert_int_equal(qm_journal_mark(&f->state, name, "done", 0), 0);
	/* Nothing of ours was under way: it is somebody else's. */
	put(f, IRQ5, "7\n2,4,6\n");
	read_journals(f, 1, &js);
	assert_int_equal(qm_journal_status(&f->root, NULL, &js.v[0]), 0);
	assert_int_equal(js.v[0].plan.v[0].state, QM_CHANGE_MOVED);
	qm_journals_done(&js);
	assert_int_equal(qm_journal_mark(&f->state, name, "begin", 0), 0);
	read_journals(f, 1, &js);
	assert_int_equal(qm_journal_undo(&f->root, NULL, &f->state, &js.v[0]), 0);
	assert_file(f, IRQ5, "7\n");
	qm_journals_done(&js);
	qm_plan_done(&p);
	free(name);
}

static void survives_cut_marks(void **state)
{
	struct fixture *f = *state;
	struct qm_journals js;
	char *name = NULL;
	struct qm_plan p;

	make_plan(&p);
	assert_int_equal(qm_journal_create(&f->state, &p, NULL, &name), 0);
	assert_int_equal(qm_state_append(&f->state, name, "\n{\"beg", 6), 0);
	assert_int_equal(qm_journal_mark(&f->state, name, "begin", 1), 0);
	read_journals(f, 1, &js);
	assert_false(js.v[0].begun[0]);
	assert_true(js.v[0].begun[1]);
	qm_journals_done(&js);

	/* A journal cut before its end mark was never finished, so nothing was written: told, not used. */
	assert_int_equal(qm_state_create(&f->state, "hint-000009.jsonl", "{\"qmapctl_journal\":\"1\"}\n", 24), 0);
	assert_int_equal(qm_journals_read(&f->state, &js, &f->problems), 0);
	assert_int_equal(js.n, 1);
	assert_int_equal(js.unreadable, 1);
	assert_int_equal(f->problems.n, 1);
	assert_string_equal(f->problems.v[0].error, "no journal that can be used: damaged");
	qm_journals_done(&js);
	qm_plan_done(&p);
	free(name);
}

static void state_directory(void **state)
{
	struct fixture *f = *state;
	struct qm_state s = QM_STATE_INIT, t = QM_STATE_INIT;
	char path[128];

	assert_int_equal(qm_state_lock(&f->state), 0);
	assert_int_equal(qm_state_open(&f->root, f->state_dir, false, &s), 0);
	assert_int_equal(qm_state_lock(&s), -EWOULDBLOCK);
	qm_state_close(&s);
	assert_int_equal(qm_state_create(&f->state, "x", "1", 1), 0);
	assert_int_equal(qm_state_create(&f->state, "x", "2", 1), -EEXIST);

	snprintf(path, sizeof(path), "%s/link", f->dir);
	assert_int_equal(symlink("state", path), 0);
	assert_int_equal(qm_state_open(&f->root, path, true, &s), -ELOOP);
	snprintf(path, sizeof(path), "%s/open", f->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(qm_state_open(&f->root, path, true, &s), -EPERM);
	snprintf(path, sizeof(path), "%s/none", f->dir);
	assert_int_equal(qm_state_open(&f->root, path, false, &s), -ENOENT);
	put(f, "file", "");
	snprintf(path, sizeof(path), "%s/file", f->dir);
	assert_int_equal(qm_state_open(&f->root, path, true, &s), -ENOTDIR);

	/* The default lies inside the root, and a link on the way is refused. */
	assert_int_equal(qm_state_open(&f->root, NULL, true, &t), 0);
	qm_state_close(&t);
	snprintf(path, sizeof(path), "%s/var/lib/qmapctl", f->dir);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(qm_state_open(&f->root, NULL, true, &t), -ELOOP);
}

static void plan_files(void **state)
{
#define HEAD "{\"schema\":\"qmapctl/1\",\"command\":\"hint\",\"changes\":"
	static const struct {
		const char *text, *error;
	} t[] = {
		{ HEAD "[{\"path\":\"" IRQ5 "\",\"old\":\"0-7\\n\",\"new\":\"2\"}]}", NULL },
		{ HEAD "[{\"path\":\"sys/devices/pci0000:00/x/block/sda/queue/rq_affinity\",\"old\":\"1\",\"new\":\"2\"}]}",
		  NULL },
		{ HEAD "[{\"path\":\"" IRQ5 "\",\"old\":\"0-7\",\"ne", "cut short: the JSON text ends before it is complete" },
		{ "{}", "schema is not \"qmapctl/1\"" },
		{ "[]", "not a JSON object" },
		{ "{\"schema\":\"qmapctl/2\"}", "schema is not \"qmapctl/1\"" },
		{ "{\"schema\":\"qmapctl/1\",\"command\":\"list\"}", "not the output of `hint plan`" },
		{ HEAD "7}", "changes is not an array" },
		{ HEAD "[7]}", "changes[0] is not an object" },
		{ HEAD "[{\"path\":7}]}", "changes[0].path is not a string" },
		{ HEAD "[{\"path\":\"../../etc/passwd\",\"old\":\"\",\"new\":\"2\"}]}",
		  "changes[0].path \"../../etc/passwd\" is not a file that a plan may write" },
		{ HEAD "[{\"path\":\"/etc/shadow\",\"old\":\"\",\"new\":\"2\"}]}",
		  "changes[0].path \"/etc/shadow\" is not a file that a plan may write" },
		{ HEAD "[{\"path\":\"proc/irq/5/../../../etc/smp_affinity_list\",\"old\":\"\",\"new\":\"2\"}]}",
		  "changes[0].path \"proc/irq/5/../../../etc/smp_affinity_list\" is not a file that a plan may write" },
		{ HEAD "[{\"path\":\"sys/block/../../queue/rq_affinity\",\"old\":\"\",\"new\":\"2\"}]}",
		  "changes[0].path \"sys/block/../../queue/rq_affinity\" is not a file that a plan may write" },
		{ HEAD "[{\"path\":\"" IRQ5 "\",\"old\":\"\",\"new\":\"x\"}]}",
		  "changes[0].new \"x\" is no value for smp_affinity_list" },
		{ HEAD "[{\"path\":\"" IRQ5 "\",\"old\":\"\",\"new\":\"\"}]}",
		  "changes[0].new \"\" is no value for smp_affinity_list" },
		{ HEAD "[{\"path\":\"" RQ "\",\"old\":\"\",\"new\":\"3\"}]}",
		  "changes[0].new \"3\" is no value for rq_affinity" },
		{ HEAD "[{\"path\":\"" RQ "\",\"old\":\"1\",\"new\":\"2\"},{\"path\":\"" RQ "\",\"old\":\"1\",\"new\":\"2\"}]}",
		  "\"" RQ "\" is named twice" },
		{ HEAD "[]} x", "something follows the JSON object" },
	};
#undef HEAD

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_plan p = { 0 };
		char *error = NULL;
		int r = qm_plan_parse(t[i].text, strlen(t[i].text), &p, &error);

		assert_int_equal(r, t[i].error ? -EINVAL : 0);
		if (t[i].error)
			assert_string_equal(error, t[i].error);
		free(error);
		qm_plan_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(applies_and_undoes, setup, teardown),
		cmocka_unit_test_setup_teardown(respects_others, setup, teardown),
		cmocka_unit_test_setup_teardown(tries_no_vector_that_the_driver_has_managed, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses_what_cannot_be, setup, teardown),
		cmocka_unit_test_setup_teardown(all_or_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(undoes_half_made_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(undoes_half_made_restore, setup, teardown),
		cmocka_unit_test_setup_teardown(survives_cut_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(state_directory, setup, teardown),
		cmocka_unit_test(plan_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
