# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for qmapctl
# shellcheck shell=bash

# The tables between the marks come from "qmapctl --dump-options": tests/generated writes and checks them.
# generated: begin bash
_qmapctl_commands='list show topology audit compare predict advise diagnose hint explain capture'

_qmapctl_globals='-s --sysroot --topology --synthetic --demo --kernel --online --offline --isolcpus --nohz-full -J --json -o --output -H --list-columns -n --noheadings -r --raw -P --pairs -i --ascii --color= -q --quiet -v --verbose -h --help -V --version'

# a command's own options
_qmapctl_options() {
	case $1 in
	show) printf '%s\n' --by-cpu --irq --counts --matrix --pin ;;
	topology) printf '%s\n' --by-cpu ;;
	audit) printf '%s\n' --only --ignore --fail-on --reserved ;;
	compare) printf '%s\n' --queues --diff ;;
	predict) printf '%s\n' --queues --write-queues --poll-queues --algorithm --driver --vectors --pre --sets --by-queue ;;
	advise) printf '%s\n' --transport --queues --write-queues --poll-queues --granted --print ;;
	diagnose) printf '%s\n' --since ;;
	hint) printf '%s\n' -y --yes --all-or-nothing --all --exclude --reserved --state --format --file ;;
	capture) printf '%s\n' --redact ;;
	esac
}

# columns of a command's tables
_qmapctl_columns() {
	case $1 in
	list) printf '%s\n' ALGORITHM DISKS DRIVER MAPPED MATCHES MODEL NAME NODE PCI PREDICTED QUEUES SEVERITY STATE TOTAL TRANSPORT TYPES WITNESS WORST ;;
	show) printf '%s\n' BUSIEST CHIP COMPLETES CORE COUNT CPU CPUS DELIVERED DEVICE EFFECTIVE HCTX HINT INDEX IRQ IRQNAME LLC MANAGED MANAGEDBY MOST NAME NODE NODES ONLINE OUTSIDE PACKAGE PIN POLL QID QUEUE READ REQUESTED RESERVED ROLE STATE TAGS TIE TYPE ;;
	topology) printf '%s\n' CLUSTER CLUSTERS CORE CORES CPU CPUS DISTANCES ISOLATED LLC LLCS MEMORY NODE NODEONLINE NOHZFULL ONLINE PACKAGE PACKAGES STATE ;;
	audit) printf '%s\n' ADVICE COMMAND CONTROLLER CPUS HCTX IRQS MESSAGE RULE SEVERITY ;;
	compare) printf '%s\n' ALGORITHM CPU CPUS CROSS CROSSLIST DEAD DEADLIST DEVICE DIFF DIFFLIST FROM KERNELS LLC MARK NODE ONLINE QUEUES SET SPARE SPLIT TO UNMAPPED UNMAPPEDLIST ;;
	predict) printf '%s\n' ALGORITHM CPUS CROSS CROSSLIST DEAD DEADLIST HCTX KERNEL KERNELS LLC MARK NODES ONLINE QUEUES SET SPARE SPLIT UNMAPPED UNMAPPEDLIST VECTOR ;;
	advise) printf '%s\n' AFTERLOSS ANYGRANT COMMAND CONTROLLER CPUS HCTX MESSAGE OUTCOME QID QUEUES REASON RESILIENT SAFE SAFELIST SURE TRANSPORT ;;
	diagnose) printf '%s\n' ADVICE CAUSE COMMAND CONTROLLER COUNT CPUS ERROR HCTX HOST KIND LAST LINE OFFLINE QID RULE SEVERITY STANDS TEXT TIME ;;
	hint) printf '%s\n' CONTROLLER IRQ NEW OLD PATH REASON STATE WHAT ;;
	esac
}

# what a command's operands are
_qmapctl_operand() {
	case $1 in
	list) printf '%s\n' device ;;
	show) printf '%s\n' device ;;
	audit) printf '%s\n' device ;;
	compare) printf '%s\n' device ;;
	diagnose) printf '%s\n' file ;;
	hint) printf '%s\n' 'plan|apply|undo|status|export' ;;
	explain) printf '%s\n' explain ;;
	capture) printf '%s\n' dir ;;
	esac
}

