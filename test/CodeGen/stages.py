"""Compares what stages.tdsl saved with attentions in NumPy."""

import sys

import numpy as np


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy")


def bf16(x):
    """Rounds f32 to bf16."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def attend(q, k, v, allowed=True, scale=None):
    scores = q @ np.swapaxes(k, 2, 3) * (scale or q.shape[3] ** -0.5)
    scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(3, keepdims=True))
    return weights / weights.sum(3, keepdims=True) @ v


def check(name, result=attend, before=lambda x: x, most=2e-6, inputs=""):
    q, k, v = (before(load(f"{inputs or name}.{part}")).astype(np.float64) for part in "qkv")
    want, got = result(q, k, v), load(f"{name}.y")
    assert got.shape == want.shape, f"{name}: {got.shape}, not {want.shape}"
    error = (np.abs(got - want) / (np.abs(want) + 1)).max()
    assert error < most, f"{name}: {error}"


def turned(x):
    return x.transpose(0, 2, 1, 3)


check("even")
check("odd")
check("causal", lambda q, k, v: attend(q, k, v, np.tri(500, dtype=bool)))
check("masked", lambda q, k, v: attend(q, k, v, load("mask"), scale=0.5))
check("f64", most=1e-14)
check("bf16", before=bf16, most=3e-3)
check("heads", lambda q, k, v: turned(attend(turned(q), turned(k), turned(v))))
check("long", lambda q, k, v: np.maximum(q @ np.swapaxes(k, 2, 3), 0) @ v, most=1e-4)

row, column = np.arange(450)[:, None], np.arange(450)


def fill(scores, allowed, number):
    return np.where(allowed, scores, number)


def softmax(scores):
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(3, keepdims=True))
    return weights / weights.sum(3, keepdims=True)


# The weights of a row that are finite and equal add their rounding errors up.
for name, allowed, number in (
        ("after", column <= row, -np.inf), ("later", column < row + 70, -np.inf),
        ("turned", column <= row, -np.inf), ("before", column >= row, -np.inf),
        ("wrapped", column % 256 <= row % 256, -np.inf),
        ("short", column % 256 <= row % 256, -np.inf),
        ("finite", column <= row, -3)):
    check(name, lambda q, k, v, allowed=allowed, number=number:
          softmax(fill(q @ np.swapaxes(k, 2, 3) / 4, allowed, number)) @ v,
          most=5e-6 if name == "finite" else 2e-6, inputs="positions")
for name, number in (("filled", 0), ("negative", -1)):
    check(name, lambda q, k, v, number=number:
          fill(q @ np.swapaxes(k, 2, 3), column <= row, number) @ v,
          most=1e-4, inputs="positions")

# A row in which everything is masked is NaN.
first = load("first.y")
assert np.isnan(first[:, :, 0]).all() and not np.isnan(first[:, :, 1:]).any(), "first"
q, k, v = (load(f"positions.{part}").astype(np.float64) for part in "qkv")
want = softmax(fill(q @ np.swapaxes(k, 2, 3) / 4, column < row, -np.inf)) @ v
assert np.abs(first - want)[:, :, 1:].max() < 2e-6, "first"


def gradients(q, k, v, g, allowed=True):
    scale = q.shape[3] ** -0.5
    weights = softmax(fill(q @ np.swapaxes(k, 2, 3) * scale, allowed, -np.inf))
    of_weights = g @ np.swapaxes(v, 2, 3)
    of_scores = weights * (of_weights - (of_weights * weights).sum(3, keepdims=True)) * scale
    transposed = np.swapaxes(weights, 2, 3)
    return of_scores @ k, np.swapaxes(of_scores, 2, 3) @ q, transposed @ g


for name, before, allowed in (
        ("gradients", lambda x: x, True), ("causalGradients", lambda x: x, np.tri(333, dtype=bool)),
        ("headGradients", turned, True), ("fewGradients", lambda x: x, True),
        ("partGradients", lambda x: x, np.tri(333, dtype=bool)),
        ("againGradients", lambda x: x, np.tri(512, dtype=bool)),
        ("maskedGradients", lambda x: x, load("maskedGradients.mask")),
        ("maskedAgain", lambda x: x, load("maskedAgain.mask"))):
    q, k, v, g = (before(load(f"{name}.{part}").astype(np.float64)) for part in "qkvg")
    if name in ("againGradients", "maskedAgain"):
        g = 4 * attend(q, k, v, allowed)
    for part, want in zip(("dq", "dk", "dv"), gradients(q, k, v, g, allowed)):
        got = before(load(f"{name}.{part}"))
        assert got.shape == want.shape, f"{name}.{part}: {got.shape}, not {want.shape}"
        error = np.abs(got - want).max() / np.abs(want).max()
        assert error < 2e-6, f"{name}.{part}: {error}"

q, k, v, r, t, u = (load(f"blockedRows.{part}").astype(np.float64) for part in "qkvrtu")
y = softmax(q @ np.swapaxes(k, 2, 3) / 4 + (r @ t)[:, :, 4:1012] * 0.1) @ v[..., :8]
for name, rows in (("p", y), ("s", y / (1 + np.exp(-y)))):
    error = np.abs(load(f"blockedRows.{name}") - u @ np.swapaxes(rows, 2, 3)).max()
    assert error < 2e-5, f"blockedRows.{name}: {error}"
