// SPDX-License-Identifier: GPL-2.0-or-later
#include "audit/irqs.h"
#include "audit/rules.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "fabrics/connect.h"

/* The families in the order in which their rules are listed. */
static const struct qm_rule *const families[] = {
	qm_rules_map, qm_rules_cpu, qm_rules_fabrics, qm_rules_kernel,
	qm_rules_irq, qm_rules_isolation, qm_rules_hba, qm_rules_log,
};

const struct qm_rule *qm_rule_get(size_t index)
{
	for (size_t f = 0; f < QM_ARRAY_SIZE(families); f++) {
		for (const struct qm_rule *r = families[f]; r->name; r++) {
			if (index-- == 0)
				return r;
		}
	}
	return NULL;
}

const struct qm_rule *qm_rule_find(const char *name)
{
	const struct qm_rule *r;

	for (size_t i = 0; (r = qm_rule_get(i)); i++) {
		if (strcmp(r->name, name) == 0)
			return r;
	}
	return NULL;
}

const char *qm_severity_name(enum qm_severity s)
{
	static const char *const names[_QM_SEVERITY_MAX] = { "info", "warning", "error" };

	return s < _QM_SEVERITY_MAX ? names[s] : "?";
}

/* ---- what the rules look at ---- */

/* Best possible maps by number of queues: a machine has few different numbers and many controllers. */
struct best_cache {
	const struct qm_topology *t;
	struct {
		unsigned queues;
		struct qm_best best;
	} *v;
	size_t n, cap;
};

static int best_get(struct best_cache *cache, unsigned queues, struct qm_best *ret)
{
	int r;

	for (size_t i = 0; i < cache->n; i++) {
		if (cache->v[i].queues == queues) {
			*ret = cache->v[i].best;
			return 0;
		}
	}
	r = qm_array_grow(&cache->v, &cache->cap, cache->n + 1, sizeof(*cache->v));
	if (r < 0)
		return r;
	r = qm_best_map(cache->t, queues, ret);
	if (r < 0)
		return r;
	cache->v[cache->n].queues = queues;
	cache->v[cache->n++].best = *ret;
	return 0;
}

static void find_unusable(struct qm_audit *a)
{
	const struct qm_topology *t = &a->m->topo;
	struct qm_connect_env env;

	qm_connect_env_get(a->m, !a->opt->whatif, &env);
	qm_cpuset_copy(&a->unlisted, &env.left_out);
	qm_cpuset_copy(&a->unusable, &t->possible);
	qm_cpuset_andnot(&a->unusable, &t->online);
	qm_cpuset_or(&a->unusable, &a->unlisted);
}

/* Is some CPU in the lists of two queues of that type? any: of whatever type. */
static bool lists_overlap(const struct qm_controller *c, int type, bool any)
{
	struct qm_cpuset seen = { 0 };

	for (size_t q = 0; q < c->n_hctx; q++) {
		if (!any && c->hctx[q].type != type)
			continue;
		if (qm_cpuset_intersects(&seen, c->hctx[q].cpus))
			return true;
		qm_cpuset_or(&seen, c->hctx[q].cpus);
	}
	return false;
}

static void covered_cpus(const struct qm_controller *c, int type, bool any, struct qm_cpuset *ret)
{
	*ret = (struct qm_cpuset){ 0 };
	for (size_t q = 0; q < c->n_hctx; q++) {
		if (any || c->hctx[q].type == type)
			qm_cpuset_or(ret, c->hctx[q].cpus);
	}
}

/*
 * Is this the whole of a type's queues? Where types are not all known some may be missing; but each type's map covers
 * the same CPUs, and no CPU twice.
 */
static bool is_whole_type(const struct qm_controller *c, int type)
{
	struct qm_cpuset all, mine;

	covered_cpus(c, type, true, &all);
	covered_cpus(c, type, false, &mine);
	return qm_cpuset_is_equal(&all, &mine) && !lists_overlap(c, type, false);
}

