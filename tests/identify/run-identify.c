// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Identifies the map of every device of the machines described on stdin, and compares with what is expected. TAP: one
 * test a kernel. With -g it prints the description again, with what was found in place of what was expected.
 *
 *   machine KERNEL/CASE
 *   kernel RELEASE PATCH            "-" where it is not known
 *   cpus POSSIBLE PRESENT ONLINE NR_NODE_IDS empty|self
 *   more ISOLATED NOHZ_FULL GUESSED UNKNOWN_CORE CLUSTERS_SURE
 *   managed_irq CPUS                isolcpus=managed_irq
 *   node ID CPUS                    also core, cluster: CPUS
 *   device NAME DRIVER IRQS QUEUE...  IRQS: "shared" where one vector serves all; a queue is "d:", "r:", "p:" or "?:" and
 *                                   its CPUs, or "!" if unmapped
 *   expect FAMILY ID,ID,... [then CPUS] [gave-up]  of the device above; then: those offline when the map was made
 *
 * "-" is an empty set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "map/identify.h"

#define DEVICES_MAX 256

struct kernel_tally {
	char name[16];
	unsigned devices, failed, single, in_force, moved;
};

struct run {
	struct qm_machine m;
	struct qm_identifier *id;
	bool have_machine, generate;
	char name[64];
	struct qm_controller *c; /* the device above, one of m's: what was identified must stay */
	bool shared;
	struct qm_strbuf found; /* of the device above */
	bool have_device;
	struct kernel_tally kernels[16];
	unsigned n_kernels;
};

static void die(const char *what, const char *word)
{
	fprintf(stderr, "run-identify: %s: %s\n", what, word ? word : "nothing");
	exit(2);
}

static struct qm_cpuset list(const char *word)
{
	struct qm_cpuset s = { 0 };

	if (!word || qm_cpuset_parse_list(strcmp(word, "-") == 0 ? "" : word, -1, &s) < 0)
		die("bad CPU list", word);
	return s;
}

static unsigned number(const char *word)
{
	char *end;
	unsigned long v = word ? strtoul(word, &end, 10) : 0;

	if (!word || *end || v > 1000000)
		die("bad number", word);
	return (unsigned)v;
}

static char *next(char **p)
{
	char *word;

	do
		word = strsep(p, " ");
	while (word && !*word);
	return word;
}

/* ---- machines ---- */

static void machine_end(struct run *r)
{
	qm_identifier_free(r->id);
	r->id = NULL;
	if (r->have_machine)
		qm_machine_done(&r->m);
	r->have_machine = false;
}

static void machine_begin(struct run *r, char *p)
{
	const char *word = next(&p);

	machine_end(r);
	if (!word)
		die("machine without", "name");
	snprintf(r->name, sizeof(r->name), "%s", word);
	memset(&r->m, 0, sizeof(r->m));
	r->m.topo.clusters_sure = true;
	r->have_machine = true;
}

static void read_cpus(struct run *r, char *p)
{
	struct qm_topology *t = &r->m.topo;
	const char *masks;

	t->possible = list(next(&p));
	t->present = list(next(&p));
	t->online = list(next(&p));
	t->nr_node_ids = number(next(&p));
	masks = next(&p);
	t->offline_masks = masks && strcmp(masks, "self") == 0 ? QM_OFFLINE_MASKS_SELF : QM_OFFLINE_MASKS_EMPTY;
	t->nr_cpus = (unsigned)qm_cpuset_last(&t->possible) + 1;
	t->node_of = malloc(t->nr_cpus * sizeof(*t->node_of));
	t->nodes = calloc(t->nr_node_ids + 1, sizeof(*t->nodes));
	if (!t->node_of || !t->nodes)
		die("memory", "");
	for (unsigned i = 0; i < t->nr_cpus; i++)
		t->node_of[i] = -1;
}

static void read_more(struct run *r, char *p)
{
	struct qm_topology *t = &r->m.topo;

	t->isolated = list(next(&p));
	t->nohz_full = list(next(&p));
	t->node_guessed = list(next(&p));
	t->unknown_core = list(next(&p));
	t->clusters_sure = number(next(&p)) != 0;
}

