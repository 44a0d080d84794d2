"""Statements that combine a value with another access of it: `g + g[i]`, `x[1:] * x[:3]`,
`x - x.sum(dim=1, keepdim=true)`, `x @ x.mT`, `x[2:4] = x[:2]`.

The compiler may compute a value once, in the kernel that uses it. It must not if the
kernel reads the value at two coordinates. A comparison of levels cannot detect that, so
NumPy gives the expected values.
"""

import dataclasses
import math

import numpy as np

import arrays
import elements
from statements import make_variable, written
from tree import Call, Let
from values import Rejected, Value, compute, is_float

ACCESSES = []  # (function, how often)
COMBINATIONS = []
# Values that take a loop of their own, in a kernel that may be merged with those of their uses.
MAKERS = [*[arrays.reduce] * 4, *[arrays.matmul] * 2, arrays.arg_reduce, arrays.statistic,
          arrays.softmax, arrays.layer_norm, arrays.scatter_add, arrays.gather]
TRIES = 12
LITERALS = 9  # indices that are written out at most


class Chain:
    """Statements that build on each other; each is computed when it is made."""

    def __init__(self, g):
        self.g, self.body = g, []

    def add(self, statement):
        if not statement or not self.g.attempt([statement]):
            raise Rejected
        self.body.append(statement)
        return statement.name

    def let(self, call):
        return self.add(call and Let(self.g.name(), call))

    def statements(self):
        """Returns its statements. A value with a single use is most often inlined there: with a
        name it might be saved, and its definition and use would not be in one kernel."""
        body = []
        for statement in self.body:
            for made in body[:]:
                if self.is_passing(made) and made.name in statement.call.operands and \
                        self.g.flip(0.8):
                    statement = dataclasses.replace(
                        statement, call=statement.call.inlined(made.name, made.call))
                    body.remove(made)
            body.append(statement)
        return body

    def is_passing(self, made):
        uses = sum(statement.call.operands.count(made.name) for statement in self.body)
        return made.word == "let" and made.call.operands and uses == 1


def again(g):
    chain = Chain(g)
    try:
        x = chain.let(g.pick(MAKERS)(g)) if g.flip(0.6) else g.static(lambda v: v.size > 1)
        if x is None or is_constant(g[x]) or g.is_smooth and not is_float(g[x].dtype):
            return None
        dim = g.pick([d for d, size in enumerate(g[x].shape) if size > 1])
        one, other = make_pair(chain, x, dim)
        chosen(chain, COMBINATIONS, one, other, dim)
    except Rejected:
        return None
    return chain.statements()


def is_constant(value):
    """Whether it is the same at every position."""
    return value.size == 0 or np.all(value.copies[0] == value.copies[0].flat[0])


def chosen(chain, table, *arguments):
    """Returns the name of a result of one of the functions of a table."""
    functions, weights = zip(*table)
    for function in chain.g.random.choices(functions, weights, k=TRIES):
        made = function(chain, *arguments)
        if made:
            return chain.let(made) if isinstance(made, Call) else chain.add(made)
    raise Rejected


