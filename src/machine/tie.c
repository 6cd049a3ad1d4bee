// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose interrupt each is. A name that tells controller and queue needs nothing else. Other drivers give all their vectors
 * one name, or number them from another start: there the vectors of the device are put in order, and the queues' lists,
 * equal to the vectors' masks where the kernel spreads them, prove which belongs to which.
 */
#include "machine/irq.h"

#include <string.h>

#include "base/strbuf.h"
#include "machine/syspath.h"

/* ---- controllers by the number that names carry ---- */

struct by_number {
	unsigned nr;
	size_t controller;
};

struct name_index {
	struct by_number *v;
	size_t n, cap;
};

struct names {
	struct name_index nvme, virtio, host;
};

static void names_done(struct names *x)
{
	free(x->nvme.v);
	free(x->virtio.v);
	free(x->host.v);
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

static void index_sort(struct name_index *x)
{
	if (x->n)
		qsort(x->v, x->n, sizeof(*x->v), compare_numbers);
}

static bool index_find(const struct name_index *x, unsigned nr, size_t *ret)
{
	struct by_number key = { .nr = nr }, *found;

	found = x->n ? bsearch(&key, x->v, x->n, sizeof(key), compare_numbers) : NULL;
	if (found)
		*ret = found->controller;
	return found;
}

static bool is_virtio(const char *s, size_t len)
{
	unsigned nr;

	return qm_name_has_number(s, len, "virtio", &nr);
}

static int names_init(struct names *x, const struct qm_machine *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[i];
		const char *part;
		unsigned nr;
		size_t len;

		if (qm_name_has_number(c->name, strlen(c->name), "nvme", &nr))
			r = index_add(&x->nvme, nr, i);
		part = qm_syspath_find(c->syspath, is_virtio, &len);
		if (r == 0 && part && qm_name_has_number(part, len, "virtio", &nr))
			r = index_add(&x->virtio, nr, i);
		if (r == 0 && c->scsi_host >= 0)
			r = index_add(&x->host, (unsigned)c->scsi_host, i);
	}
	index_sort(&x->nvme);
	index_sort(&x->virtio);
	index_sort(&x->host);
	return r;
}

/* ---- what a name tells ---- */

#define HCTX_ALL (-2L)  /* every queue of the controller */
#define HCTX_OPEN (-1L) /* some queue, or none */

struct hit {
	size_t controller;
	enum qm_irq_role role;
	long hctx;
};

/* "WORD<number>REST": the number, and where the rest starts. */
static bool split_number(const char *s, size_t len, const char *word, unsigned *ret, const char **ret_rest)
{
	size_t n = strlen(word), end = n;

	if (len < n || memcmp(s, word, n) != 0)
		return false;
	while (end < len && s[end] >= '0' && s[end] <= '9')
		end++;
	*ret_rest = s + end;
	return qm_name_has_number(s, end, word, ret);
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(s, word, len) == 0;
}

static bool is_driver(const struct qm_controller *c, const char *driver)
{
	return c->driver && strcmp(c->driver, driver) == 0;
}

/* nvme<C>q<Q>; queue 0 is the admin queue. */
static bool nvme_name(const struct names *x, const char *s, size_t len, struct hit *ret)
{
	const char *rest;
	unsigned nr, queue;

	if (!split_number(s, len, "nvme", &nr, &rest) ||
	    !qm_name_has_number(rest, len - (size_t)(rest - s), "q", &queue) || !index_find(&x->nvme, nr, &ret->controller))
		return false;
	ret->role = queue ? QM_ROLE_QUEUE : QM_ROLE_ADMIN;
	ret->hctx = queue ? (long)queue - 1 : HCTX_OPEN;
	return true;
}

/*
 * virtio<N>-config, -req.<Q>; without vectors enough -virtqueues for all queues, without any the bare name. File systems
 * have similar names, but are no controllers. "-requests" is a disk without multi-queue.
 */
