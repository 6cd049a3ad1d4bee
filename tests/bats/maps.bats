#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# compare and predict: the algorithms side by side, sweeps, types of queues, vectors.

load ../lib

# rows COLUMNS ARGS...: the raw table, blanks between the words
rows() {
	local columns=$1
	shift
	qmapctl "$@" -rn -o "$columns"
}

@test "64 queues on 36 cores with 72 threads: which kernels leave queues without a CPU" {
	rows ALGORITHM,UNMAPPED,DEAD,MARK compare --demo --queues 64
	assert_status 0
	assert_output "v3.13 28 0 -
v3.19 28 0 pred
v4.13-posted 0 0 best
v4.13-v5.3 0 0 best
v6.3-v6.17 0 0 best
v7.0 0 0 best
suse-hk 0 0 best"
	rows UNMAPPEDLIST compare --demo --queues 64
	assert_equal "${output%%$'\n'*}" 36-63
	qmapctl compare --demo --queues 64 -J
	assert_json '[r["unmapped_list"] for r in j["results"] if r["algorithm"] == "v3.19"]' \
		'["2,4,6,9,11,13,15,18,20,22,25,27,29,31,34,36,38,41,43,45,47,50,52,54,57,59,61,63"]'
	assert_json 'sorted({r["queues"] for r in j["results"]})' '[64]'
	assert_json '[j["live"], j["predicted"], j["best"]["unmapped"], j["best"]["max_cpus"]]' '[null, "map:v3.19", 0, 2]'
}

@test "24 queues there: what sharing between the nodes costs, and since when it is gone" {
	rows ALGORITHM,KERNELS,UNMAPPED,CROSS,CPUS compare --demo --queues 24
	assert_output "v3.13 3.13-3.18 6 0 4
v3.19 3.19-4.12 0 0 2-4
v4.13-posted 4.13 0 12 2-4
v4.13-v5.3 4.13-6.2 0 12 2-4
v6.3-v7.0 6.3- 0 0 3
suse-hk SLE\x206.4- 0 0 3"
}

@test "160 CPUs on 2 nodes, 2 queues: one for each node since 6.3" {
	rows ALGORITHM,CROSS compare --synthetic 'pack:2 [numa] core:80' --queues 2
	assert_contains "$output" "v4.13-v5.3 2"
	assert_contains "$output" "v6.3-v7.0 0"
}

@test "the usual table for people, 80 columns wide at most" {
	qmapctl compare --demo --queues 24
	assert_output "24 queues; best possible: 0 cross-node, at most 3 CPUs a queue, 12 split cores
ALGORITHM    KERNELS   UNMAPPED DEAD CROSS SPLIT CPUS SPARE MARK
v3.13        3.13-3.18        6    0     0     0    4     1 -
v3.19        3.19-4.12        0    0     0     0  2-4     0 pred
v4.13-posted 4.13             0    0    12     0  2-4     0 -
v4.13-v5.3   4.13-6.2         0    0    12     0  2-4     0 -
v6.3-v7.0    6.3-             0    0     0    18    3     1 -
suse-hk      SLE 6.4-         0    0     0    18    3     1 -"
}

@test "compare a device: the live map, what made it, and where the others differ" {
	qmapctl compare --demo nullb0
	assert_status 0
	rows DEVICE,ALGORITHM,DIFF,MARK compare --demo
	assert_contains "$output" "nullb0 v3.13 "
	assert_contains "$output" "nullb0 v3.19 0 live,pred"
	qmapctl compare --demo -J
	assert_json '[j["live"], j["predicted"], j["exit_status"]]' '[["map:v3.19"], "map:v3.19", 0]'
	assert_json '[r["algorithm"] for r in j["results"] if r["live"]]' '["v3.19"]'
	assert_json '[r["differs_list"] for r in j["results"] if r["algorithm"] == "v3.19"]' '[""]'
	assert_json '[c["controller"] for c in j["comparisons"]]' '["nullb0"]'
}

