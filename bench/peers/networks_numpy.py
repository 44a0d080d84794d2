"""The models that are written once for every library, in NumPy: the exact results in f64."""

import numpy as np

from peers import operations_numpy


class Ops:
    """What the models call."""
    layer_norm = staticmethod(operations_numpy.layer_norm)
    softmax = staticmethod(operations_numpy.softmax)
    stack = staticmethod(np.stack)
    swap = staticmethod(np.swapaxes)

    @staticmethod
    def linear(x, weight, bias=0.0):
        return x @ weight.T + bias

    @staticmethod
    def cat(arrays):
        return np.concatenate(arrays, -1)

    @staticmethod
    def gelu(x, is_approximate):
        if is_approximate:
            return x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2
        return operations_numpy.gelu(x)

    @staticmethod
    def attention(q, k, v, is_causal):
        scores = q @ np.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
        if is_causal:
            scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
        return operations_numpy.softmax(scores) @ v


def exact(model, name):
    inputs, weights = ({name: tensor.astype(np.float64) if tensor.dtype == np.float32 else tensor
                        for name, tensor in part.items()} for part in model.tensors(name))
    results = model.forward(Ops, weights, **inputs)
    return list(results) if isinstance(results, tuple) else [results]
