#!/usr/bin/env python3
"""The examples that train lose the same on a simulated GPU as on the cpu.

usage: losses.py EXAMPLES

Each runs for five epochs on both, printing more digits than it has. Every loss
must be within 1e-4 of the cpu's, relative to it.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 1e-4
EPOCHS = 5
PROGRAMS = ["simple_model", "simple_model_loader", "digits"]
GPU = ["--sim-cuda=1", "--device", "cuda"]


def train(program, data, options):
    arguments = ["--data", data] if program.stem == "digits" else []
    done = subprocess.run(
        ["tdc", "run", *options, program, "--epochs", str(EPOCHS), *arguments],
        cwd=program.parent, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program.name}: {done.stderr}")
    return [float(loss) for loss in re.findall(r"loss:? +(\S+)", done.stdout, re.IGNORECASE)]


def main():
    examples = Path(sys.argv[1]).resolve()
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        for source in examples.glob("*.tdsl"):
            (Path(folder) / source.name).write_text(source.read_text().replace(":.4f}", ":.9f}"))
        for name in PROGRAMS:
            program = Path(folder) / f"{name}.tdsl"
            want, got = (train(program, examples / "data/digits", options)
                         for options in ([], GPU))
            worst = max(abs(a - b) / a for a, b in zip(want, got))
            print(f"{name}: {len(got)} losses, {worst:.1e}")
            wrong |= not (len(want) == len(got) == EPOCHS and worst <= LIMIT)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
