#!/usr/bin/env python3
"""Casts to integers of the results of other ops: NaN, infinities, numbers out of range.

usage: casts.py [--seed N] [--target-cpu NAME | --gpu] [--work DIR]

Every op on floats, or two of them, is followed by a cast to each dtype of
integers, and that by one to a wider dtype, in one kernel: the code that LLVM makes
of the three together must have the interpreter's results of each. The last line is
"casts: N agree, N differ".
"""

import itertools
import sys

import numpy as np

from exact import check
from harness import DTYPES, Function, parse_options

UNARY = ["neg", "abs", "sign", "relu", "sqrt", "floor", "ceil", "trunc", "round", "exp", "log"]
BINARY = ["add", "sub", "mul", "div", "mod", "floordiv", "max", "min"]
TARGETS = {"u8": "i32", "i8": "i32", "i16": "i64", "i32": "f64", "i64": "bool", "bool": "i32",
           "u16": "i32", "u32": "f64", "u64": "f32"}
ENDS = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 0.9, -0.9, 127.5, -128.5, 255.5, 300.0, 4e4,
        -4e4, 3e9, -3e9, 1e19, -1e19]
VECTORS = 3  # of 16 numbers each


def ends(dtype):
    with np.errstate(over="ignore"):
        return np.repeat(np.array(ENDS), VECTORS * 16).astype(DTYPES[dtype])


def apply(function, name, x, y):
    """A unary op of x, or a binary one of x and y; `clamp` is written as programs do."""
    if name in UNARY:
        return function.op(f"td.{name} {x.name}", x)
    if name in BINARY:
        return function.op(f"td.{name} {x.name}, {y.name}", x)
    mask = x.like("bool")
    mask = function.op(f"td.compare {name} {x.name}, {y.name}", mask, f"{x.type} -> {mask.type}")
    return function.op(f"td.select {mask.name}, {x.name}, {y.name}", x, f"{mask.type}, {x.type}")


def cast(function, x, dtype):
    to = x.like(dtype)
    return function.op(f"td.cast {x.name}", to, f"{x.type} to {to.type}")


def make_function(random, names, dtype, target):
    function = Function(dynamic=False)
    x = function.input(ends(dtype))
    # A single number, so that the operands of the select are known constants.
    number = function.scalar(np.float64(random.choice([0.0, 1.0, 255.0, np.inf])))
    y = function.op(f"td.fill {number}", x, f"f64 -> {x.type}")
    for name in names:
        x = apply(function, name, x, y)
    function.results = [cast(function, cast(function, x, target), TARGETS[target])]
    return function


def main():
    options = parse_options(__doc__)
    random = np.random.default_rng(options.seed)
    print(f"seed {options.seed}")
    # No choice of a choice: docs/LLVM.md. No exp of a log or log of an exp, which
    # is nearly a whole number.
    kinds = UNARY + BINARY
    chains = [before + (name,) for name in [*kinds, "lt", "gt", "le", "ge"]
              for before in ((), ("relu",), tuple(random.choice(kinds, 2)))
              if sum(other in ("exp", "log") for other in (*before, name)) < 2]
    functions = [make_function(random, names, dtype, target)
                 for names, target in itertools.product(chains, TARGETS)
                 for dtype in random.choice(["f16", "bf16", "f32", "f64"], 1)]
    return check("casts", functions, options)


if __name__ == "__main__":
    sys.exit(main())
