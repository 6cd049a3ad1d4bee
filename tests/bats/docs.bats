#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is said about the program elsewhere is what its tables say: man page, completion, schema.

load ../lib

generated() {
	run "$PYTHON" "$TOP/tests/generated" "$QMAPCTL" "$@"
}

@test "man pages, completions and schema are what the program's tables say (make update-generated)" {
	generated "$TOP"/man/* "$TOP"/completions/* "$TOP/schema/qmapctl-1.schema.json"
	assert_output ""
	[ "$status" -eq 0 ]
	# every name that the program has is there, whatever the generator does
	local kind name
	while IFS=$'\t' read -r kind name _; do
		case $kind in
		rule) grep -qx "\.It Sy $name Pq .*" "$TOP/man/qmapctl-rules.7" ;;
		algorithm) grep -qxF ".It Sy $name" "$TOP/man/qmapctl-algorithms.7" ;;
		command) grep -qE "^\.It Cm $name( |$)" "$TOP/man/qmapctl.8" ;;
		esac
	done < <("$QMAPCTL" --dump-options)
}

@test "the man pages are clean mdoc" {
	command -v mandoc >/dev/null || skip "no mandoc"
	local page
	for page in "$TOP"/man/*; do
		run mandoc -T lint -W style "$page"
		# what is installed beside it is not its fault
		assert_equal "$(grep -v -e 'mandoc.db' -e 'Xr' -e 'longer than 80' <<<"$output")" ""
	done
}

@test "generated tells what differs" {
	local file dir=$BATS_TEST_TMPDIR
	cp "$TOP/man/qmapctl.8" "$TOP/man/qmapctl-rules.7" "$TOP/completions/qmapctl.zsh" "$dir"
	sed -i 's/^\.It Cm audit/.It Cm audti/' "$dir/qmapctl.8"
	sed -i '/^\.It Sy queue-uneven/d' "$dir/qmapctl-rules.7"
	sed -i 's/--by-cpu/--by-cpus/' "$dir/qmapctl.zsh"
	sed 's/"topology", "list"/"list"/; s/"mem_kb": {"description": "Memory in KiB.", /"memory": {/' \
		"$TOP/schema/qmapctl-1.schema.json" >"$dir/schema.json"
	generated "$dir"/qmapctl* "$dir/schema.json"
	[ "$status" -eq 1 ]
	assert_contains "$output" "-.It Cm audti "
	assert_line "+.It Sy queue-uneven Pq warning"
	assert_contains "$output" "--by-cpus["
	assert_contains "$output" "commands: the schema has "
	assert_line "topology: topology.nodes[].memory: no description"
	assert_line "topology: column MEMORY (-): the schema does not tell of topology.nodes[].mem_kb"
	generated "$dir"/qmapctl* --write
	cmp "$TOP/man/qmapctl.8" "$dir/qmapctl.8"
	cmp "$TOP/man/qmapctl-rules.7" "$dir/qmapctl-rules.7"
	cmp "$TOP/completions/qmapctl.zsh" "$dir/qmapctl.zsh"
}

@test "the jq recipes of qmapctl-json(5) work" {
	command -v jq >/dev/null || skip "no jq"
	local dir recipe answer n=0
	dir=$(fixture captures/6.1-fail72ht.live-offline)
	qmapctl() { "$QMAPCTL" "$1" --sysroot "$dir" "${@:2}" || [ $? -eq 1 ]; }
	"$QMAPCTL" list -J --demo >"$BATS_TEST_TMPDIR/answer.json"
	cd "$BATS_TEST_TMPDIR"
	"$QMAPCTL" --demo diagnose -J | jq -e '.log.lines == 3'
	while IFS= read -r -d '' recipe; do
		case $recipe in
		*diagnose*) recipe=${recipe/diagnose/diagnose /dev/null} ;;
		*compare*) recipe=${recipe/compare/compare --kernel 4.12 --online 0-71} ;;
		esac
		answer=$(eval "$recipe") || fail "$recipe"
		[ -n "$answer" ] || [[ $recipe = *diagnose* ]] || fail "no answer: $recipe"
		n=$((n + 1))
	done < <(sed -n '/^\.Sh EXAMPLES/,$p' "$TOP/man/qmapctl-json.5" |
		sed -n '/^\.Bd/,/^\.Ed/{s/^\.Bd.*//;s/^\.Ed/\x00/;s/\\-/-/g;s/\\e/\\/g;p}')
	[ "$n" -eq 7 ]
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
		for args in list "show --by-cpu" "show --irq --counts" topology audit compare; do
			# shellcheck disable=SC2086 # several words
			save_json $args -s "$dir"
			# shellcheck disable=SC2206
			[ "$args" = compare ] || words+=($args -s "$dir" --) # a row there is a group of results
		done
		words+=(show -s "$dir" -- show --pin -s "$dir" --)
	done
	assert_saved 24
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
