#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the root tree of a machine as large as they come, in the kernel's own formats, to measure reading with.

    mkgiant.py DIR [--cpus 1024] [--nodes 16] [--smt 2] [--disks 64] [--queues 128]

CPU c and c + CPUS/SMT are threads of one core, cores are dealt to nodes and packages (of four nodes) in blocks, each core
has its own level-2 cache and each node one level-3 cache. Every NVMe disk has QUEUES queues with tags and cpuN directories,
one interrupt each and one for the admin queue. One more disk, sda, has a single queue for all CPUs: where these are many,
its list is cut near a page, as the kernel does. proc/interrupts has a column for each CPU. All files are there that a
kernel has and qmapctl reads, and those that lscpu and lstopo want.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
from mkroot import text_of  # noqa: E402  pylint: disable=wrong-import-position,import-error

PAGE = 4096


def queue_text(cpus):
    """The list of mq/N/cpu_list: single numbers, whole ones only, less than a page."""
    text = ""
    for cpu in cpus:
        more = (", " if text else "") + str(cpu)
        if len(text) + len(more) >= PAGE - 1:
            break
        text += more
    return text


class Giant:
    """The machine's numbers, and the files made from them."""

    def __init__(self, top, args):
        self.top, self.args = top, args
        self.cpus = range(args.cpus)
        self.n_cores = args.cpus // args.smt
        self.n_packages = max(1, args.nodes // 4)
        self.by_core = [self.where(lambda c: c % self.n_cores, i) for i in range(self.n_cores)]
        self.by_node = [self.where(self.node, i) for i in range(args.nodes)]
        self.by_package = [self.where(self.package, i) for i in range(self.n_packages)]
        self.by_queue = [self.where(lambda c: c % self.n_cores * args.queues // self.n_cores, i)
                         for i in range(args.queues)]
        self.irq = 64
        self.lines = []

    def where(self, of, value):
        return [cpu for cpu in self.cpus if of(cpu) == value]

    def node(self, cpu):
        return cpu % self.n_cores * self.args.nodes // self.n_cores

    def package(self, cpu):
        return self.node(cpu) * self.n_packages // self.args.nodes

    def mask(self, cpus):
        bits = sum(1 << cpu for cpu in cpus)
        words = (self.args.cpus + 31) // 32
        return ",".join("%08x" % (bits >> 32 * i & 0xffffffff) for i in reversed(range(words)))

    def directory(self, path):
        os.makedirs(os.path.join(self.top, path), exist_ok=True)

    def files(self, path, **texts):
        self.directory(path)
        for name, text in texts.items():
            with open(os.path.join(self.top, path, name), "w", encoding="ascii") as out:
                out.write("%s\n" % text)

    def link(self, path, target):
        """target is from the top, too."""
        here = os.path.dirname(path)
        self.directory(here)
        os.symlink(os.path.relpath(target, here), os.path.join(self.top, path))

    # ---- topology ----

    def make_sets(self):
        everything = text_of(self.cpus)
        self.files("sys/devices/system/cpu", possible=everything, present=everything, online=everything, offline="",
                   isolated="", nohz_full="   (null)", kernel_max=8191)
        for cpu in self.cpus:
            self.make_cpu(cpu)
        nodes = text_of(range(self.args.nodes))
        self.files("sys/devices/system/node", online=nodes, possible=nodes, has_cpu=nodes, has_memory=nodes,
                   has_normal_memory=nodes)
        for node in range(self.args.nodes):
            self.make_node(node)

    def make_cpu(self, cpu):
        here = "sys/devices/system/cpu/cpu%d" % cpu
        core, node, package = cpu % self.n_cores, self.node(cpu), self.package(cpu)
        sets = dict.fromkeys(("core_cpus", "thread_siblings", "cluster_cpus"), self.by_core[core])
        sets.update(dict.fromkeys(("die_cpus", "package_cpus", "core_siblings"), self.by_package[package]))
        if cpu:
            self.files(here, online=1)
        self.files(here + "/topology", core_id=core, physical_package_id=package, die_id=0, cluster_id=core)
        for name, cpus in sets.items():
            self.files(here + "/topology", **{name: self.mask(cpus), name + "_list": text_of(cpus)})
        caches = ((1, "Data", "48K", self.by_core[core]), (1, "Instruction", "32K", self.by_core[core]),
                  (2, "Unified", "2048K", self.by_core[core]), (3, "Unified", "107520K", self.by_node[node]))
        for index, (level, kind, size, cpus) in enumerate(caches):
            self.files("%s/cache/index%d" % (here, index), level=level, type=kind, size=size,
                       id=node if level == 3 else core, shared_cpu_list=text_of(cpus), shared_cpu_map=self.mask(cpus),
                       coherency_line_size=64, ways_of_associativity=12, number_of_sets=64)
        self.link("%s/node%d" % (here, node), "sys/devices/system/node/node%d" % node)

    def make_node(self, node):
        here = "sys/devices/system/node/node%d" % node
        package = node * self.n_packages // self.args.nodes
        distances = [10 if other == node else 12 if other * self.n_packages // self.args.nodes == package else 32
                     for other in range(self.args.nodes)]
        self.files(here, cpulist=text_of(self.by_node[node]), cpumap=self.mask(self.by_node[node]),
                   distance=" ".join(map(str, distances)), meminfo="Node %d MemTotal:       67108864 kB" % node)
        for cpu in self.by_node[node]:
            self.link("%s/cpu%d" % (here, cpu), "sys/devices/system/cpu/cpu%d" % cpu)

    # ---- devices ----

    def make_disk(self, path, name, queues):
        self.link("sys/block/" + name, path)
        self.files(path, size=7501476528, hidden=0)
        self.files(path + "/queue", scheduler="[none] mq-deadline kyber bfq", nr_requests=1023, rq_affinity=1,
                   rotational=0, io_poll=0)
        for queue, cpus in enumerate(queues):
            here = "%s/mq/%d" % (path, queue)
            self.files(here, cpu_list=queue_text(cpus), nr_tags=1023, nr_reserved_tags=0)
            for cpu in cpus:
                os.mkdir(os.path.join(self.top, here, "cpu%d" % cpu))

    def make_irq(self, pci, name, cpus, effective, node):
        here = "proc/irq/%d" % self.irq
        self.files(here, smp_affinity=self.mask(cpus), smp_affinity_list=text_of(cpus),
                   effective_affinity=self.mask([effective]), effective_affinity_list=effective,
                   affinity_hint=self.mask([]), node=node, spurious="count 0\nunhandled 0\nlast_unhandled 0 ms")
        self.directory("%s/%s" % (here, name))
        self.files(pci + "/msi_irqs", **{str(self.irq): "msix"})
        counts = ["         0"] * self.args.cpus
        counts[effective] = "%10d" % (1000 + self.irq)
        self.lines.append("%5d: %s  IR-PCI-MSIX-%s %4d-edge      %s" %
                          (self.irq, " ".join(counts), os.path.basename(pci), len(self.lines), name))
        self.irq += 1

    def make_nvme(self, nr):
        node = nr % self.args.nodes
        bdf = "%04x:%02x:00.0" % (nr >> 5, 1 + (nr & 31))
        pci = "sys/devices/pci%04x:00/%04x:00:01.0/%s" % (nr >> 5, nr >> 5, bdf)
        here = "%s/nvme/nvme%d" % (pci, nr)
        everything = list(self.cpus)
        self.files(pci, numa_node=node, local_cpulist=text_of(self.by_node[node]), **{"class": "0x010802"})
        self.files(here, transport="pcie", address=bdf, queue_count=self.args.queues + 1, sqsize=1023, numa_node=node,
                   state="live", cntrltype="io", serial="S%08d" % nr, model="Giant", firmware_rev="1.0",
                   subsysnqn="nqn.2014.08.org.nvmexpress:giant%d" % nr)
        self.link(here + "/device", pci)
        self.link("sys/class/nvme/nvme%d" % nr, here)
        self.make_disk("%s/nvme%dn1" % (here, nr), "nvme%dn1" % nr, self.by_queue)
        self.link("%s/nvme%dn1/device" % (here, nr), here)
        self.make_irq(pci, "nvme%dq0" % nr, everything, self.by_node[node][0], node)
        for queue, cpus in enumerate(self.by_queue):
            self.make_irq(pci, "nvme%dq%d" % (nr, queue + 1), cpus, cpus[0], node)

    def make_sata(self):
        pci = "sys/devices/pci0000:00/0000:00:1f.2"
        host = pci + "/ata1/host0"
        self.files(pci, numa_node=0)
        self.directory("sys/bus/pci/drivers/ahci")
        self.link(pci + "/driver", "sys/bus/pci/drivers/ahci")
        self.files(host + "/scsi_host/host0", nr_hw_queues=1, can_queue=32, cmd_per_lun=1, proc_name="ahci")
        self.make_disk(host + "/target0:0:0/0:0:0:0/block/sda", "sda", [list(self.cpus)])

    # ---- the rest of proc ----

    def make_proc(self):
        self.files("proc", version="Linux version 6.8.0 (giant)", cmdline="quiet", cpuinfo="\n".join(
            "processor\t: %d\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Giant\n"
            "physical id\t: %d\ncore id\t\t: %d\nflags\t\t: fpu vme\n" % (cpu, self.package(cpu), cpu % self.n_cores)
            for cpu in self.cpus))
        self.files("proc/sys/kernel", osrelease="6.8.0", arch="x86_64")
        self.files("proc/irq", default_smp_affinity=self.mask(self.cpus))
        head = "       " + "".join("%-11s" % ("     CPU%d" % cpu) for cpu in self.cpus)
        timer = "  LOC: " + " ".join(["     12345"] * self.args.cpus) + "   Local timer interrupts"
        self.files("proc", interrupts="\n".join([head] + self.lines + [timer, "  ERR:          0"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir")
    for name, value in (("cpus", 1024), ("nodes", 16), ("smt", 2), ("disks", 64), ("queues", 128)):
        parser.add_argument("--" + name, type=int, default=value)
    args = parser.parse_args()
    giant = Giant(args.dir, args)
    giant.make_sets()
    for nr in range(args.disks):
        giant.make_nvme(nr)
    giant.make_sata()
    giant.make_proc()


if __name__ == "__main__":
    main()
