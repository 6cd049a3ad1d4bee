// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: copies what qmapctl reads into a tree for --sysroot. It listens to a normal reading, so it copies exactly those
 * files; links are copied as links and files where they really are, so the tree is built as its source is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/tree.h"
#include "cmd/cmd.h"
#include "cmd/redact.h"
#include "machine/interrupts.h"
#include "out/results.h"

struct capture_options {
	bool redact;
};

static const struct qm_option options[] = {
	{ .name = "redact", .help = "replace serials, NQNs, names and addresses, the same by the same",
	  .offset = offsetof(struct capture_options, redact), .kind = QM_OPTION_FLAG, .group = QM_GROUP_COMMAND },
	{ 0 },
};

/* Set when all is written: a file that may not be written could not be written again. */
struct mode {
	char *path;
	unsigned mode;
};

struct capture {
	struct qm_root root;  /* the source once more, for looking at links without being listened to */
	struct qm_tree tree;
	struct qm_redact redact;
	struct qm_capture_result res;
	struct qm_problems refused;
	struct mode *modes;
	size_t n_modes, cap_modes;
	char *last, *last_real; /* the directory resolved last: files come directory by directory */
	int err;              /* the first failure to write */
};

/* As many links as the kernel follows in one lookup. */
#define LINKS_MAX 40

static void keep_error(struct capture *c, const char *path, int r)
{
	if (r >= 0 || c->err)
		return;
	c->err = r;
	qm_error("%s/%s: %s", c->res.dir, path, qm_strerror(r));
}

static int add_link(struct capture *c, const char *path, const char *target)
{
	int r = qm_tree_link(&c->tree, path, target);

	c->res.links += r == 0;
	return r < 0 ? r : 0;
}

/* Copies the links in a directory's path and gives the path without them; *ret is a new string, "" for the root. */
static int resolve_dir(struct capture *c, const char *path, char **ret)
{
	struct qm_dir top = qm_root_dir(&c->root);
	char *left = strdup(path), *real = strdup("");
	int links = 0, r = left && real ? 0 : -ENOMEM;

	while (r == 0 && *left) {
		_cleanup_free_ char *name = strndup(left, strcspn(left, "/")), *next = NULL, *target = NULL;
		const char *rest = left + strcspn(left, "/");
		char *joined = NULL;

		rest += strspn(rest, "/");
		r = name ? qm_path_join(real, name, &next) : -ENOMEM;
		if (r == 0)
			r = qm_dir_link(&top, next, &target);
		if (r == 0) { /* a link: go on from where it leads */
			_cleanup_free_ char *to = NULL;

			r = ++links > LINKS_MAX ? -ELOOP : add_link(c, next, target);
			if (r == 0)
				r = qm_path_join(real, target, &to);
			if (r == 0)
				r = qm_path_join(to, rest, &joined);
			if (!joined)
				break;
			free(left);
			left = joined;
			free(real);
			real = strdup("");
			r = real ? 0 : -ENOMEM;
		} else if (r == -EINVAL) {
			joined = strdup(rest);
			free(left);
			left = joined;
			free(real);
			real = next;
			next = NULL;
			r = left && real ? 0 : -ENOMEM;
		}
	}
	free(left);
	if (r < 0)
		free(real);
	else
		*ret = real;
	return r;
}

/* Where a path's last component really is. */
static int resolve(struct capture *c, const char *path, char **ret)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *parent = strndup(path, slash ? (size_t)(slash - path) : 0);

	if (!parent)
		return -ENOMEM;
	if (!c->last || strcmp(c->last, parent) != 0) {
		char *real;
		int r = resolve_dir(c, parent, &real);

		if (r < 0)
			return r;
		free(c->last);
		free(c->last_real);
		c->last = parent;
		c->last_real = real;
		parent = NULL;
	}
	return qm_path_join(c->last_real, slash ? slash + 1 : path, ret);
}

static void copy_link(void *arg, const char *path, const char *target)
{
	struct capture *c = arg;
	_cleanup_free_ char *real = NULL;
	int r = c->err ? c->err : resolve(c, path, &real);

	if (r == 0)
		r = add_link(c, real, target);
	keep_error(c, path, r);
}

