/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times that --since takes. */
#ifndef QM_SINCE_H
#define QM_SINCE_H

#include "fabrics/klog.h"

/*
 * Parses "2026-03-04", "2026-03-04 09:00[:05]" and "09:00[:05]" (local time), "-90s", "-5min", "-2h", "-3d" (ago),
 * "@1772612100", "12.5" (seconds since boot). NULL leaves no limit; the clock is filled in all the same. 0 or -EINVAL.
 */
QM_MUST_CHECK int qm_since_parse(const char *text, struct qm_klog_since *ret);
/* For a log that has seconds since this machine's boot alone: adds the limit in that form. */
void qm_since_from_boot(struct qm_klog_since *since);

#endif
