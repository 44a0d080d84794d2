#!/usr/bin/env python3
"""Compares what layers.tdsl saved with layers-TYPE.safetensors.

usage: compare_layers.py TYPE FOLDER

The names, sizes and dtypes must be PyTorch's, and every number within 1e-9 in f64, 2e-5
in f32, of the largest number of its tensor; no tensor is all zeros.
"""

import json
import sys
from pathlib import Path

import numpy as np

LIMITS = {"f64": 1e-9, "f32": 2e-5}
DTYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64}


def read(path):
    """The tensors of a .safetensors file: the length of a header, the header, the bytes."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[start:], np.uint8)[slice(*entry["data_offsets"])]
            .view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()}


type, folder = sys.argv[1], Path(sys.argv[2])
wanted = read(Path(__file__).parent / f"layers-{type}.safetensors")
got = {path.stem: np.load(path) for path in folder.glob("*.npy")}
got |= {f"state {name}": value for name, value in read(folder / "state.safetensors").items()}

problems = [f"{name}: only PyTorch has it" for name in sorted(wanted.keys() - got.keys())]
problems += [f"{name}: PyTorch has none" for name in sorted(got.keys() - wanted.keys())]
for name in sorted(wanted.keys() & got.keys()):
    a, b = got[name], wanted[name]
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        problems.append(f"{name}: {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}")
        continue
    error = np.max(np.abs(a - b)) / np.max(np.abs(b))
    if not error <= LIMITS[type]:
        problems.append(f"{name}: {error:.1e} off")

print(f"{len(wanted)} tensors compared")
if problems:
    sys.exit("\n".join(problems))
