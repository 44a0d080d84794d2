"""Calls of the functions of math.tdsl, special.tdsl and functional.tdsl that work element by
element, and other names of operators."""

import dataclasses
import math

import numpy as np

from elements import binary_value, choose_binary, pair, proposal, softplus
from operands import ORDINARY, Operands, apart_from_zero, between, moving, smooth
from values import Rejected, Value, check_sides, compute, compute_smooth, is_float, truth


@dataclasses.dataclass
class Row:
    """A function of f64 arrays; the domains of its operands; where its slope changes, and a
    pattern that changes where its value jumps."""
    function: object
    domains: list = (ORDINARY, ORDINARY, ORDINARY)
    points: list = ()
    steps: object = None
    scale: int = 64

    @property
    def has_kinks(self):
        return bool(self.points) or self.steps is not None


def on(low, high, function, **options):
    return Row(function, [between(low, high)], **options)


def everywhere(function):
    """A scalar function of Python for arrays."""
    return np.vectorize(function, otypes=[np.float64])


erf, erfc, lgamma = everywhere(math.erf), everywhere(math.erfc), everywhere(math.lgamma)


def digamma(x):
    """By the asymptotic series, from 10 on."""
    result = np.zeros(x.shape)
    for _ in range(10):
        result, x = result - 1 / x, x + 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return result + np.log(x) - 0.5 / x - series


def polygamma(order, x):
    """By the asymptotic series, from 20 on."""
    numbers = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730]  # Bernoulli's
    result, whole = np.zeros(x.shape), math.factorial(order)
    for _ in range(20):
        result, x = result + whole / x**(order + 1), x + 1
    result = result + math.factorial(order - 1) / x**order + whole / (2 * x**(order + 1))
    for k, number in enumerate(numbers, 1):
        result = result + number * math.factorial(2 * k + order - 1) / (
            math.factorial(2 * k) * x**(2 * k + order))
    return result if order % 2 else -result


def bessel(order, x):
    """The modified Bessel function by its integral, times exp(-abs(x))."""
    angles = (np.arange(200) + 0.5) * np.pi / 200
    exponent = x[..., None] * np.cos(angles) - np.abs(x)[..., None]
    return (np.exp(exponent) * np.cos(order * angles)).mean(-1)


def erfinv(y):
    x = y * np.sqrt(np.pi) / 2
    for _ in range(60):
        x = x - (erf(x) - y) / (2 / np.sqrt(np.pi) * np.exp(-x * x))
    return x


def ndtr(x):
    return erfc(-x / np.sqrt(2)) / 2


def logit(p):
    return np.log(p / (1 - p))


def elu(x, alpha, scale=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / scale))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


