// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Taking a run back from its journal, whatever the moment it was killed: what counts is what the files hold now, compared
 * with what stood there before and what the run wrote.
 */
#include <errno.h>
#include <string.h>

#include "hint/hint.h"

/*
 * Is text what a plain file holds where a write of top over below stopped half-way: some bytes of top, then what is left of
 * below? One that was written whole but not yet cut is so, too. The kernel's own files never look so.
 */
static bool is_partly_over(const char *text, const char *top, const char *below)
{
	size_t n = strlen(text), n_top = strlen(top), n_below = strlen(below);

	for (size_t k = 1; k <= n_top && k <= n; k++) {
		if (text[k - 1] != top[k - 1])
			return false;
		if (k < n_below ? strcmp(text + k, below + k) == 0 : k == n)
			return true;
	}
	return false;
}

/* The same where below is itself such a mixture, of mid over bottom. */
static bool is_partly_over_part(const char *text, const char *top, const char *mid, const char *bottom)
{
	size_t n = 0;

	while (text[n] && text[n] == top[n])
		n++;
	for (; n > 0; n--) {
		/* Its first n bytes are gone; any would do that can have stood there. */
		for (size_t k = 0; k <= strlen(mid); k++) {
			size_t from = k > n ? k : n;

			if (n <= k && strncmp(text + n, mid + n, k - n) != 0)
				continue;
			if (from < strlen(bottom) ? strcmp(text + from, bottom + from) == 0 : strlen(text) == from)
				return true;
		}
	}
	return false;
}

/* Is text a write of new over old that stopped half-way, or one of old over what that left? 1, 0 or -ENOMEM. */
static int is_half_made(const char *text, const char *old, const char *new)
{
	_cleanup_free_ char *line = NULL;
	int r;

	r = qm_value_line(new, &line);
	if (r < 0)
		return r;
	return is_partly_over(text, line, old) || is_partly_over(text, old, line) ||
	       is_partly_over_part(text, old, line, old);
}

/*
 * What the file's content makes of an entry whose write was begun. plain: it is no file of the kernel's; where the journal
 * does not tell that the last write to it was whole, it may have stopped half-way.
 */
static int judge(const struct qm_change *c, const char *text, bool plain, enum qm_change_state *ret)
{
	bool whole = c->state == QM_CHANGE_APPLIED || c->state == QM_CHANGE_UNDONE;
	int r;

	if (strcmp(text, c->old) == 0) {
		*ret = QM_CHANGE_UNDONE;
		return 0;
	}
	if (!qm_value_is_same(c->what, text, c->new)) {
		r = plain && !whole ? is_half_made(text, c->old, c->new) : 0;
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

static int update(const struct qm_dir *top, const struct qm_machine *m, struct qm_change *c)
{
	const char *text;
	int r;

	if (m && !qm_change_is_same_irq(c, m))
		return set_error(c, QM_CHANGE_MOVED, "the number is another interrupt's by now; left alone");
	r = qm_dir_read(top, c->path, &text);
	if (r == -ENOMEM)
		return r;
	if (r == -ENOENT)
		return set_error(c, QM_CHANGE_MOVED, "gone");
	if (r < 0)
		return set_error(c, QM_CHANGE_REFUSED, qm_value_unread(r));
	r = judge(c, text, !top->root->live, &c->state);
	if (r == 0 && c->state == QM_CHANGE_MOVED)
		r = set_error(c, QM_CHANGE_MOVED, "holds something else now; left alone");
	return r;
}

/* Of another start of the machine nothing is left: the kernel's files began anew, and the numbers with them. */
static int is_other_boot(struct qm_root *root, const struct qm_journal *j, bool *ret)
{
	_cleanup_free_ char *boot = NULL;
	int r;

	*ret = false;
	r = j->boot ? qm_journal_boot(root, &boot) : 0;
	if (r == 0 && boot)
		*ret = strcmp(boot, j->boot) != 0;
	return r;
}

static int set_gone(struct qm_change *c)
{
	return set_error(c, QM_CHANGE_MOVED, "the machine was started anew since; nothing of it is left");
}

int qm_journal_status(struct qm_root *root, const struct qm_machine *m, struct qm_journal *j)
{
	struct qm_problems *problems = root->problems;
	struct qm_dir top = qm_root_dir(root);
	bool gone;
	int r;

	r = is_other_boot(root, j, &gone);
	root->problems = NULL;
	for (size_t i = 0; r == 0 && i < j->plan.n; i++) {
		/* Never begun, or refused by the kernel: there is nothing of ours in the file. */
		if (!j->begun[i] || j->plan.v[i].state == QM_CHANGE_REFUSED)
			continue;
		r = gone ? set_gone(&j->plan.v[i]) : update(&top, m, &j->plan.v[i]);
	}
	root->problems = problems;
	return r;
}

/* *ret_mark: what became of the journal's mark. */
static int restore(struct qm_root *root, const struct qm_machine *m, struct qm_state *state, const char *name, size_t i,
		   struct qm_change *c, int *ret_mark)
{
	struct qm_dir top = qm_root_dir(root);
	int r;

	*ret_mark = 0;
	r = update(&top, m, c);
	if (r < 0 || c->state != QM_CHANGE_APPLIED)
		return r;
	/* The kernel's own files take a value or not. */
	if (!root->live)
		*ret_mark = qm_journal_mark(state, name, "begin", (long)i);
	r = qm_value_write(&top, c->path, c->old);
	if (r < 0)
		return set_error(c, QM_CHANGE_REFUSED, qm_value_refusal(c->what, r));
	r = update(&top, m, c);
	if (r < 0)
		return r;
	if (c->state != QM_CHANGE_UNDONE)
		return set_error(c, QM_CHANGE_REFUSED, "the kernel took the old value but did not keep it");
	r = qm_journal_mark(state, name, "undone", (long)i);
	*ret_mark = *ret_mark ? *ret_mark : r;
	return 0;
}

int qm_journal_undo(struct qm_root *root, const struct qm_machine *m, struct qm_state *state, struct qm_journal *j)
{
	struct qm_problems *problems = root->problems;
	bool left = false, gone;
	int r, mark, failed = 0;

	r = is_other_boot(root, j, &gone);
	root->problems = NULL;
	for (size_t i = j->plan.n; r == 0 && i-- > 0;) {
		struct qm_change *c = &j->plan.v[i];

		if (!j->begun[i])
			continue;
		mark = 0;
		/* A write that the kernel refused left nothing; one that it did not keep is compared like any other. */
		r = gone ? set_gone(c) : restore(root, m, state, j->name, i, c, &mark);
		failed = failed ? failed : mark;
		left |= c->state == QM_CHANGE_REFUSED;
	}
	root->problems = problems;
	if (r < 0 || failed)
		return r < 0 ? r : failed;
	if (left)
		return 0;
	r = qm_journal_mark(state, j->name, "closed", -1);
	j->closed = r == 0;
	return r;
}
