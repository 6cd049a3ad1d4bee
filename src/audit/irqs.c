// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose interrupt is it? Where the reader did not tie it to a controller its name may tell: drivers name their
 * interrupts after the controller, its SCSI host, or only themselves; the last tell the owner where a single controller
 * has that driver.
 */
#include "audit/irqs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/root.h"
#include "base/strbuf.h"
#include "map/driver.h"

/* How a driver's interrupts are named: the word, and what the number behind it is. */
static const struct naming {
	const char *driver, *word;
	enum { NUMBER_HOST, NUMBER_OWN, NUMBER_NONE } number;
	const char *not_queues[5]; /* endings and middles of names that complete no requests */
} namings[] = {
	{ "megaraid_sas", "megasas", NUMBER_HOST, { NULL } },
	{ "hpsa", "hpsa", NUMBER_HOST, { NULL } },
	{ "qla2xxx", "qla2xxx", NUMBER_HOST, { "_default", "_rsp_q", "_atio_q" } },
	{ "mpt3sas", "mpt3sas", NUMBER_OWN, { NULL } },
	{ "mpt2sas", "mpt2sas", NUMBER_OWN, { NULL } },
	{ "mpi3mr", "mpi3mr", NUMBER_OWN, { "-msix0" } },
	{ "lpfc", "lpfc", NUMBER_NONE, { NULL } },
	{ "smartpqi", "smartpqi", NUMBER_NONE, { NULL } },
	{ "aacraid", "aacraid", NUMBER_NONE, { NULL } },
	{ "hisi_sas_v3_hw", "hisi_sas_v3_hw", NUMBER_NONE, { " phy", " channel", " fatal" } },
	{ "hisi_sas_v2_hw", "hisi_sas_v2_hw", NUMBER_NONE, { " phy", " channel", " fatal" } },
	{ "ahci", "ahci", NUMBER_NONE, { NULL } },
	{ "ibmvscsi", "ibmvscsi", NUMBER_NONE, { NULL } },
	{ "vmw_pvscsi", "vmw_pvscsi", NUMBER_NONE, { NULL } },
	{ "xen-blkfront", "blkif", NUMBER_NONE, { NULL } },
	{ "vbd", "blkif", NUMBER_NONE, { NULL } },
};

/* A name's beginning, and whose it is. */
struct key {
	char word[64];
	long controller; /* -1: several have it */
};

struct keys {
	struct key *v;
	size_t n, cap;
};

static int key_add(struct keys *keys, long controller, const char *word)
{
	struct key *k;
	int r;

	if (strlen(word) >= sizeof(k->word))
		return 0;
	r = qm_array_grow(&keys->v, &keys->cap, keys->n + 1, sizeof(*keys->v));
	if (r < 0)
		return r;
	k = &keys->v[keys->n++];
	strcpy(k->word, word);
	k->controller = controller;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return strcmp(x->word, y->word);
}

/* Sorts, and makes one key of those that several controllers have. */
static void keys_settle(struct keys *keys)
{
	size_t n = 0;

	if (keys->n)
		qsort(keys->v, keys->n, sizeof(*keys->v), compare_keys);
	for (size_t i = 0; i < keys->n; i++) {
		if (n && strcmp(keys->v[n - 1].word, keys->v[i].word) == 0)
			keys->v[n - 1].controller = -1;
		else
			keys->v[n++] = keys->v[i];
	}
	keys->n = n;
}

/* "virtio3" in ".../0000:00:05.0/virtio3/host2". */
static bool virtio_name(const char *path, char *ret, size_t size)
{
	const char *at = path ? strstr(path, "/virtio") : NULL;
	size_t len = at ? strcspn(at + 1, "/") : 0;

	if (!at || len >= size)
		return false;
	memcpy(ret, at + 1, len);
	ret[len] = '\0';
	return true;
}

