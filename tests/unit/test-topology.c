// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading topologies: what old kernels leave out, what firmware gets wrong, what captures lose. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "machine/machine.h"
#include "topo-equal.h"
#include "tree.h"

struct fixture {
	struct tree tree;
	struct qm_root root;
	struct qm_machine m;
};

static void problems_clear(struct fixture *f)
{
	qm_problems_done(&f->m.problems);
}

/* Reads kernel, topology and command line, as a machine is read, and returns the first error. */
static int read_again(struct fixture *f)
{
	int r;

	qm_topology_done(&f->m.topo);
	qm_kernel_done(&f->m.kernel);
	qm_cmdline_done(&f->m.cmdline);
	problems_clear(f);
	f->root.problems = &f->m.problems;
	r = qm_kernel_read(&f->root, &f->m);
	if (r == 0)
		r = qm_topology_read(&f->root, &f->m);
	if (r == 0)
		r = qm_cmdline_read(&f->root, &f->m);
	return r;
}

static int start(struct fixture *f, const char *text)
{
	*f = (struct fixture){ 0 };
	tree_make(&f->tree, text);
	assert_int_equal(qm_root_open(&f->root, f->tree.dir, false, &f->m.problems), 0);
	return read_again(f);
}

static void stop(struct fixture *f)
{
	qm_topology_done(&f->m.topo);
	qm_kernel_done(&f->m.kernel);
	qm_cmdline_done(&f->m.cmdline);
	problems_clear(f);
	qm_root_close(&f->root);
	tree_done(&f->tree);
}

/* The problems are exactly these, "path: error" each. */
static void assert_problems(const struct fixture *f, const char *want)
{
	struct qm_strbuf b = { 0 };

	for (size_t i = 0; i < f->m.problems.n; i++)
		qm_strbuf_addf(&b, "%s: %s\n", f->m.problems.v[i].path, f->m.problems.v[i].error);
	assert_string_equal(qm_strbuf_str(&b), want);
	qm_strbuf_done(&b);
}

#define SETS(list) "c/possible " list "\nc/present " list "\nc/online " list "\n"
#define CPUS2 "c/cpu0/topology/thread_siblings_list 0\nc/cpu1/topology/thread_siblings_list 1\n"

static void plain(void **state)
{
	struct fixture f;
	const struct qm_topology *t = &f.m.topo;

	(void)state;
	assert_int_equal(start(&f, SETS("0-7") "proc/sys/kernel/osrelease 6.1.0-18-amd64\n"
						"proc/version Linux version 6.1.0-18-amd64 (x) #1 SMP Debian 6.1.76-1 (2024-02-01)\n"
						"proc/cmdline isolcpus=managed_irq,4-N nohz_full=5\n"
						"c/isolated 4-7\nc/nohz_full 5\n"
						"c/cpu0/topology/thread_siblings_list 0,4\n"
						"c/cpu1/topology/thread_siblings_list 1,5\n"
						"c/cpu2/topology/thread_siblings_list 2,6\n"
						"c/cpu3/topology/thread_siblings_list 3,7\n"
						"c/cpu0/topology/core_siblings_list 0-1,4-5\n"
						"c/cpu2/topology/core_siblings_list 2-3,6-7\n"
						"c/cpu0/topology/physical_package_id 0\n"
						"c/cpu2/topology/physical_package_id 1\n"
						"n/possible 0-1\nn/online 0-1\n"
						"n/node0/cpulist 0-1,4-5\nn/node1/cpulist 2-3,6-7\n"
						"n/node0/distance 10 21\nn/node1/distance 21 10\n"
						"n/node0/meminfo Node 0 MemTotal:       32404120 kB\n"
						"n/node1/meminfo Node 1 MemTotal:       0 kB\n"),
			 0);
	assert_problems(&f, "");
	assert_int_equal(t->nr_cpus, 8);
	assert_cpus(&t->possible, "0-7");
	assert_cpus(&t->present, "0-7");
	assert_cpus(&t->online, "0-7");
	assert_false(t->possible_derived || t->present_derived);
	assert_cpus(&t->isolated, "4-7");
	assert_cpus(&t->nohz_full, "5");
	assert_groups(&t->cores, "0,4;1,5;2,6;3,7");
	assert_cpus(&t->unknown_core, "");
	assert_groups(&t->packages, "0-1,4-5;2-3,6-7");
	assert_int_equal(t->nr_node_ids, 2);
	assert_int_equal(t->n_nodes, 2);
	assert_cpus(&t->nodes[1].cpus, "2-3,6-7");
	assert_int_equal(t->node_of[6], 1);
	assert_int_equal(t->nodes[0].mem_kb, 32404120);
	assert_int_equal(t->nodes[1].mem_kb, 0);
	assert_int_equal(t->n_distances, 2);
	assert_int_equal(t->distances[1], 21);
	assert_string_equal(t->arch, "x86_64");
	assert_int_equal(t->offline_masks, QM_OFFLINE_MASKS_EMPTY);
	assert_int_equal(f.m.kernel.patch, 76);
	assert_int_equal(f.m.kernel.distro, QM_DISTRO_DEBIAN);
	assert_cpus(&f.m.cmdline.isolcpus, "4-7");
	assert_cpus(&f.m.cmdline.nohz_full, "5");
	assert_false(f.m.cmdline.kdump);
	stop(&f);
}

