// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of algorithms. A new one is a row here and a rule beside its family's code. */
#include <errno.h>
#include <string.h>

#include "map/rule.h"

static const struct qm_algo algos[] = {
	{
		.family = QM_FAMILY_MAP, .id = "v3.13", .first = "3.13", .last = "3.18", .upstream = true,
		.commits = "320ae51feed5",
		.title = "online CPUs in slices of ceil(n / queues)",
		.text = "The first multi-queue block layer. The n-th online CPU goes to queue n / ceil(N / queues), N "
			"being the online CPUs; where there are hardware threads and fewer queues than online CPUs, "
			"cores are counted instead and a sibling thread shares its core's queue. Rounding up can "
			"leave the last queues without any CPU, and counting cores leaves some without whenever there "
			"are more queues than cores but fewer than CPUs. CPUs that are not online get queue 0. The "
			"map is made again at every CPU hotplug event.",
		.rule = &qm_rule_map_3_13,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v3.19", .first = "3.19", .last = "4.12", .upstream = true,
		.commits = "959f5f5b2b8e",
		.title = "as v3.13, but even slices: n * queues / N",
		.text = "Only the division differs from v3.13: the n-th of N CPUs (or cores) goes to queue n * queues "
			"/ N, so that queues no longer stay empty because of rounding. Between the number of cores "
			"and the number of online CPUs queues still do stay empty, since cores are what is counted "
			"there: 72 threads on 36 cores with 64 queues leave 28 queues unmapped, and an NVMe-oF "
			"connect with that count is refused.",
		.rule = &qm_rule_map_3_19,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v4.13-posted", .first = "4.13", .last = "4.13",
		.commits = "fe631457ff3e",
		.title = "v4.13 as first posted: the test is on online CPUs",
		.text = "The form in which the 4.13 change was sent to the list, before it was merged together with "
			"the change to present CPUs. No release behaves so. Rebuilt from the released form; no copy "
			"was found.",
		.rule = &qm_rule_map_4_13_posted,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v4.13", .first = "4.13", .last = "4.15", .upstream = true,
		.commits = "fe631457ff3e 4b855ad37194",
		.title = "CPU number mod queues; siblings beyond the queues follow their core",
		.text = "Made so that every hardware queue gets a CPU also where there are hardware threads: a CPU "
			"whose number is below the number of queues, and the first thread of each core, gets its "
			"number mod queues; the other threads copy their core's first. The authors measured 512-byte "
			"reads by 72 jobs on 72 queues (2 sockets, 18 cores each, 2 threads): 4723.5K IOPS before, "
			"4890.4K after. CPUs that are not present get queue 0. The rule goes by CPU numbers and does "
			"not know nodes: 24 queues on that machine leave 12 of them shared by both sockets. Holes in "
			"the CPU numbering can leave queues empty. No longer made again at CPU hotplug.",
		.rule = &qm_rule_map_4_13,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v4.16", .first = "4.16", .last = "5.2", .upstream = true,
		.commits = "20e4d8139319",
		.title = "as v4.13, for all possible CPUs alike",
		.text = "A CPU that is plugged in later finds a queue of its own waiting: the rule of 4.13 is applied "
			"to every possible CPU, present or not. Queues whose only CPUs are absent are mapped but "
			"dead. Also in the later 4.14.y stable kernels. From 5.0 on a device may have several maps "
			"(default, read, poll), each made with this rule and moved by its first queue (ed76e329d74a).",
		.rule = &qm_rule_map_4_16,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v5.3", .first = "5.3", .last = "6.2", .upstream = true,
		.commits = "556f36e90dbe",
		.title = "present CPUs take 0, 1, 2, ... first; then cores in turn",
		.text = "Made so that queues are not wasted on absent CPUs where CPU numbers have holes: a counter "
			"gives one queue to each present CPU until the queues are used up. Then the remaining CPUs "
			"follow in order: a core's first thread takes the counter's next value, other threads copy "
			"it. Nodes play no part: where cores are not numbered socket by socket, or queues are few, "
			"one queue serves CPUs of several nodes. RHEL 8 has it from 4.18.0-147 on.",
		.rule = &qm_rule_map_5_3,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v6.3", .first = "6.3", .last = "6.8", .upstream = true,
		.commits = "6a6dcae8f486 f7b3ea8cf72f",
		.title = "groups of CPUs evenly by node, present CPUs first",
		.text = "Made because a queue served from two nodes is slow: its authors saw two jobs that submit to "
			"one hardware queue from two nodes reach about 30 % fewer IOPS than two jobs on one node, and "
			"on a machine with 160 CPUs on 2 nodes throughput went from an unstable 2.5M to 4.5M IOPS to "
			"4.3M to 5.0M. Queues are dealt to the nodes in proportion to their CPUs, and inside a node "
			"sibling threads stay together: what managed interrupts do since 5.4. Nodes with equally many "
			"CPUs come in the order in which the kernel's unstable sort leaves them, so queue 0 need not "
			"be on node 0. Absent CPUs are spread apart from the present ones. With more queues than "
			"possible CPUs the last queues stay empty and the kernel warns once.",
		.rule = &qm_rule_map_6_3,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v6.9", .first = "6.9", .last = "6.10", .upstream = true,
		.commits = "lib/sort series merged in March 2024",
		.title = "as v6.3, another order of equal nodes",
		.text = "The mapper is that of 6.3, but the kernel's sort was made faster (two elements leave the "
			"heap per round) and leaves nodes with equally many CPUs in another order. It shows where "
			"there are three or more node numbers: the same sets of CPUs, on other queue numbers.",
		.rule = &qm_rule_map_6_9,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v6.11", .first = "6.11", .last = "6.16", .upstream = true,
		.commits = "41ed78043508",
		.title = "as v6.9, yet another order of equal nodes",
		.text = "The mapper is that of 6.3; the sort handles its last two or three elements apart, which "
			"moves equal nodes once more. Debian 13 runs it (6.12).",
		.rule = &qm_rule_map_6_11,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v6.17", .first = "6.17", .last = "6.19", .upstream = true,
		.commits = "b6139a6abf67 3f27c1de5df2",
		.title = "as v6.11; surplus queues go round the groups again",
		.text = "Grouping now tells how many groups it filled, k, and queue q takes group q mod k, later "
			"queues replacing earlier ones. It matters only with more queues than CPUs: then the *first* "
			"queues are left without CPU instead of the last ones (88 CPUs, 96 queues: queues 0-7), and "
			"the kernel no longer warns. Oracle's UEK8 has it too.",
		.rule = &qm_rule_map_6_17,
	},
	{
		.family = QM_FAMILY_MAP, .id = "v7.0", .first = "7.0", .upstream = true,
		.commits = "89802ca36c96",
		.title = "as v6.17; inside a node by CPU clusters",
		.text = "CPUs that share a cluster (on x86 those sharing the level-2 cache, on arm64 what the "
			"firmware says) are kept on the same queues where a node gets at least as many queues as it "
			"has clusters. The clusters are put in order by the same unstable sort, so that even a map "
			"with one queue per CPU is no longer 0, 1, 2, ... A node with a CPU whose cluster mask is "
			"empty (on x86: one that is offline) is grouped without clusters.",
		.rule = &qm_rule_map_7_0,
	},
	{
		.family = QM_FAMILY_MAP, .id = "suse-hk", .first = "openSUSE/SLE 6.4",
		.commits = "32c08839a56c (openSUSE kernel tree)",
		.title = "SUSE: isolated CPUs apart with isolcpus=managed_irq",
		.text = "openSUSE and SLE kernels booted with isolcpus=managed_irq,...: the queues are grouped over "
			"the housekeeping CPUs alone, so that each queue has a CPU that takes its interrupts, and the "
			"isolated CPUs are then dealt over the queues in turn. Without isolated CPUs the result is "
			"that of v6.3, surplus queues going round as in v6.17. Upstream has nothing like it up to "
			"7.0.",
		.rule = &qm_rule_map_suse_hk,
	},

	{
		.family = QM_FAMILY_IRQ, .id = "v4.9", .first = "4.9", .last = "4.9", .upstream = true,
		.commits = "34c3d9819fda",
		.title = "online CPUs, node by node",
		.text = "Each node gets equally many vectors whatever its size. It looks at node numbers 0 to (number "
			"of nodes - 1): with holes in the numbering nodes are missed, and where none is found the "
			"kernel divides by zero. Vectors never reached are left without a mask. 4.10 and 4.11 are "
			"thought to differ in reserved vectors only.",
		.rule = &qm_rule_irq_4_9,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v4.12", .first = "4.12", .last = "4.12", .upstream = true,
		.commits = "7bf8222b9bd0",
		.title = "online CPUs; small nodes take no more vectors than they have CPUs",
		.text = "Made for machines with uneven nodes: a node gets its even share of what is left, but never "
			"more vectors than CPUs, and node numbers may have holes. Reserved (pre) vectors, and vectors "
			"never reached, get the default mask.",
		.rule = &qm_rule_irq_4_12,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v4.13", .first = "4.13", .last = "4.15", .upstream = true,
		.commits = "9a0ef98e186d",
		.title = "as v4.12, over the present CPUs",
		.text = "CPUs that are offline when the driver loads keep their place, so that they find their "
			"interrupt when they come back. Rebuilt from the 4.16 form; no copy was found.",
		.rule = &qm_rule_irq_4_13,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v4.16", .first = "4.16", .last = "4.16", .upstream = true,
		.commits = "84676c1f21e8",
		.title = "as v4.12, over all possible CPUs",
		.text = "Absent CPUs are counted like present ones. On virtual machines that announce many more CPUs "
			"than they have, whole vectors serve absent CPUs only, and the device loses those queues: "
			"mended in 4.17.",
		.rule = &qm_rule_irq_4_16,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v4.17", .first = "4.17", .last = "4.19", .upstream = true,
		.commits = "d3056812e7df 1a2d091",
		.title = "present CPUs first, then the absent ones on the next vectors",
		.text = "Mends 4.16: every vector gets a present CPU if there are enough of them. Where vectors are "
			"no more than nodes, a vector's mask is replaced by a whole node's, and only as many nodes as "
			"vectors are served. In the second stage the vectors left per node can come out as zero, and "
			"the kernel divides by it.",
		.rule = &qm_rule_irq_4_17,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v4.20", .first = "4.20", .last = "4.20", .upstream = true,
		.commits = "b82592199032",
		.title = "as v4.17; with few vectors every node is served",
		.text = "Where vectors are no more than nodes, the nodes are dealt round until all are served, "
			"instead of leaving the rest of them out. Also in 4.19.y. The division by zero of 4.17 is "
			"still there.",
		.rule = &qm_rule_irq_4_20,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v5.0", .first = "5.0", .last = "5.0", .upstream = true,
		.commits = "6da4b3ab9a6e",
		.title = "as v4.20, each interrupt set apart",
		.text = "A driver may cut its vectors into sets (default and read queues); each set is spread over "
			"all CPUs on its own. Vectors never reached stay without mask, and the kernel warns. The "
			"division by zero of 4.17 is still there.",
		.rule = &qm_rule_irq_5_0,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v5.1", .first = "5.1", .last = "5.3", .upstream = true,
		.commits = "c66d4bd110a1",
		.title = "as v5.0; a lone vector is not managed",
		.text = "The driver works out its sets for the vectors it really got. A device with a single vector "
			"gets an ordinary, movable interrupt. RHEL 8.1 has this form. The division by zero of 4.17 is "
			"still there.",
		.rule = &qm_rule_irq_5_1,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v5.4", .first = "5.4", .last = "5.18", .upstream = true,
		.commits = "b1a5a73e64e9 53c1788b7d77",
		.title = "vectors in proportion to a node's CPUs, smallest node first",
		.text = "On uneven nodes the earlier kernels could leave CPUs of big nodes crowded while small nodes "
			"had a vector per CPU. Now each node gets vectors in proportion to its CPUs, at least one, "
			"beginning with the smallest; nodes of equal size come in the order of the kernel's unstable "
			"sort. The division by zero of 4.17 is gone.",
		.rule = &qm_rule_irq_5_4,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "el8-394", .first = "RHEL 8.7 4.18.0-394",
		.commits = "back-port of b1a5a73e64e9 and 08d835dff916",
		.title = "RHEL 8.7: as v5.19",
		.text = "Red Hat's back-port of the 5.4 and 5.19 changes into 4.18. Same results as v5.19.",
		.rule = &qm_rule_irq_5_19,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v5.19", .first = "5.19", .last = "6.2", .upstream = true,
		.commits = "08d835dff916",
		.title = "as v5.4; with few vectors a stage adds its own CPUs only",
		.text = "Where vectors are no more than nodes, 5.4 put a node's absent CPUs onto the vector of its "
			"present ones and a second time onto another. Now each CPU is on one vector. Also in 5.10.y "
			"and 5.15.y.",
		.rule = &qm_rule_irq_5_19,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v6.3", .first = "6.3", .last = "6.8", .upstream = true,
		.commits = "f7b3ea8cf72f",
		.title = "as v5.19, code shared with the generic mapper",
		.text = "The spreading moved to lib/group_cpus.c, where the generic mapper uses it too. Same results "
			"as v5.19; 6.1.y has it as well.",
		.rule = &qm_rule_irq_5_19,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v6.9", .first = "6.9", .last = "6.10", .upstream = true,
		.commits = "lib/sort series merged in March 2024",
		.title = "as v6.3, another order of equal nodes",
		.text = "Only the order in which the kernel's sort leaves nodes with equally many CPUs differs, see "
			"map:v6.9.",
		.rule = &qm_rule_irq_6_9,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v6.11", .first = "6.11", .last = "6.16", .upstream = true,
		.commits = "41ed78043508",
		.title = "as v6.9, yet another order of equal nodes",
		.text = "Only the order in which the kernel's sort leaves nodes with equally many CPUs differs, see "
			"map:v6.11.",
		.rule = &qm_rule_irq_6_11,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v6.17", .first = "6.17", .last = "6.19", .upstream = true,
		.commits = "b6139a6abf67",
		.title = "as v6.11; sets follow each other without holes",
		.text = "Only the groups that hold CPUs become vectors, the next set follows at once, and the vectors "
			"left over at the end get the default mask, though they still count as managed. Differs from "
			"v6.11 only with more vectors than possible CPUs.",
		.rule = &qm_rule_irq_6_17,
	},
	{
		.family = QM_FAMILY_IRQ, .id = "v7.0", .first = "7.0", .upstream = true,
		.commits = "89802ca36c96",
		.title = "as v6.17; inside a node by CPU clusters",
		.text = "CPUs of one cluster share vectors where a node gets at least as many vectors as it has "
			"clusters, see map:v7.0.",
		.rule = &qm_rule_irq_7_0,
	},

	{
		.family = QM_FAMILY_VECTOR, .id = "v4.9", .first = "4.9", .last = "4.12", .upstream = true,
		.commits = "blk_mq_pci_map_queues",
		.title = "PCI: the vector's CPUs; no mask is an error",
		.text = "The map is read off the interrupts: the CPUs in a vector's mask submit to that vector's "
			"queue. A vector without a mask makes the set-up fail. CPUs in no mask keep queue 0. The "
			"version in which this changed (4.13 here) is not known for sure.",
		.rule = &qm_rule_vector_error,
	},
	{
		.family = QM_FAMILY_VECTOR, .id = "v4.11", .first = "4.11", .last = "6.13", .upstream = true,
		.commits = "blk_mq_virtio_map_queues",
		.title = "virtio: the vector's CPUs; without a mask the generic mapper",
		.text = "As for PCI devices, but where a vector has no mask (a device whose queues share one "
			"interrupt) the generic mapper makes the map. First and last version are not known for sure.",
		.rule = &qm_rule_vector_map,
	},
	{
		.family = QM_FAMILY_VECTOR, .id = "v4.13", .first = "4.13", .last = "6.13", .upstream = true,
		.commits = "blk_mq_pci_map_queues",
		.title = "PCI: the vector's CPUs; without a mask all to queue 0",
		.text = "The map is read off the interrupts: the CPUs in a vector's mask submit to that vector's "
			"queue, CPUs in no mask keep queue 0. A vector without a mask sends every CPU to queue 0, and "
			"the kernel warns if there is more than one queue. From 4.16 on drivers can leave out their "
			"first vectors.",
		.rule = &qm_rule_vector_queue0,
	},
	{
		.family = QM_FAMILY_VECTOR, .id = "v4.14", .first = "4.14", .last = "6.4", .upstream = true,
		.commits = "blk_mq_rdma_map_queues",
		.title = "RDMA: the completion vector's CPUs; without a mask the generic mapper",
		.text = "As for PCI devices, over the completion vectors of an RDMA adapter; where one has no mask "
			"the generic mapper makes the map. Later kernels use the generic mapper for RDMA always; "
			"since which version exactly is not known.",
		.rule = &qm_rule_vector_map,
	},
	{
		.family = QM_FAMILY_VECTOR, .id = "v6.14", .first = "6.14", .upstream = true,
		.commits = "blk_mq_map_hw_queues",
		.title = "any bus: the vector's CPUs; without a mask the generic mapper",
		.text = "One helper for all buses took the place of the PCI and virtio ones. Where a vector has no "
			"mask the generic mapper makes the map: unlike before, PCI devices are then spread, too.",
		.rule = &qm_rule_vector_map,
	},
};