SELU = 1.0507009873554805
UNARY = {
    "tan({0})": on(-1.3, 1.3, np.tan),
    "log2({0})": on(0.05, 1000, np.log2), "log10({0})": on(0.05, 1000, np.log10),
    "exp2({0})": on(-12, 12, np.exp2),
    "reciprocal({0})": Row(np.reciprocal, [apart_from_zero(0.25, 1000)]),
    "frac({0})": on(-100, 100, lambda x: x - np.trunc(x), steps=np.trunc),
    "logit({0})": on(0.05, 0.95, logit),
    "logit({0}, 0.125)": Row(lambda x: logit(np.clip(x, 0.125, 0.875)), points=[0.125, 0.875]),
    "sinh({0})": on(-8, 8, np.sinh), "cosh({0})": on(-8, 8, np.cosh),
    "asinh({0})": on(-1000, 1000, np.arcsinh), "arcsinh({0})": on(-1000, 1000, np.arcsinh),
    "acosh({0})": on(1.1, 1000, np.arccosh), "arccosh({0})": on(1.1, 1000, np.arccosh),
    "atanh({0})": on(-0.9, 0.9, np.arctanh), "arctanh({0})": on(-0.9, 0.9, np.arctanh),
    "asin({0})": on(-0.9, 0.9, np.arcsin), "arcsin({0})": on(-0.9, 0.9, np.arcsin),
    "acos({0})": on(-0.9, 0.9, np.arccos), "arccos({0})": on(-0.9, 0.9, np.arccos),
    "arctan({0})": on(-1000, 1000, np.arctan), "sinc({0})": on(-8, 8, np.sinc),
    "deg2rad({0})": on(-1000, 1000, np.deg2rad), "rad2deg({0})": on(-100, 100, np.rad2deg),
    "positive({0})": on(-1000, 1000, np.positive),
    "sgn({0})": on(-1000, 1000, np.sign, steps=np.sign),
    "square({0})": on(-50, 50, np.square), "neg({0})": on(-1000, 1000, np.negative),
    "nan_to_num({0})": on(-1000, 1000, np.positive),
    "expit({0})": Row(sigmoid), "erfc({0})": on(-4, 4, erfc),
    "erfcx({0})": on(-2, 4, lambda x: np.exp(x * x) * erfc(x)),
    "ndtr({0})": on(-5, 5, ndtr), "log_ndtr({0})": on(-5, 5, lambda x: np.log(ndtr(x))),
    "entr({0})": on(0.05, 50, lambda x: -x * np.log(x)),
    "erfinv({0})": on(-0.9, 0.9, erfinv, scale=256),
    "lgamma({0})": on(0.1, 40, lgamma, scale=512), "gammaln({0})": on(0.1, 40, lgamma, scale=512),
    "mvlgamma({0}, 2)": on(1.1, 20, lambda x: lgamma(x) + lgamma(x - 0.5) + np.log(np.pi) / 2,
                           scale=512),
    "digamma({0})": on(0.25, 40, digamma, scale=512), "psi({0})": on(0.25, 40, digamma, scale=512),
    "i0({0})": on(-7, 7, lambda x: bessel(0, x) * np.exp(np.abs(x))),
    "i0e({0})": on(-50, 50, lambda x: bessel(0, x)),
    "i1({0})": on(-7, 7, lambda x: bessel(1, x) * np.exp(np.abs(x))),
    "i1e({0})": on(-50, 50, lambda x: bessel(1, x)),
    "polygamma(1, {0})": on(0.25, 40, lambda x: polygamma(1, x), scale=512),
    "polygamma(2, {0})": on(0.5, 40, lambda x: polygamma(2, x), scale=512),
    "{0}.polygamma(3)": on(0.75, 40, lambda x: polygamma(3, x), scale=512),
    "angle({0})": on(-1000, 1000, lambda x: np.where(x < 0, np.pi, 0), steps=np.sign),
    "frexp({0})[0]": on(-1000, 1000, lambda x: np.frexp(x)[0], steps=lambda x: np.frexp(x)[1]),
    "rrelu({0})": Row(lambda x: np.where(x > 0, x, x * 11 / 48), points=[0]),
    "rrelu({0}, 0.25, 0.75, false)": Row(lambda x: np.where(x > 0, x, x / 2), points=[0]),
    "relu6({0})": Row(lambda x: np.clip(x, 0, 6), points=[0, 6]),
    "selu({0})": Row(lambda x: SELU * elu(x, 1.6732632423543772), points=[0]),
    "celu({0}, 1.5)": Row(lambda x: elu(x, 1.5, 1.5), points=[0]),
    "hardsigmoid({0})": Row(lambda x: np.clip(x / 6 + 0.5, 0, 1), points=[-3, 3]),
    "hardshrink({0})": Row(lambda x: np.where(np.abs(x) <= 0.5, 0, x),
                           steps=lambda x: np.sign(np.abs(x) - 0.5)),
    "softshrink({0})": Row(lambda x: np.where(np.abs(x) <= 0.5, 0, x - 0.5 * np.sign(x)),
                           points=[-0.5, 0.5]),
    "threshold({0}, 0.5, 2.0)": Row(lambda x: np.where(x <= 0.5, 2.0, x),
                                    steps=lambda x: np.sign(x - 0.5)),
    "clamp_min({0}, 0.25)": Row(lambda x: np.maximum(x, 0.25), points=[0.25]),
    "clamp_max({0}, 0.25)": Row(lambda x: np.minimum(x, 0.25), points=[0.25]),
    "clip({0}, -0.5, 1.0)": Row(lambda x: np.clip(x, -0.5, 1), points=[-0.5, 1]),
    "softplus({0}, 2.0, 3.0)": Row(lambda x: np.where(2 * x > 3, x, softplus(2 * x) / 2),
                                   steps=lambda x: np.sign(2 * x - 3)),
    "gelu({0})": Row(lambda x: x * ndtr(x)),
    "hardtanh({0}, -2.0, 0.5)": Row(lambda x: np.clip(x, -2, 0.5), points=[-2, 0.5]),
    "rsub({0}, 1.5, 2.0)": on(-1000, 1000, lambda x: 1.5 - 2 * x),
    "add({0}, 0.5, alpha=3.0)": on(-1000, 1000, lambda x: x + 1.5),
    "lerp({0}, {0} * 0.5, 0.25)": on(-1000, 1000, lambda x: 0.875 * x),
    "round({0}, decimals=1)": on(-50, 50, lambda x: np.rint(x * 10) / 10,
                                 steps=lambda x: np.rint(x * 10)),
    "float_power({0}, 2.0)": on(-50, 50, np.square),
}


