// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "map/driver.h"

static void rules(void **state)
{
	static const struct {
		const char *driver, *release;
		enum qm_family family;
		unsigned pre;
		bool single;
		const char *vectors;
		bool sure;
	} t[] = {
		{ "nvme", "4.4.100", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "nvme", "4.9.1", QM_FAMILY_IRQ, 0, false, "v4.9", true },
		{ "nvme", "4.14.154", QM_FAMILY_IRQ, 0, false, "v4.13", true },
		{ "nvme", "4.16", QM_FAMILY_IRQ, 1, false, "v4.13", false },
		{ "nvme", "4.19.191", QM_FAMILY_IRQ, 1, false, "v4.13", true },
		{ "nvme", "6.1.0-18-amd64", QM_FAMILY_IRQ, 1, false, "v4.13", true },
		{ "nvme", "7.2.13+deb14-amd64", QM_FAMILY_IRQ, 1, false, "v6.14", true },
		{ "nvme", "4.18.0-147.el8.x86_64", QM_FAMILY_IRQ, 1, false, "v4.13", true },
		{ "nvme", "5.14.0-427.el9", QM_FAMILY_IRQ, 1, false, "v4.13", true },
		{ "nvme", "4.12.14-122.37-default", QM_FAMILY_IRQ, 0, false, "v4.9", false },
		{ "nvme", "9.0", QM_FAMILY_IRQ, 1, false, "v6.14", false },
		{ "nvme-tcp", "5.10.198", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "nvme-loop", "6.12", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "nvme-rdma", "4.9.1", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "nvme-rdma", "4.14.154", QM_FAMILY_VECTOR, 0, false, "v4.14", true },
		{ "nvme-rdma", "6.1.192", QM_FAMILY_VECTOR, 0, false, "v4.14", true },
		{ "nvme-rdma", "6.6", QM_FAMILY_MAP, 0, false, NULL, false },
		{ "nvme-rdma", "6.11.5", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "nvme-rdma", "5.14.0-427.el9", QM_FAMILY_VECTOR, 0, false, "v4.14", false },
		{ "virtio_blk", "4.9.1", QM_FAMILY_MAP, 1, false, NULL, true },
		{ "virtio_blk", "4.14.154", QM_FAMILY_IRQ, 1, false, "v4.11", true },
		{ "virtio_blk", "6.12.9-amd64", QM_FAMILY_IRQ, 1, false, "v4.11", true },
		{ "virtio_scsi", "7.0", QM_FAMILY_IRQ, 3, false, "v6.14", true },
		{ "null_blk", "3.14.0-foo", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "scsi_debug", "6.1", QM_FAMILY_MAP, 0, false, NULL, true },
		{ "ahci", "6.1", QM_FAMILY_MAP, 0, true, NULL, true },
		{ "mpt3sas", "5.4.1", QM_FAMILY_MAP, 0, true, NULL, true },
		{ "mpt3sas", "6.1", QM_FAMILY_IRQ, 0, false, "v4.13", false },
		{ "hisi_sas_v3_hw", "6.1", QM_FAMILY_IRQ, 16, false, "v4.13", false },
		{ "mpi3mr", "6.1", QM_FAMILY_IRQ, 1, false, "v4.13", false },
		{ "frobnicator", "6.1", QM_FAMILY_MAP, 0, false, NULL, false },
		{ NULL, "6.1", QM_FAMILY_MAP, 0, false, NULL, false },
		{ "nvme", NULL, QM_FAMILY_IRQ, 1, false, "v6.14", false },
		{ "nvme", "garbage", QM_FAMILY_IRQ, 1, false, "v6.14", false },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_driver_rule rule;
		struct qm_kernel k = { 0 };
		int r = t[i].release ? qm_kernel_parse(t[i].release, &k) : 0;

		print_message("# %s on %s\n", t[i].driver ? t[i].driver : "-", t[i].release ? t[i].release : "-");
		assert_true(r == 0 || r == -EINVAL);
		qm_driver_rule_get(t[i].driver, &k, &rule);
		assert_int_equal(rule.family, t[i].family);
		assert_int_equal(rule.pre_vectors, t[i].pre);
		assert_int_equal(rule.managed, t[i].family == QM_FAMILY_IRQ);
		assert_int_equal(rule.single, t[i].single);
		assert_int_equal(rule.sure, t[i].sure);
		if (t[i].vectors)
			assert_string_equal(rule.vectors->id, t[i].vectors);
		else
			assert_null(rule.vectors);
		qm_kernel_done(&k);
	}
}

static void nvme_sets(void **state)
{
	static const struct {
		const char *release;
		enum qm_nvme_pci_rule rule;
		bool sure;
	} t[] = {
		{ "4.14.154", QM_NVME_PCI_SHARED, true },
		{ "4.15", QM_NVME_PCI_SHARED, true },
		{ "4.16", QM_NVME_PCI_PRE, false },
		{ "4.19.191", QM_NVME_PCI_PRE, true },
		{ "5.0", QM_NVME_PCI_PRE, false },
		{ "5.1", QM_NVME_PCI_TYPES, true },
		{ "6.1.192", QM_NVME_PCI_TYPES, true },
		{ "4.18.0-80.el8.x86_64", QM_NVME_PCI_PRE, false },
		{ "4.18.0-147.el8.x86_64", QM_NVME_PCI_TYPES, true },
		{ "5.14.0-427.el9", QM_NVME_PCI_TYPES, true },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct qm_kernel k = { 0 };
		bool sure;

		print_message("# %s\n", t[i].release);
		assert_int_equal(qm_kernel_parse(t[i].release, &k), 0);
		assert_int_equal(qm_driver_nvme_pci_rule(&k, &sure), t[i].rule);
		assert_int_equal(sure, t[i].sure);
		qm_kernel_done(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(nvme_sets),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
