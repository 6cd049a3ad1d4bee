// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* A large file is copied in pieces of this size. */
#define PIECE_SIZE (64 * 1024)

static int check_empty(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3), r = 0;
	struct dirent *e;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d) {
		r = -errno;
		if (copy >= 0)
			close(copy);
		return r;
	}
	while (r == 0 && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = -ENOTEMPTY;
	}
	closedir(d);
	return r;
}

int qm_tree_open(const char *path, struct qm_tree *ret)
{
	int fd, r;

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = check_empty(fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	ret->fd = fd;
	return 0;
}

void qm_tree_close(struct qm_tree *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* Takes the next component off *p into name. Its length, 0 at the end, or an error. */
static int next_component(const char **p, char name[NAME_MAX + 1])
{
	size_t n;

	*p += strspn(*p, "/");
	n = strcspn(*p, "/");
	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, *p, n);
	name[n] = '\0';
	*p += n + strspn(*p + n, "/");
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? -EINVAL : (int)n;
}

/* One directory further down; fd is used up. Returns the new descriptor. *ret_made: it was not there. */
static int enter(int fd, const char *name, bool *ret_made)
{
	int next, r;

	*ret_made = mkdirat(fd, name, 0755) == 0;
	r = *ret_made || errno == EEXIST ? 0 : -errno;
	next = r < 0 ? r : openat(fd, name, OPEN_DIR);
	if (next < 0 && r == 0)
		next = -errno;
	close(fd);
	return next;
}

/* The directory above the last component, made where missing; name gets that component. A descriptor, or an error. */
static int open_parent(const struct qm_tree *t, const char *path, char name[NAME_MAX + 1])
{
	int fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 3);
	bool made;

	if (fd < 0)
		return -errno;
	for (;;) {
		int n = next_component(&path, name);

		if (n <= 0) {
			close(fd);
			return n < 0 ? n : -EINVAL;
		}
		if (!*path)
			return fd;
		fd = enter(fd, name, &made);
		if (fd < 0)
			return fd;
	}
}

int qm_tree_dir(struct qm_tree *t, const char *path)
{
	char name[NAME_MAX + 1];
	bool made;
	int fd = open_parent(t, path, name);

	if (fd < 0)
		return fd;
	fd = enter(fd, name, &made);
	if (fd < 0)
		return fd;
	close(fd);
	return !made;
}

int qm_tree_link(struct qm_tree *t, const char *path, const char *target)
{
	char name[NAME_MAX + 1];
	_cleanup_close_ int fd = open_parent(t, path, name);

	if (fd < 0)
		return fd;
	if (symlinkat(target, fd, name) == 0)
		return 0;
	return errno == EEXIST ? 1 : -errno;
}

/* An empty file to write to: a descriptor, or an error. *ret_there: it was there, with whatever in it. */
static int open_empty(const struct qm_tree *t, const char *path, bool *ret_there)
{
	char name[NAME_MAX + 1];
	_cleanup_close_ int dir = open_parent(t, path, name);
	int fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	*ret_there = fd < 0 && errno == EEXIST;
	if (*ret_there)
		fd = openat(dir, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int qm_tree_file(struct qm_tree *t, const char *path, const char *data, size_t len)
{
	bool there;
	int fd = open_empty(t, path, &there), r;

	if (fd < 0)
		return fd;
	r = qm_output_all(fd, data, len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r < 0 ? r : there;
}

static int copy_all(int from, int to, unsigned long long max)
{
	_cleanup_free_ char *buf = malloc(PIECE_SIZE);
	unsigned long long total = 0;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		ssize_t n = read(from, buf, PIECE_SIZE);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		total += (unsigned long long)n;
		r = total > max ? -EFBIG : qm_output_all(to, buf, (size_t)n);
		if (r < 0)
			return r;
	}
}

int qm_tree_stream(struct qm_tree *t, const char *path, int fd, unsigned long long max)
{
	bool there;
	int to = open_empty(t, path, &there), r;

	if (to < 0)
		return to;
	r = copy_all(fd, to, max);
	if (close(to) < 0 && r == 0)
		r = -errno;
	return r < 0 ? r : there;
}

int qm_tree_touch(struct qm_tree *t, const char *path)
{
	char name[NAME_MAX + 1];
	_cleanup_close_ int dir = open_parent(t, path, name);
	int fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return errno == EEXIST ? 1 : -errno;
	close(fd);
	return 0;
}

int qm_tree_mode(struct qm_tree *t, const char *path, unsigned mode)
{
	char name[NAME_MAX + 1];
	_cleanup_close_ int dir = open_parent(t, path, name);
	_cleanup_close_ int fd = -1;

	if (dir < 0)
		return dir;
	/* through a descriptor: fchmodat() would follow a link */
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, (mode & 0777) | 0400) < 0)
		return -errno;
	return 0;
}
