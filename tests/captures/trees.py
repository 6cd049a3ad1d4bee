# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees made for tests of what is read from them, and the frame of such tests: functions marked @test, main() prints TAP."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import mkroot  # noqa: E402  pylint: disable=wrong-import-position,import-error

DUMP = os.path.join(os.environ.get("QMAP_BUILD", os.path.join(HERE, "../../build")), "tests/captures/dump-machine")
NOBODY = 65534

tests = []


class Skip(Exception):
    pass


def test(function):
    tests.append(function)
    return function


class Tree(mkroot.Root):
    """A root that can be dumped, with words for what tests ask."""

    def __init__(self, top):
        super().__init__()
        self.top = top
        self.out = None
        self.cpus("0-7", nodes={0: "0-3", 1: "4-7"})
        self.kernel("6.12.48")

    def place(self):
        """Makes the tree and returns where."""
        where = tempfile.mkdtemp(dir=self.top)
        os.chmod(where, 0o755)
        self.write(where)
        return where

    def dump(self, *names, user=None):
        where = self.place()
        result = subprocess.run([DUMP, where, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=user, timeout=60,
                                check=False)
        assert result.returncode == 0, (result.returncode, result.stderr.decode()[-2000:])
        self.out = json.loads(result.stdout.decode())
        return self.out

    def controller(self, name):
        return next(c for c in self.out["controllers"] if c["name"] == name)

    def block(self, name):
        return next(d for d in self.out["block_devices"] if d["name"] == name)

    def problems(self):
        return ["%(path)s: %(error)s" % p for p in self.out["problems"]]


def unmapped(controller):
    return [h["id"] for h in controller["hctx"] if not h["mapped"]]


def lists(controller):
    return [h["cpu_list"] for h in controller["hctx"]]


def types(controller):
    return [h["type"] for h in controller["hctx"]]


def irqs(controller):
    return [h["irq"] for h in controller["hctx"]]


def equal(got, want):
    assert got == want, "got %r, not %r" % (got, want)


def one_problem(tree, *parts):
    found = tree.problems()
    assert len(found) == 1 and all(part in found[0] for part in parts), found


def main():
    print("1..%d" % len(tests), flush=True)
    failed = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not os.environ.get("TMPDIR") else None
    for number, function in enumerate(tests, 1):
        name = function.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory(prefix="qmap-devices.", dir=memory) as top:
            os.chmod(top, 0o755)
            try:
                function(top)
                print("ok %d - %s" % (number, name), flush=True)
            except Skip as why:
                print("ok %d - %s # SKIP %s" % (number, name, why), flush=True)
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print("not ok %d - %s" % (number, name))
                print("# %s: %s" % (type(error).__name__, str(error).replace("\n", "\n# ")), flush=True)
    return 1 if failed else 0
