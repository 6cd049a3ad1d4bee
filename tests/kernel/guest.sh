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

# since MAJOR.MINOR: whether this kernel is of that version or a later one
since() {
	IFS=.- read -r _major _minor _rest </proc/sys/kernel/osrelease
	[ "$_major" -gt "${1%%.*}" ] || { [ "$_major" = "${1%%.*}" ] && [ "$_minor" -ge "${1#*.}" ]; }
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
	# Before 6.0 it is called by its number.
	[ -d "/sys/block/$DISK" ] || DISK=nullb$(cat "$_n/index")
	printf '%s\n' "s/\\b$DISK\\b/${_n##*/}/g" >>/tmp/names
}

null_blk_gone() {
	echo 0 >"/sys/kernel/config/nullb/$1/power"
	rmdir "/sys/kernel/config/nullb/$1"
}

wait_for() {
	_i=0
	while [ ! -e "$1" ] && [ $_i -lt "${2:-30}" ]; do
		sleep 1
		_i=$((_i + 1))
	done
	[ -e "$1" ]
}

# What a plain loop over sysfs and debugfs says of a disk, one line: "0: 0,1; 1: 2,3;" and "0: default; 1: read;".
# Without any program: under emulation each one that is started costs as much as the whole loop.
loop_map() {
	_i=0 _left=0 _line=
	for _q in "/sys/block/$1/mq"/*; do _left=$((_left + 1)); done
	while [ "$_left" -gt 0 ] && [ $_i -lt 4096 ]; do
		if [ -d "/sys/block/$1/mq/$_i" ]; then
			_cpus=
			IFS= read -r _cpus <"/sys/block/$1/mq/$_i/cpu_list"
			_bare=
			_ifs=$IFS
			IFS=" "
			for _word in $_cpus; do _bare=$_bare$_word; done
			IFS=$_ifs
			_line="$_line$_i: $_bare; "
			_left=$((_left - 1))
		fi
		_i=$((_i + 1))
	done
	echo "$_line"
}
loop_types() {
	_i=0 _left=0 _line=
	for _q in "/sys/block/$1/mq"/*; do _left=$((_left + 1)); done
	while [ "$_left" -gt 0 ] && [ $_i -lt 4096 ]; do
		if [ -d "/sys/block/$1/mq/$_i" ]; then
			_type=
			read -r _type <"/sys/kernel/debug/block/$1/hctx$_i/type"
			_line="$_line$_i: $_type; "
			_left=$((_left - 1))
		fi
		_i=$((_i + 1))
	done
	echo "$_line"
}
# The same out of the JSON on stdin, one line a disk: "DISK|MAP|TYPES|ALGORITHM", the last "yes" where the map is what
# the algorithm in force makes.
our_lines() {
	jq -r '.controllers[] | [.hctx[] | select(.mapped)] as $q |
		([$q[] | "\(.id): \(.cpus | map(tostring) | join(",")); "] | add) as $map |
		([$q[] | "\(.id): \(.type); "] | add) as $types |
		(.algorithm | if .predicted as $p | .matches | index($p) then "yes"
			else "\(.family) \(.predicted) not in \(.matches)" end) as $algorithm |
		.disks[] | "\(.)|\($map)|\($types)|\($algorithm)"'
}
# our DISK FILE: sets MAP, TYPES and ALGORITHM
our() {
	MAP=missing TYPES=missing ALGORITHM=missing
	while IFS='|' read -r _name _m _t _a; do
		[ "$_name" = "$1" ] || continue
		MAP=$_m TYPES=$_t ALGORITHM=$_a
	done <"$2"
}
# known GOT WANT: WANT without what is null in GOT
known() {
	_out=
	_want=$2
	_ifs=$IFS
	IFS=";"
	for _g in $1; do
		case $_g in *null*) ;; *) _out="$_out${_want%%;*};" ;; esac
		_want=${_want#*;}
	done
	IFS=$_ifs
	echo "$_out"
}
# watched COMMAND...: fails visibly where a signal ends it
watched() {
	"$@"
	_rc=$?
	[ $_rc -lt 128 ] || not_ok "$*: ended by signal $((_rc - 128))"
	return $_rc
}
qmapctl() {
	watched /bin/qmapctl "$@"
}
# as_nobody COMMAND...: the full name, or busybox takes its own applet
as_nobody() {
	watched /bin/setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
# What the kernel has to say about the case itself.
check_log() {
	is "the kernel saw no crash" "$(dmesg | grep -E 'segfault|general protection|traps:|Oops|BUG:' | head -n 5)" ""
}
mq_disks() {
	for _b in /sys/block/*; do
		[ ! -d "$_b/mq" ] || echo "${_b##*/}"
	done
}

