"""Calls of functions over windows, and of those that move elements by sums of coordinates."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from arrays import MOST_ELEMENTS, MOST_PRODUCTS
from elements import proposal
from values import Value, compute, is_float


def moved(function):
    """The NumPy function of an op that only moves elements."""
    return lambda world, value: Value([function(copy) for copy in value.copies])


@proposal(2)
def flip(g):
    x = g.static(lambda v: v.shape)
    if x is None:
        return None
    dims = g.random.sample(range(len(g[x].shape)), g.random.randint(1, len(g[x].shape)))
    return g.call(f"flip({{0}}, {tuple(dims) if len(dims) > 1 else dims[0]})", [x],
                  moved(lambda a: np.flip(a, dims)))


@proposal(1)
def roll(g):
    x = g.static(lambda v: v.shape and v.size)
    if x is None:
        return None
    dim, shift = g.random.randrange(len(g[x].shape)), g.random.randint(-9, 9)
    return g.call(f"roll({{0}}, {shift}, {dim})", [x], moved(lambda a: np.roll(a, shift, dim)))


@proposal(1)
def repeat_interleave(g):
    x = g.static(lambda v: v.shape and v.size <= 500)
    if x is None:
        return None
    dim, count = g.random.randrange(len(g[x].shape)), g.random.randint(1, 3)
    return g.call(f"repeat_interleave({{0}}, {count}, {dim})", [x],
                  moved(lambda a: np.repeat(a, count, dim)))


MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@proposal(2)
def pad(g):
    x = g.static(lambda v: v.shape and v.dtype != "bool" and v.size <= 2000)
    if x is None:
        return None
    rank, last = len(g[x].shape), g[x].shape[-1]
    mode = g.pick(["constant", "constant", *MODES]) if last > 3 else "constant"
    sides = [(g.random.randint(0, 3), g.random.randint(0, 3))]
    if rank > 1 and mode == "constant":
        sides.append((g.random.randint(0, 2), g.random.randint(0, 2)))
    widths = [(0, 0)] * (rank - len(sides)) + sides[::-1]
    given = ", ".join(str(size) for side in sides for size in side)
    arguments = "" if mode == "constant" else f', "{mode}"'
    return g.call(f"pad({{0}}, ({given}){arguments})", [x], moved(
        lambda a: np.pad(a, widths, mode=MODES.get(mode, mode))))


@proposal(1)
def windows(g):
    x = g.static(lambda v: v.shape and v.size <= 2000)
    if x is None:
        return None
    dim = g.random.randrange(len(g[x].shape))
    size, step = g.random.randint(1, 3), g.random.randint(1, 3)
    if size > g[x].shape[dim]:
        return None
    places = (slice(None),) * dim + (slice(None, None, step),)
    return g.call(f"{{0}}.unfold({dim}, {size}, {step})", [x], moved(
        lambda a: sliding_window_view(a, size, dim)[places]))


@proposal(2)
def cumulative(g):
    x = g.static(lambda v: v.shape and (is_float(v.dtype) or v.dtype == "i64"))
    if x is None:
        return None
    dim = g.random.randrange(len(g[x].shape))
    kind = "prod" if g[x].shape[dim] <= 8 and g.random.random() < 0.3 else "sum"
    return g.call(f"cum{kind}({{0}}, {dim})", [x],
                  lambda world, value: compute("scan", [value], kind=kind, dim=dim))


@proposal(2)
def max_pool(g):
    x = g.static(lambda v: len(v.shape) == 3 and v.dtype != "bool" and v.shape[-1] > 1 and v.size)
    if x is None or not g.has_kinks:
        return None
    size, step = g.random.randint(1, min(3, g[x].shape[-1])), g.random.randint(1, 3)

    def meaning(world, value):
        taps = Value([sliding_window_view(copy, size, 2)[:, :, ::step] for copy in value.copies])
        return compute("reduce", [taps], kind="max", dims=(3,))
    return g.call(f"max_pool1d({{0}}, {size}, {step})", [x], meaning)


@proposal(4)
def convolution(g):
    """Of a value with a part of a value, or with itself, as one channel or more."""
    x = g.static(lambda v: is_float(v.dtype) and len(v.shape) >= 2 and v.size and
                 v.shape[-1] > 2 and v.size <= 2000)
    w = x and g.static(lambda v: v.dtype == g[x].dtype and len(v.shape) >= 1 and
                       v.size >= 3 and v.size <= 600)
    if w is None or x is None:
        return None
    length = g[x].shape[-1]
    taps = g.pick([k for k in (1, 2, 3, 5) if g[w].size % k == 0 and k <= length] or [0])
    if not taps:
        return None
    channels = g.pick([c for c in (1, 2, 3, 4, 8) if (g[w].size // taps) % c == 0 and
                       (g[x].size // length) % c == 0])
    outputs, rows = g[w].size // taps // channels, g[x].size // length // channels
    step, border = g.random.randint(1, 3), g.random.randint(0, 2)
    places = (length + 2 * border - taps) // step + 1
    if rows * outputs * places > MOST_ELEMENTS or \
            rows * outputs * places * channels * taps > MOST_PRODUCTS:
        return None

    def meaning(world, value, weight):
        signal = Value([np.pad(copy.reshape(rows, channels, length),
                               ((0, 0), (0, 0), (border, border))) for copy in value.copies])
        kernel = Value([copy.reshape(outputs, channels, taps) for copy in weight.copies])
        return compute("contract", [signal, kernel], shape=(rows, outputs, places),
                       left=["d0", "d3", f"{step}*d2 + d4"], right=["d1", "d3", "d4"],
                       terms=(channels, taps))
    return g.call(f"conv1d({{0}}.reshape({rows}, {channels}, {length}), "
                  f"{{1}}.reshape({outputs}, {channels}, {taps}), none, {step}, {border})",
                  [x, w], meaning)
