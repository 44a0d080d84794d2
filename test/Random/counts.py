"""Calls of functions that count elements, `mode` and histograms, and of slopes by differences."""

import numpy as np

from elements import proposal
from operands import Operands, listed, smooth
from orders import check_distinct, check_order, sortable
from values import DTYPES, Rejected, Value


@proposal(2)
def mode(g):
    """The most frequent element, the smallest of several, and its last index."""
    found = sortable(g)
    if not found:
        return None
    x, dim, given = found
    picks = g.is_smooth or g.flip(0.6)

    def last_place(line):
        values, counts = np.unique(line, return_counts=True)
        return np.flatnonzero(line == values[np.argmax(counts)])[-1]

    def meaning(world, v):
        check_order(v, dim)
        if g.is_smooth:
            check_distinct(v, dim)
        index = np.expand_dims(np.apply_along_axis(last_place, dim, v.copies[0].astype(
            np.float64 if v.dtype in ("f16", "bf16") else v.copies[0].dtype)), dim)
        if not picks:
            return Value([index.squeeze(dim) if not keeps else index])
        taken = [np.take_along_axis(copy, index, dim) for copy in v.copies]
        return Value([copy if keeps else copy.squeeze(dim) for copy in taken])
    keeps = g.flip(0.5)
    return g.call(f"mode({{0}}, {given}{', keepdim=true' * keeps})[{0 if picks else 1}]", [x],
                  meaning)


EDGES = [[-1.0, 0.0, 0.5, 2.0], [-4.0, -0.25, 0.75], [-8.0, 8.0]]


def check_edges(edges):
    """Where an error decides in which of two bins an element is."""
    return lambda a, *_: np.sign(a[..., None] - edges)


@proposal(2)
def histogram(g):
    """Between edges that every dtype holds, or of the range of all elements."""
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.shape and 0 < v.size <= 400)
    if x is None or g.is_smooth:
        return None
    o, dtype = Operands(g), g[x].dtype
    kind = g.pick(["range", "edges", "all"])
    dense, part = g.flip(0.3), g.pick([0, 0, 1])
    first = o.tensor(x)
    if kind == "edges":
        edges = np.array(g.pick(EDGES))
        bins, limits = o.written(edges.astype(DTYPES[dtype])), ""
    else:
        count = g.pick([1, 2, 4, 8])
        edges, bins, limits = np.linspace(-2, 2, count + 1), str(count), ""
        if kind == "range":
            limits = ", range=(-2.0, 2.0)"
    weight = f", weight={o.part(g[x].shape, dtype, 0, 2)}" if g.flip(0.3) else ""

    def counted(a, *rest):
        if kind == "edges":
            rest = rest[1:]
        given = rest[0].ravel() if weight else None
        inner = edges
        if kind == "all":
            low, high = a.min(), a.max()
            inner = np.linspace(low, high, count + 1)
            if high - low < 0.1 or np.any(np.abs(a[..., None] - inner[1:-1]) < 1e-3):
                raise Rejected
        found, ends = np.histogram(a.ravel(), inner, weights=given)
        if dense:
            total = found.sum()
            if abs(total) < 0.25:
                raise Rejected
            found = found / total / np.diff(ends)
        return ends if part else found.astype(np.float64)
    flag = ", density=true" * dense
    return o.call(f"histogram({first}, {bins}{limits}{weight}{flag})[{part}]", smooth(
        counted, steps=check_edges(edges) if kind != "all" else None, scale=256,
        bound=lambda a, *rest: np.float64(a.size)))


@proposal(1)
def histogram_of_points(g):
    x = g.static(lambda v: v.dtype in ("f32", "f64") and 2 <= v.size <= 400)
    if x is None or g.is_smooth:
        return None
    o, count = Operands(g), g.random.randint(1, min(8, g[x].size // 2))
    points = o.first(x, (count, 2))
    each = (g.pick([1, 2, 4]), g.pick([2, 4]))
    bins = listed(each).replace("(", "[").replace(")", "]")
    if each[0] == each[1] and g.flip(0.5):
        bins = str(each[0])
    edges = [np.linspace(-2, 2, each[0] + 1), np.linspace(-1, 3, each[1] + 1)]
    part = g.pick(["[0]", "[0]", "[1][0]", "[1][1]"])
    dense = g.flip(0.3)

    def counted(a):
        found = np.histogramdd(a, edges)[0]
        if dense:
            if not found.sum():
                raise Rejected
            found = found / found.sum() / np.outer(*(np.diff(line) for line in edges))
        return found if part == "[0]" else edges[int(part[4])]
    return o.call(f"histogramdd({points}, {bins}, range=[-2.0, 2.0, -1.0, 3.0]"
                  f"{', density=true' * dense}){part}", smooth(counted, steps=lambda a: [
                      np.sign(a[:, d, None] - edges[d]) for d in range(2)]))


@proposal(2)
def slopes(g):
    """`gradient`: differences at equal or given distances."""
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.shape and 1 < min(v.shape) and
                 v.size <= 2000)
    if x is None:
        return None
    v, o = g[x], Operands(g)
    rank = len(v.shape)
    order = g.pick([1, 2]) if min(v.shape) > 2 else 1
    dim = g.random.randrange(rank)
    kind = g.pick(["all", "distance", "distances", "places"])
    first = o.tensor(x, domain=lambda a: np.all(np.abs(a) <= 100))
    more = f", edge_order={order}" if order > 1 or g.flip(0.3) else ""
    if kind == "places":
        if v.shape[dim] > 40:
            return None
        at = np.cumsum(g.numbers.integers(1, 5, v.shape[dim])) / 4
        places = o.written(at.astype(v.copies[0].dtype))
        return o.call(f"gradient({first}, spacing=({places},), dim={dim}{more})[0]", smooth(
            lambda a, b: np.gradient(a, b, axis=dim, edge_order=order), scale=512))
    step = {"all": 1.0, "distance": 0.5, "distances": 0.25 * (dim + 1)}[kind]
    given = {"all": "", "distance": ", spacing=0.5", "distances":
             f", spacing={listed([0.25 * (d + 1) for d in range(rank)])}"}[kind]
    dims, part = ("", dim)
    if kind != "distances" and g.flip(0.5):
        dims, part = f", dim={g.pick([dim, dim - rank])}", 0
    return o.call(f"gradient({first}{given}{dims}{more})[{part}]", smooth(
        lambda a: np.gradient(a, step, axis=dim, edge_order=order), scale=256))
