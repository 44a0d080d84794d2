"""Functions of a program, and their gradients compared with central differences."""

import collections
import re

import numpy as np

import arrays
from tree import Call, Function, Let, World, text_of
from values import DTYPES, Rejected, Value, away_from_kinks, compute, first_copies, is_float

STEP = 1e-4  # of central differences; they are taken with half of it too
AGREEMENT = 1e-5  # of the differences of both steps
COMPARED = 24  # elements of a tensor that are moved one by one, at most
MOST_WEIGHTS = 1000


def function(g):
    names = [g.tensor() for _ in range(g.random.randint(1, 2))]
    if None in names:
        return None
    function = make_function(g, [g[name] for name in names], g.random.randint(1, 4))
    return function and [function, Let(g.name(), call_of(function, names))]


def make_function(g, values, count):
    """A function of about `count` statements. Its result is the last value, or, if it is
    differentiated, all values without uses in it."""
    outside, g.world = g.world, World()
    parameters = [f"p{i}" for i in range(len(values))]
    for parameter, value in zip(parameters, values):
        g.world.names.define(parameter, value)
    body = g.function_body(count)
    made = [name for name, value in g.world.names.items() if name not in parameters and
            type(value) is Value and (is_float(value.dtype) or not g.is_smooth)]
    if g.is_smooth:
        ends = [name for name in unused(body, made)
                if g[name].is_static and g[name].dtype == g[made[-1]].dtype]
        if len(ends) > 1:
            made = [g.name()]
            body = [*body, Let(made[0], joined(g, ends))]
    g.world = outside
    return Function(f"fun{g.made}", parameters, body, made[-1]) if made else None


def unused(body, names):
    """Those names that statements define and nothing uses."""
    words = collections.Counter(re.findall(r"\w+", "\n".join(text_of(body))))
    return [name for name in names if words[name] == 1]


def joined(g, names):
    """The elements of tensors, one after the other."""
    texts = ", ".join(f"{{{i}}}.flatten()" for i in range(len(names)))
    return g.call(f"cat([{texts}])", names, lambda world, *values: compute(
        "concat", [arrays.reshaped(value, (-1,)) for value in values], dim=0))


def call_of(function, names):
    places = ", ".join(f"{{{i}}}" for i in range(len(names)))
    return Call(f"{function.name}({places})", names,
                lambda world, *values: world[function.name].call(world, *values))


# --- gradients -----------------------------------------------------------------


def gradient(g):
    """`grad` of the sum of a smooth function of one tensor and maybe indices."""
    x = g.static(lambda value: is_float(value.dtype) and 0 < value.size <= 2000 and
                 not is_noise(value))
    index = g.index(lambda value: 0 < value.size <= 80) if g.flip(0.3) else None
    names = [x, index] if index else [x]
    body = x and smooth_call(g, names, g.random.randint(1, 4))
    if body and not depends(body[0], "p0"):
        return None
    return body and body + [Let(g.name(), gradient_call(g, body, names, x))]


def depends(function, parameter):
    """Whether the result of a function is computed from a parameter."""
    needed = {parameter}
    for line in text_of(function.body):
        assigned = re.match(r" *(?:let |var )?(\w+)\b[^=]*= (.*)", line)
        if assigned and needed & set(re.findall(r"\w+", assigned[2])):
            needed.add(assigned[1])
    return function.result in needed


def is_noise(value):
    """Whether a value may have a large relative error, as a difference of nearly equal numbers
    has: the error of gradients at it is unknown."""
    largest = np.abs(value.copies[0].astype(np.float64)).max()
    return bool(np.any(value.allowed() > 0.1 * largest))


def is_compared(g, names):
    """Whether central differences check the gradients with respect to these tensors: they are f64
    and few. Else the interpreter does, or PyTorch."""
    floats = [g[name] for name in names if is_float(g[name].dtype)]
    return not g.uses_torch and all(value.dtype == "f64" and value.size <= COMPARED
                                    for value in floats)


def smooth_call(g, names, count):
    """A smooth function, `let y` of its call, and `let` of the weights of y."""
    g.is_smooth, g.has_kinks = True, g.uses_torch or is_compared(g, names)
    function = make_function(g, [g[name] for name in names], count)
    g.is_smooth, g.has_kinks = False, True
    y = function and Let(g.name(), call_of(function, names))
    if not y or not g.attempt([function, y]):
        return None
    result = g[y.name]
    if result.dtype != g[names[0]].dtype or not result.size or not result.is_static:
        return None
    # The plain sum of a softmax or a layer norm is constant, so that its gradient is rounding
    # errors alone: the sum is weighted, and a result that is such a sum is refused.
    if result.size > MOST_WEIGHTS or np.all(np.abs(result.copies[0]) <= result.allowed()):
        return None
    numbers = g.numbers.integers(-8, 9, result.shape) / 4
    weights = Value([numbers.astype(DTYPES[result.dtype])])
    return [function, y, Let(g.name(), g.call(
        f"tensor({numbers.tolist()}, dtype={result.dtype})", [], lambda world: weights))]


def gradient_call(g, body, names, x):
    """The gradient of what smooth_call made with respect to x."""
    function, y, weights = (statement.name for statement in body)
    at = names.index(x)
    text = f"grad(({{0}} * {{1}}).sum(), {{{at + 2}}})"
    if not is_compared(g, names):
        return Call(text, [y, weights, *names], lambda world, y, weights, *values: Value(
            [values[at].copies[0]], place=values[at].place, is_compared=False))
    return Call(text, [y, weights, *names],
                lambda world, y, weights, *values:
                differences(world, function, weights, values, at))


def differences(world, name, weights, values, at):
    """The gradient of the weighted sum of a function of `values` with respect to one of them."""
    def loss(array):
        moved = [*values[:at], Value([array]), *values[at + 1:]]
        return (world[name].call(world, *moved).copies[0] * weights.copies[0]).sum()

    with first_copies():
        with away_from_kinks():
            loss(values[at].copies[0])
        slopes, bends = zip(*(slopes_and_bends(loss, values[at].copies[0], step)
                              for step in (STEP, STEP / 2)))
    result = (4 * slopes[1] - slopes[0]) / 3
    limit = AGREEMENT * (1 + np.abs(result))
    # At a kink `bends` is the same for both steps; elsewhere it halves with the step.
    if np.any(np.abs(slopes[0] - slopes[1]) > limit) or \
            np.any(np.abs(bends[0] - 2 * bends[1]) > limit) or not np.any(result):
        raise Rejected
    error = 1e-7 * (1 + np.abs(result)) + np.abs(slopes[0] - slopes[1])
    return Value([result, result + error, result - error], place=values[at].place)


def slopes_and_bends(loss, x, step):
    """Central differences of a function at an array, of first order, and of second order times
    the step."""
    slopes, bends, middle = np.zeros(x.shape), np.zeros(x.shape), loss(x)
    for at in np.ndindex(*x.shape):
        moved = x.copy()
        moved[at] = x[at] + step
        above = loss(moved)
        moved[at] = x[at] - step
        below = loss(moved)
        slopes[at] = (above - below) / (2 * step)
        bends[at] = (above - 2 * middle + below) / step
    return slopes, bends
