"""Compares what transposes.tdsl saved with NumPy."""

import sys

import numpy as np


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy")


def check(name, want):
    got = load(name)
    assert got.dtype == want.dtype and np.array_equal(got, want), name


def rounded(x):
    """To bf16, halfway cases to the even one."""
    bits = x.view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


x, images, w = load("x"), load("images"), load("w").astype(np.float64)
check("plain", x.T)
check("sum", x.T[:, :70] + 2 * x[:70])
check("f64", 2 * x.T.astype(np.float64))
check("bf16", rounded(x).T)
check("u8", np.clip(x * np.float32(10), 0, 255).astype(np.uint8).T + np.uint8(1))
check("padded", np.pad(x.T, ((0, 3), (1, 2))))
check("part", x[3:37, 5:69].T)
check("last", images.transpose(0, 2, 3, 1))
check("middle", images.transpose(0, 2, 1, 3))
check("all", images.transpose())
error = np.abs(load("long") / np.exp(x.T.astype(np.float64)) - 1).max()
assert error < 1e-6, f"long: {error}"
a, b = load("a"), load("b")
c = np.maximum(a, 0)
check("read", c.T[:, :5] + c[0][:, None])
error = np.abs(load("gradient") - c.T.astype(np.float64) @ b).max()
assert error < 1e-4, f"gradient: {error}"
error = np.abs(load("product") - x.astype(np.float64) @ np.maximum(w, 0).T).max()
assert error < 1e-4, f"product: {error}"
