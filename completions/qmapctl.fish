# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for qmapctl

# The command on the line, status 1 where there is none yet: the argument of an option is no command.
function __qmapctl_command
    set -l words (commandline -opc)
    set -l skip
    for word in $words[2..-1]
        if set -q skip[1]
            set skip
        else if string match -q -- '-*' $word
            contains -- $word $__qmapctl_takers
            and set skip yes
        else
            echo $word
            return 0
        end
    end
    return 1
end

function __qmapctl_is
    test "$(__qmapctl_command)" = $argv[1]
end

# Names that the program itself knows: of rules or algorithms.
function __qmapctl_names
    set -l program (commandline -opc)[1]
    $program --dump-options 2>/dev/null | awk -F'\t' -v kind=$argv[1] '$1 == kind { print $2 "\t" $NF }'
end

# Of a list what is behind the last comma is completed; what is before stands before each candidate.
function __qmapctl_listed
    set -l head (string match -r -- '^.*,|^\+' (commandline -ct | string replace -r -- '^--[a-z-]+=' ''))
    while read -l name
        echo -- "$head$name"
    end
end

function __qmapctl_rule
    __qmapctl_names rule | __qmapctl_listed
end

function __qmapctl_algorithm
    __qmapctl_names algorithm | __qmapctl_listed
end

function __qmapctl_explain
    __qmapctl_names rule
    __qmapctl_names algorithm
end

# Behind the first argument of the one option that has two.
function __qmapctl_is_second
    set -l words (commandline -opc)
    test (count $words) -gt 2
    and test $words[-2] = --diff
end

function __qmapctl_column
    __qmapctl_column_names | __qmapctl_listed
end

function __qmapctl_device
    for name in /sys/block/* /sys/class/nvme/* /sys/class/scsi_host/*
        string replace -r '.*/' '' $name
    end
end

complete -c qmapctl -f
complete -c qmapctl -n __qmapctl_is_second -a '(__qmapctl_algorithm)'
# The tables between the marks come from "qmapctl --dump-options": tests/generated writes and checks them.
# generated: begin fish
set -g __qmapctl_takers -s --sysroot --topology --synthetic --kernel --online --offline --isolcpus --nohz-full -o --output --only --ignore --fail-on --reserved --queues --diff --write-queues --poll-queues --algorithm --driver --vectors --pre --sets --transport --granted --print --since --exclude --state --format --file

function __qmapctl_column_names
    switch (__qmapctl_command)
        case list
            printf '%s\n' ALGORITHM DISKS DRIVER MAPPED MATCHES MODEL NAME NODE PCI PREDICTED QUEUES SEVERITY STATE TOTAL TRANSPORT TYPES WITNESS WORST
        case show
            printf '%s\n' BUSIEST CHIP COMPLETES CORE COUNT CPU CPUS DELIVERED DEVICE EFFECTIVE HCTX HINT INDEX IRQ IRQNAME LLC MANAGED MANAGEDBY MOST NAME NODE NODES ONLINE OUTSIDE PACKAGE PIN POLL QID QUEUE READ REQUESTED RESERVED ROLE STATE TAGS TIE TYPE
        case topology
            printf '%s\n' CLUSTER CLUSTERS CORE CORES CPU CPUS DISTANCES ISOLATED LLC LLCS MEMORY NODE NODEONLINE NOHZFULL ONLINE PACKAGE PACKAGES STATE
        case audit
            printf '%s\n' ADVICE COMMAND CONTROLLER CPUS HCTX IRQS MESSAGE RULE SEVERITY
        case compare
            printf '%s\n' ALGORITHM CPU CPUS CROSS CROSSLIST DEAD DEADLIST DEVICE DIFF DIFFLIST FROM KERNELS LLC MARK NODE ONLINE QUEUES SET SPARE SPLIT TO UNMAPPED UNMAPPEDLIST
        case predict
            printf '%s\n' ALGORITHM CPUS CROSS CROSSLIST DEAD DEADLIST HCTX KERNEL KERNELS LLC MARK NODES ONLINE QUEUES SET SPARE SPLIT UNMAPPED UNMAPPEDLIST VECTOR
        case advise
            printf '%s\n' AFTERLOSS ANYGRANT COMMAND CONTROLLER CPUS HCTX MESSAGE OUTCOME QID QUEUES REASON RESILIENT SAFE SAFELIST SURE TRANSPORT
        case diagnose
            printf '%s\n' ADVICE CAUSE COMMAND CONTROLLER COUNT CPUS ERROR HCTX HOST KIND LAST LINE OFFLINE QID RULE SEVERITY STANDS TEXT TIME
        case hint
            printf '%s\n' CONTROLLER IRQ NEW OLD PATH REASON STATE WHAT
    end
