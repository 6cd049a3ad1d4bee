#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mkfirmware.py CHANGE APIC.bin FACP.bin OUT.cpio: the guest's own MADT and FADT, changed, as a cpio for the kernel's
ACPI table upgrade (kernel/firmware/acpi/*.aml). CHANGE is
  far   all first threads stand before all second threads, the order of Intel firmware
  room  the CPUs that are not there are marked as such that may come, which kernels since 6.9 want to be told"""
import struct
import sys

LOCAL_APIC = 0
ENABLED, ONLINE_CAPABLE = 1, 2


def sealed(table):
    new = bytearray(table)
    struct.pack_into("<I", new, 4, len(new))
    struct.pack_into("<I", new, 24, 2)  # a higher OEM revision, or the kernel keeps the firmware's
    new[9] = 0
    new[9] = -sum(new) & 255
    return bytes(new)


def madt(table, change):
    cpus, rest, at = [], [], 44
    while at < len(table):
        kind, size = table[at], table[at + 1]
        (cpus if kind == LOCAL_APIC else rest).append(bytearray(table[at:at + size]))
        at += size
    head = bytearray(table[:44])
    if change == "far":
        cpus.sort(key=lambda c: c[3] % 2)  # stable: the APIC id's lowest bit is the thread
    else:
        head[8] = 5
        for cpu in cpus:
            if not cpu[4] & ENABLED:
                cpu[4] |= ONLINE_CAPABLE
    return sealed(head + b"".join(cpus + rest))


def fadt(table):
    """The same as one of ACPI 6.3, the first with that flag."""
    new = bytearray(table.ljust(276, b"\0"))
    new[8], new[131] = 6, 3
    return sealed(new)


def entry(name, data, mode):
    head = "070701" + "".join("%08x" % n for n in (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
    raw = head.encode() + name.encode() + b"\0"
    raw += b"\0" * (-len(raw) % 4) + data
    return raw + b"\0" * (-len(raw) % 4)


def main():
    change, apic, facp, path = sys.argv[1:]
    tables = {"apic": madt(open(apic, "rb").read(), change)}
    if change == "room":
        tables["facp"] = fadt(open(facp, "rb").read())
    out = b""
    for d in ("kernel", "kernel/firmware", "kernel/firmware/acpi"):
        out += entry(d, b"", 0o040755)
    for name, table in tables.items():
        out += entry("kernel/firmware/acpi/%s.aml" % name, table, 0o100644)
    out += entry("TRAILER!!!", b"", 0)
    with open(path, "wb") as f:
        f.write(out + b"\0" * (-len(out) % 512))


main()
