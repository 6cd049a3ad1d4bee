# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the shells' completions that come from the tables."""
from tables import NO_COMMAND


def names_of(letter, name):
    return [] if letter == "-" else ["-" + letter], ["--" + name]


def kind_of(complete):
    return "any" if complete == "-" else complete


# ---- bash ----

def shell_case(name, doc, rows):
    yield "# %s" % doc
    yield "%s() {" % name
    yield "\tcase $1 in"
    for pattern, words in rows:
        yield "\t%s) printf '%%s\\n' %s ;;" % (pattern, words)
    yield "\tesac"
    yield "}"


def option_words(tables, command):
    for letter, name, takes, _, _ in tables.options.get(command, []):
        if letter != "-":
            yield "-" + letter
        yield "--" + name + ("=" if takes == "[=]" else "")


def argument_rows(tables, command):
    for letter, name, takes, _, complete in tables.options.get(command, []):
        if takes == "=":
            kind = kind_of(complete)
            yield sum(names_of(letter, name), []), "'%s'" % kind if "|" in kind else kind


def column_words(tables, command):
    return sorted({column[1] for column in tables.columns.get(command, [])})


def bash(tables, *_):
    names = [command[0] for command in tables.commands]
    yield "_qmapctl_commands='%s'" % " ".join(names)
    yield ""
    yield "_qmapctl_globals='%s'" % " ".join(option_words(tables, NO_COMMAND))
    yield ""
    rows = [(name, " ".join(option_words(tables, name))) for name in names if tables.options.get(name)]
    yield from shell_case("_qmapctl_options", "a command's own options", rows)
    yield ""
    rows = [(name, " ".join(column_words(tables, name))) for name in names if name in tables.columns]
    yield from shell_case("_qmapctl_columns", "columns of a command's tables", rows)
    yield ""
    rows = [(command[0], command[2] if "|" not in command[2] else "'%s'" % command[2])
            for command in tables.commands if command[2] != "-"]
    yield from shell_case("_qmapctl_operand", "what a command's operands are", rows)
    yield ""
    yield "# _qmapctl_argument COMMAND OPTION: what the option's argument is; \"-\" = it takes none"
    yield "_qmapctl_argument() {"
    yield "\tcase \"$1 $2\" in"
    for name in names:
        for options, kind in argument_rows(tables, name):
            for one in options:
                yield "\t\"%s %s\") echo %s ;;" % (name, one, kind)
    for options, kind in argument_rows(tables, NO_COMMAND):
        yield "\t%s) echo %s ;;" % (" | ".join('*" %s"' % one for one in options), kind)
    yield "\t*) echo - ;;"
    yield "\tesac"
    yield "}"


# ---- zsh ----

def zsh_quote(text):
    return "'%s'" % text.replace("'", "'\\''")


def zsh_action(kind):
    if kind == "any":
        return " "
    if kind == "file":
        return "_files"
    if kind == "dir":
        return "_files -/"
    if "|" in kind:
        return "(%s)" % kind.replace("|", " ")
    return "_qmapctl_" + kind


def zsh_text(text):
    for char in "\\[]:":
        text = text.replace(char, "\\" + char)
    return text


def zsh_option(tables, command, letter, name, takes, arg, complete):
    """One word of _arguments for each name of the option."""
    short, long = names_of(letter, name)
    together = "(%s)" % " ".join(short + long) if short else ""
    help_ = "[%s]" % zsh_text(tables.help[command, name])
    arguments = ""
    if takes == "=":
        arguments = "".join(":%s:%s" % (word.lower(), zsh_action(kind_of(complete))) for word in arg.split())
    elif takes == "[=]":
        arguments = "::%s:%s" % (arg.lower(), zsh_action(kind_of(complete)))
    for word in short:
        yield zsh_quote(together + word + ("+" if takes == "=" else "") + help_ + arguments)
    for word in long:
        yield zsh_quote(together + word + {"=": "=", "[=]": "=-"}.get(takes, "") + help_ + arguments)


def zsh_options(tables, command):
    for row in tables.options.get(command, []):
        yield from zsh_option(tables, command, *row)


def zsh(tables, *_):
    yield "_qmapctl_commands=("
    for name, _, _, summary in tables.commands:
        yield "\t%s" % zsh_quote("%s:%s" % (name, summary.replace(":", "\\:")))
    yield ")"
    yield "_qmapctl_globals=("
    for word in zsh_options(tables, NO_COMMAND):
        yield "\t" + word
    yield ")"
    yield ""
    yield "# _qmapctl_own COMMAND: sets $own to its options and $operand to what its operands are, $columns to its columns"
    yield "_qmapctl_own() {"
    yield "\tcase $1 in"
    for name, _, complete, _ in tables.commands:
        yield "\t%s)" % name
        if tables.options.get(name):
            yield "\t\town=("
            for word in zsh_options(tables, name):
                yield "\t\t\t" + word
            yield "\t\t)"
        if complete != "-":
            yield "\t\toperand=%s" % zsh_quote(zsh_action(complete))
        if name in tables.columns:
            yield "\t\tcolumns=(%s)" % " ".join(column_words(tables, name))
        yield "\t\t;;"
    yield "\tesac"
    yield "}"


# ---- fish ----

def fish_quote(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def fish_arguments(kind):
    """How "complete" is told what comes behind an option."""
    if kind == "file":
        return " -r -F"
    if kind == "dir":
        return " -x -a '(__fish_complete_directories)'"
    if kind == "any":
        return " -x"
    if "|" in kind:
        return " -x -a %s" % fish_quote(kind.replace("|", " "))
    return " -x -a '(__qmapctl_%s)'" % kind


def fish_option(tables, command, letter, name, takes, complete):
    line = "complete -c qmapctl"
    if command != NO_COMMAND:
        line += " -n '__qmapctl_is %s'" % command
    if letter != "-":
        line += " -s " + letter
    line += " -l " + name
    if takes == "=":
        line += fish_arguments(kind_of(complete))
    elif takes == "[=]":
        line += " -a %s" % fish_quote(complete.replace("|", " "))
    return line + " -d " + fish_quote(tables.help[command, name])


def fish(tables, *_):
    takers = []
    for command in [NO_COMMAND] + [command[0] for command in tables.commands]:
        for options, _ in argument_rows(tables, command):
            takers += [one for one in options if one not in takers]
    yield "set -g __qmapctl_takers %s" % " ".join(takers)
    yield ""
    yield "function __qmapctl_column_names"
    yield "    switch (__qmapctl_command)"
    for name, *_ in tables.commands:
        if name in tables.columns:
            yield "        case %s" % name
            yield "            printf '%%s\\n' %s" % " ".join(column_words(tables, name))
    yield "    end"
    yield "end"
    yield ""
    for name, _, _, summary in tables.commands:
        yield "complete -c qmapctl -n 'not __qmapctl_command' -a %s -d %s" % (name, fish_quote(summary))
    for letter, name, takes, _, complete in tables.options[NO_COMMAND]:
        yield fish_option(tables, NO_COMMAND, letter, name, takes, complete)
    for command, _, operand, _ in tables.commands:
        for letter, name, takes, _, complete in tables.options.get(command, []):
            yield fish_option(tables, command, letter, name, takes, complete)
        if operand != "-":
            arguments = fish_arguments(operand).replace(" -x", "").replace(" -r", "")
            yield "complete -c qmapctl -n '__qmapctl_is %s'%s" % (command, arguments)


PARTS = {"bash": bash, "zsh": zsh, "fish": fish}
