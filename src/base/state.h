/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state directory: the only place where files are made. It must be a real directory that belongs to the caller (or to
 * root) and that nobody else can write to. Names are single components; nothing is followed.
 */
#ifndef QM_STATE_H
#define QM_STATE_H

#include "base/root.h"

struct qm_state {
	int fd;      /* -1: not there */
	int lock_fd; /* -1: not locked */
};

#define QM_STATE_INIT { .fd = -1, .lock_fd = -1 }
#define QM_STATE_DEFAULT "var/lib/qmapctl"

/*
 * Opens the state directory: path, or QM_STATE_DEFAULT inside the root if path is NULL. With create, missing directories
 * of the default and the last component of path are made, mode 0700.
 * 0; -ENOENT (not there); -ELOOP (a link); -ENOTDIR; -EPERM (not ours, or others may write to it); other -errno.
 */
QM_MUST_CHECK int qm_state_open(struct qm_root *root, const char *path, bool create, struct qm_state *ret);
/* Takes the lock without waiting: 0, or -EWOULDBLOCK if another run holds it. Released by close and by death. */
QM_MUST_CHECK int qm_state_lock(struct qm_state *s);
void qm_state_close(struct qm_state *s);

/*
 * Makes a file with the given content, durable before it appears: written under another name, synced, renamed, and the
 * directory synced. -EEXIST if there is one of that name.
 */
QM_MUST_CHECK int qm_state_create(struct qm_state *s, const char *name, const char *data, size_t len);
/* Appends and syncs. */
QM_MUST_CHECK int qm_state_append(struct qm_state *s, const char *name, const char *data, size_t len);
/* Whole file as a new NUL-terminated string; at most max bytes, else -EFBIG. */
QM_MUST_CHECK int qm_state_read(const struct qm_state *s, const char *name, size_t max, char **ret, size_t *ret_len);
/* Names in the directory, in natural order. */
QM_MUST_CHECK int qm_state_names(const struct qm_state *s, struct qm_names *ret);

#endif
