"""Compares what borders.tdsl saved with NumPy's results."""

import sys

import numpy as np


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy")


def check(name, want, most=1e-5):
    got = load(name)
    assert got.shape == want.shape, f"{name}: {got.shape}, not {want.shape}"
    same = np.isfinite(want) & np.isfinite(got)
    assert np.array_equal(got[~same], want[~same]), name
    error = np.abs(got[same] - want[same]) / (np.abs(want[same]) + 10)
    assert not error.size or error.max() <= most, f"{name}: {error.max()}"


def bf16(x):
    """Rounds f32 to bf16."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def convolve(x, w, padding, stride=1, groups=1):
    x = np.pad(x, [(0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    windows = windows[:, :, ::stride, ::stride]
    if groups > 1:
        return np.einsum("nchwij,cij->nchw", windows, w[:, 0])
    return np.einsum("nchwij,kcij->nkhw", windows, w)


def relu(x):
    return np.maximum(x, 0)


x, w = (load(name).astype(np.float64) for name in "xw")
product, sides = x @ w, [(3, 4), (1, 2)]
check("product", np.pad(product, sides))
check("left", np.pad(product, [(0, 0), (5, 0)]))
check("below", np.pad(product, [(0, 1), (0, 0)]))
check("number", np.pad(relu(product), 1, constant_values=2.5))
check("infinite", np.pad(np.clip(product, 0, 6), 1, constant_values=-np.inf))
check("rows", np.pad(softmax(x), 1))
check("sums", np.pad(x.sum(1), (2, 1)))
check("elements", np.pad(np.exp(x) * x, [(0, 0), (1, 1)]))
check("f64", np.pad(product, sides), 1e-14)
check("bf16", np.pad(bf16(x).astype(np.float64) @ bf16(w), sides), 8e-3)
check("large", np.pad((load("x") * np.float32(9)).astype(np.int64) * 3, [(0, 0), (1, 2)]), 0)
check("read", np.pad(product, [(0, 0), (1, 1)]))
check("again", product)
few = load("few").astype(np.float64) @ w
check("few.padded", np.pad(few, [(0, 0), (1, 2)]))
check("few.longer", np.pad(few, [(0, 2), (0, 0)]))
check("empty", np.zeros((0, 53)))
check("empty.rows", np.ones((3, 50)))
check("border", np.full((5, 1), 2))

images, first, depth, last = (load(name).astype(np.float64)
                              for name in ("images", "first", "depth", "last"))
inner = relu(convolve(images, first, (1, 1)))
outer = np.clip(convolve(inner, depth, (1, 1), stride=2, groups=32), 0, 6)
check("convolutions", convolve(outer, last, (2, 1)))
narrow = np.pad(relu(convolve(images, first, (0, 0))), [(0, 0), (0, 0), (1, 1), (1, 1)],
                constant_values=-np.inf)
windows = np.lib.stride_tricks.sliding_window_view(narrow, (3, 3), (2, 3))[:, :, ::2, ::2]
check("pooled", windows.max((4, 5)))
