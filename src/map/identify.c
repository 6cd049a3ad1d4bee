// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/identify.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map/moment.h"

/* Completed siblings, see qm_moment_all_online(). */
#define GUESSES_MAX 3
/* Maps tried in a search: so many on a machine of up to 256 CPUs, fewer on larger ones, where each takes longer. */
#ifdef QM_SMALL_LIMITS
#define SEARCH_BUDGET 16
#else
#define SEARCH_BUDGET 4096u
#endif
/* Ways to deal absent CPUs to nodes that are tried. */
#define DEALS_MAX 256u

struct known {
	const struct qm_controller *c;
	bool shared;
	struct qm_identity identity;
};

struct qm_identifier {
	const struct qm_machine *m;
	bool has_housekeeping;
	struct qm_cpuset housekeeping;
	struct qm_moment now;
	struct qm_moment all[GUESSES_MAX]; /* all present CPUs online */
	unsigned n_all;
	bool all_made;
	unsigned grant, budget; /* maps that one search may try, and that are left for all */
	struct known known[4]; /* the last ones: controllers of a kind have one map */
	unsigned n_known;
};

void qm_identifier_free(struct qm_identifier *id)
{
	if (!id)
		return;
	qm_moment_done(&id->now);
	for (unsigned i = 0; i < id->n_all; i++)
		qm_moment_done(&id->all[i]);
	free(id);
}

int qm_identifier_new(const struct qm_machine *m, struct qm_identifier **ret)
{
	struct qm_identifier *id = calloc(1, sizeof(*id));
	int r;

	if (!id)
		return -ENOMEM;
	id->m = m;
	if (m->cmdline.has_isolcpus && m->cmdline.iso_managed_irq) {
		qm_cpuset_copy(&id->housekeeping, &m->topo.possible);
		qm_cpuset_andnot(&id->housekeeping, &m->cmdline.isolcpus);
		id->has_housekeeping = !qm_cpuset_is_empty(&id->housekeeping);
	}
	id->grant = m->topo.nr_cpus > 256 ? SEARCH_BUDGET * 256 / m->topo.nr_cpus : SEARCH_BUDGET;
	id->budget = 4 * id->grant;
	r = qm_moment_now(&m->topo, &id->now);
	if (r < 0) {
		qm_identifier_free(id);
		return r;
	}
	*ret = id;
	return 0;
}

/* ---- one moment ---- */

/* What all algorithms of a family make of a map at one moment. */
struct outcome {
	enum qm_family family;
	const struct qm_moment *at;
	const struct qm_algo *v[64];
	size_t n;
	const struct qm_algo *nearest;
	unsigned fewest;
};

static bool outcome_has(const struct outcome *o, const struct qm_algo *a)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->v[i] == a)
			return true;
	}
	return false;
}

static bool outcome_has_any(const struct outcome *o, const struct qm_era *era)
{
	for (size_t i = 0; i < era->n; i++) {
		if (outcome_has(o, era->v[i]))
			return true;
	}
	return false;
}

/* Up to 4.12 a map is made again whenever a CPU comes or goes: it always is today's. */
static bool is_remade(const struct qm_algo *a)
{
	return a->family == QM_FAMILY_MAP && (strcmp(a->id, "v3.13") == 0 || strcmp(a->id, "v3.19") == 0);
}

static bool deals_are_few(const struct qm_topology *t)
{
	unsigned deals = 1, n = qm_cpuset_count(&t->node_guessed);

	while (n-- && deals <= DEALS_MAX)
		deals *= t->n_nodes;
	return deals && deals <= DEALS_MAX;
}

/*
 * Where absent CPUs decide and the kernel's usual deal does not explain the map, other deals may: each way to give them to
 * the nodes is tried (deals_are_few() holds). Returns 1 if some way makes a give this map, 0, or -ENOMEM.
 */
