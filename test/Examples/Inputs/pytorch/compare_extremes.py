#!/usr/bin/env python3
"""Compares what extremes.tdsl saved with extremes.json.

usage: compare_extremes.py FOLDER

Every number must be as near as its dtype lets it be, however small it is.
"""

import json
import sys
from pathlib import Path

import numpy as np

# PyTorch rounds after each op of some functions of 16 bits.
RELATIVE = {"f64": 1e-10, "f32": 1e-5, "f16": 4e-3, "bf16": 3e-2}
SMALLEST = {"f64": 1e-300, "f32": 1e-37, "f16": 1e-6, "bf16": 1e-37}

folder = Path(sys.argv[1])
wanted = json.loads((Path(__file__).parent / "extremes.json").read_text())["cases"]
problems = [f"{name}: only in one of extremes.tdsl and extremes.json"
            for name in sorted({path.stem for path in folder.iterdir()} ^ wanted.keys())]
for name, numbers in wanted.items():
    if not (path := folder / f"{name}.npy").exists():
        continue
    dtype = name.split(",")[0]
    got, numbers = np.load(path).flatten(), np.array(numbers)
    close = np.isclose(got, numbers, rtol=RELATIVE[dtype], atol=SMALLEST[dtype], equal_nan=True)
    problems += [f"{name}: at {i} {got[i]:.8g}, not {numbers[i]:.8g}"
                 for i in np.flatnonzero(~close)]

print(f"{len(wanted)} arrays compared")
if problems:
    sys.exit("\n".join(problems))
