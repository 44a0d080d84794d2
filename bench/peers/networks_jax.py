"""The models that are written once for PyTorch and JAX, as functions of JAX."""

import jax
import jax.numpy as jnp
import numpy as np


class Ops:
    """What the models call. The weights of `linear` are transposed beforehand, except
    for the table of tokens."""
    stack = staticmethod(jnp.stack)
    swap = staticmethod(jnp.swapaxes)

    @staticmethod
    def linear(x, weight, bias=None):
        return x @ weight.T if bias is None else x @ weight + bias

    @staticmethod
    def cat(arrays):
        return jnp.concatenate(arrays, -1)

    @staticmethod
    def softmax(x):
        return jax.nn.softmax(x, -1)

    @staticmethod
    def layer_norm(x, weight, bias, epsilon):
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + epsilon) \
            * weight + bias

    @staticmethod
    def gelu(x, is_approximate):
        return jax.nn.gelu(x, approximate=is_approximate)

    @staticmethod
    def attention(q, k, v, is_causal):
        scores = q @ jnp.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
        if is_causal:
            scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e30)
        return jax.nn.softmax(scores, -1) @ v


def function(case):
    weights = case.model.tensors(case.name)[1]
    for name, weight in weights.items():
        if name.removesuffix("weight") + "bias" in weights and weight.ndim == 2:
            weights[name] = np.ascontiguousarray(weight.T)
    return lambda weights, *inputs: case.model.forward(Ops, weights, *inputs), weights


def inputs_of(_, inputs):
    inputs["ids"] = inputs["ids"].astype(np.int32)
    return inputs


def results_of(_, results):
    return results
