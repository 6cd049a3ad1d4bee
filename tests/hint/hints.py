# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of hints share: running them on a tree, and the round trip that must leave the tree as it was."""
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, TESTS)
sys.path.insert(0, os.path.join(TESTS, "captures"))
import mkroot  # noqa: E402  pylint: disable=wrong-import-position,import-error
from trees import Skip, equal, main, test  # noqa: E402,F401  pylint: disable=wrong-import-position,import-error,unused-import

BUILD = os.environ.get("QMAP_BUILD", os.path.join(TESTS, "../build"))
QMAPCTL = os.environ.get("QMAPCTL", os.path.join(BUILD, "qmapctl"))

with open(os.path.join(TESTS, "../schema/qmapctl-1.schema.json"), encoding="utf-8") as schema:
    VALIDATOR = jsonschema.Draft202012Validator(json.load(schema))


class Hints:
    """A tree (None: this machine) and the hint command on it. The last run is in .status, .stdout, .stderr and, with -J, .doc."""

    def __init__(self, root):
        self.root = root
        self.status = self.stdout = self.stderr = self.doc = None

    def run(self, verb, *args, source=(), user=None, **more):
        done = subprocess.run([QMAPCTL, *(["-s", self.root] if self.root else []), *source, "hint", verb, *args], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=user, timeout=300, check=False, **more)
        self.status, self.stdout, self.stderr = done.returncode, done.stdout.decode(), done.stderr.decode()
        self.doc = json.loads(self.stdout) if "-J" in args and self.stdout else None
        return self.doc

    def ok(self, verb, *args, **more):
        """A run that must succeed, with a document that must be valid."""
        self.run(verb, "-J", *args, **more)
        assert self.status == 0, (verb, args, self.status, self.stderr, self.stdout[:2000])
        VALIDATOR.validate(self.doc)
        return self.doc["changes"]

    def save_plan(self, *args):
        """Returns the path of the plan's file, beside the tree."""
        self.run("plan", "-J", *args)
        return self.save()

    def save(self):
        """The same for the plan of the last run."""
        path = self.root + ".plan.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.stdout)
        return path

    def read(self, path):
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read().decode()

    def masks(self):
        """ {irq: list} of all interrupts """
        top = os.path.join(self.root, "proc/irq")
        return {int(nr): self.read("proc/irq/%s/smp_affinity_list" % nr).strip() for nr in os.listdir(top)
                if os.path.exists("%s/%s/smp_affinity_list" % (top, nr))}

    def snapshot(self):
        """Every entry of the tree but the state directory: what it is and holds."""
        found = {}
        for where, dirs, files in os.walk(self.root):
            dirs[:] = [d for d in dirs if os.path.join(where, d) != os.path.join(self.root, "var")]
            for name in files + [d for d in dirs if os.path.islink(os.path.join(where, d))]:
                path = os.path.join(where, name)
                if os.path.islink(path):
                    found[path] = os.readlink(path)
                    continue
                with open(path, "rb") as file:
                    found[path] = (os.lstat(path).st_mode, file.read())
            found[where] = sorted(dirs)
        return found

    def states(self):
        return {c["state"] for c in self.doc["changes"]}

    def round_trip(self, *args):
        """
        plan, apply, status, undo, undo: what is in force is what was planned, and then every byte is as before. Returns
        the number of changes.
        """
        before = self.snapshot()
        plan = self.ok("plan", *args)
        path = self.save()
        applied = self.ok("apply", "--yes", path)
        equal([c["path"] for c in applied], [c["path"] for c in plan])
        for change in plan:
            equal(self.read(change["path"]).strip(), change["new"])
        changed = {os.path.join(self.root, c["path"]) for c in plan}
        after = self.snapshot()
        equal({p for p in before if before[p] != after.get(p)}, changed)
        assert set(after) == set(before) and (not plan or self.states() == {"applied"}), self.doc
        if plan:
            self.ok("status")
            equal(self.states(), {"applied"})
        equal(self.ok("plan", *args), [])
        for _ in range(2):
            self.run("undo", "--yes", "-J")
            equal((self.status, self.stderr), (0, ""))
            assert not plan or self.states() == {"undone"}, self.doc
            equal(self.snapshot(), before)
        return len(plan)


def made(top, root):
    """Writes a mkroot.Root below top."""
    where = tempfile.mkdtemp(dir=top)
    os.chmod(where, 0o755)
    root.write(where)
    return Hints(where)
