"""Ops that make tensors: constant, fill, iota and random."""

import math

import numpy as np

from elementwise import cast
from harness import NAMES, Value
from samples import SHAPES, Sample, is_float, numbers, round_to, specials


def constant_samples(random, dtype):
    for shape in SHAPES:
        yield Sample([numbers(random, dtype, shape)])
    yield Sample([specials(dtype)], label="special values")


def dense(array):
    """The literal of a whole tensor: its bytes, which keep every bit."""
    if array.size == 0:
        return "dense<>"
    if array.dtype != np.bool_:
        return f'dense<"0x{array.tobytes().hex().upper()}">'
    return f"dense<{str(array.tolist()).lower()}>"


def emit_constant(function, sample):
    array = sample.arrays[0]
    # It has no operand, so it is the same with run-time sizes; there it is the
    # operand of another op.
    value = Value("", NAMES[array.dtype], array.shape)
    value = function.op(f"td.constant {dense(array)}", value)
    if not function.dynamic:
        return value
    dims, sizes = function.shape(array.shape)
    return function.op(f"td.reshape {value.name}{sizes}", value.like(dims=dims),
                       f"{value.type} to {value.like(dims=dims).type}")


def fill_samples(random, dtype):
    scalars = [np.float64(v) for v in (0.0, -0.0, 1.5, -2.75, 300.0, 1e20, -1e20, math.nan,
                                       math.inf, 0.1)]
    scalars += [np.int64(v) for v in (0, 1, -1, 300, 2**31, 2**63 - 1, -2**63, 2**24 + 1)]
    scalars += [np.bool_(False), np.bool_(True)]
    for index in range(max(len(scalars), len(SHAPES))):
        scalar = scalars[index % len(scalars)]
        yield Sample([], {"shape": SHAPES[index % len(SHAPES)], "scalar": scalar, "dtype": dtype})


def emit_fill(function, sample):
    dims, sizes = function.shape(sample.shape)
    result = Value("", sample.dtype, dims)
    scalar = function.scalar(sample.scalar)
    host = {"f": "f64", "i": "i64", "b": "i1"}[sample.scalar.dtype.kind]
    return function.op(f"td.fill {scalar}{sizes}", result, f"{host} -> {result.type}")


def fill(sample):
    return np.broadcast_to(cast(np.asarray(sample.scalar), sample.dtype), sample.shape)


def iota_samples(random, dtype):
    for index, size in enumerate([0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100, 127,
                                  129, 1000]):
        start, step = ((0, 1), (-7, 3), (100, -9), (5, 0))[index % 4]
        if is_float(dtype):
            start, step = start * 0.5, step * 0.1
        yield Sample([], {"size": size, "start": start, "step": step, "dtype": dtype})


def emit_iota(function, sample):
    host = "f64" if is_float(sample.dtype) else "i64"
    number = np.float64 if host == "f64" else np.int64
    start, step = function.scalar(number(sample.start)), function.scalar(number(sample.step))
    dims, sizes = function.shape((sample.size,))
    result = Value("", sample.dtype, dims)
    return function.op(f"td.iota {start}, {step}{sizes}", result, f"{host} -> {result.type}")


def iota(sample):
    return round_to(sample.start + np.arange(sample.size) * sample.step, sample.dtype)


# --- random numbers ------------------------------------------------------------


def philox(seed, call, blocks):
    """Philox4x32-10 (Salmon et al., SC 2011), one row of four words per block."""
    mask = np.uint64(0xFFFFFFFF)
    def halves(x):
        x = np.asarray(x).astype(np.uint64)
        return x & mask, x >> np.uint64(32)
    blocks = np.asarray(blocks).astype(np.uint64)
    x = [np.broadcast_to(part, blocks.shape) for part in (*halves(call), *halves(blocks))]
    k0, k1 = halves(np.int64(seed))
    for _ in range(10):
        low0, high0 = halves(np.uint64(0xD2511F53) * x[0])
        low1, high1 = halves(np.uint64(0xCD9E8D57) * x[2])
        x = [high1 ^ x[1] ^ k0, low1, high0 ^ x[3] ^ k1, low0]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & mask, (k1 + np.uint64(0xBB67AE85)) & mask
    return np.stack(x, -1)


