#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The hint command as its users meet it. What it plans, and what it refuses: tests/hint.

load ../lib

load ../hint

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

@test "devices that are not there get no plan and no file" {
	old_nvme
	for words in plan "export --format shell" "export --format udev --file $BATS_TEST_TMPDIR/made" "apply --yes"; do
		# shellcheck disable=SC2086 # words
		qmapctl -s "$ROOT" hint $words nope
		assert_status 32
		assert_output ""
		assert_equal "$stderr" "qmapctl: nope: no such device"
	done
	[ ! -e "$BATS_TEST_TMPDIR/made" ]
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

@test "a journal that cannot be read is not called none" {
	old_nvme
	qmapctl -s "$ROOT" hint apply --yes
	local journal
	for journal in "$ROOT"/var/lib/qmapctl/*.json*; do
		echo "garbage" >"$journal"
	done
	for verb in status undo; do
		qmapctl -s "$ROOT" hint "$verb" --yes
		assert_status 2
		assert_output ""
		assert_contains "$stderr" "${journal##*/}: "
	done
}

@test "no journal is said so" {
	old_nvme
	for verb in status undo; do
		qmapctl -s "$ROOT" hint "$verb"
		assert_status 0
		assert_output "No journal: no hint was ever applied here."
	done
}

@test "without standard files no answer gets into the journal, and undo works" {
	old_nvme
	before=$(snapshot)
	status=0
	"$QMAPCTL" -s "$ROOT" hint apply --yes <&- >&- 2>&- || status=$?
	assert_status 2
	assert_equal "$(<"$ROOT/proc/irq/41/smp_affinity_list")" 0-1
	assert_journal
	qmapctl -s "$ROOT" hint undo --yes -J
	assert_status 0
	assert_equal "$(snapshot)" "$before"
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
