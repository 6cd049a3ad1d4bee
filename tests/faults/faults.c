// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults KIND MOST BEFORE AFTER [ARG...]: runs "qmapctl ARG..." once as it is, and then again and again, in a process of its
 * own each time, with one more allocation or system call that fails. KIND is alloc, own (alloc without the
 * libraries'), EIO, ENOSPC or EINTR. At most
 * MOST points are tried, the first ones and then some all the way. BEFORE and AFTER are shell commands ("" = none) run
 * around each; AFTER has to succeed. One line of TAP without a number.
 *
 * Whatever fails: no crash, no lost memory (where a sanitizer looks), and no half answer. The program gives its usual answer,
 * or says that something went wrong; for want of memory that is exit status 2.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject.h"

#define HANG_SECONDS 60
#define TEXT_MAX     (8 << 20)

int qmapctl_main(int argc, char **argv);

/* Shared with the process that runs. */
struct report {
	unsigned long calls;
	bool hit;
	char what[16];
};

struct outcome {
	int status; /* as of waitpid() */
	char *out, *err;
};

static const struct {
	const char *name;
	enum inject_kind kind;
	int error;
} kinds[] = {
	{ "alloc", INJECT_ALLOC, ENOMEM },
	{ "own", INJECT_OWN, ENOMEM },
	{ "EIO", INJECT_CALL, EIO },
	{ "ENOSPC", INJECT_CALL, ENOSPC },
	{ "EINTR", INJECT_CALL, EINTR },
};

static struct report *report;
static int out_fd, err_fd;

/* Before the sanitizer looks for leaks, which may allocate. */
static void note(void)
{
	report->calls = inject.calls;
	report->hit = inject.hit;
	snprintf(report->what, sizeof(report->what), "%s", inject.what ? inject.what : "");
	inject_disarm();
}

static char *text_of(int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = calloc(1, n < TEXT_MAX ? (size_t)n + 1 : TEXT_MAX + 1);

	if (!text || pread(fd, text, n < TEXT_MAX ? (size_t)n : TEXT_MAX, 0) < 0)
		exit(125);
	return text;
}

static struct outcome run(size_t kind, unsigned long at, int argc, char **argv)
{
	struct outcome o;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	if (ftruncate(out_fd, 0) < 0 || ftruncate(err_fd, 0) < 0)
		exit(125);
	lseek(out_fd, 0, SEEK_SET);
	lseek(err_fd, 0, SEEK_SET);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(out_fd, STDOUT_FILENO);
		dup2(err_fd, STDERR_FILENO);
		alarm(HANG_SECONDS);
		atexit(note);
		inject_arm(kinds[kind].kind, kinds[kind].error, at);
		exit(qmapctl_main(argc, argv));
	}
	if (pid < 0 || waitpid(pid, &o.status, 0) != pid)
		exit(125);
	o.out = text_of(out_fd);
	o.err = text_of(err_fd);
	return o;
}

static void outcome_done(struct outcome *o)
{
	free(o->out);
	free(o->err);
}

/* A JSON document ends with its status. */
static bool is_cut(const char *out)
{
	const char *end = strstr(out, "\n \"exit_status\":");

	return out[0] == '{' && (!end || !strchr(end, '}') || strcmp(strchr(end, '}'), "}\n") != 0);
}

/* What is wrong with it; NULL if nothing. */
static const char *judge(size_t kind, const struct outcome *whole, const struct outcome *o)
{
	bool same = o->status == whole->status && strcmp(o->out, whole->out) == 0;
	bool said = *o->err && strcmp(o->err, whole->err) != 0;
	int status = WEXITSTATUS(o->status);

	if (!WIFEXITED(o->status))
		return WTERMSIG(o->status) == SIGALRM ? "hangs" : "dies by a signal";
	if (status != 0 && status != 1 && status != 2 && status != 32 && status != 64)
		return "ends with an odd status";
	if (same && strcmp(o->err, whole->err) == 0)
		return NULL;
	if (kinds[kind].error == EINTR)
		return "an interruption changes the answer";
	/* Hints tell in their list what became of each. */
	if (kinds[kind].kind == INJECT_CALL && status != 0 && o->status != whole->status)
		said = true;
	if (!said)
		return "a changed answer and no word about it";
	if (kinds[kind].kind == INJECT_CALL)
		return status != 2 && is_cut(o->out) ? "a cut answer" : NULL;
	if (status == 2)
		return NULL;
	return same && strstr(o->err, "memory") ? NULL : "another answer, and not trouble";
}

static int complain(size_t kind, unsigned long at, const char *what, const struct outcome *whole, const struct outcome *o)
{
	size_t same = 0;

	while (o->out[same] && o->out[same] == whole->out[same])
		same++;
	printf("# %s, point %lu (%s), status %#x, %zu bytes: %s\n# stderr: %.300s\n", kinds[kind].name, at, report->what,
	       (unsigned)o->status, strlen(o->out), what, o->err);
	printf("# stdout from byte %zu: %.60s\n# instead of: %.60s\n", same, o->out + same, whole->out + same);
	return 1;
}

/* The first half of those that may be tried one after the other, then in steps; all of them if they are few. */
static unsigned long next_point(unsigned long at, unsigned long n, unsigned long most)
{
	unsigned long left = n > most / 2 ? n - most / 2 : 1;

	return n <= most || at < most / 2 ? at + 1 : at + 1 + left / (most / 2 + 1);
}

int main(int argc, char **argv)
{
	static char buffer[BUFSIZ];
	size_t kind = 0;
	unsigned long most, tried = 0, n = 1;
	struct outcome whole, o;
	const char *before, *after;
	int bad = 0;

	while (argc > 5 && kind < sizeof(kinds) / sizeof(kinds[0]) && strcmp(argv[1], kinds[kind].name) != 0)
		kind++;
	if (argc < 6 || kind == sizeof(kinds) / sizeof(kinds[0]))
		return 125;
	most = strtoul(argv[2], NULL, 10);
	before = argv[3];
	/* Or it would be allocated by the first process that prints something, and counted there. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	after = argv[4];
	out_fd = memfd_create("out", MFD_CLOEXEC);
	err_fd = memfd_create("err", MFD_CLOEXEC);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (out_fd < 0 || err_fd < 0 || report == MAP_FAILED)
		return 125;
	argv[4] = argv[0];
	if (*before && system(before) != 0)
		return 125;
	whole = run(kind, 0, argc - 4, argv + 4);
	n = report->calls;
	if (*after && system(after) != 0)
		return 125;
	for (unsigned long at = 1; at <= n && bad < 5; at = next_point(at, n, most)) {
		const char *wrong;

		if (*before && system(before) != 0)
			return 125;
		o = run(kind, at, argc - 4, argv + 4);
		tried++;
		wrong = judge(kind, &whole, &o);
		if (!wrong && !report->hit && WIFEXITED(o.status))
			wrong = "the fault was not reached";
		if (*after && system(after) != 0)
			wrong = "what follows fails";
		if (wrong)
			bad += complain(kind, at, wrong, &whole, &o);
		outcome_done(&o);
	}
	printf("%s - %s: %lu of %lu points of", bad ? "not ok" : "ok", kinds[kind].name, tried, n);
	for (int i = 5; i < argc; i++)
		printf(" %s", argv[i]);
	putchar('\n');
	outcome_done(&whole);
	return bad != 0;
}
