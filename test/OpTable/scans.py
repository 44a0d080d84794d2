"""Scans: elements combined up to each along a dim."""

import numpy as np

from harness import DTYPES
from samples import SMALL_SHAPES, Sample, holds_floats, is_float, operands

# (shape, dim): lines of one thread, of a warp and of a block, side by side or one by one.
SCANS = [((1,), 0), ((0,), 0), ((7,), 0), ((32,), 0), ((33,), 0), ((129,), 0), ((1000,), 0),
         ((1025,), 0), ((5000,), 0), ((3, 5), 0), ((3, 5), 1), ((0, 4), 0), ((0, 4), 1),
         ((4, 0), 0), ((1, 7), 0), ((7, 1), 0), ((2, 3, 4), 1), ((2, 70, 40), 1), ((40, 67), 0),
         ((40, 67), 1), ((100, 33), 0), ((5, 2100), 1), ((2100, 3), 0), ((2, 1, 9, 1), 2),
         ((90, 90, 2), 1), ((2, 33, 4097), 1), ((1, 40, 1, 8), 3)]
COMBINED = {"sum": np.cumsum, "prod": np.cumprod}


def scan_samples(random, dtype):
    for kind in COMBINED:
        for shape, dim in SCANS:
            x = operands(random, dtype, shape, kind, spread=0.05)
            yield Sample([x], {"kind": kind, "dim": dim}, kind)
        if is_float(dtype):
            rows = [[1, np.inf, -np.inf, 2], [0, np.nan, 1, 1], [-0.0, 0, np.inf, 0], [2, 0, 3, 0]]
            yield Sample([np.array(rows).astype(DTYPES[dtype])], {"kind": kind, "dim": 1},
                         f"{kind} of special values")


def emit_scan(function, sample):
    x = function.input(sample.arrays[0])
    return function.op(f"td.scan {sample.kind} {x.name} dim {sample.dim}", x)


def scan(sample):
    x = sample.arrays[0]
    exact = x.astype(np.float64) if holds_floats(x) else x
    return COMBINED[sample.kind](exact, axis=sample.dim, dtype=exact.dtype)


def scan_bound(sample):
    """One rounding of the result, and the roundings of the wider accumulator; for f64, which
    has no wider one, a rounding per element."""
    x = sample.arrays[0]
    steps = x.shape[sample.dim] if x.dtype == np.float64 else 2
    return steps * COMBINED[sample.kind](np.abs(x.astype(np.float64)), axis=sample.dim)


def smooth_scan(random):
    for kind in COMBINED:
        for shape in SMALL_SHAPES:
            for dim in range(len(shape)):
                yield Sample([random.uniform(0.5, 1.5, shape)], {"kind": kind, "dim": dim}, kind)
    yield Sample([np.array([[2.0, 3, 0, 2, 5], [0, 2, 3, 0, 4], [0, 0, 2, 3, 1], [1, 2, 3, 4, 0]])],
                 {"kind": "prod", "dim": 1}, "zeros")
