"""Statements other than `let`: each is a function of the generator that gives a
list of statements, which belong together, or None."""

import numpy as np

import arrays
from tree import Call, Choice, Let, Loop, Unreached, Update
from values import Number, Rejected, Value, compute, is_float


def let(g):
    call = g.propose()
    return call and [Let(g.name(), call)]


def make_variable(g, x=None):
    """`var name = x` of some tensor."""
    x = x or g.tensor(lambda value: value.size)
    return x and Let(g.name(), Call("{0}", [x], lambda world, value: value), "var")


def loop(g):
    variable = make_variable(g)
    if variable is None or not g.attempt([variable]):
        return None
    iteration = f"iteration{g.made}"
    # A gradient through a loop needs the sizes of all that its iterations keep.
    times = g.integer() if g.flip(0.4) and not g.is_smooth else None
    times = times or g.pick([0, 1, 2, 3, 3, 4])
    body, inside = g.block(g.random.randint(0, 3), [(iteration, 0)])
    body += g.assignment(variable.name, inside)
    if not body:
        return None
    # A loop that cannot be computed is tried again without the variable.
    return [variable, Loop(iteration, times, body)]


def make_condition(g):
    name = g.number()
    if name is None:
        return None
    if type(g[name]) is int:
        number = g.random.randint(0, 3)
        return g.pick([
            Call(f"{{0}} > {number}", [name], lambda world, n: n > number),
            Call(f"{{0}} % 2 == {number % 2}", [name], lambda world, n: n % 2 == number % 2)])
    limit = Value([np.float64(g.pick([-1, 0, 0.5, 2]))])
    return Call(f"{{0}} > {limit.copies[0]}", [name], lambda world, value: bool(
        compute("compare", [value, limit], "bool", predicate="gt").copies[0]))


def choice(g):
    variable, condition = make_variable(g), make_condition(g)
    if not condition or not variable or not g.attempt([variable]):
        return None
    arms = []
    for _ in range(2):
        body, inside = g.block(g.random.randint(0, 2))
        arms.append(body + g.assignment(variable.name, inside))
    return [variable, Choice(condition, arms[0], arms[1] if g.flip(0.7) else [])]


def read(g):
    """A number that the host reads from a tensor: an int, or a float."""
    x = g.tensor(lambda value: value.size)
    if x is None:
        return None
    if g[x].dtype in ("f32", "f64"):
        def mean(world, value):
            result = compute("reduce", [value], kind="sum", dims=tuple(range(len(value.shape))))
            return Number([copy.astype(np.float64) for copy in result.copies])
        return [Let(g.name(), Call("{0}.sum().item()", [x], mean))]
    if is_float(g[x].dtype):
        return None
    limit = g.random.randint(2, 6)

    def remainder(world, value):
        return int(value.copies[0].astype(np.int64).sum()) % limit
    return [Let(g.name(), Call(f"({{0}}.sum() % {limit}).item()", [x], remainder))]


def update(g):
    """`x[a:b] = y` of a new variable."""
    variable = make_variable(g)
    if not variable:
        return None
    x = g[variable.call.operands[0]]
    if not x.is_static or not x.shape:
        return None
    dim = 0 if g.flip(0.7) else g.random.randrange(len(x.shape))
    text, start, step, size = arrays.choose_slice(g, x.shape[dim])
    shape = x.shape[:dim] + (size,) + x.shape[dim + 1:]
    y = g.static(lambda value: value.dtype == x.dtype and value.shape == shape)
    if y is None:
        number = g.pick([0, 1, 2])
        other = Value([np.full(shape, number).astype(x.copies[0].dtype)])
        call = Call({"bool": "true" if number else "false"}.get(x.dtype, str(number)), [],
                    lambda world: other)
    else:
        call = Call("{0}", [y], lambda world, value: value)
    return [variable, written(g, variable.name, call, dim, text, start, step, size)]


def written(g, variable, call, dim, text, start, step, size):
    """`variable[text] = call`, a slice along a dim."""
    def meaning(world, *values):
        return compute("update_slice", [values[-1], call.meaning(world, *values[:-1])], dim=dim,
                       start=start, step=step, size=size)
    whole = g.call(call.text, [*call.operands, variable], meaning)
    return Update(variable, whole, ":, " * dim + text)


def unreached(g):
    """A loop without iterations around indices out of range."""
    x = g.static(lambda value: value.size and value.shape and value.dtype != "bool")
    number = g.integer()
    if x is None or number is None:
        return None
    variable = Let(g.name(), Call("{0}", [x], lambda world, value: value), "var")
    return [variable, Unreached(variable.name, x, number, g[number])]


def move(g):
    x = g.tensor()
    if x is None or not g.moves:
        return None
    text, place = g.pick([("{0}.to(device)", "device"), ("{0}.cpu()", "cpu")])
    return [Let(g.name(), Call(text, [x], lambda world, value:
                               Value(value.copies, value.dims, place)))]


def nested(g):
    return g.pick([loop, choice])(g)
