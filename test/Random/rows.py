"""Statements that write out a softmax and its kind: a function of a row minus its largest element,
sums of it along rows, columns and both, and all of them in one expression.

The stages of a row may be one kernel, in which the function of the row is kept in the memory of
the result. That is wrong where the sum is of another row than the one that reads it.
"""

import math
import re

import numpy as np

import arrays
from again import Chain, is_constant
from values import Rejected, Value, check_chosen, compute_smooth

LONG = [16, 17, 24, 32, 33, 64]  # rows whose stages may be one kernel (kShortRow)
FUNCTIONS = {
    "exp({0}{1})": np.exp,
    "exp(({0}{1}) * 0.5)": lambda x: np.exp(x * 0.5),
    "sigmoid({0}{1})": lambda x: 1 / (1 + np.exp(-x)),
    "({0}{1}).exp() + 1.0": lambda x: np.exp(x) + 1,
    "2.0 + tanh({0}{1})": lambda x: 2 + np.tanh(x),
}
# What is taken from every element of a row before.
SHIFTS = {"": lambda x: 0 * x,
          " - {0}.amax(-1, keepdim=true)": lambda x: x.max(-1, keepdims=True),
          " - {0}.mean(-1, keepdim=true)": lambda x: x.mean(-1, keepdims=True)}
# Sums that broadcast to the values: of their own row, and of others, which need equal dims.
OWN = {"{0}.sum(-1, keepdim=true)": lambda e: e.sum(-1, keepdims=True)}
COLUMNS = {"{0}.sum(-2, keepdim=true)": lambda e: e.sum(-2, keepdims=True),
           "{0}.mT.sum(-1).unsqueeze(-2)": lambda e: e.sum(-2, keepdims=True),
           "{0}.sum()": lambda e: e.sum(),
           "{0}[..., :1, :].sum(-1, keepdim=true)": lambda e: e[..., :1, :].sum(-1, keepdims=True),
           "{0}.flip(-2).sum(-1, keepdim=true)": lambda e: e[..., ::-1, :].sum(-1, keepdims=True)}
SQUARE = {"{0}.sum(-1).unsqueeze(-2)": lambda e: np.expand_dims(e.sum(-1), -2),
          "{0}.sum(-1, keepdim=true).mT": lambda e: np.expand_dims(e.sum(-1), -2),
          "{0}.mT.sum(-1, keepdim=true)": lambda e: np.expand_dims(e.sum(-2), -1)}
TURNED = {"{0}.sum(-1).transpose(0, 1).unsqueeze(-1)":
          lambda e: np.expand_dims(np.swapaxes(e.sum(-1), 0, 1), -1)}
COMBINED = {
    "{0} / {1}": lambda e, s, t: e / s,
    "{0} / {1} + {0} / {2}": lambda e, s, t: e / s + e / t,
    "{0} / ({1} + {2})": lambda e, s, t: e / (s + t),
    "{0} * {0} / {1} - {2}": lambda e, s, t: e * e / s - t,
    "({0} / {1}) * ({0} / {2})": lambda e, s, t: (e / s) * (e / t),
    "log({0}) - log({1})": lambda e, s, t: np.log(e) - np.log(s),
}
RESULTS = {"{0}.mT": lambda p: np.swapaxes(p, -1, -2),
           "{0}.sum(-1)": lambda p: p.sum(-1), "{0}.amax(-1)": lambda p: p.max(-1),
           "{0}.sum(-2)": lambda p: p.sum(-2)}
SQUARE_RESULTS = {"{0} + {0}.mT": lambda p: p + np.swapaxes(p, -1, -2),
                  "{0}.sum(-1) - {0}.sum(-2)": lambda p: p.sum(-1) - p.sum(-2)}


def rows(g):
    chain = Chain(g)
    try:
        x = source(chain)
        if x is None or is_constant(g[x]) or np.any(np.abs(g[x].copies[0]) > 6):
            return None
        value, shape = function_of_rows(chain, x), g[x].shape
        is_square = shape[-1] == shape[-2]
        sums = {**OWN, **COLUMNS, **(SQUARE if is_square else {}),
                **(TURNED if len(shape) == 3 and shape[0] == shape[1] else {})}
        whole = with_sums(chain, value, sums)
        results = {**RESULTS, **(SQUARE_RESULTS if is_square else {})}
        for _ in range(g.random.randint(0, 2)):
            text, function = g.pick(list(results.items()))
            if "amax" not in text or g.has_kinks:
                chain.let(smooth_call(g, text, [whole], function))
    except Rejected:
        return None
    return chain.statements()


