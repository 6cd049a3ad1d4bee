// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/syspath.h"

/* A list at least this long may have been cut by the kernel, which stops at a whole number below a page. */
#define LIST_NEAR_PAGE 4080
/* Room for "65535/nr_reserved_tags" and its like. */
#define NAME_SPACE 64

static void queue_problem(struct qm_machine *m, const struct qm_dir *mq, const char *name, const char *error)
{
	struct qm_strbuf path = { 0 };

	qm_strbuf_addf(&path, "%s/%s", mq->path, name);
	if (!path.err)
		qm_problem_addf(&m->problems, path.s, "%s", error);
	qm_strbuf_done(&path);
}

/* How many more queues without a directory are believed. */
static size_t unseen_left(const struct qm_machine *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_controllers; i++)
		n += m->controllers[i].n_hctx - m->controllers[i].mapped;
	return n < QM_HCTX_UNSEEN_MAX ? QM_HCTX_UNSEEN_MAX - n : 0;
}

/* Makes n queues of the n_hctx there are, none of the new ones mapped. 0 or -ENOMEM. */
static int grow(struct qm_controller *c, size_t n)
{
	struct qm_hctx *h;

	if (n <= c->n_hctx)
		return 0;
	h = realloc(c->hctx, n * sizeof(*h));
	if (!h)
		return -ENOMEM;
	c->hctx = h;
	for (; c->n_hctx < n; c->n_hctx++) {
		h = &c->hctx[c->n_hctx];
		h->id = (unsigned)c->n_hctx;
		h->type = QM_HCTX_UNKNOWN;
		h->mapped = false;
		h->cpus_unknown = false;
		h->stays_inactive = false;
		h->cpus = &qm_cpuset_none;
		h->tags = h->reserved_tags = h->irq = -1;
		h->tie = QM_TIE_NONE;
	}
	return 0;
}

/* The CPUs that have a directory in mq/ID; complete where the list is cut. Returns how many, or -errno. */
static int read_cpu_dirs(const struct qm_dir *mq, const char *id, struct qm_cpuset *ret)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	struct qm_cpuset cpus = { 0 };
	int r, n = 0;

	r = qm_dir_names(mq, id, &names);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		unsigned cpu;

		if (!qm_name_has_number(names.v[i], strlen(names.v[i]), "cpu", &cpu) || cpu >= QM_CPU_MAX)
			continue;
		qm_cpuset_set(&cpus, cpu);
		n++;
	}
	*ret = cpus;
	return n;
}

/* CPUs that cannot be are dropped, where the machine's own list of possible CPUs is known to be one. */
static void check_possible(struct qm_machine *m, const struct qm_dir *mq, const char *name, struct qm_hctx *h,
			   struct qm_cpuset *cpus)
{
	if (m->topo.possible_derived || qm_cpuset_is_empty(&m->topo.possible) ||
	    qm_cpuset_is_subset(cpus, &m->topo.possible))
		return;
	qm_cpuset_and(cpus, &m->topo.possible);
	h->cpus_unknown = true;
	queue_problem(m, mq, name, "names a CPU that is not possible on this machine");
}

static int read_cpus(struct qm_machine *m, const struct qm_dir *mq, const char *id, struct qm_hctx *h)
{
	struct qm_cpuset cpus, dirs;
	char name[NAME_SPACE];
	const char *text;
	int len, r;

	qm_cpuset_zero(&cpus);
	qm_name_join(name, sizeof(name), id, "cpu_list");
	len = qm_dir_read(mq, name, &text);
	if (len == -ENOMEM)
		return len;
	r = len < 0 ? len : qm_cpuset_parse_list(text, -1, &cpus);
	if (r < 0) {
		h->cpus_unknown = true;
		if (len >= 0)
			queue_problem(m, mq, name, r == -ERANGE ? "a number beyond what a kernel can have" : "garbled");
	}
	if (r == 0 && len < LIST_NEAR_PAGE) {
		check_possible(m, mq, name, h, &cpus);
		return qm_setpool_add(&m->sets, &cpus, &h->cpus);
	}
	if (r < 0 && r != -ENOENT)
		return 0;
	r = read_cpu_dirs(mq, id, &dirs);
	if (r == -ENOMEM)
		return r;
	if (r > 0) {
		qm_cpuset_or(&cpus, &dirs);
		h->cpus_unknown = false;
		check_possible(m, mq, id, h, &cpus);
	} else if (len >= 0) {
		h->cpus_unknown = true;
		queue_problem(m, mq, name, "may have been cut by the kernel, and there are no cpuN directories to complete it");
	}
	return qm_setpool_add(&m->sets, &cpus, &h->cpus);
}

