#!/usr/bin/env python3
"""The same program gives the same bytes: of code in every process, and of results with
every number of threads; and a seed gives the same random program.

usage: determinism.py [--seed N] [--count N]

Objects, LLVM IR and PTX of all examples and of random programs are made twice, in
processes that differ in all that must not matter: the addresses of memory, the
folder, the environment, the processors. Every example runs with 1 to 16 threads,
and its output and files are compared. The last line is
"determinism: N passed, N failed".
"""

import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from generate import generate, text
from workers import parse_options

ROOT = Path(__file__).resolve().parent.parent.parent
PHASES = [["--phase=obj"], ["--phase=llvm"], ["--phase=ptx", "--sim-cuda=1", "--device", "cuda"]]
THREADS = [1, 2, 3, 4, 8, 16]
SIMULATED = {"casts": ["--sim-cuda=3"], "to": ["--sim-cuda=1"]}
NOT_RUN = {"bert", "digits_model"}  # needs other files; is only imported
TDC = shutil.which("tdc")
PLAIN = {"PATH": os.environ["PATH"], "LC_ALL": "C"}


class World:
    """Where processes run: a folder, an environment, one processor or all."""

    def __init__(self, folder, environment, command=(), one=False):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.environment = {**PLAIN, **environment}
        self.command = [*command, TDC]
        self.processors = {min(os.sched_getaffinity(0))} if one else os.sched_getaffinity(0)

    def run(self, *words, folder=None, **more):
        return subprocess.run([*self.command, *words], cwd=folder or self.folder,
                              capture_output=True, env={**self.environment, **more},
                              preexec_fn=lambda: os.sched_setaffinity(0, self.processors))


def code_differs(worlds, name, words):
    """Returns the failure of the code of the named program, or None."""
    first, second = (world.run("emit", *words, name) for world in worlds)
    if first.returncode:
        return first.stderr.decode(errors="replace")
    if first.stdout != second.stdout:
        return f"{words}: {hashes(first.stdout)} and {hashes(second.stdout)}"
    return None


def hashes(data):
    return hashlib.sha256(data).hexdigest()[:16]


def results_differ(work, examples):
    """Runs all examples with every number of threads; yields a failure for each run, or None
    for each run after the first that equals it."""
    runs = {}
    for threads in THREADS:
        world = World(work / f"threads-{threads}", {"TDC_THREADS": str(threads)},
                      one=threads == 4)
        (world.folder / "examples").symlink_to(ROOT / "examples")
        for example in examples:
            done = world.run("run", f"examples/{example}.tdsl", *SIMULATED.get(example, []))
            if done.returncode:
                yield example, done.stderr.decode(errors="replace")
                continue
            files = {file.name: hashes(file.read_bytes())
                     for file in world.folder.iterdir() if file.is_file()}
            seen = (done.stdout, files)
            if example in runs:
                same = runs[example] == seen
                yield example, None if same else f"other results with {threads} threads"
            runs.setdefault(example, seen)


def programs_differ(options):
    """Whether another process makes different programs from the seeds."""
    shown = subprocess.run(
        [sys.executable, Path(__file__).with_name("random_programs.py"), "--show", "--seed",
         str(options.seed), "--count", str(options.count)], check=True, text=True,
        capture_output=True, env={**os.environ, "PYTHONHASHSEED": "1"}).stdout
    seeds = range(options.seed, options.seed + options.count)
    return shown != "".join(f"# seed {seed}\n{text(generate(seed))}\n" for seed in seeds)


def main():
    options = parse_options(__doc__)
    work = Path(tempfile.mkdtemp())
    worlds = [World(work / "a", {}),
              World(work / "another" / ("folder" * 20),
                    {"HOME": "/", "TMPDIR": str(work), "PADDING": "x" * 5000},
                    ["setarch", "-R"], one=True)]
    programs = []
    for source in sorted((ROOT / "examples").glob("*.tdsl")):
        programs.append((source.name, source.read_text()))
    for seed in range(options.seed, options.seed + options.count):
        programs.append((f"seed-{seed}.tdsl", text(generate(seed))))
    for world in worlds:
        for name, source in programs:
            (world.folder / name).write_text(source)

    examples = [source.stem for source in sorted((ROOT / "examples").glob("*.tdsl"))
                if source.stem not in NOT_RUN]
    compared = list(results_differ(work, examples))
    problems = [(example, problem) for example, problem in compared if problem]
    passed = len(compared) - len(problems)
    if programs_differ(options):
        problems.append(("random programs", "another process makes others"))
    else:
        passed += 1
    jobs = [(name, words + (SIMULATED.get(name.removesuffix(".tdsl"), [])
                            if "--sim-cuda=1" not in words else []))
            for name, _ in programs for words in PHASES]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for job, problem in zip(jobs, pool.map(lambda job: code_differs(worlds, *job), jobs)):
            if problem:
                problems.append((job[0], problem))
            else:
                passed += 1
    for name, problem in problems:
        print(f"FAILED: {name}: {problem}")
    shutil.rmtree(work)
    print(f"determinism: {passed} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
