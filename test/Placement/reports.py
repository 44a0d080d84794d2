"""Compares `tdc report` with the runs of the suite's programs.

    reports.py FOLDER [PROGRAM...]

Each FOLDER/p*.tdsl and PROGRAM is placed, reported and run by tdc-interpret, in
the modes of suite.py. For each line, source and destination the report has the copies
and bytes that were counted, or an upper bound if it is not exact. Iterations of loops
that the report leaves open ("iterations(12)") are taken from the run. If the bound is
exact it is the run's K0, and a gap has a reason. The line of a memory peak reaches it,
and the sizes of its holders add up to it. Each copy is in one step. If the program as
written copies more, the report names lines, each with a lower bound of the copies that
it makes there: of several lines that write the same copy the first one counts.
"""

import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from fractions import Fraction

import suite

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

# The report does not name the line that avoids a copy of a carried value, which may come
# from many lines.
NOT_NAMED = {("p12", "K0")}


def run(program, mode):
    """The report of a program and the counts of a run."""
    options = ["--sim-cuda=2", *suite.MODES[mode], program]
    report = subprocess.run(["tdc", "report", "--json", *options],
                            capture_output=True, text=True)
    placed = subprocess.run(["tdc", "emit", "--phase=placed", *options,
                             "--verbose"], capture_output=True, text=True)
    if report.returncode or placed.returncode:
        return None, None
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "transfers.json"
        subprocess.run(["tdc-interpret", "-", "--transfers", counts],
                       input=placed.stdout, check=True, capture_output=True,
                       text=True, cwd=folder)
        return json.loads(report.stdout), json.loads(counts.read_text())


def evaluate(site, counts):
    """Returns the copies of a site: its number, or the sum of the products of the trip counts
    that the loops around the copied values had."""
    if site["copies"]["number"] is not None:
        return site["copies"]["number"]
    return sum(multiply(runs, counts) for runs in [site["runs"], *site.get("otherRuns", [])])


def multiply(runs, counts):
    result = Fraction(1)
    for factor in runs:
        if "calls" in factor:
            return 0  # it has no caller
        if "loop" in factor:
            counted = counts["loops"][factor["loop"]]
            part, whole = counted["trips"], counted["entries"]
        else:
            counted = counts["branches"][factor["branch"]]
            part, whole = counted["taken"], counted["runs"]
            if factor["side"] == "else":
                part = whole - part
        if "iterations" in factor:
            part, whole = factor["iterations"], factor["entries"]
        elif "taken" in factor:
            part, whole = factor["taken"], factor["runs"]
        result *= Fraction(part, whole) if whole else 0
    return result


def check(report, counts, by_line=True):
    """Compares the copies of each line, or with by_line=False only those between two devices:
    a copy on first use is made by the first of its uses that runs, and the report has it at
    the first one in the program."""
    problems = []
    expected = collections.defaultdict(lambda: [0, 0, True])
    for site in report["sites"]:
        if any("calls" in factor for factor in site["runs"]):
            continue
        row = expected[by_line and site["line"], site["src"], site["dst"]]
        copies = evaluate(site, counts)
        row[0] += copies
        of_one = site["bytesOfOne"]["number"]
        if of_one is None and site["bytes"]["number"] is None:
            row[1] = math.nan  # run-time sizes
            of_one = 0
        row[1] += site["bytes"]["number"] if of_one is None else copies * of_one
        row[2] &= site["copies"]["exact"]
    counted = collections.defaultdict(lambda: (0, 0))
    for site in counts["sites"]:
        key = by_line and site["line"], site["src"], site["dst"]
        counted[key] = (counted[key][0] + site["executed"], counted[key][1] + site["bytes"])
    for key in {*expected, *counted}:
        copies, size, exact = expected[key]
        made = counted.get(key, (0, 0))
        bytes_fit = math.isnan(size) or (
            size == made[1] if exact else made[1] <= size)
        fits = bytes_fit and (copies == made[0] if exact else made[0] <= copies)
        if not fits:
            problems.append(f"{key}: {made} copies and bytes, the report has "
                            f"{'' if exact else 'at most '}{copies}, {size}")
    if report["bound"]["exact"]:
        bound = {name: report["bound"][name] for name in ("copies", "bytes")}
        if bound != counts["k0"]:
            problems.append(f"the bound is {bound}, K0 is {counts['k0']}")
    return problems


def check_profile(report):
    """Checks that each peak is the maximum of the profile, at its line, and the sum of its
    holders if all are in the arena; allocations outside of the arena are added."""
    problems = []
    for i, peak in enumerate(report["peaks"]):
        held = sum(holder["bytes"] for holder in peak["holders"])
        points = [(point["bytes"][i], point["line"]) for point in report["memory"]]
        most = max((number for number, _ in points), default=0)
        size = peak["bytes"]["number"]
        if held < most or size not in (held, None) or peak["bytes"]["exact"] and (
                most != size or (most, peak["line"]) not in points):
            problems.append(f"{peak}: held {held}, in the profile {most}")
    return problems


def check_steps(report):
    sites = sorted(site for step in report["steps"] for site in step["sites"])
    problems = [] if sites == [site["id"] for site in report["sites"]] else [
        f"copies in steps: {sites}"]
    for step in report["steps"]:
        parts = [step["always"]["copies"], step["sometimes"]["copies"]]
        if sum(part["number"] for part in parts) < len(step["sites"]):
            problems.append(f"a step with {len(step['sites'])} copies: {step}")
    return problems


def check_removed(report, written):
    """Returns the named lines where the run of `written` made no copies, or more."""
    problems = []
    lines = collections.Counter()
    for site in written["sites"]:
        lines[site["line"]] += site["executed"]
    for removed in report["removed"]:
        before, made = removed["before"]["number"], lines[removed["line"]]
        if made == 0 or before is not None and before < made:
            problems.append(f"{removed}, as written {made}")
    return problems


def count(counts):
    return sum(site["executed"] for site in counts["sites"])


def main():
    programs = sorted(pathlib.Path(sys.argv[1]).glob("p*.tdsl"))
    programs = sample.choose([*programs, *map(pathlib.Path, sys.argv[2:])], 3)
    failed = exact = 0
    for program in programs:
        written = None
        for mode in suite.MODES:
            report, counts = run(program, mode)
            if report is None:
                continue  # rejected in this mode: suite.py tests that
            problems = check(report, counts) + check_steps(report)
            if mode == "off":
                written = counts
            problems += check_profile(report)
            if written:
                problems += check_removed(report, written)
                if (count(counts) < count(written) and not report["removed"]
                        and (program.stem, mode) not in NOT_NAMED):
                    problems.append("fewer copies than as written, none removed")
            if "bug" in report["gap"].get("cause", ""):
                problems.append(f"a gap: {report['gap']}")
            failed += bool(problems)
            exact += report["placed"]["copies"]["exact"]
            for problem in problems:
                print(f"{program.stem} {mode}: {problem}")
    print(f"{len(programs)} programs, {exact} reports exact, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
