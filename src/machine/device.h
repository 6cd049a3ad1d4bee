/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that read devices share; for src/machine only. */
#ifndef QM_DEVICE_H
#define QM_DEVICE_H

#include <errno.h>

#include "machine/machine.h"

/* Most hardware queues of one controller: ids are below it. */
#define QM_HCTX_MAX 65536u
/* Most queues of one machine that no directory shows: a hostile count must not cost memory. */
#define QM_HCTX_UNSEEN_MAX 65536u

/* Node ids are below it. */
#define QM_NODE_ID_MAX 65536

struct qm_scan {
	struct qm_root *root;
	struct qm_machine *m;
	struct qm_dir top;         /* the root as a directory */
	struct qm_dir debug_block; /* sys/kernel/debug/block; fd -1 where absent or refused */
	int null_blk;              /* the module is there: 1, 0, -1 = not looked yet */
	struct qm_parameter {      /* a module's parameter, read for its first device */
		bool read;
		long value;
	} parameters[2];
};

/* For optional facts: absence and problems (which were recorded) leave them unknown, only lack of memory is an error. */
static inline int qm_optional(int r)
{
	return r == -ENOMEM ? r : 0;
}

/* A number file into a long, left alone where unknown. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_scan_long(const struct qm_dir *dir, const char *name, long *ret);

/* Where an entry of a class directory leads; the entry itself where it is no link. New string. */
QM_MUST_CHECK int qm_scan_class_target(struct qm_scan *s, const char *class, const char *name, char **ret);

/* disk.c: all block devices, natural order, with name and path only. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_disks_find(struct qm_scan *s);
/*
 * The last resort: every directory below sys/devices, links left alone. Adds the disks that are not known yet and leaves
 * them all sorted. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_disks_walk(struct qm_scan *s);
/* What kind of disk it is, and what it stands on. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_disk_classify(struct qm_scan *s, struct qm_disk *d);

/* controller.c: all attributes of a controller whose map was read. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_controller_read(struct qm_scan *s, struct qm_controller *c);

/*
 * hctx.c: reads the queue map of a controller through one of its disks: mq/ and how many queues debugfs has. 1: read, 0:
 * the disk has no mq directory, or -ENOMEM.
 */
QM_MUST_CHECK int qm_hctx_read(struct qm_scan *s, struct qm_controller *c, const struct qm_disk *disk);
/* When the driver and the other witnesses are known: the number of queues and their types. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_hctx_finish(struct qm_scan *s, struct qm_controller *c, const struct qm_disk *disk);
/*
 * Makes the number of queues from what the witnesses in c->counts say and what was seen, and puts contradictions into the
 * problems. To be called again when a count was added. 0 or -ENOMEM.
 */
QM_MUST_CHECK int qm_hctx_settle(struct qm_machine *m, struct qm_controller *c);
/* Counts the types after they were found out or changed. */
void qm_hctx_count_types(struct qm_controller *c);

/* nvme.c: attributes of an NVMe controller whose name and syspath are set; node from its own file. 0 or -ENOMEM. */
QM_MUST_CHECK int qm_nvme_read(struct qm_scan *s, struct qm_controller *c);
/* Is it one of the NVMe drivers' controllers? By its name, "nvmeN". */
bool qm_nvme_is_controller(const struct qm_controller *c);

#endif
