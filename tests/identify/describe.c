// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Describes machines below directories in the words of run-identify: describe NAME DIRECTORY [NAME DIRECTORY]... Makes
 * tests/data/identify:
 *
 *   describe 6.1/n72 /tmp/n72 ... | run-identify -g | xz -9 > captures.txt.xz
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/machine.h"

static void add_set(struct qm_strbuf *b, const struct qm_cpuset *s)
{
	qm_strbuf_addc(b, ' ');
	if (qm_cpuset_is_empty(s))
		qm_strbuf_addc(b, '-');
	qm_cpuset_format(s, b);
}

static void add_groups(struct qm_strbuf *b, const char *word, const struct qm_groups *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct qm_cpuset set;

		qm_groups_get(g, i, &set);
		qm_strbuf_adds(b, word);
		add_set(b, &set);
		qm_strbuf_addc(b, '\n');
	}
}

static void add_topology(struct qm_strbuf *b, const struct qm_topology *t)
{
	qm_strbuf_adds(b, "cpus");
	add_set(b, &t->possible);
	add_set(b, &t->present);
	add_set(b, &t->online);
	qm_strbuf_addf(b, " %u %s\nmore", t->nr_node_ids, t->offline_masks == QM_OFFLINE_MASKS_SELF ? "self" : "empty");
	add_set(b, &t->isolated);
	add_set(b, &t->nohz_full);
	add_set(b, &t->node_guessed);
	add_set(b, &t->unknown_core);
	qm_strbuf_addf(b, " %d\n", t->clusters_sure);
	for (unsigned i = 0; i < t->n_nodes; i++) {
		qm_strbuf_addf(b, "node %d", t->nodes[i].id);
		add_set(b, &t->nodes[i].cpus);
		qm_strbuf_addc(b, '\n');
	}
	add_groups(b, "core", &t->cores);
	add_groups(b, "cluster", &t->clusters);
}

/* One vector for all queues of a virtio device. */
static bool is_shared(const struct qm_machine *m, const struct qm_controller *c)
{
	const char *at = strstr(c->syspath, "/virtio");
	struct qm_strbuf name = { 0 };
	bool found = false;

	if (!at)
		return false;
	qm_strbuf_add(&name, at + 1, strcspn(at + 1, "/"));
	qm_strbuf_adds(&name, "-virtqueues");
	for (size_t i = 0; i < m->n_irqs; i++)
		found = found || (m->irqs[i].name && strcmp(m->irqs[i].name, qm_strbuf_str(&name)) == 0);
	qm_strbuf_done(&name);
	return found;
}

static void add_device(struct qm_strbuf *b, const struct qm_machine *m, const struct qm_controller *c)
{
	qm_strbuf_addf(b, "device %s %s %s", c->name, c->driver ? c->driver : "?", is_shared(m, c) ? "shared" : "-");
	for (size_t i = 0; i < c->n_hctx; i++) {
		const struct qm_hctx *h = &c->hctx[i];
		struct qm_strbuf set = { 0 };

		if (!h->mapped) {
			qm_strbuf_adds(b, " !");
			continue;
		}
		add_set(&set, h->cpus);
		qm_strbuf_addf(b, " %c:%s", h->type < 0 ? '?' : "drp"[h->type], qm_strbuf_str(&set) + 1);
		qm_strbuf_done(&set);
	}
	qm_strbuf_addc(b, '\n');
}

static int describe(const char *name, const char *directory)
{
	struct qm_root root;
	struct qm_machine m;
	struct qm_strbuf b = { 0 };
	int r;

	r = qm_root_open(&root, directory, false, NULL);
	if (r < 0)
		return r;
	r = qm_machine_read(&root, QM_READ_DEVICES | QM_READ_IRQS, &m);
	qm_root_close(&root);
	if (r < 0)
		return r;
	qm_strbuf_addf(&b, "machine %s\nkernel %s %d\n", name, m.kernel.release ? m.kernel.release : "-", m.kernel.patch);
	add_topology(&b, &m.topo);
	if (m.cmdline.has_isolcpus && m.cmdline.iso_managed_irq) {
		qm_strbuf_adds(&b, "managed_irq");
		add_set(&b, &m.cmdline.isolcpus);
		qm_strbuf_addc(&b, '\n');
	}
	for (size_t i = 0; i < m.n_controllers; i++) {
		if (m.controllers[i].n_hctx)
			add_device(&b, &m, &m.controllers[i]);
	}
	fputs(qm_strbuf_str(&b), stdout);
	qm_strbuf_done(&b);
	qm_machine_done(&m);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		int r = describe(argv[i], argv[i + 1]);

		if (r < 0) {
			fprintf(stderr, "describe: %s: %s\n", argv[i + 1], strerror(-r));
			return 1;
		}
	}
	return 0;
}
