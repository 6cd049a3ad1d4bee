// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/natsort.h"
#include "base/strbuf.h"

/* As many links as the kernel follows in one lookup. */
#define LINKS_MAX 40
/* More of a mount table is not read. */
#define MOUNTS_MAX (16 * 1024 * 1024)

struct resolver {
	struct qm_dir top; /* fd -1: a source without files */
	const struct qm_machine *m;
	bool *seen; /* per disk */
	bool *hit;  /* per controller */
	size_t *todo, n_todo;
};

/* ---- from disks to controllers ---- */

static int compare_to_disk(const void *key, const void *element)
{
	const struct qm_disk *d = element;

	return qm_natcmp(key, d->name);
}

static void add_disk(struct resolver *x, const struct qm_disk *d)
{
	size_t i = (size_t)(d - x->m->disks);

	if (!x->seen[i]) {
		x->seen[i] = true;
		x->todo[x->n_todo++] = i;
	}
}

static const struct qm_disk *find_disk(const struct qm_machine *m, const char *name)
{
	return m->n_disks ? bsearch(name, m->disks, m->n_disks, sizeof(*m->disks), compare_to_disk) : NULL;
}

/* Everything the disks stand on; what hostile links turn into a circle is visited once. */
static void descend(struct resolver *x)
{
	while (x->n_todo) {
		const struct qm_disk *d = &x->m->disks[x->todo[--x->n_todo]];

		if (d->controller >= 0)
			x->hit[d->controller] = true;
		for (size_t i = 0; i < d->n_below; i++) {
			const struct qm_disk *below = find_disk(x->m, d->below[i]);

			if (below)
				add_disk(x, below);
		}
	}
}

/* ---- names ---- */

static int by_controller(struct resolver *x, const char *name)
{
	for (size_t i = 0; i < x->m->n_controllers; i++) {
		if (strcmp(x->m->controllers[i].name, name) == 0) {
			x->hit[i] = true;
			return 0;
		}
	}
	return -ENOENT;
}

/* "nvme0n1p2", "sda3" on a source that lists whole disks only. */
static int by_partition(struct resolver *x, const char *name)
{
	_cleanup_free_ char *whole = strdup(name);
	struct qm_strbuf path = { 0 };
	const struct qm_disk *d;
	size_t n;
	int r;

	if (!whole)
		return -ENOMEM;
	n = strlen(whole);
	while (n && whole[n - 1] >= '0' && whole[n - 1] <= '9')
		n--;
	if (n == strlen(whole) || !n || x->top.fd < 0)
		return -ENOENT;
	if (n > 1 && whole[n - 1] == 'p' && whole[n - 2] >= '0' && whole[n - 2] <= '9')
		n--;
	whole[n] = '\0';
	d = find_disk(x->m, whole);
	if (!d)
		return -ENOENT;
	qm_strbuf_addf(&path, "%s/%s/partition", d->syspath, name);
	r = path.err ? path.err : qm_dir_exists(&x->top, path.s);
	qm_strbuf_done(&path);
	if (r <= 0)
		return r == -ENOMEM ? r : -ENOENT;
	add_disk(x, d);
	return 0;
}

/* A disk's name, as in /sys or below /dev: the two differ in names with slashes ("cciss/c0d0"). */
static int by_disk(struct resolver *x, const char *name)
{
	_cleanup_free_ char *sys = strdup(name);
	const struct qm_disk *d;

	if (!sys)
		return -ENOMEM;
	for (char *p = strchr(sys, '/'); p; p = strchr(p, '/'))
		*p = '!';
	d = find_disk(x->m, sys);
	if (!d)
		return by_partition(x, sys);
	add_disk(x, d);
	return 0;
}

/* The name of a device-mapper volume. */
static int by_label(struct resolver *x, const char *label)
{
	int r = -ENOENT;

	for (size_t i = 0; i < x->m->n_disks; i++) {
		const struct qm_disk *d = &x->m->disks[i];

		if (d->kind == QM_DISK_DM && d->label && strcmp(d->label, label) == 0) {
			add_disk(x, d);
			r = 0;
		}
	}
	return r;
}

