#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Which numbers of queues connect over NVMe fabrics.
load ../lib

# 16 cores, the second threads numbered behind all first ones; 8 CPUs on 2 nodes, siblings side by side
HT16='pack:1 core:16 pu:2 order=thread-first'
SMALL='pack:2 [numa] core:2 pu:2'

# outcome WANT ARGS: "OUTCOME SURE QID CPUS REASON SAFELIST" of one transport, tcp unless T names another
outcome() {
	local want=$1
	shift
	qmapctl advise --transport "${T:-tcp}" -r -n -o OUTCOME,SURE,QID,CPUS,REASON,SAFELIST "$@"
	[[ $want == connects\ yes* ]] && assert_status 0 || assert_status 1
	assert_output "$want"
}

@test "two threads of one core offline: 30 queues fail at the 12th, 16 work, 17 do not" {
	local args=(--synthetic "$HT16" --kernel 7.0 --offline '11,27')
	outcome 'refused yes 12 11 offline 1-16' "${args[@]}"
	outcome 'refused yes 12 11 offline 1-16' "${args[@]}" --queues 30
	outcome 'refused yes 16 27 offline 1-16' "${args[@]}" --queues 17
	outcome 'connects yes - - - 1-16' "${args[@]}" --queues 16
	# the mapper before 6.3 has other numbers
	outcome 'refused yes 12 11 offline 1-11' --synthetic "$HT16" --kernel 6.1.192 --offline 11,27
}

@test "half of the possible CPUs is unsafe on one machine and wasteful on another" {
	outcome 'refused yes 3 4-5 offline 1' --synthetic 'pack:1 core:6 pu:1' --kernel 7.0.6 --offline 3-5 --queues 3
	outcome 'connects yes - - - 1-5' --synthetic 'pack:1 core:6 pu:1' --kernel 6.1.192 --offline 5
	outcome 'connects yes - - - 1-3' --synthetic 'pack:1 core:6 pu:1' --kernel 7.0.6 --offline 1,3,5 --queues 3
}

@test "CPU 0 offline, by kernel and transport" {
	local spec='pack:2 [numa] core:10 pu:2 order=thread-first'
	T=rdma outcome 'refused no 1 0 offline 1-20' --synthetic "$spec" --kernel 5.19 --offline 0
	T=rdma outcome 'refused yes 20 0 offline 1-38' --synthetic "$spec" --kernel 6.3 --offline 0
	spec='pack:2 [numa] core:8 pu:2 order=thread-first'
	T=loop outcome 'refused no 1 0 offline 1-16' --synthetic "$spec" --kernel 5.19 --offline 0
	qmapctl advise --synthetic "$spec" --kernel 5.19 --offline 0 --transport loop -r -n -o COMMAND
	assert_output 'nvme\x20connect\x20-t\x20loop\x20-n\x20NQN\x20--nr-io-queues=16'
}

@test "the audit says beforehand what switching SMT off does" {
	qmapctl audit --synthetic "$HT16" --kernel 6.12 --offline 16-31
	assert_status 1
	assert_contains "$(tr -s ' \n' ' ' <<<"$output")" 'with the default of 16 queues is refused (errno -18'
	assert_contains "$output" 'Ask for 1 queue'
	qmapctl audit --synthetic "$SMALL" --kernel 6.1.192 --offline 1,3,5,7
	assert_status 1
	assert_contains "$(tr -s ' \n' ' ' <<<"$output")" 'the one with qid 2 (hctx 1), which has CPUs 1,5, which are offline'
	qmapctl audit --synthetic "$SMALL" --kernel 6.12 --offline 1,3,5,7
	assert_status 0
}

@test "SMT switched off is enough, depending on kernel and numbering" {
	# second threads numbered behind: the grouping mappers pair offline CPUs
	outcome 'refused yes 9 16-17 offline 1' --synthetic "$HT16" --kernel 6.12 --offline 16-31
	outcome 'connects yes - - - 1-16' --synthetic "$HT16" --kernel 6.1.192 --offline 16-31
	# siblings side by side, as on POWER: the sequential mapper leaves even numbers dead
	outcome 'refused yes 2 1,33,65,97 offline 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31' \
		--synthetic 'pack:2 [numa] core:16 pu:4' --kernel 5.10.198 --online 0-127:1/4
	outcome 'connects yes - - - 1-32' --synthetic 'pack:2 [numa] core:16 pu:4' --kernel 6.12 --online 0-127:1/4
}

