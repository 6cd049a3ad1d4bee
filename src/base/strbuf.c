// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int qm_array_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 8;
	void *old, *p;

	if (need <= *cap)
		return 0;
	while (n < need) {
		if (n > SIZE_MAX / 2)
			return -ENOMEM;
		n *= 2;
	}
	if (n > SIZE_MAX / size)
		return -ENOMEM;
	memcpy(&old, array, sizeof(old));
	p = realloc(old, n * size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof(p));
	*cap = n;
	return 0;
}

static int reserve(struct qm_strbuf *b, size_t more)
{
	if (b->err)
		return b->err;
	if (more > SIZE_MAX - b->len - 1) {
		b->err = -ENOMEM;
		return b->err;
	}
	b->err = qm_array_grow(&b->s, &b->cap, b->len + more + 1, 1);
	return b->err;
}

void qm_strbuf_add(struct qm_strbuf *b, const char *data, size_t len)
{
	if (reserve(b, len))
		return;
	memcpy(b->s + b->len, data, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void qm_strbuf_adds(struct qm_strbuf *b, const char *text)
{
	qm_strbuf_add(b, text, strlen(text));
}

void qm_strbuf_addc(struct qm_strbuf *b, char c)
{
	qm_strbuf_add(b, &c, 1);
}

/* Most texts are short: they are formatted once, where they shall stand, and only longer ones again. */
#define ROOM_FOR_MOST 47

void qm_strbuf_vaddf(struct qm_strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	size_t room;
	int n;

	if (reserve(b, ROOM_FOR_MOST))
		return;
	va_copy(again, ap);
	room = b->cap - b->len;
	n = vsnprintf(b->s + b->len, room, fmt, ap);
	if (n < 0)
		b->err = -EINVAL;
	else if ((size_t)n < room)
		b->len += (size_t)n;
	else if (!reserve(b, (size_t)n)) {
		vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	/* What did not fit, or cannot be formatted, leaves nothing behind. */
	if (b->err)
		b->s[b->len] = '\0';
	va_end(again);
}

void qm_strbuf_addf(struct qm_strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qm_strbuf_vaddf(b, fmt, ap);
	va_end(ap);
}

void qm_strbuf_add_quoted(struct qm_strbuf *b, const char *text, size_t len)
{
	qm_strbuf_addc(b, '\'');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			qm_strbuf_adds(b, "'\\''");
		else
			qm_strbuf_addc(b, text[i]);
	}
	qm_strbuf_addc(b, '\'');
}

void qm_strbuf_add_word(struct qm_strbuf *b, const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";

	if (*word && !word[strspn(word, safe)])
		qm_strbuf_adds(b, word);
	else
		qm_strbuf_add_quoted(b, word, strlen(word));
}

void qm_strbuf_carry(struct qm_strbuf *b, const struct qm_strbuf *from)
{
	b->err = b->err ? b->err : from->err;
}

void qm_strbuf_reset(struct qm_strbuf *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = '\0';
}

const char *qm_strbuf_str(const struct qm_strbuf *b)
{
	return b->s ? b->s : "";
}

int qm_strbuf_take(struct qm_strbuf *b, char **ret)
{
	qm_strbuf_adds(b, "");
	if (b->err)
		return b->err;
	*ret = b->s;
	*b = (struct qm_strbuf){ 0 };
	return 0;
}

char *qm_put_digits(char *end, unsigned n)
{
	do
		*--end = (char)('0' + n % 10);
	while (n /= 10, n);
	return end;
}

int qm_strbuf_vtake(const char *fmt, va_list ap, char **ret)
{
	struct qm_strbuf b = { 0 };
	int r;

	qm_strbuf_vaddf(&b, fmt, ap);
	r = qm_strbuf_take(&b, ret);
	qm_strbuf_done(&b);
	return r;
}

void qm_strbuf_done(struct qm_strbuf *b)
{
	free(b->s);
	*b = (struct qm_strbuf){ 0 };
}
