#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: help, usage errors, exit statuses, what standard output and error get.

load ../lib

SPEC='pack:2 [numa] core:2 pu:2'

commands() {
	"$QMAPCTL" --dump-options | awk -F'\t' '$1 == "command" { print $2 }'
}

# usage_error MESSAGE COMMAND ARGS...: fails with this message, the hint and nothing on standard output.
usage_error() {
	local message=$1 hint="Try 'qmapctl $2 --help'"
	shift
	[ -n "$1" ] || hint="Try 'qmapctl --help'"
	[ -n "$1" ] || shift
	qmapctl "$@"
	assert_equal "$stderr" "qmapctl: $message
$hint"
	assert_status 2
	assert_output ""
}

@test "help goes to standard output, fits a screen and shows an example" {
	local command line lines
	for command in '' $(commands); do
		# shellcheck disable=SC2086 # no word for the program's own help
		qmapctl $command --help
		assert_status 0
		assert_equal "$stderr" ""
		assert_contains "$output" "Usage: qmapctl ${command}"
		assert_contains "$output" "Example: "
		mapfile -t lines <<<"$output"
		[ "${#lines[@]}" -le 24 ] || fail "$command: more than 24 lines"
		for line in "${lines[@]}"; do
			[ "${#line}" -le 80 ] || fail "$command: more than 80 columns: $line"
		done
	done
}

@test "the program's help names every command, a command's help every option" {
	local command kind name help=
	"$QMAPCTL" --dump-options >"$BATS_TEST_TMPDIR/dump"
	qmapctl -hv
	for command in $(commands); do
		assert_contains "$output" "
 $command "
		help+="$("$QMAPCTL" "$command" -h)"
	done
	help+=$output
	while IFS=$'\t' read -r kind _ _ name _; do
		[ "$kind" != option ] || assert_contains "$help" " --$name"
	done <"$BATS_TEST_TMPDIR/dump"
}

@test "help and version win over what else is wrong" {
	qmapctl list --help --sysroot=/nowhere --demo --bogus=
	assert_status 2 # an option nobody knows is told even so
	qmapctl list --sysroot=/nowhere --demo --help
	assert_status 0
	qmapctl -V
	assert_status 0
	assert_output "qmapctl $("$QMAPCTL" --dump-options | awk -F'\t' '$1 == "version" { print $2 }')"
	qmapctl --version list --demo --sysroot x
	assert_status 0
}

