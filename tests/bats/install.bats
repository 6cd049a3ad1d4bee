#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# "make install" and "make uninstall".

load ../lib

# What has to be installed below the prefix, with modes.
expected() {
	cat <<-'END'
		644 share/bash-completion/completions/qmapctl
		644 share/doc/qmapctl/NEWS
		644 share/doc/qmapctl/README
		644 share/doc/qmapctl/contrib/90-qmapctl-hint.rules
		644 share/doc/qmapctl/contrib/README
		644 share/doc/qmapctl/contrib/qmapctl-hint@.service
		644 share/doc/qmapctl/contrib/qmapctl-irqbalance-policy
		644 share/fish/vendor_completions.d/qmapctl.fish
		644 share/man/man5/qmapctl-json.5
		644 share/man/man7/qmapctl-algorithms.7
		644 share/man/man7/qmapctl-rules.7
		644 share/man/man8/qmapctl.8
		644 share/qmapctl/qmapctl-1.schema.json
		644 share/zsh/site-functions/_qmapctl
		755 bin/qmapctl
	END
}

made() {
	# Not the variables of the make that runs the tests.
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$BUILD" "$@"
}

@test "install: each file in its place below DESTDIR, with the modes of files for all; uninstall leaves nothing" {
	local dest=$BATS_TEST_TMPDIR/dest where="prefix=/opt/q exec_prefix=/opt/q"
	# A directory that a build for packages may have chosen is none of the prefix.
	[ "$(sed -n 's/^bashcompletiondir = //p' "$BUILD/Makefile")" = '${datadir}/bash-completion/completions' ] ||
		skip "configured for another directory of completions"
	# shellcheck disable=SC2086 # words
	(umask 077 && made install DESTDIR="$dest" $where)
	assert_equal "$(cd "$dest/opt/q" && find . -type f -printf '%m %P\n' | sort)" "$(expected)"
	assert_equal "$(find "$dest" -type l)" ""
	cmp "$dest/opt/q/share/zsh/site-functions/_qmapctl" "$TOP/completions/qmapctl.zsh"
	cmp "$dest/opt/q/share/fish/vendor_completions.d/qmapctl.fish" "$TOP/completions/qmapctl.fish"
	cmp "$dest/opt/q/share/bash-completion/completions/qmapctl" "$TOP/completions/qmapctl.bash"
	# shellcheck disable=SC2086 # words
	made installcheck DESTDIR="$dest" $where
	# Somebody else's files stay.
	touch "$dest/opt/q/share/man/man8/other.8"
	# shellcheck disable=SC2086 # words
	run made uninstall DESTDIR="$dest" $where
	[ "$status" -eq 0 ]
	assert_equal "$(find "$dest" ! -type d -printf '%P\n')" opt/q/share/man/man8/other.8
	assert_equal "$(find "$dest" -name '*qmapctl*')" ""
	# Once more there is nothing to do, which is fine.
	# shellcheck disable=SC2086 # words
	made uninstall DESTDIR="$dest" $where
}

@test "install: a directory \"no\" leaves a shell's completions out" {
	local dest=$BATS_TEST_TMPDIR/dest no='bashcompletiondir=no zshcompletiondir=no fishcompletiondir=no'
	# shellcheck disable=SC2086 # words
	made install DESTDIR="$dest" prefix=/usr exec_prefix=/usr $no
	assert_equal "$(cd "$dest" && find . -path '*complet*' -o -name '_qmapctl' -o -name no)" ""
	[ -x "$dest/usr/bin/qmapctl" ]
	# shellcheck disable=SC2086 # words
	made uninstall DESTDIR="$dest" prefix=/usr exec_prefix=/usr $no
	assert_equal "$(find "$dest" ! -type d)" ""
}