static bool virtio_name(const struct qm_machine *m, const struct names *x, const char *s, size_t len, struct hit *ret)
{
	const struct qm_controller *c;
	unsigned nr, queue;
	const char *rest;
	size_t n;

	if (!split_number(s, len, "virtio", &nr, &rest) || !index_find(&x->virtio, nr, &ret->controller))
		return false;
	n = len - (size_t)(rest - s);
	c = &m->controllers[ret->controller];
	ret->role = QM_ROLE_QUEUE;
	ret->hctx = HCTX_OPEN;
	if (!n || is_word(rest, n, "-virtqueues"))
		ret->hctx = HCTX_ALL;
	else if (is_word(rest, n, "-config") || is_word(rest, n, "-control") || is_word(rest, n, "-event"))
		ret->role = QM_ROLE_CONFIG;
	else if (is_driver(c, "virtio_blk") && qm_name_has_number(rest, n, "-req.", &queue))
		ret->hctx = (long)queue;
	else if (is_driver(c, "virtio_blk") && is_word(rest, n, "-requests") && c->n_hctx == 1)
		ret->hctx = 0;
	else if (!is_driver(c, "virtio_scsi") || strncmp(rest, "-request", 8) != 0)
		return false;
	return true;
}

/* Adapters that put the number of their SCSI host into the name. */
static bool host_name(const struct names *x, const char *s, size_t len, struct hit *ret)
{
	static const struct {
		const char *word, *rest;
		enum qm_irq_role role;
	} known[] = {
		{ "megasas", "-msix", QM_ROLE_NONE },    { "hpsa", "-msix", QM_ROLE_NONE },
		{ "qla2xxx", "_default", QM_ROLE_CONFIG }, { "qla2xxx", "_rsp_q", QM_ROLE_CONFIG },
		{ "qla2xxx", "_atio_q", QM_ROLE_CONFIG },  { "qla2xxx", "_qpair", QM_ROLE_NONE },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(known); i++) {
		size_t n = strlen(known[i].rest);
		const char *rest;
		unsigned nr;

		if (!split_number(s, len, known[i].word, &nr, &rest) || len - (size_t)(rest - s) < n ||
		    memcmp(rest, known[i].rest, n) != 0 || !index_find(&x->host, nr, &ret->controller))
			continue;
		ret->role = known[i].role;
		ret->hctx = HCTX_OPEN;
		return true;
	}
	return false;
}

static bool what_name_tells(const struct qm_machine *m, const struct names *x, const char *s, size_t len, struct hit *ret)
{
	return nvme_name(x, s, len, ret) || virtio_name(m, x, s, len, ret) || host_name(x, s, len, ret);
}

static void tie(struct qm_machine *m, size_t controller, size_t hctx, size_t irq, enum qm_irq_tie how)
{
	struct qm_hctx *h = &m->controllers[controller].hctx[hctx];

	m->irqs[irq].role = QM_ROLE_QUEUE;
	if (h->irq >= 0)
		return;
	h->irq = (long)irq;
	h->tie = how;
}

/*
 * Since 4.9 blk-mq takes no more queues than there are CPU ids, while a virtio disk of that time sets up all that the host
 * offers: vectors beyond belong to no queue.
 */
static bool is_beyond_cpus(const struct qm_machine *m, const struct qm_controller *c, long hctx)
{
	bool older = qm_kernel_is_known(&m->kernel) && !qm_kernel_is_at_least(&m->kernel, 4, 9);

	return is_driver(c, "virtio_blk") && !older && m->topo.nr_cpus && hctx >= (long)m->topo.nr_cpus;
}

