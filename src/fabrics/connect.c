// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/connect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fabrics/loss.h"
#include "fabrics/request.h"

/* What is known about the map of one number of queues. */
#define DONE      0x01u
#define REFUSED   0x02u /* first[] fails with -EXDEV */
#define UNDEFINED 0x04u /* first[] is not checked */
#define SAFE      0x08u /* every queue has a CPU that can surely serve it */
#define RESILIENT 0x10u /* and keeps one whichever core goes away */
#define DOUBTFUL  0x20u /* the outcome rests on something that is not sure */

/* The maps of one candidate algorithm, by number of queues; filled as they are asked for. */
struct table {
	const struct qm_algo *algo;
	uint8_t *flags;
	int32_t *first; /* first queue that fails, -1 = none */
	size_t cap;
};

/* An answer to qm_connect_count(): the loss of cores takes its time, and most transports differ in nothing. */
struct counted {
	bool used;
	unsigned write, poll, granted;
	enum qm_transport transport; /* where write, poll or the map depend on it; else _QM_TRANSPORT_MAX */
	struct qm_connect_counts counts;
};

struct qm_connect {
	struct qm_connect_env env;
	struct qm_era era;
	enum qm_dead_queue dead;
	bool dead_sure;
	struct qm_cpuset usable; /* online and not left out */
	struct qm_cpuset firm;   /* and not even perhaps left out */
	struct qm_mapper *mapper;
	struct table tables[QM_ARRAY_SIZE(((struct qm_era *)0)->v)];
	unsigned n_online;
	struct counted counted[_QM_TRANSPORT_MAX];
	unsigned next_counted;

	/* by CPU id */
	int32_t *map;
	uint32_t *core;
	/* by queue, of the map at hand */
	uint8_t *seen;
	uint32_t *core_of;
	size_t cap_queues;
};

/* What is seen of a queue while a map is looked through. */
#define SEEN_LISTED 0x1u
#define SEEN_USABLE 0x2u
#define SEEN_FIRM   0x4u
#define SEEN_ONLINE 0x8u
#define SEEN_TWO    0x10u /* firm CPUs on two cores */

const char *qm_connect_outcome_name(enum qm_connect_outcome o)
{
	static const char *const names[] = { "connects", "refused", "undefined", "unknown" };

	return (unsigned)o < QM_ARRAY_SIZE(names) ? names[o] : NULL;
}

const char *qm_connect_reason_name(enum qm_connect_reason r)
{
	static const char *const names[] = { NULL, "offline", "isolated", "unmapped", "granted-fewer", "inactive" };

	return (unsigned)r < QM_ARRAY_SIZE(names) ? names[r] : NULL;
}

/* ---- the environment ---- */

/*
 * Do the queue lists of a machine show that its kernel leaves these CPUs out? 1 yes, 0 no, -1 they do not tell. Lists
 * that name one keep them; where there are complete lists and none does, they are left out.
 */
static int lists_leave_out(const struct qm_machine *m, const struct qm_cpuset *cpus)
{
	bool any = false, whole = true;

	for (size_t i = 0; i < m->n_controllers; i++) {
		const struct qm_controller *c = &m->controllers[i];

		for (size_t q = 0; q < c->n_hctx; q++) {
			if (!c->hctx[q].mapped)
				continue;
			any = true;
			whole = whole && !c->hctx[q].cpus_unknown;
			if (qm_cpuset_intersects(c->hctx[q].cpus, cpus))
				return 0;
		}
	}
	return any && whole ? 1 : -1;
}

/* Adds cpus to those left out if this kernel does so: by the lists' own word, else by what the table of eras says. */
static void env_leave_out(const struct qm_machine *m, bool as_read, const struct qm_cpuset *cpus, int by_table,
			  bool table_sure, struct qm_connect_env *env)
{
	int seen;

	if (qm_cpuset_is_empty(cpus))
		return;
	seen = as_read ? lists_leave_out(m, cpus) : -1;
	if (seen < 0) {
		seen = by_table;
		if (!table_sure)
			qm_cpuset_or(&env->doubtful, cpus);
	}
	if (seen > 0)
		qm_cpuset_or(&env->left_out, cpus);
}

