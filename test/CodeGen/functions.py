"""Compares what functions.tdsl saved with NumPy, in f64 or, for f64, in long double."""

import sys
from pathlib import Path

import numpy as np

# Of the results and the slopes, in units in the last place.
MOST = {"tan": (1.6, 4), "asin": (1.7, 4), "acos": (1.4, 4), "sinh": (1.4, 1.4),
        "cosh": (1.4, 1.4), "acosh": (1.6, 4), "sigmoid": (1.2, 4), "silu": (1.9, 8)}
MOST_F64 = {"tan": (3.6, 8), "sigmoid": (1.6, 4), "silu": (2.4, 12), "sinh": (1.8, 1.8)}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


MEANING = {
    "tan": (np.tan, lambda x: 1 + np.tan(x) ** 2),
    "asin": (np.arcsin, lambda x: 1 / np.sqrt((1 - x) * (1 + x))),
    "acos": (np.arccos, lambda x: -1 / np.sqrt((1 - x) * (1 + x))),
    "sinh": (np.sinh, np.cosh),
    "cosh": (np.cosh, np.sinh),
    "acosh": (np.arccosh, lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
    "sigmoid": (sigmoid, lambda x: sigmoid(x) * sigmoid(-x)),
    "silu": (lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (1 + x * sigmoid(-x))),
}


def compare(name, x, got, want, most, scale):
    """Up to `most` units; overflows and NaN where `want` has them; signs of zeros."""
    narrow = want.astype(got.dtype)
    unit = np.maximum(np.spacing(np.abs(narrow)).astype(want.dtype), scale)
    error = np.abs(got.astype(want.dtype) - want) / unit
    # Next to the largest finite number, both it and infinity are right.
    same = (got == narrow) | (np.isnan(got) & np.isnan(narrow))
    # Denormals count as zero, on the way, too.
    tiny = np.abs(want) < np.finfo(got.dtype).tiny * 2.0**26
    error[same | (tiny & (np.abs(got) <= 2 * np.abs(want)))] = 0
    error[np.isnan(error)] = np.inf
    at = np.unravel_index(error.argmax(), error.shape)
    assert error[at] <= most, f"{name}: {error[at]} at {at}: {got[at]!r} and not {want[at]!r}"
    zero = (want == 0) & (np.abs(x) <= 1)  # not by underflow
    assert (np.signbit(got) == np.signbit(want))[zero].all(), name


for path in sorted(Path(sys.argv[1]).glob("*.x.npy")):
    name = path.name[:-len(".x.npy")]
    function = name.split(".")[0]
    x, y, slope = (np.load(path.with_name(f"{name}.{part}.npy")) for part in ("x", "y", "slope"))
    value, derivative = MEANING[function]
    most, most_slope = MOST[function]
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble if x.dtype == np.float64 else np.float64)
        if x.dtype == np.float64:
            most, most_slope = MOST_F64.get(function, (most, most_slope))
        if x.dtype == np.float16:
            most, most_slope = 0.51, 3
        compare(name, x, y, value(wide), most, 0)
        # These slopes have a factor 1 - sigmoid(x), whose error is absolute.
        scale = np.finfo(x.dtype).eps if function in ("sigmoid", "silu") else 0
        compare(f"the slope of {name}", x, slope, derivative(wide), most_slope, scale)
