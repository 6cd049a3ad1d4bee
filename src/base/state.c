// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/input.h"
#include "base/strbuf.h"

#define LOCK_NAME "lock"
#define NEW_NAME "new"

/* The entry of a directory that was made in at is on the disk, too. */
static int sync_dir(int at)
{
	int fd, r;

	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

/* Opens the directory name in at, made first if asked to. A link is refused, wherever it leads. */
static int open_component(int at, const char *name, bool create)
{
	int fd;

	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && create) {
		int r = mkdirat(at, name, 0700) < 0 ? -errno : sync_dir(at);

		if (r < 0 && r != -EEXIST)
			return r;
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0 && errno == ENOTDIR) {
		struct stat st;

		/* The kernel says ENOTDIR for a link too; the user should be told which it is. */
		if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
			return -ELOOP;
		return -ENOTDIR;
	}
	return fd >= 0 ? fd : -errno;
}

/* The default, from the directory at; every component is a plain directory. */
static int open_default(int at, bool create)
{
	const char *path = QM_STATE_DEFAULT;
	int fd = dup(at);

	if (fd < 0)
		return -errno;
	while (*path) {
		char name[sizeof(QM_STATE_DEFAULT)];
		size_t n = strcspn(path, "/");
		int next;

		memcpy(name, path, n);
		name[n] = '\0';
		next = open_component(fd, name, create);
		close(fd);
		if (next < 0)
			return next;
		fd = next;
		path += n;
		path += strspn(path, "/");
	}
	return fd;
}

/* A path from the user: what leads to the last component is theirs to know, the last one must be no link. */
static int open_named(const char *path, bool create)
{
	_cleanup_free_ char *copy = strdup(path);
	_cleanup_close_ int parent = -1;
	char *slash;
	size_t n;

	if (!copy)
		return -ENOMEM;
	for (n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--)
		copy[n - 1] = '\0';
	slash = strrchr(copy, '/');
	if (slash && slash != copy)
		*slash = '\0';
	parent = open(slash ? (slash == copy ? "/" : copy) : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0)
		return -errno;
	return open_component(parent, slash ? slash + 1 : copy, create);
}

int qm_state_open(struct qm_root *root, const char *path, bool create, struct qm_state *ret)
{
	struct qm_state s = QM_STATE_INIT;
	struct stat st;

	s.fd = path ? open_named(path, create) : open_default(root->fd, create);
	if (s.fd < 0)
		return s.fd;
	if (fstat(s.fd, &st) < 0) {
		int r = -errno;

		close(s.fd);
		return r;
	}
	if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH))) {
		close(s.fd);
		return -EPERM;
	}
	*ret = s;
	return 0;
}

int qm_state_lock(struct qm_state *s)
{
	int fd;

	fd = openat(s->fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int r = -errno;

		close(fd);
		return r;
	}
	s->lock_fd = fd;
	return 0;
}

void qm_state_close(struct qm_state *s)
{
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct qm_state)QM_STATE_INIT;
}

static int write_synced(int fd, const char *data, size_t len)
{
	int r = qm_output_all(fd, data, len);

	return r < 0 ? r : fsync(fd) < 0 ? -errno : 0;
}

int qm_state_create(struct qm_state *s, const char *name, const char *data, size_t len)
{
	int fd, r;

	/* What an interrupted run left behind never had its name and means nothing. */
	if (unlinkat(s->fd, NEW_NAME, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(s->fd, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_synced(fd, data, len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	/* link() and not rename(): it never replaces a file of that name. */
	if (r == 0 && linkat(s->fd, NEW_NAME, s->fd, name, 0) < 0)
		r = -errno;
	if (unlinkat(s->fd, NEW_NAME, 0) < 0 && r == 0)
		r = -errno;
	if (r == 0 && fsync(s->fd) < 0)
		r = -errno;
	return r;
}

int qm_state_append(struct qm_state *s, const char *name, const char *data, size_t len)
{
	int fd, r;

	fd = openat(s->fd, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write_synced(fd, data, len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

int qm_state_read(const struct qm_state *s, const char *name, size_t max, char **ret, size_t *ret_len)
{
	struct qm_strbuf b = { 0 };
	_cleanup_close_ int fd = -1;
	char buf[8192];
	struct stat st;
	size_t len;
	int r = 0;

	fd = openat(s->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EMEDIUMTYPE;
	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r = n < 0 ? -errno : 0;
			break;
		}
		if (b.len + (size_t)n > max) {
			r = -EFBIG;
			break;
		}
		qm_strbuf_add(&b, buf, (size_t)n);
	}
	len = b.len;
	if (r == 0)
		r = qm_strbuf_take(&b, ret);
	qm_strbuf_done(&b);
	if (r == 0)
		*ret_len = len;
	return r;
}

int qm_state_names(const struct qm_state *s, struct qm_names *ret)
{
	struct qm_root root = { .fd = s->fd, .live = true };
	struct qm_dir top = qm_root_dir(&root);

	return qm_dir_names(&top, ".", ret);
}
