"""The operations as functions of JAX, of the weights and the inputs."""

import jax
import jax.numpy as jnp

from peers import operations


def layernorm(_, x, g, b):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b


def convolution(weights, x):
    """The order of channels that XLA prefers."""
    y = jax.lax.conv_general_dilated(x, weights["w"], (1, 1), ((1, 1), (1, 1)),
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + weights["b"]


def attention(_, *inputs):
    q, k, v = (x.transpose(0, 2, 1, 3) for x in inputs)
    return jax.nn.dot_product_attention(q, k, v, is_causal=True).transpose(0, 2, 1, 3)


def gradient(_, *inputs):
    *inputs, g = inputs
    y, backward = jax.vjp(lambda *inputs: attention(_, *inputs), *inputs)
    return jnp.stack(backward(g))


FUNCTIONS = {
    "product": lambda _, a, b: a @ b,
    "transposed": lambda _, a, b: a @ b.T,
    "linear": lambda weights, x: x @ weights["w"].T,
    "softmax": lambda _, x: jax.nn.softmax(x, -1),
    "layernorm": layernorm,
    "gelu": lambda _, x, b: jax.nn.gelu(x + b, approximate=False),
    "chain": lambda _, x, y: jnp.maximum(x * 2.0 + y, 0) * jax.nn.sigmoid(y) - x,
    "sum": lambda _, x: x.sum(-1),
    "convolution": convolution,
    "attention": attention,
    "gradient": gradient,
}


def function(case):
    kind, weights = operations.CASES[case.name].kind, operations.tensors(case.name)[1]
    if kind == "convolution":
        weights["w"] = weights["w"].transpose(2, 3, 1, 0)
    return FUNCTIONS[kind], weights


def inputs_of(case, inputs):
    if operations.CASES[case.name].kind == "convolution":
        inputs["x"] = inputs["x"].transpose(0, 2, 3, 1)
    return inputs


def results_of(case, results):
    if operations.CASES[case.name].kind == "convolution":
        return [result.transpose(0, 3, 1, 2) for result in results]
    return results