void qm_connect_env_get(const struct qm_machine *m, bool as_read, struct qm_connect_env *ret)
{
	struct qm_cpuset nohz = m->topo.nohz_full;
	bool sure = false;
	int drops;

	*ret = (struct qm_connect_env){ .topo = &m->topo, .kernel = &m->kernel };
	drops = qm_era_drops_isolated(&m->kernel, &sure);
	env_leave_out(m, as_read, &m->topo.isolated, drops, sure, ret);
	qm_cpuset_andnot(&nohz, &m->topo.isolated);
	drops = qm_era_drops_nohz_full(&m->kernel, &sure);
	env_leave_out(m, as_read, &nohz, drops, sure, ret);
	if (m->cmdline.has_isolcpus && m->cmdline.iso_managed_irq) {
		ret->has_housekeeping = true;
		ret->housekeeping = m->topo.possible;
		qm_cpuset_andnot(&ret->housekeeping, &m->cmdline.isolcpus);
	}
}

static void fill_cores(struct qm_connect *c)
{
	const struct qm_topology *t = c->env.topo;

	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++) {
		bool known = t->cores.n && t->cores.of[cpu] >= 0;

		c->core[cpu] = known ? (uint32_t)t->cores.of[cpu] : t->cores.n + cpu;
	}
}

int qm_connect_new(const struct qm_connect_env *env, struct qm_connect **ret)
{
	struct qm_connect *c = calloc(1, sizeof(*c));
	const struct qm_topology *t = env->topo;
	int r = 0;

	if (!c)
		return -ENOMEM;
	c->env = *env;
	qm_era_of_kernel(env->kernel, QM_FAMILY_MAP, &c->era);
	c->dead = qm_era_dead_queue(env->kernel, &c->dead_sure);
	for (size_t i = 0; i < c->era.n; i++)
		c->tables[i].algo = c->era.v[i];
	c->usable = t->online;
	qm_cpuset_andnot(&c->usable, &env->left_out);
	c->firm = c->usable;
	qm_cpuset_andnot(&c->firm, &env->doubtful);
	c->n_online = qm_cpuset_count(&t->online);
	c->map = calloc(t->nr_cpus ? t->nr_cpus : 1, sizeof(*c->map));
	c->core = calloc(t->nr_cpus ? t->nr_cpus : 1, sizeof(*c->core));
	if (!c->map || !c->core)
		r = -ENOMEM;
	if (r == 0)
		r = qm_mapper_new(t, &c->mapper);
	if (r < 0) {
		qm_connect_free(c);
		return r;
	}
	fill_cores(c);
	*ret = c;
	return 0;
}

void qm_connect_free(struct qm_connect *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < QM_ARRAY_SIZE(c->tables); i++) {
		free(c->tables[i].flags);
		free(c->tables[i].first);
	}
	for (size_t i = 0; i < QM_ARRAY_SIZE(c->counted); i++)
		qm_connect_counts_done(&c->counted[i].counts);
	qm_mapper_free(c->mapper);
	free(c->map);
	free(c->core);
	free(c->seen);
	free(c->core_of);
	free(c);
}

const struct qm_algo *qm_connect_algo(const struct qm_connect *c)
{
	return c->era.n ? c->era.v[0] : NULL;
}

const struct qm_cpuset *qm_connect_usable(const struct qm_connect *c)
{
	return &c->usable;
}

const struct qm_cpuset *qm_connect_online(const struct qm_connect *c)
{
	return &c->env.topo->online;
}

const struct qm_kernel *qm_connect_kernel(const struct qm_connect *c)
{
	return c->env.kernel;
}

/* ---- one map ---- */

static int run_map(struct qm_connect *c, const struct qm_algo *a, unsigned queues)
{
	return qm_map_run(c->mapper, a, queues, c->env.has_housekeeping ? &c->env.housekeeping : NULL, c->map, NULL);
}