static int add_controller(struct keys *keys, const struct qm_controller *c, long index)
{
	char word[64];

	if (!c->driver)
		return 0;
	if (strcmp(c->driver, "nvme") == 0)
		return key_add(keys, index, c->name);
	if (strncmp(c->driver, "virtio_", 7) == 0)
		return virtio_name(c->syspath, word, sizeof(word)) ? key_add(keys, index, word) : 0;
	for (size_t i = 0; i < QM_ARRAY_SIZE(namings); i++) {
		if (strcmp(c->driver, namings[i].driver) != 0)
			continue;
		if (namings[i].number != NUMBER_HOST)
			return key_add(keys, index, namings[i].word);
		if (c->scsi_host < 0)
			return 0;
		snprintf(word, sizeof(word), "%s%ld", namings[i].word, c->scsi_host);
		return key_add(keys, index, word);
	}
	return 0;
}

static const struct key *key_find(const struct keys *keys, const char *name, size_t len)
{
	struct key k = { .controller = 0 };

	if (len == 0 || len >= sizeof(k.word) || keys->n == 0)
		return NULL;
	memcpy(k.word, name, len);
	k.word[len] = '\0';
	return bsearch(&k, keys->v, keys->n, sizeof(*keys->v), compare_keys);
}

static size_t digits_before(const char *name, size_t len)
{
	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	return len;
}

/* The key a handler's name starts with: "nvme0q3", "virtio1-req.0", "qla2xxx7_qpair1", "mpt3sas0-msix3", "blkif". */
static const struct key *key_of(const struct keys *keys, const char *name, size_t len)
{
	size_t word = 0, plain;
	const struct key *k;

	while (word < len && !strchr("-[ :.", name[word]))
		word++;
	k = key_find(keys, name, word);
	if (k)
		return k;
	plain = digits_before(name, word);
	k = key_find(keys, name, plain);
	if (k || plain == 0)
		return k;
	if (strncmp(name, "nvme", 4) == 0 && name[plain - 1] == 'q')
		return key_find(keys, name, plain - 1);
	if (strncmp(name, "qla2xxx", 7) == 0)
		return key_find(keys, name, 7 + strspn(name + 7, "0123456789"));
	return NULL;
}

static bool has_part(const char *name, size_t len, const char *part)
{
	return memmem(name, len, part, strlen(part)) != NULL;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(name + len - n, end, n) == 0;
}

/* Does this handler complete requests, or is it for administration and events? */
static bool completes(const char *name, size_t len)
{
	if (strncmp(name, "nvme", 4) == 0)
		return !ends_with(name, len, "q0");
	if (strncmp(name, "virtio", 6) == 0)
		return !ends_with(name, len, "-config") && !ends_with(name, len, "-control") &&
			!ends_with(name, len, "-event");
	for (size_t i = 0; i < QM_ARRAY_SIZE(namings); i++) {
		if (strncmp(name, namings[i].word, strlen(namings[i].word)) != 0)
			continue;
		for (size_t k = 0; k < QM_ARRAY_SIZE(namings[i].not_queues) && namings[i].not_queues[k]; k++) {
			if (ends_with(name, len, namings[i].not_queues[k]) ||
				(*namings[i].not_queues[k] == ' ' && has_part(name, len, namings[i].not_queues[k])))
				return false;
		}
		return true;
	}
	return true;
}

bool qm_irq_next_name(const char **p, const char **ret, size_t *ret_len)
{
	const char *end;

	if (!*p || !**p)
		return false;
	end = strchr(*p, ',');
	*ret = *p;
	*ret_len = end ? (size_t)(end - *p) : strlen(*p);
	*p = end ? end + 1 + strspn(end + 1, " ") : NULL;
	return true;
}

/* The driver that names a handler so, and the word that it puts before the number; NULL = none known here. */
static const char *driver_of(const char *name, size_t len, const char **ret_word)
{
	if (strncmp(name, "nvme", 4) == 0 && len > 4 && name[4] >= '0' && name[4] <= '9') {
		*ret_word = "nvme";
		return "nvme";
	}
	*ret_word = "virtio";
	if (strncmp(name, "virtio", 6) == 0 && !has_part(name, len, "-requests")) {
		if (has_part(name, len, "-req.") || has_part(name, len, "-virtqueues"))
			return "virtio_blk";
		if (has_part(name, len, "-request"))
			return "virtio_scsi";
	}
	for (size_t i = 0; i < QM_ARRAY_SIZE(namings); i++) {
		*ret_word = namings[i].word;
		if (strncmp(name, *ret_word, strlen(*ret_word)) == 0)
			return namings[i].driver;
	}
	return NULL;
}