@test "usage errors name what was wrong" {
	usage_error "no command given" ""
	usage_error "unknown command 'lst'" "" lst
	usage_error "unknown command ''" "" ''
	usage_error "unknown option '--bogus'" "" --bogus
	usage_error "unknown option '--bogus'" list --bogus=1
	usage_error "unknown option '-Z'" list -nZ
	usage_error "option '--by-cpu' takes no argument" show --by-cpu=yes
	usage_error "option '--sysroot' needs an argument: DIR" list --sysroot
	usage_error "option '-s' needs an argument: DIR" list -s
	usage_error "option '-s' needs an argument: DIR" list -ns
	usage_error "option '--no' is ambiguous: --nohz-full or --noheadings" list --no
	usage_error "--color is auto, always or never, not 'blue'" list --color=blue
	usage_error "unexpected word 'nvme0': topology takes none" topology nvme0
	usage_error "unknown column 'FOO': -H lists them" list -o NAME,FOO
	usage_error "unknown column 'FOO': -H lists them" list -o +FOO
	usage_error "-o needs the name of a column: -H lists them" list -o ,
	usage_error "explain prints no table, so there are no columns to choose" explain -o NAME
	usage_error "explain prints no table, so there are no columns to choose" explain -H
	usage_error "--demo and --sysroot exclude each other: one machine at a time" list --sysroot / --demo ||
		usage_error "--sysroot and --demo exclude each other: one machine at a time" list --sysroot / --demo
	usage_error "--topology and --synthetic exclude each other: one machine at a time" topology --topology a --synthetic b
	usage_error "--json and --raw exclude each other" list -J -r
	usage_error "--raw and --pairs exclude each other" list -rP
	usage_error "an empty name: list takes [DEVICE...]" list ''
	usage_error "--by-cpu, --irq, --matrix and --pin exclude each other" show --demo --by-cpu --pin
	usage_error "--counts are of interrupts: it needs --irq" show --demo --counts
	usage_error "--matrix is a picture: --raw, --pairs and --output are for tables" show --demo --matrix -r
	usage_error "no rule or algorithm 'nonsense': 'qmapctl explain' lists them" explain nonsense
	usage_error "option '--diff' needs two arguments: A B" compare --diff
	usage_error "option '--diff' needs two arguments: A B" compare --diff v6.3
	usage_error "--diff: no algorithm 'v9' that makes maps: 'qmapctl explain' lists them" compare --demo --diff v6.3 v9
	usage_error "--queues and a device exclude each other" compare --demo --queues 4 nullb0
	usage_error "--fail-on is info, warning, error or never, not 'bad'" audit --demo --fail-on bad
	usage_error "--only: no rule 'nonsense': 'qmapctl explain' lists them" audit --demo --only nonsense
	usage_error "--ignore needs the name of a rule" audit --demo --ignore ,
	usage_error "--only and --ignore leave no rule" audit --demo --only queue-uneven --ignore core-split,queue-uneven
	usage_error "--sysroot is given an empty name" list -s ''
	usage_error "--topology is given an empty name" topology --topology ''
	usage_error "--print is a number alone: --json without it tells all of them" advise --demo --print safe -J
	usage_error "--print looks for a number, --queues judges one: they exclude each other" advise --demo --print safe \
		--queues 4
	usage_error "diagnose reads one log at a time, not 2" diagnose a b
	usage_error "only this machine and --demo have a kernel log: name its file, or - for standard input" diagnose \
		--synthetic "$SPEC"
	usage_error "capture needs one directory to write to" capture
	usage_error "a capture is of what is: --kernel, --online, --offline, --isolcpus and --nohz-full do not go with it" \
		capture a --offline 1
	usage_error "--kernel takes one kernel here, not '6.1,6.12'" list --demo --kernel 6.1,6.12
}

@test "predict and compare refuse counts that are none" {
	local text
	for text in '' 8- -8 8-4 x 4x '4,,8' 4- '0x10' ' 4'; do
		usage_error "--queues '$text': not a count or a range of counts" predict --demo "--queues=$text"
	done
	for text in 0 0-4 65536 1-65536 4,0; do
		usage_error "--queues $text: from 1 to 65535" predict --demo "--queues=$text"
	done
	usage_error "--queues '99999999999999999999': not a count or a range of counts" predict --demo --queues \
		99999999999999999999
	usage_error "--queues '4x': not a number" compare --demo --queues 4x
	usage_error "--queues 0: from 1 to 65535" compare --demo --queues 0
	usage_error "--write-queues 0: from 1 to 65535" predict --demo --queues 4 --write-queues 0
	usage_error "--vectors 2049: from 1 to 2048" predict --demo --vectors 2049
	usage_error "--pre 4 leaves no vector of 4 to spread" predict --demo --vectors 4 --pre 4 --kernel 6.12
	usage_error "--vectors 9: --pre and --sets make 7" predict --demo --vectors 9 --pre 1 --sets 4,2 --kernel 6.12
	usage_error "--pre is for --vectors, or for a --driver or --algorithm that spreads vectors" predict --demo --pre 1
	usage_error "--driver: nothing is known of a driver 'nvmetcp'; without --driver the generic mapper is predicted, which \
most have" predict --demo --driver nvmetcp
	usage_error "--sets is for --vectors" predict --demo --sets 4,2
	usage_error "--algorithm: no algorithm 'v1': 'qmapctl explain' lists them" predict --demo --algorithm v1
	usage_error "--algorithm map:v6.3: it spreads no vectors, as irq:... do" predict --demo --vectors 4 --algorithm map:v6.3
}

@test "options stand before and after the command, short ones in one word, long ones shortened" {
	qmapctl topology --synthetic "$SPEC" -nr -o NODE
	local expected=$output
	assert_output "0
1"
	qmapctl --synthetic "$SPEC" -n topology -ro NODE
	assert_output "$expected"
	qmapctl --synth="$SPEC" topology -nroNODE
	assert_output "$expected"
	qmapctl topology --synthetic "$SPEC" --nohe -r --output=NODE --
	assert_output "$expected"
	qmapctl topology --synthetic="$SPEC" -nr -o NODE,NODE -o node
	assert_output "$expected"
}

