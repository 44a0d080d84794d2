"""The types of samples and ops in the tests, and numbers to try ops on."""

import dataclasses
import warnings

import ml_dtypes
import numpy as np

from harness import DTYPES, NAMES

warnings.simplefilter("ignore", RuntimeWarning)  # overflow and NaN are the point

# Sizes 0 and 1, odd ones, ones around vector lengths, several ranks.
SHAPES = [(), (0,), (1,), (2,), (3,), (7,), (8,), (15,), (16,), (17,), (33,), (64,), (129,),
          (1000,), (1, 1), (1, 7), (7, 1), (3, 5), (0, 4), (4, 0), (31, 17), (2, 3, 4), (1, 3, 1),
          (5, 0, 2), (3, 1, 4, 2), (2, 2, 2, 2, 2)]
# For gradients every element costs two evaluations.
SMALL_SHAPES = [(), (0,), (1,), (2,), (3,), (5,), (8,), (9,), (1, 1), (1, 4), (4, 1), (2, 3),
                (3, 2), (0, 3), (3, 0), (5, 3), (2, 2, 2), (1, 3, 1), (2, 0, 2), (3, 1, 2),
                (1, 2, 1, 3), (2, 1, 2, 1, 2)]
# (shape of the result, shape that is broadcast to it)
BROADCASTS = [((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 4), ()), ((2, 3, 4), (1, 4)), ((0, 4), (4,)),
              ((5, 17), (1, 1)), ((2, 3, 5), (2, 1, 5)), ((7,), (1,)), ((4, 0), (1, 0)),
              ((33, 2), (33, 1)), ((2, 1, 3), (1, 3))]


@dataclasses.dataclass
class Sample:
    arrays: list
    options: dict = dataclasses.field(default_factory=dict)
    label: str = ""

    def __getattr__(self, name):
        return self.options[name]


@dataclasses.dataclass
class Op:
    samples: object  # (random, dtype) -> samples
    emit: object  # (Function, sample) -> Value
    reference: object  # sample -> array
    smooth: object = None  # (random) -> samples in f64, for gradients
    wrt: object = None  # sample -> indexes of the inputs with a gradient
    signed_zeros: bool = False  # whether -0 and 0 are told apart
    bound: object = None  # sample -> allowed error per element, instead of a tolerance


# --- numbers -------------------------------------------------------------------


def is_float(dtype):
    return dtype in ("f64", "f32", "f16", "bf16")


def is_unsigned(dtype):
    return dtype.startswith("u")


def holds_floats(array):
    """NumPy itself has no bf16: it treats such numbers as bytes."""
    return is_float(NAMES[array.dtype])


def operands(random, dtype, shape, kind, spread):
    """What a reduction of this kind combines: factors are near 1 or -1, by `spread` at most, so
    that no product overflows."""
    x = numbers(random, dtype, shape)
    if kind == "prod" and is_float(dtype):
        x = random.uniform(1 - spread, 1 + spread, shape) * random.choice([-1, 1], shape)
        x = np.asarray(x).astype(DTYPES[dtype])
    return x


def numbers(random, dtype, shape):
    """Ordinary values: of both signs, and small enough for sums and products."""
    kind = DTYPES[dtype]
    if is_float(dtype):
        return np.asarray(random.normal(size=shape) * 3).astype(kind)
    if dtype == "bool":
        return np.asarray(random.integers(0, 2, shape)).astype(kind)
    low = 0 if is_unsigned(dtype) else -100
    return np.asarray(random.integers(low, 100, shape)).astype(kind)


def specials(dtype):
    """The ends of the dtype, zeros of both signs, infinities, NaN. No denormals: compiled code
    takes them for zero."""
    kind = DTYPES[dtype]
    if dtype == "bool":
        return np.array([False, True])
    if is_float(dtype):
        info = ml_dtypes.finfo(kind)
        return np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -3, 10, 1e-3, np.inf,
                         -np.inf, np.nan, info.max, -info.max, info.tiny, -info.tiny,
                         info.eps, 1 + info.eps]).astype(kind)
    info = np.iinfo(kind)
    values = {0, 1, 2, 3, 7, 8, info.max, info.max - 1, info.min, info.min + 1}
    if is_unsigned(dtype):
        values |= {info.max // 2, info.max // 2 + 1, info.max // 2 + 2}
    else:
        values |= {-1, -2, -3, -7}
    return np.array(sorted(values), kind)


def every(dtype):
    """All numbers of a float dtype of 16 bits but the denormals that count as zero."""
    x = np.arange(2**16, dtype=np.uint16).view(DTYPES[dtype])
    return x if dtype == "f16" else x[(x == 0) | ~(np.abs(x) < ml_dtypes.finfo(x.dtype).tiny)]


def wide(function):
    """A float function computed in f64 and rounded once."""
    def rounded(*arrays):
        result = function(*(array.astype(np.float64) for array in arrays))
        return round_to(result, NAMES[arrays[0].dtype])
    return rounded


def round_to(array, dtype):
    """Returns numbers rounded to the dtype once."""
    array = np.asarray(array)
    if dtype == "bf16":  # its own conversion goes through f32, and rounds twice
        mantissa, exponent = np.frexp(array.astype(np.longdouble))
        array = np.ldexp(np.rint(mantissa * 256), exponent - 8)
    return array.astype(DTYPES[dtype])


def small(samples, limit=30):
    """Returns the samples of f64 with few elements; ops that are linear, or smooth
    everywhere, need no more care."""
    def make(random):
        for sample in samples(random, "f64"):
            if sum(array.size for array in sample.arrays) <= limit:
                yield sample
    return make