const char *qm_irq_driver(const struct qm_irq *irq)
{
	const char *p = irq->name, *name, *word, *driver = NULL;
	size_t len;

	while (!driver && qm_irq_next_name(&p, &name, &len))
		driver = driver_of(name, len, &word);
	return driver;
}

bool qm_irq_device(const struct qm_irq *irq, const char **ret, size_t *ret_len)
{
	const char *p = irq->name, *name, *word;
	size_t len, n;

	while (qm_irq_next_name(&p, &name, &len)) {
		if (!driver_of(name, len, &word))
			continue;
		n = strlen(word);
		while (n < len && name[n] >= '0' && name[n] <= '9')
			n++;
		*ret = name;
		*ret_len = n;
		return true;
	}
	return false;
}

bool qm_irq_is_storage(const struct qm_irq *irq)
{
	return qm_irq_driver(irq) != NULL;
}

bool qm_irq_completes(const struct qm_irq *irq)
{
	const char *p = irq->name, *name;
	size_t len;

	while (qm_irq_next_name(&p, &name, &len)) {
		if (completes(name, len))
			return true;
	}
	return false;
}

bool qm_irq_has_nameless_owner(const struct qm_irq *irq)
{
	for (size_t i = 0; irq->name && i < QM_ARRAY_SIZE(namings); i++) {
		if (namings[i].number == NUMBER_NONE && strcmp(irq->name, namings[i].word) == 0)
			return true;
	}
	return false;
}

enum qm_irq_outside qm_irq_outside_mask(const struct qm_topology *t, const struct qm_irq *irq)
{
	if (!irq->has_requested || !irq->has_effective || qm_cpuset_is_empty(irq->effective) ||
		qm_cpuset_is_subset(irq->effective, irq->requested))
		return QM_OUTSIDE_NOT;
	return qm_cpuset_intersects(irq->requested, &t->online) ? QM_OUTSIDE_PENDING : QM_OUTSIDE_SHUT_DOWN;
}

const char *qm_irq_outside_name(enum qm_irq_outside o)
{
	return o == QM_OUTSIDE_PENDING ? "pending" : o == QM_OUTSIDE_SHUT_DOWN ? "shut-down" : NULL;
}

/* What the driver does on such a kernel. */
static int driver_places(const struct qm_kernel *k, const struct qm_controller *c, const struct qm_irq *irq)
{
	struct qm_driver_rule rule;
	const char *driver = c ? c->driver : qm_irq_driver(irq);

	qm_driver_rule_get(driver, k, &rule);
	/*
	 * With one vector for everything there is none left that could be managed (but NVMe's admin queue once shared that
	 * of the first I/O queue); and kernels before 4.8 had none.
	 */
	if (irq->name && ((strstr(irq->name, ", ") && !(rule.managed && !rule.pre_vectors)) || strstr(irq->name, "-virtqueues")))
		return 0;
	if (qm_kernel_is_known(k) && !qm_kernel_is_at_least(k, 4, 8))
		return 0;
	/* A driver that leaves the map to the generic mapper may manage its vectors all the same. */
	if (rule.sure && rule.managed) {
		/* The vectors before those of the queues get the default mask. Of no controller's the name tells which are such. */
		if (irq->role == QM_ROLE_ADMIN || irq->role == QM_ROLE_CONFIG || (!c && !qm_irq_completes(irq)))
			return rule.pre_vectors ? 0 : -1;
		return 1;
	}
	return driver && strcmp(driver, "xen-blkfront") == 0 ? 0 : -1;
}

