#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs read, from logs of "strace -f -y":

    tracelog.py OPENED DIR[,DIR...] LOG...

writes LOG.reads, a sorted line for each file read and each directory listed below one of the DIRs, with how often, and
prints for each log the number of system calls. Both from the call that opens OPENED as the root: libraries read a little
of the live machine before a program begins.

    1 file proc/cmdline
    2 file sys/devices/system/cpu/online
    1 list proc/irq

Paths are where links lead to. As a module: reads() and count().
"""
import collections
import os
import re
import sys

# A process id before the call, with "strace -f"; a path behind each descriptor.
OPENED = re.compile(r"^(?:\d+ +)?openat2?\(.*O_RDONLY(?!.*O_PATH)(?!.*O_DIRECTORY).* = \d+<(/[^>]*)>$")
LISTED = re.compile(r"^(?:\d+ +)?getdents64\(\d+<(/[^>]*)>.* = 0$")
CALL = re.compile(r"^(?:\d+ +)?\w+\(")


def below(tops, path):
    """The path from the one of the directories that it is in, or None."""
    for top in tops:
        if path == top or path.startswith(top.rstrip("/") + "/"):
            return path[len(top):].lstrip("/")
    return None


def since(opened, lines):
    """The lines from the one that opens the root."""
    begun = False
    for line in lines:
        begun = begun or "openat(AT_FDCWD" in line and '"%s", ' % opened in line
        if begun:
            yield line.rstrip("\n")


def reads(opened, tops, lines):
    """Counts of ("file", path) and ("list", path) below the directories."""
    tops = [os.path.realpath(top) for top in tops]
    found = collections.Counter()
    for line in since(opened, lines):
        for kind, what in (("file", OPENED), ("list", LISTED)):
            match = what.match(line)
            path = match and below(tops, match.group(1))
            if path is not None:
                found[kind, path] += 1
    return found


def count(opened, lines):
    """The number of system calls."""
    return sum(1 for line in since(opened, lines) if CALL.match(line))


def main():
    opened, tops, *logs = sys.argv[1:]
    for name in logs:
        with open(name, encoding="utf-8", errors="replace") as log:
            lines = list(log)
        with open(name + ".reads", "w", encoding="utf-8") as out:
            for (kind, path), times in sorted(reads(opened, tops.split(","), lines).items()):
                print(times, kind, path, file=out)
        print(count(opened, lines))


if __name__ == "__main__":
    main()
