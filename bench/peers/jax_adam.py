"""Adam in JAX, with PyTorch's formula."""

import jax
import jax.numpy as jnp


def start(parameters):
    """The state: parameters, mean gradients, mean squares, number of steps."""
    def zeros():
        return jax.tree.map(jnp.zeros_like, parameters)
    return parameters, zeros(), zeros(), jnp.int32(0)


def update(state, gradients, rate):
    parameters, means, squares, steps = state
    steps = steps + 1
    rate = rate / (1 - 0.9 ** steps)
    correction = jnp.sqrt(1 - 0.999 ** steps)
    means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradients)
    squares = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, squares, gradients)
    parameters = jax.tree.map(
        lambda p, m, v: p - rate * m / (jnp.sqrt(v) / correction + 1e-8),
        parameters, means, squares)
    return parameters, means, squares, steps
