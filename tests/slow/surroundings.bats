#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the program may be run: as nobody, in a container, on a read-only root, without openat2(), with little memory,
# without standard files.

load ../lib
load ../hint

teardown() {
	rm -rf ${PUBLIC:+"$PUBLIC"} ${WIDE:+"$WIDE"}
}

# to_variables COMMAND...: runs it as "qmapctl" runs the program.
to_variables() {
	status=0
	"$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" </dev/null || status=$?
	read_whole output "$BATS_TEST_TMPDIR/stdout"
	read_whole stderr "$BATS_TEST_TMPDIR/stderr"
}

# ---- as nobody ----

# A directory that everybody can read, with the program.
public() {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to become nobody"
	type -P setpriv >/dev/null || skip "no setpriv"
	PUBLIC=$(mktemp -d /tmp/qmapctl-nobody.XXXXXX)
	chmod 755 "$PUBLIC"
	cp "$QMAPCTL" "$PUBLIC/qmapctl"
}

as_nobody() {
	cd "$PUBLIC"
	to_variables setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs ./qmapctl "$@"
	cd "$OLDPWD"
}

@test "nobody is shown a captured machine but for what only root may read, and writes nothing" {
	public
	cp -r "$(fixture captures/6.12-dies)" "$PUBLIC/tree"
	chmod -R u=rwX,go=rX "$PUBLIC/tree"
	queue=$(cd "$PUBLIC/tree" && find sys -path '*/mq/1/cpu_list' | sort | head -n 1)
	qmapctl -s "$PUBLIC/tree" show -J
	assert_json 'j["source"]["privileged"]' true
	types=$(json '[q["type"] is None for c in j["controllers"] for q in c["hctx"]]')
	chmod 400 "$PUBLIC/tree/$queue"
	chmod 700 "$PUBLIC/tree/sys/kernel/debug"
	as_nobody -s tree show -J
	assert_status 0
	assert_equal "$stderr" "qmapctl: $queue: Permission denied"
	assert_schema
	assert_json '[j["source"]["privileged"], [p["path"] for p in j["problems"]]]' "[false, [\"$queue\"]]"
	assert_json '[q["cpu_list"] for c in j["controllers"] for q in c["hctx"]].count(None)' 1
	[ "$(json '[q["type"] is None for c in j["controllers"] for q in c["hctx"]]')" != "$types" ] || fail "types"
	as_nobody -s tree audit
	[ "$status" -le 1 ]
	as_nobody -s tree capture copy
	assert_status 2
	assert_equal "$stderr" "qmapctl: copy: Permission denied"
	mkdir -m 777 "$PUBLIC/out"
	as_nobody -s tree capture out/copy
	assert_contains "$stderr" "qmapctl: $queue: Permission denied"
	assert_contains "$output" "not copied, only root may read it: sys/kernel/debug/block"
}

@test "nobody plans hints and is told who may write them" {
	public
	old_nvme
	cp -r "$ROOT" "$PUBLIC/tree"
	chmod -R go=rX "$PUBLIC/tree"
	ROOT=$PUBLIC/tree
	before=$(snapshot)
	as_nobody -s tree hint plan -n -r -o STATE
	assert_output "planned
planned
planned
planned
planned"
	as_nobody -s tree hint apply --yes
	assert_status 2
	assert_equal "$stderr" "qmapctl: tree/var/lib/qmapctl: no permission; run it as root"
	as_nobody -s tree hint status
	assert_output "No journal: no hint was ever applied here."
	assert_equal "$(snapshot)" "$before"
	[ ! -e "$ROOT/var" ]
}

@test "nobody is shown this machine" {
	public
	[ -d /sys/devices/system/cpu ] || skip "no sysfs here"
	"$QMAPCTL" list -n -r -o NAME,QUEUES >"$BATS_TEST_TMPDIR/as-root"
	as_nobody list -n -r -o NAME,QUEUES
	assert_status 0
	assert_output "$(<"$BATS_TEST_TMPDIR/as-root")"
	for command in list show topology audit compare advise 'hint plan'; do
		# shellcheck disable=SC2086 # perhaps two words
		as_nobody $command -J
		[ "$status" -le 1 ] || fail "$command: $status, $stderr"
		assert_json 'j["source"]' '{"kind": "live", "path": null, "privileged": false}'
		assert_schema
	done
}

