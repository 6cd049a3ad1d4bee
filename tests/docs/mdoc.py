# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the man pages that come from the tables."""
import re
import shlex
import textwrap

from tables import NO_COMMAND


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def plain(text):
    """Input lines: a new one for each sentence, none of them too long or taken for a macro."""
    for part in re.split(r"(?<=[.?!]) +(?=[A-Z\"(])", text):
        for line in textwrap.wrap(part, 74, break_long_words=False, break_on_hyphens=False):
            yield escape(line)


def sentence(text):
    yield from plain(text[0].upper() + text[1:] + ("" if text[-1] in ".?" else "."))


# ---- qmapctl.8 ----

def item(letter, name, takes, arg):
    words = []
    if letter != "-":
        words.append("Fl %s ," % letter)
    words.append("Fl Fl %s" % name)
    if takes == "=":
        words += ["Ar " + word for word in arg.split()]
    elif takes == "[=]":
        words.append("Ns Op = Ns Ar %s" % arg)
    return ".It " + " ".join(words)


def option_list(tables, command):
    options = tables.options.get(command, [])
    if not options:
        return
    yield ".Bl -tag -width Ds"
    for letter, name, takes, arg, _ in options:
        yield item(letter, name, takes, arg)
        yield from sentence(tables.help[command, name])
    yield ".El"


def operand_words(text):
    """"plan|apply [DEVICE...]" and the like as mdoc."""
    if " " in text:
        return " ".join(map(operand_words, text.split()))
    optional = text.startswith("[")
    words = " | ".join("Ar " + word for word in text.strip("[]").replace("...", "").split("|"))
    return ("Op " if optional else "") + words + (" ..." if "..." in text else "")


def column_list(tables, command):
    layouts = {}
    for layout, name, *_ in tables.columns.get(command, []):
        layouts.setdefault(layout, []).append(name)
    for layout, names in layouts.items():
        yield ".Pp"
        yield from sentence("Columns%s: %s" % ("" if layout == "-" else " with --" + layout, ", ".join(names)))


def commands(tables, *_):
    for name, operands, _, summary in tables.commands:
        yield ".It Cm %s%s" % (name, "" if operands == "-" else " " + operand_words(operands))
        yield from sentence(summary)
        yield from option_list(tables, name)
        yield from column_list(tables, name)
        example, meaning = tables.examples[name]
        yield ".Pp"
        yield "Example:"
        yield ".Dl %s" % escape(example)
        yield from sentence(meaning)


def options(tables, *_):
    yield from option_list(tables, NO_COMMAND)


# ---- qmapctl-rules.7, qmapctl-algorithms.7 ----

def rules(tables, _, family):
    yield ".Bl -tag -width Ds"
    for rule in tables.explanations:
        if rule["kind"] != "rule" or rule["family"] != family:
            continue
        yield ".It Sy %s Pq %s" % (rule["name"], rule["severity"])
        yield from sentence(rule["title"])
        for paragraph in rule["text"].split("\n"):
            word, colon, rest = paragraph.partition(": ")
            yield ".Pp"
            if colon and re.fullmatch("[A-Z][a-z]+( [a-z]+)?", word):
                yield ".Em %s :" % word.replace("No ", "\\&No ") # which is a macro's name
                yield from sentence(rest)
            else:
                yield from sentence(paragraph)
    yield ".El"


def families(tables, *_):
    """A section for each family, so that no rule can be left out."""
    names = {"map": "Maps", "cpu": "CPUs", "fabrics": "NVMe over fabrics", "kernel": "Kernels", "irq": "Interrupts",
             "log": "Kernel log"}
    for family in dict.fromkeys(rule["family"] for rule in tables.explanations if rule["kind"] == "rule"):
        yield ".Ss %s" % names.get(family, family.capitalize())
        yield from rules(tables, None, family)


def algorithms(tables, _, family):
    yield ".Bl -tag -width Ds"
    for one in tables.explanations:
        if one["kind"] != "algorithm" or one["family"] != family:
            continue
        yield ".It Sy %s" % one["name"]
        last = " to " + one["last"] if one["last"] else " and later"
        kernels = ("" if not one["first"][0].isdigit() else "Linux ") + one["first"]
        kernels += "" if one["last"] == one["first"] else last
        yield from sentence("%s%s: %s" % (kernels, "" if one["upstream"] else ", not a released mainline form", one["title"]))
        for paragraph in one["text"].split("\n"):
            yield ".Pp"
            yield from sentence(paragraph)
        if one["commits"]:
            yield ".Pp"
            yield from sentence("Source: " + one["commits"])
    yield ".El"


# ---- qmapctl-json.5 ----

def key_list(schema, node, path=""):
    """The keys of one object with all that is below them."""
    yield ".Bl -tag -width Ds"
    for found, value in schema.walk(node, path):
        yield ".It Va %s" % escape(found)
        yield from plain("(%s)" % schema.type_of(value))
        yield from sentence(value["description"])
    yield ".El"


def keys(_, schema, *__):
    """What every document has, and then each command's own part."""
    yield ".Ss Every document"
    yield from key_list(schema, {"properties": schema.root["properties"]})
    for command, node in schema.commands.items():
        if command == "show": # the same controllers
            yield ".Ss show"
            yield "As"
            yield ".Cm list ,"
            yield "without"
            yield ".Va disks ."
            continue
        yield ".Ss %s" % command
        yield from key_list(schema, node)


def columns(tables, *_):
    """Which key a column shows."""
    for name, _, _, _ in tables.commands:
        rows = [row for row in tables.columns.get(name, []) if row[4] != "-"]
        if not rows:
            continue
        yield ".Ss %s" % name
        yield ".Bl -column CONTROLLERXXX"
        for layout, column, _, _, path, _ in rows:
            yield ".It %s%s Ta Va %s" % (column, "" if layout == "-" else " (--%s)".replace("-", "\\-") % escape(layout),
                                         escape(path))
        yield ".El"


def run(tables, _, *words):
    """A command and what it prints."""
    arguments = " ".join(words)
    line = "$ qmapctl"
    yield ".Bd -literal"
    for word in shlex.split(arguments, posix=False): # which leaves quoted words together, with their quotes
        if len(line) + len(word) > 72:
            yield escape(line + " \\")
            line = "   "
        line += " " + word
    yield escape(line)
    for line in tables.run(arguments).splitlines():
        yield escape(line)
    yield ".Ed"


PARTS = {"commands": commands, "options": options, "families": families, "algorithms": algorithms, "keys": keys,
         "columns": columns, "run": run}