static void no_machine(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, "etc/passwd root\n"), -ENOENT);
	stop(&f);
	assert_int_equal(start(&f, "c/kernel_max 8191\n"), -ENOENT);
	stop(&f);
	assert_int_equal(start(&f, "sys/devices/system/cpu a file\n"), -ENOENT);
	stop(&f);
}

/* No possible, present or online: the directories tell, and each CPU's own file. */
static void derived_sets(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, "c/cpu0/\nc/cpu1/online\nc/cpu2/online 0\nc/cpu3/online 1\nc/cpu5/online 0 \n"
				   "c/cpu10/online maybe\nc/cpufreq/\nc/cpuidle/\nc/cpu7\n"),
			 0);
	assert_cpus(&f.m.topo.possible, "0-3,5,7,10");
	assert_cpus(&f.m.topo.present, "0-3,5,7,10");
	assert_cpus(&f.m.topo.online, "0-1,3,7,10");
	assert_true(f.m.topo.possible_derived && f.m.topo.present_derived);
	assert_problems(&f, "sys/devices/system/cpu/cpu10/online: neither 0 nor 1; taken as online\n");

	/* Files of no bytes were not readable when the tree was made. */
	tree_add(&f.tree, "c/possible\nc/present \nc/online\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.possible, "0-3,5,7,10");
	assert_cpus(&f.m.topo.online, "0-1,3,7,10");
	assert_true(f.m.topo.possible_derived && f.m.topo.present_derived);

	/* What is told stands, the rest is derived within it. */
	tree_add(&f.tree, "c/possible 0-7\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.possible, "0-7");
	assert_cpus(&f.m.topo.present, "0-3,5,7");
	assert_cpus(&f.m.topo.online, "0-1,3,7");
	assert_true(!f.m.topo.possible_derived && f.m.topo.present_derived);
	stop(&f);
}

/* Files that name none of the CPUs that can be tell as much as none. */
static void impossible_sets(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, "c/possible 0-3\nc/present 0-3\nc/online 9\nc/cpu1/online 0\n"), 0);
	assert_cpus(&f.m.topo.online, "0,2-3");
	assert_int_equal(qm_topology_has_moved(&f.root, &f.m), 0);
	assert_problems(&f, "sys/devices/system/cpu/online: names CPUs that are not present; they are left out\n");

	tree_add(&f.tree, "c/present 4-7\nc/online 0,3\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.present, "0-1,3");
	assert_cpus(&f.m.topo.online, "0,3");
	assert_true(f.m.topo.present_derived);
	assert_int_equal(qm_topology_has_moved(&f.root, &f.m), 0);

	/* Nobody reads this on a machine without a running CPU. */
	tree_add(&f.tree, "c/present 1\nc/online x\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.online, "1");
	assert_problems(&f, "sys/devices/system/cpu/online: garbled\n"
			    "sys/devices/system/cpu: no CPU is online by its own file; all are taken as online\n");
	stop(&f);
}

static void garbled_sets(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, "c/possible 0-x\nc/present 99999999\nc/online 0-1\nc/isolated 7-3\nc/cpu0/\nc/cpu1/\nc/cpu2/\n"), 0);
	assert_cpus(&f.m.topo.possible, "0-2");
	assert_cpus(&f.m.topo.present, "0-2");
	assert_cpus(&f.m.topo.online, "0-1");
	assert_cpus(&f.m.topo.isolated, "");
	assert_problems(&f, "sys/devices/system/cpu/possible: garbled\n"
			    "sys/devices/system/cpu/present: a number beyond what a kernel can have\n"
			    "sys/devices/system/cpu/isolated: garbled\n");

	tree_add(&f.tree, "c/possible 0-3\nc/present 0-2,5\nc/online 0-1,3\nc/isolated ,1-9\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.present, "0-2");
	assert_cpus(&f.m.topo.online, "0-1");
	assert_cpus(&f.m.topo.isolated, "1-3");
	assert_problems(&f, "sys/devices/system/cpu/present: names CPUs that are not possible; they are left out\n"
			    "sys/devices/system/cpu/online: names CPUs that are not present; they are left out\n");

	/* What is left out is not online for want of a word about it. */
	tree_add(&f.tree, "c/present 0-2,900\nc/online x\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.present, "0-2");
	assert_cpus(&f.m.topo.online, "0-2");
	assert_problems(&f, "sys/devices/system/cpu/online: garbled\n"
			    "sys/devices/system/cpu/present: names CPUs that are not possible; they are left out\n");
	stop(&f);
}

/* (null), NULs behind the newline and NULs up to the page. */
static void odd_endings(void **state)
{
	static const char padded[4096] = "0-1,4\n";
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-7") CPUS2 "c/nohz_full    (null)\nc/isolated \n"), 0);
	tree_raw(&f.tree, "c/online", "0-5\n\0", 5);
	tree_raw(&f.tree, "c/nohz_full", "\0\n", 2);
	tree_raw(&f.tree, "c/isolated", "2-3", 3);
	tree_raw(&f.tree, "c/cpu0/topology/thread_siblings_list", padded, sizeof(padded));
	assert_problems(&f, "");
	assert_cpus(&f.m.topo.nohz_full, "");
	assert_cpus(&f.m.topo.isolated, "");
	assert_int_equal(read_again(&f), 0);
	assert_problems(&f, "");
	assert_cpus(&f.m.topo.online, "0-5");
	assert_cpus(&f.m.topo.isolated, "2-3");
	assert_cpus(&f.m.topo.nohz_full, "");
	assert_groups(&f.m.topo.cores, "0-1,4");
	stop(&f);
}

/* Each of the names a kernel may use, alone; lists go before masks. */
static void sibling_names(void **state)
{
	static const struct {
		const char *tree, *cores, *packages;
	} t[] = {
		{ "c/cpu0/topology/thread_siblings_list 0-1\nc/cpu0/topology/core_siblings_list 0-2\n", "0-1", "0-2" },
		{ "c/cpu0/topology/core_cpus_list 0-1\nc/cpu0/topology/package_cpus_list 0-2\n", "0-1", "0-2" },
		{ "c/cpu0/topology/thread_siblings 3\nc/cpu0/topology/core_siblings 7\n", "0-1", "0-2" },
		{ "c/cpu0/topology/core_cpus 00000000,00000003\nc/cpu0/topology/package_cpus 7\n", "0-1", "0-2" },
		{ "c/cpu0/topology/thread_siblings_list 0-1\nc/cpu0/topology/thread_siblings 1\n"
		  "c/cpu0/topology/core_siblings 1\nc/cpu0/topology/core_siblings_list 0,2\n", "0-1", "0,2" },
		{ "c/cpu0/topology/core_siblings_list 0,3\n", "", "0,3" },
		{ "c/cpu1/topology/physical_package_id 7\nc/cpu3/topology/physical_package_id 7\n", "", "1,3" },
	};

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		struct fixture f;

		assert_int_equal(start(&f, SETS("0-3")), 0);
		tree_add(&f.tree, t[i].tree);
		assert_int_equal(read_again(&f), 0);
		assert_problems(&f, "");
		assert_groups(&f.m.topo.cores, t[i].cores);
		assert_groups(&f.m.topo.packages, t[i].packages);
		assert_cpus(&f.m.topo.unknown_core, *t[i].cores ? "2-3" : "0-3");
		stop(&f);
	}
}

