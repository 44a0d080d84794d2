"""Statements other than `let`: each is a function of the generator that gives a
list of statements, which belong together, or None."""

import numpy as np

import arrays
from tree import Call, Choice, Function, Let, Loop, Unreached, Update, World
from values import Number, Rejected, Value, compute, is_float


def let(g):
    call = g.propose()
    return call and [Let(g.name(), call)]


def make_variable(g):
    """`var name = x` of some tensor."""
    x = g.tensor(lambda value: value.size)
    return x and Let(g.name(), Call("{0}", [x], lambda world, value: value), "var")


def loop(g):
    variable = make_variable(g)
    if variable is None or not g.attempt([variable]):
        return None
    turn = f"turn{g.made}"
    times = g.integer() if g.flip(0.4) else None
    times = times or g.pick([0, 1, 2, 3, 3, 4])
    body, inside = g.block(g.random.randint(0, 3), INNER_KINDS, [(turn, 0)])
    body += g.assignment(variable.name, inside)
    if not body:
        return None
    # A loop that cannot be computed is tried again without the variable.
    return [variable, Loop(turn, times, body)]


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
        body, inside = g.block(g.random.randint(0, 2), INNER_KINDS)
        arms.append(body + g.assignment(variable.name, inside))
    return [variable, Choice(condition, arms[0], arms[1] if g.flip(0.7) else [])]


def read(g):
    """A number that the host asks for: an int, or a float."""
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
    written, operands = "{1}", [variable.name, y]
    other = None
    if y is None:
        number = g.pick([0, 1, 2])
        other = Value([np.full(shape, number).astype(x.copies[0].dtype)])
        written = {"bool": "true" if number else "false"}.get(x.dtype, str(number))
        operands = [variable.name]

    def meaning(world, value, update=other):
        return compute("update_slice", [value, update], dim=dim, start=start, step=step,
                       size=size)
    call = g.call(written, operands, meaning)
    return [variable, Update(variable.name, call, ":, " * dim + text)]


def unreached(g):
    """A loop without turns around indices out of range."""
    x = g.static(lambda value: value.size and value.shape and value.dtype != "bool")
    number = g.integer()
    if x is None or number is None:
        return None
    variable = Let(g.name(), Call("{0}", [x], lambda world, value: value), "var")
    return [variable, Unreached(variable.name, x, number, g[number])]


def function(g):
    names = [g.tensor() for _ in range(g.random.randint(1, 2))]
    if None in names:
        return None
    function = make_function(g, [g[name] for name in names])
    return function and [function, Let(g.name(), call_of(function, names))]


def make_function(g, values):
    outside, g.world = g.world, World()
    parameters = [f"p{i}" for i in range(len(values))]
    for parameter, value in zip(parameters, values):
        g.world.names.define(parameter, value)
    body = g.statements(g.random.randint(1, 4), [(let, 1)])
    g.world = outside
    return body and Function(f"fun{g.made}", parameters, body, body[-1].name)


def call_of(function, names):
    places = ", ".join(f"{{{i}}}" for i in range(len(names)))
    return Call(f"{function.name}({places})", names,
                lambda world, *values: world[function.name].call(world, *values))


def differences(world, function, value):
    """The gradient of the sum of a function, by central differences."""
    x, result = value.copies[0], np.zeros(value.shape)
    step = 1e-5
    for at in np.ndindex(*value.shape):
        sums = []
        for sign in (1, -1):
            moved = x.copy()
            moved[at] += sign * step
            sums.append(function.call(world, Value([moved])).copies[0].sum())
        result[at] = (sums[0] - sums[1]) / (2 * step)
    error = 1e-5 * (1 + np.abs(result))
    return Value([result, result + error, result - error], place=value.place)


def gradient(g):
    """`grad` of the sum of a smooth function. Central differences say what it is where the
    function is of few f64, else the interpreter."""
    x = g.static(lambda value: is_float(value.dtype) and 0 < value.size <= 2000)
    if x is None:
        return None
    g.is_smooth = True
    function = make_function(g, [g[x]])
    g.is_smooth = False
    if not function:
        return None

    def meaning(world, value):
        result = world[function.name].call(world, value)
        if result.dtype != value.dtype or result.size == 0 or not result.is_static:
            raise Rejected
        if value.dtype != "f64" or value.size > 24:
            return Value([value.copies[0]], place=value.place, is_compared=False)
        return differences(world, world[function.name], value)
    call = Call(f"grad({function.name}({{0}}).sum(), {{0}})", [x], meaning)
    return [function, Let(g.name(), call)]


def move(g):
    x = g.tensor()
    if x is None or not g.moves:
        return None
    text, place = g.pick([("{0}.to(device)", "device"), ("{0}.cpu()", "cpu")])
    return [Let(g.name(), Call(text, [x], lambda world, value:
                               Value(value.copies, value.dims, place)))]


def nested(g):
    return g.pick([loop, choice])(g)


# Kinds of statements and how often they are: inside of blocks, and outside.
INNER_KINDS = [(let, 20), (update, 1), (read, 1), (move, 1), (nested, 1)]
KINDS = [(let, 24), (update, 2), (read, 3), (loop, 2.5), (unreached, 2), (choice, 1.5),
         (function, 1), (gradient, 2), (move, 3)]
