"""The loops in JAX, each a single jitted call."""

import gc
import sys

import jax
import jax.numpy as jnp

from server import serve

assert jax.default_backend() == {"cuda": "gpu", "cpu": "cpu"}[sys.argv[1]]
DTYPES = {"": jnp.float32, "f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16}


def keys():
    """An endless sequence of keys for random numbers."""
    key = jax.random.key(0)
    while True:
        key, one = jax.random.split(key)
        yield one


KEYS = keys()


def randn(*shape, dtype=jnp.float32):
    return jax.random.normal(next(KEYS), shape, dtype)


def randint(end, shape):
    return jax.random.randint(next(KEYS), shape, 0, end)


def linear(inputs, outputs, dtype=jnp.float32):
    bound = inputs ** -0.5
    return {"w": jax.random.uniform(next(KEYS), (inputs, outputs), dtype, -bound, bound),
            "b": jnp.zeros(outputs, dtype)}


def apply(layer, x):
    return x @ layer["w"] + layer["b"]


def norm(x, layer):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * layer["w"] + layer["b"]


def cross_entropy(x, classes):
    return -jnp.take_along_axis(jax.nn.log_softmax(x, 1), classes[:, None], 1).mean()


def adam(parameters, moments, gradients, step, decay=0.0):
    """Kingma and Ba, Adam, 2015, with the usual constants; `decay` is AdamW's weight decay."""
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)

    def update(p, m, v):
        return p * (1 - 1e-3 * decay) - 1e-3 * (m / (1 - 0.9 ** step)) / (
            jnp.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
    return jax.tree.map(update, parameters, first, second), (first, second)


def make_transformer(op, tokens, width, heads, layers, vocabulary):
    """(parameters, the model as a function of them and the tokens)."""
    ones = {"w": jnp.ones(width), "b": jnp.zeros(width)}
    blocks = [{"norm1": ones, "norm2": ones, "qkv": linear(width, 3 * width),
               "out": linear(width, width), "up": linear(width, 4 * width),
               "down": linear(4 * width, width)} for _ in range(layers)]
    parameters = {"words": randn(vocabulary, width), "positions": randn(tokens, width),
                  "blocks": blocks, "norm": ones,
                  "head": linear(width, vocabulary if op == "gpt" else width)["w"]}

    def attention(block, x):
        q, k, v = jnp.moveaxis(
            apply(block["qkv"], x).reshape(*x.shape[:2], 3, heads, width // heads), 2, 0)
        y = jax.nn.dot_product_attention(q, k, v, is_causal=op == "gpt")
        return apply(block["out"], y.reshape(x.shape))

    def inner(block, x):
        return apply(block["down"], jax.nn.gelu(apply(block["up"], x), approximate=False))

    def forward(parameters, ids):
        x = parameters["words"][ids] + parameters["positions"]
        for block in parameters["blocks"]:
            if op == "gpt":
                x = x + attention(block, norm(x, block["norm1"]))
                x = x + inner(block, norm(x, block["norm2"]))
            else:
                x = norm(x + attention(block, x), block["norm1"])
                x = norm(x + inner(block, x), block["norm2"])
        return norm(x, parameters["norm"]) @ parameters["head"]
    return parameters, forward


def make_training(op, batch=0, tokens=0, width=0, heads=0, layers=0, vocabulary=0, n=0):
    """The step of a model: loss, gradients, Adam."""
    if op in ("simple model", "mlp"):
        sizes = [10, 50, 1] if op == "simple model" else [n] * 4
        parameters = [linear(*pair) for pair in zip(sizes, sizes[1:])]
        rows = 100 if op == "simple model" else n
        x, y = randn(rows, sizes[0]), randn(rows, sizes[-1])

        def loss_of(parameters):
            h = x
            for layer in parameters[:-1]:
                h = jax.nn.relu(apply(layer, h))
            return ((apply(parameters[-1], h) - y) ** 2).mean()
    else:
        parameters, forward = make_transformer(op, tokens, width, heads, layers, vocabulary)
        ids = randint(vocabulary, (batch, tokens))
        following, meaning = randint(vocabulary, (batch * tokens,)), randn(batch, width)

        def loss_of(parameters):
            z = forward(parameters, ids)
            if op == "gpt":
                return cross_entropy(z.reshape(batch * tokens, vocabulary), following)
            return ((z.mean(1) - meaning) ** 2).mean()
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    decay = 0.01 if op in ("gpt", "minilm") else 0.0

    def step(i, state):
        return adam(*state, jax.grad(loss_of)(state[0]), i + 1.0, decay)
    return (parameters, (zeros, zeros)), step


def make_adam(n):
    gradients = [randn(n, n) for _ in range(24)]
    zeros = [jnp.zeros((n, n)) for _ in range(24)]
    return ([randn(n, n) for _ in range(24)], (zeros, zeros)), \
        lambda i, state: adam(*state, gradients, i + 1.0)


def make_table(op, n, width, vocabulary):
    ids, wide = randint(vocabulary, (n,)), randn(n, width)
    weights = randn(vocabulary, width)
    if op == "embedding":
        return wide, lambda i, x: 0.5 * x + weights[(ids + i) % vocabulary]

    def step(i, weights):
        return weights - 1e-3 * jax.grad(
            lambda weights: (weights[(ids + i) % vocabulary] * wide).sum())(weights)
    return weights, step


def make_chain(op, dtype, n, width, heads=0):
    kind = DTYPES[dtype]
    if op == "linear":
        layer = linear(width, width, kind)
        return randn(n, width, dtype=kind), lambda _, x: apply(layer, x)
    if op.endswith("attention"):
        key, value = (randn(heads, n, heads, width // heads, dtype=kind) for _ in range(2))
        return key, lambda _, x: jax.nn.dot_product_attention(
            x, key, value, is_causal=op.startswith("causal"))
    wide, row = randn(n, width), randn(width)
    classes = randint(width, (n,))
    start = {"sum": wide.mean(), "sum of rows": randn(n), "sum of columns": row}.get(op, wide)
    return start, {
        "gelu": lambda _, x: jax.nn.gelu(x * row + wide, approximate=False),
        "softmax": lambda _, x: jax.nn.softmax(x, 1),
        "layer_norm": lambda _, x: norm(x, {"w": row, "b": row}),
        "transpose": lambda _, x: 0.5 * (x.T + wide),
        "cross_entropy": lambda _, x: x - jax.grad(cross_entropy)(x, classes),
        "sum": lambda _, x: (wide + x).mean(),
        "sum of rows": lambda _, x: (wide + x[:, None]).mean(1),
        "sum of columns": lambda _, x: (wide + x).mean(0)}[op]


def make(workload):
    jax.config.update("jax_default_matmul_precision",
                      "tensorfloat32" if workload.pop("tf32") else "highest")
    dtype = workload.pop("dtype")
    op = workload["op"]
    if op in ("simple model", "mlp", "gpt", "minilm"):
        start, step = make_training(**workload)
    elif op == "adam":
        start, step = make_adam(workload["n"])
    elif op.startswith("embedding"):
        start, step = make_table(**workload)
    else:
        start, step = make_chain(dtype=dtype, **workload)
    loop = jax.jit(lambda iterations, start: jax.lax.fori_loop(0, iterations, step, start))
    return lambda iterations: jax.block_until_ready(loop(iterations, start))


def release():
    jax.clear_caches()
    gc.collect()


serve(make, release)
