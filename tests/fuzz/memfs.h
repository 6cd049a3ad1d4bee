/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file system in memory, in place of the kernel's, for the fuzzers: included before everything else (gcc -include), so that
 * the library and the targets read, and make, trees of files without a system call. "memfs" is the name of its root.
 */
#ifndef QM_FUZZ_MEMFS_H
#define QM_FUZZ_MEMFS_H

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Everything is gone. openat2: whether it is there; without it the library walks by itself. */
void memfs_reset(bool openat2);
/* How many descriptors are open. */
unsigned memfs_n_open(void);

int memfs_open(const char *path, int flags, ...);
int memfs_openat(int dir, const char *path, int flags, ...);
int memfs_close(int fd);
int memfs_dup(int fd);
ssize_t memfs_read(int fd, void *buf, size_t len);
ssize_t memfs_write(int fd, const void *buf, size_t len);
int memfs_fstat(int fd, struct stat *st);
int memfs_fstatat(int dir, const char *path, struct stat *st, int flags);
ssize_t memfs_readlinkat(int dir, const char *path, char *buf, size_t len);
int memfs_mkdirat(int dir, const char *path, mode_t mode);
int memfs_symlinkat(const char *target, int dir, const char *path);
long memfs_syscall(long number, int fd, ...);

#define open(...) memfs_open(__VA_ARGS__)
#define openat(...) memfs_openat(__VA_ARGS__)
#define close(fd) memfs_close(fd)
#define dup(fd) memfs_dup(fd)
#define read(fd, buf, len) memfs_read(fd, buf, len)
#define write(fd, buf, len) memfs_write(fd, buf, len)
#define fstat(fd, st) memfs_fstat(fd, st)
#define fstatat(dir, path, st, flags) memfs_fstatat(dir, path, st, flags)
#define readlinkat(dir, path, buf, len) memfs_readlinkat(dir, path, buf, len)
#define mkdirat(dir, path, mode) memfs_mkdirat(dir, path, mode)
#define symlinkat(target, dir, path) memfs_symlinkat(target, dir, path)
#define syscall(...) memfs_syscall(__VA_ARGS__)

#endif
