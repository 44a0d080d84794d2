#!/usr/bin/env python3
"""Chains of ops in one kernel: compiled code rounds after each, as the interpreter does.

usage: chains.py [--seed N] [--target-cpu NAME | --gpu] [--work DIR]

Fused ops must not pass on more digits than the dtype has. Random chains of
exact and correctly rounded ops on integers and on floats of 16 bits, with casts from
and to all dtypes, must agree bit for bit. The last line is "chains: N agree, N differ".
"""

import sys

import numpy as np

from exact import check
from harness import Function, parse_options
from samples import is_float, numbers

CHAINS = 100
SHAPES = [(7,), (33,), (64,), (5, 17), (3, 40)]
# f32 and f64 are left out: their products are contracted into sums.
NARROW = ["f16", "bf16", "i16", "i8", "u8", "u16", "u32", "u64", "i32", "i64"]


def extend(random, function, values):
    """Adds an op on the values so far."""
    x = values[random.integers(len(values))]
    y = random.choice([value.name for value in values if value.type == x.type])
    kind = random.choice(["cast", "binary", "binary", "unary", "select"])
    if kind == "cast":
        to = x.like(random.choice(sorted(set(NARROW) - {x.dtype})))
        by = x.like(random.choice(["f32", "f64"]))
        between = function.op(f"td.cast {x.name}", by, f"{x.type} to {by.type}")
        return function.op(f"td.cast {between.name}", to, f"{by.type} to {to.type}")
    if kind == "binary":
        ops = ["add", "sub", "mul", "max", "min"]
        ops += ["div"] if is_float(x.dtype) else ["floordiv", "mod", "shl", "shr"]
        return function.op(f"td.{random.choice(ops)} {x.name}, {y}", x)
    if kind == "unary":
        ops = ["neg", "abs", "relu", "sign"] + is_float(x.dtype) * ["floor", "round", "sqrt"]
        return function.op(f"td.{random.choice(ops)} {x.name}", x)
    mask = x.like("bool")
    mask = function.op(f"td.compare lt {x.name}, {y}", mask, f"{x.type} -> {mask.type}")
    return function.op(f"td.select {mask.name}, {x.name}, {y}", x, f"{mask.type}, {x.type}")


def make_chain(random, dynamic):
    function = Function(dynamic)
    shape = SHAPES[random.integers(len(SHAPES))]
    values = [function.input(numbers(random, dtype, shape)) for dtype in random.choice(NARROW, 3)]
    for _ in range(random.integers(4, 14)):
        values.append(extend(random, function, values))
    function.results = values[-random.integers(1, 3):]
    return function


def main():
    options = parse_options(__doc__)
    random = np.random.default_rng(options.seed)
    print(f"seed {options.seed}")
    chains = [make_chain(random, bool(i % 2)) for i in range(CHAINS)]
    return check("chains", chains, options)


if __name__ == "__main__":
    sys.exit(main())
