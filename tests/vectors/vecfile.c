// SPDX-License-Identifier: GPL-2.0-or-later
#include "vecfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const struct vec_ops *ops;
	void *data;
	struct qm_topology topology; /* being read; name != NULL */
	char *on;
	struct vec vec;
	size_t map_cap, mask_cap;
	char *rest; /* of the line, for strtok_r */
};

static char *word(struct reader *r)
{
	return strtok_r(NULL, " \n", &r->rest);
}

static int read_unsigned(struct reader *r, unsigned *ret)
{
	char *w = word(r), *end;
	unsigned long v;

	if (!w)
		return -EINVAL;
	v = strtoul(w, &end, 10);
	if (*end || v > UINT32_MAX)
		return -EINVAL;
	*ret = (unsigned)v;
	return 0;
}

static int read_set_word(const char *w, struct qm_cpuset *ret)
{
	if (!w)
		return -EINVAL;
	return qm_cpuset_parse_list(strcmp(w, "-") ? w : "", -1, ret);
}

static int read_set(struct reader *r, struct qm_cpuset *ret)
{
	return read_set_word(word(r), ret);
}

static void finish_topology(struct reader *r)
{
	struct qm_topology *t = &r->topology;

	if (!t->name)
		return;
	qm_groups_sort(&t->cores, t->nr_cpus);
	qm_groups_sort(&t->clusters, t->nr_cpus);
	r->ops->topology(r->data, t);
	*t = (struct qm_topology){ 0 };
}

static int read_topology(struct reader *r)
{
	struct qm_topology *t = &r->topology;
	char *name = word(r), *masks;

	finish_topology(r);
	if (!name)
		return -EINVAL;
	t->name = strdup(name);
	if (!t->name || read_set(r, &t->possible) < 0 || read_set(r, &t->present) < 0 || read_set(r, &t->online) < 0 ||
	    read_unsigned(r, &t->nr_node_ids) < 0)
		return -EINVAL;
	masks = word(r);
	if (!masks)
		return -EINVAL;
	t->offline_masks = strcmp(masks, "self") ? QM_OFFLINE_MASKS_EMPTY : QM_OFFLINE_MASKS_SELF;
	t->nr_cpus = (unsigned)(qm_cpuset_last(&t->possible) + 1);
	t->node_of = malloc(t->nr_cpus * sizeof(*t->node_of));
	if (!t->node_of)
		return -ENOMEM;
	for (unsigned i = 0; i < t->nr_cpus; i++)
		t->node_of[i] = -1;
	return 0;
}

static int read_node(struct reader *r)
{
	struct qm_topology *t = &r->topology;
	struct qm_node *p = realloc(t->nodes, (t->n_nodes + 1) * sizeof(*p));
	unsigned id, online;
	int cpu;

	if (!p)
		return -ENOMEM;
	t->nodes = p;
	p += t->n_nodes;
	*p = (struct qm_node){ .mem_kb = -1 };
	if (read_unsigned(r, &id) < 0 || read_unsigned(r, &online) < 0 || read_set(r, &p->cpus) < 0)
		return -EINVAL;
	p->id = (int)id;
	p->online = online;
	t->n_nodes++;
	QM_CPUSET_FOREACH(cpu, &p->cpus) {
		if ((unsigned)cpu >= t->nr_cpus)
			return -EINVAL;
		t->node_of[cpu] = p->id;
	}
	return 0;
}

static int read_group(struct reader *r, struct qm_groups *g)
{
	struct qm_cpuset set = { 0 };
	int e = read_set(r, &set);

	return e < 0 ? e : qm_groups_add(g, r->topology.nr_cpus, &set);
}

static int read_on(struct reader *r)
{
	char *name = word(r);

	finish_topology(r);
	free(r->on);
	r->on = name ? strdup(name) : NULL;
	return r->on ? 0 : -EINVAL;
}

/* The queues of a map, to the end of the line. */
static int read_queues(struct reader *r)
{
	struct vec *v = &r->vec;
	char *w;

	for (v->n = 0; (w = word(r));) {
		if (v->n == r->map_cap) {
			size_t cap = 2 * r->map_cap + 64;
			int32_t *p = realloc(v->map, cap * sizeof(*p));

			if (!p)
				return -ENOMEM;
			v->map = p;
			r->map_cap = cap;
		}
		v->map[v->n++] = strcmp(w, "-") ? atoi(w) : QM_QUEUE_NONE;
	}
	return v->n ? 0 : -EINVAL;
}

