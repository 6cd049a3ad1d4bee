/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands that advice ends in. Pure. */
#ifndef QM_COMMAND_H
#define QM_COMMAND_H

#include "base/strbuf.h"
#include "fabrics/connect.h"

/*
 * Appends "nvme connect -t tcp -a 192.0.2.1 -s 4420 -n NQN --nr-io-queues=16": the address and name from a controller
 * that is there, else as words to be filled in. has_transport false: that is such a word, too. req->granted is no matter.
 */
void qm_command_connect(struct qm_strbuf *b, const struct qm_controller *ctrl, bool has_transport,
			const struct qm_connect_request *req);
/* Appends "nvme disconnect -d nvme0 && nvme connect ...". */
void qm_command_reconnect(struct qm_strbuf *b, const struct qm_controller *ctrl, const struct qm_connect_request *req);
/* Appends "chcpu -d 11,27 && chcpu -e 11,27". */
void qm_command_cycle(struct qm_strbuf *b, const struct qm_cpuset *cpus);
/* Appends "chcpu -e 11,27". */
void qm_command_online(struct qm_strbuf *b, const struct qm_cpuset *cpus);

#endif
