/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Affinity hints: what should change (plan.c), writing it and taking it back (apply.c, journal.c), handing it to other
 * tools (export.c). A plan is data: the same list goes through plan, apply, undo and status.
 */
#ifndef QM_HINT_H
#define QM_HINT_H

#include "base/ids.h"
#include "base/root.h"
#include "base/state.h"
#include "machine/machine.h"

enum qm_change_what {
	QM_CHANGE_IRQ,         /* proc/irq/N/smp_affinity_list */
	QM_CHANGE_RQ_AFFINITY, /* sys/.../queue/rq_affinity */
	_QM_CHANGE_WHAT_MAX,
};

enum qm_change_state {
	QM_CHANGE_PLANNED,
	QM_CHANGE_SAME,    /* already so */
	QM_CHANGE_APPLIED, /* written and read back */
	QM_CHANGE_REFUSED, /* by the kernel, or by us with the reason in error */
	QM_CHANGE_MOVED,   /* holds something that neither the plan nor the journal put there; left alone */
	QM_CHANGE_UNDONE,  /* old value restored */
	_QM_CHANGE_STATE_MAX,
};

struct qm_change {
	enum qm_change_what what;
	char *path;       /* below the root, no leading slash */
	char *old, *new;  /* text; old byte for byte as read */
	char *reason;     /* why; NULL in a journal */
	char *controller; /* whose; NULL = an interrupt the user named */
	char *handler;    /* the interrupt's name when it was planned; NULL = unknown, or no interrupt */
	enum qm_change_state state;
	char *error;      /* why refused, moved or only partly true; NULL */
};

/* A line about something that is no change: managed interrupts, a count for nvme connect. */
struct qm_hint_note {
	char *controller; /* NULL = the machine */
	char *text;
};

struct qm_plan {
	struct qm_change *v;
	size_t n, cap;
	struct qm_hint_note *notes;
	size_t n_notes, cap_notes;
	unsigned nr_cpus;  /* of the machine it was made on; 0 = the file does not say */
	char *possible;    /* list; NULL = the file does not say */
	bool blind;        /* made where no interrupt's mask can be read: an empty plan does not mean that all is well */
};

void qm_plan_done(struct qm_plan *p);
/* Adds a change; takes copies. path and values as in struct qm_change. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_plan_add(struct qm_plan *p, enum qm_change_what what, const char *path, const char *old,
			      const char *new, const char *controller, const char *reason, const char *handler);
/* Is the interrupt still the one the change was made for? Numbers are dealt anew at every start of a machine. */
bool qm_change_is_same_irq(const struct qm_change *c, const struct qm_machine *m);
QM_MUST_CHECK int qm_plan_add_note(struct qm_plan *p, const char *controller, const char *fmt, ...) QM_PRINTF(3, 4);

const char *qm_change_what_name(enum qm_change_what w);   /* "smp_affinity_list", "rq_affinity" */
const char *qm_change_state_name(enum qm_change_state s); /* "planned", ... */

/* ---- plan.c ---- */

struct qm_plan_options {
	struct qm_cpuset reserved;       /* CPUs meant for something else */
	const size_t *controllers;       /* indices; NULL = all */
	size_t n_controllers;
	struct qm_ids exclude;           /* IRQ numbers never touched */
};

/* What should change on this machine and why. Reads the old values through root. 0 or -errno. */
QM_MUST_CHECK int qm_plan_make(struct qm_root *root, const struct qm_machine *m, const struct qm_plan_options *opt,
			       struct qm_plan *ret);

/* Is the controller of this index one that the options name? */
bool qm_plan_is_selected(const struct qm_plan_options *opt, size_t index);

/* Refuses a plan as a whole: *ret_error gets the reason as a new string. -EINVAL, or -ENOMEM without one. */
QM_MUST_CHECK int qm_plan_refuse(char **ret_error, const char *fmt, ...) QM_PRINTF(2, 3);

/* ---- planfile.c ---- */

/*
 * Reads a plan as `hint plan -J` writes it, perhaps edited. Everything in it is checked before anything is used: schema,
 * types, that every path is one that may be written. -EINVAL with the reason in *ret_error (new string).
 */
QM_MUST_CHECK int qm_plan_parse(const char *text, size_t len, struct qm_plan *ret, char **ret_error);
/* The only paths ever written to. *ret_irq (may be NULL) is the interrupt's number, -1 for rq_affinity. */
bool qm_hint_path_is_allowed(const char *path, enum qm_change_what *ret_what, long *ret_irq);

/* ---- apply.c ---- */

struct qm_apply_options {
	bool all_or_nothing;  /* roll back at the first refusal */
	struct qm_ids exclude;
};