def make_pair(chain, x, dim):
    """Two accesses of x which may be x itself; most often their shapes fit each other."""
    g, n = chain.g, chain.g[x].shape[dim]
    if g.flip(0.1) and len(g[x].shape) < 4 and g[x].size * n <= arrays.MOST_ELEMENTS:
        return [chain.let(arrays.unsqueezed(g, x, at)) for at in g.shuffled(dim, dim + 1)]
    size = g.pick([n, n, n, n, 1, max(n - 1, 1), (n + 1) // 2, g.random.randint(1, n + 2)])
    one = access(chain, x, dim, size)
    if size in (1, n) and g.flip(0.7):
        return g.shuffled(one, x)
    return g.shuffled(one, access(chain, x, dim, g.pick([size, size, size, 1])))


# --- accesses ------------------------------------------------------------------


def accesses(weight):
    """Registers a function that gives a call (None where there is none) whose result has the shape
    of x but for `size` elements along `dim`."""
    return lambda function: ACCESSES.append((function, weight)) or function


def access(chain, x, dim, size):
    g = chain.g
    name = chosen(chain, ACCESSES, x, dim, size)
    return name if g[name].dtype == g[x].dtype else \
        chain.let(elements.converted(g, name, g[x].dtype))


def resized(shape, dim, size):
    return shape[:dim] + (size,) + shape[dim + 1:]


def indices(chain, shape, size):
    """The name of new or old indices below `size`."""
    g = chain.g
    old = g.index(lambda v: v.shape == shape) if g.flip(0.3) else None
    if old:
        return old
    # Differentiated code is computed repeatedly, so it draws no random numbers.
    if g.is_smooth or math.prod(shape) <= LITERALS and g.flip(0.5):
        array = np.asarray(g.numbers.integers(0, size, shape))
        return chain.let(g.call(f"tensor({array.tolist()})", [], lambda world: Value([array])))
    if shape == (size,) and g.flip(0.5):
        return chain.let(g.call(f"randperm({size})", [], lambda world: arrays.random_value(
            world, "permutation", shape, "i64")))
    return chain.let(arrays.random_ints(g, shape, "i64", 0, size))


@accesses(8)
def rows(chain, x, dim, size):
    index = indices(chain, (size,), chain.g[x].shape[dim])
    return arrays.picked(chain.g, x, index, dim)


@accesses(3)
def along(chain, x, dim, size):
    shape = chain.g[x].shape
    index = indices(chain, resized(shape, dim, size), shape[dim])
    return arrays.picked_along(chain.g, x, index, dim)


@accesses(4)
def part(chain, x, dim, size):
    g, n = chain.g, chain.g[x].shape[dim]
    steps = [step for step in (1, 1, 2, 3) if (size - 1) * step < n]
    if not steps:
        return None
    step = g.pick(steps)
    start = g.random.randint(0, n - 1 - (size - 1) * step)
    text = f"{start}:{start + (size - 1) * step + 1}" + f":{step}" * (step > 1)
    return arrays.sliced(g, x, dim, text, start, step, size)


@accesses(2)
def part_at_number(chain, x, dim, size):
    g, n = chain.g, chain.g[x].shape[dim]
    number = g.integer()
    if number is None or not 0 <= g[number] <= n - size:
        return None

    def meaning(world, value, start):
        if not 0 <= start <= n - size:
            raise Rejected
        return compute("slice", [value], dim=dim, start=start, step=1, size=size)
    return g.call(f"{{0}}[{':, ' * dim}{{1}}:{{1}} + {size}]", [x, number], meaning,
                  dims=resized(g[x].shape, dim, size), uses=1)


@accesses(2)
def rolled(chain, x, dim, size):
    g, n = chain.g, chain.g[x].shape[dim]
    if size != n or n < 2:
        return None
    by = g.random.randrange(1, n)
    tail = chain.let(arrays.sliced(g, x, dim, f"{by}:", by, 1, n - by))
    head = chain.let(arrays.sliced(g, x, dim, f":{by}", 0, 1, by))
    return arrays.concatenated(g, tail, head, dim)


@accesses(4)
def transposed(chain, x, dim, size):
    g, shape = chain.g, chain.g[x].shape
    if size != shape[dim] or len(shape) < 2:
        return None
    order = list(range(len(shape)))
    same = [d for d in order if d != dim and shape[d] == size]
    other = g.pick(same or [d for d in order if d != dim])
    order[dim], order[other] = order[other], order[dim]
    call = arrays.permuted(g, x, order)
    return call if same else arrays.moved(g, f"{{0}}.reshape({', '.join(map(str, shape))})",
                                          chain.let(call), "reshape", shape=shape)


@accesses(4)
def summary(chain, x, dim, size):
    return arrays.reduced(chain.g, x, (dim,), keeps=True) if size == 1 else None


@accesses(1)
def row(chain, x, dim, size):
    return arrays.row_at(chain.g, x) if size == 1 and dim == 0 else None


@accesses(2)
def share(chain, x, dim, size):
    value = chain.g[x]
    return arrays.softmax_of(chain.g, x, dim) if size == value.shape[dim] and \
        is_float(value.dtype) else None


@accesses(3)
def added_into(chain, x, dim, size):
    g, value = chain.g, chain.g[x]
    if size != value.shape[dim] or value.dtype == "bool":
        return None
    return arrays.scattered(g, x, indices(chain, value.shape, size), x, dim)


# --- combinations --------------------------------------------------------------


def combinations(weight):
    """Registers a function that gives a call or a statement of two accesses along a dim, or None
    if it cannot."""
    return lambda function: COMBINATIONS.append((function, weight)) or function


def fit_along(g, one, other, dim):
    """Whether two tensors differ in the size of a dim at most."""
    one, other = g[one].shape, g[other].shape
    return dim < len(one) == len(other) and resized(one, dim, 1) == resized(other, dim, 1)


@combinations(14)
def together(chain, one, other, dim):
    g = chain.g
    return g.broadcasts(g[one], g[other]) and elements.combined(g, one, other)


@combinations(2)
def joined(chain, one, other, dim):
    return fit_along(chain.g, one, other, dim) and \
        arrays.concatenated(chain.g, one, other, dim)


@combinations(1)
def stacked(chain, one, other, dim):
    g = chain.g
    return g[one].shape == g[other].shape and len(g[one].shape) < 4 and \
        arrays.stacked(g, one, other)


@combinations(2)
def where(chain, one, other, dim):
    g = chain.g
    if not g.has_kinks or not g.broadcasts(g[one], g[other]):
        return None
    shape = np.broadcast_shapes(g[one].shape, g[other].shape)
    if shape != g[one].shape:
        one, other = other, one
    return shape == g[one].shape and elements.selected(
        g, chain.let(elements.compared(g, one, other)), one, other)


@combinations(2)
def product(chain, one, other, dim):
    g = chain.g
    v, w = g[one], g[other]
    if v.dtype == "bool" or len(v.shape) < 2 or len(w.shape) != len(v.shape) or \
            v.shape[:-2] != w.shape[:-2] or v.shape[-1] not in w.shape[-2:]:
        return None
    return arrays.product(g, one, other, is_transposed=w.shape[-2] != v.shape[-1])


@combinations(2)
def scattered(chain, one, other, dim):
    g = chain.g
    if not fit_along(g, one, other, dim) or g[one].dtype == "bool":
        return None
    index = indices(chain, g[other].shape, g[one].shape[dim])
    return arrays.scattered(g, one, index, other, dim)


@combinations(3)
def updated(chain, one, other, dim):
    """`x[a:b] = y` where y is an access of x, or of the variable itself."""
    g = chain.g
    if not fit_along(g, one, other, dim):
        return None
    n, size = g[one].shape[dim], g[other].shape[dim]
    if size > n:
        return None
    variable = chain.add(make_variable(g, one))
    start = g.random.randint(0, n - size)
    own = part(chain, variable, dim, size) if g.flip(0.4) else \
        Call("{0}", [other], lambda world, value: value)
    return written(g, variable, own, dim, f"{start}:{start + size}", start, 1, size)
