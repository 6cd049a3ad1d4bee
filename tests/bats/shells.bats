#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The completions, each in its own shell.

load ../lib

# complete_words WORDS...: what the completion offers for the last word, one a line
complete_words() (
	# shellcheck source=/dev/null
	. "$TOP/completions/qmapctl.bash"
	COMP_WORDS=("$QMAPCTL" "$@")
	COMP_CWORD=$#
	_qmapctl
	printf '%s\n' "${COMPREPLY[@]}"
)

assert_completes() {
	local expected=$1
	shift
	assert_equal "$(complete_words "$@")" "${expected// /$'\n'}"
}

@test "the completion knows commands, options, columns, rules and words" {
	assert_completes "compare capture" c
	assert_completes "compare" -J comp
	assert_completes "compare" -s /tmp comp
	assert_completes "--by-cpu" show --by
	assert_contains "$(complete_words show --)" "--matrix"
	assert_contains "$(complete_words show --)" "--sysroot"
	assert_contains "$(complete_words --)" "--sysroot"
	assert_completes "error" audit --fail-on e
	assert_completes "error" audit --fail-on = e
	assert_completes "NODE" list -o NO
	assert_completes "NAME,NODE" list -o NAME,NO
	assert_completes "+WITNESS" list -o +WI
	assert_completes "hctx-unmapped" explain hctx-u
	assert_completes "hctx-unmapped" audit --only hctx-u
	assert_completes "hctx-unmapped,queue-uneven" audit --only hctx-unmapped,queue-un
	assert_completes "map:v6.3" explain map:v6.3
	assert_completes "irq:v5.4" compare --diff v5.3 irq:v5.4
	assert_completes "--queues" compare --diff v5.3 --que
	assert_completes "plan" hint p
	assert_equal "$(complete_words topology x)" ""
}

# What each shell offers at the end of a command line, and whether it is the one thing, or many.
shell_cases() {
	cat <<-'END'
		qmapctl comp|compare
		qmapctl -J comp|compare
		qmapctl -s /tmp lis|list
		qmapctl show --by|--by-cpu
		qmapctl audit --fail-on e|error
		qmapctl list -o NO|NODE
		qmapctl list -o NAME,NO|NODE
		qmapctl list -o +WI|WITNESS
		qmapctl explain hctx-u|hctx-unmapped
		qmapctl audit --only hctx-u|hctx-unmapped
		qmapctl audit --only hctx-unmapped,queue-un|queue-uneven
		qmapctl explain map:v6.3|map:v6.3
		qmapctl compare --diff v5.3,irq:v5.4|irq:v5.4
		qmapctl compare --diff v5.3 irq:v5.4|irq:v5.4
		qmapctl hint pl|plan
		qmapctl topology x|
		qmapctl --color=n|never
	END
}

@test "zsh completes" {
	command -v zsh >/dev/null || skip "no zsh"
	local lines expected
	mapfile -t lines < <(shell_cases | cut -d '|' -f 1)
	expected=$(shell_cases | sed 's/.*|//; s/$/\n--/' | sed '/^$/d')
	PATH=$(dirname "$QMAPCTL"):$PATH run zsh "$TOP/tests/complete.zsh" "$TOP/completions/qmapctl.zsh" "${lines[@]}"
	assert_output "$expected"
}

@test "fish completes" {
	command -v fish >/dev/null || skip "no fish"
	local lines expected
	mapfile -t lines < <(shell_cases | cut -d '|' -f 1)
	expected=$(shell_cases | sed 's/.*|//; s/$/\n--/' | sed '/^$/d')
	# A list is offered whole; an option's argument is offered with it.
	PATH=$(dirname "$QMAPCTL"):$PATH HOME=$BATS_TEST_TMPDIR run fish --no-config -c '
		source $argv[1]
		for line in $argv[2..-1]
			complete -C $line | string replace -r "\t.*" "" | string replace -r "^(--color=|.*,|\+)" ""
			echo -e "\x2d\x2d"
		end' "$TOP/completions/qmapctl.fish" "${lines[@]}"
	assert_output "$expected"
}

@test "the shells offer the machine's devices and directories" {
	local device
	device=$(ls /sys/block | head -n 1)
	[ -n "$device" ] || skip "no block device here"
	assert_contains "$(complete_words show "$device")" "$device"
	if command -v fish >/dev/null; then
		assert_contains "$(fish --no-config -c 'source $argv[1]; complete -C "qmapctl show "' \
			"$TOP/completions/qmapctl.fish")" "$device"
	fi
	if command -v zsh >/dev/null; then
		assert_contains "$(zsh "$TOP/tests/complete.zsh" "$TOP/completions/qmapctl.zsh" "qmapctl show ")" "$device"
	fi
}
