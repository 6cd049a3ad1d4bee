// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the options to a machine: opens the source, reads it, and changes it as the what-ifs say. From here on nobody asks
 * where a machine came from.
 */
#include <errno.h>
#include <string.h>

#include "base/input.h"
#include "cmd/cmd.h"
#include "map/era.h"

/* A topology file of the largest machine is about a megabyte. */
#define TOPOLOGY_FILE_MAX (32u << 20)

static int set_path(struct qm_machine *m, const char *path)
{
	m->source_path = strdup(path);
	return m->source_path ? 0 : -ENOMEM;
}

static int open_directory(struct qm_run *run, unsigned what)
{
	const char *dir = run->g.sysroot;
	int r = qm_root_open(&run->root, dir ? dir : "/", !dir, &run->m.problems);

	if (r < 0) {
		run->root.fd = -1;
		qm_error("%s: %s", dir ? dir : "/", qm_strerror(r));
		return QM_SAID;
	}
	run->root.tap = run->tap;
	r = qm_machine_read(&run->root, what, &run->m);
	if (r == -ENOENT) {
		qm_error("%s: no machine below it: no directory sys/devices/system/cpu%s", dir ? dir : "/",
			 dir ? "; 'qmapctl capture' makes such a tree" : "");
		return QM_SAID;
	}
	if (r < 0)
		return r;
	return dir ? set_path(&run->m, dir) : 0;
}

static int open_topology(struct qm_run *run)
{
	const char *path = run->g.topology;
	_cleanup_free_ char *text = NULL, *error = NULL;
	size_t len;
	int r = qm_input_read(path, TOPOLOGY_FILE_MAX, &text, &len);

	if (r < 0) {
		qm_error("%s: %s", qm_input_name(path), qm_strerror(r));
		return r == -ENOMEM ? r : QM_SAID;
	}
	run->m.source = QM_SOURCE_TOPOLOGY;
	r = qm_topojson_parse(text, len, &run->m.topo, &error);
	if (r < 0 && r != -ENOMEM) {
		qm_error("%s: %s; 'qmapctl topology -J' writes such a file", qm_input_name(path),
			 error ? error : qm_strerror(r));
		return QM_SAID;
	}
	return r < 0 ? r : set_path(&run->m, path);
}

static int open_synthetic(struct qm_run *run)
{
	_cleanup_free_ char *error = NULL;
	int r = qm_synthetic_parse(run->g.synthetic, &run->m.topo, &error);

	run->m.source = QM_SOURCE_SYNTHETIC;
	if (r < 0 && r != -ENOMEM) {
		qm_error("--synthetic '%s': %s", run->g.synthetic, error ? error : qm_strerror(r));
		return QM_SAID;
	}
	return r;
}

/* ---- what-ifs ---- */

int qm_source_parse_list(const struct qm_run *run, const char *option, const char *text, struct qm_cpuset *ret)
{
	const struct qm_topology *t = &run->m.topo;
	struct qm_strbuf b = { 0 };
	struct qm_cpuset set;
	int r = qm_cpuset_parse_list(text, (int)t->nr_cpus - 1, &set);

	if (r < 0) {
		qm_error("%s '%s': %s", option, text, r == -ERANGE ? "a CPU number is too large" : "this is no CPU list, as 0-3,8 would be");
		return QM_SAID;
	}
	if (qm_cpuset_is_subset(&set, &t->possible)) {
		*ret = set;
		return 0;
	}
	qm_cpuset_andnot(&set, &t->possible);
	qm_strbuf_adds(&b, qm_cpuset_count(&set) == 1 ? "CPU " : "CPUs ");
	qm_cpuset_format(&set, &b);
	qm_strbuf_adds(&b, qm_cpuset_count(&set) == 1 ? " is" : " are");
	qm_strbuf_adds(&b, " not possible on this machine (possible: ");
	qm_cpuset_format(&t->possible, &b);
	r = b.err ? b.err : QM_SAID;
	if (!b.err)
		qm_error("%s: %s)", option, qm_strbuf_str(&b));
	qm_strbuf_done(&b);
	return r;
}

static int set_online(struct qm_run *run)
{
	const struct qm_globals *g = &run->g;
	struct qm_topology *t = &run->m.topo;
	struct qm_cpuset online, offline;
	int r = 0;

	if (!g->online && !g->offline)
		return 0;
	qm_cpuset_copy(&online, &t->online);
	if (g->online)
		r = qm_source_parse_list(run, "--online", g->online, &online);
	qm_cpuset_zero(&offline);
	if (r == 0 && g->offline)
		r = qm_source_parse_list(run, "--offline", g->offline, &offline);
	if (r < 0)
		return r;
	qm_cpuset_andnot(&online, &offline);
	r = qm_topology_set_online(t, &online);
	if (r == -EINVAL) {
		qm_error("%s leaves no CPU online", g->offline ? "--offline" : "--online");
		return QM_SAID;
	}
	return r;
}

