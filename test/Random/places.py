"""Calls of the functions that read and write elements by index."""

import numpy as np

from elements import proposal
from operands import Operands, moving
from values import Rejected, Value, check_chosen, compute, is_float


def along(array, dim, index, source, combine=None):
    """A copy of an array with the elements of `source` along `dim`, one after the other."""
    result = array.copy()
    for at in np.ndindex(*index.shape):
        place = (*at[:dim], index[at], *at[dim + 1:])
        result[place] = source[at] if combine is None else combine(result[place], source[at])
    return result


def target(g, most=400):
    """(A tensor, a dim of it.)"""
    x = g.static(lambda v: v.shape and 0 < v.size <= most and len(v.shape) <= 3)
    return x and (x, g.random.randrange(len(g[x].shape)))


def resized(shape, dim, size):
    return shape[:dim] + (size,) + shape[dim + 1:]


@proposal(3)
def rows_written(g):
    """`index_add`, `index_copy` and `index_fill`."""
    found = target(g)
    if not found:
        return None
    x, dim = found
    v, o, count = g[x], Operands(g), g.random.randint(1, 5)
    kind = g.pick(["copy", "fill"] if v.dtype == "bool" else ["add", "add", "copy", "fill"])
    first, index = o.tensor(x), o.indices((count,), v.shape[dim])
    if kind == "fill":
        number = "true" if v.dtype == "bool" else "2"

        def filled(a, i):
            result = a.copy()
            result[(slice(None),) * dim + (i,)] = True if v.dtype == "bool" else 2
            return result
        return o.call(f"index_fill({first}, {dim}, {index}, {number})", moving(filled))
    source = o.part(resized(v.shape, dim, count), v.dtype)
    combine, alpha = ("sum" if kind == "add" else None), g.pick([1, 2]) if kind == "add" else 1
    more = f", alpha={alpha}" if alpha != 1 else ""

    def meaning(a, i, s):
        if alpha != 1:
            two = Value([np.asarray(alpha).astype(s.copies[0].dtype)])
            s = compute("mul", [s, two])
        places = i.copies[0].flatten()
        # As in PyTorch, each of several sources of one place has the whole gradient.
        if g.is_smooth and kind == "copy" and len(set(places)) < places.size:
            raise Rejected
        spread = i.copies[0].reshape((-1,) + (1,) * (len(v.shape) - dim - 1))
        wide = Value([np.broadcast_to(spread, s.shape)])
        return compute("scatter_along", [a, wide, s], dim=dim, combine=combine)
    return o.call(f"index_{kind}({first}, {dim}, {index}, {source}{more})", meaning)


def chosen(array, dim, index, source, reduce):
    """Which elements are the largest or smallest of those that meet at one place."""
    result = along(array, dim, index, source, np.maximum if reduce == "amax" else np.minimum)
    part = result[tuple(slice(None) if d == dim else slice(size)
                        for d, size in enumerate(source.shape))]
    return np.append(array == result, source == np.take_along_axis(part, index, dim))


REDUCTIONS = {"sum": "sum", "prod": "prod", "mean": "sum", "amax": "max", "amin": "min"}


@proposal(3)
def combined(g):
    """`scatter_reduce`, `index_reduce` and `scatter` with a value."""
    found = target(g)
    if not found or g[found[0]].dtype == "bool":
        return None
    x, dim = found
    v, o, count = g[x], Operands(g), g.random.randint(1, 5)
    shape = resized(v.shape, dim, count)
    first = o.tensor(x)
    if g.flip(0.2):
        index = o.indices(shape, v.shape[dim])
        return o.call(f"scatter({first}, {dim}, {index}, value=3)", moving(
            lambda a, i: along(a, dim, i, np.full(i.shape, 3, a.dtype))))
    rows = g.flip(0.5)
    reduce = g.pick([name for name in REDUCTIONS if (name != "sum" or not rows) and
                     (g.has_kinks or name in ("sum", "mean"))] or ["mean"])
    keeps = g.flip(0.6)
    if reduce == "mean" and not is_float(v.dtype):
        return None
    # An element of the input that is not included has no part in the gradient, unlike in PyTorch.
    if g.uses_torch and g.is_smooth and not keeps and reduce in ("amax", "amin"):
        return None
    index = o.indices((count,) if rows else shape, v.shape[dim])
    source = o.part(shape, v.dtype)

    def meaning(a, i, s):
        spread = i.copies[0].reshape((-1,) + (1,) * (len(v.shape) - dim - 1)) if rows else \
            i.copies[0]
        wide = Value([np.broadcast_to(spread, s.shape)])
        own = np.ones(a.shape, np.int64)
        counts = along(own * keeps, dim, wide.copies[0], np.ones(s.shape, np.int64),
                       lambda one, other: one + other)
        if reduce in ("amax", "amin", "prod") and is_float(v.dtype) and any(
                np.any(np.abs(value.copies[0].astype(np.float64)) > 20) for value in (a, s)):
            raise Rejected
        start = a
        if not keeps:
            neutral = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
            hit = counts > 0
            if neutral is None:
                limits = np.finfo if is_float(v.dtype) else np.iinfo
                kind = a.copies[0].dtype
                if v.dtype in ("bf16", "f16"):
                    least, most = -30000, 30000
                else:
                    least, most = limits(kind).min, limits(kind).max
                neutral = least if reduce == "amax" else most
            start = Value([np.where(hit, np.asarray(neutral).astype(copy.dtype), copy)
                           for copy in a.copies])
        if reduce in ("amax", "amin"):
            check_chosen(lambda one, other: chosen(one, dim, wide.copies[0], other, reduce),
                         [start, s])
        result = compute("scatter_along", [start, wide, s], dim=dim, combine=REDUCTIONS[reduce])
        if reduce == "mean":
            divisor = Value([np.maximum(counts, 1).astype(a.copies[0].dtype)])
            result = compute("div", [result, divisor])
        return result
    function = "index_reduce" if rows else "scatter_reduce"
    return o.call(f"{function}({first}, {dim}, {index}, {source}, \"{reduce}\", "
                  f"include_self={'true' if keeps else 'false'})", meaning)


