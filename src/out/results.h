/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finished results, one struct per kind, as commands hand them to the faces. Everything is borrowed from the command unless
 * said otherwise; a face changes and frees nothing.
 */
#ifndef QM_RESULTS_H
#define QM_RESULTS_H

#include "audit/audit.h"
#include "fabrics/advice.h"
#include "fabrics/diagnose.h"
#include "machine/machine.h"
#include "map/complete.h"
#include "map/identify.h"
#include "map/map.h"
#include "map/score.h"
#include "out/out.h"

/* A node and how many sets of each kind have a CPU in it. */
struct qm_node_view {
	const struct qm_node *node;
	struct qm_cpuset online;
	unsigned cores, clusters, packages, llcs;
	long distance_row; /* index into the distances, -1 = unknown */
};

struct qm_topology_result {
	const struct qm_topology *topo;
	const struct qm_node_view *nodes; /* topo->n_nodes */
	bool by_cpu;
};

enum qm_queue_state {
	QM_QUEUE_OK,
	QM_QUEUE_CROSS,    /* its online CPUs are in more than one node */
	QM_QUEUE_INACTIVE, /* with a CPU online, but still marked as one without; see qm_connect_reset */
	QM_QUEUE_ISOLATED, /* the kernel lists none of its CPUs, all are isolated */
	QM_QUEUE_OFFLINE,  /* none of its CPUs is online */
	QM_QUEUE_UNMAPPED, /* no CPU at all */
	QM_QUEUE_UNKNOWN,  /* its list could not be read whole, and what is known of it tells none of these */
	_QM_QUEUE_STATE_MAX,
};

/* A hardware queue and what the machine says of its CPUs. */
struct qm_queue_view {
	const struct qm_hctx *h;
	long qid;                 /* number of the NVMe queue; -1 */
	struct qm_cpuset online;  /* those of its CPUs */
	struct qm_ids nodes;      /* of its CPUs */
	enum qm_queue_state state;
	const struct qm_irq *irq; /* NULL = none or unknown */
	int managed;              /* 1, 0, -1 = unknown */
	const char *managed_by;   /* "debugfs", "mode", "driver"; NULL */
	struct qm_completion done; /* where its requests complete */
};

/* An interrupt of a controller, or a storage driver's whose controller nobody knows. */
struct qm_irq_view {
	const struct qm_irq *irq;
	size_t report;           /* index of the controller's report; behind the last: nobody's */
	const struct qm_controller *c; /* NULL: nobody's */
	struct qm_ids hctx;      /* queues of that controller that it serves */
	enum qm_irq_tie tie;
	int managed;
	const char *managed_by;
	const char *outside;     /* "pending", "shut-down"; NULL */
};

/* A controller with all that the faces say about it. */
struct qm_report {
	const struct qm_controller *c;
	struct qm_queue_view *q;  /* c->n_hctx; NULL without QM_REPORT_QUEUES */
	/*
	 * hctx per CPU id below nr_cpus, QM_QUEUE_NONE where none or unknown; NULL = no queues of that type, or unknown, or
	 * without QM_REPORT_MAPS
	 */
	int32_t *maps[_QM_HCTX_TYPE_MAX];
	unsigned nr_cpus;
	struct qm_identity id;
	bool has_id;
	int worst;                /* enum qm_severity of its worst finding that needs action, -1 = none */
	const char *worst_rule;   /* NULL */
};

/* Parts of a report that not every answer needs. */
#define QM_REPORT_QUEUES 0x1u
#define QM_REPORT_MAPS   0x2u
#define QM_REPORT_ALL    (QM_REPORT_QUEUES | QM_REPORT_MAPS)

/*
 * Reports are made one by one, since a large machine's would take too much memory at once: get(arg, i, parts, ret) makes
 * the i-th of n, which the face ends with qm_report_done().
 */
struct qm_reports {
	const struct qm_machine *m;
	size_t n;
	int (*get)(void *arg, size_t i, unsigned parts, struct qm_report *ret);
	void *arg;
};

void qm_report_done(struct qm_report *r);
/* Can a job be pinned to its CPUs: a queue of the default type (or of unknown type) with an online CPU. */
bool qm_queue_is_pinnable(const struct qm_queue_view *q);
/* Whether none of its CPUs is known, which is not the same as having none. */
bool qm_queue_is_blank(const struct qm_queue_view *q);
/* "ok", "cross-node", "inactive", "isolated", "offline", "unmapped"; NULL for unknown */
const char *qm_queue_state_name(enum qm_queue_state s);

struct qm_list_result {
	struct qm_reports reports;
	const size_t *bare; /* block devices without queues of their own, to be listed as such: indices into m->disks */
	size_t n_bare;
};

