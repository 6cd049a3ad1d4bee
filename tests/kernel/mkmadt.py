#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mkmadt.py APIC.bin OUT.cpio: the guest's own MADT with all first threads before all second threads, the order of Intel
firmware, as a cpio for the kernel's ACPI table upgrade (kernel/firmware/acpi/*.aml)."""
import struct
import sys

LOCAL_APIC = 0


def entry(name, data, mode):
    head = "070701" + "".join("%08x" % n for n in (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
    raw = head.encode() + name.encode() + b"\0"
    raw += b"\0" * (-len(raw) % 4) + data
    return raw + b"\0" * (-len(raw) % 4)


def main():
    table = open(sys.argv[1], "rb").read()
    cpus, rest, at = [], [], 44
    while at < len(table):
        kind, size = table[at], table[at + 1]
        (cpus if kind == LOCAL_APIC else rest).append(table[at:at + size])
        at += size
    cpus.sort(key=lambda c: c[3] % 2)  # stable: the APIC id's lowest bit is the thread
    new = bytearray(table[:44] + b"".join(cpus + rest))
    struct.pack_into("<I", new, 24, 2)  # a higher OEM revision, or the kernel keeps the firmware's
    new[9] = 0
    new[9] = -sum(new) & 255
    out = b""
    for d in ("kernel", "kernel/firmware", "kernel/firmware/acpi"):
        out += entry(d, b"", 0o040755)
    out += entry("kernel/firmware/acpi/apic.aml", bytes(new), 0o100644) + entry("TRAILER!!!", b"", 0)
    open(sys.argv[2], "wb").write(out + b"\0" * (-len(out) % 512))


main()
