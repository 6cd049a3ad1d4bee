/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing text. {0} is an empty buffer. Errors are sticky: after a failed allocation every call is a no-op and
 * qm_strbuf_take() reports it, so callers check once.
 */
#ifndef QM_STRBUF_H
#define QM_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/cleanup.h"

struct qm_strbuf {
	char *s; /* NUL-terminated once anything was added, else NULL */
	size_t len, cap;
	int err; /* 0 or -ENOMEM */
};

void qm_strbuf_add(struct qm_strbuf *b, const char *data, size_t len);
void qm_strbuf_adds(struct qm_strbuf *b, const char *text);
void qm_strbuf_addc(struct qm_strbuf *b, char c);
void qm_strbuf_addf(struct qm_strbuf *b, const char *fmt, ...) QM_PRINTF(2, 3);
void qm_strbuf_vaddf(struct qm_strbuf *b, const char *fmt, va_list ap) QM_PRINTF(2, 0);
/* As one word for a shell: within single quotes, which end and begin again around each quote in the text. */
void qm_strbuf_add_quoted(struct qm_strbuf *b, const char *text, size_t len);
/* The same where the word needs it; as it is where no shell would take it apart. */
void qm_strbuf_add_word(struct qm_strbuf *b, const char *word);
/* What was made of one buffer's text is in b: the error of the one is b's, too. */
void qm_strbuf_carry(struct qm_strbuf *b, const struct qm_strbuf *from);
/* Empties it, keeps the memory. */
void qm_strbuf_reset(struct qm_strbuf *b);
/* The text so far, "" when empty; borrowed, valid until the next call. */
const char *qm_strbuf_str(const struct qm_strbuf *b);
/* Hands the text to the caller (never NULL on success) and leaves *b empty. Returns 0 or -ENOMEM. */
QM_MUST_CHECK int qm_strbuf_take(struct qm_strbuf *b, char **ret);
/* Formats a new string. 0, or an error that leaves *ret alone. */
QM_MUST_CHECK int qm_strbuf_vtake(const char *fmt, va_list ap, char **ret) QM_PRINTF(1, 0);
void qm_strbuf_done(struct qm_strbuf *b);

/*
 * Writes the digits of n before end, at most ten, without a NUL; returns where they begin. For what is done many thousand
 * times.
 */
char *qm_put_digits(char *end, unsigned n);

/*
 * Makes room for one more element in a growing array: *array (elements of size bytes) holds *cap of them.
 * Returns 0 or -ENOMEM; *array is unchanged on failure.
 */
QM_MUST_CHECK int qm_array_grow(void *array, size_t *cap, size_t need, size_t size);

#endif
