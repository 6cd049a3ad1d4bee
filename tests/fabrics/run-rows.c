// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Foretells what booted kernels did with NVMe-oF connects, and explains from their logs why some failed; TAP on stdout,
 * one check per machine. Lines of rows.txt:
 *
 *   on TOPOLOGY RELEASE ISOLATED NOHZ_FULL       the machine of the lines below
 *   row ONLINE TRANSPORT IO WRITE POLL ok|exdev QID   options (0 = not given), result, failing qid ("-": log tells none)
 *   log TEXT                                     what the kernel said meanwhile
 *
 * usage: run-rows TOPOLOGIES.xz ROWS.xz
 */
#include <stdio.h>
#include <string.h>

#include "fabrics/diagnose.h"
#include "vectors/vecfile.h"

/* Never fewer than these: a shrunken file must not pass for a green one. */
#define EXPECTED_ROWS 1938
#define EXPECTED_QIDS 382
#define EXPECTED_CASES 46
#define EXPECTED_DIAGNOSES 670
#define EXPECTED_PROVEN 598
#define SHOWN_MAX 5

/* A row as data. */
struct row {
	unsigned machine;
	struct qm_cpuset online;
	struct qm_connect_request req;
	bool ok;
};

struct run {
	struct row rows_seen[EXPECTED_ROWS];
	struct {
		unsigned row, count;
	} advised[EXPECTED_ROWS]; /* numbers that diagnoses named */
	unsigned n_advised;
	struct qm_topology topologies[EXPECTED_CASES + 1];
	unsigned n_topologies, checks, failed;
	/* the machine at hand */
	unsigned machine;
	char name[64];
	struct qm_machine m;
	struct qm_connect *connect;
	struct qm_connect_counts counts[_QM_TRANSPORT_MAX];
	unsigned rows, bad;
	struct qm_klog *log; /* of the last row */
	/* sums */
	unsigned n_rows, n_qids, n_unsure, n_diagnoses;
};

static void bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static void add_topology(void *data, struct qm_topology *t)
{
	struct run *run = data;

	if (run->n_topologies == QM_ARRAY_SIZE(run->topologies))
		bail("too many topologies");
	t->clusters_sure = true;
	run->topologies[run->n_topologies++] = *t;
}

static void add_vector(void *data, const struct vec *v)
{
	(void)data;
	(void)v;
}

static FILE *open_xz(const char *path)
{
	char command[4096];
	FILE *f;

	snprintf(command, sizeof(command), "xz -dc '%s'", path);
	f = popen(command, "r");
	if (!f)
		bail("xz does not start");
	return f;
}

static void parse_cpus(const char *text, struct qm_cpuset *ret)
{
	if (qm_cpuset_parse_list(strcmp(text, "-") == 0 ? "" : text, -1, ret) < 0)
		bail("a CPU list makes no sense");
}

static void forget_answers(struct run *run)
{
	for (unsigned t = 0; t < _QM_TRANSPORT_MAX; t++)
		qm_connect_counts_done(&run->counts[t]);
	qm_connect_free(run->connect);
	run->connect = NULL;
}

/* What the log of a failed connect is explained with: the same queue as foretold, still standing, and a safe number. */
static bool is_well_explained(struct run *run, const struct qm_klog_incident *i)
{
	const struct row *row = &run->rows_seen[run->n_rows - 1];
	struct qm_diagnose_env env = { .m = &run->m, .connect = run->connect };
	struct qm_connect_answer ans;
	struct qm_diagnosis d;
	const char *number;
	/* the head of the log was lost: how many queues were tried, or of which types, is not told */
	bool cut = i->created < 0 || ((row->req.write || row->req.poll) && i->queues[0] < 0), good;

	if (qm_connect_ask(run->connect, &row->req, &ans) < 0 || qm_diagnose(i, &env, &d) < 0)
		bail("no memory");
	number = d.command ? strstr(d.command, "--nr-io-queues=") : NULL;
	good = strcmp(d.rule, "fabrics-connect-exdev") == 0 && d.stands == 1 && d.qid == d.hctx + 1 && number;
	if (!cut)
		good = good && d.hctx == (long)ans.failure.hctx && d.qid_foretold == (i->qid < 0) && d.has_cpus &&
		       qm_cpuset_is_equal(&d.cpus, &ans.failure.cpus);
	if (number) {
		run->advised[run->n_advised].row = run->n_rows - 1;
		run->advised[run->n_advised++].count = (unsigned)atoi(number + strlen("--nr-io-queues="));
	}
	qm_diagnosis_done(&d);
	run->n_diagnoses++;
	return good;
}