@test "a map that no algorithm makes is a no" {
	local tree=$BATS_TEST_TMPDIR/tree mq
	cp -a "$(fixture captures/6.1-std8)" "$tree"
	qmapctl compare -s "$tree" nvme3
	assert_status 0
	mq=$(echo "$tree"/sys/block/nvme3n1/mq)
	printf '0\n' >"$mq/0/cpu_list" # were CPU 4's
	printf '4\n' >"$mq/4/cpu_list"
	rm -rf "$mq"/0/cpu4 "$mq"/4/cpu0
	mkdir "$mq"/0/cpu0 "$mq"/4/cpu4
	qmapctl compare -s "$tree" nvme3 -J
	assert_status 1
	assert_schema
	assert_json '[j["live"], j["exit_status"], any(r["live"] for r in j["results"])]' '[[], 1, false]'
	assert_json '[r["differs_list"] for r in j["results"] if r["algorithm"] == "v6.3"]' '["0,4"]'
	qmapctl compare -s "$tree" nvme3
	assert_contains "$output" "No algorithm gives the live map; nearest is irq:"
	qmapctl list -s "$tree" nvme3 -nr -o ALGORITHM,MATCHES,PREDICTED
	assert_output "none none irq:v6.3"
	qmapctl compare -s "$tree" nvme3 nope
	assert_status 64
}

@test "--diff: the CPUs that move between two algorithms" {
	qmapctl compare --demo --queues 24 --diff v3.19 v4.13
	assert_contains "$output" "24 queues, from map:v3.19 to map:v4.13: "
	rows CPU,FROM,TO compare --demo --queues 24 --diff v3.19,v4.13
	assert_contains "$output" "1 0 1"
	local table=$output
	qmapctl compare --demo --queues 24 --diff=v3.19,v4.13 -J
	assert_json '" ".join("%d %d %d" % (m["cpu"], m["from"], m["to"]) for m in j["diff"]["moves"])' "\"${table//$'\n'/ }\""
	assert_json '[j["diff"]["from"], j["diff"]["to"], len(j["diff"]["cpus"]) == len(j["diff"]["moves"])]' \
		'["map:v3.19", "map:v4.13", true]'
	qmapctl compare --demo --queues 24 --diff v6.3 v6.3 -J
	assert_json 'j["diff"]["moves"]' '[]'
}

@test "predict: a sweep is a row a count, kernels side by side" {
	rows KERNEL,QUEUES,ALGORITHM,UNMAPPED predict --demo --kernel 3.13,4.12,6.12 --queues 35-37,64
	assert_output "3.13 35 v3.13 17
4.12 35 v3.19 0
6.12 35 v6.11 0
3.13 36 v3.13 0
4.12 36 v3.19 0
6.12 36 v6.11 0
3.13 37 v3.13 1
4.12 37 v3.19 1
6.12 37 v6.11 0
3.13 64 v3.13 28
4.12 64 v3.19 28
6.12 64 v6.11 0"
	rows QUEUES predict --demo --queues 1-256
	assert_equal "$(wc -l <<<"$output")" 256
}

@test "predict: without a kernel all algorithms, the predicted one where it is known" {
	qmapctl predict --synthetic 'core:4 pu:2' --queues 4 -J
	assert_json 'j["kernel"]' null
	assert_json '[r["algorithm"] for r in j["results"]]' \
		'["v3.13","v3.19","v4.13-posted","v4.13","v4.16","v5.3","v6.3","v6.9","v6.11","v6.17","v7.0","suse-hk"]'
	qmapctl predict --demo --queues 4 -J
	assert_json '[[r["algorithm"], r["predicted"], r["kernel"]] for r in j["results"]]' '[["v3.19", true, null]]'
	qmapctl predict --demo --queues 4 -J --kernel 6.12
	assert_json '[j["kernel"]["release"], [[r["algorithm"], r["kernel"]] for r in j["results"]]]' \
		'["6.12", [["v6.11", "6.12"]]]'
	qmapctl predict --demo --queues 4 --algorithm all,v6.3 -J
	assert_json 'len(j["results"])' 12
}

@test "predict: the count left out is that of the online CPUs" {
	rows QUEUES predict --demo --offline 0-9
	assert_output 62
}

