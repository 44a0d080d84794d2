#!/usr/bin/env python3
"""Measures tdc against its alternatives; see README.md.

usage: run.py [options] [WORKLOAD[:PART]...]
  WORKLOAD      step, digits, minilm, gpt2, images, operations or startup (default:
                all); with PART, the cases whose names contain it
  --tdc PATH    the compiler (default build/release/bin/tdc)
  --against PATH  compare with this build of tdc, not with the peers
  --only NAME,NAME  these peers only
  --threads N,N   how many threads everything has, one after the other (default 1)
  --rounds N    rounds for each competitor (default 9); 0 only compares the results
  --seconds S   length of a round (default 0.3)
  --processor-time  measure the time of the processor instead of the clock's: for one
                thread, while others use the machine
  --save FOLDER   also write the figures there, as PROCESSOR.md and PROCESSOR.svg

Tells how busy the machine was, but measures nevertheless. The exit code is 1 if tdc
failed or a result is wrong.
"""

import argparse
import datetime
import os
import platform
import shutil
import sys
from pathlib import Path

import measure
import report
from workloads import digits, gpt2, images, minilm, operations, startup, step

WORKLOADS = {"step": step, "digits": digits, "minilm": minilm, "gpt2": gpt2,
             "images": images, "operations": operations, "startup": startup}


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--tdc", type=compiler, default=str(measure.ROOT / "build/release/bin/tdc"))
    parser.add_argument("--against", type=compiler)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    given.threads = [int(count) for count in given.threads.split(",")]
    if (most := max(given.threads)) > len(measure.CORES):
        parser.error(f"{most} threads for {len(measure.CORES)} cores")
    if given.processor_time and given.threads != [1]:
        parser.error("--processor-time is for one thread")
    given.cases = [case for text in given.workloads or WORKLOADS for case in selected(text, parser)]
    return given


def compiler(name):
    """The path of a build of tdc."""
    if found := shutil.which(name):
        return Path(found).resolve()
    raise argparse.ArgumentTypeError(f"there is no {name}")


def selected(text, parser):
    """The cases that an argument names."""
    name, _, part = text.partition(":")
    if name not in WORKLOADS:
        parser.error(f"no such workload: {name}")
    cases = [(name, case) for case in WORKLOADS[name].CASES if part in case]
    return cases or parser.error(f"no such case: {text}")


def competitors(workload, case, given):
    ours = workload.of_tdc(case, measure.Tdc(given.tdc))
    if given.against:
        others = workload.of_tdc(case, measure.Tdc(given.against, "other"))
        for other in others:
            other.role = "peer"
    else:
        others = [peer for peer in workload.peers(case)
                  if not given.only or peer.name in given.only]
    if hasattr(workload, "work"):
        others.append(measure.Machine(*workload.work(case)))
    return ours + others


def run_case(workload, case, given):
    rows = measure.compete(competitors(workload, case, given), given.rounds, given.seconds)
    for row in rows:
        if row.output:
            row.verdict, is_right = workload.judge(case, row.output)
            row.is_wrong = not is_right
    return rows


def run_cases(given, threads):
    """The rows of each case by its title, and their tables."""
    measure.use_cores(threads)
    cases, tables = {}, []
    for name, case in given.cases:
        title = name if case == name else f"{name} {case}"
        if threads > 1:
            title += f", {threads} threads"
        print(title, file=sys.stderr)
        workload = WORKLOADS[name]
        cases[title] = run_case(workload, case, given)
        tables.append(f"## {title}\n\n{report.table(cases[title], workload.CHECKED)}")
        print(f"\n{tables[-1]}\n", flush=True)
    measure.Worker.end_all()
    return cases, tables


def main():
    given = arguments()
    measure.CACHE.mkdir(parents=True, exist_ok=True)
    measure.build_launcher()
    if given.processor_time:
        measure.use_processor_time()
    load = os.getloadavg()[0]
    cases, tables = {}, []
    try:
        for threads in given.threads:
            more_cases, more_tables = run_cases(given, threads)
            cases |= more_cases
            tables += more_tables
    finally:
        measure.Worker.end_all()
    text = "\n\n".join([
        f"# Figures: {report.processor()}",
        f"{datetime.date.today()}, Linux {platform.release()}, "
        f"{given.rounds} rounds of {given.seconds} s, times of the "
        f"{'processor' if given.processor_time else 'clock'}, "
        f"{os.cpu_count()} cores with a load of {load:.1f} before the start.\n"
        f"{measure.call(given.tdc, 'version').strip()}, {report.versions()}.",
        report.summary(cases)])
    print(text)
    if given.save:
        report.save("\n\n".join([text, *tables]), given.save)
    everything = [row for rows in cases.values() for row in rows]
    return int(any(row.is_wrong or row.role == "tdc" and row.failure for row in everything))


if __name__ == "__main__":
    sys.exit(main())
