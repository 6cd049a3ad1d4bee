/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For hint/ and its command: the number of queues of connected NVMe-oF controllers. */
#ifndef QM_HINT_NVME_H
#define QM_HINT_NVME_H

#include "hint/hint.h"

/* A note for each controller that should be reconnected with another number of queues. 0 or -errno. */
QM_MUST_CHECK int qm_nvme_add_notes(const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_plan *p);
/* An nvme config.json with that number for each connected controller. 0 or -errno. */
QM_MUST_CHECK int qm_nvme_export(const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_strbuf *out);

/* The commands for the same connections, one a line. */
QM_MUST_CHECK int qm_nvme_commands(const struct qm_machine *m, const struct qm_plan_options *opt, struct qm_strbuf *out);

#endif