static int reserve_queues(struct qm_connect *c, size_t queues)
{
	size_t cap = c->cap_queues;
	int r;

	if (queues <= cap)
		return 0;
	r = qm_array_grow(&c->seen, &cap, queues, sizeof(*c->seen));
	if (r < 0)
		return r;
	cap = c->cap_queues;
	r = qm_array_grow(&c->core_of, &cap, queues, sizeof(*c->core_of));
	if (r < 0)
		return r;
	c->cap_queues = cap;
	return 0;
}

/* Notes in seen[] what CPUs each queue of the map at hand has. */
static void look_through(struct qm_connect *c, const struct qm_algo *a, unsigned queues)
{
	const struct qm_cpuset *listed = qm_era_listed_cpus(a, c->env.topo);
	int cpu;

	memset(c->seen, 0, queues);
	QM_CPUSET_FOREACH(cpu, listed) {
		uint32_t q = (uint32_t)c->map[cpu];
		unsigned id = (unsigned)cpu;

		if (q >= queues)
			continue;
		c->seen[q] |= SEEN_LISTED;
		if (!qm_cpuset_test(&c->env.topo->online, id))
			continue;
		c->seen[q] |= SEEN_ONLINE;
		if (qm_cpuset_test(&c->usable, id))
			c->seen[q] |= SEEN_USABLE;
		if (!qm_cpuset_test(&c->firm, id))
			continue;
		if (!(c->seen[q] & SEEN_FIRM))
			c->core_of[q] = c->core[cpu];
		else if (c->core_of[q] != c->core[cpu])
			c->seen[q] |= SEEN_TWO;
		c->seen[q] |= SEEN_FIRM;
	}
}

/* What one queue comes to: 0, REFUSED or UNDEFINED, and DOUBTFUL. */
static uint8_t judge_queue(const struct qm_connect *c, uint8_t seen)
{
	uint8_t doubt = 0;

	if (seen & SEEN_USABLE)
		return seen & SEEN_FIRM ? 0 : DOUBTFUL;
	/* No usable CPU, but one that is online: it rests on that being left out for sure. */
	if ((seen & SEEN_ONLINE) && !qm_cpuset_is_empty(&c->env.doubtful))
		doubt = DOUBTFUL;
	if (!(seen & SEEN_LISTED))
		return REFUSED | doubt;
	if (!c->dead_sure)
		doubt = DOUBTFUL;
	switch (c->dead) {
	case QM_DEAD_REFUSED:
		return REFUSED | doubt;
	case QM_DEAD_UNCHECKED:
		return UNDEFINED | doubt;
	case QM_DEAD_FIRST_CPU:
		break;
	}
	/* A request is made for a CPU that is offline; nothing says what becomes of it. */
	return DOUBTFUL;
}

static int table_reserve(struct table *t, size_t queues)
{
	size_t cap = t->cap, old = t->cap;
	int r;

	if (queues < cap)
		return 0;
	r = qm_array_grow(&t->first, &cap, queues + 1, sizeof(*t->first));
	if (r < 0)
		return r;
	cap = t->cap;
	r = qm_array_grow(&t->flags, &cap, queues + 1, sizeof(*t->flags));
	if (r < 0)
		return r;
	memset(t->flags + old, 0, cap - old);
	t->cap = cap;
	return 0;
}

/* Works out one number of queues, unless that was done before. */
static int table_fill(struct qm_connect *c, struct table *t, unsigned queues)
{
	uint8_t flags = DONE | SAFE | RESILIENT;
	int32_t first = -1;
	int r;

	r = table_reserve(t, queues);
	if (r < 0 || (t->flags[queues] & DONE))
		return r;
	r = reserve_queues(c, queues);
	if (r == 0)
		r = run_map(c, t->algo, queues);
	if (r < 0)
		return r;
	look_through(c, t->algo, queues);
	for (unsigned q = 0; q < queues; q++) {
		uint8_t what;

		if ((c->seen[q] & (SEEN_FIRM | SEEN_TWO)) == (SEEN_FIRM | SEEN_TWO))
			continue;
		flags &= (uint8_t)~RESILIENT;
		if (c->seen[q] & SEEN_FIRM)
			continue;
		flags &= (uint8_t)~SAFE;
		what = judge_queue(c, c->seen[q]);
		flags |= what & DOUBTFUL;
		if (first < 0 && (what & (REFUSED | UNDEFINED))) {
			first = (int32_t)q;
			flags |= what & (REFUSED | UNDEFINED);
		}
	}
	if (!c->env.topo->clusters_sure && strcmp(t->algo->id, "v7.0") == 0)
		flags |= DOUBTFUL;
	t->flags[queues] = flags;
	t->first[queues] = first;
	return 0;
}

