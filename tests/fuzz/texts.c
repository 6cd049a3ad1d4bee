// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts that are parsed on their own: CPU lists, topologies, plans, logs, releases. */
#include "targets.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "fabrics/diagnose.h"
#include "hint/hint.h"
#include "machine/machine.h"
#include "machine/topojson.h"
#include "map/era.h"
#include "map/map.h"

#include <json-c/json.h>

/* Lists and masks: what is understood is written so that it is understood again as the same set. */
void fuzz_cpus(const char *text, size_t len)
{
	struct qm_cpuset set, again;
	struct qm_strbuf b = { 0 };
	int r;

	(void)len;
	for (int max = -1; max < 200; max += 199) {
		r = qm_cpuset_parse_list(text, max, &set);
		FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ERANGE);
		if (r < 0)
			continue;
		qm_strbuf_reset(&b);
		qm_cpuset_format(&set, &b);
		FUZZ_CHECK(b.err || qm_cpuset_parse_list(qm_strbuf_str(&b), -1, &again) == 0);
		FUZZ_CHECK(b.err || qm_cpuset_is_equal(&set, &again));
	}
	r = qm_cpuset_parse_mask(text, &set);
	FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ERANGE);
	if (r == 0) {
		qm_strbuf_reset(&b);
		qm_cpuset_format(&set, &b);
		FUZZ_CHECK(b.err || qm_cpuset_parse_list(qm_strbuf_str(&b), -1, &again) == 0);
		FUZZ_CHECK(b.err || qm_cpuset_is_equal(&set, &again));
	}
	qm_strbuf_done(&b);
}

static struct qm_klog_report read_log(const char *text, size_t len, size_t piece)
{
	struct qm_klog_report report = { 0 };
	struct qm_klog *k;
	int r;

	if (qm_klog_new(NULL, &k) < 0)
		return report;
	for (size_t at = 0; at < len; at += piece) {
		r = qm_klog_feed(k, text + at, len - at < piece ? len - at : piece);
		FUZZ_CHECK(r == 0 || r == -ENOMEM);
	}
	r = qm_klog_finish(k, &report);
	FUZZ_CHECK(r == 0 || r == -ENOMEM);
	qm_klog_free(k);
	return report;
}

/* A log tells the same in whatever pieces it comes, and each incident can be explained. */
void fuzz_klog(const char *text, size_t len)
{
	struct qm_klog_report whole = read_log(text, len, len + 1), pieces = read_log(text, len, 7);
	struct qm_diagnose_env env = { 0 };

	FUZZ_CHECK(whole.n == pieces.n && whole.lines == pieces.lines && whole.relevant == pieces.relevant);
	FUZZ_CHECK(whole.n <= QM_KLOG_INCIDENTS_MAX);
	for (size_t i = 0; i < whole.n; i++) {
		struct qm_diagnosis d;

		FUZZ_CHECK(whole.v[i].kind == pieces.v[i].kind && whole.v[i].count == pieces.v[i].count);
		FUZZ_CHECK(whole.v[i].count >= 1 && whole.v[i].line >= 1);
		if (qm_diagnose(&whole.v[i], &env, &d) == 0)
			qm_diagnosis_done(&d);
	}
	qm_klog_report_done(&whole);
	qm_klog_report_done(&pieces);
}

/* All algorithms map a topology that was accepted: each possible CPU once, to a queue that there is. */
static void map_all(const struct qm_topology *t, unsigned queues)
{
	const struct qm_algo *a;
	struct qm_mapper *m;
	unsigned nr, warn;
	int32_t *map;

	if (qm_mapper_new(t, &m) < 0)
		return;
	nr = qm_mapper_nr_cpus(m);
	map = calloc(nr ? nr : 1, sizeof(*map));
	for (size_t i = 0; map && (a = qm_algo_get(i)); i++) {
		if (a->family != QM_FAMILY_MAP || qm_map_run(m, a, queues, NULL, map, &warn) < 0)
			continue;
		for (unsigned cpu = 0; cpu < nr; cpu++) {
			bool possible = qm_cpuset_test(&t->possible, cpu);

			FUZZ_CHECK(possible ? map[cpu] >= 0 && map[cpu] < (int32_t)queues : map[cpu] == QM_QUEUE_NONE);
		}
	}
	free(map);
	qm_mapper_free(m);
}

