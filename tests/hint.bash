# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of hints share.

# machine: makes the tree $ROOT from a description on stdin (tests/mkroot.py).
machine() {
	ROOT=$BATS_TEST_TMPDIR/root
	rm -rf "$ROOT"
	"$PYTHON" "$TOP/tests/mkroot.py" "$ROOT"
}

# plan EXPECTED [OPTION...]: the interrupts' new masks, as "IRQ=LIST ..."
assert_plan() {
	local want=$1
	shift
	qmapctl -s "$ROOT" hint plan -J "$@"
	assert_status 0
	assert_schema
	assert_json '" ".join("%d=%s" % (c["irq"], c["new"]) for c in j["changes"] if c["irq"] is not None)' "\"$want\""
}

# What the tree holds, every file with its content.
snapshot() {
	(cd "$ROOT" && find . -path ./var -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
}

# Plan, apply, undo: what is applied is what was planned, and then all is as before.
assert_round_trip() {
	local before
	before=$(snapshot)
	qmapctl -s "$ROOT" hint plan -J "$@"
	printf '%s' "${output?}" >"$BATS_TEST_TMPDIR/plan.json"
	assert_json 'len(j["changes"]) > 0' true
	qmapctl -s "$ROOT" hint apply --yes -J "$BATS_TEST_TMPDIR/plan.json"
	assert_status 0
	assert_schema
	assert_json '{c["state"] for c in j["changes"]} == {"applied"}' true
	assert_json '[open(r"'"$ROOT"'/" + c["path"]).read().strip() == c["new"] for c in j["changes"]].count(False)' 0
	qmapctl -s "$ROOT" hint status -J
	assert_status 0
	assert_schema
	assert_json '{c["state"] for c in j["changes"]} == {"applied"}' true
	# What is applied needs no second time.
	qmapctl -s "$ROOT" hint plan -J "$@"
	assert_json 'len(j["changes"])' 0
	qmapctl -s "$ROOT" hint undo --yes -J
	assert_status 0
	assert_json '{c["state"] for c in j["changes"]} == {"undone"}' true
	assert_equal "$(snapshot)" "$before"
	qmapctl -s "$ROOT" hint undo --yes
	assert_status 0
	assert_equal "$(snapshot)" "$before"
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
