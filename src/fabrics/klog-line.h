/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to fabrics/: one line of a log in any of the known forms, cut into its parts. */
#ifndef QM_KLOG_LINE_H
#define QM_KLOG_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

#define QM_KLOG_MESSAGE_MAX 1024

struct qm_klog_line {
	char message[QM_KLOG_MESSAGE_MAX]; /* what the kernel said; cut if longer */
	char time[64];                     /* as written; "" = none */
	char host[65];                     /* "" = none */
	char boot_id[33];                  /* journal json; "" = none */
	bool has_mono, has_wall;
	bool is_local;                     /* wall is local time, read as if it were UTC */
	double mono, wall;                 /* seconds since boot; since 1970 */
	bool new_boot;                     /* not a message, but a mark that another boot begins */
};

/*
 * Cuts a line of len bytes (no newline). now: local wall time, to guess the year of forms without one. Returns false
 * where it is nothing that a kernel said.
 */
bool qm_klog_line_parse(const char *line, size_t len, double now, struct qm_klog_line *ret);

/*
 * Compares text with a pattern, from its start: %d takes a decimal number (into *v++, long, kept within range), %x one in
 * hex, %* anything up to what follows, all else itself. Text behind the pattern does not matter.
 */
bool qm_klog_scan(const char *text, const char *pattern, long *v);

#endif
