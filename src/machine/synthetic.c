// SPDX-License-Identifier: GPL-2.0-or-later
/* Machines from a line of text, in the syntax of hwloc's synthetic topologies as far as it is about CPUs. */
#include "machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

#define LEVELS_MAX 16

enum level_type {
	LEVEL_PACKAGE,
	LEVEL_DIE,
	LEVEL_GROUP,
	LEVEL_NODE,
	LEVEL_CACHE,
	LEVEL_CORE,
	LEVEL_PU,
};

struct level {
	enum level_type type;
	unsigned cache;  /* its number, 1 to 5 */
	unsigned count;  /* of this in each object of the level before */
	unsigned leaves; /* PUs in one object */
};

enum order {
	ORDER_CORE_FIRST,       /* the threads of a core are neighbours */
	ORDER_THREAD_FIRST,     /* the second threads come after all first ones */
	ORDER_NODE_INTERLEAVED, /* so too, and the cores are dealt over the nodes in turn */
};

struct spec {
	struct level v[LEVELS_MAX];
	unsigned n;
	unsigned total;      /* PUs */
	unsigned node_leaves; /* PUs of one node */
	bool has_node;
	enum order order;
	struct qm_strbuf error;
};

static int fail(struct spec *s, const char *fmt, ...) QM_PRINTF(2, 3);

static int fail(struct spec *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qm_strbuf_vaddf(&s->error, fmt, ap);
	va_end(ap);
	return s->error.err ? s->error.err : -EINVAL;
}

/* ---- words ---- */

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(word, name, len) == 0;
}

static bool find_type(const char *word, size_t len, struct level *ret)
{
	static const struct {
		const char *name;
		enum level_type type;
	} names[] = {
		{ "pack", LEVEL_PACKAGE }, { "package", LEVEL_PACKAGE }, { "socket", LEVEL_PACKAGE }, { "die", LEVEL_DIE },
		{ "group", LEVEL_GROUP },  { "numa", LEVEL_NODE },	 { "numanode", LEVEL_NODE },  { "node", LEVEL_NODE },
		{ "core", LEVEL_CORE },	   { "pu", LEVEL_PU },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(names); i++) {
		if (is_word(word, len, names[i].name)) {
			ret->type = names[i].type;
			return true;
		}
	}
	/* l3, l3u, l3cache */
	if (len < 2 || (word[0] != 'l' && word[0] != 'L') || word[1] < '1' || word[1] > '5')
		return false;
	ret->type = LEVEL_CACHE;
	ret->cache = (unsigned)(word[1] - '0');
	return len == 2 || is_word(word + 2, len - 2, "d") || is_word(word + 2, len - 2, "u") ||
	       is_word(word + 2, len - 2, "cache");
}

static int set_node(struct spec *s, unsigned leaves_at, const char *word, size_t len)
{
	if (s->has_node)
		return fail(s, "\"%.*s\": the nodes are given twice", (int)len, word);
	s->has_node = true;
	s->node_leaves = leaves_at; /* for now the level; made a number of PUs when all is read */
	return 0;
}

static int parse_order(struct spec *s, const char *word, size_t len)
{
	static const char *const names[] = { "order=core-first", "order=thread-first", "order=node-interleaved" };

	for (size_t i = 0; i < QM_ARRAY_SIZE(names); i++) {
		if (is_word(word, len, names[i])) {
			s->order = (enum order)i;
			return 0;
		}
	}
	return fail(s, "\"%.*s\": the order is core-first, thread-first or node-interleaved", (int)len, word);
}

/* The count behind "type:"; at most QM_CPU_MAX. */
static int parse_count(struct spec *s, const char *word, size_t len, const char *p, unsigned *ret)
{
	const char *end = word + len;
	unsigned v = 0;

	for (; p < end && isdigit((unsigned char)*p); p++)
		v = v <= QM_CPU_MAX ? v * 10 + (unsigned)(*p - '0') : v;
	if (p != end)
		return fail(s, "\"%.*s\": not of the form type:number", (int)len, word);
	if (v == 0 || v > QM_CPU_MAX)
		return fail(s, "\"%.*s\": the number must be 1 to %u", (int)len, word, QM_CPU_MAX);
	*ret = v;
	return 0;
}