# ---- without openat2() ----

@test "without openat2() every captured machine gives the same answers" {
	n=0
	for name in 5.10-irq 6.1-nohz 6.12-dies 6.12-irq.off23 7.2-nvmf72 7.2-ioq; do
		tree=$(fixture captures/$name)
		for args in 'show -J' 'audit -J' 'topology -J' 'hint plan -J' 'show --irq'; do
			# shellcheck disable=SC2086 # several words
			qmapctl -s "$tree" $args
			[ "$status" -le 1 ]
			expected=$output expected_status=$status
			for error in ENOSYS EPERM; do
				# shellcheck disable=SC2086
				refusing $error -s "$tree" $args
				assert_status "$expected_status"
				assert_output "$expected"
				assert_equal "$stderr" ""
				n=$((n + 1))
			done
		done
		"$QMAPCTL" -s "$tree" capture "$BATS_TEST_TMPDIR/with"
		refusing ENOSYS -s "$tree" capture "$BATS_TEST_TMPDIR/without"
		diff -r --no-dereference "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without"
		rm -r "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without"
	done
	[ "$n" -eq 60 ]
}

@test "without openat2() hints are written, undone, and never through a link" {
	old_nvme
	before=$(snapshot)
	for error in ENOSYS EPERM; do
		rm -rf "${ROOT:?}/var"
		refusing $error -s "$ROOT" hint apply --yes -J
		assert_status 0
		assert_json '[c["state"] for c in j["changes"]]' '["applied", "applied", "applied", "applied", "applied"]'
		refusing $error -s "$ROOT" hint undo --yes
		assert_status 0
		assert_equal "$(snapshot)" "$before"
	done
	qmapctl -s "$ROOT" hint plan -J
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/plan.json"
	printf '0-7\n' >"$BATS_TEST_TMPDIR/outside"
	ln -sf "$BATS_TEST_TMPDIR/outside" "$ROOT/proc/irq/42/smp_affinity_list"
	for error in ENOSYS EPERM; do
		refusing $error -s "$ROOT" hint apply --yes "$BATS_TEST_TMPDIR/plan.json"
		assert_status 2
		assert_contains "$stderr" "proc/irq/42/smp_affinity_list: a symbolic link stands there; nothing was written"
		assert_equal "$(<"$BATS_TEST_TMPDIR/outside")" 0-7
	done
}

# ---- in a container ----

# contained SETUP ARGS: qmapctl in a mount namespace of its own, where the shell command SETUP was run before. $TREE is for it.
contained() {
	local setup=$1
	shift
	to_variables env TREE="${TREE-}" unshare -rm sh -c "$setup"' || exit 125; exec "$@"' - "$QMAPCTL" "$@"
	[ "$status" -ne 125 ] || skip "no mount namespace allowed here"
}

@test "a tree without proc/interrupts: all but the counts" {
	old_nvme
	{
		printf '      CPU%s' {0..7} && echo
		printf '%s: 9 0 0 0 0 0 0 0 PCI-MSI %s-edge nvme0q%s\n' 41 1 1 42 2 2 43 3 3 44 4 4
	} >"$ROOT/proc/interrupts"
	qmapctl -s "$ROOT" show -J
	expected=$output
	qmapctl -s "$ROOT" show --irq --counts -J
	assert_equal "$stderr" ""
	assert_json '[i["delivered"] for i in j["irqs"]]' '[null, 9, 9, 9, 9]'
	for left in nothing empty; do
		rm "$ROOT/proc/interrupts"
		[ $left = nothing ] || : >"$ROOT/proc/interrupts"
		qmapctl -s "$ROOT" show -J
		assert_output "$expected"
		qmapctl -s "$ROOT" show --irq --counts -J
		assert_status 0
		assert_equal "$stderr" "qmapctl: no counts: proc/interrupts is not there, or tells of none of these interrupts"
		assert_json '[[i["delivered"] for i in j["irqs"]], j["problems"]]' '[[null, null, null, null, null], []]'
		assert_schema
		: >"$ROOT/proc/interrupts"
	done
	qmapctl -s "$ROOT" show --irq --counts -q
	assert_equal "$stderr" ""
}

