#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bootstrap with stub package managers, compilers and autotools: a checkout of its own, and a PATH in which nothing is
# but what a bare system has.

load ../lib

bare_tools="bash cat chmod cp dirname env find grep head ln mkdir mv rm sed sort touch xz"

# stub FILE: a program that logs its call and then runs what stands on standard input. Stubs find $T and $P, the
# directories of the test, in the environment.
stub() {
	{ printf '#!/bin/sh\nprintf "%%s\\n" "%s $*" >>"$T/calls"\n' "${1##*/}"; cat; } >"$1"
}

# What every test starts with, made once: bin/ with a bare system, store/ with the programs that packages bring.
setup_file() {
	local tool store bin
	cd "$BATS_FILE_TMPDIR"
	mkdir -p start/{bin,store,packages,home,checkout} start/sys/block/{loop0,sda}/mq
	bin=start/bin store=start/store
	for tool in $bare_tools; do
		ln -s "$(command -v "$tool")" "$bin/$tool"
	done
	stub $bin/id <<<'echo "${FAKE_UID-0}"'
	stub $bin/nproc <<<'echo 2'
	stub $store/cc <<<'[ -e "$P/libc6-dev" ] || [ -e "$P/glibc-devel" ]'
	stub $store/awk </dev/null
	stub $store/automake </dev/null
	stub $store/bats </dev/null
	stub $store/sudo <<<'exec "$@"'
	stub $store/python3 <<<'[ -e "$P/python3-jsonschema" ]'
	stub $store/make <<'END'
case "$*" in
*check) echo "# PASS: 1" ;;
*) printf '#!/bin/sh\necho "qmapctl $*"\nexit ${FAKE_STATUS-0}\n' >build/qmapctl
   chmod +x build/qmapctl ;;
esac
END
	stub $store/autoreconf <<'END'
mkdir -p build-aux
touch aclocal.m4 config.h.in Makefile.in build-aux/tap-driver.sh
printf '#!/bin/sh\necho configure >>"$T/calls"\ntouch Makefile\n' >configure
chmod +x configure
END
	stub $store/pkg-config <<'END'
