#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The golden vectors' topologies are kept in two forms.

load ../lib

@test "the vectors' topologies as JSON and as lines are the same" {
	data=$DATA/vectors
	xz -dc "$data/topologies.jsonl.xz" >"$BATS_TEST_TMPDIR/t.jsonl"
	xz -dc "$data/topologies.txt.xz" >"$BATS_TEST_TMPDIR/want"
	"$PYTHON" "$TOP/tests/vectors/to-lines.py" topologies "$BATS_TEST_TMPDIR/t.jsonl" >"$BATS_TEST_TMPDIR/got"
	cmp "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	[ "$(grep -c ^topology "$BATS_TEST_TMPDIR/got")" -eq 47 ]
}
