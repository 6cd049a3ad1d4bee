// SPDX-License-Identifier: GPL-2.0-or-later
/* diagnose: what a kernel log says about queues that went wrong, and whether it still stands on this machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/input.h"
#include "cmd/cmd.h"
#include "cmd/since.h"
#include "fabrics/diagnose.h"
#include "out/results.h"

struct diagnose_options {
	const char *since;
};

static const struct qm_option options[] = {
	{ .name = "since", .arg = "TIME", .help = "from then on: \"2026-03-04 09:00\", 09:00, -2h, @SECONDS, or seconds since boot",
	  .offset = offsetof(struct diagnose_options, since), .kind = QM_OPTION_STRING, .group = QM_GROUP_COMMAND },
	{ 0 },
};

/* A run in the making: what the faces get, and what it is made from. */
struct work {
	struct qm_run *run;
	const char *name; /* of the log */
	struct qm_klog_report log;
	struct qm_connect *connect; /* NULL: no kernel */
	char *host, *boot_id;       /* this machine's; NULL = unknown */
	bool blind;                 /* this machine cannot be read: there is the log alone */
	struct qm_incident_view *views;
	size_t n_views, standing;
	char **notes;
	size_t n_notes, cap_notes;
};

static void work_done(struct work *w)
{
	for (size_t i = 0; i < w->n_views; i++)
		qm_diagnosis_done(&w->views[i].d);
	for (size_t i = 0; i < w->n_notes; i++)
		free(w->notes[i]);
	free(w->views);
	free(w->notes);
	free(w->host);
	free(w->boot_id);
	qm_connect_free(w->connect);
	qm_klog_report_done(&w->log);
}

/* ---- the log ---- */

static int open_log(struct work *w)
{
	struct qm_run *run = w->run;
	bool live = run->m.source == QM_SOURCE_LIVE;
	int fd;

	if (run->n_args) {
		w->name = qm_input_name(run->args[0]);
		fd = qm_input_open(run->args[0]);
	} else {
		w->name = "/dev/kmsg";
		fd = qm_input_open_kmsg();
	}
	if (fd >= 0)
		return fd;
	if (live && !run->n_args && (fd == -EACCES || fd == -EPERM))
		qm_error("%s: %s: run it as root, or give it a log: 'journalctl -k -b | qmapctl diagnose -'", w->name,
			 qm_strerror(fd));
	else
		qm_error("%s: %s", w->name, qm_strerror(fd));
	return QM_SAID;
}

/* Logs as they lie about on disks that are no text. Where they begin so, *ret_how is what makes text of them. */
static const char *packed_as(const char *p, size_t len, const char **ret_how)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *what, *how;
	} kinds[] = {
		{ "\x1f\x8b", 2, "compressed with gzip", "zcat" },
		{ "\xfd""7zXZ", 5, "compressed with xz", "xzcat" },
		{ "\x28\xb5\x2f\xfd", 4, "compressed with zstd", "zstdcat" },
		{ "BZh", 3, "compressed with bzip2", "bzcat" },
		{ "LPKSHHRH", 8, "a file of the journal", "journalctl -k --file" },
		{ "\xff\xfe", 2, "UTF-16", "iconv -f utf-16 -t utf-8" },
		{ "\xfe\xff", 2, "UTF-16", "iconv -f utf-16 -t utf-8" },
	};

	for (size_t i = 0; i < QM_ARRAY_SIZE(kinds); i++) {
		if (len >= kinds[i].len && memcmp(p, kinds[i].magic, kinds[i].len) == 0) {
			*ret_how = kinds[i].how;
			return kinds[i].what;
		}
	}
	return NULL;
}