static void take_name(struct qm_machine *m, size_t irq, const struct hit *hit, bool counting)
{
	struct qm_controller *c = &m->controllers[hit->controller];

	if (counting) {
		if (hit->hctx >= c->counts[QM_WITNESS_IRQ_NAMES] && hit->hctx >= 0 && !is_beyond_cpus(m, c, hit->hctx))
			c->counts[QM_WITNESS_IRQ_NAMES] = hit->hctx + 1;
		return;
	}
	if (m->irqs[irq].controller < 0)
		m->irqs[irq].controller = (long)hit->controller;
	if (m->irqs[irq].role == QM_ROLE_NONE && hit->role != QM_ROLE_QUEUE)
		m->irqs[irq].role = hit->role;
	for (size_t i = 0; hit->hctx == HCTX_ALL && i < c->n_hctx; i++) {
		if (c->hctx[i].type != QM_HCTX_POLL)
			tie(m, hit->controller, i, irq, QM_TIE_NAME);
	}
	if (hit->hctx >= 0 && (size_t)hit->hctx < c->n_hctx)
		tie(m, hit->controller, (size_t)hit->hctx, irq, QM_TIE_NAME);
}

static void each_name(struct qm_machine *m, const struct names *x, bool counting)
{
	for (size_t i = 0; i < m->n_irqs; i++) {
		const char *p = m->irqs[i].name, *name;
		struct hit hit;
		size_t len;

		while (qm_irq_names_next(&p, &name, &len)) {
			if (what_name_tells(m, x, name, len, &hit))
				take_name(m, i, &hit, counting);
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

	if (!is_driver(c, "nvme") || c->types_known)
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

int qm_ties_by_name(struct qm_irq_scan *s)
{
	_cleanup_(names_done) struct names x = { 0 };
	struct qm_machine *m = s->m;
	int r;

	r = names_init(&x, m);
	if (r < 0)
		return r;
	/* The names first tell how many queues there are, then, when all witnesses are heard, whose interrupt each is. */
	each_name(m, &x, true);
	for (size_t i = 0; r == 0 && i < m->n_controllers; i++) {
		if (m->controllers[i].counts[QM_WITNESS_IRQ_NAMES] >= 0)
			r = qm_hctx_settle(m, &m->controllers[i]);
	}
	if (r < 0)
		return r;
	each_name(m, &x, false);
	for (size_t i = 0; i < m->n_controllers; i++)
		settle_second_type(&m->controllers[i]);
	return 0;
}

/* ---- the vectors of a device ---- */

struct vector {
	size_t irq;
	long index; /* in the device's table, or as the name numbers it; -1 */
};

struct vectors {
	struct vector *v;
	size_t n, cap;
};

static void vectors_done(struct vectors *x)
{
	free(x->v);
}

static bool has_vector(const struct vectors *x, size_t irq)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->v[i].irq == irq)
			return true;
	}
	return false;
}

/* As many as a device's table can hold. */
#define VECTORS_MAX 2048

static int add_vector(struct vectors *x, size_t irq)
{
	int r;

	if (x->n >= VECTORS_MAX || has_vector(x, irq))
		return 0;
	r = qm_array_grow(&x->v, &x->cap, x->n + 1, sizeof(*x->v));
	if (r == 0)
		x->v[x->n++] = (struct vector){ irq, -1 };
	return r;
}

static int compare_vectors(const void *a, const void *b)
{
	const struct vector *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

/* Of the PCI function that the path leads through. Some kernels leave the directory empty: that says nothing. */
static int add_msi_irqs(struct qm_irq_scan *s, const char *syspath, struct vectors *x)
{
	_cleanup_(qm_names_done) struct qm_names names = { 0 };
	struct qm_strbuf path = { 0 };
	const char *pci;
	size_t len;
	int r;

	pci = qm_syspath_find(syspath, qm_syspath_is_pci, &len);
	if (!pci)
		return 0;
	qm_strbuf_add(&path, syspath, (size_t)(pci - syspath) + len);
	qm_strbuf_adds(&path, "/msi_irqs");
	r = path.err ? path.err : qm_dir_names(&s->top, path.s, &names);
	qm_strbuf_done(&path);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct qm_irq *irq;
		unsigned nr;

		if (!qm_name_has_number(names.v[i], strlen(names.v[i]), "", &nr))
			continue;
		irq = qm_irq_find(s->m, nr);
		if (irq && irq->name)
			r = add_vector(x, (size_t)(irq - s->m->irqs));
	}
	return qm_optional(r);
}

