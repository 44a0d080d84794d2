#!/usr/bin/env python3
"""Measures tdc against its alternatives; see README.md.

usage: run.py [--tdc PATH] [--rounds N] [--seconds S] [--save] [step] [digits] [startup]
  --tdc PATH    the compiler (default build/release/bin/tdc)
  --rounds N    rounds for each competitor (default 7)
  --seconds S   length of a round (default 0.5)
  --save        also write results/PROCESSOR.md; for all workloads only

The exit code is 1 if tdc failed or a result is wrong.
"""

import argparse
import datetime
import os
import platform
import sys
from pathlib import Path

import measure
import report
from workloads import digits, startup, step

WORKLOADS = {"step": step, "digits": digits, "startup": startup}


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--tdc", type=Path, default=measure.ROOT / "build/release/bin/tdc")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    if unknown := set(given.workloads) - set(WORKLOADS):
        parser.error(f"no such workload: {', '.join(unknown)}")
    if given.save and given.workloads:
        parser.error("--save is for all workloads")
    if not given.tdc.exists():
        parser.error(f"there is no {given.tdc}; `./tdc.sh build` makes one")
    return given


def run_case(workload, case, given):
    rows = measure.compete(workload.competitors(case, given.tdc.resolve()),
                           given.rounds, given.seconds)
    for row in rows:
        if row.output:
            row.verdict, is_right = workload.judge(case, row.output)
            row.is_wrong = not is_right
    return rows


def main():
    given = arguments()
    # The competitors inherit the core; while they run, this process sleeps.
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    measure.CACHE.mkdir(parents=True, exist_ok=True)
    measure.build_launcher()
    text = [
        f"# Figures: {report.processor()}",
        f"{datetime.date.today()}, Linux {platform.release()}, one core, "
        f"{given.rounds} rounds of {given.seconds} s.\n"
        f"{measure.call(given.tdc.resolve(), 'version').strip()}, {report.versions()}.",
    ]
    cases, tables = {}, []
    for name in given.workloads or WORKLOADS:
        workload = WORKLOADS[name]
        for case in workload.CASES:
            title = name if case == name else f"{name} {case}"
            print(title, file=sys.stderr)
            cases[title] = rows = run_case(workload, case, given)
            tables.append(f"## {title}\n{workload.__doc__}\n\n{report.table(rows, workload.CHECKED)}")
            print(f"\n{tables[-1]}\n", flush=True)
    text += [report.summary(cases), *tables]
    print(text[2])
    if given.save:
        target = measure.BENCH / "results" / report.file_name()
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n\n".join(text) + "\n")
    everything = [row for rows in cases.values() for row in rows]
    return int(any(row.is_wrong or row.role == "tdc" and row.failure for row in everything))


if __name__ == "__main__":
    sys.exit(main())
