"""Weights and images for the networks of examples/, and what PyTorch computes with them.

usage: models.py make FOLDER     writes NETWORK.safetensors and its images and labels
       models.py check FOLDER [NAME…]     compares all results, or these, with PyTorch's

The weights are random numbers of NumPy; models.json has their names and sizes, models.safetensors
the results. make_models.py, which needs torchvision, writes both.
"""

import json
import sys
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

HERE = Path(__file__).resolve().parent
LIMIT = 1e-4
# Of the images: with others a rounding changes the side of a ReLU, so that the gradient is another.
SEEDS = {"resnet18": 0, "resnet50": 2, "vgg16_bn": 13, "mobilenet_v2": 2, "unet": 2,
         "unet_bilinear": 2}


def numbers(network, name):
    """A stream of its own for every tensor, the same in all versions of NumPy."""
    return np.random.RandomState(zlib.crc32(f"{network} {name}".encode()))


def weight(network, name, shape):
    """Sizes for which f32 suffices: no layer makes values much larger or constant."""
    random = numbers(network, name)
    if name.endswith("num_batches_tracked"):
        return np.array(3)
    if name.endswith("running_mean"):
        return random.uniform(-0.1, 0.1, shape).astype("f4")
    if name.endswith("running_var"):
        return random.uniform(0.5, 1.5, shape).astype("f4")
    if name.endswith("bias"):
        high = 5.0 if network == "mobilenet_v2" else 0.5  # so that some values reach 6, for ReLU6
        return random.uniform(-0.1, high, shape).astype("f4")
    if len(shape) == 1:
        return random.uniform(0.3, 0.9, shape).astype("f4")
    return (random.randn(*shape) * (2.0 / np.prod(shape[1:])) ** 0.5).astype("f4")


def state(network, shapes):
    return {name: weight(network, name, shape) for name, shape in shapes.items()}


def data(network):
    """Images, and the labels for a step of training."""
    if network.startswith("unet"):
        # No multiple of 16, so what is scaled up is padded.
        images = numbers(network, f"images {SEEDS[network]}").randn(2, 3, 36, 24)
        labels = numbers(network, "labels").randint(0, 2, (2, 1, 36, 24)).astype("f4")
    else:
        images = numbers(network, f"images {SEEDS[network]}").randn(4, 3, 48, 48)
        labels = numbers(network, "labels").randint(0, 10, 4)
    return images.astype("f4"), labels


def make(folder):
    for network, shapes in json.loads((HERE / "models.json").read_text()).items():
        save_file(state(network, shapes), f"{folder}/{network}.safetensors")
        images, labels = data(network)
        np.save(f"{folder}/{network}-images.npy", images)
        np.save(f"{folder}/{network}-labels.npy", labels)


def check(folder, *names):
    wanted = load_file(HERE / "models.safetensors")
    problems = []
    for name in names or wanted:
        got, want = np.load(f"{folder}/{name}.npy"), wanted[name]
        if (got.shape, got.dtype) != (want.shape, want.dtype):
            problems.append(f"{name}: {got.dtype}{got.shape}, not {want.dtype}{want.shape}")
            continue
        error = np.max(np.abs(got - want)) / np.max(np.abs(want))
        print(f"{name}: {error:.1e}")
        if not error <= LIMIT:
            problems.append(f"{name}: {error:.1e} off")
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