/* ---- what is known of drivers' vectors ---- */

struct profile {
	const char *driver;
	const char *queue; /* what the names of completion vectors contain; NULL: all vectors are such */
	int table_first;   /* index of the first queue's vector in the device's table; -1 = differs */
	int first;         /* completion vectors before the first queue's; -1 = differs, the masks decide */
	bool numbered;     /* the names tell the controller */
};

static const struct profile profiles[] = {
	{ "nvme", "q", 1, -1, true },
	{ "virtio_blk", "-req.", 1, 0, true },
	{ "virtio_scsi", "-request", 3, 0, true },
	/* Vector 0 is the admin queue's. */
	{ "mpi3mr", "-msix", 1, 1, false },
	/* Up to sixteen vectors for few busy queues may come first. */
	{ "mpt3sas", "-msix", -1, -1, false },
	{ "mpt2sas", "-msix", -1, -1, false },
	{ "leapioraid", "-msix", -1, -1, false },
	{ "hst2dr", "-msix", -1, -1, false },
	{ "megaraid_sas", "-msix", -1, -1, true },
	{ "hpsa", "-msix", -1, 0, true },
	{ "smartpqi", NULL, 0, 0, false },
	{ "aacraid", NULL, 0, 0, false },
	{ "hisi_sas_v3_hw", " cq", 16, 0, false },
	{ "hisi_sas_v2_hw", " cq", -1, 0, false },
	{ "hisi_sas_v1_hw", " cq", -1, 0, false },
	{ "qla2xxx", "_qpair", -1, -1, true },
	{ "lpfc", "lpfc:", -1, -1, false },
};

static const struct profile *profile_of(const struct qm_controller *c)
{
	static const struct profile other = { NULL, NULL, -1, -1, false };

	for (size_t i = 0; c->driver && i < QM_ARRAY_SIZE(profiles); i++) {
		if (strcmp(c->driver, profiles[i].driver) == 0)
			return &profiles[i];
	}
	return &other;
}

/* Is it the only controller of its driver? Then names without a number are its own. */
static bool is_only_one(const struct qm_machine *m, const struct qm_controller *c)
{
	for (size_t i = 0; i < m->n_controllers; i++) {
		if (&m->controllers[i] != c && m->controllers[i].driver && c->driver &&
		    strcmp(m->controllers[i].driver, c->driver) == 0)
			return false;
	}
	return c->driver != NULL;
}

/*
 * Vectors that names gave to the controller. Where the device lists none, also those that bear the driver's name, if they
 * can be nobody else's.
 */
static int add_named(struct qm_machine *m, size_t controller, const struct profile *p, struct vectors *x)
{
	const struct qm_controller *c = &m->controllers[controller];
	bool by_driver = !x->n && !p->numbered && c->scsi_host >= 0 && is_only_one(m, c);
	int r = 0;

	for (size_t i = 0; r == 0 && (p->numbered || by_driver) && i < m->n_irqs; i++) {
		const struct qm_irq *irq = &m->irqs[i];

		if (irq->controller == (long)controller ||
		    (by_driver && irq->name && irq->controller < 0 && strncmp(irq->name, c->driver, strlen(c->driver)) == 0))
			r = add_vector(x, i);
	}
	return r;
}

/* "mpt3sas0-msix12", "lpfc:12": the number behind the word. -1 where there is none. */
static long number_in_name(const struct profile *p, const char *name)
{
	const char *at = p->queue ? strstr(name, p->queue) : NULL;
	unsigned nr;

	return at && qm_name_has_number(at, strlen(at), p->queue, &nr) ? (long)nr : -1;
}

/* ---- queues and vectors of one controller ---- */

/* CPUs that some kernels leave out of a queue's list, but not of its vector's mask. */
static void left_out_cpus(const struct qm_machine *m, struct qm_cpuset *ret)
{
	qm_cpuset_copy(ret, &m->topo.isolated);
	qm_cpuset_or(ret, &m->topo.nohz_full);
}