/* "vg/lv" as device-mapper spells it: one dash between the two, those inside doubled. */
static int by_volume(struct resolver *x, const char *name)
{
	const char *slash = strchr(name, '/');
	struct qm_strbuf b = { 0 };
	int r;

	if (!slash || strchr(slash + 1, '/'))
		return -ENOENT;
	for (const char *p = name; *p; p++) {
		qm_strbuf_add(&b, *p == '/' ? "-" : p, 1);
		if (*p == '-')
			qm_strbuf_addc(&b, '-');
	}
	r = b.err ? b.err : by_label(x, qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return r;
}

/* A persistent name that udev told when the machine was read. */
static int by_link(struct resolver *x, const char *name)
{
	for (size_t i = 0; i < x->m->n_disks; i++) {
		const struct qm_disk *d = &x->m->disks[i];

		for (size_t k = 0; k < d->n_links; k++) {
			if (strcmp(d->links[k], name) == 0) {
				add_disk(x, d);
				return 0;
			}
		}
	}
	return -ENOENT;
}

/* Follows the links of the source's own /dev. path has no leading slash; *ret is a new string. */
static int follow(struct resolver *x, const char *path, char **ret)
{
	char *at = strdup(path);
	int r = at ? 0 : -ENOMEM;

	for (int i = 0; r == 0 && x->top.fd >= 0 && i < LINKS_MAX; i++) {
		_cleanup_free_ char *target = NULL;
		char *slash = strrchr(at, '/'), *next;

		r = qm_dir_link(&x->top, at, &target);
		if (r < 0)
			break;
		if (slash)
			*slash = '\0';
		r = qm_path_join(slash ? at : "", target, &next);
		if (r == 0) {
			free(at);
			at = next;
		}
	}
	if (!at || r == -ENOMEM) {
		free(at);
		return -ENOMEM;
	}
	*ret = at;
	return 0;
}

/* What is below /dev; name is without that. */
static int by_node(struct resolver *x, const char *name)
{
	_cleanup_free_ char *path = NULL, *real = NULL;
	const char *node;
	int r;

	r = qm_path_join("dev", name, &path);
	if (r < 0)
		return r;
	r = follow(x, path, &real);
	if (r < 0)
		return r;
	node = strncmp(real, "dev/", 4) == 0 ? real + 4 : name;
	r = by_disk(x, node);
	if (r == -ENOENT)
		r = by_controller(x, node);
	if (r == -ENOENT && strncmp(node, "mapper/", 7) == 0)
		r = by_label(x, node + 7);
	if (r == -ENOENT)
		r = by_volume(x, node);
	if (r == -ENOENT)
		r = by_link(x, name);
	return r;
}

/* A name without a path: what everybody calls it, or one of the names that udev gives. */
static int by_plain_name(struct resolver *x, const char *name)
{
	static const char *const dirs[] = { "id", "path", "uuid", "label", "partuuid", "partlabel" };
	int r;

	r = by_disk(x, name);
	if (r == -ENOENT)
		r = by_controller(x, name);
	if (r == -ENOENT)
		r = by_label(x, name);
	if (r == -ENOENT)
		r = by_volume(x, name);
	for (size_t i = 0; r == -ENOENT && i < QM_ARRAY_SIZE(dirs); i++) {
		struct qm_strbuf b = { 0 };

		qm_strbuf_addf(&b, "disk/by-%s/%s", dirs[i], name);
		r = b.err ? b.err : by_node(x, b.s);
		qm_strbuf_done(&b);
	}
	return r;
}

/* ---- mount points ---- */

/* A line of /proc/self/mountinfo or, old, of /proc/mounts, cut into its words in place. */
struct mount {
	const char *where, *type, *source;
	unsigned major, minor; /* 0:0 where the line does not tell */
};

static char *next_word(char **p)
{
	char *word = *p + strspn(*p, " \t");
	size_t n = strcspn(word, " \t");

	if (!n)
		return NULL;
	*p = word + n;
	if (**p)
		*(*p)++ = '\0';
	return word;
}

/* "\040" is a blank. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; out++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*out = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + s[3] - '0');
			s += 4;
		} else {
			*out = *s++;
		}
	}
	*out = '\0';
}

/* "major:minor" */
static bool parse_numbers(const char *text, unsigned *ret_major, unsigned *ret_minor)
{
	char *colon, *end;
	unsigned long major, minor;

	major = strtoul(text, &colon, 10);
	if (colon == text || *colon != ':' || major > INT_MAX)
		return false;
	minor = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || minor > INT_MAX)
		return false;
	*ret_major = (unsigned)major;
	*ret_minor = (unsigned)minor;
	return true;
}

