#!/usr/bin/env python3
"""The largest errors of the elementwise functions of f32, as the table in docs/Language.md.

usage: accuracy.py [--tdc TDC] [--stride N] [--only FUNCTION,…]

Each function is computed for every N-th f32 number (1: for all of them, in some
hours) and compared with PyTorch's in f64. Errors are in units in the last place of the result
(ULP). Denormals count as zero, also those that a function computes on its way; so errors of
results below 2**-100 are not shown. `pow` is computed for random pairs.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch

CHUNK = 1 << 24
SMALLEST = np.float32(2.0**-126)
LEAST_RESULT = 2.0**-100
FUNCTIONS = {
    "exp": torch.exp, "expm1": torch.expm1, "log": torch.log, "log1p": torch.log1p,
    "log2": torch.log2, "log10": torch.log10, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "asin": torch.asin,
    "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh,
    "tanh": torch.tanh, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh,
    "erf": torch.erf, "sigmoid": torch.sigmoid, "softplus": torch.nn.functional.softplus,
    "silu": torch.nn.functional.silu, "pow": torch.pow,
}


def flush(x):
    """Denormals count as zero."""
    return np.where(np.abs(x) < SMALLEST, np.copysign(np.float32(0), x), x)


def numbers(name, stride):
    """The arguments, in chunks."""
    if name == "pow":
        random = np.random.default_rng(5)
        for _ in range(max(1, 16 // stride)):
            x = np.exp2(random.uniform(-126, 127, CHUNK)).astype(np.float32)
            # Results in the range of f32.
            most = 126 / np.maximum(np.abs(np.log2(x.astype(np.float64))), 1e-9)
            y = (random.uniform(-1, 1, CHUNK) * np.minimum(most, 1e6)).astype(np.float32)
            yield flush(x), flush(y)
        return
    step = CHUNK * stride
    for begin in range(0, 1 << 32, step):
        end = min(begin + step, 1 << 32)
        bits = np.arange(begin, end, stride, dtype=np.uint64)
        yield (flush(bits.astype(np.uint32).view(np.float32)),)


def errors(got, want):
    """In ULP; 0 where both are NaN or the same infinity."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(want.astype(np.float32))).astype(np.float64)
        error = np.abs(got - want) / unit
        overflows = np.isinf(got) & (np.abs(want) >= 2.0**128 * (1 - 2.0**-23))
        same = (np.isnan(got) & np.isnan(want)) | (got == want) | (overflows & (got * want > 0))
    small = (np.abs(want) < LEAST_RESULT) & (np.abs(got) < 2 * LEAST_RESULT)
    error = np.where(same | small, 0, error)
    return np.where(np.isnan(error), np.inf, error)


def measure(name, tdc, stride, folder):
    """The largest error, and where it is."""
    source, program = folder / f"{name}.tdsl", folder / name
    arity = 2 if name == "pow" else 1
    parameters = ["x", "y"][:arity]
    types = ", ".join(f"{parameter}: f32[n]" for parameter in parameters)
    source.write_text(f"arg n: int = {CHUNK}\n"
                      f"export fn run({types}) = {name}({', '.join(parameters)})\n")
    subprocess.run([tdc, "build", source, "-o", program], check=True)
    worst, where = 0.0, None
    for arrays in numbers(name, stride):
        command = [program, "--fn", "run", "--out", f"result={folder}/result.npy",
                   "--n", str(len(arrays[0]))]
        for parameter, array in zip(parameters, arrays):
            np.save(folder / f"{parameter}.npy", array)
            command += ["--in", f"{parameter}={folder}/{parameter}.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.errstate(invalid="ignore"):
            wide = [torch.from_numpy(array.astype(np.float64)) for array in arrays]
        error = errors(np.load(folder / "result.npy"), FUNCTIONS[name](*wide).numpy())
        at = int(error.argmax())
        if error[at] > worst:
            worst, where = error[at], [float(array[at]) for array in arrays]
    return worst, where


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tdc", default="build/dev/bin/tdc")
    parser.add_argument("--stride", type=int, default=61)
    parser.add_argument("--only", default=",".join(FUNCTIONS))
    options = parser.parse_args()
    print("| function | largest error in ULP | at |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            worst, where = measure(name, options.tdc, options.stride, Path(folder))
            places = ", ".join(f"{place:.9g}" for place in where or [])
            print(f"| `{name}` | {worst:.2f} | {places} |", flush=True)


if __name__ == "__main__":
    main()
