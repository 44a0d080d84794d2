"""Weights of a stack of Linear layers, with PyTorch's distribution."""

from itertools import pairwise

import numpy as np


def initial_weights(*sizes):
    """For sizes 10, 50, 1: fc1.weight [50, 10], fc1.bias, fc2.weight, fc2.bias."""
    random = np.random.default_rng(0)
    weights = {}
    for layer, (inputs, outputs) in enumerate(pairwise(sizes), 1):
        bound = inputs ** -0.5
        for name, shape in ("weight", (outputs, inputs)), ("bias", (outputs,)):
            weights[f"fc{layer}.{name}"] = random.uniform(-bound, bound, shape).astype(np.float32)
    return weights
