"""Scores the messages of tdc for programs of novices that have one mistake each.

usage: score.py [--verbose] [--at-least SCORE] FILE...

--verbose also prints the messages; a mean below SCORE is exit status 1.

The comments on top of a program say what is wrong, and what it prints when that is corrected:
  # wrong: LINE `TOKENS`      the wrong text and its line; `TOKENS` #2 is its second place there
  # prints: TEXT              one for each line of output
  # options: --sim-cuda=1     those of `tdc run`
A program gets a point if the first report is placed in the wrong text, one if a fix makes the
program print these lines (each choice is tried alone, the safe fixes are tried together), and one
if there is only one report.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
import edits  # noqa: E402

WORKERS = 2
SECONDS = 60  # for one run of a program
WRONG = re.compile(r"# wrong: (\d+) `(.*)`(?: #(\d+))?$", re.MULTILINE)


def offset_of(text, line, tokens, count):
    """Where the wrong text begins, in bytes."""
    lines = text.splitlines(keepends=True)
    column = -1
    for _ in range(count):
        column = lines[line - 1].index(tokens, column + 1)
    return len(("".join(lines[:line - 1]) + lines[line - 1][:column]).encode())


class Program:
    def __init__(self, path):
        self.path = Path(path)
        self.text = self.path.read_text(encoding="utf-8")
        line, tokens, count = WRONG.search(self.text).groups()
        start = offset_of(self.text, int(line), tokens, int(count or 1))
        self.wrong = range(start, start + len(tokens.encode()))
        self.prints = re.findall(r"^# prints: ?(.*)", self.text, re.MULTILINE)
        self.options = " ".join(re.findall(r"^# options: (.*)", self.text, re.MULTILINE)).split()

    def run(self, text, *more):
        """The result of `tdc run` in a folder of its own."""
        hidden = {} if "--sim-cuda" in " ".join(self.options) else {"CUDA_VISIBLE_DEVICES": ""}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / self.path.name).write_text(text, encoding="utf-8")
            return subprocess.run(
                ["tdc", "run", *more, *self.options, self.path.name], cwd=folder, text=True,
                capture_output=True, timeout=SECONDS, env={**os.environ, **hidden})

    def repaired(self, attempt):
        try:
            done = self.run(edits.apply(self.text.encode(), attempt).decode())
        except (subprocess.TimeoutExpired, UnicodeDecodeError):
            return False
        return done.returncode == 0 and done.stdout.splitlines() == self.prints

    def missing(self, reports):
        """What the message lacks: a text for each lost point."""
        if not reports:
            return ["no report", "no place", "no fix"]
        lost = []
        start = reports[0]["primary"]["start"] if reports[0].get("primary") else None
        if not start or start["offset"] not in self.wrong:
            lost.append(f"placed at {start['line']}:{start['column']}" if start else "no place")
        if not (attempts := attempts_of(reports)):
            lost.append("no fix")
        elif not any(map(self.repaired, attempts)):
            lost.append("no fix that works")
        if len(reports) > 1:
            lost.append(f"{len(reports)} reports")
        return lost


def attempts_of(reports):
    """The sets of edits to try: one for each choice, and one of all safe fixes."""
    safe, choices = set(), []
    for fix in (fix for report in reports for fix in report["fixes"]):
        if fix["safety"] == "safe":
            safe.update(edits.edits_of(fix))
        else:
            choices.append(edits.edits_of(fix))
    return [attempt for attempt in [safe, *choices] if attempt]


def score(program):
    said = program.run(program.text, "--message-format=json").stderr
    reports = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return program.missing(reports)


def main():
    os.environ.pop("TDC_DEVICE", None)
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--at-least", type=float, default=0, metavar="SCORE")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    programs = list(map(Program, options.files))
    total = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for program, lost in zip(programs, pool.map(score, programs)):
            total += 3 - len(lost)
            print(f"{3 - len(lost)}  {program.path.stem}{': ' * bool(lost)}{', '.join(lost)}")
            if options.verbose:
                print(f"\n{program.run(program.text).stderr.strip()}\n")
    mean = total / len(programs)
    print(f"{len(programs)} programs, mean {mean:.2f} of 3")
    return 1 if mean < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