static bool mask_is_list(const struct qm_machine *m, const struct qm_irq *irq, const struct qm_hctx *h)
{
	struct qm_cpuset rest, out;

	if (!irq->has_requested || h->cpus_unknown)
		return false;
	if (qm_cpuset_is_equal(irq->requested, h->cpus))
		return true;
	left_out_cpus(m, &out);
	qm_cpuset_copy(&rest, irq->requested);
	qm_cpuset_andnot(&rest, &out);
	return qm_cpuset_is_equal(&rest, h->cpus);
}

/* The queues that have interrupts, one after the other: poll queues come last. */
static size_t interrupt_queues(const struct qm_controller *c)
{
	size_t n = c->n_hctx;

	while (n && c->hctx[n - 1].type == QM_HCTX_POLL)
		n--;
	return n;
}

static bool masks_match_at(const struct qm_machine *m, const struct qm_controller *c, size_t n, const struct vectors *x,
			   size_t first)
{
	for (size_t i = 0; i < n; i++) {
		if (!mask_is_list(m, &m->irqs[x->v[first + i].irq], &c->hctx[i]))
			return false;
	}
	return true;
}

/* The one start at which all masks are the queues' lists; -1 if there is none, or several. */
static long start_by_masks(const struct qm_machine *m, const struct qm_controller *c, size_t n, const struct vectors *x)
{
	long found = -1;

	for (size_t first = 0; n > 1 && first + n <= x->n; first++) {
		if (!masks_match_at(m, c, n, x, first))
			continue;
		if (found >= 0)
			return -1;
		found = (long)first;
	}
	return found;
}

/* Splits off what is no completion vector. Returns whether all the others have an index in the device's table. */
static bool choose_completion_vectors(struct qm_machine *m, const struct profile *p, struct vectors *x)
{
	bool indexed = true;
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		struct vector v = x->v[i];
		struct qm_irq *irq = &m->irqs[v.irq];

		if (irq->role == QM_ROLE_CONFIG || irq->role == QM_ROLE_ADMIN || !irq->name ||
		    (p->queue && !strstr(irq->name, p->queue))) {
			if (irq->role == QM_ROLE_NONE)
				irq->role = QM_ROLE_CONFIG;
			continue;
		}
		v.index = irq->chip && strstr(irq->chip, "MSIX-") ? irq->hwirq : -1;
		indexed = indexed && v.index >= 0;
		if (v.index < 0)
			v.index = number_in_name(p, irq->name);
		x->v[n++] = v;
	}
	x->n = n;
	if (n)
		qsort(x->v, n, sizeof(*x->v), compare_vectors);
	return indexed && n;
}

static void tie_from(struct qm_machine *m, size_t controller, size_t n, const struct vectors *x, size_t first,
		     enum qm_irq_tie how)
{
	for (size_t i = 0; i < x->n; i++) {
		struct qm_irq *irq = &m->irqs[x->v[i].irq];

		if (i >= first && i - first < n)
			tie(m, controller, i - first, x->v[i].irq, how);
		else if (irq->role == QM_ROLE_NONE)
			irq->role = i < first && profile_of(&m->controllers[controller])->first > 0 ? QM_ROLE_ADMIN : QM_ROLE_EXTRA;
	}
}

/* Ties each vector by its place in the device's table. */
static void tie_by_index(struct qm_machine *m, size_t controller, size_t n, const struct profile *p, const struct vectors *x)
{
	for (size_t i = 0; i < x->n; i++) {
		long hctx = x->v[i].index - p->table_first;

		if (hctx >= 0 && (size_t)hctx < n)
			tie(m, controller, (size_t)hctx, x->v[i].irq, QM_TIE_MSIX_INDEX);
	}
}

/* Vectors from the first queue's on. */
static size_t vectors_of_queues(const struct profile *p, const struct vectors *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		n += x->v[i].index >= p->table_first;
	return n;
}

