// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: all algorithms side by side, for a device as it is or for a number of queues. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/maps.h"
#include "cmd/report.h"
#include "map/era.h"

struct compare_options {
	const char *queues;
	const char *diff[2];
};

static const struct qm_option options[] = {
	{ .name = "queues", .arg = "N", .help = "so many queues instead of a device's",
	  .offset = offsetof(struct compare_options, queues), .kind = QM_OPTION_STRING, .group = QM_GROUP_COMMAND },
	{ .name = "diff", .arg = "A B", .help = "the CPUs that move between two algorithms", .complete = QM_COMPLETE_ALGO,
	  .offset = offsetof(struct compare_options, diff), .kind = QM_OPTION_PAIR, .group = QM_GROUP_COMMAND },
	{ 0 },
};

/* All that a comparison borrows from. */
struct subject {
	struct qm_report report; /* of a device */
	const struct qm_algo **algos;
	size_t n_algos;
	struct qm_best best;
	struct qm_map_diff diff;
	int32_t *diff_maps[2];
};

struct comparison {
	struct qm_run *run;
	const struct compare_options *opt;
	struct qm_maps maps;
	struct subject *v;
	struct qm_maps_comparison *out;
	size_t n;
};

/* ---- the two algorithms of --diff ---- */

static int diff_map(struct comparison *c, const struct qm_map_job *job, const char *name, enum qm_family family,
		    const struct qm_algo **ret_algo, int32_t **ret)
{
	struct qm_deal deal = { .pre = job->pre, .n = { job->n[0], job->n[1] },
				.housekeeping = c->maps.has_housekeeping ? &c->maps.housekeeping : NULL };
	unsigned nr_cpus = c->maps.topo->nr_cpus, warn;
	int32_t *map[_QM_HCTX_TYPE_MAX] = { NULL };
	enum qm_spread_outcome outcome;
	int r;

	if (qm_algo_parse(name, family, &deal.algo) < 0 || deal.algo->family == QM_FAMILY_VECTOR)
		return qm_usage_error(c->run, "--diff: no algorithm '%s' that makes maps: 'qmapctl explain' lists them", name);
	for (int set = 0; set < _QM_HCTX_TYPE_MAX; set++)
		map[set] = malloc(((size_t)nr_cpus + 1) * sizeof(**map));
	r = map[0] && map[1] && map[2] ? qm_deal_run(c->maps.mapper, &deal, map, &outcome, &warn) : -ENOMEM;
	if (r == -ENOTSUP || (r == 0 && outcome == QM_SPREAD_DIVIDE_BY_ZERO)) {
		qm_error("--diff: %s gives no map here", name);
		r = QM_SAID;
	}
	if (r == 0) {
		*ret_algo = deal.algo;
		*ret = map[0];
		map[0] = NULL;
	}
	for (int set = 0; set < _QM_HCTX_TYPE_MAX; set++)
		free(map[set]);
	return r;
}

static int make_diff(struct comparison *c, const struct qm_map_job *job, struct subject *s, enum qm_family family)
{
	struct qm_map_diff *d = &s->diff;
	int cpu, r = diff_map(c, job, c->opt->diff[0], family, &d->from, &s->diff_maps[0]);

	if (r == 0)
		r = diff_map(c, job, c->opt->diff[1], family, &d->to, &s->diff_maps[1]);
	if (r < 0)
		return r;
	d->a = s->diff_maps[0];
	d->b = s->diff_maps[1];
	d->nr_cpus = c->maps.topo->nr_cpus;
	QM_CPUSET_FOREACH(cpu, &c->maps.topo->possible) {
		if (d->a[cpu] != d->b[cpu])
			qm_cpuset_set(&d->moved, (unsigned)cpu);
	}
	return 0;
}

/* ---- one comparison ---- */

static int add_comparison(struct comparison *c, struct qm_map_job *job, struct qm_maps_comparison *out, enum qm_family family)
{
	struct subject *s = &c->v[c->n];
	int r;

	r = qm_algos_of_family(family, &s->algos, &s->n_algos);
	job->algos = s->algos;
	job->n_algos = s->n_algos;
	job->predicted = out->predicted;
	if (r == 0)
		r = qm_maps_add(&c->maps, job);
	if (r == 0)
		r = qm_best_map(c->maps.topo, job->n[QM_HCTX_DEFAULT], &s->best);
	if (r == 0 && c->opt->diff[0])
		r = make_diff(c, job, s, family);
	memcpy(out->n, job->n, sizeof(out->n));
	out->best = &s->best;
	out->diff = c->opt->diff[0] ? &s->diff : NULL;
	c->out[c->n++] = *out; /* counted also on failure: it is to be freed */
	return r;
}

static int add_count(struct comparison *c, unsigned queues)
{
	struct qm_map_job job = { .n = { queues } };
	struct qm_maps_comparison out = { .queues = queues };
	struct qm_era era = { 0 };

	if (c->run->m.kernel.release)
		qm_era_of_kernel(&c->run->m.kernel, QM_FAMILY_MAP, &era);
	out.predicted = era.n ? era.v[0] : NULL;
	out.sure = era.sure;
	return add_comparison(c, &job, &out, QM_FAMILY_MAP);
}