@test "44 cores and 88 threads on 4.12: a grant from 45 to 87 is fatal" {
	local args=(--synthetic 'pack:2 [numa] core:22 pu:2 order=thread-first' --kernel 4.12) g
	outcome 'connects yes - - - 1-44,88' "${args[@]}"
	for g in 45 64 87; do
		qmapctl advise --transport rdma "${args[@]}" --granted "$g" -r -n -o OUTCOME,REASON,SAFELIST,ANYGRANT
		assert_status 1
		assert_output 'refused unmapped 1-44 44'
	done
	outcome 'connects yes - - - 1-88' "${args[@]}" --granted 1
	outcome 'connects yes - - - 1-88' "${args[@]}" --granted 44
	outcome 'connects yes - - - 1-44,88' "${args[@]}" --granted 88
	outcome 'connects yes - - - 1-44' "${args[@]}" --granted 64 --queues 44
	qmapctl advise "${args[@]}" --granted 64 --print safe
	assert_output 44
	qmapctl advise "${args[@]}" --print safe
	assert_output 88
	qmapctl advise "${args[@]}" --print any-grant
	assert_output 44
}

@test "resilient and after-loss are two numbers" {
	qmapctl advise --synthetic 'pack:2 [numa] core:18 pu:2 order=thread-first' --kernel 6.12 --transport tcp -r -n \
		-o SAFELIST,RESILIENT,AFTERLOSS
	assert_output '1-72 26 34'
	qmapctl advise --synthetic 'pack:1 core:1 pu:2' --kernel 6.12 --transport tcp -r -n -o SAFELIST,RESILIENT,AFTERLOSS
	assert_output '1-2 0 0'
}

@test "a kernel that does not check is said to be so" {
	outcome 'undefined yes 2 1 offline 1-2' --synthetic 'pack:1 core:4 pu:1' --kernel 4.19.191 --offline 1
	qmapctl advise --synthetic 'pack:1 core:4 pu:1' --kernel 4.19.191 --offline 1 --transport tcp
	assert_contains "$(tr -s ' \n' ' ' <<<"$output")" 'this kernel does not check'
	# 5.2's tcp with fewer queues granted than asked for
	outcome 'undefined yes - - - 1-4' --synthetic 'pack:1 core:8 pu:1' --kernel 5.2 --granted 4
	outcome 'connects yes - - - 1-4' --synthetic 'pack:1 core:8 pu:1' --kernel 5.2 --granted 4 --queues 4
	# which leaves one queue, if it is not known what is granted; other transports take any
	qmapctl advise --synthetic 'pack:1 core:8 pu:1' --kernel 5.2 --print any-grant --transport tcp
	assert_output 1
	qmapctl advise --synthetic 'pack:1 core:8 pu:1' --kernel 5.2 -r -n --granted 4 -o TRANSPORT,SAFELIST,ANYGRANT
	assert_output 'tcp 1-4 1
rdma 1-8 8
fc 1-8 8
loop 1-8 8'
}

@test "queues of isolated CPUs only are refused with every CPU online" {
	outcome 'refused yes 1 4-5 isolated 1-2' --synthetic "$SMALL" --kernel 6.12 --isolcpus domain,2-5 --queues 4
	outcome 'connects yes - - - 1-8' --synthetic "$SMALL" --kernel 5.10.198 --isolcpus domain,2-5
	outcome 'connects yes - - - 1-8' --synthetic "$SMALL" --kernel 6.12 --isolcpus managed_irq,2-5
	outcome 'refused yes 1 4 isolated 1-2' --synthetic "$SMALL" --kernel 6.12 --nohz-full 2-5
	outcome 'connects yes - - - 1-8' --synthetic "$SMALL" --kernel 7.2 --nohz-full 2-5
	# one CPU of the queue isolated, the other offline
	local mixed=(--synthetic "$SMALL" --kernel 6.12 --isolcpus "domain,4" --offline 5)
	outcome 'refused yes 1 4-5 offline 1-3' "${mixed[@]}" --queues 4
	COLUMNS=200 qmapctl advise "${mixed[@]}" --transport tcp --queues 4
	assert_contains "$output" "its CPUs 4-5 are offline (5) or isolated, and this kernel"
	COLUMNS=400 qmapctl audit --synthetic 'pack:1 core:4 pu:2' --kernel 6.12 --isolcpus domain,0,2,4,6 --offline 1
	assert_contains "$output" 'which has CPUs 0-1, all of which are offline or isolated'
}