/* What is accepted can be written, and that is accepted as well. */
void fuzz_topology(const char *text, size_t len)
{
	struct qm_topology t = { 0 }, again = { 0 };
	char *error = NULL;
	json_object *o = NULL;
	int r = qm_topojson_parse(text, len, &t, &error);

	FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ENOMEM);
	FUZZ_CHECK(r != -EINVAL || error);
	free(error);
	error = NULL;
	if (r < 0)
		return;
	map_all(&t, 1 + (unsigned)(len % 13));
	if (qm_topojson_build(&t, &o) == 0) {
		const char *s = json_object_to_json_string(o);

		r = s ? qm_topojson_parse(s, strlen(s), &again, &error) : -ENOMEM;
		FUZZ_CHECK(r == 0 || r == -ENOMEM);
		if (r == 0)
			FUZZ_CHECK(qm_cpuset_is_equal(&t.possible, &again.possible) &&
				   qm_cpuset_is_equal(&t.online, &again.online));
		json_object_put(o);
	}
	free(error);
	qm_topology_done(&t);
	qm_topology_done(&again);
}

/* No plan names a file that hints do not write. */
void fuzz_plan(const char *text, size_t len)
{
	struct qm_plan p = { 0 };
	char *error = NULL;
	int r = qm_plan_parse(text, len, &p, &error);

	FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ENOMEM);
	FUZZ_CHECK(r != -EINVAL || error);
	free(error);
	if (r < 0)
		return;
	for (size_t i = 0; i < p.n; i++) {
		enum qm_change_what what;

		FUZZ_CHECK(qm_hint_path_is_allowed(p.v[i].path, &what, NULL) && what == p.v[i].what);
		FUZZ_CHECK(!strstr(p.v[i].path, "/../") && strncmp(p.v[i].path, "../", 3) != 0 && p.v[i].path[0] != '/');
		(void)qm_value_is_same(what, p.v[i].old, p.v[i].new);
	}
	qm_plan_done(&p);
}

void fuzz_synthetic(const char *text, size_t len)
{
	struct qm_topology t = { 0 };
	char *error = NULL;
	int r = qm_synthetic_parse(text, &t, &error);

	FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ENOMEM);
	FUZZ_CHECK(r != -EINVAL || error);
	free(error);
	if (r < 0)
		return;
	FUZZ_CHECK(!qm_cpuset_is_empty(&t.possible) && qm_cpuset_is_subset(&t.online, &t.possible));
	if (qm_cpuset_count(&t.possible) <= 256)
		map_all(&t, 1 + (unsigned)(len % 13));
	qm_topology_done(&t);
}

/* The release, and behind a newline the kernel's command line. */
void fuzz_release(const char *text, size_t len)
{
	const char *line = strchr(text, '\n');
	struct qm_kernel kernel = { 0 };
	struct qm_cmdline cmdline = { 0 };
	int r = qm_kernel_parse(text, &kernel);

	(void)len;
	FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ENOMEM);
	if (r == 0) {
		struct qm_era era;

		for (int family = 0; family < _QM_FAMILY_MAX; family++) {
			qm_era_of_kernel(&kernel, (enum qm_family)family, &era);
			for (size_t i = 0; i < era.n; i++)
				FUZZ_CHECK(era.v[i]->family == (enum qm_family)family);
		}
	}
	if (line && qm_cmdline_parse(line + 1, 64, &cmdline) == 0)
		qm_cmdline_done(&cmdline);
	qm_kernel_done(&kernel);
}
