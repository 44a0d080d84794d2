#!/usr/bin/env python3
"""Keeps the tables of docs/Reference.md equal to what the compiler has.

usage: reference.py [FILE]

A table below a comment <!-- SOURCE PATTERN --> has a row for every function of
SOURCE, a table of builtins or a prelude file, that PATTERN matches in full, with
the parameters that it has there; the verbs of tdc have what may follow them. What a row says is written by hand in
docs/Reference.md and kept. The result goes to FILE, or back to docs/Reference.md.
A function without a row, or a row that says nothing, is an error.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs/Reference.md"
SOURCES = [*sorted((ROOT / "lib/Frontend/Sema").glob("Builtins*.cpp")),
           ROOT / "prelude/functional.tdsl", ROOT / "prelude/nn.tdsl",
           ROOT / "tools/tdc/OptionTable.cpp"]
TABLE = re.compile(r"(<!-- (\S+) (\S+) -->\n)((?:\|.*\n)*)")
ROW = re.compile(r"\| `([\w.]+)[^|]*\| (.*?) *\|\n")


def verbs(text):
    """The table of verbs: what is typed."""
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


def declarations(text):
    """What a prelude file declares, without the types of its parameters: what a
    default says is enough."""
    for name, parameters in re.findall(r"^(?:fn|model) (\w+)(?:\(([^)]*)\))?", text, re.MULTILINE):
        listed = re.split(r",\s+(?![^\[]*\])", parameters.strip())
        parts = ", ".join(re.sub(r":[^=]*|(?<==) | (?==)", "", one).strip()
                          for one in listed)
        yield name, f"({parts})"


def functions(source):
    read = (verbs if source.name == "OptionTable.cpp" else
            builtins if source.suffix == ".cpp" else declarations)
    return list(read(source.read_text(encoding="utf-8")))


def main():
    old = REFERENCE.read_text(encoding="utf-8")
    said = {name: text for *_, rows in TABLE.findall(old) for name, text in ROW.findall(rows)}
    listed, silent = set(), []

    def fill(table):
        comment, source, pattern, _ = table.groups()
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