/* The log of the last row is complete. */
static void end_row(struct run *run)
{
	struct qm_klog_report report;
	bool ok;

	if (!run->log)
		return;
	ok = run->rows_seen[run->n_rows - 1].ok;
	if (qm_klog_finish(run->log, &report) < 0)
		bail("no memory");
	for (size_t i = 0; i < report.n; i++) {
		if (!ok && report.n == 1 && is_well_explained(run, &report.v[i]))
			continue;
		if (run->bad++ < SHOWN_MAX)
			printf("# %s: badly explained: %s\n", run->name, report.v[i].text);
	}
	qm_klog_report_done(&report);
	qm_klog_free(run->log);
	run->log = NULL;
}

static void add_log(struct run *run, const char *text)
{
	if (!run->log && qm_klog_new(NULL, &run->log) < 0)
		bail("no memory");
	if (qm_klog_feed(run->log, text, strlen(text)) < 0)
		bail("no memory");
}

static void end_machine(struct run *run)
{
	end_row(run);
	if (!run->name[0])
		return;
	forget_answers(run);
	printf("%sok %u - %s: %u connects as foretold\n", run->bad ? "not " : "", ++run->checks, run->name,
	       run->rows - run->bad);
	run->failed += run->bad != 0;
	qm_kernel_done(&run->m.kernel);
	run->rows = run->bad = 0;
}

static void begin_machine(struct run *run, char *line)
{
	char name[64], release[64], isolated[256], nohz[256];
	const struct qm_topology *t = NULL;

	end_machine(run);
	if (sscanf(line, "on %63s %63s %255s %255s", name, release, isolated, nohz) != 4)
		bail("an 'on' line is short");
	for (unsigned i = 0; i < run->n_topologies; i++) {
		if (strcmp(run->topologies[i].name, name) == 0)
			t = &run->topologies[i];
	}
	run->machine++;
	if (!t || qm_kernel_parse(release, &run->m.kernel) < 0)
		bail("no such topology or kernel");
	snprintf(run->name, sizeof(run->name), "%s", name);
	run->m.topo = *t;
	parse_cpus(isolated, &run->m.topo.isolated);
	parse_cpus(nohz, &run->m.topo.nohz_full);
	qm_cpuset_zero(&run->m.topo.online);
}

static void prepare(struct run *run, const struct qm_cpuset *online)
{
	struct qm_connect_env env;

	if (run->connect && qm_cpuset_is_equal(online, &run->m.topo.online))
		return;
	forget_answers(run);
	run->m.topo.online = *online;
	qm_connect_env_get(&run->m, false, &env);
	if (qm_connect_new(&env, &run->connect) < 0)
		bail("no memory");
	for (unsigned t = 0; t < _QM_TRANSPORT_MAX; t++) {
		struct qm_connect_request req = { .transport = t };

		if (qm_connect_count(run->connect, &req, &run->counts[t]) < 0)
			bail("no memory");
	}
}

/* Does the list of safe numbers say the same as the row? */
static bool counts_agree(struct run *run, const struct qm_connect_request *req, bool ok)
{
	const struct qm_connect_counts *n = &run->counts[req->transport];
	unsigned online = qm_cpuset_count(&run->m.topo.online);
	unsigned io = req->io && req->io < online ? req->io : online;

	if (req->write || req->poll)
		return true;
	return qm_ids_has(&n->safe, io) == ok && (!ok || io <= n->largest_safe) && (ok || io > n->largest_any_grant);
}

