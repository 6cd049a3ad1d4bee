#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The running host's own libraries, over a made-up /sys in a mount namespace.

load ../lib

DUMP=$BUILD/tests/captures/dump-machine

# host TREE COMMAND...: runs it where /sys, and what udev keeps, are those of the tree.
host() {
	local tree=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare -rm bash -c 'mount --bind "$1/sys" /sys && mount --bind "$1/run" /run && shift && "$@"' \
		- "$tree" env SYSTEMD_DEVICE_VERIFY_SYSFS=0 "$@"
}

setup() {
	tree=$BATS_TEST_TMPDIR/host
	mkdir -p "$tree/sys" "$tree/run"
	host "$tree" true 2>/dev/null || skip "no mount namespace allowed here"
	"$PYTHON" "$TOP/tests/mkroot.py" "$tree" <<-'EOF'
		cpus("0-7", nodes={0: "0-3", 1: "4-7"}, distances=[[10, 21], [21, 10]])
		path = nvme(0, ["0-3", "4-7"], node=1)
		for n in (0, 1):
		    files("sys/devices/system/node/node%d" % n, meminfo="Node %d MemTotal: 1024 kB\nNode %d MemFree: 512 kB" % (n, n),
		          cpumap=["0f", "f0"][n])
		files(path + "/nvme0n1", uevent="MAJOR=259\nMINOR=0\nDEVNAME=nvme0n1\nDEVTYPE=disk", dev="259:0")
		link(path + "/nvme0n1/subsystem", "sys/class/block")
		file("run/udev/data/b259:0", "S:disk/by-id/nvme-eui.10\nS:disk/by-id/nvme-eui.9\nE:ID_SERIAL=x\nV:1")
		file("run/udev/control", "")
	EOF
}

@test "udev gives the persistent names of the host's disks" {
	output=$(host "$tree" "$DUMP" /)
	[[ $output == *'"links":["disk/by-id/nvme-eui.9","disk/by-id/nvme-eui.10"]'* ]] ||
		ldd "$DUMP" | grep -q libudev || skip "built without libudev"
	assert_json '[d["links"] for d in j["block_devices"]]' '[["disk/by-id/nvme-eui.9", "disk/by-id/nvme-eui.10"]]'
	assert_json 'j["controllers"][0]["hctx"][1]["cpu_list"]' '"4-7"'
}

@test "a persistent name of udev leads to the controller" {
	ldd "$DUMP" | grep -q libudev || skip "built without libudev"
	output=$(host "$tree" "$DUMP" / /dev/disk/by-id/nvme-eui.9 /dev/disk/by-id/nvme-eui.99)
	assert_json 'j["resolved"]' '{"/dev/disk/by-id/nvme-eui.9": ["nvme0"], "/dev/disk/by-id/nvme-eui.99": null}'
}

@test "names of the host are not given to another root" {
	output=$(host "$tree" "$DUMP" "$tree")
	assert_json '[d["links"] for d in j["block_devices"]]' '[[]]'
}

@test "libnuma agrees with what is read" {
	output=$(host "$tree" "$DUMP" /)
	assert_json 'j["problems"]' '[]'
}

@test "what libnuma sees otherwise is a problem" {
	ldd "$DUMP" | grep -q libnuma || skip "built without libnuma"
	printf '1f\n' >"$tree/sys/devices/system/node/node0/cpumap"
	printf 'e0\n' >"$tree/sys/devices/system/node/node1/cpumap"
	output=$(host "$tree" "$DUMP" /)
	assert_json '[p["error"] for p in j["problems"] if "libnuma" in p["error"]]' \
		'["libnuma says a CPU listed here is on node 0, the file says 1"]'
	output=$(host "$tree" "$DUMP" "$tree")
	assert_json '[p["error"] for p in j["problems"] if "libnuma" in p["error"]]' '[]'
}

@test "a log is explained where the host itself cannot be read" {
	local empty=$BATS_TEST_TMPDIR/empty log=$BATS_TEST_TMPDIR/log
	mkdir -p "$empty/sys" "$empty/run"
	echo 'nvme nvme2: failed to connect queue: 12 ret=-18' >"$log"
	output=$(host "$empty" "$QMAPCTL" diagnose "$log" -J 2>/dev/null)
	assert_json '[[i["qid"], i["rule"], i["stands"]] for i in j["incidents"]]' '[[12, "fabrics-connect-exdev", null]]'
	assert_json '[j["kernel"], j["exit_status"], j["problems"][0]["path"]]' '[null, 0, "sys/devices/system/cpu"]'
	assert_schema
	output=$(host "$empty" "$QMAPCTL" diagnose "$log" --kernel 7.0 2>&1)
	assert_contains "$output" 'qmapctl: so the log is explained without this machine'
	assert_contains "$(tr -s ' \n' ' ' <<<"$output")" 'no machine is known to compare it with'
	# nothing can be changed on it, and no other command does without
	run host "$empty" "$QMAPCTL" diagnose "$log" --offline 1
	[ "$status" -eq 2 ]
	run host "$empty" "$QMAPCTL" advise
	[ "$status" -eq 2 ]
}

@test "the maps of this machine are what its files say" {
	local file device queue list
	local -a rows=()
	for file in /sys/block/*/mq/*/cpu_list; do
		[ -e "$file" ] || continue
		IFS=/ read -r _ _ _ device _ queue _ <<<"$file"
		read -r list <"$file"
		rows+=("$device $queue ${list// /}")
	done
	[ "${#rows[@]}" -gt 0 ] || skip "no disk with hardware queues on this machine"
	qmapctl show -J
	assert_json '"\n".join(sorted("%s %d %s" % (d, q["id"], ",".join(map(str, q["cpus"])))
		for c in j["controllers"] for d in c["disks"] for q in c["hctx"] if q["mapped"]))' \
		"$(printf '%s\n' "${rows[@]}" | LC_ALL=C sort | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read()[:-1]))')"
}
