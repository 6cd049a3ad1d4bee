// SPDX-License-Identifier: GPL-2.0-or-later
/* predict: what a kernel would do with so many queues or vectors, on this machine or another. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/maps.h"
#include "fabrics/request.h"
#include "map/driver.h"
#include "map/era.h"
#include "map/sets.h"

struct predict_options {
	const char *queues, *write_queues, *poll_queues, *algorithm, *vectors, *pre, *sets, *driver;
	bool by_queue;
};

#define OPT(field, what) .offset = offsetof(struct predict_options, field), .kind = what, .group = QM_GROUP_COMMAND

static const struct qm_option options[] = {
	{ .name = "queues", .arg = "LIST", .help = "numbers of queues, as 8 or 1-256",
	  OPT(queues, QM_OPTION_LIST) },
	{ .name = "write-queues", .arg = "N", .help = "as nvme connect -W, or the nvme module's write_queues",
	  OPT(write_queues, QM_OPTION_STRING) },
	{ .name = "poll-queues", .arg = "N", .help = "as nvme connect -P, or the nvme module's poll_queues",
	  OPT(poll_queues, QM_OPTION_STRING) },
	{ .name = "algorithm", .arg = "ALGO,..", .help = "these algorithms, or all of them", .complete = QM_COMPLETE_ALGO,
	  OPT(algorithm, QM_OPTION_LIST) },
	{ .name = "driver", .arg = "DRIVER", .help = "as this driver does: nvme, nvme-tcp, virtio_blk ..",
	  OPT(driver, QM_OPTION_STRING) },
	{ .name = "vectors", .arg = "LIST", .help = "managed interrupt vectors instead of queues",
	  OPT(vectors, QM_OPTION_LIST) },
	{ .name = "pre", .arg = "N", .help = "vectors ahead of the queues' that are not spread", OPT(pre, QM_OPTION_STRING) },
	{ .name = "sets", .arg = "A,B", .help = "sets of vectors that are spread each on its own",
	  OPT(sets, QM_OPTION_LIST) },
	{ .name = "by-queue", .help = "the maps themselves, one row a queue", OPT(by_queue, QM_OPTION_FLAG) },
	{ 0 },
};

/* One kernel, or none, with the algorithms to run for it. */
struct subject {
	const char *name;          /* as given; NULL */
	struct qm_kernel own;      /* when it was named here */
	const struct qm_kernel *kernel;
	const struct qm_algo **algos;
	size_t n_algos;
	const struct qm_algo *predicted;
	struct qm_driver_rule rule;
};

struct prediction {
	struct qm_run *run;
	const struct predict_options *opt;
	struct subject *v;
	size_t n, cap;
	struct qm_ids counts;
	unsigned write_queues, poll_queues, pre;
	struct qm_ids sets;
	struct qm_maps maps;
};

/* ---- which algorithms ---- */

static enum qm_family family_of(const struct prediction *p, const struct qm_driver_rule *rule)
{
	if (p->opt->vectors)
		return QM_FAMILY_IRQ;
	return rule->family == QM_FAMILY_IRQ ? QM_FAMILY_IRQ : QM_FAMILY_MAP;
}

static int add_algo(struct subject *s, const struct qm_algo *a)
{
	for (size_t i = 0; i < s->n_algos; i++) {
		if (s->algos[i] == a)
			return 0;
	}
	s->algos[s->n_algos++] = a;
	return 0;
}

static int add_named_algo(struct prediction *p, struct subject *s, const char *name, enum qm_family family)
{
	const struct qm_algo *a;

	if (qm_algo_parse(name, family, &a) < 0)
		return qm_usage_error(p->run, "--algorithm: no algorithm '%s': 'qmapctl explain' lists them", name);
	if (a->family == QM_FAMILY_VECTOR)
		return qm_usage_error(p->run, "--algorithm %s: it reads masks that a device has, there is nothing to predict",
				      name);
	if (p->opt->vectors && a->family != QM_FAMILY_IRQ)
		return qm_usage_error(p->run, "--algorithm %s: it spreads no vectors, as irq:... do", name);
	return add_algo(s, a);
}

