/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problems: files that exist but cannot be read or make no sense. They are collected while reading and said once, by the
 * command, on stderr and in JSON; the rest of the answer still comes.
 */
#ifndef QM_LOG_H
#define QM_LOG_H

#include <stddef.h>

#include "base/cleanup.h"

struct qm_problem {
	char *path;  /* relative to the root, "sys/..."; or the option or file the trouble is with */
	char *error; /* one line, no full stop */
};

struct qm_problems {
	struct qm_problem *v;
	size_t n, cap;
	size_t dropped; /* beyond QM_PROBLEMS_MAX: counted, not kept */
	int err;        /* -ENOMEM: some could not be kept, or a file not be read for want of memory */
};

#define QM_PROBLEMS_MAX 1000

/* Remembers a problem; the same path with the same text is kept once. Never fails visibly: see err and dropped. */
void qm_problem_addf(struct qm_problems *p, const char *path, const char *fmt, ...) QM_PRINTF(3, 4);
void qm_problems_done(struct qm_problems *p);

#endif
