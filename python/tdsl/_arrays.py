"""Converts values that are not plain arrays: called by the extension."""

from __future__ import annotations

import reprlib

import numpy

#: kDLCPU, kDLCUDA and kDLCUDAHost of DLPack.
_CPU, _CUDA, _CUDA_HOST = 1, 2, 3


def _bfloat16() -> numpy.dtype:
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError(
            "NumPy has bf16 only with another package: pip install ml_dtypes") from None
    return numpy.dtype(ml_dtypes.bfloat16)


def _numpy_dtype(name: str) -> numpy.dtype:
    """The dtype for "f32", "i64", "bool" ..."""
    if name == "bf16":
        return _bfloat16()
    return numpy.dtype(name if name == "bool" else f"{name[0]}{int(name[1:]) // 8}")


def as_bfloat16(bits: numpy.ndarray) -> numpy.ndarray:
    """A bf16 view of the same memory. DLPack and buffers of NumPy only have u16 for it."""
    return bits.view(_bfloat16())


def read(value: object, dtype: str, place: str) -> numpy.ndarray:
    """Converts a value to an array of this dtype; of u16 for bf16. Raises an
    exception that says why if it cannot."""
    if isinstance(value, (bool, int, float, list, tuple)):
        array = _from_numbers(value, dtype, place)
    elif isinstance(value, (numpy.ndarray, numpy.generic)) or not hasattr(value, "__dlpack__"):
        array = numpy.asarray(value)
    else:
        raise _refusal(value, dtype, place)
    if array.dtype.kind in "OSUMm":
        kind = type(value).__name__
        if isinstance(value, numpy.ndarray):
            kind += f" of {value.dtype}"
        raise TypeError(f"{place} is {dtype}, and takes arrays of NumPy, PyTorch or JAX, numbers, "
                        f"and lists of numbers; this is of type {kind}")
    wanted = _numpy_dtype(dtype)
    if array.dtype != wanted:
        raise TypeError(f"{place} is {dtype}, not {array.dtype}: "
                        f'convert it with .astype("{wanted.name}")')
    return array.view(numpy.uint16) if dtype == "bf16" else array


def _from_numbers(value: object, dtype: str, place: str) -> numpy.ndarray:
    wanted = _numpy_dtype(dtype)
    kind = "f" if dtype == "bf16" else wanted.kind
    refusal = TypeError(f"{place} is {dtype}: {reprlib.repr(value)} does not fit")
    try:
        given = numpy.asarray(value)
        if given.dtype.kind == "O" and kind == "f" and all(isinstance(v, int) for v in given.flat):
            given = given.astype(float)  # ints that overflow NumPy's ints
        kinds = {"b": "b", "i": "iu", "u": "iu", "f": "iuf"}[kind]
        if given.size and given.dtype.kind not in kinds:
            raise refusal
        with numpy.errstate(over="ignore"):
            array = numpy.asarray(value if kind != "f" else given, dtype=wanted)
    except (OverflowError, ValueError):  # or lists of several lengths
        raise refusal from None
    if kind == "f" and (numpy.isfinite(given) & ~numpy.isfinite(array)).any():
        raise refusal
    return array


def _refusal(value: object, dtype: str, place: str) -> Exception:
    """The exception that says why a tensor of another framework cannot be read."""
    device, index = value.__dlpack_device__()
    if device not in (_CPU, _CUDA_HOST):
        where = f"cuda:{index}" if device == _CUDA else "another device"
        return TypeError(
            f"{place} is on {where}; calls take tensors on the cpu: pass a copy with .cpu()")
    value.__dlpack__()  # raises the framework's own exception, for example for gradients
    name = "bfloat16" if dtype == "bf16" else _numpy_dtype(dtype).name
    return TypeError(f"{place} is {dtype}, not {value.dtype}: convert it to {name}")


def convert(value: object, dtype: str, place: str) -> numpy.ndarray:
    """An array of this dtype with the values of another, of any framework and device. Raises
    TypeError for complex numbers."""
    if hasattr(value, "detach"):  # of PyTorch
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()  # NumPy has no bf16
        value = value.numpy(force=True)
    array = numpy.asarray(value)
    if array.dtype.kind == "c":
        raise TypeError(f"{place} is {dtype}, not {array.dtype}")
    return array.astype(_numpy_dtype(dtype), copy=False)
