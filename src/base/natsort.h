/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Natural order of names: runs of digits compare as numbers, so nvme2 comes before nvme10. */
#ifndef QM_NATSORT_H
#define QM_NATSORT_H

/* As strcmp(). Names that differ only in leading zeros are ordered by bytes, so the order is total. */
int qm_natcmp(const char *a, const char *b);
/* For qsort() over an array of char *. */
int qm_natcmp_ptr(const void *a, const void *b);

#endif
