/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to tell somebody who is going to connect, and somebody who is connected. Pure. */
#ifndef QM_ADVICE_H
#define QM_ADVICE_H

#include "fabrics/connect.h"

struct qm_advice {
	const struct qm_controller *controller; /* borrowed: its next reset is judged; NULL: a new connection */
	enum qm_transport transport;
	const struct qm_algo *algo;   /* NULL = unknown kernel */
	unsigned requested;           /* --nr-io-queues, or the default; the queues of the controller */
	unsigned granted;             /* 0 = not known */
	enum qm_connect_outcome outcome;
	bool sure;
	const char *rules[3];         /* ends with NULL */
	struct qm_connect_queues queues;
	bool has_failure;
	struct qm_connect_failure failure; /* the first queue that fails */
	struct qm_connect_counts counts;
	const char *note;             /* limits of this transport that are not the map's; NULL */
	char *message;
	char *command;                /* NULL where there is none */
};

/* A new connection. 0, -EINVAL (too many queues), -ENOMEM. */
QM_MUST_CHECK int qm_advise_connect(struct qm_connect *c, const struct qm_connect_request *req, struct qm_advice *ret);
/* A controller that is there, of a fabrics transport. 0, -ENOMEM. */
QM_MUST_CHECK int qm_advise_controller(struct qm_connect *c, const struct qm_controller *ctrl, enum qm_transport t,
				       struct qm_advice *ret);
void qm_advice_done(struct qm_advice *a);

#endif
