"""Calls of functions that put several tensors together, or give several: blocks, products of sets,
choices of elements, places of indices, and integers' divisors."""

import itertools
import math

import numpy as np

from arrays import MOST_ELEMENTS
from elements import INTS, pair, proposal
from operands import Operands, listed, moving
from values import DTYPES, Rejected, Value, compute, is_float, truth


def short_vector(g, o, dtype, most=5):
    return o.part((g.random.randint(1, most),), dtype)


@proposal(2)
def sets(g):
    """`cartesian_prod`, `combinations` and `block_diag`."""
    x = g.static(lambda v: v.shape and v.size)
    if x is None:
        return None
    o, dtype = Operands(g), g[x].dtype
    kind = g.pick(["product", "choices", "blocks"])
    if kind == "product":
        count = g.random.randint(1, 3)
        texts = [short_vector(g, o, dtype) for _ in range(count)]

        def product(*vectors):
            rows = np.stack([a.ravel() for a in np.meshgrid(*vectors, indexing="ij")], -1)
            return rows[:, 0] if len(vectors) == 1 else rows
        return o.call(f"cartesian_prod({', '.join(texts)})", moving(product))
    if kind == "choices":
        r, repeats = g.random.randint(1, 3), g.flip(0.4)
        size = g.random.randint(1, 5)
        choose = itertools.combinations_with_replacement if repeats else itertools.combinations
        rows = np.array(list(choose(range(size), r)), np.int64).reshape(-1, r)
        if not rows.size:
            return None
        given = ", with_replacement=true" * repeats
        return o.call(f"combinations({o.part((size,), dtype)}, {r}{given})",
                      moving(lambda a: a[rows]))
    shapes = [tuple(g.random.randint(1, 4) for _ in range(g.pick([0, 1, 2, 2])))
              for _ in range(g.random.randint(1, 3))]
    texts = [o.part(shape, dtype) for shape in shapes]

    def blocks(*parts):
        parts = [np.atleast_2d(part) for part in parts]
        result = np.zeros(np.sum([part.shape for part in parts], 0), parts[0].dtype)
        row = column = 0
        for part in parts:
            result[row:row + part.shape[0], column:column + part.shape[1]] = part
            row, column = row + part.shape[0], column + part.shape[1]
        return result
    return o.call(f"block_diag({', '.join(texts)})", moving(blocks))


@proposal(2)
def common_shape(g):
    """`broadcast_tensors`, and its inverse for sums, `sum_to_size`."""
    x, y = pair(g)
    if not y or not g[x].is_static or not g[y].is_static:
        return None
    o, v = Operands(g), g[x]
    if g.flip(0.5):
        texts = [o.tensor(x), o.tensor(y)]
        part = g.pick([0, 1])
        return o.call(f"broadcast_tensors({', '.join(texts)})[{part}]", moving(
            lambda a, b: np.broadcast_to((a, b)[part], np.broadcast_shapes(a.shape, b.shape))))
    if not v.shape or not (is_float(v.dtype) or v.dtype == "i64"):
        return None
    lost = g.random.randint(0, len(v.shape))
    kept = tuple(1 if g.flip(0.5) else size for size in v.shape[lost:])
    dims = tuple(d for d in range(len(v.shape)) if d < lost or kept[d - lost] != v.shape[d])
    given = ", ".join(map(str, kept)) if kept and g.flip(0.5) else listed(kept)

    def meaning(value):
        result = compute("reduce", [value], kind="sum", dims=dims) if dims else value
        return Value([copy.reshape(kept) for copy in result.copies])
    return o.call(f"{o.tensor(x)}.sum_to_size({given})", meaning)


@proposal(2)
def indices(g):
    """`unravel_index` and `nonzero_static`."""
    o = Operands(g)
    if g.flip(0.5):
        shape = tuple(g.random.randint(1, 5) for _ in range(g.random.randint(1, 3)))
        part = g.random.randrange(len(shape))
        index = o.indices((g.random.randint(1, 6),), math.prod(shape))
        return o.call(f"unravel_index({index}, {listed(shape)})[{part}]", moving(
            lambda i: np.asarray(np.unravel_index(i, shape)[part])))
    x = g.static(lambda v: v.shape and v.size <= 400)
    if x is None:
        return None
    size, fill = g.random.randint(0, 12), g.pick([-1, 7])

    def found(value):
        places = np.argwhere(truth(value))[:size]
        result = np.full((size, len(value.shape)), fill, np.int64)
        result[:len(places)] = places
        return Value([result])
    if not size:
        return None
    more = f", fill_value={fill}" if fill != -1 or g.flip(0.3) else ""
    return o.call(f"nonzero_static({o.tensor(x)}, size={size}{more})", found)


@proposal(1)
def divisors(g):
    """`gcd` and `lcm`."""
    x = g.static(lambda v: v.dtype in INTS and v.size <= MOST_ELEMENTS)
    y = x and g.static(lambda v: v.dtype == g[x].dtype and g.broadcasts(g[x], v))
    if not y:
        return None
    name = g.pick(["gcd", "lcm"])

    def meaning(world, v, w):
        # The integers of the result and of its quotients are of the same dtype.
        numbers = [value.copies[0].astype(object) for value in (v, w)]
        result = np.vectorize(getattr(math, name), otypes=[object])(*numbers) if \
            all(value.size for value in (v, w)) else np.zeros(np.broadcast_shapes(v.shape, w.shape))
        limit = np.iinfo(v.copies[0].dtype).max
        if any(np.any(np.abs(array) > limit) for array in (*numbers, result)):
            raise Rejected
        return Value([result.astype(np.int64).astype(DTYPES[v.dtype])])
    return g.call(f"{name}({{0}}, {{1}})", [x, y], meaning)