static void garbled_siblings(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-5") "c/cpu0/topology/thread_siblings_list zero\nc/cpu0/topology/thread_siblings 5\n"
					       "c/cpu1/topology/thread_siblings_list 3\n"
					       "c/cpu4/topology/thread_siblings_list 3-4,99\n"
					       "c/cpu5/topology/thread_siblings_list \n"),
			 0);
	assert_groups(&f.m.topo.cores, "0,2;1,3;4");
	assert_cpus(&f.m.topo.unknown_core, "5");
	assert_problems(&f, "sys/devices/system/cpu/cpu0/topology/thread_siblings_list: garbled\n"
			    "sys/devices/system/cpu/cpu1/topology/thread_siblings_list: does not name CPU 1 itself\n"
			    "sys/devices/system/cpu/cpu4/topology/thread_siblings_list: names CPU 3, which does not name CPU 4\n");
	stop(&f);
}

/* Ids join sets, -1 and missing ids do not, and no id is ever an index. */
static void packages(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-7") "c/cpu0/topology/core_siblings_list 0-1\nc/cpu0/topology/physical_package_id 0\n"
					       "c/cpu2/topology/core_siblings_list 2-3\nc/cpu2/topology/physical_package_id 0\n"
					       "c/cpu4/topology/core_siblings_list 4-5\nc/cpu4/topology/physical_package_id 983297\n"
					       "c/cpu6/topology/core_siblings_list 6-7\nc/cpu6/topology/physical_package_id -1\n"),
			 0);
	assert_groups(&f.m.topo.packages, "0-3;4-5;6-7");
	tree_add(&f.tree, "c/cpu0/topology/physical_package_id -1\nc/cpu2/topology/physical_package_id -1\n"
			  "c/cpu4/topology/physical_package_id first\n");
	assert_problems(&f, "");
	assert_int_equal(read_again(&f), 0);
	assert_groups(&f.m.topo.packages, "0-1;2-3;4-5;6-7");
	assert_problems(&f, "sys/devices/system/cpu/cpu4/topology/physical_package_id: garbled\n");
	stop(&f);
}

