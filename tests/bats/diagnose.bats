#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel logs: which queue and CPU, whether it still stands, and what works.
load ../lib

HT16='pack:1 core:16 pu:2 order=thread-first'
CORE_OFF=(--synthetic "$HT16" --kernel 7.0.2-1-pve --offline '11,27')

# flat: $output with all blanks and line breaks as one blank
flat() {
	tr -s ' \n' ' ' <<<"$output"
}

# told WANT ARGS: "CONTROLLER KIND QID ERROR CPUS STANDS RULE" of each incident
told() {
	local want=$1
	shift
	qmapctl diagnose -r -n -o CONTROLLER,KIND,QID,ERROR,CPUS,STANDS,RULE "$@"
	assert_output "$want"
}

@test "a connect that is refused for an offline core, and the number that works" {
	told 'nvme2 connect-failed 12 EXDEV 11 yes fabrics-connect-exdev' "${CORE_OFF[@]}" "$DATA/klog/tcp.dmesg"
	assert_status 1
	COLUMNS=90 qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/tcp.dmesg"
	assert_output "$DATA/klog/tcp.dmesg: 15 lines, 1 incident, 1 still standing

error fabrics-connect-exdev: nvme2, 71.322018 to 95.438871, 2 times - still standing
  log: nvme nvme2: failed to connect queue: 12 ret=-18
  queue 12 (hctx 11) has no CPU that can send its Connect command: its CPU 11 is offline.
  The kernel refuses its Connect command with EXDEV (\"Invalid cross-device link\") and
  gives up the whole connection; the network, the address and the target are not at fault.
  do:  Connect with --nr-io-queues=16, the largest number up to what was tried with which
       every queue has a CPU now; or bring CPUs 11,27 online first, then it works as it
       was tried.
  run: nvme connect -t TRANSPORT -a ADDRESS -s PORT -n NQN --nr-io-queues=16"
}

@test "the CPUs are back: over" {
	told 'nvme2 connect-failed 12 EXDEV 11 no fabrics-connect-exdev' --synthetic "$HT16" --kernel 7.0.2-1-pve \
		"$DATA/klog/tcp.dmesg"
	assert_status 0
	qmapctl diagnose --synthetic "$HT16" --kernel 7.0 "$DATA/klog/tcp.dmesg"
	assert_contains "$(flat)" 'its CPU 11 was offline. With the CPUs online now it would connect.'
}

@test "loop and old rdma tell no queue: it is foretold" {
	told 'nvme0 connect-failed 1 EXDEV 0 yes fabrics-connect-exdev
nvme0 decoded - EXDEV - - log-errno' --synthetic 'pack:2 [numa] core:8 pu:2 order=thread-first' --kernel 5.19 --offline 0 \
		"$DATA/klog/loop.dmesg"
	told 'nvme0 connect-failed 3 EXDEV none yes fabrics-connect-exdev
nvme0 decoded - EXDEV - - log-errno' --demo
	assert_status 1
	qmapctl diagnose --demo
	assert_contains "$output" '--nr-io-queues=36'
}

@test "the log alone: no machine state, no kernel" {
	told 'nvme2 connect-failed 12 EXDEV - - fabrics-connect-exdev' --synthetic "$HT16" "$DATA/klog/tcp.dmesg"
	assert_status 0
	qmapctl diagnose --synthetic "$HT16" "$DATA/klog/tcp.dmesg"
	assert_contains "$(flat)" 'say which kernel it runs with'
	assert_contains "$(flat)" 'The log shows CPUs 11,27 going offline before.'
}

@test "a log of another host, boot or kernel is not compared with this machine" {
	local root=$BATS_TEST_TMPDIR/root
	unfold "$DATA/captures/6.1-std8.manifest.xz" "$root"
	mkdir -p "$root/proc/sys/kernel/random" "$root/etc"
	echo alpha.example.org >"$root/proc/sys/kernel/hostname"
	told 'nvme2 connect-failed 12 EXDEV - - fabrics-connect-exdev
nvme2 connect-failed 3 EXDEV - - fabrics-connect-exdev' --sysroot "$root" <(head -n 8 "$DATA/klog/syslog.log")
	qmapctl diagnose --sysroot "$root" "$DATA/klog/syslog.log"
	assert_status 0
	assert_contains "$(flat)" 'the log is of host delta, and this is alpha.example.org'
	# this host, but not this boot, nor this kernel
	qmapctl diagnose --sysroot "$root" "$DATA/klog/journal-short.log"
	assert_contains "$(flat)" 'it is of an earlier boot than the last one in the log'
	assert_contains "$(flat)" 'the log is of kernel 6.1.0-20-amd64, and this is 6.1.0-57-amd64'
	echo gamma >"$root/proc/sys/kernel/hostname"
	echo bbbbbbbb-cccc-dddd-eeee-ffff00001111 >"$root/proc/sys/kernel/random/boot_id"
	told 'nvme2 connect-failed 12 EXDEV - - fabrics-connect-exdev
nvme7 connect-failed 2 EXDEV - no fabrics-connect-exdev' --sysroot "$root" "$DATA/klog/journal.json"
	echo aaaabbbb-cccc-dddd-eeee-ffff00001111 >"$root/proc/sys/kernel/random/boot_id"
	qmapctl diagnose --sysroot "$root" "$DATA/klog/journal.json"
	assert_contains "$(flat)" 'the log is of another boot than this one'
}

@test "a log that does not tell whose it is, is said not to" {
	local root=$BATS_TEST_TMPDIR/root log=$BATS_TEST_TMPDIR/log
	unfold "$DATA/captures/6.1-fail72ht.live-offline.manifest.xz" "$root"
	printf '%s\n' 'nvme nvme1: creating 36 I/O queues.' 'nvme nvme1: failed to connect queue: 19 ret=-18' >"$log"
	told 'nvme1 connect-failed 19 EXDEV 18 yes fabrics-connect-exdev' --sysroot "$root" "$log"
	assert_contains "$stderr" 'it names neither host, kernel nor boot, so nothing in it says that it is of this machine'
	qmapctl diagnose --sysroot "$root" "$log" -J
	assert_json 'len(j["log"]["notes"])' 1
	{
		echo "Linux version 6.1.0-57-amd64 (x)"
		cat "$log"
	} >"$log.kernel"
	told 'nvme1 connect-failed 19 EXDEV 18 yes fabrics-connect-exdev' --sysroot "$root" "$log.kernel"
	assert_equal "$stderr" ''
	# a host that the machine cannot be compared with
	sed "s/^/2026-03-04T09:16:12Z delta kernel: /" "$log" >"$log.host"
	rm -f "$root/proc/sys/kernel/hostname" "$root/etc/hostname"
	qmapctl diagnose --sysroot "$root" "$log.host"
	assert_contains "$stderr" 'what it tells of its host is not known of the machine'
	# whoever makes up the machine knows what the log is of
	told 'nvme1 connect-failed 19 EXDEV - no fabrics-connect-exdev' --synthetic 'pack:1 core:36 pu:2' --kernel 6.1 "$log"
	assert_equal "$stderr" ''
	cat "$log" >>"$log.host"
	qmapctl diagnose --synthetic 'pack:1 core:36 pu:2' --kernel 6.1 "$log.host"
	assert_contains "$stderr" 'it is of several hosts, and each is compared with the same machine'
}

@test "a reconnect loop: the controller that is there, and one that is not" {
	told 'nvme0 reconnect-failed 1 EXDEV 19,55 yes fabrics-reconnect-risk' \
		--sysroot "$(fixture captures/7.2-fail72ht.reset-offline)" <(printf '%s\n' \
		'[   20.683944] nvme nvme0: creating 36 I/O queues.' '[   20.727670] nvme nvme0: Connect command failed, errno: -18' \
		'[   20.728456] nvme nvme0: failed to connect queue: 1 ret=-18' '[   20.732655] nvme nvme0: Reconnecting in 10 seconds...')
	assert_status 1
	# a log that ends before it says that it will be tried again
	told 'nvme0 connect-failed 1 EXDEV 19,55 yes fabrics-reconnect-risk' \
		--sysroot "$(fixture captures/7.2-fail72ht.reset-offline)" <(printf '%s\n' \
		'[   20.683944] nvme nvme0: creating 36 I/O queues.' '[   20.728456] nvme nvme0: failed to connect queue: 1 ret=-18')
	# nvme1 was removed, nvme0 came back
	qmapctl diagnose --sysroot "$(fixture captures/6.1-fail72ht.live-offline)" "$DATA/klog/reconnect.dmesg"
	assert_status 1
	assert_contains "$(flat)" 'nvme1 is not there any more; for a new connection'
	assert_contains "$(flat)" 'It has come back since. But it would fail again at the next reset.'
}

@test "failures that are not the map's are said to be so" {
	told 'nvme0 no-connection - ECONNREFUSED - - log-errno
nvme1 connect-failed 0 EIO - - log-errno
nvme2 connect-failed 0 0x182 - - log-errno
nvme3 connect-failed 3 0x181 - - log-errno
nvme4 authentication 0 - - - log-errno
- host-identity - - - - log-errno
- bad-option - - - - log-errno
- bad-option - - - - log-errno
nvme5 target-limit - - - - log-errno
nvme6 target-limit - 0x6 - - log-errno
nvme7 no-connection - ETIMEDOUT - - log-errno' "${CORE_OFF[@]}" "$DATA/klog/not-the-map.dmesg"
	assert_status 0
	qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/not-the-map.dmesg"
	refute_contains "$output" 'EXDEV'
	told 'nvme0 mr-pool 16 ENOMEM - - rdma-resource-limit
nvme1 no-connection - ECONNRESET - - log-errno' "${CORE_OFF[@]}" "$DATA/klog/mr-pool.dmesg"
	qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/mr-pool.dmesg"
	assert_contains "$output" 'nvme connect -t rdma -a ADDRESS -s PORT -n NQN --nr-io-queues=15'
}

@test "timeouts and interrupts" {
	told '- wrong-cpu - - 0 - log-wrong-cpu
- wrong-cpu - - 1 - log-wrong-cpu
- wrong-cpu - - 2 - log-wrong-cpu
- irq-affinity-lost - - 3 - log-irq-lost
- vectors-exhausted - - - - vector-exhausted
- irq-without-cpu - - - - log-irq-lost
- irq-no-handler - - 5 - log-irq-lost
- irq-no-handler - - 5 - log-irq-lost' "${CORE_OFF[@]}" "$DATA/klog/interrupts.dmesg"
	qmapctl diagnose -r -n -o CONTROLLER,KIND,QID,HCTX,COUNT,RULE "${CORE_OFF[@]}" "$DATA/klog/timeouts.dmesg"
	assert_output 'nvme0 timeout 22 21 2 log-timeout
nvme0 timeout 3 2 1 log-timeout
nvme0 timeout-polled 7 6 1 log-timeout
nvme1 timeout-polled 7 6 1 log-timeout
nvme2 timeout 3 2 2 log-timeout'
}

@test "JSON, checked against the schema" {
	local log
	qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/tcp.dmesg" -J
	assert_status 1
	assert_schema
	assert_json '{k: j["incidents"][0][k] for k in ("time", "controller", "kind", "queues", "qid", "hctx", "errno", "errname",
		"cpu_list", "offline_list", "stands", "rule", "command", "count", "qid_foretold")}' \
		'{"time": "71.322018", "controller": "nvme2", "kind": "connect-failed", "qid": 12, "hctx": 11, "errno": -18,
		"queues": {"created": 30, "default": 30, "read": 0, "poll": 0}, "errname": "EXDEV", "cpu_list": "11",
		"offline_list": "11", "stands": true, "rule": "fabrics-connect-exdev", "count": 2, "qid_foretold": false,
		"command": "nvme connect -t TRANSPORT -a ADDRESS -s PORT -n NQN --nr-io-queues=16"}'
	# All looked at together: starting the validator takes longer than all of them.
	for log in "$DATA"/klog/*; do
		[[ $log != *.expect ]] || continue
		qmapctl diagnose "${CORE_OFF[@]}" "$log" -J
		printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/${log##*/}.json"
	done
	"$PYTHON" "$TOP/tests/json-schema" "$TOP/schema/qmapctl-1.schema.json" "$BATS_TEST_TMPDIR"/*.json
}

@test "standard input, a file without end, a file without anything" {
	local text='nvme nvme2: failed to connect queue: 12 ret=-18'
	output=$("$QMAPCTL" diagnose "${CORE_OFF[@]}" -r -n -o QID,STANDS - <<<"$text") || :
	assert_output '12 yes'
	printf '%s' "$text" >"$BATS_TEST_TMPDIR/log"
	told 'nvme2 connect-failed 12 EXDEV 11 yes fabrics-connect-exdev' "${CORE_OFF[@]}" "$BATS_TEST_TMPDIR/log"
	qmapctl diagnose "${CORE_OFF[@]}" /dev/null
	assert_status 0
	assert_output '/dev/null: 0 lines, nothing about queues that went wrong'
	assert_equal "$stderr" 'qmapctl: /dev/null: the log is empty; dmesg and journalctl -k may need root'
}

@test "what is left out is said" {
	qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/clock.dmesg"
	assert_contains "$stderr" '2 times run backwards'
	qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/junk.log" -q
	assert_equal "$stderr" ''
	qmapctl diagnose "${CORE_OFF[@]}" "$DATA/klog/junk.log" -J
	assert_schema
	assert_json 'j["log"]["notes"]' '["2 bytes are no text"]'
	{
		head -c 1048576 /dev/zero | tr '\0' x
		printf '\nnvme nvme2: failed to connect queue: 12 ret=-18\n'
	} >"$BATS_TEST_TMPDIR/long"
	told 'nvme2 connect-failed 12 EXDEV 11 yes fabrics-connect-exdev' "${CORE_OFF[@]}" "$BATS_TEST_TMPDIR/long"
	assert_contains "$stderr" '1 line is longer than 64 KiB'
}

@test "logs that are no text are not read as if nothing were wrong" {
	local log=$BATS_TEST_TMPDIR/log
	gzip -c "$DATA/klog/tcp.dmesg" >"$log"
	qmapctl diagnose "${CORE_OFF[@]}" "$log"
	assert_status 2
	assert_output ''
	assert_contains "$stderr" "this is compressed with gzip, no text: try 'zcat FILE | qmapctl diagnose -'"
	xz -c "$DATA/klog/tcp.dmesg" >"$log"
	qmapctl diagnose "${CORE_OFF[@]}" "$log"
	assert_status 2
	assert_contains "$stderr" xzcat
	printf 'LPKSHHRH\0\0\0\0' >"$log"
	qmapctl diagnose "${CORE_OFF[@]}" "$log"
	assert_status 2
	assert_contains "$stderr" 'journalctl -k --file'
}

@test "--since, in all its forms" {
	local log=$DATA/klog/tcp.dmesg time
	qmapctl diagnose "${CORE_OFF[@]}" -r -n -o COUNT "$log" --since 80
	assert_output 1
	assert_contains "$stderr" '4 messages are from before --since'
	for time in '2026-03-04 09:16:12' 2026-03-04T09:16 2026-03-04 @1772615771 1772615771.5; do
		TZ=UTC qmapctl diagnose "${CORE_OFF[@]}" -r -n -o CONTROLLER "$DATA/klog/journal.json" --since "$time"
		assert_status 1
	done
	TZ=UTC qmapctl diagnose "${CORE_OFF[@]}" -r -n -o CONTROLLER "$DATA/klog/journal.json" --since '2026-03-04 10:00'
	assert_output nvme7
	for time in -90s -5min -2h -3d 09:00 09:00:05; do
		qmapctl diagnose "${CORE_OFF[@]}" -r -n /dev/null --since "$time"
		assert_status 0
	done
	for time in tomorrow -2 -h @x '' 2026-03 2026-13-01 1.2.3; do
		qmapctl diagnose "${CORE_OFF[@]}" /dev/null --since "$time"
		assert_status 2
		assert_contains "$stderr" 'this is no time'
	done
}

@test "wrong words and files are told" {
	qmapctl diagnose --synthetic "$HT16"
	assert_status 2
	assert_contains "$stderr" 'name its file'
	qmapctl diagnose a b
	assert_status 2
	qmapctl diagnose "${CORE_OFF[@]}" "$BATS_TEST_TMPDIR/absent"
	assert_status 2
	assert_contains "$stderr" 'absent: No such file'
	qmapctl diagnose "${CORE_OFF[@]}" "$BATS_TEST_TMPDIR"
	assert_status 2
	assert_contains "$stderr" 'Is a directory'
}

@test "the kernel's own log, without waiting" {
	# root may read it, others are told how; containers have none
	qmapctl diagnose
	case $status in
	0 | 1) assert_contains "$output" '/dev/kmsg: ' ;;
	*) assert_contains "$stderr" '/dev/kmsg: ' ;;
	esac
}

@test "a reader who may not read the kernel's log is told how" {
	[ "$(id -u)" -eq 0 ] && [ -c /dev/kmsg ] || skip "needs root to become somebody else, and /dev/kmsg"
	command -v setpriv >/dev/null || skip "no setpriv"
	local copy=$BATS_TEST_TMPDIR/qmapctl
	cp "$QMAPCTL" "$copy"
	chmod 755 "$copy"
	chmod 711 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" 2>/dev/null
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$copy" diagnose
	[ "$status" -ne 127 ] && [ "$status" -ne 126 ] || skip "the program cannot be run by nobody here"
	[ "$status" -eq 2 ] || skip "this kernel lets everybody read its log"
	assert_contains "$output" "journalctl -k -b | qmapctl diagnose -"
}
