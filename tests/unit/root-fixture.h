/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A root in a temporary directory, with what was said about it. Every case runs twice, with openat2() and with the walk
 * that stands in for it, and must give the same. Included behind unit.h.
 */
#ifndef QM_TEST_ROOT_FIXTURE_H
#define QM_TEST_ROOT_FIXTURE_H

#include <errno.h>
#include <string.h>

#include "base/root.h"
#include "base/strbuf.h"
#include "tree.h"

struct fixture {
	struct tree tree;
	struct qm_root root;
	struct qm_dir top;
	struct qm_problems problems;
};

static inline void start(struct fixture *f, const char *text)
{
	*f = (struct fixture){ 0 };
	tree_make(&f->tree, text);
	assert_int_equal(qm_root_open(&f->root, f->tree.dir, false, &f->problems), 0);
	f->top = qm_root_dir(&f->root);
}

static inline void stop(struct fixture *f)
{
	qm_root_close(&f->root);
	qm_problems_done(&f->problems);
	tree_done(&f->tree);
}

/* The problems so far, "path: error" each; and forgets them. */
static inline void assert_problems(struct fixture *f, const char *want)
{
	struct qm_strbuf b = { 0 };

	for (size_t i = 0; i < f->problems.n; i++)
		qm_strbuf_addf(&b, "%s: %s\n", f->problems.v[i].path, f->problems.v[i].error);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
	qm_problems_done(&f->problems);
}

static inline void assert_read(struct fixture *f, const char *name, const char *want)
{
	const char *text;

	assert_int_equal(qm_dir_read(&f->top, name, &text), strlen(want));
	assert_string_equal(text, want);
}

static inline void assert_fails(struct fixture *f, const char *name, int want, const char *problem)
{
	const char *text = "untouched";
	struct qm_strbuf b = { 0 };

	assert_int_equal(qm_dir_read(&f->top, name, &text), want);
	assert_string_equal(text, "untouched");
	if (problem)
		qm_strbuf_addf(&b, "%s: %s\n", name, problem);
	assert_problems(f, qm_strbuf_str(&b));
	qm_strbuf_done(&b);
}

/* Runs the case with both kinds of lookup. */
static inline void both(void (*fn)(struct fixture *f), const char *text)
{
	for (int walk = 0; walk < 2; walk++) {
		struct fixture f;

		start(&f, text);
		f.root.no_openat2 |= walk;
		fn(&f);
		assert_problems(&f, "");
		stop(&f);
	}
}

#endif