/* Possible 0-7, present 0-5, online 0-1,3-4: the topology of an offline CPU is unknown unless the tree kept it. */
static void offline_cpus(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, "proc/sys/kernel/arch x86_64\nc/possible 0-7\nc/present 0-5\nc/online 0-1,3-4\n"
				   "c/cpu0/topology/thread_siblings_list 0-1\nc/cpu3/topology/thread_siblings_list 3\n"
				   "c/cpu4/topology/thread_siblings_list 4\nc/cpu5/topology/thread_siblings_list 5\n"
				   "n/possible 0-1\nn/online 0-1\nn/node0/cpulist 0-1\nn/node1/cpulist 3-4\n"
				   "n/node0/cpu0/\nn/node0/cpu2/\nn/node1/cpu3/\nn/node1/cpufoo/\nc/cpu5/node1/\n"),
			 0);
	assert_problems(&f, "");
	assert_groups(&f.m.topo.cores, "0-1;3;4;5");
	assert_cpus(&f.m.topo.unknown_core, "2,6-7");
	/* CPU 2 by the link of the node, CPU 5 by its own, the absent 6 and 7 in turn */
	assert_cpus(&f.m.topo.nodes[0].cpus, "0-2,6");
	assert_cpus(&f.m.topo.nodes[1].cpus, "3-5,7");
	assert_cpus(&f.m.topo.node_guessed, "6-7");
	stop(&f);
}

static void absent_cpus(void **state)
{
	struct fixture f;

	(void)state;
	/* offline and memory-only nodes, on x86: dealt to the online ones */
	assert_int_equal(start(&f, "proc/sys/kernel/arch x86_64\nc/possible 0-7\nc/present 0-1\nc/online 0-1\n" CPUS2
				   "n/possible 0-3\nn/online 0,2-3\nn/node0/cpulist 0\nn/node2/cpulist \nn/node3/cpulist 1\n"),
			 0);
	assert_int_equal(f.m.topo.n_nodes, 4);
	assert_false(f.m.topo.nodes[1].online);
	assert_cpus(&f.m.topo.nodes[0].cpus, "0,2,5");
	assert_cpus(&f.m.topo.nodes[1].cpus, "");
	assert_cpus(&f.m.topo.nodes[2].cpus, "3,6");
	assert_cpus(&f.m.topo.nodes[3].cpus, "1,4,7");
	assert_cpus(&f.m.topo.node_guessed, "2-7");
	/* others: the first node */
	tree_add(&f.tree, "proc/sys/kernel/arch aarch64\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.nodes[0].cpus, "0,2-7");
	assert_cpus(&f.m.topo.node_guessed, "2-7");
	/* a node's list may name absent CPUs: then nothing is guessed; CPUs that are not possible are nobody's */
	tree_add(&f.tree, "n/node0/cpulist 0,2-7,100\n");
	assert_int_equal(read_again(&f), 0);
	assert_cpus(&f.m.topo.nodes[0].cpus, "0,2-7");
	assert_cpus(&f.m.topo.node_guessed, "");
	stop(&f);
	/* with one node there is nothing to guess */
	assert_int_equal(start(&f, "c/possible 0-3\nc/present 0-1\nc/online 0-1\nn/online 0\nn/node0/cpulist 0-1\n"), 0);
	assert_cpus(&f.m.topo.nodes[0].cpus, "0-3");
	assert_cpus(&f.m.topo.node_guessed, "");
	stop(&f);
}

static void holes(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("6-7,10-11") "c/cpu6/topology/thread_siblings_list 6-7\nc/cpu10/topology/core_cpus c00\n"), 0);
	assert_int_equal(f.m.topo.nr_cpus, 12);
	assert_groups(&f.m.topo.cores, "6-7;10-11");
	assert_int_equal(f.m.topo.cores.of[0], -1);
	assert_int_equal(f.m.topo.node_of[0], -1);
	stop(&f);
}

