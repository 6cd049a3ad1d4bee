// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is there a way to a better map? A fault that nothing can avoid is not worth a warning: so the same driver is run on
 * paper with other queue counts and under every newer kernel, and only what does better is offered.
 */
#include "audit/rules.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"

#define KERNELS_MAX 64

/* A mainline version at which some algorithm changed. */
struct step {
	const struct qm_algo *algo; /* any that is of this version */
	struct qm_kernel kernel;
};

/* An earlier answer: controllers of one machine are often alike. */
struct memo {
	const char *driver;
	int type;
	unsigned queues, n_sets, figure;
	enum qm_fault fault;
	struct qm_reach reach;
};

struct qm_reach_tools {
	struct qm_mapper *mapper;
	struct qm_scorer *scorer;
	const struct qm_topology *topo;
	struct qm_cpuset unlisted; /* CPUs that the live lists leave out */
	struct qm_cpuset housekeeping;
	bool has_housekeeping;
	struct step steps[KERNELS_MAX]; /* newer than the machine's kernel, ascending */
	size_t n_steps;
	struct memo *memo;
	size_t n_memo, cap_memo;
	int32_t *map;
	struct qm_score score; /* of the latest trial */
};

void qm_reach_tools_free(struct qm_reach_tools *tools)
{
	if (!tools)
		return;
	for (size_t i = 0; i < tools->n_steps; i++)
		qm_kernel_done(&tools->steps[i].kernel);
	qm_mapper_free(tools->mapper);
	qm_scorer_free(tools->scorer);
	qm_score_done(&tools->score);
	free(tools->memo);
	free(tools->map);
	free(tools);
}

static int compare_version(const struct qm_kernel *a, const struct qm_kernel *b)
{
	return a->major != b->major ? a->major - b->major : a->minor - b->minor;
}

/* Adds the version at which the algorithm came, in order, once, and only if the machine's kernel is older. */
static int add_step(struct qm_reach_tools *tools, const struct qm_kernel *running, const struct qm_algo *algo)
{
	struct qm_kernel k = { 0 };
	size_t at = tools->n_steps;
	int r;

	if (!algo->upstream || tools->n_steps == KERNELS_MAX)
		return 0;
	r = qm_era_parse_kernel(algo->first, &k);
	if (r == -EINVAL)
		return 0;
	if (r < 0)
		return r;
	while (at > 0 && compare_version(&tools->steps[at - 1].kernel, &k) > 0)
		at--;
	if (compare_version(&k, running) <= 0 || (at > 0 && compare_version(&tools->steps[at - 1].kernel, &k) == 0)) {
		qm_kernel_done(&k);
		return 0;
	}
	memmove(&tools->steps[at + 1], &tools->steps[at], (tools->n_steps - at) * sizeof(*tools->steps));
	tools->steps[at].algo = algo;
	tools->steps[at].kernel = k;
	tools->n_steps++;
	return 0;
}

static int make_tools(const struct qm_audit *a, struct qm_reach_tools *tools)
{
	const struct qm_machine *m = a->m;
	const struct qm_algo *algo;
	int r = qm_mapper_new(&m->topo, &tools->mapper);

	if (r == 0)
		r = qm_scorer_new(&m->topo, &tools->scorer);
	if (r < 0)
		return r;
	tools->map = calloc((size_t)m->topo.nr_cpus + 1, sizeof(*tools->map));
	if (!tools->map)
		return -ENOMEM;
	tools->topo = &m->topo;
	qm_cpuset_copy(&tools->unlisted, &a->unlisted);
	if (m->cmdline.iso_managed_irq) {
		qm_cpuset_copy(&tools->housekeeping, &m->topo.possible);
		qm_cpuset_andnot(&tools->housekeeping, &m->cmdline.isolcpus);
		tools->has_housekeeping = !qm_cpuset_is_empty(&tools->housekeeping);
	}
	for (size_t i = 0; qm_kernel_is_known(&m->kernel) && r == 0 && (algo = qm_algo_get(i)); i++)
		r = add_step(tools, &m->kernel, algo);
	return r;
}

static int get_tools(struct qm_audit *a, struct qm_reach_tools **ret)
{
	int r;

	if (!a->tools) {
		a->tools = calloc(1, sizeof(*a->tools));
		if (!a->tools)
			return -ENOMEM;
		r = make_tools(a, a->tools);
		if (r < 0)
			return r;
	}
	*ret = a->tools;
	return 0;
}

