"""Calls of functions that reduce, move, pick and make elements."""

import math

import numpy as np

from elements import proposal
from values import DTYPES, LARGEST, SMALLEST, Rejected, Value, compute, compute_smooth, is_float

MOST_ELEMENTS = 6000
MOST_PRODUCTS = 200_000  # of a matrix product: the interpreter is slow


def without(items, at):
    return tuple(item for d, item in enumerate(items) if d not in at)


# --- reductions ----------------------------------------------------------------


@proposal(7)
def reduce(g):
    x = g.tensor(lambda v: v.shape)
    if x is None:
        return None
    rank = len(g[x].shape)
    dims = tuple(sorted(g.random.sample(range(rank), g.random.randint(1, rank))))
    return reduced(g, x, dims, keeps=g.flip(0.3))


def reduced(g, x, dims, keeps):
    v, rank = g[x], len(g[x].shape)
    kind = g.pick(["any", "all"] if v.dtype == "bool" else ["sum"] if not g.has_kinks else
                  ["sum", "sum", "sum", "prod", "max", "min"])
    if kind in ("max", "min") and any(v.shape[d] == 0 or v.dims[d] != v.shape[d] for d in dims):
        return None
    name = {"max": "amax", "min": "amin"}.get(kind, kind)
    given = str(dims[0]) if len(dims) == 1 else str(dims)
    arguments = "" if len(dims) == rank and not keeps else \
        f"dim={given}" + (", keepdim=true" if keeps else "")
    as_i64 = kind in ("sum", "prod") and not is_float(v.dtype)

    def meaning(world, value):
        if as_i64:
            value = compute("cast", [value], "i64", to="i64")
        if kind == "prod" and is_float(value.dtype):
            reject_wide_products(value, dims)
        result = compute("reduce", [value], kind=kind, dims=dims)
        if keeps:
            result = reshaped(result, tuple(1 if d in dims else size
                                            for d, size in enumerate(value.shape)))
        return result
    result = tuple(1 if d in dims else size for d, size in enumerate(v.dims)) if keeps else \
        without(v.dims, dims)
    return g.call(f"{name}({{0}}{', ' * bool(arguments)}{arguments})", [x], meaning, dims=result)


def reject_wide_products(value, dims):
    """Products that leave the range of floats in some order of their factors."""
    sizes = np.abs(value.copies[0].astype(np.float64))
    if np.any(np.maximum(sizes, 1).prod(dims) > LARGEST) or \
            np.any(np.where(sizes > 0, np.minimum(sizes, 1), 1).prod(dims) < SMALLEST):
        raise Rejected


def reshaped(value, shape):
    return Value([copy.reshape(shape) for copy in value.copies])


@proposal(2)
def arg_reduce(g):
    x = g.static(lambda v: v.shape and v.dtype != "bool" and v.size)
    if x is None:
        return None
    kind, dim = g.pick(["max", "min"]), g.random.randrange(len(g[x].shape))
    return g.call(f"arg{kind}({{0}}, dim={dim})", [x], lambda world, v: compute(
        "arg_reduce", [v], "i64", kind=kind, dims=(dim,)))


STATISTICS = {
    "mean": lambda x, d: x.mean(d), "var": lambda x, d: x.var(d, ddof=1),
    "std": lambda x, d: x.std(d, ddof=1), "norm": lambda x, d: np.sqrt((x * x).sum(d)),
    "logsumexp": lambda x, d: np.log(np.exp(x).sum(d)),
}


@proposal(3)
def statistic(g):
    x = g.tensor(lambda v: v.dtype in ("f32", "f64") and v.shape)
    if x is None:
        return None
    name, dim = g.pick(list(STATISTICS)), g.random.randrange(len(g[x].shape))

    def meaning(world, v):
        if v.shape[dim] < 2 or np.any(np.abs(v.copies[0]) > 20):
            raise Rejected
        function = lambda array: STATISTICS[name](array, dim)
        if name in ("std", "norm") and np.any(function(v.copies[0].astype(np.float64)) < 0.05):
            raise Rejected
        return compute_smooth(function, [v], v.dtype, 64 * v.shape[dim])
    return g.call(f"{{0}}.{name}(dim={dim})", [x], meaning, dims=without(g[x].dims, (dim,)))


@proposal(3)
def softmax(g):
    x = g.tensor(lambda v: is_float(v.dtype) and v.shape)
    if x is None:
        return None
    return softmax_of(g, x, g.random.randrange(len(g[x].shape)))


def softmax_of(g, x, dim):
    name = g.pick(["softmax", "log_softmax"])
    return g.call(f"{name}({{0}}, {dim})", [x], lambda world, v: compute(
        name, [v], dim=dim), keeps=0)