/* Reads to the end, which for /dev/kmsg is where it would wait. */
static int read_log(struct work *w, int fd, struct qm_klog *k)
{
	size_t size = 256 * 1024;
	_cleanup_free_ char *buffer = malloc(size);
	const char *what, *how;
	bool first = true;
	int r = buffer ? 0 : -ENOMEM;

	while (r == 0) {
		ssize_t n = read(fd, buffer, size);

		if (n == 0 || (n < 0 && errno == EAGAIN))
			break;
		if (n < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (n < 0) {
			qm_error("%s: %s", w->name, qm_strerror(-errno));
			return QM_SAID;
		}
		what = first ? packed_as(buffer, (size_t)n, &how) : NULL;
		first = false;
		if (what) {
			qm_error("%s: this is %s, no text: try '%s FILE | qmapctl diagnose -'", w->name, what, how);
			return QM_SAID;
		}
		r = qm_klog_feed(k, buffer, (size_t)n);
	}
	return r;
}

static int feed_log(struct work *w, struct qm_klog *k)
{
	const char *demo = qm_demo_log();
	int fd, r;

	if (w->run->m.source == QM_SOURCE_DEMO && !w->run->n_args) {
		w->name = "the demo's log";
		return qm_klog_feed(k, demo, strlen(demo));
	}
	fd = open_log(w);
	if (fd < 0)
		return fd;
	r = read_log(w, fd, k);
	close(fd);
	return r;
}

static int load_log(struct work *w, const struct qm_klog_since *since)
{
	struct qm_klog *k;
	int r = qm_klog_new(since, &k);

	if (r < 0)
		return r;
	r = feed_log(w, k);
	if (r == 0)
		r = qm_klog_finish(k, &w->log);
	qm_klog_free(k);
	return r;
}

/* ---- notes ---- */

static int add_note(struct work *w, struct qm_strbuf *text)
{
	char *s;
	int r = qm_strbuf_take(text, &s);

	if (r == 0)
		r = qm_array_grow(&w->notes, &w->cap_notes, w->n_notes + 1, sizeof(*w->notes));
	if (r < 0)
		return r;
	w->notes[w->n_notes++] = s;
	return 0;
}

static int note_number(struct work *w, unsigned long n, const char *one, const char *many)
{
	struct qm_strbuf b = { 0 };

	if (!n)
		return 0;
	qm_strbuf_addf(&b, "%lu %s", n, n == 1 ? one : many);
	return add_note(w, &b);
}

static int note_log(struct work *w)
{
	const struct qm_klog_report *log = &w->log;
	struct qm_strbuf b = { 0 };
	int r = 0;

	/* As "dmesg | qmapctl diagnose -" gives it where dmesg is refused. */
	if (!log->lines) {
		qm_strbuf_adds(&b, "the log is empty; dmesg and journalctl -k may need root");
		r = add_note(w, &b);
	}
	if (r == 0)
		r = note_number(w, log->too_long, "line is longer than 64 KiB: only its beginning was looked at",
			    "lines are longer than 64 KiB: only their beginnings were looked at");

	if (r == 0)
		r = note_number(w, log->no_text, "byte is no text", "bytes are no text");
	if (r == 0)
		r = note_number(w, log->backwards, "time runs backwards: the log was put together, or a clock was set",
				"times run backwards: the log was put together, or clocks were set");
	if (r == 0)
		r = note_number(w, log->skipped_before, "message is from before --since and was left out",
				"messages are from before --since and were left out");
	if (r == 0)
		r = note_number(w, log->undated, "message has no time to compare with --since and was kept",
				"messages have no time to compare with --since and were kept");
	if (r == 0)
		r = note_number(w, log->dropped, "of the oldest incidents was left out: there are too many",
				"of the oldest incidents were left out: there are too many");
	return r;
}

/* ---- is it this machine's log? ---- */

static char *read_word(struct qm_run *run, const char *path)
{
	struct qm_dir dir;
	char *s = NULL;

	if (run->root.fd < 0)
		return NULL;
	dir = qm_root_dir(&run->root);
	return qm_dir_read_line(&dir, path, &s) < 0 ? NULL : s;
}

static void know_machine(struct work *w)
{
	size_t n = 0;

	w->host = read_word(w->run, "proc/sys/kernel/hostname");
	if (!w->host)
		w->host = read_word(w->run, "etc/hostname");
	w->boot_id = read_word(w->run, "proc/sys/kernel/random/boot_id");
	/* The journal writes it without dashes. */
	for (const char *p = w->boot_id; p && *p; p++) {
		if (*p != '-')
			w->boot_id[n++] = *p;
	}
	if (w->boot_id)
		w->boot_id[n] = '\0';
}

/* Host names may have a domain on one side only. */
static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

static const struct qm_klog_host *host_of(const struct work *w, const struct qm_klog_incident *i)
{
	for (size_t h = 0; h < w->log.n_hosts; h++) {
		const char *name = w->log.hosts[h].name;

		if (name && i->host ? strcmp(name, i->host) == 0 : name == i->host)
			return &w->log.hosts[h];
	}
	return NULL;
}

/* Why an incident is not compared with the machine: nothing is added where it is. */
static void add_apart(const struct work *w, const struct qm_klog_incident *i, struct qm_strbuf *b)
{
	const struct qm_klog_host *h = host_of(w, i);
	const char *release = w->run->m.kernel.release;

	if (h && h->name && w->host && !same_host(h->name, w->host))
		qm_strbuf_addf(b, "the log is of host %s, and this is %s", h->name, w->host);
	else if (h && i->boot + 1 < h->boots)
		qm_strbuf_adds(b, "it is of an earlier boot than the last one in the log");
	else if (w->boot_id && i->boot_id && strcmp(w->boot_id, i->boot_id) != 0)
		qm_strbuf_adds(b, "the log is of another boot than this one");
	else if (h && h->release && release && !w->run->g.kernel && strcmp(h->release, release) != 0)
		qm_strbuf_addf(b, "the log is of kernel %s, and this is %s", h->release, release);
}

/* Can anything tell whether the log of that host is this machine's? */
static bool is_comparable(const struct work *w, const struct qm_klog_host *h)
{
	return (h->name && w->host) || (h->boot_id && w->boot_id) || (h->release && w->run->m.kernel.release);
}

/* What is said of this machine rests on the log being of it, as it is now: where that is not known it is told. */
static int note_stranger(struct work *w)
{
	bool read = w->run->m.source == QM_SOURCE_LIVE || w->run->m.source == QM_SOURCE_SYSROOT;
	const struct qm_klog_host *stranger = NULL, *first = NULL;
	struct qm_strbuf b = { 0 };
	bool several = false;

	if (w->blind || !w->run->n_args)
		return 0;
	for (size_t i = 0; i < w->log.n; i++) {
		const struct qm_klog_host *h = host_of(w, &w->log.v[i]);

		if (!h)
			continue;
		first = first ? first : h;
		several = several || h != first;
		stranger = is_comparable(w, h) ? stranger : h;
	}
	if (!w->host && several)
		qm_strbuf_adds(&b, "it is of several hosts, and each is compared with the same machine");
	else if (!read || !stranger)
		return 0;
	else if (stranger->name || stranger->boot_id || stranger->release)
		qm_strbuf_adds(&b, "what it tells of its host is not known of the machine, so nothing says that it is of it as it "
				   "is now");
	else
		qm_strbuf_adds(&b, "it names neither host, kernel nor boot, so nothing in it says that it is of this machine as "
				   "it is now");
	return add_note(w, &b);
}

/* ---- incidents ---- */

static int view_incident(struct work *w, const struct qm_klog_incident *i)
{
	struct qm_diagnose_env env = { .m = w->blind ? NULL : &w->run->m, .connect = w->connect };
	struct qm_incident_view *v = &w->views[w->n_views];
	struct qm_strbuf apart = { 0 };
	int r;

	add_apart(w, i, &apart);
	if (apart.len)
		env.apart = qm_strbuf_str(&apart);
	v->apart = env.apart != NULL;
	r = apart.err ? apart.err : qm_diagnose(i, &env, &v->d);
	qm_strbuf_done(&apart);
	if (r < 0)
		return r;
	v->incident = i;
	w->n_views++;
	w->standing += v->d.stands > 0;
	return 0;
}

/* Says once what each code of the old form means. */
static int view_raw(struct work *w, const struct qm_klog_incident *i)
{
	struct qm_incident_view *v = &w->views[w->n_views];
	int r;

	if (!i->has_raw)
		return 0;
	for (size_t k = 0; k < w->n_views; k++) {
		if (w->views[k].decoded && w->views[k].incident->raw == i->raw)
			return 0;
	}
	r = qm_diagnose_raw(i, &v->d);
	if (r < 0)
		return r;
	v->incident = i;
	v->decoded = true;
	w->n_views++;
	return 0;
}

static int view_all(struct work *w)
{
	int r = 0;

	w->views = calloc(2 * w->log.n + 1, sizeof(*w->views));
	if (!w->views)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < w->log.n; i++) {
		r = view_incident(w, &w->log.v[i]);
		if (r == 0)
			r = view_raw(w, &w->log.v[i]);
	}
	return r;
}

