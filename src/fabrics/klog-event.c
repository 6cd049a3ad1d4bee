// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabrics/klog-event.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fabrics/klog-line.h"

/* Bit 14 of a status says "do not retry"; the old message printed the code with this bit cleared, errnos included. */
#define STATUS_DNR 0x4000

long qm_klog_code_decode(long raw)
{
	return raw < -STATUS_DNR && raw >= -2 * STATUS_DNR ? raw + STATUS_DNR : raw;
}

/* Where the numbers of a pattern go. */
enum field {
	F_N0, F_N1, F_N2,
	F_STATUS,
	F_QID,
	F_POOL,
	F_CPU,
	F_IRQ,
	F_VECTOR,
	F_SKIP,
	F_END,
};

struct pattern {
	const char *text;
	enum qm_klog_event_type type;
	enum qm_klog_kind kind; /* of QM_EVENT_INCIDENT */
	enum field fields[4];
};

#define FIELDS(...) { __VA_ARGS__, F_END }
#define INCIDENT(k) QM_EVENT_INCIDENT, QM_KLOG_##k
#define EVENT(t) QM_EVENT_##t, 0

/* Behind "nvme nvmeN: ". The first that fits counts. */
static const struct pattern controller_patterns[] = {
	{ "creating %d I/O queues", EVENT(CREATING), FIELDS(F_N0) },
	{ "mapped %d/%d/%d default/read/poll queues", EVENT(MAPPED), FIELDS(F_N0, F_N1, F_N2) },
	{ "Connect command failed, errno: %d", EVENT(CONNECT_CODE), FIELDS(F_N0) },
	{ "Connect command failed, error wo/DNR bit: %d", EVENT(CONNECT_RAW), FIELDS(F_N0) },
	{ "failed to connect queue: %d ret=%d", EVENT(CONNECT_QUEUE), FIELDS(F_N0, F_N1) },
	{ "failed to connect i/o queue: %d", EVENT(CONNECT_ERROR), FIELDS(F_N0) },
	{ "Reconnecting in ", EVENT(RECONNECTING), { F_END } },
	{ "Failed reconnect attempt ", EVENT(RECONNECTING), { F_END } },
	{ "NVME-FC{%d}:%*econnect attempt failed (%d)", EVENT(RECONNECT_FAILED), FIELDS(F_SKIP, F_N0) },
	{ "NVME-FC{%d}: controller connect complete", EVENT(CONNECTED), FIELDS(F_SKIP) },
	{ "new ctrl: ", EVENT(CONNECTED), { F_END } },
	{ "NVME-FC{%d}: new ctrl: ", EVENT(CONNECTED), FIELDS(F_SKIP) },
	{ "Successfully reconnected", EVENT(CONNECTED), { F_END } },
	{ "Removing ctrl: ", EVENT(REMOVED), { F_END } },
	{ "Removing controller", EVENT(REMOVED), { F_END } },
	{ "failed to initialize MR pool sized %d for QID %d", INCIDENT(MR_POOL), FIELDS(F_POOL, F_QID) },
	{ "failed to initialize PI MR pool sized %d for QID %d", INCIDENT(MR_POOL), FIELDS(F_POOL, F_QID) },
	{ "rdma connection establishment failed (%d)", INCIDENT(NO_CONNECTION), FIELDS(F_STATUS) },
	{ "rdma_resolve_addr failed (%d)", INCIDENT(NO_CONNECTION), FIELDS(F_STATUS) },
	{ "rdma_resolve_route failed (%d)", INCIDENT(NO_CONNECTION), FIELDS(F_STATUS) },
	{ "failed to connect socket: %d", INCIDENT(NO_CONNECTION), FIELDS(F_STATUS) },
	{ "failed to create socket: %d", INCIDENT(NO_CONNECTION), FIELDS(F_STATUS) },
	{ "Connect rejected: status %d", INCIDENT(NO_CONNECTION), FIELDS(F_STATUS) },
	{ "unable to set any I/O queues", INCIDENT(TARGET_LIMIT), { F_END } },
	{ "Could not set queue count (%d)", INCIDENT(TARGET_LIMIT), FIELDS(F_STATUS) },
	{ "qid %d: authentication", INCIDENT(AUTHENTICATION), FIELDS(F_QID) },
	{ "qid %d auth", INCIDENT(AUTHENTICATION), FIELDS(F_QID) },
	{ "qid %d: no key", INCIDENT(AUTHENTICATION), FIELDS(F_QID) },
	{ "authentication failed", INCIDENT(AUTHENTICATION), { F_END } },
	{ "I/O %*QID %d timeout, completion polled", INCIDENT(TIMEOUT_POLLED), FIELDS(F_QID) },
	{ "I/O %*QID %d timeout", INCIDENT(TIMEOUT), FIELDS(F_QID) },
	{ "queue %d: timeout ", INCIDENT(TIMEOUT), FIELDS(F_QID) },
	{ "NVME-FC{%d.%d}: io timeout", INCIDENT(TIMEOUT), FIELDS(F_SKIP, F_QID) },
};