def words(sample, count, upper=0):
    blocks = np.arange((count + 3) // 4, dtype=np.uint64) | np.uint64(upper << 63)
    return philox(sample.seed, np.int64(sample.call), blocks).ravel()[:count]


def below(limit, high, low):
    """A number below the limit from a word, or from two for a large limit."""
    if limit <= 2**32:
        return int(high) * limit >> 32
    return (int(high) << 32 | int(low)) * limit >> 64


# The coefficients and the order of operations are in runtime/src/program/RandomCore.h.
LOG = [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
       -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1]
CENTRE = ["0x1.5aa404p-25", "0x1.04f98ep-21", "-0x1.4ee930p-18", "-0x1.a14836p-18",
          "0x1.442ae0p-12", "-0x1.d0c8b2p-10", "-0x1.8332aap-8", "0x1.652c86p-2",
          "0x1.0fc8bep+1"]
TAIL = ["-0x1.dbc6d8p-16", "-0x1.07e73ap-12", "0x1.11c8b0p-10", "-0x1.a17baep-10",
        "0x1.09477ep-9", "-0x1.d36d94p-9", "0x1.716836p-8", "0x1.6c7162p+0", "0x1.24c776p+2"]


def polynomial(coefficients, x):
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + np.float32(coefficient)
    return result


def normal(word):
    """The inverse of the normal distribution, in f32."""
    f32 = np.float32
    word = word.astype(np.uint32)
    q = ((word & np.uint32(0x7FFFFFFF)).astype(f32) + f32(0.5)) * f32(2.0**-31)
    value = q * (f32(2) - q)
    bits = value.view(np.int32)
    exponent = (bits - np.int32(0x3F3504F3)) >> 23
    x = (bits - (exponent << 23)).view(f32) - f32(1)
    square = x * x
    y = polynomial(LOG, x) * x * square
    y = y + exponent.astype(f32) * f32(-2.12194440e-4)
    y = y - square * f32(0.5)
    w = -((x + y) + exponent.astype(f32) * f32(0.693359375))
    centre = polynomial([float.fromhex(c) for c in CENTRE], w - f32(2.5))
    tail = polynomial([float.fromhex(c) for c in TAIL], np.sqrt(w) - f32(3.4))
    z = np.where(w < 5, centre, tail) * (f32(1) - q)
    return np.where(word >> np.uint32(31), -z, z)


# normal_quantile.h, the highest power first.
QUOTIENTS = {
    "centre": ([2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                133.14166789178437745, 3.3871328727963666080],
               [5226.4952788528545610, 28729.085735721942674, 39307.895800092710610,
                21213.794301586595867, 5394.1960214247511077, 687.18700749205790830,
                42.313330701600911252, 1.0]),
    "tail": ([7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
              1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550,
              4.63033784615654529590, 1.42343711074968357734],
             [1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
              1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940,
              2.05319162663775882187, 1.0]),
    "far": ([2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
             2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
             5.46378491116411436990, 6.65790464350110377720],
            [2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
             7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
             5.99832206555887937690e-1, 1.0])}
LOG_F64 = [1.479819860511658591e-1, 1.531383769920937332e-1, 1.818357216161805012e-1,
           2.222219843214978396e-1, 2.857142874366239149e-1, 3.999999999940941908e-1,
           6.666666666666735130e-1]


def horner(coefficients, x):
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + coefficient
    return result


def quotient(name, x):
    numerator, denominator = QUOTIENTS[name]
    return horner(numerator, x) / horner(denominator, x)


def normal_f64(pair):
    """The same in f64, from 64 bits."""
    q = ((pair & np.uint64(2**63 - 1)).astype(np.float64) + 0.5) * 2.0**-63
    h = (1.0 - q) * 0.5
    bits = (q * 0.5).view(np.int64)
    exponent = (bits - 0x3FE6A09E667F3BCD) >> 52
    f = (bits - (exponent << 52)).view(np.float64) - 1.0
    s = f / (2.0 + f)
    rest = s * s * horner(LOG_F64, s * s)
    half, e = 0.5 * f * f, exponent.astype(np.float64)
    part = s * (half + rest) + e * 1.90821492927058770002e-10
    t = np.sqrt(-(e * 6.93147180369123816490e-1 - ((half - part) - f)))
    z = np.where(h <= 0.425, h * quotient("centre", 0.180625 - h * h),
                 np.where(t <= 5.0, quotient("tail", t - 1.6), quotient("far", t - 5.0)))
    return np.where(pair >> np.uint64(63), -z, z)


def random_samples(random, dtype):
    kinds = ["uniform", "normal"] if is_float(dtype) else ["randint"]
    if dtype == "i64":
        kinds.append("permutation")
    limits = {"u8": [(0, 256), (3, 4)], "i8": [(-128, 128), (-3, 5)], "i16": [(-9, 300)],
              "i32": [(-2**31, 2**31), (-5, 100)], "bool": [(0, 2)], "u16": [(0, 2**16), (9, 12)],
              "u32": [(0, 2**32), (2**31, 2**32)], "u64": [(0, 2**63 - 1), (3, 2**32 + 9)],
              "i64": [(0, 10), (-2**63, 2**63 - 1), (-1, 2**32), (0, 2**32 + 1)]}.get(dtype, [()])
    for kind in kinds:
        for index, shape in enumerate(SHAPES):
            if kind == "permutation":
                shape = (math.prod(shape),)
            yield Sample([], {"kind": kind, "shape": shape, "dtype": dtype,
                              "seed": [0, 1, -5, 2**40 + 3][index % 4],
                              "call": [0, 7, 2**33 + 1][index % 3],
                              "bounds": limits[index % len(limits)] if kind == "randint" else ()},
                         kind)


def emit_random(function, sample):
    seed, call = function.integer(sample.seed), function.integer(sample.call)
    bounds = ", ".join(function.integer(bound) for bound in sample.bounds)
    bounds = f" bounds({bounds})" if bounds else ""
    dims, sizes = function.shape(sample.shape)
    return function.op(f"td.random {sample.kind} {seed}, {call}{bounds}{sizes}",
                       Value("", sample.dtype, dims))


def random_numbers(sample):
    count = math.prod(sample.shape)
    high, low = words(sample, count), words(sample, count, upper=1)
    pairs = high << np.uint64(32) | low
    if sample.kind == "uniform":
        bits = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}[sample.dtype]
        numbers = (pairs >> np.uint64(64 - bits)) * 2.0**-bits
    elif sample.kind == "normal":
        numbers = normal_f64(pairs) if sample.dtype == "f64" else normal(high)
    else:
        if sample.kind == "randint":
            start, stop = sample.bounds
            numbers = np.array([start + below(stop - start, h, l) for h, l in zip(high, low)],
                               np.int64)
        else:
            numbers = np.arange(count)
            for i in range(count - 1, 0, -1):
                j = below(i + 1, high[i], low[i])
                numbers[i], numbers[j] = numbers[j], numbers[i]
    return round_to(numbers, sample.dtype).reshape(sample.shape)
