#compdef qmapctl
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh completion for qmapctl

# Global: only the first call comes through here, later ones call the function below.
typeset -ga _qmapctl_commands _qmapctl_globals
# The tables between the marks come from "qmapctl --dump-options": tests/generated writes and checks them.
# generated: begin zsh
_qmapctl_commands=(
	'list:controllers and disks, their queues and worst finding'
	'show:the map\: which CPUs each hardware queue serves, and its interrupt'
	'topology:CPUs, cores, caches and nodes as the mapping code sees them'
	'audit:what is wrong with the queues, why, and what mends it'
	'compare:all kernels'\'' algorithms side by side\: scores, and which one is live'
	'predict:the map and scores that a kernel would give so many queues'
	'advise:numbers of queues that connect over NVMe fabrics here and now'
	'diagnose:failed connects and other queue trouble in a kernel log, explained'
	'hint:interrupt affinity and rq_affinity\: plan, write, undo, persist'
	'explain:what a finding or an algorithm means'
	'capture:copies what qmapctl reads into a directory for --sysroot'
)
_qmapctl_globals=(
	'(-s --sysroot)-s+[read the machine below DIR (a capture) instead of this one]:dir:_files -/'
	'(-s --sysroot)--sysroot=[read the machine below DIR (a capture) instead of this one]:dir:_files -/'
	'--topology=[a topology as written by '\''qmapctl topology -J'\'']:file:_files'
	'--synthetic=[a topology in words\: "pack\:2 \[numa\] core\:18 pu\:2"]:spec: '
	'--demo[the machine of the original report, 72 CPUs and 64 queues]'
	'--kernel=[as if it ran this kernel\: a release, a version or an algorithm]:kernel:_qmapctl_algorithm'
	'--online=[as if exactly these CPUs were online]:list: '
	'--offline=[as if these CPUs were offline too]:list: '
	'--isolcpus=[as if booted with isolcpus=ARG]:arg: '
	'--nohz-full=[as if booted with nohz_full=LIST]:list: '
	'(-J --json)-J[write JSON, always complete]'
	'(-J --json)--json[write JSON, always complete]'
	'(-o --output)-o+[columns to show; +COL,.. adds to the usual ones]:cols:_qmapctl_column'
	'(-o --output)--output=[columns to show; +COL,.. adds to the usual ones]:cols:_qmapctl_column'
	'(-H --list-columns)-H[list the columns and end]'
	'(-H --list-columns)--list-columns[list the columns and end]'
	'(-n --noheadings)-n[no headings]'
	'(-n --noheadings)--noheadings[no headings]'
	'(-r --raw)-r[rows of words with one blank between]'
	'(-r --raw)--raw[rows of words with one blank between]'
	'(-P --pairs)-P[rows of COLUMN="value"]'
	'(-P --pairs)--pairs[rows of COLUMN="value"]'
	'(-i --ascii)-i[ASCII characters only]'
	'(-i --ascii)--ascii[ASCII characters only]'
	'--color=-[colours\: auto, always or never]::when:(always auto never)'
	'(-q --quiet)-q[no remarks and problems on standard error]'
	'(-q --quiet)--quiet[no remarks and problems on standard error]'
	'(-v --verbose)-v[show more\: full lists, what needs no action]'
	'(-v --verbose)--verbose[show more\: full lists, what needs no action]'
	'(-h --help)-h[help; with -v every global option]'
	'(-h --help)--help[help; with -v every global option]'
	'(-V --version)-V[version]'
	'(-V --version)--version[version]'
)