static int add_named_algos(struct prediction *p, struct subject *s, enum qm_family family)
{
	_cleanup_free_ char *copy = strdup(p->opt->algorithm);
	char *name, *rest = copy;
	int r = copy ? 0 : -ENOMEM;

	while (r == 0 && (name = strsep(&rest, ","))) {
		const struct qm_algo *a;

		if (strcmp(name, "all") != 0) {
			r = *name ? add_named_algo(p, s, name, family) : 0;
			continue;
		}
		for (size_t i = 0; (a = qm_algo_get(i)); i++) {
			if (a->family == family)
				r = add_algo(s, a);
		}
	}
	if (r == 0 && !s->n_algos)
		r = qm_usage_error(p->run, "--algorithm needs the name of an algorithm");
	return r;
}

static size_t count_algos(void)
{
	size_t n = 0;

	while (qm_algo_get(n))
		n++;
	return n;
}

static int choose_algos(struct prediction *p, struct subject *s)
{
	enum qm_family family;
	struct qm_era era = { 0 };
	const struct qm_algo *a;
	int r = 0;

	qm_driver_rule_get(p->opt->driver ? p->opt->driver : "nvme-tcp", s->kernel, &s->rule);
	/* A misspelt name would get the answer for drivers that nobody described. */
	if (p->opt->driver && !s->rule.driver)
		return qm_usage_error(p->run, "--driver: nothing is known of a driver '%s'; without --driver the generic mapper "
				      "is predicted, which most have", p->opt->driver);
	family = family_of(p, &s->rule);
	s->algos = calloc(count_algos() + 1, sizeof(*s->algos));
	if (!s->algos)
		return -ENOMEM;
	if (s->kernel->release)
		qm_era_of_kernel(s->kernel, family, &era);
	s->predicted = era.n ? era.v[0] : NULL;
	if (p->opt->algorithm)
		return add_named_algos(p, s, family);
	for (size_t i = 0; i < era.n; i++)
		r = add_algo(s, era.v[i]);
	if (s->kernel->release && !era.n) {
		qm_error("kernel %s: no algorithm is known for it", s->kernel->release);
		return QM_SAID;
	}
	for (size_t i = 0; !s->kernel->release && (a = qm_algo_get(i)); i++) {
		if (a->family == family)
			r = add_algo(s, a);
	}
	return r;
}

static int add_subject(struct prediction *p, const char *name)
{
	int r = qm_array_grow(&p->v, &p->cap, p->n + 1, sizeof(*p->v));

	if (r < 0)
		return r;
	p->v[p->n] = (struct subject){ .name = name };
	if (name)
		r = qm_source_parse_kernel(name, &p->v[p->n].own);
	if (r == 0)
		p->n++;
	return r;
}

static int add_subjects(struct prediction *p)
{
	char *name, *rest;
	int r = 0;

	if (!p->run->g.kernel) {
		r = add_subject(p, NULL);
	} else {
		rest = strdup(p->run->g.kernel);
		r = qm_run_own(p->run, rest);
		while (r == 0 && (name = strsep(&rest, ",")))
			r = *name ? add_subject(p, name) : 0;
		if (r == 0 && !p->n)
			r = qm_usage_error(p->run, "--kernel needs the name of a kernel");
	}
	for (size_t i = 0; r == 0 && i < p->n; i++) {
		p->v[i].kernel = p->v[i].name ? &p->v[i].own : &p->run->m.kernel;
		r = choose_algos(p, &p->v[i]);
	}
	return r;
}

/* ---- how many queues of which type ---- */

static int split_pci(const struct prediction *p, const struct subject *s, unsigned count, struct qm_sets *ret)
{
	struct qm_nvme_pci_in in = { .queues = count, .write_queues = p->write_queues, .poll_queues = p->poll_queues };
	struct qm_spread spread; /* follows from the sets once more */
	bool sure;

	return qm_sets_nvme_pci(qm_driver_nvme_pci_rule(s->kernel, &sure), &in, ret, &spread);
}

