// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints what src/machine makes of a directory: dump-machine DIR [NAME...]. As JSON, with more of the model than any command
 * shows. NAMEs are resolved to controllers.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/machine.h"

static struct json_object *text(const char *s)
{
	return s ? json_object_new_string(s) : NULL;
}

static struct json_object *number(long v)
{
	return v >= 0 ? json_object_new_int64(v) : NULL;
}

static struct json_object *list(const struct qm_cpuset *set)
{
	struct qm_strbuf b = { 0 };
	struct json_object *o;

	qm_cpuset_format(set, &b);
	o = text(qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return o;
}

static struct json_object *strings(char *const *v, size_t n)
{
	struct json_object *o = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(o, text(v[i]));
	return o;
}

#define ALL (QM_READ_DEVICES | QM_READ_IRQS | QM_READ_IRQ_DETAIL | QM_READ_IRQBALANCE | QM_READ_LINKS | QM_READ_NUMA)

#define ADD(o, key, value) json_object_object_add(o, key, value)

static struct json_object *dump_hctx(const struct qm_machine *m, const struct qm_hctx *h)
{
	struct json_object *o = json_object_new_object();

	ADD(o, "id", json_object_new_int64(h->id));
	ADD(o, "type", text(qm_hctx_type_name(h->type)));
	ADD(o, "mapped", json_object_new_boolean(h->mapped));
	ADD(o, "unknown", json_object_new_boolean(h->cpus_unknown));
	ADD(o, "cpu_list", list(h->cpus));
	ADD(o, "tags", number(h->tags));
	ADD(o, "reserved_tags", number(h->reserved_tags));
	ADD(o, "irq", h->irq >= 0 ? json_object_new_int64(m->irqs[h->irq].nr) : NULL);
	ADD(o, "irq_tie", text(qm_irq_tie_name(h->tie)));
	return o;
}

static struct json_object *dump_controller(const struct qm_machine *m, const struct qm_controller *c)
{
	struct json_object *o = json_object_new_object(), *counts = json_object_new_object();
	struct json_object *queues = json_object_new_object(), *hctx = json_object_new_array(), *disks = json_object_new_array();

	ADD(o, "name", text(c->name));
	ADD(o, "driver", text(c->driver));
	ADD(o, "transport", text(c->transport));
	ADD(o, "syspath", text(c->syspath));
	ADD(o, "pci", text(c->pci));
	ADD(o, "node", number(c->node));
	for (size_t i = 0; i < c->n_disks; i++)
		json_object_array_add(disks, text(m->disks[c->disks[i]].name));
	ADD(o, "disks", disks);
	ADD(queues, "total", json_object_new_int64((long)c->n_hctx));
	ADD(queues, "mapped", json_object_new_int64(c->mapped));
	for (int t = 0; t < _QM_HCTX_TYPE_MAX; t++)
		ADD(queues, qm_hctx_type_name(t), number(c->nr_types[t]));
	ADD(queues, "witness", text(qm_witness_name(c->witness)));
	ADD(o, "queues", queues);
	for (int w = 1; w < _QM_WITNESS_MAX; w++)
		ADD(counts, qm_witness_name(w), number(c->counts[w]));
	ADD(o, "counts", counts);
	for (size_t i = 0; i < c->n_hctx; i++)
		json_object_array_add(hctx, dump_hctx(m, &c->hctx[i]));
	ADD(o, "hctx", hctx);
	ADD(o, "requested", number(c->requested));
	ADD(o, "rq_affinity", number(c->rq_affinity));
	ADD(o, "state", text(c->state));
	ADD(o, "address", text(c->address));
	ADD(o, "nqn", text(c->nqn));
	ADD(o, "serial", text(c->serial));
	ADD(o, "model", text(c->model));
	ADD(o, "firmware", text(c->firmware));
	ADD(o, "cntrltype", text(c->cntrltype));
	ADD(o, "hostnqn", text(c->hostnqn));
	ADD(o, "queue_count", number(c->queue_count));
	ADD(o, "sqsize", number(c->sqsize));
	ADD(o, "fabrics", json_object_new_boolean(c->fabrics));
	ADD(o, "can_queue", number(c->scsi_can_queue));
	ADD(o, "host_tagset", number(c->scsi_host_tagset));
	return o;
}

static struct json_object *dump_disk(const struct qm_machine *m, const struct qm_disk *d)
{
	struct json_object *o = json_object_new_object();

