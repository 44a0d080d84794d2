"""A whole program: reads the handwritten digits, trains 64-128-10 on 1437 of
them for 20 epochs of batches of 32 with Adam, and tests on the other 360. `built`: the program that
`tdc build` makes; `run`: `tdc run`, which compiles it each time."""

import sys

from measure import BENCH, CACHE, ROOT, Program

CASES = ["built", "run"]
CHECKED = "accuracy"
LOWEST_ACCURACY = 95.0
DATA = ROOT / "examples/data/digits"
PEERS = {
    "numpy": ["digits_numpy.py"],
    "scikit-learn": ["digits_sklearn.py"],
    "jax-loop": ["digits_jax.py", "loop"],
    "jax": ["digits_jax.py", "step"],
    "torch": ["digits_torch.py"],
}


def of_tdc(case, tdc):
    source, program = ROOT / "examples/digits.tdsl", CACHE / f"{tdc.name}.digits"
    arguments = ["--data", DATA, "--checkpoint", CACHE / f"{tdc.name}.safetensors"]
    command = [program] if case == "built" else [tdc.path, "run", source, "--"]
    build = [tdc.path, "build", source, "-o", program] if case == "built" else None
    return [Program(tdc.name, [*command, *arguments], "tdc", build)]


def peers(case):
    return [Program(name, [sys.executable, BENCH / "peers" / script, DATA, *options])
            for name, (script, *options) in PEERS.items()]


def judge(case, output):
    return f"{output[0]:.2f} %", output[0] >= LOWEST_ACCURACY