static void sparse_nodes(void **state)
{
	struct fixture f;

	(void)state;
	/* no possible and online files: the directories; masks only; a node without CPUs */
	assert_int_equal(start(&f, SETS("0-2") "n/node0/cpumap 1\nn/node2/cpumap 00000000,00000006\nn/node33/cpumap 0\n"
					       "n/node0/distance 10 20 30\nn/node2/distance 20 10 30\nn/node33/distance 30 20 10\n"
					       "n/nodes\nn/has_cpu\n"),
			 0);
	assert_problems(&f, "");
	assert_int_equal(f.m.topo.nr_node_ids, 34);
	assert_int_equal(f.m.topo.n_nodes, 3);
	assert_int_equal(f.m.topo.nodes[2].id, 33);
	assert_cpus(&f.m.topo.nodes[2].cpus, "");
	assert_cpus(&f.m.topo.nodes[1].cpus, "1-2");
	assert_int_equal(f.m.topo.nodes[1].mem_kb, -1);
	assert_int_equal(f.m.topo.node_of[1], 2);
	assert_int_equal(f.m.topo.n_distances, 3);
	assert_int_equal(f.m.topo.distances[7], 20);
	tree_add(&f.tree, "n/possible 0-63\nn/online 0,2\nn/node0/distance 10 20\nn/node2/distance 20 x\n");
	assert_int_equal(read_again(&f), 0);
	assert_int_equal(f.m.topo.nr_node_ids, 64);
	assert_int_equal(f.m.topo.n_nodes, 64);
	assert_true(f.m.topo.nodes[2].online);
	assert_false(f.m.topo.nodes[33].online);
	assert_null(f.m.topo.distances);
	assert_problems(&f, "sys/devices/system/node/node2/distance: does not hold one number for each online node\n");
	tree_add(&f.tree, "n/possible 0-1\nn/node2/distance 20 10 5\n");
	assert_int_equal(read_again(&f), 0);
	assert_int_equal(f.m.topo.nr_node_ids, 3);
	assert_problems(&f, "sys/devices/system/node/possible: lacks nodes that are online\n"
			    "sys/devices/system/node/node2/distance: does not hold one number for each online node\n");
	stop(&f);
}

static void no_nodes(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-1") CPUS2), 0);
	assert_int_equal(f.m.topo.n_nodes, 0);
	assert_int_equal(f.m.topo.nr_node_ids, 1);
	assert_int_equal(f.m.topo.node_of[1], -1);
	assert_problems(&f, "");
	tree_add(&f.tree, "n/\nn/possible \n");
	assert_int_equal(read_again(&f), 0);
	assert_int_equal(f.m.topo.n_nodes, 0);
	assert_problems(&f, "");
	stop(&f);
}

/* Broken firmware and edited trees. */
static void contradicting_nodes(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-3") "n/node0/cpulist 0-1\nn/node0/cpumap 7\nn/node1/cpulist 1-2\nn/node1/cpumap 6\n"
					       "n/node0/meminfo nothing\nn/node1/meminfo Node 1 MemTotal: many kB\n"),
			 0);
	assert_cpus(&f.m.topo.nodes[0].cpus, "0-1");
	assert_cpus(&f.m.topo.nodes[1].cpus, "2");
	assert_int_equal(f.m.topo.node_of[3], -1); /* online, and in no node */
	assert_int_equal(f.m.topo.nodes[0].mem_kb, -1);
	assert_problems(&f, "sys/devices/system/node/node0/cpumap: differs from cpulist, which is taken\n"
			    "sys/devices/system/node/node0/meminfo: has no line MemTotal\n"
			    "sys/devices/system/node/node1/cpulist: names CPU 1, which node 0 has already\n"
			    "sys/devices/system/node/node1/meminfo: MemTotal is no number\n");
	stop(&f);
}

#define CACHES(cpu, l2, l3)                                                                                                   \
	"c/cpu" cpu "/topology/thread_siblings_list " cpu "\n"                                                              \
	"c/cpu" cpu "/cache/index0/level 1\nc/cpu" cpu "/cache/index0/shared_cpu_list " cpu "\n"                            \
	"c/cpu" cpu "/cache/index1/level 1\nc/cpu" cpu "/cache/index1/shared_cpu_list " cpu "\n"                            \
	"c/cpu" cpu "/cache/index2/level 2\nc/cpu" cpu "/cache/index2/shared_cpu_list " l2 "\n"                             \
	"c/cpu" cpu "/cache/index3/level 3\nc/cpu" cpu "/cache/index3/shared_cpu_list " l3 "\n"

