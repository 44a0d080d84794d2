#!/usr/bin/env python3
"""Random loops that set elements of tensors mean what they mean in NumPy.

usage: random_updates.py [--seed N] [--count N] [--show]
  --seed    the first seed; one seed is one program, for ever
  --count   how many programs
  --show    print the programs and run nothing

Values that a loop updates may stay where they are only if nothing needs the old
one, and only where their sizes are known to stay. So each program runs with sizes
that it knows and with sizes that only the run knows, some on a simulated GPU.
The last line is "updates: N passed, N failed".
"""

import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from workers import run_each

NAMES = "abc"
# Rows and columns. Slices of large tensors are set into the whole.
SIZES = ((7, 7), (4, 40), (6, 20000))
TOLERANCE = 1e-4


class Generator:
    """Makes lines of a program: (depth, text) in the words that Python and tdsl have in common.
    CLONE and SUM are calls that they spell differently."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def generate(self):
        for _ in range(self.random.randint(1, 2)):
            self.lines.append((0, "for i in range(n)"))
            self.lines.append((1, "let j = (i * 3 + 1) % n"))
            self.lines.append((1, "p = (p + 2) % n"))
            self.lines.append((1, "q = (q + 3) % m"))
            self.add_block(1, "i")
        return self.lines

    def name(self):
        return self.random.choice(NAMES)

    def row(self, at):
        return self.random.choice((
            f"{self.name()}[{at}]", f"{self.name()}[{at}] * 0.5",
            f"({self.name()}[{at}] + {self.name()}[j])", "v"))

    def add_block(self, depth, at):
        for _ in range(self.random.randint(1, 4)):
            self.random.choice((
                self.add_row, self.add_row, self.add_row, self.add_part, self.add_element,
                self.add_copy, self.add_whole, self.add_value, self.add_number, self.add_branch,
                self.add_loop))(depth, at)

    def add(self, depth, text):
        self.lines.append((depth, text))

    def add_row(self, depth, at):
        to = self.random.choice((at, at, "j"))
        self.add(depth, f"{self.name()}[{to}] = {self.row(at)} * 0.5 + {self.row(at)} * 0.25")

    def add_part(self, depth, at):
        self.add(depth, f"{self.name()}[{at}, 1:] = {self.name()}[{at}, :m - 1] * 0.5 + 0.1")

    def add_element(self, depth, at):
        self.add(depth, self.random.choice((
            f"{self.name()}[{at}, j % 3] = s * 0.1",
            f"{self.name()}[p, q] = {self.name()}[q % n, p] * 0.5 + s * 0.1")))

    def add_copy(self, depth, at):
        self.add(depth, f"{self.name()} = {self.name()}.CLONE")

    def add_whole(self, depth, at):
        self.add(depth, f"{self.name()} = {self.name()} * 0.5 + {self.name()} * 0.25")

    def add_value(self, depth, at):
        self.add(depth, f"v = {self.name()}[{at}] * 0.5")

    def add_number(self, depth, at):
        self.add(depth, f"s = s * 0.5 + {self.name()}.SUM * 0.01")

    def add_branch(self, depth, at):
        if depth > 2:
            return self.add_row(depth, at)
        self.add(depth, f"if {at} % 2 == {self.random.randint(0, 1)}")
        if self.random.random() < 0.5:
            self.add(depth + 1, "p = (p + 1) % n")
            self.add(depth + 1, "q = (q + 2) % m")
        self.add_block(depth + 1, at)
        if self.random.random() < 0.5:
            self.add(depth, "else")
            self.add_block(depth + 1, at)
        return None

    def add_loop(self, depth, at):
        if depth > 2:
            return self.add_row(depth, at)
        self.add(depth, f"for k{depth} in range(2)")
        self.add_block(depth + 1, f"k{depth}")
        return None


def to_tdsl(lines, sizes):
    """The program as a function of three matrices."""
    text = [f"export fn f(a0: {sizes}, b0: {sizes}, c0: {sizes}) -> ({sizes}, {sizes}, {sizes}) {{",
            "    let n, m = a0.size(0), a0.size(1)",
            "    var a, b, c = a0.clone(), b0.clone(), c0.clone()",
            "    var v = a[0] * 1.0",
            "    var s = 0.5",
            "    var p, q = 1, 0"]
    before = 0
    for depth, line in [*lines, (0, "return a, b, c")]:
        for closed in range(before - 1, depth - 1, -1):
            text.append("    " * (closed + 1) + "}")
        opens = re.match("(for|if|else)", line)
        if line == "else":
            text[-1] += " else {"
        else:
            text.append("    " * (depth + 1) + line + (" {" if opens else ""))
        before = depth + 1 if opens else depth
    text.append("}\n")
    return "\n".join(text).replace("CLONE", "clone()").replace("SUM", "sum().item()")


def to_python(lines):
    text = "\n".join("    " * depth + line + (":" if re.match("(for|if|else)", line) else "")
                     for depth, line in lines)
    return text.replace("let ", "").replace("CLONE", "copy()").replace("SUM", "sum()")


def check(seed, folder):
    """The problem of a seed's program, or None."""
    rows, columns = SIZES[seed % len(SIZES)]
    lines = Generator(seed).generate()
    numbers = np.random.default_rng(seed)
    inputs = {name: numbers.standard_normal((rows, columns), dtype=np.float32) for name in NAMES}
    values = {name: value.astype(np.float64) for name, value in inputs.items()}
    values.update(n=rows, m=columns, v=values["a"][0].copy(), s=0.5, p=1, q=0)
    exec(to_python(lines), {}, values)
    folder.mkdir()
    files = []
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
        files += ["--in", f"{name}0={folder / name}.npy"]
    for i in range(len(NAMES)):
        files += ["--out", f"{i}={folder / str(i)}.npy"]
    for sizes in (f"f32[{rows}, {columns}]", "f32[N, M]"):
        program = folder / "program.tdsl"
        program.write_text(to_tdsl(lines, sizes))
        for device in ([], ["--sim-cuda=1"])[:2 if seed % 4 == 0 and columns < 100 else 1]:
            run = subprocess.run(["tdc", "run", program, *device, "--fn", "f", *files],
                                 capture_output=True, text=True, timeout=300)
            where = f"{sizes} {' '.join(device)}"
            if run.returncode:
                return f"{where}: {run.stderr}"
            for i, name in enumerate(NAMES):
                got, want = np.load(folder / f"{i}.npy"), values[name]
                if got.shape != want.shape or not np.allclose(got, want, TOLERANCE, TOLERANCE):
                    return f"{where}: {name} is not NumPy's"
    return None


def main():
    return run_each("updates", __doc__,
                    lambda seed: to_tdsl(Generator(seed).generate(), "f32[N, M]"), check)


if __name__ == "__main__":
    sys.exit(main())
