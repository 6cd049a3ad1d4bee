#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How tests/kernel/run runs its cases, with a qemu that is a script: kernels by path, numbers, guests at the same time,
# and what is left when all is over or a signal ends it.

load ../lib

# A qemu that runs what the case has for the guest as a shell script, in the directory shared with it.
make_qemu() {
	cat >"$T/bin/qemu-system-x86_64" <<'END'
#!/bin/bash
echo "$$" >>"$T/qemus"
printf '%s\n' "$*" >>"$T/calls"
share="$*"
share=${share##*local,path=}
cd "${share%%,*}" || exit
if ! grep -q apic case.sh; then
	echo "booted after 1.5 s: Linux" >console
	. ./case.sh
	: >finished
fi
END
}

setup() {
	T=$BATS_TEST_TMPDIR
	export T
	mkdir -p "$T"/{bin,cases,boot,modules/7.2.13+deb14}
	make_qemu
	for program in busybox cpio depmod modprobe nvme jq xz zstd; do echo '#!/bin/sh' >"$T/bin/$program"; done
	printf '#!/bin/sh\necho "$1 $2" >"$3"\n' >"$T/mkinitramfs"
	chmod +x "$T/bin/"* "$T/mkinitramfs"
	for file in run fetch mkfirmware.py; do cp "$TOP/tests/kernel/$file" "$T"; done
	echo image >"$T/boot/vmlinuz-7.2.13+deb14"
	export KERNELS=$T/boot/vmlinuz-7.2.13+deb14+$T/modules/7.2.13+deb14
	unset CI
}

# a_case NAME: the words of the case stand on standard input, its guest's after a line "guest"
a_case() {
	sed -e "/^guest\$/ { s/.*/guest() {\ncat <<'G'/; :a; \$!{ N; ba }; s/\$/\nG\n}/ }" >"$T/cases/$1.case"
}

boot() {
	status=0
	PATH=$T/bin:$PATH "$T/run" --qmapctl /bin/true --work "$T/work" "$@" >"$T/out" 2>"$T/err" || status=$?
	read_whole output "$T/out"
	read_whole stderr "$T/err"
}

# nothing_left: neither a guest nor a file but the kernel and what is told to be kept
nothing_left() {
	local pid
	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || fail "guest $pid runs still"
	done <"$T/qemus"
	assert_equal "$(cd "$T/work" && echo *)" "${1-kernels}"
}

@test "results are numbered and named; a kernel is two paths, with a plus in both names" {
	a_case one <<<$'guest\necho "ok - first" >>tap\necho "ok - second # SKIP because" >>tap\necho "# by the way" >>tap'
	a_case two <<<$'append="quiet nosmt"\nguest\necho "ok - third" >>tap'
	boot
	assert_status 0
	output=$(sed 's/, took .*/, took a while/' <<<"$output")
	assert_output "# kernel 7.2.13+deb14 ($KERNELS)
# one: booted after 1.5 s, took a while
ok 1 - 7.2.13+deb14 one: first
ok 2 - 7.2.13+deb14 one: second # SKIP because
# by the way
# two: booted after 1.5 s, took a while
ok 3 - 7.2.13+deb14 two: third
1..3"
	grep -q -- "-append .*panic=-1 quiet nosmt -virtfs" "$T/calls"
	grep -q -- "-kernel $T/work/kernels/[^ ]*/vmlinuz " "$T/calls"
	assert_equal "$(cat "$T"/work/kernels/*/vmlinuz)" image
	assert_equal "$(cat "$T"/work/kernels/*/initramfs)" "$(echo "$T"/work/kernels/*) /bin/true"
	nothing_left
}

@test "files are copied each time, for they may be others" {
	a_case one <<<$'guest\necho "ok - first" >>tap'
	boot
	echo newer >"$T/boot/vmlinuz-7.2.13+deb14"
	boot
	assert_equal "$(cat "$T"/work/kernels/*/vmlinuz)" newer
}

@test "what fails or ends too early is kept, and its place is told" {
	a_case bad <<<$'guest\necho "not ok - first" >>tap'
	a_case dead <<<$'guest\necho "ok - second" >>tap; exit'
	a_case good <<<$'guest\necho "ok - third" >>tap'
	boot
	assert_status 1
	assert_line "not ok 1 - 7.2.13+deb14 bad: first"
	assert_line "# kept: $T/work/7.2.13+deb14/bad"
	assert_line "not ok 3 - 7.2.13+deb14 dead: runs to its end"
	assert_line "# kept: $T/work/7.2.13+deb14/dead"
	assert_line "1..4"
	nothing_left "7.2.13+deb14 kernels"
	assert_equal "$(cd "$T/work/7.2.13+deb14" && echo *)" "bad dead"
}

@test "one that cannot be had is a skip; with CI=true one has to boot" {
	a_case one <<<$'guest\necho "ok - first" >>tap'
	KERNELS="/nowhere/vmlinuz+$T/modules $T/boot/vmlinuz-7.2.13+deb14+/nowhere" boot
	assert_status 0
	assert_output "ok 1 - /nowhere/vmlinuz+$T/modules: boots # SKIP cannot be had here: no kernel image in /nowhere/vmlinuz+$T/modules
ok 2 - $T/boot/vmlinuz-7.2.13+deb14+/nowhere: boots # SKIP cannot be had here: no modules directory in $T/boot/vmlinuz-7.2.13+deb14+/nowhere
1..2"
	CI=true KERNELS=/nowhere/vmlinuz+/nowhere boot
	assert_status 1
	assert_line "not ok 2 - kernels: at least one boots"
	CI=true boot
	assert_status 0
}

@test "quick ones alone, or those named" {
	a_case fast <<<$'tags="quick"\nguest\necho "ok - first" >>tap'
	a_case slow <<<$'guest\necho "ok - second" >>tap'
	boot --quick
	assert_line "ok 1 - 7.2.13+deb14 fast: first"
	assert_line "1..1"
	boot --quick slow
	assert_line "ok 1 - 7.2.13+deb14 slow: second"
	assert_line "1..1"
	boot other
	assert_status 2
}

@test "a case that needs a module the kernel has not is a skip without a guest" {
	a_case one <<<$'needs=nvme-loop\nguest\necho "ok - first" >>tap'
	boot
	assert_status 0
	assert_line "ok 1 - 7.2.13+deb14 one: runs # SKIP cannot be had here: this kernel's package has no nvme-loop"
	[ ! -e "$T/calls" ] || fail "a guest ran"
	echo kernel/drivers/nvme/target/nvme-loop.ko >"$T/modules/7.2.13+deb14/modules.builtin"
	boot
	assert_line "ok 1 - 7.2.13+deb14 one: first"
	rm "$T/modules/7.2.13+deb14/modules.builtin"
	mkdir "$T/modules/7.2.13+deb14/kernel"
	: >"$T/modules/7.2.13+deb14/kernel/nvme-loop.ko.xz"
	boot
	assert_line "ok 1 - 7.2.13+deb14 one: first"
}

@test "kvm where it may be used, with emulation where it is refused all the same; else that alone" {
	local how
	a_case one <<<$'firmware=far\nguest\necho "ok - first" >>tap'
	printf '#!/bin/sh\n: >"$4"\n' >"$T/bin/python3"
	chmod +x "$T/bin/python3"
	: >"$T/kvm"
	for how in "kvm -accel tcg,thread=single" tcg,thread=single; do
		: >"$T/calls"
		KVM=$T/kvm boot
		assert_status 0
		# Both guests, the first of which reads the firmware.
		assert_equal "$(sed -n 's/.* -machine q35 -accel \(.*\) -cpu .*/\1/p' "$T/calls")" "$how"$'\n'"$how"
		rm -f "$T/kvm"
	done
}

@test "two guests at a time, printed in order" {
	# The first waits for the second.
	a_case one <<<$'guest\nfor i in $(seq 100); do [ -e ../../two ] && break; sleep 0.1; done; echo "ok - $(cat ../../two)" >>tap'
	a_case two <<<$'guest\necho met >../../two; echo "ok - second" >>tap'
	a_case three <<<$'guest\necho "ok - third" >>tap'
	boot --jobs 2
	assert_status 0
	assert_line "ok 1 - 7.2.13+deb14 one: met"
	assert_line "ok 2 - 7.2.13+deb14 three: third"
	assert_line "ok 3 - 7.2.13+deb14 two: second"
}

@test "a signal ends the guests and leaves nothing" {
	local signal pid i
	a_case one <<<$'firmware=far\nguest\nexec sleep 100'
	a_case two <<<$'guest\nexec sleep 100'
	cat >"$T/bin/python3" <<<'#!/bin/sh'
	chmod +x "$T/bin/python3"
	for signal in TERM INT HUP; do
		: >"$T/qemus"
		# Job control, or what runs in the background is deaf to INT; and all of this may have been started deaf.
		set -m
		PATH="$T/bin:$PATH" env --default-signal=INT,HUP,TERM "$T/run" --jobs 2 --qmapctl /bin/true --work "$T/work" >"$T/out" 2>&1 3>&- &
		pid=$!
		set +m
		# Three: the first case starts one for the firmware beforehand.
		for ((i = 0; i < 100; i++)); do
			[ "$(wc -l <"$T/qemus")" -lt 3 ] || break
			sleep 0.1
		done
		assert_equal "$signal $(wc -l <"$T/qemus")" "$signal 3"
		kill -0 "$(tail -n 1 "$T/qemus")"
		kill -s $signal "$pid"
		status=0
		wait "$pid" || status=$?
		assert_status 130
		nothing_left
	done
}