static int add_set(const struct qm_controller *c, struct qm_audit_controller *ac, int type, bool any)
{
	struct qm_audit_set *set = &ac->sets[ac->n_sets];
	int r = 0;

	set->type = any ? QM_HCTX_UNKNOWN : type;
	for (size_t q = 0; q < c->n_hctx && r == 0; q++) {
		if (any || c->hctx[q].type == type)
			r = qm_ids_add(&set->hctx, c->hctx[q].id);
	}
	if (set->hctx.n)
		ac->n_sets++;
	return r;
}

/* Sorts the controller's queues into sets by type; those whose type is not known for certain are in none. */
static int make_sets(const struct qm_controller *c, struct qm_audit_controller *ac)
{
	bool unknown = false;
	int r = 0;

	for (size_t q = 0; q < c->n_hctx; q++)
		unknown = unknown || c->hctx[q].type == QM_HCTX_UNKNOWN;
	if (unknown && !lists_overlap(c, 0, true))
		return add_set(c, ac, QM_HCTX_UNKNOWN, true);
	for (int type = 0; type < _QM_HCTX_TYPE_MAX && r == 0; type++) {
		if (!unknown || is_whole_type(c, type))
			r = add_set(c, ac, type, false);
	}
	return r;
}

static int score_set(const struct qm_topology *t, const struct qm_controller *c, const struct qm_audit_set *set,
	struct qm_score *ret)
{
	_cleanup_free_ const struct qm_cpuset **v = calloc(set->hctx.n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < set->hctx.n; i++)
		v[i] = c->hctx[set->hctx.v[i]].cpus;
	return qm_score_sets(t, v, (unsigned)set->hctx.n, ret);
}

/* The machine's topology with every present CPU online. 1: some were not, 0: all were and *ret is empty. */
static int full_topology(const struct qm_topology *t, struct qm_topology *ret)
{
	struct qm_topology full = { 0 };
	struct qm_cpuset online;
	int r;

	qm_cpuset_copy(&online, &t->present);
	qm_cpuset_or(&online, &t->online);
	qm_cpuset_and(&online, &t->possible);
	if (qm_cpuset_is_equal(&online, &t->online))
		return 0;
	r = qm_topology_copy(t, &full);
	if (r == 0)
		r = qm_topology_set_online(&full, &online);
	if (r < 0) {
		qm_topology_done(&full);
		return r;
	}
	*ret = full;
	return 1;
}

struct scoring {
	struct best_cache now, full;
	struct qm_topology topo_full;
	bool has_full;
};

static int score_controller(const struct qm_controller *c, struct qm_audit_controller *ac, struct scoring *s)
{
	int r = make_sets(c, ac);

	for (unsigned i = 0; i < ac->n_sets && r == 0; i++) {
		struct qm_audit_set *set = &ac->sets[i];
		unsigned n = (unsigned)set->hctx.n;

		r = score_set(s->now.t, c, set, &set->score);
		if (r == 0)
			r = best_get(&s->now, n, &set->best);
		if (r < 0)
			break;
		set->has_full = s->has_full;
		if (!set->has_full)
			continue;
		r = score_set(&s->topo_full, c, set, &set->score_full);
		if (r == 0)
			r = best_get(&s->full, n, &set->best_full);
	}
	return r;
}

bool qm_audit_is_asked_for(const size_t *controllers, size_t n, size_t index)
{
	if (!controllers)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (controllers[i] == index)
			return true;
	}
	return false;
}

static int score_all(struct qm_audit *a)
{
	struct scoring s = { .now.t = &a->m->topo };
	int r = full_topology(&a->m->topo, &s.topo_full);

	s.has_full = r > 0;
	s.full.t = &s.topo_full;
	for (size_t i = 0; i < a->m->n_controllers && r >= 0; i++) {
		a->c[i].skipped = !qm_audit_is_asked_for(a->opt->controllers, a->opt->n_controllers, i);
		if (!a->c[i].skipped)
			r = score_controller(&a->m->controllers[i], &a->c[i], &s);
	}
	free(s.now.v);
	free(s.full.v);
	qm_topology_done(&s.topo_full);
	return r < 0 ? r : 0;
}

