"""The values of a tensor of a random program, with their possible errors.

A value is computed several times: once exactly, and in copies to which every op that
rounds adds the error that it may make, with a random sign (Monte Carlo arithmetic).
The spread of the copies is the tolerance for compiled code; where all copies are equal
it must not differ. An op whose copies give different answers (an index, a comparison,
a floor) has no single result in this arithmetic: it is Rejected, as are values that
are not finite, and the generator tries something else. So NaN, infinities and undefined
choices do not occur.
"""

import contextlib
import dataclasses
import json
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "OpTable"))
from harness import DTYPES, NAMES
from references import OPS
from samples import Sample, is_float, round_to

COPIES = 5
LARGEST = 1e4  # of floats: f16 ends at 65504
SMALLEST = 1e-30  # denormals count as zero
APART = {"f64": 1e-3, "f32": 1e-2, "f16": 0.2, "bf16": 0.4}  # where an op is ill-conditioned
STRETCH = 8  # how much nearer to a step of a function than its error a value may not be
# Where functions have two slopes,
KINKS = {"max": np.equal, "min": np.equal, "abs": np.logical_not, "relu": np.logical_not}
# and the pattern that tells on which side of it a value is.
SIDES = {"max": lambda a, b: np.sign(np.subtract(a, b, dtype=np.float64)),
         "min": lambda a, b: np.sign(np.subtract(a, b, dtype=np.float64)),
         "abs": np.sign, "relu": np.sign}
KINKS_ARE = ""  # "rejected", or "exact": then only values within their error of a kink are
STEPS = {"sign", "floor", "ceil", "trunc", "round", "floordiv", "mod", "compare", "arg_reduce"}


def read_tolerances():
    table = subprocess.run([shutil.which("tdc-opt"), "--dump-op-table"], check=True, text=True,
                           capture_output=True).stdout
    return {row["mnemonic"]: row["tolerance"] for row in json.loads(table)}


TOLERANCES = read_tolerances()


@contextlib.contextmanager
def first_copies():
    """Computes exact values only, without their errors."""
    global COPIES
    before, COPIES = COPIES, 1
    try:
        yield
    finally:
        COPIES = before


@contextlib.contextmanager
def away_from_kinks():
    """A value at a kink is Rejected, even where several cancel, as in minimum(x, relu(x)): its
    gradient follows from a rule, not from the values around it."""
    with kinks("rejected"):
        yield


@contextlib.contextmanager
def kinks(rule):
    """Applies KINKS_ARE."""
    global KINKS_ARE
    before, KINKS_ARE = KINKS_ARE, rule
    try:
        yield
    finally:
        KINKS_ARE = before


def check_sides(sides, values):
    """Rejects values whose error decides on which side of a step they are."""
    if all(value.is_exact for value in values):
        return
    values = [value.stretched() for value in values]
    first, *others = [sides(*(value.copy(i) for value in values)) for i in range(COPIES)]
    if any(not np.array_equal(first, other) for other in others):
        raise Rejected


def check_chosen(chosen, values):
    """Where kinks are exact, rejects values whose error decides which of them are chosen."""
    if KINKS_ARE == "exact":
        check_sides(chosen, values)


class Rejected(Exception):
    """The op has no one result on these values."""


@dataclasses.dataclass
class Value:
    """A tensor: its copies, of which the first is exact; its sizes as the checker knows
    them (a name for a run-time size); its place, "" if it is free. `is_compared` is false
    if only the interpreter gives the expected value."""
    copies: list
    dims: tuple = None
    place: str = ""
    is_compared: bool = True

    def __post_init__(self):
        self.copies = [np.asarray(copy) for copy in self.copies]
        if self.dims is None:
            self.dims = self.shape

    def __deepcopy__(self, memo):
        return self  # it never changes

    @property
    def dtype(self):
        return NAMES[self.copies[0].dtype]

    @property
    def shape(self):
        return self.copies[0].shape

    @property
    def size(self):
        return self.copies[0].size

    @property
    def is_static(self):
        return self.dims == self.shape

    @property
    def is_exact(self):
        return len(self.copies) == 1

    def copy(self, i):
        return self.copies[i if i < len(self.copies) else 0]

    def allowed(self):
        """Returns the error of each element that is allowed."""
        if self.is_exact:
            return np.zeros(self.shape)
        exact = self.copies[0].astype(np.float64)
        apart = np.max([np.abs(copy.astype(np.float64) - exact) for copy in self.copies[1:]], 0)
        return 8 * apart + 8 * (apart.mean() if apart.size else 0)

    def stretched(self):
        """The value with its errors made larger."""
        if self.is_exact or not is_float(self.dtype):
            return self
        first = self.copies[0].astype(np.float64)
        return Value([self.copies[0]] + [
            round_to(first + STRETCH * (copy.astype(np.float64) - first), self.dtype)
            for copy in self.copies[1:]])


class Number(Value):
    """A float of the host, read from a tensor."""


def noise(mnemonic, sample, result, dtype, is_exact):
    """The possible error of an op: an array or 0. `is_exact`: its operands have no error."""
    tolerance = TOLERANCES[mnemonic]
    if tolerance == "exact" or not is_float(dtype):
        return 0
    size = np.abs(result)
    own = float(ml_dtypes.finfo(DTYPES[dtype]).eps)
    if tolerance == "rounded":
        if dtype not in ("f32", "f64"):
            return 0
        # They are contracted: the product in x * y + z has not been rounded.
        if mnemonic in ("add", "sub") and not is_exact:
            size = sum(np.abs(array.astype(np.float64)) for array in sample.arrays)
        return own * size
    if tolerance == "transcendental":
        return 8 * own * size + own * 1e-2 if dtype in ("f32", "f64") else 2 * own * size
    if dtype in ("f32", "f64"):
        return OPS[mnemonic].bound(sample) * own
    bound = OPS[mnemonic].bound(sample) * 2.0**-23
    return np.where(bound > 0, bound + own * size, 0)