	ADD(o, "name", text(d->name));
	ADD(o, "kind", text(qm_disk_kind_name(d->kind)));
	ADD(o, "hidden", json_object_new_boolean(d->hidden));
	ADD(o, "has_mq", json_object_new_boolean(d->has_mq));
	ADD(o, "controller", d->controller >= 0 ? text(m->controllers[d->controller].name) : NULL);
	ADD(o, "label", text(d->label));
	ADD(o, "uuid", text(d->uuid));
	ADD(o, "below", strings(d->below, d->n_below));
	ADD(o, "links", strings(d->links, d->n_links));
	return o;
}

static struct json_object *dump_irq(const struct qm_machine *m, const struct qm_irq *irq)
{
	struct json_object *o = json_object_new_object();

	ADD(o, "irq", json_object_new_int64(irq->nr));
	ADD(o, "name", text(irq->name));
	ADD(o, "controller", irq->controller >= 0 ? text(m->controllers[irq->controller].name) : NULL);
	ADD(o, "role", text(qm_irq_role_name(irq->role)));
	ADD(o, "chip", text(irq->chip));
	ADD(o, "hwirq", number(irq->hwirq));
	ADD(o, "node", number(irq->node));
	ADD(o, "managed", irq->managed < 0 ? NULL : json_object_new_boolean(irq->managed));
	ADD(o, "managed_by", text(irq->managed_by));
	ADD(o, "requested", irq->has_requested ? list(irq->requested) : NULL);
	ADD(o, "effective", irq->has_effective ? list(irq->effective) : NULL);
	ADD(o, "hint", irq->has_hint ? list(irq->hint) : NULL);
	return o;
}

static struct json_object *resolve(struct qm_root *root, const struct qm_machine *m, const char *name)
{
	struct json_object *o = json_object_new_array();
	struct qm_ids ids = { 0 };
	int r = qm_resolve(root, m, name, &ids);

	if (r < 0) {
		json_object_put(o);
		return NULL;
	}
	for (size_t i = 0; i < ids.n; i++)
		json_object_array_add(o, text(m->controllers[ids.v[i]].name));
	qm_ids_done(&ids);
	return o;
}

static void dump(struct qm_root *root, const struct qm_machine *m, char *const *names)
{
	struct json_object *o = json_object_new_object(), *a;

	ADD(o, "possible", list(&m->topo.possible));
	ADD(o, "release", text(m->kernel.release));
	ADD(o, "privileged", json_object_new_boolean(m->privileged));
	ADD(o, "fabrics_in_use", json_object_new_boolean(m->fabrics_in_use));
	ADD(o, "irqbalance", m->irqbalance < 0 ? NULL : json_object_new_boolean(m->irqbalance));
	a = json_object_new_array();
	for (size_t i = 0; i < m->n_controllers; i++)
		json_object_array_add(a, dump_controller(m, &m->controllers[i]));
	ADD(o, "controllers", a);
	a = json_object_new_array();
	for (size_t i = 0; i < m->n_disks; i++)
		json_object_array_add(a, dump_disk(m, &m->disks[i]));
	ADD(o, "block_devices", a);
	a = json_object_new_array();
	for (size_t i = 0; i < m->n_irqs; i++)
		json_object_array_add(a, dump_irq(m, &m->irqs[i]));
	ADD(o, "irqs", a);
	a = json_object_new_array();
	for (size_t i = 0; i < m->problems.n; i++) {
		struct json_object *p = json_object_new_object();

		ADD(p, "path", text(m->problems.v[i].path));
		ADD(p, "error", text(m->problems.v[i].error));
		json_object_array_add(a, p);
	}
	ADD(o, "problems", a);
	a = json_object_new_object();
	for (; *names; names++)
		ADD(a, *names, resolve(root, m, *names));
	ADD(o, "resolved", a);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

int main(int argc, char **argv)
{
	struct qm_problems none = { 0 };
	struct qm_machine m = { 0 };
	struct qm_root root;
	int r;

	if (argc < 2) {
		fputs("Usage: dump-machine DIR [NAME...]\n", stderr);
		return 2;
	}
	r = qm_root_open(&root, argv[1], strcmp(argv[1], "/") == 0, &none);
	if (r < 0) {
		fprintf(stderr, "dump-machine: %s: %s\n", argv[1], strerror(-r));
		return 2;
	}
	r = qm_machine_read(&root, ALL, &m);
	if (r == 0)
		dump(&root, &m, argv + 2);
	else
		fprintf(stderr, "dump-machine: %s: %s\n", argv[1], strerror(-r));
	qm_machine_done(&m);
	qm_root_close(&root);
	qm_problems_done(&none);
	return r < 0 ? 1 : 0;
}
