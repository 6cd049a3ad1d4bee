#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is read: each file that an answer needs, once. bench/floor says which these are, and shares no code.

load ../lib

FLOOR=$BUILD/bench/floor
TRACELOG=$TOP/bench/tracelog.py
export PYTHONDONTWRITEBYTECODE=1

setup_file() {
	"$PYTHON" "$TOP/bench/mkgiant.py" "$BATS_FILE_TMPDIR/tree" --cpus 16 --nodes 2 --disks 2 --queues 4
}

setup() {
	strace -y -o "$BATS_TEST_TMPDIR/try" true 2>/dev/null || skip "strace is missing or refused"
	TREE=$BATS_FILE_TMPDIR/tree
	cd "$BATS_TEST_TMPDIR" || return
}

# The tree in place of the live one.
live() {
	# shellcheck disable=SC2016 # expanded inside
	unshare -rm sh -c 'mount --rbind "$0/sys" /sys && mount --bind "$0/proc/irq" /proc/irq && exec "$@"' "$TREE" "$@"
}

# trace PREFIX SOURCE ROOT: logs of what the floor and qmapctl do for each command. PREFIX is a function that runs a command.
trace() {
	local what
	for what in topology list audit; do
		"$1" strace -f -y -o "floor.$what" "$FLOOR" "$3" "$what" 2>/dev/null
		# shellcheck disable=SC2086 # no option or two
		"$1" strace -f -y -o "own.$what" "$QMAPCTL" $2 "$what" >answer
	done
}

plain() {
	"$@"
}

@test "another root: each file that an answer needs is read once, with few calls" {
	trace plain "-s $TREE" "$TREE"
	"$PYTHON" "$TRACELOG" "$TREE" "$TREE" {floor,own}.{topology,list,audit} >calls
	for what in topology list audit; do
		diff "floor.$what.reads" "own.$what.reads" || fail "$what"
		run awk '$1 != 1' "own.$what.reads"
		assert_output "2 file sys/devices/system/cpu/online
2 file sys/devices/system/cpu/present"
		run grep 'proc/interrupts\|list.*mq/[0-9]' "own.$what.reads"
		assert_output ""
	done
	grep -q 'mq/3/cpu_list' own.audit.reads
	# The tree is small, so that what is done once counts for more than on a large machine.
	run awk '{ n[NR] = $1 } END { for (i = 1; i <= 3; i++) print (n[i] > 100), (n[i + 3] <= 1.5 * n[i]) }' calls
	assert_output "1 1
1 1
1 1"
}

@test "the same on a live root" {
	live strace -y -o try true 2>/dev/null || skip "a mount namespace of one's own is refused here"
	trace live "" /
	"$PYTHON" "$TRACELOG" / /sys,/proc/irq {floor,own}.{topology,list,audit} >calls
	# libnuma's second opinion of the nodes is asked for there, and reads for itself.
	sed -i '/devices.system.node.node/d' {floor,own}.topology.reads
	for what in topology list audit; do
		diff "floor.$what.reads" "own.$what.reads" || fail "$what"
	done
	[ "$(wc -l <own.audit.reads)" -gt 100 ]
}

@test "the log reader sees what is read twice" {
	printf '%s\n' 'openat(3</x>, "before", O_RDONLY) = 4</x/before>' 'openat(AT_FDCWD, "/x", O_RDONLY|O_DIRECTORY) = 3</x>' \
		'7 openat(3</x>, "a", O_RDONLY) = 4</x/a>' '7 openat(3</x>, "b/../a", O_RDONLY) = 4</x/a>' \
		'openat2(3</x>, "d", {flags=O_RDONLY|O_DIRECTORY}, 24) = 4</x/d>' 'getdents64(4</x/d>, 0x1 /* 2 entries */, 9) = 48' \
		'getdents64(4</x/d>, 0x1 /* 0 entries */, 9) = 0' 'openat(3</x>, "c", O_RDONLY) = -1 ENOENT (No such file)' \
		'openat2(3</x>, "e", {flags=O_RDONLY|O_PATH}, 24) = 4</x/e>' 'openat(AT_FDCWD, "/etc/a", O_RDONLY) = 4</etc/a>' >log
	run "$PYTHON" "$TRACELOG" /x /x log
	assert_output 9
	run cat log.reads
	assert_output "2 file a
1 list d"
}
