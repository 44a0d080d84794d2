"""Compares the weight gradients of blocked-product.tdsl with NumPy's in f64."""

import sys

import numpy as np

ATTRIBUTES = {"rows": (1, 1, 1), "images": (1, 1, 1), "odd": (1, 1, 1), "strided": (2, 2, 1),
              "dilated": (1, 0, 2), "f64": (1, 1, 1), "bf16": (1, 1, 1)}
ERRORS = {"f64": 1e-14, "bf16": 4e-3}

for name, (stride, padding, dilation) in ATTRIBUTES.items():
    x, d, got = (np.load(f"{sys.argv[1]}/{name}.{part}.npy") for part in "xdw")
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    height, width = d.shape[2:]
    want = np.zeros(got.shape)
    for i in range(got.shape[2]):
        for j in range(got.shape[3]):
            rows = slice(i * dilation, i * dilation + stride * height, stride)
            columns = slice(j * dilation, j * dilation + stride * width, stride)
            want[:, :, i, j] = np.einsum("nfhw,nchw->fc", d, x[:, :, rows, columns])
    error = np.abs(got - want).max() / np.abs(want).max()
    assert error < ERRORS.get(name, 1e-6), (name, error)
