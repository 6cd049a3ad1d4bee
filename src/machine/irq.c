// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/syspath.h"

/* Room for "4294967295/effective_affinity_list". */
#define NAME_SPACE 64

/* ---- reading /proc/irq ---- */

/* What a kernel itself puts beside the handlers' directories. */
static bool is_own_file(const char *name)
{
	static const char *const files[] = {
		"smp_affinity", "smp_affinity_list", "effective_affinity", "effective_affinity_list", "affinity_hint",
		"node", "spurious",
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++) {
		if (strcmp(name, files[i]) == 0)
			return true;
	}
	return false;
}

/* The handlers are sub-directories of the interrupt's. */
static int read_names(const struct qm_dir *dir, const char *nr, char **ret)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	struct qm_strbuf b = { 0 };
	int r;

	r = qm_dir_names(dir, nr, &names);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		if (is_own_file(names.v[i]))
			continue;
		if (b.len)
			qm_strbuf_adds(&b, ", ");
		qm_strbuf_adds(&b, names.v[i]);
	}
	if (!b.len)
		return b.err;
	r = qm_strbuf_take(&b, ret);
	if (r < 0)
		qm_strbuf_done(&b);
	return r;
}

static int read_set(const struct qm_dir *dir, const char *nr, const char *file, bool *ret_has, struct qm_cpuset *ret)
{
	char name[NAME_SPACE];
	int r;

	snprintf(name, sizeof(name), "%s/%s", nr, file);
	r = qm_dir_read_cpulist(dir, name, ret);
	*ret_has = r == 0;
	return qm_optional(r);
}

/* Old trees have the mask only. */
static int read_mask(const struct qm_dir *dir, const char *nr, const char *file, bool *ret_has, struct qm_cpuset *ret)
{
	char name[NAME_SPACE];
	int r;

	snprintf(name, sizeof(name), "%s/%s", nr, file);
	r = qm_dir_read_cpumask(dir, name, ret);
	*ret_has = r == 0;
	return qm_optional(r);
}

static int read_irq(const struct qm_dir *dir, const char *nr, struct qm_irq *irq)
{
	int r;

	r = read_names(dir, nr, &irq->name);
	if (r == -ENOENT) /* gone meanwhile, or a file */
		return r;
	r = qm_optional(r);
	/* Nobody handles it: it goes nowhere. */
	if (r < 0 || !irq->name)
		return r;
	r = read_set(dir, nr, "smp_affinity_list", &irq->has_requested, &irq->requested);
	if (r == 0 && !irq->has_requested)
		r = read_mask(dir, nr, "smp_affinity", &irq->has_requested, &irq->requested);
	if (r == 0)
		r = read_set(dir, nr, "effective_affinity_list", &irq->has_effective, &irq->effective);
	return r;
}

static int read_irqs(struct qm_root *root, struct qm_machine *m)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	_cleanup_(qm_dir_close) struct qm_dir dir = { .fd = -1 };
	int r;

	r = qm_dir_open(root, "proc/irq", &dir);
	if (r == 0)
		r = qm_dir_names(&dir, ".", &names);
	/* An interrupt holds sets of thousands of bytes: room for all at once instead of by doubling. */
	if (r == 0 && names.n)
		r = qm_array_grow(&m->irqs, &m->cap_irqs, names.n, sizeof(*m->irqs));
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct qm_irq *irq = &m->irqs[m->n_irqs];
		unsigned nr;

		if (!qm_name_has_number(names.v[i], strlen(names.v[i]), "", &nr))
			continue;
		*irq = (struct qm_irq){ .nr = nr, .hwirq = -1, .node = -1, .managed = -1 };
		r = read_irq(&dir, names.v[i], irq);
		if (r == -ENOENT) {
			r = 0;
			continue;
		}
		m->n_irqs++;
	}
	return qm_optional(r);
}

/* ---- ties by name ---- */

/* Controllers by the number their interrupts' names carry. */
struct by_number {
	unsigned nr;
	size_t controller;
};

struct name_index {
	struct by_number *v;
	size_t n, cap;
};

struct ties {
	struct name_index nvme, virtio;
};

static void ties_done(struct ties *t)
{
	free(t->nvme.v);
	free(t->virtio.v);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct by_number *x = a, *y = b;

	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static int index_add(struct name_index *x, unsigned nr, size_t controller)
{
	int r = qm_array_grow(&x->v, &x->cap, x->n + 1, sizeof(*x->v));

	if (r == 0)
		x->v[x->n++] = (struct by_number){ nr, controller };
	return r;
}

static struct qm_controller *index_find(struct qm_machine *m, const struct name_index *x, unsigned nr)
{
	struct by_number key = { .nr = nr }, *found;

	found = x->n ? bsearch(&key, x->v, x->n, sizeof(key), compare_numbers) : NULL;
	return found ? &m->controllers[found->controller] : NULL;
}

static int ties_init(struct ties *t, const struct qm_machine *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[i];
		const char *device = qm_path_base(c->syspath);
		unsigned nr;

		if (qm_name_has_number(c->name, strlen(c->name), "nvme", &nr))
			r = index_add(&t->nvme, nr, i);
		else if (c->driver && strcmp(c->driver, "virtio_blk") == 0 &&
			 qm_name_has_number(device, strlen(device), "virtio", &nr))
			r = index_add(&t->virtio, nr, i);
	}
	if (t->nvme.n)
		qsort(t->nvme.v, t->nvme.n, sizeof(*t->nvme.v), compare_numbers);
	if (t->virtio.n)
		qsort(t->virtio.v, t->virtio.n, sizeof(*t->virtio.v), compare_numbers);
	return r;
}

