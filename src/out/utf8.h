/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef QM_UTF8_H
#define QM_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 character that a text starts with, and the character; 0 where the bytes are none. */
size_t qm_utf8_next(const char *s, uint32_t *ret);

#endif
