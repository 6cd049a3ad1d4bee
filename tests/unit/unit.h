/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka with what it needs before it, TAP on stdout. */
#ifndef QM_UNIT_H
#define QM_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#endif
