/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of calls that are run once as they are, and then again and again with one more allocation or system call that
 * fails: see units.c for what has to hold.
 */
#ifndef QM_TEST_UNITS_H
#define QM_TEST_UNITS_H

#include <stdbool.h>
#include <stddef.h>

struct unit {
	const char *name;
	void (*make)(void);   /* makes the fixture anew, before every run; may be NULL */
	int (*run)(void);     /* 0 with the answer said, or -errno */
	void (*check)(int r); /* looks at what is left, with nothing that fails, and frees the fixture; may be NULL */
	const char *answer;   /* what run() says if it gives 0; NULL: what it says the first time */
	const char *survives; /* the calls, but for close(), whose failure may change nothing */
	unsigned closes;      /* so many failures of close() at least have to be told of: files that were written */
	bool few;             /* ENOMEM and EIO are enough */
	bool once;            /* nothing is to fail: it looks at limits that need none */
	bool own;             /* the libraries find memory: json-c's reader has no way to say so where it does not */
	bool tells;           /* 0 with another answer is right if the unit itself has looked at it, and memory is named */
};

/* Runs them all; a line of TAP without a number for each. prefix: in front of their names. false: something is wrong. */
bool units_run(const char *prefix, const struct unit *units, size_t n);

/* Adds to the answer. */
void units_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Takes back what was added. */
void units_forget(void);
/* What does not hold is told with the point where it did not. */
void units_expect(bool holds, const char *what);
#define EXPECT(x) units_expect((x), #x)

/* For fixtures, where nothing may go wrong. */
void units_must(bool holds, const char *what);
#define assert_true(x)         units_must((x), #x)
#define assert_non_null(x)     units_must((x) != NULL, #x)
#define assert_int_equal(x, y) units_must((long long)(x) == (long long)(y), #x " == " #y)

#endif
