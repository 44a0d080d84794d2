"""Ops that read and write at sums of coordinates: windows, insets, contractions."""

import re

import numpy as np

from samples import Sample, holds_floats, numbers

# (shape, shape of the result, coordinates of the operand from those of the result)
WINDOWS = [
    ((9,), (4, 3), ["2*d0 + d1"]),
    ((9,), (9,), ["8 - d0"]),
    ((1,), (1,), ["-d0"]),
    ((9,), (3, 3), ["d0 - 2*d1 + 6", ]),
    ((0,), (0,), ["-d0"]),
    ((33,), (8, 5), ["3*d0 + 2*d1"]),
    ((4, 7), (4, 7), ["3 - d0", "d1"]),
    ((4, 7), (7, 4), ["d1", "6 - d0"]),
    ((4, 7), (4, 3, 2), ["d0", "2*d1 + d2 + 1"]),
    ((5, 6), (3, 3, 3, 2), ["d0 + d2", "2*d1 + d3"]),
    ((2, 8, 9), (2, 3, 8, 3, 2), ["d0", "2*d1 + d3 + 1", "d2 + d4"]),
    ((7, 3), (5, 3), ["d0 - d1 + 2", "d1"]),
    ((3, 17), (3, 15, 3), ["d0", "d1 + d2"]),
    ((31, 17), (31, 17, 2), ["d0", "16 - d1"]),
    ((0, 5), (0, 3, 3), ["d0", "d1 + d2"]),
    ((3, 64), (64, 3), ["d1", "63 - d0"]),
]

# (base, update, low, step)
INSETS = [((5,), (3,), (1,), (1,)), ((5,), (3,), (0,), (2,)), ((5,), (0,), (5,), (1,)),
          ((1,), (1,), (0,), (1,)), ((0,), (0,), (0,), (1,)), ((9,), (3,), (2,), (3,)),
          ((33,), (17,), (7,), (1,)), ((6, 9), (4, 5), (1, 0), (1, 2)),
          ((6, 9), (6, 9), (0, 0), (1, 1)), ((3, 33), (2, 31), (1, 1), (1, 1)),
          ((2, 5, 7), (2, 3, 3), (0, 1, 1), (1, 1, 2)), ((4, 4), (1, 1), (3, 3), (1, 1)),
          ((0, 4), (0, 2), (0, 1), (1, 1)),
          ((2, 2, 40, 40), (2, 2, 19, 38), (0, 0, 1, 1), (1, 1, 2, 1))]

# (lhs, rhs, result, coordinates of lhs, of rhs, sizes of what is summed over)
CONTRACTIONS = [
    ((9,), (3,), (7,), ["d0 + d1"], ["d1"], (3,)),
    ((1,), (1,), (1,), ["d0 + d1"], ["d1"], (1,)),
    ((9, 3), (8, 3, 3), (7, 8), ["d0 + d2", "d3"], ["d1", "d2", "d3"], (3, 3)),
    # Matrix products, of all orders.
    ((5, 7), (7, 9), (5, 9), ["d0", "d2"], ["d2", "d1"], (7,)),
    ((7, 5), (9, 7), (5, 9), ["d2", "d0"], ["d1", "d2"], (7,)),
    ((2, 5, 7), (7, 2, 9), (2, 5, 9), ["d0", "d1", "d3"], ["d3", "d0", "d2"], (7,)),
    ((4, 33, 2), (2, 4, 17), (33, 17), ["d2", "d0", "d3"], ["d3", "d2", "d1"], (4, 2)),
    ((40, 33), (40, 33), (40,), ["d0", "d1"], ["d0", "d1"], (33,)),
    ((0, 7), (7, 9), (0, 9), ["d0", "d2"], ["d2", "d1"], (7,)),
    ((5, 0), (0, 9), (5, 9), ["d0", "d2"], ["d2", "d1"], (0,)),
    ((7,), (7,), (), ["d0"], ["d0"], (7,)),
    # Convolutions: [N, C, L], strided, dilated, depthwise; 2-d; their gradients.
    ((2, 3, 11), (4, 3, 3), (2, 4, 5), ["d0", "d3", "2*d2 + d4"], ["d1", "d3", "d4"], (3, 3)),
    ((1, 2, 11), (3, 2, 3), (1, 3, 7), ["d0", "d3", "d2 + 2*d4"], ["d1", "d3", "d4"], (2, 3)),
    ((2, 3, 8), (3, 4), (2, 3, 5), ["d0", "d1", "d2 + d3"], ["d1", "d3"], (4,)),
    ((1, 3, 8, 9), (5, 3, 3, 2), (1, 5, 6, 8), ["d0", "d4", "d2 + d5", "d3 + d6"],
     ["d1", "d4", "d5", "d6"], (3, 3, 2)),
    ((2, 8, 16, 16), (17, 8, 3, 3), (2, 17, 14, 14), ["d0", "d4", "d2 + d5", "d3 + d6"],
     ["d1", "d4", "d5", "d6"], (8, 3, 3)),
    ((1, 33, 10, 36), (40, 33, 3, 3), (1, 40, 8, 34), ["d0", "d4", "d2 + d5", "d3 + d6"],
     ["d1", "d4", "d5", "d6"], (33, 3, 3)),
    ((2, 4, 9, 9), (8, 4, 3, 3), (2, 8, 4, 4), ["d0", "d4", "2*d2 + d5", "2*d3 + d6"],
     ["d1", "d4", "d5", "d6"], (4, 3, 3)),
    ((2, 17, 18, 18), (17, 8, 3, 3), (2, 8, 16, 16), ["d0", "d4", "d2 - d5 + 2", "d3 - d6 + 2"],
     ["d4", "d1", "d5", "d6"], (17, 3, 3)),
    ((2, 17, 14, 14), (2, 8, 16, 16), (17, 8, 3, 3), ["d4", "d0", "d5", "d6"],
     ["d4", "d1", "d2 + d5", "d3 + d6"], (2, 14, 14)),
    ((2, 3, 5, 6, 7), (4, 3, 2, 3, 2), (2, 4, 4, 2, 6),
     ["d0", "d5", "d2 + d6", "2*d3 + d7", "d4 + d8"], ["d1", "d5", "d6", "d7", "d8"], (3, 2, 3, 2)),
]


