// SPDX-License-Identifier: GPL-2.0-or-later
/* A plan as a data structure. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "hint/hint.h"

static void change_done(struct qm_change *c)
{
	free(c->path);
	free(c->old);
	free(c->new);
	free(c->reason);
	free(c->controller);
	free(c->handler);
	free(c->error);
	*c = (struct qm_change){ 0 };
}

void qm_plan_done(struct qm_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		change_done(&p->v[i]);
	for (size_t i = 0; i < p->n_notes; i++) {
		free(p->notes[i].controller);
		free(p->notes[i].text);
	}
	free(p->v);
	free(p->notes);
	free(p->possible);
	*p = (struct qm_plan){ 0 };
}

/* NULL stays NULL. */
static int copy_string(const char *s, char **ret)
{
	*ret = s ? strdup(s) : NULL;
	return s && !*ret ? -ENOMEM : 0;
}

int qm_plan_add(struct qm_plan *p, enum qm_change_what what, const char *path, const char *old, const char *new,
		const char *controller, const char *reason, const char *handler)
{
	struct qm_change c = { .what = what, .state = QM_CHANGE_PLANNED };
	int r;

	r = qm_array_grow(&p->v, &p->cap, p->n + 1, sizeof(*p->v));
	if (r == 0)
		r = copy_string(path, &c.path);
	if (r == 0)
		r = copy_string(old, &c.old);
	if (r == 0)
		r = copy_string(new, &c.new);
	if (r == 0)
		r = copy_string(controller, &c.controller);
	if (r == 0)
		r = copy_string(reason, &c.reason);
	if (r == 0)
		r = copy_string(handler, &c.handler);
	if (r < 0) {
		change_done(&c);
		return r;
	}
	p->v[p->n++] = c;
	return 0;
}

int qm_plan_add_note(struct qm_plan *p, const char *controller, const char *fmt, ...)
{
	struct qm_hint_note note = { 0 };
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = qm_strbuf_vtake(fmt, ap, &note.text);
	va_end(ap);
	if (r == 0)
		r = copy_string(controller, &note.controller);
	if (r == 0)
		r = qm_array_grow(&p->notes, &p->cap_notes, p->n_notes + 1, sizeof(*p->notes));
	if (r < 0) {
		free(note.text);
		free(note.controller);
		return r;
	}
	p->notes[p->n_notes++] = note;
	return 0;
}

int qm_plan_refuse(char **ret_error, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = qm_strbuf_vtake(fmt, ap, ret_error);
	va_end(ap);
	return r < 0 ? r : -EINVAL;
}

const char *qm_change_what_name(enum qm_change_what w)
{
	static const char *const names[_QM_CHANGE_WHAT_MAX] = { "smp_affinity_list", "rq_affinity" };

	return (unsigned)w < _QM_CHANGE_WHAT_MAX ? names[w] : NULL;
}

const char *qm_change_state_name(enum qm_change_state s)
{
	static const char *const names[_QM_CHANGE_STATE_MAX] = { "planned", "same",  "applied",
								 "refused", "moved", "undone" };

	return (unsigned)s < _QM_CHANGE_STATE_MAX ? names[s] : NULL;
}

bool qm_change_is_same_irq(const struct qm_change *c, const struct qm_machine *m)
{
	const struct qm_irq *irq;
	long nr;

	if (!c->handler || !qm_hint_path_is_allowed(c->path, NULL, &nr) || nr < 0)
		return true;
	irq = nr <= INT_MAX ? qm_irq_find(m, (unsigned)nr) : NULL;
	/* One that is gone, or has no name that can be read, is told of by the file itself. */
	return !irq || !irq->name || strcmp(irq->name, c->handler) == 0;
}
