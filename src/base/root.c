// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/natsort.h"
#include "base/strbuf.h"

/* As many links as the kernel follows in one lookup. */
#define LINKS_MAX 40
/* A path deeper than any real one; bounds the descriptors a walk may hold. */
#define DEPTH_MAX 128
/* A lookup below a changing directory may have to be repeated (EAGAIN). */
#define AGAIN_MAX 16

#define OPEN_FILE (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define OPEN_PATH (O_PATH | O_CLOEXEC)

static int full_path(const struct qm_dir *dir, const char *name, char **ret)
{
	struct qm_strbuf b = { 0 };
	int r;

	qm_strbuf_adds(&b, dir->path);
	if (strcmp(name, ".") != 0) {
		if (b.len)
			qm_strbuf_addc(&b, '/');
		qm_strbuf_adds(&b, name);
	}
	r = qm_strbuf_take(&b, ret);
	if (r < 0)
		qm_strbuf_done(&b);
	return r;
}

static const char *error_text(int r)
{
	switch (-r) {
	case EFBIG:
		return "larger than any such file of a kernel, not read";
	case E2BIG:
		return "more entries than any such directory of a kernel, not read";
	case EXDEV:
		return "leads out of the root";
	case EMEDIUMTYPE:
		return "not a regular file, not opened";
	case EINVAL:
		return "garbled";
	case ERANGE:
		return "a number beyond what a kernel can have";
	default:
		return strerror(-r);
	}
}

/* The path to tell of. What is not told for want of memory would be missing without a word. */
static int path_to_tell(const struct qm_dir *dir, const char *name, char **ret)
{
	int r = full_path(dir, name, ret);

	if (r < 0 && dir->root->problems)
		dir->root->problems->err = r;
	return r;
}

/* Records what went wrong unless it is plain absence, and returns r with ENOTDIR folded into ENOENT. */
static int problem(const struct qm_dir *dir, const char *name, int r)
{
	_cleanup_free_ char *path = NULL;

	if (r == -ENOENT || r == -ENOTDIR)
		return -ENOENT;
	if (r == -ENOMEM) {
		/* Nothing is wrong with the file: the answer would be. */
		if (dir->root->problems)
			dir->root->problems->err = r;
		return r;
	}
	if (dir->root_only && (r == -EACCES || r == -EPERM)) {
		const struct qm_root_tap *tap = dir->root->tap;

		if (tap && tap->refused && path_to_tell(dir, name, &path) == 0)
			tap->refused(tap->arg, path);
		return r;
	}
	if (dir->root->problems && path_to_tell(dir, name, &path) == 0)
		qm_problem_addf(dir->root->problems, path, "%s", error_text(r));
	return r;
}

static int sys_openat2(int fd, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)flags,
		.resolve = resolve | RESOLVE_NO_MAGICLINKS,
	};
	int r;

	for (int i = 0; i < AGAIN_MAX; i++) {
		r = (int)syscall(SYS_openat2, fd, path, &how, sizeof(how));
		if (r >= 0 || errno != EAGAIN)
			break;
	}
	return r >= 0 ? r : -errno;
}

static int type_error(mode_t mode)
{
	return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? -EISDIR : -EMEDIUMTYPE;
}

/* The components still to be walked and the directories entered so far; fds[0] is the root's own. */
struct walk {
	struct qm_strbuf todo;
	int fds[DEPTH_MAX];
	int depth;
	int links;
};

static void walk_pop(struct walk *w, int depth)
{
	while (w->depth > depth)
		close(w->fds[w->depth--]);
}

static void walk_done(struct walk *w)
{
	walk_pop(w, 0);
	qm_strbuf_done(&w->todo);
}

/* Puts a link's target in front of what is left. */
static int walk_link(struct walk *w, int fd, const char *rest)
{
	char target[PATH_MAX];
	struct qm_strbuf todo = { 0 };
	ssize_t n;

	if (++w->links > LINKS_MAX)
		return -ELOOP;
	n = readlinkat(fd, "", target, sizeof(target));
	if (n < 0)
		return -errno;
	if ((size_t)n >= sizeof(target))
		return -ENAMETOOLONG;
	if (n > 0 && target[0] == '/')
		walk_pop(w, 0);
	qm_strbuf_add(&todo, target, (size_t)n);
	qm_strbuf_addc(&todo, '/');
	qm_strbuf_adds(&todo, rest);
	if (todo.err) {
		qm_strbuf_done(&todo);
		return -ENOMEM;
	}
	qm_strbuf_done(&w->todo);
	w->todo = todo;
	return 0;
}