@test "predict --by-queue shows the map" {
	qmapctl predict --synthetic 'pack:2 [numa] core:2 pu:2' --kernel 6.12 --queues 3 --by-queue
	assert_output "v6.11, kernel 6.12, 3 default queues:
HCTX CPUS ONLINE NODES
   0 4-7  4-7    1
   1 0-1  0-1    0
   2 2-3  2-3    0"
	qmapctl predict --synthetic 'pack:2 [numa] core:2 pu:2' --kernel 6.12 --queues 3 -J
	assert_json 'j["results"][0]["map"]' '[1,1,2,2,0,0,0,0]'
}

@test "types of queues as nvme connect means them" {
	rows SET,QUEUES predict --demo --kernel 6.12 --queues 8 --write-queues 4 --poll-queues 2
	assert_output "default 4
read 8
poll 2"
	qmapctl predict --demo --kernel 6.12 --queues 8 --write-queues 4 --poll-queues 2 -J
	assert_json '[[r["set"], r["offset"], min(r["map"]), max(r["map"])] for r in j["results"]]' \
		'[["default",0,0,3],["read",4,4,11],["poll",12,12,13]]'
	# no more than CPUs online, each kind for itself
	rows SET,QUEUES predict --demo --kernel 6.12 --driver nvme-tcp --queues 100 --write-queues 90 --offline 70-71
	assert_output "default 70
read 70"
}

@test "types of queues as the nvme module means them, from managed vectors" {
	qmapctl predict --demo --kernel 6.12 --driver nvme --queues 32 --write-queues 8 --poll-queues 4 -J
	assert_json '[[r["family"], r["algorithm"], r["set"], r["queues"], r["offset"]] for r in j["results"]]' \
		'[["irq","v6.11","default",8,0],["irq","v6.11","read",20,8],["map","v6.11","poll",4,28]]'
	qmapctl predict --demo --kernel 4.12 --driver nvme --queues 32 --write-queues 8
	assert_status 2
	assert_contains "$stderr" "qmapctl: 32 queues with 8 write and 0 poll queues: nvme has no such sets"
	rows SET,QUEUES predict --demo --kernel 6.12 --driver virtio_blk --queues 8 --poll-queues 2
	assert_output "default 6
poll 2"
	rows SET,QUEUES predict --demo --kernel 6.12 --driver null_blk --queues 8 --poll-queues 2
	assert_output "default 8
poll 2"
}

@test "predict --vectors: masks, reserved vectors, sets" {
	qmapctl predict --synthetic 'pack:2 [numa] core:2 pu:2' --vectors 5 --pre 1 --algorithm v6.3 -J
	assert_json 'j["results"]' '[{"family":"irq","algorithm":"v6.3","first":"6.3","last":"6.8","kernel":null,"vectors":5,
		"pre":1,"sets":[],"masks":["0-7","4-5","6-7","0-1","2-3"],"error":null,"warn":0,"sure":true}]'
	qmapctl predict --synthetic 'pack:2 [numa] core:2 pu:2' --vectors 5 --pre 1 --sets 2,2 --algorithm v6.3 -J
	assert_json '[j["results"][0]["sets"], j["results"][0]["masks"]]' '[[2,2],["0-7","0-3","4-7","0-3","4-7"]]'
	# before 5.0 there were no sets
	qmapctl predict --synthetic 'core:2 pu:2' --vectors 5 --pre 1 --sets 2,2 --algorithm v4.20,v5.0 -J
	assert_json '[r["algorithm"] for r in j["results"]]' '["v5.0"]'
	qmapctl predict --synthetic 'core:2 pu:2' --vectors 2 --algorithm v6.3
	assert_output "irq:v6.3, 2 vectors, 0 of them before the queues':
VECTOR CPUS ONLINE NODES
     0 0-1  0-1    0
     1 2-3  2-3    0"
}

