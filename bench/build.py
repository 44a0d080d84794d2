#!/usr/bin/env python3
"""How long `tdc build` takes for each program in examples/, and what it takes and makes.

    build.py [--tdc PATH] [--rounds N]

Each build is a process of its own. A row has the processor time of all threads (median
of the rounds, which are interleaved), the peak memory of the process, and the size of
the executable. The exit code is 1 if a build fails.
"""

import argparse
import pathlib
import shutil
import statistics
import sys
import tempfile

from growth import measure

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tdc", default="tdc")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    found = shutil.which(options.tdc) or parser.error(f"there is no {options.tdc}")
    tdc = pathlib.Path(found).resolve()
    failed = False
    print("| program | seconds | MB of memory | KB of executable |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        examples = shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples")
        programs = sorted(examples.glob("*.tdsl"))
        rounds = [[measure(tdc, "build", path) for path in programs]
                  for _ in range(options.rounds)]
        for path, runs in zip(programs, zip(*rounds)):
            seconds, megabytes, ends = zip(*runs)
            ended = next(filter(None, ends), None)
            failed |= bool(ended)
            made = path.with_suffix("")
            size = f"{made.stat().st_size / 1e3:.0f}" if made.exists() else "–"
            print(f"| {path.stem} | {ended or f'{statistics.median(seconds):.2f}'} | "
                  f"{max(megabytes):.0f} | {size} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
