#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes golden vectors (JSON, one result per line) and their topologies as the lines that vecfile.h describes.

usage: to-lines.py topologies FILE.json[l]...
       to-lines.py vectors DIR        (DIR/NAME.jsonl, NAME being the topology's)
"""
import json
import pathlib
import sys


def text(cpus):
    return cpus or "-"


def topology(t):
    print("topology", t["name"], text(t["possible"]), text(t["present"]), text(t["online"]), t["nr_node_ids"],
          t["offline_masks"])
    for n in t["nodes"]:
        print("node", n["id"], int(n.get("online", True)), text(n["cpus"]))
    for kind in "core", "cluster":
        for cpus in t[kind + "s"] or []:
            print(kind, cpus)


def vector(v):
    if "map" in v:
        hk = [text(v["housekeeping"]) if v["housekeeping"] is not None else "*"] if "housekeeping" in v else []
        print("hk" if hk else "map", v["algorithm"], *hk, v["queues"], v.get("warn", 0),
              *("-" if q is None else q for q in v["map"]))
        return
    sets = ",".join(map(str, v.get("sets", []))) or "-"
    head = ["irq", v["algorithm"], v["vectors"], v["pre"], sets, v.get("warn", 0)]
    if "error" in v:
        print(*head, v["error"])
    elif v["masks"] is None:
        print(*head, "no-masks")
    else:
        print(*head, *map(text, v["masks"]))


def main():
    what, *paths = sys.argv[1:]
    if what == "topologies":
        for p in map(pathlib.Path, paths):
            body = p.read_text()
            for t in map(json.loads, body.splitlines()) if p.suffix == ".jsonl" else [json.loads(body)]:
                topology(t)
        return
    for p in sorted(pathlib.Path(paths[0]).glob("*.jsonl")):
        print("on", p.stem)
        with p.open() as lines:
            for line in lines:
                vector(json.loads(line))


main()
