// SPDX-License-Identifier: GPL-2.0-or-later
/* What incidents mean: reported ones, with and without the machine, and failures that are not the map's. */
#include "unit.h"

#include <string.h>

#include "fabrics/command.h"
#include "fabrics/diagnose.h"
#include "fabrics/status.h"
#include "topo.h"

struct host {
	struct qm_machine m;
	struct qm_connect *c;
	struct qm_diagnose_env env;
};

static void host_make(struct host *h, const char *kernel, const struct topo_spec *spec)
{
	struct qm_connect_env env;

	*h = (struct host){ .c = NULL };
	topo_make(spec, &h->m.topo);
	assert_int_equal(qm_era_parse_kernel(kernel, &h->m.kernel), 0);
	qm_connect_env_get(&h->m, false, &env);
	assert_int_equal(qm_connect_new(&env, &h->c), 0);
	h->env = (struct qm_diagnose_env){ .m = &h->m, .connect = h->c };
}

static void host_done(struct host *h)
{
	qm_connect_free(h->c);
	qm_topology_done(&h->m.topo);
	qm_kernel_done(&h->m.kernel);
}

static struct qm_klog_report read_log(const char *log)
{
	struct qm_klog_report r;
	struct qm_klog *k;

	assert_int_equal(qm_klog_new(NULL, &k), 0);
	assert_int_equal(qm_klog_feed(k, log, strlen(log)), 0);
	assert_int_equal(qm_klog_finish(k, &r), 0);
	qm_klog_free(k);
	return r;
}

/* The diagnosis of the only incident in a log. */
static struct qm_diagnosis diagnose(const char *log, const struct qm_diagnose_env *env)
{
	struct qm_klog_report r = read_log(log);
	struct qm_diagnosis d;

	assert_int_equal(r.n, 1);
	assert_int_equal(qm_diagnose(&r.v[0], env, &d), 0);
	assert_non_null(d.cause);
	assert_non_null(d.advice);
	qm_klog_report_done(&r);
	return d;
}

