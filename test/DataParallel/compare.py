#!/usr/bin/env python3
"""Programs on one to four simulated GPUs, compared with PyTorch and with one GPU.

    compare.py PROGRAM...

Each program, of a part (../tools/sample.py), is built for each number of GPUs: the sizes that an
argument gives are not known then. It runs twice, with schedules of the simulated driver that
differ: the output, which has all digits, and the state must have the same bits. They may differ
from expected.json, which reference.py makes with PyTorch, and from one GPU, unless the program has
batch statistics, by 1e-5 of the largest number of a tensor; programs in f64 from one GPU by
1e-10. Programs in ARGUMENTS run with these as well, and are then compared with one GPU only."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import safetensors.numpy

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "tools"))
import sample  # noqa: E402

# One row is fewer than the GPUs; the last batches have other sizes, from one row on.
ARGUMENTS = {"tail": [["--rows", rows] for rows in ("1", "2", "9", "12")]}


class Run:
    """The numbers that a run prints, line by line, and the state at its end."""

    def __init__(self, done, state):
        self.text = done.stdout
        self.printed = [[float(word) for word in line.split()] for line in self.text.splitlines()]
        self.state = safetensors.numpy.load_file(state)

    def is_same(self, other):
        return self.text == other.text and self.state.keys() == other.state.keys() and all(
            value.tobytes() == other.state[key].tobytes() for key, value in self.state.items())


class Built:
    def __init__(self, program, gpus, folder):
        self.where, self.gpus, self.folder = f"{program} on {gpus} GPUs", gpus, folder
        # Without a version for machines that have no GPU.
        self.execute(["tdc", "build", "--device", "cuda", f"--sim-cuda={gpus}",
                      HERE / f"{program}.tdsl", "-o", "program"])

    def execute(self, command, **env):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **env})
        if done.returncode != 0:
            raise RuntimeError(f"{self.where}: {done.stdout[-400:]}{done.stderr[-2000:]}")
        return done

    def run(self, seed, *arguments):
        done = self.execute(["./program", "--state", "state", *arguments],
                            TDC_SIM_CUDA=str(self.gpus), TDC_SIM_SEED=str(seed))
        return Run(done, pathlib.Path(self.folder) / "state")


def differ(ours, theirs, tolerance):
    ours, theirs = (np.asarray(x, np.float64).ravel() for x in (ours, theirs))
    return ours.shape != theirs.shape or not np.all(
        np.abs(ours - theirs) <= tolerance * max(np.abs(theirs).max(initial=0), 1e-2))


def compare_printed(ours, theirs, tolerance=1e-5):
    same_lines = [len(line) for line in ours] == [len(line) for line in theirs]
    return [] if same_lines and not differ(sum(ours, []), sum(theirs, []), tolerance) else [
        f"printed {ours}, not {theirs}"]


def compare_with_one(run, one):
    is_f64 = any(value.dtype == np.float64 for value in one.state.values())
    tolerance = 1e-10 if is_f64 else 1e-5
    return compare_printed(run.printed, one.printed, tolerance) + [
        f"{key} is not that of one GPU" for key in one.state
        if differ(run.state[key], one.state[key], tolerance)]


def compare_with_pytorch(run, wanted):
    failures = compare_printed(run.printed, wanted["printed"])
    for key, sums in wanted["state"].items():
        value = run.state[key].astype(np.float64)
        if differ([value.sum(), np.abs(value).sum()], sums, 1e-5):
            failures.append(f"{key}: {value.sum()}, PyTorch {sums}")
    return failures


def compare_on(program, gpus, expected, ones):
    """`ones` has the runs on one GPU, by their arguments."""
    failures = []
    with_statistics = len(expected or {}) > 1
    with tempfile.TemporaryDirectory() as folder:
        built = Built(program, gpus, folder)
        for arguments in [[], *ARGUMENTS.get(program, [])]:
            run = built.run(gpus, *arguments)
            problems = [] if run.is_same(built.run(10 + gpus, *arguments)) else ["two runs differ"]
            one = ones.setdefault(tuple(arguments), run)
            if not with_statistics:
                problems += compare_with_one(run, one)
            if expected and not arguments:
                problems += compare_with_pytorch(run, expected.get(str(gpus), expected["1"]))
            where = " ".join([built.where, *arguments])
            failures += [f"{where}: {problem}" for problem in problems]
    return failures


def compare(program, expected):
    failures, ones = [], {}
    for gpus in range(1, 5):
        try:
            failures += compare_on(program, gpus, expected, ones)
        except RuntimeError as problem:
            failures.append(str(problem))
    return failures


def main():
    expected = json.loads((HERE / "expected.json").read_text())
    failed = 0
    programs = sample.choose(sys.argv[1:], 6)
    for program in programs:
        failures = compare(program, expected.get(program))
        print("\n".join(failures), end="\n" if failures else "")
        failed += bool(failures)
    print(f"{len(programs)} programs, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
