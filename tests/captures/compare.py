# SPDX-License-Identifier: GPL-2.0-or-later
"""What is known about a captured device against what a program reads of it."""
import re

TYPES = ("default", "read", "poll")


def parse_list(text):
    cpus = set()
    for part in re.split(r"[,\s]+", text):
        if part:
            first, _, last = part.partition("-")
            cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def unknown(value):
    """-1 and nothing are both unknown."""
    return None if value is None or int(value) < 0 else int(value)


def by_disk(document):
    return {disk: c for c in document["controllers"] for disk in c["disks"] if c["hctx"]}


def map_of(controller, kind, nr_cpus):
    """The queue of each CPU, among those of one type."""
    if "maps" in controller:
        return controller["maps"][kind]
    result = [None] * nr_cpus
    found = False
    for hctx in controller["hctx"]:
        if hctx["type"] == kind:
            found = True
            for cpu in parse_list(hctx["cpu_list"]):
                result[cpu] = hctx["id"]
    return result if found else None


def irq_named(fact, pattern):
    """The vectors of the device that bear such a name, ascending."""
    return sorted(irq["irq"] for irq in fact["irqs"] if any(re.fullmatch(pattern, name) for name in irq["name"].split(",")))


def own_irq(fact, hctx):
    """The vector whose name says that it is this queue's, or all queues'; or, of SCSI, which by its place."""
    shared = irq_named(fact, r"virtio\d+-virtqueues|ahci\[.*\]")
    if fact["types"][hctx] == "poll" or fact["driver"] not in ("nvme", "virtio_blk", "sd/virtio_scsi", "sd/ahci"):
        return None
    if shared:
        return shared[0]
    if fact["driver"] == "sd/virtio_scsi":
        requests = irq_named(fact, r"virtio\d+-request")
        return requests[hctx] if len(requests) == fact["nr_hw_queues"] else None
    pattern = r"nvme\d+q%d" % (hctx + 1) if fact["driver"] == "nvme" else r"virtio\d+-req\.%d" % hctx
    return (irq_named(fact, pattern) or [None])[0]


def compare_device(where, fact, controller, debugfs):
    """Returns what differs. fact is a line of summary.jsonl; debugfs: it could be read."""
    errors = []

    def check(what, got, want):
        if got != want:
            errors.append("%s: %s: got %s, not %s" % (where, what, got, want))

    hctx = controller["hctx"]
    nr_cpus = len(fact["map"])
    check("queues", controller["queues"]["total"], fact["nr_hw_queues"])
    check("mapped", controller["queues"]["mapped"], fact["nr_hw_queues"])
    check("lists", [parse_list(h["cpu_list"]) for h in hctx], [parse_list(text) for text in fact["cpu_lists"]])
    check("node", controller["node"], unknown(fact["numa_node"]))
    check("driver", controller["driver"], fact["driver"].removeprefix("sd/"))
    check("tags", {str(h["tags"]) for h in hctx}, set(fact["nr_tags"]))
    if fact["ctrl"]:
        check("transport", controller["transport"], fact["ctrl"]["transport"])

    for number, (got, want) in enumerate(zip(hctx, fact["types"])):
        if debugfs or got["type"] is not None:
            check("type of %d" % number, got["type"], want)
    if not debugfs and hctx[0]["type"] is None and any(fact["cpu_lists"]):
        errors.append("%s: not even queue 0 has a type" % where)
    if any(fact["cpu_lists"]):
        check("map", map_of(controller, "default", nr_cpus), fact["map"])
    for kind in TYPES:
        got = map_of(controller, kind, nr_cpus)
        if fact["maps"] and (debugfs or got is not None):
            check("map " + kind, got, fact["maps"].get(kind))

    for number, h in enumerate(hctx):
        want = own_irq(fact, number)
        check("irq of %d" % number, h["irq"], want)
        ties = ["msix-index", "mask", "order"] if fact["driver"] == "sd/virtio_scsi" and want else ["name"] if want else [None]
        check("tie of %d" % number, h["irq_tie"] in ties, True)
    check("witness", controller["queues"]["witness"] == "debugfs", debugfs)
    return errors


def compare_machine(where, facts, document, debugfs):
    """All devices of one capture. Returns what differs and how many were compared."""
    errors = ["%s: problem: %s: %s" % (where, p["path"], p["error"]) for p in document["problems"]]
    controllers = by_disk(document)
    if set(controllers) != {fact["device"] for fact in facts}:
        errors.append("%s: disks with queues: %s" % (where, sorted(controllers)))
    found = [fact for fact in facts if fact["device"] in controllers]
    for fact in found:
        device = fact["device"]
        errors += compare_device("%s %s" % (where, device), fact, controllers[device], debugfs)
    return errors, len(found)
