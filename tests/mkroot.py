#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the root tree of a machine from a short description, in the kernel's own formats.

As a module: Root() with the methods below, then .write(DIR). As a program: mkroot.py DIR <DESCRIPTION, where the
description is Python that calls the same methods as functions:

    cpus("0-7", online="0-5", nodes={0: "0-3", 1: "4-7"}, siblings=["0,4", "1,5", "2,6", "3,7"])
    kernel("6.12.48", cmdline="quiet")
    nvme(0, ["0-1", "2-3", None, "4-7"], node=0)
    debugfs("nvme0n1", 4)

CPU sets are lists as the kernel writes them, "0-3,8". Queues are a list of such: "" is a queue that lists no CPU (all its
CPUs are isolated), None one without a directory (it has no CPU at all).
"""
import os
import sys


def parse(text):
    """ "0-3,8" -> [0, 1, 2, 3, 8] """
    cpus = []
    for part in text.split(","):
        if part.strip():
            first, _, last = part.partition("-")
            cpus += range(int(first), int(last or first) + 1)
    return cpus


def text_of(cpus):
    """ [0, 1, 2, 3, 8] -> "0-3,8" """
    runs = []
    for cpu in sorted(cpus):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in runs)


def mask_of(cpus, width=None):
    """The other form: groups of eight hex digits."""
    value = sum(1 << cpu for cpu in set(cpus))
    groups = max(1, (max(list(cpus) + [(width or 1) - 1]) + 32) // 32)
    return ",".join("%08x" % (value >> 32 * i & 0xFFFFFFFF) for i in reversed(range(groups)))


def queue_list(cpus):
    """As mq/N/cpu_list: every CPU spelt out, cut at a whole number near the end of a page."""
    text = ""
    for cpu in cpus:
        more = (", " if text else "") + str(cpu)
        if len(text) + len(more) >= 4095:
            break
        text += more
    return text


class Root:
    def __init__(self):
        self.entries = {}  # path -> ("d",), ("f", bytes, mode) or ("l", target)
        self.possible = []
        self.next_irq = 24

    # ---- any file ----

    def file(self, path, text="", mode=0o644):
        """A file; without a newline at the end it gets one, bytes are left as they are."""
        if isinstance(text, str):
            text = (text if text.endswith("\n") else text + "\n").encode()
        self.entries[path] = ("f", text, mode)

    def files(self, directory, **texts):
        for name, text in texts.items():
            if text is not None:
                self.file("%s/%s" % (directory, name), str(text))

    def dir(self, path):
        self.entries.setdefault(path, ("d",))

    def link(self, path, target):
        """target from the root, as the kernel would write it: relative."""
        self.entries[path] = ("l", os.path.relpath(target, os.path.dirname(path)))

    def raw_link(self, path, target):
        self.entries[path] = ("l", target)

    def remove(self, path):
        """The entry and all below it."""
        for name in list(self.entries):
            if name == path or name.startswith(path + "/"):
                del self.entries[name]

    # ---- the machine ----

    def cpus(self, possible, present=None, online=None, nodes=None, siblings=(), isolated="", nohz_full=None, packages=None,
             llc=None, distances=None, arch="x86_64"):
        """siblings: a list per core; all others are cores of their own. packages and llc: as nodes by default."""
        base = "sys/devices/system/cpu"
        self.possible = parse(possible)
        present = parse(possible if present is None else present)
        online = set(parse(text_of(present) if online is None else online))
        self.files(base, possible=possible, present=text_of(present), online=text_of(online), isolated=isolated,
                   offline=text_of(set(self.possible) - online), nohz_full=nohz_full)
        nodes = {0: possible} if nodes is None else nodes
        node_of = {cpu: node for node, cpus in nodes.items() for cpu in parse(cpus)}
        core_of = {}
        for core in siblings:
            for cpu in parse(core):
                core_of[cpu] = set(parse(core))
        groups = {"package": list((packages or nodes.values())), "llc": list((llc or nodes.values()))}
        for cpu in present:
            where = "%s/cpu%d" % (base, cpu)
            self.dir(where)
            if cpu:
                self.file(where + "/online", str(int(cpu in online)))
            if cpu in node_of:
                self.link("%s/node%d" % (where, node_of[cpu]), "sys/devices/system/node/node%d" % node_of[cpu])
            if cpu not in online:
                continue
            core = text_of(core_of.get(cpu, {cpu}) & online)
            package = next((i for i, cpus in enumerate(groups["package"]) if cpu in parse(cpus)), 0)
            package_cpus = set(parse(groups["package"][package])) & online
            self.files(where + "/topology", thread_siblings_list=core, core_cpus_list=core, cluster_cpus_list=core,
                       core_id=min(parse(core)), physical_package_id=package, package_cpus_list=text_of(package_cpus),
                       core_siblings_list=text_of(package_cpus), die_cpus_list=text_of(package_cpus))
            for level, shared in ((2, core), (3, text_of(next((set(parse(c)) & online for c in groups["llc"] if cpu in parse(c)),
                                                             {cpu})))):
                self.files("%s/cache/index%d" % (where, level), level=level, type="Unified", shared_cpu_list=shared)
        self._nodes(nodes, online, distances)
        self.file("proc/sys/kernel/arch", arch)

    def topology(self, t):
        """From the JSON that `qmapctl topology` prints, or the golden vectors' machines."""
        self.cpus(t["possible"], t["present"], t["online"], {node["id"]: node["cpus"] for node in t["nodes"]}, t["cores"],
                  t.get("isolated") or "", t.get("nohz_full"), t.get("packages"), t.get("llc"), t.get("distances"), t["arch"])

    def _nodes(self, nodes, online, distances):
        base = "sys/devices/system/node"
        ids = text_of(nodes)
        self.files(base, possible=ids, online=ids, has_cpu=text_of(n for n in nodes if set(parse(nodes[n])) & online))
        for index, node in enumerate(sorted(nodes)):
            row = distances[index] if distances else [10 if n == node else 20 for n in sorted(nodes)]
            self.files("%s/node%d" % (base, node), cpulist=text_of(set(parse(nodes[node])) & online),
                       distance=" ".join(map(str, row)))

    def kernel(self, release, cmdline=""):
        self.file("proc/version", "Linux version %s (build@host) (gcc) #1 SMP" % release)
        self.file("proc/sys/kernel/osrelease", release)
        self.file("proc/cmdline", cmdline)

    # ---- block devices ----

    def queues(self, path, lists, tags=1023):
        """The mq directory below a disk's path."""
        self.dir(path + "/mq")
        for number, text in enumerate(lists):
            if text is None:
                continue
            where = "%s/mq/%d" % (path, number)
            self.files(where, cpu_list=queue_list(parse(text)), nr_tags=tags, nr_reserved_tags=0)
            for cpu in parse(text):
                self.dir("%s/cpu%d" % (where, cpu))

    def disk(self, name, path, lists=None, tags=1023, device=None, **files):
        """A block device at path (without sys/devices); lists None: no mq directory."""
        path = "sys/devices/" + path
        self.link("sys/block/" + name, path)
        self.link("sys/class/block/" + name, path)
        self.files(path + "/queue", rq_affinity=1, io_poll=files.pop("io_poll", 0))
        self.files(path, size=2048, **files)
        if device:
            self.link(path + "/device", "sys/devices/" + device)
        if lists is not None:
            self.queues(path, lists, tags)
        return path

    def partition(self, disk, name):
        path = os.path.normpath(os.path.join("sys/block", self.entries["sys/block/" + disk][1])) + "/" + name
        self.link("sys/class/block/" + name, path)
        self.files(path, partition=1, start=2048, size=2048)

    def debugfs(self, disk, count, types=None):
        """hctxN directories; types: a list, by default all "default"."""
        for number in range(count):
            self.files("sys/kernel/debug/block/%s/hctx%d" % (disk, number), type=(types or ["default"] * count)[number])

    def nvme(self, number, lists, transport="pcie", pci=None, node=-1, namespaces=(1,), multipath=False, state="live",
             queue_count="lists", disks=True, **files):
        """A controller with its namespaces; queue_count None leaves the file out. Returns the controller's path."""
        name = "nvme%d" % number
        if transport == "pcie":
            pci = pci or "0000:%02x:00.0" % (number + 1)
            device = "pci%s:00/%s" % (pci.rsplit(":", 2)[0], pci)
            base = "%s/nvme/%s" % (device, name)
            self.files("sys/devices/" + device, numa_node=node, **{"class": "0x010802"})
            self.link("sys/devices/%s/driver" % device, "sys/bus/pci/drivers/nvme")
            files.setdefault("address", pci)
        else:
            base = "virtual/nvme-fabrics/ctl/" + name
            self.dir("sys/class/nvme-fabrics")
            files.setdefault("address", "traddr=192.0.2.1,trsvcid=4420")
            files.setdefault("hostnqn", "nqn.2014-08.org.nvmexpress:uuid:host")
        if queue_count == "lists":
            queue_count = len(lists) + 1
        self.link("sys/class/nvme/" + name, "sys/devices/" + base)
        self.files("sys/devices/" + base, transport=transport, state=state, queue_count=queue_count, sqsize=127, numa_node=node,
                   subsysnqn="nqn.2019-08.org.example:%s" % name, cntrltype="io", model="Example", serial="S%d" % number,
                   **files)
        for ns in namespaces if disks else ():
            disk = "nvme%d%sn%d" % (number, "c%d" % number if multipath else "", ns)
            self.disk(disk, "%s/%s" % (base, disk), lists, device=base)
            if multipath:
                subsystem = "virtual/nvme-subsystem/nvme-subsys%d" % number
                self.disk("nvme%dn%d" % (number, ns), "%s/nvme%dn%d" % (subsystem, number, ns))
        return "sys/devices/" + base

    def virtio_blk(self, number, name, lists, pci=None, node=-1, **files):
        pci = pci or "0000:00:%02x.0" % (number + 1)
        base = "pci0000:00/%s/virtio%d" % (pci, number)
        self.files("sys/devices/pci0000:00/" + pci, numa_node=node)
        self.link("sys/devices/%s/driver" % base, "sys/bus/virtio/drivers/virtio_blk")
        return self.disk(name, "%s/block/%s" % (base, name), lists, device=base, **files)

    def null_blk(self, name, lists, **files):
        self.dir("sys/module/null_blk/parameters")
        return self.disk(name, "virtual/block/" + name, lists, tags=64, **files)

    def scsi(self, host, driver, lists, disks=("sda",), pci="0000:03:00.0", node=-1, nr_hw_queues="lists", between=""):
        """Disks of one SCSI host; between: what is between the function and the host ("ata1/", "virtio2/")."""
        parent = "pci0000:00/%s/%s" % (pci, between)
        base = "%shost%d" % (parent if parent.endswith("/") else parent + "/", host)
        self.files("sys/devices/pci0000:00/" + pci, numa_node=node)
        owner = between if between.startswith("virtio") else ""
        self.link("sys/devices/pci0000:00/%s/%sdriver" % (pci, owner), "sys/bus/any/drivers/" + driver)
        self.files("sys/devices/%s/scsi_host/host%d" % (base, host), proc_name=driver, can_queue=256, cmd_per_lun=7,
                   nr_hw_queues=len(lists) if nr_hw_queues == "lists" else nr_hw_queues)
        for lun, name in enumerate(disks):
            device = "%s/target%d:0:0/%d:0:0:%d" % (base, host, host, lun)
            self.disk(name, "%s/block/%s" % (device, name), lists, tags=256, device=device)
        return "sys/devices/" + base

    def slaves(self, name, below):
        path = os.path.normpath(os.path.join("sys/block", self.entries["sys/block/" + name][1]))
        for disk in below:
            self.link("%s/slaves/%s" % (path, disk), "sys/class/block/" + disk)

    def dm(self, number, label, uuid="", below=(), lists=None):
        name = "dm-%d" % number
        path = self.disk(name, "virtual/block/" + name, lists)
        self.files(path + "/dm", name=label, uuid=uuid)
        self.slaves(name, below)

    # ---- interrupts ----

    def irq(self, names, affinity=None, effective=None, number=None, node=-1, mode=0o644, hint=None, chip=None, hwirq=None):
        """names: one handler's name, a list of several, or none. Returns the number; the next one by default."""
        number = self.next_irq if number is None else number
        self.next_irq = number + 1
        where = "proc/irq/%d" % number
        affinity = text_of(self.possible) if affinity is None else affinity
        names = [names] if isinstance(names, str) else names
        self.dir(where)
        self.file(where + "/smp_affinity_list", affinity, mode)
        if effective is not None:
            self.file(where + "/effective_affinity_list", effective, 0o444)
        self.file(where + "/affinity_hint", mask_of(parse(hint or "")), 0o444)
        self.file(where + "/node", str(node), 0o444)
        for name in names:
            self.dir("%s/%s" % (where, name))
        if chip is not None:
            self.files("sys/kernel/irq/%d" % number, actions=",".join(names), chip_name=chip, hwirq=hwirq)
        return number

    # ---- out ----

    def write(self, top):
        for path, entry in self.entries.items():
            full = os.path.join(top, path)
            os.makedirs(full if entry[0] == "d" else os.path.dirname(full), exist_ok=True)
            if entry[0] == "l":
                os.symlink(entry[1], full)
            elif entry[0] == "f":
                with open(full, "wb") as file:
                    file.write(entry[1])
                if entry[2] != 0o644:
                    os.chmod(full, entry[2])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Root()
    words = {name: getattr(root, name) for name in dir(root) if not name.startswith("_")}
    exec(compile(sys.stdin.read(), "description", "exec"), words)  # pylint: disable=exec-used
    root.write(sys.argv[1])


if __name__ == "__main__":
    main()
