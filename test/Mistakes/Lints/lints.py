"""Compares the warnings of programs with those that their comments expect.

usage: lints.py FILE...

The first line of a program says what it is about: `# TD612: TEXT` where the code must be
reported, `# TD612, quiet: TEXT` where a program resembles such a mistake and is right. Other
programs are imported. A line with warnings ends in `# warns: CODE` or `# warns: CODE, CODE`;
there are no others. Each code has at least three programs of both kinds.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

ABOUT = re.compile(r"# (TD\d+)(, quiet)?: ")
EXPECTED = re.compile(r"  # warns: (.*)$")
ENOUGH = 3


def expected_in(path, text):
    """Each warning that the comments expect: file, line, code."""
    return [(path.name, number, code)
            for number, line in enumerate(text.splitlines(), 1)
            if (warns := EXPECTED.search(line))
            for code in warns[1].split(", ")]


def reported_for(paths):
    run = subprocess.run(["tdc", "check", "--message-format=json", *paths],
                         capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"exit code {run.returncode}\n{run.stderr}")
    reports = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
    return [(Path(place["file"]).name, place["start"]["line"], report["code"])
            if (place := report["primary"]) else ("no file", 0, report["code"])
            for report in reports]


def differences(expected, reported):
    expected, reported = map(collections.Counter, (expected, reported))
    for word, left in (("missed", expected - reported), ("wrong", reported - expected)):
        for file, line, code in sorted(left.elements()):
            yield f"{file}:{line}: {word}: {code}"


def main():
    complaints, kinds, expected = [], collections.Counter(), []
    for path in map(Path, sys.argv[1:]):
        text = path.read_text(encoding="utf-8")
        warns = expected_in(path, text)
        expected += warns
        if about := ABOUT.match(text):
            code, quiet = about.groups()
            kinds[code, bool(quiet)] += 1
            if any(code == other for _, _, other in warns) == bool(quiet):
                complaints.append(f"{path.name}: the first line and the comments differ")
    complaints += differences(expected, reported_for(sys.argv[1:]))
    for code in sorted({code for code, _ in kinds}):
        for quiet in (False, True):
            if kinds[code, quiet] < ENOUGH:
                complaints.append(f"{code}: {kinds[code, quiet]} programs "
                                  f"{'without' if quiet else 'with'} it, not {ENOUGH}")
    sys.exit("\n".join(complaints) or 0)


main()
