#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees that are broken or made to harm: a line a problem, and the rest of the answer.

load ../lib

# machine ROOT QUEUES: CPUs 0-7 and nullb0 with so many queues, queue n on CPU n.
machine() {
	local q
	for q in possible present online; do
		printf 'f sys/devices/system/cpu/%s 0-7\n' $q
	done | unfold - "$1"
	for ((q = 0; q < $2; q++)); do
		printf 'f sys/block/nullb0/mq/%s/cpu_list %s\n' $q $q
	done | unfold - "$1"
}

@test "every kind of bad file is one line, and the rest of the answer comes" {
	local root=$BATS_TEST_TMPDIR/root mq
	mq=$root/sys/block/nullb0/mq
	machine "$root" 8
	printf '1, two\n' >"$mq/1/cpu_list"
	printf '99999999\n' >"$mq/2/cpu_list"
	rm "$mq/3/cpu_list" && mkfifo "$mq/3/cpu_list"
	rm "$mq/4/cpu_list" && ln -s cpu_list "$mq/4/cpu_list"
	truncate -s 1G "$mq/5/cpu_list"
	printf '6\0\0\0and more\n' >"$mq/6/cpu_list"
	qmapctl show -s "$root" -n -r -o HCTX,CPUS
	assert_status 0
	assert_equal "$stderr" "qmapctl: sys/block/nullb0/mq/1/cpu_list: garbled
qmapctl: sys/block/nullb0/mq/2/cpu_list: a number beyond what a kernel can have
qmapctl: sys/block/nullb0/mq/3/cpu_list: not a regular file, not opened
qmapctl: sys/block/nullb0/mq/4/cpu_list: Too many levels of symbolic links
qmapctl: sys/block/nullb0/mq/5/cpu_list: larger than any such file of a kernel, not read"
	assert_output "0 0
1 -
2 -
3 -
4 -
5 -
6 6
7 7"
}

@test "links that lead out of the tree show nothing of what is there, with openat2() and without" {
	local root=$BATS_TEST_TMPDIR/root mq error
	mq=$root/sys/block/nullb0/mq
	machine "$root" 5
	mkdir "$BATS_TEST_TMPDIR/mq"
	printf '5\n' | tee "$BATS_TEST_TMPDIR/outside" >"$BATS_TEST_TMPDIR/mq/cpu_list"
	ln -sf "$BATS_TEST_TMPDIR/outside" "$mq/1/cpu_list"
	ln -sf ../../../../../../outside "$mq/2/cpu_list"
	rm -r "$mq/3" && ln -s "$BATS_TEST_TMPDIR/mq" "$mq/3"
	ln -sf ../0/../../../../../../sys/block/./nullb0/mq/0/cpu_list "$mq/4/cpu_list"
	qmapctl show -s "$root" -n -r -o HCTX,CPUS
	assert_status 0
	assert_output "0 0
1 -
2 -
3 -
4 0"
	for error in ENOSYS EPERM; do
		refusing $error show -s "$root" -n -r -o HCTX,CPUS
		assert_output "0 0
1 -
2 -
3 -
4 0"
	done
}

@test "a directory that is no machine, one without sys, a file, nothing" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	touch "$BATS_TEST_TMPDIR/file"
	qmapctl audit -s "$BATS_TEST_TMPDIR/empty"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $BATS_TEST_TMPDIR/empty: no machine below it: no directory sys/devices/system/cpu"
	qmapctl list -s "$BATS_TEST_TMPDIR/file"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $BATS_TEST_TMPDIR/file: Not a directory"
	qmapctl list -s "$BATS_TEST_TMPDIR/none"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $BATS_TEST_TMPDIR/none: No such file or directory"
}
