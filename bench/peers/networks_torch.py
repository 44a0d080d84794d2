"""The models that are written once for every library, as modules of PyTorch."""

import numpy as np
import torch
from torch.nn import functional

from peers.networks import SentenceOps, forward_of


class Ops(SentenceOps):
    """What the models call."""
    linear = staticmethod(functional.linear)
    relu = staticmethod(torch.relu)
    stack = staticmethod(torch.stack)

    @staticmethod
    def swap(x, first, second):
        return x.transpose(first, second)

    @staticmethod
    def cat(tensors):
        return torch.cat(tensors, -1)

    @staticmethod
    def softmax(x):
        return torch.softmax(x, -1)

    @staticmethod
    def layer_norm(x, weight, bias, epsilon):
        return functional.layer_norm(x, weight.shape, weight, bias, epsilon)

    @staticmethod
    def gelu(x, is_approximate):
        return functional.gelu(x, approximate="tanh" if is_approximate else "none")

    @staticmethod
    def attention(q, k, v, is_causal):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    # Of images:
    relu6 = staticmethod(functional.relu6)
    max_pool = staticmethod(functional.max_pool2d)

    @staticmethod
    def images(x):
        return x

    @staticmethod
    def conv(x, weight, bias, stride, padding, groups):
        return functional.conv2d(x, weight, bias, stride, padding, groups=groups)

    @staticmethod
    def batch_norm(x, weight, bias, mean, variance, epsilon):
        return functional.batch_norm(x, mean, variance, weight, bias, eps=epsilon)

    @staticmethod
    def norm_batch(x, weight, bias, epsilon):
        """By the mean and variance of the batch."""
        return functional.batch_norm(x, None, None, weight, bias, training=True, eps=epsilon)

    @staticmethod
    def flat(x):
        return x.flatten(1)

    @staticmethod
    def mean(x):
        return x.mean((2, 3))

    @staticmethod
    def positions(x):
        return x.flatten(2).transpose(1, 2)

    @staticmethod
    def prepend(token, x):
        return torch.cat([token.expand(len(x), -1, -1), x], 1)


def tensor(array):
    """A tensor with the array's memory. PyTorch does not know NumPy's bf16."""
    if array.dtype == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


class Network(torch.nn.Module):
    def __init__(self, forward, weights, is_trained=False):
        super().__init__()
        self.function, self.names = forward, list(weights)
        self.weights = torch.nn.ParameterList(
            torch.nn.Parameter(tensor(weight), requires_grad=is_trained)
            for weight in weights.values())

    def named(self):
        return dict(zip(self.names, self.weights))

    def forward(self, *inputs):
        return self.function(Ops, self.named(), *inputs)


def module(case):
    return Network(forward_of(case.model, case.name), case.model.tensors(case.name)[1])