@test "what follows -- is no option" {
	qmapctl list --demo -- --json
	assert_status 32
	assert_equal "$stderr" "qmapctl: --json: no such device"
}

@test "a list may be given in pieces" {
	qmapctl topology --synthetic "$SPEC" --offline 1 --offline 2-3 -J
	assert_json 'j["topology"]["online"]' '"0,4-7"'
	qmapctl topology --synthetic "$SPEC" --online 0-5 --offline 1 -J
	assert_json 'j["topology"]["online"]' '"0,2-5"'
}

@test "devices that are not there: 32 for none, 64 for some" {
	qmapctl list --demo nullb0 -n
	assert_status 0
	qmapctl list --demo nope -J
	assert_status 32
	assert_equal "$stderr" "qmapctl: nope: no such device"
	assert_json '[j["controllers"], j["exit_status"]]' '[[], 32]'
	qmapctl show --demo /proc
	assert_status 32
	assert_equal "$stderr" "qmapctl: /proc: no such device, nor is one mounted there"
	for command in audit compare; do
		qmapctl "$command" --demo nope
		assert_status 32
		assert_output ""
	done
	qmapctl show --demo nope nullb0 nothing -n
	assert_status 64
	assert_equal "$stderr" "qmapctl: nope: no such device
qmapctl: nothing: no such device"
	assert_contains "$output" "0,36"
}

@test "a machine without devices is an empty answer, and a word about it" {
	for command in list show "show --matrix"; do
		# shellcheck disable=SC2086 # two words
		qmapctl $command --synthetic "$SPEC"
		assert_status 0
		assert_output ""
		assert_equal "$stderr" "qmapctl: no device with hardware queues here"
	done
	qmapctl list --synthetic "$SPEC" -q
	assert_equal "$stderr" ""
}

@test "trouble wins over missing devices, and those over a no" {
	qmapctl audit --demo nope
	assert_status 32
	qmapctl audit --demo nullb0
	assert_status 1
	qmapctl audit --demo nullb0 nope
	assert_status 64
	run "$QMAPCTL" audit --demo nullb0 nope >/dev/full
	status=0
	"$QMAPCTL" audit --demo nullb0 nope >/dev/full 2>/dev/null || status=$?
	assert_status 2
}

@test "sources that cannot be read are told in one line" {
	cd "$BATS_TEST_TMPDIR"
	mkdir empty
	: >file
	printf '{"possible":"0-3"' >cut.json
	qmapctl topology -s nowhere
	assert_status 2
	assert_equal "$stderr" "qmapctl: nowhere: No such file or directory"
	qmapctl topology -s file
	assert_equal "$stderr" "qmapctl: file: Not a directory"
	qmapctl list -s empty
	assert_status 2
	assert_equal "$stderr" "qmapctl: empty: no machine below it: no directory sys/devices/system/cpu; 'qmapctl capture' makes such a tree"
	qmapctl topology --topology nowhere
	assert_equal "$stderr" "qmapctl: nowhere: No such file or directory"
	qmapctl topology --topology empty
	assert_equal "$stderr" "qmapctl: empty: Is a directory"
	qmapctl topology --topology cut.json
	assert_status 2
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	assert_contains "$stderr" "qmapctl: cut.json: "
	assert_contains "$stderr" "; 'qmapctl topology -J' writes such a file"
	qmapctl topology --topology - </dev/null
	assert_equal "$stderr" "qmapctl: standard input: not JSON: it ends too early, after 0 bytes; 'qmapctl topology -J' \
writes such a file"
	qmapctl topology --synthetic 'pack:0'
	assert_status 2
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	assert_contains "$stderr" "qmapctl: --synthetic 'pack:0': "
	assert_output ""
}

@test "a topology may come from standard input or a pipe" {
	"$QMAPCTL" topology --synthetic "$SPEC" -J >"$BATS_TEST_TMPDIR/t.json"
	output=$("$QMAPCTL" topology --topology - -nro CPUS <"$BATS_TEST_TMPDIR/t.json")
	assert_output "0-3
4-7"
	output=$("$QMAPCTL" topology --topology <(cat "$BATS_TEST_TMPDIR/t.json") -nro CPUS)
	assert_output "0-3
4-7"
}

