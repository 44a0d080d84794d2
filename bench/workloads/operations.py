"""One operation in f32, or bf16 where the name says so. The weights of convolutions
and of `linear` are constants, which a peer may store in another order."""

import numpy as np

from measure import (BENCH, CACHE, LARGEST_BF16, LARGEST_DIFFERENCE, Function, Worker, call,
                     compare)
from peers import operations
from peers.operations_numpy import exact
from workloads import networks

CASES = list(operations.CASES)
CHECKED = "difference"
PEERS_OF_PRODUCTS = ["openblas", "numpy", "onednn", "torch", "jax", "iree", "onnxruntime",
                     "openvino"]
PEERS_OF_BF16 = ["torch", "jax"]
PEERS_OF_ATTENTION = ["torch", "torch-compile", "jax"]
PEERS_OF_GRADIENTS = ["torch", "jax"]


def program(case):
    """The source and the files of the inputs."""
    operation = operations.CASES[case]
    inputs, weights = operations.tensors(case)

    def types(arrays):
        return {name: f"{operation.dtype}[{', '.join(map(str, array.shape))}]"
                for name, array in arrays.items()}
    lines = [f'let {name}: {of} = load("{CACHE}/{case}.{name}.npy")'
             for name, of in types(weights).items()]
    parameters = ", ".join(f"{name}: {of}" for name, of in types(inputs).items())
    for name, array in (inputs | weights).items():
        np.save(CACHE / f"{case}.{name}.npy", array)
    source = CACHE / f"{case}.tdsl"
    run = f"export fn run({parameters}) = {operation.text}\n"
    source.write_text("\n".join([*lines, operation.functions, run]))
    return source, {name: CACHE / f"{case}.{name}.npy" for name in inputs}


def of_tdc(case, tdc):
    source, inputs = program(case)
    return [Function(tdc, source, "run", inputs, ["y"])]


def peers(case):
    operation = operations.CASES[case]
    names = networks.PEERS
    if operation.dtype == "bf16":
        names = PEERS_OF_BF16
    elif operation.kind == "attention":
        names = PEERS_OF_ATTENTION
    elif operation.kind == "gradient":
        names = PEERS_OF_GRADIENTS
    elif operation.kind in ("product", "transposed"):
        names = PEERS_OF_PRODUCTS
        call("cc", "-O2", "-shared", "-fPIC", BENCH / "peers/blas.c", "-o", CACHE / "blas.so")
    return [Worker(name, "infer.py", f"operations/{case}") for name in names]


def work(case):
    """Its operations, and the bytes that it reads and writes."""
    return operations.CASES[case].operations, operations.bytes_of(case)


def judge(case, output):
    """Compares with NumPy in f64."""
    largest = LARGEST_BF16 if operations.CASES[case].dtype == "bf16" else LARGEST_DIFFERENCE
    return compare(output, exact(case), largest)