static void check_row(struct run *run, const char *line)
{
	char online[512], transport[16], result[16], qid[16];
	struct qm_connect_request req = { 0 };
	struct qm_connect_answer ans;
	struct qm_cpuset cpus;
	bool ok, good;

	end_row(run);
	if (sscanf(line, "row %511s %15s %u %u %u %15s %15s", online, transport, &req.io, &req.write, &req.poll, result,
		   qid) != 7 || qm_transport_parse(transport, &req.transport) < 0)
		bail("a row makes no sense");
	parse_cpus(online, &cpus);
	prepare(run, &cpus);
	if (qm_connect_ask(run->connect, &req, &ans) < 0)
		bail("no memory");
	ok = strcmp(result, "ok") == 0;
	good = ans.outcome == (ok ? QM_CONNECT_CONNECTS : QM_CONNECT_REFUSED) && ans.has_failure == !ok &&
	       counts_agree(run, &req, ok);
	if (qid[0] != '-') {
		good = good && ans.failure.hctx + 1 == (unsigned)atoi(qid);
		run->n_qids++;
	}
	if (run->n_rows == EXPECTED_ROWS)
		bail("too many rows");
	run->rows_seen[run->n_rows++] = (struct row){ run->machine, cpus, req, ok };
	run->rows++;
	run->n_unsure += !ans.sure;
	if (good)
		return;
	if (run->bad++ < SHOWN_MAX)
		printf("# %s: foretold %s, qid %u: %s", run->name, qm_connect_outcome_name(ans.outcome),
		       ans.has_failure ? ans.failure.hctx + 1 : 0, line);
}

/* Did a row show that the number works there? 1, 0 it failed, -1 nobody tried. */
static int row_says(const struct run *run, const struct row *where, unsigned number)
{
	unsigned online = qm_cpuset_count(&where->online);

	for (unsigned i = 0; i < run->n_rows; i++) {
		const struct row *r = &run->rows_seen[i];
		unsigned io = r->req.io && r->req.io < online ? r->req.io : online;

		if (r->machine == where->machine && qm_cpuset_is_equal(&r->online, &where->online) &&
		    r->req.transport == where->req.transport && !r->req.write && !r->req.poll && io == number)
			return r->ok;
	}
	return -1;
}

/* Every number that a diagnosis named works where a row tried it. */
static void check_advice(struct run *run)
{
	unsigned proven = 0, wrong = 0;

	for (unsigned i = 0; i < run->n_advised; i++) {
		int says = row_says(run, &run->rows_seen[run->advised[i].row], run->advised[i].count);

		proven += says > 0;
		wrong += says == 0;
	}
	printf("%sok %u - %u failures explained, for %u of them the number named was tried and works, for %u it fails\n",
	       !wrong && run->n_diagnoses == EXPECTED_DIAGNOSES && proven >= EXPECTED_PROVEN ? "" : "not ", ++run->checks,
	       run->n_diagnoses, proven, wrong);
}

int main(int argc, char **argv)
{
	const struct vec_ops ops = { add_topology, add_vector };
	static struct run run;
	char line[8192];
	FILE *f;

	if (argc != 3)
		bail("usage: run-rows TOPOLOGIES.xz ROWS.xz");
	f = open_xz(argv[1]);
	if (vec_read(f, &ops, &run) || pclose(f))
		bail("the topologies cannot be read");
	f = open_xz(argv[2]);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "on ", 3) == 0)
			begin_machine(&run, line);
		else if (strncmp(line, "row ", 4) == 0)
			check_row(&run, line);
		else if (strncmp(line, "log ", 4) == 0)
			add_log(&run, line + 4);
	}
	if (pclose(f))
		bail("the rows cannot be read");
	end_machine(&run);
	printf("%sok %u - all of %u rows, %u of them with the failing qid (%u not sure)\n",
	       run.n_rows == EXPECTED_ROWS && run.n_qids == EXPECTED_QIDS ? "" : "not ", ++run.checks, run.n_rows,
	       run.n_qids, run.n_unsure);
	check_advice(&run);
	printf("1..%u\n", run.checks);
	for (unsigned i = 0; i < run.n_topologies; i++)
		qm_topology_done(&run.topologies[i]);
	return 0;
}
