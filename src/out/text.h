/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the text face, one file each kind of answer. */
#ifndef QM_TEXT_H
#define QM_TEXT_H

#include "out/out.h"

struct qm_algo;
struct qm_completion;
struct qm_machine;
struct qm_report;
struct qm_topology;

#define GETTER(name) static void name(const void *row, struct qm_cell *cell)
#define RED    "red"
#define YELLOW "yellow"

/* Rows that more than one file knows. */
struct list_row {
	const struct qm_machine *m;
	const struct qm_report *r;
};

struct cpu_row {
	const struct qm_topology *t;
	const struct qm_report *r; /* NULL: the topology alone */
	unsigned cpu;
};

/* "map:v6.3"; NULL = unknown */
void qm_cell_algo(struct qm_cell *cell, const struct qm_algo *a);
/* Where a queue's requests complete, in short; cpu: those of this CPU only, -1 = all. */
void qm_cell_completion(struct qm_cell *cell, const struct qm_completion *done, int cpu);
/* The algorithm that made a controller's map, as far as known: "none" where none fits. */
void qm_cell_made_by(struct qm_cell *cell, const struct qm_report *r);

/* The line above a controller's table or picture; again: not the first. */
void qm_text_heading(struct qm_out *out, const struct qm_machine *m, const struct qm_report *r, bool again);

/* Prints the text and what ends it; where memory was short, the run knows that the answer is not whole. */
void qm_text_print(struct qm_out *out, const struct qm_strbuf *b, const char *end);

/*
 * Appends "  LABEL text", broken to the width with the following lines under the text; nothing where there is no text. The
 * text is made safe for a terminal.
 */
void qm_text_paragraph(struct qm_strbuf *b, const struct qm_out *out, const char *label, const char *text);
/* Appends "  run: command" on one line, so that it can be copied; nothing where there is none. */
void qm_text_command(struct qm_strbuf *b, const char *command);

int qm_text_topology(struct qm_out *out, const struct qm_topology_result *res);
int qm_text_list(struct qm_out *out, const struct qm_list_result *res);
int qm_text_show(struct qm_out *out, const struct qm_show_result *res);
int qm_text_irqs(struct qm_out *out, const struct qm_show_result *res);
int qm_text_matrix(struct qm_out *out, const struct qm_show_result *res);
int qm_text_audit(struct qm_out *out, const struct qm_audit_result *res);
int qm_text_maps(struct qm_out *out, const struct qm_maps_result *res);
int qm_text_advise(struct qm_out *out, const struct qm_advise_result *res);
int qm_text_diagnose(struct qm_out *out, const struct qm_diagnose_result *res);
int qm_text_explain(struct qm_out *out, const struct qm_explain_result *res);
int qm_text_capture(struct qm_out *out, const struct qm_capture_result *res);
int qm_text_hint(struct qm_out *out, const struct qm_hint_result *res);

#endif
