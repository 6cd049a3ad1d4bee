#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Hints on machines made for them: captured ones hold hardly any interrupt that may be moved. Each machine has its expected
# masks written by hand, with the reason beside it.

load ../lib

load ../hint

@test "nvme on Linux 4.4: each vector to its own queue's CPUs, the admin vector stays" {
	old_nvme
	# hctx 0 serves 0-1 and has vector 41, and so on; vector 40 is no queue's.
	assert_plan "41=0-1 42=2-3 43=4-5 44=6-7"
	assert_round_trip
}

@test "what is well placed is left alone, in one line" {
	old_nvme
	for q in 0 1 2 3; do
		echo "$((2 * q))" >"$ROOT/proc/irq/$((41 + q))/smp_affinity_list"
	done
	echo 2 >"$ROOT/sys/block/nvme0n1/queue/rq_affinity"
	qmapctl -s "$ROOT" hint plan
	assert_status 0
	assert_output "Nothing to do: every interrupt that may be moved serves its queue well."
}

@test "offline, isolated and reserved CPUs take no interrupt" {
	machine <<-'M'
		cpus("0-7", online="0-2,4-7", nodes={0: "0-3", 1: "4-7"}, isolated="4")
		kernel("4.4.0")
		nvme(0, ["0-1", "2-3", "4-5", "6-7"], node=0)
		for q in range(4):
		    irq("nvme0q%d" % (q + 1), "0-7", "0", number=41 + q)
	M
	# CPU 3 is offline, 4 isolated, 6 given to something else.
	assert_plan "41=0-1 42=2 43=5 44=7" --reserved 6
	assert_round_trip --reserved 6
}

@test "a queue with nobody left for its interrupt is told, not written" {
	machine <<-'M'
		cpus("0-3", online="0-1")
		kernel("4.4.0")
		nvme(0, ["0-1", "2-3"], node=0)
		for q in range(2):
		    irq("nvme0q%d" % (q + 1), "0-3", "0", number=41 + q)
	M
	# What vector 41 may still use, 0-1, is hctx 0's own.
	assert_plan ""
	assert_json '[n["text"] for n in j["notes"]][0]' \
		'"hctx 1: none of its CPUs is online and free for interrupts; IRQ 42 stays"'
}

@test "a queue that spans nodes: the device's node first" {
	machine <<-'M'
		cpus("0-7", nodes={0: "0-3", 1: "4-7"})
		kernel("4.4.0")
		nvme(0, ["0,4", "1,5", "2,6", "3,7"], node=1)
		for q in range(4):
		    irq("nvme0q%d" % (q + 1), "0-7", "0", number=41 + q)
	M
	# The disk is on node 1, which has CPUs 4-7.
	assert_plan "41=4 42=5 43=6 44=7"
	assert_round_trip
}

@test "completions that cross nodes: rq_affinity 2, with the reason" {
	machine <<-'M'
		cpus("0-7", nodes={0: "0-3", 1: "4-7"})
		kernel("4.4.0")
		nvme(0, ["0,4", "1,5", "2,6", "3,7"], node=1)
		file("sys/block/nvme0n1/queue/rq_affinity", "1")
		for q in range(4):
		    irq("nvme0q%d" % (q + 1), str(4 + q), str(4 + q), number=41 + q)
	M
	qmapctl -s "$ROOT" hint plan -J
	assert_json '[(c["what"], c["old"], c["new"]) for c in j["changes"]]' '[["rq_affinity", "1\n", "2"]]'
	assert_json 'j["changes"][0]["reason"]' '"a queue serves several NUMA nodes: completions would cross them"'
	assert_round_trip
}

@test "a driver's hint within the queue is followed, another one is said and not followed" {
	machine <<-'M'
		cpus("0-7", nodes={0: "0-7"})
		kernel("4.4.0")
		nvme(0, ["0-3", "4-7"], node=0)
		irq("nvme0q1", "0-7", "0", number=41, hint="2-3")
		irq("nvme0q2", "0-7", "0", number=42, hint="0-1")
	M
	# 2-3 lies within hctx 0's 0-3; 0-1 does not touch hctx 1's 4-7.
	assert_plan "41=2-3 42=4-7"
	assert_json '"affinity_hint agrees" in j["changes"][0]["reason"], "is not followed" in j["changes"][1]["reason"]' '[true, true]'
	assert_round_trip
}

