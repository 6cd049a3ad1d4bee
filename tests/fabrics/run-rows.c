// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Foretells what booted kernels did with NVMe-oF connects; TAP on stdout, one check per machine. Lines of rows.txt:
 *
 *   on TOPOLOGY RELEASE ISOLATED NOHZ_FULL       the machine of the lines below
 *   row ONLINE TRANSPORT IO WRITE POLL ok|exdev QID   options (0 = not given), result, failing qid ("-": log tells none)
 *   log TEXT                                     what the kernel said meanwhile
 *
 * usage: run-rows TOPOLOGIES.xz ROWS.xz
 */
#include <stdio.h>
#include <string.h>

#include "fabrics/connect.h"
#include "vectors/vecfile.h"

/* Never fewer than these: a shrunken file must not pass for a green one. */
#define EXPECTED_ROWS 1938
#define EXPECTED_QIDS 382
#define EXPECTED_CASES 46
#define SHOWN_MAX 5

struct run {
	struct qm_topology topologies[EXPECTED_CASES + 1];
	unsigned n_topologies, checks, failed;
	/* the machine at hand */
	char name[64];
	struct qm_machine m;
	struct qm_connect *connect;
	struct qm_connect_counts counts[_QM_TRANSPORT_MAX];
	unsigned rows, bad;
	/* sums */
	unsigned n_rows, n_qids, n_unsure;
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

static void end_machine(struct run *run)
{
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
	run->n_rows++;
	run->rows++;
	run->n_unsure += !ans.sure;
	if (good)
		return;
	if (run->bad++ < SHOWN_MAX)
		printf("# %s: foretold %s, qid %u: %s", run->name, qm_connect_outcome_name(ans.outcome),
		       ans.has_failure ? ans.failure.hctx + 1 : 0, line);
}

int main(int argc, char **argv)
{
	const struct vec_ops ops = { add_topology, add_vector };
	struct run run = { 0 };
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
	}
	if (pclose(f))
		bail("the rows cannot be read");
	end_machine(&run);
	printf("%sok %u - all of %u rows, %u of them with the failing qid (%u not sure)\n",
	       run.n_rows == EXPECTED_ROWS && run.n_qids == EXPECTED_QIDS ? "" : "not ", ++run.checks, run.n_rows,
	       run.n_qids, run.n_unsure);
	printf("1..%u\n", run.checks);
	for (unsigned i = 0; i < run.n_topologies; i++)
		qm_topology_done(&run.topologies[i]);
	return 0;
}