@test "a container that hides the interrupts: what is not known is not called well" {
	old_nvme
	TREE=$ROOT
	mkdir "$BATS_TEST_TMPDIR/proc"
	contained 'mount --bind $TREE/sys /sys && mount --bind '"$BATS_TEST_TMPDIR/proc"' /proc' hint plan
	assert_status 0
	assert_output "which CPUs the interrupts go to cannot be read here (proc/irq): nothing is known
    of them
Nothing is planned."
	contained 'mount --bind $TREE/sys /sys && mount --bind '"$BATS_TEST_TMPDIR/proc"' /proc' show --irq -J
	assert_status 0
	assert_json '[[q["irq"] for q in c["hctx"]] for c in j["controllers"]]' '[[null, null, null, null]]'
	assert_schema
	# As docker hides it: an empty device in its place.
	for args in list audit 'show --irq --counts' 'hint plan' 'advise --kernel 6.12'; do
		# shellcheck disable=SC2086 # several words
		contained 'mount --bind /dev/null /proc/interrupts' $args
		[ "$status" -le 1 ] || fail "$args: $stderr"
		[ -z "$stderr" ] || assert_contains "$stderr" "qmapctl: no counts: "
	done
}

@test "on a read-only root all is read, nothing is written, and hints say so" {
	old_nvme
	TREE=$ROOT
	before=$(snapshot)
	read_only='mount --bind $TREE $TREE && mount -o remount,bind,ro $TREE'
	contained "$read_only" -s "$ROOT" hint apply --yes
	assert_status 2
	assert_output ""
	assert_equal "$stderr" \
		"qmapctl: $ROOT/var/lib/qmapctl: the file system is read-only; name another directory with --state"
	contained "$read_only" -s "$ROOT" hint apply --yes --state "$BATS_TEST_TMPDIR/state" -J
	assert_status 1
	assert_json '[(c["state"], c["error"]) for c in j["changes"]]' "$(printf '%s' '[["refused",
		"the file system is read-only"], ["refused", "the file system is read-only"], ["refused",
		"the file system is read-only"], ["refused", "the file system is read-only"], ["refused",
		"the file system is read-only"]]')"
	contained "$read_only" -s "$ROOT" hint status --state "$BATS_TEST_TMPDIR/state"
	assert_status 0
	contained "$read_only" -s "$ROOT" hint undo --yes --state "$BATS_TEST_TMPDIR/state"
	assert_status 0
	contained "$read_only" -s "$ROOT" capture "$ROOT/copy"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $ROOT/copy: Read-only file system"
	contained "$read_only" -s "$ROOT" hint export --format shell --file "$ROOT/script"
	assert_status 2
	assert_equal "$stderr" "qmapctl: $ROOT/script: Read-only file system"
	assert_equal "$(snapshot)" "$before"
	# A journal that is there and cannot be added to: nothing is written without it.
	"$QMAPCTL" -s "$ROOT" hint apply --yes >/dev/null
	applied=$(snapshot)
	for verb in apply undo; do
		contained 'mount --bind $TREE/var $TREE/var && mount -o remount,bind,ro $TREE/var' -s "$ROOT" hint $verb --yes
		assert_status 2
		assert_equal "$stderr" \
			"qmapctl: $ROOT/var/lib/qmapctl: the file system is read-only; name another directory with --state"
		assert_equal "$(snapshot)" "$applied"
	done
	contained 'mount --bind $TREE/var $TREE/var && mount -o remount,bind,ro $TREE/var' -s "$ROOT" hint status -n -r -o STATE
	assert_status 0
	assert_output "applied
applied
applied
applied
applied"
}

@test "on a read-only machine every command reads as ever" {
	for args in 'list -J' 'show -J' 'topology -J' '--demo audit' '--demo compare' '--demo diagnose' 'advise --kernel 6.12 -J'; do
		# shellcheck disable=SC2086 # several words
		qmapctl $args
		expected=$output expected_status=$status
		# shellcheck disable=SC2086
		contained 'mount -o remount,bind,ro / && mount --make-rprivate / && cd /' $args
		assert_status "$expected_status"
		assert_output "$expected"
	done
}

# ---- with little memory ----

