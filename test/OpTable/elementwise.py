"""Elementwise ops, compare, select and cast."""

import numpy as np

from harness import DTYPES
from samples import (BROADCASTS, SHAPES, SMALL_SHAPES, Op, Sample, every, holds_floats, is_float,
                     numbers, round_to, specials, wide)


def unary_samples(random, dtype):
    for shape in SHAPES:
        yield Sample([numbers(random, dtype, shape)])
    yield Sample([specials(dtype)], label="special values")
    if dtype in ("f16", "bf16"):
        yield Sample([every(dtype)], label="every number")


def emit_elementwise(mnemonic):
    def emit(function, sample):
        operands = emit_operands(function, sample)
        names = ", ".join(operand.name for operand in operands)
        return function.op(f"td.{mnemonic} {names}", operands[0])
    return emit


def emit_operands(function, sample):
    """The inputs, broadcast to the shape of the first where theirs differ."""
    shape = sample.arrays[0].shape
    first = function.input(sample.arrays[0])
    operands = [first]
    for array in sample.arrays[1:]:
        fixed = [d for d, size in enumerate(array.shape) if size == 1] \
            if array.shape != shape else []
        operand = function.input(array, fixed)
        if array.shape != shape:
            dims, sizes = function.sizes_of([(first, d) for d in range(len(shape))], shape)
            operand = function.op(f"td.broadcast {operand.name}{sizes}",
                                  operand.like(dims=dims), f"{operand.type} to "
                                  f"{operand.like(dims=dims).type}")
        operands.append(operand)
    return operands


def unary(reference, smooth=None, signed_zeros=False):
    """`smooth` makes f64 numbers at which the op can be differentiated."""
    def smooth_samples(random):
        for shape in SMALL_SHAPES:
            yield Sample([np.asarray(smooth(random, shape), np.float64)])
    return lambda mnemonic: Op(
        unary_samples, emit_elementwise(mnemonic), lambda sample: reference(sample.arrays[0]),
        smooth_samples if smooth else None, lambda sample: [0], signed_zeros)


def binary_samples(random, dtype):
    for shape in SHAPES:
        yield Sample([numbers(random, dtype, shape), numbers(random, dtype, shape)])
    for shape, other in BROADCASTS:
        yield Sample([numbers(random, dtype, shape), numbers(random, dtype, other)],
                     label="broadcast")
    ends = specials(dtype)
    pairs = np.meshgrid(ends, ends)
    yield Sample([pairs[0].ravel(), pairs[1].ravel()], label="special values")


def binary(reference, smooth=None):
    def smooth_samples(random):
        for shape in SMALL_SHAPES:
            x, y = smooth(random, shape)
            yield Sample([np.asarray(x, np.float64), np.asarray(y, np.float64)])
    def compute(sample):
        return reference(*np.broadcast_arrays(*sample.arrays))
    return lambda mnemonic: Op(binary_samples, emit_elementwise(mnemonic), compute,
                               smooth_samples if smooth else None, lambda sample: [0, 1])


def integer_power(base, exponent):
    base, exponent = base.copy(), exponent.copy()
    kind = base.dtype
    negative = exponent < 0
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2, -1, 1), 0)) \
        if kind.kind == "i" else base
    result, left = np.ones_like(base), np.where(negative, 0, exponent).astype(kind)
    while left.any():
        result = np.where(left & 1, result * base, result).astype(kind)
        base, left = (base * base).astype(kind), left >> 1
    return np.where(negative, inverse, result).astype(kind)


def shift_samples(random, dtype):
    """Counts below 0, of all bits, and between."""
    yield from binary_samples(random, dtype)
    ends, bits = specials(dtype), np.iinfo(DTYPES[dtype]).bits
    counts = np.arange(0 if dtype.startswith("u") else -2, bits + 3).astype(ends.dtype)
    pairs = np.meshgrid(ends, counts)
    yield Sample([pairs[0].ravel(), pairs[1].ravel()], label="every count")


def shift(function, is_left):
    """As PyTorch: a count that leaves no bit gives 0, or the sign."""
    def meaning(x, count):
        leaves = (count >= 0) & (count < np.iinfo(x.dtype).bits)
        within = np.where(leaves, count, 0).astype(x.dtype)
        emptied = np.where((x < 0) & (not is_left), -1, 0).astype(x.dtype)
        return np.where(leaves, function(x, within), emptied)
    return lambda mnemonic: Op(shift_samples, emit_elementwise(mnemonic), lambda sample:
                               meaning(*np.broadcast_arrays(*sample.arrays)))


def power(x, y):
    return wide(np.power)(x, y) if holds_floats(x) else integer_power(x, y)


def sigmoid(x):
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))


def away_from(*kinks, spread=2.0, gap=0.05):
    """Numbers that are no nearer to any of the kinks than the gap."""
    def make(random, shape):
        x = np.asarray(random.uniform(-spread, spread, shape))
        for kink in kinks:
            near = np.abs(x - kink) < gap
            x = np.where(near, kink + np.where(x < kink, -gap, gap), x)
        return x
    return make


def away_from_integers(random, shape, spread=3):
    return random.integers(-spread, spread, shape) + random.uniform(0.1, 0.9, shape)