@test "write and poll queues have maps of their own" {
	local args=(--synthetic "$SMALL" --kernel 6.12 --offline '6,7')
	outcome 'refused yes 4 6-7 offline 1-3' "${args[@]}" --queues 4 --write-queues 2
	outcome 'connects yes - - - 1-3' "${args[@]}" --queues 2 --poll-queues 2
	outcome 'refused yes 4 6-7 offline none' "${args[@]}" --queues 2 --poll-queues 4
	qmapctl advise "${args[@]}" --transport loop --write-queues 2
	assert_status 2
	assert_contains "$stderr" 'loop and fc have no write and poll queues'
}

@test "not sure is no" {
	outcome 'connects no - - - 1-4' --synthetic 'pack:1 core:4 pu:1' --kernel 9.9
	qmapctl advise --synthetic 'pack:1 core:4 pu:1' --kernel 9.9 --transport tcp
	assert_contains "$output" 'tcp: connects (not sure)
  a connect with the default of 4 queues should work; what this kernel does is'
	# a kernel that sends a request for a CPU that is offline
	qmapctl advise --synthetic 'pack:1 core:4 pu:1' --kernel 4.14.154 --offline 1 --transport tcp
	assert_contains "$(tr -s ' \n' ' ' <<<"$output")" \
		'queues may work: it has a queue without a CPU that surely serves it; what this kernel does'
	# candidates that agree leave no doubt
	outcome 'connects yes - - - 1-6' --synthetic 'pack:1 core:6 pu:1' --kernel 5.14.0-427.el9.x86_64
	outcome 'refused no 3 4 offline 1-2' --synthetic 'pack:1 core:6 pu:1' --kernel 5.14.0-427.el9.x86_64 --offline 4,5
}

@test "--print: one number and nothing else" {
	local args=(--synthetic "$HT16" --kernel 7.0 --offline '11,27') pair
	for pair in safe:16 resilient:8 any-grant:16 default:30; do
		qmapctl advise "${args[@]}" --print "${pair%:*}"
		assert_status 0
		assert_output "${pair#*:}"
		assert_equal "$stderr" ''
	done
	# none: nothing, and no
	qmapctl advise --synthetic 'pack:1 core:1 pu:2' --kernel 6.12 --print resilient
	assert_status 1
	assert_output ''
	assert_equal "$stderr" ''
	# nothing else counts: neither that the default would be refused, nor a doubt
	qmapctl advise --synthetic 'pack:1 core:4 pu:1' --kernel 9.9 --print safe
	assert_status 0
	assert_output 4
}

@test "--print: transports that differ must be told apart" {
	local args=(--synthetic "$SMALL" --kernel 6.12 --offline '6,7' --poll-queues 4)
	qmapctl advise "${args[@]}" --print safe
	assert_status 2
	assert_output ''
	assert_contains "$stderr" '--transport'
	qmapctl advise "${args[@]}" --print safe --transport tcp,rdma
	assert_status 1
	assert_output ''
	qmapctl advise "${args[@]}" --print default
	assert_output 6
}

@test "JSON, checked against the schema" {
	qmapctl advise --synthetic "$HT16" --kernel 7.0 --offline 11,27 --transport tcp -J
	assert_status 1
	assert_schema
	assert_json 'j["advice"]' '[{"controller": null, "transport": "tcp", "kernel_algorithm": "v7.0", "requested": 30,
		"granted": null, "queues": {"asked": 30, "total": 30, "default": 30, "read": 0, "poll": 0},
		"outcome": "refused", "sure": true, "rules": ["fabrics-connect-exdev"],
		"first_failure": {"hctx": 11, "qid": 12, "type": "default", "cpus": [11], "cpu_list": "11",
			"offline_list": "11", "reason": "offline"},
		"safe_list": "1-16", "largest_safe": 16, "largest_safe_any_grant": 16, "largest_resilient": 8,
		"largest_after_loss": 11, "message": "a connect with the default of 30 queues is refused (EXDEV, \"Invalid cross-device link\"): queue 12 (hctx 11) has no CPU that can send its Connect command: its CPU 11 is offline.",
		"note": null, "command": "nvme connect -t tcp -a ADDRESS -s PORT -n NQN --nr-io-queues=16"}]'
	qmapctl advise --synthetic "$SMALL" --kernel 6.12 --write-queues 2 --granted 9 -J
	assert_schema
	assert_json '[[a["transport"], a["granted"], a["queues"]["asked"], a["queues"]["default"], a["queues"]["read"],
		"memory regions" in (a["note"] or "")] for a in j["advice"]]' \
		'[["tcp", 9, 10, 1, 8, false], ["rdma", 9, 10, 1, 8, true], ["fc", 9, 8, 8, 0, false], ["loop", 9, 8, 8, 0, false]]'
}