/* As nvme connect -i -W -P mean it: each at most the CPUs online. */
static int split_fabrics(const struct prediction *p, const struct subject *s, const char *transport, unsigned count,
			 struct qm_sets *ret)
{
	struct qm_connect_request req = { .io = count, .write = p->write_queues, .poll = p->poll_queues };
	struct qm_connect_queues q;
	int r = qm_transport_parse(transport, &req.transport);

	if (r < 0)
		return qm_usage_error(p->run, "--driver nvme-%s: no such transport", transport);
	r = qm_connect_split(s->kernel, &req, qm_cpuset_count(&p->run->m.topo.online), &q);
	for (int set = 0; r == 0 && set < _QM_HCTX_TYPE_MAX; set++)
		ret->n[set] = q.n[set];
	return r;
}

/* Without a driver write and poll queues are meant as nvme connect means them; the count alone is taken as it is. */
static int split(const struct prediction *p, const struct subject *s, unsigned count, struct qm_sets *ret)
{
	const char *driver = p->opt->driver;
	unsigned poll = p->poll_queues;
	int r;

	if (!driver && (p->write_queues || poll))
		r = split_fabrics(p, s, "tcp", count, ret);
	else if (!driver)
		r = qm_sets_single(count, ret);
	else if (strncmp(driver, "nvme-", 5) == 0)
		r = split_fabrics(p, s, driver + 5, count, ret);
	else if (strcmp(driver, "nvme") == 0)
		r = split_pci(p, s, count, ret);
	else if (strcmp(driver, "virtio_blk") == 0 && !p->write_queues)
		r = qm_sets_virtio_blk(count, UINT_MAX, poll, ret);
	else if (strcmp(driver, "null_blk") == 0 && !p->write_queues)
		r = qm_sets_null_blk(count, UINT_MAX, poll, ret);
	else
		r = p->write_queues || poll ? -EINVAL : qm_sets_single(count, ret);
	if (r == -EINVAL)
		return qm_usage_error(p->run, "%u queues with %u write and %u poll queues: %s has no such sets", count,
				      p->write_queues, poll, driver ? driver : "nvme connect");
	return r;
}

/* ---- jobs ---- */

static int add_vector_job(struct prediction *p, unsigned vectors, struct qm_map_job *job)
{
	unsigned sum = p->pre;

	job->is_vectors = true;
	job->spread = (struct qm_spread){ .vectors = vectors, .pre = p->pre, .n_sets = (unsigned)p->sets.n };
	for (size_t i = 0; i < p->sets.n; i++) {
		job->spread.sets[i] = p->sets.v[i];
		sum += p->sets.v[i];
	}
	if (p->pre >= vectors)
		return qm_usage_error(p->run, "--pre %u leaves no vector of %u to spread", p->pre, vectors);
	if (p->sets.n && sum != vectors)
		return qm_usage_error(p->run, "--vectors %u: --pre and --sets make %u", vectors, sum);
	return qm_maps_add(&p->maps, job);
}

static int add_job(struct prediction *p, const struct subject *s, unsigned count)
{
	struct qm_map_job job = {
		.kernel = s->name,
		.algos = s->algos,
		.n_algos = s->n_algos,
		.predicted = s->predicted,
		.pre = p->opt->pre ? p->pre : s->rule.pre_vectors,
	};
	struct qm_sets sets = { 0 };
	int r;

	if (p->opt->vectors)
		return add_vector_job(p, count, &job);
	r = split(p, s, count, &sets);
	memcpy(job.n, sets.n, sizeof(job.n));
	return r < 0 ? r : qm_maps_add(&p->maps, &job);
}

/* Count by count, so that kernels stand side by side. */
static int add_jobs(struct prediction *p)
{
	int r = 0;

	for (size_t k = 0; r == 0 && k < p->counts.n; k++) {
		for (size_t i = 0; r == 0 && i < p->n; i++)
			r = add_job(p, &p->v[i], p->counts.v[k]);
	}
	return r;
}

/* ---- options ---- */

#define VECTORS_MAX 2048 /* what a PCI function can have */

