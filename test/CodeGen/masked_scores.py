"""Calls the functions of masked-scores.tdsl, and compares their results with NumPy's in f64."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

program, folder = sys.argv[1], Path(f"{sys.argv[1]}.data")
folder.mkdir(exist_ok=True)
random = np.random.default_rng(41)
inputs = {name: random.standard_normal((1, 2, 1024, 1024 if name == "b" else 16), dtype=np.float32)
          for name in "qkvb"}
for name, value in inputs.items():
    np.save(folder / f"{name}.npy", value)


def call(name, parameters, threads):
    command = [program, "--fn", name, "--out", f"result={folder}/result.npy"]
    for parameter in parameters:
        command += ["--in", f"{parameter}={folder}/{parameter}.npy"]
    subprocess.run(command, check=True, env=os.environ | {"TDC_THREADS": str(threads)})
    return np.load(folder / "result.npy")


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def masked(scores, number):
    return np.where(np.tri(1024, dtype=bool), scores, number)


def attend(scores):
    return softmax(masked(scores, -np.inf)) @ v


q, k, v, b = (value.astype(np.float64) for value in inputs.values())
scores = q @ k.swapaxes(2, 3)
deviations = np.tanh(b) - np.tanh(b).mean(3, keepdims=True)
EXPECTED = {
    "plain": ("qkv", attend(scores)),
    "transposed": ("qkv", attend(scores)),
    "flat": ("qkv", attend(scores)[:, 0]),
    "deep": ("qkv", attend(scores)),
    "shared": ("qkv", attend(scores[:, :1])),
    "heads": ("qkv", np.exp(scores[:, :1] * 0.1) @ v),
    "none": ("qkv", np.zeros((1024, 16))),
    "biased": ("qkbv", attend(scores + b.swapaxes(2, 3))),
    "added": ("qkbv", attend(scores + b)),
    "roots": ("bv", masked(np.sqrt(softmax(b)), 0) @ v),
    "means": ("bv", masked(np.exp(deviations), 0) @ v),
    "maxima": ("bv", masked(np.exp(b - b.max(3, keepdims=True)), 0) @ v),
}
for name, (parameters, want) in EXPECTED.items():
    got = call(name, parameters, 1)
    assert got.tobytes() == call(name, parameters, 3).tobytes(), name
    assert got.shape == want.shape, f"{name}: {got.shape}, not {want.shape}"
    error = np.abs(got - want).max() / (np.abs(want).max() + 1)
    assert error < 5e-6, f"{name}: {error}"
