"""Tests tiled convolutions and their gradients against NumPy, and how many of the products of
f16, bf16 and TF32 run on tensor cores.

A tile spans several loops. The cases have sizes that end within a line, a channel or a tile,
lines of one element, groups, strides, and run-time numbers of images.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """export fn op(x: f32[{images}, {c}, {h}, {w}], f: f32[{o}, {cg}, {k}, {k}],
             d: f32[{images}, {o}, {oh}, {ow}]) {{
    let x, f, d = x.to({dtype}).to(cuda), f.to({dtype}).to(cuda), d.to(cuda)
    let y = conv2d(x, f, none, {stride}, {padding}, {dilation}, {groups})
    let g = grad((y.float() * d).sum(), [x, f])
    return (y.float(), g[0].float(), g[1].float())
}}
"""
UNITS = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-23, "tf32": 2.0**-10}


@dataclasses.dataclass
class Case:
    dtype: str
    n: int
    c: int
    h: int
    w: int
    o: int
    k: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1
    is_known: bool = True  # whether the compiler knows the number of images
    on_tensor_cores: float = 1  # least part of the products

    def size(self, size):
        return (size + 2 * self.padding - self.dilation * (self.k - 1) - 1) // self.stride + 1

    @property
    def oh(self):
        return self.size(self.h)

    @property
    def ow(self):
        return self.size(self.w)

    @property
    def cg(self):
        return self.c // self.groups


CASES = [
    Case("f16", 2, 16, 12, 12, 64, 3, padding=1),
    Case("f16", 3, 40, 7, 9, 33, 3),
    Case("bf16", 1, 32, 14, 14, 48, 3, padding=1, is_known=False),
    Case("f16", 5, 24, 9, 6, 16, 3, stride=2, padding=1),
    Case("bf16", 2, 9, 11, 10, 130, 5, padding=4, dilation=2),
    Case("f16", 2, 64, 8, 8, 64, 1),
    Case("f16", 7, 64, 3, 1, 40, 1, is_known=False),
    Case("f16", 2, 32, 8, 6, 64, 3, padding=1, groups=2),
    # The gradient of x has 3 columns, too few for tensor cores.
    Case("f16", 3, 3, 16, 16, 32, 7, stride=2, padding=3, on_tensor_cores=0.6),
    Case("f32", 2, 33, 9, 7, 40, 3, padding=1),
    Case("f32", 3, 32, 8, 5, 32, 2, stride=3, is_known=False),
    Case("tf32", 2, 32, 7, 8, 36, 3, padding=1),
]


def convolve(case, x, f, d):
    """Returns the result, and the gradients of sum(result * d) for x and f, in f64."""
    padded = np.pad(x, [(0, 0)] * 2 + [(case.padding,) * 2] * 2)
    groups = case.groups
    y, of_padded, of_f = np.zeros(d.shape), np.zeros(padded.shape), np.zeros(f.shape)

    def grouped(array, dim):
        return array.reshape(*array.shape[:dim], groups, -1, *array.shape[dim + 1:])

    for i in range(case.k):
        for j in range(case.k):
            places = tuple(
                slice(at * case.dilation, at * case.dilation + (count - 1) * case.stride + 1,
                      case.stride) for at, count in ((i, case.oh), (j, case.ow)))
            part = grouped(padded[:, :, places[0], places[1]], 1)
            filters, upstream = grouped(f[:, :, i, j], 0), grouped(d, 1)
            y += np.einsum("ngchw,goc->ngohw", part, filters).reshape(d.shape)
            of_padded[:, :, places[0], places[1]] += np.einsum(
                "ngohw,goc->ngchw", upstream, filters).reshape(*x.shape[:2], case.oh, case.ow)
            of_f[:, :, i, j] = np.einsum("ngohw,ngchw->goc", upstream, part).reshape(f.shape[:2])
    rows, columns = (slice(case.padding, case.padding + size) for size in (case.h, case.w))
    return y, of_padded[:, :, rows, columns], of_f


def check(case, folder):
    random = np.random.default_rng(1)
    dtype = "f32" if case.dtype == "tf32" else case.dtype
    # Eighths from -1 to 1, which are exact in every dtype.
    arrays = [(random.integers(-8, 9, shape) / 8).astype("f4")
              for shape in ((case.n, case.c, case.h, case.w),
                            (case.o, case.cg, case.k, case.k),
                            (case.n, case.o, case.oh, case.ow))]
    fields = {**dataclasses.asdict(case), "oh": case.oh, "ow": case.ow, "cg": case.cg}
    fields |= {"dtype": dtype, "images": case.n if case.is_known else "N"}
    (folder / "program.tdsl").write_text(PROGRAM.format(**fields))
    options = ["--tf32"] if case.dtype == "tf32" else []
    for name, array in zip("xfd", arrays):
        np.save(folder / f"{name}.npy", array)
        options.append(f"--in={name}={name}.npy")
    options += [f"--out={i}={i}.npy" for i in range(3)]
    subprocess.run(["tdc", "run", "--sim-cuda=1", "program.tdsl", "--fn=op", *options],
                   cwd=folder, check=True, env={**os.environ, "TDC_SIM_STATS": "stats.json"})
    wrong = []
    expected = convolve(case, *(array.astype("f8") for array in arrays))
    for what, i, right in zip(("result", "gradient of x", "gradient of f"), range(3), expected):
        got = np.load(folder / f"{i}.npy")
        # One rounding of the result, and the roundings of f32 sums.
        bound = UNITS[case.dtype] * abs(right) + 1e-5 * abs(right).max()
        if got.shape != right.shape or not (abs(got - right) <= bound).all():
            wrong.append(f"{what}: off by {abs(got - right).max()}")
    if case.dtype != "f32":
        done = sum(kernel["matrixOperations"] for kernel in
                   json.loads((folder / "stats.json").read_text())["work"])
        # Partial tiles compute more than that.
        needed = 3 * 2 * arrays[2].size * case.cg * case.k**2 * case.on_tensor_cores
        if done < needed:
            wrong.append(f"{done} operations on tensor cores, less than {needed:.0f}")
    return [f"{case}: {line}" for line in wrong]


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = [line for case in CASES for line in check(case, pathlib.Path(folder))]
    for line in wrong:
        print(line)
    print(f"convolutions: {len(CASES)} checked, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
