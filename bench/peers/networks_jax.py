"""The models that are written once for every library, as functions of JAX."""

import jax
import jax.numpy as jnp
import numpy as np

from peers.networks import SentenceOps, forward_of


class Ops(SentenceOps):
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

    # Of images, with the channels last, as XLA prefers:
    relu6 = staticmethod(jax.nn.relu6)

    @staticmethod
    def images(x):
        return x.transpose(0, 2, 3, 1)

    @staticmethod
    def conv(x, weight, bias, stride, padding, groups):
        y = jax.lax.conv_general_dilated(x, weight, (stride, stride), ((padding, padding),) * 2,
                                         dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                         feature_group_count=groups)
        return y if bias is None else y + bias

    @staticmethod
    def batch_norm(x, weight, bias, mean, variance, epsilon):
        scale = weight * jax.lax.rsqrt(variance + epsilon)
        return x * scale + (bias - mean * scale)

    @staticmethod
    def norm_batch(x, weight, bias, epsilon):
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return Ops.batch_norm(x, weight, bias, mean, variance, epsilon)

    @staticmethod
    def max_pool(x, kernel, stride, padding):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, kernel, kernel, 1),
                                     (1, stride, stride, 1),
                                     ((0, 0), (padding, padding), (padding, padding), (0, 0)))

    @staticmethod
    def flat(x):
        return x.transpose(0, 3, 1, 2).reshape(len(x), -1)

    @staticmethod
    def mean(x):
        return x.mean((1, 2))

    @staticmethod
    def positions(x):
        return x.reshape(len(x), -1, x.shape[-1])

    @staticmethod
    def prepend(token, x):
        return jnp.concatenate([jnp.broadcast_to(token, (len(x), *token.shape[1:])), x], 1)


def weights_of(weights):
    """Transposes the weights of layers to [in, out], and those of convolutions to [height, width,
    in, out], as is usual in JAX. A matrix without a bias stays: it may be an embedding."""
    def ordered(name, weight):
        if weight.ndim == 4:
            return np.ascontiguousarray(weight.transpose(2, 3, 1, 0))
        is_layer = name.removesuffix("weight") + "bias" in weights and weight.ndim == 2
        return np.ascontiguousarray(weight.T) if is_layer else weight
    return {name: ordered(name, weight) for name, weight in weights.items()}


def function(case):
    weights = weights_of(case.model.tensors(case.name)[1])
    forward = forward_of(case.model, case.name)
    return lambda weights, *inputs: forward(Ops, weights, *inputs), weights


def inputs_of(_, inputs):
    if "ids" in inputs:
        inputs["ids"] = inputs["ids"].astype(np.int32)
    return inputs


def results_of(_, results):
    return results
