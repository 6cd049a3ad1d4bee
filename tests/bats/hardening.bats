#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What distributions build with: what configure makes of the user's flags, and whether it is in the program.

load ../lib

# A configure of nothing but the compiler and the macro; it prints the answer and ends.
setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >configure.ac <<-'END'
		AC_INIT([try], [1])
		AC_PROG_CC
		QM_HARDENING
		echo "$hardening|$HARDENING_CPPFLAGS|$HARDENING_CFLAGS|$HARDENING_LDFLAGS|$CPPFLAGS $CFLAGS $LDFLAGS"
		exit
	END
	cp "$TOP/m4/qm-hardening.m4" aclocal.m4
	autoconf
	cat >try.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		int main(int argc, char **argv)
		{
			char buf[80];

			snprintf(buf, sizeof(buf), "%s", argv[argc - 1]);
			return !strlen(buf);
		}
	END
}

# configured ARGS: sets $hardening and the flags that are added; a program can be built with these and those given, and
# nothing warns.
configured() {
	local given
	cd "$BATS_FILE_TMPDIR"
	output=$(./configure -q "$@")
	IFS='|' read -r hardening cppflags cflags ldflags given <<<"$output"
	# shellcheck disable=SC2086 # words
	run gcc $cppflags -Wall -Wextra -Werror $cflags $given $ldflags try.c -o try
	assert_output ""
	./try word
}

# assert_match TEXT REGEX
assert_match() {
	grep -qE -- "$2" <<<"$1" || fail "not like $2: $1"
}

all_cflags='-fstack-protector-strong -fstack-clash-protection.* -Wformat -Werror=format-security'
fortified='-D_FORTIFY_SOURCE=[23]'

@test "all of it by default" {
	configured CC=gcc
	assert_equal "$hardening" yes
	assert_match "$cppflags" "^ *$fortified\$"
	assert_match "$cflags" "$all_cflags -fPIE\$"
	assert_match "$ldflags" '-pie -Wl,-z,relro -Wl,-z,now$'
}

@test "no checks of sizes where they are given, as RPM does; not position-independent where the flags say so" {
	configured CC=gcc 'CFLAGS=-O2 -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2 -no-pie'
	assert_equal "$hardening|$cppflags" "yes|"
	assert_match "$cflags" "$all_cflags\$"
	assert_match "$ldflags" '^ *-Wl,-z,relro -Wl,-z,now$'
}

@test "no checks of sizes without optimisation; not position-independent where all is linked statically" {
	configured CC=gcc CFLAGS=-g LDFLAGS=-static
	assert_equal "$hardening|$cppflags" "yes|"
	assert_match "$cflags" "$all_cflags\$"
	assert_match "$ldflags" '^ *-Wl,-z,relro -Wl,-z,now$'
}

@test "nothing with a sanitizer, nothing with --disable-hardening" {
	configured CC=gcc CFLAGS='-g -O1 -fsanitize=undefined'
	assert_equal "$hardening|$cppflags|$cflags|$ldflags" "no, for a sanitizer|||"
	configured CC=gcc --disable-hardening
	assert_equal "$hardening|$cppflags|$cflags|$ldflags" "no|||"
}

@test "the program is position-independent and relocated before it starts, its stack and sizes are checked" {
	grep -q '^HARDENING_CFLAGS = ..' "$BUILD/Makefile" || skip "built without hardening"
	local headers symbols
	headers=$(readelf -hldW "$QMAPCTL")
	assert_match "$headers" 'Type: *DYN'
	assert_match "$headers" 'GNU_RELRO'
	assert_match "$headers" 'FLAGS\) *BIND_NOW'
	assert_match "$headers" 'FLAGS_1\) *Flags:.* NOW.* PIE'
	assert_match "$headers" 'GNU_STACK .* RW '
	symbols=$(readelf -sW --dyn-syms "$QMAPCTL")
	assert_contains "$symbols" __stack_chk_fail
	for name in snprintf vsnprintf memcpy read; do
		assert_contains "$symbols" " __${name}_chk"
	done
}
