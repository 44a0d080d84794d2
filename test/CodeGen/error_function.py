"""Compares what error-function.tdsl saved with Python's erf."""

import math
import sys

import numpy as np

# In units in the last place of the result.
MOST = {"f64": 1.3, "narrow": 0.51}

for name in ["ends", "special", "wide", "one", "five", "rows", "mixed", "f64", "narrow"]:
    x, y = (np.load(f"{sys.argv[1]}/{name}.{part}.npy") for part in "xy")
    want = np.vectorize(math.erf)(x.astype(np.float64))
    with np.errstate(invalid="ignore"):
        error = np.abs(y.astype(np.float64) - want) / np.spacing(np.abs(want).astype(y.dtype))
    error[np.isnan(want) & np.isnan(y)] = 0
    at = np.unravel_index(error.argmax(), error.shape)
    assert error[at] <= MOST.get(name, 1.25), f"{name}: {error[at]} at {x[at]}"
    assert (np.signbit(y) == np.signbit(x))[~np.isnan(x)].all(), name
    assert (np.abs(y)[~np.isnan(y)] <= 1).all(), name
    assert (y[np.abs(x) >= 3.93] == np.sign(x[np.abs(x) >= 3.93])).all() or name == "f64", name