case $2 in
json-c) set -- "$P"/*json-c*-dev* ;;
smartcols) set -- "$P"/libsmartcols-dev* ;;
libudev) set -- "$P"/libudev-dev* "$P"/systemd-devel ;;
numa) set -- "$P"/libnuma-dev* "$P"/numactl-devel ;;
cmocka) set -- "$P"/libcmocka-dev* ;;
esac
[ -e "$1" ] || [ -e "${2-}" ]
END
	# A package manager installs whatever is named after "install".
	stub $store/apt-get <<'END'
[ -z "${FAKE_FAIL-}" ] || exit 100
seen=
for arg; do
	[ "$arg" != install ] || { seen=y; continue; }
	[ -n "$seen" ] || continue
	case $arg in
	-*) continue ;;
	pkg*) program=pkg-config ;;
	gcc) program=cc ;;
	autoconf) program=autoreconf ;;
	mawk | gawk) program=awk ;;
	python3-*) program=python3 ;;
	*) program=$arg ;;
	esac
	: >"$P/$arg"
	[ ! -e "$T/store/$program" ] || ln -s "../store/$program" "$T/bin/"
done
END
	sed 's/"apt-get /"dnf /' $store/apt-get >$store/dnf
	sed 's/"apt-get /"zypper /' $store/apt-get >$store/zypper
	: >start/calls
	: >start/stderr
	: >start/checkout/configure.ac
	cp "$TOP/bootstrap" start/checkout
	chmod +x $store/* $bin/id $bin/nproc
}

setup() {
	export T=$BATS_TEST_TMPDIR
	export P=$T/packages # one empty file per installed package
	export BOOTSTRAP_PYTHONS=python3 BOOTSTRAP_SYS=$T/sys
	cp -a "$BATS_FILE_TMPDIR/start/." "$T"
}

# has PROGRAM: it is there from the start.
has() {
	ln -s "../store/$1" "$T/bin/$1"
}

boot() {
	status=0
	output=$(PATH=$T/bin "$T/checkout/bootstrap" "$@" 2>"$T/stderr") || status=$?
	stderr=$(<"$T/stderr")
}

calls() {
	grep "^$1 " "$T/calls" | grep -v -e --exists -e ' -E -'
}

run_packages_apt='autoconf automake gcc libc6-dev libjson-c-dev libnuma-dev libsmartcols-dev libudev-dev make mawk pkg-config'

@test "a bare Debian: packages are named, installed, and qmapctl runs" {
	has apt-get
	boot run list --json
	assert_status 0
	assert_output "qmapctl list --json"
	assert_contains "$stderr" "bootstrap: packages: $run_packages_apt
bootstrap: installing them with apt-get"
	assert_equal "$(calls apt-get)" "apt-get -q -o DPkg::Lock::Timeout=120 update
apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends $run_packages_apt"
	[ -z "$(calls sudo)" ]
}

@test "Fedora and SUSE by the same table" {
	has dnf
	boot check
	assert_status 0
	assert_equal "$(calls dnf)" "dnf install -y --setopt=install_weak_deps=False autoconf automake bats gawk gcc\
 glibc-devel json-c-devel libcmocka-devel libsmartcols-devel make numactl-devel pkgconf-pkg-config python3-jsonschema\
 systemd-devel"
	rm -rf "${P:?}"/* "$T/checkout/build"
	find "$T/bin" -lname '../store/*' -delete
	has zypper
	boot check
	assert_status 0
	assert_equal "$(calls zypper)" "zypper --non-interactive install --no-recommends autoconf automake bats gawk gcc\
 glibc-devel libcmocka-devel libjson-c-devel libnuma-devel libsmartcols-devel libudev-devel make pkg-config\
 python3-jsonschema"
}

@test "--no-install only reports, before or after the command" {
	has apt-get
	for args in '--no-install run' 'run --no-install' '--no-install check'; do
		# shellcheck disable=SC2086 # words
		boot $args
		assert_status 2
		assert_output ""
		assert_contains "$stderr" "bootstrap: missing: cmd:cc hdr:stdio.h cmd:make"
		assert_contains "$stderr" "bootstrap: not installed, because of --no-install"
	done
	[ -z "$(calls apt-get)" ]
	[ ! -e "$T/checkout/build" ] && [ ! -e "$T/checkout/configure" ]
}

@test "without root it takes sudo, and says what to do where there is none" {
	has apt-get
	export FAKE_UID=1000
	boot run
	assert_status 2
	assert_contains "$stderr" "bootstrap: to install them, run as root: apt-get install $run_packages_apt"
	[ -z "$(calls apt-get)" ]
	has sudo
	boot run
	assert_status 0
	assert_equal "$(calls sudo | head -n 1)" \
		"sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 update"
}

@test "a package manager that fails or that brings too little ends it" {
	has apt-get
	FAKE_FAIL=1 boot run
	assert_status 2
	assert_contains "$stderr" "bootstrap: apt-get failed"
	rm "$T/store/automake"
	boot run
	assert_status 2
	assert_contains "$stderr" "bootstrap: still missing: cmd:automake"
	[ ! -e "$T/checkout/build" ]
}

@test "no package manager: the missing things are named" {
	boot run
	assert_status 2
	assert_contains "$stderr" "pc:json-c"
	assert_contains "$stderr" "neither apt-get, dnf nor zypper is here"
}

@test "a second run installs, makes and configures nothing; check after run configures again for the tests" {
	has apt-get
	boot run
	assert_status 0
	: >"$T/calls"
	boot run
	assert_status 0
	assert_output "qmapctl audit"
	assert_equal "$stderr" ""
	[ -z "$(calls apt-get)" ] && [ -z "$(calls autoreconf)" ]
	run grep -x configure "$T/calls"
	[ "$status" -eq 1 ]
	boot check
	assert_status 0
	assert_output "# PASS: 1"
	assert_contains "$(calls apt-get)" "install -y --no-install-recommends bats libcmocka-dev python3-jsonschema"
	[ -z "$(calls autoreconf)" ]
	assert_equal "$(grep -cx configure "$T/calls")" 1
	boot run
	assert_equal "$(grep -cx configure "$T/calls")" 1
}

@test "check-kernel installs what guests are made with, and runs the quick cases or those named" {
	has apt-get
	for program in qemu-system-x86_64 busybox modprobe zstd nvme jq python3; do
		stub "$T/bin/$program" </dev/null
		chmod +x "$T/bin/$program"
	done
	stub "$T/store/cpio" </dev/null
	mkdir -p "$T/checkout/tests/kernel"
	stub "$T/checkout/tests/kernel/run" <<<'echo "1..1"'
	chmod +x "$T/store/cpio" "$T/checkout/tests/kernel/run"
	boot check-kernel
	assert_status 0
	assert_output "1..1"
	assert_contains "$(calls apt-get)" " autoconf automake cpio gcc "
	assert_equal "$(calls run)" "run --qmapctl build/qmapctl --work build/kernel-tests --quick"
	boot check-kernel std8 u6
	assert_equal "$(calls run | tail -n 1)" "run --qmapctl build/qmapctl --work build/kernel-tests std8 u6"
}

@test "a changed build file and a moved checkout are noticed" {
	has apt-get
	boot run
	: >"$T/calls"
	touch -d '+5 seconds' "$T/checkout/configure.ac"
	boot run
	assert_equal "$(calls autoreconf)" "autoreconf -fi"
	touch -d '-5 seconds' "$T/checkout/configure.ac"
	: >"$T/calls"
	mv "$T/checkout" "$T/moved"
	ln -s moved "$T/checkout"
	boot run
	assert_equal "$(grep -cx configure "$T/calls")" 1
}

@test "without a multi-queue disk the default audit takes the example, and says so" {
	has apt-get
	rmdir "$T/sys/block/sda/mq"
	boot run
	assert_status 0
	assert_output "qmapctl --demo audit"
	assert_contains "$stderr" "bootstrap: no multi-queue disk is in this machine"
	boot run show
	assert_output "qmapctl show"
}

@test "the exit status is that of qmapctl" {
	has apt-get
	FAKE_STATUS=32 boot run show nvme9
	assert_status 32
}

@test "run passes its input on and prints nothing of its own, from any directory" {
	has apt-get
	sed -i 's/echo "qmapctl/read -r line; echo "$line: qmapctl/' "$T/store/make"
	cd "$T"
	mkdir -p elsewhere/checkout
	output=$(echo input | CDPATH=$T/elsewhere PATH=$T/bin checkout/bootstrap run diagnose - 2>/dev/null)
	assert_output "input: qmapctl diagnose -"
}

@test "usage: help on standard output, wrong words refused" {
	boot --help
	assert_status 0
	assert_contains "$output" "Usage: ./bootstrap [--no-install] run [ARGS]"
	for args in '' 'build' '--wrong run' 'check now' 'install' 'install all'; do
		# shellcheck disable=SC2086 # words
		boot $args
		assert_status 2
		assert_output ""
		[ -n "$stderr" ]
	done
}

@test "only the checkout is written to" {
	has apt-get
	rmdir "$T/sys/block/sda/mq"
	listing() { find "$T" -path "$T/checkout" -prune -o -path "$P" -prune -o -path "$T/bin" -prune -o -print | sort; }
	before=$(listing)
	HOME=$T/home TMPDIR=$T/home boot run
	assert_status 0
	assert_equal "$(listing)" "$before"
}
