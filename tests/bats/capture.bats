#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# capture: the tree it writes answers as its source does, holds nothing else, and tells no names where asked not to.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "a capture of a captured machine answers the same, with a fraction of the files" {
	local source
	source=$(fixture captures/7.2-nvmf72)
	qmapctl capture -s "$source" copy
	assert_status 0
	same_answers "$source" copy
}

@test "links stay links and files stand where they really are" {
	local source
	source=$(fixture captures/6.12-off8)
	"$QMAPCTL" capture -s "$source" copy >/dev/null
	assert_equal "$(readlink copy/sys/block/nvme0n1)" "$(readlink "$source/sys/block/nvme0n1")"
	[ ! -L copy/sys/devices ]
	diff -r --no-dereference copy/sys/devices/system/cpu "$source/sys/devices/system/cpu" | grep -v '^Only in .*/captures' &&
		fail "a CPU file differs"
	diff copy/proc/cmdline "$source/proc/cmdline"
}

@test "capturing a capture changes nothing" {
	local source
	source=$(fixture captures/7.2-nvmf72)
	"$QMAPCTL" capture -s "$source" one >/dev/null
	"$QMAPCTL" capture -s one two >/dev/null
	diff -r --no-dereference one two
}

@test "the running machine" {
	qmapctl capture live -J
	assert_status 0
	assert_schema
	[ "$(json 'j["capture"]["files"]')" -gt 5 ]
	"$QMAPCTL" list -J 2>/dev/null | grep -v -e '^ "source":' -e '"links":' >a || :
	"$QMAPCTL" list -J -s live 2>/dev/null | grep -v -e '^ "source":' -e '"links":' >b || :
	cmp a b
}

@test "--redact replaces the same by the same and keeps what counts" {
	local source
	source=$(fixture captures/7.2-nvmf72)
	qmapctl capture --redact -s "$source" copy
	assert_status 0
	assert_contains "$output" "replaced"
	assert_equal "$(cat "$source"/sys/devices/virtual/nvme-fabrics/ctl/nvme0/subsysnqn | grep -c .)" 1
	! grep -rqF "$(cat "$source"/sys/devices/virtual/nvme-fabrics/ctl/nvme0/subsysnqn)" copy || fail "an NQN is left"
	local cmd
	for cmd in show topology; do
		"$QMAPCTL" $cmd -s "$source" >a
		"$QMAPCTL" $cmd -s copy >b
		cmp a b
	done
	"$QMAPCTL" audit -s "$source" -J | grep -v '^ "source":' >a || :
	"$QMAPCTL" audit -s copy -J | grep -v '^ "source":' >b || :
	cmp a b
}

@test "a directory that holds something is not written to" {
	mkdir full
	: >full/file
	qmapctl capture --demo full
	assert_status 2
	assert_contains "$stderr" "there are no files to copy"
	qmapctl capture -s "$(fixture captures/6.12-off8)" full
	assert_status 2
	assert_equal "$stderr" "qmapctl: full: not empty, a capture needs a directory of its own"
	assert_equal "$(ls full)" file
	qmapctl capture -s "$(fixture captures/6.12-off8)" file/x
	assert_status 2
	qmapctl capture
	assert_status 2
	assert_contains "$stderr" "needs one directory to write to"
	qmapctl capture a --offline 3
	assert_status 2
	assert_contains "$stderr" "a capture is of what is"
	[ ! -e a ]
}

@test "what only root may read is listed" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	local source
	source=$(fixture captures/6.12-off8)
	cp -a "$source" tree
	chmod 700 tree/sys/kernel/debug
	chmod 755 .
	cp "$QMAPCTL" ./program
	mkdir out
	chown 65534 out
	output=$(setpriv --reuid=65534 --clear-groups ./program capture -s tree out/copy -J 2>err) || fail "$(<err)"
	assert_json '"sys/kernel/debug/block" in j["capture"]["refused"]' true
	output=$(setpriv --reuid=65534 --clear-groups ./program capture -s tree out/two) || fail
	assert_contains "$output" "not copied, only root may read it: sys/kernel/debug/block"
}

@test "who took which interrupt is copied as it is, however long the file" {
	unfold - tree <<-'END'
		f sys/devices/system/cpu/possible 0-1
		f sys/devices/system/cpu/present 0-1
		f sys/devices/system/cpu/online 0-1
		d sys/devices/system/cpu/cpu0
		d sys/devices/system/cpu/cpu1
		f proc/irq/30/smp_affinity_list 0-1
		f proc/irq/30/effective_affinity_list 1
		f proc/irq/30/node 0
		f proc/irq/30/affinity_hint 3
	END
	{
		echo '           CPU0       CPU1       '
		echo ' 30:          7          0   PCI-MSI-0000:01:00.0   1-edge      lpfc:1, ice-ens1-TxRx-0'
		for nr in {1000..3000}; do
			printf '%3s:          1          0   PCI-MSI-0000:02:00.0   1-edge      name%s\n' $nr $nr
		done
		printf '\0\0\0'
	} >tree/proc/interrupts
	[ "$(stat -c %s tree/proc/interrupts)" -gt 131072 ]
	qmapctl capture -s tree copy
	assert_status 0
	cmp tree/proc/interrupts copy/proc/interrupts
	same_answers tree copy
	qmapctl show --irq --counts -s copy -J
	assert_json '[(i["irq"], i["name"], i["delivered_list"], i["node"], i["hint_list"]) for i in j["irqs"]]' \
		'[[30, "lpfc:1, ice-ens1-TxRx-0", "0", 0, "0-1"]]'
	# names of devices are no secret: the directories of interrupts carry them, too
	qmapctl capture --redact -s tree redacted
	assert_status 0
	cmp tree/proc/interrupts redacted/proc/interrupts
	# where a link leads to it, it stands behind the link
	mv tree/proc/interrupts tree/elsewhere
	ln -s /elsewhere tree/proc/interrupts
	qmapctl capture -s tree linked
	assert_status 0
	[ -L linked/proc/interrupts ]
	cmp tree/elsewhere linked/elsewhere
}

@test "links that lead out or round in circles stay inside" {
	unfold - tree <<-'END'
		f sys/devices/system/cpu/possible 0-1
		f sys/devices/system/cpu/present 0-1
		f sys/devices/system/cpu/online 0-1
		d sys/devices/system/cpu/cpu0
		d sys/devices/system/cpu/cpu1
		l sys/block ../../../../../../etc
		l sys/class/nvme loop
		l sys/class/loop nvme
		l proc/cmdline /etc/passwd
		f etc/passwd inside
	END
	qmapctl capture -s tree copy
	assert_status 0
	assert_equal "$(cat copy/etc/passwd)" inside
	[ ! -e copy/etc/shadow ]
	[ -L copy/proc/cmdline ]
}
