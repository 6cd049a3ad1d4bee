/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef QM_UTF8_H
#define QM_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 character that a text starts with, and the character; 0 where the bytes are none. */
size_t qm_utf8_next(const char *s, uint32_t *ret);
/* Control characters, and those that change the direction of what follows. */
bool qm_utf8_is_harmful(uint32_t c);
/* The first len bytes of a string are characters, none of them harmful. */
bool qm_utf8_is_plain(const char *s, size_t len);

#endif