const char *qm_family_name(enum qm_family f)
{
	static const char *const names[_QM_FAMILY_MAX] = { "map", "irq", "vector" };

	return f < _QM_FAMILY_MAX ? names[f] : "?";
}

const struct qm_algo *qm_algo_get(size_t index)
{
	return index < QM_ARRAY_SIZE(algos) ? &algos[index] : NULL;
}

const struct qm_algo *qm_algo_find(enum qm_family family, const char *id)
{
	for (size_t i = 0; i < QM_ARRAY_SIZE(algos); i++) {
		if (algos[i].family == family && strcmp(algos[i].id, id) == 0)
			return &algos[i];
	}
	return NULL;
}

int qm_algo_parse(const char *spec, enum qm_family dflt, const struct qm_algo **ret)
{
	const char *colon = strchr(spec, ':');
	const struct qm_algo *a = NULL;

	if (!colon) {
		a = qm_algo_find(dflt, spec);
	} else {
		size_t len = (size_t)(colon - spec);

		for (unsigned f = 0; f < _QM_FAMILY_MAX; f++) {
			const char *name = qm_family_name(f);

			if (strlen(name) == len && strncmp(name, spec, len) == 0)
				a = qm_algo_find(f, colon + 1);
		}
	}
	if (!a)
		return -ENOENT;
	*ret = a;
	return 0;
}