static void set_done(struct qm_audit_set *set)
{
	qm_ids_done(&set->hctx);
	qm_score_done(&set->score);
	qm_score_done(&set->score_full);
}

static void audit_done(struct qm_audit *a)
{
	for (size_t i = 0; a->c && i < a->m->n_controllers; i++) {
		for (unsigned k = 0; k < a->c[i].n_sets; k++)
			set_done(&a->c[i].sets[k]);
		qm_ids_done(&a->c[i].irqs);
		qm_ids_done(&a->c[i].other_irqs);
		free(a->c[i].identity);
	}
	free(a->c);
	qm_identifier_free(a->identifier);
	qm_reach_tools_free(a->tools);
}

int qm_audit_identity(struct qm_audit *a, size_t controller, const struct qm_identity **ret)
{
	struct qm_audit_controller *ac = &a->c[controller];
	_cleanup_free_ struct qm_identity *id = NULL;
	int r;

	if (!ac->identity) {
		id = calloc(1, sizeof(*id));
		r = id ? 0 : -ENOMEM;
		if (r == 0 && !a->identifier)
			r = qm_identifier_new(a->m, &a->identifier);
		if (r == 0)
			r = qm_identifier_run(a->identifier, &a->m->controllers[controller], id);
		if (r < 0)
			return r;
		ac->identity = id;
		id = NULL;
	}
	*ret = ac->identity;
	return 0;
}

size_t qm_audit_next(const struct qm_audit *a, size_t i)
{
	while (i < a->m->n_controllers && a->c[i].skipped)
		i++;
	return i;
}

/* ---- the runner ---- */

static bool is_named(const char *const *names, const char *name)
{
	for (; *names; names++) {
		if (strcmp(*names, name) == 0)
			return true;
	}
	return false;
}

static bool is_wanted(const struct qm_audit_options *opt, const struct qm_rule *r)
{
	if (opt->only && !is_named(opt->only, r->name))
		return false;
	return !opt->ignore || !is_named(opt->ignore, r->name);
}

/* Errors first, then by controller (the machine before them), then the order of the table, which they came in. */
static int compare_findings(const void *pa, const void *pb)
{
	const struct qm_finding *a = pa, *b = pb;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->controller != b->controller)
		return a->controller < b->controller ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

static int run_rule(struct qm_audit *a, const struct qm_rule *rule)
{
	int r = 0;
	size_t i;

	QM_AUDIT_FOREACH(i, a) {
		for (unsigned k = 0; rule->each_set && k < a->c[i].n_sets && r == 0; k++)
			r = rule->each_set(a, rule, i, &a->c[i].sets[k]);
		if (r == 0 && rule->each)
			r = rule->each(a, rule, i);
		if (r < 0)
			return r;
	}
	return rule->run ? rule->run(a, rule) : 0;
}

int qm_audit_run(const struct qm_machine *m, const struct qm_audit_options *opt, struct qm_findings *ret)
{
	struct qm_findings out = { 0 };
	struct qm_audit a = { .m = m, .opt = opt, .out = &out };
	const struct qm_rule *rule;
	int r;

	a.c = calloc(m->n_controllers + 1, sizeof(*a.c));
	if (!a.c)
		return -ENOMEM;
	find_unusable(&a);
	r = score_all(&a);
	if (r == 0)
		r = qm_audit_find_irqs(&a);
	for (size_t i = 0; r == 0 && (rule = qm_rule_get(i)); i++) {
		if (is_wanted(opt, rule))
			r = run_rule(&a, rule);
	}
	audit_done(&a);
	if (r < 0) {
		qm_findings_done(&out);
		return r;
	}
	if (out.n > 1)
		qsort(out.v, out.n, sizeof(*out.v), compare_findings);
	*ret = out;
	return 0;
}
