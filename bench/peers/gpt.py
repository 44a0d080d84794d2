"""A character GPT of the size that nanoGPT trains on a cpu: norms before each part,
attention to earlier characters, the next character to predict."""

from dataclasses import dataclass

import numpy as np


@dataclass
class GPT:
    batches: int = 8
    sentences: int = 12
    tokens: int = 64  # characters of a sentence
    layers: int = 4
    heads: int = 4
    width: int = 128
    words: int = 65  # characters of the alphabet

    program, steps = "gpt", 8  # of tdc, of a call of tdc's
    is_classifier = True
    rate = 1e-3
    watched = "block.0.qkv.weight"
    is_in_numpy, is_in_iree = False, True

    @property
    def operations(self):
        """Of one step: a forward pass and the two products of the gradient of each product."""
        count = self.sentences * self.tokens
        products = 12 * self.layers * self.width**2 + self.width * self.words
        seen = (self.tokens + 1) / 2
        return 3 * 2 * count * (products + 2 * self.layers * self.width * seen)

    def weights(self):
        random, width = np.random.default_rng(0), self.width
        layers = {"qkv": (3 * width, width), "out": (width, width), "up": (4 * width, width),
                  "down": (width, 4 * width)}
        weights = {"tokens.weight": (self.words, width), "places.weight": (self.tokens, width)}
        norms = ["ln"]
        for i in range(self.layers):
            for name, shape in layers.items():
                weights[f"block.{i}.{name}.weight"] = shape
                weights[f"block.{i}.{name}.bias"] = shape[:1]
            norms += [f"block.{i}.ln1", f"block.{i}.ln2"]
        weights["head.weight"] = self.words, width
        drawn = {name: 0.02 * random.standard_normal(shape) for name, shape in weights.items()}
        for name in norms:
            drawn |= {f"{name}.weight": np.ones(width), f"{name}.bias": np.zeros(width)}
        return {name: weight.astype(np.float32) for name, weight in drawn.items()}

    def draw(self, random):
        """All batches: the characters, and those that follow them, in one row a batch."""
        text = random.integers(0, self.words, (self.batches, self.sentences, self.tokens + 1))
        return text[..., :-1].copy(), text[..., 1:].reshape(self.batches, -1)

    def forward(self, ops, w, ids):
        def norm(name, x):
            return ops.layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"], 1e-5)

        def dense(name, x):
            return ops.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])
        x = w["tokens.weight"][ids] + w["places.weight"]
        for i in range(self.layers):
            block = f"block.{i}"
            qkv = dense(f"{block}.qkv", norm(f"{block}.ln1", x))
            q, k, v = (ops.swap(qkv[..., n * self.width:(n + 1) * self.width]
                                .reshape(*ids.shape, self.heads, -1), 1, 2) for n in range(3))
            y = ops.swap(ops.attention(q, k, v, True), 1, 2).reshape(x.shape)
            x = x + dense(f"{block}.out", y)
            y = ops.gelu(dense(f"{block}.up", norm(f"{block}.ln2", x)), False)
            x = x + dense(f"{block}.down", y)
        return ops.linear(norm("ln", x), w["head.weight"]).reshape(-1, self.words)
