// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing a plan: everything is checked first, journalled before the first write, and read back. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "audit/irqs.h"
#include "base/strbuf.h"
#include "hint/hint.h"

static int set_error(struct qm_change *c, enum qm_change_state state, const char *fmt, ...) QM_PRINTF(3, 4);

static int set_error(struct qm_change *c, enum qm_change_state state, const char *fmt, ...)
{
	va_list ap;
	int r;

	c->state = state;
	free(c->error);
	c->error = NULL;
	va_start(ap, fmt);
	r = qm_strbuf_vtake(fmt, ap, &c->error);
	va_end(ap);
	return r;
}

/* Before Linux 6.12 nothing shows it: then what is certain of the driver counts, for the vectors of its queues. */
static bool is_managed(const struct qm_machine *m, const struct qm_irq *irq)
{
	if (irq->managed >= 0 || irq->controller < 0 || irq->role != QM_ROLE_QUEUE)
		return irq->managed == 1;
	return qm_irq_is_managed(m, &m->controllers[irq->controller], irq) == 1;
}

/* Reasons that need no look at the file. Leaves the state PLANNED if there is none. */
static int check_irq(const struct qm_machine *m, const struct qm_apply_options *opt, long nr, struct qm_change *c)
{
	const struct qm_irq *irq = nr <= INT_MAX ? qm_irq_find(m, (unsigned)nr) : NULL;
	struct qm_cpuset mask;
	int r;

	if (qm_ids_has(&opt->exclude, (unsigned)nr))
		return set_error(c, QM_CHANGE_REFUSED, "excluded");
	if (qm_ids_has(&m->irqbalance_banned, (unsigned)nr))
		return set_error(c, QM_CHANGE_REFUSED, "irqbalance is told to keep off it (--banirq): somebody places it by hand");
	if (irq && !qm_change_is_same_irq(c, m))
		return set_error(c, QM_CHANGE_REFUSED, "is the interrupt of %s here, not of %s", irq->name, c->handler);
	if (irq && is_managed(m, irq))
		return set_error(c, QM_CHANGE_REFUSED, "the kernel places this interrupt itself (managed); not tried");
	r = qm_cpuset_parse_list(c->new, -1, &mask);
	if (r < 0)
		return set_error(c, QM_CHANGE_REFUSED, "\"%s\" is no CPU list", c->new);
	if (!qm_cpuset_is_subset(&mask, &m->topo.possible))
		return set_error(c, QM_CHANGE_REFUSED, "names CPUs that this machine cannot have");
	if (!qm_cpuset_intersects(&mask, &m->topo.online))
		return set_error(c, QM_CHANGE_REFUSED, "no CPU of the mask is online");
	return 0;
}

static int check_change(struct qm_root *root, const struct qm_machine *m, const struct qm_apply_options *opt,
			struct qm_change *c)
{
	struct qm_dir top = qm_root_dir(root);
	const char *text;
	long nr = -1;
	int r;

	/* Allowed it is: qm_plan_check() has seen to that. */
	qm_hint_path_is_allowed(c->path, NULL, &nr);
	if (c->what == QM_CHANGE_IRQ) {
		r = check_irq(m, opt, nr, c);
		if (r < 0 || c->state != QM_CHANGE_PLANNED)
			return r;
	}
	r = qm_dir_read(&top, c->path, &text);
	if (r < 0)
		return r == -ENOMEM ? r : set_error(c, QM_CHANGE_REFUSED, "%s", qm_value_unread(r));
	if (qm_value_is_same(c->what, text, c->new)) {
		c->state = QM_CHANGE_SAME;
		return 0;
	}
	if (!qm_value_is_same(c->what, text, c->old))
		return set_error(c, QM_CHANGE_MOVED, "holds %.*s now, not %.*s as planned; left alone",
				 (int)strcspn(text, "\n"), text, (int)strcspn(c->old, "\n"), c->old);
	if (strcmp(text, c->old) != 0) {
		/* Same meaning, other bytes: the journal must hold what really stood there. */
		char *old = strdup(text);

		if (!old)
			return -ENOMEM;
		free(c->old);
		c->old = old;
	}
	return 0;
}

