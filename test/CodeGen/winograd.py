"""Compares what winograd.tdsl saved with sums of products in NumPy."""

import sys

import numpy as np


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy").astype(np.float64)


def convolve(x, w):
    """The convolution of stride 1, with padding 1."""
    x = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwij,kcij->nkhw", windows, w)


def check(name, before=lambda x: x, after=lambda y: y):
    """Rounding errors grow with the absolute values of what is added."""
    x, w = before(load(f"{name}.x")), load(f"{name}.w")
    want, got = after(convolve(x, w)), load(f"{name}.y")
    assert got.shape == want.shape, name
    error = (np.abs(got - want) / (convolve(np.abs(x), np.abs(w)) + 1)).max()
    assert error < 3e-7, f"{name}: {error}"


def relu(x):
    return np.maximum(x, 0)


for name in ("even", "odd", "bands", "batch", "direct", "small", "some"):
    check(name)
check("layer", before=lambda x: relu(x / 2),
      after=lambda y: relu(y + load("bias")[:, None, None] + load("rest")))

x, w, y = (load(f"whole.{part}") for part in "xwy")
assert np.array_equal(y, convolve(x, w)), "whole"

# The gradient of the image is a convolution with turned windows.
w = load("gradient.w").transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
want, scale = (convolve(of(load("rest")), of(w)) for of in (lambda v: v, np.abs))
error = (np.abs(load("gradient.y") - want) / (scale + 1)).max()
assert error < 3e-7, f"gradient: {error}"
