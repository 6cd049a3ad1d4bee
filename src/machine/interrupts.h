/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often which CPU took an interrupt: /proc/interrupts, which is read only where counts are wanted, and for the names of
 * the handlers where nothing else tells any.
 */
#ifndef QM_INTERRUPTS_H
#define QM_INTERRUPTS_H

#include "machine/machine.h"

/* The line of a numbered interrupt; borrowed. */
struct qm_interrupts_line {
	unsigned nr;
	struct qm_irq_counts counts;
	const char *text; /* what follows the counts, without blanks around: chip, number there, trigger, handlers */
	size_t len;
};

#define QM_INTERRUPTS_PATH "proc/interrupts"
/* No kernel's file is as large: it would have 32768 interrupts of 3000 CPUs. */
#define QM_INTERRUPTS_MAX (1024L * 1024 * 1024)

/* Called for each such line, in the order of the file. 0, or -errno to stop. */
typedef int (*qm_interrupts_fn)(void *arg, const struct qm_interrupts_line *line);

/*
 * Reads an open file in pieces: memory does not grow with it. The first line says which CPUs have a column; a file without
 * one, as in some containers, has no counts. Returns the number of lines left out, because they are cut or have another
 * number of columns, or -errno.
 */
QM_MUST_CHECK long qm_interrupts_parse(int fd, qm_interrupts_fn fn, void *arg);

/* What a line's text tells; strings are borrowed from it. */
struct qm_interrupts_text {
	const char *chip;     /* "IR-PCI-MSIX-0000:04:00.0"; NULL = none */
	size_t chip_len;
	long hwirq;           /* -1 = not shown */
	const char *handlers; /* "nvme0q1", "virtio3, virtio0"; NULL = none */
	size_t handlers_len;
};

/* Takes the text behind the counts apart, in the forms of x86, arm, POWER and Xen guests, of old kernels and new. */
void qm_interrupts_split(const char *text, size_t len, struct qm_interrupts_text *ret);

#define QM_INTERRUPTS_NAMES  0x1u /* name, chip and hwirq, where they are not known */
#define QM_INTERRUPTS_COUNTS 0x2u

/* Reads what is asked for of all interrupts that m knows. What goes wrong is a problem. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_interrupts_read(const struct qm_dir *top, unsigned what, struct qm_machine *m);

#endif