static int prepare(struct work *w)
{
	struct qm_run *run = w->run;
	struct qm_connect_env env;

	know_machine(w);
	if (!run->m.kernel.release || w->blind)
		return 0;
	qm_connect_env_get(&run->m, !run->whatif, &env);
	return qm_connect_new(&env, &w->connect);
}

static int tell(struct work *w)
{
	struct qm_run *run = w->run;
	struct qm_diagnose_result res = {
		.v = w->views, .n = w->n_views, .standing = w->standing, .log = &w->log, .name = w->name,
		.notes = (const char *const *)w->notes, .n_notes = w->n_notes,
	};

	for (size_t i = 0; i < w->n_notes && !run->g.quiet; i++)
		qm_error("%s: %s", w->name, w->notes[i]);
	if (w->standing)
		run->out.status = qm_status_worst(run->out.status, QM_EXIT_NO);
	return run->out.face->diagnose(&run->out, &res);
}

static int parse_since(struct qm_run *run, struct qm_klog_since *ret)
{
	const struct diagnose_options *opt = run->opt;
	int r = qm_since_parse(opt->since, ret);

	if (r == -EINVAL)
		return qm_usage_error(run, "--since '%s': this is no time", opt->since);
	/* The kernel's own log has seconds since boot only. */
	if (r == 0 && ret->has_wall && !run->n_args && !run->g.sysroot)
		qm_since_from_boot(ret);
	return r;
}

