"""The models that are written once for every library, in NumPy: the exact results in f64."""

import numpy as np

from peers import operations_numpy
from peers.networks import forward_of


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

    attention = staticmethod(operations_numpy.attention)

    # Of images:

    @staticmethod
    def images(x):
        return x

    @staticmethod
    def conv(x, weight, bias, stride, padding, groups):
        """With one group, or as many as channels."""
        outputs, _, kernel, _ = weight.shape
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        side = (x.shape[2] - kernel) // stride + 1
        last = stride * (side - 1) + 1
        y = np.zeros((len(x), outputs, side * side))
        for i in range(kernel):
            for j in range(kernel):
                part = x[:, :, i:i + last:stride, j:j + last:stride].reshape(*x.shape[:2], -1)
                if groups == 1:
                    y += weight[:, :, i, j] @ part
                else:
                    y += weight[:, :, i, j] * part
        if bias is not None:
            y += bias[:, None]
        return y.reshape(len(x), outputs, side, side)

    @staticmethod
    def batch_norm(x, weight, bias, mean, variance, epsilon):
        scale = weight / (variance + epsilon) ** 0.5
        return x * scale[:, None, None] + (bias - mean * scale)[:, None, None]

    @staticmethod
    def relu(x):
        return np.maximum(x, 0)

    @staticmethod
    def relu6(x):
        return np.clip(x, 0, 6)

    @staticmethod
    def max_pool(x, kernel, stride, padding):
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)),
                   constant_values=-np.inf)
        windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (2, 3))
        return windows[:, :, ::stride, ::stride].max((4, 5))

    @staticmethod
    def flat(x):
        return x.reshape(len(x), -1)

    @staticmethod
    def mean(x):
        return x.mean((2, 3))

    @staticmethod
    def positions(x):
        return x.reshape(*x.shape[:2], -1).swapaxes(1, 2)

    @staticmethod
    def prepend(token, x):
        return np.concatenate([np.broadcast_to(token, (len(x), *token.shape[1:])), x], 1)


def exact(model, name):
    def widened(tensor):
        return tensor if np.issubdtype(tensor.dtype, np.integer) else tensor.astype(np.float64)
    inputs, weights = ({name: widened(tensor) for name, tensor in part.items()}
                       for part in model.tensors(name))
    results = forward_of(model, name)(Ops, weights, **inputs)
    return list(results) if isinstance(results, tuple) else [results]