static bool parse_mount(char *line, bool info, struct mount *ret)
{
	char *word[6] = { NULL }, *p = line, *where, *type, *source;
	unsigned major = 0, minor = 0;

	if (info) {
		for (int i = 0; i < 6; i++)
			word[i] = next_word(&p);
		if (!word[5] || !parse_numbers(word[2], &major, &minor))
			return false;
		/* Optional fields, ended by a dash. */
		for (char *w = next_word(&p); w && strcmp(w, "-") != 0;)
			w = next_word(&p);
		where = word[4];
		type = next_word(&p);
		source = next_word(&p);
	} else {
		source = next_word(&p);
		where = next_word(&p);
		type = next_word(&p);
	}
	if (!where || !type || !source)
		return false;
	unescape(where);
	unescape(source);
	*ret = (struct mount){ where, type, source, major, minor };
	return true;
}

static int by_number(struct resolver *x, unsigned major, unsigned minor)
{
	_cleanup_free_ char *name = NULL;
	char path[64], number[32];
	int r;

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u", major, minor);
	r = qm_dir_link_base(&x->top, path, &name);
	if (r == 0)
		return by_disk(x, name);
	if (r == -ENOMEM)
		return r;
	/* A captured tree without that directory. */
	snprintf(number, sizeof(number), "%u:%u", major, minor);
	for (size_t i = 0; i < x->m->n_disks; i++) {
		_cleanup_free_ char *file = NULL, *dev = NULL;

		r = qm_path_join(x->m->disks[i].syspath, "dev", &file);
		if (r == 0)
			r = qm_dir_read_line(&x->top, file, &dev);
		if (r == -ENOMEM)
			return r;
		if (r == 0 && strcmp(dev, number) == 0) {
			add_disk(x, &x->m->disks[i]);
			return 0;
		}
	}
	return -ENOENT;
}

/* A file system may be on several devices: btrfs has a directory of them; others join them by colons. */
static int by_btrfs(struct resolver *x)
{
	_cleanup_(qm_names_done) struct qm_names fs = { 0 };
	int r;

	r = qm_dir_names(&x->top, "sys/fs/btrfs", &fs);
	for (size_t i = 0; r == 0 && i < fs.n; i++) {
		_cleanup_(qm_names_done) struct qm_names devices = { 0 };
		struct qm_strbuf path = { 0 };
		bool ours = false;

		qm_strbuf_addf(&path, "sys/fs/btrfs/%s/devices", fs.v[i]);
		r = path.err ? path.err : qm_dir_names(&x->top, path.s, &devices);
		qm_strbuf_done(&path);
		for (size_t k = 0; r == 0 && k < devices.n; k++) {
			const struct qm_disk *d = find_disk(x->m, devices.v[k]);

			ours = ours || (d && x->seen[d - x->m->disks]);
		}
		for (size_t k = 0; r == 0 && ours && k < devices.n; k++) {
			r = by_disk(x, devices.v[k]);
			r = r == -ENOENT ? 0 : r;
		}
		r = r == -ENOMEM ? r : 0;
	}
	return r == -ENOMEM ? r : 0;
}

static int by_source(struct resolver *x, const char *source)
{
	_cleanup_free_ char *copy = strdup(source);
	int r = -ENOENT;
	char *save = NULL;

	if (!copy)
		return -ENOMEM;
	for (char *s = strtok_r(copy, ":", &save); s; s = strtok_r(NULL, ":", &save)) {
		int one = strncmp(s, "/dev/", 5) == 0 ? by_node(x, s + 5) : -ENOENT;

		if (one == -ENOMEM)
			return one;
		r = one == 0 ? 0 : r;
	}
	return r;
}

/* What stays of the line that matters: the last one of that mount point, which is on top of those before. */
struct found_mount {
	bool found, btrfs;
	unsigned major, minor;
	char *source;
};

static void found_mount_done(struct found_mount *f)
{
	free(f->source);
}