static int write_file(struct capture *c, const char *path, const char *real, const char *data, size_t len)
{
	_cleanup_free_ char *instead = NULL;
	size_t instead_len = 0;
	int r = 0;

	if (c->res.redacted)
		r = qm_redact_file(&c->redact, path, data, len, &instead, &instead_len);
	if (r == 0)
		r = qm_tree_file(&c->tree, real, instead ? instead : data, instead ? instead_len : len);
	c->res.files += r == 0;
	return r < 0 ? r : 0;
}

/* A file may be read through a link of its own. */
static int resolve_file(struct capture *c, const char *path, char **ret)
{
	struct qm_dir top = qm_root_dir(&c->root);
	_cleanup_free_ char *target = NULL;
	int r = resolve(c, path, ret);

	if (r < 0 || qm_dir_link(&top, *ret, &target) < 0)
		return r;
	free(*ret);
	*ret = NULL;
	return resolve_dir(c, path, ret);
}

static void copy_file(void *arg, const char *path, const char *data, size_t len)
{
	struct capture *c = arg;
	_cleanup_free_ char *real = NULL;
	int r = c->err ? c->err : resolve_file(c, path, &real);

	if (r == 0)
		r = write_file(c, path, real, data, len);
	keep_error(c, path, r);
}

static int make_dir(struct capture *c, const char *real)
{
	int r = *real ? qm_tree_dir(&c->tree, real) : 1;

	c->res.dirs += r == 0;
	return r < 0 ? r : 0;
}

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

/* A name in a directory that was listed: what it is, but not what it holds. A file named by a number tells that number. */
static int copy_name(struct capture *c, const char *dir, const char *name)
{
	struct qm_dir top = qm_root_dir(&c->root), child = { .fd = -1 };
	_cleanup_free_ char *path = NULL, *target = NULL;
	int r = qm_path_join(dir, name, &path);

	if (r < 0)
		return r;
	r = qm_dir_link(&top, path, &target);
	if (r == 0)
		return add_link(c, path, target);
	if (r != -EINVAL)
		return r == -ENOMEM ? r : 0; /* gone meanwhile */
	r = qm_dir_openat(&top, path, &child);
	if (r == 0) {
		qm_dir_close(&child);
		return make_dir(c, path);
	}
	if (r == -ENOENT && is_number(name)) {
		r = qm_tree_touch(&c->tree, path);
		c->res.files += r == 0;
		return r < 0 ? r : 0;
	}
	return r == -ENOMEM ? r : 0;
}

static void copy_dir(void *arg, const char *path)
{
	struct capture *c = arg;
	struct qm_dir top = qm_root_dir(&c->root);
	_cleanup_free_ char *real = NULL;
	struct qm_names names = { 0 };
	int r = c->err ? c->err : resolve_dir(c, path, &real);

	if (r == 0)
		r = make_dir(c, real);
	/* processes are no part of the machine; those that matter have a file that was read */
	if (r == 0 && strcmp(path, "proc") != 0 && qm_dir_names(&top, real, &names) == 0) {
		for (size_t i = 0; r == 0 && i < names.n; i++)
			r = copy_name(c, real, names.v[i]);
	}
	qm_names_done(&names);
	keep_error(c, path, r);
}

/* Found, and no more: a directory, or a file that counts by being there. */
static void copy_seen(void *arg, const char *path)
{
	struct capture *c = arg;
	struct qm_dir top = qm_root_dir(&c->root), dir = { .fd = -1 };
	_cleanup_free_ char *real = NULL;
	int r = c->err ? c->err : resolve_dir(c, path, &real);

	if (r < 0 || !*real) {
		keep_error(c, path, r);
		return;
	}
	r = qm_dir_openat(&top, real, &dir);
	if (r == 0) {
		qm_dir_close(&dir);
		r = make_dir(c, real);
	} else {
		r = qm_tree_touch(&c->tree, real);
		c->res.files += r == 0;
	}
	keep_error(c, path, r);
}

/* Whether a file may be written tells managed interrupts from others. */
static void note_mode(void *arg, const char *path, unsigned mode)
{
	struct capture *c = arg;
	char *real = NULL;
	int r = c->err ? c->err : resolve(c, path, &real);

	if (r == 0)
		r = qm_tree_touch(&c->tree, real);
	c->res.files += r == 0;
	if (r >= 0)
		r = qm_array_grow(&c->modes, &c->cap_modes, c->n_modes + 1, sizeof(*c->modes));
	if (r < 0) {
		free(real);
		keep_error(c, path, r);
		return;
	}
	c->modes[c->n_modes++] = (struct mode){ real, mode };
}

