"""Compares matrix products and convolutions of many forms with NumPy in f64."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

CPUS = [[], ["--target-cpu", "haswell"], ["--target-cpu", "x86-64-v2"]]
LIMIT = {"f32": 1e-6, "f64": 1e-14, "bf16": 1e-2}
# The name, dtypes and sizes of a and b, the expression, and the same in NumPy. A size in
# quotes is known only at run time. 600 x 501 is larger than an L2 cache; 501 and 97 leave
# remainders in lanes and tiles.
CASES = [
    ("large", "f32", "70, 600", "600, 501", "a @ b", lambda a, b: a @ b),
    ("wide", "f64", "64, 600", "600, 501", "relu(a @ b + a[0, 0])",
     lambda a, b: np.maximum(a @ b + a[0, 0], 0)),
    ("left", "f32", "501, 600", "600, 70", "(a @ b).T", lambda a, b: (a @ b).T),
    ("both", "f32", "600, 70", "501, 600", "a.T @ b.T", lambda a, b: a.T @ b.T),
    ("batched", "f32", "2, 70, 600", "2, 600, 501", "a @ b", lambda a, b: a @ b),
    ("rows", "f32", "'M', 600", "600, 501", "a @ b", lambda a, b: a @ b),
    ("narrow", "bf16", "70, 600", "600, 501", "(a @ b).float()", lambda a, b: a @ b),
    ("scaled", "f32", "70, 600", "600, 501", "a @ (b * 2.0 + 1.0)",
     lambda a, b: a @ (b * 2 + 1)),
    ("vector", "f32", "1, 97", "97, 501", "a @ b", lambda a, b: a @ b),
    ("linear", "f32", "97, 515", "101, 515", "a @ b.T", lambda a, b: a @ b.T),
    ("linear_rows", "f32", "'M', 515", "101, 515", "a @ b.T", lambda a, b: a @ b.T),
    ("linear_all", "f32", "'M', 515", "'N', 515", "a @ b.T", lambda a, b: a @ b.T),
    ("short", "f64", "97, 20", "101, 20", "a @ b.T", lambda a, b: a @ b.T),
    ("gram", "f32", "97, 515", "1, 1", "a @ a.T + b", lambda a, b: a @ a.T + b),
]
STRIDED = """
model Strided(stride: int) {
    conv = Conv2d(5, 19, 3, stride=stride, padding=1, bias=false)
    fn forward(x) = self.conv(x)
}
"""


def convolve(x, w, stride):
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows[:, :, ::stride, ::stride], w)


def source():
    lines = [STRIDED]
    for name, dtype, of_a, of_b, expression, _ in CASES:
        sizes = [size.replace("'", "") for size in (of_a, of_b)]
        stored = "f64" if dtype == "f64" else "f32"
        lines.append(f'let {name}_a: {stored}[{sizes[0]}] = load("{name}_a.npy")\n'
                     f'let {name}_b: {stored}[{sizes[1]}] = load("{name}_b.npy")\n'
                     f"fn {name}(a, b) = {expression}\n"
                     f'save("{name}.npy", {name}({name}_a.to({dtype}), {name}_b.to({dtype})))')
    for stride in (1, 2, 3):
        lines.append(f"let s{stride} = Strided({stride})\n"
                     f'let x{stride} = rand(2, 5, 14, 37)\n'
                     f'save("x{stride}.npy", x{stride})\n'
                     f'save("w{stride}.npy", s{stride}.conv.weight)\n'
                     f'save("y{stride}.npy", s{stride}(x{stride}))')
    return "\n".join(lines)


def check(options):
    random = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        factors = {}
        for case, dtype, of_a, of_b, *_ in CASES:
            sizes = [size.replace("'M'", "97").replace("'N'", "101") for size in (of_a, of_b)]
            pair = [random.standard_normal(tuple(map(int, size.split(", "))))
                    for size in sizes]
            pair = [array.astype(np.float64 if dtype == "f64" else np.float32)
                    for array in pair]
            if dtype == "bf16":  # exact in bf16
                pair = [np.round(array * 4) / 4 for array in pair]
            factors[case] = pair
            for letter, array in zip("ab", pair):
                np.save(folder / f"{case}_{letter}.npy", array)
        (folder / "program.tdsl").write_text(source())
        subprocess.run(["tdc", "build", "program.tdsl", "-o", "program", *options],
                       cwd=folder, check=True)
        subprocess.run(["./program"], cwd=folder, check=True)
        for case, dtype, _, _, _, compute in CASES:
            a, b = (array.astype(np.float64) for array in factors[case])
            expected = compute(a, b)
            got = np.load(folder / f"{case}.npy")
            error = np.abs(got - expected).max() / np.abs(expected).max()
            assert got.shape == expected.shape and error < LIMIT[dtype], (case, options, error)
        for stride in (1, 2, 3):
            x, w, got = (np.load(folder / f"{letter}{stride}.npy") for letter in "xwy")
            expected = convolve(x.astype(np.float64), w.astype(np.float64), stride)
            error = np.abs(got - expected).max() / np.abs(expected).max()
            assert got.shape == expected.shape and error < 1e-6, (stride, options, error)


for cpu in CPUS:
    check(cpu)
print("products: ok")