static void read_node(struct run *r, char *p)
{
	struct qm_topology *t = &r->m.topo;
	struct qm_node *n = &t->nodes[t->n_nodes++];
	int cpu;

	if (t->n_nodes > t->nr_node_ids)
		die("too many nodes", r->name);
	n->id = (int)number(next(&p));
	n->online = true;
	n->mem_kb = -1;
	n->cpus = list(next(&p));
	QM_CPUSET_FOREACH(cpu, &n->cpus)
		t->node_of[cpu] = n->id;
}

static void read_group(struct run *r, struct qm_groups *g, char *p)
{
	struct qm_cpuset s = list(next(&p));

	if (qm_groups_add(g, r->m.topo.nr_cpus, &s) < 0)
		die("memory", "");
}

static void read_kernel(struct run *r, char *p)
{
	const char *release = next(&p), *patch = next(&p);

	if (!release || !patch)
		die("bad kernel", release);
	if (strcmp(release, "-") == 0)
		return; /* nobody told */
	if (qm_kernel_parse(release, &r->m.kernel) < 0)
		die("bad kernel", release);
	r->m.kernel.patch = (int)strtol(patch, NULL, 10);
}

/* ---- devices ---- */

static struct kernel_tally *tally(struct run *r)
{
	size_t len = strcspn(r->name, "/");

	for (unsigned i = 0; i < r->n_kernels; i++) {
		if (strlen(r->kernels[i].name) == len && strncmp(r->kernels[i].name, r->name, len) == 0)
			return &r->kernels[i];
	}
	if (r->n_kernels == QM_ARRAY_SIZE(r->kernels))
		die("too many kernels", r->name);
	snprintf(r->kernels[r->n_kernels].name, sizeof(r->kernels[0].name), "%.*s", (int)len, r->name);
	return &r->kernels[r->n_kernels++];
}

static void read_queue(struct run *r, char *word)
{
	struct qm_hctx *h = &r->c->hctx[r->c->n_hctx];
	struct qm_cpuset cpus;

	*h = (struct qm_hctx){ .id = (unsigned)r->c->n_hctx, .type = QM_HCTX_UNKNOWN, .irq = r->shared ? 7 : -1 };
	h->cpus = &qm_cpuset_none;
	r->c->n_hctx++;
	if (strcmp(word, "!") == 0)
		return;
	if (!word[0] || word[1] != ':')
		die("bad queue", word);
	h->mapped = true;
	h->type = word[0] == 'd' ? QM_HCTX_DEFAULT :
		  word[0] == 'r' ? QM_HCTX_READ :
		  word[0] == 'p' ? QM_HCTX_POLL :
				   QM_HCTX_UNKNOWN;
	cpus = list(word + 2);
	if (qm_setpool_add(&r->m.sets, &cpus, &h->cpus) < 0)
		die("out of memory", NULL);
}

static void describe(const struct qm_identity *id, struct qm_strbuf *out)
{
	qm_strbuf_addf(out, "expect %s ", qm_family_name(id->rule.family));
	for (size_t i = 0; i < id->n_matches; i++)
		qm_strbuf_addf(out, "%s%s", i ? "," : "", id->matches[i]->id);
	if (!id->n_matches)
		qm_strbuf_adds(out, "-");
	if (id->other_time) {
		qm_strbuf_adds(out, " then ");
		if (qm_cpuset_is_empty(&id->offline_then))
			qm_strbuf_adds(out, "-");
		qm_cpuset_format(&id->offline_then, out);
	}
	if (id->gave_up)
		qm_strbuf_adds(out, " gave-up");
}

static bool is_in_force(const struct qm_identity *id)
{
	for (size_t i = 0; i < id->n_matches && id->predicted.n; i++) {
		if (id->matches[i] == id->predicted.v[0])
			return true;
	}
	return false;
}

/* A new controller of the machine. */
static struct qm_controller *add_controller(struct run *r)
{
	if (!r->m.controllers)
		r->m.controllers = calloc(DEVICES_MAX, sizeof(*r->m.controllers));
	if (!r->m.controllers || r->m.n_controllers == DEVICES_MAX)
		die("too many devices", r->name);
	return &r->m.controllers[r->m.n_controllers++];
}

