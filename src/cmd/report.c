// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audit/irqs.h"

/* ---- one controller ---- */

static enum qm_queue_state state_of(const struct qm_hctx *h, const struct qm_queue_view *q, unsigned online_nodes)
{
	if (!h->mapped)
		return QM_QUEUE_UNMAPPED;
	if (h->cpus_unknown && online_nodes < 2)
		return QM_QUEUE_UNKNOWN;
	if (qm_cpuset_is_empty(h->cpus))
		return QM_QUEUE_ISOLATED;
	if (qm_cpuset_is_empty(&q->online))
		return QM_QUEUE_OFFLINE;
	if (h->stays_inactive)
		return QM_QUEUE_INACTIVE;
	return online_nodes > 1 ? QM_QUEUE_CROSS : QM_QUEUE_OK;
}

static int fill_queue(const struct qm_machine *m, const struct qm_controller *c, const struct qm_hctx *h,
		      struct qm_queue_view *q)
{
	const struct qm_topology *t = &m->topo;
	unsigned online_nodes = 0;
	int r = 0;

	q->h = h;
	q->qid = c->driver && strncmp(c->driver, "nvme", 4) == 0 ? (long)h->id + 1 : -1;
	q->irq = h->irq >= 0 ? &m->irqs[h->irq] : NULL;
	q->managed = q->irq ? qm_irq_who_places(m, c, q->irq, &q->managed_by) : -1;
	qm_completion_find(m, c, h, &q->done);
	qm_cpuset_copy(&q->online, h->cpus);
	qm_cpuset_and(&q->online, &t->online);
	for (unsigned i = 0; r == 0 && i < t->n_nodes; i++) {
		if (!qm_cpuset_intersects(h->cpus, &t->nodes[i].cpus))
			continue;
		online_nodes += qm_cpuset_intersects(&q->online, &t->nodes[i].cpus);
		r = qm_ids_add(&q->nodes, (unsigned)t->nodes[i].id);
	}
	q->state = state_of(h, q, online_nodes);
	return r;
}

/*
 * The map of one type, from the queues of that type and those of unknown type. Where types are unknown a CPU in several
 * queues is of several types, and nobody knows which queue is whose: then it has no entry.
 */
static int32_t *make_map(const struct qm_controller *c, unsigned nr_cpus, int type)
{
	int32_t *map = malloc((nr_cpus ? nr_cpus : 1) * sizeof(*map));
	struct qm_cpuset seen, twice;
	int cpu;

	if (!map)
		return NULL;
	for (unsigned i = 0; i < nr_cpus; i++)
		map[i] = QM_QUEUE_NONE;
	qm_cpuset_zero(&seen);
	qm_cpuset_zero(&twice);
	for (size_t q = 0; q < c->n_hctx; q++) {
		const struct qm_hctx *h = &c->hctx[q];

		if (h->type != type && h->type != QM_HCTX_UNKNOWN)
			continue;
		QM_CPUSET_FOREACH(cpu, h->cpus) {
			if (qm_cpuset_test(&seen, (unsigned)cpu))
				qm_cpuset_set(&twice, (unsigned)cpu);
			qm_cpuset_set(&seen, (unsigned)cpu);
			if ((unsigned)cpu < nr_cpus)
				map[cpu] = (int32_t)h->id;
		}
	}
	QM_CPUSET_FOREACH(cpu, &twice) {
		if ((unsigned)cpu < nr_cpus)
			map[cpu] = QM_QUEUE_NONE;
	}
	return map;
}

static int fill_maps(struct qm_report *r)
{
	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++) {
		/* the default map is always there; others only where it is known that there are such queues */
		if (type != QM_HCTX_DEFAULT && r->c->nr_types[type] <= 0)
			continue;
		r->maps[type] = make_map(r->c, r->nr_cpus, type);
		if (!r->maps[type])
			return -ENOMEM;
	}
	return 0;
}

static int fill_queues(const struct qm_machine *m, struct qm_report *report)
{
	const struct qm_controller *c = report->c;
	int r = 0;

	report->q = calloc(c->n_hctx ? c->n_hctx : 1, sizeof(*report->q));
	if (!report->q)
		return -ENOMEM;
	for (size_t q = 0; r == 0 && q < c->n_hctx; q++)
		r = fill_queue(m, c, &c->hctx[q], &report->q[q]);
	return r;
}

static int make_report(void *arg, size_t i, unsigned parts, struct qm_report *ret)
{
	struct qm_reporter *rep = arg;
	const struct qm_machine *m = &rep->run->m;
	size_t index = rep->run->controllers[i];
	const struct qm_controller *c = &m->controllers[index];
	struct qm_report report = { .c = c, .nr_cpus = m->topo.nr_cpus, .worst = -1 };
	int r = 0;

	if (parts & QM_REPORT_QUEUES)
		r = fill_queues(m, &report);
	if (r == 0 && parts & QM_REPORT_MAPS)
		r = fill_maps(&report);
	if (r == 0 && !rep->identifier)
		r = qm_identifier_new(m, &rep->identifier);
	if (r == 0)
		r = qm_identifier_run(rep->identifier, c, &report.id);
	report.has_id = r == 0;
	if (rep->worst) {
		report.worst = rep->worst[index].severity;
		report.worst_rule = rep->worst[index].rule;
	}
	*ret = report; /* also on failure: the face ends it either way */
	return r;
}

/* ---- all of them ---- */

/* Findings come by severity, so the first of a controller is its worst. Notes need no action: they are no mark of a device. */
static int find_worst(struct qm_reporter *rep)
{
	struct qm_run *run = rep->run;
	struct qm_audit_options opt = {
		.whatif = run->whatif,
		.controllers = run->controllers,
		.n_controllers = run->n_controllers,
	};
	int r = qm_audit_run(&run->m, &opt, &rep->findings);

	if (r < 0)
		return r;
	rep->worst = malloc((run->m.n_controllers + 1) * sizeof(*rep->worst));
	if (!rep->worst)
		return -ENOMEM;
	for (size_t i = 0; i < run->m.n_controllers; i++)
		rep->worst[i] = (struct qm_worst){ .severity = -1 };
	for (size_t i = rep->findings.n; i-- > 0;) {
		const struct qm_finding *f = &rep->findings.v[i];

		if (f->controller >= 0 && f->severity > QM_INFO)
			rep->worst[f->controller] = (struct qm_worst){ (int)f->severity, f->rule->name };
	}
	return 0;
}

int qm_reporter_init(struct qm_reporter *rep, struct qm_run *run, unsigned more, bool audit)
{
	int r;

	*rep = (struct qm_reporter){ .run = run };
	r = qm_source_open(run, QM_READ_DEVICES | QM_READ_IRQS | QM_READ_LINKS | more);
	if (r == 0)
		r = qm_devices_resolve(run);
	if (r == 0 && audit && !run->g.topology && !run->g.synthetic)
		r = find_worst(rep);
	return r;
}

void qm_reporter_done(struct qm_reporter *rep)
{
	free(rep->worst);
	qm_identifier_free(rep->identifier);
	qm_findings_done(&rep->findings);
}

struct qm_reports qm_reporter_reports(struct qm_reporter *rep)
{
	return (struct qm_reports){
		.m = &rep->run->m,
		.n = rep->run->n_controllers,
		.get = make_report,
		.arg = rep,
	};
}