@test "fewer vectors than CPUs: each queue's vector on its own CPUs, and completions brought home" {
	machine <<-'M'
		cpus("0-15", nodes={0: "0-7", 1: "8-15"})
		kernel("4.4.0")
		nvme(0, ["0-7", "8-15"], node=0)
		file("sys/block/nvme0n1/queue/rq_affinity", "1")
		irq("nvme0q1", "0-15", "0", number=50)
		irq("nvme0q2", "0-15", "0", number=51)
	M
	assert_plan "50=0-7 51=8-15"
	assert_json '[c["reason"] for c in j["changes"] if c["what"] == "rq_affinity"]' \
		'["fewer interrupt vectors than CPUs: each completes for CPUs that did not take the interrupt"]'
	assert_round_trip
}

@test "xen rings: all on CPU 0, spread to their queues" {
	machine <<-'M'
		cpus("0-3")
		kernel("4.9.0")
		disk("xvda", "vbd-51712/block/xvda", ["0", "1", "2", "3"], device="vbd-51712")
		link("sys/devices/vbd-51712/driver", "sys/bus/xen/drivers/vbd")
		dir("sys/bus/xen/drivers/vbd")
		for q in range(4):
		    irq("blkif", "0", "0", number=60 + q)
	M
	qmapctl -s "$ROOT" hint plan -J
	assert_status 0
	# Rings are known by their order only; where they are tied, the tie decides, and it is one to one.
	assert_json 'all(c["new"] == str(c["irq"] - 60) for c in j["changes"] if c["irq"] is not None)' true
}

@test "managed interrupts are one line and never an entry" {
	machine <<-'M'
		cpus("0-3")
		kernel("6.12.48")
		nvme(0, ["0", "1", "2", "3"], node=0)
		irq("nvme0q0", "0-3", "0", number=40)
		for q in range(4):
		    irq("nvme0q%d" % (q + 1), str(q), str(q), number=41 + q, mode=0o444)
	M
	qmapctl -s "$ROOT" hint plan
	assert_status 0
	assert_contains "$output" "nvme0: 4 interrupts are placed by the kernel (managed)"
	assert_contains "$output" "Nothing to do"
	qmapctl -s "$ROOT" hint plan -J
	assert_json 'len(j["changes"]), len(j["notes"])' '[0, 1]'
}

@test "an excluded interrupt is not touched" {
	old_nvme
	assert_plan "41=0-1 43=4-5" --exclude 42,44
	qmapctl -s "$ROOT" hint apply --yes --exclude 41-44
	assert_equal "$(cat "$ROOT/proc/irq/41/smp_affinity_list")" 0-7
}

@test "apply asks before it writes" {
	old_nvme
	qmapctl -s "$ROOT" hint apply
	assert_status 2
	assert_contains "$stderr" "say --yes"
	assert_equal "$(cat "$ROOT/proc/irq/41/smp_affinity_list")" 0-7
}

@test "apply and undo refuse what-ifs and machines without files" {
	old_nvme
	for verb in apply undo; do
		qmapctl -s "$ROOT" --offline 3 hint "$verb" --yes
		assert_status 2
		qmapctl --demo hint "$verb" --yes
		assert_status 2
	done
}

@test "somebody else's change in between is left and reported" {
	old_nvme
	qmapctl -s "$ROOT" hint plan -J
	printf '%s' "$output" >"$BATS_TEST_TMPDIR/plan.json"
	echo 7 >"$ROOT/proc/irq/42/smp_affinity_list"
	qmapctl -s "$ROOT" hint apply --yes -J "$BATS_TEST_TMPDIR/plan.json"
	assert_status 1
	assert_json '{c["irq"]: c["state"] for c in j["changes"] if c["irq"]}' \
		'{"41": "applied", "42": "moved", "43": "applied", "44": "applied"}'
	echo 6 >"$ROOT/proc/irq/43/smp_affinity_list"
	qmapctl -s "$ROOT" hint status
	assert_status 1
	qmapctl -s "$ROOT" hint undo --yes -J
	assert_equal "$(cat "$ROOT/proc/irq/"4[1-4]"/smp_affinity_list" | tr '\n' ' ')" "0-7 7 6 0-7 "
}

