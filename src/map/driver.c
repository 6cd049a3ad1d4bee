// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/driver.h"

#include <limits.h>
#include <string.h>

#include "map/when.h"

/* From one version of upstream to another. A driver's rows follow each other, oldest first; the last has no end. */
struct driver_row {
	const char *driver;
	int to; /* last version, V() */
	enum qm_family family;
	unsigned pre;
	bool single, sure;
};

#define LAST INT_MAX

static const struct driver_row rows[] = {
	/*
	 * NVMe over PCI: up to 4.8 vectors were spread by the driver and the map was the generic one; then managed vectors,
	 * at first with vector 0 shared by the admin queue and the first I/O queue.
	 */
	{ "nvme", V(4, 7), QM_FAMILY_MAP, 0, false, true },
	{ "nvme", V(4, 8), QM_FAMILY_MAP, 0, false, false },
	{ "nvme", V(4, 15), QM_FAMILY_IRQ, 0, false, true },
	{ "nvme", V(4, 16), QM_FAMILY_IRQ, 1, false, false },
	{ "nvme", LAST, QM_FAMILY_IRQ, 1, false, true },
	{ "nvme-apple", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "nvme-tcp", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "nvme-loop", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "nvme-fc", LAST, QM_FAMILY_MAP, 0, false, false },
	/* 4.14 to 6.1 read the masks of the adapter's completion vectors, 6.11 does no more. */
	{ "nvme-rdma", V(4, 9), QM_FAMILY_MAP, 0, false, true },
	{ "nvme-rdma", V(4, 13), QM_FAMILY_MAP, 0, false, false },
	{ "nvme-rdma", V(6, 1), QM_FAMILY_VECTOR, 0, false, true },
	{ "nvme-rdma", V(6, 4), QM_FAMILY_VECTOR, 0, false, false },
	{ "nvme-rdma", V(6, 10), QM_FAMILY_MAP, 0, false, false },
	{ "nvme-rdma", LAST, QM_FAMILY_MAP, 0, false, true },
	/* The transport's configuration vector, and for SCSI control and event, come first. */
	{ "virtio_blk", V(4, 10), QM_FAMILY_MAP, 1, false, true },
	{ "virtio_blk", V(4, 13), QM_FAMILY_IRQ, 1, false, false },
	{ "virtio_blk", LAST, QM_FAMILY_IRQ, 1, false, true },
	{ "virtio_scsi", V(4, 10), QM_FAMILY_MAP, 3, false, true },
	{ "virtio_scsi", V(4, 13), QM_FAMILY_IRQ, 3, false, false },
	{ "virtio_scsi", LAST, QM_FAMILY_IRQ, 3, false, true },
	{ "null_blk", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "scsi_debug", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "loop", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "nbd", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "ublk_drv", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "rnbd_client", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "xen-blkfront", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "hv_storvsc", LAST, QM_FAMILY_MAP, 0, false, true },
	{ "ufshcd", LAST, QM_FAMILY_MAP, 0, false, false },
	/* Host bus adapters: one queue until the shared tag sets of 5.11 and later let their reply queues be seen. */
	{ "mpt3sas", V(5, 10), QM_FAMILY_MAP, 0, true, true },
	{ "mpt3sas", LAST, QM_FAMILY_IRQ, 0, false, false },
	{ "leapioraid", LAST, QM_FAMILY_IRQ, 0, false, false },
	{ "megaraid_sas", V(5, 10), QM_FAMILY_MAP, 0, true, true },
	{ "megaraid_sas", LAST, QM_FAMILY_IRQ, 0, false, false },
	{ "mpi3mr", LAST, QM_FAMILY_IRQ, 1, false, false },
	{ "smartpqi", V(4, 11), QM_FAMILY_MAP, 0, false, false },
	{ "smartpqi", LAST, QM_FAMILY_IRQ, 0, false, false },
	{ "hisi_sas_v3_hw", V(5, 3), QM_FAMILY_MAP, 0, true, false },
	{ "hisi_sas_v3_hw", LAST, QM_FAMILY_IRQ, 16, false, false },
	{ "hisi_sas_v2_hw", V(5, 10), QM_FAMILY_MAP, 0, true, false },
	{ "hisi_sas_v2_hw", LAST, QM_FAMILY_IRQ, 96, false, false },
	{ "hisi_sas_v1_hw", LAST, QM_FAMILY_MAP, 0, true, false },
	{ "qla2xxx", V(4, 11), QM_FAMILY_MAP, 0, false, false },
	{ "qla2xxx", LAST, QM_FAMILY_IRQ, 2, false, false },
	{ "lpfc", LAST, QM_FAMILY_MAP, 0, false, false },
	{ "pm80xx", V(5, 17), QM_FAMILY_MAP, 0, true, false },
	{ "pm80xx", LAST, QM_FAMILY_IRQ, 0, false, false },
	{ "aacraid", LAST, QM_FAMILY_MAP, 0, false, false },
	{ "hpsa", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "ibmvfc", LAST, QM_FAMILY_MAP, 0, false, false },
	{ "ibmvscsi", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "vmw_pvscsi", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "iscsi_tcp", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "ahci", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "ata_piix", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "usb-storage", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "uas", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "mmcblk", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "sr", LAST, QM_FAMILY_MAP, 0, true, true },
	{ "zram", LAST, QM_FAMILY_MAP, 0, true, true },
};

