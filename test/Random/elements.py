"""Calls of functions that work element by element.

Here and in arrays.py a function with @proposal is a kind of call: it chooses
operands among the tensors of the generator and returns a Call or None. The call
of given operands is a function of its own where again.py needs it too. Values
outside the domain of a function are Rejected when the call is computed.
"""

import numpy as np

from values import DTYPES, Rejected, Value, compute, compute_smooth, is_float, truth

PROPOSALS = []  # (function, how often)
FLOATS = ["f64", "f32", "f32", "f16", "bf16"]
INTS = ["i64", "i32", "i16", "i8", "u8", "u16", "u32", "u64"]


def proposal(weight):
    def add(function):
        PROPOSALS.append((function, weight))
        return function
    return add


UNARY = ["neg", "abs", "sign", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos",
         "atan", "tanh", "erf", "sigmoid", "relu", "floor", "ceil", "trunc", "round"]
KINKED = ["abs", "relu"]
WITHOUT_KINKS = ["neg", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "atan",
                 "tanh", "erf", "sigmoid"]
FOR_INTS = ["neg", "abs", "sign", "relu"]
LEAST = {"log": 0.05, "sqrt": 0.01, "rsqrt": 0.05, "log1p": -0.9}
MOST = {"exp": 6, "expm1": 6}
LIMIT_OF_ANGLES = 100


def in_domain(name, value):
    least, most = LEAST.get(name, -np.inf), MOST.get(name, np.inf)
    if name in ("sin", "cos"):
        least, most = -LIMIT_OF_ANGLES, LIMIT_OF_ANGLES
    x = value.copies[0].astype(np.float64)
    if np.any(x < least) or np.any(x > most):
        raise Rejected


@proposal(10)
def unary(g):
    x = g.tensor(lambda v: v.dtype != "bool")
    if x is None:
        return None
    names = UNARY if is_float(g[x].dtype) else FOR_INTS
    if g.is_smooth:
        names = WITHOUT_KINKS + KINKED * g.has_kinks
    name = g.pick(names)

    def meaning(world, value):
        in_domain(name, value)
        return compute(name, [value])
    return g.call(g.pick([f"{name}({{0}})", f"{{0}}.{name}()"]) if name != "neg" else "-{0}",
                  [x], meaning, keeps=0)


@proposal(1)
def invert(g):
    x = g.tensor(lambda v: not is_float(v.dtype))
    return x and g.call("~{0}", [x], lambda world, v: compute("not", [v]), keeps=0)


BINARY = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "max": "maximum({0}, {1})",
          "min": "minimum({0}, {1})", "div": "{0} / {1}", "floordiv": "{0} // {1}",
          "mod": "{0} % {1}", "pow": "{0} ** {1}"}
BITS = {"and": "{0} & {1}", "or": "{0} | {1}", "xor": "{0} ^ {1}"}
SHIFTS = {"shl": "{0} << {1}", "shr": "{0} >> {1}"}
OPERATORS = {**BINARY, **BITS, **SHIFTS}


def choose_binary(g, dtype):
    if dtype == "bool":
        return g.pick(list(BITS))
    if g.is_smooth:
        return g.pick(["add", "sub", "mul"] + ["div", "max", "min"] * g.has_kinks)
    if is_float(dtype):
        return g.pick(["add", "add", "sub", "mul", "mul", "max", "min", "div", "floordiv", "mod",
                       "pow"])
    return g.pick([name for name in OPERATORS if name != "div"])


def binary_value(world, name, x, y):
    if is_float(x.dtype):
        if name in ("div", "floordiv", "mod") and np.any(np.abs(y.copies[0]) < 0.25):
            raise Rejected
        if name == "pow" and (np.any(x.copies[0] < 0.1) or np.any(np.abs(y.copies[0]) > 4)):
            raise Rejected
    return compute(name, [x, y])


def pair(g):
    """Two tensors of one dtype that broadcast; what is not found is None."""
    x = g.tensor()
    return x, x and g.tensor(lambda v: v.dtype == g[x].dtype and g.broadcasts(g[x], v))


@proposal(12)
def binary(g):
    x, y = pair(g)
    if not y:
        return None
    return combined(g, *g.shuffled(x, y))


def combined(g, x, y):
    name = choose_binary(g, g[x].dtype)
    dims = g[x].dims if not g[x].is_static else None
    return g.call(OPERATORS[name], [x, y],
                  lambda world, v, w: binary_value(world, name, v, w), dims=dims)


