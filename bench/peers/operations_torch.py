"""The operations as modules of PyTorch."""

import torch
from torch.nn.functional import (
    conv2d, gelu, layer_norm, linear, scaled_dot_product_attention, softmax)

from peers import operations
from peers.networks_torch import tensor


def gradient(q, k, v, g):
    with torch.inference_mode(False), torch.enable_grad():
        inputs = [x.detach().requires_grad_() for x in (q, k, v)]
        y = scaled_dot_product_attention(*inputs, is_causal=True)
        return torch.stack(torch.autograd.grad(y, inputs, g))


FUNCTIONS = {
    "product": lambda a, b: a @ b,
    "transposed": lambda a, b: a @ b.T,
    "linear": linear,
    "softmax": lambda x: softmax(x, -1),
    "layernorm": lambda x, g, b: layer_norm(x, g.shape, g, b),
    "gelu": lambda x, b: gelu(x + b),
    "chain": lambda x, y: torch.relu(x * 2.0 + y) * torch.sigmoid(y) - x,
    "sum": lambda x: x.sum(-1),
    "convolution": lambda x, w, b: conv2d(x, w, b, padding=1),
    "gradient": gradient,
    "attention": lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True),
}


class Operation(torch.nn.Module):
    def __init__(self, function, weights):
        super().__init__()
        self.function, self.names = function, list(weights)
        for name, weight in weights.items():
            self.register_buffer(name, tensor(weight))

    def forward(self, *inputs):
        return self.function(*inputs, *(getattr(self, name) for name in self.names))


def module(case):
    return Operation(FUNCTIONS[operations.CASES[case.name].kind], operations.tensors(case.name)[1])