# expand LIST: the numbers of a kernel list, with blanks around each
expand() {
	_all=" "
	_ifs=$IFS
	IFS=,
	for _part in $1; do
		_i=${_part%-*}
		while [ "$_i" -le "${_part#*-}" ]; do
			_all="$_all$_i "
			_i=$((_i + 1))
		done
	done
	IFS=$_ifs
}
# What a plain loop finds of queues that cannot be used, as audit names it: "DISK|RULE|QUEUES", one line each.
loop_dead() {
	IFS= read -r _online <"$CPU/online"
	expand "$_online"
	_online=$_all
	for _disk in $(mq_disks); do
		_line=$(loop_map "$_disk")
		_iso=''
		_off=''
		while [ -n "$_line" ]; do
			_q=${_line%%; *}
			_line=${_line#*; }
			_cpus=${_q#*: }
			_any=
			[ -n "$_cpus" ] || _iso="$_iso ${_q%%:*}"
			_ifs=$IFS
			IFS=,
			for _c in $_cpus; do
				case $_online in *" $_c "*) _any=1 ;; esac
			done
			IFS=$_ifs
			[ -z "$_cpus" ] || [ -n "$_any" ] || _off="$_off ${_q%%:*}"
		done
		[ -z "$_iso" ] || echo "$_disk|hctx-only-isolated|${_iso# }"
		[ -z "$_off" ] || echo "$_disk|hctx-no-online-cpu|${_off# }"
	done
}
our_dead() {
	jq -r '.findings[] | select(.rule == "hctx-only-isolated" or .rule == "hctx-no-online-cpu") | .rule as $rule |
		(.hctx | map(tostring) | join(" ")) as $hctx | .disks[] | "\(.)|\($rule)|\($hctx)"'
}

# crosses NODES MAP TYPES: whether a queue has CPUs of several nodes although its type has a queue for each node
crosses() {
	for _type in default read poll; do
		_n=0
		_several=
		_m=$2
		_t=$3
		while [ -n "$_t" ]; do
			_cpus=${_m%%; *}
			_cpus=${_cpus#*: }
			_m=${_m#*; }
			case ${_t%%; *} in
			*": $_type")
				_n=$((_n + 1))
				_node=
				_ifs=$IFS
				IFS=,
				for _c in $_cpus; do
					eval "_at=\$node_$_c"
					[ "${_node:=$_at}" = "$_at" ] || _several=1
				done
				IFS=$_ifs
				;;
			esac
			_t=${_t#*; }
		done
		[ -z "$_several" ] || [ "$_n" -lt "$1" ] || return 0
	done
	return 1
}
# loop_cross: the same of all disks, as findings words it. Where every CPU is online there is a better map of so many
# queues, for each queue can stay in one node.
loop_cross() {
	: >>/tmp/names
	_nodes=0
	_seen=" "
	for _d in "$CPU"/cpu[0-9]*/node[0-9]*; do
		_c=${_d%/node*}
		eval "node_${_c##*cpu}=${_d##*node}"
		case $_seen in
		*" ${_d##*node} "*) ;;
		*) _nodes=$((_nodes + 1)) _seen="$_seen${_d##*node} " ;;
		esac
	done
	for _disk in $(mq_disks); do
		if crosses $_nodes "$(loop_map "$_disk")" "$(loop_types "$_disk")"; then
			case $_disk in
			nvme*) _disk=${_disk%n[0-9]*} && echo "${_disk%c[0-9]*}" ;;
			*) echo "$_disk" ;;
			esac
		fi
	done | sed -f /tmp/names | sort -u | awk '{ printf "%s %s", (NR > 1 ? "" : "queue-cross-numa"), $1 } END { print "" }'
}

# Everything that is asked of every disk of every guest.
check_disks() {
	qmapctl list
	qmapctl show -J >/tmp/root.json
	as_nobody /bin/qmapctl show -J >/tmp/nobody.json 2>/tmp/nobody.err || cat /tmp/nobody.err
	our_lines </tmp/root.json >/tmp/root.lines
	our_lines </tmp/nobody.json >/tmp/nobody.lines
	for _disk in $(mq_disks); do
		_map=$(loop_map "$_disk")
		_types=$(loop_types "$_disk")
		our "$_disk" /tmp/root.lines
		is "$_disk: map" "$MAP" "$_map"
		is "$_disk: types" "$TYPES" "$_types"
		# A map is remade only with its disk: one made before CPUs went offline is another matter.
		is "$_disk: made by the kernel's own algorithm" "$ALGORITHM" yes
		our "$_disk" /tmp/nobody.lines
		is "$_disk: map, as nobody" "$MAP" "$_map"
		# Without root a type is told only where it is certain, and then it is the same.
		is "$_disk: types, as nobody" "$(known "$TYPES" "$TYPES")" "$(known "$TYPES" "$_types")"
	done
	qmapctl audit -J >/tmp/audit.json
	is "queues that cannot be used are told" "$(our_dead </tmp/audit.json | sort)" "$(loop_dead | sort)"
}

