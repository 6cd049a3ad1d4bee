/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small trees in a temporary directory, for tests of what reads them. Included behind unit.h.
 *
 * A tree is text, one entry a line:
 *   PATH          a file of no bytes
 *   PATH TEXT     a file of that text and a newline ("PATH " is a newline alone)
 *   PATH/         a directory
 *   PATH -> TO    a symbolic link
 * A path that starts with "c/" is below sys/devices/system/cpu, with "n/" below sys/devices/system/node.
 */
#ifndef QM_TEST_TREE_H
#define QM_TEST_TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char dir[256];
};

static inline void tree_path(const struct tree *t, const char *name, char ret[1024])
{
	const char *below = strncmp(name, "c/", 2) == 0 ? "sys/devices/system/cpu/" :
			    strncmp(name, "n/", 2) == 0 ? "sys/devices/system/node/" :
							  "";
	int n;

	n = snprintf(ret, 1024, "%s/%s%s", t->dir, below, name + (*below ? 2 : 0));
	assert_true(n > 0 && n < 1024);
}

/* Makes the directories above a path. */
static inline void tree_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

static inline void tree_raw(const struct tree *t, const char *name, const char *data, size_t len)
{
	char path[1024];
	int fd;

	tree_path(t, name, path);
	tree_parents(path);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static inline void tree_link(const struct tree *t, const char *name, const char *to)
{
	char path[1024];

	tree_path(t, name, path);
	tree_parents(path);
	unlink(path);
	assert_int_equal(symlink(to, path), 0);
}

static inline void tree_line(const struct tree *t, char *line)
{
	char *text = strchr(line, ' '), path[1024];

	if (text)
		*text++ = '\0';
	if (text && strncmp(text, "-> ", 3) == 0) {
		tree_link(t, line, text + 3);
	} else if (!text && line[strlen(line) - 1] == '/') {
		tree_path(t, line, path);
		tree_parents(path);
	} else if (!text) {
		tree_raw(t, line, "", 0);
	} else {
		size_t n = strlen(text);

		text[n] = '\n'; /* where the line's own newline was */
		tree_raw(t, line, text, n + 1);
	}
}

/* Adds to the tree, or replaces what is there. */
static inline void tree_add(const struct tree *t, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n + 1);

		assert_non_null(line);
		line[n] = '\0';
		if (n)
			tree_line(t, line);
		free(line);
		text += n + (text[n] == '\n');
	}
}

static inline void tree_remove(const struct tree *t, const char *name)
{
	char path[1024];

	tree_path(t, name, path);
	assert_int_equal(unlink(path), 0);
}

static inline void tree_make(struct tree *t, const char *text)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(t->dir, sizeof(t->dir), "%s/qmapctl-XXXXXX", tmp && strlen(tmp) < 200 ? tmp : "/tmp");
	assert_non_null(mkdtemp(t->dir));
	tree_add(t, text);
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DNR)
		chmod(path, 0700);
	return remove(path);
}

static inline void tree_done(struct tree *t)
{
	nftw(t->dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
