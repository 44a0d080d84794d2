#!/usr/bin/env python3
"""Checks and measures tdc on the GPU of this machine. README.md says how.

usage: run.sh [--simulated] [--calibrate] [--seconds S] [check] [time]
  check        programs and op table, against what the simulated driver did
  time         programs and single ops, beside PyTorch and JAX
               (both where none is said)
  --simulated  on the simulated driver, with small sizes: is the script whole?
  --calibrate  write calibration.json; with --simulated only
  --seconds S  stop timing after that long (default 240)

Writes results/GPU-DATE.json and .md, simulated ones to build/gpu-bench. The exit
code is 1 if something is wrong, 2 if there is no GPU.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
import time

import check
import machine
import timing


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("parts", nargs="*", choices=["check", "time", []])
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--seconds", type=float, default=240)
    given = parser.parse_args()
    if given.calibrate and not given.simulated:
        parser.error("--calibrate is what the simulated driver does")
    given.parts = given.parts or ["check", "time"]
    return given


def main():
    given = arguments()
    try:
        here = machine.find(given.simulated)
    except machine.Unfit as reason:
        print(f"run.sh: {reason}", file=sys.stderr)
        return 2
    if given.calibrate:
        check.calibrate(here)
        return 0
    began = time.monotonic()
    results = {"date": str(datetime.date.today()), "tdc": here.version, "gpu": here.gpu,
               "peers": here.peers}
    if "check" in given.parts:
        results["checks"] = check.run(here)
    if "time" in given.parts:
        results["times"] = timing.run(here, given.seconds)
    results["seconds"] = round(time.monotonic() - began)
    text = describe(results, given.simulated)
    print(text)
    folder = machine.BUILD if given.simulated else machine.HERE / "results"
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", here.gpu.lower()).strip("-") + "-" + results["date"]
    (folder / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / f"{name}.md").write_text(text)
    return int(any(row["problem"] for row in results.get("checks", [])) or
               any(row["tdc"] is None for row in results.get("times", [])))


def describe(results, simulated):
    lines = [f"# {results['gpu']}, {results['date']}", "",
             f"{results['tdc']}; {', '.join(results['peers']) or 'no peers here'}.", ""]
    if checks := results.get("checks"):
        wrong = [row for row in checks if row["problem"]]
        lines += ["## Checks", f"{len(checks)} made, {len(wrong)} wrong; "
                  f"{sum(row['equal'] for row in checks)} equal to the last bit.", ""]
        lines += [f"- {row['name']}: {row['problem']}" for row in wrong]
    if times := results.get("times"):
        lines += ["", "## Times"]
        if simulated:
            lines.append("Of the simulation, with small sizes: no speed of anything.\n")
        lines += timing.table(times)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