int qm_audit_mapper(struct qm_audit *a, struct qm_mapper **ret)
{
	struct qm_reach_tools *tools;
	int r = get_tools(a, &tools);

	if (r == 0)
		*ret = tools->mapper;
	return r;
}

/* ---- one trial: what would this driver's map be? ---- */

struct trial {
	const struct qm_kernel *kernel;
	const struct qm_controller *c;
	const struct qm_audit_controller *ac;
	const struct qm_audit_set *set;
	bool fallback; /* it takes the generic mapper although its driver has vectors of its own */
	bool trusted; /* its live map shows that it does what is expected of its driver */
	unsigned queues;
};

/* Spreads the controller's vectors. *ret_masks: new array; *ret_at: where the set's own masks start. 0 or -errno. */
static int spread_vectors(struct qm_reach_tools *tools, const struct trial *t, unsigned pre, const struct qm_algo *irq,
	struct qm_cpuset **ret_masks, unsigned *ret_at, enum qm_spread_outcome *ret_outcome)
{
	struct qm_spread what = { .vectors = pre, .pre = pre };
	_cleanup_free_ struct qm_cpuset *masks = NULL;
	unsigned at = pre;
	int r;

	for (unsigned i = 0; i < t->ac->n_sets; i++) {
		const struct qm_audit_set *s = &t->ac->sets[i];
		unsigned n = s == t->set ? t->queues : (unsigned)s->hctx.n;

		if (s->type == QM_HCTX_POLL)
			continue;
		if (s == t->set)
			at = what.vectors;
		what.sets[what.n_sets++] = n;
		what.vectors += n;
	}
	if (what.n_sets < 2)
		what.n_sets = 0;
	masks = calloc(what.vectors + 1u, sizeof(*masks));
	if (!masks)
		return -ENOMEM;
	r = qm_spread_run(tools->mapper, irq, &what, masks, ret_outcome, NULL);
	if (r < 0)
		return r;
	*ret_masks = masks;
	masks = NULL;
	*ret_at = at;
	return 0;
}

/* Takes the map of the set from spread vectors. 1: done, 0: this kernel gives none. */
static int run_spread(struct qm_reach_tools *tools, const struct trial *t, unsigned pre, const struct qm_algo *irq,
	const struct qm_algo *generic)
{
	_cleanup_free_ const struct qm_cpuset **ptr = calloc(t->queues + 1u, sizeof(*ptr));
	_cleanup_free_ struct qm_cpuset *masks = NULL;
	enum qm_spread_outcome outcome;
	unsigned at;
	int r;

	if (!ptr)
		return -ENOMEM;
	r = spread_vectors(tools, t, pre, irq, &masks, &at, &outcome);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	if (outcome != QM_SPREAD_OK)
		return 0;
	for (unsigned i = 0; i < t->queues; i++)
		ptr[i] = &masks[at + i];
	r = qm_vector_map(tools->mapper, ptr, t->queues, 0, QM_FALLBACK_MAP, generic, tools->map);
	return r == -EINVAL ? 0 : r < 0 ? r : 1;
}

/* Fills tools->score. 1: done, 0: not known what this kernel does, or it does nothing good. */
static int run_trial(struct qm_reach_tools *tools, const struct trial *t)
{
	struct qm_driver_rule rule;
	struct qm_era generic, irq;
	struct qm_cpuset listed;
	int r;

	qm_driver_rule_get(t->c->driver, t->kernel, &rule);
	qm_era_of_kernel(t->kernel, QM_FAMILY_MAP, &generic);
	if (generic.n == 0)
		return 0;
	if (t->fallback || t->set->type == QM_HCTX_POLL)
		rule.family = QM_FAMILY_MAP;
	/* A driver that nobody described may have a mapping of its own on any kernel. */
	if (rule.family == QM_FAMILY_VECTOR || (!rule.sure && !t->trusted))
		return 0;
	if (rule.family == QM_FAMILY_IRQ) {
		qm_era_of_kernel(t->kernel, QM_FAMILY_IRQ, &irq);
		if (irq.n == 0)
			return 0;
		r = run_spread(tools, t, rule.pre_vectors, irq.v[0], generic.v[0]);
	} else {
		r = qm_map_run(tools->mapper, generic.v[0], t->queues,
			tools->has_housekeeping ? &tools->housekeeping : NULL, tools->map, NULL);
		r = r == -EINVAL ? 0 : r < 0 ? r : 1;
	}
	if (r <= 0)
		return r;
	qm_cpuset_copy(&listed, qm_era_listed_cpus(generic.v[0], tools->topo));
	qm_cpuset_andnot(&listed, &tools->unlisted);
	r = qm_scorer_map(tools->scorer, tools->map, &listed, t->queues, &tools->score);
	return r < 0 ? r : 1;
}

