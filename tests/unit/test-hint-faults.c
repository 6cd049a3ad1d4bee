// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hints whose every system call that changes anything fails once, stops half-way or is the process's last: whatever the
 * point, undo leaves the tree as it was, byte for byte.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hint/hint.h"

enum fault {
	FAULT_NONE,
	FAULT_ERROR, /* the k-th call fails with .error and does nothing */
	FAULT_SHORT, /* the k-th call, if a write, takes one byte */
	FAULT_FULL,  /* the state directory's disk is full from the k-th call on */
	FAULT_KILL,  /* the process ends before the k-th call */
	FAULT_KILL_AFTER,
};

static struct {
	enum fault fault;
	int error;
	unsigned at, calls;
	bool hit;
} inject;

/* Counts a call. True: it has to fail, with errno set. in_state: it is about the state directory. */
static bool is_faulty(bool in_state)
{
	if (inject.fault == FAULT_NONE)
		return false;
	inject.calls++;
	if (inject.fault == FAULT_FULL && inject.calls >= inject.at) {
		inject.hit = true;
		errno = ENOSPC;
		return in_state;
	}
	if (inject.calls != inject.at)
		return false;
	inject.hit = true;
	if (inject.fault == FAULT_KILL)
		_exit(9);
	errno = inject.error;
	return inject.fault == FAULT_ERROR;
}

static void done(void)
{
	if (inject.fault == FAULT_KILL_AFTER && inject.calls == inject.at)
		_exit(9);
}

static bool is_in_state(int fd)
{
	char link[64], path[256];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return strstr(path, "/state") != NULL;
}

/* The linker takes these for what libqmap calls. */
ssize_t __real_write(int fd, const void *data, size_t n);
ssize_t __wrap_write(int fd, const void *data, size_t n);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_ftruncate(int fd, off_t n);
int __wrap_ftruncate(int fd, off_t n);
int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);
int __real_mkdirat(int at, const char *name, mode_t mode);
int __wrap_mkdirat(int at, const char *name, mode_t mode);
int __real_linkat(int at, const char *name, int to, const char *new, int flags);
int __wrap_linkat(int at, const char *name, int to, const char *new, int flags);
int __real_unlinkat(int at, const char *name, int flags);
int __wrap_unlinkat(int at, const char *name, int flags);

#define CALL(in_state, call)                    \
	({                                      \
		__typeof__(call) result_ = -1;  \
		if (!is_faulty(in_state)) {     \
			result_ = (call);       \
			done();                 \
		}                               \
		result_;                        \
	})

ssize_t __wrap_write(int fd, const void *data, size_t n)
{
	bool now = inject.fault == FAULT_SHORT && inject.calls + 1 == inject.at;

	return CALL(is_in_state(fd), __real_write(fd, data, now && n > 1 ? 1 : n));
}

int __wrap_fsync(int fd)
{
	return CALL(is_in_state(fd), __real_fsync(fd));
}

int __wrap_ftruncate(int fd, off_t n)
{
	return CALL(is_in_state(fd), __real_ftruncate(fd, n));
}

int __wrap_openat(int at, const char *name, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	/* Opening to read changes nothing. */
	if ((flags & O_ACCMODE) == O_RDONLY)
		return __real_openat(at, name, flags, mode);
	return CALL(is_in_state(at) && (flags & O_EXCL), __real_openat(at, name, flags, mode));
}

int __wrap_mkdirat(int at, const char *name, mode_t mode)
{
	return CALL(true, __real_mkdirat(at, name, mode));
}

int __wrap_linkat(int at, const char *name, int to, const char *new, int flags)
{
	return CALL(true, __real_linkat(at, name, to, new, flags));
}

int __wrap_unlinkat(int at, const char *name, int flags)
{
	return CALL(false, __real_unlinkat(at, name, flags));
}

/* ---- the tree ---- */

static const struct {
	const char *path, *old, *new;
	enum qm_change_what what;
} files[] = {
	{ "proc/irq/5/smp_affinity_list", "0-7\n", "2", QM_CHANGE_IRQ },
	{ "proc/irq/6/smp_affinity_list", "4\n", "0-3,5", QM_CHANGE_IRQ },
	{ "sys/block/sda/queue/rq_affinity", "1\n", "2", QM_CHANGE_RQ_AFFINITY },
};

#define N_FILES QM_ARRAY_SIZE(files)