static void assert_cpus(const struct qm_cpuset *s, const char *want)
{
	struct qm_strbuf b = { 0 };

	qm_cpuset_format(s, &b);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

static void assert_says(const char *text, const char *part)
{
	if (text && strstr(text, part))
		return;
	print_error("no \"%s\" in: %s\n", part, text ? text : "(null)");
	fail();
}

static void assert_silent(const char *text, const char *part)
{
	if (text && !strstr(text, part))
		return;
	print_error("\"%s\" in: %s\n", part, text ? text : "(null)");
	fail();
}

#define PAIRS_16 \
	"0,16;1,17;2,18;3,19;4,20;5,21;6,22;7,23;8,24;9,25;10,26;11,27;12,28;13,29;14,30;15,31"

static const struct topo_spec core_off = {
	.possible = "0-31", .online = "0-10,12-26,28-31", .cores = PAIRS_16, .clusters = PAIRS_16,
};

static const char core_off_log[] =
	"nvme nvme2: creating 30 I/O queues.\n"
	"nvme nvme2: mapped 30/0/0 default/read/poll queues.\n"
	"nvme nvme2: Connect command failed, errno: -18\n"
	"nvme nvme2: failed to connect queue: 12 ret=-18\n";

static void still_standing(void **state)
{
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "7.0", &core_off);
	d = diagnose(core_off_log, &h.env);
	assert_string_equal(d.rule, "fabrics-connect-exdev");
	assert_int_equal(d.stands, 1);
	assert_int_equal(d.qid, 12);
	assert_int_equal(d.hctx, 11);
	assert_false(d.qid_foretold);
	assert_cpus(&d.cpus, "11");
	assert_cpus(&d.offline, "11");
	assert_string_equal(d.cause, "queue 12 (hctx 11) has no CPU that can send its Connect command: its CPU 11 is offline. "
				     "The kernel refuses its Connect command with EXDEV (\"Invalid cross-device link\") and gives "
				     "up the whole connection; the network, the address and the target are not at fault.");
	assert_string_equal(d.advice, "Connect with --nr-io-queues=16, the largest number up to what was tried with which every "
				      "queue has a CPU now; or bring CPUs 11,27 online first, then it works as it was tried.");
	assert_string_equal(d.command, "nvme connect -t TRANSPORT -a ADDRESS -s PORT -n NQN --nr-io-queues=16");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* The CPUs are back, and the log knows which had gone; or it does not. */
static void over(void **state)
{
	struct topo_spec spec = core_off;
	char log[512];
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	spec.online = NULL;
	host_make(&h, "7.0", &spec);
	snprintf(log, sizeof(log), "smpboot: CPU 11 is now offline\nsmpboot: CPU 27 is now offline\n%s", core_off_log);
	d = diagnose(log, &h.env);
	assert_int_equal(d.stands, 0);
	assert_cpus(&d.cpus, "11");
	assert_cpus(&d.offline, "11");
	assert_says(d.cause, "its CPU 11 was offline. With the CPUs online now it would connect.");
	assert_null(d.command);
	qm_diagnosis_done(&d);
	d = diagnose(core_off_log, &h.env);
	assert_int_equal(d.stands, 0);
	assert_false(d.has_cpus);
	assert_int_equal(d.hctx, 11);
	assert_says(d.cause, "every queue has one, so it would connect");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* Other CPUs are offline now: it would fail elsewhere. */
static void changed(void **state)
{
	struct topo_spec spec = core_off;
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	spec.online = "0-2,4-18,20-31";
	host_make(&h, "7.0", &spec);
	d = diagnose(core_off_log, &h.env);
	assert_int_equal(d.stands, 1);
	assert_int_equal(d.qid, 12);
	assert_false(d.has_cpus);
	assert_says(d.cause, "queue 12 (hctx 11) had no CPU that could send its Connect command. The CPUs online have changed "
			     "since, but it would be refused again: now queue 4 (hctx 3) has no CPU");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* loop tells no queue: it is foretold. Neither does the log of kernel 4.9's rdma. */
static void queue_foretold(void **state)
{
	struct topo_spec spec = { .possible = "0-31", .online = "1-31", .nodes = "0:0-7,16-23;1:8-15,24-31",
				  .cores = PAIRS_16 };
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "6.1.192", &spec);
	d = diagnose("nvme nvme0: creating 31 I/O queues.\nnvme nvme0: Connect command failed, errno: -18\n", &h.env);
	assert_int_equal(d.qid, 1);
	assert_true(d.qid_foretold);
	assert_cpus(&d.cpus, "0");
	assert_says(d.advice, "--nr-io-queues=16,");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* A cut log does not say how many queues were tried. */
static void number_not_told(void **state)
{
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "7.0", &core_off);
	d = diagnose("nvme nvme2: failed to connect queue: 12 ret=-18\n", &h.env);
	assert_int_equal(d.stands, 1);
	assert_cpus(&d.cpus, "11");
	assert_says(d.cause, "(The log does not say how many queues were tried; this is so with 30.)");
	assert_says(d.advice, "Connect with --nr-io-queues=16, the largest number with which");
	qm_diagnosis_done(&d);
	/* so do 17 to 20 queues at the 16th */
	d = diagnose("nvme nvme2: failed to connect queue: 16 ret=-18\n", &h.env);
	assert_cpus(&d.cpus, "27");
	assert_says(d.cause, "this is so with 20.)");
	qm_diagnosis_done(&d);
	/* nothing fails at queue 2 */
	d = diagnose("nvme nvme2: failed to connect queue: 2 ret=-18\n", &h.env);
	assert_false(d.has_cpus);
	assert_says(d.cause, "queue 2 (hctx 1) had no CPU that could send its Connect command. Now queue 12 (hctx 11)");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* Too many queues for what is here: nothing is said of this machine. */
static void log_of_a_larger_machine(void **state)
{
	static const char *const logs[] = {
		"nvme nvme2: failed to connect queue: 97 ret=-18\n",
		"nvme nvme2: creating 97 I/O queues.\nnvme nvme2: failed to connect queue: 3 ret=-18\n",
		"nvme nvme2: mapped 90/4/3 default/read/poll queues.\nnvme nvme2: failed to connect queue: 3 ret=-18\n",
	};
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "7.0", &core_off);
	for (size_t i = 0; i < QM_ARRAY_SIZE(logs); i++) {
		d = diagnose(logs[i], &h.env);
		assert_int_equal(d.stands, -1);
		assert_null(d.command);
		assert_says(d.cause, "it must be the log of another machine");
		qm_diagnosis_done(&d);
	}
	host_done(&h);
	/* possible, but more than the default, which works */
	host_make(&h, "7.0", &(struct topo_spec){ .possible = "0-31" });
	d = diagnose("nvme nvme2: failed to connect queue: 96 ret=-18\n", &h.env);
	assert_int_equal(d.stands, -1);
	assert_says(d.cause, "how many queues were tried, and 32, the default here, are fewer");
	qm_diagnosis_done(&d);
	d = diagnose("nvme nvme2: failed to connect queue: 32 ret=-18\n", &h.env);
	assert_int_equal(d.stands, 0);
	assert_says(d.cause, "it would connect. (The log does not say how many queues were tried; this is so with 32.)");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* Whether it would work again is not said where that rests on what is not known of a kernel. */
static void kernel_in_doubt(void **state)
{
	struct qm_diagnosis d;
	struct host h;

	(void)state;
	host_make(&h, "4.14", &core_off);
	d = diagnose(core_off_log, &h.env);
	assert_int_equal(d.stands, -1);
	assert_says(d.cause, "Whether it would connect now cannot be told");
	assert_says(d.advice, "Connect with --nr-io-queues=11, the largest number up to what was tried");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* A controller that could not be connected is gone; one with its name is another. */
static void name_taken_again(void **state)
{
	char name[] = "nvme2", transport[] = "rdma", address[] = "traddr=192.0.2.1,trsvcid=4420", nqn[] = "nqn.x";
	struct qm_controller ctrl = { .name = name, .transport = transport, .address = address, .nqn = nqn };
	struct qm_diagnosis d;
	struct host h;

	(void)state;
	host_make(&h, "7.0", &core_off);
	h.m.controllers = &ctrl;
	h.m.n_controllers = 1;
	d = diagnose(core_off_log, &h.env);
	assert_string_equal(d.command, "nvme connect -t TRANSPORT -a ADDRESS -s PORT -n NQN --nr-io-queues=16");
	qm_diagnosis_done(&d);
	/* memory regions are rdma's */
	d = diagnose("nvme nvme2: failed to initialize MR pool sized 128 for QID 9\n", &h.env);
	assert_string_equal(d.command, "nvme connect -t rdma -a 192.0.2.1 -s 4420 -n nqn.x --nr-io-queues=8");
	qm_diagnosis_done(&d);
	snprintf(transport, sizeof(transport), "tcp");
	d = diagnose("nvme nvme2: failed to initialize MR pool sized 128 for QID 9\n", &h.env);
	assert_string_equal(d.command, "nvme connect -t rdma -a ADDRESS -s PORT -n NQN --nr-io-queues=8");
	qm_diagnosis_done(&d);
	host_done(&h);
}

static void sets(void **state)
{
	static const char *const pairs = "0-1;2-3;4-5;6-7";
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "6.12.117+deb13-amd64",
		  &(struct topo_spec){ .possible = "0-7", .online = "0-5", .nodes = "0:0-3;1:4-7", .cores = pairs });
	d = diagnose("nvme nvme0: creating 6 I/O queues.\nnvme nvme0: mapped 2/4/0 default/read/poll queues.\n"
		     "nvme nvme0: Connect command failed, errno: -18\nnvme nvme0: failed to connect queue: 4 ret=-18\n", &h.env);
	assert_int_equal(d.hctx, 3);
	assert_cpus(&d.cpus, "6-7");
	assert_string_equal(d.command, "nvme connect -t TRANSPORT -a ADDRESS -s PORT -n NQN --nr-io-queues=3 "
				       "--nr-write-queues=2");
	qm_diagnosis_done(&d);
	/* four poll queues never work here */
	d = diagnose("nvme nvme0: mapped 2/0/4 default/read/poll queues.\nnvme nvme0: failed to connect queue: 4 ret=-18\n",
		     &h.env);
	assert_string_equal(d.command, "nvme connect -t TRANSPORT -a ADDRESS -s PORT -n NQN --nr-io-queues=2");
	assert_says(d.advice, "and without write and poll queues");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* The report that this began with: 64 queues granted, 36 cores. No more than what was granted is advised. */
static void unmapped(void **state)
{
	char cores[512] = "";
	size_t len = 0;
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	for (unsigned i = 0; i < 36; i++)
		len += (size_t)snprintf(cores + len, sizeof(cores) - len, "%u,%u;", i, i + 36);
	host_make(&h, "4.12", &(struct topo_spec){ .possible = "0-71", .nodes = "0:0-17,36-53;1:18-35,54-71", .cores = cores });
	d = diagnose("nvme nvme0: creating 64 I/O queues.\nnvme nvme0: Connect command failed, error wo/DNR bit: -16402\n"
		     "nvme nvme0: failed to connect i/o queue: -18\n", &h.env);
	assert_int_equal(d.stands, 1);
	assert_int_equal(d.qid, 3);
	assert_true(d.has_cpus);
	assert_cpus(&d.cpus, "");
	assert_says(d.cause, "this kernel's map gives it no CPU at all (v3.19");
	assert_says(d.advice, "Connect with --nr-io-queues=36,");
	assert_silent(d.advice, "online");
	qm_diagnosis_done(&d);
	host_done(&h);
}

static void isolated(void **state)
{
	struct host h;
	struct qm_diagnosis d;
	struct qm_connect_env env;

	(void)state;
	host_make(&h, "6.12", &(struct topo_spec){ .possible = "0-7" });
	h.m.topo.isolated = topo_list("2-5");
	qm_connect_free(h.c);
	qm_connect_env_get(&h.m, false, &env);
	assert_int_equal(qm_connect_new(&env, &h.c), 0);
	h.env.connect = h.c;
	d = diagnose("nvme nvme0: creating 4 I/O queues.\nnvme nvme0: failed to connect queue: 2 ret=-18\n", &h.env);
	assert_says(d.cause, "its CPUs 2-3 are isolated, and this kernel leaves isolated CPUs out");
	assert_silent(d.advice, "online");
	assert_cpus(&d.offline, "");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* Without the machine, of another host, without the kernel: what the log alone tells, and what it lacks. */
static void log_alone(void **state)
{
	struct qm_diagnose_env env = { .m = NULL };
	char log[512];
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	snprintf(log, sizeof(log), "smpboot: CPU 11 is now offline\n%s", core_off_log);
	d = diagnose(log, &env);
	assert_int_equal(d.stands, -1);
	assert_int_equal(d.hctx, 11);
	assert_says(d.cause, "The log shows CPU 11 going offline before.");
	assert_says(d.cause, "no machine is known to compare it with");
	assert_null(d.command);
	qm_diagnosis_done(&d);
	host_make(&h, "7.0", &core_off);
	h.env.apart = "it is of host alpha";
	d = diagnose(log, &h.env);
	assert_int_equal(d.stands, -1);
	assert_says(d.cause, "Not compared with a machine's present state: it is of host alpha.");
	qm_diagnosis_done(&d);
	h.env = (struct qm_diagnose_env){ .m = &h.m };
	d = diagnose(log, &h.env);
	assert_says(d.cause, "the kernel is not known");
	assert_says(d.advice, "--kernel");
	qm_diagnosis_done(&d);
	host_done(&h);
}

static const char reset_log[] =
	"nvme nvme8: Connect command failed, errno: -18\n"
	"nvme nvme8: NVME-FC{8}: reset: Reconnect attempt failed (-18)\n";

/* A controller that is there keeps its map. */
static void reconnect(void **state)
{
	static const char *const lists[] = { "0-3", "4-7", "8-11", "12-15" };
	char name[] = "nvme8", transport[] = "fc", connecting[] = "connecting", live[] = "live";
	char address[] = "traddr=nn-0x1:pn-0x2,host_traddr=nn-0x3:pn-0x4", nqn[] = "nqn.2014-08.example:x";
	struct qm_hctx hctx[4];
	struct qm_controller ctrl = { .name = name, .transport = transport, .state = connecting, .fabrics = true,
				      .address = address, .nqn = nqn, .hctx = hctx, .n_hctx = 4 };
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		hctx[i] = (struct qm_hctx){ .id = i, .mapped = true, .cpus = topo_kept_list(lists[i]), .irq = -1 };
	host_make(&h, "6.1.192", &(struct topo_spec){ .possible = "0-15", .online = "0-11" });
	h.m.controllers = &ctrl;
	h.m.n_controllers = 1;
	d = diagnose(reset_log, &h.env);
	assert_string_equal(d.rule, "fabrics-reconnect-risk");
	assert_int_equal(d.stands, 1);
	assert_int_equal(d.qid, 4);
	assert_true(d.qid_foretold);
	assert_cpus(&d.offline, "12-15");
	assert_string_equal(d.command, "chcpu -e 12");
	assert_says(d.advice, "Bring CPU 12 online: the controller then comes back by itself; or disconnect it");
	qm_diagnosis_done(&d);
	/* only isolated CPUs: none to bring online */
	hctx[3].cpus = &qm_cpuset_none;
	d = diagnose(reset_log, &h.env);
	assert_string_equal(d.command, "nvme disconnect -d nvme8 && nvme connect -t fc -a nn-0x1:pn-0x2 -w nn-0x3:pn-0x4 "
				       "-n nqn.2014-08.example:x --nr-io-queues=4");
	qm_diagnosis_done(&d);
	/* it is back, but not for long */
	ctrl.state = live;
	d = diagnose(reset_log, &h.env);
	assert_int_equal(d.stands, 0);
	assert_says(d.cause, "It has come back since. But it would fail again at the next reset.");
	qm_diagnosis_done(&d);
	/* the CPUs are back */
	ctrl.state = connecting;
	hctx[3].cpus = topo_kept_list("3");
	d = diagnose(reset_log, &h.env);
	assert_int_equal(d.stands, 0);
	assert_says(d.cause, "the next attempt works");
	qm_diagnosis_done(&d);
	/* it does not exist any more */
	name[4] = '9';
	hctx[3].cpus = topo_kept_list("12-15");
	d = diagnose("nvme nvme8: creating 12 I/O queues.\nnvme nvme8: failed to connect queue: 4 ret=-18\n"
		     "nvme nvme8: Reconnecting in 10 seconds...\n", &h.env);
	assert_says(d.cause, "nvme8 is not there any more; for a new connection: ");
	qm_diagnosis_done(&d);
	host_done(&h);
}

static void memory_regions(void **state)
{
	struct qm_diagnose_env env = { .m = NULL };
	struct qm_diagnosis d = diagnose("nvme nvme0: creating 72 I/O queues.\n"
					 "nvme nvme0: failed to initialize MR pool sized 128 for QID 16\n"
					 "nvme nvme0: rdma connection establishment failed (-12)\n", &env);

	(void)state;
	assert_string_equal(d.rule, "rdma-resource-limit");
	assert_int_equal(d.hctx, 15);
	assert_int_equal(d.stands, -1);
	assert_says(d.cause, "each queue takes 128, so it has fewer than 2048");
	assert_says(d.cause, "neither offline CPUs nor the queue map are to blame");
	assert_string_equal(d.command, "nvme connect -t rdma -a ADDRESS -s PORT -n NQN --nr-io-queues=15");
	qm_diagnosis_done(&d);
}

/* What the adapter leaves has to be a number that the map allows as well. */
static void memory_regions_and_map(void **state)
{
	struct qm_connect_env env;
	struct qm_diagnosis d;
	struct host h;

	(void)state;
	host_make(&h, "7.0", &core_off);
	d = diagnose("nvme nvme0: failed to initialize PI MR pool sized 128 for QID 20\n"
		     "nvme nvme0: rdma connection establishment failed (-22)\n", &h.env);
	assert_string_equal(d.rule, "rdma-resource-limit");
	assert_int_equal(d.qid, 20);
	assert_says(d.advice, "Connect with --nr-io-queues=16, or with a smaller --queue-size (the adapter may have room for ");
	assert_string_equal(d.command, "nvme connect -t rdma -a ADDRESS -s PORT -n NQN --nr-io-queues=16");
	qm_diagnosis_done(&d);
	host_done(&h);
	/* no CPU but isolated ones is online: no number works */
	host_make(&h, "6.12", &(struct topo_spec){ .possible = "0-3", .online = "2-3" });
	h.m.topo.isolated = topo_list("2-3");
	qm_connect_free(h.c);
	qm_connect_env_get(&h.m, false, &env);
	assert_int_equal(qm_connect_new(&env, &h.c), 0);
	h.env.connect = h.c;
	d = diagnose("nvme nvme0: failed to initialize MR pool sized 128 for QID 2\n", &h.env);
	assert_says(d.advice, "Connect with fewer than 2 queues");
	assert_null(d.command);
	qm_diagnosis_done(&d);
	host_done(&h);
	/* the same without its first line */
	host_make(&h, "7.0", &core_off);
	d = diagnose("nvme nvme0: rdma connection establishment failed (-12)\n", &h.env);
	assert_string_equal(d.rule, "rdma-resource-limit");
	assert_says(d.cause, "the host could not set the connection up (ENOMEM: ");
	assert_says(d.advice, "Try fewer queues or a smaller --queue-size");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* No forced explanations. */
static void not_the_map(void **state)
{
	static const struct {
		const char *log, *says;
	} rows[] = {
		{ "nvme nvme0: failed to connect socket: -111", "(ECONNREFUSED: nobody listens" },
		{ "nvme nvme0: failed to connect queue: 0 ret=-18", "admin queue failed (EXDEV). " },
		{ "nvme nvme0: Connect incompatible format: 1\nnvme nvme0: failed to connect queue: 0 ret=16768",
		  "admin queue failed (0x180: " },
		{ "nvme nvme0: rdma connection establishment failed (-104)", "there is no connection to the target (ECONNRESET" },
		{ "nvme nvme0: failed to connect queue: 0 ret=16770", "(0x182: the target does not accept the parameters" },
		{ "nvme nvme0: failed to connect queue: 5 ret=385", "queue 5 (hctx 4) failed (0x181: the controller is busy" },
		{ "nvme nvme0: failed to connect queue: 5 ret=-12", "(ENOMEM: memory" },
		{ "nvme nvme0: failed to connect queue: 5 ret=-4095", "(-4095)" },
		{ "nvme nvme0: unable to set any I/O queues", "the target gave no I/O queue" },
		{ "nvme nvme0: qid 0: authentication failed", "authentication failed" },
		{ "nvme_fabrics: found same hostid a but different hostnqn b", "same host id is in use" },
		{ "nvme_fabrics: no handler found for transport tcp.", "does not know an option" },
	};
	struct host h;

	(void)state;
	host_make(&h, "7.0", &core_off);
	for (size_t i = 0; i < QM_ARRAY_SIZE(rows); i++) {
		struct qm_diagnosis d = diagnose(rows[i].log, &h.env);

		assert_string_equal(d.rule, "log-errno");
		assert_int_equal(d.stands, -1);
		assert_says(d.cause, rows[i].says);
		assert_says(d.cause, "The queue map has nothing to do with it.");
		qm_diagnosis_done(&d);
	}
	host_done(&h);
}

static void interrupts(void **state)
{
	static const struct {
		const char *log, *rule, *says, *cpus;
	} rows[] = {
		{ "nvme nvme0: I/O 1022 QID 22 timeout, aborting", "log-timeout", "on queue 22 (hctx 21).", "" },
		{ "nvme nvme0: I/O 12 QID 7 timeout, completion polled", "log-timeout", "its interrupt was missed", "" },
		{ "nvme nvme0: I/O 12 QID 0 timeout, aborting", "log-timeout", "the admin queue", "" },
		{ "[ 1.0] smpboot: Booting Node 0 Processor 12 APIC 0x26\n[ 1.1] run queue from wrong CPU 0, hctx active",
		  "log-wrong-cpu", "Harmless", "0" },
		{ "run queue from wrong CPU 3, hctx active", "log-wrong-cpu", "the log shows none near it", "3" },
		{ "irq 4284: Affinity broken due to vector space exhaustion.", "vector-exhausted", "no interrupt vector left",
		  "" },
		{ "Managed startup for irq 7, but no CPU", "log-irq-lost", "none of its CPUs was online", "" },
		{ "do_IRQ: 5.37 No irq handler for vector", "log-irq-lost", "CPU 5, vector 37", "5" },
		{ "IRQ 45: no longer affine to CPU3", "log-irq-lost", "lost its CPU 3", "3" },
	};
	struct qm_diagnose_env env = { .m = NULL };

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(rows); i++) {
		struct qm_diagnosis d = diagnose(rows[i].log, &env);

		assert_string_equal(d.rule, rows[i].rule);
		assert_says(d.cause, rows[i].says);
		assert_cpus(&d.cpus, rows[i].cpus);
		qm_diagnosis_done(&d);
	}
}

/* A timeout's queue, its CPUs and its interrupt. */
static void place_of_a_timeout(void **state)
{
	char name[] = "nvme0", irq_name[] = "nvme0q2";
	struct qm_irq irq = { .nr = 60, .name = irq_name, .has_effective = true, .effective = topo_kept_list("3") };
	struct qm_hctx hctx[2] = { { .id = 0, .mapped = true, .cpus = topo_kept_list("0-1"), .irq = -1 },
				   { .id = 1, .mapped = true, .cpus = topo_kept_list("2-3"), .irq = 0 } };
	struct qm_controller ctrl = { .name = name, .hctx = hctx, .n_hctx = 2 };
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "6.1", &(struct topo_spec){ .possible = "0-3" });
	h.m.controllers = &ctrl;
	h.m.n_controllers = 1;
	h.m.irqs = &irq;
	h.m.n_irqs = 1;
	d = diagnose("nvme nvme0: I/O 12 QID 2 timeout, completion polled", &h.env);
	assert_says(d.cause, "It serves CPUs 2-3; its interrupt is IRQ 60, delivered to CPU 3.");
	assert_cpus(&d.cpus, "2-3");
	qm_diagnosis_done(&d);
	d = diagnose("nvme nvme0: I/O 12 QID 3 timeout, aborting", &h.env);
	assert_false(d.has_cpus);
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* A queue without a tag: the one cause outside the network that can last. */
static void no_tag(void **state)
{
	static const char again[] = "nvme nvme0: failed to connect queue: 2 ret=-11\nnvme nvme0: Reconnecting in 2 seconds...";
	static const char once[] = "nvme nvme0: failed to connect queue: 2 ret=-11";
	char name[] = "nvme0", path[] = "nvme0c0n1", live[] = "live", connecting[] = "connecting";
	size_t first = 0;
	struct qm_disk disk = { .name = path };
	struct qm_hctx hctx[2] = { { .id = 0, .mapped = true, .cpus = topo_kept_list("0-1"), .irq = -1 },
				   { .id = 1, .mapped = true, .cpus = topo_kept_list("2-3"), .irq = -1 } };
	struct qm_controller ctrl = { .name = name, .hctx = hctx, .n_hctx = 2, .disks = &first, .n_disks = 1 };
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "6.1", &(struct topo_spec){ .possible = "0-3" });
	h.m.controllers = &ctrl;
	h.m.n_controllers = 1;
	h.m.disks = &disk;
	h.m.n_disks = 1;
	ctrl.state = live;
	d = diagnose(again, &h.env);
	assert_string_equal(d.rule, "log-errno");
	assert_int_equal(d.stands, -1);
	assert_int_equal(d.hctx, 1);
	assert_string_equal(d.cause, "the Connect command of queue 2 (hctx 1) failed (EAGAIN: something is not available for the "
				     "moment). The queue was busy, or it was still marked inactive: that can stay where its CPUs "
				     "were offline during one reset and are back for the next.");
	assert_string_equal(d.advice, "If it goes on, look as root at /sys/kernel/debug/block/nvme0c0n1/hctx1/state: where that "
				      "says INACTIVE, take one of the queue's CPUs offline and online again, or disconnect and "
				      "connect again.");
	assert_null(d.command);
	qm_diagnosis_done(&d);
	/* It went, and another may have the name. */
	d = diagnose(once, &h.env);
	assert_says(d.advice, "/sys/kernel/debug/block/*/hctx1/state");
	qm_diagnosis_done(&d);
	/* It tries again: without the mark, with it, and where no CPU can go offline. */
	ctrl.state = connecting;
	d = diagnose(once, &h.env);
	assert_string_equal(d.rule, "log-errno");
	assert_says(d.advice, "/sys/kernel/debug/block/nvme0c0n1/hctx1/state");
	qm_diagnosis_done(&d);
	hctx[1].stays_inactive = true;
	d = diagnose(again, &h.env);
	assert_string_equal(d.rule, "fabrics-reconnect-risk");
	assert_int_equal(d.stands, 1);
	assert_cpus(&d.cpus, "2-3");
	assert_cpus(&d.offline, "");
	assert_says(d.cause, "It is still marked inactive, though a CPU of it is online: each attempt fails");
	assert_string_equal(d.advice, "Take CPU 3 offline and online again: the controller then comes back by itself; or "
				      "disconnect and connect again.");
	assert_string_equal(d.command, "chcpu -d 3 && chcpu -e 3");
	qm_diagnosis_done(&d);
	hctx[1].cpus = topo_kept_list("0");
	d = diagnose(once, &h.env);
	assert_string_equal(d.advice, "Disconnect and connect again: that makes the queues anew.");
	assert_null(d.command);
	qm_diagnosis_done(&d);
	/* A queue that is not there, and the admin queue, which is none of a disk's. */
	d = diagnose("nvme nvme0: failed to connect queue: 3 ret=-11", &h.env);
	assert_says(d.advice, "/nvme0c0n1/hctx2/state");
	qm_diagnosis_done(&d);
	d = diagnose("nvme nvme0: failed to connect queue: 0 ret=-11", &h.env);
	assert_says(d.cause, "The queue map has nothing to do with it.");
	qm_diagnosis_done(&d);
	host_done(&h);
}

/* 5.10: a reset with fewer CPUs online left fewer queues, and the next one opens more than there are. */
static void queue_not_made(void **state)
{
	static const char log[] = "nvme nvme0: creating 3 I/O queues.\n"
				  "nvme nvme0: Connect command failed, error wo/DNR bit: -16389\n"
				  "nvme nvme0: failed to connect queue: 3 ret=-5\nnvme nvme0: Reconnecting in 1 seconds...";
	char name[] = "nvme0", tcp[] = "tcp", live[] = "live", connecting[] = "connecting";
	struct qm_hctx hctx[2] = { { .id = 0, .mapped = true, .cpus = topo_kept_list("0,2"), .irq = -1 },
				   { .id = 1, .mapped = true, .cpus = topo_kept_list("1"), .irq = -1 } };
	struct qm_controller ctrl = { .name = name, .transport = tcp, .state = connecting, .hctx = hctx, .n_hctx = 2 };
	struct host h;
	struct qm_diagnosis d;

	(void)state;
	host_make(&h, "5.10.223", &(struct topo_spec){ .possible = "0-2" });
	h.m.controllers = &ctrl;
	h.m.n_controllers = 1;
	d = diagnose(log, &h.env);
	assert_string_equal(d.rule, "fabrics-reconnect-risk");
	assert_int_equal(d.stands, 1);
	assert_int_equal(d.hctx, 2);
	assert_string_equal(d.cause, "queue 3 (hctx 2) is none of the 2 that the controller has since an earlier reset, which had "
				     "fewer CPUs online. This kernel opens it before it makes it, so each attempt fails (EIO). "
				     "Neither network nor target are at fault.");
	assert_string_equal(d.advice, "Disconnect and connect again: no reset brings the queue back.");
	assert_string_equal(d.command, "nvme disconnect -d nvme0 && nvme connect -t tcp -a ADDRESS -n NQN --nr-io-queues=3");
	qm_diagnosis_done(&d);
	/* It came back, or it has the queue: another matter. */
	ctrl.state = live;
	d = diagnose(log, &h.env);
	assert_string_equal(d.rule, "log-errno");
	qm_diagnosis_done(&d);
	ctrl.state = connecting;
	d = diagnose("nvme nvme0: failed to connect queue: 2 ret=-5", &h.env);
	assert_says(d.cause, "The queue map has nothing to do with it.");
	qm_diagnosis_done(&d);
	host_done(&h);
}

static void old_form(void **state)
{
	struct qm_klog_report r = read_log("nvme nvme0: Connect command failed, error wo/DNR bit: -16402\n");
	struct qm_diagnosis d;

	(void)state;
	assert_true(r.v[0].has_raw);
	assert_int_equal(qm_diagnose_raw(&r.v[0], &d), 0);
	assert_string_equal(d.rule, "log-errno");
	assert_says(d.cause, "-16402 in the log is -18 (EXDEV) with bit 14 cleared");
	qm_diagnosis_done(&d);
	qm_klog_report_done(&r);
}

/* Nothing that a machine says gets into a shell unchecked. */
static void commands(void **state)
{
	char name[] = "nvme0;reboot", address[] = "traddr=$(reboot),trsvcid=4420", nqn[] = "nqn a";
	struct qm_controller ctrl = { .name = name, .address = address, .nqn = nqn };
	struct qm_connect_request req = { .io = 4, .write = 2, .poll = 1 };
	struct qm_cpuset cpus = topo_list("3,5-6");
	struct qm_strbuf b = { 0 };

	(void)state;
	qm_command_reconnect(&b, &ctrl, &req);
	assert_string_equal(qm_strbuf_str(&b), "nvme disconnect -d CONTROLLER && nvme connect -t tcp -a ADDRESS -s 4420 -n NQN "
					       "--nr-io-queues=4 --nr-write-queues=2 --nr-poll-queues=1");
	qm_strbuf_reset(&b);
	req.transport = QM_TRANSPORT_LOOP;
	qm_command_connect(&b, NULL, true, &req);
	assert_string_equal(qm_strbuf_str(&b), "nvme connect -t loop -n NQN --nr-io-queues=4");
	qm_strbuf_reset(&b);
	snprintf(address, sizeof(address), "traddr=192.0.2.1");
	req = (struct qm_connect_request){ .transport = QM_TRANSPORT_TCP };
	qm_command_connect(&b, &ctrl, true, &req);
	assert_string_equal(qm_strbuf_str(&b), "nvme connect -t tcp -a 192.0.2.1 -n NQN");
	qm_strbuf_reset(&b);
	qm_command_online(&b, &cpus);
	assert_string_equal(qm_strbuf_str(&b), "chcpu -e 3,5-6");
	qm_strbuf_done(&b);
}

static void statuses(void **state)
{
	struct qm_status s;

	(void)state;
	qm_status_describe(-18, &s);
	assert_string_equal(s.name, "EXDEV");
	qm_status_describe(-9999999999L, &s);
	assert_string_equal(s.name, "-9999999999");
	assert_null(s.means);
	qm_status_describe(0x4182, &s);
	assert_string_equal(s.name, "0x182");
	assert_non_null(s.means);
	qm_status_describe(0x7fffffffffffffffL, &s);
	assert_string_equal(s.name, "0x9fff");
	assert_null(s.means);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(still_standing),
		cmocka_unit_test(over),
		cmocka_unit_test(changed),
		cmocka_unit_test(queue_foretold),
		cmocka_unit_test(number_not_told),
		cmocka_unit_test(log_of_a_larger_machine),
		cmocka_unit_test(kernel_in_doubt),
		cmocka_unit_test(name_taken_again),
		cmocka_unit_test(sets),
		cmocka_unit_test(unmapped),
		cmocka_unit_test(isolated),
		cmocka_unit_test(log_alone),
		cmocka_unit_test(reconnect),
		cmocka_unit_test(memory_regions),
		cmocka_unit_test(memory_regions_and_map),
		cmocka_unit_test(not_the_map),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(place_of_a_timeout),
		cmocka_unit_test(no_tag),
		cmocka_unit_test(queue_not_made),
		cmocka_unit_test(old_form),
		cmocka_unit_test(commands),
		cmocka_unit_test(statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