/* ---- one request ---- */

/* The first failing queue of all types, as one candidate sees it. */
struct verdict {
	uint8_t flags;
	int32_t hctx;
	int type;
};

static int judge_request(struct qm_connect *c, struct table *t, const struct qm_connect_queues *queues,
			 struct verdict *ret)
{
	struct verdict v = { .flags = SAFE | RESILIENT, .hctx = -1 };
	unsigned offset = 0;

	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++) {
		unsigned n = queues->n[type];
		uint8_t f;
		int r;

		if (!n)
			continue;
		r = table_fill(c, t, n);
		if (r < 0)
			return r;
		f = t->flags[n];
		v.flags &= f | (uint8_t)~(SAFE | RESILIENT);
		v.flags |= f & DOUBTFUL;
		if (v.hctx < 0 && t->first[n] >= 0) {
			v.hctx = (int32_t)offset + t->first[n];
			v.type = type;
			v.flags |= f & (REFUSED | UNDEFINED);
		}
		offset += n;
	}
	*ret = v;
	return 0;
}

/* Why a queue of the map at hand has no usable CPU. */
static void explain_failure(struct qm_connect *c, const struct qm_algo *a, int32_t queue, struct qm_connect_failure *f)
{
	const struct qm_topology *t = c->env.topo;
	struct qm_cpuset listed;
	int cpu;

	QM_CPUSET_FOREACH(cpu, qm_era_listed_cpus(a, t)) {
		if (c->map[cpu] == queue)
			qm_cpuset_set(&f->cpus, (unsigned)cpu);
	}
	f->offline = f->cpus;
	qm_cpuset_andnot(&f->offline, &t->online);
	listed = f->cpus;
	qm_cpuset_andnot(&listed, &c->env.left_out);
	if (qm_cpuset_is_empty(&f->cpus))
		f->reason = QM_REASON_UNMAPPED;
	else
		f->reason = qm_cpuset_is_empty(&listed) ? QM_REASON_ISOLATED : QM_REASON_OFFLINE;
}

static int fill_failure(struct qm_connect *c, const struct verdict *v, struct qm_connect_answer *ans)
{
	unsigned offset = 0;
	int r;

	for (int type = 0; type < v->type; type++)
		offset += ans->queues.n[type];
	r = run_map(c, c->era.v[0], ans->queues.n[v->type]);
	if (r < 0)
		return r;
	ans->failure = (struct qm_connect_failure){ .hctx = (unsigned)v->hctx, .type = v->type };
	explain_failure(c, c->era.v[0], v->hctx - (int32_t)offset, &ans->failure);
	ans->has_failure = true;
	ans->reason = ans->failure.reason;
	return 0;
}

static enum qm_connect_outcome outcome_of(const struct verdict *v)
{
	if (v->flags & UNDEFINED)
		return QM_CONNECT_UNDEFINED;
	return v->flags & REFUSED ? QM_CONNECT_REFUSED : QM_CONNECT_CONNECTS;
}

