#!/usr/bin/env python3
"""Compares the rounding errors of operators in f32, one by one, in tdc and in PyTorch.

    python rounding.py TDC [--only REGEX] [OPTIONS OF tdc run …]

Values and gradients of each operator for random inputs are computed in f32 by both, and
by PyTorch in f64 from the same inputs. The table has the root mean square of the errors,
relative to that of the numbers, and tdc's divided by PyTorch's. Values that are above
LIMIT times PyTorch's are marked; it helps to find why a run of train_compare.py deviates.

Needs PyTorch and a minute, so it runs outside of CI.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

LIMIT = 1.5
BATCH = 8


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


# The sizes of the inputs, the expression for tdc, the function for PyTorch.
OPERATORS = {
    "exp": ([(64, 64)], "exp(a)", lambda a: torch.exp(a)),
    "log": ([(64, 64)], "log(a * a + 0.1)", lambda a: torch.log(a * a + 0.1)),
    "tanh": ([(64, 64)], "tanh(a)", lambda a: torch.tanh(a)),
    "sigmoid": ([(64, 64)], "sigmoid(a)", lambda a: torch.sigmoid(a)),
    "gelu": ([(64, 64)], "gelu(a)", lambda a: F.gelu(a)),
    "sum": ([(64, 512)], "a.sum(1)", lambda a: a.sum(1)),
    "sum of columns": ([(512, 64)], "a.sum(0)", lambda a: a.sum(0)),
    "sum of many columns": ([(16384, 64)], "a.sum(0)", lambda a: a.sum(0)),
    "sum of channels": ([(BATCH, 16, 32, 32)], "a.sum((0, 2, 3))", lambda a: a.sum((0, 2, 3))),
    "sum of all": ([(1024, 256)], "a.sum()", lambda a: a.sum()),
    "mean": ([(64, 512)], "a.mean(1)", lambda a: a.mean(1)),
    "softmax": ([(64, 64)], "softmax(a, 1)", lambda a: torch.softmax(a, 1)),
    "cross_entropy": ([(64, 20)], "cross_entropy(a, arange(64) % 20)",
                      lambda a: F.cross_entropy(a, torch.arange(64) % 20)),
    "bce_with_logits": ([(64, 64)], "binary_cross_entropy_with_logits(a, ones_like(a) * 0.25)",
                        lambda a: F.binary_cross_entropy_with_logits(a, torch.full_like(a, 0.25))),
    "bce of sigmoid": ([(64, 64)], "binary_cross_entropy(sigmoid(a), ones_like(a) * 0.25)",
                       lambda a: F.binary_cross_entropy(torch.sigmoid(a),
                                                        torch.full_like(a, 0.25))),
    "linear": ([(BATCH, 256), (64, 256), (64,)], "linear(a, b, c)", F.linear),
    "linear of rows": ([(BATCH, 16, 32), (96, 32), (96,)], "linear(a, b, c)", F.linear),
    "layer_norm": ([(BATCH, 16, 32), (32,), (32,)], "layer_norm(a, (32,), b, c)",
                   lambda a, b, c: F.layer_norm(a, (32,), b, c)),
    "batch_norm": ([(BATCH, 32, 16, 16), (32,), (32,)],
                   "batch_norm(a, none, none, b, c, true)",
                   lambda a, b, c: F.batch_norm(a, None, None, b, c, True)),
    "batch_norm, mean 3": ([(BATCH, 32, 16, 16), (32,), (32,)],
                           "batch_norm(a + 3.0, none, none, b, c, true)",
                           lambda a, b, c: F.batch_norm(a + 3.0, None, None, b, c, True)),
    "conv2d 3x3": ([(BATCH, 32, 16, 16), (64, 32, 3, 3)], "conv2d(a, b, padding=1)",
                   lambda a, b: F.conv2d(a, b, padding=1)),
    "conv2d 3x3, 128 channels": ([(BATCH, 128, 4, 4), (128, 128, 3, 3)],
                                 "conv2d(a, b, padding=1)",
                                 lambda a, b: F.conv2d(a, b, padding=1)),
    "conv2d 3x3, stride 2": ([(BATCH, 32, 16, 16), (64, 32, 3, 3)],
                             "conv2d(a, b, stride=2, padding=1)",
                             lambda a, b: F.conv2d(a, b, stride=2, padding=1)),
    "conv2d 1x1, stride 2": ([(BATCH, 32, 16, 16), (64, 32, 1, 1)], "conv2d(a, b, stride=2)",
                             lambda a, b: F.conv2d(a, b, stride=2)),
    "conv2d 5x5": ([(BATCH, 6, 14, 14), (16, 6, 5, 5), (16,)], "conv2d(a, b, c)", F.conv2d),
    "conv_transpose2d": ([(BATCH, 32, 8, 8), (32, 16, 2, 2), (16,)],
                         "conv_transpose2d(a, b, c, stride=2)",
                         lambda a, b, c: F.conv_transpose2d(a, b, c, stride=2)),
    "max_pool2d": ([(BATCH, 8, 16, 16)], "max_pool2d(a, 2)", lambda a: F.max_pool2d(a, 2)),
    "adaptive_avg_pool2d": ([(BATCH, 64, 4, 4)], "adaptive_avg_pool2d(a, 1)",
                            lambda a: F.adaptive_avg_pool2d(a, 1)),
    "attention": ([(BATCH, 4, 16, 8)] * 3, "scaled_dot_product_attention(a, b, c)", attention),
    "embedding": ([(20, 32)], "embedding(arange(256) * 7 % 20, a)",
                  lambda a: F.embedding(torch.arange(256) * 7 % 20, a)),
}


def in_torch(function, inputs, factors, dtype):
    values = [torch.tensor(x, dtype=dtype, requires_grad=True) for x in inputs]
    y = function(*values)
    gradients = torch.autograd.grad((y * torch.tensor(factors, dtype=dtype)).sum(), values)
    return [x.detach().double().numpy() for x in (y, *gradients)]


def in_tdc(options, expression, inputs, factors, folder):
    names = "abc"[:len(inputs)]
    lines = []
    for name, values in [*zip(names, inputs), ("factors", factors)]:
        np.save(folder / f"{name}.npy", values)
        sizes = ", ".join(map(str, values.shape))
        lines.append(f'let {name}: f32[{sizes}] = load("{folder}/{name}.npy")')
    lines += [f"let y = {expression}", f'save("{folder}/y.npy", y)']
    wanted = names[0] if len(names) == 1 else f"({', '.join(names)})"
    lines.append(f"let gradients = grad((y * factors).sum(), {wanted})")
    for i, name in enumerate(names):
        part = "gradients" if len(names) == 1 else f"gradients[{i}]"
        lines.append(f'save("{folder}/d{name}.npy", {part})')
    program = folder / "operator.tdsl"
    program.write_text("\n".join(lines) + "\n")
    done = subprocess.run([options.tdc, "run", *options.options, program], capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"{expression}: {done.stderr}")
    return [np.load(folder / f"{name}.npy").astype(np.float64)
            for name in ("y", *(f"d{name}" for name in names))]


def error(got, wanted):
    return float(np.sqrt(np.mean((got - wanted) ** 2)) / np.sqrt(np.mean(wanted ** 2)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tdc")
    parser.add_argument("--only", default="", help="a regular expression of the operators")
    options, options.options = parser.parse_known_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # as tdc does
    with tempfile.TemporaryDirectory() as temporary:
        for name, (sizes, expression, function) in OPERATORS.items():
            if not re.search(options.only, name):
                continue
            random = np.random.default_rng(3)
            inputs = [random.standard_normal(size).astype(np.float32) for size in sizes]
            y = function(*map(torch.from_numpy, inputs))
            factors = np.array(random.standard_normal(tuple(y.shape)), np.float32)
            exact, torch32 = (in_torch(function, inputs, factors, dtype)
                              for dtype in (torch.float64, torch.float32))
            tdc32 = in_tdc(options, expression, inputs, factors, Path(temporary))
            for what, *three in zip(("value", *(f"d{n}" for n in "abc")), exact, torch32, tdc32):
                of_torch, of_tdc = error(three[1], three[0]), error(three[2], three[0])
                mark = " <" if of_tdc > LIMIT * of_torch and of_tdc > 2 ** -25 else ""
                ratio = of_tdc / of_torch if of_torch else np.inf if of_tdc else 1.0
                print(f"{name:26} {what:6} tdc {of_tdc:.1e}  torch {of_torch:.1e}  "
                      f"{ratio:5.2f}{mark}", flush=True)


if __name__ == "__main__":
    main()
