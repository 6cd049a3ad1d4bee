/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One allocation or system call that fails: the n-th. Programs that are linked with inject.c and with the linker's --wrap of
 * all that it defines (fault_wraps in Makemodule.am) can arm it. Without a sanitizer the libraries' and libc's own
 * allocations count, too; system calls are those of libqmap.
 */
#ifndef QM_TEST_INJECT_H
#define QM_TEST_INJECT_H

#include <stdbool.h>

enum inject_kind {
	INJECT_NONE,
	INJECT_ALLOC, /* an allocation gives nothing */
	INJECT_OWN,   /* the same, of those alone that are not a library's */
	INJECT_CALL,  /* a system call fails with .error and does nothing: EINTR those that wait, ENOSPC and EROFS those that write */
	INJECT_SHORT, /* a write takes nothing and does not say why */
	INJECT_RACE,  /* nothing fails: .meanwhile() is run just before a system call */
};

enum inject_then {
	INJECT_ONCE,      /* all that follows succeeds */
	INJECT_ONWARD,    /* so do all others from there on */
	INJECT_NO_MEMORY, /* and the next allocation of ours gives nothing */
};

struct inject {
	enum inject_kind kind;
	enum inject_then then;
	int error;
	unsigned long at, calls;
	unsigned long spare; /* with INJECT_NO_MEMORY: so many allocations are still made */
	bool hit;
	bool endless; /* directories begin anew where they end, links fill all the room there is */
	void (*meanwhile)(void);
	const char *what; /* the call that failed first */
};

extern struct inject inject;

/* The at-th from now on fails; with 0 none does, and .calls counts. */
void inject_arm(enum inject_kind kind, int error, unsigned long at);
void inject_disarm(void);
/* How many pieces of memory are not given back; 0 with a sanitizer, which looks for itself. */
long inject_live(void);

#endif
