#!/usr/bin/env python3
"""Writes extremes.json: what PyTorch gives for the lines of extremes.tdsl, in each
dtype of floats.

usage: make_extremes.py     (needs PyTorch)
"""

import json
import math
import re
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
          "bf16": torch.bfloat16}
DIGITS = {"f64": 12, "f32": 8, "f16": 5, "bf16": 4}
cases = {}
dtype = None


def of(x):
    return x.detach().to(DTYPES[dtype]).requires_grad_()


def show(name, value):
    cases[f"{dtype}, {name}"] = [float(f"{x:.{DIGITS[dtype]}g}")
                                 for x in value.detach().double().flatten().tolist()]


def check(name, value, x):
    show(name, value)
    show(f"{name}, gradient", torch.autograd.grad(value.sum(), x)[0])


torch.set_flush_denormal(True)
names = {**vars(torch), **vars(torch.nn.functional), **globals(), "inf": math.inf, "nan": math.nan,
         "true": True}
lines = (HERE / "extremes.tdsl").read_text()
lines = re.sub(r"^let ", "", lines[lines.index("\nlet "):], flags=re.MULTILINE)
for dtype in DTYPES:
    names["dtype"] = dtype
    exec(compile(lines, "extremes.tdsl", "exec"), names)
text = ",\n".join(f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in cases.items())
(HERE / "extremes.json").write_text(
    f'{{"torch": {json.dumps(torch.__version__)}, "cases": {{\n{text}\n}}}}\n')
