#!/usr/bin/env python3
"""Makes the table of reasons in docs/Placement.md from NotPipelined.def.

usage: reasons.py [FILE]

The page is written to FILE, or back to docs/Placement.md.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/Placement.md"
REASONS = ROOT / "include/Dialect/TD/Transforms/NotPipelined.def"
TABLE = re.compile(r"(?<=\n\| `reason` \| \|\n\| --- \| --- \|\n)(?:\|.*\n)*")
ROW = re.compile(r'^(NOT_\w+)\(\w+,\s*"([\w-]+)",\s*((?:"[^"]*"\s*)+)\)', re.MULTILINE)


def main():
    rows, last = [], "NOT_PIPELINED"
    for kind, spelling, strings in ROW.findall(REASONS.read_text(encoding="utf-8")):
        if kind != last:
            rows.append("| | only for values that the host reads: |\n")
        last = kind
        sentence = "".join(re.findall('"([^"]*)"', strings)).replace("--placement=off",
                                                                     "`--placement=off`")
        rows.append(f"| `{spelling}` | {sentence} |\n")
    text, tables = TABLE.subn("".join(rows), PAGE.read_text(encoding="utf-8"))
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    target.write_text(text, encoding="utf-8")
    sys.exit(None if tables == 1 else "docs/Placement.md has no table of reasons")


if __name__ == "__main__":
    main()