# _qmapctl_own COMMAND: sets $own to its options and $operand to what its operands are, $columns to its columns
_qmapctl_own() {
	case $1 in
	list)
		operand='_qmapctl_device'
		columns=(ALGORITHM DISKS DRIVER MAPPED MATCHES MODEL NAME NODE PCI PREDICTED QUEUES SEVERITY STATE TOTAL TRANSPORT TYPES WITNESS WORST)
		;;
	show)
		own=(
			'--by-cpu[one row a CPU instead of one a queue]'
			'--irq[one row an interrupt, those that serve no queue too]'
			'--counts[with --irq, CPUs that took the interrupts, and how often]'
			'--matrix[a picture of CPUs against queues, node by node]'
			'--pin[online CPUs of each queue, one list a line, for taskset or fio]'
		)
		operand='_qmapctl_device'
		columns=(BUSIEST CHIP COMPLETES CORE COUNT CPU CPUS DELIVERED DEVICE EFFECTIVE HCTX HINT INDEX IRQ IRQNAME LLC MANAGED MANAGEDBY MOST NAME NODE NODES ONLINE OUTSIDE PACKAGE PIN POLL QID QUEUE READ REQUESTED RESERVED ROLE STATE TAGS TIE TYPE)
		;;
	topology)
		own=(
			'--by-cpu[one row a CPU instead of one a node]'
		)
		columns=(CLUSTER CLUSTERS CORE CORES CPU CPUS DISTANCES ISOLATED LLC LLCS MEMORY NODE NODEONLINE NOHZFULL ONLINE PACKAGE PACKAGES STATE)
		;;
	audit)
		own=(
			'--only=[these rules alone]:rule,..:_qmapctl_rule'
			'--ignore=[all rules but these]:rule,..:_qmapctl_rule'
			'--fail-on=[exit status 1 from this severity on; the usual one is warning]:level:(info warning error never)'
			'--reserved=[CPUs meant for something else, as for DPDK or SPDK]:list: '
		)
		operand='_qmapctl_device'
		columns=(ADVICE COMMAND CONTROLLER CPUS HCTX IRQS MESSAGE RULE SEVERITY)
		;;
	compare)
		own=(
			'--queues=[so many queues instead of a device'\''s]:n: '
			'--diff=[the CPUs that move between two algorithms]:a:_qmapctl_algorithm:b:_qmapctl_algorithm'
		)
		operand='_qmapctl_device'
		columns=(ALGORITHM CPU CPUS CROSS CROSSLIST DEAD DEADLIST DEVICE DIFF DIFFLIST FROM KERNELS LLC MARK NODE ONLINE QUEUES SET SPARE SPLIT TO UNMAPPED UNMAPPEDLIST)
		;;
	predict)
		own=(
			'--queues=[numbers of queues, as 8 or 1-256]:list: '
			'--write-queues=[as nvme connect -W, or the nvme module'\''s write_queues]:n: '
			'--poll-queues=[as nvme connect -P, or the nvme module'\''s poll_queues]:n: '
			'--algorithm=[these algorithms, or all of them]:algo,..:_qmapctl_algorithm'
			'--driver=[as this driver does\: nvme, nvme-tcp, virtio_blk ..]:driver: '
			'--vectors=[managed interrupt vectors instead of queues]:list: '
			'--pre=[vectors ahead of the queues'\'' that are not spread]:n: '
			'--sets=[sets of vectors that are spread each on its own]:a,b: '
			'--by-queue[the maps themselves, one row a queue]'
		)
		columns=(ALGORITHM CPUS CROSS CROSSLIST DEAD DEADLIST HCTX KERNEL KERNELS LLC MARK NODES ONLINE QUEUES SET SPARE SPLIT UNMAPPED UNMAPPEDLIST VECTOR)
		;;
	advise)
		own=(
			'--transport=[these transports alone\: tcp, rdma, fc, loop]:t,..:(tcp rdma fc loop)'
			'--queues=[judge this number (nvme connect --nr-io-queues) instead of the default]:n: '
			'--write-queues=[as nvme connect --nr-write-queues]:n: '
			'--poll-queues=[as nvme connect --nr-poll-queues]:n: '
			'--granted=[the target is known to grant no more I/O queues than this]:n: '
			'--print=[print one number and nothing else\: safe, resilient, any-grant or default]:which:(safe resilient any-grant default)'
		)
		columns=(AFTERLOSS ANYGRANT COMMAND CONTROLLER CPUS HCTX MESSAGE OUTCOME QID QUEUES REASON RESILIENT SAFE SAFELIST SURE TRANSPORT)
		;;
	diagnose)
		own=(
			'--since=[from then on\: "2026-03-04 09\:00", 09\:00, -2h, @SECONDS, or seconds since boot]:time: '
		)
		operand='_files'
		columns=(ADVICE CAUSE COMMAND CONTROLLER COUNT CPUS ERROR HCTX HOST KIND LAST LINE OFFLINE QID RULE SEVERITY STANDS TEXT TIME)
		;;
	hint)
		own=(
			'(-y --yes)-y[apply, undo\: do not ask]'
			'(-y --yes)--yes[apply, undo\: do not ask]'
			'--all-or-nothing[apply\: take everything back if one write is refused]'
			'--all[undo\: every run still in force, not only the last]'
			'--exclude=[interrupts that are never touched]:irq,..: '
			'--reserved=[CPUs meant for something else\: no interrupt goes there]:cpus: '
			'--state=[where the journal is (default\: /var/lib/qmapctl in the root)]:dir:_files -/'
			'--format=[export\: shell, udev, systemd, irqbalance or nvme]:format:(shell udev systemd irqbalance nvme)'
			'--file=[export\: write it there instead of standard output]:file:_files'
		)
		operand='(plan apply undo status export)'
		columns=(CONTROLLER IRQ NEW OLD PATH REASON STATE WHAT)
		;;
	explain)
		operand='_qmapctl_explain'
		;;
	capture)
		own=(
			'--redact[replace serials, NQNs, names and addresses, the same by the same]'
		)
		operand='_files -/'
		;;
	esac
}
# generated: end zsh

# _qmapctl_names KIND: names that the program itself knows, of rules or algorithms, with their titles
_qmapctl_names() {
	local -a names
	# what is behind the last comma is completed
	compset -P '*,'
	names=(${(f)"$(_call_program $1 ${(q)program} --dump-options 2>/dev/null |
		awk -F'\t' -v kind=$1 '$1 == kind { gsub(/:/, "\\:", $2); print $2 ":" $NF }')"})
	_describe -t $1 $1 names
}

_qmapctl_rule() { _qmapctl_names rule; }
_qmapctl_algorithm() { _qmapctl_names algorithm; }
_qmapctl_explain() {
	_qmapctl_names rule
	_qmapctl_names algorithm
}

_qmapctl_device() {
	local -a names
	names=(/sys/block/*(N:t) /sys/class/nvme/*(N:t) /sys/class/scsi_host/*(N:t))
	_wanted devices expl device compadd -a names
}

_qmapctl_column() {
	compset -P '*,' || compset -P '+'
	_wanted columns expl column compadd -a columns
}

_qmapctl() {
	local program=$words[1] curcontext=$curcontext state line operand=' ' expl
	local -a own columns
	local -A opt_args
	integer ret=1
	_arguments -C -s -A '-*' $_qmapctl_globals '1:command:->command' '*::operand:->operands' && ret=0
	case $state in
	command)
		_describe -t commands command _qmapctl_commands && ret=0
		;;
	operands)
		curcontext=${curcontext%:*:*}:qmapctl-$line[1]:
		_qmapctl_own $line[1]
		_arguments -s $_qmapctl_globals $own "*:operand:$operand" && ret=0
		;;
	esac
	return ret
}

_qmapctl "$@"