# rules [OPTION...]: the names of what audit reports at warning or above, one line
rules() {
	qmapctl audit -J "$@" | jq -r '[.findings[] | select(.severity != "info") | .rule] | unique | join(" ")'
}
# findings [OPTION...]: those with the controllers, null_blk under the names that the case gave, "RULE NAME NAME; RULE"
findings() {
	: >>/tmp/names
	qmapctl audit -J "$@" | jq -r '.findings[] | select(.severity != "info") | "\(.rule) \(.controller // "")"' |
		sed -f /tmp/names | sort -u | awk '
			$1 != rule { printf "%s%s", rule ? "; " : "", $1; rule = $1 }
			NF > 1 { printf " %s", $2 }
			END { print "" }'
}
# irqs_of PATTERN: the numbers of the interrupts with such a name
irqs_of() {
	# shellcheck disable=SC2231 # a pattern
	for _d in /proc/irq/*/$1; do
		[ -d "$_d" ] || continue
		_d=${_d%/*}
		echo "${_d##*/}"
	done
}
# mask IRQ: sets MASK, without any program
mask() {
	IFS= read -r MASK <"/proc/irq/$1/smp_affinity_list"
}
# write_errno FILE TEXT: prints the error of a write to it, or "none"
write_errno() {
	if (echo "$2" >"$1") 2>/tmp/write_errno; then
		echo none
		return
	fi
	case $(cat /tmp/write_errno) in
	*"Input/output error"*) echo EIO ;;
	*"Operation not permitted"*) echo EPERM ;;
	*"Permission denied"*) echo EACCES ;;
	*"Invalid argument"*) echo EINVAL ;;
	*) cat /tmp/write_errno ;;
	esac
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
	if [ -d /sys/module/nvme_loop ]; then
		mkdir "$_t/ports/2"
		echo loop >"$_t/ports/2/addr_trtype"
		ln -s "$_t/subsystems/s0" "$_t/ports/2/subsystems/s0"
	fi
	TRANSPORT=tcp
}
# nvmf_connect [OPTION...]: by TRANSPORT. RC and OUTPUT; DEVICE is the new controller or empty
nvmf_connect() {
	_before=$(ls /sys/class/nvme)
	[ "$TRANSPORT" = loop ] || set -- -a 127.0.0.1 -s 4420 "$@"
	OUTPUT=$(nvme connect -t "$TRANSPORT" -n s0 "--hostnqn=${NQN}1" "--hostid=$HOSTID" "$@" 2>&1)
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
# nvmf_try COUNT: connects, and disconnects. WAS is "connects -" or "refused QID", as advise words it, where QID is the
# first queue that the kernel's log says it cannot connect. Counts the latter in REFUSED. What fails for another reason
# is tried once more: the target of 5.10 may fail to allocate its first queue.
REFUSED=0
MARK=0
nvmf_try() {
	nvmf_try_once "$1"
	[ "$WAS" != "refused " ] || nvmf_try_once "$1"
	[ $RC = 0 ] || REFUSED=$((REFUSED + 1))
}
nvmf_try_once() {
	MARK=$((MARK + 1))
	echo "case: mark $MARK" >/dev/kmsg
	nvmf_connect -i "$1"
	QID=-
	if [ $RC = 0 ]; then
		WAS="connects -"
		nvmf_disconnect
	else
		QID=$(dmesg | sed -n "/case: mark $MARK\$/,\$ s/.*failed to connect queue: \([0-9]*\) ret=-18.*/\1/p" | head -n 1)
		WAS="refused $QID"
	fi
}
# check_connect NAME COUNT: advise beforehand, then the same as nvmf_try
check_connect() {
	_said=$(qmapctl advise --transport "$TRANSPORT" --queues "$2" -n -r -o OUTCOME,QID)
	nvmf_try "$2"
	is "$1, $2 queues" "$_said" "$WAS"
}
