#!/usr/bin/env python3
"""Compares what NAME.tdsl saved with NAME.json.

usage: compare_functions.py NAME FOLDER PRELUDE...

Every number must be within 1e-6 + 1e-5 of its size + 1e-7 of the largest number
of its row (where it may be what is left of a difference), and there must be a
case, "name" or "name, what of it", for every function and layer of these files of
the prelude.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np

ABSOLUTE, RELATIVE, OF_ROW = 1e-6, 1e-5, 1e-7
# Their results are random: test/Language/random-choices.tdsl tests them.
RANDOM = {"bernoulli", "gumbel_softmax", "multinomial", "rrelu"}

name = sys.argv[1]
folder, *prelude = map(Path, sys.argv[2:])
wanted = json.loads((Path(__file__).parent / f"{name}.json").read_text())["cases"]
problems = [f"{case}: only in one of {name}.tdsl and {name}.json"
            for case in sorted({path.stem for path in folder.iterdir()} ^ wanted.keys())]

declared = {function for file in prelude
            for function in re.findall(r"^(?:fn|model) ([a-zA-Z]\w*)", file.read_text(), re.M)}
tried = {case.split(",")[0] for case in wanted} | RANDOM
problems += [f"{function}: no case in {name}.tdsl"
             for function in sorted(declared - tried)]

for name, numbers in wanted.items():
    if not (path := folder / f"{name}.npy").exists():
        continue
    got, numbers = np.atleast_1d(np.load(path)), np.array(numbers)
    if got.size != numbers.size:
        problems.append(f"{name}: {got.size} numbers, not {numbers.size}")
        continue
    numbers = numbers.reshape(got.shape)
    largest = np.max(np.abs(numbers), axis=-1, keepdims=True, initial=0,
                     where=np.isfinite(numbers))
    close = np.isclose(got, numbers, rtol=RELATIVE, atol=ABSOLUTE + OF_ROW * largest,
                       equal_nan=True).flatten()
    got, numbers = got.flatten(), numbers.flatten()
    problems += [f"{name}: at {i} {got[i]:.8g}, not {numbers[i]:.8g}"
                 for i in np.flatnonzero(~close)]

print(f"{len(wanted)} arrays compared")
if problems:
    sys.exit("\n".join(problems))