/* Neither the file nor its directory is a link: no kernel makes one there, so somebody wants other files written. */
static int check_links(struct qm_root *root, const struct qm_plan *p, char **ret_error)
{
	struct qm_dir top = qm_root_dir(root);
	int r = -EINVAL;

	for (size_t i = 0; i < p->n && r != -ENOMEM; i++) {
		_cleanup_free_ char *parent = strdup(p->v[i].path), *target = NULL;

		if (!parent)
			return -ENOMEM;
		/* An allowed path has components enough. */
		*strrchr(parent, '/') = '\0';
		r = qm_dir_link(&top, p->v[i].path, &target);
		if (r < 0 && r != -ENOMEM)
			r = qm_dir_link(&top, parent, &target);
		if (r == 0)
			return qm_plan_refuse(ret_error, "%s: a symbolic link stands there", p->v[i].path);
	}
	return r == -ENOMEM ? r : 0;
}

int qm_plan_check(struct qm_root *root, const struct qm_machine *m, const struct qm_apply_options *opt, struct qm_plan *p,
		  char **ret_error)
{
	struct qm_problems *problems = root->problems;
	struct qm_cpuset possible;
	int r = 0;

	if (p->possible && (qm_cpuset_parse_list(p->possible, -1, &possible) < 0 ||
			    !qm_cpuset_is_equal(&possible, &m->topo.possible))) {
		struct qm_strbuf here = { 0 };

		qm_cpuset_format(&m->topo.possible, &here);
		r = here.err ? here.err : qm_plan_refuse(ret_error, "the plan is for a machine with CPUs %s, this one has %s",
						       p->possible, qm_strbuf_str(&here));
		qm_strbuf_done(&here);
		return r;
	}
	/* A file that cannot be read is told with its change, not once more as a problem. */
	root->problems = NULL;
	for (size_t i = 0; i < p->n && r == 0; i++) {
		if (!qm_hint_path_is_allowed(p->v[i].path, NULL, NULL))
			r = qm_plan_refuse(ret_error, "\"%s\" is not a file that a plan may write", p->v[i].path);
	}
	if (r == 0)
		r = check_links(root, p, ret_error);
	for (size_t i = 0; i < p->n && r == 0; i++)
		r = check_change(root, m, opt, &p->v[i]);
	root->problems = problems;
	return r;
}

/* The kernel took the value but shows another, text: what is not understood is not left in place. */
static int give_back(const struct qm_dir *top, struct qm_change *c, const char *text)
{
	int n = (int)strcspn(text, "\n"), r;

	r = qm_value_write(top, c->path, c->old);
	if (r < 0)
		return set_error(c, QM_CHANGE_REFUSED, "the kernel took the value but kept %.*s; the old one could not be restored: %s",
				 n, text, strerror(-r));
	return set_error(c, QM_CHANGE_REFUSED, "the kernel took the value but kept %.*s; the old one was restored", n, text);
}

/* A plain file may hold part of a write that failed. What cannot be mended now is undo's to find. */
static int clear_half(struct qm_root *root, const struct qm_change *c)
{
	struct qm_dir top = qm_root_dir(root);
	const char *text;
	int r;

	if (root->live)
		return 0;
	r = qm_dir_read(&top, c->path, &text);
	if (r >= 0 && strcmp(text, c->old) != 0)
		r = qm_value_write(&top, c->path, c->old);
	return r == -ENOMEM ? r : 0;
}

/* Writes one change between its two marks and reads it back. -errno only where the journal fails. */
static int apply_change(struct qm_root *root, struct qm_state *state, const char *journal, long entry,
			struct qm_change *c)
{
	struct qm_dir top = qm_root_dir(root);
	_cleanup_free_ char *line = NULL;
	const char *text;
	int r, w;