static bool has_type(const struct spec *s, const struct level *level)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->v[i].type == level->type && (level->type != LEVEL_CACHE || s->v[i].cache == level->cache))
			return true;
	}
	return false;
}

static int parse_level(struct spec *s, const char *word, size_t len)
{
	const char *colon = memchr(word, ':', len);
	struct level level = { 0 };
	int r;

	if (!colon || colon + 1 == word + len)
		return fail(s, "\"%.*s\": not of the form type:number", (int)len, word);
	if (!find_type(word, (size_t)(colon - word), &level))
		return fail(s, "\"%.*s\": the types are pack, die, group, numa, l1 to l5, core and pu", (int)len, word);
	r = parse_count(s, word, len, colon + 1, &level.count);
	if (r < 0)
		return r;
	if (level.type != LEVEL_GROUP && has_type(s, &level))
		return fail(s, "\"%.*s\": this level is given twice", (int)len, word);
	if (s->n && s->v[s->n - 1].type == LEVEL_PU)
		return fail(s, "\"%.*s\": nothing can be inside a pu", (int)len, word);
	if (s->n == LEVELS_MAX)
		return fail(s, "\"%.*s\": more than %d levels", (int)len, word, LEVELS_MAX);
	s->v[s->n++] = level;
	return level.type == LEVEL_NODE ? set_node(s, s->n, word, len) : 0;
}

static int parse_word(struct spec *s, const char *word, size_t len)
{
	struct level level = { 0 };

	if (strncasecmp(word, "order=", len < 6 ? len : 6) == 0 && len > 5)
		return parse_order(s, word, len);
	if (memchr(word, '(', len))
		return fail(s, "\"%.*s\": attributes in parentheses are not understood", (int)len, word);
	if (word[0] != '[')
		return parse_level(s, word, len);
	if (word[len - 1] != ']' || !find_type(word + 1, len - 2, &level) || level.type != LEVEL_NODE)
		return fail(s, "\"%.*s\": only [numa] can be attached to a level", (int)len, word);
	/* One node to each object of the level before, or to the machine. */
	return set_node(s, s->n, word, len);
}

static int parse_words(struct spec *s, const char *text)
{
	for (;;) {
		size_t len;
		int r;

		text += strspn(text, " \t\n");
		len = strcspn(text, " \t\n");
		if (!len)
			return 0;
		r = parse_word(s, text, len);
		if (r < 0)
			return r;
		text += len;
	}
}

/* ---- shape ---- */

static const struct level *find_level(const struct spec *s, enum level_type type)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->v[i].type == type)
			return &s->v[i];
	}
	return NULL;
}

/* PUs of one object of that level: 1 for cores where only PUs are given, and the other way round. */
static unsigned core_leaves(const struct spec *s)
{
	const struct level *core = find_level(s, LEVEL_CORE);

	return core ? core->leaves : 1;
}

static int measure(struct spec *s)
{
	unsigned long total = 1;

	if (!find_level(s, LEVEL_CORE) && !find_level(s, LEVEL_PU))
		return fail(s, "neither core:number nor pu:number is given");
	for (unsigned i = s->n; i-- > 0;) {
		s->v[i].leaves = (unsigned)total;
		total *= s->v[i].count;
		if (total > QM_CPU_MAX)
			return fail(s, "more than %u CPUs", QM_CPU_MAX);
	}
	s->total = (unsigned)total;
	s->node_leaves = s->has_node && s->node_leaves ? s->v[s->node_leaves - 1].leaves : s->total;
	if (s->node_leaves % core_leaves(s))
		return fail(s, "a node inside a core");
	return 0;
}

