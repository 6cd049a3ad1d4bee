/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is fuzzed: one function for each kind of text that may come from a stranger. */
#ifndef QM_FUZZ_TARGETS_H
#define QM_FUZZ_TARGETS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Looks at one input. text is data with a NUL behind it, and may hold others. */
struct fuzz_target {
	const char *name;
	void (*run)(const char *text, size_t len);
};

void fuzz_cpus(const char *text, size_t len);
void fuzz_klog(const char *text, size_t len);
void fuzz_topology(const char *text, size_t len);
void fuzz_plan(const char *text, size_t len);
void fuzz_synthetic(const char *text, size_t len);
void fuzz_release(const char *text, size_t len);
void fuzz_interrupts(const char *text, size_t len);
void fuzz_tree(const char *text, size_t len);

/* Must hold for any input, however broken; never for what only a good input has. */
#define FUZZ_CHECK(condition)                                                                                          \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                               \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

#endif
