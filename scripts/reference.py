#!/usr/bin/env python3
"""Keeps the tables of docs/Reference.md equal to what the compiler has.

usage: reference.py [FILE]

A table below a comment <!-- SOURCE PATTERN --> has a row for every function of
SOURCE, a table of builtins or a prelude file, that PATTERN matches in full, with its
parameters there. The verbs of tdc have their operands, and the variables of the
environment are those that the sources read. The description in a row is written by hand in
docs/Reference.md and kept, except for options and elementwise ops, which have their own
description. The result is written to FILE, or back to docs/Reference.md. A function
without a row, or a row without a description, is an error.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs/Reference.md"
ELEMENTWISE = ROOT / "include/Dialect/TD/IR/TDElementwiseOps.td"
# Functions of BuiltinsLints.cpp are for the prelude.
SOURCES = [*sorted(path for path in (ROOT / "lib/Frontend/Sema").glob("Builtins*.cpp")
                   if path.stem != "BuiltinsLints"), ELEMENTWISE,
           *sorted(path for path in (ROOT / "prelude").glob("*.tdsl")
                   if path.name not in ("data.tdsl", "optim.tdsl")),
           ROOT / "tools/tdc/OptionTable.cpp", ROOT / "runtime"]
OPTIONS = ROOT / "tools/tdc/Options.td"
TABLE = re.compile(r"(<!-- (\S+) (\S+) -->\n)((?:\|.*\n)*)")
ROW = re.compile(r"\| `([\w.]+)[^|]*\| (.*?) *\|\n")


def verbs(text):
    """The table of verbs, as typed."""
    for name, operands in re.findall(
            r'Verb, "(\w+)",\s*"[^"]*",\s*"([^"]*)"', text):
        yield name, " " + operands if operands else ""


def builtins(text):
    """The rows {"name", "parameters", handler} of the tables in C++."""
    for name, parameters in re.findall(r'\{"([\w.]+)",\s*((?:"[^"]*"\s*)+),\s*[a-z]', text):
        listed = "".join(re.findall(r'"([^"]*)"', parameters)).split(", ")
        if name.startswith("."):
            name, listed = "x" + name, listed[1:]
        parts = ", ".join("…" if one == "**" else one for one in listed)
        yield name, f"({parts})"


def ops():
    """Elementwise ops that are functions, with the descriptions of their definitions. Ops
    that also apply to host numbers have a row in C++."""
    own = {name for name, _ in functions(ROOT / "lib/Frontend/Sema/BuiltinsElementwise.cpp")}
    for arity, mnemonic, summary, body in re.findall(
            r'^def TD_\w+ : TD_(Unary|Binary)Op<"(\w+)", "(.*?)",.*>(?:;| \{\n((?:  .*\n)*))',
            ELEMENTWISE.read_text(encoding="utf-8"), re.MULTILINE):
        name = (re.findall(r'let spelling = "(.*)"', body) or [mnemonic])[0]
        if name.isalnum() and name not in own:
            yield name, "(input)" if arity == "Unary" else "(input, other)", summary


def split(listed):
    """The parts between the commas that no bracket encloses."""
    parts, depth = [""], 0
    for character in listed:
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def enclosed(text):
    """What the round brackets at the beginning of `text` enclose."""
    depth = 0
    for end, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return text[1:end]
    return ""


def declarations(text):
    """The declarations of a prelude file for programs, without the types of the
    parameters: the defaults are enough. A `_name` is private to the file."""
    for row in re.finditer(r"^(?:fn|model) ([a-zA-Z]\w*)", text, re.MULTILINE):
        parts = []
        for one in split(enclosed(text[row.end():])):
            declared, _, default = one.partition(" = ")
            # A default that only the file can compute.
            shown = "…" if re.search(r"\b_\w+\(", default) else default
            parts.append(declared.split(":")[0] + ("=" + shown if default else ""))
        yield row[1], f"({', '.join(parts)})"


def variables():
    """The environment variables that the sources read."""
    text = "".join(path.read_text(encoding="utf-8") for folder in ("lib", "tools", "runtime")
                   for path in sorted((ROOT / folder).rglob("*.cpp"))
                   if "test" not in path.parts)
    asked = re.findall(r'(?:getenv|GetEnv|environmentOr|readNumber|readSwitch|readText|'
                       r'Variable \w+|Variable|variable =) *\(?"([A-Z_]+)"', text)
    return [(name, "") for name in sorted({*asked, *re.findall(r'"(TDC_[A-Z_]+)"', text)})]


def options():
    """The rows of Options.td that help shows: the option as typed, its verbs, its
    description."""
    text = OPTIONS.read_text(encoding="utf-8")
    lists = {name: re.findall(r"(\w+)Verb\b", verbs)
             for name, verbs in re.findall(r"defvar (\w+) = \[(.*?)\];", text)}
    pattern = (r'def(?:m)? \w+ : (?:Switch<"(?P<switch>[\w-]+)", "(?P<does>.*?)", |'
               r'Valued<"(?P<valued>[\w-]+)", "(?P<value>.*?)", "(?P<takes>.*?)", |'
               r'JoinedOrSeparate<\["-"\], "(?P<short>\w)">, MetaVarName<"(?P<file>.*?)">,'
               r'\s*HelpText<"(?P<says>.*?)">, Visibility<)'
               r'(?:\[(?P<verbs>.*?)\]|(?P<list>\w+))>(?P<flags>.*?);')
    for row in re.finditer(pattern, text):
        if "HelpHidden" in row["flags"]:
            continue
        typed = (f"--{row['switch']}" if row["switch"] else
                 f"--{row['valued']} {row['value']}" if row["valued"] else
                 f"-{row['short']} {row['file']}")
        known = lists[row["list"]] if row["list"] else re.findall(r"(\w+)Verb", row["verbs"])
        every = len(known) == len(lists["AllVerbs"])
        yield (typed, "all" if every else ", ".join(verb.lower() for verb in known),
               row["does"] or row["takes"] or row["says"])


def functions(source):
    if source.is_dir():
        return variables()
    if source == ELEMENTWISE:
        return [(name, parameters) for name, parameters, _ in ops()]
    read = (verbs if source.name == "OptionTable.cpp" else
            builtins if source.suffix == ".cpp" else declarations)
    return list(read(source.read_text(encoding="utf-8")))


def main():
    old = REFERENCE.read_text(encoding="utf-8")
    said = {name: text for *_, rows in TABLE.findall(old) for name, text in ROW.findall(rows)}
    said |= {name: summary for name, _, summary in ops()}
    listed, silent = set(), []

    def fill(table):
        comment, source, pattern, _ = table.groups()
        if ROOT / source == OPTIONS:
            rows = [f"| `{typed}` | {verbs} | {does} |\n" for typed, verbs, does in options()]
            return comment + "| | of | |\n|---|---|---|\n" + "".join(rows)
        lines = [comment, "| | |\n|---|---|\n"]
        for name, parameters in functions(ROOT / source):
            if not re.fullmatch(pattern, name):
                continue
            listed.add(name)
            if not said.get(name):
                silent.append(f"{name} is not described")
            lines.append(f"| `{name}{parameters}` | {said.get(name, '')} |\n")
        return "".join(lines)

    new = TABLE.sub(fill, old)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else REFERENCE
    target.write_text(new, encoding="utf-8")
    silent += [f"{name} of {source.relative_to(ROOT)} is in no table"
               for source in SOURCES for name, _ in functions(source) if name not in listed]
    sys.exit("\n".join(silent) or None)


if __name__ == "__main__":
    main()
