// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Managed interrupts: the kernel spreads them over the CPUs and lets nobody move them. Debugfs says it outright, and since
 * 6.12 their files are read-only. All vectors that a driver asks for in one role are alike, so one of each role is looked at.
 */
#include "machine/irq.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

#define NAME_SPACE 64

/* What one look at one interrupt told. */
struct look {
	long controller; /* -1: it is nobody's, and the look tells of itself alone */
	enum qm_irq_role role;
	size_t irq;
	int debugfs;  /* 1 managed, 0 not, -1 unknown */
	int writable; /* 1, 0, -1 unknown */
};

struct looks {
	struct look *v;
	size_t n, cap;
};

static void looks_done(struct looks *x)
{
	free(x->v);
}

/* Since 6.12; a kernel whose version is unknown is taken to be older. */
static bool mode_tells(const struct qm_machine *m)
{
	return qm_kernel_is_at_least(&m->kernel, 6, 12);
}

static int ask_debugfs(const struct qm_dir *dir, unsigned nr)
{
	char name[NAME_SPACE];
	const char *text;

	snprintf(name, sizeof(name), "%u", nr);
	if (qm_dir_read(dir, name, &text) < 0)
		return -1;
	return strstr(text, "IRQD_AFFINITY_MANAGED") != NULL;
}

static int ask_mode(const struct qm_irq_scan *s, unsigned nr)
{
	char name[NAME_SPACE];
	int mode;

	snprintf(name, sizeof(name), "%u/smp_affinity_list", nr);
	mode = qm_dir_mode(&s->proc, name);
	return mode < 0 ? -1 : (mode & 0222) != 0;
}

/*
 * A host adapter's interrupt by its name alone. Without a disk, as in target mode, an adapter is no controller here; who
 * may move its interrupts is still worth knowing.
 */
static bool is_adapters(const struct qm_irq *irq)
{
	static const char *const words[] = {
		"qla2xxx", "lpfc:", "mpt3sas", "mpi3mr", "megasas", "hpsa", "smartpqi", "aacraid",
	};

	for (size_t i = 0; irq->name && i < QM_ARRAY_SIZE(words); i++) {
		if (strncmp(irq->name, words[i], strlen(words[i])) == 0)
			return true;
	}
	return false;
}

/* One interrupt of each role of each controller, and each adapter's that is no controller's. */
static int choose(const struct qm_machine *m, struct looks *x)
{
	_cleanup_free_ bool(*seen)[_QM_ROLE_MAX] = calloc(m->n_controllers + 1, sizeof(*seen));
	int r = seen ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < m->n_irqs; i++) {
		const struct qm_irq *irq = &m->irqs[i];

		if (irq->controller < 0 ? !is_adapters(irq) :
					  irq->role == QM_ROLE_NONE || seen[irq->controller][irq->role])
			continue;
		if (irq->controller >= 0)
			seen[irq->controller][irq->role] = true;
		r = qm_array_grow(&x->v, &x->cap, x->n + 1, sizeof(*x->v));
		if (r == 0)
			x->v[x->n++] = (struct look){ irq->controller, irq->role, i, -1, -1 };
	}
	return r;
}

static void see(int mode, bool *seen)
{
	if (mode >= 0)
		seen[(mode & 0222) != 0] = true;
}

/*
 * A tree may have been copied without modes, so they are believed only where both kinds are seen: among the interrupts, or
 * in files whose mode is the same on every machine: the CPU in use is read-only, the default mask for new interrupts is
 * not. The live kernel's are its own.
 */
static bool modes_are_real(const struct qm_irq_scan *s, const struct looks *x)
{
	bool seen[2] = { false };
	char name[NAME_SPACE];

	snprintf(name, sizeof(name), "%u/effective_affinity_list", s->m->irqs[x->v[0].irq].nr);
	see(qm_dir_mode(&s->proc, name), seen);
	see(qm_dir_mode(&s->proc, "default_smp_affinity"), seen);
	for (size_t i = 0; i < x->n; i++) {
		if (x->v[i].writable >= 0)
			seen[x->v[i].writable] = true;
	}
	return s->root->live || (seen[0] && seen[1]);
}

static void tell(struct qm_irq *irq, const struct look *look, bool by_mode)
{
	if (look->debugfs < 0 && (!by_mode || look->writable < 0))
		return;
	irq->managed = look->debugfs >= 0 ? look->debugfs : !look->writable;
	irq->managed_by = look->debugfs >= 0 ? "debugfs" : "mode";
}

/* What was seen of one interrupt goes for all of the same role of its controller. */
static int apply(struct qm_machine *m, const struct looks *x, bool by_mode)
{
	_cleanup_free_ const struct look *(*of)[_QM_ROLE_MAX] = calloc(m->n_controllers + 1, sizeof(*of));

	if (!of)
		return -ENOMEM;
	for (size_t i = 0; i < x->n; i++) {
		const struct look *look = &x->v[i];

		if (look->controller < 0)
			tell(&m->irqs[look->irq], look, by_mode);
		else
			of[look->controller][look->role] = look;
	}
	for (size_t i = 0; i < m->n_irqs; i++) {
		struct qm_irq *irq = &m->irqs[i];

		if (irq->controller >= 0 && of[irq->controller][irq->role])
			tell(irq, of[irq->controller][irq->role], by_mode);
	}
	return 0;
}

int qm_managed_read(struct qm_irq_scan *s)
{
	_cleanup_(qm_dir_close) struct qm_dir debug = { .fd = -1 };
	_cleanup_(looks_done) struct looks x = { 0 };
	struct qm_dir top = s->top;
	bool by_mode = mode_tells(s->m);
	int r;

	if (s->proc.fd < 0)
		return 0;
	r = choose(s->m, &x);
	if (r < 0 || !x.n)
		return r;
	top.root_only = true;
	r = qm_optional(qm_dir_openat(&top, "sys/kernel/debug/irq/irqs", &debug));
	if (r < 0)
		return r;
	s->m->privileged = s->m->privileged || debug.fd >= 0;
	for (size_t i = 0; i < x.n; i++) {
		unsigned nr = s->m->irqs[x.v[i].irq].nr;

		if (debug.fd >= 0)
			x.v[i].debugfs = ask_debugfs(&debug, nr);
		if (x.v[i].debugfs < 0 && by_mode)
			x.v[i].writable = ask_mode(s, nr);
	}
	by_mode = by_mode && modes_are_real(s, &x);
	return apply(s->m, &x, by_mode);
}
