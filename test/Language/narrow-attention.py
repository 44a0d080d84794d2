"""Attention of f16 and bf16 against NumPy: scores in f32, weights of the dtype."""

import pathlib
import subprocess
import tempfile

import ml_dtypes
import numpy as np

PROGRAM = """let n = (arange({count}.0) * 0.618) % 1.0
let x = (n * 4.0 - 2.0).to({dtype}).reshape(3, 8, 16)
let y = scaled_dot_product_attention(x, x[tensor([2, 0, 1])] * 2.0, x + 0.5{mask})
save("x.npy", x.float())
save("y.npy", y.float())
"""
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


def attention(x, dtype, mask, rounds):
    """As the program has it; `rounds`: weights are rounded to the dtype."""
    def narrow(array):
        return array.astype(dtype).astype(np.float32)
    query, key, value = x, narrow(x[[2, 0, 1]] * 2), narrow(x + 0.5)
    scores = query @ key.transpose(0, 2, 1) * np.float32(0.25)
    if mask:
        scores = np.where(np.tri(8, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return narrow((narrow(weights) if rounds else weights) @ value)


def check(dtype, mask, options):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.tdsl"
        program.write_text(PROGRAM.format(
            count=3 * 8 * 16, dtype=dtype, mask=", is_causal=true" if mask else ""))
        subprocess.run(["tdc", "run", program.name, *options], cwd=folder, check=True)
        x, got = (np.load(pathlib.Path(folder) / f"{name}.npy") for name in "xy")
    wrong = [np.mean(got != attention(x, DTYPES[dtype], mask, rounds)) for rounds in (True, False)]
    # Where the last digit of a sum decides, a few may be rounded the other way.
    assert wrong[0] < 0.02 < wrong[1], (dtype, mask, options, wrong)


for dtype in DTYPES:
    for mask in (False, True):
        check(dtype, mask, ["--device", "cpu"])
        check(dtype, mask, ["--device", "cuda", "--sim-cuda=1"])
print("attention: ok")
