// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for people: harmless to a terminal, broken into lines, lists made short. */
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "out/out.h"

void qm_text_safe(struct qm_strbuf *b, const char *s)
{
	while (*s) {
		uint32_t c;
		size_t len = qm_utf8_next(s, &c);

		if (len && !qm_utf8_is_harmful(c)) {
			qm_strbuf_add(b, s, len);
			s += len;
			continue;
		}
		for (size_t n = len ? len : 1; n; n--)
			qm_strbuf_addf(b, "\\x%02x", (unsigned char)*s++);
	}
}

unsigned qm_text_width(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void add_break(struct qm_strbuf *b, unsigned indent)
{
	qm_strbuf_addc(b, '\n');
	for (unsigned i = 0; i < indent; i++)
		qm_strbuf_addc(b, ' ');
}

/* The bytes of the next word that fit: a list too long for any line is broken behind a comma. */
static size_t word_length(const char *text, unsigned room)
{
	size_t len = strcspn(text, " \n"), cut = 0;

	for (size_t i = 0; i < len && i < room; i++) {
		if (text[i] == ',')
			cut = i + 1;
	}
	return len > room && cut ? cut : len;
}

static unsigned bytes_width(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

void qm_text_wrap(struct qm_strbuf *b, const char *text, unsigned first, unsigned indent, unsigned width)
{
	unsigned column = first, room = width > indent ? width - indent : 1;
	bool fresh = true; /* nothing on this line yet: no blank before the word, and no use in breaking */
	bool glue = false; /* the word goes on from the one before */

	while (*text) {
		size_t len = word_length(text, room);
		unsigned w = bytes_width(text, len);

		if (len && (!fresh || column > indent) && column + !fresh + w > width && column > indent) {
			add_break(b, indent);
			column = indent;
			fresh = true;
		}
		if (len) {
			qm_strbuf_adds(b, fresh || glue ? "" : " ");
			qm_strbuf_add(b, text, len);
			column += w + (fresh || glue ? 0 : 1);
			fresh = false;
		}
		text += len;
		glue = len && *text && *text != ' ' && *text != '\n';
		if (*text == '\n') {
			add_break(b, indent);
			column = indent;
			fresh = true;
		}
		text += *text == ' ' || *text == '\n';
	}
}

void qm_text_list_short(struct qm_strbuf *b, const char *list, unsigned count, unsigned max)
{
	size_t len = strlen(list), keep = max > 12 ? max - 8 : 4;

	if (len <= max) {
		qm_strbuf_adds(b, list);
		return;
	}
	while (keep && list[keep] != ',')
		keep--;
	qm_strbuf_add(b, list, keep);
	qm_strbuf_addf(b, keep ? ",..(%u)" : "..(%u)", count);
}

void qm_text_cpus_short(struct qm_strbuf *b, const struct qm_cpuset *s, unsigned max)
{
	struct qm_strbuf all = { 0 };

	qm_cpuset_format(s, &all);
	qm_text_list_short(b, qm_strbuf_str(&all), qm_cpuset_count(s), max);
	qm_strbuf_carry(b, &all);
	qm_strbuf_done(&all);
}

void qm_text_ids_short(struct qm_strbuf *b, const struct qm_ids *ids, unsigned max)
{
	struct qm_strbuf all = { 0 };

	qm_ids_format(ids, &all);
	qm_text_list_short(b, qm_strbuf_str(&all), (unsigned)ids->n, max);
	qm_strbuf_carry(b, &all);
	qm_strbuf_done(&all);
}