/* All queues of a tag set have the same depth: the first one's files speak for all. */
static int read_tags(const struct qm_dir *mq, const char *id, struct qm_controller *c)
{
	long tags = -1, reserved = -1;
	char name[NAME_SPACE];
	int r;

	snprintf(name, sizeof(name), "%s/nr_tags", id);
	r = qm_scan_long(mq, name, &tags);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%s/nr_reserved_tags", id);
	r = qm_scan_long(mq, name, &reserved);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->n_hctx; i++) {
		if (!c->hctx[i].mapped)
			continue;
		c->hctx[i].tags = tags;
		c->hctx[i].reserved_tags = reserved;
	}
	return 0;
}

static bool queue_id(const char *name, unsigned *ret)
{
	unsigned id;

	if (!qm_name_has_number(name, strlen(name), "", &id) || id >= QM_HCTX_MAX)
		return false;
	*ret = id;
	return true;
}

/* Makes room for the queues in mq/. Returns the first id that is not believed: beyond a gap too large to be true. */
static int make_room(struct qm_machine *m, struct qm_controller *c, const struct qm_names *names, size_t *ret_limit)
{
	size_t n = 0, valid = 0, limit;
	unsigned id;

	for (size_t i = 0; i < names->n; i++)
		valid += queue_id(names->v[i], &id);
	limit = valid + unseen_left(m);
	for (size_t i = 0; i < names->n; i++) {
		if (queue_id(names->v[i], &id) && id < limit && id >= n)
			n = (size_t)id + 1;
	}
	*ret_limit = limit;
	return grow(c, n);
}

static int read_queues(struct qm_scan *s, struct qm_controller *c, const struct qm_dir *mq)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	const char *first = NULL;
	size_t limit;
	int r;

	r = qm_dir_names(mq, ".", &names);
	if (r < 0)
		return qm_optional(r);
	r = make_room(s->m, c, &names, &limit);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.v[i];
		unsigned id;

		if (!queue_id(name, &id) || id >= limit) {
			if (name[0] >= '0' && name[0] <= '9')
				queue_problem(s->m, mq, name, "no queue number of any device, left out");
			continue;
		}
		c->hctx[id].mapped = true;
		c->mapped++;
		r = read_cpus(s->m, mq, name, &c->hctx[id]);
		if (r < 0)
			return r;
		first = first ? first : name;
	}
	return first ? read_tags(mq, first, c) : 0;
}

/* How many hctxN directories debugfs has for the disk. */
static int read_debugfs_count(struct qm_scan *s, struct qm_controller *c, const char *disk)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	long count = -1;
	int r;

	if (s->debug_block.fd < 0)
		return 0;
	r = qm_dir_names(&s->debug_block, disk, &names);
	if (r < 0)
		return qm_optional(r);
	for (size_t i = 0; i < names.n; i++) {
		unsigned id;

		if (qm_name_has_number(names.v[i], strlen(names.v[i]), "hctx", &id) && (long)id >= count)
			count = (long)id + 1;
	}
	c->counts[QM_WITNESS_DEBUGFS] = count;
	return 0;
}

/* ---- types ---- */

static int type_from_text(const char *text)
{
	for (int t = 0; t < _QM_HCTX_TYPE_MAX; t++) {
		if (strcmp(text, qm_hctx_type_name(t)) == 0)
			return t;
	}
	return QM_HCTX_UNKNOWN;
}

static int read_debugfs_line(struct qm_scan *s, const char *disk, size_t hctx, const char *file, char **ret)
{
	struct qm_strbuf path = { 0 };
	int r;

	qm_strbuf_addf(&path, "%s/hctx%zu/%s", disk, hctx, file);
	r = path.err ? path.err : qm_dir_read_line(&s->debug_block, path.s, ret);
	qm_strbuf_done(&path);
	return r;
}

static int read_debugfs_types(struct qm_scan *s, struct qm_controller *c, const char *disk)
{
	if (c->counts[QM_WITNESS_DEBUGFS] < 0)
		return 0;
	for (size_t i = 0; i < c->n_hctx; i++) {
		_cleanup_free_ char *text = NULL;
		int r;

		if (c->hctx[i].type != QM_HCTX_UNKNOWN)
			continue;
		r = read_debugfs_line(s, disk, i, "type", &text);
		if (r == -ENOMEM)
			return r;
		if (r == 0)
			c->hctx[i].type = type_from_text(text);
	}
	return 0;
}

/*
 * In how many lists each CPU is, if in equally many: the number of types, since each type's map has every CPU once. 0:
 * no CPU seen, some list unknown, or not all alike.
 */
