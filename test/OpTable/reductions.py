"""Reductions, matrix products and softmax."""

import math

import numpy as np

from elementwise import anywhere
from harness import DTYPES, NAMES
from samples import (SHAPES, SMALL_SHAPES, Sample, holds_floats, numbers, operands, round_to,
                     small, specials)


# (shape, dims)
REDUCTIONS = [((), ()), ((1,), (0,)), ((0,), (0,)), ((7,), (0,)), ((7,), ()), ((8,), (0,)),
              ((16,), (0,)), ((17,), (0,)), ((129,), (0,)), ((1000,), (0,)), ((3, 5), (0,)),
              ((3, 5), (1,)), ((3, 5), (0, 1)), ((0, 4), (0,)), ((0, 4), (1,)), ((4, 0), (1,)),
              ((31, 17), (0,)), ((31, 17), (1,)), ((1, 7), (0,)), ((7, 1), (1,)), ((2, 3, 4), (1,)),
              ((2, 3, 4), (0, 2)), ((2, 3, 4), (0, 1, 2)), ((5, 0, 2), (0, 2)), ((1, 3, 1), (0, 2)),
              ((3, 1, 4, 2), (1, 2)), ((2, 2, 2, 2, 2), (0, 2, 4)), ((100, 33), (0,)),
              ((2100, 3), (0,))]
REDUCE = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "any": np.any,
          "all": np.all}


def reduce_samples(random, dtype):
    kinds = ("any", "all") if dtype == "bool" else ("sum", "prod", "max", "min")
    for kind in kinds:
        for shape, dims in REDUCTIONS:
            x = operands(random, dtype, shape, kind, spread=0.2)
            yield Sample([x], {"kind": kind, "dims": dims}, kind)
        if kind in ("max", "min"):
            ends = np.array(np.meshgrid(specials(dtype), specials(dtype))).reshape(2, -1)
            yield Sample([ends], {"kind": kind, "dims": (0,)}, f"{kind} of special values")


def emit_reduce(function, sample):
    x = function.input(sample.arrays[0])
    return reduce_value(function, sample.kind, x, sample.dims)


def reduce_value(function, kind, x, dims):
    result = x.like(dims=[size for d, size in enumerate(x.dims) if d not in dims])
    return function.op(f"td.reduce {kind} {x.name} {list(dims)}", result,
                       f"{x.type} to {result.type}")


def empty(kind, x):
    """max and min of nothing, where NumPy has no answer."""
    if holds_floats(x):
        return -np.inf if kind == "max" else np.inf
    return np.iinfo(x.dtype).min if kind == "max" else np.iinfo(x.dtype).max


def reduce(sample):
    x, kind = sample.arrays[0], sample.kind
    if not sample.dims:
        return x
    if kind in ("max", "min"):
        return REDUCE[kind](x, axis=sample.dims, initial=empty(kind, x))
    exact = x.astype(np.float64) if holds_floats(x) else x
    dtype = {"any": bool, "all": bool}.get(kind, exact.dtype)
    return REDUCE[kind](exact, axis=sample.dims, **({} if dtype is bool else {"dtype": dtype}))


def reduce_bound(sample):
    x = np.abs(sample.arrays[0].astype(np.float64))
    count = math.prod(x.shape[d] for d in sample.dims)
    if sample.kind in ("max", "min", "any", "all") or not sample.dims:
        return 0
    return count * REDUCE[sample.kind](x, axis=sample.dims)


def arg_reduce_samples(random, dtype):
    for kind in ("max", "min"):
        for shape, dims in REDUCTIONS:
            if len(dims) == 1 and shape[dims[0]] > 0:
                # Few different values, so that there are ties.
                x = np.asarray(random.integers(0, 6, shape)).astype(DTYPES[dtype])
                yield Sample([x], {"kind": kind, "dims": dims}, kind)
        for shape, dim in [((2, 3, 4), 0), ((2, 3, 4), 2), ((9, 9), 1), ((64, 3), 0), ((3, 64), 1)]:
            yield Sample([numbers(random, dtype, shape)], {"kind": kind, "dims": (dim,)}, kind)
        for shape, dims in [((3, 4, 5), (1, 2)), ((3, 4, 5), (0, 2)), ((2, 9, 2, 3), (2, 3)),
                            ((1, 40, 1, 8), (1, 2, 3)), ((6, 7), (0, 1)), ((2, 3, 33, 9), (1, 2))]:
            x = np.asarray(random.integers(0, 4, shape)).astype(DTYPES[dtype])
            yield Sample([x], {"kind": kind, "dims": dims}, f"{kind} with ties")
        ends = np.array(np.meshgrid(specials(dtype), specials(dtype))).reshape(2, -1)
        yield Sample([ends], {"kind": kind, "dims": (0,)}, f"{kind} of special values")


def emit_arg_reduce(function, sample):
    x = function.input(sample.arrays[0], sample.dims[1:])
    result = x.like("i64", [size for d, size in enumerate(x.dims) if d not in sample.dims])
    return function.op(f"td.arg_reduce {sample.kind} {x.name} {list(sample.dims)}", result,
                       f"{x.type} to {result.type}")


def arg_reduce(sample):
    """Elements along the dims are counted row by row: those dims last, as one."""
    function = np.argmax if sample.kind == "max" else np.argmin
    x = np.moveaxis(sample.arrays[0], sample.dims, range(-len(sample.dims), 0))
    rows = x.shape[:x.ndim - len(sample.dims)]
    return np.asarray(function(x.reshape(*rows, math.prod(x.shape[len(rows):])), axis=-1)) \
        .astype(np.int64)