static void read_device(struct run *r, char *p)
{
	struct kernel_tally *k = tally(r);
	const char *name = next(&p), *driver = next(&p), *irqs = next(&p);
	struct qm_identity id;
	char *word;

	if (!r->id) {
		qm_groups_sort(&r->m.topo.cores, r->m.topo.nr_cpus);
		qm_groups_sort(&r->m.topo.clusters, r->m.topo.nr_cpus);
		if (qm_identifier_new(&r->m, &r->id) < 0)
			die("no identifier for", r->name);
	}
	if (!name || !driver || !irqs || !p)
		die("bad device", r->name);
	r->shared = strcmp(irqs, "shared") == 0;
	r->c = add_controller(r);
	r->c->name = strdup(name);
	r->c->driver = strdup(driver);
	r->c->hctx = calloc(strlen(p) / 2 + 1, sizeof(*r->c->hctx)); /* the shortest queue is " !" */
	if (!r->c->name || !r->c->driver || !r->c->hctx)
		die("memory", "");
	while ((word = next(&p)) != NULL)
		read_queue(r, word);
	if (qm_identifier_run(r->id, r->c, &id) < 0)
		die("cannot identify", r->name);
	qm_strbuf_reset(&r->found);
	describe(&id, &r->found);
	k->devices++;
	k->single += id.n_matches == 1;
	k->in_force += is_in_force(&id);
	k->moved += id.other_time;
	r->have_device = true;
}

static void check_expected(struct run *r, const char *line)
{
	if (!r->have_device)
		die("nothing to expect", line);
	r->have_device = false;
	if (strcmp(line, qm_strbuf_str(&r->found)) == 0)
		return;
	tally(r)->failed++;
	printf("# %s %s:\n#  want %s\n#  have %s\n", r->name, r->c->name, line, qm_strbuf_str(&r->found));
}

/* ---- lines ---- */

static void read_line(struct run *r, char *line)
{
	_cleanup_free_ char *copy = strdup(line);
	char *p = line, *word = next(&p);

	if (!word || *word == '#') {
		if (r->generate)
			puts(copy);
		return;
	}
	if (strcmp(word, "machine") == 0)
		machine_begin(r, p);
	else if (!r->have_machine)
		die("before any machine", word);
	else if (strcmp(word, "kernel") == 0)
		read_kernel(r, p);
	else if (strcmp(word, "cpus") == 0)
		read_cpus(r, p);
	else if (strcmp(word, "more") == 0)
		read_more(r, p);
	else if (strcmp(word, "node") == 0)
		read_node(r, p);
	else if (strcmp(word, "core") == 0)
		read_group(r, &r->m.topo.cores, p);
	else if (strcmp(word, "cluster") == 0)
		read_group(r, &r->m.topo.clusters, p);
	else if (strcmp(word, "managed_irq") == 0) {
		r->m.cmdline.has_isolcpus = r->m.cmdline.iso_managed_irq = true;
		r->m.cmdline.isolcpus = list(next(&p));
	} else if (strcmp(word, "device") == 0) {
		read_device(r, p);
	} else if (strcmp(word, "expect") == 0)
		check_expected(r, copy);
	else
		die("unknown word", word);
	if (r->generate && strcmp(word, "expect") != 0) {
		puts(copy);
		if (strcmp(word, "device") == 0)
			puts(qm_strbuf_str(&r->found));
	}
}

static int report(const struct run *r)
{
	unsigned devices = 0, single = 0, failed = 0, moved = 0;

	printf("1..%u\n", r->n_kernels);
	for (unsigned i = 0; i < r->n_kernels; i++) {
		const struct kernel_tally *k = &r->kernels[i];
		/* Where the kernel is known for sure, its algorithm must be among them. */
		bool ok = k->devices && !k->failed && (strcmp(k->name, "real") == 0 || k->in_force == k->devices);

		printf("%s %u - %s: %u devices, era in force among the matches of %u, only match of %u\n", ok ? "ok" : "not ok",
		       i + 1, k->name, k->devices, k->in_force, k->single);
		devices += k->devices;
		single += k->single;
		failed += !ok;
		moved += k->moved;
	}
	printf("# %u devices; %u single out one era; %u maps are older than today's set of online CPUs\n", devices, single, moved);
	return failed || !r->n_kernels;
}

int main(int argc, char **argv)
{
	struct run r = { .generate = argc > 1 && strcmp(argv[1], "-g") == 0 };
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int status;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		read_line(&r, line);
	}
	machine_end(&r);
	status = r.generate ? 0 : report(&r);
	qm_strbuf_done(&r.found);
	return status;
}
