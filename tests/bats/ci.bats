#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How .ci/run counts: its functions over logs made up here.

load ../lib

setup() {
	# shellcheck source=/dev/null
	source "$TOP/.ci/run"
	top=$BATS_TEST_TMPDIR
	export work=$top logs=$top/logs
	mkdir -p "$top/tests" "$logs"
	unset CI
	echo 'tests/bats/a*.bats | no such * | because' >"$top/tests/allowed-skips"
}

# counted STEP...: one of the functions, whose own failing commands are no failure of the test.
counted() {
	"$@" >"$top/out" || :
}

# totals: what the last line would say.
totals() {
	echo "$passed passed, $failed failed, $skipped skipped"
}

# A run of Automake's, as the console shows it; SUMMARY is "pass skip fail error".
automake() {
	local pass skip fail error
	read -r pass skip fail error <<<"$1"
	cat
	printf '# TOTAL: %s\n# PASS:  %s\n# SKIP:  %s\n# XFAIL: 0\n# FAIL:  %s\n# XPASS: 0\n# ERROR: %s\n' \
		$((pass + skip + fail + error)) "$pass" "$skip" "$fail" "$error"
	[ $((fail + error)) -eq 0 ]
}

@test "the cases of several suites add up" {
	counted suite one automake '2 0 0 0' <<<$'PASS: tests/bats/a.bats 1 x\nPASS: tests/bats/a.bats 2 y'
	counted suite two automake '40 0 0 0' </dev/null
	counted check three true
	assert_equal "$(totals)" "43 passed, 0 failed, 0 skipped"
}

@test "failures and errors are counted and shown" {
	counted suite one automake '1 0 1 1' <<<$'FAIL: tests/bats/a.bats 1 x\nERROR: tests/bats/a.bats - too few'
	assert_equal "$(totals)" "1 passed, 2 failed, 0 skipped"
	grep -qx 'FAIL: tests/bats/a.bats 1 x' "$top/out"
}

@test "a run that fails, runs nothing or warns is a failure of its own" {
	counted suite fails sh -c 'echo "# PASS: 3"; exit 2'
	assert_equal "$(totals)" "3 passed, 1 failed, 0 skipped"
	counted suite nothing true
	assert_equal "$(totals)" "3 passed, 2 failed, 0 skipped"
	counted suite warns sh -c 'echo "x.c:1: warning: unused"; echo "# PASS: 1"'
	assert_equal "$(totals)" "4 passed, 3 failed, 0 skipped"
	counted check warns echo 'configure: WARNING: odd'
	assert_equal "$(totals)" "4 passed, 4 failed, 0 skipped"
	counted check fails false
	assert_equal "$(totals)" "4 passed, 5 failed, 0 skipped"
}

@test "a skip that is not listed fails with CI=true alone" {
	skips() {
		automake '1 3 0 0' <<-'END'
			SKIP: tests/bats/a1.bats 1 x # SKIP no such thing
			SKIP: tests/bats/a1.bats 2 y # SKIP another reason
			SKIP: tests/bats/b.bats 1 z # SKIP no such thing
		END
	}
	counted suite one skips
	assert_equal "$(totals)" "1 passed, 0 failed, 3 skipped"
	export CI=true
	counted suite two skips
	assert_equal "$(totals)" "2 passed, 2 failed, 4 skipped"
	assert_equal "$(grep -c 'not in tests/allowed-skips' "$top/out")" 2
	grep -q 'tests/allowed-skips: tests/bats/a1.bats | another reason' "$top/out"
}

@test "a skip without a line, or a line without a skip, is a failure" {
	counted suite one automake '1 1 0 0' </dev/null
	assert_equal "$(totals)" "1 passed, 1 failed, 1 skipped"
}

@test "what prints TAP itself is counted, too" {
	lines() {
		printf '1..4\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no such thing\nok 4 d\n'
		false
	}
	echo 'mine | no such * | because' >>"$top/tests/allowed-skips"
	export CI=true
	counted tap mine lines
	assert_equal "$(totals)" "2 passed, 1 failed, 1 skipped"
	counted tap other lines
	assert_equal "$(totals)" "4 passed, 3 failed, 1 skipped"
}

@test "every allowed skip gives its reason" {
	run awk -F'|' '!/^#/ && (NF != 3 || $3 !~ /[a-z]/)' "$TOP/tests/allowed-skips"
	assert_output ""
}