# small ARGS: qmapctl in 64 MiB of address space.
small() {
	# shellcheck disable=SC2016 # expanded inside
	to_variables bash -c 'ulimit -v 65536 && exec "$@"' - "$QMAPCTL" "$@"
}

setup_small() {
	small --version
	[ "$status" -eq 0 ] || skip "a sanitizer needs more memory"
}

@test "64 MiB are enough for the largest machines" {
	setup_small
	for spec in 'pack:2 [numa] core:2048 pu:2' 'numa:32 l3:2 core:128 pu:1'; do
		small topology --synthetic "$spec" -J
		assert_status 0
		assert_json 'j["topology"]["online"]' '"0-8191"'
		for args in 'predict --kernel 6.12 --queues 64 -J' 'compare --queues 1024 -J' 'audit --kernel 6.12 -J'; do
			# shellcheck disable=SC2086 # several words
			small --synthetic "$spec" $args
			assert_status 0
			assert_equal "$stderr" ""
			assert_schema
		done
	done
	"$PYTHON" "$TOP/bench/mkgiant.py" "$BATS_TEST_TMPDIR/giant" --cpus 256 --nodes 8 --disks 8 --queues 64
	for args in 'list -J' 'audit -J' 'show -J' 'topology -J' 'hint plan -J' 'compare' 'show --irq --counts'; do
		# shellcheck disable=SC2086
		small -s "$BATS_TEST_TMPDIR/giant" $args
		assert_status 0
		assert_equal "$stderr" ""
		[ "${#output}" -gt 100 ]
	done
	small -s "$BATS_TEST_TMPDIR/giant" capture "$BATS_TEST_TMPDIR/copy"
	assert_status 0
	assert_contains "$output" ": 3027 files, 18 links"
}

@test "64 MiB are enough for a log of 60 megabytes" {
	setup_small
	log=$BATS_TEST_TMPDIR/log
	printf '[  %s] %s\n' 100.1 'nvme nvme2: failed to connect queue: 12 ret=-18' 101.1 'usb 1-1: new high-speed USB device' \
		102.1 'nvme nvme3: I/O 5 QID 7 timeout, aborting' >"$log"
	# 3 * 2^19 lines
	for _ in {1..19}; do
		cat "$log" "$log" >"$log.2" && mv "$log.2" "$log"
	done
	[ "$(stat -c %s "$log")" -gt 60000000 ]
	small --demo diagnose "$log" -J
	assert_status 0
	assert_json 'sum(i["count"] for i in j["incidents"])' 1048576
	assert_schema
}

@test "too little memory is said, and nothing is half an answer" {
	setup_small
	qmapctl --synthetic 'numa:32 l3:2 core:64 pu:2' topology -J
	expected=$output ended=0
	for kib in 3000 4000 5000 6000 7000 8000 9000 10000 12000 14000 16000 20000; do
		# shellcheck disable=SC2016 # expanded inside
		to_variables bash -c 'ulimit -v "$0" && exec "$@"' $kib "$QMAPCTL" --synthetic 'numa:32 l3:2 core:64 pu:2' topology -J
		case $status in
		0) assert_output "$expected" && ended=1 ;;
		2) assert_output "" && [ -n "$stderr" ] ;;
		126 | 127 | 139) ;; # the dynamic loader or bash had too little
		*) fail "$kib: status $status" ;;
		esac
	done
	[ "$ended" -eq 1 ]
}

# ---- without standard files ----

@test "an answer that could not be written is trouble, for every command" {
	old_nvme
	for args in list show 'show --irq' 'show --matrix' 'show --pin' topology audit compare predict advise 'diagnose' explain \
		'list -J' 'show -J' 'topology -J' 'audit -J' 'compare -J' 'predict -J' 'advise -J' 'diagnose -J' \
		"-s $ROOT hint plan" "-s $ROOT hint status" "-s $ROOT hint plan -J" "-s $ROOT hint export --format shell"; do
		[[ $args = -s* || $args = explain ]] || args="--demo $args"
		for to in '>/dev/full' '>&-' '</dev/null >/dev/full 2>&-' '>/dev/full 2>/dev/full'; do
			status=0
			eval "\"\$QMAPCTL\" $args $to" 2>"$BATS_TEST_TMPDIR/err" || status=$?
			assert_equal "$args $to: $status" "$args $to: 2"
		done
	done
	for verb in apply undo; do
		status=0
		"$QMAPCTL" -s "$ROOT" hint $verb --yes >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
		assert_status 2
		assert_equal "$(<"$BATS_TEST_TMPDIR/err")" "qmapctl: standard output: No space left on device"
	done
}

