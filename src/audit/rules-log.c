// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules that only a kernel log can show. The audit reads none: diagnose names them, explain describes them. */
#include "audit/rules.h"

const struct qm_rule qm_rules_log[] = {
	{
		.name = "rdma-resource-limit",
		.severity = QM_ERROR,
		.family = "log",
		.title = "an RDMA connect fails at a limit of the adapter, not at the queue map",
		.text = "Meaning: \"failed to initialize MR pool sized D for QID Q\" and the connect ends with -12 or "
			"-22: the adapter has no memory regions left; each queue takes as many as its depth.\n"
			"Consequence: the controller cannot be connected with that number of queues, however the CPUs "
			"are mapped.\n"
			"Remedy: fewer queues (nvme connect -i, below the queue that failed) or shorter ones (-Q).\n"
			"Kernels: all; it depends on adapter and firmware.\n"
			"No problem: never; but do not look for offline CPUs because of it.",
	},
	{
		.name = "vector-exhausted",
		.severity = QM_WARNING,
		.family = "log",
		.title = "a CPU has no interrupt vector left",
		.text = "Meaning: \"Affinity broken due to vector space exhaustion\", or writing an affinity fails "
			"with ENOSPC: each x86 CPU has about 200 vectors, and those of the mask are all taken.\n"
			"Consequence: the interrupt goes to another CPU than asked for, or the write is refused; "
			"taking CPUs offline may be refused too.\n"
			"Remedy: fewer queues per device, or masks with more CPUs; it may work again later.\n"
			"Kernels: the message since about 5.6; the limit on all x86.\n"
			"No problem: a single refusal while CPUs come and go.",
	},
	{
		.name = "log-timeout",
		.severity = QM_WARNING,
		.family = "log",
		.title = "requests of a queue timed out",
		.text = "Meaning: \"I/O T QID Q timeout\": queue Q (hctx Q-1) got no completion in time. With "
			"\"completion polled\" the device had finished and only the interrupt was missing.\n"
			"Consequence: stalls of 30 seconds and more; with \"aborting\" or a reset, errors.\n"
			"Remedy: look at that queue's interrupt: its CPU offline, its affinity just moved (irqbalance, "
			"scripts), or lost by the hypervisor. If the interrupt is fine it is the device or the path.\n"
			"Kernels: all; arm64 before 5.7 could lose an interrupt whose affinity changed under load.\n"
			"No problem: never.",
	},
	{
		.name = "log-irq-lost",
		.severity = QM_WARNING,
		.family = "log",
		.title = "an interrupt found no CPU or no handler",
		.text = "Meaning: \"No irq handler for vector\", \"Managed startup for irq N, but no CPU\" or the "
			"like: an interrupt arrived where nobody expected it, or could not be placed.\n"
			"Consequence: a completion may be missing until a timeout finds it.\n"
			"Remedy: look at CPU hotplug and affinity changes at that moment; a newer kernel if it comes "
			"back.\n"
			"Kernels: all.\n"
			"No problem: once, while CPUs go offline.",
	},
	{
		.name = "log-errno",
		.severity = QM_INFO,
		.family = "log",
		.title = "an error number of the log in words",
		.text = "Meaning: older kernels print a failed Connect command as \"error wo/DNR bit: -16402\": an "
			"errno with bit 14 cleared, here -18, EXDEV. Newer ones print \"errno: -18\". Positive numbers "
			"are NVMe status codes.\n"
			"Consequence: -18 is a queue without a usable CPU; -12 no memory or memory regions; -4 "
			"interrupted.\n"
			"Remedy: that of the cause, which diagnose names beside it.\n"
			"Kernels: the old form up to 5.19.\n"
			"No problem: it only translates.",
	},
	{
		.name = "log-wrong-cpu",
		.severity = QM_INFO,
		.family = "log",
		.title = "a queue was run from a CPU it does not serve",
		.text = "Meaning: \"run queue from wrong CPU C, hctx active\", often with a stack dump that looks like "
			"a crash: between choosing a CPU and running there, that CPU came online or went offline.\n"
			"Consequence: none; the work is done on the wrong CPU once.\n"
			"Remedy: nothing needs doing if a CPU changed state within a second of it; else look at the "
			"queue map.\n"
			"Kernels: 4.x and 5.x.\n"
			"No problem: near CPU hotplug, in guests too.",
	},
	{ 0 },
};