struct qm_show_result {
	struct qm_reports reports;
	bool by_cpu, pin, matrix, irq;
	const struct qm_irq_view *irqs; /* with irq: by report, then by number */
	size_t n_irqs;
};

struct qm_audit_result {
	const struct qm_findings *findings;
	const char *summary;          /* what was looked at, one line without full stop */
	enum qm_severity shown;       /* the text face leaves out what is below */
};

/* ---- maps of algorithms ---- */

struct qm_map_result {
	const char *controller;     /* whose count this is; NULL */
	const char *kernel;         /* the kernel that was named; NULL */
	const struct qm_algo *algo;
	unsigned queues;            /* of this set; 0 with vectors */
	int set;                    /* enum qm_hctx_type */
	unsigned offset;            /* hctx of the set's first queue; the map counts from 0 */
	const int32_t *map;         /* nr_cpus entries; NULL with vectors, or where the kernel crashes */
	unsigned nr_cpus;
	const struct qm_score *score; /* NULL where there is nothing to score */
	unsigned warn;              /* how often that kernel warns */
	enum qm_spread_outcome outcome; /* of the vectors behind the map, or of the vectors */
	/* against a live map */
	bool has_live, live;        /* compared with one; is the same */
	const struct qm_cpuset *differs; /* CPUs that are elsewhere in it; NULL */
	bool predicted, best;
	bool sure; /* hangs on nothing that is only guessed about the machine: qm_era_result_is_sure() */
	/* equal neighbours in age are one row of a table: the first of them says which is the last */
	const struct qm_algo *group_last; /* NULL: not the first */
	bool group_live, group_predicted;
	/* vectors */
	bool is_vectors;
	unsigned vectors, pre;
	const unsigned *sets;
	unsigned n_sets;
	const struct qm_cpuset *masks; /* NULL = this kernel returns none */
};

/* What moves between two algorithms. */
struct qm_map_diff {
	const struct qm_algo *from, *to;
	const int32_t *a, *b; /* maps, nr_cpus entries */
	unsigned nr_cpus;
	struct qm_cpuset moved;
};

struct qm_maps_comparison {
	const char *controller;           /* NULL: a count without a controller */
	unsigned queues;
	unsigned n[_QM_HCTX_TYPE_MAX];    /* of these by type */
	const struct qm_identity *id;     /* NULL: nothing live */
	const struct qm_algo *predicted;  /* NULL */
	bool sure;
	const struct qm_best *best;       /* for the default queues */
	const struct qm_map_diff *diff;   /* NULL unless asked for */
};

struct qm_maps_result {
	bool compare;
	/* one result after the other, borrowed until the next call: 1, 0 behind the last, -errno */
	int (*next)(void *arg, struct qm_map_result *ret);
	void *arg;
	const struct qm_topology *topo; /* the machine they are for */
	const struct qm_maps_comparison *comparisons;
	size_t n_comparisons;
	bool vectors;
	bool by_queue; /* rows are queues */
};

/* ---- advise, diagnose ---- */

struct qm_advise_result {
	const struct qm_advice *v; /* connected controllers first, then new connections by transport */
	size_t n;
};

struct qm_incident_view {
	const struct qm_klog_incident *incident;
	bool decoded; /* says what the old form of its code means, and no more */
	bool apart;   /* of another host or boot: not compared with the machine */
	struct qm_diagnosis d;
};

struct qm_diagnose_result {
	const struct qm_incident_view *v;
	size_t n, standing;
	const struct qm_klog_report *log;
	const char *name; /* of the log: a file, "standard input", "/dev/kmsg", .. */
	const char *const *notes; /* what was left out or not compared, and why; one line each without full stop */
	size_t n_notes;
};

/* ---- explain, capture ---- */

struct qm_explanation {
	const struct qm_rule *rule; /* or */
	const struct qm_algo *algo;
};

struct qm_explain_result {
	const struct qm_explanation *v;
	size_t n;
	bool list; /* nothing was named: one line each */
};

struct qm_capture_result {
	const char *dir;
	size_t files, links, dirs;
	bool redacted;
	const struct qm_problems *refused; /* what only root may read */
};

/* ---- hint ---- */

struct qm_plan;

/* A run that wrote something once. */
struct qm_hint_run {
	const char *name;  /* its journal */
	long long time;    /* seconds since 1970, -1 = unknown */
	bool undone;
	size_t changes;
};

struct qm_hint_result {
	const char *verb;             /* plan, apply, undo, status */
	const struct qm_plan *plans;  /* the one plan, or one per journal shown */
	size_t n_plans;
	const struct qm_hint_run *runs; /* all journals there are; status and undo */
	size_t n_runs;
	const char *journal;          /* the one just written, or the last; NULL */
	const char *possible;         /* list of the machine's possible CPUs; NULL */
};

#endif
