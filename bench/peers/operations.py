"""The cases of `operations`: one operation each, as .tdsl writes it, and its tensors.

`inputs` change from call to call; `weights` are constants of the peers' models, which
may store them in another order, as the weights of a trained model.
"""

import math
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np


@dataclass
class Operation:
    kind: str
    text: str
    inputs: dict  # names and shapes
    operations: float
    weights: dict = field(default_factory=dict)
    dtype: str = "f32"
    functions: str = ""  # that `text` calls


def product(m, k, n, dtype="f32"):
    return Operation("product", "a @ b", {"a": (m, k), "b": (k, n)}, 2 * m * k * n, dtype=dtype)


def transposed(m, k, n):
    """The order of the weight of a Linear."""
    return Operation("transposed", "a @ b.T", {"a": (m, k), "b": (n, k)}, 2 * m * k * n)


def linear(m, k, n, dtype):
    """A Linear whose weight is a constant."""
    return Operation("linear", "linear(x, w)", {"x": (m, k)}, 2 * m * k * n,
                     weights={"w": (n, k)}, dtype=dtype)


def rows(kind, text, m, n, operations, **others):
    return Operation(kind, text, {"x": (m, n), **others}, operations * m * n)


def convolution(channels, side, filters):
    return Operation(
        "convolution", "conv2d(x, w, b, padding=1)", {"x": (1, channels, side, side)},
        2 * 9 * channels * filters * side**2,
        weights={"w": (filters, channels, 3, 3), "b": (filters,)})


def attention(tokens, size):
    """One causal head. Half of the products of queries and keys are needed."""
    shapes = dict.fromkeys("qkv", (1, 1, tokens, size))
    return Operation("attention", "scaled_dot_product_attention(q, k, v, is_causal=true)",
                     shapes, 2 * tokens**2 * size)


GRADIENTS = """fn gradients(q, k, v, g) {
    let y = (scaled_dot_product_attention(q, k, v, is_causal=true) * g).sum()
    return stack([grad(y, q), grad(y, k), grad(y, v)])
}"""


def gradient(heads, tokens, size):
    """Those of a causal attention, which computes five products, of which half is needed."""
    shapes = dict.fromkeys("qkvg", (1, heads, tokens, size))
    return Operation("gradient", "gradients(q, k, v, g)", shapes, 5 * heads * tokens**2 * size,
                     functions=GRADIENTS)


PRODUCTS = [
    *[(n, n, n) for n in (16, 32, 64, 128, 256, 512, 1024, 2048)],
    (20, 10, 50), (100, 10, 50), (8, 64, 128), (128, 64, 8), (128, 32, 100), (17, 33, 65),
    (128, 784, 512), (128, 384, 1536),
    *[(m, 768, 3072) for m in (1, 2, 3, 4, 5, 8, 12, 16, 24, 32)],
]
CASES = {
    **{f"product-{m}x{k}x{n}": product(m, k, n) for m, k, n in PRODUCTS},
    **{f"transposed-{m}x768x3072": transposed(m, 768, 3072)
       for m in (1, 2, 3, 4, 5, 8, 12, 16, 24, 32)},
    **{f"bf16-{n}x{n}x{n}": product(n, n, n, "bf16") for n in (256, 512, 1024)},
    **{f"linear-bf16-{m}x768x3072": linear(m, 768, 3072, "bf16")
       for m in (1, 8, 32, 128)},
    **{f"softmax-{m}x{n}": rows("softmax", "softmax(x, dim=1)", m, n, 4)
       for m, n in ((1536, 128), (1024, 1024))},
    **{f"layernorm-{m}x{n}":
       rows("layernorm", f"layer_norm(x, [{n}], weight=g, bias=b)", m, n, 8, g=(n,), b=(n,))
       for m, n in ((1024, 768), (128, 384))},
    **{f"gelu-{m}x{n}": rows("gelu", "gelu(x + b)", m, n, 10, b=(n,))
       for m, n in ((1024, 3072), (128, 1536))},
    "chain-1024x1024": rows("chain", "relu(x * 2.0 + y) * sigmoid(y) - x", 1024, 1024, 8,
                            y=(1024, 1024)),
    "sum-1024x1024": rows("sum", "x.sum(1)", 1024, 1024, 1),
    **{f"convolution-{channels}-{side}-{filters}": convolution(channels, side, filters)
       for channels, side, filters in ((64, 56, 64), (128, 28, 128), (256, 14, 256),
                                       (512, 7, 512), (3, 224, 64))},
    "attention-4096x64": attention(4096, 64),
    "gradient-8x2048x64": gradient(8, 2048, 64),
}


def tensors(case):
    """The inputs and the weights, as dictionaries of arrays."""
    operation, random = CASES[case], np.random.default_rng(9)
    dtype = ml_dtypes.bfloat16 if operation.dtype == "bf16" else np.float32

    def draw(shapes, scale):
        return {name: (scale * random.standard_normal(shape, dtype=np.float32)).astype(dtype)
                for name, shape in shapes.items()}
    return draw(operation.inputs, np.float32(1)), draw(operation.weights, np.float32(0.05))


def bytes_of(case):
    """What it reads and writes."""
    operation = CASES[case]
    shapes = operation.inputs | operation.weights
    first, *_ = shapes.values()
    *_, last = shapes.values()
    result = {"product": (first[0], last[-1]), "transposed": (first[0], last[0]),
              "linear": (first[0], last[0]), "sum": first[:1], "gradient": (3, *first),
              "convolution": (*last, *first[2:])}.get(operation.kind, first)
    size = 2 if operation.dtype == "bf16" else 4
    return size * sum(math.prod(shape) for shape in [*shapes.values(), result])
