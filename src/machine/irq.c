// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/irq.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/interrupts.h"
#include "machine/syspath.h"

/* More interrupts than any machine has. */
#define IRQS_MAX 32768
/* Room for "4294967295/effective_affinity_list" and "sys/kernel/irq/4294967295/chip_name". */
#define NAME_SPACE 64

/* What a kernel itself puts beside the handlers' directories. */
static bool is_own_file(const char *name)
{
	static const char *const files[] = {
		"smp_affinity", "smp_affinity_list", "effective_affinity", "effective_affinity_list", "affinity_hint",
		"node", "spurious",
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(files); i++) {
		if (name[0] == files[i][0] && strcmp(name, files[i]) == 0)
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

	r = qm_dir_names_but(dir, nr, is_own_file, &names);
	if (r < 0)
		return r;
	/* One handler is the rule: its name is taken as it is. */
	if (names.n == 1) {
		*ret = names.v[0];
		names.n = 0;
		return 0;
	}
	for (size_t i = 0; i < names.n; i++) {
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

typedef int (*read_fn)(const struct qm_dir *dir, const char *name, struct qm_cpuset *ret);

static int read_set(struct qm_irq_scan *s, const char *nr, const char *file, read_fn read_file, bool *ret_has,
		    const struct qm_cpuset **ret)
{
	struct qm_cpuset set;
	char name[NAME_SPACE];
	int r;

	qm_name_join(name, sizeof(name), nr, file);
	r = read_file(&s->proc, name, &set);
	*ret_has = r == 0;
	return r == 0 ? qm_setpool_add(&s->m->sets, &set, ret) : qm_optional(r);
}

static int read_list(struct qm_irq_scan *s, const char *nr, const char *file, bool *ret_has, const struct qm_cpuset **ret)
{
	return read_set(s, nr, file, qm_dir_read_cpulist, ret_has, ret);
}

/* A file that has no list beside it, or has none in old trees. */
static int read_mask(struct qm_irq_scan *s, const char *nr, const char *file, bool *ret_has, const struct qm_cpuset **ret)
{
	return read_set(s, nr, file, qm_dir_read_cpumask, ret_has, ret);
}

/*
 * A mask may name more CPUs than there can be, an interrupt arrives only at one that is there: others are dropped, where the
 * machine's own list of possible CPUs is known to be one.
 */
static int check_effective(struct qm_irq_scan *s, const char *nr, struct qm_irq *irq)
{
	const struct qm_topology *t = &s->m->topo;
	struct qm_cpuset cpus;
	char path[NAME_SPACE];

	if (!irq->has_effective || t->possible_derived || qm_cpuset_is_empty(&t->possible) ||
	    qm_cpuset_is_subset(irq->effective, &t->possible))
		return 0;
	snprintf(path, sizeof(path), "proc/irq/%s/effective_affinity_list", nr);
	qm_problem_addf(&s->m->problems, path, "names a CPU that is not possible on this machine");
	qm_cpuset_copy(&cpus, irq->effective);
	qm_cpuset_and(&cpus, &t->possible);
	irq->has_effective = !qm_cpuset_is_empty(&cpus);
	return qm_setpool_add(&s->m->sets, &cpus, &irq->effective);
}

static int read_targets(struct qm_irq_scan *s, const char *nr, struct qm_irq *irq)
{
	int r;

	r = read_list(s, nr, "smp_affinity_list", &irq->has_requested, &irq->requested);
	if (r == 0 && !irq->has_requested)
		r = read_mask(s, nr, "smp_affinity", &irq->has_requested, &irq->requested);
	if (r == 0)
		r = read_list(s, nr, "effective_affinity_list", &irq->has_effective, &irq->effective);
	return r == 0 ? check_effective(s, nr, irq) : r;
}

static int read_irq(struct qm_irq_scan *s, const char *nr, struct qm_irq *irq)
{
	int r;

	r = read_names(&s->proc, nr, &irq->name);
	if (r == -ENOENT) /* gone meanwhile, or a file */
		return r;
	r = qm_optional(r);
	/* Nobody handles it: it goes nowhere. */
	return r < 0 || !irq->name ? r : read_targets(s, nr, irq);
}

static int read_irqs(struct qm_irq_scan *s)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	struct qm_machine *m = s->m;
	size_t most;
	int r;

	if (s->proc.fd < 0)
		return 0;
	r = qm_dir_names(&s->proc, ".", &names);
	most = names.n < IRQS_MAX ? names.n : IRQS_MAX;
	if (r == 0)
		r = qm_array_grow(&m->irqs, &m->cap_irqs, most, sizeof(*m->irqs));
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct qm_irq *irq;
		unsigned nr;

		if (!qm_name_has_number(names.v[i], strlen(names.v[i]), "", &nr))
			continue;
		if (m->n_irqs == most) {
			qm_problem_addf(&m->problems, "proc/irq", "more than %d interrupts, the others are left out", IRQS_MAX);
			break;
		}
		irq = &m->irqs[m->n_irqs];
		*irq = (struct qm_irq){ .nr = nr, .hwirq = -1, .node = -1, .managed = -1, .controller = -1 };
		irq->requested = irq->effective = irq->hint = &qm_cpuset_none;
		r = read_irq(s, names.v[i], irq);
		if (r == -ENOENT) {
			r = 0;
			continue;
		}
		m->n_irqs++;
	}
	return qm_optional(r);
}

static int compare_irqs(const void *key, const void *element)
{
	unsigned nr = *(const unsigned *)key, other = ((const struct qm_irq *)element)->nr;

	return nr < other ? -1 : nr > other;
}

struct qm_irq *qm_irq_find(const struct qm_machine *m, unsigned nr)
{
	return m->n_irqs ? bsearch(&nr, m->irqs, m->n_irqs, sizeof(*m->irqs), compare_irqs) : NULL;
}

/* "nvme0q1", "virtio3,virtio0": the handlers, without a blank behind the comma. */
static int read_actions(struct qm_irq_scan *s, struct qm_irq *irq)
{
	_cleanup_free_ char *line = NULL;
	struct qm_strbuf b = { 0 };
	char path[NAME_SPACE];
	int r;

	snprintf(path, sizeof(path), "sys/kernel/irq/%u/actions", irq->nr);
	r = qm_dir_read_line(&s->top, path, &line);
	if (r < 0 || !*line)
		return qm_optional(r);
	for (const char *p = line; *p; p++) {
		qm_strbuf_addc(&b, *p);
		if (*p == ',' && p[1] != ' ')
			qm_strbuf_addc(&b, ' ');
	}
	r = qm_strbuf_take(&b, &irq->name);
	if (r < 0)
		qm_strbuf_done(&b);
	return r;
}

static bool is_named(const struct qm_machine *m)
{
	for (size_t i = 0; i < m->n_irqs; i++) {
		if (m->irqs[i].name)
			return true;
	}
	return false;
}

/*
 * Trees that were copied file by file have no directories of handlers, since these are empty. Then the names are in
 * sys/kernel/irq, or else in the file with the counts. *ret_what: what was taken from that.
 */
static int read_names_elsewhere(struct qm_irq_scan *s, unsigned *ret_what)
{
	struct qm_machine *m = s->m;
	int r = qm_dir_exists(&s->top, "sys/kernel/irq");

	r = r < 0 ? qm_optional(r) : r;
	for (size_t i = 0; r > 0 && i < m->n_irqs; i++) {
		int e = read_actions(s, &m->irqs[i]);

		r = e < 0 ? e : r;
	}
	if (r >= 0 && !is_named(m)) {
		*ret_what = QM_INTERRUPTS_NAMES | (s->what & QM_READ_IRQ_COUNTS ? QM_INTERRUPTS_COUNTS : 0);
		r = qm_interrupts_read(&s->top, *ret_what, m);
	}
	for (size_t i = 0; r >= 0 && i < m->n_irqs; i++) {
		char nr[16];

		snprintf(nr, sizeof(nr), "%u", m->irqs[i].nr);
		if (m->irqs[i].name)
			r = read_targets(s, nr, &m->irqs[i]);
	}
	return r < 0 ? r : 0;
}

bool qm_irq_names_next(const char **p, const char **ret, size_t *ret_len)
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

int qm_irq_read_chip(struct qm_irq_scan *s, struct qm_irq *irq)
{
	char path[NAME_SPACE];
	int r;

	if (irq->chip)
		return 0;
	snprintf(path, sizeof(path), "sys/kernel/irq/%u/chip_name", irq->nr);
	r = qm_dir_read_line(&s->top, path, &irq->chip);
	if (r < 0)
		return qm_optional(r);
	snprintf(path, sizeof(path), "sys/kernel/irq/%u/hwirq", irq->nr);
	return qm_scan_long(&s->top, path, &irq->hwirq);
}

/* Drivers of NVMe and virtio disks never give a hint; with others a hint matters where the user may follow it. */
static bool wants_hint(const struct qm_irq_scan *s, const struct qm_irq *irq)
{
	static const char *const none[] = { "nvme", "virtio_blk", "virtio_scsi" };
	const char *driver;

	if (s->what & QM_READ_IRQ_DETAIL)
		return true;
	if (irq->controller < 0 || irq->managed == 1)
		return false;
	driver = s->m->controllers[irq->controller].driver;
	for (size_t i = 0; driver && i < QM_ARRAY_SIZE(none); i++) {
		if (strcmp(driver, none[i]) == 0)
			return false;
	}
	return true;
}

static int read_details(struct qm_irq_scan *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && s->proc.fd >= 0 && i < s->m->n_irqs; i++) {
		struct qm_irq *irq = &s->m->irqs[i];
		char nr[16], path[NAME_SPACE];
		long node = -1;

		if (!irq->name)
			continue;
		snprintf(nr, sizeof(nr), "%u", irq->nr);
		if (wants_hint(s, irq))
			r = read_mask(s, nr, "affinity_hint", &irq->has_hint, &irq->hint);
		/* All bits clear is how the kernel says that there is none. */
		if (irq->has_hint && qm_cpuset_is_empty(irq->hint))
			irq->has_hint = false;
		if (r < 0 || !(s->what & QM_READ_IRQ_DETAIL))
			continue;
		snprintf(path, sizeof(path), "%u/node", irq->nr);
		r = qm_scan_long(&s->proc, path, &node);
		if (node >= 0 && node < QM_NODE_ID_MAX)
			irq->node = (int)node;
		if (r == 0)
			r = qm_irq_read_chip(s, irq);
	}
	return r;
}

int qm_irqs_read(struct qm_root *root, unsigned what, struct qm_machine *m)
{
	struct qm_irq_scan s = { .root = root, .m = m, .top = qm_root_dir(root), .proc = { .fd = -1 }, .what = what };
	unsigned taken = 0;
	int r;

	r = qm_optional(qm_dir_open(root, "proc/irq", &s.proc));
	if (r == 0)
		r = read_irqs(&s);
	if (r == 0 && m->n_irqs && !is_named(m))
		r = read_names_elsewhere(&s, &taken);
	if (r == 0)
		r = qm_ties_by_name(&s);
	if (r == 0)
		r = qm_ties_by_device(&s);
	if (r == 0)
		r = qm_managed_read(&s);
	if (r == 0)
		r = read_details(&s);
	if (r == 0 && what & QM_READ_IRQ_COUNTS && !(taken & QM_INTERRUPTS_COUNTS))
		r = qm_interrupts_read(&s.top, QM_INTERRUPTS_COUNTS, m);
	qm_dir_close(&s.proc);
	return r;
}
