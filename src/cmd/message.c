// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said on standard error, and what the exit status is. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void QM_PRINTF(1, 0) say(const char *fmt, va_list ap)
{
	struct qm_strbuf raw = { 0 }, line = { 0 };

	qm_strbuf_vaddf(&raw, fmt, ap);
	qm_strbuf_adds(&line, "qmapctl: ");
	qm_text_safe(&line, qm_strbuf_str(&raw));
	qm_strbuf_carry(&line, &raw);
	qm_strbuf_addc(&line, '\n');
	fputs(line.err ? "qmapctl: out of memory\n" : qm_strbuf_str(&line), stderr);
	qm_strbuf_done(&raw);
	qm_strbuf_done(&line);
}

void qm_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

int qm_usage_error(const struct qm_run *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	fprintf(stderr, "Try 'qmapctl %s%s--help'\n", run->command ? run->command->name : "", run->command ? " " : "");
	return QM_SAID;
}

const char *qm_strerror(int r)
{
	return strerror(r < 0 ? -r : r);
}

int qm_status_worst(int a, int b)
{
	static const int order[] = { QM_EXIT_TROUBLE, QM_EXIT_NONE_FOUND, QM_EXIT_SOME_FOUND, QM_EXIT_NO };

	for (size_t i = 0; i < QM_ARRAY_SIZE(order); i++) {
		if (a == order[i] || b == order[i])
			return order[i];
	}
	return QM_EXIT_OK;
}
