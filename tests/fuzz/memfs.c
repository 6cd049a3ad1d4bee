// SPDX-License-Identifier: GPL-2.0-or-later
#include "memfs.h"
/* The kernel's, for what is not in memory. */
#undef open
#undef close

#include <errno.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define NODES_MAX 8192
#define TEXT_MAX (256 * 1024)
#define FDS_MAX 1024
/* Beyond all that the kernel gives. */
#define FD_FIRST (1 << 20)
#define LINKS_MAX 40

struct node {
	unsigned parent, child, sibling; /* 0: none; the root is nobody's child */
	mode_t type;
	const char *name, *data; /* data: the text of a file, the target of a link */
	size_t len;
};

struct descriptor {
	bool used;
	unsigned node;
	unsigned next; /* of a directory that is read: the entry to come */
	size_t at; /* of a file */
};

static struct {
	struct node nodes[NODES_MAX];
	unsigned n_nodes;
	char text[TEXT_MAX];
	size_t n_text;
	struct descriptor fds[FDS_MAX];
	unsigned n_fds; /* none above this was ever open */
	bool openat2;
} fs;

void memfs_reset(bool openat2)
{
	fs.n_nodes = 1;
	fs.nodes[0] = (struct node){ .type = S_IFDIR, .name = "" };
	fs.n_text = 0;
	memset(fs.fds, 0, fs.n_fds * sizeof(fs.fds[0]));
	fs.n_fds = 0;
	fs.openat2 = openat2;
}

unsigned memfs_n_open(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fs.n_fds; i++)
		n += fs.fds[i].used;
	return n;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static struct descriptor *descriptor(int fd)
{
	unsigned i = (unsigned)fd - FD_FIRST;

	return fd >= FD_FIRST && i < fs.n_fds && fs.fds[i].used ? &fs.fds[i] : NULL;
}

static int new_descriptor(unsigned node)
{
	for (unsigned i = 0; i < FDS_MAX; i++) {
		if (fs.fds[i].used)
			continue;
		fs.fds[i] = (struct descriptor){ .used = true, .node = node, .next = fs.nodes[node].child };
		if (i >= fs.n_fds)
			fs.n_fds = i + 1;
		return FD_FIRST + (int)i;
	}
	return fail(EMFILE);
}

static const char *keep(const char *data, size_t len)
{
	char *copy = fs.text + fs.n_text;

	if (len >= TEXT_MAX - fs.n_text)
		return NULL;
	memcpy(copy, data, len);
	copy[len] = '\0';
	fs.n_text += len + 1;
	return copy;
}

static unsigned find_child(unsigned dir, const char *name, size_t len)
{
	unsigned i = fs.nodes[dir].child;

	while (i && (strncmp(fs.nodes[i].name, name, len) != 0 || fs.nodes[i].name[len]))
		i = fs.nodes[i].sibling;
	return i;
}

static int add_child(int dir, const char *name, mode_t type, const char *data, size_t len, unsigned *ret)
{
	const struct descriptor *d = descriptor(dir);
	struct node *n = &fs.nodes[fs.n_nodes];

	if (!d)
		return fail(EBADF);
	if (fs.nodes[d->node].type != S_IFDIR)
		return fail(ENOTDIR);
	if (find_child(d->node, name, strlen(name)))
		return fail(EEXIST);
	if (fs.n_nodes == NODES_MAX)
		return fail(ENOSPC);
	*n = (struct node){ .parent = d->node, .sibling = fs.nodes[d->node].child, .type = type, .len = len,
			    .name = keep(name, strlen(name)), .data = keep(data, len) };
	if (!n->name || !n->data)
		return fail(ENOSPC);
	fs.nodes[d->node].child = fs.n_nodes;
	*ret = fs.n_nodes++;
	return 0;
}