# Their slope is 0, which is TD602 if nothing else depends on x, or another dtype.
FLAT = {"sgn({0})", "angle({0})", "round({0}, decimals=1)", "float_power({0}, 2.0)"}


SMALL = between(-8, 8)
BINARY = {
    "arctan2({0}, {1})": Row(np.arctan2, [apart_from_zero(0.25), between(-15, 15)]),
    "atan2({0}, {1})": Row(np.arctan2, [between(-15, 15), between(0.25, 15)]),
    "hypot({0}, {1})": Row(np.hypot, [ORDINARY, apart_from_zero(0.25)]),
    "copysign({0}, {1})": Row(np.copysign, [ORDINARY, apart_from_zero(0.01)], points=[0]),
    "heaviside({0}, {1})": Row(np.heaviside, steps=lambda x, y: np.sign(x)),
    "logaddexp({0}, {1})": Row(np.logaddexp), "logaddexp2({0}, {1})": Row(np.logaddexp2),
    "xlogy({0}, {1})": Row(lambda x, y: x * np.log(y), [ORDINARY, between(0.05, 100)]),
    "xlog1py({0}, {1})": Row(lambda x, y: x * np.log1p(y), [ORDINARY, between(-0.9, 100)]),
    "fmod({0}, {1})": Row(np.fmod, [ORDINARY, apart_from_zero(0.25)],
                          steps=lambda x, y: np.trunc(x / y)),
    "div({0}, {1}, rounding_mode=\"trunc\")": Row(
        lambda x, y: np.trunc(x / y), [ORDINARY, apart_from_zero(0.25)],
        steps=lambda x, y: np.trunc(x / y)),
    "ldexp({0}, {1})": Row(lambda x, y: x * np.exp2(y), [ORDINARY, SMALL]),
    "lerp({0}, {1}, 0.75)": Row(lambda x, y: x + 0.75 * (y - x)),
    "lerp({1}, {0}, {0})": Row(lambda x, y: y + x * (x - y),
                               steps=lambda x, y: np.sign(np.abs(x) - 0.5)),
    "addcmul({0}, {1}, {0}, value=0.5)": Row(lambda x, y: x + 0.5 * x * y, scale=512),
    "addcdiv({0}, {0}, {1}, value=2.0)": Row(lambda x, y: x + 2 * x / y,
                                             [ORDINARY, apart_from_zero(0.25)]),
    "add({0}, {1}, alpha=-2.0)": Row(lambda x, y: x - 2 * y),
    "sub({0}, {1}, alpha=0.5)": Row(lambda x, y: x - 0.5 * y),
    "rsub({0}, {1})": Row(lambda x, y: y - x),
    "float_power({0}, {1})": Row(np.power, [between(0.25, 15), between(-3, 3)], scale=512),
    "clamp({0}, max={1})": Row(np.minimum, steps=lambda x, y: np.sign(x - y)),
}
# Other names of operators, for all dtypes that these take.
SAME = {"add": "add({0}, {1})", "sub": "sub({0}, {1})", "mul": "mul({0}, {1})",
        "max": ["fmax({0}, {1})", "max({0}, {1})", "{0}.maximum({1})"],
        "min": ["fmin({0}, {1})", "min({0}, {1})", "{0}.minimum({1})"],
        "div": ["div({0}, {1})", "true_divide({0}, {1})"],
        "floordiv": ["floor_divide({0}, {1})", "div({0}, {1}, rounding_mode=\"floor\")"],
        "mod": "remainder({0}, {1})", "pow": "pow({0}, {1})",
        "and": "bitwise_and({0}, {1})", "or": "bitwise_or({0}, {1})",
        "xor": "bitwise_xor({0}, {1})", "shl": "bitwise_left_shift({0}, {1})",
        "shr": "bitwise_right_shift({0}, {1})"}