/* Messages of anybody else. */
static const struct pattern general_patterns[] = {
	{ "run queue from wrong CPU %d, hctx ", INCIDENT(WRONG_CPU), FIELDS(F_CPU) },
	{ "IRQ %d: no longer affine to CPU%d", INCIDENT(IRQ_MOVED), FIELDS(F_IRQ, F_CPU) },
	{ "IRQ%d: no longer affine to CPU%d", INCIDENT(IRQ_MOVED), FIELDS(F_IRQ, F_CPU) },
	{ "IRQ%d no longer affine to CPU%d", INCIDENT(IRQ_MOVED), FIELDS(F_IRQ, F_CPU) },
	{ "irq %d: Affinity broken due to vector space exhaustion", INCIDENT(VECTORS_OUT), FIELDS(F_IRQ) },
	{ "Managed startup for irq %d, but no CPU", INCIDENT(IRQ_NO_CPU), FIELDS(F_IRQ) },
	{ "do_IRQ: %d.%d No irq handler", INCIDENT(IRQ_NO_HANDLER), FIELDS(F_CPU, F_VECTOR) },
	{ "__common_interrupt: %d.%d No irq handler", INCIDENT(IRQ_NO_HANDLER), FIELDS(F_CPU, F_VECTOR) },
	{ "common_interrupt: %d.%d No irq handler", INCIDENT(IRQ_NO_HANDLER), FIELDS(F_CPU, F_VECTOR) },
	{ "call_irq_handler: %d.%d No irq handler", INCIDENT(IRQ_NO_HANDLER), FIELDS(F_CPU, F_VECTOR) },
	{ "smpboot: CPU %d is now offline", EVENT(CPU_OFFLINE), FIELDS(F_N0) },
	{ "CPU %d is now offline", EVENT(CPU_OFFLINE), FIELDS(F_N0) },
	{ "psci: CPU%d killed", EVENT(CPU_OFFLINE), FIELDS(F_N0) },
	{ "CPU%d: shutdown", EVENT(CPU_OFFLINE), FIELDS(F_N0) },
	{ "smpboot: Booting Node %d Processor %d APIC", EVENT(CPU_ONLINE), FIELDS(F_SKIP, F_N0) },
	{ "CPU%d: Booted secondary processor", EVENT(CPU_ONLINE), FIELDS(F_N0) },
	{ "nvme_fabrics: found same host%* but different host", INCIDENT(HOST_IDENTITY), { F_END } },
	{ "nvme_fabrics: no handler found for transport", INCIDENT(BAD_OPTION), { F_END } },
	{ "nvme_fabrics: unknown parameter or missing value", INCIDENT(BAD_OPTION), { F_END } },
	{ "nvme_fabrics: invalid parameter", INCIDENT(BAD_OPTION), { F_END } },
	{ "nvme_fabrics: Invalid number of IOQs", INCIDENT(BAD_OPTION), { F_END } },
	{ "Linux version ", EVENT(BOOT), { F_END } },
};

static void store(struct qm_klog_event *e, enum field f, long v)
{
	switch (f) {
	case F_N0:
	case F_N1:
	case F_N2:
		e->n[f - F_N0] = v;
		break;
	case F_STATUS:
		e->status = v;
		e->has_status = true;
		break;
	case F_QID:
		e->qid = v;
		break;
	case F_POOL:
		e->pool = v;
		break;
	case F_CPU:
		e->cpu = v;
		break;
	case F_IRQ:
		e->irq = v;
		break;
	case F_VECTOR:
		e->vector = v;
		break;
	case F_SKIP:
	case F_END:
		break;
	}
}

static bool try_patterns(const struct pattern *p, size_t n, const char *text, struct qm_klog_event *e)
{
	for (size_t i = 0; i < n; i++) {
		long v[4];

		if (p[i].text[0] != text[0] || !qm_klog_scan(text, p[i].text, v))
			continue;
		e->type = p[i].type;
		e->kind = p[i].kind;
		for (unsigned k = 0; p[i].fields[k] != F_END; k++)
			store(e, p[i].fields[k], v[k]);
		return true;
	}
	return false;
}

/* "nvme nvme12: " before the message of a controller; NULL for any other. */
static const char *take_controller(const char *message, struct qm_klog_event *e)
{
	size_t digits;

	if (strncmp(message, "nvme nvme", 9) != 0)
		return NULL;
	digits = strspn(message + 9, "0123456789");
	if (digits < 1 || digits > 9 || strncmp(message + 9 + digits, ": ", 2) != 0)
		return NULL;
	snprintf(e->controller, sizeof(e->controller), "%.*s", (int)(4 + digits), message + 5);
	return message + 9 + digits + 2;
}

/* What the kernel says where the target refused the Connect command for a reason of its own. */
static bool is_refusal(const char *text)
{
	return strncmp(text, "Connect Invalid ", 16) == 0 || strncmp(text, "Connect for subsystem ", 22) == 0 ||
	       strncasecmp(text, "Connect Incompatible ", 21) == 0 || strncmp(text, "Connect command failed: ", 24) == 0;
}

void qm_klog_event_parse(const char *message, struct qm_klog_event *ret)
{
	const char *text;

	*ret = (struct qm_klog_event){ .qid = -1, .pool = -1, .cpu = -1, .irq = -1, .vector = -1 };
	text = take_controller(message, ret);
	if (!text) {
		try_patterns(general_patterns, QM_ARRAY_SIZE(general_patterns), message, ret);
		ret->text = ret->type == QM_EVENT_BOOT ? message + strlen("Linux version ") : message;
		return;
	}
	ret->text = message;
	if (try_patterns(controller_patterns, QM_ARRAY_SIZE(controller_patterns), text, ret))
		return;
	/* A target's refusal: the code comes with the next line. */
	if (is_refusal(text)) {
		ret->type = QM_EVENT_CONNECT_CODE;
		ret->n[0] = 0;
	}
}
