"""Checks programs of many seeds on all processors, and counts."""

import argparse
import concurrent.futures
import os
import tempfile
from pathlib import Path

import levels

CHUNK = 20  # programs of one task of a worker
TOLD = 1000  # programs between lines of progress
LEAST = 0.4  # of 100 programs or more, those that must run


def make_parser(description):
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    return parser


def parse_options(description, with_levels=False):
    parser = make_parser(description)
    parser.add_argument("--keep", type=Path)
    if with_levels:
        parser.add_argument("--level", action="append")
    return parser.parse_args()


def show(seeds, source_of):
    for seed in seeds:
        print(f"# seed {seed}\n{source_of(seed)}")


def run_each(name, description, source_of, check):
    """Checks the program of every seed by `tdc` itself; returns the exit status. `source_of`
    returns the text of a seed; `check` takes a seed and a folder that is not there yet, and
    returns the problem or None."""
    options = make_parser(description).parse_args()
    seeds = range(options.seed, options.seed + options.count)
    if options.show:
        show(seeds, source_of)
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as work, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = pool.map(lambda seed: check(seed, Path(work) / str(seed)), seeds)
        for seed, problem in zip(seeds, problems):
            if problem:
                failed += 1
                print(f"FAILED: {name}, seed {seed}\n{problem}\n{source_of(seed)}", flush=True)
    print(f"{name}: {len(seeds) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run_all(name, options, source_of, check_seeds):
    """Checks every program; returns the exit status. `source_of` returns the text of a seed;
    `check_seeds` takes a server, seeds and the options and yields for each (seed, runs, its
    failure or None, the text that shows the failure). A program of 0 runs was not checked."""
    seeds = range(options.seed, options.seed + options.count)
    if options.show:
        show(seeds, source_of)
        return 0
    print(f"{name}: seeds {seeds.start} to {seeds.stop - 1}", flush=True)
    # Programs write many small files, and sync them.
    memory = "/dev/shm"
    runs = passed = failed = checked = 0
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as work, \
            concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [pool.submit(run_some, check_seeds, seeds[i:i + CHUNK], options, work)
                for i in range(0, len(seeds), CHUNK)]
        for job in jobs:
            for seed, count, problem, source in job.result():
                runs += count
                checked += 1
                if checked % TOLD == 0:
                    print(f"{name}: {checked} checked", flush=True)
                if not problem:
                    passed += count > 0
                    continue
                failed += 1
                print(f"FAILED: {name}, seed {seed}\n{problem}\n{source}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{name}-{seed}.tdsl").write_text(source)
    print(f"{name}: {runs} runs")
    if len(seeds) >= 100 and passed + failed < LEAST * len(seeds):
        print(f"FAILED: {name}: only {passed + failed} of {len(seeds)} programs ran")
        failed += 1
    print(f"{name}: {passed} passed, {failed} failed")
    return 1 if failed else 0


def run_some(check_seeds, seeds, options, work):
    server = levels.Server(Path(work) / str(os.getpid()))
    try:
        return list(check_seeds(server, seeds, options))
    finally:
        server.close()