/* ---- judging ---- */

static unsigned figure_of(enum qm_fault fault, const struct qm_score *s)
{
	switch (fault) {
	case QM_FAULT_UNMAPPED:
		return (unsigned)s->unmapped.n;
	case QM_FAULT_CROSS_NODE:
		return (unsigned)s->cross_node.n;
	case QM_FAULT_UNEVEN:
		return s->max_cpus;
	case QM_FAULT_SPLIT_CORES:
		return s->split_cores;
	}
	return 0;
}

static unsigned best_figure(enum qm_fault fault, const struct qm_best *b)
{
	switch (fault) {
	case QM_FAULT_UNMAPPED:
		return b->unmapped;
	case QM_FAULT_CROSS_NODE:
		return b->cross_node;
	case QM_FAULT_UNEVEN:
		return b->max_cpus;
	case QM_FAULT_SPLIT_CORES:
		return b->split_cores;
	}
	return 0;
}

bool qm_set_is_worse(const struct qm_audit_set *set, enum qm_fault fault)
{
	if (figure_of(fault, &set->score) <= best_figure(fault, &set->best))
		return false;
	return !set->has_full || figure_of(fault, &set->score_full) > best_figure(fault, &set->best_full);
}

/* Less of the fault, and nothing that counts more got worse for it. */
static bool is_better(enum qm_fault fault, const struct qm_score *s, const struct qm_score *than)
{
	if (figure_of(fault, s) >= figure_of(fault, than) || s->unmapped.n > than->unmapped.n ||
		s->dead.n > than->dead.n)
		return false;
	if (fault == QM_FAULT_UNEVEN || fault == QM_FAULT_SPLIT_CORES) {
		if (s->cross_node.n > than->cross_node.n)
			return false;
	}
	return fault != QM_FAULT_SPLIT_CORES || s->max_cpus <= than->max_cpus;
}

static bool driver_is(const struct qm_controller *c, const char *name)
{
	return c->driver && strcmp(c->driver, name) == 0;
}

bool qm_count_is_free(const struct qm_controller *c)
{
	return c->fabrics || driver_is(c, "null_blk") || driver_is(c, "scsi_debug");
}

/* Tries one count. 1: free of the fault, and taken; 0: not, or -errno. */
static int try_count(
	struct qm_reach_tools *tools, struct trial *t, enum qm_fault fault, unsigned count, struct qm_reach *reach)
{
	bool graded = fault == QM_FAULT_UNEVEN || fault == QM_FAULT_SPLIT_CORES;
	int r;

	t->queues = count;
	r = run_trial(tools, t);
	if (r <= 0)
		return r;
	if (!is_better(fault, &tools->score, &t->set->score) || (!graded && figure_of(fault, &tools->score)))
		return 0;
	reach->count = count;
	return 1;
}

static int find_count(
	struct qm_audit *a, struct qm_reach_tools *tools, struct trial *t, enum qm_fault fault, struct qm_reach *reach)
{
	unsigned now = (unsigned)t->set->hctx.n, limit = qm_cpuset_count(&a->m->topo.online);
	unsigned low = fault == QM_FAULT_UNMAPPED ? 1 : (now + 1) / 2;
	int r = 0;

	for (unsigned n = now - 1; n >= low && n > 0 && r == 0; n--)
		r = try_count(tools, t, fault, n, reach);
	/* More: one per CPU first, which is what a device gets by itself. */
	if (r == 0 && limit > now)
		r = try_count(tools, t, fault, limit, reach);
	for (unsigned n = now + 1; n < limit && r == 0; n++)
		r = try_count(tools, t, fault, n, reach);
	return r < 0 ? r : 0;
}

static int find_kernel(struct qm_reach_tools *tools, struct trial *t, enum qm_fault fault, struct qm_reach *reach)
{
	t->queues = (unsigned)t->set->hctx.n;
	for (size_t i = 0; i < tools->n_steps; i++) {
		int r;

		t->kernel = &tools->steps[i].kernel;
		r = run_trial(tools, t);
		if (r < 0)
			return r;
		if (r == 0 || !is_better(fault, &tools->score, &t->set->score))
			continue;
		if ((reach->kernel || reach->again) && figure_of(fault, &tools->score) >= reach->kernel_left)
			continue;
		reach->kernel = tools->steps[i].algo;
		reach->kernel_left = figure_of(fault, &tools->score);
	}
	return 0;
}

