"""Calls of the functions of sorting.tdsl and reductions.tdsl: orders, ranks, sums along a dim."""

import numpy as np

from arrays import reshaped
from elements import proposal
from operands import Operands, smooth
from values import Rejected, Value, check_sides, compute, is_float, truth

STABLE = 16  # elements that PyTorch sorts in a stable order; of more it says nothing


def check_order(value, dim):
    """Rejects elements along a dim whose order is decided by an error."""
    if value.is_exact:
        return
    order = np.argsort(value.copies[0], dim, kind="stable")
    check_sides(lambda x: np.sign(np.diff(np.take_along_axis(x, order, dim).astype(np.float64),
                                          axis=dim)), [value])


def stable_order(array, dim, descending=False):
    """The indices that sort; equal elements keep their order."""
    if not descending:
        return np.argsort(array, dim, kind="stable")
    flipped = np.argsort(np.flip(array, dim), dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(flipped, dim)


def check_distinct(value, dim):
    """Rejects equal elements along a dim, of which the algorithm chooses one."""
    ordered = np.sort(value.copies[0], dim).astype(np.float64)
    if np.any(np.diff(ordered, axis=dim) == 0):
        raise Rejected


def placed(function, dim, picks, is_distinct=False):
    """The meaning of a function of the stable order: the elements at the indices that it gives,
    or these."""
    def meaning(value):
        check_order(value, dim)
        if is_distinct:
            check_distinct(value, dim)
        index = function(value.copies[0])
        if not picks:
            return Value([index])
        return Value([np.take_along_axis(copy, index, dim) for copy in value.copies])
    return meaning


def sortable(g, most=80):
    """(A tensor, one of its dims, the dim as the program may write it.)"""
    x = g.static(lambda v: v.shape and v.size and v.dtype != "bool" and v.size <= 1000)
    if x is None:
        return None
    dims = [d for d, size in enumerate(g[x].shape) if size <= most]
    if not dims:
        return None
    dim = g.pick(dims)
    return x, dim, g.pick([dim, dim - len(g[x].shape)])


@proposal(3)
def sort(g):
    """`sort`, `argsort`, `msort`, `topk` and `kthvalue`."""
    found = sortable(g)
    if not found:
        return None
    x, dim, given = found
    size, down, picks = g[x].shape[dim], g.flip(0.5), g.is_smooth or g.flip(0.5)
    # Which of equal elements has the gradient is not said by PyTorch.
    is_differentiated = g.is_smooth and g.uses_torch
    part = 0 if picks else 1
    kind = g.pick(["sort", "sort", "argsort", "msort", "topk", "kthvalue"])
    if kind == "msort" or kind == "argsort" and picks:
        return g.call("msort({0})", [x], lambda world, v: placed(
            lambda a: stable_order(a, 0), 0, True,
            is_differentiated and g[x].shape[0] > STABLE)(v)) if g[x].shape[0] <= 80 else None
    if kind == "kthvalue":
        k = g.random.randint(1, size)
        meaning = placed(lambda a: np.take(stable_order(a, dim), [k - 1], dim), dim, picks,
                         is_differentiated)
        return g.call(f"kthvalue({{0}}, {k}, {given}, keepdim=true)[{part}]", [x],
                      lambda world, v: meaning(v))
    word = "true" if down else "false"
    text = {"sort": f"sort({{0}}, {given}, {word})[{part}]",
            "argsort": f"argsort({{0}}, dim={given}, descending={word})"}.get(kind)
    k = g.random.randint(1, size) if kind == "topk" else size
    if kind == "topk":
        text = f"topk({{0}}, {k}, {given}, largest={word})[{part}]"
    places = (slice(None),) * dim + (slice(0, k),)
    meaning = placed(lambda a: stable_order(a, dim, down)[places], dim, picks,
                     is_differentiated and (kind == "topk" or size > STABLE))
    return g.call(text, [x], lambda world, v: meaning(v))


@proposal(2)
def median(g):
    """`median` along a dim, or of all."""
    found = sortable(g)
    if not found:
        return None
    x, dim, given = found
    name, picks = g.pick(["median", "nanmedian"]), g.is_smooth or g.flip(0.5)
    at = (g[x].shape[dim] - 1) // 2
    if g[x].size <= 80 and g.flip(0.3):
        def middle(world, v):
            check_order(reshaped(v, (-1,)), 0)
            return Value([np.sort(copy.flatten(), kind="stable")[(v.size - 1) // 2]
                          for copy in v.copies])
        return g.call(f"{name}({{0}})", [x], middle)

    meaning = placed(lambda a: np.take(stable_order(a, dim), [at], dim), dim, picks,
                     is_distinct=not picks or g.is_smooth and g.uses_torch)
    return g.call(f"{name}({{0}}, {given}, keepdim=true)[{0 if picks else 1}]", [x],
                  lambda world, v: meaning(v))


INTERPOLATIONS = ["linear", "lower", "higher", "midpoint", "nearest"]


@proposal(2)
def quantile(g):
    found = sortable(g)
    if not found or g[found[0]].dtype not in ("f32", "f64"):
        return None
    x, dim, given = found
    name, kind = g.pick(["quantile", "nanquantile"]), g.pick(INTERPOLATIONS)
    # Shares of n - 1 that are no half of a step, where `nearest` has two answers.
    shares = [q for q in (0.0, 0.125, 0.3, 0.5, 0.8, 1.0)
              if kind != "nearest" or q * (g[x].shape[dim] - 1) % 1 != 0.5]
    q, keeps = g.pick(shares), g.flip(0.5)
    if kind in ("lower", "higher") and q in (0.3, 0.8) and g[x].shape[dim] % 10 == 1:
        return None

    is_differentiated = g.is_smooth and g.uses_torch

    def ranked(a):
        return np.quantile(a, q, axis=dim, method=kind, keepdims=keeps)

    def meaning(world, v):
        check_order(v, dim)
        if is_differentiated:
            check_distinct(v, dim)
        return smooth(ranked)(v)
    return g.call(f"{name}({{0}}, {q}, {given}, keepdim={'true' if keeps else 'false'}, "
                  f"interpolation=\"{kind}\")", [x], meaning)


@proposal(2)
def extremes(g):
    """`max`, `min` and `aminmax` with their indices, and `cummax` and `cummin`."""
    x = g.static(lambda v: v.shape and v.size and v.dtype != "bool")
    if x is None or not g.has_kinks:
        return None
    dim, picks = g.random.randrange(len(g[x].shape)), g.is_smooth or g.flip(0.5)
    kind = g.pick(["max", "min", "aminmax", "cummax", "cummin"])
    part = 0 if picks else 1
    if kind in ("cummax", "cummin"):
        ufunc = np.maximum if kind == "cummax" else np.minimum

        def last(a):
            """Where each running extreme has been last."""
            hits = a == ufunc.accumulate(a, dim)
            at = np.arange(a.shape[dim]).reshape((-1,) + (1,) * (a.ndim - dim - 1))
            return np.maximum.accumulate(np.where(hits, at, 0), dim)
        meaning = placed(last, dim, picks)
        return g.call(f"{kind}({{0}}, {dim})[{part}]", [x], lambda world, v: meaning(v))
    if kind == "aminmax":
        part = g.pick([0, 1])
        reduce = ("min", "max")[part]
        return g.call(f"aminmax({{0}}, dim={dim})[{part}]", [x], lambda world, v: compute(
            "reduce", [v], kind=reduce, dims=(dim,)))
    # The gradient of equal elements is shared, unlike in PyTorch.
    if picks and g.uses_torch and g.is_smooth:
        return None
    if picks:
        return g.call(f"{kind}({{0}}, {dim})[0]", [x], lambda world, v: compute(
            "reduce", [v], kind=kind, dims=(dim,)))
    return g.call(f"{kind}({{0}}, dim={dim})[1]", [x], lambda world, v: compute(
        "arg_reduce", [v], "i64", kind=kind, dims=(dim,)))


@proposal(2)
def arg_with_keepdim(g):
    x = g.static(lambda v: v.shape and v.dtype != "bool" and v.size)
    if x is None:
        return None
    kind = g.pick(["max", "min"])
    if g.flip(0.5):
        return g.call(f"arg{kind}({{0}})", [x], lambda world, v: compute(
            "arg_reduce", [reshaped(v, (-1,))], "i64", kind=kind, dims=(0,)))
    dim = g.random.randrange(len(g[x].shape))
    kept = g[x].shape[:dim] + (1,) + g[x].shape[dim + 1:]
    return g.call(f"arg{kind}({{0}}, {dim}, true)", [x], lambda world, v: reshaped(compute(
        "arg_reduce", [v], "i64", kind=kind, dims=(dim,)), kept))


@proposal(2)
def search(g):
    """`searchsorted` in the sorted elements of a tensor, `bucketize` and `isin`."""
    x = g.static(lambda v: v.shape and v.dtype in ("f32", "f64", "i64", "i32") and v.size and
                 v.shape[-1] <= 40)
    if x is None:
        return None
    o, kind = Operands(g), g.pick(["searchsorted", "bucketize", "isin"])
    side = g.pick(["left", "right"])
    right = "true" if side == "right" else "false"
    if kind == "isin":
        first, others = o.tensor(x), o.part((g.random.randint(1, 9),), g[x].dtype)

        def member(v, w):
            check_sides(lambda a, b: np.sign(np.subtract.outer(a, b)), [v, w])
            return Value([np.isin(v.copies[0], w.copies[0])])
        return o.call(f"isin({first}, {others})", member)
    rows = g[x].shape[:-1] if kind == "searchsorted" else ()
    if kind == "bucketize" and len(g[x].shape) != 1:
        return None
    line = o.tensor(x)
    asked = o.part((*rows, g.random.randint(1, 7)), g[x].dtype)

    def meaning(v, w):
        ordered = Value([np.sort(copy, -1) for copy in v.copies])
        check_sides(lambda a, b: np.sign(a[..., None, :] - b[..., :, None]), [ordered, w])
        lines = ordered.copies[0].reshape(-1, v.shape[-1])
        wanted = w.copies[0].reshape(len(lines), -1)
        found = [np.searchsorted(a, b, side) for a, b in zip(lines, wanted)]
        return Value([np.asarray(found, np.int64).reshape(w.shape)])
    ordered = f"sort({line}, -1)[0]"
    if kind == "bucketize":
        return o.call(f"bucketize({asked}, {ordered}, right={right})", meaning)
    return o.call(f"searchsorted({ordered}, {asked}, right={right})", meaning)


def scan_of_exponentials(x, dim):
    return np.logaddexp.accumulate(x, dim)


def trapezoids(a, dim):
    low, high = np.take(a, range(a.shape[dim] - 1), dim), np.take(a, range(1, a.shape[dim]), dim)
    return (low + high) / 2


def softmax(x, dim):
    y = np.exp(x - x.max(dim, keepdims=True))
    return y / y.sum(dim, keepdims=True)


# Functions along a dim of f64 arrays, with the least size.
ALONG = {
    "logcumsumexp({0}, DIM)": (scan_of_exponentials, 1),
    "nansum({0}, DIM)": (lambda x, d: x.sum(d), 1),
    "nanmean({0}, DIM)": (lambda x, d: x.mean(d), 1),
    "trapezoid({0}, dim=DIM)": (lambda x, d: trapezoids(x, d).sum(d), 2),
    "trapz({0}, dx=0.5, dim=DIM)": (lambda x, d: trapezoids(x, d).sum(d) / 2, 2),
    "cumulative_trapezoid({0}, dim=DIM)": (lambda x, d: trapezoids(x, d).cumsum(d), 2),
    "diff({0}, dim=DIM)": (lambda x, d: np.diff(x, axis=d), 2),
    "diff({0}, 2, DIM)": (lambda x, d: np.diff(x, 2, axis=d), 3),
    "var({0}, DIM, unbiased=false)": (lambda x, d: x.var(d), 1),
    "var_mean({0}, DIM, correction=0)[0]": (lambda x, d: x.var(d), 1),
    "var_mean({0}, DIM)[1]": (lambda x, d: x.mean(d), 2),
    "std_mean({0}, DIM)[0]": (lambda x, d: x.std(d, ddof=1), 2),
    "std_mean({0}, DIM)[1]": (lambda x, d: x.mean(d), 2),
    "var({0}, DIM, keepdim=true)": (lambda x, d: x.var(d, ddof=1, keepdims=True), 2),
    "norm({0}, 1.0, DIM)": (lambda x, d: np.abs(x).sum(d), 1),
    "norm({0}, 3.0, DIM, true)": (lambda x, d: (np.abs(x)**3).sum(d, keepdims=True)**(1 / 3), 1),
    "norm({0}, inf, DIM)": (lambda x, d: np.abs(x).max(d), 1),
    "norm({0}, -inf, DIM)": (lambda x, d: np.abs(x).min(d), 1),
    "vector_norm({0}, dim=DIM)": (lambda x, d: np.sqrt((x * x).sum(d)), 1),
    "vector_norm({0}, 3.0, DIM, true)": (
        lambda x, d: (np.abs(x)**3).sum(d, keepdims=True)**(1 / 3), 1),
    "vector_norm({0}, 0.5, DIM)": (lambda x, d: np.sqrt(np.abs(x)).sum(d)**2, 1),
    "vector_norm({0}, -1.0, DIM)": (lambda x, d: 1 / (1 / np.abs(x)).sum(d), 1),
    "vector_norm({0}, inf, DIM)": (lambda x, d: np.abs(x).max(d), 1),
    "vector_norm({0}, -inf, DIM)": (lambda x, d: np.abs(x).min(d), 1),
    "softmin({0}, DIM)": (lambda x, d: softmax(-x, d), 1),
    "normalize({0}, dim=DIM)": (lambda x, d: x / np.sqrt((x * x).sum(d, keepdims=True)), 1),
    "normalize({0}, 1.0, DIM)": (lambda x, d: x / np.abs(x).sum(d, keepdims=True), 1),
    "softmax({0}, DIM, dtype=f64)": (lambda x, d: softmax(x, d), 1),
}


@proposal(4)
def along(g):
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.shape and v.size)
    if x is None:
        return None
    text, dim = g.pick(list(ALONG)), g.random.randrange(len(g[x].shape))
    function, least = ALONG[text]
    has_kinks = "norm(" in text or "normalize" in text
    if g[x].shape[dim] < least or has_kinks and not g.has_kinks:
        return None

    def meaning(world, v):
        array = v.copies[0].astype(np.float64)
        if np.any(np.abs(array) > 20):
            raise Rejected
        # Where a root or a quotient is steep.
        if ("std" in text or "normalize" in text or "norm(" in text) and (
                np.any(array.std(dim) < 0.05) if "std" in text else
                np.any(np.abs(array).max(dim) < 0.25)):
            raise Rejected
        if ("0.5" in text or "-1.0" in text) and np.any(np.abs(array) < 0.05):
            raise Rejected
        check = [0] if has_kinks else ()
        if "inf" in text:
            check_order(Value([np.abs(copy) for copy in v.copies]), dim)
        result = smooth(lambda a: function(a, dim), scale=64 * v.shape[dim], points=check)(v)
        return compute("cast", [result], "f64", to="f64") if "dtype=f64" in text else result
    if "dtype=f64" in text and g[x].dtype != "f64":
        return None
    return g.call(text.replace("DIM", str(dim)), [x], meaning)


@proposal(2)
def counted(g):
    """`count_nonzero`, `histc`, sums in another dtype, and means and variances of several dims."""
    x = g.static(lambda v: v.shape and v.size)
    if x is None:
        return None
    v = g[x]
    dims = tuple(sorted(g.random.sample(range(len(v.shape)), g.random.randint(1, len(v.shape)))))
    kind = g.pick(["count", "histogram", "converted", "mean", "var", "cumsum", "any"])
    if kind == "count" and not g.is_smooth:
        def meaning(world, value):
            return Value([np.asarray(truth(value).sum(dims[0]))])
        return g.call(f"count_nonzero({{0}}, {dims[0]})", [x], meaning)
    if kind == "any" and not g.is_smooth:
        name = g.pick(["any", "all"])

        def meaning(world, value):
            return Value([np.asarray(getattr(np, name)(truth(value), dims[0]))])
        return g.call(f"{name}({{0}}, {dims[0]})", [x], meaning)
    if kind == "histogram" and v.dtype in ("f32", "f64") and not g.is_smooth:
        def meaning(world, value):
            check_sides(lambda a: np.sign(a[..., None] - np.linspace(-2, 2, 9)), [value])
            found = np.histogram(value.copies[0].astype(np.float64), 8, (-2, 2))[0]
            return Value([found.astype(value.copies[0].dtype)])
        return g.call("histc({0}, 8, -2, 2)", [x], meaning)
    if kind == "converted" and not g.is_smooth and v.dtype != "bool":
        to = g.pick(["f64", "i64"] if not is_float(v.dtype) else ["f64"])
        return g.call(f"sum({{0}}, {dims}, dtype={to})", [x], lambda world, value: compute(
            "reduce", [compute("cast", [value], to, to=to)], kind="sum", dims=dims))
    if kind == "cumsum" and not g.is_smooth and v.dtype in ("i32", "i16", "i8", "u8", "bool"):
        return g.call(f"cumsum({{0}}, {dims[0]})", [x], lambda world, value: compute(
            "scan", [compute("cast", [value], "i64", to="i64")], kind="sum", dim=dims[0]))
    if kind in ("mean", "var") and v.dtype in ("f32", "f64"):
        count = int(np.prod([v.shape[d] for d in dims]))
        if count < 2:
            return None
        function = (lambda a: a.mean(dims)) if kind == "mean" else (lambda a: a.var(dims, ddof=1))

        def meaning(world, value):
            if np.any(np.abs(value.copies[0]) > 20):
                raise Rejected
            return smooth(function, scale=64 * count)(value)
        return g.call(f"{kind}({{0}}, {dims})", [x], meaning)
    return None


@proposal(1)
def covariance(g):
    x = g.static(lambda v: v.dtype in ("f32", "f64") and len(v.shape) == 2 and
                 2 <= v.shape[1] and 2 <= v.shape[0] <= 9)
    if x is None:
        return None
    name = g.pick(["cov", "corrcoef"])

    def meaning(world, v):
        array = v.copies[0].astype(np.float64)
        if np.any(np.abs(array) > 20) or np.any(array.std(1) < 0.1):
            raise Rejected
        return smooth(np.cov if name == "cov" else np.corrcoef, scale=256 * v.shape[1])(v)
    return g.call(f"{name}({{0}})", [x], meaning)
