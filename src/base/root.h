/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All file access of the program: reading below one root directory.
 *
 * The root is "/" (live) or a directory that may come from a stranger. Every lookup stays inside it, whatever its
 * symbolic links say; only regular files and directories are opened; nothing blocks; no size is believed. Paths are
 * relative to the root and have no leading slash.
 *
 * Absent is a value: the readers return -ENOENT (also for -ENOTDIR) silently. Anything else that goes wrong is put into
 * the root's list of problems, once per file, and returned as -errno, so callers only decide what "unknown" means to them.
 */
#ifndef QM_ROOT_H
#define QM_ROOT_H

#include <stdbool.h>

#include "base/cpuset.h"
#include "base/log.h"

/* Largest file that the plain readers take; a larger one is a problem (-EFBIG). */
#define QM_FILE_MAX (64 * 1024)
/* Most entries of one directory. */
#define QM_DIR_MAX (256 * 1024)

/*
 * Told of everything that is read, for `capture`. path is relative to the root. For a file the data as read (before it
 * is cut at a NUL) with its length; for a link its target; for a directory NULL.
 */
struct qm_root_tap {
	void (*file)(void *arg, const char *path, const char *data, size_t len);
	void (*link)(void *arg, const char *path, const char *target);
	void (*dir)(void *arg, const char *path);
	void (*seen)(void *arg, const char *path);    /* only looked for and found, or a directory entered */
	void (*refused)(void *arg, const char *path); /* only for root, and we are not: no problem, see root_only */
	void (*mode)(void *arg, const char *path, unsigned mode); /* its permission bits were looked at */
	void *arg;
};

struct qm_root {
	int fd;
	bool live;        /* "/": the kernel's own files, types need no check */
	bool no_openat2;  /* the call is missing or refused: components are walked by hand */
	struct qm_problems *problems; /* borrowed, may be NULL */
	const struct qm_root_tap *tap; /* borrowed, may be NULL */
	char *buf;        /* file buffer, QM_FILE_MAX + 1 bytes */
};

/* A directory below the root that many files are read from. {.fd = -1} is closed. */
struct qm_dir {
	struct qm_root *root;
	int fd;
	char *path; /* relative to the root; "" = the root itself */
	bool root_only; /* the caller may set it: being refused (EACCES, EPERM) is then no problem but "unknown" */
};

/* Names in a directory, in natural order, without "." and "..". */
struct qm_names {
	char **v;
	size_t n, cap;
};

/* Opens the directory path as the root. live is for "/" only. 0, or -errno (the caller says which path). */
QM_MUST_CHECK int qm_root_open(struct qm_root *root, const char *path, bool live, struct qm_problems *problems);
void qm_root_close(struct qm_root *root);

/* Opens a directory by path from the root, or by a path from another directory. */
QM_MUST_CHECK int qm_dir_open(struct qm_root *root, const char *path, struct qm_dir *ret);
QM_MUST_CHECK int qm_dir_openat(const struct qm_dir *dir, const char *name, struct qm_dir *ret);
void qm_dir_close(struct qm_dir *dir);

/*
 * The readers exist with a directory and a name (may hold slashes). A view of the root as a directory, for paths from
 * the root, comes from qm_root_dir() and needs no closing.
 */
struct qm_dir qm_root_dir(struct qm_root *root);

/*
 * Whole file into the root's buffer, cut at the first NUL, NUL-terminated; *ret_text is borrowed until the next read. A
 * file larger than QM_FILE_MAX is -EFBIG. Returns the length.
 */
QM_MUST_CHECK int qm_dir_read(const struct qm_dir *dir, const char *name, const char **ret_text);
/* As qm_dir_read(), but only the first max bytes (at most QM_FILE_MAX) of a file that may be much larger. */
QM_MUST_CHECK int qm_dir_read_head(const struct qm_dir *dir, const char *name, size_t max, const char **ret_text);
/* First line without trailing blanks, as a new string. */
QM_MUST_CHECK int qm_dir_read_line(const struct qm_dir *dir, const char *name, char **ret);
/* A decimal number, perhaps negative, with blanks around. -EINVAL and a problem for anything else, an empty file too. */
QM_MUST_CHECK int qm_dir_read_num(const struct qm_dir *dir, const char *name, long long *ret);
/* A CPU list or mask. A garbled one is a problem and -EINVAL or -ERANGE. */
QM_MUST_CHECK int qm_dir_read_cpulist(const struct qm_dir *dir, const char *name, struct qm_cpuset *ret);
QM_MUST_CHECK int qm_dir_read_cpumask(const struct qm_dir *dir, const char *name, struct qm_cpuset *ret);
/* Names in the directory dir/name ("." = dir itself). */
QM_MUST_CHECK int qm_dir_names(const struct qm_dir *dir, const char *name, struct qm_names *ret);
/* The same without those that leave_out is true for: directories are many, and most of what is in them is not wanted. */
QM_MUST_CHECK int qm_dir_names_but(const struct qm_dir *dir, const char *name, bool (*leave_out)(const char *name),
				   struct qm_names *ret);
void qm_names_done(struct qm_names *n);
/* The text of a symbolic link. -EINVAL (no problem recorded) if it is something else. */
QM_MUST_CHECK int qm_dir_link(const struct qm_dir *dir, const char *name, char **ret);
/* Last component of a link's text: the driver, subsystem or module name. */
QM_MUST_CHECK int qm_dir_link_base(const struct qm_dir *dir, const char *name, char **ret);
/*
 * Opens a file for streaming, with all the checks; the caller reads and closes the descriptor. Not seen by the tap
 * except as an empty file.
 */
QM_MUST_CHECK int qm_dir_open_file(const struct qm_dir *dir, const char *name);
/* Is there something of that name (file or directory, links followed inside the root)? 1, 0, or -errno. */
QM_MUST_CHECK int qm_dir_exists(const struct qm_dir *dir, const char *name);

/*
 * Writes data into an existing regular file with one write(2), as the kernel's files want it; the file is never created,
 * a link never followed at the end of the name. What stood behind a longer old content is cut off. Nothing is recorded as a
 * problem: what a refusal means is the writer's business. Returns 0 or -errno (-EIO for a short write).
 */
QM_MUST_CHECK int qm_dir_write(const struct qm_dir *dir, const char *name, const char *data, size_t len);

/* Permission bits of a file, links not followed; or -errno. */
QM_MUST_CHECK int qm_dir_mode(const struct qm_dir *dir, const char *name);

/*
 * Joins base (a directory, relative to the root) and rel, resolving "." and ".." by text and stopping at the root, as
 * sysfs links are meant. An absolute rel starts at the root. New string, without leading slash. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_path_join(const char *base, const char *rel, char **ret);
/* Last component of a path; borrowed. */
const char *qm_path_base(const char *path);

#endif
