// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/utf8.h"

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

bool qm_utf8_is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

bool qm_utf8_is_plain(const char *s, size_t len)
{
	while (len) {
		uint32_t c;
		size_t n = qm_utf8_next(s, &c);

		if (!n || n > len || qm_utf8_is_harmful(c))
			return false;
		s += n;
		len -= n;
	}
	return true;
}