@test "a refused write is reported and the rest goes on; all or nothing takes it back" {
	old_nvme
	before=$(snapshot)
	qmapctl -s "$ROOT" hint plan -J
	printf '%s' "$output" >"$BATS_TEST_TMPDIR/plan.json"
	rm -r "$ROOT/proc/irq/43"
	qmapctl -s "$ROOT" hint apply --yes -J "$BATS_TEST_TMPDIR/plan.json"
	assert_status 1
	assert_json '[(c["state"], c["error"]) for c in j["changes"] if c["irq"] == 43]' '[["refused", "gone"]]'
	assert_equal "$(cat "$ROOT/proc/irq/44/smp_affinity_list")" 6-7
	qmapctl -s "$ROOT" hint undo --yes
	qmapctl -s "$ROOT" hint apply --yes --all-or-nothing "$BATS_TEST_TMPDIR/plan.json"
	assert_status 1
	assert_equal "$(cat "$ROOT/proc/irq/44/smp_affinity_list")" 0-7
}

@test "a plan for another machine, a cut one, one with foreign paths: refused whole" {
	old_nvme
	before=$(snapshot)
	qmapctl -s "$ROOT" hint plan -J
	plan=$output
	for bad in 's/"possible_list":"0-7"/"possible_list":"0-31"/' 's,proc/irq/42,../../etc,' 's,proc/irq/42/smp_affinity_list,etc/shadow,' \
		's,qmapctl/1,qmapctl/9,' '$d' 's/"new":"2-3"/"new":"x"/'; do
		sed "$bad" <<<"$plan" >"$BATS_TEST_TMPDIR/plan.json"
		[ "$(cat "$BATS_TEST_TMPDIR/plan.json")" != "$plan" ]
		qmapctl -s "$ROOT" hint apply --yes "$BATS_TEST_TMPDIR/plan.json"
		assert_status 2
		assert_equal "$(snapshot)" "$before"
	done
	# A link in place of the file is not followed.
	echo secret >"$BATS_TEST_TMPDIR/secret"
	rm "$ROOT/proc/irq/42/smp_affinity_list"
	ln -s "$BATS_TEST_TMPDIR/secret" "$ROOT/proc/irq/42/smp_affinity_list"
	printf '%s' "$plan" >"$BATS_TEST_TMPDIR/plan.json"
	qmapctl -s "$ROOT" hint apply --yes -J "$BATS_TEST_TMPDIR/plan.json"
	assert_json '[c["state"] for c in j["changes"] if c["irq"] == 42]' '["refused"]'
	assert_equal "$(cat "$BATS_TEST_TMPDIR/secret")" secret
}

@test "the state directory: a link or one that others may write to is refused" {
	old_nvme
	mkdir "$BATS_TEST_TMPDIR/open"
	chmod 777 "$BATS_TEST_TMPDIR/open"
	qmapctl -s "$ROOT" hint apply --yes --state "$BATS_TEST_TMPDIR/open"
	assert_status 2
	assert_contains "$stderr" "others may write to it"
	ln -s open "$BATS_TEST_TMPDIR/link"
	qmapctl -s "$ROOT" hint apply --yes --state "$BATS_TEST_TMPDIR/link"
	assert_status 2
	assert_contains "$stderr" "symbolic link"
	assert_equal "$(cat "$ROOT/proc/irq/41/smp_affinity_list")" 0-7
	qmapctl -s "$ROOT" hint apply --yes
	assert_equal "$(stat -c %a "$ROOT/var/lib/qmapctl" "$ROOT"/var/lib/qmapctl/hint-000001.jsonl | tr '\n' ' ')" "700 600 "
}

@test "two runs at once: the second is refused" {
	old_nvme
	qmapctl -s "$ROOT" hint apply --yes
	exec 9>>"$ROOT/var/lib/qmapctl/lock"
	flock -n 9
	qmapctl -s "$ROOT" hint undo --yes
	exec 9>&-
	assert_status 2
	assert_contains "$stderr" "another run is at work"
	assert_equal "$(cat "$ROOT/proc/irq/41/smp_affinity_list")" 0-1
}

@test "no journal is said so" {
	old_nvme
	for verb in status undo; do
		qmapctl -s "$ROOT" hint "$verb"
		assert_status 0
		assert_output "No journal: no hint was ever applied here."
	done
}

