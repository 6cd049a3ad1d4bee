// SPDX-License-Identifier: GPL-2.0-or-later
/* The face for people and shell scripts. */
#include "out/text.h"

#include "map/map.h"
#include "out/results.h"

void qm_cell_algo(struct qm_cell *cell, const struct qm_algo *a)
{
	if (a)
		qm_strbuf_addf(&cell->text, "%s:%s", qm_family_name(a->family), a->id);
}

void qm_text_print(struct qm_out *out, const struct qm_strbuf *b, const char *end)
{
	out->err = b->err ? b->err : out->err;
	fprintf(out->f, "%s%s", qm_strbuf_str(b), end);
}

void qm_text_paragraph(struct qm_strbuf *b, const struct qm_out *out, const char *label, const char *text)
{
	unsigned indent = 2 + qm_text_width(label);
	struct qm_strbuf safe = { 0 };

	if (!text || !*text)
		return;
	qm_text_safe(&safe, text);
	qm_strbuf_addf(b, "  %s", label);
	qm_text_wrap(b, qm_strbuf_str(&safe), indent, indent, out->width);
	qm_strbuf_addc(b, '\n');
	qm_strbuf_carry(b, &safe);
	qm_strbuf_done(&safe);
}

void qm_text_command(struct qm_strbuf *b, const char *command)
{
	if (!command)
		return;
	qm_strbuf_adds(b, "  run: ");
	qm_text_safe(b, command);
	qm_strbuf_addc(b, '\n');
}

const struct qm_face qm_face_text = {
	.name = "text",
	.topology = qm_text_topology,
	.list = qm_text_list,
	.show = qm_text_show,
	.audit = qm_text_audit,
	.maps = qm_text_maps,
	.advise = qm_text_advise,
	.diagnose = qm_text_diagnose,
	.explain = qm_text_explain,
	.capture = qm_text_capture,
	.hint = qm_text_hint,
};
