"""Ops that move elements, and those that pick them by an index tensor."""

import numpy as np

from samples import BROADCASTS, SHAPES, Sample, holds_floats, numbers


def broadcast_samples(random, dtype):
    pairs = BROADCASTS + [(shape, shape) for shape in SHAPES[::3]] + [((6, 0), (0,)), ((1,), ())]
    for shape, own in pairs:
        yield Sample([numbers(random, dtype, own)], {"shape": shape})


def emit_broadcast(function, sample):
    own = sample.arrays[0].shape
    x = function.input(sample.arrays[0], [d for d, size in enumerate(own) if size == 1])
    added = len(sample.shape) - len(own)
    # A new dim, and one that is stretched, may have a size known at run time.
    fixed = [added + d for d, size in enumerate(own) if size == 1 == sample.shape[added + d]]
    dims, sizes = function.shape(sample.shape, fixed)
    return function.op(f"td.broadcast {x.name}{sizes}", x.like(dims=dims),
                       f"{x.type} to {x.like(dims=dims).type}")


RESHAPES = [((), ()), ((), (1, 1)), ((1,), ()), ((6,), (2, 3)), ((2, 3), (6,)), ((2, 3), (3, 2)),
            ((0,), (0, 4)), ((0, 4), (7, 0)), ((4, 0, 3), (0,)), ((17,), (17, 1)), ((17,), (1, 17)),
            ((31, 17), (527,)), ((527,), (17, 31)), ((2, 3, 4), (4, 6)), ((4, 6), (2, 3, 4)),
            ((2, 2, 2, 2), (4, 4)), ((8, 8), (64,)), ((1, 5, 1), (5,)), ((5,), (5, 1, 1)),
            ((3, 1, 4, 2), (3, 8)), ((1000,), (10, 100)), ((12, 2), (3, 8))]


def reshape_samples(random, dtype):
    for own, shape in RESHAPES:
        yield Sample([numbers(random, dtype, own)], {"shape": shape})


def emit_reshape(function, sample):
    x = function.input(sample.arrays[0])
    dims, sizes = function.shape(sample.shape)
    return function.op(f"td.reshape {x.name}{sizes}", x.like(dims=dims),
                       f"{x.type} to {x.like(dims=dims).type}")


PERMUTATIONS = [((), ()), ((5,), (0,)), ((0,), (0,)), ((3, 5), (1, 0)), ((3, 5), (0, 1)),
                ((1, 7), (1, 0)), ((0, 4), (1, 0)), ((31, 17), (1, 0)), ((16, 16), (1, 0)),
                ((2, 3, 4), (0, 2, 1)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4), (1, 2, 0)),
                ((2, 3, 4), (2, 1, 0)), ((2, 3, 4), (1, 0, 2)), ((5, 0, 2), (2, 0, 1)),
                ((1, 3, 1), (1, 0, 2)), ((3, 1, 4, 2), (0, 2, 1, 3)), ((3, 1, 4, 2), (3, 2, 1, 0)),
                ((2, 3, 4, 5), (0, 2, 3, 1)), ((2, 2, 2, 2, 2), (4, 3, 2, 1, 0)),
                ((9, 33), (1, 0))]


def permute_samples(random, dtype):
    for shape, order in PERMUTATIONS:
        yield Sample([numbers(random, dtype, shape)], {"order": order})


def emit_permute(function, sample):
    x = function.input(sample.arrays[0])
    result = x.like(dims=[x.dims[d] for d in sample.order])
    return function.op(f"td.permute {x.name} {list(sample.order)}", result,
                       f"{x.type} to {result.type}")


# (shape, dim, start, step, size)
SLICES = [((5,), 0, 0, 1, 5), ((5,), 0, 1, 1, 3), ((5,), 0, 0, 2, 3), ((5,), 0, 4, 1, 1),
          ((5,), 0, 5, 1, 0), ((0,), 0, 0, 1, 0), ((9,), 0, 1, 3, 3), ((33,), 0, 7, 1, 17),
          ((1000,), 0, 3, 7, 100), ((3, 5), 0, 1, 1, 2), ((3, 5), 1, 1, 1, 4), ((3, 5), 1, 0, 2, 3),
          ((3, 5), 0, 2, 1, 1), ((0, 4), 1, 1, 1, 2), ((4, 0), 0, 1, 2, 2), ((31, 17), 1, 16, 1, 1),
          ((2, 3, 4), 0, 1, 1, 1), ((2, 3, 4), 1, 0, 2, 2), ((2, 3, 4), 2, 1, 1, 2),
          ((1, 3, 1), 1, 2, 5, 1), ((3, 1, 4, 2), 2, 0, 3, 2), ((100, 3), 0, 20, 1, 16)]


