"""A decoder as large as GPT-2 small, with random weights. No peer copies the cache: the
scores of the cached keys and of the new one are computed apart."""

import ml_dtypes
import numpy as np

CASES = {"decode": 1, "decode-bf16": 1, "prefill": 128}  # the tokens
LAYERS, WIDTH, HEADS, WORDS, PLACES, CACHED = 12, 768, 12, 50257, 1024, 256


def tensors(case):
    random = np.random.default_rng(8)

    def draw(*shape):
        return random.standard_normal(shape, dtype=np.float32)
    shapes = {"tokens.weight": (WORDS, WIDTH), "places.weight": (PLACES, WIDTH),
              "ln.weight": (WIDTH,), "ln.bias": (WIDTH,)}
    for i in range(LAYERS):
        for name, outputs, inputs in (("attention.qkv", 3, 1), ("attention.out", 1, 1),
                                      ("up", 4, 1), ("down", 1, 4)):
            shapes[f"block.{i}.{name}.weight"] = outputs * WIDTH, inputs * WIDTH
            shapes[f"block.{i}.{name}.bias"] = (outputs * WIDTH,)
        for name in "ln1", "ln2":
            shapes |= {f"block.{i}.{name}.weight": (WIDTH,), f"block.{i}.{name}.bias": (WIDTH,)}
    weights = {name: draw(*shape) * np.float32(0.02) for name, shape in shapes.items()}
    for name, weight in weights.items():
        if ".ln" in f".{name}" and name.endswith("weight"):
            weight += 1
    inputs = {"ids": random.integers(0, WORDS, (1, CASES[case]))}
    if case.startswith("decode"):
        inputs |= {name: draw(LAYERS, HEADS, CACHED, WIDTH // HEADS) for name in ("keys", "values")}
    if is_bf16(case):
        inputs, weights = ({name: array if name == "ids" else array.astype(ml_dtypes.bfloat16)
                            for name, array in part.items()} for part in (inputs, weights))
    return inputs, weights


def is_bf16(case):
    return case.endswith("bf16")


def work(case):
    """Operations, and bytes read: those of the weights and of the cache."""
    count = CASES[case]
    is_decode = case.startswith("decode")
    seen = CACHED + 1 if is_decode else count
    operations = 2 * LAYERS * 12 * WIDTH**2 * count + 2 * WORDS * WIDTH
    cache = 2 * LAYERS * CACHED * WIDTH if is_decode else 0
    return operations + 4 * LAYERS * count * WIDTH * seen, \
        (2 if is_bf16(case) else 4) * (LAYERS * 12 * WIDTH**2 + WORDS * WIDTH + cache)


def forward(ops, w, ids, keys=None, values=None):
    def norm(name, x):
        return ops.layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"], 1e-5)

    def dense(name, x):
        return ops.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])
    count = ids.shape[1]
    first = 0 if keys is None else CACHED
    x = w["tokens.weight"][ids[0]] + w["places.weight"][first:first + count]
    new_keys, new_values = [], []
    for i in range(LAYERS):
        block = f"block.{i}"
        qkv = dense(f"{block}.attention.qkv", norm(f"{block}.ln1", x))
        q, k, v = (ops.swap(qkv[:, n * WIDTH:(n + 1) * WIDTH].reshape(count, HEADS, -1), 0, 1)
                   for n in range(3))
        new_keys.append(k)
        new_values.append(v)
        if keys is None:
            y = ops.attention(q[None], k[None], v[None], True)[0]
        else:
            scores = ops.cat([q @ ops.swap(keys[i], 1, 2), q @ ops.swap(k, 1, 2)]) / 8.0
            p = ops.softmax(scores)
            y = p[..., :CACHED] @ values[i] + p[..., CACHED:] @ v
        x = x + dense(f"{block}.attention.out", ops.swap(y, 0, 1).reshape(count, WIDTH))
        y = ops.gelu(dense(f"{block}.up", norm(f"{block}.ln2", x)), True)
        x = x + dense(f"{block}.down", y)
    logits = ops.linear(norm("ln", x[-1:]), w["tokens.weight"])
    return logits, ops.stack(new_keys), ops.stack(new_values)
