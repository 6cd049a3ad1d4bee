# SPDX-License-Identifier: GPL-2.0-or-later
"""What the program's own tables and the JSON schema hold."""
import json
import os
import shlex
import subprocess

NO_COMMAND = "-"


class Tables:
    """What "qmapctl --dump-options" and "qmapctl explain" say."""

    def __init__(self, program):
        self.program = program
        self.commands, self.options, self.help, self.columns, self.examples = [], {}, {}, {}, {}
        for line in self.run("--dump-options").splitlines():
            kind, *rest = line.split("\t")
            if kind == "command":
                self.commands.append(rest)
            elif kind == "option":
                self.options.setdefault(rest[0], []).append(rest[1:])
            elif kind == "help":
                self.help[rest[0], rest[1]] = rest[2]
            elif kind == "column":
                self.columns.setdefault(rest[0], []).append(rest[1:])
            elif kind == "example":
                self.examples[rest[0]] = rest[1:]
        self.explanations = json.loads(self.run("explain -J"))["explanations"]

    def run(self, arguments):
        """The standard output of the program; 1 is an answer, too."""
        env = dict(os.environ, COLUMNS="78", LC_ALL="C.UTF-8")
        done = subprocess.run([self.program] + shlex.split(arguments), env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit("qmapctl %s: status %d" % (arguments, done.returncode))
        return done.stdout.decode()


class Schema:
    """The JSON schema, flattened into paths as the columns write them: controllers[].hctx[].id."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = json.load(file)
        self.commands = {branch["if"]["properties"]["command"]["const"]: branch["then"] for branch in self.root["allOf"]}

    def target(self, node):
        """The node itself, or what it refers to, with the description that is beside the reference."""
        name = node.get("$ref")
        if not name:
            return node
        return dict(self.root["$defs"][name.rpartition("/")[2]], **{key: node[key] for key in node if key != "$ref"})

    def walk(self, node, path=""):
        """Yields (path, node) for every key below a node, in order; a key that several branches have only once."""
        seen = set()
        for found, value in self.all_keys(node, path):
            if found not in seen:
                seen.add(found)
                yield found, value

    def all_keys(self, node, path):
        node = self.target(node)
        parts = node.get("allOf", []) + node.get("anyOf", []) + [node[key] for key in ("then", "else") if key in node]
        for key, value in node.get("properties", {}).items():
            below = path + "." + key if path else key
            yield below, value
            yield from self.all_keys(value, below)
        if "items" in node:
            yield from self.all_keys(node["items"], path + "[]")
        for part in parts:
            yield from self.all_keys(part, path)

    def type_of(self, node):
        """In words: "integer or null"; "array of list"."""
        name = node.get("$ref", "").rpartition("/")[2]
        if name == "list":
            return "list"
        node = self.target(node)
        if "anyOf" in node:
            return " or ".join(self.type_of(part) for part in node["anyOf"])
        if "const" in node:
            return '"%s"' % node["const"]
        if "enum" in node:
            return ", ".join("null" if value is None else str(value) for value in node["enum"])
        types = node.get("type", "object")
        types = [types] if isinstance(types, str) else list(types)
        if types[0] == "array" and "items" in node:
            item = self.type_of(node["items"])
            types[0] = "array" if item == "object" else "array of (%s)" % item if " " in item else "array of " + item
        return " or ".join(types)


def schema_complaints(tables, schema):
    """What the program's tables and the schema do not agree on."""
    told = list(schema.root["properties"]["command"]["enum"])
    names = [command[0] for command in tables.commands]
    if sorted(told) != sorted(names) or sorted(schema.commands) != sorted(names):
        yield "commands: the schema has %s, the program %s" % (" ".join(sorted(told)), " ".join(sorted(names)))
    for command, node in [(NO_COMMAND, {"properties": schema.root["properties"]})] + list(schema.commands.items()):
        paths = set()
        for path, value in schema.walk(node):
            paths.add(path)
            if not value.get("description"):
                yield "%s: %s: no description" % (command, path)
        for layout, name, _, _, path, _ in tables.columns.get(command, []):
            if path != "-" and path.removesuffix("[]") not in paths:
                yield "%s: column %s (%s): the schema does not tell of %s" % (command, name, layout, path)
    severities = schema.root["$defs"]["finding"]["properties"]["severity"]["enum"]
    for explanation in tables.explanations:
        if explanation["kind"] == "rule" and explanation["severity"] not in severities:
            yield "%s: severity %s" % (explanation["name"], explanation["severity"])
    families = schema.root["$defs"]["result"]["properties"]["family"]["enum"]
    if sorted(families) != sorted({one["family"] for one in tables.explanations if one["kind"] == "algorithm"}):
        yield "families of algorithms: the schema has %s" % " ".join(families)