int qm_connect_ask(struct qm_connect *c, const struct qm_connect_request *req, struct qm_connect_answer *ret)
{
	struct qm_connect_answer ans = { .outcome = QM_CONNECT_UNKNOWN };
	struct verdict v = { 0 }, other;
	int r;

	r = qm_connect_split(c->env.kernel, req, c->n_online, &ans.queues);
	if (r < 0)
		return r;
	if (!c->era.n || !c->n_online) {
		*ret = ans;
		return 0;
	}
	r = judge_request(c, &c->tables[0], &ans.queues, &v);
	if (r < 0)
		return r;
	ans.outcome = outcome_of(&v);
	ans.sure = !(v.flags & DOUBTFUL) && !qm_connect_map_is_device_made(c->env.kernel, req->transport);
	for (size_t i = 1; i < c->era.n; i++) {
		r = judge_request(c, &c->tables[i], &ans.queues, &other);
		if (r < 0)
			return r;
		if (outcome_of(&other) != ans.outcome || other.hctx != v.hctx || (other.flags & DOUBTFUL))
			ans.sure = false;
	}
	/* One candidate alone and still in doubt: a kernel newer than all that are known. */
	if (!c->era.sure && c->era.n == 1)
		ans.sure = false;
	if (v.hctx >= 0) {
		r = fill_failure(c, &v, &ans);
		if (r < 0)
			return r;
	}
	if (qm_connect_map_outgrows_grant(c->env.kernel, req, &ans.queues)) {
		ans.outcome = QM_CONNECT_UNDEFINED;
		ans.reason = QM_REASON_GRANT;
		ans.has_failure = false;
	}
	*ret = ans;
	return 0;
}

/* ---- what would mend it ---- */

/* The offline CPUs of all queues that fail. */
static int offline_of_failing(struct qm_connect *c, const struct qm_connect_queues *queues, struct qm_cpuset *ret)
{
	const struct qm_cpuset *listed = qm_era_listed_cpus(c->era.v[0], c->env.topo);
	struct qm_cpuset cpus = { 0 };

	for (int type = 0; type < _QM_HCTX_TYPE_MAX; type++) {
		unsigned n = queues->n[type];
		int cpu, r;

		if (!n)
			continue;
		r = reserve_queues(c, n);
		if (r == 0)
			r = run_map(c, c->era.v[0], n);
		if (r < 0)
			return r;
		look_through(c, c->era.v[0], n);
		QM_CPUSET_FOREACH(cpu, listed) {
			uint32_t q = (uint32_t)c->map[cpu];

			if (q < n && !(c->seen[q] & SEEN_USABLE))
				qm_cpuset_set(&cpus, (unsigned)cpu);
		}
	}
	qm_cpuset_andnot(&cpus, &c->env.topo->online);
	qm_cpuset_and(&cpus, &c->env.topo->present);
	*ret = cpus;
	return 0;
}

int qm_connect_ask_if(const struct qm_connect *c, const struct qm_cpuset *online, const struct qm_connect_request *req,
		      struct qm_connect_answer *ret)
{
	struct qm_topology topo;
	struct qm_connect_env env = c->env;
	struct qm_connect *other;
	int r = qm_topology_copy(c->env.topo, &topo);

	if (r < 0)
		return r;
	qm_cpuset_copy(&topo.online, online);
	env.topo = &topo;
	r = qm_connect_new(&env, &other);
	if (r == 0) {
		r = qm_connect_ask(other, req, ret);
		qm_connect_free(other);
	}
	qm_topology_done(&topo);
	return r;
}

/* Would it work with these CPUs online, too? 1, 0 or -errno. */
static int works_with(const struct qm_connect *c, const struct qm_connect_request *req, const struct qm_cpuset *more)
{
	struct qm_connect_answer ans;
	struct qm_cpuset online = *more;
	int r;

	qm_cpuset_or(&online, &c->env.topo->online);
	r = qm_connect_ask_if(c, &online, req, &ans);
	return r < 0 ? r : ans.outcome == QM_CONNECT_CONNECTS;
}

int qm_connect_mend(struct qm_connect *c, const struct qm_connect_request *req, struct qm_cpuset *ret)
{
	struct qm_connect_queues queues;
	struct qm_cpuset cpus = { 0 };
	int r = c->era.n ? qm_connect_split(c->env.kernel, req, c->n_online, &queues) : 0;

	if (r == 0 && c->era.n)
		r = offline_of_failing(c, &queues, &cpus);
	for (int all = 0; r >= 0 && all < 2; all++) {
		if (all) {
			cpus = c->env.topo->present;
			qm_cpuset_andnot(&cpus, &c->env.topo->online);
		}
		if (qm_cpuset_is_empty(&cpus))
			continue;
		r = works_with(c, req, &cpus);
		if (r > 0)
			break;
	}
	if (r < 0)
		return r;
	if (r == 0)
		qm_cpuset_zero(&cpus);
	*ret = cpus;
	return 0;
}

