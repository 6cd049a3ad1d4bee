/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that the user names on the command line: anywhere, of any kind. */
#ifndef QM_INPUT_H
#define QM_INPUT_H

#include <stddef.h>

#include "base/cleanup.h"

/* What a message calls such a file: "-" would say little. */
const char *qm_input_name(const char *path);
/*
 * Opens a file for reading; "-" is standard input. Pipes and devices are welcome, since the user asked for them; a
 * directory is -EISDIR. Returns a descriptor that the caller closes, or -errno.
 */
QM_MUST_CHECK int qm_input_open(const char *path);
/*
 * Opens the kernel's own log of this machine: each read() gives one record, at the end -EAGAIN instead of waiting, and
 * -EPIPE where records were overwritten meanwhile. Returns a descriptor that the caller closes, or -errno.
 */
QM_MUST_CHECK int qm_input_open_kmsg(void);
/* Whole file as a new NUL-terminated string of *ret_len bytes; -EFBIG where it has more than max. 0 or -errno. */
QM_MUST_CHECK int qm_input_read(const char *path, size_t max, char **ret, size_t *ret_len);

/* Writes all of it to an open file, in as many calls as that takes. 0 or -errno; -EIO where the file takes nothing more. */
QM_MUST_CHECK int qm_output_all(int fd, const char *data, size_t len);
/* Writes a file that the user named, replacing what was in it. 0 or -errno. */
QM_MUST_CHECK int qm_output_write(const char *path, const char *data, size_t len);

#endif
