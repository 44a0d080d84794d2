#!/usr/bin/env python3
"""Makes docs/Errors.md from the tables of diagnostics.

Every code has a title, the text of `tdc explain`, and, if a test has the complete
message, an example. The result is written to FILE, or back to docs/Errors.md. It is an
error if no test expects a code, if tests expect a code that is in no table, or if
nothing reports a code of the compiler.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/Errors.md"
HEAD = """# Codes of mistakes

Every message has a code; `tdc explain CODE` prints its text on this page. TD codes
are reported when a program is compiled, TR codes when it runs. This page is made by
`scripts/errors.py`.

A fix below a message is a change that would remove the mistake. It is *safe* if only one
thing can have been meant: then `tdc fix` writes it. The author chooses among the others.
"""
STRING = r'"(?:[^"\\]|\\.)*"'
ROW = re.compile(rf"^(?:TR)?DIAG\((\w+),\s*(?:\w+,\s*)?((?:{STRING}\s*)+),"
                 rf"\s*((?:{STRING}\s*)+)\)", re.MULTILINE)
GROUPS = {
    "TD1": "Text and syntax", "TD2": "Names and declarations", "TD3": "Types",
    "TD4": "Shapes", "TD5": "Devices", "TD6": "Use", "TD7": "Files",
    "TD9": "Not built yet", "TR0": "Command line", "TR1": "The program's own checks",
    "TR2": "Memory", "TR3": "GPUs", "TR6": "Environment", "TR7": "Files"}


def text_of(strings):
    joined = "".join(part[1:-1] for part in re.findall(STRING, strings))
    return re.sub(r"\\(.)", r"\1", joined)


def codes():
    """The rows of both tables: code, title, explanation."""
    for table, prefix in (("include/Frontend/Diagnostics.def", ""),
                          ("runtime/include/tdc_errors.def", "TR")):
        for code, title, text in ROW.findall((ROOT / table).read_text(encoding="utf-8")):
            yield prefix + (code.zfill(3) if prefix else code), text_of(title), text_of(text)


def expected():
    """The codes that tests expect: in a message or, in the tests of the runtime, as
    the status of a call."""
    found = set()
    for folder in ("test", "runtime/test"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in {".tdsl", ".test", ".py", ".cpp", ".mlir"}:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            found.update(re.findall(r"(?:error|warning)\[(T[DR]\d{3})\]", text))
            if folder == "runtime/test":
                statuses = re.findall(r"(?:EXPECT|ASSERT|codeOf).*?\b(\d{3})\b|"
                                      r"\b([1-7]\d{2})\},?$", text, re.MULTILINE)
                found.update("TR" + one for pair in statuses for one in pair if one)
    return found


def reported():
    """The codes that the compiler's sources name; passes begin a message with a code."""
    return {code for folder in ("lib", "include", "tools")
            for path in (ROOT / folder).rglob("*") if path.suffix in {".cpp", ".h"}
            for code in re.findall(r'(?:DiagCode::|")(TD\d{3})\b',
                                   path.read_text(encoding="utf-8"))}


def examples():
    """For each code, the first complete message in a test."""
    found = {}
    for path in sorted((ROOT / "test/Errors").glob("*.tdsl")) + sorted(
            (ROOT / "test/Mistakes").glob("*.tdsl")):
        golden = [line[2:].removeprefix(" ").rstrip() for line in
                  path.read_text(encoding="utf-8").splitlines() if line.startswith("#>")]
        message = "\n".join(golden[1:]).split("\nexit code")[0]
        for one in message.split("\n\n"):
            if code := re.match(r"(?:error|warning)\[(T[DR]\d{3})\]", one):
                found.setdefault(code.group(1), one)
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, default=PAGE)
    options = parser.parse_args()
    rows, shown = list(codes()), examples()
    parts, group = [HEAD], ""
    for code, title, text in rows:
        if code[:3] != group:
            group = code[:3]
            parts.append(f"## {GROUPS[group]}\n")
        parts.append(f"### {code}: {title}\n\n{text}\n")
        if code in shown:
            parts.append(f"```\n{shown[code]}\n```\n")
    options.file.write_text("\n".join(parts), encoding="utf-8")

    known, tested = {code for code, *_ in rows}, expected()
    wrong = [f"no test expects {code}" for code in sorted(known - tested)]
    wrong += [f"nothing reports {code}" for code in sorted(known - reported())
              if code.startswith("TD")]
    wrong += [f"a test expects {code}, which no table has"
              for code in sorted(tested - known) if code.startswith("TD")]
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