@test "what-ifs that are impossible say why" {
	qmapctl topology --synthetic "$SPEC" --offline 8
	assert_status 2
	assert_equal "$stderr" "qmapctl: --offline: CPU 8 is not possible on this machine (possible: 0-7)"
	qmapctl topology --synthetic "$SPEC" --online 6-9
	assert_equal "$stderr" "qmapctl: --online: CPUs 8-9 are not possible on this machine (possible: 0-7)"
	qmapctl topology --synthetic "$SPEC" --online x
	assert_equal "$stderr" "qmapctl: --online 'x': this is no CPU list, as 0-3,8 would be"
	qmapctl topology --synthetic "$SPEC" --online 99999999
	assert_equal "$stderr" "qmapctl: --online '99999999': a CPU number is too large"
	qmapctl topology --synthetic "$SPEC" --offline 0-7
	assert_equal "$stderr" "qmapctl: --offline leaves no CPU online"
	qmapctl topology --synthetic "$SPEC" --online ''
	assert_equal "$stderr" "qmapctl: --online leaves no CPU online"
	qmapctl topology --synthetic "$SPEC" --isolcpus 'domain,2-'
	assert_equal "$stderr" "qmapctl: --isolcpus 'domain,2-': the kernel would not understand this: it takes words and \
a CPU list, as managed_irq,domain,2-5"
	qmapctl topology --synthetic "$SPEC" --isolcpus 2 --nohz-full x
	assert_equal "$stderr" "qmapctl: --nohz-full 'x': this is no CPU list, as 2-5 would be"
	qmapctl topology --synthetic "$SPEC" --isolcpus domain --nohz-full 2
	assert_contains "$stderr" "qmapctl: --isolcpus 'domain': "
	qmapctl topology --synthetic "$SPEC" --kernel rubbish
	assert_equal "$stderr" "qmapctl: --kernel 'rubbish': no release, version or algorithm, as 5.14.0-427.el9, 6.12 or v6.11 \
would be"
	assert_status 2
}

@test "a tree that does not tell its kernel is audited for what needs none" {
	local root=$BATS_TEST_TMPDIR/root
	cp -r "$(fixture captures/6.12-irq.on23)" "$root"
	rm "$root/proc/sys/kernel/osrelease" "$root/proc/version"
	# Who may move an interrupt depends on the kernel: nothing is said of it.
	qmapctl audit -s "$root" -J
	assert_status 0
	assert_json '[f["rule"] for f in j["findings"] if f["rule"].endswith("managed")]' '[]'
	assert_json 'j["kernel"]' null
}

@test "a queue whose list cannot be read has unknown CPUs, not none" {
	local root=$BATS_TEST_TMPDIR/root
	unfold - "$root" <<-'END'
		f sys/devices/system/cpu/possible 0-2
		f sys/devices/system/cpu/present 0-2
		f sys/devices/system/cpu/online 0-2
		f sys/block/nullb0/mq/0/cpu_list 0
		f sys/block/nullb0/mq/1/cpu_list garbage
		f sys/block/nullb0/mq/2/cpu_list 2
	END
	qmapctl show -s "$root" -o HCTX,CPUS,ONLINE,NODES,STATE
	assert_equal "$stderr" "qmapctl: sys/block/nullb0/mq/1/cpu_list: garbled"
	assert_output "nullb0: unknown driver, 3 queues, mapped by any of 11
HCTX CPUS ONLINE NODES STATE
   0 0    0      none  ok
   1 -    -      -     -
   2 2    2      none  ok"
	qmapctl show -s "$root" -J
	assert_schema
	assert_json '[(q["cpu_list"], q["cpus"], q["online_list"], q["nodes"]) for q in j["controllers"][0]["hctx"]]' \
		'[["0", [0], "0", []], [null, null, null, null], ["2", [2], "2", []]]'
	qmapctl show --matrix -s "$root"
	assert_contains "$output" "in no queue that could be read: CPU 1"
	qmapctl audit -s "$root"
	assert_status 0
	assert_output "3 CPUs, 1 controller with 3 hardware queues, 1 reading problem: nothing wrong"
}

