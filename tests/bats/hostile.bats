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
	assert_equal "$stderr" "qmapctl: $BATS_TEST_TMPDIR/empty: no machine below it: no directory sys/devices/system/cpu; 'qmapctl capture' makes such a tree"
	qmapctl list -s "$BATS_TEST_TMPDIR/file"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $BATS_TEST_TMPDIR/file: Not a directory"
	qmapctl list -s "$BATS_TEST_TMPDIR/none"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $BATS_TEST_TMPDIR/none: No such file or directory"
}

# An export is looked at on a terminal, and then used by a root shell, udev or nvme-cli.
@test "no export holds a name that no kernel gives" {
	local root=$BATS_TEST_TMPDIR/root name=$'a\e[31m' virtio nvme q
	virtio=$root/sys/devices/pci0000:00/0000:00:01.0/virtio0
	nvme=$root/sys/devices/virtual/nvme-fabrics/ctl/nvme0
	machine "$root" 0
	mkdir -p "$virtio/block/$name/queue" "$nvme/nvme0n1/mq/0" "$root/sys/block" "$root/sys/class/nvme" "$root/proc/sys/kernel"
	echo 6.1.0 >"$root/proc/sys/kernel/osrelease"
	ln -s ../../../../bus/virtio/drivers/virtio_blk "$virtio/driver"
	ln -s "../devices/pci0000:00/0000:00:01.0/virtio0/block/$name" "$root/sys/block/$name"
	echo 0 >"$virtio/block/$name/queue/rq_affinity"
	for q in 0 1; do
		mkdir -p "$root/proc/irq/3$q/$name" "$root/proc/irq/3$q/virtio0-req.$q" "$virtio/block/$name/mq/$q"
		echo $((7 - q * 4)) >"$root/proc/irq/3$q/smp_affinity_list"
		echo $((q * 4))-$((q * 4 + 3)) >"$virtio/block/$name/mq/$q/cpu_list"
	done
	ln -s ../../devices/virtual/nvme-fabrics/ctl/nvme0 "$root/sys/class/nvme/nvme0"
	ln -s ../devices/virtual/nvme-fabrics/ctl/nvme0/nvme0n1 "$root/sys/block/nvme0n1"
	echo tcp >"$nvme/transport"
	echo 0-7 >"$nvme/nvme0n1/mq/0/cpu_list"
	printf 'traddr=192.0.2.1,trsvcid=4420\n' >"$nvme/address"
	printf 'nqn\xff\n' >"$nvme/subsysnqn"

	qmapctl hint export --format shell -s "$root"
	assert_status 0
	[[ $output == *"put 'proc/irq/30/smp_affinity_list' '0-3' ''"* && $output != *$'\e'* && $output != *rq_affinity* ]]
	qmapctl hint export --format udev -s "$root"
	[[ $status -eq 0 && $output == "# udev"* && $output != *ACTION* ]]
	qmapctl hint export --format irqbalance -s "$root"
	[[ $status -eq 0 && $output == "#!"* && $output != *$'\e'* ]]
	qmapctl hint export --format nvme -s "$root"
	assert_status 0
	assert_output "[
]"
	echo nqn >"$nvme/subsysnqn"
	qmapctl hint export --format nvme -s "$root"
	assert_json 'j[0]["subsystems"][0]["nqn"]' '"nqn"'
}
