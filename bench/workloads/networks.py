"""The parts that all models share: their inputs and weights as files for tdc, and the peers that
run `peers/infer.py`."""

import numpy as np
from safetensors.numpy import save_file

from measure import CACHE, Worker

PEERS = ["torch", "torch-compile", "jax", "iree", "onnxruntime", "openvino"]
PEERS_OF_BF16 = ["torch", "torch-compile", "jax"]


def save(name, network, case):
    """Returns the files of the inputs by name, and the file of the weights."""
    inputs, weights = network.tensors(case)
    files = {key: CACHE / f"{name}.{case}.{key}.npy" for key in inputs}
    for key, path in files.items():
        np.save(path, inputs[key])
    file = CACHE / f"{name}.safetensors"
    save_file(weights, file)
    return files, file


def peers(name, case, names=PEERS):
    return [Worker(peer, "infer.py", f"{name}/{case}") for peer in names]
