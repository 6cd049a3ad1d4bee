/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to fabrics/: connects after the loss of a core. Pure. */
#ifndef QM_LOSS_H
#define QM_LOSS_H

#include "fabrics/connect.h"

/*
 * The largest number for --nr-io-queues with which a new connect works after any one core (all its threads) went offline,
 * whichever algorithm of era is in force; firm are the CPUs that can surely serve a queue now. 0 = none. 0, -EINVAL,
 * -ENOMEM.
 */
QM_MUST_CHECK int qm_connect_after_loss(const struct qm_connect_env *env, const struct qm_era *era,
					const struct qm_cpuset *firm, const struct qm_connect_request *req,
					unsigned *ret);

#endif
