/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON value as text, on one line. json-c's own writer drops what it finds no memory for and says nothing; a journal or
 * an answer with a piece missing is worse than none.
 */
#ifndef QM_JSONTEXT_H
#define QM_JSONTEXT_H

#include <json-c/json.h>

#include "base/strbuf.h"

/*
 * Appends the value (NULL is null): objects, arrays, strings, integers, booleans. An integer with text as its userdata is that
 * text. Everything else is an error of the caller's, -EINVAL in b->err, as is a value nested deeper than 32.
 */
void qm_strbuf_add_json(struct qm_strbuf *b, json_object *value);
/* The same with a line for each member, further in by two blanks where they are nested. */
void qm_strbuf_add_json_lines(struct qm_strbuf *b, json_object *value);

#endif