/* The queues by type; where types are unknown all count as default ones. */
static void count_types(const struct qm_controller *ctrl, unsigned n[])
{
	bool known = ctrl->nr_types[QM_HCTX_DEFAULT] > 0;
	size_t sum = 0;

	for (int set = 0; set < _QM_HCTX_TYPE_MAX; set++) {
		known &= ctrl->nr_types[set] >= 0;
		n[set] = ctrl->nr_types[set] > 0 ? (unsigned)ctrl->nr_types[set] : 0;
		sum += n[set];
	}
	if (known && sum == ctrl->n_hctx)
		return;
	n[QM_HCTX_DEFAULT] = (unsigned)ctrl->n_hctx;
	n[QM_HCTX_READ] = n[QM_HCTX_POLL] = 0;
}

static int add_device(struct comparison *c, const struct qm_reports *reports, size_t i)
{
	struct qm_map_job job = { 0 };
	struct qm_maps_comparison out = { 0 };
	struct subject *s = &c->v[c->n];
	const struct qm_identity *id;
	int r = reports->get(reports->arg, i, QM_REPORT_MAPS, &s->report);

	if (r < 0) {
		qm_report_done(&s->report);
		return r;
	}
	if (!s->report.c->n_hctx) {
		qm_report_done(&s->report);
		return 0;
	}
	id = &s->report.id;
	count_types(s->report.c, job.n);
	job.controller = out.controller = s->report.c->name;
	job.pre = id->rule.pre_vectors;
	job.live = s->report.maps;
	job.id = out.id = id;
	out.queues = (unsigned)s->report.c->n_hctx;
	out.predicted = id->predicted.n ? id->predicted.v[0] : NULL;
	out.sure = id->predicted.sure && id->rule.sure;
	if (!id->n_matches)
		c->run->out.status = qm_status_worst(c->run->out.status, QM_EXIT_NO);
	return add_comparison(c, &job, &out, id->rule.family == QM_FAMILY_IRQ ? QM_FAMILY_IRQ : QM_FAMILY_MAP);
}

/* ---- */

static int compare(struct comparison *c, struct qm_reporter *rep, unsigned queues)
{
	struct qm_maps_result res = { .compare = true, .next = qm_maps_next, .arg = &c->maps, .topo = &c->run->m.topo };
	struct qm_reports reports = qm_reporter_reports(rep);
	size_t n = queues ? 1 : reports.n;
	int r = qm_maps_init(&c->maps, c->run);

	c->v = calloc(n + 1, sizeof(*c->v));
	c->out = calloc(n + 1, sizeof(*c->out));
	if (r == 0 && (!c->v || !c->out))
		r = -ENOMEM;
	if (r == 0 && queues)
		r = add_count(c, queues);
	for (size_t i = 0; r == 0 && !queues && i < n; i++)
		r = add_device(c, &reports, i);
	if (r < 0)
		return r;
	if (!queues && !c->n && !c->run->out.status && !c->run->g.quiet)
		qm_error("no device with hardware queues here; --queues N compares for any number");
	res.comparisons = c->out;
	res.n_comparisons = c->n;
	return c->run->out.face->maps(&c->run->out, &res);
}

static int compare_run(struct qm_run *run)
{
	struct comparison c = { .run = run, .opt = run->opt };
	struct qm_reporter rep = { 0 };
	unsigned queues = 0;
	int r = 0;

	if (c.opt->queues)
		r = qm_number_parse(run, "--queues", c.opt->queues, 1, QM_QUEUES_MAX, &queues);
	if (r == 0 && queues && run->n_args)
		r = qm_usage_error(run, "--queues and a device exclude each other");
	if (r == 0)
		r = qm_reporter_init(&rep, run, 0, false);
	if (r == 0)
		r = compare(&c, &rep, queues);
	for (size_t i = 0; c.v && i < c.n; i++) {
		qm_report_done(&c.v[i].report);
		free(c.v[i].algos);
		free(c.v[i].diff_maps[0]);
		free(c.v[i].diff_maps[1]);
	}
	free(c.v);
	free(c.out);
	qm_maps_done(&c.maps);
	qm_reporter_done(&rep);
	return r;
}

static const struct qm_layout *const layouts[] = { &qm_layout_compare, &qm_layout_compare_diff, NULL };

const struct qm_command qm_command_compare = {
	.name = "compare",
	.summary = "all kernels' algorithms side by side: scores, and which one is live",
	.operands = "[DEVICE...]",
	.complete = QM_COMPLETE_DEVICE,
	.example = "qmapctl compare --demo --queues 64",
	.example_help = "which kernels leave queues without a CPU on 36 cores with 72 threads",
	.options = options,
	.options_size = sizeof(struct compare_options),
	.layouts = layouts,
	.run = compare_run,
};
