/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The faces: how results look. Policy lives elsewhere: a face gets a finished result and formats it.
 *
 * A command fills a result (results.h), sets out->status, and calls the function of its kind in out->face:
 *
 *	run->out.status = qm_status_add(run->out.status, QM_EXIT_NO);
 *	r = run->out.face->audit(&run->out, &result);
 *
 * so no command knows whether JSON or a table comes out. To add a kind of result: a struct in results.h, a member in
 * struct qm_face, one function in the text face (text-*.c) and one in the JSON face (json-*.c), a definition in
 * schema/qmapctl-1.schema.json. To add a column: one row in the kind's column table; -o, -H, --help, the completion and the test
 * that compares tables with JSON take it from there.
 *
 * All functions return 0 or -errno; write errors stay in the stream and are found by main() at the end.
 */
#ifndef QM_OUT_H
#define QM_OUT_H

#include <stdio.h>

#include "base/cpuset.h"
#include "base/ids.h"
#include "base/strbuf.h"

struct qm_machine;
struct qm_out;

struct qm_topology_result;
struct qm_list_result;
struct qm_show_result;
struct qm_audit_result;
struct qm_maps_result;
struct qm_advise_result;
struct qm_diagnose_result;
struct qm_explain_result;
struct qm_capture_result;
struct qm_hint_result;

struct qm_face {
	const char *name;
	int (*topology)(struct qm_out *out, const struct qm_topology_result *res);
	int (*list)(struct qm_out *out, const struct qm_list_result *res);
	int (*show)(struct qm_out *out, const struct qm_show_result *res);
	int (*audit)(struct qm_out *out, const struct qm_audit_result *res);
	int (*maps)(struct qm_out *out, const struct qm_maps_result *res);
	int (*advise)(struct qm_out *out, const struct qm_advise_result *res);
	int (*diagnose)(struct qm_out *out, const struct qm_diagnose_result *res);
	int (*explain)(struct qm_out *out, const struct qm_explain_result *res);
	int (*capture)(struct qm_out *out, const struct qm_capture_result *res);
	int (*hint)(struct qm_out *out, const struct qm_hint_result *res);
};

extern const struct qm_face qm_face_text; /* for people and shell scripts: tables, text, -r, -P */
extern const struct qm_face qm_face_json;

/* Where and how to write, and what every answer says about itself. */
struct qm_out {
	const struct qm_face *face;
	FILE *f;
	/* people's faces */
	bool noheadings, raw, pairs, ascii, color, quiet, verbose;
	unsigned width;      /* of the text; 80 where nothing tells */
	bool wrap;           /* tables are cut to the width too: a terminal, or COLUMNS */
	const char *columns; /* -o as given; NULL */
	/* the JSON envelope */
	const char *command;
	const struct qm_machine *m; /* NULL: the command reads none */
	const char *algorithm;      /* that the kernel's generic mapper runs; NULL = unknown */
	bool algorithm_sure;
	int status;
	int err; /* 0, or -ENOMEM: some text could not be made, so what was printed is not the whole answer */
};

/* ---- columns ---- */

enum qm_column_type {
	QM_COLUMN_STRING,
	QM_COLUMN_NUMBER,
	QM_COLUMN_LIST, /* a kernel list: "0-3,8" */
	QM_COLUMN_BOOL, /* yes or no */
};

#define QM_COLUMN_RIGHT 0x1u /* aligned to the right */
#define QM_COLUMN_EXTRA 0x2u /* shown only where asked for */
#define QM_COLUMN_PLAIN 0x4u /* by default shown only with -r and -P, where no heading tells it */
#define QM_COLUMN_TEXT  0x8u /* prose: wrapped rather than cut */
#define QM_COLUMN_VERBOSE 0x20u /* usual only with -v, for people */
#define QM_COLUMN_MAYBE 0x10u /* left out of a usual table for people where no row has anything worth telling */

/* One cell being made. An empty text is an unknown: "-". */
struct qm_cell {
	const struct qm_out *out;
	struct qm_strbuf text;
	const char *color; /* a name for libsmartcols, where it means something; NULL */
	bool usual;        /* what nearly always stands here: not worth a column of its own */
};

