#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is said about the program elsewhere is what its tables say: man page, completion, schema.

load ../lib

@test "the man page's generated parts are up to date (make update-generated)" {
	run "$PYTHON" "$TOP/tests/generated" "$QMAPCTL" man "$TOP/man/qmapctl.8"
	assert_output ""
	[ "$status" -eq 0 ]
}

@test "the completion's generated parts are up to date (make update-generated)" {
	run "$PYTHON" "$TOP/tests/generated" "$QMAPCTL" completion "$TOP/completions/qmapctl.bash"
	assert_output ""
	[ "$status" -eq 0 ]
}

@test "the man page is clean mdoc" {
	command -v mandoc >/dev/null || skip "no mandoc"
	run mandoc -T lint -W style "$TOP/man/qmapctl.8"
	# what is installed beside it is not its fault
	assert_equal "$(grep -v -e 'mandoc.db' -e 'Xr' -e 'longer than 80' <<<"$output")" ""
	mandoc -T ascii "$TOP/man/qmapctl.8" >/dev/null
}

@test "generated tells what differs" {
	cp "$TOP/man/qmapctl.8" "$BATS_TEST_TMPDIR/man"
	sed -i 's/^\.It Cm audit/.It Cm audti/' "$BATS_TEST_TMPDIR/man"
	run "$PYTHON" "$TOP/tests/generated" "$QMAPCTL" man "$BATS_TEST_TMPDIR/man"
	[ "$status" -eq 1 ]
	assert_contains "$output" "-.It Cm audti"
	"$PYTHON" "$TOP/tests/generated" "$QMAPCTL" man "$BATS_TEST_TMPDIR/man" --write
	cmp "$TOP/man/qmapctl.8" "$BATS_TEST_TMPDIR/man"
}

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
	assert_completes "plan" hint p
	assert_equal "$(complete_words topology x)" ""
}

# Documents of several runs, looked at together: starting the validator takes longer than all of them.
save_json() {
	local file
	qmapctl "$@" -J
	[ "$status" -ne 2 ] || fail "$*: $stderr"
	file=$BATS_TEST_TMPDIR/$((++saved)).json
	printf '%s\n' "$output" >"$file"
	assert_contains "$output" "
 \"exit_status\":$status}"
	assert_contains "$output" "
 \"command\":\"$1\","
}

assert_saved() {
	[ "$saved" -ge "$1" ] || fail "only $saved documents"
	"$PYTHON" "$TOP/tests/json-schema" "$TOP/schema/qmapctl-1.schema.json" "$BATS_TEST_TMPDIR"/*.json
}

@test "every command's JSON is what the schema says" {
	local args saved=0
	for args in "list --demo" "show --demo" "show --demo --by-cpu" "topology --demo" "audit --demo" "audit --demo -v" \
		"compare --demo" "compare --demo --queues 24 --diff v5.3 v6.3" "predict --demo --queues 1-9" \
		"predict --demo --vectors 1-9 --algorithm all" "advise --demo" "advise --demo --queues 64" "diagnose --demo" \
		"explain" "explain hctx-unmapped v6.3" "list --demo nope" \
		"predict --demo --kernel 6.12 --queues 8 --write-queues 4 --poll-queues 2" \
		"predict --demo --kernel 6.12 --driver nvme --queues 32 --write-queues 8 --poll-queues 4" \
		"predict --demo --algorithm all --queues 1-3" "predict --demo --vectors 5 --pre 1 --sets 2,2 --algorithm v6.3" \
		"predict --synthetic core:4 --queues 4" "topology --demo --kernel 6.1.0-18-amd64 --isolcpus domain,2-5" \
		"compare --demo nullb0"; do
		# shellcheck disable=SC2086 # several words
		save_json $args
	done
	assert_saved 23
}

@test "captured machines give valid JSON, and tables that say the same" {
	local name dir args words=() saved=0
	for name in 5.10-memnode 6.1-p4of8oc 6.12-off8 7.2-iso; do
		dir=$(fixture "captures/$name")
		for args in list "show --by-cpu" topology audit compare; do
			# shellcheck disable=SC2086 # several words
			save_json $args -s "$dir"
			# shellcheck disable=SC2206
			[ "$args" = compare ] || words+=($args -s "$dir" --) # a row there is a group of results
		done
		words+=(show -s "$dir" -- show --pin -s "$dir" --)
	done
	assert_saved 20
	run "$PYTHON" "$TOP/tests/table-json" "$QMAPCTL" "${words[@]}"
	[ "$status" -eq 0 ] || fail "they differ"
	[ "${output% cells}" -gt 5000 ] || fail "only $output compared"
}

@test "every table of the demo says what JSON says" {
	run "$PYTHON" "$TOP/tests/table-json" "$QMAPCTL" list --demo -- show --demo -- show --demo --by-cpu -- show --demo --pin -- \
		topology --demo -- audit --demo -v -- predict --demo --kernel 4.12,6.12 --queues 1-20,64 -- \
		compare --demo --diff v5.3 v6.3 -- predict --demo --vectors 4 --algorithm v6.3
	[ "$status" -eq 0 ] || fail "they differ"
	[ "${output% cells}" -gt 1000 ]
}
