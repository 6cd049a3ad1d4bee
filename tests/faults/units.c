// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What has to hold, whichever call fails: the unit gives its right answer, or the very error of that call. An interruption
 * changes nothing. No memory is lost and no descriptor left open. What each unit expects besides, it says itself: out
 * parameters as they were, files as before.
 */
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject.h"

#define FD_MAX     64
#define POINTS_MAX 5000

static const struct fault {
	const char *name;
	enum inject_kind kind;
	int error;
	int told; /* as which error */
	enum inject_then then;
} faults[] = {
	{ "ENOMEM", INJECT_ALLOC, ENOMEM, ENOMEM, INJECT_ONCE },
	{ "EIO", INJECT_CALL, EIO, EIO, INJECT_ONCE },
	{ "ENOSPC", INJECT_CALL, ENOSPC, ENOSPC, INJECT_ONCE },
	{ "EACCES", INJECT_CALL, EACCES, EACCES, INJECT_ONCE },
	{ "EROFS", INJECT_CALL, EROFS, EROFS, INJECT_ONCE },
	{ "EINTR", INJECT_CALL, EINTR, 0, INJECT_ONCE },
	/* What openat2() gives on old kernels, in sandboxes, for links that lead out, and when it asks for another try. */
	{ "ENOSYS", INJECT_CALL, ENOSYS, ENOSYS, INJECT_ONCE },
	{ "EPERM", INJECT_CALL, EPERM, EPERM, INJECT_ONCE },
	{ "EXDEV", INJECT_CALL, EXDEV, EXDEV, INJECT_ONCE },
	{ "EAGAIN", INJECT_CALL, EAGAIN, EAGAIN, INJECT_ONCE },
	{ "short", INJECT_SHORT, 0, EIO, INJECT_ONCE },
	/* Two troubles at once. */
	{ "ENOMEM from there on", INJECT_ALLOC, ENOMEM, ENOMEM, INJECT_ONWARD },
	{ "EIO from there on", INJECT_CALL, EIO, EIO, INJECT_ONWARD },
	{ "EAGAIN from there on", INJECT_CALL, EAGAIN, EAGAIN, INJECT_ONWARD },
	{ "EACCES and no memory", INJECT_CALL, EACCES, EACCES, INJECT_NO_MEMORY },
};

static struct {
	const char *wrong;
	char answer[16384];
	size_t len;
	const char *what; /* the call that failed; NULL: none did */
	int r;
} now;

/* The right answer of the unit. */
static char right[sizeof(now.answer)];

void units_say(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(now.answer + now.len, sizeof(now.answer) - now.len, fmt, ap);
	va_end(ap);
	now.len += n > 0 ? (size_t)n : 0;
	units_must(now.len < sizeof(now.answer), "the answer has room");
}

void units_forget(void)
{
	now.len = 0;
	now.answer[0] = '\0';
}

void units_expect(bool holds, const char *what)
{
	if (!holds && !now.wrong)
		now.wrong = what;
}

void units_must(bool holds, const char *what)
{
	if (holds)
		return;
	inject_disarm();
	printf("Bail out! %s (errno %d)\n", what, errno);
	exit(125);
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < FD_MAX; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* One of the words of a list. */
static bool is_in(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list ? strstr(list, word) : NULL; p; p = strstr(p + 1, word)) {
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	}
	return false;
}

static bool may_survive(const struct unit *u, const struct fault *f)
{
	if (f->kind == INJECT_ALLOC)
		return false;
	if (strcmp(now.what, "openat2") == 0 && f->error != EIO && f->error != EACCES)
		return true;
	return strcmp(now.what, "close") == 0 || is_in(u->survives, now.what);
}

static void judge(const struct unit *u, const struct fault *f)
{
	bool same = now.r == 0 && strcmp(now.answer, right) == 0;

	if (!now.what || f->error == EINTR)
		units_expect(same, "the right answer");
	else if (now.r < 0)
		units_expect(now.r == -f->told || (f->then == INJECT_NO_MEMORY && now.r == -ENOMEM),
			     "the error is the one of the call");
	else if (u->tells && (f->kind != INJECT_ALLOC || strstr(now.answer, strerror(ENOMEM))))
		units_expect(now.r == 0, "0 or an error");
	else
		units_expect(same && may_survive(u, f), same ? "the failure is told of" : "the right answer or an error");
}

static void complain(const struct unit *u, const struct fault *f, unsigned long at)
{
	size_t n = 0;

	while (now.answer[n] && now.answer[n] == right[n])
		n++;
	printf("# %s: %s, point %lu (%s) gives %d: not so: %s\n", u->name, f->name, at, now.what ? now.what : "none", now.r,
	       now.wrong);
	printf("# from byte %zu it says: %.*s\n# instead of: %.*s\n", n, (int)strcspn(now.answer + n, "\n"), now.answer + n,
	       (int)strcspn(right + n, "\n"), right + n);
}

/* Whether the point was reached. */
static bool point(const struct unit *u, const struct fault *f, unsigned long at)
{
	enum inject_kind kind = f->kind == INJECT_ALLOC && u->own ? INJECT_OWN : f->kind;
	long live;
	int fds;

	now.wrong = NULL;
	now.len = 0;
	now.answer[0] = '\0';
	if (u->make)
		u->make();
	fds = count_fds();
	live = inject_live();
	inject_arm(kind, f->error, at);
	inject.then = f->then;
	now.r = u->run();
	inject_disarm();
	now.what = inject.hit ? inject.what : NULL;
	units_expect(inject_live() == live, "no memory is lost");
	units_expect(count_fds() == fds, "no descriptor is left open");
	judge(u, f);
	if (u->check)
		u->check(now.r);
	if (now.wrong)
		complain(u, f, at);
	return now.what;
}

static void learn(const struct unit *u)
{
	now.len = 0;
	if (u->make)
		u->make();
	units_must(u->run() == 0, u->name);
	if (u->check)
		u->check(0);
	memcpy(right, now.answer, sizeof(right));
}

static bool run_unit(const char *prefix, const struct unit *u)
{
	size_t n_faults = u->once ? 0 : u->few ? 2 : sizeof(faults) / sizeof(faults[0]);
	unsigned closes = 0, points = 0, bad = 0;

	snprintf(right, sizeof(right), "%s", u->answer ? u->answer : "");
	/* The first time may leave something in a library for the next. */
	if (!u->answer)
		learn(u);
	else
		point(u, &faults[0], 0);
	if (!u->once)
		point(u, &faults[0], 0);
	bad += now.wrong != NULL;
	for (size_t i = 0; i < n_faults && bad < 5; i++) {
		unsigned long at = 1;

		while (point(u, &faults[i], at) && bad < 5 && at < POINTS_MAX) {
			bad += now.wrong != NULL;
			closes += faults[i].error == EIO && now.r < 0 && strcmp(now.what, "close") == 0;
			at++;
			points++;
		}
		bad += now.wrong != NULL;
	}
	if (closes < u->closes) {
		printf("# %s: %u failures of close() are told of\n", u->name, closes);
		bad++;
	}
	printf("%s - %s%s: %u points\n", bad ? "not ok" : "ok", prefix, u->name, points);
	return !bad;
}

bool units_run(const char *prefix, const struct unit *units, size_t n)
{
	bool good = true;

	/* What crashes does so behind the line of the one before. */
	setvbuf(stdout, NULL, _IOLBF, 0);

	for (size_t i = 0; i < n; i++)
		good = run_unit(prefix, &units[i]) && good;
	return good;
}
