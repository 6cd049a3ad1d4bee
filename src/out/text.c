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

const struct qm_face qm_face_text = {
	.name = "text",
	.topology = qm_text_topology,
	.list = qm_text_list,
	.show = qm_text_show,
	.audit = qm_text_audit,
	.maps = qm_text_maps,
	.explain = qm_text_explain,
	.capture = qm_text_capture,
};
