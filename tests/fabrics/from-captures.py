#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes what booted kernels did with NVMe-oF connects, as the lines that run-rows.c reads.

usage: from-captures.py topologies DIR > topologies.txt
       from-captures.py rows DIR       > rows.txt

DIR holds KERNEL/CASE.connect.jsonl beside KERNEL/CASE[.SNAPSHOT].tar.xz. The topology of a case comes from the snapshot
with the most CPUs online.
"""
import glob
import json
import os
import re
import sys
import tarfile


def cpus(text):
    text = text.strip("\0\n ").replace(" ", "")
    if text == "(null)":
        return []
    out = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def listing(ids):
    ids, out = sorted(ids), []
    for i in ids:
        if out and out[-1][1] == i - 1:
            out[-1][1] = i
        else:
            out.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out) or "-"


class Tree:
    def __init__(self, path):
        self.files, self.links = {}, set()
        with tarfile.open(path) as tar:
            for m in tar:
                if not m.name.startswith(("sys/devices/system/", "proc/sys/kernel/osrelease")):
                    continue
                if m.isfile():
                    self.files[m.name] = tar.extractfile(m).read().decode(errors="replace")
                elif m.issym():
                    self.links.add(m.name)

    def cpu(self, name):
        return self.files.get("sys/devices/system/cpu/" + name)

    def online(self):
        return cpus(self.cpu("online"))


def sibling_sets(tree, name):
    sets = {tuple(cpus(tree.cpu(f"cpu{c}/{name}") or "")) for c in tree.online()}
    return sorted(s for s in sets if s)


def level2_sets(tree):
    sets = set()
    for c in tree.online():
        for i in range(8):
            if (tree.cpu(f"cpu{c}/cache/index{i}/level") or "").strip("\0\n") == "2":
                sets.add(tuple(cpus(tree.cpu(f"cpu{c}/cache/index{i}/shared_cpu_list"))))
    return sorted(sets)


def nodes(tree):
    of = {}
    for link in tree.links:
        m = re.fullmatch(r"sys/devices/system/cpu/cpu(\d+)/node(\d+)", link)
        if m:
            of[int(m[1])] = int(m[2])
    ids = cpus(tree.files.get("sys/devices/system/node/possible", "0"))
    deal = ids[:]
    for c in cpus(tree.cpu("possible")):
        if c not in of:  # an absent CPU: the kernel's own round robin
            of[c] = deal[0]
            deal = deal[1:] + deal[:1]
    return {i: [c for c in of if of[c] == i] for i in ids}


def captures(root):
    """{(kernel, case): tree with the most CPUs online} for all cases with connects."""
    for path in sorted(glob.glob(os.path.join(root, "*/*.connect.jsonl"))):
        kernel, case = path.split(os.sep)[-2], os.path.basename(path).split(".")[0]
        trees = [Tree(p) for p in glob.glob(os.path.join(root, kernel, case + ".tar.xz")) +
                 glob.glob(os.path.join(root, kernel, case + ".*.tar.xz"))]
        yield kernel, case, max(trees, key=lambda t: len(t.online())), path


def topologies(root):
    for kernel, case, tree, _ in captures(root):
        print("topology", f"{kernel}/{case}", listing(cpus(tree.cpu("possible"))), listing(cpus(tree.cpu("present"))),
              listing(tree.online()), max(cpus(tree.files.get("sys/devices/system/node/possible", "0"))) + 1, "empty")
        for i, members in nodes(tree).items():
            print("node", i, 1, listing(members))
        for s in sibling_sets(tree, "topology/thread_siblings_list"):
            print("core", listing(s))
        for s in sibling_sets(tree, "topology/cluster_cpus_list") or level2_sets(tree):
            print("cluster", listing(s))


def option(opts, name):
    m = re.search(rf"{name}=(\d+)", opts)
    return m[1] if m else 0


def rows(root):
    for kernel, case, tree, path in captures(root):
        release = tree.files["proc/sys/kernel/osrelease"].strip("\0\n")
        print("on", f"{kernel}/{case}", release, listing(cpus(tree.cpu("isolated") or "")),
              listing(cpus(tree.cpu("nohz_full") or "")))
        known = {c for s in sibling_sets(tree, "topology/thread_siblings_list") for c in s}
        for line in open(path):
            r = json.loads(line)
            online = cpus(r["online"])
            assert set(online) <= known, (path, online)
            qids = {int(m[1]) for m in (re.search(r"failed to connect queue: (\d+) ret=-18", d) for d in r["dmesg"]) if m}
            ok = r["result"].startswith("OK")
            assert len(qids) <= 1 and (ok or "errno=18" in r["result"]), r
            print("row", listing(online), r["transport"], *(option(r["opts"], f"nr_{o}_queues") for o in
                  ("io", "write", "poll")), "ok" if ok else "exdev", *(qids or ["-"]))
            for d in r["dmesg"]:
                print("log", d)


{"topologies": topologies, "rows": rows}[sys.argv[1]](sys.argv[2])
