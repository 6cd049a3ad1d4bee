# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of hints share.

# machine: makes the tree $ROOT from a description on stdin (tests/mkroot.py).
machine() {
	ROOT=$BATS_TEST_TMPDIR/root
	rm -rf "$ROOT"
	"$PYTHON" "$TOP/tests/mkroot.py" "$ROOT"
}

# What the tree holds, every file with its content.
snapshot() {
	(cd "$ROOT" && find . -path ./var -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
}

# The first journal of $ROOT holds lines of JSON and nothing else.
assert_journal() {
	"$PYTHON" -c 'import json, sys
for line in filter(str.strip, open(sys.argv[1])): json.loads(line)' "$ROOT/var/lib/qmapctl/hint-000001.jsonl"
}

# An NVMe disk of a kernel before managed interrupts: every vector may go anywhere, and all sit on CPU 0.
old_nvme() {
	machine <<-'M'
		cpus("0-7", nodes={0: "0-3", 1: "4-7"})
		kernel("4.4.0")
		nvme(0, ["0-1", "2-3", "4-5", "6-7"], node=0)
		file("sys/block/nvme0n1/queue/rq_affinity", "1")
		irq("nvme0q0", "0-7", "0", number=40)
		for q in range(4):
		    irq("nvme0q%d" % (q + 1), "0-7", "0", number=41 + q)
	M
}
