"""all-MiniLM-L6-v2 with its weights: the embeddings of 1, 8 or 32 sentences of 128 tokens,
without padding."""

import numpy as np
from safetensors.numpy import save_file

from measure import BENCH, CACHE, Function, Worker, compare
from peers import minilm
from peers.networks_numpy import exact

CASES = list(minilm.CASES)
CHECKED = "difference"
PEERS = ["torch", "torch-compile", "jax", "iree", "onnxruntime", "openvino"]


def of_tdc(case, tdc):
    inputs, weights = minilm.tensors(case)
    files = {name: CACHE / f"minilm.{case}.{name}.npy" for name in inputs}
    for name, path in files.items():
        np.save(path, inputs[name])
    file = CACHE / "minilm.safetensors"
    save_file(weights, file)
    return [Function(tdc, BENCH / "programs/minilm.tdsl", "embed", files, ["embeddings"],
                     ["--weights", file], settings=[f"sentences={minilm.CASES[case]}"])]


def peers(case):
    return [Worker(name, "infer.py", f"minilm/{case}") for name in PEERS]


def work(case):
    return minilm.work(case)


def judge(case, output):
    """Compares with NumPy in f64."""
    return compare(output, exact(minilm, case))