/*
 * Checks a plan against the machine it is to be applied to: states become SAME, REFUSED or MOVED where a change cannot or
 * need not be made. Writes nothing. -EINVAL with a reason if the plan is not for this machine at all.
 */
QM_MUST_CHECK int qm_plan_check(struct qm_root *root, const struct qm_machine *m, const struct qm_apply_options *opt,
				struct qm_plan *p, char **ret_error);
/*
 * Writes what qm_plan_check() left PLANNED: journal first, each value read back. ret_journal: name of the journal file
 * (new string), NULL if there was nothing to write; set also on failure. Returns 0 also when some were refused (see
 * states), -errno if the journal could not be written: what was written until then is in it and can be undone.
 */
QM_MUST_CHECK int qm_plan_apply(struct qm_root *root, struct qm_state *state, const struct qm_apply_options *opt,
				struct qm_plan *p, char **ret_journal);

/* ---- value.c: the two kinds of value, as text ---- */

/* Mean both texts the same (the same CPUs, the same number)? */
bool qm_value_is_same(enum qm_change_what what, const char *a, const char *b);
/* The bytes to write for a value: one line. New string. */
QM_MUST_CHECK int qm_value_line(const char *value, char **ret);
/* Writes bytes, once more where the kernel is only busy. */
QM_MUST_CHECK int qm_value_write(const struct qm_dir *top, const char *path, const char *bytes);
/* What the errno of a write means, in words. */
const char *qm_value_refusal(enum qm_change_what what, int r);
/* The same for a file that could not be read. */
const char *qm_value_unread(int r);

/* ---- journal.c ---- */

struct qm_journal {
	char *name;        /* file in the state directory */
	struct qm_plan plan; /* states: PLANNED (never begun), APPLIED, REFUSED, UNDONE as the file tells */
	bool *begun;       /* per entry: a write was begun */
	char *boot;        /* the machine's boot id at the time; NULL = unknown */
	bool closed;       /* undone as a whole */
	long long time;    /* seconds since 1970; -1 */
};

struct qm_journals {
	struct qm_journal *v; /* oldest first */
	size_t n, cap;
	size_t unreadable;    /* files of that name that are no journal (cut before their end mark) */
};

/* One of them. -EINVAL: it is damaged. */
QM_MUST_CHECK int qm_journal_read(const struct qm_state *s, const char *name, struct qm_journal *ret);
void qm_journal_done(struct qm_journal *j);
QM_MUST_CHECK int qm_journals_read(const struct qm_state *s, struct qm_journals *ret, struct qm_problems *problems);
void qm_journals_done(struct qm_journals *j);
/* Writes a new journal for the PLANNED changes of p; *ret_name is a new string. boot as in struct qm_journal. */
QM_MUST_CHECK int qm_journal_create(struct qm_state *s, const struct qm_plan *p, const char *boot, char **ret_name);
/* The root's boot id, a new string; NULL where there is none. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_journal_boot(struct qm_root *root, char **ret);
/* Appends one mark: "begin", "done", "refused", "undone" with the entry's index, or "closed" with -1. */
QM_MUST_CHECK int qm_journal_mark(struct qm_state *s, const char *name, const char *mark, long entry);

/* ---- undo.c ---- */

/*
 * Sets each entry's state to what is true now: APPLIED (in force), MOVED, UNDONE (old value again), REFUSED/PLANNED. What was
 * written before the machine was started anew, or to a number that is another interrupt's by now, is MOVED. m: the machine
 * as it is; NULL = the interrupts are the same.
 */
QM_MUST_CHECK int qm_journal_status(struct qm_root *root, const struct qm_machine *m, struct qm_journal *j);
/*
 * Restores what this run wrote and is still as it left it. States as above. Marks the journal closed when nothing is left.
 * A journal that cannot be written, with its -errno at the end, keeps nothing from being restored.
 */
QM_MUST_CHECK int qm_journal_undo(struct qm_root *root, const struct qm_machine *m, struct qm_state *state,
				  struct qm_journal *j);

/* ---- export.c ---- */

enum qm_export_format {
	QM_EXPORT_SHELL,
	QM_EXPORT_UDEV,
	QM_EXPORT_SYSTEMD,
	QM_EXPORT_IRQBALANCE,
	QM_EXPORT_NVME,
	_QM_EXPORT_MAX,
};

const char *qm_export_format_name(enum qm_export_format f);
/* opt: as the plan was made with. */
QM_MUST_CHECK int qm_plan_export(const struct qm_plan *p, const struct qm_machine *m, const struct qm_plan_options *opt,
				 enum qm_export_format f, struct qm_strbuf *out);

#endif