static char top[64];

static void make_dirs(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", top, path);
	for (char *p = full + strlen(top) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
}

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", top, path);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_state(void)
{
	char path[512];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/state", top);
	dir = opendir(path);
	for (e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		snprintf(path, sizeof(path), "%s/state/%s", top, e->d_name);
		if (e->d_name[0] != '.')
			assert_int_equal(unlink(path), 0);
	}
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "%s/state", top);
	assert_true(rmdir(path) == 0 || errno == ENOENT);
}

/* A fresh tree with no state directory. */
static void begin(void)
{
	remove_state();
	for (size_t i = 0; i < N_FILES; i++)
		put(files[i].path, files[i].old);
}

static bool holds(size_t i, const char *want)
{
	char full[256], buf[256];
	FILE *file;
	size_t n;

	snprintf(full, sizeof(full), "%s/%s", top, files[i].path);
	file = fopen(full, "r");
	assert_non_null(file);
	n = fread(buf, 1, sizeof(buf) - 1, file);
	buf[n] = '\0';
	fclose(file);
	return strcmp(buf, want) == 0;
}

static void assert_as_before(const char *when)
{
	for (size_t i = 0; i < N_FILES; i++) {
		if (!holds(i, files[i].old))
			fail_msg("%s: %s, fault %d, errno %d, call %u", when, files[i].path, inject.fault, inject.error, inject.at);
	}
}

/* ---- the runs ---- */

static int open_all(struct qm_root *root, struct qm_problems *problems, struct qm_state *state)
{
	char path[80];
	int r;

	*state = (struct qm_state)QM_STATE_INIT;
	assert_int_equal(qm_root_open(root, top, false, problems), 0);
	snprintf(path, sizeof(path), "%s/state", top);
	r = qm_state_open(root, path, true, state);
	return r == 0 ? qm_state_lock(state) : r;
}

static void close_all(struct qm_root *root, struct qm_problems *problems, struct qm_state *state)
{
	qm_state_close(state);
	qm_root_close(root);
	qm_problems_done(problems);
}

/* Returns whether all was applied. */
static bool apply(bool all_or_nothing)
{
	struct qm_apply_options opt = { .all_or_nothing = all_or_nothing };
	struct qm_problems problems = { 0 };
	struct qm_machine m = { 0 };
	struct qm_plan p = { 0 };
	struct qm_state state;
	struct qm_root root;
	char *journal = NULL, *error = NULL;
	bool all = true;
	int r;

	qm_cpuset_set_range(&m.topo.possible, 0, 7);
	qm_cpuset_set_range(&m.topo.online, 0, 7);
	for (size_t i = 0; i < N_FILES; i++)
		assert_int_equal(qm_plan_add(&p, files[i].what, files[i].path, files[i].old, files[i].new, NULL, NULL, NULL), 0);
	r = open_all(&root, &problems, &state);
	if (r == 0)
		r = qm_plan_check(&root, &m, &opt, &p, &error);
	if (r == 0)
		r = qm_plan_apply(&root, &state, &opt, &p, &journal);
	for (size_t i = 0; i < p.n; i++)
		all = all && p.v[i].state == QM_CHANGE_APPLIED;
	assert_null(error);
	free(journal);
	qm_plan_done(&p);
	close_all(&root, &problems, &state);
	return r == 0 && all;
}

/* Returns whether nothing is left to undo, as far as the program knows. */
static bool undo(void)
{
	struct qm_problems problems = { 0 };
	struct qm_journals js = { 0 };
	struct qm_state state;
	struct qm_root root;
	int r;

	r = open_all(&root, &problems, &state);
	if (r == 0)
		r = qm_journals_read(&state, &js, &problems);
	for (size_t i = 0; r == 0 && i < js.n; i++) {
		r = qm_journal_undo(&root, NULL, &state, &js.v[i]);
		r = r == 0 && !js.v[i].closed ? -EBUSY : r;
	}
	qm_journals_done(&js);
	close_all(&root, &problems, &state);
	return r == 0;
}

static void arm(enum fault fault, int error, unsigned at)
{
	inject.fault = fault;
	inject.error = error;
	inject.at = at;
	inject.calls = 0;
	inject.hit = false;
}

static void disarm(void)
{
	inject.fault = FAULT_NONE;
}

