// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Taking a run back from its journal, whatever the moment it was killed: what counts is what the files hold now, compared
 * with what stood there before and what the run wrote.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "hint/hint.h"

/*
 * What a plain file holds when a run was killed between the write and the cut behind it: head, then what head did not
 * cover of tail. The kernel's own files never look so.
 */
static int overlay(const char *head, const char *tail, char **ret)
{
	struct qm_strbuf b = { 0 };
	size_t n = strlen(head);
	int r;

	qm_strbuf_adds(&b, head);
	if (strlen(tail) > n)
		qm_strbuf_adds(&b, tail + n);
	r = qm_strbuf_take(&b, ret);
	qm_strbuf_done(&b);
	return r;
}

/* Is text a half-made write of new over old, or of old over either? 1, 0 or -ENOMEM. */
static int is_half_made(const char *text, const char *old, const char *new)
{
	_cleanup_free_ char *line = NULL, *over_old = NULL, *back = NULL, *back_half = NULL;
	int r;

	r = qm_value_line(new, &line);
	if (r == 0)
		r = overlay(line, old, &over_old);
	if (r == 0)
		r = overlay(old, line, &back);
	if (r == 0)
		r = overlay(old, over_old, &back_half);
	if (r < 0)
		return r;
	return strcmp(text, over_old) == 0 || strcmp(text, back) == 0 || strcmp(text, back_half) == 0;
}

/* What the file's content makes of an entry whose write was begun. */
static int judge(const struct qm_change *c, const char *text, enum qm_change_state *ret)
{
	int r = 0;

	if (strcmp(text, c->old) == 0) {
		*ret = QM_CHANGE_UNDONE;
		return 0;
	}
	if (!qm_value_is_same(c->what, text, c->new)) {
		r = is_half_made(text, c->old, c->new);
		if (r < 0)
			return r;
		if (!r) {
			*ret = qm_value_is_same(c->what, text, c->old) ? QM_CHANGE_UNDONE : QM_CHANGE_MOVED;
			return 0;
		}
	}
	*ret = QM_CHANGE_APPLIED;
	return 0;
}

static int set_error(struct qm_change *c, enum qm_change_state state, const char *error)
{
	c->state = state;
	free(c->error);
	c->error = strdup(error);
	return c->error ? 0 : -ENOMEM;
}

static int update(const struct qm_dir *top, struct qm_change *c)
{
	const char *text;
	int r;

	r = qm_dir_read(top, c->path, &text);
	if (r == -ENOMEM)
		return r;
	if (r == -ENOENT)
		return set_error(c, QM_CHANGE_MOVED, "gone");
	if (r < 0)
		return set_error(c, QM_CHANGE_REFUSED, qm_value_refusal(r));
	r = judge(c, text, &c->state);
	if (r == 0 && c->state == QM_CHANGE_MOVED)
		r = set_error(c, QM_CHANGE_MOVED, "holds something else now; left alone");
	return r;
}

int qm_journal_status(struct qm_root *root, struct qm_journal *j)
{
	struct qm_problems *problems = root->problems;
	struct qm_dir top = qm_root_dir(root);
	int r = 0;

	root->problems = NULL;
	for (size_t i = 0; r == 0 && i < j->plan.n; i++) {
		/* Never begun, or refused by the kernel: there is nothing of ours in the file. */
		if (j->begun[i] && j->plan.v[i].state != QM_CHANGE_REFUSED)
			r = update(&top, &j->plan.v[i]);
	}
	root->problems = problems;
	return r;
}

static int restore(struct qm_root *root, struct qm_state *state, const char *name, size_t i, struct qm_change *c)
{
	struct qm_dir top = qm_root_dir(root);
	int r;

	r = update(&top, c);
	if (r < 0 || c->state != QM_CHANGE_APPLIED)
		return r;
	r = qm_value_write(&top, c->path, c->old);
	if (r < 0)
		return set_error(c, QM_CHANGE_REFUSED, qm_value_refusal(r));
	r = update(&top, c);
	if (r < 0)
		return r;
	if (c->state != QM_CHANGE_UNDONE)
		return set_error(c, QM_CHANGE_REFUSED, "the kernel took the old value but did not keep it");
	return qm_journal_mark(state, name, "undone", (long)i);
}

int qm_journal_undo(struct qm_root *root, struct qm_state *state, struct qm_journal *j)
{
	struct qm_problems *problems = root->problems;
	bool left = false;
	int r = 0;

	root->problems = NULL;
	for (size_t i = j->plan.n; r == 0 && i-- > 0;) {
		struct qm_change *c = &j->plan.v[i];

		if (!j->begun[i])
			continue;
		/* A write that the kernel refused left nothing; one that it did not keep is compared like any other. */
		r = restore(root, state, j->name, i, c);
		left |= c->state == QM_CHANGE_REFUSED;
	}
	root->problems = problems;
	if (r == 0 && !left) {
		r = qm_journal_mark(state, j->name, "closed", -1);
		j->closed = r == 0;
	}
	return r;
}
