/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON where memory is short: json-c drops what it finds none for and says nothing, and a journal or an answer with a piece
 * missing is worse than none.
 */
#ifndef QM_JSONTEXT_H
#define QM_JSONTEXT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/strbuf.h"

/*
 * Appends the value (NULL is null) on one line: objects, arrays, strings, integers, booleans. An integer with text as its
 * userdata is that text. Everything else is an error of the caller's, -EINVAL in b->err, as is a value nested deeper than
 * 32.
 */
void qm_strbuf_add_json(struct qm_strbuf *b, json_object *value);
/* The same with a line for each member, further in by two blanks where they are nested. */
void qm_strbuf_add_json_lines(struct qm_strbuf *b, json_object *value);

/* Is o all that json-c made of a text that parsed well, only because it found no memory? It gives no other sign of it. */
bool qm_json_is_lost(const json_object *o, const char *text);

#endif