	r = qm_value_line(c->new, &line);
	if (r < 0)
		return r;
	r = qm_journal_mark(state, journal, "begin", entry);
	if (r < 0)
		return r;
	w = qm_value_write(&top, c->path, line);
	if (w == 0) {
		w = qm_dir_read(&top, c->path, &text);
		if (w < 0)
			r = set_error(c, QM_CHANGE_APPLIED, "written, but could not be read back: %s", strerror(-w));
		else if (!qm_value_is_same(c->what, text, c->new))
			r = give_back(&top, c, text);
		else
			c->state = QM_CHANGE_APPLIED;
	} else {
		r = set_error(c, QM_CHANGE_REFUSED, "%s", qm_value_refusal(c->what, w));
		if (r == 0)
			r = clear_half(root, c);
	}
	if (r < 0)
		return r;
	return qm_journal_mark(state, journal, c->state == QM_CHANGE_APPLIED ? "done" : "refused", entry);
}

/* What became of a change that was to be taken back. undone: the same in the journal. */
static int take_outcome(struct qm_change *c, struct qm_change *undone)
{
	if (undone->state == QM_CHANGE_REFUSED)
		return set_error(c, QM_CHANGE_APPLIED, "could not be taken back: %s", undone->error);
	c->state = undone->state;
	free(c->error);
	c->error = undone->error;
	undone->error = NULL;
	return 0;
}

/* Takes back what this run wrote, from its journal, as `hint undo` would. */
static int roll_back(struct qm_root *root, struct qm_state *state, const char *name, struct qm_plan *p)
{
	struct qm_journal j;
	size_t entry = 0;
	int r, failed;

	r = qm_journal_read(state, name, &j);
	if (r < 0)
		return r;
	/* Restored as far as possible even where the journal cannot be written any more. */
	failed = qm_journal_undo(root, NULL, state, &j);
	for (size_t i = 0; failed != -ENOMEM && r == 0 && i < p->n && entry < j.plan.n; i++) {
		if (strcmp(p->v[i].path, j.plan.v[entry].path) != 0)
			continue;
		if (p->v[i].state == QM_CHANGE_APPLIED)
			r = take_outcome(&p->v[i], &j.plan.v[entry]);
		entry++;
	}
	qm_journal_done(&j);
	return failed < 0 ? failed : r;
}

/* With all or nothing, one change that cannot be made means that none is. */
static bool is_hopeless(const struct qm_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].state == QM_CHANGE_REFUSED || p->v[i].state == QM_CHANGE_MOVED)
			return true;
	}
	return false;
}

int qm_plan_apply(struct qm_root *root, struct qm_state *state, const struct qm_apply_options *opt, struct qm_plan *p,
		  char **ret_journal)
{
	struct qm_problems *problems = root->problems;
	_cleanup_free_ char *name = NULL, *boot = NULL;
	bool failed = false;
	size_t todo = 0;
	long entry = 0;
	int r;

	for (size_t i = 0; i < p->n; i++)
		todo += p->v[i].state == QM_CHANGE_PLANNED;
	if (!todo || (opt->all_or_nothing && is_hopeless(p))) {
		*ret_journal = NULL;
		return 0;
	}
	r = qm_journal_boot(root, &boot);
	if (r == 0)
		r = qm_journal_create(state, p, boot, &name);
	root->problems = NULL;
	for (size_t i = 0; r == 0 && !failed && i < p->n; i++) {
		if (p->v[i].state != QM_CHANGE_PLANNED)
			continue;
		r = apply_change(root, state, name, entry++, &p->v[i]);
		failed = opt->all_or_nothing && p->v[i].state != QM_CHANGE_APPLIED;
	}
	if (opt->all_or_nothing && name && (failed || r < 0)) {
		int back = roll_back(root, state, name, p);

		r = r < 0 ? r : back;
	}
	root->problems = problems;
	*ret_journal = name;
	name = NULL;
	return r;
}