@test "what-ifs change the machine" {
	qmapctl topology --synthetic "$SPEC" --isolcpus managed_irq,domain,2-5 --nohz-full 6-7 --kernel 6.1.0-18-amd64 -J
	assert_json 'j["topology"]["isolated"]' '"2-5"'
	assert_json 'j["topology"]["nohz_full"]' '"6-7"'
	assert_json 'j["kernel"]' '{"algorithm":"v5.3","distro":"debian","release":"6.1.0-18-amd64","sure":true,"version":"6.1"}'
	qmapctl topology --synthetic "$SPEC" --isolcpus managed_irq,2-5 -J
	assert_json 'j["topology"]["isolated"]' '""'
	assert_json 'j["kernel"]' null
}

@test "a source without a kernel: audit asks for one, list does not" {
	qmapctl audit --synthetic "$SPEC"
	assert_status 2
	assert_equal "$stderr" "qmapctl: audit: the source tells no kernel: say which one with --kernel"
	qmapctl audit --synthetic "$SPEC" --kernel 6.12
	assert_status 0
	qmapctl list --synthetic "$SPEC"
	assert_status 0
	assert_output ""
	qmapctl list --synthetic "$SPEC" -J
	assert_json 'j["controllers"]' '[]'
}

@test "output that cannot be written is trouble" {
	local args
	for args in "topology --demo" "list --demo -J" "--help" "--version" "--dump-options" "list -H" "explain v6.3"; do
		status=0
		# shellcheck disable=SC2086 # several words
		stderr=$("$QMAPCTL" $args 2>&1 >/dev/full) || status=$?
		assert_status 2
		assert_equal "$stderr" "qmapctl: standard output: No space left on device"
		status=0
		# shellcheck disable=SC2086
		stderr=$("$QMAPCTL" $args 2>&1 >&-) || status=$?
		assert_status 2
		assert_equal "$stderr" "qmapctl: standard output: Bad file descriptor"
	done
}

@test "a reader that went away is trouble, not a death by signal" {
	local state
	{ "$QMAPCTL" predict --demo --queues 1-400 -J 2>"$BATS_TEST_TMPDIR/err" || echo "$?" >"$BATS_TEST_TMPDIR/state"; } |
		head -c 10 >/dev/null
	state=$(<"$BATS_TEST_TMPDIR/state")
	assert_equal "$state" 2
	assert_equal "$(<"$BATS_TEST_TMPDIR/err")" "qmapctl: standard output: Broken pipe"
}

@test "closed standard files do no harm" {
	status=0
	"$QMAPCTL" topology --demo -nro NODE <&- >"$BATS_TEST_TMPDIR/out" 2>&- || status=$?
	assert_status 0
	assert_equal "$(<"$BATS_TEST_TMPDIR/out")" "0
1"
}

@test "names cannot harm a terminal" {
	qmapctl list --demo $'a\033[2Jb\xff\xe2\x80\xaec'
	assert_equal "$stderr" 'qmapctl: a\x1b[2Jb\xff\xe2\x80\xaec: no such device'
}

@test "the same input gives the same bytes, whatever the surroundings" {
	local expected
	expected=$("$QMAPCTL" show --demo -J)
	assert_equal "$(COLUMNS=200 LC_ALL=C.UTF-8 TERM=dumb "$QMAPCTL" show --demo -J -v --color)" "$expected"
	assert_equal "$(COLUMNS=40 "$QMAPCTL" show --demo -J -i -n)" "$expected"
	expected=$("$QMAPCTL" show --demo)
	assert_equal "$(TERM=dumb NO_COLOR=1 "$QMAPCTL" show --demo)" "$expected"
}

@test "colours only where asked for" {
	qmapctl show --demo
	refute_contains "$output" $'\033'
	qmapctl show --demo --color
	assert_contains "$output" $'\033'
	qmapctl show --demo --color=never
	refute_contains "$output" $'\033'
	qmapctl show --demo --color -r
	refute_contains "$output" $'\033'
	output=$(NO_COLOR=1 "$QMAPCTL" show --demo --color=auto)
	refute_contains "$output" $'\033'
}

@test "-q keeps remarks off standard error, not errors" {
	qmapctl show --demo --pin -q
	assert_equal "$stderr" ""
	qmapctl show --demo --pin
	assert_contains "$stderr" "qmapctl: nullb0: left out, no online CPU: hctx 2,4,6"
	qmapctl show --demo -q nope
	assert_equal "$stderr" "qmapctl: nope: no such device"
}
