/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine behind predict and compare: a list of jobs (so many queues, these algorithms), run one at a time while the
 * face asks for results, so that a sweep over all counts needs the memory of one.
 */
#ifndef QM_CMD_MAPS_H
#define QM_CMD_MAPS_H

#include "cmd/cmd.h"
#include "map/deal.h"
#include "out/results.h"

struct qm_map_job {
	const char *controller, *kernel;   /* borrowed; NULL */
	const struct qm_algo **algos;      /* borrowed, by age */
	size_t n_algos;
	const struct qm_algo *predicted;   /* NULL */
	unsigned n[_QM_HCTX_TYPE_MAX];
	unsigned pre;
	/* against a live map: by type as in a report, hctx ids of the whole device; NULL. matches: what fits it. */
	int32_t *const *live;
	const struct qm_identity *id;
	/* vectors instead of maps: n[] is unused */
	bool is_vectors;
	struct qm_spread spread;
};

struct qm_map_batch;

struct qm_maps {
	const struct qm_topology *topo;
	struct qm_mapper *mapper;
	struct qm_scorer *scorer;
	bool has_housekeeping;
	struct qm_cpuset housekeeping;
	struct qm_map_job *jobs;
	size_t n_jobs, cap_jobs;

	size_t next_job;
	struct qm_map_batch *batch; /* results of the job at work */
	size_t next_result;
};

/* For the machine that run has read. 0 or -errno. */
QM_MUST_CHECK int qm_maps_init(struct qm_maps *maps, const struct qm_run *run);
void qm_maps_done(struct qm_maps *maps);
QM_MUST_CHECK int qm_maps_add(struct qm_maps *maps, const struct qm_map_job *job);
/* struct qm_maps_result's next. */
int qm_maps_next(void *arg, struct qm_map_result *ret);

/* Counts from text, "8", "1-256", "8,16-32": each from 1 to QM_QUEUES_MAX, in the order given. 0, QM_SAID, -ENOMEM. */
QM_MUST_CHECK int qm_counts_parse(const struct qm_run *run, const char *option, const char *text, struct qm_ids *ret);
/* One number from min to max. 0 or QM_SAID. */
QM_MUST_CHECK int qm_number_parse(const struct qm_run *run, const char *option, const char *text, unsigned min, unsigned max,
				  unsigned *ret);
/* Every algorithm of a family, by age, in a new array. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_algos_of_family(enum qm_family family, const struct qm_algo ***ret, size_t *ret_n);

#endif
