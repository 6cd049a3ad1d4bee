#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The tests' own tools: manifests and JSON assertions.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "unfold makes files, links, empty directories, sizes and modes" {
	unfold - tree <<-'END'
		# a comment

		d empty/dir
		f a/b one\n
		f a/none 
		f a/odd\sname \0\x01\t\\ two  blanks 
		l link ../a/b
		l a/dangling /nowhere/at all
		t a/b 8
		m a/odd\sname 0400
	END
	[ -d tree/empty/dir ]
	[ ! -s tree/a/none ]
	assert_equal "$(od -An -tx1 tree/a/b)" " 6f 6e 65 0a 00 00 00 00"
	assert_equal "$(od -An -c 'tree/a/odd name' | tr -d '\n')" '  \0 001  \t   \       t   w   o           b   l   a   n   k   s    '
	assert_equal "$(readlink tree/link)" ../a/b
	assert_equal "$(readlink tree/a/dangling)" "/nowhere/at all"
	assert_equal "$(stat -c %a 'tree/a/odd name')" 400
	assert_equal "$(stat -c %a tree/a/b)" 644
}

@test "unfold refuses what is no manifest and names the line" {
	local line
	for line in 'f a' 'd a b' 'x a b' 'f a \q' 'f a \x4' 'f a \' 'f  text' 'f ../a x' 'f /a x' 'f a/../b x' 'f ./a x' \
		'f a//b x' 'f a/ x' 'f a\0b x' 'fa b' 'd'; do
		run "$UNFOLD" - tree <<<"f ok x
$line"
		[ "$status" -eq 1 ] || fail "accepted: $line"
		assert_output "unfold: -:2: not a manifest line"
	done
}

@test "unfold never leads through a link" {
	mkdir outside
	run unfold - tree <<<'l a ../outside
f a/b x'
	[ "$status" -eq 1 ]
	[ -z "$(ls -A outside)" ]
	unfold - two <<<'l a ../outside'
	run unfold - two <<<'f a/b x'
	[ "$status" -eq 1 ]
	[ -z "$(ls -A outside)" ]
}

@test "a manifest goes over another: files and links change, the rest stays" {
	unfold - tree <<<'f a old
f b kept
l c old'
	unfold - tree <<<'f a new
l c new'
	assert_equal "$(cat tree/a tree/b)" newkept
	assert_equal "$(readlink tree/c)" new
}

@test "mkmanifest and unfold give back the same tree, from a directory and from an archive" {
	mkdir -p in/a/empty in/b
	printf 'x\ny \0\377' >in/a/f
	printf '0-3\n' >'in/b/two words'
	printf 'pad' >in/b/pad
	truncate -s 4096 in/b/pad
	: >in/b/none
	ln -s ../a in/b/link
	"$PYTHON" "$TOP/tests/mkmanifest" in -o one.manifest
	unfold one.manifest one
	diff -r --no-dereference in one
	tar -cJf in.tar.xz -C in .
	"$PYTHON" "$TOP/tests/mkmanifest" in.tar.xz -o two.manifest
	cmp one.manifest two.manifest
	grep -qx 't b/pad 4096' one.manifest
	xz one.manifest
	unfold one.manifest.xz three
	diff -r --no-dereference in three
}

@test "mkmanifest takes only what matches, with the modes asked for" {
	mkdir -p in/sys/block/sda/mq/0/cpu3 in/sys/block/sda/mq/1 in/proc
	printf 1 >in/sys/block/sda/mq/0/cpu_list
	printf 2 >in/sys/block/sda/size
	printf 3 >in/proc/version
	chmod 440 in/sys/block/sda/mq/0/cpu_list
	run "$PYTHON" "$TOP/tests/mkmanifest" -c hello -m '**/cpu_list' in 'sys/block/*/mq/**' '!**/1'
	assert_output '# hello
d sys/block/sda/mq/0/cpu3
f sys/block/sda/mq/0/cpu_list 1
m sys/block/sda/mq/0/cpu_list 0440'
	run "$PYTHON" "$TOP/tests/mkmanifest" in nothing
	[ "$status" -eq 1 ]
	assert_output "mkmanifest: in: nothing matches"
}

@test "mkmanifest goes only where a pattern leads, and goes on past what it cannot read" {
	mkdir -p in/a/b/c in/a/other in/z
	printf 1 >in/a/b/c/f
	mkfifo in/a/b/fifo in/a/other/fifo
	run --separate-stderr "$PYTHON" "$TOP/tests/mkmanifest" in 'a/b/**'
	assert_output 'f a/b/c/f 1'
	assert_equal "$stderr" "mkmanifest: a/b/fifo: neither file, directory nor link"
	run --separate-stderr "$PYTHON" "$TOP/tests/mkmanifest" in 'a/?/*/f'
	assert_output 'f a/b/c/f 1'
	assert_equal "$stderr" ""
}

@test "assert_json compares values and types" {
	output='{"a":[1,true,null],"b":{"c":"x","d":1.5}}'
	assert_json 'j["a"]' '[1, true, null]'
	assert_json 'j["b"]' '{"d":1.5,"c":"x"}'
	assert_json 'len(j["a"])' 3
	assert_equal "$(json 'j["b"]["c"]')" '"x"'
	run assert_json 'j["a"][0]' true
	[ "$status" -eq 1 ]
	output='{"a":1,"a":2}'
	run assert_json 'j["a"]' 2
	[ "$status" -eq 1 ]
}

@test "assert_schema refuses what the schema refuses" {
	printf '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}' >schema.json
	"$PYTHON" "$TOP/tests/json-schema" schema.json <<<'{"a":1}'
	run "$PYTHON" "$TOP/tests/json-schema" schema.json <<<'{"b":1}'
	[ "$status" -eq 1 ]
	assert_contains "$output" "'a' is a required property"
	run "$PYTHON" "$TOP/tests/json-schema" schema.json <<<'{"a":1,"c":2}'
	[ "$status" -eq 1 ]
	assert_contains "$output" "$.c: the schema does not tell of it"
}