# _qmapctl_argument COMMAND OPTION: what the option's argument is; "-" = it takes none
_qmapctl_argument() {
	case "$1 $2" in
	"audit --only") echo rule ;;
	"audit --ignore") echo rule ;;
	"audit --fail-on") echo 'info|warning|error|never' ;;
	"audit --reserved") echo any ;;
	"compare --queues") echo any ;;
	"compare --diff") echo algorithm ;;
	"predict --queues") echo any ;;
	"predict --write-queues") echo any ;;
	"predict --poll-queues") echo any ;;
	"predict --algorithm") echo algorithm ;;
	"predict --driver") echo any ;;
	"predict --vectors") echo any ;;
	"predict --pre") echo any ;;
	"predict --sets") echo any ;;
	"advise --transport") echo 'tcp|rdma|fc|loop' ;;
	"advise --queues") echo any ;;
	"advise --write-queues") echo any ;;
	"advise --poll-queues") echo any ;;
	"advise --granted") echo any ;;
	"advise --print") echo 'safe|resilient|any-grant|default' ;;
	"diagnose --since") echo any ;;
	"hint --exclude") echo any ;;
	"hint --reserved") echo any ;;
	"hint --state") echo dir ;;
	"hint --format") echo 'shell|udev|systemd|irqbalance|nvme' ;;
	"hint --file") echo file ;;
	*" -s" | *" --sysroot") echo dir ;;
	*" --topology") echo file ;;
	*" --synthetic") echo any ;;
	*" --kernel") echo algorithm ;;
	*" --online") echo any ;;
	*" --offline") echo any ;;
	*" --isolcpus") echo any ;;
	*" --nohz-full") echo any ;;
	*" -o" | *" --output") echo column ;;
	*) echo - ;;
	esac
}
# generated: end bash

# _qmapctl_words FIELD KIND: names that the program itself knows, of rules or algorithms.
_qmapctl_words() {
	"${COMP_WORDS[0]}" --dump-options 2>/dev/null | awk -F'\t' -v kind="$1" '$1 == kind { print $2 }'
}

# _qmapctl_kind KIND COMMAND: words for an option's argument or an operand.
_qmapctl_kind() {
	local name
	case $1 in
	file | dir) return ;;
	device)
		for name in /sys/block/* /sys/class/nvme/* /sys/class/scsi_host/*; do
			[ ! -e "$name" ] || printf '%s\n' "${name##*/}"
		done
		;;
	rule) _qmapctl_words rule ;;
	algorithm) _qmapctl_words algorithm ;;
	explain)
		_qmapctl_words rule
		_qmapctl_words algorithm
		;;
	column) _qmapctl_columns "$2" ;;
	*) printf '%s\n' "${1//|/$'\n'}" ;;
	esac
}

_qmapctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev='' command=- word kind i head=''
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		=) ;;
		-*)
			# the argument of an option is no command
			if [ "$(_qmapctl_argument "$command" "$word")" != - ] && [ "${COMP_WORDS[i + 1]}" != = ]; then
				((i++))
			fi
			;;
		*) [ "$command" != - ] || command=$word ;;
		esac
	done
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	# readline splits --option=value at the sign
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	kind=-
	[[ $prev != -* ]] || kind=$(_qmapctl_argument "$command" "$prev")
	# the one option with two arguments
	[[ $COMP_CWORD -lt 3 || ${COMP_WORDS[COMP_CWORD - 2]} != --diff || $cur == -* ]] || kind=algorithm
	if [ "$kind" = - ]; then
		if [[ $cur == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$_qmapctl_globals $(_qmapctl_options "$command")" -- "$cur")
			return
		fi
		if [ "$command" = - ]; then
			mapfile -t COMPREPLY < <(compgen -W "$_qmapctl_commands" -- "$cur")
			return
		fi
		kind=$(_qmapctl_operand "$command")
	fi
	case $kind in
	file) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	dir) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	rule | algorithm | column) # lists: complete what is behind the last comma
		[[ $cur != *,* ]] || head=${cur%,*},
		[[ $kind != column || -n $head || $cur != +* ]] || head=+
		mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(_qmapctl_kind "$kind" "$command")" -- "${cur#"$head"}")
		;;
	- | any) ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$(_qmapctl_kind "$kind" "$command")" -- "$cur") ;;
	esac
}

complete -F _qmapctl qmapctl