/* The number of the CPU that is the leaf-th from the left in the tree. */
static unsigned cpu_of(const struct spec *s, unsigned leaf)
{
	unsigned threads = core_leaves(s), cores = s->total / threads;
	unsigned core = leaf / threads, thread = leaf % threads;
	unsigned node_cores = s->node_leaves / threads, nodes = cores / node_cores;

	switch (s->order) {
	case ORDER_THREAD_FIRST:
		return thread * cores + core;
	case ORDER_NODE_INTERLEAVED:
		return thread * cores + core % node_cores * nodes + core / node_cores;
	default:
		return leaf;
	}
}

/* The CPUs of each run of so many leaves. */
static int make_groups(const struct spec *s, unsigned leaves, struct qm_groups *g)
{
	for (unsigned at = 0; at < s->total; at += leaves) {
		struct qm_cpuset set = { 0 };
		int r;

		for (unsigned i = 0; i < leaves; i++)
			qm_cpuset_set(&set, cpu_of(s, at + i));
		r = qm_groups_add(g, s->total, &set);
		if (r < 0)
			return r;
	}
	qm_groups_sort(g, s->total);
	return 0;
}

static int make_nodes(const struct spec *s, struct qm_topology *t)
{
	unsigned n = s->total / s->node_leaves;

	t->nodes = calloc(n, sizeof(*t->nodes));
	t->node_of = malloc(s->total * sizeof(*t->node_of));
	if (!t->nodes || !t->node_of)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		t->nodes[i] = (struct qm_node){ .id = (int)i, .online = true, .mem_kb = -1 };
	for (unsigned leaf = 0; leaf < s->total; leaf++) {
		unsigned node = leaf / s->node_leaves, cpu = cpu_of(s, leaf);

		t->node_of[cpu] = (int)node;
		qm_cpuset_set(&t->nodes[node].cpus, cpu);
	}
	t->n_nodes = t->nr_node_ids = n;
	return 0;
}

/* The outermost cache of the highest number. */
static const struct level *last_cache(const struct spec *s)
{
	const struct level *last = NULL;

	for (unsigned i = 0; i < s->n; i++) {
		if (s->v[i].type == LEVEL_CACHE && (!last || s->v[i].cache > last->cache))
			last = &s->v[i];
	}
	return last;
}

static int make_topology(const struct spec *s, const char *text, struct qm_topology *t)
{
	const struct level *package = find_level(s, LEVEL_PACKAGE), *llc = last_cache(s);
	int r;

	t->name = strdup(text);
	t->arch = strdup("x86_64");
	if (!t->name || !t->arch)
		return -ENOMEM;
	t->nr_cpus = s->total;
	qm_cpuset_set_range(&t->possible, 0, s->total - 1);
	qm_cpuset_copy(&t->present, &t->possible);
	qm_cpuset_copy(&t->online, &t->possible);
	r = make_nodes(s, t);
	if (r == 0)
		r = make_groups(s, core_leaves(s), &t->cores);
	if (r == 0)
		r = qm_groups_copy(&t->cores, t->nr_cpus, &t->clusters);
	if (r == 0 && package)
		r = make_groups(s, package->leaves, &t->packages);
	if (r == 0 && llc)
		r = make_groups(s, llc->leaves, &t->llc);
	t->clusters_sure = true;
	t->offline_masks = QM_OFFLINE_MASKS_EMPTY;
	return r;
}

int qm_synthetic_parse(const char *spec, struct qm_topology *ret, char **ret_error)
{
	struct qm_topology t = { 0 };
	struct spec s = { 0 };
	int r;

	r = parse_words(&s, spec);
	if (r == 0)
		r = measure(&s);
	if (r == 0)
		r = make_topology(&s, spec, &t);
	if (r == 0)
		*ret = t;
	else
		qm_topology_done(&t);
	if (r == -EINVAL)
		r = qm_strbuf_take(&s.error, ret_error) < 0 ? -ENOMEM : -EINVAL;
	qm_strbuf_done(&s.error);
	return r;
}