int qm_irq_who_places(const struct qm_machine *m, const struct qm_controller *c, const struct qm_irq *irq,
	const char **ret_by)
{
	int managed = irq->managed;

	*ret_by = irq->managed_by;
	if (managed < 0) {
		managed = driver_places(&m->kernel, c, irq);
		*ret_by = managed < 0 ? NULL : "driver";
	}
	return managed;
}

int qm_irq_is_managed(const struct qm_machine *m, const struct qm_controller *c, const struct qm_irq *irq)
{
	const char *by;

	return qm_irq_who_places(m, c, irq, &by);
}

/* What the reader tied to a controller is that one's; a network card's vectors are nobody's here. */
static int give_known(struct qm_audit *a, size_t index)
{
	const struct qm_irq *irq = &a->m->irqs[index];
	struct qm_audit_controller *ac = &a->c[irq->controller];

	if (irq->role == QM_ROLE_NIC)
		return 0;
	if (irq->role == QM_ROLE_QUEUE || irq->role == QM_ROLE_REPLY)
		return qm_ids_add(&ac->irqs, (unsigned)index);
	return qm_ids_add(&ac->other_irqs, (unsigned)index);
}

/* Gives one interrupt to the controllers whose handlers it has. */
static int give(struct qm_audit *a, const struct keys *keys, size_t index)
{
	const char *p = a->m->irqs[index].name, *name;
	size_t len;
	int r = 0;

	if (a->m->irqs[index].controller >= 0 && (size_t)a->m->irqs[index].controller < a->m->n_controllers)
		return give_known(a, index);
	while (r == 0 && qm_irq_next_name(&p, &name, &len)) {
		const struct key *k = key_of(keys, name, len);
		struct qm_audit_controller *ac;
		struct qm_ids *to;

		if (!k || k->controller < 0)
			continue;
		ac = &a->c[k->controller];
		to = completes(name, len) ? &ac->irqs : &ac->other_irqs;
		if (!to->n || to->v[to->n - 1] != index)
			r = qm_ids_add(to, (unsigned)index);
	}
	return r;
}

/* Ties of the reader that no name here tells. */
static int give_tied(struct qm_audit *a, size_t controller)
{
	const struct qm_controller *c = &a->m->controllers[controller];
	struct qm_audit_controller *ac = &a->c[controller];
	int r = 0;

	if (ac->irqs.n)
		return 0;
	for (size_t q = 0; q < c->n_hctx && r == 0; q++) {
		long irq = c->hctx[q].irq;

		if (irq >= 0 && (size_t)irq < a->m->n_irqs &&
			(!ac->irqs.n || ac->irqs.v[ac->irqs.n - 1] != (unsigned)irq))
			r = qm_ids_add(&ac->irqs, (unsigned)irq);
	}
	return r;
}

int qm_audit_find_irqs(struct qm_audit *a)
{
	struct keys keys = { 0 };
	int r = 0;

	for (size_t i = 0; i < a->m->n_controllers && r == 0; i++)
		r = add_controller(&keys, &a->m->controllers[i], (long)i);
	keys_settle(&keys);
	for (size_t i = 0; i < a->m->n_irqs && r == 0; i++)
		r = give(a, &keys, i);
	for (size_t i = 0; i < a->m->n_controllers && r == 0; i++)
		r = give_tied(a, i);
	free(keys.v);
	return r;
}

int qm_audit_unowned_irqs(const struct qm_audit *a, struct qm_ids *ret)
{
	_cleanup_free_ bool *owned = NULL;
	int r = 0;

	if (a->opt->controllers)
		return 0;
	owned = calloc(a->m->n_irqs + 1, sizeof(*owned));
	if (!owned)
		return -ENOMEM;
	for (size_t i = 0; i < a->m->n_controllers; i++) {
		for (size_t k = 0; k < a->c[i].irqs.n; k++)
			owned[a->c[i].irqs.v[k]] = true;
		for (size_t k = 0; k < a->c[i].other_irqs.n; k++)
			owned[a->c[i].other_irqs.v[k]] = true;
	}
	for (size_t i = 0; i < a->m->n_irqs && r == 0; i++) {
		if (!owned[i])
			r = qm_ids_add(ret, (unsigned)i);
	}
	return r;
}