/* ---- which numbers ---- */

void qm_connect_counts_done(struct qm_connect_counts *n)
{
	qm_ids_done(&n->safe);
	*n = (struct qm_connect_counts){ 0 };
}

/* Is it safe, and resilient, whichever candidate is in force? */
static int judge_all(struct qm_connect *c, const struct qm_connect_queues *queues, uint8_t *ret)
{
	uint8_t flags = SAFE | RESILIENT;

	for (size_t i = 0; i < c->era.n && (flags & SAFE); i++) {
		struct verdict v;
		int r = judge_request(c, &c->tables[i], queues, &v);

		if (r < 0)
			return r;
		flags &= v.flags;
	}
	*ret = flags;
	return 0;
}

/* The largest n for which maps of 1, 2, ... n queues are all safe. */
static int safe_prefix(struct qm_connect *c, unsigned max, unsigned *ret)
{
	unsigned n = 0;

	for (; n < max; n++) {
		struct qm_connect_queues one = { .n = { n + 1 } };
		uint8_t flags;
		int r = judge_all(c, &one, &flags);

		if (r < 0)
			return r;
		if (!(flags & SAFE))
			break;
	}
	*ret = n;
	return 0;
}

static int count_any_grant(struct qm_connect *c, const struct qm_connect_request *req, unsigned *ret)
{
	struct qm_connect_request most = *req;
	struct qm_connect_queues queues;
	unsigned prefix = 0;
	int r;

	r = safe_prefix(c, c->n_online, &prefix);
	if (r < 0)
		return r;
	/* Fewer than were asked for are always fatal; but of one queue alone none can be missing. */
	if (qm_connect_map_is_for_request(c->env.kernel, req->transport)) {
		*ret = prefix && !req->write;
		return 0;
	}
	most.granted = 0;
	most.io = prefix;
	if (prefix) {
		/* The sets beside it grow from one queue to their full number with the grant, too. */
		r = qm_connect_split(c->env.kernel, &most, c->n_online, &queues);
		if (r < 0)
			return r;
		if (queues.n[QM_HCTX_DEFAULT] > prefix || queues.n[QM_HCTX_POLL] > prefix)
			prefix = 0;
	}
	*ret = prefix;
	return 0;
}

static int count_anew(struct qm_connect *c, const struct qm_connect_request *req, struct qm_connect_counts *ret)
{
	_cleanup_(qm_connect_counts_done) struct qm_connect_counts n = { 0 };
	struct qm_connect_request one = *req;
	int r = 0;

	for (one.io = 1; r == 0 && c->era.n && one.io <= c->n_online; one.io++) {
		struct qm_connect_queues queues;
		uint8_t flags = 0;

		r = qm_connect_split(c->env.kernel, &one, c->n_online, &queues);
		if (r == 0)
			r = judge_all(c, &queues, &flags);
		if (r < 0 || !(flags & SAFE) || qm_connect_map_outgrows_grant(c->env.kernel, &one, &queues))
			continue;
		n.largest_safe = one.io;
		if (flags & RESILIENT)
			n.largest_resilient = one.io;
		r = qm_ids_add(&n.safe, one.io);
	}
	if (r == 0 && c->era.n)
		r = count_any_grant(c, req, &n.largest_any_grant);
	if (r == 0 && c->era.n)
		r = qm_connect_after_loss(&c->env, &c->era, &c->firm, req, &n.largest_after_loss);
	if (r < 0)
		return r;
	*ret = n;
	n = (struct qm_connect_counts){ 0 };
	return 0;
}

/* What the numbers depend on. */
static struct counted count_key(const struct qm_connect *c, const struct qm_connect_request *req)
{
	struct counted key = { .used = true, .granted = req->granted, .transport = _QM_TRANSPORT_MAX };

	if (qm_transport_has_sets(req->transport)) {
		key.write = req->write;
		key.poll = req->poll;
	}
	if (key.write || key.poll || qm_connect_map_is_for_request(c->env.kernel, req->transport))
		key.transport = req->transport;
	return key;
}