@proposal(8)
def with_number(g):
    """A tensor and a number of the program, which every dtype holds."""
    x = g.tensor(lambda v: v.dtype != "bool")
    if x is None:
        return None
    dtype = g[x].dtype
    number = g.pick([-2.5, -1.0, -0.25, 0.5, 1.0, 1.5, 2.0, 3.0]) if is_float(dtype) else \
        g.pick([1, 2, 3, 5, 7, 100] + ([] if dtype[0] == "u" else [-1, -3]))
    name = choose_binary(g, dtype)
    other = Value([np.asarray(number).astype(DTYPES[dtype])])
    is_first = g.flip(0.3)

    def meaning(world, value):
        return binary_value(world, name, *((other, value) if is_first else (value, other)))
    text = OPERATORS[name]
    if name == "pow" and number < 0 and not is_first and not is_float(dtype):
        return None  # an error, as in PyTorch
    if is_first and name in ("max", "min"):  # functions of a tensor first
        is_first = False
    written = f"({number})" if number < 0 else str(number)
    return g.call(text.format(*((written, "{0}") if is_first else ("{0}", written))), [x],
                  meaning, keeps=0)


@proposal(2)
def with_host_number(g):
    """A tensor and a number that the program has read from another."""
    number = g.number()
    x = number and g.tensor(lambda v: v.dtype in ("f32", "f64"))
    if not x:
        return None
    name = g.pick(["add", "sub", "mul"])

    def meaning(world, value, scalar):
        dtype = value.dtype
        other = scalar if isinstance(scalar, Value) else Value([np.float64(scalar)])
        other = compute("cast", [other], dtype, to=dtype)
        return binary_value(world, name, value, other)
    return g.call(BINARY[name], [x, number], meaning, keeps=0, uses=1)


PREDICATES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@proposal(4)
def compare(g):
    x, y = pair(g)
    if not y:
        return None
    return compared(g, x, y)


def compared(g, x, y):
    name = g.pick(list(PREDICATES)) if g[x].dtype != "bool" else g.pick(["eq", "ne"])
    dims = g[x].dims if not g[x].is_static else None
    return g.call(f"{{0}} {PREDICATES[name]} {{1}}", [x, y], lambda world, v, w:
                  compute("compare", [v, w], "bool", predicate=name), dims=dims)


@proposal(4)
def select(g):
    x = g.tensor()
    fits = lambda v: g.broadcasts(g[x], v) and \
        np.broadcast_shapes(g[x].shape, v.shape) == g[x].shape
    mask = x and g.tensor(lambda v: v.dtype == "bool" and fits(v))
    y = mask and g.tensor(lambda v: v.dtype == g[x].dtype and fits(v))
    return y and selected(g, mask, x, y)


def selected(g, mask, x, y):
    def meaning(world, condition, v, w):
        full = [Value([np.broadcast_to(copy, v.shape) for copy in value.copies])
                for value in (condition, v, w)]
        return compute("select", full, v.dtype)
    return g.call("where({0}, {1}, {2})", [mask, x, y], meaning, keeps=1)


@proposal(7)
def cast(g):
    x = g.tensor()
    if x is None:
        return None
    to = g.pick([dtype for dtype in sorted({*FLOATS, *INTS, "bool"}) if dtype != g[x].dtype])
    return converted(g, x, to)


def converted(g, x, to):
    def meaning(world, value):
        if to == "bool":
            truth(value)
        elif not is_float(to) and is_float(value.dtype):
            compute("cast", [value.stretched()], to, to=to)
        return compute("cast", [value], to, to=to)
    return g.call(f"{{0}}.to({to})", [x], meaning, keeps=0)


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


# Functions of the prelude, in f64.
SMOOTH = {
    "silu({0})": lambda x: x / (1 + np.exp(-x)),
    "softplus({0})": softplus,
    "mish({0})": lambda x: x * np.tanh(softplus(x)),
    "logsigmoid({0})": lambda x: -softplus(-x),
    "tanhshrink({0})": lambda x: x - np.tanh(x),
    "softsign({0})": lambda x: x / (1 + np.abs(x)),
    'gelu({0}, approximate="tanh")': lambda x: 0.5 * x * (1 + np.tanh(
        np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "square({0})": np.square,
}
WITH_KINKS = {
    "elu({0}, 0.5)": lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0))),
    "leaky_relu({0}, 0.125)": lambda x: np.where(x > 0, x, 0.125 * x),
    "hardtanh({0})": lambda x: np.clip(x, -1, 1),
    "hardswish({0})": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "clamp({0}, min=-0.5, max=1.5)": lambda x: np.clip(x, -0.5, 1.5),
    "reciprocal({0}.abs() + 1.0)": lambda x: 1 / (1 + np.abs(x)),
}
POINTS = [-3, -1, -0.5, 0, 1, 1.5, 3]  # where one of them has its kinks


@proposal(5)
def smooth(g):
    x = g.tensor(lambda v: v.dtype in ("f32", "f64"))
    if x is None:
        return None
    functions = {**SMOOTH, **WITH_KINKS} if g.has_kinks else SMOOTH
    text = g.pick(list(functions))

    def meaning(world, value):
        if np.any(np.abs(value.copies[0]) > 15):
            raise Rejected
        return compute_smooth(functions[text], [value], value.dtype,
                              points=POINTS * (text in WITH_KINKS))
    return g.call(text, [x], meaning, keeps=0)
