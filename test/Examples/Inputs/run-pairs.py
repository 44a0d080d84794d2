#!/usr/bin/env python3
"""Runs the blocks of a page that shows scripts of PyTorch next to programs.

usage: run-pairs.py PAGE.md [PYTHON]

Runs each block of ```tdsl with `tdc run` in the current folder, and with PYTHON, where PyTorch is
installed, each block of ```py, after the first of them, which has the imports. A block of ```text
is what each block before it printed, down to the last one of ```text; numbers may differ by 2 % or
0.015. A line that ends with `# TD…` must be reported by `tdc check` with this code, and no other.
After `<!-- tdc fix -->`, `tdc fix` must make the next block of ```tdsl of the script.
"""

import re
import subprocess
import sys
from pathlib import Path

from printed import is_same

NUMBER = re.compile(r"-?\d+\.\d*")


def run(command, text):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{text}ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def fixed(text):
    """What `tdc fix` makes of a script."""
    Path("script.tdsl").write_text(text, encoding="utf-8")
    run(["tdc", "fix", "script.tdsl"], text)
    return Path("script.tdsl").read_text(encoding="utf-8")


def check_reports(text):
    """A block of mistakes: each is reported where it is marked, and nothing else is."""
    lines = text.split("\n")
    marked = [(i + 1, code) for i, line in enumerate(lines)
              for code in re.findall(r"# (TD\d+)$", line)]
    done = subprocess.run(["tdc", "check", "block.tdsl"], capture_output=True, text=True)
    found = re.findall(r"^error\[(TD\d+)\].*\n  --> block.tdsl:(\d+)", done.stdout + done.stderr,
                       re.MULTILINE)
    reported = [(int(line), code) for code, line in found]
    if sorted(set(reported)) != sorted(marked):
        sys.exit(f"{text}is reported as {reported}, not {marked}:\n{done.stdout}{done.stderr}")


def main():
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    python = sys.argv[2] if len(sys.argv) > 2 else None
    imports, printed, ran, wanted = None, [], 0, None
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        kind, text = match.groups()
        if kind == "py":
            imports = imports or text
            if page[:match.start()].endswith("<!-- tdc fix -->\n"):
                wanted = fixed(imports + text)
            if python:
                Path("block.py").write_text(imports + text, encoding="utf-8")
                printed.append(("PyTorch", text, run([python, "block.py"], text)))
        elif kind == "tdsl":
            Path("block.tdsl").write_text(text, encoding="utf-8")
            ran += 1
            if wanted not in (None, text):
                sys.exit(f"tdc fix makes\n{wanted}\nbut the page says\n{text}")
            wanted = None
            if re.search(r"# TD\d+$", text, re.MULTILINE):
                check_reports(text)
            else:
                printed.append(("tdc", text, run(["tdc", "run", "block.tdsl"], text)))
        elif kind == "text":
            for language, source, out in printed:
                got, want = out.strip().split("\n"), text.strip().split("\n")
                pairs = zip(got, want)
                same = len(got) == len(want) and all(is_same(a, b, NUMBER) for a, b in pairs)
                if not same:
                    sys.exit(f"{source}prints in {language}\n{out}\nbut the page says\n{text}")
            printed = []
        else:
            sys.exit(f"a block of {kind}?")
        if kind != "text":
            printed = [p for p in printed if p[2].strip()]
    print(f"{ran} programs ran")


main()