PREDICATES = ["eq", "ne", "lt", "le", "gt", "ge"]
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or,
           "logical_xor": np.logical_xor}
# Of a number; of no other dtype than the tensor's.
TESTS = {"isnan": False, "isinf": False, "isposinf": False, "isneginf": False, "isfinite": True,
         "isreal": True}


def chosen(g, rows):
    return {text: row for text, row in rows.items()
            if (g.has_kinks or not row.has_kinks) and not (g.is_smooth and is_flat(text))}


def is_flat(text):
    return text in FLAT or "float_power" in text or "trunc" in text or "heaviside" in text


def called(g, text, row, names):
    def meaning(world, *values):
        for value, domain in zip(values, [*row.domains, ORDINARY]):
            if not domain(value.copies[0].astype(np.float64)):
                raise Rejected
        dtype = "f64" if "float_power" in text else values[0].dtype
        return compute_smooth(row.function, values, dtype, row.scale, row.points, row.steps)
    dims = g[names[0]].dims if not g[names[0]].is_static else None
    return g.call(text, names, meaning, dims=dims)


@proposal(7)
def function_of_one(g):
    x = g.tensor(lambda v: v.dtype in ("f32", "f64"))
    if x is None:
        return None
    rows, array = chosen(g, UNARY), g[x].copies[0].astype(np.float64)
    fitting = [text for text, row in rows.items() if row.domains[0](array)]
    text = g.pick(fitting) if fitting else None
    return text and called(g, text, rows[text], [x])


@proposal(5)
def function_of_two(g):
    x = g.tensor(lambda v: v.dtype in ("f32", "f64"))
    y = x and g.tensor(lambda v: v.dtype == g[x].dtype and g.broadcasts(g[x], v))
    if not y:
        return None
    rows, arrays = chosen(g, BINARY), [g[name].copies[0].astype(np.float64) for name in (x, y)]
    fitting = [text for text, row in rows.items()
               if all(domain(array) for domain, array in zip([*row.domains, ORDINARY], arrays))]
    text = g.pick(fitting) if fitting else None
    return text and called(g, text, rows[text], [x, y])


@proposal(3)
def other_name(g):
    """Of an operator or a comparison."""
    x, y = pair(g)
    if not y:
        return None
    dims = g[x].dims if not g[x].is_static else None
    if g.flip(0.3) and not g.is_smooth:
        name = g.pick(PREDICATES) if g[x].dtype != "bool" else g.pick(["eq", "ne"])
        return g.call(f"{name}({{0}}, {{1}})", [x, y], lambda world, v, w: compute(
            "compare", [v, w], "bool", predicate=name), dims=dims)
    name = choose_binary(g, g[x].dtype)
    return g.call(g.pick(SAME[name] if isinstance(SAME[name], list) else [SAME[name]]), [x, y],
                  lambda world, v, w: binary_value(world, name, v, w), dims=dims)


@proposal(3)
def logical(g):
    x, y = pair(g)
    if not y:
        return None
    dims = g[x].dims if not g[x].is_static else None
    name = g.pick([*LOGICAL, "logical_not", *TESTS, "signbit", "isclose", "bitwise_not"])
    if name in LOGICAL:
        return g.call(f"{name}({{0}}, {{1}})", [x, y], lambda world, v, w: Value(
            [LOGICAL[name](truth(v), truth(w))]), dims=dims)
    if name == "isclose":
        if g[x].dtype == "bool":
            return None
        return g.call("isclose({0}, {1}, rtol=0.25, atol=0.125)", [x, y], lambda world, v, w:
                      close(v, w), dims=dims)
    if name == "bitwise_not":
        return None if is_float(g[x].dtype) else g.call("bitwise_not({0})", [x], lambda world, v:
                                                        compute("not", [v]), keeps=0)

    def meaning(world, v):
        if name == "logical_not":
            return Value([~truth(v)])
        if name == "signbit":
            # The sign of a zero depends on the order of additions.
            if is_float(v.dtype) and not np.all(truth(v)):
                raise Rejected
            check_sides(np.sign, [v])
            return Value([v.copies[0].astype(np.float64) < 0])
        return Value([np.full(v.shape, TESTS[name])])
    return g.call(f"{name}({{0}})", [x], meaning, keeps=0)


