"""Tests attention of f16 and bf16 and its gradients against NumPy: scores are f32; weights and
the gradients that are operands of matrix products have the dtype."""

import pathlib
import subprocess
import tempfile

import ml_dtypes
import numpy as np

PROGRAM = """let n = (arange({count}.0) * 0.618) % 1.0
let x = (n * 4.0 - 2.0).to({dtype}).reshape(3, 8, 16)
let q, k, v = x - 0.25, x[tensor([2, 0, 1])] * 2.0, x + 0.5
let y = scaled_dot_product_attention(q, k, v{mask})
let d = ((n * 7.31) % 1.0 - 0.4).reshape(3, 8, 16)
let g = grad((y.float() * d).sum(), [q, k, v])
save("x.npy", x.float())
save("d.npy", d)
save("y.npy", y.float())
save("q.npy", g[0].float())
save("k.npy", g[1].float())
save("v.npy", g[2].float())
"""
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
RESULTS = ("y", "q", "k", "v")


def swap(array):
    return array.transpose(0, 2, 1)


def attention(x, d, dtype, mask, rounds):
    """Returns the arrays that the program saves; `rounds`: operands of products are rounded."""
    def narrow(array):
        return array.astype(dtype).astype(np.float32)

    def factor(array):
        return narrow(array) if rounds else array
    query, key, value = (
        narrow(x - 0.25), narrow(x[[2, 0, 1]] * 2), narrow(x + 0.5))
    scale = np.float32(0.25)
    scores = query @ swap(key) * scale
    if mask:
        scores = np.where(np.tri(8, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    upstream = narrow(d)
    of_weights = factor(upstream @ swap(value))
    of_scores = factor(scale * weights * (
        of_weights - (of_weights * weights).sum(-1, keepdims=True)))
    return {"y": narrow(factor(weights) @ value), "q": narrow(of_scores @ key),
            "k": narrow(swap(of_scores) @ query), "v": narrow(swap(factor(weights)) @ upstream)}


def check(dtype, mask, options):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.tdsl"
        program.write_text(PROGRAM.format(
            count=3 * 8 * 16, dtype=dtype, mask=", is_causal=true" if mask else ""))
        subprocess.run(["tdc", "run", program.name, *options], cwd=folder, check=True)
        got = {path.stem: np.load(path) for path in pathlib.Path(folder).glob("*.npy")}
    for name in RESULTS:
        wrong = [np.mean(got[name] != attention(got["x"], got["d"], DTYPES[dtype], mask,
                                                rounds)[name]) for rounds in (True, False)]
        # A few scores near a rounding boundary may be rounded the other way, each of which
        # changes a row.
        assert wrong[0] < min(0.1, wrong[1] / 5) and wrong[1] > 0.1, (
            dtype, mask, options, name, wrong)


for dtype in DTYPES:
    for mask in (False, True):
        check(dtype, mask, ["--device", "cpu"])
        check(dtype, mask, ["--device", "cuda", "--sim-cuda=1"])
print("attention: ok")
