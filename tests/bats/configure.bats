#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What configure says where something is missing.

load ../lib

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	mkdir src bin
	cp -r "$TOP/configure" "$TOP/Makefile.in" "$TOP/config.h.in" "$TOP/build-aux" .
	cp "$TOP/src/main.c" src
	# A pkg-config that knows all modules but $ABSENT.
	cat >bin/pkg-config <<-'END'
		#!/bin/sh
		case "$*" in
		*"$ABSENT"*) exit 1 ;;
		esac
	END
	chmod +x bin/pkg-config
}

# configured_without MODULE
configured_without() {
	cd "$BATS_FILE_TMPDIR"
	ABSENT=$1
	export ABSENT
	run env PKG_CONFIG="$PWD/bin/pkg-config" ./configure -q
}

# One of each kind: what must be there, and what can be done without. That the other two have the right names shows below.
@test "a missing library: its packages are named" {
	configured_without json-c
	[ "$status" -eq 1 ]
	assert_contains "$output" "error: json-c >= 0.13 was not found.
  It is in the package libjson-c-dev (Debian, Ubuntu), json-c-devel (Fedora, RHEL) or libjson-c-devel (SUSE).
  \"./bootstrap\" installs all that is needed."
}

@test "a missing library that can be done without: how is said, too" {
	configured_without libudev
	[ "$status" -eq 1 ]
	assert_contains "$output" "error: libudev was not found.
  It is in the package libudev-dev (Debian, Ubuntu), systemd-devel (Fedora, RHEL) or libudev-devel (SUSE).
  Or build without it: --without-udev.
  \"./bootstrap\" installs all that is needed."
}

@test "the same names as in the table of bootstrap" {
	local debian fedora suse module packages
	packages=$(sed -nE "s/^pc:([^ ]+) *\| *([^ ]+) *\| *([^ ]+) *\| *([^ ]+) *\| *run/\1 \2 \3 \4/p" "$TOP/bootstrap")
	assert_equal "$(wc -l <<<"$packages")" 4
	while read -r module debian fedora suse; do
		grep -qF "$debian (Debian, Ubuntu), $fedora (Fedora, RHEL) or $suse (SUSE)" "$TOP/configure" ||
			fail "$module differs"
	done <<<"$packages"
}
