"""In one process with PyTorch, JAX and ONNX Runtime, those that are installed."""

import importlib.util
import itertools
import subprocess
import sys

import numpy as np
import pytest
from conftest import NET, function

OTHERS = [name for name in ("torch", "jax", "onnxruntime") if importlib.util.find_spec(name)]


def test_torch():
    torch = pytest.importorskip("torch")
    for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8",
                 "uint8", "bool"):
        dtype = getattr(torch, name)
        short = name if name == "bool" else (
            name.replace("float", "f").replace("uint", "u").replace("int", "i"))
        short = "bf16" if name == "bfloat16" else short
        swap = function(f"x: {short}[2, 3]) -> {short}[3, 2]", "x.transpose(0, 1)")
        x = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
        result = swap(x)
        assert isinstance(result, torch.Tensor) and result.dtype == dtype
        assert torch.equal(result, x.T)
        assert torch.equal(swap(x.T.contiguous().T), x.T)  # strided
    total = function("x: f32[N], by: f32[]) -> f32[]", "(x * by).sum()")
    weight = torch.nn.Parameter(torch.ones(3))
    with pytest.raises(Exception, match="detach"):
        total(weight, 2.0)
    assert total(weight.detach(), 2.0) == 6
    assert isinstance(total(np.ones(3, np.float32), torch.tensor(2.0)), torch.Tensor)
    with pytest.raises(TypeError, match="is f32, not torch.float64: convert it to float32"):
        total(torch.ones(3, dtype=torch.float64), 2.0)


def test_torch_negative_bit():
    """Tensors whose memory has the negative of each element."""
    torch = pytest.importorskip("torch")
    same = function("x: f32[N]) -> f32[N]", "x")
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert same(z.conj().imag).tolist() == [-2, 4]
    assert same(z.imag).tolist() == [2, -4]
    assert same(-z.conj().imag).tolist() == [2, -4]
    for name, short in (("float64", "f64"), ("float32", "f32"), ("float16", "f16"),
                        ("bfloat16", "bf16"), ("int64", "i64"), ("int8", "i8")):
        same = function(f"x: {short}[N]) -> {short}[N]", "x")
        x = torch._neg_view(torch.tensor([1, -3]).to(getattr(torch, name)))
        assert x.is_neg() and same(x).tolist() == [-1, 3]
    scale = function("x: f32[N], by: f32[]) -> f32[N]", "x * by")
    two = torch._neg_view(torch.tensor(2.0))
    assert scale(torch._neg_view(torch.ones(2)), two).tolist() == [2, 2]


def test_jax():
    jax = pytest.importorskip("jax")
    for name in ("float32", "float16", "bfloat16", "int32", "int16", "int8", "uint8", "bool"):
        short = name if name == "bool" else (
            name.replace("float", "f").replace("uint", "u").replace("int", "i"))
        short = "bf16" if name == "bfloat16" else short
        swap = function(f"x: {short}[2, 3]) -> {short}[3, 2]", "x.transpose(0, 1)")
        x = jax.numpy.array([[0, 1, 1], [1, 0, 1]]).astype(name)
        result = swap(x)
        assert isinstance(result, jax.Array) and result.dtype == x.dtype
        assert (result == x.T).all()
    total = function("x: f32[N]) -> f32[]", "x.sum()")
    with pytest.raises(TypeError, match="is f32, not int32"):
        total(jax.numpy.arange(3))


@pytest.mark.parametrize("order", [
    order for order in itertools.permutations([*OTHERS, "tdsl"])] if OTHERS else [("tdsl",)])
def test_import_order(order):
    """Everything works in one process, whatever came first: each brings an LLVM,
    an OpenMP or a thread pool of its own."""
    uses = {
        "torch": "torch.compile; (torch.ones(64, 64) @ torch.ones(64, 64)).sum().item()",
        "jax": "jax.jit(lambda x: (x @ x).sum())(jax.numpy.ones((64, 64))).item()",
        "onnxruntime": "onnxruntime.get_available_providers()",
        "tdsl": f"tdsl.load({str(NET)!r}).predict(numpy.ones((4, 2), 'f4'))",
    }
    lines = ["import numpy", *(f"import {name}" for name in order)]
    lines += [uses[name] for name in order] + [uses[name] for name in reversed(order)]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
