// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/request.h"

#include <errno.h>
#include <string.h>

#include "map/sets.h"

static const char *const names[_QM_TRANSPORT_MAX] = { "tcp", "rdma", "fc", "loop" };

const char *qm_transport_name(enum qm_transport t)
{
	return (unsigned)t < _QM_TRANSPORT_MAX ? names[t] : NULL;
}

int qm_transport_parse(const char *name, enum qm_transport *ret)
{
	for (unsigned i = 0; i < _QM_TRANSPORT_MAX; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret = i;
			return 0;
		}
	}
	return -EINVAL;
}

bool qm_transport_has_sets(enum qm_transport t)
{
	return t == QM_TRANSPORT_TCP || t == QM_TRANSPORT_RDMA;
}

/* The first nvme-tcp: 5.0 to 5.2, and what RHEL 8.1 took from there. */
static bool is_early_tcp(const struct qm_kernel *k)
{
	if (k->distro == QM_DISTRO_RHEL && k->distro_major == 8)
		return k->distro_build[0] >= 0 && k->distro_build[0] <= 147;
	return k->major == 5 && k->minor >= 0 && k->minor <= 2;
}

/* Which rule counts and cuts the queues. Write queues came with 5.0, poll queues with 5.1 (rdma) and 5.3 (tcp). */
static enum qm_fabrics_rule rule_of(const struct qm_kernel *k, enum qm_transport t)
{
	switch (t) {
	case QM_TRANSPORT_TCP:
		return is_early_tcp(k) ? QM_FABRICS_REQUESTED : QM_FABRICS_SPLIT;
	case QM_TRANSPORT_RDMA:
		if (qm_kernel_is_known(k) && !qm_kernel_is_at_least(k, 4, 14))
			return QM_FABRICS_PLAIN;
		if (qm_kernel_is_known(k) && !qm_kernel_is_at_least(k, 5, 1))
			return QM_FABRICS_CAPPED;
		return qm_kernel_is_at_least(k, 6, 2) ? QM_FABRICS_SPLIT : QM_FABRICS_SPLIT_VECTORS;
	default:
		return QM_FABRICS_PLAIN;
	}
}

bool qm_connect_map_is_for_request(const struct qm_kernel *k, enum qm_transport t)
{
	return t == QM_TRANSPORT_TCP && is_early_tcp(k);
}

bool qm_connect_map_outgrows_grant(const struct qm_kernel *k, const struct qm_connect_request *req,
				   const struct qm_connect_queues *queues)
{
	return qm_connect_map_is_for_request(k, req->transport) && queues->total < queues->asked;
}

bool qm_connect_map_is_device_made(const struct qm_kernel *k, enum qm_transport t)
{
	/*
	 * The helper was there from 4.14 to about 6.4. The common adapters stopped telling their vectors' CPUs about
	 * 5.0, since these can be moved by hand; without them it falls back to the generic mapper.
	 */
	bool version = qm_kernel_is_at_least(k, 4, 14) && !qm_kernel_is_at_least(k, 5, 1);

	/* RHEL 8 calls itself 4.18, but its drivers are those of 5.x. */
	return t == QM_TRANSPORT_RDMA && version && k->distro != QM_DISTRO_RHEL;
}

int qm_connect_split(const struct qm_kernel *k, const struct qm_connect_request *req, unsigned n_online,
		     struct qm_connect_queues *ret)
{
	enum qm_fabrics_rule rule = rule_of(k, req->transport);
	struct qm_fabrics_in in = {
		.nr_io = req->io ? req->io : n_online,
		.nr_write = req->write,
		.nr_poll = req->poll,
		.online = n_online,
	};
	struct qm_connect_queues q = { .asked = 0 };
	struct qm_sets sets;
	int r;

	if (!n_online) {
		*ret = q;
		return 0;
	}
	/* The option's parser cuts the number to the CPUs online, before anything else is done with it. */
	if (in.nr_io > n_online)
		in.nr_io = n_online;
	q.asked = qm_fabrics_asked(rule, &in);
	r = qm_sets_fabrics(rule, &in, req->granted ? req->granted : q.asked, &sets);
	if (r < 0)
		return r;
	memcpy(q.n, sets.n, sizeof(q.n));
	q.total = req->granted && req->granted < q.asked ? req->granted : q.asked;
	*ret = q;
	return 0;
}