/*
 * How old the drivers are. Distributions that rework the block layer take drivers from far newer kernels than the version
 * says; where that was seen it is known, elsewhere the version is a lower bound.
 */
static int driver_age(const struct qm_kernel *k, bool *ret_sure)
{
	int v = qm_kernel_version(k);

	*ret_sure = v >= 0 && (BIT(k->distro) & STABLE);
	if (v < 0)
		return QM_NEWEST_SEEN;
	if (k->distro == QM_DISTRO_RHEL && v == V(4, 18)) {
		*ret_sure = k->distro_build[0] >= 147 && k->distro_build[0] <= 394;
		return k->distro_build[0] < 147 ? V(4, 18) : k->distro_build[0] < 394 ? V(5, 1) : V(5, 15);
	}
	return v;
}

static const struct qm_algo *vectors_of(const struct driver_row *row, int age)
{
	bool virtio = strncmp(row->driver, "virtio_", 7) == 0;
	const char *id;

	if (row->family == QM_FAMILY_MAP)
		return NULL;
	if (row->family == QM_FAMILY_VECTOR)
		id = "v4.14";
	else if (age >= V(6, 14))
		id = "v6.14";
	else
		id = virtio ? "v4.11" : age >= V(4, 13) ? "v4.13" : "v4.9";
	return qm_algo_find(QM_FAMILY_VECTOR, id);
}

void qm_driver_rule_get(const char *driver, const struct qm_kernel *k, struct qm_driver_rule *ret)
{
	bool sure, last;
	int age = driver_age(k, &sure);

	*ret = (struct qm_driver_rule){ .family = QM_FAMILY_MAP };
	for (size_t i = 0; driver && i < QM_ARRAY_SIZE(rows); i++) {
		const struct driver_row *row = &rows[i];

		if (strcmp(row->driver, driver) != 0 || age > row->to)
			continue;
		ret->driver = row->driver;
		ret->family = row->family;
		ret->pre_vectors = row->pre;
		ret->managed = row->family == QM_FAMILY_IRQ;
		ret->single = row->single;
		ret->vectors = vectors_of(row, age);
		/* What only ever was one way is that way whoever built the kernel; only the version must be old enough. */
		last = row->to == LAST;
		ret->sure = row->sure && age <= QM_NEWEST_SEEN && (sure || (last && qm_kernel_version(k) >= 0));
		return;
	}
}

enum qm_nvme_pci_rule qm_driver_nvme_pci_rule(const struct qm_kernel *k, bool *ret_sure)
{
	bool sure;
	int age = driver_age(k, &sure);

	/* Types came with 5.0 or 5.1; who is old may have had them brought in. */
	*ret_sure = age <= QM_NEWEST_SEEN && age != V(5, 0) && age != V(4, 16) &&
		    (sure || (age > V(5, 0) && qm_kernel_version(k) >= 0));
	if (age <= V(4, 15))
		return QM_NVME_PCI_SHARED;
	return age <= V(5, 0) ? QM_NVME_PCI_PRE : QM_NVME_PCI_TYPES;
}