/* Takes the next component off todo. Returns its length, 0 at the end. */
static size_t next_component(const char **p, const char **ret_rest)
{
	size_t n;

	*p += strspn(*p, "/");
	n = strcspn(*p, "/");
	*ret_rest = *p + n + strspn(*p + n, "/");
	return n;
}

/*
 * The lookup for kernels and sandboxes without openat2(): one component at a time, links read and resolved here, ".."
 * stopping at the root. The last component is opened only after its type was seen.
 */
static int walk_open(struct qm_root *root, const char *path, int flags)
{
	_cleanup_(walk_done) struct walk w = { .fds = { root->fd } };
	size_t at = 0;

	qm_strbuf_adds(&w.todo, path);
	for (;;) {
		char name[NAME_MAX + 1];
		_cleanup_close_ int fd = -1;
		const char *p, *rest;
		struct stat st;
		size_t n;
		int r;

		if (w.todo.err)
			return w.todo.err;
		p = qm_strbuf_str(&w.todo) + at;
		n = next_component(&p, &rest);
		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, n ? p : ".", n ? n : 1);
		name[n ? n : 1] = '\0';
		if (n && strcmp(name, "..") == 0) {
			walk_pop(&w, w.depth > 0 ? w.depth - 1 : 0);
			at = (size_t)(rest - qm_strbuf_str(&w.todo));
			continue;
		}
		fd = openat(w.fds[w.depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		r = fstat(fd, &st);
		if (r < 0)
			return -errno;
		if (S_ISLNK(st.st_mode) && !*rest && (flags & O_NOFOLLOW)) {
			if (!(flags & O_PATH))
				return -ELOOP;
			r = fd;
			fd = -1;
			return r;
		}
		if (S_ISLNK(st.st_mode)) {
			r = walk_link(&w, fd, rest);
			if (r < 0)
				return r;
			at = 0;
			continue;
		}
		if (!*rest) {
			r = (flags & (O_PATH | O_DIRECTORY)) ? 0 : type_error(st.st_mode);
			if (r < 0)
				return r;
			r = openat(w.fds[w.depth], name, flags | O_NOFOLLOW);
			return r >= 0 ? r : -errno;
		}
		if (!S_ISDIR(st.st_mode))
			return -ENOTDIR;
		if (w.depth + 1 >= DEPTH_MAX)
			return -ELOOP;
		w.fds[++w.depth] = fd;
		fd = -1;
		at = (size_t)(rest - qm_strbuf_str(&w.todo));
	}
}

/* One lookup inside the root, by whatever means there is. */
static int lookup(const struct qm_dir *dir, const char *name, int flags)
{
	_cleanup_free_ char *path = NULL;
	struct qm_root *root = dir->root;
	int r;

	if (root->live) {
		r = openat(dir->fd, name, flags);
		return r >= 0 ? r : -errno;
	}
	if (!root->no_openat2) {
		r = sys_openat2(dir->fd, name, flags, RESOLVE_BENEATH);
		if (r != -EXDEV && r != -ENOSYS && r != -EPERM)
			return r;
		if (r != -EXDEV)
			root->no_openat2 = true;
	}
	r = full_path(dir, name, &path);
	if (r < 0)
		return r;
	if (!root->no_openat2)
		return sys_openat2(root->fd, *path ? path : ".", flags, RESOLVE_IN_ROOT);
	return walk_open(root, path, flags);
}

/* The type of what a name leads to inside the root. */
static int check_regular(const struct qm_dir *dir, const char *name)
{
	struct stat st;
	int fd, r;

	fd = lookup(dir, name, OPEN_PATH);
	if (fd < 0)
		return fd;
	r = fstat(fd, &st);
	r = r < 0 ? -errno : type_error(st.st_mode);
	close(fd);
	return r;
}

/*
 * Opens a regular file and nothing else: opening a device or a pipe could already do harm. fstatat() sees what will be
 * opened only where no link is on the way, since it follows links out of the root, so the quick open refuses them all.
 */
static int open_regular(const struct qm_dir *dir, const char *name)
{
	struct stat st;
	int r;

	if (dir->root->live || dir->root->no_openat2)
		return lookup(dir, name, OPEN_FILE);
	r = fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW);
	if (r < 0 && !strchr(name, '/'))
		return -errno;
	if (r == 0 && S_ISREG(st.st_mode)) {
		int fd = sys_openat2(dir->fd, name, OPEN_FILE, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

		if (fd >= 0 || (fd != -ELOOP && fd != -EXDEV && fd != -ENOSYS && fd != -EPERM))
			return fd;
	}
	r = check_regular(dir, name);
	return r < 0 ? r : lookup(dir, name, OPEN_FILE);
}

int qm_root_open(struct qm_root *root, const char *path, bool live, struct qm_problems *problems)
{
	struct qm_root r = { .live = live, .problems = problems };

	r.fd = open(path, OPEN_DIR);
	if (r.fd < 0)
		return -errno;
	r.buf = malloc(QM_FILE_MAX + 1);
	if (!r.buf) {
		close(r.fd);
		return -ENOMEM;
	}
	*root = r;
	return 0;
}

void qm_root_close(struct qm_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	free(root->buf);
	*root = (struct qm_root){ .fd = -1 };
}

struct qm_dir qm_root_dir(struct qm_root *root)
{
	static char empty[] = "";

	return (struct qm_dir){ .root = root, .fd = root->fd, .path = empty };
}

static void tap_seen(const struct qm_dir *dir, const char *name)
{
	_cleanup_free_ char *path = NULL;
	const struct qm_root_tap *tap = dir->root->tap;

	if (tap && tap->seen && path_to_tell(dir, name, &path) == 0)
		tap->seen(tap->arg, path);
}

int qm_dir_openat(const struct qm_dir *dir, const char *name, struct qm_dir *ret)
{
	struct qm_dir d = { .root = dir->root, .root_only = dir->root_only };
	int r;

	d.fd = lookup(dir, name, OPEN_DIR);
	if (d.fd < 0)
		return problem(dir, name, d.fd);
	r = full_path(dir, name, &d.path);
	if (r < 0) {
		close(d.fd);
		return problem(dir, name, r);
	}
	tap_seen(dir, name);
	*ret = d;
	return 0;
}

int qm_dir_open(struct qm_root *root, const char *path, struct qm_dir *ret)
{
	struct qm_dir top = qm_root_dir(root);

	return qm_dir_openat(&top, path, ret);
}

void qm_dir_close(struct qm_dir *dir)
{
	/* A view from qm_root_dir() owns nothing. */
	if (dir->root && dir->fd == dir->root->fd)
		return;
	if (dir->fd >= 0 && dir->root)
		close(dir->fd);
	free(dir->path);
	*dir = (struct qm_dir){ .fd = -1 };
}

static void tap_file(const struct qm_dir *dir, const char *name, const char *data, size_t len)
{
	_cleanup_free_ char *path = NULL;
	const struct qm_root_tap *tap = dir->root->tap;

	if (tap && tap->file && path_to_tell(dir, name, &path) == 0)
		tap->file(tap->arg, path, data, len);
}

/*
 * Reads to the end. The kernel's small files come whole in one read, so a short one ends it without asking again; only
 * the live seq_files may come in page-sized pieces. A file longer than max is refused, or cut there if only its head is
 * wanted.
 */
static ssize_t read_all(const struct qm_root *root, int fd, size_t max, bool head)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, root->buf + len, max + !head - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
		if (n < 1024 || !root->live || (head && len == max))
			return (ssize_t)len;
	}
}