def anywhere(random, shape):
    return random.uniform(-2, 2, shape)


def positive(random, shape):
    return random.uniform(0.3, 3, shape)


def within_one(random, shape):
    return random.uniform(-0.9, 0.9, shape)


def above_one(random, shape):
    return random.uniform(1.2, 4, shape)


def both(first, second):
    return lambda random, shape: (first(random, shape), second(random, shape))


def apart(random, shape):
    """Pairs that differ clearly, for max and min."""
    x = random.uniform(-2, 2, shape)
    return x, x + random.choice([-1, 1], shape) * random.uniform(0.1, 1, shape)


def remainder_pairs(random, shape):
    """a and b with a / b away from integers."""
    b = random.choice([-1, 1], shape) * random.uniform(0.5, 2, shape)
    return b * away_from_integers(random, shape, 2), b


PREDICATES = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
              "gt": np.greater, "ge": np.greater_equal}


def compare_samples(random, dtype):
    for index, sample in enumerate(binary_samples(random, dtype)):
        names = list(PREDICATES) if sample.label == "special values" \
            else [list(PREDICATES)[index % 6]]
        for name in names:
            yield Sample(sample.arrays, {"predicate": name}, sample.label)


def emit_compare(function, sample):
    lhs, rhs = emit_operands(function, sample)
    return function.op(f"td.compare {sample.predicate} {lhs.name}, {rhs.name}",
                       lhs.like("bool"), f"{lhs.type} -> {lhs.like('bool').type}")


def select_samples(random, dtype):
    for sample in binary_samples(random, dtype):
        x, y = (np.ascontiguousarray(a) for a in np.broadcast_arrays(*sample.arrays))
        yield Sample([numbers(random, "bool", x.shape), x, y], label=sample.label)


def emit_select(function, sample):
    condition, x, y = (function.input(array) for array in sample.arrays)
    return function.op(f"td.select {condition.name}, {x.name}, {y.name}", x,
                       f"{condition.type}, {x.type}")


# Next to the middle of two numbers of f16, and of bf16: rounding twice gives the wrong one.
MIDDLES = np.array([sign * scale * (1 + 2.0**-bits + rest) for sign in (1, -1)
                    for scale in (1, 3, 2.0**-15) for bits in (8, 11)
                    for rest in (-2.0**-40, 0, 2.0**-40)])


def middles(dtype):
    """The midpoints at which rounding f32 to f16 or bf16 changes, and their neighbours in f32."""
    x = np.sort(every(dtype).astype(np.float32))
    x = x[np.isfinite(x)]
    x = (x[1:] + x[:-1]) / 2
    return np.concatenate([x, np.nextafter(x, np.float32(0)), np.nextafter(x, np.float32(np.inf))])


def cast_samples(random, dtype):
    for to in DTYPES:
        for shape in SHAPES[::3] if to != dtype else SHAPES[::6]:
            yield Sample([numbers(random, dtype, shape)], {"to": to}, to)
        x = every(dtype) if dtype in ("f16", "bf16") else specials(dtype)
        if is_float(dtype):
            ends = np.ldexp(1.0, [7, 8, 15, 16, 31, 32, 63, 64])
            with_signs = np.concatenate([ends, -ends, ends - 1, 1 - ends, -ends - 1, [0.99, -0.99]])
            x = np.concatenate([x, with_signs.astype(x.dtype), MIDDLES.astype(x.dtype)])
        elif dtype in ("i32", "i64", "u32", "u64"):
            # Next to the middle of two numbers of bf16, f32 and f64.
            top = np.iinfo(x.dtype).bits - 1 - (dtype[0] == "i")
            large = [(1 << top) + (1 << (top - bits)) + rest for bits in (8, 24, 53)
                     for rest in (-1, 0, 1) if top > bits]
            negative = [-n for n in large] if dtype[0] == "i" else []
            x = np.concatenate([x, np.array(large + negative, x.dtype)])
        if dtype == "f32" and to in ("f16", "bf16"):
            x = np.concatenate([x, middles(to)])
        yield Sample([x], {"to": to}, f"special values to {to}")


def emit_cast(function, sample):
    x = function.input(sample.arrays[0])
    return function.op(f"td.cast {x.name}", x.like(sample.to),
                       f"{x.type} to {x.like(sample.to).type}")


def cast(x, to):
    kind = DTYPES[to]
    if to == "bool":
        return x != 0
    if not holds_floats(x) or is_float(to):
        return round_to(x, to)
    info = np.iinfo(kind)
    x = np.trunc(x.astype(np.float64))
    low, beyond = float(info.min), float(info.max + 1)
    safe = np.where((x >= low) & (x < beyond), x, 0).astype(kind)
    return np.where(x >= beyond, kind(info.max), np.where(x < low, kind(info.min), safe))


# --- gradients -----------------------------------------------------------------


def smooth_select(random):
    for shape in SMALL_SHAPES:
        yield Sample([numbers(random, "bool", shape), anywhere(random, shape),
                      anywhere(random, shape)])


def smooth_cast(random):
    # Through f32, whose rounding errors exceed a small step; a cast is linear.
    for shape in SMALL_SHAPES:
        yield Sample([np.asarray(anywhere(random, shape))], {"to": "f32", "step": 0.25})