static unsigned lists_per_cpu(const struct qm_controller *c, struct qm_cpuset *ret_all)
{
	struct qm_cpuset seen[_QM_HCTX_TYPE_MAX] = { { 0 } }, again, h;
	unsigned n = 0;

	for (size_t i = 0; i < c->n_hctx; i++) {
		if (c->hctx[i].cpus_unknown)
			return 0;
		qm_cpuset_copy(&h, c->hctx[i].cpus);
		for (unsigned level = 0; !qm_cpuset_is_empty(&h); level++) {
			if (level == _QM_HCTX_TYPE_MAX)
				return 0;
			qm_cpuset_copy(&again, &h);
			qm_cpuset_and(&again, &seen[level]);
			qm_cpuset_or(&seen[level], &h);
			qm_cpuset_copy(&h, &again);
		}
	}
	for (unsigned level = 0; level < _QM_HCTX_TYPE_MAX && !qm_cpuset_is_empty(&seen[level]); level++, n++) {
		if (!qm_cpuset_is_equal(&seen[level], &seen[0]))
			return 0;
	}
	qm_cpuset_copy(ret_all, &seen[0]);
	return n;
}

/*
 * Cuts the queues into n runs, each of which has every CPU of all exactly once. ends[i] is one behind the last queue of run
 * i that has CPUs. False where the lists are not made so.
 */
static bool cut_runs(const struct qm_controller *c, const struct qm_cpuset *all, unsigned n, size_t *starts, size_t *ends)
{
	struct qm_cpuset have = { 0 };
	unsigned run = 0;

	for (size_t i = 0; i < c->n_hctx; i++) {
		const struct qm_cpuset *cpus = c->hctx[i].cpus;

		if (qm_cpuset_is_empty(cpus))
			continue;
		if (run == n || qm_cpuset_intersects(&have, cpus))
			return false;
		if (qm_cpuset_is_empty(&have))
			starts[run] = i;
		qm_cpuset_or(&have, cpus);
		if (qm_cpuset_is_equal(&have, all)) {
			ends[run++] = i + 1;
			qm_cpuset_zero(&have);
		}
	}
	return run == n;
}

/* Does the disk poll? Its file says yes only where there are poll queues. */
static bool has_poll_queues(struct qm_scan *s, const struct qm_controller *c, const struct qm_disk *disk)
{
	static const char *const no_read_queues[] = { "null_blk", "virtio_blk" };
	struct qm_strbuf path = { 0 };
	long long v = 0;
	int r;

	for (size_t i = 0; i < QM_ARRAY_SIZE(no_read_queues); i++) {
		if (c->driver && strcmp(c->driver, no_read_queues[i]) == 0)
			return true;
	}
	qm_strbuf_addf(&path, "%s/queue/io_poll", disk->syspath);
	r = path.err ? path.err : qm_dir_read_num(&s->top, path.s, &v);
	qm_strbuf_done(&path);
	return r == 0 && v == 1;
}

/*
 * What the lists alone prove. Types follow each other in the order default, read, poll. Queues without CPUs between two
 * runs stay unknown, and with two runs it may be open which type the second has.
 */
static void infer_types(struct qm_scan *s, struct qm_controller *c, const struct qm_disk *disk)
{
	size_t starts[_QM_HCTX_TYPE_MAX] = { 0 }, ends[_QM_HCTX_TYPE_MAX] = { 0 };
	struct qm_cpuset all;
	unsigned n;

	n = lists_per_cpu(c, &all);
	/* One list per CPU leaves no question. With more the kernel's own word is better, where it is there. */
	if (!n || (n > 1 && c->counts[QM_WITNESS_DEBUGFS] >= 0) || !cut_runs(c, &all, n, starts, ends))
		return;
	starts[0] = 0;
	ends[n - 1] = c->n_hctx;
	for (unsigned run = 0; run < n; run++) {
		int type = (int)run;

		if (n == 2 && run == 1)
			type = has_poll_queues(s, c, disk) ? QM_HCTX_POLL : QM_HCTX_UNKNOWN;
		for (size_t i = starts[run]; i < ends[run]; i++)
			c->hctx[i].type = type;
	}
}

void qm_hctx_count_types(struct qm_controller *c)
{
	long n[_QM_HCTX_TYPE_MAX] = { 0 };

	c->types_known = c->n_hctx > 0;
	for (size_t i = 0; i < c->n_hctx; i++) {
		if (c->hctx[i].type == QM_HCTX_UNKNOWN)
			c->types_known = false;
		else
			n[c->hctx[i].type]++;
	}
	for (int t = 0; t < _QM_HCTX_TYPE_MAX; t++)
		c->nr_types[t] = c->types_known ? n[t] : -1;
}

/* ---- states ---- */

