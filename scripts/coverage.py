#!/usr/bin/env python3
"""Measures the coverage of the runtime by its unit tests, per folder.

usage: coverage.py [--missed]
  --missed   also list each line and branch that no test reaches

Builds the preset `coverage`, runs its tests and counts lines and branches of
runtime/. Profiles are written while a test runs, so children of a test count,
also those that are killed. Fails if less than LINES or BRANCHES percent of a
folder that is linked into programs are reached.

Code that no test can reach there:
  - code for other processors (Random.cpp), code for libraries that the tests do
    not have (a GPU's driver that is not simulated: Driver.cpp, Kernels.cpp), and
    code that runs in the compiler (the table of ZipWriter.cpp)
  - the ends of the address space (parts of SSIZE_MAX bytes in File.cpp)
  - functions that a library's interface requires but never calls
    (HeaderBuilder::binary in Safetensors.cpp, warnings of arithmetic coding in
    Jpeg.cpp)
  - one order of events of two threads (the pool that another thread has just
    made in Parallel.cpp; a signal while its handler is installed, Program.cpp)
"""

import argparse
import collections
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/coverage"
PROFILES = BUILD / "profiles"
CARRIED = ("runtime/include", "runtime/src")
LINES, BRANCHES = 98, 95


def run(*command, **options):
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=True, **options)


def run_tests():
    """Runs every test program of the build; returns the programs."""
    shutil.rmtree(PROFILES, ignore_errors=True)
    PROFILES.mkdir()
    # One file for each program or library (%m), mapped into memory (%c).
    environment = {**os.environ, "LLVM_PROFILE_FILE": f"{PROFILES}/%c%m.profraw"}
    programs = sorted((BUILD / "unit").iterdir())
    for program in programs:
        run(program, "--gtest_brief=1", env=environment)
    return programs


def read_counts(programs):
    """{file: ({line: count}, {(line, branch): count})} of runtime/ without tests."""
    profile = BUILD / "all.profdata"
    run("llvm-profdata-22", "merge", "-sparse", "-o", profile, *PROFILES.glob("*.profraw"))
    objects = [BUILD / "bin/tdc-kill-saver", *programs]
    text = run("llvm-cov-22", "export", "-format=lcov", f"-instr-profile={profile}", objects[0],
               *(f"-object={name}" for name in objects[1:]),
               ROOT / "runtime/src", ROOT / "runtime/include",
               *(ROOT / "runtime/sim" / part for part in ("driver", "execute", "memory", "ptx")),
               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    counts = {}
    for record in text.splitlines():
        kind, _, rest = record.partition(":")
        if kind == "SF":
            lines, branches = counts[Path(rest).relative_to(ROOT)] = ({}, {})
        elif kind == "DA":
            line, count = rest.split(",")[:2]
            lines[int(line)] = int(count)
        elif kind == "BRDA":
            line, *branch, count = rest.split(",")
            branches[int(line), tuple(branch)] = 0 if count == "-" else int(count)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--missed", action="store_true",
                        help="also each line and branch that no test reaches")
    options = parser.parse_args()
    run("cmake", "--preset", "coverage", stdout=subprocess.DEVNULL)
    run("cmake", "--build", "--preset", "coverage")
    counts = read_counts(run_tests())

    folders = collections.defaultdict(lambda: ([], []))
    for path, found in sorted(counts.items()):
        for total, one in zip(folders[path.parent], found):
            total.extend(one.values())
        if options.missed:
            lines, branches = found
            for line in sorted({line for line, count in lines.items() if not count} |
                               {line for (line, _), count in branches.items() if not count}):
                text = (ROOT / path).read_text().splitlines()[line - 1].strip()
                what = "branch" if lines.get(line) else "line"
                print(f"{path}:{line}: {what} not reached: {text}")

    def percent(values):
        return 100 * sum(map(bool, values)) / len(values)

    low = False
    print(f"{'folder':32} {'lines':>6} {'reached':>8} {'branches':>9} {'reached':>8}")
    for folder, (lines, branches) in folders.items():
        if str(folder).startswith(CARRIED):
            low |= percent(lines) < LINES or percent(branches) < BRANCHES
        print(f"{str(folder):32} {len(lines):6} {percent(lines):7.1f}% "
              f"{len(branches):9} {percent(branches):7.1f}%")
    return int(low)


if __name__ == "__main__":
    sys.exit(main())
