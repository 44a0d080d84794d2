"""The loops in JAX, each a single jitted call."""

import jax
import jax.numpy as jnp

from loops import serve

LAYERS = 3


def adam(parameters, moments, gradients, step):
    """Kingma and Ba, Adam, 2015, with the usual constants."""
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
    update = lambda p, m, v: p - 1e-3 * (m / (1 - 0.9 ** step)) / (  # noqa: E731
        jnp.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
    return jax.tree.map(update, parameters, first, second), (first, second)


def make_step(n):
    keys = jax.random.split(jax.random.key(0), LAYERS + 2)
    parameters = [(jax.random.uniform(key, (n, n), minval=-1, maxval=1) * n ** -0.5, jnp.zeros(n))
                  for key in keys[:LAYERS]]
    x, y = jax.random.normal(keys[-1], (n, n)), jax.random.normal(keys[-2], (n, n))
    zeros = jax.tree.map(jnp.zeros_like, parameters)

    def loss_of(parameters):
        h = x
        for layer, (weight, bias) in enumerate(parameters):
            h = h @ weight + bias
            h = jax.nn.relu(h) if layer < LAYERS - 1 else h
        return ((h - y) ** 2).mean()

    def turn(step, state):
        gradients = jax.grad(loss_of)(state[0])
        return adam(*state, gradients, step + 1.0)

    return (parameters, (zeros, zeros)), turn


def make(name, n):
    if name.startswith("training step"):
        start, turn = make_step(n)
    else:
        a = jax.random.normal(jax.random.key(0), (n, n)) * n ** -0.5
        row = jax.random.normal(jax.random.key(1), (n,))
        if name.startswith("matmul"):
            dtype = {"f16": jnp.float16, "bf16": jnp.bfloat16}.get(name.split()[1], jnp.float32)
            precision = "default" if name == "matmul tf32" else "highest"
            a = a.astype(dtype)
            start, turn = a, lambda _, x: jnp.matmul(x, a, precision=precision)
        else:
            start = row if name.startswith("sum") else a
            turn = {"gelu": lambda _, x: jax.nn.gelu(x * row + a, approximate=False),
                    "softmax": lambda _, x: jax.nn.softmax(x, 1),
                    "transpose": lambda _, x: x.T + a,
                    "sum_rows": lambda _, x: (a * x).sum(1),
                    "sum_columns": lambda _, x: (a * x).sum(0),
                    "sum": lambda _, x: row + (a * x).sum()}[name]

    @jax.jit
    def loop(turns, start):
        return jax.lax.fori_loop(0, turns, turn, start)

    return lambda turns: jax.block_until_ready(loop(turns, start))


serve(make, lambda: None)