static int find_all(struct qm_audit *a, struct qm_reach_tools *tools, struct trial *t, enum qm_fault fault,
	const struct qm_identity *id, struct qm_reach *reach)
{
	int r = 0;

	t->kernel = &a->m->kernel;
	/* Counts are only promised where it is certain what this kernel does with them. */
	if (id->rule.sure && id->predicted.sure) {
		t->queues = (unsigned)t->set->hctx.n;
		r = run_trial(tools, t);
		if (r < 0)
			return r;
		reach->again = r > 0 && is_better(fault, &tools->score, &t->set->score);
		/* A newer kernel is only worth naming for more than that. */
		reach->kernel_left = reach->again ? figure_of(fault, &tools->score) : 0;
		r = 0;
		if (t->ac->n_sets == 1 && qm_count_is_free(t->c))
			r = find_count(a, tools, t, fault, reach);
	}
	return r < 0 ? r : find_kernel(tools, t, fault, reach);
}

static const struct memo *find_memo(const struct qm_reach_tools *tools, const struct memo *want)
{
	for (size_t i = 0; i < tools->n_memo; i++) {
		const struct memo *m = &tools->memo[i];

		if (m->type == want->type && m->queues == want->queues && m->n_sets == want->n_sets &&
			m->figure == want->figure && m->fault == want->fault &&
			m->reach.fallback == want->reach.fallback && strcmp(m->driver, want->driver) == 0)
			return m;
	}
	return NULL;
}

int qm_reach_find(struct qm_audit *a, size_t controller, const struct qm_audit_set *set, enum qm_fault fault,
	struct qm_reach *ret)
{
	const struct qm_controller *c = &a->m->controllers[controller];
	struct trial t = { .c = c, .ac = &a->c[controller], .set = set };
	struct memo memo = {
		.driver = c->driver ? c->driver : "",
		.type = set->type,
		.queues = (unsigned)set->hctx.n,
		.n_sets = a->c[controller].n_sets,
		.figure = figure_of(fault, &set->score),
		.fault = fault,
	};
	struct qm_reach_tools *tools;
	const struct qm_identity *id;
	struct qm_driver_rule rule;
	const struct memo *known;
	int r = get_tools(a, &tools);

	if (r < 0)
		return r;
	r = qm_audit_identity(a, controller, &id);
	if (r < 0)
		return r;
	/* Too few vectors of its own: then it fell back to the generic mapper, and would elsewhere. */
	qm_driver_rule_get(c->driver, &a->m->kernel, &rule);
	t.fallback = rule.family == QM_FAMILY_IRQ && id->rule.family == QM_FAMILY_MAP;
	t.trusted = id->exact && qm_identity_is_predicted(id);
	memo.reach.fallback = t.fallback;
	memo.reach.best = best_figure(fault, &set->best);
	known = find_memo(tools, &memo);
	if (known) {
		*ret = known->reach;
		return 0;
	}
	r = find_all(a, tools, &t, fault, id, &memo.reach);
	if (r == 0)
		r = qm_array_grow(&tools->memo, &tools->cap_memo, tools->n_memo + 1, sizeof(*tools->memo));
	if (r < 0)
		return r;
	tools->memo[tools->n_memo++] = memo;
	*ret = memo.reach;
	return 0;
}

int qm_reach_crashes(
	struct qm_audit *a, size_t controller, const struct qm_driver_rule *rule, const struct qm_algo *irq, bool *ret)
{
	const struct qm_audit_set *set = &a->c[controller].sets[0];
	const struct trial t = {
		.c = &a->m->controllers[controller],
		.ac = &a->c[controller],
		.set = set,
		.queues = (unsigned)set->hctx.n,
	};
	_cleanup_free_ struct qm_cpuset *masks = NULL;
	enum qm_spread_outcome outcome;
	struct qm_reach_tools *tools;
	unsigned at;
	int r = get_tools(a, &tools);

	if (r == 0)
		r = spread_vectors(tools, &t, rule->pre_vectors, irq, &masks, &at, &outcome);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	*ret = outcome == QM_SPREAD_DIVIDE_BY_ZERO;
	return 0;
}

