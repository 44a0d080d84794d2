#!/usr/bin/env python3
"""Matrix products that GPUs compute tile by tile, with work before and after.

usage: products.py [--seed N] [--gpu] [--tf32] [--work DIR]

Random sizes, dtypes, transposed operands, work on the operands and on the
product. All numbers are small integers whose sums every dtype has, so that the
order in which a product is added up does not matter: results must be those of
the interpreter, bit for bit; with --tf32, all of f32 and on tensor cores, too.
The last line is "products: N agree, N differ".
"""

import sys

import numpy as np

from exact import check
from harness import DTYPES, Function, parse_options

PRODUCTS = 80
ROWS = [32, 33, 64, 65, 96, 100, 128, 130]
TERMS = [16, 17, 24, 32, 40, 100]
COLUMNS = [32, 36, 48, 64, 70, 128, 136]
BATCHES = [(), (), (), (2,), (2, 2)]
COMPUTED = ["f32", "f16", "bf16", "f64", "i64", "i32", "i8", "u64"]


def small(random, dtype, dims):
    return random.integers(0 if dtype[0] == "u" else -2, 3, dims).astype(DTYPES[dtype])


def make_operand(random, function, dtype, dims, fixed):
    """An operand of these dims: transposed in memory or not, cast or not, with
    each row or column multiplied or not."""
    stored = random.choice([dtype, dtype, "f32", "i8", "u8"])
    is_transposed = random.random() < 0.5
    order = [*range(len(dims) - 2), len(dims) - 1, len(dims) - 2]
    if is_transposed:
        dims, fixed = [dims[d] for d in order], {order[d] for d in fixed}
    x = function.input(small(random, stored, dims), fixed)
    if is_transposed:
        turned = x.like(dims=[x.dims[d] for d in order])
        x = function.op(f"td.permute {x.name} {order}", turned, f"{x.type} to {turned.type}")
    if stored != dtype:
        cast = x.like(dtype)
        x = function.op(f"td.cast {x.name}", cast, f"{x.type} to {cast.type}")
    if random.random() < 0.3:
        x = function.op(f"td.{random.choice(['neg', 'abs', 'relu'])} {x.name}", x)
    return x


def make_product(random, dynamic, dtypes):
    function = Function(dynamic > 0)
    dtype = str(random.choice(dtypes))
    batch = BATCHES[random.integers(len(BATCHES))]
    m, k, n = (int(random.choice(sizes)) for sizes in (ROWS, TERMS, COLUMNS))
    # Sizes known at run time: none, the rows alone, or all.
    rank = len(batch) + 2
    every = set(range(rank))
    fixed = (every, every) if dynamic == 0 else \
        (every - {rank - 2}, every) if dynamic == 1 else (set(), set())
    lhs = make_operand(random, function, dtype, (*batch, m, k), fixed[0])
    rhs = make_operand(random, function, dtype, (*batch, k, n), fixed[1])
    product = lhs.like(dims=(*lhs.dims[:-1], rhs.dims[-1]))
    product = function.op(f"td.matmul {lhs.name}, {rhs.name}", product,
                          f"{lhs.type}, {rhs.type} -> {product.type}")
    function.results = [product]
    if random.random() < 0.6:
        other = function.input(small(random, dtype, (*batch, m, n)),
                               every - {d for d in every if product.dims[d] is None})
        result = function.op(f"td.add {product.name}, {other.name}", product)
        result = function.op(f"td.relu {result.name}", result)
        function.results = [result] if random.random() < 0.5 else [product, result]
    return function


def main():
    options = parse_options(__doc__, "tf32")
    random = np.random.default_rng(options.seed)
    print(f"seed {options.seed}")
    dtypes = ["f32"] if options.tf32 else COMPUTED
    products = [make_product(random, i % 3, dtypes) for i in range(PRODUCTS)]
    return check("products", products, options, "td.tf32" if options.tf32 else None)


if __name__ == "__main__":
    sys.exit(main())
