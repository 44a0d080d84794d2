"""The models that are written once for PyTorch and JAX, as functions of JAX."""

import jax
import jax.numpy as jnp
import numpy as np


class Ops:
    """What the models call. The weights of `linear` are those of `weights_of`."""
    relu = staticmethod(jax.nn.relu)
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


def weights_of(weights):
    """Transposes the weights of layers to [in, out], as is usual in JAX. A matrix without a bias
    stays: it may be an embedding."""
    def is_layer(name, weight):
        return name.removesuffix("weight") + "bias" in weights and weight.ndim == 2
    return {name: np.ascontiguousarray(weight.T) if is_layer(name, weight) else weight
            for name, weight in weights.items()}


def function(case):
    weights = weights_of(case.model.tensors(case.name)[1])
    return lambda weights, *inputs: case.model.forward(Ops, weights, *inputs), weights


def inputs_of(_, inputs):
    inputs["ids"] = inputs["ids"].astype(np.int32)
    return inputs


def results_of(_, results):
    return results