/* Flags are joined with "|". */
static bool has_flag(const char *text, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *p = text; *p; p += *p == '|') {
		size_t n = strcspn(p, "|");

		if (n == len && strncmp(p, flag, n) == 0)
			return true;
		p += n;
	}
	return false;
}

/* Only the queues of fabrics are opened again one by one, which the mark prevents. */
static int read_debugfs_states(struct qm_scan *s, struct qm_controller *c, const char *disk)
{
	if (!c->fabrics || c->counts[QM_WITNESS_DEBUGFS] < 0)
		return 0;
	for (size_t i = 0; i < c->n_hctx; i++) {
		_cleanup_free_ char *text = NULL;
		int r;

		r = read_debugfs_line(s, disk, i, "state", &text);
		if (r == -ENOMEM)
			return r;
		if (r == 0)
			c->hctx[i].stays_inactive = has_flag(text, "INACTIVE") &&
						    qm_cpuset_intersects(c->hctx[i].cpus, &s->m->topo.online);
	}
	return 0;
}

/* ---- witnesses ---- */

static void disagree(struct qm_machine *m, const struct qm_controller *c, enum qm_witness a, enum qm_witness b)
{
	qm_problem_addf(&m->problems, c->syspath, "%s says %ld hardware queues, %s says %ld; the former is believed",
			qm_witness_name(a), c->counts[a], qm_witness_name(b), c->counts[b]);
}

/*
 * A crash kernel gives blk-mq one queue, whatever the driver sets up: what counts the driver's queues is no witness there.
 */
static bool is_crash_kernels(const struct qm_machine *m, const struct qm_controller *c)
{
	return m->cmdline.kdump && c->mapped == 1 && c->hctx[0].mapped;
}

/* The best witness that can be believed; says what contradicts it. Returns its count, -1 without one. */
static long best_count(struct qm_machine *m, struct qm_controller *c)
{
	size_t left = unseen_left(m);

	c->witness = QM_WITNESS_NONE;
	for (enum qm_witness w = QM_WITNESS_NONE + 1; w < _QM_WITNESS_MAX; w++) {
		long n = c->counts[w];

		if (n < 0 || ((w == QM_WITNESS_QUEUE_COUNT || w == QM_WITNESS_IRQ_NAMES) && is_crash_kernels(m, c)))
			continue;
		if (n > (long)QM_HCTX_MAX || (n > (long)c->n_hctx && (size_t)n - c->n_hctx > left)) {
			qm_problem_addf(&m->problems, c->syspath, "%s says %ld hardware queues, which is not believed",
					qm_witness_name(w), n);
			c->counts[w] = -1;
			continue;
		}
		if (!c->witness)
			c->witness = w;
		/* Poll queues have no interrupt: fewer names than queues contradict nothing. */
		else if (n > c->counts[c->witness] || (n < c->counts[c->witness] && w != QM_WITNESS_IRQ_NAMES))
			disagree(m, c, c->witness, w);
	}
	return c->counts[c->witness];
}

int qm_hctx_settle(struct qm_machine *m, struct qm_controller *c)
{
	long count, seen = 0;

	/* A controller without a disk, or whose disk has no map, has nothing to count. */
	if (!c->n_hctx)
		return 0;
	for (size_t i = 0; i < c->n_hctx; i++)
		seen = c->hctx[i].mapped ? (long)i + 1 : seen;
	count = best_count(m, c);
	if (count < 0)
		return 0;
	if (count < seen && c->witness != QM_WITNESS_IRQ_NAMES)
		qm_problem_addf(&m->problems, c->syspath, "%s says %ld hardware queues, but there is a directory of queue %ld",
				qm_witness_name(c->witness), count, seen - 1);
	return grow(c, (size_t)count);
}

int qm_hctx_read(struct qm_scan *s, struct qm_controller *c, const struct qm_disk *disk)
{
	_cleanup_(qm_dir_close) struct qm_dir mq = { .fd = -1 };
	struct qm_strbuf path = { 0 };
	int r;

	qm_strbuf_addf(&path, "%s/mq", disk->syspath);
	r = path.err ? path.err : qm_dir_openat(&s->top, path.s, &mq);
	qm_strbuf_done(&path);
	if (r < 0)
		return qm_optional(r);
	r = read_queues(s, c, &mq);
	if (r == 0)
		r = read_debugfs_count(s, c, disk->name);
	return r < 0 ? r : 1;
}

int qm_hctx_finish(struct qm_scan *s, struct qm_controller *c, const struct qm_disk *disk)
{
	int r;

	r = qm_hctx_settle(s->m, c);
	if (r < 0)
		return r;
	infer_types(s, c, disk);
	r = read_debugfs_types(s, c, disk->name);
	if (r < 0)
		return r;
	qm_hctx_count_types(c);
	return read_debugfs_states(s, c, disk->name);
}
