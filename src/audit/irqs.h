/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and their owners, for the rules. */
#ifndef QM_AUDIT_IRQS_H
#define QM_AUDIT_IRQS_H

#include "audit/audit.h"

/* Fills irqs and other_irqs of every controller. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_audit_find_irqs(struct qm_audit *a);
/*
 * Those that no controller owns, as indices; added to *ret. None where the user asked for certain controllers: these
 * are not theirs. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_audit_unowned_irqs(const struct qm_audit *a, struct qm_ids *ret);
/* One handler after the other of an interrupt with several; *p starts as its name and may be NULL. */
bool qm_irq_next_name(const char **p, const char **ret, size_t *ret_len);
/* By its name, a storage driver's interrupt, whether or not its owner is known. */
bool qm_irq_is_storage(const struct qm_irq *irq);
/*
 * What names its device, of the first storage driver's handler: "nvme0" of "nvme0q3", "megasas1" of "megasas1-msix7". False
 * where there is none.
 */
bool qm_irq_device(const struct qm_irq *irq, const char **ret, size_t *ret_len);
/* Does one of its handlers complete requests, going by a storage driver's names? */
bool qm_irq_completes(const struct qm_irq *irq);
/* The driver that names its interrupts so; NULL = none known here. */
const char *qm_irq_driver(const struct qm_irq *irq);
/* A storage driver's name that says neither which controller nor which queue. */
bool qm_irq_has_nameless_owner(const struct qm_irq *irq);

/* Why is the CPU in use outside the mask? */
enum qm_irq_outside {
	QM_OUTSIDE_NOT,
	QM_OUTSIDE_PENDING,   /* a move that waits for the next interrupt */
	QM_OUTSIDE_SHUT_DOWN, /* a managed one whose CPUs are all offline */
};

enum qm_irq_outside qm_irq_outside_mask(const struct qm_topology *t, const struct qm_irq *irq);
const char *qm_irq_outside_name(enum qm_irq_outside o); /* "pending", "shut-down"; NULL for not */
/*
 * May nobody but the kernel move an interrupt? 1, 0, -1 = unknown: what the machine shows, else what is certain of the
 * driver on this kernel. *ret_by: how that is known, "debugfs", "mode" or "driver"; NULL = unknown. c is the controller it
 * belongs to; NULL = its name tells the driver.
 */
int qm_irq_who_places(const struct qm_machine *m, const struct qm_controller *c, const struct qm_irq *irq,
	const char **ret_by);
/* The same where it does not matter how that is known. */
int qm_irq_is_managed(const struct qm_machine *m, const struct qm_controller *c, const struct qm_irq *irq);

#endif
