/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of devices and the components of their paths in sysfs. For src/machine only. */
#ifndef QM_SYSPATH_H
#define QM_SYSPATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/* "dir/file", cut where it does not fit. For the paths of tens of thousands of files, where snprintf() would be felt. */
void qm_name_join(char *buf, size_t size, const char *dir, const char *file);

/*
 * Text that starts with word and goes on with a decimal number without leading zeros and nothing else ("nvme12"); len is
 * its length. False for numbers above INT_MAX too.
 */
bool qm_name_has_number(const char *s, size_t len, const char *word, unsigned *ret);
/* The same where nobody asks for the number. */
bool qm_name_is(const char *name, const char *word);
/* "nvme0n1" or "nvme0c3n1": the instance, the path part (-1 where it has none) and the namespace. */
bool qm_name_is_nvme_disk(const char *name, unsigned *ret_instance, int *ret_path, unsigned *ret_head);

/* Components: "0000:04:00.0", "10000:e1:00.0"; "host3"; "nvme0". */
bool qm_syspath_is_pci(const char *s, size_t len);
bool qm_syspath_is_host(const char *s, size_t len);
bool qm_syspath_is_nvme(const char *s, size_t len);

/* The last component that match() takes, and its length; NULL if there is none. Borrowed from path. */
const char *qm_syspath_find(const char *path, bool (*match)(const char *, size_t), size_t *ret_len);
/* Does a component start with word? With word and then a digit? */
bool qm_syspath_has(const char *path, const char *word);
bool qm_syspath_has_numbered(const char *path, const char *word);
/* The directory a path is in; a new string, NULL without memory. */
char *qm_syspath_parent(const char *path);
/* "a/b" as a new string. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_syspath_join(const char *a, const char *b, char **ret);

#endif
