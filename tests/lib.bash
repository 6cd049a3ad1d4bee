# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the bats files share: "load ../lib" in each. Works under "make check" and, for a tree built in build/, with a
# plain "bats tests/bats/x.bats".

TOP=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
BUILD=${QMAP_BUILD:-$TOP/build}
QMAPCTL=${QMAPCTL:-$BUILD/qmapctl}
UNFOLD=${UNFOLD:-$BUILD/tests/unfold}
PYTHON=${PYTHON:-$(type -P /usr/bin/python3 python3 | head -n 1)}
DATA=$TOP/tests/data
export LC_ALL=C QMAPCTL
unset NO_COLOR

# unfold MANIFEST DIR: makes the tree of a manifest (plain, .xz, or "-") in DIR. A second one goes over the first.
unfold() {
	case $1 in
	*.xz) xz -dc "$1" | "$UNFOLD" - "$2" ;;
	*) "$UNFOLD" "$1" "$2" ;;
	esac
}

# fixture NAME: prints the directory of the captured machine tests/data/NAME.manifest[.xz], unfolded once for all
# tests. It is for reading; a test that changes files unfolds its own copy below $BATS_TEST_TMPDIR.
fixture() {
	local src=$DATA/$1.manifest dir=$BUILD/tests/trees/$1 tmp
	[ -e "$src" ] || src=$src.xz
	if [ ! -e "$dir" ] || [ "$src" -nt "$dir" ]; then
		mkdir -p "${dir%/*}"
		tmp=$(mktemp -d "${dir%/*}/.new.XXXXXX") || return
		unfold "$src" "$tmp/tree" || return
		if [ -e "$dir" ]; then # an older one: somebody may still read it, so it is moved away first
			mv -T "$dir" "$tmp/old" 2>/dev/null || :
		fi
		mv -T "$tmp/tree" "$dir" 2>/dev/null || :
		rm -rf "$tmp"
		touch "$dir"
	fi
	printf '%s\n' "$dir"
}

# fail WORDS: ends the test with what was got.
fail() {
	printf '%s\n' "$*" >&2
	[ -z "${output+x}" ] || printf 'status %s, output:\n%s\n' "${status-}" "$output" >&2
	return 1
}

# read_whole VARIABLE FILE: like VARIABLE=$(<FILE), which would take another process.
read_whole() {
	IFS= read -r -d '' "$1" <"$2" || :
	while [[ ${!1} == *$'\n' ]]; do
		printf -v "$1" %s "${!1%$'\n'}"
	done
}

# qmapctl ARGS: "run" with standard output in $output and standard error in $stderr, both whole.
qmapctl() {
	status=0
	"$QMAPCTL" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" </dev/null || status=$?
	read_whole output "$BATS_TEST_TMPDIR/stdout"
	read_whole stderr "$BATS_TEST_TMPDIR/stderr"
}

# refusing ERROR ARGS: the same where openat2() fails with ERROR, as under an old kernel or in a container.
refusing() {
	local error=$1
	shift
	status=0
	"$BUILD/tests/refuse" "openat2=$error" "$QMAPCTL" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" \
		</dev/null || status=$?
	[ "$status" -ne 125 ] || skip "no system call can be refused here"
	read_whole output "$BATS_TEST_TMPDIR/stdout"
	read_whole stderr "$BATS_TEST_TMPDIR/stderr"
}

assert_status() {
	[ "$status" -eq "$1" ] || fail "status $status, not $1; stderr: ${stderr-}"
}

assert_equal() {
	[ "$1" == "$2" ] || fail "got: $1
expected: $2"
}

assert_output() {
	assert_equal "$output" "$1"
}

# assert_line TEXT: one line of $output is exactly TEXT.
assert_line() {
	local line
	while IFS= read -r line; do
		[ "$line" != "$1" ] || return 0
	done <<<"$output"
	fail "no line: $1"
}

# assert_contains STRING PART, refute_contains STRING PART
assert_contains() {
	[[ $1 == *"$2"* ]] || fail "no \"$2\" in: $1"
}

refute_contains() {
	[[ $1 != *"$2"* ]] || fail "\"$2\" is in: $1"
}

# json EXPRESSION: the value of a Python expression over the JSON document in $output, called "j"; as JSON, keys sorted.
json() {
	"$PYTHON" "$TOP/tests/json-get" "$1" <<<"$output"
}

# assert_json EXPRESSION EXPECTED: both JSON; EXPECTED is compared as a value, not as text.
assert_json() {
	"$PYTHON" "$TOP/tests/json-get" "$1" "$2" <<<"$output" || fail "assert_json $1"
}

# assert_schema: $output is one document that the installed schema accepts.
assert_schema() {
	"$PYTHON" "$TOP/tests/json-schema" "$TOP/schema/qmapctl-1.schema.json" <<<"$output" || fail "not valid"
}

# same_answers SOURCE COPY: all answers are equal but for where they come from; works in the current directory.
same_answers() {
	local args
	for args in list show 'show --irq --counts' topology audit compare; do
		# shellcheck disable=SC2086
		"$QMAPCTL" $args -s "$1" -J 2>a.err | grep -v '^ "source":' >a || :
		# shellcheck disable=SC2086
		"$QMAPCTL" $args -s "$2" -J 2>b.err | grep -v '^ "source":' >b || :
		[ -s a ]
		cmp a b || fail "$args"
		cmp a.err b.err || fail "$args: standard error"
	done
}