def settle(results, noises, dtype):
    """The value of an op from the results of its copies and their errors. Their signs follow from
    the result, so that a program has the same values whenever it is computed."""
    random = np.random.default_rng(zlib.crc32(np.asarray(results[0]).tobytes()))
    copies = []
    for i, (result, error) in enumerate(zip(results, noises)):
        if i and np.any(error):
            result = np.asarray(result, np.float64) + \
                random.choice([-1.0, 1.0], np.shape(result)) * error
        copies.append(round_to(result, dtype) if is_float(dtype)
                      else np.asarray(result).astype(DTYPES[dtype]))
    return checked(Value(copies))


def checked(value):
    first = value.copies[0]
    if is_float(value.dtype):
        smallest = 0 if value.dtype == "f16" else SMALLEST
        for copy in value.copies:
            sizes = np.abs(copy.astype(np.float64))
            if not np.all(sizes <= LARGEST) or np.any((sizes > 0) & (sizes < smallest)):
                raise Rejected
        limit = APART[value.dtype] * (1 + np.abs(first.astype(np.float64)))
        if any(np.any(np.abs(copy.astype(np.float64) - first) > limit)
               for copy in value.copies[1:]):
            raise Rejected
    elif any(np.any(copy != first) for copy in value.copies[1:]):
        raise Rejected
    if all(np.array_equal(copy, first) for copy in value.copies[1:]):
        return Value([first], value.dims, value.place)
    return value


def compute(mnemonic, values, dtype=None, /, **options):
    """The value of an op of the table."""
    if mnemonic in STEPS and not all(value.is_exact for value in values):
        stretched = [value.stretched() for value in values]
        apply(mnemonic, stretched, dtype, options)
        if mnemonic == "compare":
            check_order(*stretched)
    if KINKS_ARE == "exact" and mnemonic in SIDES:
        check_sides(SIDES[mnemonic], values)
    if KINKS_ARE == "exact" and mnemonic == "reduce" and options["kind"] in ("max", "min"):
        check_sides(lambda x: x == OPS["reduce"].reference(Sample([x], options)).reshape(
            [1 if d in options["dims"] else size for d, size in enumerate(x.shape)]), values)
    return apply(mnemonic, values, dtype, options)


def check_order(a, b):
    """Rejects a comparison whose order depends on errors. Equal values with different errors are
    unequal in every copy, so that the copies agree on a wrong answer."""
    signs = [np.sign(np.subtract(a.copy(i), b.copy(i), dtype=np.float64)) for i in range(COPIES)]
    if any(not np.array_equal(sign, signs[0]) for sign in signs[1:]):
        raise Rejected


def apply(mnemonic, values, dtype, options):
    dtype = dtype or values[0].dtype
    results, noises = [], []
    is_exact = all(value.is_exact for value in values)
    for i in range(COPIES):
        sample = Sample([value.copy(i) for value in values], options)
        if KINKS_ARE == "rejected" and mnemonic in KINKS and \
                np.any(KINKS[mnemonic](*sample.arrays)):
            raise Rejected
        result = OPS[mnemonic].reference(sample)
        results.append(result)
        noises.append(noise(mnemonic, sample, np.asarray(result, np.float64), dtype,
                            is_exact) if is_float(dtype) else 0)
        if i == 0 and is_exact and not np.any(noises[0]):
            break
    return settle(results, noises, dtype)


def truth(value):
    """Which elements are not 0; Rejected where an error decides it, as where a result underflows in
    f32 and not in f64."""
    first = value.copies[0].astype(np.float64)
    for copy in value.stretched().copies[1:]:
        apart = np.abs(copy.astype(np.float64) - first)
        if np.any((apart > 0) & (apart >= np.abs(first))):
            raise Rejected
    return first != 0


def compute_smooth(function, values, dtype, scale=64, points=(), steps=None, bound=None):
    """The value of a function of f64 arrays that consists of several ops. Its slope changes at
    `points` of the first array, and its value where `steps` of the arrays changes. `bound` gives
    the size of its intermediate values, if they are larger than operands and result."""
    if points and KINKS_ARE == "exact":
        check_sides(lambda x, *_: [np.sign(x - point) for point in points], values)
    if KINKS_ARE == "rejected" and np.any(np.isin(values[0].copies[0].astype(np.float64), points)):
        raise Rejected
    if steps:
        check_sides(steps, values)
    results, sizes = [], []
    for i in range(COPIES):
        arrays = [value.copy(i).astype(np.float64) for value in values]
        results.append(np.asarray(function(*arrays)))
        sizes.append(0 if bound is None else bound(*(np.abs(array) for array in arrays)))
    eps = float(ml_dtypes.finfo(DTYPES[dtype]).eps)
    largest = max([1.0] + [float(np.abs(value.copies[0].astype(np.float64)).max())
                           for value in values if value.size])
    return settle(results, [scale * eps * (np.abs(result) + largest + size)
                            for result, size in zip(results, sizes)], dtype)