def slice_shape(sample):
    shape = list(sample.arrays[0].shape)
    shape[sample.dim] = sample.size
    return tuple(shape)


def slice_index(sample):
    stop = sample.start + sample.size * sample.step
    return (slice(None),) * sample.dim + (slice(sample.start, stop, sample.step),)


def slice_samples(random, dtype):
    for shape, dim, start, step, size in SLICES:
        yield Sample([numbers(random, dtype, shape)],
                     {"dim": dim, "start": start, "step": step, "size": size})


def emit_slice(function, sample):
    x = function.input(sample.arrays[0])
    start = function.integer(sample.start)
    dims, sizes = function.shape(slice_shape(sample))
    return function.op(f"td.slice {x.name}[{start}] dim {sample.dim} step {sample.step}{sizes}",
                       x.like(dims=dims), f"{x.type} to {x.like(dims=dims).type}")


# (shape, offset)
DIAGONALS = [((1, 1), 0), ((3, 3), 0), ((3, 3), 1), ((3, 3), -2), ((3, 3), 3), ((3, 3), -5),
             ((2, 5), 0), ((2, 5), 3), ((5, 2), -1), ((5, 2), 1), ((0, 4), 0), ((4, 0), -1),
             ((2, 4, 4), 0), ((2, 3, 4, 6), 2), ((1, 1, 7), 4), ((0, 3, 3), 0), ((40, 33), 0),
             ((7, 17, 17), -3)]


def diagonal_samples(random, dtype):
    for shape, offset in DIAGONALS:
        yield Sample([numbers(random, dtype, shape)], {"offset": offset})


def diagonal(sample):
    rows, columns = sample.arrays[0].shape[-2:]
    if not -rows < sample.offset < columns:
        return sample.arrays[0][..., :0, 0]
    return np.diagonal(sample.arrays[0], sample.offset, -2, -1)


def emit_diagonal(function, sample):
    x = function.input(sample.arrays[0])
    dims, sizes = function.shape(diagonal(sample).shape)
    row, column = (function.integer(max(at, 0)) for at in (-sample.offset, sample.offset))
    return function.op(f"td.diagonal {x.name}[{row}, {column}]{sizes}", x.like(dims=dims),
                       f"{x.type} to {x.like(dims=dims).type}")


def update_slice_samples(random, dtype):
    for sample in slice_samples(random, dtype):
        update = numbers(random, dtype, slice_shape(sample))
        yield Sample([sample.arrays[0], update], sample.options)


def emit_update_slice(function, sample):
    x, update = (function.input(array) for array in sample.arrays)
    start = function.integer(sample.start)
    return function.op(f"td.update_slice {x.name}, {update.name}[{start}] dim {sample.dim} "
                       f"step {sample.step}", x, f"{x.type}, {update.type}")


def update_slice(sample):
    result = sample.arrays[0].copy()
    result[slice_index(sample)] = sample.arrays[1]
    return result


# (sizes along the dim, shape with that dim as 0, dim)
CONCATS = [([3], (0,), 0), ([2, 3], (0,), 0), ([0, 3], (0,), 0), ([3, 0], (0,), 0),
           ([0, 0], (0,), 0), ([1, 1, 1], (0,), 0), ([7, 9, 1], (0,), 0), ([64, 65], (0,), 0),
           ([2, 1], (0, 4), 0), ([2, 1], (4, 0), 1), ([5, 3, 2], (3, 0), 1), ([1, 2], (0, 0), 0),
           ([17, 14], (0, 31), 0), ([17, 14], (31, 0), 1), ([2, 3], (0, 3, 4), 0),
           ([2, 3], (2, 0, 4), 1), ([2, 3], (2, 3, 0), 2), ([1, 1], (1, 0, 1), 1),
           ([2, 2], (3, 1, 0, 2), 2), ([4, 1, 0, 3], (2, 0), 1), ([500, 500], (0,), 0),
           ([1024, 4096], (0,), 0), ([4096, 1024, 2048], (0,), 0), ([64, 1], (0, 64), 0)]


def concat_samples(random, dtype):
    for sizes, shape, dim in CONCATS:
        yield Sample([numbers(random, dtype, shape[:dim] + (size,) + shape[dim + 1:])
                      for size in sizes], {"dim": dim})


def emit_concat(function, sample):
    inputs = [function.input(array) for array in sample.arrays]
    total = sum(array.shape[sample.dim] for array in sample.arrays)
    dims = list(inputs[0].dims)
    if dims[sample.dim] is not None:
        dims[sample.dim] = total
    result = inputs[0].like(dims=dims)
    return function.op(f"td.concat {', '.join(x.name for x in inputs)} dim {sample.dim}", result,
                       f"({', '.join(x.type for x in inputs)}) -> {result.type}")


# --- indexing ------------------------------------------------------------------