static int read_file(const struct qm_dir *dir, const char *name, size_t max, bool head, const char **ret_text)
{
	struct qm_root *root = dir->root;
	ssize_t n;
	int fd;

	fd = open_regular(dir, name);
	if (fd < 0)
		return problem(dir, name, fd);
	n = read_all(root, fd, max, head);
	close(fd);
	if (n < 0)
		return problem(dir, name, (int)n);
	tap_file(dir, name, root->buf, (size_t)n);
	root->buf[n] = '\0';
	*ret_text = root->buf;
	return (int)strlen(root->buf);
}

int qm_dir_read(const struct qm_dir *dir, const char *name, const char **ret_text)
{
	return read_file(dir, name, QM_FILE_MAX, false, ret_text);
}

int qm_dir_read_head(const struct qm_dir *dir, const char *name, size_t max, const char **ret_text)
{
	return read_file(dir, name, max < QM_FILE_MAX ? max : QM_FILE_MAX, true, ret_text);
}

int qm_dir_open_file(const struct qm_dir *dir, const char *name)
{
	int fd = open_regular(dir, name);

	if (fd < 0)
		return problem(dir, name, fd);
	tap_file(dir, name, "", 0);
	return fd;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int qm_dir_read_line(const struct qm_dir *dir, const char *name, char **ret)
{
	const char *text;
	size_t n;
	char *line;
	int r;

	r = qm_dir_read(dir, name, &text);
	if (r < 0)
		return r;
	n = strcspn(text, "\n");
	while (n && is_blank(text[n - 1]))
		n--;
	line = strndup(text, n);
	if (!line)
		return problem(dir, name, -ENOMEM);
	*ret = line;
	return 0;
}

int qm_dir_read_num(const struct qm_dir *dir, const char *name, long long *ret)
{
	const char *text;
	char *end;
	long long v;
	int r;

	r = qm_dir_read(dir, name, &text);
	if (r < 0)
		return r;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno)
		return problem(dir, name, -ERANGE);
	r = end == text ? -EINVAL : 0;
	while (is_blank(*end))
		end++;
	if (r < 0 || *end)
		return problem(dir, name, -EINVAL);
	*ret = v;
	return 0;
}

