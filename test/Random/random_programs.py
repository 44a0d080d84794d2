#!/usr/bin/env python3
"""Random programs mean the same at every level of the compiler, and in NumPy.

usage: random_programs.py [--seed N] [--count N] [--level LEVEL]... [--show] [--keep DIR]
  --seed    the first seed; one seed is one program, for ever
  --count   how many programs (1: the whole of what happens is said)
  --level   only these (test/tools/tdc-levels), for each program
  --show    print the programs and run nothing
  --keep    folder for the programs that fail, made smaller

Compared are the interpreter, code without and with LLVM's optimisation, code for
a simulated GPU, and pipelines without a pass. The last line is
"random: N passed, N failed".
"""

import argparse
import collections
import concurrent.futures
import functools
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import levels
from generate import generate, text
from shrink import count_ops, shrink
from values import Rejected

CHUNK = 20  # programs of one task of a worker
SHRINKING = 60  # seconds at most for one program


def check_seeds(seeds, wanted, work):
    """Checks programs; yields (seed, levels run, problems, program made smaller)."""
    server = levels.Server(Path(work) / str(os.getpid()))
    report = []
    for seed in seeds:
        chosen = wanted or levels.levels_of(seed)
        program = generate(seed)
        problems = levels.find_problems(server, program, chosen)
        smaller = make_smaller(server, program, problems[0]) if problems else None
        report.append((seed, len(chosen), problems,
                       smaller and (count_ops(smaller), text(smaller))))
    server.close()
    return report


def make_smaller(server, program, problem):
    needed = [problem.level] if problem.level == levels.INTERPRETER or problem.kind != "result" \
        else [levels.INTERPRETER, problem.level]
    deadline = time.monotonic() + SHRINKING

    def fails(candidate):
        if time.monotonic() > deadline:
            return False
        try:
            found = levels.find_problems(server, candidate, needed)
        except Rejected:
            return False
        return any((p.level, p.kind) == (problem.level, problem.kind) for p in found)
    return shrink(program, fails)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--level", action="append")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main():
    options = parse_options()
    seeds = range(options.seed, options.seed + options.count)
    if options.show:
        for seed in seeds:
            print(f"# seed {seed}\n{text(generate(seed))}")
        return 0
    print(f"seeds {seeds.start} to {seeds.stop - 1}", flush=True)
    shared = Path("/dev/shm")
    work = tempfile.mkdtemp(dir=shared if os.access(shared, os.W_OK) else None)
    runs, failed = collections.Counter(), 0
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        chunks = [seeds[i:i + CHUNK] for i in range(0, len(seeds), CHUNK)]
        check = functools.partial(check_seeds, wanted=options.level, work=work)
        for report in pool.map(check, chunks):
            for seed, count, problems, smaller in report:
                runs["runs"] += count
                if not problems:
                    continue
                failed += 1
                print(f"FAILED: seed {seed}", flush=True)
                for problem in problems:
                    print(f"  {problem.level}: {problem.text}")
                print(f"  made smaller, {smaller[0]} ops:\n{smaller[1]}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{seed}.tdsl").write_text(smaller[1])
    shutil.rmtree(work)
    print(f"{runs['runs']} runs")
    print(f"random: {len(seeds) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