def affine_map(dims, coordinates):
    return (f"affine_map<({', '.join(f'd{i}' for i in range(dims))}) -> "
            f"({', '.join(text.replace('*', ' * ') for text in coordinates)})>")


def positions(coordinates, index):
    """Returns the coordinates at every index of a grid."""
    names = {f"d{i}": numbers for i, numbers in enumerate(index)}
    shape = np.broadcast_shapes((), *(numbers.shape for numbers in index))
    return tuple(np.broadcast_to(eval(text, {}, names), shape) for text in coordinates)


def fixed_dims(coordinates):
    """Returns the dims of an operand, and of the result, in sums with a constant that depends on
    their size."""
    sums = [text for text in coordinates if re.search(r"(^| )\d+( |$)|-d", text)]
    return ({i for i, text in enumerate(coordinates) if text in sums},
            {i for i in range(10) for text in sums if f"d{i}" in text})


def window_samples(random, dtype):
    for shape, result, coordinates in WINDOWS:
        yield Sample([numbers(random, dtype, shape)], {"shape": result, "at": coordinates})


def emit_window(function, sample):
    own, fixed = fixed_dims(sample.at)
    x = function.input(sample.arrays[0], own)
    dims, sizes = function.shape(sample.shape, [d for d in range(len(sample.shape)) if d in fixed])
    result = x.like(dims=dims)
    return function.op(f"td.window {x.name} at {affine_map(len(dims), sample.at)}{sizes}", result,
                       f"{x.type} to {result.type}")


def window(sample):
    index = np.indices(sample.shape, sparse=True)
    return sample.arrays[0][positions(sample.at, index)]


def inset_samples(random, dtype):
    for base, update, low, step in INSETS:
        yield Sample([numbers(random, dtype, base), numbers(random, dtype, update)],
                     {"low": low, "apart": step})


def emit_inset(function, sample):
    base, update = (function.input(array) for array in sample.arrays)
    low = [function.integer(number) for number in sample.low]
    return function.op(f"td.inset {base.name}, {update.name}[{', '.join(low)}] "
                       f"step {list(sample.apart)}", base, f"{base.type}, {update.type}")


def inset(sample):
    result, update = sample.arrays[0].copy(), sample.arrays[1]
    result[tuple(slice(low, low + size * step, step) for low, size, step in
                 zip(sample.low, update.shape, sample.apart))] = update
    return result


def contract_samples(random, dtype, cases=CONTRACTIONS):
    for lhs, rhs, result, left, right, terms in cases:
        yield Sample([numbers(random, dtype, lhs), numbers(random, dtype, rhs)],
                     {"shape": result, "left": left, "right": right, "terms": terms})


def emit_contract(function, sample):
    (own, fixed), (other, more) = fixed_dims(sample.left), fixed_dims(sample.right)
    fixed = fixed | more
    def static(coordinates, own):
        return own | {i for i, text in enumerate(coordinates) if text in {f"d{d}" for d in fixed}}
    x = function.input(sample.arrays[0], static(sample.left, own))
    y = function.input(sample.arrays[1], static(sample.right, other))
    rank = len(sample.shape)
    dims, sizes = function.shape(sample.shape, [d for d in range(rank) if d in fixed])
    result = x.like(dims=dims)
    count = rank + len(sample.terms)
    return function.op(f"td.contract {x.name}, {y.name} at {affine_map(count, sample.left)}, "
                       f"{affine_map(count, sample.right)}{sizes}", result,
                       f"{x.type}, {y.type} -> {result.type}")


def products(sample, x, y):
    index = np.indices((*sample.shape, *sample.terms), sparse=True)
    axes = tuple(range(len(sample.shape), len(sample.shape) + len(sample.terms)))
    with np.errstate(all="ignore"):
        terms = x[positions(sample.left, index)] * y[positions(sample.right, index)]
        return terms.sum(axis=axes, dtype=x.dtype)


def contract(sample):
    x, y = sample.arrays
    if holds_floats(x):
        x, y = x.astype(np.float64), y.astype(np.float64)
    return products(sample, x, y)


def contract_bound(sample):
    x, y = (np.abs(array.astype(np.float64)) for array in sample.arrays)
    return np.prod(sample.terms) * products(sample, x, y)


def smooth_contract(random):
    cases = [case for case in CONTRACTIONS if np.prod(case[0]) + np.prod(case[1]) <= 150]
    return contract_samples(random, "f64", cases)
