// SPDX-License-Identifier: GPL-2.0-or-later
/* list: one row a controller. */
#include "out/results.h"
#include "out/text.h"

#define CONTROLLER(row) (((const struct list_row *)(row))->r->c)

GETTER(list_name)
{
	qm_cell_str(cell, CONTROLLER(row)->name);
}

GETTER(list_driver)
{
	qm_cell_str(cell, CONTROLLER(row)->driver);
}

GETTER(list_transport)
{
	qm_cell_str(cell, CONTROLLER(row)->transport);
}

GETTER(list_node)
{
	qm_cell_num(cell, CONTROLLER(row)->node);
}

GETTER(list_pci)
{
	qm_cell_str(cell, CONTROLLER(row)->pci);
}

GETTER(list_state)
{
	qm_cell_str(cell, CONTROLLER(row)->state);
}

GETTER(list_model)
{
	qm_cell_str(cell, CONTROLLER(row)->model);
}

GETTER(list_mapped)
{
	qm_cell_num(cell, CONTROLLER(row)->mapped);
}

GETTER(list_total)
{
	qm_cell_num(cell, (long long)CONTROLLER(row)->n_hctx);
}

GETTER(list_queues)
{
	const struct qm_controller *c = CONTROLLER(row);

	qm_strbuf_addf(&cell->text, "%u/%zu", c->mapped, c->n_hctx);
	if (c->mapped < c->n_hctx)
		cell->color = RED;
}

GETTER(list_witness)
{
	qm_cell_str(cell, qm_witness_name(CONTROLLER(row)->witness));
}

/* As the drivers' own messages: default/read/poll. */
GETTER(list_types)
{
	const long *n = CONTROLLER(row)->nr_types;

	cell->usual = n[QM_HCTX_READ] == 0 && n[QM_HCTX_POLL] == 0;
	if (n[QM_HCTX_DEFAULT] < 0 && n[QM_HCTX_READ] < 0 && n[QM_HCTX_POLL] < 0)
		return;
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++) {
		qm_strbuf_adds(&cell->text, type ? "/" : "");
		if (n[type] < 0)
			qm_strbuf_addc(&cell->text, '?');
		else
			qm_cell_num(cell, n[type]);
	}
}

static bool has_match(const struct qm_identity *id, const struct qm_algo *a)
{
	for (size_t i = 0; i < id->n_matches; i++) {
		if (id->matches[i] == a)
			return true;
	}
	return false;
}

/* The one that made the map: the predicted one if it fits, else the only one that does. */
void qm_cell_made_by(struct qm_cell *cell, const struct qm_report *r)
{
	const struct qm_identity *id = &r->id;

	if (!r->has_id)
		return;
	if (id->predicted.n && has_match(id, id->predicted.v[0]))
		qm_cell_algo(cell, id->predicted.v[0]);
	else if (id->n_matches > 1)
		qm_strbuf_addf(&cell->text, "any of %zu", id->n_matches);
	else if (id->n_matches)
		qm_cell_algo(cell, id->matches[0]);
	else
		qm_cell_str(cell, "none");
}

GETTER(list_algorithm)
{
	qm_cell_made_by(cell, ((const struct list_row *)row)->r);
}

GETTER(list_predicted)
{
	const struct qm_report *r = ((const struct list_row *)row)->r;

	if (r->has_id && r->id.predicted.n)
		qm_cell_algo(cell, r->id.predicted.v[0]);
}

GETTER(list_matches)
{
	const struct qm_report *r = ((const struct list_row *)row)->r;

	if (r->has_id && !r->id.n_matches)
		qm_cell_str(cell, "none");
	for (size_t i = 0; r->has_id && i < r->id.n_matches; i++) {
		qm_strbuf_adds(&cell->text, i ? "," : "");
		qm_cell_algo(cell, r->id.matches[i]);
	}
}

GETTER(list_worst)
{
	const struct qm_report *r = ((const struct list_row *)row)->r;

	qm_cell_str(cell, r->worst_rule);
	cell->color = r->worst == QM_ERROR ? RED : r->worst == QM_WARNING ? YELLOW : NULL;
}

GETTER(list_severity)
{
	const struct qm_report *r = ((const struct list_row *)row)->r;

	if (r->worst >= 0)
		qm_cell_str(cell, qm_severity_name((enum qm_severity)r->worst));
	cell->color = r->worst == QM_ERROR ? RED : r->worst == QM_WARNING ? YELLOW : NULL;
}

GETTER(list_disks)
{
	const struct list_row *l = row;

	if (!l->r->c->n_disks)
		qm_cell_str(cell, "none");
	for (size_t i = 0; i < l->r->c->n_disks; i++) {
		qm_strbuf_adds(&cell->text, i ? "," : "");
		qm_cell_str(cell, l->m->disks[l->r->c->disks[i]].name);
	}
}

