#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Hints that are killed, and whose writes fail, at every point: too slow for every build.

load ../lib
load ../hint

@test "killed at every system call that touches the tree or the journal, undo leaves the tree as it was" {
	type -P strace >/dev/null || skip "no strace"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	# LeakSanitizer does not work under ptrace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	old_nvme
	before=$(snapshot)
	calls=openat,openat2,mkdirat,write,ftruncate,fsync,linkat,unlinkat,close
	points=0
	for run in apply undo; do
		k=1
		while :; do
			rm -rf "${ROOT:?}/var"
			[ "$run" = apply ] || "$QMAPCTL" -s "$ROOT" hint apply --yes >/dev/null
			strace -f -o "$BATS_TEST_TMPDIR/trace" -P "$ROOT/var/lib/qmapctl" -P "$ROOT/var/lib" \
				-P "$ROOT/var/lib/qmapctl/new" -P "$ROOT/var/lib/qmapctl/hint-000001.jsonl" \
				-P "$ROOT/proc/irq/41/smp_affinity_list" -P "$ROOT/proc/irq/42/smp_affinity_list" \
				-P "$ROOT/proc/irq/43/smp_affinity_list" -P "$ROOT/proc/irq/44/smp_affinity_list" \
				-e "trace=$calls" -e "inject=$calls:signal=KILL:when=$k" \
				"$QMAPCTL" -s "$ROOT" hint "$run" --yes >/dev/null 2>&1 && break
			"$QMAPCTL" -s "$ROOT" hint undo --yes >/dev/null
			assert_equal "$(snapshot)" "$before"
			points=$((points + 1))
			k=$((k + 1))
			[ $k -lt 200 ]
		done
		"$QMAPCTL" -s "$ROOT" hint undo --yes >/dev/null
		assert_equal "$(snapshot)" "$before"
	done
	echo "# $points points" >&3
	[ "$points" -ge 40 ]
}

@test "every write that fails is reported, and undo leaves the tree as it was" {
	type -P strace >/dev/null || skip "no strace"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	# LeakSanitizer does not work under ptrace.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	old_nvme
	before=$(snapshot)
	for error in ENOSPC EIO EPERM EINVAL EROFS; do
		for call in write fsync ftruncate; do
			for k in 1 2 3 5 8; do
				rm -rf "${ROOT:?}/var"
				rc=0
				strace -f -o /dev/null -P "$ROOT/var/lib/qmapctl/new" -P "$ROOT/var/lib/qmapctl/hint-000001.jsonl" \
					-P "$ROOT/proc/irq/41/smp_affinity_list" -P "$ROOT/proc/irq/42/smp_affinity_list" \
					-P "$ROOT/proc/irq/43/smp_affinity_list" -P "$ROOT/proc/irq/44/smp_affinity_list" \
					-e "trace=$call" -e "inject=$call:error=$error:when=$k" \
					"$QMAPCTL" -s "$ROOT" hint apply --yes >/dev/null 2>&1 || rc=$?
				[ "$rc" -le 2 ]
				"$QMAPCTL" -s "$ROOT" hint undo --yes >/dev/null || :
				assert_equal "$(snapshot)" "$before"
			done
		done
	done
}