int qm_dir_read_cpulist(const struct qm_dir *dir, const char *name, struct qm_cpuset *ret)
{
	const char *text;
	int r;

	r = qm_dir_read(dir, name, &text);
	if (r < 0)
		return r;
	r = qm_cpuset_parse_list(text, -1, ret);
	return r < 0 ? problem(dir, name, r) : 0;
}

int qm_dir_read_cpumask(const struct qm_dir *dir, const char *name, struct qm_cpuset *ret)
{
	const char *text;
	int r;

	r = qm_dir_read(dir, name, &text);
	if (r < 0)
		return r;
	r = qm_cpuset_parse_mask(text, ret);
	return r < 0 ? problem(dir, name, r) : 0;
}

void qm_names_done(struct qm_names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->v[i]);
	free(n->v);
	*n = (struct qm_names){ 0 };
}

static int add_name(struct qm_names *names, const char *name)
{
	int r;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (names->n >= QM_DIR_MAX)
		return -E2BIG;
	r = qm_array_grow(&names->v, &names->cap, names->n + 1, sizeof(*names->v));
	if (r < 0)
		return r;
	names->v[names->n] = strdup(name);
	if (!names->v[names->n])
		return -ENOMEM;
	names->n++;
	return 0;
}

/* What getdents64() fills in; not all of it is looked at. */
struct dir_entry {
	/* cppcheck-suppress unusedStructMember */
	uint64_t ino;
	/* cppcheck-suppress unusedStructMember */
	int64_t off;
	unsigned short len;
	/* cppcheck-suppress unusedStructMember */
	unsigned char type;
	char name[];
};

/* By the system call: opendir() would add a stat and more to every directory. */
static int read_names(int fd, bool (*leave_out)(const char *name), struct qm_names *names)
{
	_Alignas(struct dir_entry) char buf[32768];

	for (;;) {
		long n = syscall(SYS_getdents64, fd, buf, sizeof(buf));

		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		for (long at = 0; at < n;) {
			const struct dir_entry *e = (const struct dir_entry *)(buf + at);
			int r = leave_out && leave_out(e->name) ? 0 : add_name(names, e->name);

			if (r < 0)
				return r;
			at += e->len;
		}
	}
}

int qm_dir_names_but(const struct qm_dir *dir, const char *name, bool (*leave_out)(const char *name), struct qm_names *ret)
{
	_cleanup_free_ char *path = NULL;
	const struct qm_root_tap *tap = dir->root->tap;
	struct qm_names names = { 0 };
	int fd, r;

	fd = lookup(dir, name, OPEN_DIR);
	if (fd < 0)
		return problem(dir, name, fd);
	r = read_names(fd, leave_out, &names);
	close(fd);
	if (r < 0) {
		qm_names_done(&names);
		return problem(dir, name, r);
	}
	if (tap && tap->dir && path_to_tell(dir, name, &path) == 0)
		tap->dir(tap->arg, path);
	if (names.n > 1)
		qsort(names.v, names.n, sizeof(*names.v), qm_natcmp_ptr);
	*ret = names;
	return 0;
}

int qm_dir_names(const struct qm_dir *dir, const char *name, struct qm_names *ret)
{
	return qm_dir_names_but(dir, name, NULL, ret);
}

int qm_dir_link(const struct qm_dir *dir, const char *name, char **ret)
{
	_cleanup_free_ char *path = NULL;
	const struct qm_root_tap *tap = dir->root->tap;
	_cleanup_close_ int fd = -1;
	char target[PATH_MAX];
	const char *slash = strrchr(name, '/');
	ssize_t n;
	char *copy;

	/* The parent is looked up inside the root; reading the link itself follows nothing. */
	if (slash && !dir->root->live) {
		_cleanup_free_ char *parent = strndup(name, (size_t)(slash - name));

		if (!parent)
			return problem(dir, name, -ENOMEM);
		fd = lookup(dir, parent, OPEN_PATH);
		if (fd < 0)
			return problem(dir, name, fd);
		n = readlinkat(fd, slash + 1, target, sizeof(target));
	} else {
		n = readlinkat(dir->fd, name, target, sizeof(target));
	}
	if (n < 0)
		return errno == EINVAL ? -EINVAL : problem(dir, name, -errno);
	if ((size_t)n >= sizeof(target))
		return problem(dir, name, -ENAMETOOLONG);
	copy = strndup(target, (size_t)n);
	if (!copy)
		return problem(dir, name, -ENOMEM);
	if (tap && tap->link && path_to_tell(dir, name, &path) == 0)
		tap->link(tap->arg, path, copy);
	*ret = copy;
	return 0;
}