static int read_map(struct reader *r, enum vec_kind kind)
{
	struct vec *v = &r->vec;
	char *w;

	v->kind = kind;
	v->algorithm = word(r);
	v->isolated = false;
	if (kind == VEC_HK) {
		w = word(r);
		if (!w)
			return -EINVAL;
		v->isolated = strcmp(w, "*") != 0;
		if (v->isolated && read_set_word(w, &v->housekeeping) < 0)
			return -EINVAL;
	}
	if (!v->algorithm || read_unsigned(r, &v->queues) < 0 || read_unsigned(r, &v->warn) < 0)
		return -EINVAL;
	return read_queues(r);
}

static int read_sets(struct reader *r, struct qm_spread *s)
{
	char *w = word(r), *end;

	s->n_sets = 0;
	if (!w)
		return -EINVAL;
	if (strcmp(w, "-") == 0)
		return 0;
	for (end = w; s->n_sets < QM_ARRAY_SIZE(s->sets); w = end + 1) {
		s->sets[s->n_sets++] = (unsigned)strtoul(w, &end, 10);
		if (!*end)
			return 0;
		if (*end != ',')
			return -EINVAL;
	}
	return -EINVAL;
}

/* The masks, or what came instead, to the end of the line. */
static int read_masks(struct reader *r)
{
	struct vec *v = &r->vec;
	char *w;

	v->outcome = QM_SPREAD_OK;
	for (v->n = 0; (w = word(r)); v->n++) {
		if (strcmp(w, "no-masks") == 0) {
			v->outcome = QM_SPREAD_NO_MASKS;
			return 0;
		}
		if (strcmp(w, "divide-by-zero") == 0) {
			v->outcome = QM_SPREAD_DIVIDE_BY_ZERO;
			return 0;
		}
		if (v->n == r->mask_cap) {
			size_t cap = 2 * r->mask_cap + 64;
			struct qm_cpuset *p = realloc(v->masks, cap * sizeof(*p));

			if (!p)
				return -ENOMEM;
			v->masks = p;
			r->mask_cap = cap;
		}
		if (read_set_word(w, &v->masks[v->n]) < 0)
			return -EINVAL;
	}
	return v->n == v->spread.vectors ? 0 : -EINVAL;
}

static int read_irq(struct reader *r)
{
	struct vec *v = &r->vec;

	v->kind = VEC_IRQ;
	v->algorithm = word(r);
	if (!v->algorithm || read_unsigned(r, &v->spread.vectors) < 0 || read_unsigned(r, &v->spread.pre) < 0 ||
	    read_sets(r, &v->spread) < 0 || read_unsigned(r, &v->warn) < 0)
		return -EINVAL;
	return read_masks(r);
}

static int read_vector(struct reader *r, const char *what)
{
	int e = -EINVAL;

	if (!r->on)
		return e;
	r->vec.topology = r->on;
	if (strcmp(what, "map") == 0)
		e = read_map(r, VEC_MAP);
	else if (strcmp(what, "hk") == 0)
		e = read_map(r, VEC_HK);
	else if (strcmp(what, "irq") == 0)
		e = read_irq(r);
	if (e == 0)
		r->ops->vector(r->data, &r->vec);
	return e;
}

static int read_line(struct reader *r, char *line)
{
	const char *what = strtok_r(line, " \n", &r->rest);

	if (!what)
		return -EINVAL;
	if (strcmp(what, "topology") == 0)
		return read_topology(r);
	if (strcmp(what, "on") == 0)
		return read_on(r);
	if (!r->topology.name)
		return read_vector(r, what);
	if (strcmp(what, "node") == 0)
		return read_node(r);
	if (strcmp(what, "core") == 0)
		return read_group(r, &r->topology.cores);
	if (strcmp(what, "cluster") == 0)
		return read_group(r, &r->topology.clusters);
	return -EINVAL;
}

unsigned long vec_read(FILE *f, const struct vec_ops *ops, void *data)
{
	struct reader r = { .ops = ops, .data = data };
	unsigned long number = 0, bad = 0;
	char *line = NULL;
	size_t cap = 0;

	while (!bad && getline(&line, &cap, f) >= 0) {
		number++;
		if (read_line(&r, line) < 0) {
			fprintf(stderr, "line %lu makes no sense\n", number);
			bad = number;
		}
	}
	if (!bad)
		finish_topology(&r);
	qm_topology_done(&r.topology);
	free(r.on);
	free(r.vec.map);
	free(r.vec.masks);
	free(line);
	return bad;
}