@proposal(2)
def layer_norm(g):
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.shape and v.shape[-1] > 1 and v.size)
    if x is None:
        return None

    def meaning(world, v):
        if np.any(v.copies[0].std(-1) < 0.1) or np.any(np.abs(v.copies[0]) > 50):
            raise Rejected
        return compute_smooth(lambda a: (a - a.mean(-1, keepdims=True)) / np.sqrt(
            a.var(-1, keepdims=True) + 1e-5), [v], v.dtype, 1024)
    return g.call(f"layer_norm({{0}}, ({g[x].shape[-1]},))", [x], meaning)


# --- products ------------------------------------------------------------------


@proposal(5)
def matmul(g):
    x = g.static(lambda v: len(v.shape) >= 2 and v.dtype != "bool")
    if x is None:
        return None
    *batch, m, k = g[x].shape
    y = g.static(lambda v: v.dtype == g[x].dtype and len(v.shape) == len(g[x].shape) and
                 list(v.shape[:-2]) == batch and k in v.shape[-2:])
    return y and product(g, x, y, is_transposed=g[y].shape[-2] != k)


def product(g, x, y, is_transposed):
    *batch, m, k = g[x].shape
    n = g[y].shape[-2 if is_transposed else -1]
    if math.prod(batch) * m * k * n > MOST_PRODUCTS or math.prod(batch) * m * n > MOST_ELEMENTS:
        return None

    def meaning(world, v, w):
        if is_transposed:
            w = Value([np.swapaxes(copy, -1, -2) for copy in w.copies])
        return compute("matmul", [v, w])
    return g.call("{0} @ {1}" + ".mT" * is_transposed, [x, y], meaning)


# --- movement ------------------------------------------------------------------


def moved(g, text, x, mnemonic, **options):
    return g.call(text, [x], lambda world, v: compute(mnemonic, [v], **options))


@proposal(3)
def permute(g):
    x = g.static(lambda v: len(v.shape) >= 2)
    if x is None:
        return None
    order = list(range(len(g[x].shape)))
    g.random.shuffle(order)
    return permuted(g, x, order)


def permuted(g, x, order):
    return moved(g, f"{{0}}.permute({', '.join(map(str, order))})", x, "permute", order=order)


@proposal(3)
def reshape(g):
    x = g.static(lambda v: v.size)
    if x is None:
        return None
    left, shape = g[x].size, []
    while left > 1 and len(shape) < 3:
        size = g.pick([d for d in range(1, left + 1) if left % d == 0])
        shape.append(size)
        left //= size
    shape = tuple(shape + [left] * (left > 1 or g.flip(0.2)))
    return shape and moved(g, f"{{0}}.reshape({', '.join(map(str, shape))})", x, "reshape",
                           shape=shape)


@proposal(2)
def broadcast(g):
    x = g.static(lambda v: len(v.shape) < 4)
    if x is None:
        return None
    shape = tuple(g.size() if size == 1 else size for size in g[x].shape)
    shape = (g.size(),) * g.flip(0.5) + shape
    if math.prod(shape) > MOST_ELEMENTS or not shape:
        return None
    return moved(g, f"{{0}}.expand({', '.join(map(str, shape))})", x, "broadcast", shape=shape)


@proposal(2)
def unsqueeze(g):
    x = g.tensor(lambda v: len(v.shape) < 4)
    if x is None:
        return None
    return unsqueezed(g, x, g.random.randint(0, len(g[x].shape)))


def unsqueezed(g, x, dim):
    dims = g[x].dims[:dim] + (1,) + g[x].dims[dim:]
    return g.call(f"unsqueeze({{0}}, {dim})", [x], lambda world, v: reshaped(
        v, v.shape[:dim] + (1,) + v.shape[dim:]), dims=dims)


def choose_slice(g, size):
    """(text, start, step, count) of a slice of a dim of that size."""
    start = g.random.randint(0, max(size - 1, 0))
    step = g.pick([1, 1, 1, 2, 3])
    stop = g.random.randint(start, size)
    return (f"{start}:{stop}" + f":{step}" * (step > 1), start, step,
            len(range(start, stop, step)))


@proposal(4)
def slice_of(g):
    x = g.static(lambda v: v.shape)
    if x is None:
        return None
    dim = g.random.randrange(len(g[x].shape))
    text, start, step, size = choose_slice(g, g[x].shape[dim])
    return sliced(g, x, dim, text, start, step, size)


