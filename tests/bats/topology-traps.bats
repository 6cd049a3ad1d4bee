#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees that each hold some traps of real machines, as a whole. The cases one by one are in tests/unit/test-topology.c.

load ../lib

# dump NAME: the topology of the tree tests/data/topology/NAME as JSON, which must be the same when it is read back.
dump() {
	local tree first json=$BATS_TEST_TMPDIR/topology.json
	tree=$(fixture "topology/$1")
	qmapctl topology --json --sysroot "$tree"
	assert_status 0
	assert_schema
	first=$output
	printf '%s\n' "$output" >"$json"
	qmapctl topology --json --topology "$json"
	assert_status 0
	assert_json 'j["topology"]' "$(output=$first json 'j["topology"]')"
	output=$first
}

# assert_topology KEYS EXPECTED: these parts of the topology, as JSON. "nodes" are [id, cpus, online, mem_kb], "problems" are
# those of the whole answer, without the directories that all of them share.
assert_topology() {
	assert_json "(lambda t: {k: t[k] for k in '''$1'''.split()})(dict(j['topology'],
		nodes=[[n['id'], n['cpus'], n['online'], n['mem_kb']] for n in j['topology']['nodes']],
		problems=[p['path'].replace('sys/devices/system/', '') + ': ' + p['error'] for p in j['problems']]))" "$2"
}

@test "old kernel: sets from directories, masks, ids that are no indices, a node of memory" {
	dump old-masks
	assert_topology "arch possible present online possible_derived present_derived cores packages nodes distances clusters
		clusters_sure llc problems" '{
		"arch": "ia64", "possible": "0-3", "present": "0-3", "online": "0-3",
		"possible_derived": true, "present_derived": true,
		"cores": ["0", "1", "2", "3"], "packages": ["0-1", "2-3"],
		"nodes": [[0, "0-1", true, null], [1, "2-3", true, null], [2, "", true, null]],
		"distances": [[10, 20, 21], [20, 10, 21], [21, 21, 10]],
		"clusters": null, "clusters_sure": true, "llc": null, "problems": []}'
}

@test "CPU 0 offline, absent CPUs, a hole in the nodes" {
	dump offline-absent
	assert_topology "possible present online nohz_full cores unknown_core nodes nr_node_ids node_guessed offline_masks clusters
		problems" '{
		"possible": "0-7", "present": "0-5", "online": "1-3", "nohz_full": "", "cores": ["1,3", "2"], "unknown_core": "0,4-7",
		"nodes": [[0, "0,2,4,6", true, null], [2, "1,3,5,7", true, null]], "nr_node_ids": 3, "node_guessed": "6-7",
		"offline_masks": "empty", "clusters": ["1,3", "2"], "problems": []}'
}

@test "holes in the possible CPUs, ids that are all the same, no nodes" {
	dump holes
	assert_topology "arch possible cores packages nodes nr_node_ids no_node problems" '{
		"arch": "sparc64", "possible": "6-7,10-11,14-15", "cores": ["6", "7", "10", "11", "14", "15"],
		"packages": ["6-7", "10-11", "14-15"], "nodes": [], "nr_node_ids": 1, "no_node": "", "problems": []}'
}

@test "a CPU in two nodes and one in none: each is said once" {
	dump broken-firmware
	assert_topology "nodes no_node distances problems" '{
		"nodes": [[0, "0-2", true, 0], [1, "", true, 1048576]], "no_node": "3", "distances": null, "problems": [
		"node/node1/cpumap: differs from cpulist, which is taken",
		"node/node1/cpulist: names CPU 0, which node 0 has already",
		"node/node0/distance: does not hold one number for each online node"]}'
}

@test "files padded with NULs" {
	dump padded
	assert_topology "arch online isolated nohz_full cores clusters llc packages nodes distances offline_masks problems" '{
		"arch": "aarch64", "online": "0-3", "isolated": "", "nohz_full": "", "cores": ["0", "1", "2", "3"],
		"clusters": ["0-1", "2-3"], "llc": ["0-3"], "packages": ["0-3"],
		"nodes": [[0, "0-3", true, null], [1, "", false, null]], "distances": [[10]], "offline_masks": "self", "problems": []}'
}

@test "a topology written and read again gives the same maps" {
	local dir=$BATS_TEST_TMPDIR name n=0
	for name in arm64-32-offline-absent x86-sparse-possible-smt ppc64-smt8-n0-8-250; do
		xz -dc "$DATA/vectors/topologies.jsonl.xz" | grep -F "{\"name\":\"$name\"" >"$dir/golden"
		"$QMAPCTL" topology --json --topology "$dir/golden" >"$dir/again"
		"$QMAPCTL" predict --json --queues 3,8 --topology "$dir/golden" | sed 3d >"$dir/maps"
		"$QMAPCTL" predict --json --queues 3,8 --topology "$dir/again" | sed 3d >"$dir/maps-again"
		[ "$(wc -c <"$dir/maps")" -gt 2000 ]
		cmp "$dir/maps" "$dir/maps-again" || fail "$name"
		n=$((n + 1))
	done
	[ "$n" -eq 3 ]
}

# refused WORDS ARGS...: exit status 2, one line on stderr with these words, nothing else.
refused() {
	qmapctl topology "${@:2}"
	assert_status 2
	assert_output ""
	[[ $stderr != *$'\n'* ]] || fail "more than one line: $stderr"
	assert_contains "$stderr" "$1"
}

# topology TEXT: a topology file of that text.
topology() {
	printf '%s' "$1" >"$BATS_TEST_TMPDIR/t.json"
	printf '%s\n' "$BATS_TEST_TMPDIR/t.json"
}

@test "a bad topology file is one clear line with the value" {
	refused 'nodes: CPU 2 is in node 0 and in node 1' --topology \
		"$(topology '{"possible":"0-3","nodes":[{"id":0,"cpus":"0-2"},{"id":1,"cpus":"2-3"}]}')"
	refused 'nodes: CPU 3 is in no node' --topology "$(topology '{"possible":"0-3","nodes":[{"id":0,"cpus":"0-2"}]}')"
	refused 'cores[1]: CPU 9 is not possible' --topology "$(topology '{"possible":"0-3","cores":["0-1","2,9"]}')"
	refused 'possible: "0-99999" goes beyond CPU 8191' --topology "$(topology '{"possible":"0-99999"}')"
	refused 'it ends too early' --topology "$(topology '{"possible":"0-3","nodes":[')"
	refused 'possible: 7 is not a string' --topology "$(topology '{"possible":7}')"
	refused 'No such file' --topology "$BATS_TEST_TMPDIR/none"
	refused '"cor:4": the types are' --synthetic cor:4
	refused 'no machine below it' --sysroot "$BATS_TEST_TMPDIR"
}
