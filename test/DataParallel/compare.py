#!/usr/bin/env python3
"""Programs on one to four simulated GPUs, compared with PyTorch and with one GPU.

    compare.py PROGRAM...

Each program, of a part (../Placement/sample.py), runs twice on each number of GPUs, with
schedules of the simulated driver that differ: the output and the state must have the same
bits. They may differ from expected.json, which reference.py makes with PyTorch, and from
one GPU, unless the program has batch statistics, by 1e-5 of the largest number of a
tensor; programs in f64 from one GPU by 1e-10."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import safetensors.numpy

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "Placement"))
import sample  # noqa: E402


def run(program, gpus, seed):
    """The numbers that a run prints, line by line, and the state at its end."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["tdc", "run", f"--sim-cuda={gpus}", HERE / f"{program}.tdsl", "--state", "state"],
            cwd=folder, capture_output=True, text=True,
            env={**os.environ, "TDC_SIM_SEED": str(seed)})
        if done.returncode != 0:
            raise SystemExit(f"{program} on {gpus}: {done.stdout[-400:]}{done.stderr[-2000:]}")
        printed = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
        return printed, safetensors.numpy.load_file(pathlib.Path(folder) / "state")


def differ(ours, theirs, tolerance):
    ours, theirs = (np.asarray(x, np.float64).ravel() for x in (ours, theirs))
    return ours.shape != theirs.shape or not np.all(
        np.abs(ours - theirs) <= tolerance * max(np.abs(theirs).max(initial=0), 1e-2))


def compare(program, expected):
    failures = []
    with_statistics = len(expected or {}) > 1
    one = None
    for gpus in range(1, 5):
        printed, state = run(program, gpus, gpus)
        again, state_again = run(program, gpus, 10 + gpus)
        where = f"{program} on {gpus} GPUs: "
        if printed != again or any(np.any(state[k] != state_again[k]) for k in state):
            failures.append(where + "two runs differ")
        one = one or state
        tolerance = 1e-10 if any(v.dtype == np.float64 for v in state.values()) else 1e-5
        if not with_statistics:
            failures += [where + f"{key} is not that of one GPU" for key in state
                         if differ(state[key], one[key], tolerance)]
        if expected:
            wanted = expected.get(str(gpus), expected["1"])
            if [len(line) for line in printed] != [len(line) for line in wanted["printed"]] or \
                    differ(sum(printed, []), sum(wanted["printed"], []), 1e-5):
                failures.append(where + f"printed {printed}, PyTorch {wanted['printed']}")
            for key, sums in wanted["state"].items():
                value = state[key].astype(np.float64)
                if differ([value.sum(), np.abs(value).sum()], sums, 1e-5):
                    failures.append(where + f"{key}: {value.sum()}, PyTorch {sums}")
    return failures


def main():
    expected = json.loads((HERE / "expected.json").read_text())
    failed = 0
    programs = sample.choose(sys.argv[1:])
    for program in programs:
        failures = compare(program, expected.get(program))
        print("\n".join(failures), end="\n" if failures else "")
        failed += bool(failures)
    print(f"{len(programs)} programs, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