/* In a process of its own, which the fault may end. Sets inject.hit. */
static void in_child(bool (*run)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		run();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	inject.hit = WEXITSTATUS(status) == 9;
	assert_true(inject.hit || WEXITSTATUS(status) == 0);
}

static bool apply_some(void)
{
	return apply(false);
}

/* One point of apply; false: there are no more. */
static bool try_apply(enum fault fault, int error, unsigned at)
{
	begin();
	arm(fault, error, at);
	if (fault >= FAULT_KILL)
		in_child(apply_some);
	else
		apply(false);
	disarm();
	assert_true(undo());
	assert_as_before("after undo");
	return inject.hit;
}

static bool try_all_or_nothing(enum fault fault, int error, unsigned at)
{
	bool applied;

	begin();
	arm(fault, error, at);
	applied = apply(true);
	disarm();
	for (size_t i = 0; applied && i < N_FILES; i++)
		assert_false(holds(i, files[i].old));
	if (!applied)
		assert_as_before("all or nothing");
	return inject.hit;
}

static bool try_undo(enum fault fault, int error, unsigned at)
{
	bool all = false;

	begin();
	assert_true(apply(false));
	arm(fault, error, at);
	if (fault >= FAULT_KILL)
		in_child(undo);
	else
		all = undo();
	/* A full disk keeps nothing from being restored; and who says that all is restored has done so. */
	if (fault == FAULT_FULL || (fault < FAULT_KILL && all))
		assert_as_before("undo");
	disarm();
	assert_true(undo());
	assert_as_before("undone again");
	return inject.hit;
}

static unsigned each_point(bool (*try)(enum fault fault, int error, unsigned at), enum fault fault, int error)
{
	unsigned k = 1;

	while (try(fault, error, k)) {
		k++;
		assert_true(k < 500);
	}
	return k - 1;
}

static void report(const char *what, unsigned points, unsigned least)
{
	print_message("# %s: %u points\n", what, points);
	assert_true(points >= least);
}

static void every_call_fails_once(void **state)
{
	static const int errors[] = { ENOSPC, EIO, EPERM, EINVAL, EROFS, EAGAIN, EINTR };
	unsigned applied = 0, undone = 0, all = 0;

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(errors); i++) {
		applied += each_point(try_apply, FAULT_ERROR, errors[i]);
		undone += each_point(try_undo, FAULT_ERROR, errors[i]);
		all += each_point(try_all_or_nothing, FAULT_ERROR, errors[i]);
	}
	report("errors in apply", applied, 100);
	report("errors in undo", undone, 70);
	report("errors with all or nothing", all, 100);
}

static void every_write_is_short_once(void **state)
{
	(void)state;
	report("short writes in apply", each_point(try_apply, FAULT_SHORT, 0), 20);
	report("short writes in undo", each_point(try_undo, FAULT_SHORT, 0), 10);
	report("short writes with all or nothing", each_point(try_all_or_nothing, FAULT_SHORT, 0), 20);
}

static void the_state_disk_fills_up(void **state)
{
	(void)state;
	report("full disk in apply", each_point(try_apply, FAULT_FULL, ENOSPC), 20);
	report("full disk in undo", each_point(try_undo, FAULT_FULL, ENOSPC), 10);
	report("full disk with all or nothing", each_point(try_all_or_nothing, FAULT_FULL, ENOSPC), 20);
}

static void killed_at_every_call(void **state)
{
	(void)state;
	report("killed in apply", each_point(try_apply, FAULT_KILL, 0) + each_point(try_apply, FAULT_KILL_AFTER, 0), 40);
	report("killed in undo", each_point(try_undo, FAULT_KILL, 0) + each_point(try_undo, FAULT_KILL_AFTER, 0), 20);
}

static int make_top(void **state)
{
	const char *memory = getenv("TMPDIR") || access("/dev/shm", W_OK) != 0 ? "/tmp" : "/dev/shm";

	(void)state;
	snprintf(top, sizeof(top), "%s/qmap-faults-XXXXXX", memory);
	if (!mkdtemp(top))
		return -1;
	for (size_t i = 0; i < N_FILES; i++)
		make_dirs(files[i].path);
	return 0;
}

static int remove_top(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_fails_once),
		cmocka_unit_test(every_write_is_short_once),
		cmocka_unit_test(the_state_disk_fills_up),
		cmocka_unit_test(killed_at_every_call),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hint faults", tests, make_top, remove_top);
}