static void set_modes(struct capture *c)
{
	for (size_t i = 0; !c->err && i < c->n_modes; i++)
		keep_error(c, c->modes[i].path, qm_tree_mode(&c->tree, c->modes[i].path, c->modes[i].mode));
}

static void note_refused(void *arg, const char *path)
{
	struct capture *c = arg;

	qm_problem_addf(&c->refused, path, "only root may read it");
}

/*
 * Who took which interrupt: megabytes on large machines, so it is read only where counts are asked for, as they may be of
 * the copy. There is nothing to redact in it but what the directories in proc/irq are named, too.
 */
static void copy_interrupts(struct capture *c)
{
	const char *path = QM_INTERRUPTS_PATH;
	struct qm_dir top = qm_root_dir(&c->root);
	_cleanup_close_ int fd = qm_dir_open_file(&top, path);
	_cleanup_free_ char *real = NULL;
	int r;

	if (fd < 0)
		return;
	r = c->err ? c->err : resolve_file(c, path, &real);
	if (r == 0)
		r = qm_tree_stream(&c->tree, real, fd, QM_INTERRUPTS_MAX);
	c->res.files += r == 0;
	keep_error(c, path, r);
}

static int capture(struct qm_run *run, struct capture *c)
{
	struct qm_root_tap tap = { .file = copy_file, .link = copy_link, .dir = copy_dir, .seen = copy_seen,
				   .refused = note_refused, .mode = note_mode, .arg = c };
	int r = qm_root_open(&c->root, run->g.sysroot ? run->g.sysroot : "/", !run->g.sysroot, NULL);

	if (r < 0) {
		c->root.fd = -1;
		qm_error("%s: %s", run->g.sysroot ? run->g.sysroot : "/", qm_strerror(r));
		return QM_SAID;
	}
	r = qm_tree_open(run->args[0], &c->tree);
	if (r == -ENOTEMPTY)
		qm_error("%s: not empty, a capture needs a directory of its own", run->args[0]);
	else if (r < 0)
		qm_error("%s: %s", run->args[0], qm_strerror(r));
	if (r < 0)
		return QM_SAID;
	run->tap = &tap;
	r = qm_source_open(run, QM_READ_DEVICES | QM_READ_IRQS | QM_READ_IRQ_DETAIL | QM_READ_IRQBALANCE);
	run->tap = NULL;
	run->root.tap = NULL;
	if (r == 0) {
		copy_interrupts(c);
		set_modes(c);
	}
	if (r < 0 || c->err)
		return r < 0 ? r : QM_SAID;
	c->res.refused = &c->refused;
	return run->out.face->capture(&run->out, &c->res);
}

static int capture_run(struct qm_run *run)
{
	const struct capture_options *opt = run->opt;
	struct capture c = { .root.fd = -1, .tree.fd = -1 };
	int r;

	if (run->n_args != 1)
		return qm_usage_error(run, "capture needs one directory to write to");
	if (run->g.topology || run->g.synthetic || run->g.demo)
		return qm_usage_error(run, "there are no files to copy but in a machine: this one or --sysroot");
	if (run->g.kernel || run->g.online || run->g.offline || run->g.isolcpus || run->g.nohz_full)
		return qm_usage_error(run, "a capture is of what is: --kernel, --online, --offline, --isolcpus and "
				      "--nohz-full do not go with it");
	c.res.dir = run->args[0];
	c.res.redacted = opt->redact;
	r = capture(run, &c);
	if (c.root.fd >= 0)
		qm_root_close(&c.root);
	qm_tree_close(&c.tree);
	qm_redact_done(&c.redact);
	qm_problems_done(&c.refused);
	for (size_t i = 0; i < c.n_modes; i++)
		free(c.modes[i].path);
	free(c.modes);
	free(c.last);
	free(c.last_real);
	return r;
}

const struct qm_command qm_command_capture = {
	.name = "capture",
	.summary = "copies what qmapctl reads into a directory for --sysroot",
	.operands = "DIR",
	.complete = QM_COMPLETE_DIR,
	.example = "qmapctl capture --redact /tmp/machine",
	.example_help = "a machine to send with a report; look at it first with 'qmapctl audit -s'",
	.options = options,
	.options_size = sizeof(struct capture_options),
	.run = capture_run,
};
