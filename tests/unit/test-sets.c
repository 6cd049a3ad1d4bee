// SPDX-License-Identifier: GPL-2.0-or-later
/* How drivers cut their queues into types. */
#include "unit.h"

#include <errno.h>
#include <limits.h>

#include "map/sets.h"

static void assert_sets(const struct qm_sets *s, unsigned dflt, unsigned read, unsigned poll)
{
	assert_int_equal(s->n[QM_HCTX_DEFAULT], dflt);
	assert_int_equal(s->n[QM_HCTX_READ], read);
	assert_int_equal(s->n[QM_HCTX_POLL], poll);
	assert_int_equal(s->offset[QM_HCTX_DEFAULT], 0);
	assert_int_equal(s->offset[QM_HCTX_READ], read ? dflt : 0);
	assert_int_equal(s->offset[QM_HCTX_POLL], dflt + read);
	assert_int_equal(s->has_read, read > 0);
}

static void nvme_pci_types(void **state)
{
	static const struct {
		unsigned queues, write, poll, vectors, want[3], want_vectors;
	} rows[] = {
		/* no parameters; one queue */
		{ 8, 0, 0, 0, { 8, 0, 0 }, 9 },
		{ 1, 0, 0, 0, { 1, 0, 0 }, 2 },
		{ 1, 4, 0, 0, { 1, 0, 0 }, 2 },
		{ 1, 0, 4, 0, { 1, 0, 0 }, 2 },
		/* write queues below, at and beyond what has interrupts */
		{ 8, 3, 0, 0, { 3, 5, 0 }, 9 },
		{ 8, 8, 0, 0, { 7, 1, 0 }, 9 },
		{ 8, 100, 0, 0, { 7, 1, 0 }, 9 },
		/* poll queues leave one with an interrupt */
		{ 8, 0, 2, 0, { 6, 0, 2 }, 7 },
		{ 8, 3, 2, 0, { 3, 3, 2 }, 7 },
		{ 8, 6, 2, 0, { 5, 1, 2 }, 7 },
		{ 8, 2, 100, 0, { 1, 0, 7 }, 2 },
		/* fewer vectors than asked */
		{ 8, 3, 2, 5, { 3, 1, 2 }, 5 },
		{ 8, 3, 2, 2, { 1, 0, 2 }, 2 },
		{ 8, 0, 2, 1, { 1, 0, 2 }, 0 },
		{ 8, 0, 0, 64, { 8, 0, 0 }, 9 },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(rows); i++) {
		struct qm_nvme_pci_in in = { rows[i].queues, rows[i].write, rows[i].poll, rows[i].vectors };
		struct qm_spread spread;
		struct qm_sets s;

		assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_TYPES, &in, &s, &spread), 0);
		assert_sets(&s, rows[i].want[0], rows[i].want[1], rows[i].want[2]);
		assert_int_equal(spread.vectors, rows[i].want_vectors);
		assert_int_equal(spread.pre, rows[i].want_vectors ? 1 : 0);
		assert_int_equal(spread.n_sets, s.has_read ? 2 : 0);
		if (s.has_read) {
			assert_int_equal(spread.sets[0], rows[i].want[0]);
			assert_int_equal(spread.sets[1], rows[i].want[1]);
		}
	}
}

static void nvme_pci_older(void **state)
{
	struct qm_nvme_pci_in in = { .queues = 8 };
	struct qm_spread spread;
	struct qm_sets s;

	(void)state;
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_SHARED, &in, &s, &spread), 0);
	assert_sets(&s, 8, 0, 0);
	assert_int_equal(spread.vectors, 8);
	assert_int_equal(spread.pre, 0);
	in.vectors = 3;
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_SHARED, &in, &s, &spread), 0);
	assert_sets(&s, 3, 0, 0);
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_PRE, &in, &s, &spread), 0);
	assert_sets(&s, 2, 0, 0);
	assert_int_equal(spread.vectors, 3);
	assert_int_equal(spread.pre, 1);
	in.vectors = 1;
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_SHARED, &in, &s, &spread), 0);
	assert_sets(&s, 1, 0, 0);
	assert_int_equal(spread.vectors, 1);
	in.write_queues = 1;
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_PRE, &in, &s, &spread), -EINVAL);
	in.queues = 0;
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_TYPES, &in, &s, &spread), -EINVAL);
	in.queues = 65536;
	assert_int_equal(qm_sets_nvme_pci(QM_NVME_PCI_TYPES, &in, &s, &spread), -EINVAL);
}