@test "a reader that leaves early is trouble, for whatever is larger than a pipe" {
	for args in 'predict --demo --queues 1-400' 'predict --demo --queues 1-400 -J' 'show --demo -J --by-cpu'; do
		# shellcheck disable=SC2086 # several words
		{ "$QMAPCTL" $args 2>"$BATS_TEST_TMPDIR/err" || echo $? >"$BATS_TEST_TMPDIR/state"; } | head -n 1 >/dev/null
		[ "$("$QMAPCTL" $args | wc -c)" -lt 65536 ] || {
			assert_equal "$(<"$BATS_TEST_TMPDIR/state")" 2
			assert_equal "$(<"$BATS_TEST_TMPDIR/err")" "qmapctl: standard output: Broken pipe"
		}
	done
}

@test "closed standard files: no answer and no message gets into a file that is opened" {
	old_nvme
	before=$(snapshot)
	unit=$("$QMAPCTL" -s "$ROOT" hint export --format systemd)
	for closed in '>&-' '2>&-' '>&- 2>&-' '<&- >&- 2>&-' '<&-'; do
		rm -rf "${ROOT:?}/var" "$BATS_TEST_TMPDIR/"{copy,unit}
		# one that is refused, so that there is something to say on standard error as well
		for args in "hint apply --yes" "hint status" "hint undo --yes" "hint undo --state $ROOT/nowhere --yes" \
			"hint export --format systemd" "capture $BATS_TEST_TMPDIR/copy"; do
			expected=0
			[[ " $closed" != *' >&-'* ]] || expected=2
			status=0
			eval "\"\$QMAPCTL\" -s \"\$ROOT\" $args $closed" >/dev/null 2>&1 || status=$?
			assert_equal "$closed $args: $status" "$closed $args: $expected"
		done
		# A file that is asked for is the whole answer.
		eval "\"\$QMAPCTL\" -s \"\$ROOT\" hint export --format systemd --file \"\$BATS_TEST_TMPDIR/unit\" $closed" || :
		assert_equal "$(<"$BATS_TEST_TMPDIR/unit")" "$unit"
		assert_journal
		assert_equal "$(snapshot)" "$before"
		diff -r "$ROOT/proc/irq/41" "$BATS_TEST_TMPDIR/copy/proc/irq/41"
	done
}

@test "standard input that is closed is an empty one" {
	for args in '--demo diagnose -' 'topology --topology -'; do
		status=0
		eval "\"\$QMAPCTL\" $args <&-" >"$BATS_TEST_TMPDIR/closed" 2>&1 || status=$?
		closed=$status status=0
		eval "\"\$QMAPCTL\" $args </dev/null" >"$BATS_TEST_TMPDIR/empty" 2>&1 || status=$?
		assert_equal "$closed" "$status"
		diff "$BATS_TEST_TMPDIR/closed" "$BATS_TEST_TMPDIR/empty"
	done
}

# ---- a tree without end ----

@test "more directories than are looked through for disks: that is said, and who is found is shown" {
	# In memory where there is some, which is five times as fast.
	WIDE=$(mktemp -d /dev/shm/qmapctl-wide.XXXXXX 2>/dev/null) || WIDE=$(mktemp -d)
	mkdir -p "$WIDE/sys/devices/system/cpu/cpu0" "$WIDE/sys/devices/a/block/sda/mq/0"
	echo 0 | tee "$WIDE/sys/devices/system/cpu/"{possible,present,online} >"$WIDE/sys/devices/a/block/sda/mq/0/cpu_list"
	(cd "$WIDE/sys/devices" && "$PYTHON" -c 'import os; [os.makedirs(f"z{i % 4}/{i}") for i in range(200000)]')
	to_variables "$QMAPCTL" -s "$WIDE" list -n -o NAME
	assert_equal "$status: $output" "0: sda"
	assert_equal "$stderr" "qmapctl: sys/devices: more than 200000 directories; disks in the others are not found"
}
