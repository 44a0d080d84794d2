#!/usr/bin/env python3
"""Checks and measures tdc on the GPU of this machine; see README.md.

usage: run.sh --out DIR [--part I/N] [--minutes M] [--simulated] [--tools DIR] [--packed DIR]
       run.sh report DIR...
       run.sh calibrate [--tools DIR]

  --out DIR     where rows.jsonl is written, each row when it is measured; existing
                rows are not measured again
  --part I/N    the I-th of N parts that are about equally long (default 1/1)
  --minutes M   end after that long (default 9)
  --simulated   on the simulated driver, with small sizes: tests the script
  --tools DIR   the tools of a build folder, in place of the packed ones
  --packed DIR  the output of pack.py (default build/gpu-bench)
  report        writes DIR/report.md from the rows of all DIRs, finished or not
  calibrate     writes calibration.json, with the simulated driver

The exit code is 0 if all is measured and well; 1 if something is wrong, 2 if nothing can
be measured here, and 3 if the time was up: run the same command again to continue.
"""

import argparse
import concurrent.futures
import datetime
import itertools
import sys
import tempfile
import threading
import time
from pathlib import Path

import check
import jobs
import loops
import machine
import nvml
import peers
import report
import rows

AT_ONCE = 8


def parse_part(text):
    part, slash, parts = text.partition("/")
    if not slash or not 1 <= int(part) <= int(parts):
        raise argparse.ArgumentTypeError(f"I/N expected, not {text}")
    return int(part), int(parts)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("verb", nargs="?", choices=["report", "calibrate"])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--part", type=parse_part, default=(1, 1))
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--packed", type=Path, default=machine.PACKED)
    given = parser.parse_args()
    if (given.verb is None) != (given.out is not None):
        parser.error("say --out DIR, or report, or calibrate")
    if (given.verb == "report") != bool(given.folders):
        parser.error("report needs folders")
    return given


def tell(text):
    print(text, flush=True)


class Run:
    """Runs jobs, and writes their rows. `found` has the peers by name."""

    def __init__(self, here, folder, found):
        self.here, self.folder, self.peers = here, folder, found
        self.competitors = {"", "tdc", *found}
        if check.SANITIZER and not here.simulated:
            self.competitors.update(check.SANITIZERS)
        self.rows = rows.Rows(folder)
        self.lock = threading.Lock()

    def begin(self):
        """Writes the row of the machine. Raises Unfit if existing rows are of another one."""
        facts = self.here.facts
        before = [row for row in self.rows.all if row["kind"] == "machine"]
        for name in ("gpu", "uuid", "tdc", "simulated"):
            if before and before[-1].get(name) != facts.get(name):
                raise machine.Unfit(f"{self.folder} has rows of another machine ({name}: "
                                    f"{before[-1].get(name)}, here {facts.get(name)})")
        self.rows.add({"kind": "machine", "name": facts["gpu"], "date": now(), **facts})

    def do(self, job):
        with nvml.Watch(self.here.nvml) as watch:
            try:
                row = job.run(self.here, self.peers, self.folder)
            except loops.Failed as problem:
                row = {"problem": str(problem)}
            except machine.TimeIsUp:
                raise
            except Exception as problem:  # a mistake of one script must not end the others
                row = {"problem": f"{type(problem).__name__}: {problem}"}
        row = {"kind": job.kind, "name": job.name, "system": job.system, "date": now(), **row,
               "state": watch.state}
        with self.lock:
            self.rows.add(row)
            tell(f"row {' | '.join(job.key)} | {report.sum_up(row)}")

    def do_all(self, chosen):
        done = self.rows.keys()
        missing = sorted({job.system for job in chosen} - self.competitors)
        left = [job for job in chosen if job.key not in done and job.system in self.competitors]
        tell(f"{len(left)} of {len(chosen)} rows are to be measured"
             + (f"; not here: {', '.join(missing)}" if missing else ""))
        for at_once, group in itertools.groupby(left, lambda job: job.concurrent):
            # Threads wait for processes. The first exception ends the run.
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE if at_once else 1) as pool:
                waiting = [pool.submit(self.do, job) for job in group]
                try:
                    for job in concurrent.futures.as_completed(waiting):
                        job.result()
                finally:
                    for job in waiting:
                        job.cancel()


def now():
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


def measure(given, here):
    versions, found = ({}, []) if given.simulated else peers.find(here)
    here.facts["peers"] = versions
    here.facts["compute-sanitizer"] = check.SANITIZER
    run = Run(here, given.out, {peer.name: peer for peer in found})
    run.begin()
    status = 0
    try:
        run.do_all(jobs.find(here, *given.part))
    except machine.TimeIsUp:
        tell(f"{given.minutes:g} minutes are over; the same command goes on")
        status = 3
    finally:
        run.rows.close()
        for peer in found:
            peer.close()
    report.write([given.out])
    wrong = [row for row in run.rows.all if row.get("problem")]
    for row in wrong:
        tell(f"WRONG {' | '.join(rows.key(row))} | {row['problem']}")
    return 1 if wrong else status


def main():
    deadline = time.monotonic()
    given = arguments()
    if given.verb == "report":
        if missing := [folder for folder in given.folders if not (folder / rows.FILE).exists()]:
            print(f"run.sh: there is no {missing[0] / rows.FILE}", file=sys.stderr)
            return 2
        print(report.write(given.folders))
        return 0
    deadline += 60 * given.minutes
    simulated = given.simulated or given.verb == "calibrate"
    try:
        with tempfile.TemporaryDirectory(prefix="tdc-gpu-") as work:
            tools = machine.find_tools(given.tools, given.packed, Path(work))
            here = machine.Machine(tools, simulated, given.packed, Path(work), deadline)
            if given.verb == "calibrate":
                count, refused = check.calibrate(here)
                print(f"{count} programs; refused: {', '.join(refused)}")
                return 0
            return measure(given, here)
    except (machine.Unfit, machine.TimeIsUp, rows.InUse) as reason:
        print(f"run.sh: {reason or 'no time'}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