static void fabrics(void **state)
{
	static const struct {
		enum qm_fabrics_rule rule;
		struct qm_fabrics_in in;
		unsigned want_asked, granted, want[3];
	} rows[] = {
		{ QM_FABRICS_PLAIN, { 8, 4, 2, 16, 2 }, 8, 8, { 8, 0, 0 } },
		{ QM_FABRICS_CAPPED, { 8, 4, 2, 16, 0 }, 8, 8, { 8, 0, 0 } },
		{ QM_FABRICS_CAPPED, { 64, 0, 0, 72, 60 }, 60, 60, { 60, 0, 0 } },
		{ QM_FABRICS_CAPPED, { 64, 0, 0, 72, 60 }, 60, 32, { 32, 0, 0 } },
		/* maps by the numbers asked for, whatever was granted */
		{ QM_FABRICS_REQUESTED, { 8, 0, 0, 16, 0 }, 8, 3, { 8, 0, 0 } },
		{ QM_FABRICS_REQUESTED, { 8, 4, 2, 16, 0 }, 12, 5, { 4, 8, 0 } },
		/* all granted, the poll queues short, the write queues short, the reads short */
		{ QM_FABRICS_SPLIT, { 8, 4, 2, 16, 0 }, 14, 14, { 4, 8, 2 } },
		{ QM_FABRICS_SPLIT, { 8, 4, 2, 16, 0 }, 14, 13, { 4, 8, 1 } },
		{ QM_FABRICS_SPLIT, { 8, 4, 2, 16, 0 }, 14, 11, { 3, 8, 0 } },
		{ QM_FABRICS_SPLIT, { 8, 4, 2, 16, 0 }, 14, 8, { 8, 0, 0 } },
		{ QM_FABRICS_SPLIT, { 8, 4, 2, 16, 0 }, 14, 5, { 5, 0, 0 } },
		{ QM_FABRICS_SPLIT, { 8, 0, 2, 16, 0 }, 10, 9, { 8, 0, 1 } },
		{ QM_FABRICS_SPLIT, { 8, 0, 2, 16, 0 }, 10, 99, { 8, 0, 2 } },
		/* write queues are not cut when the option is read: they eat the poll queues */
		{ QM_FABRICS_SPLIT, { 4, 100, 2, 8, 0 }, 14, 14, { 10, 4, 0 } },
		{ QM_FABRICS_SPLIT_VECTORS, { 4, 100, 2, 8, 0 }, 14, 14, { 8, 4, 2 } },
		{ QM_FABRICS_SPLIT_VECTORS, { 8, 4, 2, 16, 3 }, 8, 8, { 3, 3, 2 } },
		{ QM_FABRICS_SPLIT, { 64, 0, 0, 16, 60 }, 16, 16, { 16, 0, 0 } },
	};
	struct qm_sets s;

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(rows); i++) {
		assert_int_equal(qm_fabrics_asked(rows[i].rule, &rows[i].in), rows[i].want_asked);
		assert_int_equal(qm_sets_fabrics(rows[i].rule, &rows[i].in, rows[i].granted, &s), 0);
		assert_sets(&s, rows[i].want[0], rows[i].want[1], rows[i].want[2]);
	}
	assert_int_equal(qm_sets_fabrics(QM_FABRICS_SPLIT, &rows[0].in, 0, &s), -EINVAL);
	assert_int_equal(qm_sets_fabrics(QM_FABRICS_SPLIT, &(struct qm_fabrics_in){ .online = 4 }, 4, &s), -EINVAL);
}

static void other_drivers(void **state)
{
	struct qm_sets s;

	(void)state;
	assert_int_equal(qm_sets_single(5, &s), 0);
	assert_sets(&s, 5, 0, 0);
	assert_int_equal(qm_sets_single(0, &s), -EINVAL);
	assert_int_equal(qm_sets_single(65536, &s), -EINVAL);
	assert_int_equal(qm_sets_null_blk(100, 16, 3, &s), 0);
	assert_sets(&s, 16, 0, 3);
	assert_int_equal(qm_sets_null_blk(0, 16, 3, &s), -EINVAL);
	assert_int_equal(qm_sets_virtio_blk(8, UINT_MAX, 0, &s), 0);
	assert_sets(&s, 8, 0, 0);
	assert_int_equal(qm_sets_virtio_blk(8, 4, 1, &s), 0);
	assert_sets(&s, 3, 0, 1);
	assert_int_equal(qm_sets_virtio_blk(1, 4, 7, &s), 0);
	assert_sets(&s, 1, 0, 0);
	assert_int_equal(qm_sets_virtio_blk(0, 4, 0, &s), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_pci_types),
		cmocka_unit_test(nvme_pci_older),
		cmocka_unit_test(fabrics),
		cmocka_unit_test(other_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