/* A lookup as the kernel does it, with openat2()'s restrictions. Absolute links end nowhere but in RESOLVE_IN_ROOT. */
static int find(unsigned start, const char *path, bool follow, uint64_t resolve, unsigned *ret)
{
	static char left[2 * PATH_MAX], rest[PATH_MAX];
	unsigned at = start, links = 0;
	const char *p = left;

	if (strlen(path) >= PATH_MAX)
		return fail(ENAMETOOLONG);
	strcpy(left, path);
	for (;;) {
		const struct node *dir = &fs.nodes[at];
		unsigned next;
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len == 0)
			break;
		if (dir->type != S_IFDIR)
			return fail(ENOTDIR);
		if (len == 2 && p[0] == '.' && p[1] == '.') {
			if (at == start && (resolve & RESOLVE_BENEATH))
				return fail(EXDEV);
			next = at == start && (resolve & RESOLVE_IN_ROOT) ? at : dir->parent;
		} else {
			next = len == 1 && p[0] == '.' ? at : find_child(at, p, len);
			if (!next && !(len == 1 && p[0] == '.'))
				return fail(len > NAME_MAX ? ENAMETOOLONG : ENOENT);
		}
		p += len;
		if (fs.nodes[next].type == S_IFLNK && (*p || follow)) {
			const struct node *link = &fs.nodes[next];

			if (++links > LINKS_MAX || (resolve & RESOLVE_NO_SYMLINKS))
				return fail(ELOOP);
			if (link->len == 0 || (link->data[0] == '/' && !(resolve & (RESOLVE_IN_ROOT | RESOLVE_BENEATH))))
				return fail(ENOENT);
			if (link->data[0] == '/' && (resolve & RESOLVE_BENEATH))
				return fail(EXDEV);
			if (strlen(p) >= sizeof(rest) || link->len >= PATH_MAX)
				return fail(ENAMETOOLONG);
			strcpy(rest, p);
			memcpy(left, link->data, link->len + 1);
			strcat(left, rest);
			at = link->data[0] == '/' ? start : at;
			p = left;
			continue;
		}
		at = next;
	}
	*ret = at;
	return 0;
}

static int open_node(unsigned node, int flags)
{
	mode_t type = fs.nodes[node].type;

	if ((flags & O_DIRECTORY) && type != S_IFDIR)
		return fail(ENOTDIR);
	if (type == S_IFLNK && !(flags & O_PATH))
		return fail(ELOOP);
	return new_descriptor(node);
}

int memfs_open(const char *path, int flags, ...)
{
	return strcmp(path, "memfs") == 0 ? new_descriptor(0) : open(path, flags, 0600);
}

int memfs_openat(int dir, const char *path, int flags, ...)
{
	const struct descriptor *d = descriptor(dir);
	unsigned node;
	int r;

	if (!d)
		return fail(EBADF);
	r = find(d->node, path, !(flags & O_NOFOLLOW), 0, &node);
	if (r < 0 && errno == ENOENT && (flags & O_CREAT))
		r = add_child(dir, path, S_IFREG, "", 0, &node);
	return r < 0 ? r : open_node(node, flags);
}

int memfs_close(int fd)
{
	struct descriptor *d = descriptor(fd);

	if (!d)
		return fd >= FD_FIRST ? fail(EBADF) : close(fd);
	d->used = false;
	return 0;
}

int memfs_dup(int fd)
{
	const struct descriptor *d = descriptor(fd);

	return d ? new_descriptor(d->node) : fail(EBADF);
}

ssize_t memfs_read(int fd, void *buf, size_t len)
{
	struct descriptor *d = descriptor(fd);
	const struct node *n = d ? &fs.nodes[d->node] : NULL;

	if (!d)
		return fail(EBADF);
	if (n->type == S_IFDIR)
		return fail(EISDIR);
	if (len > n->len - d->at)
		len = n->len - d->at;
	memcpy(buf, n->data + d->at, len);
	d->at += len;
	return (ssize_t)len;
}

