#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees that each hold some traps of real machines, as a whole. The cases one by one are in tests/unit/test-topology.c.

load ../lib

# dump NAME: reads the tree tests/data/topology/NAME; $output is {"topology", "problems"}.
dump() {
	local tree
	tree=$(fixture "topology/$1")
	output=$("$BUILD/tests/captures/dump-topology" "$tree") || fail "dump-topology failed"
}

@test "old kernel: sets from directories, masks, ids that are no indices, a node of memory" {
	dump old-masks
	assert_json '[j["topology"][k] for k in ("arch", "possible", "present", "online")]' '["ia64", "0-3", "0-3", "0-3"]'
	assert_json '[j["topology"][k] for k in ("possible_derived", "present_derived")]' '[true, true]'
	assert_json 'j["topology"]["cores"]' '["0", "1", "2", "3"]'
	assert_json 'j["topology"]["packages"]' '["0-1", "2-3"]'
	assert_json '[[n["id"], n["cpus"], n["mem_kb"]] for n in j["topology"]["nodes"]]' \
		'[[0, "0-1", null], [1, "2-3", null], [2, "", null]]'
	assert_json 'j["topology"]["distances"]' '[[10, 20, 21], [20, 10, 21], [21, 21, 10]]'
	assert_json '[j["topology"]["clusters"], j["topology"]["clusters_sure"], j["topology"]["llc"]]' '[null, true, null]'
	assert_json 'j["problems"]' '[]'
}

@test "CPU 0 offline, absent CPUs, a hole in the nodes" {
	dump offline-absent
	assert_json '[j["topology"][k] for k in ("possible", "present", "online", "nohz_full")]' '["0-7", "0-5", "1-3", ""]'
	assert_json '[j["topology"][k] for k in ("cores", "unknown_core")]' '[["1,3", "2"], "0,4-7"]'
	assert_json '[[n["id"], n["cpus"]] for n in j["topology"]["nodes"]]' '[[0, "0,2,4,6"], [2, "1,3,5,7"]]'
	assert_json '[j["topology"][k] for k in ("nr_node_ids", "node_guessed", "offline_masks")]' '[3, "6-7", "empty"]'
	assert_json 'j["topology"]["clusters"]' '["1,3", "2"]'
	assert_json 'j["problems"]' '[]'
}

@test "holes in the possible CPUs, ids that are all the same, no nodes" {
	dump holes
	assert_json 'j["topology"]["possible"]' '"6-7,10-11,14-15"'
	assert_json 'j["topology"]["cores"]' '["6", "7", "10", "11", "14", "15"]'
	assert_json 'j["topology"]["packages"]' '["6-7", "10-11", "14-15"]'
	assert_json '[j["topology"]["nodes"], j["topology"]["nr_node_ids"], j["topology"]["no_node"]]' '[[], 1, ""]'
	assert_json 'j["topology"]["arch"]' '"sparc64"'
	assert_json 'j["problems"]' '[]'
}

@test "a CPU in two nodes and one in none: each is said once" {
	dump broken-firmware
	assert_json '[[n["cpus"], n["mem_kb"]] for n in j["topology"]["nodes"]]' '[["0-2", 0], ["", 1048576]]'
	assert_json '[j["topology"]["no_node"], j["topology"]["distances"]]' '["3", null]'
	assert_json '[p["path"].split("node/")[1] + ": " + p["error"] for p in j["problems"]]' '[
		"node1/cpumap: differs from cpulist, which is taken",
		"node1/cpulist: names CPU 0, which node 0 has already",
		"node0/distance: does not hold one number for each online node"]'
}

@test "files padded with NULs" {
	dump padded
	assert_json '[j["topology"][k] for k in ("arch", "online", "isolated", "nohz_full")]' '["aarch64", "0-3", "", ""]'
	assert_json '[j["topology"][k] for k in ("cores", "clusters", "llc", "packages")]' \
		'[["0", "1", "2", "3"], ["0-1", "2-3"], ["0-3"], ["0-3"]]'
	assert_json '[[n["id"], n["cpus"], n["online"]] for n in j["topology"]["nodes"]]' '[[0, "0-3", true], [1, "", false]]'
	assert_json '[j["topology"][k] for k in ("distances", "offline_masks")]' '[[[10]], "self"]'
	assert_json 'j["problems"]' '[]'
}