def rows_to_number(g):
    """Rows whose size the run reads, which may be 0, and their sums; both are results."""
    number = g.integer()
    x = number and g.static(lambda v: v.dtype in ("f32", "f64") and len(v.shape) == 2 and
                            0 <= g[number] <= v.shape[1] and np.all(np.abs(v.copies[0]) <= 6))
    if not x:
        return None
    chain, count = Chain(g), g[x].shape[0]
    text, function = g.pick(list(FUNCTIONS.items()))
    more, changed = g.pick([("", lambda s: s), (" + 1.0", lambda s: s + 1)])

    def part(world, v, n):
        if not 0 <= n <= v.shape[1]:
            raise Rejected
        return Value([copy[:, :n] for copy in v.copies])
    try:
        line = chain.let(g.call("{0}[:, :{1}]", [x, number], part, dims=(count, number), uses=1))
        value = chain.let(smooth_call(g, text.replace("{1}", ""), [line], function, keeps=0))
        total = chain.let(smooth_call(g, f"{{0}}.sum(-1, keepdim=true){more}", [value], lambda e:
                                      changed(e.sum(-1, keepdims=True)), dims=(count, 1)))
        chain.let(smooth_call(g, "{0} / {1}", [value, total], lambda e, s: e / s, keeps=0))
        again = g.pick([("{0}.flatten().flip(0)", lambda s: s.ravel()[::-1], (count,)),
                        ("sort({0}, 0)[0]", lambda s: np.sort(s, 0), (count, 1)),
                        ("{0} * 0.5", lambda s: s / 2, (count, 1))])
        chain.let(smooth_call(g, again[0], [total], again[1], dims=again[2]))
    except Rejected:
        return None
    return chain.statements()


def source(chain):
    """A matrix, or several; new ones have long rows."""
    g = chain.g
    accepts = lambda v: v.dtype in ("f32", "f64") and len(v.shape) in (2, 3) and v.size
    if g.is_smooth or g.flip(0.3):
        return g.static(accepts)
    n, m = g.pick(LONG), g.pick(LONG)
    shape = (n, n) if g.flip(0.5) else (g.pick([1, 3, n]), m)
    if g.flip(0.2):
        shape = (4, 4, g.pick([16, 20, 64]))
    if math.prod(shape) > arrays.MOST_ELEMENTS:
        return None
    return chain.let(arrays.random_tensor(g, shape, g.pick(["f32", "f64"])))


def smooth_call(g, text, names, function, **sizes):
    def meaning(world, *values):
        if "amax" in text:
            check_chosen(lambda x, *_: x == x.max(-1, keepdims=True), values)
        return compute_smooth(function, values, values[0].dtype, 32)
    return g.call(text, names, meaning, **sizes)


def function_of_rows(chain, x):
    g = chain.g
    text, function = g.pick(list(FUNCTIONS.items()))
    shift, taken = g.pick([item for item in SHIFTS.items() if g.has_kinks or "amax" not in item[0]])
    return chain.let(smooth_call(g, text.replace("{1}", shift), [x],
                                 lambda a: function(a - taken(a))))


def with_sums(chain, value, sums):
    """The values and their sums in one expression; a sum has a name or not."""
    g = chain.g
    text, function = g.pick(list(COMBINED.items()))
    names, used, parts = [value], {}, []
    for place in ("{1}", "{2}"):
        written, sum_of = g.pick(list((OWN if g.flip(0.5) else sums).items()))
        if place not in text:
            sum_of = np.zeros_like
        elif g.flip(0.5):
            names.append(chain.let(smooth_call(g, written, [value], sum_of)))
            written, sum_of = f"{{{len(names) - 1}}}", None
        used[place] = written
        parts.append((len(names) - 1, sum_of))

    def of_all(*arrays):
        return function(arrays[0], *(arrays[at] if sum_of is None else sum_of(arrays[0])
                                     for at, sum_of in parts))
    whole = re.sub(r"{[12]}", lambda found: used[found[0]], text)
    return chain.let(smooth_call(g, whole, names, of_all))