@test "a connected controller: what the next reset does to it" {
	qmapctl --sysroot "$(fixture captures/6.1-fail72ht.live-offline)" advise --transport tcp -J
	assert_status 1
	assert_schema
	assert_json '[[a["controller"], a["outcome"], a["sure"], a["rules"], a["requested"], a["granted"],
		a["first_failure"]["qid"], a["first_failure"]["cpu_list"], a["command"]] for a in j["advice"]]' \
		'[["nvme0", "refused", true, ["fabrics-reconnect-risk"], 36, 36, 19, "18,54", "chcpu -e 18-35"],
		[null, "refused", true, ["fabrics-connect-exdev"], 36, null, 19, "18",
			"nvme connect -t tcp -a ADDRESS -s PORT -n NQN --nr-io-queues=18"]]'
	assert_json '"again with --nr-io-queues=18" in j["advice"][0]["message"]' true
	# with the CPUs back it works
	qmapctl --sysroot "$(fixture captures/6.1-fail72ht.live-offline)" advise --transport tcp --online 0-71
	assert_status 0
	assert_contains "$output" 'nvme0 (tcp, 36 queues), next reset: connects'
	assert_contains "$(tr -s ' \n' ' ' <<<"$output")" 'It uses 36 of the default of 72 queues: limited by the target, or fewer'
}

@test "a queue that is still marked inactive with its CPU online: the next reset fails at it" {
	local root=$BATS_TEST_TMPDIR/root
	qmapctl --sysroot "$(fixture fabrics/7.2-inactive)" advise --transport tcp -J
	assert_status 0
	assert_schema
	assert_json '[j["advice"][0][k] for k in ("controller", "outcome", "sure", "rules", "command")]' \
		'["nvme0", "refused", false, ["fabrics-reconnect-risk"], "chcpu -d 2 && chcpu -e 2"]'
	assert_json '[j["advice"][0]["first_failure"][k] for k in ("hctx", "qid", "cpu_list", "reason")]' '[4, 5, "2", "inactive"]'
	assert_json 'j["advice"][0]["message"]' '"it will not outlive the next reset or loss of connection: hctx 4 is still marked inactive, though a CPU of it is online; take CPU 2 offline and online again before that, or disconnect it and connect again with --nr-io-queues=8."'
	qmapctl --sysroot "$(fixture fabrics/7.2-inactive)" audit -J
	assert_status 1
	assert_json '[[f[k] for k in ("rule", "severity", "controller", "hctx_list", "cpu_list", "command")]
		for f in j["findings"] if f["severity"] != "info"]' \
		'[["fabrics-reconnect-risk", "error", "nvme0", "4", "2", "chcpu -d 2 && chcpu -e 2"]]'
	qmapctl --sysroot "$(fixture fabrics/7.2-inactive)" show nvme0 -n -r -o HCTX,STATE
	assert_equal "$(grep -v ok <<<"$output")" "4 inactive"
	qmapctl --sysroot "$(fixture fabrics/7.2-inactive)" show nvme0 --matrix
	assert_contains "$output" 'still marked inactive, though a CPU is online: hctx 4'
	# no such mark: where the CPU is offline, with another flag alone, without debugfs as for nobody
	unfold "$DATA/fabrics/7.2-inactive.manifest.xz" "$root"
	echo 'TAG_ACTIVE|INACTIVE' >"$root/sys/kernel/debug/block/nvme0c0n1/hctx4/state"
	qmapctl --sysroot "$root" show nvme0 --offline 2 -n -r -o HCTX,STATE
	assert_contains "$output" '4 offline'
	qmapctl --sysroot "$root" audit --offline 2 -J
	assert_json '[f["message"].count("still marked") for f in j["findings"] if f["rule"] == "fabrics-reconnect-risk"]' '[0]'
	echo 'TAG_ACTIVE' >"$root/sys/kernel/debug/block/nvme0c0n1/hctx4/state"
	qmapctl --sysroot "$root" advise --transport tcp
	assert_contains "$output" 'nvme0 (tcp, 8 queues), next reset: connects'
	rm -r "$root/sys/kernel/debug"
	qmapctl --sysroot "$root" audit
	assert_status 0
}