def close(v, w):
    """Integers are far from the limit or at it; floats must not be near it."""
    def slack(a, b):
        a, b = a.astype(np.float64), b.astype(np.float64)
        return np.abs(a - b) - (0.125 + 0.25 * np.abs(b))
    left = slack(v.copies[0], w.copies[0])
    if np.any(np.abs(left) < 1e-2 * (1 + np.abs(w.copies[0].astype(np.float64)))):
        raise Rejected
    if is_float(v.dtype) and np.any(np.abs(v.copies[0].astype(np.float64)) > 1000):
        raise Rejected
    check_sides(lambda a, b: slack(a, b) <= 0, [v, w])
    return Value([left <= 0])


@proposal(2)
def function_of_three(g):
    """`clamp`, `masked_fill`, `lerp`, `addcmul`, `addcdiv` and `prelu` of tensors of one shape."""
    x = g.static(lambda v: v.dtype in ("f32", "f64"))
    if x is None:
        return None
    o, shape, dtype = Operands(g), g[x].shape, g[x].dtype
    kind = g.pick(["addcmul", "addcdiv", "lerp", "mask", "clamp", "prelu"] if g.has_kinks else
                  ["addcmul", "addcdiv", "mask"])
    first = o.tensor(x, domain=ORDINARY)
    if kind == "mask":
        return o.call(f"{first}.masked_fill({o.part(shape, 'bool')}, 1.5)",
                      moving(lambda a, mask: np.where(mask, a.dtype.type(1.5), a)))
    if kind == "prelu":
        if len(shape) < 2:
            return None
        weight = o.part((shape[1],), dtype)
        spread = (shape[1],) + (1,) * (len(shape) - 2)
        return o.call(f"prelu({first}, {weight})", smooth(
            lambda a, w: np.where(a > 0, a, a * w.reshape(spread)), points=[0]))
    low, high = (0.25, 2) if kind == "addcdiv" else (-2, 2)
    second = o.part(shape, dtype)
    third = o.part(shape, dtype, low, high)
    if kind == "clamp":
        return o.call(f"clamp({first}, {second}, {third})", smooth(
            lambda a, b, c: np.minimum(np.maximum(a, b), c),
            steps=lambda a, b, c: np.sign([a - b, a - c, b - c])))
    if kind == "lerp":
        return o.call(f"lerp({first}, {second}, {third})", smooth(
            lambda a, b, c: a + c * (b - a), steps=lambda a, b, c: np.sign(np.abs(c) - 0.5),
            scale=256))
    value = g.pick([0.5, -2.0])
    function = (lambda a, b, c: a + value * b * c) if kind == "addcmul" else \
        (lambda a, b, c: a + value * b / c)
    return o.call(f"{kind}({first}, {second}, {third}, value={value})",
                  smooth(function, scale=256))


@proposal(1)
def exponent(g):
    """The power of 2 that `frexp` gives."""
    x = g.tensor(lambda v: v.dtype in ("f32", "f64"))
    if x is None:
        return None

    def meaning(world, v):
        check_sides(lambda a: np.frexp(a)[1], [v])
        return Value([np.frexp(v.copies[0].astype(np.float64))[1].astype(np.int32)])
    return g.call("frexp({0})[1]", [x], meaning, keeps=0)


@proposal(1)
def glu(g):
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.size and
                 any(size % 2 == 0 for size in v.shape))
    if x is None:
        return None
    dim = g.pick([d for d, size in enumerate(g[x].shape) if size % 2 == 0])
    o = Operands(g)

    def gated(array):
        value, gate = np.split(array, 2, dim)
        return value * sigmoid(gate)
    return o.call(f"glu({o.tensor(x, domain=ORDINARY)}, {dim})", smooth(gated))