static void clusters(void **state)
{
	static const char caches[] = CACHES("0", "0-1", "0-3") CACHES("1", "0-1", "0-3") CACHES("2", "2-3", "0-3")
		CACHES("3", "2-3", "0-3");
	struct fixture f;

	(void)state;
	/* a kernel that does not name clusters: on x86 those who share the level-2 cache */
	assert_int_equal(start(&f, SETS("0-3") "proc/sys/kernel/osrelease 5.10.0-32-amd64\n"), 0);
	tree_add(&f.tree, caches);
	assert_int_equal(read_again(&f), 0);
	assert_groups(&f.m.topo.clusters, "0-1;2-3");
	assert_groups(&f.m.topo.llc, "0-3");
	assert_true(f.m.topo.clusters_sure);
	/* its own word goes first */
	tree_add(&f.tree, "c/cpu0/topology/cluster_cpus_list 0,2\nc/cpu1/topology/cluster_cpus_list 1,3\n");
	assert_int_equal(read_again(&f), 0);
	assert_groups(&f.m.topo.clusters, "0,2;1,3");
	assert_true(f.m.topo.clusters_sure);
	/* not for all CPUs */
	tree_remove(&f.tree, "c/cpu1/topology/cluster_cpus_list");
	assert_int_equal(read_again(&f), 0);
	assert_groups(&f.m.topo.clusters, "0,2");
	assert_false(f.m.topo.clusters_sure);
	stop(&f);
	/* elsewhere the cache says nothing about clusters */
	assert_int_equal(start(&f, SETS("0-3") "proc/sys/kernel/osrelease 5.10.0-32-arm64\n"), 0);
	tree_add(&f.tree, caches);
	assert_int_equal(read_again(&f), 0);
	assert_int_equal(f.m.topo.clusters.n, 0);
	assert_false(f.m.topo.clusters_sure);
	assert_int_equal(f.m.topo.offline_masks, QM_OFFLINE_MASKS_SELF);
	/* and some never have any */
	tree_add(&f.tree, "proc/sys/kernel/osrelease 5.10.0-32-s390x\n");
	assert_int_equal(read_again(&f), 0);
	assert_int_equal(f.m.topo.clusters.n, 0);
	assert_true(f.m.topo.clusters_sure);
	stop(&f);
	/* x86 without a word about caches: the cores, as a guess */
	assert_int_equal(start(&f, SETS("0-1") CPUS2 "proc/sys/kernel/osrelease 5.10.0-32-amd64\n"), 0);
	assert_groups(&f.m.topo.clusters, "0;1");
	assert_false(f.m.topo.clusters_sure);
	assert_int_equal(f.m.topo.llc.n, 0);
	stop(&f);
}

/* A low-power core without the third level, first and last; a mask in place of the list. */
static void hybrid_caches(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-3") CACHES("1", "1", "1-2") CACHES("2", "2", "1-2")
					   "c/cpu0/topology/thread_siblings_list 0\nc/cpu3/topology/thread_siblings_list 3\n"
					   "c/cpu0/cache/index0/level 1\nc/cpu0/cache/index2/level 2\nc/cpu0/cache/index2/shared_cpu_map 9\n"
					   "c/cpu0/cache/uevent\nc/cpu0/cache/indexx/\n"),
			 0);
	assert_groups(&f.m.topo.llc, "0,3;1-2");
	assert_problems(&f, "");
	tree_add(&f.tree, "c/cpu0/cache/index2/level two\nc/cpu0/cache/index0/shared_cpu_list 0,3\n");
	assert_int_equal(read_again(&f), 0);
	assert_groups(&f.m.topo.llc, "0,3;1-2");
	assert_problems(&f, "sys/devices/system/cpu/cpu0/cache/index2/level: garbled\n");
	stop(&f);
}