# (batch, m, k, n)
MATMULS = [((), 1, 1, 1), ((), 2, 3, 4), ((), 1, 7, 1), ((), 7, 1, 5), ((), 0, 3, 4), ((), 2, 0, 4),
           ((), 2, 3, 0), ((), 8, 8, 8), ((), 17, 9, 5), ((), 16, 16, 16), ((), 33, 31, 7),
           ((), 1, 64, 10), ((), 100, 10, 50), ((), 20, 50, 1), ((), 3, 129, 2), ((2,), 3, 4, 5),
           ((0,), 3, 4, 5), ((1,), 2, 2, 2), ((3,), 1, 5, 1), ((2, 3), 4, 2, 3), ((2, 1), 3, 3, 3),
           ((4,), 9, 17, 8), ((), 64, 64, 64)]


def matmul_samples(random, dtype, sizes=MATMULS):
    for batch, m, k, n in sizes:
        yield Sample([numbers(random, dtype, (*batch, m, k)),
                      numbers(random, dtype, (*batch, k, n))])


def emit_matmul(function, sample):
    lhs, rhs = (function.input(array) for array in sample.arrays)
    result = lhs.like(dims=(*lhs.dims[:-1], rhs.dims[-1]))
    return function.op(f"td.matmul {lhs.name}, {rhs.name}", result,
                       f"{lhs.type}, {rhs.type} -> {result.type}")


def matmul(sample):
    lhs, rhs = sample.arrays
    return np.matmul(lhs.astype(np.float64), rhs.astype(np.float64)) if holds_floats(lhs) \
        else np.matmul(lhs, rhs)


def matmul_bound(sample):
    lhs, rhs = (np.abs(array.astype(np.float64)) for array in sample.arrays)
    return lhs.shape[-1] * np.matmul(lhs, rhs)


def softmax_samples(random, dtype):
    for shape in SHAPES:
        if shape:
            yield Sample([numbers(random, dtype, shape)],
                         {"dim": int(random.integers(0, len(shape)))})
    rows = [[1e4, 1e4 - 1, 0], [-1e4, -1e4, -1e4], [np.inf, 0, 1], [-np.inf, 0, 1],
            [-np.inf] * 3, [np.nan, 0, 1]]
    yield Sample([np.array(rows).astype(DTYPES[dtype])], {"dim": 1}, "special values")


def logsumexp_samples(random, dtype):
    for shape, dims in REDUCTIONS:
        yield Sample([numbers(random, dtype, shape)], {"dims": dims})
    rows = [[1e4, 1e4 - 1, 0], [-1e4, -1e4, -1e4], [np.inf, 0, 1], [-np.inf, 0, 1],
            [-np.inf] * 3, [np.nan, 0, 1], [np.inf, -np.inf, np.inf], [np.nan, np.inf, 0]]
    yield Sample([np.array(rows).astype(DTYPES[dtype])], {"dims": (1,)}, "special values")


def emit_logsumexp(function, sample):
    x = function.input(sample.arrays[0])
    result = x.like(dims=[size for d, size in enumerate(x.dims) if d not in sample.dims])
    return function.op(f"td.logsumexp {x.name} {list(sample.dims)}", result,
                       f"{x.type} to {result.type}")


def logsumexp(sample):
    x, own = sample.arrays[0].astype(np.float64), sample.arrays[0]
    top = x.max(axis=sample.dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), 0, top)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        total = np.log(np.exp(x - top).sum(axis=sample.dims))
    return round_to(total + top.reshape(total.shape), NAMES[own.dtype])


def emit_softmax(mnemonic):
    def emit(function, sample):
        x = function.input(sample.arrays[0])
        return function.op(f"td.{mnemonic} {x.name} dim {sample.dim}", x)
    return emit


def softmax(sample, is_log):
    x, own = sample.arrays[0].astype(np.float64), sample.arrays[0]
    if x.size == 0:
        return own
    x = x - x.max(axis=sample.dim, keepdims=True)
    total = np.exp(x).sum(axis=sample.dim, keepdims=True)
    return round_to(x - np.log(total) if is_log else np.exp(x) / total, NAMES[own.dtype])


# --- gradients -----------------------------------------------------------------


def smooth_reduce(random):
    for sample in small(reduce_samples)(random):
        x = sample.arrays[0]
        if sample.kind in ("max", "min"):  # no two elements nearly equal
            x = random.permutation(x.size).reshape(x.shape) * 0.3
        if "special" not in sample.label:
            yield Sample([np.asarray(x, np.float64)], sample.options, sample.label)
    yield Sample([np.array([[0.0, 2, 3], [0, 0, 3]])], {"kind": "prod", "dims": (1,)}, "zeros")


def smooth_matmul(random):
    sizes = [(batch, min(m, 3), min(k, 3), min(n, 3)) for batch, m, k, n in MATMULS]
    return matmul_samples(random, "f64", [size for size in sizes if math.prod(size[0]) <= 2])


def smooth_logsumexp(random):
    for sample in small(reduce_samples)(random):
        if sample.kind == "sum":
            yield Sample([anywhere(random, sample.arrays[0].shape)], {"dims": sample.dims})


def smooth_softmax(random):
    for shape in SMALL_SHAPES:
        for dim in range(len(shape)):
            yield Sample([anywhere(random, shape)], {"dim": dim})
