"""A whole program: reads the handwritten digits, trains 64-128-10 on 1437 of
them for 20 epochs of batches of 32 with Adam, and tests on the other 360."""

import sys

from measure import BENCH, CACHE, ROOT, Program

CASES = ["digits"]
CHECKED = "accuracy"
LOWEST_ACCURACY = 95.0
PEERS = {
    "numpy": ["digits_numpy.py"],
    "scikit-learn": ["digits_sklearn.py"],
    "jax-loop": ["digits_jax.py", "loop"],
    "jax": ["digits_jax.py", "step"],
    "torch": ["digits_torch.py"],
}


def competitors(case, tdc):
    folder = ROOT / "examples/data/digits"
    source, program = ROOT / "examples/digits.tdsl", CACHE / "digits"
    arguments = ["--data", folder, "--checkpoint", CACHE / "digits.safetensors"]
    peers = [Program(name, [sys.executable, BENCH / "peers" / script, folder, *options])
             for name, (script, *options) in PEERS.items()]
    return [
        Program("tdc build", [program, *arguments], "tdc", [tdc, "build", source, "-o", program]),
        Program("tdc run", [tdc, "run", source, "--", *arguments], "tdc"),
        *peers,
    ]


def judge(case, output):
    return f"{output[0]:.2f} %", output[0] >= LOWEST_ACCURACY
