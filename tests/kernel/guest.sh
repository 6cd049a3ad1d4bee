# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
# What a case has inside the guest. Results go to /out/tap as TAP lines without numbers.

CPU=/sys/devices/system/cpu
NQN=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-00000000000
HOSTID=00000000-0000-0000-0000-000000000001

# load MODULE [PARAMETER...]: after what it depends on; built in or missing is not an error here.
load() {
	_m=$1
	shift
	[ -f "/modules/$_m.deps" ] || return 0
	while read -r _d; do
		[ -d "/sys/module/$(echo "$_d" | tr - _)/holders" ] && continue
		if [ "$(echo "$_d" | tr - _)" = "$(echo "$_m" | tr - _)" ]; then
			insmod "/modules/$_d.ko" "$@" || echo "insmod $_d $*: failed"
		else
			insmod "/modules/$_d.ko" || echo "insmod $_d: failed"
		fi
	done <"/modules/$_m.deps"
}

# ok NAME, not_ok NAME [WHY]
ok() {
	echo "ok - $1" >>/out/tap
}
not_ok() {
	echo "not ok - $1" >>/out/tap
	[ -z "${2-}" ] || echo "$2" | sed 's/^/# /' >>/out/tap
}
skip() {
	echo "ok - $1 # SKIP $2" >>/out/tap
}
# is NAME GOT WANT
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got:  $2
want: $3"; fi
}

offline() {
	for _c in "$@"; do echo 0 >"$CPU/cpu$_c/online" || echo "CPU $_c stays online"; done
}
online() {
	for _c in "$@"; do echo 1 >"$CPU/cpu$_c/online" || echo "CPU $_c stays offline"; done
}
# set_offline CPU...: exactly these are offline
set_offline() {
	for _f in "$CPU"/cpu[0-9]*/online; do
		[ "$(cat "$_f")" = 1 ] || echo 1 >"$_f"
	done
	offline "$@"
}

config_fs() {
	load configfs
	grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs configfs /sys/kernel/config
}

# null_blk NAME ATTRIBUTE=VALUE...: sets DISK
null_blk() {
	[ -d /sys/module/null_blk ] || load null_blk nr_devices=0
	config_fs
	_n=/sys/kernel/config/nullb/$1
	mkdir "$_n"
	echo 8 >"$_n/size"
	DISK=$1
	shift
	for _kv in "$@"; do
		[ ! -e "$_n/${_kv%%=*}" ] || echo "${_kv#*=}" >"$_n/${_kv%%=*}"
	done
	echo 1 >"$_n/power"
	[ -d "/sys/block/$DISK" ] || DISK=nullb$(cat "$_n/index")
}

wait_for() {
	_i=0
	while [ ! -e "$1" ] && [ $_i -lt "${2:-30}" ]; do
		sleep 1
		_i=$((_i + 1))
	done
	[ -e "$1" ]
}

# The map of a disk by a plain loop over sysfs: "hctx: cpus" a line, ascending.
loop_map() {
	for _q in $(cd "/sys/block/$1/mq" && echo * | tr ' ' '\n' | sort -n); do
		echo "$_q: $(tr -d ' \n' <"/sys/block/$1/mq/$_q/cpu_list")"
	done
}
loop_types() {
	for _q in $(cd "/sys/block/$1/mq" && echo * | tr ' ' '\n' | sort -n); do
		echo "$_q: $(cat "/sys/kernel/debug/block/$1/hctx$_q/type")"
	done
}
# The same out of the JSON on stdin.
our_map() {
	jq -r '.controllers[0].hctx[] | "\(.id): \(.cpus | map(tostring) | join(","))"'
}
our_types() {
	jq -r '.controllers[0].hctx[] | "\(.id): \(.type)"'
}
# as_nobody COMMAND...
as_nobody() {
	setuidgid nobody "$@"
}
mq_disks() {
	for _b in /sys/block/*; do
		[ ! -d "$_b/mq" ] || echo "${_b##*/}"
	done
}

# Everything that is asked of every disk of every guest.
check_disks() {
	qmapctl list
	for _disk in $(mq_disks); do
		qmapctl show -J "$_disk" >/tmp/root.json
		as_nobody qmapctl show -J "$_disk" >/tmp/nobody.json 2>/tmp/nobody.err
		is "$_disk: map" "$(our_map </tmp/root.json)" "$(loop_map "$_disk")"
		is "$_disk: types" "$(our_types </tmp/root.json)" "$(loop_types "$_disk")"
		is "$_disk: map, as nobody" "$(our_map </tmp/nobody.json)" "$(loop_map "$_disk")"
		# Without root a type is told only where it is certain, and then it is the same.
		is "$_disk: types, as nobody" "$(our_types </tmp/nobody.json | grep -v ': null$')" \
			"$(loop_types "$_disk" | grep -F "$(our_types </tmp/nobody.json | grep -v ': null$' || echo none)")"
		# A map is remade only with its disk: one made before CPUs went offline is another matter.
		is "$_disk: made by the kernel's own algorithm" \
			"$(jq -r '.controllers[0].algorithm | if (.predicted as $p | .matches | index($p)) then "yes" else "\(.family) \(.predicted) not in \(.matches)" end' /tmp/root.json)" yes
	done
}

# rules [OPTION...]: the names of what audit reports at warning or above, one line
rules() {
	qmapctl audit -J "$@" | jq -r '[.findings[] | select(.severity != "info") | .rule] | unique | join(" ")'
}

# An NVMe-oF target on the guest's loopback with one null_blk namespace.
nvmf_target() {
	load nvme-tcp
	load nvmet-tcp
	load nvme-loop
	[ -d /sys/module/null_blk ] || load null_blk nr_devices=0
	config_fs
	null_blk back submit_queues=1
	ip link set lo up
	_t=/sys/kernel/config/nvmet
	mkdir "$_t/subsystems/s0" "$_t/subsystems/s0/namespaces/1" "$_t/ports/1"
	echo 1 >"$_t/subsystems/s0/attr_allow_any_host"
	echo "/dev/$DISK" >"$_t/subsystems/s0/namespaces/1/device_path"
	echo 1 >"$_t/subsystems/s0/namespaces/1/enable"
	echo tcp >"$_t/ports/1/addr_trtype"
	echo ipv4 >"$_t/ports/1/addr_adrfam"
	echo 127.0.0.1 >"$_t/ports/1/addr_traddr"
	echo 4420 >"$_t/ports/1/addr_trsvcid"
	ln -s "$_t/subsystems/s0" "$_t/ports/1/subsystems/s0"
}
# nvmf_connect [OPTION...]: RC and OUTPUT; DEVICE is the new controller or empty
nvmf_connect() {
	_before=$(ls /sys/class/nvme)
	OUTPUT=$(nvme connect -t tcp -a 127.0.0.1 -s 4420 -n s0 "--hostnqn=${NQN}1" "--hostid=$HOSTID" "$@" 2>&1)
	RC=$?
	DEVICE=
	for _d in /sys/class/nvme/*; do
		echo "$_before" | grep -qx "${_d##*/}" || DEVICE=${_d##*/}
	done
	[ $RC = 0 ] || DEVICE=
}
nvmf_disconnect() {
	nvme disconnect -n s0 >/dev/null 2>&1
}
