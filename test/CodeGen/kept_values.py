"""Compares what kept-values.tdsl saved with NumPy."""

import sys

import numpy as np


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy").astype(np.float64)


def parts(powers, axis):
    return powers / powers.sum(axis, keepdims=True)


def check(name, want, error):
    difference = np.abs(load(name) - want).max()
    assert difference <= error, f"{name}: {difference}"


x, w, y, z = (load(name) for name in "xwyz")
check("largest", np.exp(x).max(1), 1e-5)
check("parts", parts(np.exp(x), 1), 1e-7)
check("weighted", (np.exp(x / 2) * w).sum(1), 1e-4)
check("weighted_parts", parts(np.exp(x / 2), 1), 1e-7)
sums = np.exp(y).sum(2)
check("transposed", np.exp(y) / sums.T[:, :, None], 1e-6)
check("diagonal", np.exp(y / 2) / np.exp(y / 2).sum(2).diagonal()[:, None, None], 1e-6)
check("columns", np.exp(z) / np.exp(z).sum(1), 1e-6)
check("two", parts(np.exp(z), 1) + np.tanh(z) / (np.tanh(z).sum(1, keepdims=True) + 100), 1e-6)
check("softmax_transposed", parts(np.exp(z), 1).T, 1e-7)
check("bf16", parts(np.exp(z), 1), 4e-3)
check("f64", parts(np.exp(z), 1), 1e-15)
