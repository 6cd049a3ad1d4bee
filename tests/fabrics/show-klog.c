// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints what was found in the log on standard input, one incident a line, for comparison with what should be. */
#include <stdio.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "fabrics/klog.h"

static void show_incident(const struct qm_klog_incident *i)
{
	struct qm_strbuf cpus = { 0 };

	if (i->offline)
		qm_cpuset_format(i->offline, &cpus);
	printf("%lu %s", i->line, qm_klog_kind_name(i->kind));
	if (i->host || i->boot)
		printf(" host=%s/%u", i->host ? i->host : "", i->boot);
	if (i->controller)
		printf(" %s", i->controller);
	if (i->created >= 0)
		printf(" queues=%ld", i->created);
	if (i->queues[0] >= 0)
		printf("=%ld/%ld/%ld", i->queues[0], i->queues[1], i->queues[2]);
	if (i->qid >= 0)
		printf(" qid=%ld", i->qid);
	if (i->has_status)
		printf(" status=%ld", i->status);
	if (i->has_raw)
		printf(" raw=%ld", i->raw);
	if (i->pool >= 0)
		printf(" pool=%ld", i->pool);
	if (i->irq >= 0)
		printf(" irq=%ld", i->irq);
	if (i->cpu >= 0)
		printf(" cpu=%ld", i->cpu);
	if (i->vector >= 0)
		printf(" vector=%ld", i->vector);
	if (i->offline)
		printf(" offline=%s", qm_strbuf_str(&cpus));
	if (i->near_hotplug)
		printf(" near-hotplug");
	if (i->count > 1)
		printf(" x%lu", i->count);
	if (i->attempts)
		printf(" attempts=%lu", i->attempts);
	if (i->recovered)
		printf(" recovered");
	if (i->removed)
		printf(" removed");
	printf(" [%s..%s]\n", i->time ? i->time : "", i->last ? i->last : "");
	qm_strbuf_done(&cpus);
}

static void show_report(const struct qm_klog_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		show_incident(&r->v[i]);
	for (size_t i = 0; i < r->n_hosts; i++)
		printf("host %s boots=%u release=%s boot-id=%s\n", r->hosts[i].name ? r->hosts[i].name : "-",
		       r->hosts[i].boots, r->hosts[i].release ? r->hosts[i].release : "-",
		       r->hosts[i].boot_id ? r->hosts[i].boot_id : "-");
	printf("lines=%lu relevant=%lu too-long=%lu no-text=%lu backwards=%lu dropped=%lu%s\n", r->lines, r->relevant,
	       r->too_long, r->no_text, r->backwards, r->dropped, r->unfinished ? " unfinished" : "");
}

/* Argument: how many bytes to feed at a time. */
int main(int argc, char **argv)
{
	/* 4 March 2026, noon */
	const struct qm_klog_since since = { .now = 1772625600 };
	static char buffer[1 << 16];
	size_t piece = argc > 1 ? strtoul(argv[1], NULL, 10) : sizeof(buffer);
	struct qm_klog_report report;
	struct qm_klog *k;
	ssize_t n;

	if (!piece || piece > sizeof(buffer) || qm_klog_new(&since, &k) < 0)
		return 1;
	while ((n = read(STDIN_FILENO, buffer, piece)) > 0) {
		if (qm_klog_feed(k, buffer, (size_t)n) < 0)
			return 1;
	}
	if (qm_klog_finish(k, &report) < 0)
		return 1;
	show_report(&report);
	qm_klog_report_done(&report);
	qm_klog_free(k);
	return 0;
}
