#!/usr/bin/env python3
"""Writes NAME.json: the values and gradients that PyTorch gives to the cases of
NAME.tdsl, whose lines are valid Python but for some words.

usage: make_functions.py NAME     (needs PyTorch)
"""

import json
import math
import re
import sys
from pathlib import Path

import torch

STEM = Path(__file__).resolve().parent / sys.argv[1]
cases = {}


def show(name, value):
    cases[name] = [float(f"{x:.8g}") for x in value.detach().double().flatten().tolist()]


def check(name, value, x):
    weights = (torch.arange(value.numel()) / 8.0 + 1.0).reshape(value.shape)
    show(name, value)
    show(f"{name}, gradient", torch.autograd.grad((value * weights).sum(), x, retain_graph=True)[0])


def grad(value, x):
    """Which can be differentiated again."""
    return torch.autograd.grad(value, x, create_graph=True)[0]


def tensor(data):
    """Everything made of floats can be differentiated by."""
    result = torch.tensor(data)
    return result.requires_grad_(result.is_floating_point())


def mixed(count, step):
    return tensor([(i * step % 11 - 5) / 4.0 for i in range(count)])


def causal_mask(queries, keys):
    """PyTorch has none; as the example of its attention writes it, for keys of
    earlier steps too."""
    return torch.ones(queries, keys).triu(keys - queries + 1).bool()


class Conv1D(torch.nn.Module):
    """As in the transformers package."""

    def __init__(self, nx, nf):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(nx, nf))
        self.bias = torch.nn.Parameter(torch.empty(nf))

    def forward(self, x):
        return torch.addmm(self.bias, x, self.weight)


torch.set_flush_denormal(True)
names = {**vars(torch), **vars(torch.nn), **vars(torch.nn.functional), **globals(),
         "true": True, "false": False, "inf": math.inf, "nan": math.nan, "none": None,
         "f32": torch.float32, "one": 1}
for name in ("binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "kl_div"):
    names[f"{name}_loss"] = names[name]
lines = STEM.with_suffix(".tdsl").read_text()
lines = lines[lines.index("\nlet "):]
lines = re.sub(r"^let ", "", lines, flags=re.MULTILINE)
lines = re.sub(r"^(\w+\.\w+ =) (.*)$", r"\1 Parameter(\2.detach())", lines, flags=re.MULTILINE)
exec(compile(lines, f"{STEM.name}.tdsl", "exec"), names)
text = ",\n".join(f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in cases.items())
STEM.with_suffix(".json").write_text(
    f'{{"torch": {json.dumps(torch.__version__)}, "cases": {{\n{text}\n}}}}\n')