static void tie_vectors(struct qm_machine *m, size_t controller, const struct profile *p, struct vectors *x)
{
	struct qm_controller *c = &m->controllers[controller];
	size_t n = interrupt_queues(c);
	bool indexed = choose_completion_vectors(m, p, x);
	long start;

	if (!n || !x->n)
		return;
	if (p->first > 0 && x->n > (size_t)p->first && n == 1 && x->n - (size_t)p->first == 1) {
		tie_from(m, controller, n, x, (size_t)p->first, QM_TIE_ORDER);
		return;
	}
	indexed = indexed && p->table_first >= 0;
	if (n == 1 && x->n > 1 && !(indexed && vectors_of_queues(p, x) == 1)) {
		/* The queue is one, its completions come by the vector of the CPU. */
		for (size_t i = 0; i < x->n; i++) {
			if (m->irqs[x->v[i].irq].role == QM_ROLE_NONE)
				m->irqs[x->v[i].irq].role = QM_ROLE_REPLY;
		}
		return;
	}
	if (indexed) {
		tie_by_index(m, controller, n, p, x);
		return;
	}
	start = start_by_masks(m, c, n, x);
	if (start >= 0)
		tie_from(m, controller, n, x, (size_t)start, QM_TIE_MASK);
	else if (p->first >= 0 && x->n >= n + (size_t)p->first)
		tie_from(m, controller, n, x, (size_t)p->first, QM_TIE_ORDER);
	else if (x->n == n)
		tie_from(m, controller, n, x, 0, QM_TIE_ORDER);
}

static bool is_tied(const struct qm_controller *c)
{
	size_t n = interrupt_queues(c);

	for (size_t i = 0; i < n; i++) {
		if (c->hctx[i].irq < 0)
			return false;
	}
	return true;
}

/* Hosts of one function that have one vector in common, or a port's own: "ahci[0000:00:1f.2]", "ahci0". */
static int tie_ahci(struct qm_irq_scan *s, size_t controller)
{
	_cleanup_(vectors_done) struct vectors x = { 0 };
	struct qm_machine *m = s->m;
	struct qm_controller *c = &m->controllers[controller];
	int r;

	r = add_msi_irqs(s, c->syspath, &x);
	for (size_t i = 0; r == 0 && !x.n && c->pci && i < m->n_irqs; i++) {
		if (m->irqs[i].name && strstr(m->irqs[i].name, "ahci[") && strstr(m->irqs[i].name, c->pci))
			r = add_vector(&x, i);
	}
	if (r < 0 || x.n != 1 || c->n_hctx != 1)
		return r;
	if (m->irqs[x.v[0].irq].controller < 0)
		m->irqs[x.v[0].irq].controller = (long)controller;
	tie(m, controller, 0, x.v[0].irq, QM_TIE_NAME);
	return 0;
}

static int tie_controller(struct qm_irq_scan *s, size_t controller)
{
	_cleanup_(vectors_done) struct vectors x = { 0 };
	struct qm_machine *m = s->m;
	struct qm_controller *c = &m->controllers[controller];
	const struct profile *p = profile_of(c);
	int r;

	if (is_driver(c, "ahci"))
		return tie_ahci(s, controller);
	r = add_msi_irqs(s, c->syspath, &x);
	if (r == 0)
		r = add_named(m, controller, p, &x);
	for (size_t i = 0; r == 0 && i < x.n; i++) {
		struct qm_irq *irq = &m->irqs[x.v[i].irq];

		if (irq->controller < 0)
			irq->controller = (long)controller;
		r = qm_irq_read_chip(s, irq);
	}
	if (r == 0)
		tie_vectors(m, controller, p, &x);
	return r;
}

