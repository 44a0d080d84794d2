"""What goes in and comes out, with NumPy."""

import array
import resource

import ml_dtypes
import numpy as np
import pytest
from conftest import function

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8,
          "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_}


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(name):
    same = function(f"x: {name}[N, 3]) -> {name}[3, N]", "x.transpose(0, 1)")
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(DTYPES[name])
    result = same(values)
    assert result.dtype == values.dtype
    assert np.array_equal(result, values.T)
    # A result is an array like others: it owns its memory, and can be written.
    result[0, 0] = 1
    assert result[0, 0] == 1


@pytest.mark.parametrize("view", [
    lambda x: x[::2], lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x.T, lambda x: x[1:3],
    lambda x: np.broadcast_to(x[0], (4, 4)), lambda x: x[:0], lambda x: np.asfortranarray(x)])
def test_views(view):
    x = view(np.arange(16, dtype=np.float32).reshape(4, 4))
    twice = function("x: f32[N, 4]) -> f32[N, 4]", "x * 2.0")
    assert np.array_equal(twice(x), x * 2)


def test_read_only():
    x = np.ones(3, np.float32)
    x.flags.writeable = False
    assert function("x: f32[3]) -> f32[]", "x.sum()")(x) == 3


def test_inputs_are_not_copied():
    """A gigabyte of which one page is read costs no gigabyte."""
    first = function("x: f32[N]) -> f32[]", "x[0]")
    x = np.zeros(1 << 28, np.float32)
    x[0] = 7
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert first(x) == 7
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 << 10  # KiB


def test_results_are_freed():
    """Five hundred results of a megabyte cost no half gigabyte."""
    twice = function("x: f32[N]) -> (f32[N], f32[N])", "(x * 2.0, x + 1.0)")
    x = np.zeros(1 << 18, np.float32)
    twice(x)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(250):
        twice(x)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


def test_numbers_and_lists():
    scaled = function("x: f32[N], by: f32[]) -> f32[N]", "x * by")
    assert scaled([1, 2.5], 2).tolist() == [2, 5]
    assert scaled((1, 2), np.float64(0.5)).tolist() == [0.5, 1]
    assert scaled([], 2).shape == (0,)
    flags = function("x: bool[N]) -> bool[N]", "~x")
    assert flags([True, False]).tolist() == [False, True]
    halves = function("x: bf16[N]) -> bf16[N]", "x + x")
    assert halves([0.5, 1]).astype(float).tolist() == [1, 2]


def test_buffers():
    total = function("x: f32[N]) -> f32[]", "x.sum()")
    assert total(array.array("f", [1, 2])) == 3
    assert total(memoryview(np.float32([1, 2]))) == 3
    with pytest.raises(TypeError, match="is f32, not float64"):
        total(array.array("d", [1, 2]))


def test_results():
    several = function("x: f32[2]) -> (f32[2], i64[])", "(x + 1.0, x.argmax())")
    plus, where = several(np.float32([5, 2]))
    assert plus.tolist() == [6, 3] and where == 0 and where.dtype == np.int64


def test_arguments_by_name():
    minus = function("a: f32[], b: f32[]) -> f32[]", "a - b")
    assert minus(5, b=3) == minus(b=3, a=5) == 2
    for args, named, message in (
            ((1,), {}, "misses argument 'b'"), ((1, 2, 3), {}, "takes 2 arguments, not 3"),
            ((1, 2), {"b": 2}, "two values for argument 'b'"), ((1,), {"c": 2}, "no argument 'c'")):
        with pytest.raises(TypeError, match=message):
            minus(*args, **named)


@pytest.mark.parametrize("value, message", [
    (np.ones(2), r'is f32, not float64: convert it with .astype\("float32"\)'),
    (np.ones(2, np.complex64), "is f32, not complex64"),
    (np.ones(2, ml_dtypes.bfloat16), "is f32, not bfloat16"),
    (np.array(["a"]), "this is of type ndarray of <U1"),
    ("abc", "this is of type str"), (None, "this is of type NoneType"),
    (object(), "this is of type object"), ({}, "this is of type dict"),
    ([True], r"\[True\] does not fit"), (["a"], "does not fit"),
])
def test_values_that_are_no_input(value, message):
    total = function("x: f32[N]) -> f32[]", "x.sum()")
    pattern = "input `x` of `f` is f32.*" + message.removeprefix("is f32, ")
    with pytest.raises(TypeError, match=pattern):
        total(value)


class Elsewhere:
    """A tensor on a device, as far as DLPack is asked."""

    def __init__(self, device):
        self.device = device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        raise BufferError("not on the cpu")


def test_tensors_on_devices():
    total = function("x: f32[N]) -> f32[]", "x.sum()")
    with pytest.raises(TypeError, match="is on cuda:1; calls take tensors on the cpu"):
        total(Elsewhere((2, 1)))
    with pytest.raises(TypeError, match="is on another device"):
        total(Elsewhere((8, 0)))
    with pytest.raises(BufferError, match="not on the cpu"):
        total(Elsewhere((1, 0)))


def test_numbers_that_do_not_fit():
    total = function("x: i8[N]) -> i8[N]", "x + x")
    for value in ([1.5], [300], [-129], [[1, 2], [3]], [10**30], list(range(100_000))):
        with pytest.raises(TypeError, match="input `x` of `f` is i8: .* does not fit") as caught:
            total(value)
        assert len(str(caught.value)) < 200
    half = function("x: f32[]) -> f32[]", "x * 0.5")
    assert half(10**30) == np.float32(5e29)
    assert half(float("inf")) == np.inf
    for value in (1e300, 10**300, 10**400):
        with pytest.raises(TypeError, match="does not fit"):
            half(value)