/* Splits "WORD<a>MIDDLE<b>"; both without leading zeros. */
static bool two_numbers(const char *s, size_t len, const char *word, const char *middle, unsigned *ret_a, unsigned *ret_b)
{
	const char *at = memmem(s, len, middle, strlen(middle));

	return at && qm_name_has_number(s, (size_t)(at - s), word, ret_a) &&
	       qm_name_has_number(at, len - (size_t)(at - s), middle, ret_b);
}

/* The queue that one handler's name tells. NULL: none; *ret_hctx is not checked against the controller's queues. */
static struct qm_controller *queue_of_name(struct qm_machine *m, const struct ties *t, const char *s, size_t len,
					   unsigned *ret_hctx)
{
	struct qm_controller *c;
	unsigned nr, queue;

	/* Queue 0 is the admin queue. */
	if (two_numbers(s, len, "nvme", "q", &nr, &queue) && queue) {
		*ret_hctx = queue - 1;
		return index_find(m, &t->nvme, nr);
	}
	if (two_numbers(s, len, "virtio", "-req.", &nr, ret_hctx))
		return index_find(m, &t->virtio, nr);
	/* The one queue of a disk without multi-queue; the name is also that of file systems, which are not in the index. */
	if (len > 9 && memcmp(s + len - 9, "-requests", 9) == 0 && qm_name_has_number(s, len - 9, "virtio", &nr)) {
		c = index_find(m, &t->virtio, nr);
		*ret_hctx = 0;
		return c && c->n_hctx == 1 ? c : NULL;
	}
	return NULL;
}

/* One handler after the other of an interrupt with several. */
static bool next_name(const char **p, const char **ret, size_t *ret_len)
{
	const char *end;

	if (!*p || !**p)
		return false;
	end = strstr(*p, ", ");
	*ret = *p;
	*ret_len = end ? (size_t)(end - *p) : strlen(*p);
	*p = end ? end + 2 : NULL;
	return true;
}

/* The names first tell how many queues there are, then, when all witnesses are heard, whose interrupt each is. */
static void tie_by_name(struct qm_machine *m, const struct ties *t, bool counting)
{
	for (size_t i = 0; i < m->n_irqs; i++) {
		const char *p = m->irqs[i].name, *name;
		struct qm_controller *c;
		unsigned hctx;
		size_t len;

		while (next_name(&p, &name, &len)) {
			c = queue_of_name(m, t, name, len, &hctx);
			if (!c)
				continue;
			if (counting && c->counts[QM_WITNESS_IRQ_NAMES] <= (long)hctx)
				c->counts[QM_WITNESS_IRQ_NAMES] = (long)hctx + 1;
			if (!counting && hctx < c->n_hctx && c->hctx[hctx].irq < 0) {
				c->hctx[hctx].irq = (long)i;
				c->hctx[hctx].tie = QM_TIE_NAME;
			}
		}
	}
}

/*
 * With two types, the second is read or poll: poll queues have no interrupt, all others of an NVMe device on PCI have one
 * of their own. Known for sure only where the first type's queues show that names are there at all.
 */
static void settle_second_type(struct qm_controller *c)
{
	size_t named[2] = { 0 }, unknown = 0, defaults = 0;
	int type;

	if (!c->driver || strcmp(c->driver, "nvme") != 0 || c->types_known)
		return;
	for (size_t i = 0; i < c->n_hctx; i++) {
		bool open = c->hctx[i].type == QM_HCTX_UNKNOWN;

		named[open] += c->hctx[i].tie == QM_TIE_NAME;
		unknown += open;
		defaults += c->hctx[i].type == QM_HCTX_DEFAULT;
	}
	if (!defaults || named[0] < defaults || defaults + unknown != c->n_hctx)
		return;
	if (named[1] == unknown)
		type = QM_HCTX_READ;
	else if (named[1] == 0)
		type = QM_HCTX_POLL;
	else
		return;
	for (size_t i = 0; i < c->n_hctx; i++) {
		if (c->hctx[i].type == QM_HCTX_UNKNOWN)
			c->hctx[i].type = type;
	}
	qm_hctx_count_types(c);
}

int qm_irqs_read(struct qm_root *root, struct qm_machine *m)
{
	_cleanup_(ties_done) struct ties t = { 0 };
	int r;

	r = read_irqs(root, m);
	if (r == 0)
		r = ties_init(&t, m);
	if (r < 0)
		return r;
	tie_by_name(m, &t, true);
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		if (m->controllers[i].counts[QM_WITNESS_IRQ_NAMES] >= 0)
			r = qm_hctx_settle(m, &m->controllers[i]);
	}
	if (r < 0)
		return r;
	tie_by_name(m, &t, false);
	for (size_t i = 0; i < m->n_controllers; i++)
		settle_second_type(&m->controllers[i]);
	return 0;
}