static void architectures(void **state)
{
	static const struct {
		const char *tree, *arch;
		enum qm_offline_masks masks;
	} t[] = {
		{ "proc/sys/kernel/osrelease 5.14.0-427.el9.x86_64+rt\n", "x86_64", QM_OFFLINE_MASKS_EMPTY },
		{ "proc/sys/kernel/osrelease 4.19.0-26-686-pae\n", "i686", QM_OFFLINE_MASKS_EMPTY },
		{ "proc/sys/kernel/osrelease 6.12.117+deb13-arm64\n", "aarch64", QM_OFFLINE_MASKS_SELF },
		{ "proc/sys/kernel/osrelease 4.18.0-553.el8.ppc64le\n", "ppc64le", QM_OFFLINE_MASKS_SELF },
		{ "proc/sys/kernel/osrelease 6.8.0-31-generic\nproc/sys/kernel/arch riscv64\n", "riscv64", QM_OFFLINE_MASKS_SELF },
		{ "proc/sys/kernel/arch a/b\nproc/cpuinfo \nproc/cpuinfo vendor_id       : IBM/S390\n", "s390x", QM_OFFLINE_MASKS_SELF },
		{ "proc/cpuinfo CPU architecture: 8\n", "aarch64", QM_OFFLINE_MASKS_SELF },
		{ "proc/cpuinfo isa : rv64imafdcv\n", "riscv64", QM_OFFLINE_MASKS_SELF },
		{ "proc/cpuinfo arch       : IA-64\n", "ia64", QM_OFFLINE_MASKS_SELF },
		{ "proc/cpuinfo revision : 2.1 (pvr 003f 0201)\n", "ppc64", QM_OFFLINE_MASKS_SELF },
		{ "proc/cpuinfo no such thing\n", NULL, QM_OFFLINE_MASKS_EMPTY },
		{ "", NULL, QM_OFFLINE_MASKS_EMPTY },
	};
	static const char x86[] = "processor\t: 0\nflags\t\t: fpu tsc lm constant_tsc\n", i386[] = "processor\t: 0\nflags\t\t: fpu tsc\n";
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < QM_ARRAY_SIZE(t); i++) {
		assert_int_equal(start(&f, SETS("0")), 0);
		tree_add(&f.tree, t[i].tree);
		assert_int_equal(read_again(&f), 0);
		assert_text_equal(f.m.topo.arch, t[i].arch);
		assert_int_equal(f.m.topo.offline_masks, t[i].masks);
		assert_problems(&f, "");
		stop(&f);
	}
	assert_int_equal(start(&f, SETS("0")), 0);
	tree_raw(&f.tree, "proc/cpuinfo", x86, strlen(x86));
	assert_int_equal(read_again(&f), 0);
	assert_text_equal(f.m.topo.arch, "x86_64");
	tree_raw(&f.tree, "proc/cpuinfo", i386, strlen(i386));
	assert_int_equal(read_again(&f), 0);
	assert_text_equal(f.m.topo.arch, "i686");
	stop(&f);
}

static void kernel_and_cmdline(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-7")), 0);
	assert_null(f.m.kernel.release);
	assert_false(f.m.cmdline.known);
	assert_int_equal(f.m.cmdline.maxcpus, -1);
	assert_problems(&f, "");
	tree_add(&f.tree, "proc/version Linux version 6.8.0-31-generic (buildd@lcy02) (gcc) #31-Ubuntu SMP\n"
			  "proc/cmdline quiet isolcpus=2-x nohz_full=3 maxcpus=4\nproc/vmcore\n");
	assert_int_equal(read_again(&f), 0);
	assert_string_equal(f.m.kernel.release, "6.8.0-31-generic");
	assert_int_equal(f.m.kernel.distro, QM_DISTRO_UBUNTU);
	assert_false(f.m.cmdline.has_isolcpus);
	assert_cpus(&f.m.cmdline.nohz_full, "3");
	assert_int_equal(f.m.cmdline.maxcpus, 4);
	assert_true(f.m.cmdline.kdump);
	assert_problems(&f, "proc/cmdline: isolcpus= is garbled, taken as not given\n");
	tree_add(&f.tree, "proc/version FreeBSD\nproc/cmdline \n");
	assert_int_equal(read_again(&f), 0);
	assert_null(f.m.kernel.release);
	assert_true(f.m.cmdline.known);
	assert_problems(&f, "proc/version: does not start with \"Linux version\"\n");
	tree_add(&f.tree, "proc/sys/kernel/osrelease dummy\n");
	assert_int_equal(read_again(&f), 0);
	assert_string_equal(f.m.kernel.release, "dummy");
	assert_int_equal(f.m.kernel.major, -1);
	assert_problems(&f, "proc/sys/kernel/osrelease: the kernel release \"dummy\" starts with no version\n");
	stop(&f);
}

static void moved(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-7") "c/cpu1/online 1\n"), 0);
	assert_int_equal(qm_topology_has_moved(&f.root, &f.m), 0);
	tree_add(&f.tree, "c/online 0-6\n");
	assert_int_equal(qm_topology_has_moved(&f.root, &f.m), 1);
	tree_add(&f.tree, "c/online 0-7\nc/present 0-6\n");
	assert_int_equal(qm_topology_has_moved(&f.root, &f.m), 1);
	tree_remove(&f.tree, "c/present");
	tree_remove(&f.tree, "c/online");
	assert_int_equal(qm_topology_has_moved(&f.root, &f.m), 0); /* nothing to compare with */
	stop(&f);
}

/* ---- which files are read ---- */

struct reads {
	char *paths[512];
	size_t n;
};

static void count_file(void *arg, const char *path, const char *data, size_t len)
{
	struct reads *reads = arg;

	(void)data;
	(void)len;
	for (size_t i = 0; i < reads->n; i++)
		assert_string_not_equal(reads->paths[i], path); /* nothing twice */
	assert_true(reads->n < QM_ARRAY_SIZE(reads->paths));
	reads->paths[reads->n++] = strdup(path);
}

