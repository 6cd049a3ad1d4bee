/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and meanings of what a connect can fail with. Pure. */
#ifndef QM_STATUS_H
#define QM_STATUS_H

/*
 * A code as the log has it: negative is an errno, positive an NVMe status (perhaps with the bit for "do not retry").
 * name is "EXDEV" or "0x182"; means says what is wrong in one sentence part, NULL where nothing more is known.
 */
struct qm_status {
	char name[24];
	const char *means;
};

void qm_status_describe(long code, struct qm_status *ret);

#endif
