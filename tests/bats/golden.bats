#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Output as it is meant to look, byte for byte. Each file of tests/data/golden begins with the command line that makes the
# rest; "@NAME" there is the directory of the capture NAME. After a wanted change: GOLDEN_WRITE=1 bats tests/bats/golden.bats,
# and look at the difference.

load ../lib

GOLDEN=$TOP/tests/data/golden

# golden FILE: runs the command of its first line and compares.
golden() {
	local line words=() word
	IFS= read -r line <"$1"
	for word in ${line#\$ qmapctl }; do
		[[ $word != @* ]] || word=$(fixture "captures/${word#@}") || return
		words+=("$word")
	done
	{
		printf '%s\n' "$line"
		"$QMAPCTL" "${words[@]}" 2>&1 || printf '(exit status %s)\n' "$?"
	} >"$BATS_TEST_TMPDIR/out"
	[ -z "${GOLDEN_WRITE-}" ] || cp "$BATS_TEST_TMPDIR/out" "$1"
	diff -u "$1" "$BATS_TEST_TMPDIR/out"
}

goldens() {
	local file n=0
	for file in "$GOLDEN"/$1; do
		golden "$file" || fail "$file"
		n=$((n + 1))
	done
	[ "$n" -ge "$2" ] || fail "only $n files $1"
}

@test "pictures of CPUs and queues at 8, 72 and 160 CPUs, in ASCII" {
	goldens 'matrix-*.txt' 8
}

@test "pictures in UTF-8" {
	LC_ALL=C.UTF-8 goldens 'utf8-*.txt' 3
}

@test "texts of explain and hints" {
	goldens 'text-*.txt' 3
}

@test "tables of list, show, topology and compare" {
	goldens 'table-*.txt' 14
}
