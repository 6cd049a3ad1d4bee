#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# There and back: each topology that the golden maps were made for, and captured machines captured again.

load ../lib

@test "every topology read, written and read again predicts the same" {
	local file=$BATS_TEST_TMPDIR/topology.json line n=0
	while IFS= read -r line; do
		printf '%s\n' "$line" >"$file"
		"$QMAPCTL" topology --topology "$file" -J >"$BATS_TEST_TMPDIR/again.json"
		"$QMAPCTL" predict --topology "$file" --queues 3,7 -J | grep -v '"source"' >"$BATS_TEST_TMPDIR/a"
		"$QMAPCTL" predict --topology "$BATS_TEST_TMPDIR/again.json" --queues 3,7 -J | grep -v '"source"' \
			>"$BATS_TEST_TMPDIR/b"
		cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
		n=$((n + 1))
	done < <(xz -dc "$DATA/vectors/topologies.jsonl.xz")
	[ "$n" -ge 40 ]
}

@test "captures of more machines answer the same" {
	local name source
	cd "$BATS_TEST_TMPDIR"
	for name in 6.12-off8 7.2-iso 5.10-memnode; do
		source=$(fixture "captures/$name")
		qmapctl capture -s "$source" "$name"
		assert_status 0
		same_answers "$source" "$name"
	done
}