static int copy_counts(const struct qm_connect_counts *n, struct qm_connect_counts *ret)
{
	struct qm_connect_counts copy = *n;
	int r = qm_ids_copy(&n->safe, &copy.safe);

	if (r == 0)
		*ret = copy;
	return r;
}

int qm_connect_count(struct qm_connect *c, const struct qm_connect_request *req, struct qm_connect_counts *ret)
{
	struct counted key = count_key(c, req), *slot = &c->counted[c->next_counted];
	int r;

	for (size_t i = 0; i < QM_ARRAY_SIZE(c->counted); i++) {
		const struct counted *k = &c->counted[i];

		if (k->used && k->write == key.write && k->poll == key.poll && k->granted == key.granted &&
		    k->transport == key.transport)
			return copy_counts(&k->counts, ret);
	}
	r = count_anew(c, req, &key.counts);
	if (r < 0)
		return r;
	r = copy_counts(&key.counts, ret);
	if (r < 0) {
		qm_connect_counts_done(&key.counts);
		return r;
	}
	qm_connect_counts_done(&slot->counts);
	*slot = key;
	c->next_counted = (c->next_counted + 1) % QM_ARRAY_SIZE(c->counted);
	return 0;
}

/* ---- a live controller ---- */

void qm_connect_reset_done(struct qm_connect_reset *r)
{
	qm_ids_done(&r->dead);
	qm_ids_done(&r->inactive);
	*r = (struct qm_connect_reset){ 0 };
}

void qm_connect_add_cycle(const struct qm_hctx *h, const struct qm_topology *t, struct qm_cpuset *cycle)
{
	struct qm_cpuset cpus;
	int last;

	qm_cpuset_copy(&cpus, h->cpus);
	qm_cpuset_and(&cpus, &t->online);
	last = qm_cpuset_last(&cpus);
	if (last > 0)
		qm_cpuset_set(cycle, (unsigned)last);
}

int qm_connect_reset(const struct qm_connect *c, const struct qm_controller *ctrl, struct qm_connect_reset *ret)
{
	_cleanup_(qm_connect_reset_done) struct qm_connect_reset res = { .outcome = QM_CONNECT_CONNECTS, .sure = true };

	for (size_t i = 0; i < ctrl->n_hctx; i++) {
		const struct qm_hctx *h = &ctrl->hctx[i];
		int first = qm_cpuset_first(h->cpus), r;
		bool offline = first >= 0 && !qm_cpuset_intersects(h->cpus, &c->env.topo->online);

		if (qm_cpuset_intersects(h->cpus, &c->usable)) {
			r = h->stays_inactive ? qm_ids_add(&res.inactive, h->id) : 0;
			if (r < 0)
				return r;
			if (h->stays_inactive)
				qm_connect_add_cycle(h, c->env.topo, &res.cycle);
			continue;
		}
		if (h->cpus_unknown) {
			res.sure = false;
			continue;
		}
		r = qm_ids_add(&res.dead, h->id);
		if (r < 0)
			return r;
		if (offline)
			qm_cpuset_set(&res.bring_online, (unsigned)first);
		/* A reset asks for no more queues than CPUs are online: those behind may not be opened again. */
		if (i >= c->n_online)
			res.sure = false;
		if (res.outcome != QM_CONNECT_CONNECTS)
			continue;
		if (offline) {
			res.reason = QM_REASON_OFFLINE;
			res.outcome = c->dead == QM_DEAD_REFUSED   ? QM_CONNECT_REFUSED :
				      c->dead == QM_DEAD_UNCHECKED ? QM_CONNECT_UNDEFINED :
								     QM_CONNECT_CONNECTS;
			res.sure = res.sure && c->dead_sure && c->dead != QM_DEAD_FIRST_CPU;
		} else {
			res.reason = h->mapped ? QM_REASON_ISOLATED : QM_REASON_UNMAPPED;
			res.outcome = QM_CONNECT_REFUSED;
		}
	}
	*ret = res;
	res = (struct qm_connect_reset){ 0 };
	return 0;
}