/* One list for each core, package, cluster and cache; not one for each CPU. */
static void few_reads(void **state)
{
	struct reads reads = { .n = 0 };
	const struct qm_root_tap tap = { .file = count_file, .arg = &reads };
	struct fixture f;

	(void)state;
	assert_int_equal(start(&f, SETS("0-7") "proc/sys/kernel/osrelease 6.12\nproc/sys/kernel/arch x86_64\nproc/cmdline \n"
					       "c/isolated \nc/nohz_full \nn/possible 0\nn/online 0\nn/node0/cpulist 0-7\n"
					       "n/node0/cpumap ff\nn/node0/distance 10\nn/node0/meminfo MemTotal: 1\n"),
			 0);
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		struct qm_strbuf b = { 0 };
		unsigned core = cpu / 2 * 2, package = cpu / 4 * 4;

		qm_strbuf_addf(&b, "c/cpu%u/topology/thread_siblings_list %u-%u\n", cpu, core, core + 1);
		qm_strbuf_addf(&b, "c/cpu%u/topology/thread_siblings 0\n", cpu);
		qm_strbuf_addf(&b, "c/cpu%u/topology/core_cpus_list 0\n", cpu);
		qm_strbuf_addf(&b, "c/cpu%u/topology/core_siblings_list %u-%u\n", cpu, package, package + 3);
		qm_strbuf_addf(&b, "c/cpu%u/topology/physical_package_id %u\n", cpu, package);
		qm_strbuf_addf(&b, "c/cpu%u/topology/cluster_cpus_list %u-%u\n", cpu, core, core + 1);
		for (unsigned i = 0; i < 4; i++) {
			qm_strbuf_addf(&b, "c/cpu%u/cache/index%u/level %u\n", cpu, i, i ? i : 1);
			qm_strbuf_addf(&b, "c/cpu%u/cache/index%u/shared_cpu_list %u-%u\n", cpu, i, package, package + 3);
		}
		tree_add(&f.tree, qm_strbuf_str(&b));
		qm_strbuf_done(&b);
	}
	f.root.tap = &tap;
	assert_int_equal(read_again(&f), 0);
	assert_problems(&f, "");
	assert_groups(&f.m.topo.llc, "0-3;4-7");
	/*
	 * 3 sets, 2 more; release, arch, cmdline; 4 cores, 4 clusters, 2 packages twice, 4 levels once, 2 caches; 2 node sets,
	 * and of the node list, map, distance, memory
	 */
	assert_int_equal(reads.n, 3 + 2 + 3 + 4 + 4 + 4 + 4 + 2 + 2 + 4);
	for (size_t i = 0; i < reads.n; i++)
		free(reads.paths[i]);
	stop(&f);
}

static void live_host(void **state)
{
	struct qm_machine m = { 0 };
	struct qm_root root;

	(void)state;
	if (access("/sys/devices/system/cpu/online", R_OK) < 0) {
		print_message("# nothing to read here\n");
		return;
	}
	assert_int_equal(qm_root_open(&root, "/", true, &m.problems), 0);
	assert_int_equal(qm_kernel_read(&root, &m), 0);
	assert_int_equal(qm_topology_read(&root, &m), 0);
	assert_int_equal(qm_cmdline_read(&root, &m), 0);
	assert_non_null(m.kernel.release);
	assert_non_null(m.topo.arch);
	assert_true(qm_cpuset_is_subset(&m.topo.online, &m.topo.present));
	assert_false(qm_cpuset_is_empty(&m.topo.online));
	assert_int_equal(qm_topology_has_moved(&root, &m), 0);
	qm_topology_done(&m.topo);
	qm_kernel_done(&m.kernel);
	qm_cmdline_done(&m.cmdline);
	qm_problems_done(&m.problems);
	qm_root_close(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(no_machine),
		cmocka_unit_test(derived_sets),
		cmocka_unit_test(impossible_sets),
		cmocka_unit_test(garbled_sets),
		cmocka_unit_test(odd_endings),
		cmocka_unit_test(sibling_names),
		cmocka_unit_test(garbled_siblings),
		cmocka_unit_test(packages),
		cmocka_unit_test(offline_cpus),
		cmocka_unit_test(absent_cpus),
		cmocka_unit_test(holes),
		cmocka_unit_test(sparse_nodes),
		cmocka_unit_test(no_nodes),
		cmocka_unit_test(contradicting_nodes),
		cmocka_unit_test(clusters),
		cmocka_unit_test(hybrid_caches),
		cmocka_unit_test(architectures),
		cmocka_unit_test(kernel_and_cmdline),
		cmocka_unit_test(moved),
		cmocka_unit_test(few_reads),
		cmocka_unit_test(live_host),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
