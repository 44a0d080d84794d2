"""Calls of the functions that rearrange elements, of all dtypes."""

import math

import numpy as np

from arrays import MOST_ELEMENTS, random_value
from elements import converted, proposal
from operands import Operands, listed, moving, sizes, smooth
from tree import Call
from values import Value, is_float


def ranked(g, least=1, most=4, accepts=lambda v: True):
    return g.static(lambda v: least <= len(v.shape) <= most and v.size and accepts(v))


def moved(g, text, x, function):
    o = Operands(g)
    return o.call(text.replace("{0}", o.tensor(x)), moving(function))


def names_of_two_dims(g, v):
    a, b = g.random.sample(range(len(v.shape)), 2)
    return a, b, *(g.pick([d, d - len(v.shape)]) for d in (a, b))


@proposal(3)
def rearranged(g):
    """Dims in another order, other shapes, flips and rotations."""
    x = ranked(g, 2)
    if x is None:
        return None
    v = g[x]
    a, b, one, other = names_of_two_dims(g, v)
    k, flat = g.random.randint(-1, 3), g.random.randrange(len(v.shape) - 1)
    dim, shift = g.random.randrange(len(v.shape)), g.random.randint(0, len(v.shape) - 1)
    size = v.shape[dim]
    factor = g.pick([f for f in range(1, size + 1) if size % f == 0])
    merged = v.shape[:flat] + (v.shape[flat] * v.shape[flat + 1],) + v.shape[flat + 2:]
    split = v.shape[:dim] + (factor, size // factor) + v.shape[dim + 1:]
    choices = {
        f"{g.pick(['transpose', 'swapaxes', 'swapdims'])}({{0}}, {one}, {other})":
            lambda c: np.swapaxes(c, a, b),
        f"{g.pick(['movedim', 'moveaxis'])}({{0}}, {one}, {shift})":
            lambda c: np.moveaxis(c, a, shift),
        "{0}.mT": lambda c: np.swapaxes(c, -1, -2),
        g.pick(["ravel({0})", "flatten({0})", "{0}.view(-1)"]): np.ravel,
        f"flatten({{0}}, {flat}, {flat + 1})": lambda c: c.reshape(merged),
        f"rot90({{0}}, {k}, ({a}, {b}))": lambda c: np.rot90(c, k, (a, b)),
        "fliplr({0})": np.fliplr, "flipud({0})": np.flipud,
        "contiguous({0})": np.copy, "clone({0})": np.copy,
    }
    if len(v.shape) < 4:
        choices[f"unflatten({{0}}, {dim}, ({factor}, -1))"] = lambda c: c.reshape(split)
        choices["{0}[none]"] = lambda c: c[None]
        choices["{0}[..., none]"] = lambda c: c[..., None]
    if len(v.shape) == 2:
        choices[g.pick(["{0}.T", "t({0})"])] = np.transpose
        choices["rearrange({0}, \"a b -> b a\")"] = np.transpose
        choices["rearrange({0}, \"a b -> (b a)\")"] = lambda c: c.T.ravel()
    if len(v.shape) == 3:
        choices["rearrange({0}, \"a b c -> c (a b)\")"] = lambda c: np.moveaxis(
            c, 2, 0).reshape(c.shape[2], -1)
    text = g.pick(list(choices))
    return moved(g, text, x, choices[text])


@proposal(2)
def single_dims(g):
    """Dims of size 1, more or less."""
    x = ranked(g, 0, 3)
    if x is None:
        return None
    ones = [d for d, size in enumerate(g[x].shape) if size == 1]
    choices = {"atleast_1d({0})": lambda c: np.atleast_1d(c),
               "atleast_2d({0})": lambda c: np.atleast_2d(c),
               "squeeze({0})": np.squeeze}
    if len(g[x].shape) < 2:
        choices["{0}.t()"] = np.copy
    if len(g[x].shape) != 1:
        choices["atleast_3d({0})"] = lambda c: np.atleast_3d(c)
    if ones:
        dim = g.pick(ones)
        choices[f"squeeze({{0}}, {dim})"] = lambda c: np.squeeze(c, dim)
    text = g.pick(list(choices))
    return moved(g, text, x, choices[text])


@proposal(3)
def repeated(g):
    """`repeat`, `tile`, `broadcast_to`, `roll` without dims and of several, `repeat_interleave`."""
    x = ranked(g, 1, 3, lambda v: v.size <= 600)
    if x is None:
        return None
    v = g[x]
    times = tuple(g.random.randint(1, 3) for _ in range(len(v.shape) + g.random.randint(0, 1)))
    shifts = tuple(g.random.randint(-5, 5) for _ in v.shape)
    dims, count = tuple(range(len(v.shape))), g.random.randint(1, 3)
    wide = (g.random.randint(1, 3), *v.shape)
    choices = {
        f"{{0}}.repeat({sizes(times)})": lambda c: np.tile(c, times),
        f"tile({{0}}, {listed(times[:1])})": lambda c: np.tile(c, times[:1]),
        f"broadcast_to({{0}}, {listed(wide)})": lambda c: np.broadcast_to(c, wide),
        f"roll({{0}}, {shifts[0]})": lambda c: np.roll(c, shifts[0]),
        f"roll({{0}}, {listed(shifts)}, {listed(dims)})": lambda c: np.roll(c, shifts, dims),
        f"repeat_interleave({{0}}, {count})": lambda c: np.repeat(c, count),
    }
    text = g.pick(list(choices))
    return moved(g, text, x, choices[text])


@proposal(3)
def part_of(g):
    """`narrow`, `select`, parts of `split`, `chunk`, `unbind`, `tensor_split` and their kind."""
    x = ranked(g)
    if x is None:
        return None
    v = g[x]
    dim = g.random.randrange(len(v.shape))
    given, size = g.pick([dim, dim - len(v.shape)]), v.shape[dim]
    at = g.random.randrange(size)
    length, count = g.random.randint(1, size - at), g.random.randint(1, size)
    parts = -(-size // -(-size // count))  # of chunk: the last ones may be missing
    piece, which = g.random.randint(1, size), g.random.random()

    def take(c, start, stop):
        return np.take(c, range(start, min(stop, size)), dim)
    pieces = -(-size // piece)
    chunk = -(-size // count)
    choices = {
        f"narrow({{0}}, {given}, {at}, {length})": lambda c: take(c, at, at + length),
        f"select({{0}}, {given}, {g.pick([at, at - size])})": lambda c: np.take(c, at, dim),
        f"split({{0}}, {piece}, {given})[{int(which * pieces)}]": lambda c: take(
            c, int(which * pieces) * piece, (int(which * pieces) + 1) * piece),
        f"chunk({{0}}, {count}, {given})[{int(which * parts)}]": lambda c: take(
            c, int(which * parts) * chunk, (int(which * parts) + 1) * chunk),
        f"unbind({{0}}, {given})[{at}]": lambda c: np.take(c, at, dim),
        f"tensor_split({{0}}, {count}, {given})[{int(which * count)}]": lambda c: np.array_split(
            c, count, dim)[int(which * count)],
        f"tensor_split({{0}}, ({at},), {given})[1]": lambda c: take(c, at, size),
        f"split_with_sizes({{0}}, [{at}, {size - at}], {given})[0]": lambda c: take(c, 0, at),
        f"vsplit({{0}}, ({max(at, 1)},))[0]": lambda c: c[:max(at, 1)],
    }
    if len(v.shape) < 2:
        choices.pop(f"vsplit({{0}}, ({max(at, 1)},))[0]")
    else:
        half = v.shape[1] // 2
        choices[f"hsplit({{0}}, ({half},))[1]"] = lambda c: c[:, half:]
    if len(v.shape) >= 3:
        choices[f"dsplit({{0}}, ({v.shape[2] // 2},))[1]"] = lambda c: c[:, :, c.shape[2] // 2:]
    text = g.pick(list(choices))
    return moved(g, text, x, choices[text])


@proposal(2)
def together(g):
    """`hstack` and its kind of a tensor and another of its shape."""
    x = ranked(g, 1, 3, lambda v: v.size <= MOST_ELEMENTS // 3)
    if x is None:
        return None
    o = Operands(g)
    one, other = o.tensor(x), o.part(g[x].shape, g[x].dtype)
    choices = {"hstack": np.hstack, "vstack": np.vstack, "row_stack": np.vstack,
               "dstack": np.dstack, "column_stack": np.column_stack,
               "stack": lambda arrays: np.stack(arrays, 1)}
    name = g.pick(list(choices))
    more = ", dim=1" if name == "stack" else ""
    return o.call(f"{name}([{one}, {other}]{more})", moving(
        lambda *arrays: choices[name](arrays)))


@proposal(3)
def diagonals(g):
    """Diagonals and triangles."""
    x = ranked(g, 1, 3, lambda v: v.size <= 400)
    if x is None:
        return None
    v, o = g[x], Operands(g)
    offset = g.random.randint(-1, 1)
    if len(v.shape) == 1:
        if v.size > 40:
            return None
        choices = {f"diag({{0}}, {offset})": lambda c: np.diag(c, offset),
                   f"diagflat({{0}}, {offset})": lambda c: np.diagflat(c, offset),
                   f"diag_embed({{0}}, {offset})": lambda c: np.diag(c, offset)}
    else:
        below = {f"{name}({{0}}, {offset})": function for name, function in
                 (("tril", lambda c: np.tril(c, offset)), ("triu", lambda c: np.triu(c, offset)))}
        a, b, one, other = names_of_two_dims(g, v)
        if not -v.shape[a] < offset < v.shape[b]:
            return None
        choices = {**below, f"diagonal({{0}}, {offset}, {one}, {other})":
                   lambda c: np.diagonal(c, offset, a, b)}
        length = np.diagonal(np.zeros(v.shape), offset, a, b).shape
        if g.flip(0.3) and math.prod(length):
            def put(c, source):
                result = c.copy()
                places = np.diagonal(np.arange(c.size).reshape(c.shape), offset, a, b)
                result.reshape(-1)[places] = source
                return result
            text = f"diagonal_scatter({o.tensor(x)}, {o.part(length, v.dtype)}, " \
                   f"{offset}, {one}, {other})"
            return o.call(text, moving(put))
    text = g.pick(list(choices))
    return moved(g, text, x, choices[text])


@proposal(1)
def grids(g):
    """New tensors of coordinates, and of the kind of another."""
    x = g.static(lambda v: v.dtype != "bool")
    n, m = g.random.randint(1, 5), g.random.randint(1, 5)
    choices = {f"eye({n}, {m}, dtype=f64)": np.eye(n, m),
               f"tril_indices({n}, {m})": np.array(np.tril_indices(n, 0, m)),
               f"triu_indices({n}, {m}, 1)": np.array(np.triu_indices(n, 1, m))}
    if x is not None and g.flip(0.6):
        v = g[x]
        if v.size > MOST_ELEMENTS:
            return None
        kind, shape = v.copies[0].dtype, (n, m)
        likes = {"zeros_like({0})": np.zeros(v.shape, kind), "ones_like({0})": np.ones(
                     v.shape, kind), "full_like({0}, 3)": np.full(v.shape, 3, kind),
                 "fill({0}, 3)": np.full(v.shape, 3, kind),
                 f"new_zeros({{0}}, {n}, {m})": np.zeros(shape, kind),
                 f"new_ones({{0}}, {n}, {m})": np.ones(shape, kind),
                 f"new_full({{0}}, {listed(shape)}, 2)": np.full(shape, 2, kind)}
        text = g.pick(list(likes))
        return moved(g, text, x, lambda c: likes[text])
    text = g.pick(list(choices))
    array = choices[text]
    return g.call(text, [], lambda world: Value([array])) if array.size else None


REAL = ["conj", "conj_physical", "real", "resolve_conj", "resolve_neg"]  # change no real number


@proposal(2)
def like(g):
    """The shape of another tensor; another dtype by its name; what changes nothing."""
    x = ranked(g, 0, 3, lambda v: v.dtype != "bool" and v.size <= 400)
    if x is None:
        return None
    v, o = g[x], Operands(g)
    first = o.tensor(x)
    wide = (g.random.randint(1, 3), *v.shape)
    kind = g.pick(["shape", "expand", "same"] + ["detach", "random", "convert"] * (
        not g.is_smooth))
    if kind == "shape":
        y = g.static(lambda w: w.size == v.size)
        return o.call(f"{g.pick(['reshape_as', 'view_as'])}({first}, {o.tensor(y)})", moving(
            lambda a, b: a.reshape(b.shape)))
    if kind == "expand":
        y = g.static(lambda w: len(w.shape) > len(v.shape) and w.shape[-len(v.shape):] == v.shape)
        text = f"expand_as({first}, {o.tensor(y)})" if y and v.shape else \
            f"expand_as({first}, {o.written(np.zeros(wide))})" if math.prod(wide) < 40 else None
        return text and o.call(text, moving(lambda a, b: np.broadcast_to(a, b.shape)))
    if kind == "same":
        names = ["dropout({0}, 0.5, false)", "dropout({0}, 0.0)"] * 2 * is_float(v.dtype)
        names += [f"{name}({{0}})" for name in ("clone", "contiguous", *REAL)]
        return moved(g, g.pick(names), x, np.copy)
    if kind == "detach":
        return moved(g, "detach({0})", x, np.copy)
    if kind == "random" and is_float(v.dtype):
        name, law = g.pick([("randn_like", "normal"), ("rand_like", "uniform")])
        return g.call(f"{name}({{0}})", [x], lambda world, value: random_value(
            world, law, value.shape, value.dtype))
    name, to = g.pick([("float", "f32"), ("double", "f64"), ("half", "f16"), ("bfloat16", "bf16"),
                       ("int", "i32"), ("long", "i64"), ("bool", "bool"), ("byte", "u8"),
                       ("char", "i8"), ("short", "i16")])
    call = converted(g, x, to)
    return Call(f"{{0}}.{name}()", call.operands, call.meaning)


@proposal(1)
def masks(g):
    """New masks, and numbers at equal distances."""
    n, m = g.random.randint(1, 5), g.random.randint(1, 5)
    future = np.triu(np.ones((n, m), bool), 1 + m - n)  # the last query sees all keys
    kind = g.pick(["causal", "space", "powers", "grid", "empty"])
    if kind == "causal":
        return g.call(f"causal_mask({n}, {m})", [], lambda world: Value([future]))
    if kind == "empty":
        return g.call(f"empty({n}, {m}, dtype=f64)", [], lambda world: Value([np.zeros((n, m))]))
    if kind == "grid":
        x = g.static(lambda v: len(v.shape) == 1 and 0 < v.size <= 20)
        side = g.pick(["ij", "xy"])
        return x and moved(g, f"meshgrid([{{0}}, {{0}}], indexing=\"{side}\")[0]", x, lambda a:
                           np.meshgrid(a, a, indexing=side)[0])
    powers = kind == "powers"
    meaning = smooth(lambda a: 2.0**np.linspace(-1, 2, n) if powers else np.linspace(-1, 2, n))
    text = f"logspace(-1, 2, {n}, base=2.0, dtype=f64)" if powers else \
        f"linspace(-1, 2, {n}, dtype=f64)"
    return g.call(text, [], lambda world: meaning(Value([np.zeros(1)])))