static int try_deals(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a)
{
	struct qm_cpuset guessed = at->t->node_guessed;
	unsigned deals = 1, n_nodes = at->t->n_nodes;
	struct qm_topology topo;
	int r, cpu, found = 0;

	QM_CPUSET_FOREACH(cpu, &guessed)
		deals *= n_nodes;
	r = qm_topology_copy(at->t, &topo);
	if (r < 0)
		return r;
	for (unsigned deal = 0; deal < deals && r == 0 && !found; deal++) {
		struct qm_moment one = { .t = &topo };
		unsigned left = deal, count;

		QM_CPUSET_FOREACH(cpu, &guessed) {
			topo.node_of[cpu] = topo.nodes[left % n_nodes].id;
			left /= n_nodes;
		}
		r = qm_mapper_new(&topo, &one.mapper);
		if (r < 0)
			break;
		r = qm_trial_run(t, &one, a, NULL, NULL, &count);
		qm_mapper_free(one.mapper);
		found = r == 0 && count == 0;
		if (r == -EINVAL)
			r = 0; /* no map with this deal */
	}
	qm_topology_done(&topo);
	return r < 0 ? r : found;
}

/* Does a give this map at that moment? *ret_count: CPUs elsewhere, 0 = yes. -EINVAL: it gives no map. */
static int match_one(struct qm_trial *t, const struct qm_moment *at, const struct qm_algo *a, unsigned *ret_count)
{
	const struct qm_cpuset *uncertain = qm_era_guessed_cpus(a, at->t);
	int r;

	r = qm_trial_run(t, at, a, NULL, NULL, ret_count);
	if (r == -ENOMEM || !uncertain || (r == 0 && *ret_count == 0))
		return r;
	if (deals_are_few(at->t)) {
		int found = try_deals(t, at, a);

		if (found == 0)
			return r;
		*ret_count = 0;
		return found < 0 ? found : 0;
	}
	return qm_trial_run(t, at, a, uncertain, NULL, ret_count);
}

static int match_all(struct qm_trial *t, const struct qm_moment *at, bool now, enum qm_family family,
		     const struct qm_era *era, struct outcome *ret)
{
	const struct qm_algo *a;

	*ret = (struct outcome){ .family = family, .at = at, .fewest = UINT_MAX };
	for (size_t i = 0; (a = qm_algo_get(i)) != NULL; i++) {
		unsigned count;
		int r;

		if (a->family != family || (!now && is_remade(a)))
			continue;
		r = match_one(t, at, a, &count);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		if (count == 0 && ret->n < QM_ARRAY_SIZE(ret->v))
			ret->v[ret->n++] = a;
		/* Among equals the one that is expected. */
		if (count < ret->fewest || (count == ret->fewest && era->n && era->v[0] == a)) {
			ret->fewest = count;
			ret->nearest = a;
		}
	}
	return 0;
}

/* ---- all moments ---- */

static int make_all_online(struct qm_identifier *id)
{
	const struct qm_topology *t = &id->m->topo;

	if (id->all_made)
		return 0;
	id->all_made = true;
	for (unsigned guess = 0; guess < GUESSES_MAX; guess++) {
		int r = qm_moment_all_online(t, guess, &id->all[id->n_all]);

		if (r == -ENOENT)
			break;
		if (r < 0)
			return r;
		id->n_all++;
	}
	return 0;
}

static bool all_are_online(const struct qm_topology *t)
{
	return qm_cpuset_is_subset(&t->present, &t->online);
}

