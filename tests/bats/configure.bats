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

@test "a missing library: its packages are named" {
	local row module debian fedora suse
	for row in 'json-c libjson-c-dev json-c-devel libjson-c-devel' \
		'smartcols libsmartcols-dev libsmartcols-devel libsmartcols-devel' \
		'libudev libudev-dev systemd-devel libudev-devel' 'numa libnuma-dev numactl-devel libnuma-devel'; do
		read -r module debian fedora suse <<<"$row"
		configured_without "$module"
		[ "$status" -eq 1 ] || fail "went on without $module"
		assert_contains "$output" "error: $module"
		assert_contains "$output" "$debian (Debian, Ubuntu), $fedora (Fedora, RHEL) or $suse (SUSE)"
	done
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