/* The option's argument that the kernel would not take; the first, if both are none. */
static void tell_isolation(const struct qm_run *run)
{
	const struct qm_globals *g = &run->g;
	struct qm_cpuset set;

	if (!g->isolcpus || (g->nohz_full && qm_cpuset_parse_list(g->nohz_full, (int)run->m.topo.nr_cpus - 1, &set) < 0))
		qm_error("--nohz-full '%s': this is no CPU list, as 2-5 would be", g->nohz_full);
	else
		qm_error("--isolcpus '%s': the kernel would not understand this: it takes words and a CPU list, as "
			 "managed_irq,domain,2-5", g->isolcpus);
}

/* Only what the words given speak of is replaced; the rest of the command line stays as it was read. */
static int set_isolation(struct qm_run *run)
{
	const struct qm_globals *g = &run->g;
	struct qm_cmdline *c = &run->m.cmdline, given;
	struct qm_topology *t = &run->m.topo;
	struct qm_strbuf words = { 0 };
	int r;

	if (!g->isolcpus && !g->nohz_full)
		return 0;
	if (g->isolcpus)
		qm_strbuf_addf(&words, "isolcpus=%s ", g->isolcpus);
	if (g->nohz_full)
		qm_strbuf_addf(&words, "nohz_full=%s", g->nohz_full);
	r = words.err ? words.err : qm_cmdline_parse(qm_strbuf_str(&words), t->nr_cpus, &given);
	qm_strbuf_done(&words);
	if (r == -EINVAL) {
		tell_isolation(run);
		return QM_SAID;
	}
	if (r < 0)
		return r;
	if (g->isolcpus) {
		c->has_isolcpus = true;
		c->iso_domain = given.iso_domain;
		c->iso_managed_irq = given.iso_managed_irq;
		c->iso_io_queue = given.iso_io_queue;
		c->iso_nohz = given.iso_nohz;
		qm_cpuset_copy(&c->isolcpus, &given.isolcpus);
		qm_cpuset_zero(&t->isolated);
		if (given.iso_domain)
			qm_cpuset_copy(&t->isolated, &given.isolcpus);
		qm_cpuset_and(&t->isolated, &t->possible);
	}
	if (g->nohz_full) {
		c->has_nohz_full = true;
		qm_cpuset_copy(&c->nohz_full, &given.nohz_full);
		qm_cpuset_copy(&t->nohz_full, &given.nohz_full);
		qm_cpuset_and(&t->nohz_full, &t->possible);
	}
	c->known = true;
	qm_cmdline_done(&given);
	return 0;
}

int qm_source_parse_kernel(const char *text, struct qm_kernel *ret)
{
	int r = qm_era_parse_kernel(text, ret);

	if (r == -EINVAL) {
		qm_error("--kernel '%s': no release, version or algorithm, as 5.14.0-427.el9, 6.12 or v6.11 would be", text);
		return QM_SAID;
	}
	return r;
}

static int set_kernel(struct qm_run *run)
{
	const char *text = run->g.kernel;
	struct qm_kernel k;
	int r;

	if (!text || (run->command->many_kernels && strchr(text, ',')))
		return 0;
	if (strchr(text, ','))
		return qm_usage_error(run, "--kernel takes one kernel here, not '%s'", text);
	r = qm_source_parse_kernel(text, &k);
	if (r < 0)
		return r;
	qm_kernel_done(&run->m.kernel);
	run->m.kernel = k;
	return 0;
}

static int apply_whatifs(struct qm_run *run)
{
	const struct qm_globals *g = &run->g;
	int r = set_kernel(run);

	if (r == 0)
		r = set_online(run);
	if (r == 0)
		r = set_isolation(run);
	run->whatif = g->kernel || g->online || g->offline || g->isolcpus || g->nohz_full;
	return r;
}

/* ---- */

void qm_source_tell_problems(struct qm_run *run)
{
	const struct qm_problems *p = &run->m.problems;

	if (run->g.quiet)
		return;
	for (; run->problems_told < p->n; run->problems_told++)
		qm_error("%s: %s", p->v[run->problems_told].path, p->v[run->problems_told].error);
	if (p->dropped > run->dropped_told)
		qm_error("%zu more problems", p->dropped - run->dropped_told);
	run->dropped_told = p->dropped;
}

/* What every answer says about the kernel: the generic mapper it runs. */
static void name_algorithm(struct qm_run *run)
{
	struct qm_era era;

	if (!run->m.kernel.release)
		return;
	qm_era_of_kernel(&run->m.kernel, QM_FAMILY_MAP, &era);
	if (era.n) {
		run->out.algorithm = era.v[0]->id;
		run->out.algorithm_sure = era.sure;
	}
}

int qm_source_open(struct qm_run *run, unsigned what)
{
	int r;

	if (run->g.demo)
		r = qm_demo_make(&run->m);
	else if (run->g.topology)
		r = open_topology(run);
	else if (run->g.synthetic)
		r = open_synthetic(run);
	else
		r = open_directory(run, what);
	/* What could not even be noted for want of memory would be missing from the answer. */
	if (r == 0)
		r = run->m.problems.err;
	if (r == 0)
		r = apply_whatifs(run);
	if (r < 0)
		return r;
	run->out.m = &run->m;
	name_algorithm(run);
	qm_source_tell_problems(run);
	return 0;
}

bool qm_source_need_kernel(struct qm_run *run)
{
	if (run->m.kernel.release)
		return true;
	qm_error("%s: the source tells no kernel: say which one with --kernel", run->command->name);
	return false;
}