/* A virtio device with too few vectors has one for all its queues, "virtio2-virtqueues". */
static bool has_virtqueues_vector(const struct qm_machine *m, const struct qm_controller *c)
{
	const char *at = c->syspath ? strstr(c->syspath, "/virtio") : NULL;
	char name[40];

	if (!at || strspn(at + 7, "0123456789") - 1 > 9 || !c->driver || strncmp(c->driver, "virtio_", 7) != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s-virtqueues", (int)(6 + strspn(at + 7, "0123456789")), at + 1);
	for (size_t i = 0; i < m->n_irqs; i++) {
		if (m->irqs[i].name && strstr(m->irqs[i].name, name))
			return true;
	}
	return false;
}

/* Do several queues share one vector? Then their masks cannot have made the map. */
static bool vector_is_shared(const struct qm_machine *m, const struct qm_controller *c)
{
	size_t tied = 0;
	long irq = -1;

	if (c->n_hctx < 2)
		return false;
	for (size_t i = 0; i < c->n_hctx; i++) {
		if (c->hctx[i].irq < 0)
			continue;
		if (tied++ && c->hctx[i].irq != irq)
			return false;
		irq = c->hctx[i].irq;
	}
	return tied > 1 || has_virtqueues_vector(m, c);
}

/* The families a map may be of, likeliest first. Returns how many. */
static unsigned families(const struct qm_driver_rule *rule, bool shared, enum qm_family *ret)
{
	unsigned n = 0;

	if (rule->family == QM_FAMILY_IRQ && !shared)
		ret[n++] = QM_FAMILY_IRQ;
	ret[n++] = QM_FAMILY_MAP;
	/* Drivers nobody described, and those described from hearsay. */
	if (n == 1 && !rule->sure && rule->family != QM_FAMILY_VECTOR)
		ret[n++] = QM_FAMILY_IRQ;
	return n;
}

/* Everything that is known of one controller's map while it is being identified. */
struct work {
	struct qm_identifier *id;
	struct qm_trial trial;
	struct qm_identity *ret;
	enum qm_family families[_QM_FAMILY_MAX];
	unsigned n_families;
	struct qm_era eras[_QM_FAMILY_MAX];
	struct outcome outcomes[_QM_FAMILY_MAX][1 + GUESSES_MAX]; /* by index of the family; today first */
	unsigned n_outcomes;
};

static void take_family(struct work *w, enum qm_family family)
{
	w->ret->predicted = w->eras[family];
	if (w->ret->rule.family == family)
		return;
	w->ret->rule.family = family;
	w->ret->rule.managed = family == QM_FAMILY_IRQ;
}

static void take_matches(struct work *w, const struct outcome *o)
{
	take_family(w, o->family);
	memcpy(w->ret->matches, o->v, o->n * sizeof(o->v[0]));
	w->ret->n_matches = o->n;
}

/*
 * Takes the first outcome with a match: for each family today's before that of all CPUs online. First those that the
 * kernel is expected to have; then any, since a map that is exactly another algorithm's says more than a table.
 */
static bool take_outcome(struct work *w, bool expected)
{
	for (unsigned f = 0; f < w->n_families; f++) {
		for (unsigned i = 0; i < w->n_outcomes; i++) {
			const struct outcome *o = &w->outcomes[f][i];

			if (!o->n || (expected && !outcome_has_any(o, &w->eras[o->family])))
				continue;
			take_matches(w, o);
			w->ret->exact = true;
			w->ret->other_time = i > 0;
			return true;
		}
	}
	return false;
}

/* A moment with some CPUs offline under which the expected algorithm gives this map. */
static int take_search(struct work *w)
{
	enum qm_family family = w->families[0];
	const struct qm_era *era = &w->eras[family];
	unsigned grant = w->id->grant < w->id->budget ? w->id->grant : w->id->budget;
	struct qm_search s = { .budget = grant };
	int r = 0;

	for (unsigned g = 0; g < w->id->n_all && r == 0 && !s.found; g++) {
		for (size_t i = 0; i < era->n && r == 0 && !s.found; i++) {
			struct qm_moment then;
			struct outcome o;

			if (is_remade(era->v[i]))
				continue;
			r = qm_search_offline(&w->trial, &w->id->all[g], era->v[i], &s);
			if (r < 0 || !s.found)
				continue;
			r = qm_moment_without(&w->id->all[g], &s.offline, &then);
			if (r < 0)
				break;
			r = match_all(&w->trial, &then, false, family, era, &o);
			qm_moment_done(&then);
			if (r == 0 && o.n) {
				take_matches(w, &o);
				w->ret->other_time = true;
				qm_cpuset_copy(&w->ret->offline_then, &s.offline);
			}
		}
	}
	w->id->budget -= grant - s.budget;
	w->ret->gave_up = s.gave_up || (!grant && era->n);
	return r;
}

/* Nothing explains the map: says what comes nearest today. */
static int take_nearest(struct work *w)
{
	const struct outcome *best = &w->outcomes[0][0];
	unsigned count;

	for (unsigned f = 1; f < w->n_families; f++) {
		if (w->outcomes[f][0].fewest < best->fewest)
			best = &w->outcomes[f][0];
	}
	if (!best->nearest)
		return 0;
	w->ret->nearest = best->nearest;
	return qm_trial_run(&w->trial, best->at, best->nearest, NULL, &w->ret->differs, &count);
}

static int match_moment(struct work *w, const struct qm_moment *at, bool now)
{
	for (unsigned f = 0; f < w->n_families; f++) {
		enum qm_family family = w->families[f];
		int r;

		r = match_all(&w->trial, at, now, family, &w->eras[family], &w->outcomes[f][w->n_outcomes]);
		if (r < 0)
			return r;
	}
	w->n_outcomes++;
	return 0;
}

static int identify(struct work *w)
{
	int r;

	r = match_moment(w, &w->id->now, true);
	if (r < 0 || take_outcome(w, true))
		return r;
	if (!all_are_online(&w->id->m->topo)) {
		r = make_all_online(w->id);
		for (unsigned i = 0; r == 0 && i < w->id->n_all; i++)
			r = match_moment(w, &w->id->all[i], false);
		if (r < 0 || take_outcome(w, true))
			return r;
	}
	/* What given masks made cannot be told from here: only a fall-back shows itself. */
	if (w->ret->rule.family == QM_FAMILY_VECTOR || take_outcome(w, false))
		return 0;
	r = make_all_online(w->id);
	if (r == 0)
		r = take_search(w);
	if (r == 0 && !w->ret->n_matches)
		r = take_nearest(w);
	return r;
}

/* ---- controllers ---- */

static bool same_map(const struct qm_controller *a, const struct qm_controller *b)
{
	if (a->n_hctx != b->n_hctx || !a->driver || !b->driver || strcmp(a->driver, b->driver) != 0)
		return false;
	for (size_t i = 0; i < a->n_hctx; i++) {
		const struct qm_hctx *x = &a->hctx[i], *y = &b->hctx[i];

		if (x->type != y->type || x->mapped != y->mapped || x->cpus_unknown != y->cpus_unknown ||
		    !qm_cpuset_is_equal(x->cpus, y->cpus))
			return false;
	}
	return true;
}

static void remember(struct qm_identifier *id, const struct qm_controller *c, bool shared,
		     const struct qm_identity *identity)
{
	struct known *k = &id->known[id->n_known++ % QM_ARRAY_SIZE(id->known)];

	k->c = c;
	k->shared = shared;
	k->identity = *identity;
}

int qm_identifier_run(struct qm_identifier *id, const struct qm_controller *c, struct qm_identity *ret)
{
	_cleanup_free_ struct work *w = NULL;
	struct qm_identity identity = { .n_matches = 0 };
	bool shared = vector_is_shared(id->m, c);
	int r;

	for (size_t i = 0; i < QM_ARRAY_SIZE(id->known); i++) {
		const struct known *k = &id->known[i];

		if (k->c && k->shared == shared && same_map(k->c, c)) {
			*ret = k->identity;
			return 0;
		}
	}
	qm_driver_rule_get(c->driver, &id->m->kernel, &identity.rule);
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->id = id;
	w->ret = &identity;
	w->n_families = families(&identity.rule, shared, w->families);
	for (unsigned f = 0; f < _QM_FAMILY_MAX; f++)
		qm_era_of_kernel(&id->m->kernel, (enum qm_family)f, &w->eras[f]);
	identity.predicted = w->eras[identity.rule.family];
	if (c->n_hctx) {
		r = qm_trial_init(id->m, c, identity.rule.pre_vectors, id->has_housekeeping ? &id->housekeeping : NULL,
				  &w->trial);
		if (r == 0)
			r = identify(w);
		qm_trial_done(&w->trial);
		if (r < 0)
			return r;
	}
	remember(id, c, shared, &identity);
	*ret = identity;
	return 0;
}