static const struct qm_column list_columns[] = {
	{ "NAME", "controllers[].name", "controller, or the disk that is its own", QM_COLUMN_STRING, 0, list_name },
	{ "DRIVER", "controllers[].driver", "driver", QM_COLUMN_STRING, 0, list_driver },
	{ "TRANSPORT", "controllers[].transport", "how it is attached: pcie, tcp, scsi, virtio ...", QM_COLUMN_STRING, 0,
	  list_transport },
	{ "NODE", "controllers[].node", "NUMA node of the device", QM_COLUMN_NUMBER, QM_COLUMN_RIGHT, list_node },
	{ "QUEUES", NULL, "hardware queues: mapped of all", QM_COLUMN_STRING, QM_COLUMN_RIGHT, list_queues },
	{ "TYPES", NULL, "queues by type: default/read/poll", QM_COLUMN_STRING, QM_COLUMN_RIGHT | QM_COLUMN_MAYBE, list_types },
	{ "ALGORITHM", NULL, "algorithm that gives the live map", QM_COLUMN_STRING, 0, list_algorithm },
	{ "WORST", "controllers[].worst_rule", "worst warning or error of the audit", QM_COLUMN_STRING, 0, list_worst },
	{ "DISKS", "controllers[].disks", "disks that share its queues", QM_COLUMN_STRING, QM_COLUMN_TEXT, list_disks },
	{ "MAPPED", "controllers[].queues.mapped", "queues that serve a CPU", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, list_mapped },
	{ "TOTAL", "controllers[].queues.total", "all hardware queues", QM_COLUMN_NUMBER,
	  QM_COLUMN_RIGHT | QM_COLUMN_EXTRA, list_total },
	{ "WITNESS", "controllers[].queues.witness", "who tells the number of queues", QM_COLUMN_STRING, QM_COLUMN_EXTRA,
	  list_witness },
	{ "PREDICTED", "controllers[].algorithm.predicted", "algorithm that the kernel should run", QM_COLUMN_STRING,
	  QM_COLUMN_EXTRA, list_predicted },
	{ "MATCHES", "controllers[].algorithm.matches", "all algorithms that give the live map", QM_COLUMN_STRING,
	  QM_COLUMN_EXTRA, list_matches },
	{ "SEVERITY", "controllers[].worst_severity", "its severity", QM_COLUMN_STRING, QM_COLUMN_EXTRA,
	  list_severity },
	{ "PCI", "controllers[].pci", "address of the PCI function", QM_COLUMN_STRING, QM_COLUMN_EXTRA, list_pci },
	{ "STATE", "controllers[].state", "state of an NVMe controller", QM_COLUMN_STRING, QM_COLUMN_EXTRA, list_state },
	{ "MODEL", "controllers[].model", "model of an NVMe controller", QM_COLUMN_STRING, QM_COLUMN_EXTRA, list_model },
};

const struct qm_layout qm_layout_list = { NULL, list_columns, QM_ARRAY_SIZE(list_columns) };

/* "No queues of their own: dm-0 (on nvme0n1p2), ram0": so that nobody looks for them in vain. */
static void print_bare(struct qm_out *out, const struct qm_list_result *res)
{
	const struct qm_machine *m = res->reports.m;
	struct qm_strbuf words = { 0 }, text = { 0 };

	for (size_t i = 0; i < res->n_bare; i++) {
		const struct qm_disk *d = &m->disks[res->bare[i]];

		qm_strbuf_adds(&words, i ? ", " : "");
		qm_text_safe(&words, d->name);
		for (size_t k = 0; k < d->n_below; k++) {
			qm_strbuf_adds(&words, k ? " " : " (on ");
			qm_text_safe(&words, d->below[k]);
		}
		qm_strbuf_adds(&words, d->n_below ? ")" : "");
	}
	qm_strbuf_adds(&text, "No hardware queues of their own: ");
	qm_text_wrap(&text, qm_strbuf_str(&words), 33, 2, out->width);
	qm_strbuf_carry(&text, &words);
	fputs(res->reports.n ? "\n" : "", out->f);
	qm_text_print(out, &text, "\n");
	qm_strbuf_done(&words);
	qm_strbuf_done(&text);
}

int qm_text_list(struct qm_out *out, const struct qm_list_result *res)
{
	struct qm_table *t;
	int r = qm_table_new(out, &qm_layout_list, &t);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < res->reports.n; i++) {
		struct qm_report report = { 0 };
		struct list_row row = { .m = res->reports.m, .r = &report };

		r = res->reports.get(res->reports.arg, i, 0, &report);
		if (r == 0)
			r = qm_table_add(t, &row);
		qm_report_done(&report);
	}
	if (r == 0)
		r = qm_table_print(t);
	if (r == 0 && res->n_bare && !out->raw && !out->pairs && !out->noheadings && !out->columns)
		print_bare(out, res);
	qm_table_free(t);
	return r;
}
