"""Makes the inputs of row-blocks.tdsl, and compares its results with NumPy's in f64."""

import json
import sys
from pathlib import Path

import numpy as np

ROWS = {"even": 768, "odd": 3100}
LAYERS = {"wide": 960, "other": 1040, "square": 640}

data, what = Path(sys.argv[1]), sys.argv[2]
random = np.random.default_rng(3)
inputs = {name: random.standard_normal((rows, 640), dtype=np.float32)
          for name, rows in ROWS.items()}
state = {}
for name, columns in LAYERS.items():
    state[f"{name}.weight"] = random.standard_normal((columns, 640), dtype=np.float32) / 32
    state[f"{name}.bias"] = random.standard_normal(columns, dtype=np.float32)


def save_state(path):
    header, end = {}, 0
    for name, value in state.items():
        header[name] = {"dtype": "F32", "shape": value.shape,
                        "data_offsets": [end, end + value.nbytes]}
        end += value.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text
                     + b"".join(value.tobytes() for value in state.values()))


if what == "make":
    save_state(data / "net.safetensors")
    for name, value in inputs.items():
        np.save(data / f"{name}.npy", value)
    sys.exit()


def linear(x, layer):
    weight, bias = (state[f"{layer}.{part}"].astype(np.float64) for part in ("weight", "bias"))
    return x @ weight.T + bias


even, odd = (value.astype(np.float64) for value in inputs.values())
expected = {
    "even.wide": np.maximum(linear(even, "wide"), 0),
    "odd.wide": linear(odd, "wide"),
    "even.other": np.tanh(linear(even, "other")),
    "odd.other": linear(odd, "other"),
    "odd.square": odd + linear(odd, "square"),
    "part.square": linear(odd[16:900], "square"),
}
for name, want in expected.items():
    got = np.load(data / what / f"{name}.npy")
    assert got.shape == want.shape, name
    error = np.abs(got - want).max() / np.abs(want).max()
    assert error < 2e-6, (name, error)
