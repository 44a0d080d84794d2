"""A decoder as large as GPT-2 small, with random weights. `decode`: one token after 256
cached ones; `prefill`: 128 tokens."""

import numpy as np
from safetensors.numpy import save_file

from measure import BENCH, CACHE, Function, Worker, compare
from peers import gpt2
from peers.networks_numpy import exact

CASES = list(gpt2.CASES)
CHECKED = "difference"
PEERS = ["torch", "torch-compile", "jax", "iree", "onnxruntime", "openvino"]


def of_tdc(case, tdc):
    inputs, weights = gpt2.tensors(case)
    files = {name: CACHE / f"gpt2.{case}.{name}.npy" for name in inputs}
    for name, path in files.items():
        np.save(path, inputs[name])
    file = CACHE / "gpt2.safetensors"
    save_file(weights, file)
    return [Function(tdc, BENCH / "programs/gpt2.tdsl", case, files, ["logits", "keys", "values"],
                     ["--weights", file])]


def peers(case):
    return [Worker(name, "infer.py", f"gpt2/{case}") for name in PEERS]


def work(case):
    return gpt2.work(case)


def judge(case, output):
    """Compares with NumPy in f64."""
    return compare(output, exact(gpt2, case))