@test "nothing but the hints and the state directory is opened for writing" {
	type -P strace >/dev/null || skip "no strace"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	old_nvme
	# LeakSanitizer does not work under ptrace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	for verb in plan apply status undo; do
		strace -f -o "$BATS_TEST_TMPDIR/trace.$verb" -e trace=openat,openat2,open,creat \
			"$QMAPCTL" -s "$ROOT" hint "$verb" --yes >/dev/null
	done
	run grep -hE 'O_(WRONLY|RDWR|CREAT)' "$BATS_TEST_TMPDIR"/trace.*
	for line in "${lines[@]}"; do
		case $line in
		*/smp_affinity_list\"*O_WRONLY* | *queue/rq_affinity\"*O_WRONLY*) ;;
		*\"lock\"* | *\"new\"* | *\"hint-000001.jsonl\"*) ;;
		*) fail "opened for writing: $line" ;;
		esac
	done
	[ "${#lines[@]}" -gt 10 ]
}

@test "export: a shell script that shellcheck likes, does it and undoes it" {
	old_nvme
	before=$(snapshot)
	qmapctl -s "$ROOT" hint export --format shell --file "$BATS_TEST_TMPDIR/hint.sh"
	assert_status 0
	sh -n "$BATS_TEST_TMPDIR/hint.sh"
	! type -P shellcheck >/dev/null || shellcheck "$BATS_TEST_TMPDIR/hint.sh"
	QMAPCTL_ROOT=$ROOT sh "$BATS_TEST_TMPDIR/hint.sh"
	QMAPCTL_ROOT=$ROOT sh "$BATS_TEST_TMPDIR/hint.sh"
	assert_equal "$(cat "$ROOT/proc/irq/"4[1-4]"/smp_affinity_list" | tr '\n' ' ')" "0-1 2-3 4-5 6-7 "
	# A number that is another device's by now is left alone.
	mv "$ROOT/proc/irq/42/nvme0q2" "$ROOT/proc/irq/42/eth0"
	run env "QMAPCTL_ROOT=$ROOT" sh "$BATS_TEST_TMPDIR/hint.sh" undo
	[ "$status" -eq 1 ]
	mv "$ROOT/proc/irq/42/eth0" "$ROOT/proc/irq/42/nvme0q2"
	QMAPCTL_ROOT=$ROOT sh "$BATS_TEST_TMPDIR/hint.sh" undo
	assert_equal "$(snapshot)" "$before"
}

@test "export: the policy script bans what was placed and nothing else" {
	old_nvme
	qmapctl -s "$ROOT" hint export --format irqbalance
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/policy"
	! type -P shellcheck >/dev/null || shellcheck "$BATS_TEST_TMPDIR/policy"
	assert_equal "$(QMAPCTL_ROOT=$ROOT sh "$BATS_TEST_TMPDIR/policy" /sys/x 42)" "ban=true"
	assert_equal "$(QMAPCTL_ROOT=$ROOT sh "$BATS_TEST_TMPDIR/policy" /sys/x 40)" ""
}

@test "export: unit and rule" {
	old_nvme
	qmapctl -s "$ROOT" hint export --format systemd --file "$BATS_TEST_TMPDIR/qmapctl-hint@.service"
	assert_status 0
	if type -P systemd-analyze >/dev/null; then
		# The program need not be installed for this: only the unit's own words are judged.
		run systemd-analyze verify "$BATS_TEST_TMPDIR/qmapctl-hint@.service"
		assert_equal "$(printf '%s\n' "$output" | grep -v 'is not executable' | grep -v "Command 'man" | grep "qmapctl-hint@" || :)" ""
	fi
	qmapctl -s "$ROOT" hint export --format udev
	assert_line 'ACTION=="add", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", KERNEL=="nvme0n1", TAG+="systemd", ENV{SYSTEMD_WANTS}+="qmapctl-hint@nvme0n1.service"'
}

@test "export: connections with a number of queues that lasts" {
	qmapctl -s "$(fixture captures/7.2-nvmf72)" hint export --format nvme
	assert_status 0
	assert_json 'sorted({p["nr_io_queues"] for h in j for s in h["subsystems"] for p in s["ports"]}) != []' true
	assert_json 'all(p["transport"] in ("tcp", "loop") for h in j for s in h["subsystems"] for p in s["ports"])' true
}

@test "captures: no plan names a managed interrupt" {
	for f in "$DATA"/captures/*.manifest.xz; do
		name=${f##*/}
		tree=$(fixture "captures/${name%.manifest.xz}")
		qmapctl -s "$tree" show -J
		managed=$(json '[h["irq"] for c in j["controllers"] for h in c["hctx"] if h["managed"]]')
		qmapctl -s "$tree" hint plan -J
		assert_status 0
		assert_json "[c['irq'] for c in j['changes'] if c['irq'] in $managed]" '[]'
	done
}
