// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct inject inject;

void inject_arm(enum inject_kind kind, int error, unsigned long at)
{
	inject = (struct inject){
		.kind = kind, .error = error, .at = at, .endless = inject.endless, .meanwhile = inject.meanwhile,
	};
}

void inject_disarm(void)
{
	inject.kind = INJECT_NONE;
}

/* What the failure of a call, or that something happens before it, entails. */
static void follow(const char *what)
{
	inject.what = inject.hit ? inject.what : what;
	inject.hit = true;
	if (inject.then == INJECT_NO_MEMORY) {
		inject.then = INJECT_ONCE;
		inject.kind = INJECT_OWN;
		inject.at = inject.calls + inject.spare + 1;
	}
}

/* Counts one; true: it has to fail, with errno set. */
static bool fails(enum inject_kind kind, const char *what)
{
	if (inject.kind == INJECT_OWN && kind == INJECT_ALLOC)
		kind = INJECT_OWN;
	if (inject.kind != kind || ++inject.calls < inject.at || !inject.at)
		return false;
	if (inject.calls > inject.at && inject.then != INJECT_ONWARD)
		return false;
	follow(what);
	errno = kind != INJECT_CALL ? ENOMEM : inject.error;
	return true;
}

/* waits: may be interrupted; writes: may find the disk full, or not to be written to. */
static bool call_fails(const char *what, bool waits, bool writes)
{
	if (inject.kind == INJECT_RACE) {
		if (++inject.calls == inject.at) {
			follow(what);
			inject.kind = INJECT_NONE;
			inject.meanwhile();
		}
		return false;
	}
	if ((inject.error == EINTR && !waits) || ((inject.error == ENOSPC || inject.error == EROFS) && !writes))
		return false;
	return fails(INJECT_CALL, what);
}

/* ---- allocations ---- */

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer's own stand behind; it sees what is lost on the way out. */
#define ALLOCATOR(name) __real_##name
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
#else
#define ALLOCATOR(name) __libc_##name
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
void free(void *p);
#endif

/* Pieces of memory that are not given back; a sanitizer counts for itself. */
static long live;

static void *count(void *p)
{
	live += p != NULL;
	return p;
}

static void *count_again(const void *old, void *p)
{
	return old ? p : count(p);
}

long inject_live(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 0;
#else
	return live;
#endif
}

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n)
{
	return fails(INJECT_ALLOC, "malloc") ? NULL : count(ALLOCATOR(malloc)(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails(INJECT_ALLOC, "calloc") ? NULL : count(ALLOCATOR(calloc)(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails(INJECT_ALLOC, "realloc") ? NULL : count_again(p, ALLOCATOR(realloc)(p, n));
}

#ifndef __SANITIZE_ADDRESS__
/* What the libraries call. */
void *malloc(size_t n)
{
	return inject.kind == INJECT_OWN ? count(__libc_malloc(n)) : __wrap_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return inject.kind == INJECT_OWN ? count(__libc_calloc(n, size)) : __wrap_calloc(n, size);
}

/* libsmartcols prints as nothing what it finds no room for, once per table, and says nothing: nobody could. */
static bool is_of_smartcols(const void *caller)
{
	Dl_info info;

	return inject.kind == INJECT_ALLOC && dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libsmartcols");
}

void *realloc(void *p, size_t n)
{
	if (inject.kind == INJECT_OWN || is_of_smartcols(__builtin_return_address(0)))
		return count_again(p, __libc_realloc(p, n));
	return __wrap_realloc(p, n);
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}
#endif

char *__wrap_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = __wrap_malloc(len + 1);

	if (copy) {
		memcpy(copy, s, len);
		copy[len] = '\0';
	}
	return copy;
}

char *__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, strlen(s));
}

/* ---- system calls ---- */

/* The call, unless it fails; then -1. */
#define CALL(waits, writes, name, ...) (call_fails(#name, waits, writes) ? -1 : __real_##name(__VA_ARGS__))

#define WRAP(type, name, params, waits, writes, ...)                      \
	type __real_##name params;                                        \
	type __wrap_##name params;                                        \
	type __wrap_##name params                                         \
	{                                                                 \
		return (type)CALL(waits, writes, name, __VA_ARGS__);      \
	}

WRAP(ssize_t, read, (int fd, void *buf, size_t n), true, false, fd, buf, n)
WRAP(int, fstat, (int fd, struct stat *st), false, false, fd, st)
WRAP(int, fstatat, (int at, const char *name, struct stat *st, int flags), false, false, at, name, st, flags)
WRAP(int, fsync, (int fd), false, true, fd)
WRAP(int, ftruncate, (int fd, off_t n), false, true, fd, n)
WRAP(int, fchmod, (int fd, mode_t mode), false, true, fd, mode)
WRAP(int, dup, (int fd), false, false, fd)
WRAP(int, flock, (int fd, int how), false, false, fd, how)
WRAP(int, mkdir, (const char *name, mode_t mode), false, true, name, mode)
WRAP(int, mkdirat, (int at, const char *name, mode_t mode), false, true, at, name, mode)
WRAP(int, symlinkat, (const char *target, int at, const char *name), false, true, target, at, name)
WRAP(int, linkat, (int at, const char *name, int to, const char *new, int flags), false, true, at, name, to, new, flags)
WRAP(int, unlinkat, (int at, const char *name, int flags), false, true, at, name, flags)

ssize_t __real_readlinkat(int at, const char *name, char *buf, size_t n);
ssize_t __wrap_readlinkat(int at, const char *name, char *buf, size_t n);
ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
int __real_close(int fd);
int __wrap_close(int fd);
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);

ssize_t __wrap_readlinkat(int at, const char *name, char *buf, size_t n)
{
	ssize_t len = CALL(false, false, readlinkat, at, name, buf, n);

	if (len < 0 || !inject.endless)
		return len;
	memset(buf, 'x', n);
	return (ssize_t)n;
}

ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
	if (fails(INJECT_SHORT, "write"))
		return 0;
	return CALL(true, true, write, fd, buf, n);
}

int __wrap_open(const char *name, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return CALL(false, flags & O_CREAT, open, name, flags, mode);
}

int __wrap_openat(int at, const char *name, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return CALL(false, flags & O_CREAT, openat, at, name, flags, mode);
}

int __wrap_fcntl(int fd, int command, ...)
{
	va_list ap;
	int arg;

	va_start(ap, command);
	arg = command == F_GETFD ? 0 : va_arg(ap, int);
	va_end(ap);
	/* That only asks whether the descriptor is open. */
	return command == F_GETFD ? __real_fcntl(fd, command) : CALL(false, false, fcntl, fd, command, arg);
}

long __wrap_syscall(long nr, ...)
{
	long a[4];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (call_fails(nr == SYS_openat2 ? "openat2" : "getdents64", false, false))
		return -1;
	if (nr == SYS_getdents64 && inject.endless)
		lseek((int)a[0], 0, SEEK_SET);
	return __real_syscall(nr, a[0], a[1], a[2], a[3]);
}

/* Closed all the same, as the kernel does it. */
int __wrap_close(int fd)
{
	int r = __real_close(fd);

	return call_fails("close", false, true) ? -1 : r;
}

DIR *__wrap_fdopendir(int fd)
{
	return call_fails("fdopendir", false, false) ? NULL : __real_fdopendir(fd);
}