# (shape, shape of the indices, dim)
GATHERS = [((5,), (), 0), ((5,), (3,), 0), ((1,), (4,), 0), ((5,), (0,), 0), ((0,), (0,), 0),
           ((9,), (2, 2), 0), ((1000,), (33,), 0), ((100, 10), (32,), 0), ((3, 5), (), 0),
           ((3, 5), (), 1), ((3, 5), (7,), 0), ((3, 5), (7,), 1), ((31, 17), (2, 3), 1),
           ((4, 0), (3,), 0), ((0, 4), (2,), 1), ((2, 3, 4), (5,), 0), ((2, 3, 4), (5,), 1),
           ((2, 3, 4), (5,), 2), ((2, 3, 4), (2, 2), 1), ((1, 3, 1), (4,), 1), ((7, 1), (7,), 0),
           ((3, 1, 4, 2), (3,), 2)]
# (shape, size of the indices along the dim, dim)
GATHERS_ALONG = [((5,), 5, 0), ((5,), 2, 0), ((5,), 9, 0), ((5,), 0, 0), ((0,), 0, 0),
                 ((1,), 1, 0), ((1000,), 64, 0), ((32, 10), 1, 1), ((3, 5), 3, 0), ((3, 5), 5, 1),
                 ((3, 5), 1, 0), ((3, 5), 1, 1), ((31, 17), 4, 1), ((31, 17), 33, 0),
                 ((0, 4), 2, 1), ((4, 0), 2, 0), ((2, 3, 4), 1, 0), ((2, 3, 4), 2, 1),
                 ((2, 3, 4), 4, 2), ((1, 3, 1), 3, 1), ((3, 1, 4, 2), 2, 2)]


def rows_shape(shape, indices, dim):
    return shape[:dim] + indices + shape[dim + 1:]


def gather_samples(random, dtype):
    for shape, own, dim in GATHERS:
        size = shape[dim]
        indices = np.asarray(random.integers(-size, max(size, 1), own), np.int64)
        yield Sample([numbers(random, dtype, shape), indices], {"dim": dim})


def gather_along_samples(random, dtype):
    for shape, size, dim in GATHERS_ALONG:
        own = shape[:dim] + (size,) + shape[dim + 1:]
        indices = np.asarray(random.integers(0, max(shape[dim], 1), own), np.int64)
        yield Sample([numbers(random, dtype, shape), indices], {"dim": dim})


COMBINE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
LOGICAL = {"any": np.logical_or, "all": np.logical_and}


def with_updates(samples, along, kinds=(None, *COMBINE)):
    def make(random, dtype):
        for number, sample in enumerate(samples(random, dtype)):
            x, indices = sample.arrays
            shape = indices.shape if along else rows_shape(x.shape, indices.shape, sample.dim)
            own = (None, *LOGICAL) if dtype == "bool" else kinds
            kind = own[number % len(own)]
            yield Sample([x, indices, numbers(random, dtype, shape)],
                         sample.options | {"combine": kind})
    return make


def emit_gather(mnemonic, along):
    def emit(function, sample):
        x, indices = (function.input(array) for array in sample.arrays)
        result = x.like(dims=indices.dims if along
                        else rows_shape(x.dims, indices.dims, sample.dim))
        return function.op(f"td.{mnemonic} {x.name}, {indices.name} dim {sample.dim}", result,
                           f"{x.type}, {indices.type} -> {result.type}")
    return emit


def emit_scatter(mnemonic):
    def emit(function, sample):
        x, indices, updates = (function.input(array) for array in sample.arrays)
        combine = f" combine {sample.combine}" if sample.combine else ""
        return function.op(f"td.{mnemonic} {x.name}, {indices.name}, {updates.name} "
                           f"dim {sample.dim}{combine}", x,
                           f"{x.type}, {indices.type}, {updates.type}")
    return emit


def scatter(sample, along, absolute=False):
    """In f64, or in the integers' own arithmetic, which wraps."""
    x, indices, updates = sample.arrays
    result, updates = (array.astype(np.float64) if holds_floats(array) else array.copy()
                       for array in (x, updates))
    if absolute:
        result, updates = np.abs(result), np.abs(updates)
    if along:
        where = list(np.indices(indices.shape))
        where[sample.dim] = indices
        where = tuple(where)
    else:
        where = (slice(None),) * sample.dim + (indices,)
    if sample.combine:
        (COMBINE | LOGICAL)[sample.combine].at(result, where, updates)
    else:
        result[where] = updates  # the last one of several stays
    return result


def scatter_bound(along):
    def bound(sample):
        if sample.combine in (None, "max", "min", *LOGICAL):
            return np.zeros(sample.arrays[0].shape)
        return sample.arrays[1].size * scatter(sample, along, absolute=True)
    return bound
