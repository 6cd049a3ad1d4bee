/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making a tree of files in a directory of its own: what `capture` writes. Paths are relative, without "." and "..".
 * Nothing that is made there is followed: a link is made, never gone through.
 */
#ifndef QM_TREE_H
#define QM_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct qm_tree {
	int fd;
};

/* Makes the directory, or takes one that is empty. 0, -ENOTEMPTY, other -errno. */
QM_MUST_CHECK int qm_tree_open(const char *path, struct qm_tree *ret);
void qm_tree_close(struct qm_tree *t);

/* Each makes missing directories above. 1: it was there already; 0; -ELOOP or -ENOTDIR where something else is in the way. */
QM_MUST_CHECK int qm_tree_dir(struct qm_tree *t, const char *path);
QM_MUST_CHECK int qm_tree_link(struct qm_tree *t, const char *path, const char *target);
/* A file that is there is written anew. */
QM_MUST_CHECK int qm_tree_file(struct qm_tree *t, const char *path, const char *data, size_t len);
/* The same with what fd gives from here on, in pieces; -EFBIG where that is more than max bytes. */
QM_MUST_CHECK int qm_tree_stream(struct qm_tree *t, const char *path, int fd, unsigned long long max);
/* An empty file, or what is there already. */
QM_MUST_CHECK int qm_tree_touch(struct qm_tree *t, const char *path);
/* Permission bits of a file that is there; the owner can always read it. 0 or -errno. */
QM_MUST_CHECK int qm_tree_mode(struct qm_tree *t, const char *path, unsigned mode);

#endif