end

complete -c qmapctl -n 'not __qmapctl_command' -a list -d 'controllers and disks, their queues and worst finding'
complete -c qmapctl -n 'not __qmapctl_command' -a show -d 'the map: which CPUs each hardware queue serves, and its interrupt'
complete -c qmapctl -n 'not __qmapctl_command' -a topology -d 'CPUs, cores, caches and nodes as the mapping code sees them'
complete -c qmapctl -n 'not __qmapctl_command' -a audit -d 'what is wrong with the queues, why, and what mends it'
complete -c qmapctl -n 'not __qmapctl_command' -a compare -d 'all kernels\' algorithms side by side: scores, and which one is live'
complete -c qmapctl -n 'not __qmapctl_command' -a predict -d 'the map and scores that a kernel would give so many queues'
complete -c qmapctl -n 'not __qmapctl_command' -a advise -d 'numbers of queues that connect over NVMe fabrics here and now'
complete -c qmapctl -n 'not __qmapctl_command' -a diagnose -d 'failed connects and other queue trouble in a kernel log, explained'
complete -c qmapctl -n 'not __qmapctl_command' -a hint -d 'interrupt affinity and rq_affinity: plan, write, undo, persist'
complete -c qmapctl -n 'not __qmapctl_command' -a explain -d 'what a finding or an algorithm means'
complete -c qmapctl -n 'not __qmapctl_command' -a capture -d 'copies what qmapctl reads into a directory for --sysroot'
complete -c qmapctl -s s -l sysroot -x -a '(__fish_complete_directories)' -d 'read the machine below DIR (a capture) instead of this one'
complete -c qmapctl -l topology -r -F -d 'a topology as written by \'qmapctl topology -J\''
complete -c qmapctl -l synthetic -x -d 'a topology in words: "pack:2 [numa] core:18 pu:2"'
complete -c qmapctl -l demo -d 'the machine of the original report, 72 CPUs and 64 queues'
complete -c qmapctl -l kernel -x -a '(__qmapctl_algorithm)' -d 'as if it ran this kernel: a release, a version or an algorithm'
complete -c qmapctl -l online -x -d 'as if exactly these CPUs were online'
complete -c qmapctl -l offline -x -d 'as if these CPUs were offline too'
complete -c qmapctl -l isolcpus -x -d 'as if booted with isolcpus=ARG'
complete -c qmapctl -l nohz-full -x -d 'as if booted with nohz_full=LIST'
complete -c qmapctl -s J -l json -d 'write JSON, always complete'
complete -c qmapctl -s o -l output -x -a '(__qmapctl_column)' -d 'columns to show; +COL,.. adds to the usual ones'
complete -c qmapctl -s H -l list-columns -d 'list the columns and end'
complete -c qmapctl -s n -l noheadings -d 'no headings'
complete -c qmapctl -s r -l raw -d 'rows of words with one blank between'
complete -c qmapctl -s P -l pairs -d 'rows of COLUMN="value"'
complete -c qmapctl -s i -l ascii -d 'ASCII characters only'
complete -c qmapctl -l color -a 'always auto never' -d 'colours: auto, always or never'
complete -c qmapctl -s q -l quiet -d 'no remarks and problems on standard error'
complete -c qmapctl -s v -l verbose -d 'show more: full lists, what needs no action'
complete -c qmapctl -s h -l help -d 'help; with -v every global option'
complete -c qmapctl -s V -l version -d 'version'
complete -c qmapctl -n '__qmapctl_is list' -a '(__qmapctl_device)'
complete -c qmapctl -n '__qmapctl_is show' -l by-cpu -d 'one row a CPU instead of one a queue'
complete -c qmapctl -n '__qmapctl_is show' -l irq -d 'one row an interrupt, those that serve no queue too'
complete -c qmapctl -n '__qmapctl_is show' -l counts -d 'with --irq, CPUs that took the interrupts, and how often'
complete -c qmapctl -n '__qmapctl_is show' -l matrix -d 'a picture of CPUs against queues, node by node'
complete -c qmapctl -n '__qmapctl_is show' -l pin -d 'online CPUs of each queue, one list a line, for taskset or fio'
complete -c qmapctl -n '__qmapctl_is show' -a '(__qmapctl_device)'
complete -c qmapctl -n '__qmapctl_is topology' -l by-cpu -d 'one row a CPU instead of one a node'
complete -c qmapctl -n '__qmapctl_is audit' -l only -x -a '(__qmapctl_rule)' -d 'these rules alone'
complete -c qmapctl -n '__qmapctl_is audit' -l ignore -x -a '(__qmapctl_rule)' -d 'all rules but these'
complete -c qmapctl -n '__qmapctl_is audit' -l fail-on -x -a 'info warning error never' -d 'exit status 1 from this severity on; the usual one is warning'
complete -c qmapctl -n '__qmapctl_is audit' -l reserved -x -d 'CPUs meant for something else, as for DPDK or SPDK'
complete -c qmapctl -n '__qmapctl_is audit' -a '(__qmapctl_device)'
complete -c qmapctl -n '__qmapctl_is compare' -l queues -x -d 'so many queues instead of a device\'s'
complete -c qmapctl -n '__qmapctl_is compare' -l diff -x -a '(__qmapctl_algorithm)' -d 'the CPUs that move between two algorithms'
complete -c qmapctl -n '__qmapctl_is compare' -a '(__qmapctl_device)'
complete -c qmapctl -n '__qmapctl_is predict' -l queues -x -d 'numbers of queues, as 8 or 1-256'
complete -c qmapctl -n '__qmapctl_is predict' -l write-queues -x -d 'as nvme connect -W, or the nvme module\'s write_queues'
complete -c qmapctl -n '__qmapctl_is predict' -l poll-queues -x -d 'as nvme connect -P, or the nvme module\'s poll_queues'
complete -c qmapctl -n '__qmapctl_is predict' -l algorithm -x -a '(__qmapctl_algorithm)' -d 'these algorithms, or all of them'
complete -c qmapctl -n '__qmapctl_is predict' -l driver -x -d 'as this driver does: nvme, nvme-tcp, virtio_blk ..'
complete -c qmapctl -n '__qmapctl_is predict' -l vectors -x -d 'managed interrupt vectors instead of queues'
complete -c qmapctl -n '__qmapctl_is predict' -l pre -x -d 'vectors ahead of the queues\' that are not spread'
complete -c qmapctl -n '__qmapctl_is predict' -l sets -x -d 'sets of vectors that are spread each on its own'
complete -c qmapctl -n '__qmapctl_is predict' -l by-queue -d 'the maps themselves, one row a queue'
complete -c qmapctl -n '__qmapctl_is advise' -l transport -x -a 'tcp rdma fc loop' -d 'these transports alone: tcp, rdma, fc, loop'
complete -c qmapctl -n '__qmapctl_is advise' -l queues -x -d 'judge this number (nvme connect --nr-io-queues) instead of the default'
complete -c qmapctl -n '__qmapctl_is advise' -l write-queues -x -d 'as nvme connect --nr-write-queues'
complete -c qmapctl -n '__qmapctl_is advise' -l poll-queues -x -d 'as nvme connect --nr-poll-queues'
complete -c qmapctl -n '__qmapctl_is advise' -l granted -x -d 'the target is known to grant no more I/O queues than this'
complete -c qmapctl -n '__qmapctl_is advise' -l print -x -a 'safe resilient any-grant default' -d 'print one number and nothing else: safe, resilient, any-grant or default'
complete -c qmapctl -n '__qmapctl_is diagnose' -l since -x -d 'from then on: "2026-03-04 09:00", 09:00, -2h, @SECONDS, or seconds since boot'
complete -c qmapctl -n '__qmapctl_is diagnose' -F
complete -c qmapctl -n '__qmapctl_is hint' -s y -l yes -d 'apply, undo: do not ask'
complete -c qmapctl -n '__qmapctl_is hint' -l all-or-nothing -d 'apply: take everything back if one write is refused'
complete -c qmapctl -n '__qmapctl_is hint' -l all -d 'undo: every run still in force, not only the last'
complete -c qmapctl -n '__qmapctl_is hint' -l exclude -x -d 'interrupts that are never touched'
complete -c qmapctl -n '__qmapctl_is hint' -l reserved -x -d 'CPUs meant for something else: no interrupt goes there'
complete -c qmapctl -n '__qmapctl_is hint' -l state -x -a '(__fish_complete_directories)' -d 'where the journal is (default: /var/lib/qmapctl in the root)'
complete -c qmapctl -n '__qmapctl_is hint' -l format -x -a 'shell udev systemd irqbalance nvme' -d 'export: shell, udev, systemd, irqbalance or nvme'
complete -c qmapctl -n '__qmapctl_is hint' -l file -r -F -d 'export: write it there instead of standard output'
complete -c qmapctl -n '__qmapctl_is hint' -a 'plan apply undo status export'
complete -c qmapctl -n '__qmapctl_is explain' -a '(__qmapctl_explain)'
complete -c qmapctl -n '__qmapctl_is capture' -l redact -d 'replace serials, NQNs, names and addresses, the same by the same'
complete -c qmapctl -n '__qmapctl_is capture' -a '(__fish_complete_directories)'
# generated: end fish