static int check_options(struct prediction *p)
{
	const struct predict_options *o = p->opt;

	if (o->vectors && (o->queues || o->write_queues || o->poll_queues || o->driver))
		return qm_usage_error(p->run, "--vectors excludes --queues, --write-queues, --poll-queues and --driver");
	if (o->vectors && o->by_queue)
		return qm_usage_error(p->run, "--vectors excludes --by-queue: its rows are vectors");
	if (o->sets && !o->vectors)
		return qm_usage_error(p->run, "--sets is for --vectors");
	if (o->pre && !o->vectors && !o->driver && !o->algorithm)
		return qm_usage_error(p->run, "--pre is for --vectors, or for a --driver or --algorithm that spreads vectors");
	return 0;
}

static int parse_options(struct prediction *p)
{
	const struct predict_options *o = p->opt;
	int r = check_options(p);

	if (r == 0 && o->queues)
		r = qm_counts_parse(p->run, "--queues", o->queues, &p->counts);
	if (r == 0 && o->vectors)
		r = qm_counts_parse(p->run, "--vectors", o->vectors, &p->counts);
	if (r == 0 && o->sets)
		r = qm_counts_parse(p->run, "--sets", o->sets, &p->sets);
	if (r == 0 && p->sets.n > QM_ARRAY_SIZE(((struct qm_spread *)NULL)->sets))
		r = qm_usage_error(p->run, "--sets %s: at most %zu", o->sets, QM_ARRAY_SIZE(((struct qm_spread *)NULL)->sets));
	for (size_t i = 0; r == 0 && o->vectors && i < p->counts.n; i++) {
		if (p->counts.v[i] > VECTORS_MAX)
			r = qm_usage_error(p->run, "--vectors %u: from 1 to %u", p->counts.v[i], VECTORS_MAX);
	}
	if (r == 0 && o->write_queues)
		r = qm_number_parse(p->run, "--write-queues", o->write_queues, 1, QM_QUEUES_MAX, &p->write_queues);
	if (r == 0 && o->poll_queues)
		r = qm_number_parse(p->run, "--poll-queues", o->poll_queues, 1, QM_QUEUES_MAX, &p->poll_queues);
	if (r == 0 && o->pre)
		r = qm_number_parse(p->run, "--pre", o->pre, 0, VECTORS_MAX, &p->pre);
	return r;
}

/* ---- */

static int predict(struct prediction *p)
{
	struct qm_maps_result res = { .next = qm_maps_next, .arg = &p->maps, .topo = &p->run->m.topo };
	int r = parse_options(p);

	if (r == 0)
		r = qm_source_open(p->run, 0);
	if (r == 0 && !p->counts.n)
		r = qm_ids_add(&p->counts, qm_cpuset_count(&p->run->m.topo.online));
	if (r == 0)
		r = add_subjects(p);
	if (r == 0)
		r = qm_maps_init(&p->maps, p->run);
	if (r == 0)
		r = add_jobs(p);
	if (r < 0)
		return r;
	res.vectors = p->opt->vectors != NULL;
	res.by_queue = p->opt->by_queue;
	return p->run->out.face->maps(&p->run->out, &res);
}

static int predict_run(struct qm_run *run)
{
	struct prediction p = { .run = run, .opt = run->opt };
	int r = predict(&p);

	for (size_t i = 0; i < p.n; i++) {
		qm_kernel_done(&p.v[i].own);
		free(p.v[i].algos);
	}
	free(p.v);
	qm_ids_done(&p.counts);
	qm_ids_done(&p.sets);
	qm_maps_done(&p.maps);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_predict, &qm_layout_predict_queue, &qm_layout_predict_vectors,
						   NULL };

const struct qm_command qm_command_predict = {
	.name = "predict",
	.summary = "the map and scores that a kernel would give so many queues",
	.example = "qmapctl predict --kernel 4.12,6.12 --queues 1-64",
	.example_help = "one row for each count and kernel: where do queues stay empty or cross nodes",
	.options = options,
	.options_size = sizeof(struct predict_options),
	.layouts = layouts,
	.many_kernels = true,
	.run = predict_run,
};