static int take_line(char *line, bool info, const char *where, struct found_mount *f)
{
	struct mount mount;
	char *source;

	if (!parse_mount(line, info, &mount) || strcmp(mount.where, where) != 0)
		return 0;
	source = strdup(mount.source);
	if (!source)
		return -ENOMEM;
	free(f->source);
	*f = (struct found_mount){ true, strcmp(mount.type, "btrfs") == 0, mount.major, mount.minor, source };
	return 0;
}

/* Line by line through one buffer: such a table may be long. A line that does not fit is skipped. */
static int scan_mounts(int fd, bool info, const char *where, struct found_mount *f)
{
	_cleanup_free_ char *buf = malloc(QM_FILE_MAX + 1);
	size_t len = 0, total = 0;
	bool skip = false;
	int r = buf ? 0 : -ENOMEM;

	while (r == 0 && total < MOUNTS_MAX) {
		ssize_t n = read(fd, buf + len, QM_FILE_MAX - len);
		char *start = buf, *nl;

		if (n <= 0)
			break;
		len += (size_t)n;
		total += (size_t)n;
		for (; r == 0 && (nl = memchr(start, '\n', len - (size_t)(start - buf))) != NULL; start = nl + 1) {
			*nl = '\0';
			if (!skip)
				r = take_line(start, info, where, f);
			skip = false;
		}
		len -= (size_t)(start - buf);
		memmove(buf, start, len);
		if (len == QM_FILE_MAX) {
			skip = true;
			len = 0;
		}
	}
	return r;
}

static int by_mount(struct resolver *x, const char *where)
{
	static const char *const files[] = { "proc/self/mountinfo", "proc/1/mountinfo", "proc/self/mounts", "proc/mounts" };
	_cleanup_(found_mount_done) struct found_mount f = { 0 };
	int r = -ENOENT;

	for (size_t i = 0; x->top.fd >= 0 && i < QM_ARRAY_SIZE(files); i++) {
		_cleanup_close_ int fd = qm_dir_open_file(&x->top, files[i]);

		if (fd < 0)
			continue;
		r = scan_mounts(fd, i < 2, where, &f);
		break;
	}
	if (r < 0 || !f.found)
		return r < 0 ? r : -ENOENT;
	/* Major 0 is a number made up for file systems on several devices, or none. */
	r = f.major ? by_number(x, f.major, f.minor) : -ENOENT;
	if (r == -ENOENT)
		r = by_source(x, f.source);
	return r == 0 && f.btrfs ? by_btrfs(x) : r;
}

/* ---- */

static int find(struct resolver *x, const char *name)
{
	_cleanup_free_ char *path = NULL;
	int r;

	if (name[0] != '/')
		return by_plain_name(x, name);
	r = qm_path_join("", name, &path);
	if (r < 0)
		return r;
	r = strncmp(path, "dev/", 4) == 0 ? by_node(x, path + 4) : -ENOENT;
	if (r == -ENOENT) {
		struct qm_strbuf b = { 0 };

		qm_strbuf_addf(&b, "/%s", path);
		r = b.err ? b.err : by_mount(x, b.s);
		qm_strbuf_done(&b);
	}
	return r;
}

int qm_resolve(struct qm_root *root, const struct qm_machine *m, const char *name, struct qm_ids *ret)
{
	struct resolver x = { .top = { .fd = -1 }, .m = m };
	struct qm_ids ids = { 0 };
	int r = -ENOMEM;

	if (root)
		x.top = qm_root_dir(root);
	x.seen = calloc(m->n_disks + 1, sizeof(*x.seen));
	x.hit = calloc(m->n_controllers + 1, sizeof(*x.hit));
	x.todo = calloc(m->n_disks + 1, sizeof(*x.todo));
	if (x.seen && x.hit && x.todo)
		r = find(&x, name);
	if (r == 0)
		descend(&x);
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		if (x.hit[i])
			r = qm_ids_add(&ids, (unsigned)i);
	}
	free(x.seen);
	free(x.hit);
	free(x.todo);
	if (r < 0) {
		qm_ids_done(&ids);
		return r == -ENOMEM ? r : -ENOENT;
	}
	*ret = ids;
	return 0;
}
