/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scope-bound cleanup and the few attributes the tree uses. */
#ifndef QM_CLEANUP_H
#define QM_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

#define QM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define QM_MUST_CHECK __attribute__((warn_unused_result))

#define QM_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void qm_cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void qm_cleanup_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_ __attribute__((cleanup(qm_cleanup_freep)))
#define _cleanup_close_ __attribute__((cleanup(qm_cleanup_closep)))
/* For a type with a "void fn(struct type *)" destructor that accepts a zeroed object. */
#define _cleanup_(fn) __attribute__((cleanup(fn)))

#endif