@proposal(3)
def put(g):
    """`index_put`, `put`, `x[i, j]`, `take` and `take_along_dim`."""
    x = g.static(lambda v: v.shape and 0 < v.size <= 400 and len(v.shape) <= 3)
    if x is None:
        return None
    v, o, count = g[x], Operands(g), g.random.randint(1, 5)
    first = o.tensor(x)
    kind = g.pick(["take", "put", "along"] + ["read", "index_put", "columns"] * (len(v.shape) > 1))
    replaces = g.replaces()
    adds = v.dtype != "bool" and not replaces
    flag = f", {'true' if adds else 'false'}"
    if kind == "along":
        dim = g.random.randrange(len(v.shape))
        index = o.indices(resized(v.shape, dim, count), v.shape[dim])
        return o.call(f"take_along_dim({first}, {index}, {dim})", moving(
            lambda a, i: np.take_along_axis(a, i, dim)))
    if kind in ("take", "put"):
        index = o.indices((count,), v.size)
        if kind == "take":
            return o.call(f"take({first}, {index})", moving(lambda a, i: a.ravel()[i]))
        source = o.part((count,), v.dtype)
        return o.call(f"put({first}, {index}, {source}{flag})", lambda a, i, s: written(
            a, i.copies[0], s, v.size, adds))
    n, m = v.shape[:2]
    if kind == "columns":
        return o.call(f"{first}[:, {o.indices((count,), m)}]", moving(lambda a, j: a[:, j]))
    i, j = o.indices((count,), n), o.indices((count,), m)
    if kind == "read":
        return o.call(f"{first}[{i}, {j}]", moving(lambda a, i, j: a[i, j]))
    rest = v.shape[2:]
    source = o.part((count, *rest), v.dtype)
    return o.call(f"index_put({first}, ({i}, {j}), {source}{flag})", lambda a, i, j, s: written(
        a, i.copies[0] * m + j.copies[0], s, n * m, adds))


def written(a, index, source, count, adds):
    """A tensor of `count` rows with those of `source` at an index."""
    rows = Value([copy.reshape(count, -1) for copy in a.copies])
    new = Value([copy.reshape(len(index), -1) for copy in source.copies])
    wide = Value([np.broadcast_to(index[:, None], new.shape)])
    made = compute("scatter_along", [rows, wide, new], dim=0, combine="sum" if adds else None)
    return Value([copy.reshape(a.shape) for copy in made.copies])


@proposal(2)
def inserted(g):
    """`select_scatter`, `slice_scatter`, `masked_scatter`, `x[mask] = number` and `one_hot`."""
    found = target(g)
    if not found:
        return None
    x, dim = found
    v, o = g[x], Operands(g)
    size = v.shape[dim]
    kind = g.pick(["select", "slice", "masked", "one_hot"])
    if kind == "one_hot":
        if g.is_smooth:
            return None
        index = o.indices((g.random.randint(1, 5),), 4)
        return o.call(f"one_hot({index}, 4)", moving(lambda i: np.eye(4, dtype=np.int64)[i]))
    first, at = o.tensor(x), g.random.randrange(size)
    if kind == "select":
        source = o.part(v.shape[:dim] + v.shape[dim + 1:], v.dtype)

        def selected(a, s):
            result = a.copy()
            result[(slice(None),) * dim + (at,)] = s
            return result
        return o.call(f"select_scatter({first}, {source}, {dim}, {at})", moving(selected))
    if kind == "slice":
        step = g.random.randint(1, 2)
        places = (slice(None),) * dim + (slice(at, size, step),)
        source = o.part(resized(v.shape, dim, len(range(at, size, step))), v.dtype)

        def sliced(a, s):
            result = a.copy()
            result[places] = s
            return result
        return o.call(f"slice_scatter({first}, {source}, {dim}, {at}, {size}, {step})",
                      moving(sliced))
    mask, source = o.part(v.shape, "bool"), o.part(v.shape, v.dtype)

    def masked(a, m, s):
        result = a.copy()
        result[m] = s.ravel()[:m.sum()]
        return result
    return o.call(f"masked_scatter({first}, {mask}, {source})", moving(masked))
