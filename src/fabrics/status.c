// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/status.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"

#define STATUS_DNR 0x4000
#define STATUS_MORE 0x2000

static const struct {
	int code;
	const char *name, *means;
} errnos[] = {
	{ EXDEV, "EXDEV", "a queue has no CPU that could send its Connect command" },
	{ EPERM, "EPERM", "the host is not allowed to" },
	{ ENOENT, "ENOENT", "something named does not exist" },
	{ EINTR, "EINTR", "the command was cancelled, as after a reset or a timeout" },
	{ EIO, "EIO", "the connection broke or the target gave up while the command was under way" },
	{ EAGAIN, "EAGAIN", "something is not available for the moment" },
	{ ENOMEM, "ENOMEM", "memory, or a resource of the adapter, ran out" },
	{ EACCES, "EACCES", "the host is not allowed to" },
	{ EBUSY, "EBUSY", "the device or connection is in use" },
	{ ENODEV, "ENODEV", "the device is gone" },
	{ EINVAL, "EINVAL", "an option or parameter is not accepted" },
	{ EPROTO, "EPROTO", "the target answered against the protocol" },
	{ EOPNOTSUPP, "EOPNOTSUPP", "the target or transport does not support what is asked" },
	{ EADDRNOTAVAIL, "EADDRNOTAVAIL", "the host has no such address" },
	{ ENETDOWN, "ENETDOWN", "the network is down" },
	{ ENETUNREACH, "ENETUNREACH", "there is no route to the target" },
	{ ENETRESET, "ENETRESET", "the controller was reset meanwhile" },
	{ ECONNABORTED, "ECONNABORTED", "the connection was given up" },
	{ ECONNRESET, "ECONNRESET", "the target closed the connection" },
	{ ENOBUFS, "ENOBUFS", "buffers ran out" },
	{ ENOTCONN, "ENOTCONN", "the connection is gone" },
	{ ETIMEDOUT, "ETIMEDOUT", "the target did not answer in time" },
	{ ECONNREFUSED, "ECONNREFUSED", "nobody listens at that address and port" },
	{ EHOSTDOWN, "EHOSTDOWN", "the target's host is down" },
	{ EHOSTUNREACH, "EHOSTUNREACH", "the target's host cannot be reached" },
	{ EALREADY, "EALREADY", "the host is connected to this subsystem already" },
	{ EKEYREJECTED, "EKEYREJECTED", "the key was rejected" },
	{ ENOKEY, "ENOKEY", "the key that is needed is missing" },
};

static const struct {
	int code;
	const char *means;
} statuses[] = {
	{ 0x002, "the target does not accept a field of the command" },
	{ 0x004, "data could not be transferred" },
	{ 0x006, "the target had an internal error" },
	{ 0x007, "the command was aborted" },
	{ 0x008, "the queue was deleted meanwhile" },
	{ 0x101, "the target does not accept this queue id: it has fewer queues" },
	{ 0x180, "the target does not know this format of the command" },
	{ 0x181, "the controller is busy: connected already, or with another host" },
	{ 0x182, "the target does not accept the parameters: subsystem name, controller id or queue" },
	{ 0x183, "discovery has to be started again" },
	{ 0x184, "the target does not allow this host to connect to this subsystem" },
	{ 0x191, "the target wants the host to authenticate" },
	{ 0x370, "no path to the target is left" },
	{ 0x371, "the host aborted the command" },
};

void qm_status_describe(long code, struct qm_status *ret)
{
	ret->means = NULL;
	if (code < 0) {
		snprintf(ret->name, sizeof(ret->name), "%ld", code);
		for (size_t i = 0; i < QM_ARRAY_SIZE(errnos); i++) {
			if (errnos[i].code == -code) {
				snprintf(ret->name, sizeof(ret->name), "%s", errnos[i].name);
				ret->means = errnos[i].means;
				return;
			}
		}
		return;
	}
	code &= ~(long)(STATUS_DNR | STATUS_MORE);
	snprintf(ret->name, sizeof(ret->name), "0x%lx", (unsigned long)code & 0xffff);
	for (size_t i = 0; i < QM_ARRAY_SIZE(statuses); i++) {
		if (statuses[i].code == code)
			ret->means = statuses[i].means;
	}
}
