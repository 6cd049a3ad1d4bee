// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unfolds a text manifest into a directory tree: unfold MANIFEST|- DIR
 *
 * Fixture trees are full of links and empty directories, which neither "make dist" nor git keeps, and thousands of
 * tiny files, which take seconds to unpack with a shell. The format is described in CONTRIBUTING ("Manifests").
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
	char type;
	unsigned line;
	const char *path;
	const char *text; /* decoded, may hold NULs */
	size_t len;
};

#define DEPTH_MAX 64

/* The directory entered last stays open with all its parents: the next entry is mostly in it or near. */
struct unfold {
	const char *name; /* of the manifest, for messages */
	unsigned depth;
	int fd[DEPTH_MAX + 1]; /* fd[0] is the root, fd[i] the i-th component of dir */
	size_t end[DEPTH_MAX + 1]; /* the length of dir up to that component */
	char dir[4096];
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Decodes the escapes of s[0..len) in place: the result never grows. Returns its length, or -EINVAL. */
static ssize_t decode(char *s, size_t len)
{
	size_t in, out = 0;

	for (in = 0; in < len; in++) {
		char c = s[in];

		if (c == '\\') {
			if (++in == len)
				return -EINVAL;
			switch (s[in]) {
			case '\\':
				c = '\\';
				break;
			case 'n':
				c = '\n';
				break;
			case 't':
				c = '\t';
				break;
			case 's':
				c = ' ';
				break;
			case '0':
				c = '\0';
				break;
			case 'x':
				if (in + 2 >= len || hex_digit(s[in + 1]) < 0 || hex_digit(s[in + 2]) < 0)
					return -EINVAL;
				c = (char)(hex_digit(s[in + 1]) * 16 + hex_digit(s[in + 2]));
				in += 2;
				break;
			default:
				return -EINVAL;
			}
		}
		s[out++] = c;
	}
	s[out] = '\0'; /* out < len, or the line's own terminator stands there */
	return (ssize_t)out;
}

static bool path_is_tame(const char *path, size_t len)
{
	const char *p = path;

	if (!len || strlen(path) != len || len >= sizeof(((struct unfold *)NULL)->dir))
		return false;
	while (true) {
		size_t n = strcspn(p, "/");

		if (!n || !strncmp(p, ".", n) || (n == 2 && !strncmp(p, "..", 2)))
			return false;
		if (!p[n])
			return true;
		p += n + 1;
	}
}

/*
 * Splits one line (NUL-terminated, len bytes, changed in place) into *ret.
 * Returns 1, 0 for a blank or comment line, or -EINVAL.
 */
static int parse_line(char *line, size_t len, struct entry *ret)
{
	char *path, *text;
	size_t path_len;
	ssize_t n;

	if (!len || line[0] == '#')
		return 0;
	if (len < 3 || line[1] != ' ' || !strchr("dflmt", line[0]))
		return -EINVAL;
	path = line + 2;
	text = memchr(path, ' ', len - 2);
	if (!text != (line[0] == 'd'))
		return -EINVAL;
	path_len = text ? (size_t)(text - path) : len - 2;
	ret->type = line[0];
	ret->path = path;
	ret->text = NULL;
	ret->len = 0;
	if (text) {
		text++;
		n = decode(text, len - (size_t)(text - line));
		if (n < 0)
			return (int)n;
		ret->text = text;
		ret->len = (size_t)n;
	}
	n = decode(path, path_len);
	if (n < 0 || !path_is_tame(path, (size_t)n))
		return -EINVAL;
	return 1;
}

/* How many levels of the open directories dir (len bytes) shares. */
static unsigned shared_levels(const struct unfold *u, const char *dir, size_t len)
{
	unsigned n = 0;

	while (n < u->depth) {
		size_t end = u->end[n + 1];

		if (end > len || memcmp(u->dir, dir, end) || (end < len && dir[end] != '/'))
			break;
		n++;
	}
	return n;
}

static void leave_dirs(struct unfold *u, unsigned depth)
{
	while (u->depth > depth)
		close(u->fd[u->depth--]);
}

/* Makes dir (relative to the root; len bytes, none for the root itself) and its parents, and makes it the current one. */
static int enter_dir(struct unfold *u, const char *dir, size_t len)
{
	leave_dirs(u, shared_levels(u, dir, len));
	while (u->end[u->depth] < len) {
		size_t start = u->depth ? u->end[u->depth] + 1 : 0;
		size_t n = strcspn(dir + start, "/");
		int parent = u->fd[u->depth], fd;
		const char *part;

		if (n > len - start)
			n = len - start;
		if (u->depth == DEPTH_MAX)
			return -ENAMETOOLONG;
		memcpy(u->dir + start, dir + start, n);
		u->dir[start + n] = '\0';
		part = u->dir + start;
		fd = openat(parent, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && !mkdirat(parent, part, 0755))
			fd = openat(parent, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (start)
			u->dir[start - 1] = '/';
		u->depth++;
		u->fd[u->depth] = fd;
		u->end[u->depth] = start + n;
	}
	return 0;
}

static int make_file(struct unfold *u, const char *base, const struct entry *e)
{
	int fd = openat(u->fd[u->depth], base, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t done = 0;
	int r = 0;

	if (fd < 0)
		return -errno;
	while (!r && done < e->len) {
		ssize_t n = write(fd, e->text + done, e->len - done);

		if (n < 0)
			r = -errno;
		else
			done += (size_t)n;
	}
	if (close(fd) < 0 && !r)
		r = -errno;
	return r;
}

static int make_link(struct unfold *u, const char *base, const struct entry *e)
{
	if (strlen(e->text) != e->len || !e->len)
		return -EINVAL;
	if (!symlinkat(e->text, u->fd[u->depth], base))
		return 0;
	/* A manifest laid over another may point a link elsewhere. */
	if (errno != EEXIST || unlinkat(u->fd[u->depth], base, 0) < 0 || symlinkat(e->text, u->fd[u->depth], base) < 0)
		return -errno;
	return 0;
}

static int set_size(struct unfold *u, const char *base, const struct entry *e)
{
	char *end;
	long long size = strtoll(e->text, &end, 10);
	int fd, r;

	if (end == e->text || *end || size < 0)
		return -EINVAL;
	fd = openat(u->fd[u->depth], base, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = ftruncate(fd, size) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static int set_mode(struct unfold *u, const char *base, const struct entry *e)
{
	char *end;
	unsigned long mode = strtoul(e->text, &end, 8);
	struct stat st;

	if (end == e->text || *end || mode > 07777)
		return -EINVAL;
	if (fstatat(u->fd[u->depth], base, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -EINVAL;
	return fchmodat(u->fd[u->depth], base, (mode_t)mode, 0) < 0 ? -errno : 0;
}

static int make_entry(struct unfold *u, const struct entry *e)
{
	const char *base = strrchr(e->path, '/');
	size_t dir_len = base ? (size_t)(base - e->path) : 0;
	int r;

	if (e->type == 'd')
		return enter_dir(u, e->path, strlen(e->path));
	r = enter_dir(u, e->path, dir_len);
	if (r < 0)
		return r;
	base = base ? base + 1 : e->path;
	switch (e->type) {
	case 'f':
		return make_file(u, base, e);
	case 't':
		return set_size(u, base, e);
	case 'l':
		return make_link(u, base, e);
	default:
		return set_mode(u, base, e);
	}
}

static char *read_all(FILE *f, size_t *ret_len)
{
	size_t len = 0, cap = 0, n;
	char *buf = NULL;

	do {
		if (cap - len < 2) {
			char *p;

			cap = cap ? cap * 2 : 1 << 16;
			p = realloc(buf, cap);
			if (!p) {
				free(buf);
				return NULL;
			}
			buf = p;
		}
		n = fread(buf + len, 1, cap - len - 1, f);
		len += n;
	} while (n);
	if (ferror(f)) {
		free(buf);
		return NULL;
	}
	*ret_len = len;
	return buf;
}

/* Lines of buf (len bytes and one spare) to entries; *ret is malloc()ed. Returns their number, or -1 after a message. */
static ssize_t parse(const char *name, char *buf, size_t len, struct entry **ret)
{
	size_t nr = 0, lines = 1;
	struct entry *entries;
	unsigned line = 0;

	for (size_t i = 0; i < len; i++)
		lines += buf[i] == '\n';
	entries = calloc(lines, sizeof(*entries));
	if (!entries)
		return -1;
	for (char *p = buf; p < buf + len;) {
		char *nl = memchr(p, '\n', (size_t)(buf + len - p));
		char *end = nl ? nl : buf + len;
		int r;

		*end = '\0';
		line++;
		r = parse_line(p, (size_t)(end - p), &entries[nr]);
		if (r < 0) {
			fprintf(stderr, "unfold: %s:%u: not a manifest line\n", name, line);
			free(entries);
			return -1;
		}
		if (r)
			entries[nr++].line = line;
		p = end + 1;
	}
	*ret = entries;
	return (ssize_t)nr;
}

/* Links come after what may lie below their target, so that no path can lead through one; modes come last. */
static int make_all(struct unfold *u, const struct entry *entries, size_t nr)
{
	static const char *const passes[] = { "df", "t", "l", "m" };

	for (size_t pass = 0; pass < sizeof(passes) / sizeof(*passes); pass++) {
		for (size_t i = 0; i < nr; i++) {
			int r;

			if (!strchr(passes[pass], entries[i].type))
				continue;
			r = make_entry(u, &entries[i]);
			if (r < 0) {
				fprintf(stderr, "unfold: %s:%u: %s: %s\n", u->name, entries[i].line, entries[i].path,
					strerror(-r));
				return r;
			}
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct unfold u = { 0 };
	struct entry *entries = NULL;
	size_t len = 0;
	char *buf;
	ssize_t nr;
	FILE *f;
	int r = -1;

	if (argc != 3) {
		fputs("Usage: unfold MANIFEST|- DIR\n", stderr);
		return 2;
	}
	u.name = argv[1];
	f = strcmp(argv[1], "-") ? fopen(argv[1], "re") : stdin;
	buf = f ? read_all(f, &len) : NULL;
	if (!buf) {
		fprintf(stderr, "unfold: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	if (mkdir(argv[2], 0755) < 0 && errno != EEXIST)
		fprintf(stderr, "unfold: %s: %s\n", argv[2], strerror(errno));
	u.fd[0] = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (u.fd[0] < 0)
		fprintf(stderr, "unfold: %s: %s\n", argv[2], strerror(errno));
	nr = u.fd[0] < 0 ? -1 : parse(argv[1], buf, len, &entries);
	if (nr >= 0)
		r = make_all(&u, entries, (size_t)nr);
	free(entries);
	free(buf);
	return r < 0;
}
