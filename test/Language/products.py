"""Compares matrix products and convolutions of many forms with NumPy in f64."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

CPUS = [[], ["--target-cpu", "haswell"], ["--target-cpu", "x86-64-v2"]]
LIMIT = {"f32": 1e-6, "f64": 1e-14, "bf16": 1e-2, "bf16_f32": 1e-6, "i64": 0.0, "u8": 0.0}
# Tensors of bf16 whose products are f32.
DTYPES = {"bf16_f32": "bf16"}
# Dtypes of files, if not f32.
STORED = {"f64": "f64", "i64": "i64", "u8": "u8"}
SIZES = {"M": 97, "N": 101, "A": 1, "B": 3, "C": 7, "D": 11}
# The name, dtypes and sizes of a and b, the expression, and the same in NumPy. A size in
# quotes is one of SIZES and known only at run time. 600 x 501 is larger than an L2 cache;
# 501 and 97 leave remainders in lanes and tiles.
CASES = [
    ("large", "f32", "70, 600", "600, 501", "a @ b", lambda a, b: a @ b),
    ("wide", "f64", "64, 600", "600, 501", "relu(a @ b + a[0, 0])",
     lambda a, b: np.maximum(a @ b + a[0, 0], 0)),
    ("left", "f32", "501, 600", "600, 70", "(a @ b).T", lambda a, b: (a @ b).T),
    ("both", "f32", "600, 70", "501, 600", "a.T @ b.T", lambda a, b: a.T @ b.T),
    ("batched", "f32", "2, 70, 600", "2, 600, 501", "a @ b", lambda a, b: a @ b),
    ("rows", "f32", "'M', 600", "600, 501", "a @ b", lambda a, b: a @ b),
    ("narrow", "bf16", "70, 600", "600, 501", "(a @ b).float()", lambda a, b: a @ b),
    # Sums of products of bf16 in f32, and with a factor that bf16 cannot represent.
    ("widened", "bf16_f32", "70, 600", "600, 501", "a.float() @ b.float()", lambda a, b: a @ b),
    ("widened_odd", "bf16_f32", "9, 97", "97, 101", "a.float() @ b.float()", lambda a, b: a @ b),
    ("widened_linear", "bf16_f32", "9, 97", "101, 97", "a.float() @ b.float().T",
     lambda a, b: a @ b.T),
    ("widened_left", "bf16_f32", "70, 600", "600, 501", "a.float() @ (b.float() * 1.1)",
     lambda a, b: a @ (b * 1.1)),
    ("widened_scaled", "bf16_f32", "70, 600", "600, 501", "relu(a.float() * 1.1) @ b.float()",
     lambda a, b: np.maximum(a * 1.1, 0) @ b),
    ("scaled", "f32", "70, 600", "600, 501", "a @ (b * 2.0 + 1.0)",
     lambda a, b: a @ (b * 2 + 1)),
    ("vector", "f32", "1, 97", "97, 501", "a @ b", lambda a, b: a @ b),
    ("linear", "f32", "97, 515", "101, 515", "a @ b.T", lambda a, b: a @ b.T),
    ("linear_rows", "f32", "'M', 515", "101, 515", "a @ b.T", lambda a, b: a @ b.T),
    ("linear_all", "f32", "'M', 515", "'N', 515", "a @ b.T", lambda a, b: a @ b.T),
    # Few rows of run-time number have code of their own.
    *[(f"rows_{name}_{dtype}", dtype, f"'{name}', 515", "101, 515", text,
       lambda a, b: a @ b.T)
      for name in "ABCD"
      for dtype, text in (("f32", "a @ b.T"), ("f64", "a @ b.T"), ("i64", "a @ b.T"),
                          ("bf16_f32", "a.float() @ b.float().T"))],
    *[(f"columns_{name}", "f32", "101, 515", f"'{name}', 515", "a @ b.T", lambda a, b: a @ b.T)
      for name in "ABCD"],
    ("short", "f64", "97, 20", "101, 20", "a @ b.T", lambda a, b: a @ b.T),
    ("negated", "f32", "97, 20", "101, 20", "a @ (-b * b).T", lambda a, b: a @ (-b * b).T),
    ("spread", "f32", "70, 600", "600, 1", "a @ b.expand(600, 501)",
     lambda a, b: a @ b.repeat(501, 1)),
    ("repeated", "f32", "97, 20", "101, 1", "a @ b.expand(101, 20).T",
     lambda a, b: a @ b.repeat(20, 1).T),
    ("integers", "i64", "70, 600", "600, 501", "a @ b", lambda a, b: a @ b),
    ("bytes", "u8", "97, 20", "101, 20", "(a @ b.T).to(i64)", lambda a, b: a @ b.T % 256),
    ("none", "f32", "97, 0", "101, 0", "a @ b.T", lambda a, b: a @ b.T),
    ("gram", "f32", "97, 515", "1, 1", "a @ a.T + b", lambda a, b: a @ a.T + b),
    # Prefetched: the right factor, the left one, the rows of one with terms on lanes.
    ("few", "f32", "12, 700", "700, 501", "a @ b", lambda a, b: a @ b),
    ("few_f64", "f64", "7, 700", "700, 501", "a @ b", lambda a, b: a @ b),
    ("few_rows", "f32", "'M', 700", "700, 501", "a @ b", lambda a, b: a @ b),
    ("gradient", "f32", "700, 501", "700, 97", "a.T @ b", lambda a, b: a.T @ b),
    ("few_linear", "f32", "5, 700", "501, 700", "a @ b.T", lambda a, b: a @ b.T),
    # The last vector is short.
    *[(f"columns_{n}_{dtype}", dtype, "23, 33", f"33, {n}", text, lambda a, b: a @ b)
      for n in (9, 17, 19, 50, 65, 100)
      for dtype, text in (("f32", "a @ b"), ("f64", "a @ b"), ("i64", "a @ b"),
                          ("bf16", "(a @ b).float()"))],
    *[(f"signs_{n}", "i64", "23, 33", f"33, {n}", "(a @ b > 600).to(i64)",
       lambda a, b: a @ b > 600) for n in (17, 50, 65)],
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


def gradient_of_means(x, w, t):
    """The gradient by w of the mean square of m - t, where m are the means of a convolution."""
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    means = windows.mean(axis=(2, 3))
    m = np.einsum("ncij,ocij->no", means, w)
    return np.einsum("no,ncij->ocij", 2 / m.size * (m - t), means)


def source():
    lines = [STRIDED]
    for name, dtype, of_a, of_b, expression, _ in CASES:
        sizes = [size.replace("'", "") for size in (of_a, of_b)]
        stored, to = STORED.get(dtype, "f32"), DTYPES.get(dtype, dtype)
        lines.append(f'let {name}_a: {stored}[{sizes[0]}] = load("{name}_a.npy")\n'
                     f'let {name}_b: {stored}[{sizes[1]}] = load("{name}_b.npy")\n'
                     f"fn {name}(a, b) = {expression}\n"
                     f'save("{name}.npy", {name}({name}_a.to({to}), {name}_b.to({to})))')
    for stride in (1, 2, 3):
        lines.append(f"let s{stride} = Strided({stride})\n"
                     f'let x{stride} = rand(2, 5, 14, 37)\n'
                     f'save("x{stride}.npy", x{stride})\n'
                     f'save("w{stride}.npy", s{stride}.conv.weight)\n'
                     f'save("y{stride}.npy", s{stride}(x{stride}))')
    lines.append("let x = rand(8, 16, 28, 28)\nlet w = rand(64, 16, 3, 3)\nlet t = rand(8, 64)\n"
                 "let m = conv2d(x, w, padding=1).mean(dim=(2, 3))\n"
                 'save("x.npy", x)\nsave("w.npy", w)\nsave("t.npy", t)\n'
                 'save("g.npy", grad(mse_loss(m, t), w))')
    return "\n".join(lines)


def check(options):
    random = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        factors = {}
        for case, dtype, of_a, of_b, *_ in CASES:
            sizes = [[SIZES.get(size.strip("'")) or int(size) for size in of.split(", ")]
                     for of in (of_a, of_b)]
            pair = [random.standard_normal(size) for size in sizes]
            if dtype in ("bf16", "bf16_f32"):  # exact in bf16
                pair = [np.round(array * 4) / 4 for array in pair]
            if dtype in ("i64", "u8"):
                pair = [np.abs(np.round(array * 9)) for array in pair]
            kind = {"f64": np.float64, "i64": np.int64, "u8": np.uint8}.get(dtype, np.float32)
            pair = [array.astype(kind) for array in pair]
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
            error = np.abs(got - expected).max() / (np.abs(expected).max() or 1)
            assert got.shape == expected.shape and error <= LIMIT[dtype], (case, options, error)
        x, w, t, got = (np.load(folder / f"{name}.npy").astype(np.float64) for name in "xwtg")
        expected = gradient_of_means(x, w, t)
        error = np.abs(got - expected).max() / np.abs(expected).max()
        assert error < 1e-5, (options, error)
        for stride in (1, 2, 3):
            x, w, got = (np.load(folder / f"{letter}{stride}.npy") for letter in "xwy")
            expected = convolve(x.astype(np.float64), w.astype(np.float64), stride)
            error = np.abs(got - expected).max() / np.abs(expected).max()
            assert got.shape == expected.shape and error < 1e-6, (stride, options, error)


for cpu in CPUS:
    check(cpu)
print("products: ok")