int qm_dir_link_base(const struct qm_dir *dir, const char *name, char **ret)
{
	_cleanup_free_ char *target = NULL;
	char *base;
	int r;

	r = qm_dir_link(dir, name, &target);
	if (r < 0)
		return r;
	base = strdup(qm_path_base(target));
	if (!base)
		return problem(dir, name, -ENOMEM);
	*ret = base;
	return 0;
}

int qm_dir_exists(const struct qm_dir *dir, const char *name)
{
	int fd;

	if (dir->root->live) {
		struct stat st;
		int r = fstatat(dir->fd, name, &st, 0);

		fd = r < 0 ? -errno : 0;
	} else {
		fd = lookup(dir, name, OPEN_PATH);
		if (fd >= 0) {
			close(fd);
			fd = 0;
		}
	}
	if (fd == 0) {
		tap_seen(dir, name);
		return 1;
	}
	fd = problem(dir, name, fd);
	return fd == -ENOENT ? 0 : fd;
}

/* Opens an existing regular file for writing, never through a link at the end of the name. */
static int open_for_write(const struct qm_dir *dir, const char *name)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct stat st;
	int fd, r;

	/* The type is seen before the file is opened: opening a device or a pipe could already do harm. */
	fd = lookup(dir, name, OPEN_PATH | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	r = fstat(fd, &st);
	r = r < 0 ? -errno : 0;
	close(fd);
	if (r < 0)
		return r;
	if (!S_ISREG(st.st_mode))
		return S_ISLNK(st.st_mode) ? -ELOOP : -EMEDIUMTYPE;
	return lookup(dir, name, flags);
}

int qm_dir_write(const struct qm_dir *dir, const char *name, const char *data, size_t len)
{
	_cleanup_close_ int fd = -1;
	ssize_t n;
	int r;

	fd = open_for_write(dir, name);
	if (fd < 0)
		return fd;
	do
		n = write(fd, data, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n != len)
		return -EIO;
	if (dir->root->live)
		return 0;
	r = ftruncate(fd, (off_t)len);
	return r < 0 ? -errno : 0;
}

static void tap_mode(const struct qm_dir *dir, const char *name, unsigned mode)
{
	_cleanup_free_ char *path = NULL;
	const struct qm_root_tap *tap = dir->root->tap;

	if (tap && tap->mode && path_to_tell(dir, name, &path) == 0)
		tap->mode(tap->arg, path, mode);
}

int qm_dir_mode(const struct qm_dir *dir, const char *name)
{
	const char *slash = strrchr(name, '/');
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	/* As for links: the parent is looked up inside the root, the entry itself is not followed. */
	if (slash && !dir->root->live) {
		_cleanup_free_ char *parent = strndup(name, (size_t)(slash - name));

		if (!parent)
			return problem(dir, name, -ENOMEM);
		fd = lookup(dir, parent, OPEN_PATH);
		if (fd < 0)
			return problem(dir, name, fd);
		r = fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW);
	} else {
		r = fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW);
	}
	if (r < 0)
		return problem(dir, name, -errno);
	tap_mode(dir, name, st.st_mode & 07777);
	return (int)(st.st_mode & 07777);
}

int qm_path_join(const char *base, const char *rel, char **ret)
{
	struct qm_strbuf b = { 0 };
	int r;

	for (int part = rel[0] == '/' ? 1 : 0; part < 2; part++) {
		const char *p = part ? rel : base, *rest;
		size_t n;

		for (n = next_component(&p, &rest); n; p = rest, n = next_component(&p, &rest)) {
			if (n == 1 && p[0] == '.')
				continue;
			if (n == 2 && p[0] == '.' && p[1] == '.') {
				while (b.len && b.s[b.len - 1] != '/')
					b.len--;
				if (b.len)
					b.len--;
				if (b.s)
					b.s[b.len] = '\0';
				continue;
			}
			if (b.len)
				qm_strbuf_addc(&b, '/');
			qm_strbuf_add(&b, p, n);
		}
	}
	r = qm_strbuf_take(&b, ret);
	if (r < 0)
		qm_strbuf_done(&b);
	return r;
}

const char *qm_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
