// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo machine against the rule of its kernel. */
#include "unit.h"

#include <string.h>

#include "machine/machine.h"
#include "map/map.h"
#include "topo-equal.h"

static void machine(void **state)
{
	struct qm_machine m = { 0 };
	const struct qm_controller *c;
	struct qm_cpuset core;

	(void)state;
	assert_int_equal(qm_demo_make(&m), 0);
	assert_int_equal(m.source, QM_SOURCE_DEMO);
	assert_string_equal(qm_source_kind_name(m.source), "demo");
	assert_cpus(&m.topo.possible, "0-71");
	assert_cpus(&m.topo.online, "0-71");
	assert_int_equal(m.topo.cores.n, 36);
	qm_groups_get(&m.topo.cores, 3, &core);
	assert_cpus(&core, "3,39");
	assert_cpus(&m.topo.nodes[1].cpus, "18-35,54-71");
	assert_int_equal(m.topo.n_distances, 2);
	assert_true(qm_kernel_is_at_least(&m.kernel, 4, 12));
	assert_false(qm_kernel_is_at_least(&m.kernel, 4, 13));
	assert_int_equal(m.kernel.distro, QM_DISTRO_NONE);
	assert_int_equal(m.n_disks, 1);
	assert_int_equal(m.n_controllers, 1);
	assert_int_equal(m.n_irqs, 0);
	assert_int_equal(m.problems.n, 0);
	c = &m.controllers[0];
	assert_string_equal(c->name, "nullb0");
	assert_int_equal(c->n_disks, 1);
	assert_string_equal(m.disks[c->disks[0]].name, "nullb0");
	assert_int_equal(m.disks[0].controller, 0);
	assert_int_equal(c->witness, QM_WITNESS_DEBUGFS);
	assert_int_equal(c->counts[QM_WITNESS_DEBUGFS], 64);
	assert_int_equal(c->n_hctx, 64);
	assert_int_equal(c->mapped, 36);
	assert_int_equal(c->nr_types[QM_HCTX_DEFAULT], 64);
	qm_machine_done(&m);
}

/* The map kept as data is the one that the rule of 3.19 to 4.12 makes. */
static void map_of_its_kernel(void **state)
{
	struct qm_mapper *mapper = NULL;
	struct qm_machine m = { 0 };
	unsigned unmapped = 0;
	int32_t map[72];

	(void)state;
	assert_int_equal(qm_demo_make(&m), 0);
	assert_int_equal(qm_mapper_new(&m.topo, &mapper), 0);
	assert_int_equal(qm_map_run(mapper, qm_algo_find(QM_FAMILY_MAP, "v3.19"), 64, NULL, map, NULL), 0);
	for (unsigned q = 0; q < 64; q++) {
		const struct qm_hctx *h = &m.controllers[0].hctx[q];
		struct qm_cpuset want = { 0 };

		for (unsigned cpu = 0; cpu < 72; cpu++) {
			if (map[cpu] == (int32_t)q)
				qm_cpuset_set(&want, cpu);
		}
		assert_int_equal(h->id, q);
		assert_true(qm_cpuset_is_equal(h->cpus, &want));
		assert_int_equal(h->mapped, !qm_cpuset_is_empty(&want));
		unmapped += !h->mapped;
	}
	assert_int_equal(unmapped, 28);
	qm_mapper_free(mapper);
	qm_machine_done(&m);
}

static void log_text(void **state)
{
	(void)state;
	assert_non_null(strstr(qm_demo_log(), "nvme nvme0: creating 64 I/O queues.\n"));
	assert_non_null(strstr(qm_demo_log(), "-16402\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine),
		cmocka_unit_test(map_of_its_kernel),
		cmocka_unit_test(log_text),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("demo", tests, NULL, NULL);
}
