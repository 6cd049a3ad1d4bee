/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often which CPU took an interrupt: /proc/interrupts, which is read only where counts are wanted. */
#ifndef QM_INTERRUPTS_H
#define QM_INTERRUPTS_H

#include "machine/machine.h"

/* Called for each line of a numbered interrupt, in the order of the file. counts is borrowed. 0, or -errno to stop. */
typedef int (*qm_interrupts_fn)(void *arg, unsigned nr, const struct qm_irq_counts *counts);

/*
 * Reads an open file in pieces: memory does not grow with it. The first line says which CPUs have a column; a file without
 * one, as in some containers, has no counts. Returns the number of lines left out, because they are cut or have another
 * number of columns, or -errno.
 */
QM_MUST_CHECK long qm_interrupts_parse(int fd, qm_interrupts_fn fn, void *arg);

/* Reads the counts of all interrupts that m knows. What goes wrong is a problem. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_interrupts_read(const struct qm_dir *top, struct qm_machine *m);

#endif