/* At the end. */
ssize_t memfs_write(int fd, const void *buf, size_t len)
{
	const struct descriptor *d = descriptor(fd);
	struct node *n = d ? &fs.nodes[d->node] : NULL;
	char *data = fs.text + fs.n_text;

	if (!d)
		return fail(EBADF);
	if (n->len + len >= TEXT_MAX - fs.n_text)
		return fail(ENOSPC);
	memcpy(data, n->data, n->len);
	memcpy(data + n->len, buf, len);
	fs.n_text += n->len + len;
	n->data = data;
	n->len += len;
	return (ssize_t)len;
}

static void stat_node(unsigned node, struct stat *st)
{
	mode_t type = fs.nodes[node].type;

	*st = (struct stat){ .st_ino = node + 1, .st_mode = type | (type == S_IFREG ? 0644 : 0755),
			     .st_size = (off_t)fs.nodes[node].len };
}

int memfs_fstat(int fd, struct stat *st)
{
	const struct descriptor *d = descriptor(fd);

	if (!d)
		return fail(EBADF);
	stat_node(d->node, st);
	return 0;
}

int memfs_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	const struct descriptor *d = descriptor(dir);
	unsigned node;
	int r;

	if (!d)
		return fail(EBADF);
	r = find(d->node, path, !(flags & AT_SYMLINK_NOFOLLOW), 0, &node);
	if (r < 0)
		return r;
	stat_node(node, st);
	return 0;
}

ssize_t memfs_readlinkat(int dir, const char *path, char *buf, size_t len)
{
	const struct descriptor *d = descriptor(dir);
	unsigned node;
	int r;

	if (!d)
		return fail(EBADF);
	r = find(d->node, path, false, 0, &node);
	if (r < 0)
		return r;
	if (fs.nodes[node].type != S_IFLNK)
		return fail(EINVAL);
	if (len > fs.nodes[node].len)
		len = fs.nodes[node].len;
	memcpy(buf, fs.nodes[node].data, len);
	return (ssize_t)len;
}

int memfs_mkdirat(int dir, const char *path, mode_t mode)
{
	unsigned node;

	(void)mode;
	return add_child(dir, path, S_IFDIR, "", 0, &node);
}

int memfs_symlinkat(const char *target, int dir, const char *path)
{
	unsigned node;

	return add_child(dir, path, S_IFLNK, target, strlen(target), &node);
}

/* As linux/dirent.h has it. */
struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

static long get_entries(struct descriptor *d, char *buf, size_t len)
{
	size_t at = 0;

	if (fs.nodes[d->node].type != S_IFDIR)
		return fail(ENOTDIR);
	while (d->next) {
		const struct node *n = &fs.nodes[d->next];
		size_t need = (offsetof(struct entry, name) + strlen(n->name) + 1 + 7) & ~(size_t)7;
		struct entry e = { .ino = d->next + 1u, .len = (unsigned short)need };

		if (need > len - at)
			break;
		memcpy(buf + at, &e, offsetof(struct entry, name));
		strcpy(buf + at + offsetof(struct entry, name), n->name);
		at += need;
		d->next = n->sibling;
	}
	return (long)at;
}

long memfs_syscall(long number, int fd, ...)
{
	struct descriptor *d = descriptor(fd);
	const struct open_how *how;
	const char *path;
	unsigned node;
	va_list ap;
	char *buf;

	va_start(ap, fd);
	path = buf = va_arg(ap, char *);
	how = number == SYS_openat2 ? va_arg(ap, const struct open_how *) : NULL;
	va_end(ap);
	if (!d)
		return fail(EBADF);
	if (number == SYS_getdents64)
		return get_entries(d, buf, 32768);
	if (number != SYS_openat2 || !fs.openat2)
		return fail(ENOSYS);
	if (find(d->node, path, !(how->flags & O_NOFOLLOW), how->resolve, &node) < 0)
		return -1;
	return open_node(node, (int)how->flags);
}
