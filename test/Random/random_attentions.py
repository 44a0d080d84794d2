#!/usr/bin/env python3
"""Random attentions whose scores do not fit the cache compute what NumPy does, on 1 and 3 threads.

usage: random_attentions.py [--seed N] [--count N] [--show]
  --seed    the first seed; one seed is one program, for ever
  --count   how many programs
  --show    print the programs and run nothing

Such kernels run one block of rows after another (StagedKernel.h), which programs with small
tensors do not reach. Each program is one function: scores that two functions share would be
stored.
The last line is "attentions: N passed, N failed".
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

from workers import run_each

WIDTH = 16
TOLERANCE = 2e-5
# Each with its meaning in NumPy. X: what it is applied to.
SCORES = {
    "q @ k.transpose(2, 3)": lambda q, k, b: q @ k.swapaxes(2, 3),
    "(k @ q.transpose(2, 3)).transpose(2, 3)": lambda q, k, b: q @ k.swapaxes(2, 3),
    "q.matmul(k.mT) + b": lambda q, k, b: q @ k.swapaxes(2, 3) + b,
    "(q[:, :1] @ k[:, :1].mT).expand(1, HEADS, ROWS, COLUMNS)":
        lambda q, k, b: (q[:, :1] @ k[:, :1].swapaxes(2, 3)).repeat(q.shape[1], 1),
    "q.unsqueeze(0)[0] @ k.permute(0, 1, 3, 2)": lambda q, k, b: q @ k.swapaxes(2, 3),
    "b": lambda q, k, b: b,
    "b.transpose(2, 3).transpose(2, 3)": lambda q, k, b: b,
}
STEPS = {
    "X * 0.25": lambda x, b: x * 0.25,
    "X + b": lambda x, b: x + b,
    "tanh(X / 4.0) * 4.0": lambda x, b: np.tanh(x / 4) * 4,
    "X - X.mean(3, true)": lambda x, b: x - x.mean(3, keepdims=True),
    "X - X.amax(3, true)": lambda x, b: x - x.max(3, keepdims=True),
    "(X).transpose(1, 2).transpose(1, 2)": lambda x, b: x,
    "(X + b).transpose(2, 3).transpose(3, 2)": lambda x, b: x + b,
}
WEIGHTS = {
    "X.softmax(3)": lambda x: softmax(x),
    "exp(X * 0.1)": lambda x: np.exp(x * 0.1),
    "relu(X)": lambda x: np.maximum(x, 0),
    "X.softmax(3) * 1.5": lambda x: softmax(x) * 1.5,
    "sqrt(X.softmax(3))": lambda x: np.sqrt(softmax(x)),
}
RELATIONS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


def softmax(x):
    with np.errstate(invalid="ignore"):
        powers = np.exp(x - x.max(3, keepdims=True))
    return powers / powers.sum(3, keepdims=True)


class Attention:
    """The program of a seed, and what its function computes."""

    def __init__(self, seed):
        pick = random.Random(seed)
        self.heads = pick.choice((1, 2, 3))
        self.rows = pick.choice((600, 1024, 1031, 1536))
        self.columns = self.rows if pick.random() < 0.6 else pick.choice((640, 1000, 1024))
        self.scores = pick.choice(list(SCORES))
        self.before = [pick.choice(list(STEPS)) for _ in range(pick.choice((0, 0, 1, 2)))]
        self.weights = pick.choice(list(WEIGHTS))
        # Often causal. `fills`: where the relation holds; else where it does not.
        self.relation, self.fills = pick.choice(((None, True), (">", True), (">", True),
                                                 ("<=", False), (">=", True), ("<", False),
                                                 ("<", True), (">=", False)))
        self.shift = pick.choice((0, 0, 1, 2, 40, -300))
        usual = -np.inf if "softmax" in self.weights else 0.0
        self.fill = pick.choice((usual, usual, 0.0, -3.0))

    def shapes(self):
        sizes = {"q": (self.rows, WIDTH), "k": (self.columns, WIDTH), "v": (self.columns, WIDTH),
                 "b": (self.rows, self.columns)}
        return {name: (1, self.heads, *size) for name, size in sizes.items()}

    def source(self):
        text = self.scores
        for name, size in (("HEADS", self.heads), ("ROWS", self.rows), ("COLUMNS", self.columns)):
            text = text.replace(name, str(size))
        for step in self.before:
            text = step.replace("X", f"({text})")
        if self.relation:
            mask = f"arange({self.columns}) {self.relation} arange({self.rows}).unsqueeze(1)" \
                f" + {self.shift}"
            first, second = (self.fill, text) if self.fills else (text, self.fill)
            text = f"where({mask}, {first}, {second})"
        text = self.weights.replace("X", f"({text})")
        parameters = ", ".join(f"{name}: f32[{', '.join(map(str, shape))}]"
                               for name, shape in self.shapes().items())
        return f"export fn f({parameters}) = ({text}) @ v\n"

    def draw(self, seed):
        numbers = np.random.default_rng(seed)
        return {name: numbers.standard_normal(shape, dtype=np.float32)
                for name, shape in self.shapes().items()}

    def result(self, q, k, v, b):
        x = SCORES[self.scores](q, k, b)
        for step in self.before:
            x = STEPS[step](x, b)
        if self.relation:
            row = np.arange(self.rows)[:, None] + self.shift
            is_masked = RELATIONS[self.relation](np.arange(self.columns), row) == self.fills
            x = np.where(is_masked, self.fill, x)
        return WEIGHTS[self.weights](x) @ v


def check(seed, folder):
    """The problem of a seed's program, or None."""
    attention = Attention(seed)
    inputs = attention.draw(seed)
    want = attention.result(**{name: value.astype(np.float64) for name, value in inputs.items()})
    folder.mkdir()
    program, built, result = folder / "program.tdsl", folder / "program", folder / "result.npy"
    program.write_text(attention.source())
    files = ["--out", f"result={result}"]
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
        files += ["--in", f"{name}={folder / name}.npy"]
    processor = ["--target-cpu=haswell"] if seed % 3 == 0 else []
    build = subprocess.run(["tdc", "build", "--quiet", program, "-o", built, *processor],
                           capture_output=True, text=True, timeout=300)
    if build.returncode:
        return build.stderr
    results = []
    for threads in (1, 3):
        run = subprocess.run([built, "--fn", "f", *files], capture_output=True, text=True,
                             timeout=300, env=os.environ | {"TDC_THREADS": str(threads)})
        if run.returncode:
            return f"{threads} threads: {run.stderr or run.returncode}"
        results.append(np.load(result))
    if results[0].tobytes() != results[1].tobytes():
        return "3 threads compute other bits than 1"
    got = results[0]
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    is_finite = np.isfinite(want)
    if not np.array_equal(got[~is_finite], want[~is_finite], equal_nan=True):
        return "NaN and infinities are not NumPy's"
    got, want = got[is_finite], want[is_finite]
    error = np.max(np.abs(got - want), initial=0) / (np.max(np.abs(want), initial=0) + 1)
    return None if error <= TOLERANCE else f"an error of {error}"


def main():
    return run_each("attentions", __doc__, lambda seed: Attention(seed).source(), check)


if __name__ == "__main__":
    sys.exit(main())
