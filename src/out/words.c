// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for people: harmless to a terminal, broken into lines, lists made short. */
#include <stdint.h>
#include <string.h>

#include "out/out.h"
#include "out/utf8.h"

size_t qm_utf8_next(const char *s, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80 ? 1 : (p[0] & 0xe0) == 0xc0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : (p[0] & 0xf8) == 0xf0 ? 4 : 0;
	uint32_t c;

	if (len < 2) {
		*ret = p[0];
		return len;
	}
	c = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return len;
}

/* Control characters, and those that change the direction of what follows. */
static bool is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void qm_text_safe(struct qm_strbuf *b, const char *s)
{
	while (*s) {
		uint32_t c;
		size_t len = qm_utf8_next(s, &c);

		if (len && !is_harmful(c)) {
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

void qm_text_wrap(struct qm_strbuf *b, const char *text, unsigned first, unsigned indent, unsigned width)
{
	unsigned column = first;
	bool fresh = true; /* nothing on this line yet: no blank before the word, and no use in breaking */

	while (*text) {
		size_t len = strcspn(text, " \n");
		char word[256];
		unsigned w;

		if (len >= sizeof(word))
			len = sizeof(word) - 1;
		memcpy(word, text, len);
		word[len] = '\0';
		w = qm_text_width(word);
		if (len && !fresh && column + 1 + w > width) {
			add_break(b, indent);
			column = indent;
			fresh = true;
		}
		if (len) {
			qm_strbuf_adds(b, fresh ? "" : " ");
			qm_strbuf_add(b, word, len);
			column += w + !fresh;
			fresh = false;
		}
		text += len;
		if (*text == '\n') {
			add_break(b, indent);
			column = indent;
			fresh = true;
		}
		text += *text == ' ' || *text == '\n';
	}
}

void qm_text_cpus_short(struct qm_strbuf *b, const struct qm_cpuset *s, unsigned max)
{
	struct qm_strbuf all = { 0 };

	qm_cpuset_format(s, &all);
	if (all.len <= max) {
		qm_strbuf_adds(b, qm_strbuf_str(&all));
	} else {
		size_t keep = max > 12 ? max - 8 : 4;

		while (keep && all.s[keep] != ',')
			keep--;
		qm_strbuf_add(b, all.s, keep);
		qm_strbuf_addf(b, ",..(%u)", qm_cpuset_count(s));
	}
	qm_strbuf_done(&all);
}
