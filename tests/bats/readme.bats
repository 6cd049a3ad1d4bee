#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# README shows what the program prints.

load ../lib

transcripts() {
	run "$PYTHON" "$TOP/tests/transcripts" "$QMAPCTL" "$UNFOLD" "$DATA/captures" "$@"
}

@test "the transcripts of README are what the program prints (make update-generated)" {
	transcripts "$TOP/README"
	assert_output ""
	[ "$status" -eq 0 ]
	[ "$(grep -c '^    \$ qmapctl' "$TOP/README")" -ge 11 ]
}

@test "NEWS names every command, rule, algorithm and source" {
	local kind name
	while IFS=$'\t' read -r kind name _; do
		case $kind in
		command) grep -qE "^(- |  )?.*\`$name( [a-z]+)?\`" "$TOP/NEWS" || fail "command $name" ;;
		rule) grep -qF "\`$name\`" "$TOP/NEWS" || fail "rule $name" ;;
		algorithm) grep -qE "(: |, |^  )${name#*:}[,.;]?( |$|[,.;])" "$TOP/NEWS" || fail "algorithm $name" ;;
		esac
	done < <("$QMAPCTL" --dump-options)
	for name in sysroot topology synthetic demo kernel online offline isolcpus nohz-full; do
		grep -qF -- "\`--$name\`" "$TOP/NEWS" || fail "option $name"
	done
}

@test "the machines of README can be had as it says" {
	local line block
	block=$(sed -n '/^    make -C build tests\/unfold$/,/^$/s/^    //p' "$TOP/README")
	cd "$BATS_TEST_TMPDIR"
	mkdir build
	ln -s "$TOP/tests" tests
	printf 'tests/unfold:\n\tmkdir -p tests && cp "%s" tests/unfold\n' "$UNFOLD" >build/Makefile
	ln -s "$QMAPCTL" build/qmapctl
	run bash -ec "$block"
	[ "$status" -eq 0 ]
	assert_contains "$output" "nvme0 (nvme0n1): nvme, pcie, node 1, 8 queues, mapped by irq:v6.11"
	while read -r line; do
		[ -e "$DATA/captures/$line.manifest.xz" ] || fail "no machine $line"
	done < <(sed -nE 's/^    \$ qmapctl .*--sysroot ([^ ]+).*/\1/p' "$TOP/README" | sort -u)
}

@test "transcripts tells what differs, and writes it" {
	cd "$BATS_TEST_TMPDIR"
	sed 's/hctx-unmapped/hctx-mapped/; s/^    \(HCTX QID\) .*/    \1/' "$TOP/README" >changed
	transcripts changed
	[ "$status" -eq 1 ]
	assert_line "-    HCTX QID"
	transcripts changed --write
	[ "$status" -eq 0 ]
	transcripts changed
	assert_output ""
	printf 'before\n\n    $ qmapctl --version\n    old\n\n    older\n\nafter\n' >small
	transcripts small --write
	assert_equal "$(cat small)" "before

    \$ qmapctl --version
    $("$QMAPCTL" --version)

after"
	echo nothing >none
	transcripts none
	[ "$status" -eq 1 ]
}

@test "the commands of README are there: bootstrap's and make's" {
	grep -qx '    ./bootstrap run            # builds qmapctl and audits this machine' "$TOP/README"
	grep -qx '    ./bootstrap check          # builds it and runs the tests' "$TOP/README"
	local command
	for command in compare explain capture; do
		"$QMAPCTL" "$command" --help >/dev/null
	done
}
