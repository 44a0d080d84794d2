"""Tests against NumPy that layers and convolutions of f16 and bf16 are rounded once, after
the bias."""

import pathlib
import subprocess
import tempfile

import ml_dtypes
import numpy as np

PROGRAM = """let n = (arange(10240.0) * 0.618) % 1.0
let x = (n * 4.0 - 2.0).to({dtype}).reshape(16, 64, 10)
let w = ((n[:6144] * 7.31) % 1.0 - 0.4).to({dtype}).reshape(32, 64, 3)
let b = ((n[:32] * 3.7) % 1.0 * 9.0 - 4.0).to({dtype})
save("x.npy", x.float())
save("w.npy", w.float())
save("b.npy", b.float())
save("linear.npy", linear(x[:, :, 0], w[:, :, 0], b).float())
save("conv1d.npy", conv1d(x, w, b).float())
save("conv2d.npy", conv2d(x.unsqueeze(2), w.unsqueeze(2), b).float())
save("transposed.npy", conv_transpose1d(x, w[:, :, :1].transpose(0, 1), b).float())
model Layer {{
    conv = Conv1d(64, 32, 3).to({dtype})
    fn forward(x) = self.conv(x)
}}
var layer = Layer()
layer.conv.weight = w
layer.conv.bias = b
save("layer.npy", layer(x).float())
"""
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


def products(x, w):
    """What the program saves, before the bias is added, in f64."""
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, 2)
    convolved = np.einsum("nctk,ock->not", windows, w)
    return {"linear": x[:, :, 0] @ w[:, :, 0].T, "conv1d": convolved, "layer": convolved,
            "conv2d": convolved[:, :, None], "transposed": np.einsum("nct,oc->not", x, w[:, :, 0])}


def check(dtype, options):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.tdsl"
        program.write_text(PROGRAM.format(dtype=dtype))
        subprocess.run(["tdc", "run", program.name, *options], cwd=folder, check=True)
        got = {path.stem: np.load(path).astype(np.float64)
               for path in pathlib.Path(folder).glob("*.npy")}

    def narrow(array):
        return array.astype(np.float32).astype(DTYPES[dtype]).astype(np.float64)
    for name, product in products(got["x"], got["w"]).items():
        bias = got["b"] if name == "linear" else got["b"].reshape(-1, *[1] * (product.ndim - 2))
        once, twice = (np.mean(got[name] != narrow(sums + bias))
                       for sums in (product, narrow(product)))
        # The order of a sum decides a few results that lie between two numbers.
        assert once < 0.02 and twice > 0.1, (dtype, options, name, once, twice)


for each in DTYPES:
    for place in [], ["--device=cuda", "--sim-cuda=1"]:
        check(each, place)
