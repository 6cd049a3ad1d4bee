#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The habits of the sources: what calls what, and who touches the outside.

load ../lib

setup() {
	mkdir -p "$BATS_TEST_TMPDIR/src/"{base,live,map,cmd} "$BATS_TEST_TMPDIR/tests"
	cd "$BATS_TEST_TMPDIR"
}

# source_file FILE: a source with its licence line and what stands on standard input, built by Makefile.am.
source_file() {
	echo "x += $1" >>Makefile.am
	{ echo '// SPDX-License-Identifier: GPL-2.0-or-later'; cat; } >"$1"
}

@test "the sources keep to the layers, open files in one place and print in another" {
	run "$PYTHON" "$TOP/tests/check-source" "$TOP"
	assert_output ""
	[ "$status" -eq 0 ]
}

@test "check-source sees each violation" {
	source_file src/map/up.c <<'END'
#include "base/cpuset.h"
#include "cmd/cmd.h"
#include "map.h"
#include <numa.h>
	f = fopen(name, "re");
	fd = openat(dir, name, O_RDONLY);
	printf("%u\n", n);
	fputs(text, stderr);
END
	source_file src/main.c <<<'#include "map/map.h"'
	source_file src/base/root.c <<<'	fd = open("/sys/block", O_RDONLY);'
	source_file src/live/udev.c <<<'#include "map/map.h"'
	echo 'int x;' >src/cmd/bare.c
	echo 'include src/Makemodule.am' >>Makefile.am
	echo 'y = src/cmd/bare.c src/cmd/gone.c' >src/Makemodule.am
	echo '// SPDX-License-Identifier: GPL-2.0-or-later' >tests/lost.c
	source_file tests/later.c <<<"/* TO""DO */"
	run "$PYTHON" "$TOP/tests/check-source" .
	[ "$status" -eq 1 ]
	assert_equal "$(sort <<<"$output")" 'src/base/root.c:2: opens a path written into the source
src/cmd/bare.c:1: no licence in the first lines
src/cmd/gone.c: named in a makefile, but not there
src/live/udev.c:2: live includes "map/map.h", which is above it
src/main.c:2: main.c includes "map/map.h"
src/map/up.c:3: map includes "cmd/cmd.h", which is above it
src/map/up.c:4: include "map.h": not LAYER/name.h
src/map/up.c:5: libudev and libnuma belong to src/live
src/map/up.c:6: files are opened in src/base alone
src/map/up.c:7: files are opened in src/base alone
src/map/up.c:8: only main.c, cmd and out print
src/map/up.c:9: only main.c, cmd and out print
tests/later.c:2: marked as unfinished
tests/lost.c:1: in no Makemodule.am'
}

@test "check-source is content with what is right, and not with nothing" {
	source_file src/map/fine.c <<'END'
#include "config.h"
#include "base/cpuset.h"
#include "map/map.h"
	/* open( and printf( may stand in a comment */
	n = snprintf(buf, sizeof(buf), "printf(\"%u\")", n);
	r = qm_root_open(&root, "/", true, NULL);
	m->open(m); /* a member */
END
	source_file src/base/root.c <<<'	fd = openat(dir, name, O_RDONLY);'
	source_file src/live/numa.c <<<'#include <numa.h>'
	source_file src/main.c <<<'	printf("%s\n", PACKAGE_STRING);'
	run "$PYTHON" "$TOP/tests/check-source" .
	assert_output ""
	[ "$status" -eq 0 ]
	rm -r src/*
	run "$PYTHON" "$TOP/tests/check-source" .
	[ "$status" -eq 1 ]
}