bool qm_reach_is_any(const struct qm_reach *r)
{
	return r->count || r->kernel || r->again;
}

/* ---- in words ---- */

/* The part of "traddr=10.0.0.1,trsvcid=4420,..." that belongs to key, as a word for a shell; NULL. */
static const char *address_part(struct qm_draft *d, const struct qm_controller *c, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = c->address; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, key, len) == 0 && p[len] == '=') {
			p += len + 1;
			return qm_draft_quote(d, qm_draft_text(d, "%.*s", (int)strcspn(p, ","), p));
		}
	}
	return NULL;
}

static const char *connect_command(struct qm_draft *d, const struct qm_controller *c, unsigned count)
{
	static const struct {
		const char *key, *option;
	} parts[] = { { "traddr", "-a" }, { "trsvcid", "-s" }, { "host_traddr", "-w" } };
	const char *s;

	if (!c->nqn || !c->transport)
		return NULL;
	s = qm_draft_text(d, "nvme disconnect -d %s && nvme connect -t %s -n %s", qm_draft_quote(d, c->name),
		qm_draft_quote(d, c->transport), qm_draft_quote(d, c->nqn));
	for (size_t i = 0; i < QM_ARRAY_SIZE(parts); i++) {
		const char *value = address_part(d, c, parts[i].key);

		if (value)
			s = qm_draft_text(d, "%s %s %s", s, parts[i].option, value);
	}
	return qm_draft_text(d, "%s --nr-io-queues=%u", s, count);
}

const char *qm_draft_count_command(struct qm_draft *d, const struct qm_controller *c, unsigned count)
{
	if (c->fabrics)
		return connect_command(d, c, count);
	if (driver_is(c, "null_blk") || driver_is(c, "scsi_debug"))
		return qm_draft_text(d, "modprobe -r %s && modprobe %s submit_queues=%u", c->driver, c->driver, count);
	return NULL;
}

static const char *kernel_command(
	struct qm_draft *d, const struct qm_controller *c, const struct qm_reach *r, unsigned queues)
{
	struct qm_driver_rule rule;
	struct qm_kernel k = { 0 };
	const char *s;

	if (qm_era_parse_kernel(r->kernel->first, &k) < 0)
		return NULL;
	qm_driver_rule_get(c->driver, &k, &rule);
	qm_kernel_done(&k);
	if (rule.family == QM_FAMILY_IRQ && !r->fallback)
		s = qm_draft_text(d, "qmapctl predict --kernel %s --vectors %u --pre %u", r->kernel->first,
			queues + rule.pre_vectors, rule.pre_vectors);
	else
		s = qm_draft_text(d, "qmapctl predict --kernel %s --queues %u", r->kernel->first, queues);
	return s;
}

void qm_draft_reach(struct qm_draft *d, const struct qm_audit_set *set, const struct qm_reach *r)
{
	const struct qm_controller *c = &d->a->m->controllers[d->f.controller];
	unsigned queues = (unsigned)set->hctx.n;
	const char *how = "", *command = NULL;

	if (r->count) {
		how = qm_draft_text(d, "Ask for %u queues, which this kernel maps well%s.", r->count,
			c->fabrics ? " (connecting again takes the disks away for a moment)" : "");
		command = qm_draft_count_command(d, c, r->count);
	} else if (r->again && d->a->opt->whatif) {
		how = "A map made in that state is better than the one that is there.";
	} else if (r->again) {
		how = "The map is of another time: made again now, by reloading the driver, connecting again or a "
		      "reboot, it would be better.";
		command = c->fabrics ? connect_command(d, c, queues) : NULL;
	}
	if (r->kernel) {
		how = qm_draft_text(d, "%s%sLinux %s maps %u queue%s %s.", how, *how ? " " : "", r->kernel->first,
			queues, qm_plural(queues), r->kernel_left > r->best ? "better" : "as well as can be");
		if (!command)
			command = kernel_command(d, c, r, queues);
	}
	if (!qm_reach_is_any(r) && !qm_kernel_is_known(&d->a->m->kernel))
		how = "What would do better depends on the kernel, of which this source says nothing: name it with --kernel.";
	else if (!qm_reach_is_any(r))
		how = "Nothing needs doing: no other number of queues and no newer kernel known here maps this device "
		      "better.";
	qm_draft_advice(d, "%s", how);
	if (command)
		qm_draft_command(d, "%s", command);
}