def sliced(g, x, dim, text, start, step, size):
    return moved(g, f"{{0}}[{':, ' * dim}{text}]", x, "slice", dim=dim, start=start, step=step,
                 size=size)


@proposal(3)
def slice_to_number(g):
    """x[:n]: its size is known when the program runs."""
    number = g.integer()
    x = number and g.static(lambda v: v.shape)
    if not x:
        return None

    def meaning(world, v, n):
        if not 0 <= n <= v.shape[0]:
            raise Rejected
        return compute("slice", [v], dim=0, start=0, step=1, size=int(n))
    return g.call("{0}[:{1}]", [x, number], meaning, dims=(number, *g[x].shape[1:]), uses=1)


@proposal(2)
def row(g):
    x = g.static(lambda v: v.shape and v.shape[0])
    if x is None:
        return None
    return row_at(g, x)


def row_at(g, x):
    at = g.random.randrange(-g[x].shape[0], g[x].shape[0])
    return g.call(f"{{0}}[{at}]", [x], lambda world, v: Value([c[at] for c in v.copies]))


@proposal(2)
def row_of_number(g):
    number = g.integer()
    x = number and g.static(lambda v: v.shape and v.shape[0])
    if not x:
        return None

    def meaning(world, v, n):
        if not 0 <= n < v.shape[0]:
            raise Rejected
        return Value([copy[n] for copy in v.copies])
    return g.call("{0}[{1}]", [x, number], meaning, uses=1)


@proposal(3)
def concat(g):
    x = g.static(lambda v: v.shape)
    if x is None:
        return None
    dim = g.random.randrange(len(g[x].shape))
    y = g.static(lambda v: v.dtype == g[x].dtype and len(v.shape) == len(g[x].shape) and
                 without(v.shape, (dim,)) == without(g[x].shape, (dim,)))
    return y and concatenated(g, x, y, dim)


def concatenated(g, x, y, dim):
    if g[x].size + g[y].size > MOST_ELEMENTS:
        return None
    return g.call(f"cat([{{0}}, {{1}}], dim={dim})", [x, y], lambda world, v, w: compute(
        "concat", [v, w], dim=dim))


@proposal(2)
def stack(g):
    x = g.static(lambda v: len(v.shape) < 4)
    y = x and g.static(lambda v: v.dtype == g[x].dtype and v.shape == g[x].shape)
    return y and stacked(g, x, y)


def stacked(g, x, y):
    return g.call("stack([{0}, {1}])", [x, y], lambda world, v, w: compute(
        "concat", [reshaped(v, (1, *v.shape)), reshaped(w, (1, *w.shape))], dim=0))


# --- by index ------------------------------------------------------------------


def below(g, index, size):
    """The text of operand {1} as indices of `size` places, and what they are in a run."""
    def is_inside(value):
        return np.all((0 <= value.copies[0]) & (value.copies[0] < size))

    def unchanged(value):
        if not is_inside(value):
            raise Rejected
        return value
    if is_inside(g[index]):
        return "{1}", unchanged
    return f"({{1}} % {size})", lambda value: compute("mod", [value, Value([np.int64(size)])])


@proposal(4)
def gather(g):
    x = g.static(lambda v: v.shape and v.size)
    index = x and g.index(lambda v: len(v.shape) <= 2 and v.size <= 80)
    return index and picked(g, x, index, g.random.randrange(len(g[x].shape)))


def picked(g, x, index, dim):
    shape, rank = g[x].shape, len(g[index].shape)
    result = shape[:dim] + g[index].shape + shape[dim + 1:]
    if math.prod(result) > MOST_ELEMENTS or len(result) > 4 or dim and rank != 1:
        return None
    places, values = below(g, index, shape[dim])
    texts = [f"index_select({{0}}, {dim}, {places})"] * (rank == 1)
    if dim == 0:
        texts.append(f"{{0}}[{places}]")
        if len(shape) == 2 and is_float(g[x].dtype):
            texts.append(f"embedding({places}, {{0}})")
    return g.call(g.pick(texts), [x, index], lambda world, v, i: compute(
        "gather", [v, values(i)], dim=dim))


@proposal(3)
def gather_along(g):
    x = g.static(lambda v: v.shape and v.size)
    if x is None:
        return None
    dim = g.random.randrange(len(g[x].shape))
    index = g.index(lambda v: len(v.shape) == len(g[x].shape) and
                    without(v.shape, (dim,)) == without(g[x].shape, (dim,)))
    return index and picked_along(g, x, index, dim)


def picked_along(g, x, index, dim):
    places, values = below(g, index, g[x].shape[dim])
    return g.call(f"gather({{0}}, {dim}, {places})", [x, index], lambda world, v, i: compute(
        "gather_along", [v, values(i)], dim=dim))


