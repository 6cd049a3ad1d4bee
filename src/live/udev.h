/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What udev knows of the running host's block devices. libudev always looks at the host, so this is for a live source
 * only. Built without libudev every call returns -EOPNOTSUPP.
 */
#ifndef QM_UDEV_H
#define QM_UDEV_H

#include <stddef.h>

#include "base/cleanup.h"

struct qm_udev;

QM_MUST_CHECK int qm_udev_new(struct qm_udev **ret);
/* Accepts NULL. */
void qm_udev_free(struct qm_udev *u);
/*
 * The persistent names of a block device without "/dev/" ("disk/by-id/..."), in natural order; *ret is an array of *ret_n
 * new strings, NULL where there are none. -ENOENT: udev does not know the device. -ENOMEM.
 */
QM_MUST_CHECK int qm_udev_links(struct qm_udev *u, const char *sysname, char ***ret, size_t *ret_n);
/* A property of a block device ("ID_SERIAL") as a new string. -ENOENT: no such device or property. -ENOMEM. */
QM_MUST_CHECK int qm_udev_property(struct qm_udev *u, const char *sysname, const char *key, char **ret);

#endif