/* Rings of Xen disks all have the same name: only their order can tell, if the numbers agree. */
static void tie_xen(struct qm_machine *m)
{
	size_t rings = 0, vectors = 0, at = 0;

	for (size_t i = 0; i < m->n_controllers; i++)
		rings += is_driver(&m->controllers[i], "xen-blkfront") ? m->controllers[i].n_hctx : 0;
	for (size_t i = 0; i < m->n_irqs; i++)
		vectors += m->irqs[i].name && strcmp(m->irqs[i].name, "blkif") == 0;
	if (!rings || rings != vectors)
		return;
	for (size_t i = 0; i < m->n_controllers; i++) {
		struct qm_controller *c = &m->controllers[i];

		for (size_t k = 0; is_driver(c, "xen-blkfront") && k < c->n_hctx; k++, at++) {
			while (!m->irqs[at].name || strcmp(m->irqs[at].name, "blkif") != 0)
				at++;
			m->irqs[at].controller = (long)i;
			tie(m, i, k, at, QM_TIE_ORDER);
		}
	}
}

/* ---- network cards under fabrics connections ---- */

/* The value of "key=" in an address, "traddr=..,host_iface=eth0". New string; NULL where it is not there. */
static char *address_value(const char *address, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = address; p; p = strchr(p, ','), p = p ? p + 1 : NULL) {
		if (strncmp(p, key, n) == 0 && p[n] == '=')
			return strndup(p + n + 1, strcspn(p + n + 1, ","));
	}
	return NULL;
}

/* The card's directory: named by the connection, or for RDMA the only card there is. */
static int card_of(struct qm_irq_scan *s, const struct qm_controller *c, char **ret)
{
	_cleanup_(qm_names_done) struct qm_names cards = { 0 };
	_cleanup_free_ char *iface = NULL, *entry = NULL, *base = NULL, *target = NULL;
	struct qm_strbuf path = { 0 };
	const char *class = "sys/class/net";
	int r = 0;

	iface = c->address ? address_value(c->address, "host_iface") : NULL;
	if (!iface && c->transport && strcmp(c->transport, "rdma") == 0) {
		class = "sys/class/infiniband";
		r = qm_dir_names(&s->top, class, &cards);
		iface = r == 0 && cards.n == 1 ? strdup(cards.v[0]) : NULL;
	}
	if (!iface || strchr(iface, '/') || iface[0] == '.')
		return qm_optional(r);
	/* CLASS/NAME leads to the device's directory, whose "device" is the card. */
	r = qm_scan_class_target(&(struct qm_scan){ .top = s->top }, class, iface, &base);
	if (r < 0)
		return qm_optional(r);
	qm_strbuf_addf(&path, "%s/device", base);
	r = qm_strbuf_take(&path, &entry);
	if (r == 0)
		r = qm_dir_link(&s->top, entry, &target);
	return r == 0 ? qm_path_join(base, target, ret) : qm_optional(r);
}

static int mark_card(struct qm_irq_scan *s, size_t controller)
{
	_cleanup_(vectors_done) struct vectors x = { 0 };
	_cleanup_free_ char *card = NULL;
	int r;

	r = card_of(s, &s->m->controllers[controller], &card);
	if (r == 0 && card)
		r = add_msi_irqs(s, card, &x);
	for (size_t i = 0; r == 0 && i < x.n; i++) {
		struct qm_irq *irq = &s->m->irqs[x.v[i].irq];

		if (irq->controller >= 0)
			continue;
		irq->controller = (long)controller;
		irq->role = QM_ROLE_NIC;
	}
	return r;
}

/* Its device is a host controller of a bus, whose vectors are not its own. */
static bool is_behind_another(const struct qm_controller *c)
{
	return c->transport && (strcmp(c->transport, "usb") == 0 || strcmp(c->transport, "iscsi") == 0);
}

int qm_ties_by_device(struct qm_irq_scan *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && s->m->n_irqs && i < s->m->n_controllers; i++) {
		const struct qm_controller *c = &s->m->controllers[i];

		if (c->fabrics)
			r = mark_card(s, i);
		else if (c->n_hctx && (c->pci || c->scsi_host >= 0) && !is_behind_another(c) && !is_tied(c))
			r = tie_controller(s, i);
	}
	if (r == 0)
		tie_xen(s->m);
	return r;
}
