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
	qmapctl -s "$ROOT" hint apply --yes ./plan
	assert_status 32
	assert_equal "$stderr" "qmapctl: ./plan: no such device
qmapctl: the name of a plan ends in .json, or is - for standard input"
}

# hint_error MESSAGE ARGS...: wrong usage, told so.
hint_error() {
	local message=$1
	shift
	qmapctl -s "$ROOT" hint "$@"
	assert_status 2
	assert_output ""
	assert_equal "$stderr" "qmapctl: $message
Try 'qmapctl hint --help'"
}

@test "an option that would do nothing is refused, not passed over" {
	old_nvme
	before=$(snapshot)
	hint_error "hint needs one of plan, apply, undo, status and export"
	hint_error "hint needs one of plan, apply, undo, status and export, not nvme0" nvme0
	hint_error "hint plan does not go with --yes" plan --yes
	hint_error "hint plan does not go with --file" plan --file x
	hint_error "hint apply does not go with --format" apply --yes --format shell
	hint_error "hint apply does not go with --all" apply --yes --all
	hint_error "hint undo does not go with --exclude" undo --yes --exclude 41
	hint_error "hint undo does not go with --all-or-nothing" undo --yes --all-or-nothing
	hint_error "hint status does not go with --reserved" status --reserved 1
	hint_error "hint export does not go with --json" export --format shell --json
	hint_error "hint export needs --format shell, udev, systemd, irqbalance or nvme, not perl" export --format perl
	hint_error "hint undo takes no devices: it works by the journal" undo --yes nvme0
	hint_error "plan.json is a plan: it is applied alone, without devices or other plans" apply --yes nvme0 plan.json
	hint_error "standard input is a plan, which --reserved does not change: use it with hint plan" apply --yes - --reserved 1
	hint_error "--exclude 'x': not a list of interrupt numbers" plan --exclude x
	qmapctl -s "$ROOT" hint plan --reserved 99
	assert_status 2
	assert_equal "$stderr" "qmapctl: --reserved: CPU 99 is not possible on this machine (possible: 0-7)"
	assert_equal "$(snapshot)" "$before"
	[ ! -e "$ROOT/var" ]
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
		hint_error "hint $verb does not go with a what-if option: it writes to the machine as it is" \
			"$verb" --yes --offline 3
		qmapctl --demo hint "$verb" --yes
		assert_status 2
	done
	for verb in plan status "export --format shell"; do
		# shellcheck disable=SC2086 # words
		qmapctl --demo hint $verb
		assert_status 2
		assert_equal "$stderr" "qmapctl: hint ${verb%% *} works on this machine or a --sysroot only
Try 'qmapctl hint --help'"
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
	for verb in status "undo --yes"; do
		# shellcheck disable=SC2086 # words
		qmapctl -s "$ROOT" hint $verb
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
	for verb in plan "apply --yes" status "undo --yes"; do
		# shellcheck disable=SC2086 # words
		strace -f -o "$BATS_TEST_TMPDIR/trace.${verb%% *}" -e trace=openat,openat2,open,creat \
			"$QMAPCTL" -s "$ROOT" hint $verb >/dev/null
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