@test "a kernel that crashes is a result, not a crash" {
	local file=$BATS_TEST_TMPDIR/t.json
	# 3 nodes, of one only absent CPUs: the share of the second stage comes out as zero
	printf '%s' '{"arch":"x86_64","possible":"0-23","present":"0-11","online":"0-11","nr_node_ids":3,"nodes":[
		{"id":0,"cpus":"0-3,12-15"},{"id":1,"cpus":"4-7,16-19"},{"id":2,"cpus":"8-11,20-23"}],
		"cores":["0","1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17","18","19","20","21","22",
		"23"],"clusters":null,"offline_masks":"empty"}' >"$file"
	qmapctl predict --topology "$file" --vectors 1-24 --algorithm v4.17 -J
	assert_status 0
	assert_schema
	assert_json '"divide-by-zero" in [r["error"] for r in j["results"]]' true
	assert_json '[r["masks"] for r in j["results"] if r["error"]][0]' null
	local count
	count=$(json '[r["vectors"] for r in j["results"] if r["error"]][0]')
	qmapctl predict --topology "$file" --vectors "$count" --algorithm v4.17
	assert_contains "$output" "this kernel divides by zero"
	qmapctl predict --topology "$file" --algorithm irq:v4.17 --queues "$count" -J
	assert_schema
	assert_json '[[r["error"], r["map"], r["unmapped_list"]] for r in j["results"]]' '[["divide-by-zero", null, null]]'
}

@test "the driver of a distribution may be younger than its kernel" {
	qmapctl predict --demo --kernel 4.18.0-147.el8.x86_64 --driver nvme --queues 32 --poll-queues 4 -J
	assert_json 'sorted({(r["set"], len({q for q in r["map"] if q is not None})) for r in j["results"]})' \
		'[["default", 28], ["poll", 4]]'
	qmapctl predict --demo --kernel 4.18.0-80.el8.x86_64 --driver nvme --queues 32 --poll-queues 4
	assert_status 2
}

@test "results that hang on a guess are not sure" {
	local file=$BATS_TEST_TMPDIR/t.json
	qmapctl topology --synthetic "pack:2 [numa] core:4 pu:2" -J
	sed 's/"clusters_sure":true/"clusters_sure":false/' <<<"$output" >"$file"
	qmapctl predict --topology "$file" --queues 4 -J
	assert_schema
	assert_json '[r["algorithm"] for r in j["results"] if not r["sure"]]' '["v7.0"]'
	qmapctl predict --topology "$file" --queues 4 -rno ALGORITHM,MARK
	assert_equal "$(grep unsure <<<"$output")" "v7.0 best,unsure"
	# the nodes of absent CPUs
	sed -i 's/"clusters_sure":false/"clusters_sure":true/; s/"present":"0-15"/"present":"0-13"/
		s/"online":"0-15"/"online":"0-13"/; s/"node_guessed":""/"node_guessed":"14-15"/' "$file"
	qmapctl compare --topology "$file" --queues 4 -J
	assert_schema
	assert_json '[r["algorithm"] for r in j["results"] if not r["sure"]]' \
		'["v6.3", "v6.9", "v6.11", "v6.17", "v7.0", "suse-hk"]'
}

@test "an unknown kernel is refused by name" {
	qmapctl predict --demo --kernel 6.12,nonsense --queues 4
	assert_status 2
	assert_equal "$stderr" "qmapctl: --kernel 'nonsense': no release, version or algorithm, as 5.14.0-427.el9, 6.12 or v6.11 \
would be"
	qmapctl compare --demo --kernel nonsense
	assert_equal "$stderr" "qmapctl: --kernel 'nonsense': no release, version or algorithm, as 5.14.0-427.el9, 6.12 or v6.11 \
would be"
}

@test "what-ifs reach the maps: an offline CPU, isolation" {
	rows DEAD predict --demo --kernel 5.3 --queues 72 --offline 11,27
	assert_output 2
	rows DEADLIST predict --demo --kernel 5.3 --queues 72 --offline 11,27
	assert_output 11,27
	qmapctl predict --demo --algorithm suse-hk --queues 4 --isolcpus managed_irq,domain,0-35 -J
	local isolated
	isolated=$(json 'j["results"][0]["map"]')
	qmapctl predict --demo --algorithm suse-hk --queues 4 -J
	[ "$(json 'j["results"][0]["map"]')" != "$isolated" ]
}