/* A log tells something even where this machine tells nothing, as in a container or a rescue system. */
static int open_machine(struct work *w)
{
	struct qm_run *run = w->run;
	const struct qm_globals *g = &run->g;
	bool changed = g->online || g->offline || g->isolcpus || g->nohz_full;
	int r = qm_source_open(run, QM_READ_DEVICES | QM_READ_IRQS);

	if (r == 0 || r == -ENOMEM || g->sysroot || g->topology || g->synthetic || g->demo || changed ||
	    run->m.topo.nr_cpus)
		return r;
	if (r != QM_SAID)
		qm_error("/: %s", qm_strerror(r));
	if (!g->quiet)
		qm_error("so the log is explained without this machine");
	qm_problem_addf(&run->m.problems, "sys/devices/system/cpu", "no machine: the log is explained without it");
	/* That was said above, in better words. */
	run->problems_told = run->m.problems.n;
	run->out.m = &run->m;
	w->blind = true;
	return 0;
}

static int diagnose_run(struct qm_run *run)
{
	_cleanup_(work_done) struct work w = { .run = run };
	struct qm_klog_since since;
	int r;

	if (run->n_args > 1)
		return qm_usage_error(run, "diagnose reads one log at a time, not %zu", run->n_args);
	if (!run->n_args && (run->g.sysroot || run->g.topology || run->g.synthetic))
		return qm_usage_error(run, "only this machine and --demo have a kernel log: name its file, or - for standard input");
	r = parse_since(run, &since);
	if (r == 0)
		r = open_machine(&w);
	if (r == 0)
		r = load_log(&w, &since);
	if (r == 0)
		r = prepare(&w);
	if (r == 0)
		r = note_log(&w);
	if (r == 0)
		r = note_stranger(&w);
	if (r == 0)
		r = view_all(&w);
	return r < 0 ? r : tell(&w);
}

static const struct qm_layout *const layouts[] = { &qm_layout_diagnose, NULL };

const struct qm_command qm_command_diagnose = {
	.name = "diagnose",
	.summary = "failed connects and other queue trouble in a kernel log, explained",
	.operands = "[LOGFILE|-]",
	.complete = QM_COMPLETE_FILE,
	.example = "journalctl -k -b | qmapctl diagnose -",
	.example_help = "which queue and CPU made the connect fail, and the command that works",
	.options = options,
	.options_size = sizeof(struct diagnose_options),
	.layouts = layouts,
	.run = diagnose_run,
};