struct qm_column {
	const char *name;
	const char *json; /* the same value in JSON: "controllers[].name"; NULL where it is put together from several */
	const char *help;
	enum qm_column_type type;
	unsigned flags;
	void (*get)(const void *row, struct qm_cell *cell);
};

/* The columns of one table; a command has one or several, chosen by an option. */
struct qm_layout {
	const char *option; /* the long option that chooses it; NULL = the usual one */
	const struct qm_column *columns;
	size_t n;
};

extern const struct qm_layout qm_layout_list, qm_layout_show, qm_layout_show_cpu, qm_layout_show_pin, qm_layout_show_irq;
extern const struct qm_layout qm_layout_topology, qm_layout_topology_cpu;
extern const struct qm_layout qm_layout_audit, qm_layout_advise, qm_layout_diagnose;
extern const struct qm_layout qm_layout_hint;
extern const struct qm_layout qm_layout_compare, qm_layout_compare_diff, qm_layout_predict;
extern const struct qm_layout qm_layout_predict_queue, qm_layout_predict_vectors;

/*
 * Which columns are shown: those that -o asks for ("A,B" or "+A"), or the usual ones: plain adds what no heading tells, verbose
 * what -v shows. -EINVAL: *ret_bad is the unknown name (new string; NULL: the list is empty).
 */
struct qm_selection {
	const struct qm_column *v[64];
	size_t n;
};
QM_MUST_CHECK int qm_layout_select(const struct qm_layout *layout, const char *spec, bool plain, bool verbose,
				   struct qm_selection *ret, char **ret_bad);
/* -H: names and meanings. */
int qm_layout_print(const struct qm_layout *layout, struct qm_out *out);

/* A table being filled. Rows are formatted at once and need not live on. */
struct qm_table;
QM_MUST_CHECK int qm_table_new(struct qm_out *out, const struct qm_layout *layout, struct qm_table **ret);
QM_MUST_CHECK int qm_table_add(struct qm_table *t, const void *row);
/* Prints the rows (with the headings, where wanted) and empties the table for the next ones. */
QM_MUST_CHECK int qm_table_print(struct qm_table *t);
void qm_table_free(struct qm_table *t);

/* ---- cells ---- */

void qm_cell_str(struct qm_cell *cell, const char *s);       /* NULL = unknown */
void qm_cell_num(struct qm_cell *cell, long long n);         /* negative = unknown */
void qm_cell_int(struct qm_cell *cell, long long n);         /* any number */
void qm_cell_bool(struct qm_cell *cell, int b);              /* negative = unknown */
void qm_cell_cpus(struct qm_cell *cell, const struct qm_cpuset *s); /* the empty set is "none" */
void qm_cell_ids(struct qm_cell *cell, const struct qm_ids *ids);

/* ---- text ---- */

/*
 * Appends text from the machine so that it cannot harm a terminal: control characters and bytes that are no UTF-8 become
 * \xNN.
 */
void qm_text_safe(struct qm_strbuf *b, const char *s);
/*
 * Appends text broken at blanks to lines of at most width characters. The first line starts where the buffer's line is
 * (column first), the others are indented by indent blanks. Line breaks in the text stay. Ends without a line break.
 */
void qm_text_wrap(struct qm_strbuf *b, const char *text, unsigned first, unsigned indent, unsigned width);
/* Columns that UTF-8 text takes. */
unsigned qm_text_width(const char *s);
/*
 * Appends a kernel list that fits max characters: "0-3,8,..(20)" with the number of all members where it is longer. With max
 * QM_TEXT_WHOLE it is always whole.
 */
#define QM_TEXT_WHOLE (~0u)
void qm_text_list_short(struct qm_strbuf *b, const char *list, unsigned count, unsigned max);
void qm_text_cpus_short(struct qm_strbuf *b, const struct qm_cpuset *s, unsigned max);
void qm_text_ids_short(struct qm_strbuf *b, const struct qm_ids *ids, unsigned max);

#endif