@proposal(3)
def scatter_add(g):
    x = g.static(lambda v: v.shape and v.size and v.dtype != "bool")
    if x is None:
        return None
    dim = g.random.randrange(len(g[x].shape))
    source = g.static(lambda v: v.dtype == g[x].dtype and len(v.shape) == len(g[x].shape) and
                      without(v.shape, (dim,)) == without(g[x].shape, (dim,)))
    index = source and g.index(lambda v: v.shape == g[source].shape)
    return index and scattered(g, x, index, source, dim)


def scattered(g, x, index, source, dim):
    places, values = below(g, index, g[x].shape[dim])
    call, combine = ("scatter", None) if g.replaces() else ("scatter_add", "sum")
    return g.call(f"{call}({{0}}, {dim}, {places}, {{2}})", [x, index, source],
                  lambda world, v, i, s: compute("scatter_along", [v, values(i), s], dim=dim,
                                                 combine=combine))


# --- new tensors ---------------------------------------------------------------


def random_value(world, kind, shape, dtype, bounds=()):
    return compute("random", [], dtype, kind=kind, shape=shape, dtype=dtype, seed=0,
                   call=next(world.calls), bounds=bounds)


def sizes_text(shape):
    return ", ".join(map(str, shape)) if shape else "()"


def random_tensor(g, shape, dtype):
    if is_float(dtype):
        name, law = g.pick([("randn", "normal"), ("rand", "uniform")])
        return g.call(f"{name}({sizes_text(shape)}, dtype={dtype})", [], lambda world:
                      random_value(world, law, shape, dtype))
    return random_ints(g, shape, dtype, *g.pick([(0, 2), (0, 100), (1, 9)] + (
        [] if dtype[0] == "u" else [(-5, 7)])))


def quarters(g, shape, dtype):
    """Multiples of 1/4, many of which are equal; indices if not of floats."""
    if not is_float(dtype):
        return random_tensor(g, shape, dtype)
    array = (np.asarray(g.numbers.integers(-8, 9, shape)) / 4).astype(DTYPES[dtype])
    return g.call(f"tensor({array.tolist()}, dtype={dtype})", [], lambda world: Value([array]))


def random_ints(g, shape, dtype, low, high):
    return g.call(f"randint({low}, {high}, ({', '.join(f'{n}' for n in shape)}"
                  f"{',' * (len(shape) == 1)}), dtype={dtype})", [], lambda world:
                  random_value(world, "randint", shape, dtype, (low, high)))


def make(g, shape=None):
    """A call that makes a tensor."""
    shape = g.shape() if shape is None else shape
    dtype = g.dtype()
    kind = g.pick([*["random"] * 6, "full", "arange", "literal", "randperm"])
    if kind == "random":
        return random_tensor(g, shape, dtype)
    if kind == "randperm" and math.prod(shape):
        n = math.prod(shape)
        return g.call(f"randperm({n}).reshape({sizes_text(shape)})", [], lambda world: reshaped(
            random_value(world, "permutation", (n,), "i64"), shape))
    if kind == "arange" and math.prod(shape) <= 90:
        n, start, step = math.prod(shape), g.random.randint(0, 9), g.random.randint(1, 3)
        if dtype in ("i8", "u8", "f16", "bf16"):
            n = min(n, 30)
        array = (start + step * np.arange(n)).astype(DTYPES[dtype])
        return g.call(f"arange({start}, {start + step * n}, {step}, dtype={dtype})", [],
                      lambda world: Value([array]))
    if kind == "literal" and 0 < math.prod(shape) <= 12:
        array = np.asarray(g.numbers.integers(0 if dtype[0] == "u" else -8, 9, shape))
        array = (array / 4 if is_float(dtype) else array).astype(DTYPES[dtype])
        return g.call(f"tensor({array.tolist()}, dtype={dtype})", [],
                      lambda world: Value([array]))
    number = g.pick([0, 1, 2, 3])
    array = np.full(shape, number).astype(DTYPES[dtype])
    text = {0: f"zeros({sizes_text(shape)}, dtype={dtype})",
            1: f"ones({sizes_text(shape)}, dtype={dtype})"}.get(
        number, f"full(({', '.join(map(str, shape))}{',' * (len(shape) == 1)}), {number}, "
        f"dtype={dtype})")
    return g.call(text, [], lambda world: Value([array]))


@proposal(3)
def new(g):
    """A tensor, often of the shape of another."""
    x = g.static() if g.flip(0.6) else None
    return make(g, g[x].shape if x else None)