@test "a connected controller without a disk shows no map" {
	local root=$BATS_TEST_TMPDIR/root
	unfold "$DATA/captures/6.1-fail72ht.live-offline.manifest.xz" "$root"
	find "$root/sys" -depth -name 'nvme0*n1*' -exec rm -r {} +
	qmapctl --sysroot "$root" advise --transport tcp
	assert_contains "$output" 'nvme0 (tcp, 36 queues), next reset: unknown
  it has no disk, which alone would show what CPUs its queues serve'
	qmapctl --sysroot "$root" advise --transport tcp -J
	assert_schema
	assert_json '[[a["controller"], a["outcome"], a["sure"], a["granted"], a["command"]] for a in j["advice"]][0]' \
		'["nvme0", "unknown", false, 36, null]'
}

@test "lists of the machine's own queues tell whether isolated CPUs are left out" {
	local pair
	for pair in 6.1-iso:1-2 5.10-iso:1-8 7.2-ioq:1-2 6.1-nohz:1-2 6.12-isomirq:1-8; do
		qmapctl --sysroot "$(fixture "captures/${pair%:*}")" advise --transport tcp -r -n -o CONTROLLER,SURE,SAFELIST
		assert_line "- yes ${pair#*:}"
	done
}

@test "the text says the same" {
	COLUMNS=100 qmapctl advise --synthetic "$HT16" --kernel 7.0 --offline 11,27
	assert_status 1
	assert_output 'tcp, rdma, fc, loop: refused
  a connect with the default of 30 queues is refused (EXDEV, "Invalid cross-device link"): queue 12
  (hctx 11) has no CPU that can send its Connect command: its CPU 11 is offline.
  safe numbers  1-16
  any grant     16    up to this all work, whatever the target grants
  resilient     8     the connection outlives the loss of any core
  after loss    11    a new connection works after the loss of any core
  rdma: the adapter'\''s completion vectors and memory regions may allow fewer queues: other limits
        than the map
  fc: the port'\''s driver may allow fewer queues: another limit than the map
  run: nvme connect -t tcp -a ADDRESS -s PORT -n NQN --nr-io-queues=16'
	qmapctl advise --synthetic "$HT16" --kernel 7.0 --offline 11,27 --transport fc -r
	assert_output 'TRANSPORT CONTROLLER QUEUES OUTCOME SURE QID CPUS REASON SAFE ANYGRANT RESILIENT AFTERLOSS
fc - 30 refused yes 12 11 offline 16 16 8 11'
}

@test "transports whose options differ are not told as one" {
	qmapctl advise --synthetic "$SMALL" --kernel 6.12 --write-queues 4 --granted 8
	assert_contains "$output" '--nr-io-queues=8 --nr-write-queues=4

fc, loop: connects'
	assert_contains "$output" 'run: nvme connect -t fc -a ADDRESS -w HOST-ADDRESS -n NQN --nr-io-queues=8'
}

@test "wrong words are told" {
	local args
	for args in '--queues 0' '--queues 65536' '--queues 8-' '--queues -1' '--write-queues x' '--poll-queues' \
		'--granted 0' '--transport pcie' '--transport tcp,' '--print' '--print largest'; do
		# shellcheck disable=SC2086
		qmapctl advise --synthetic "$HT16" --kernel 7.0 $args
		assert_status 2
		assert_output ''
		[ -n "$stderr" ] || fail "nothing said about $args"
	done
	qmapctl advise --synthetic "$HT16"
	assert_status 2
	assert_contains "$stderr" '--kernel'
}

@test "1024 CPUs, all numbers and transports, at once" {
	qmapctl advise --synthetic 'numa:16 core:32 pu:2 order=thread-first' --kernel 6.12 -r -n -o TRANSPORT,SAFELIST,AFTERLOSS
	assert_status 0
	assert_output 'tcp 1-1024 496
rdma 1-1024 496
fc 1-1024 496
loop 1-1024 496'
}
