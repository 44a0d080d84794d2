#!/usr/bin/env python3
"""How close convolutions come to the peak of the core.

usage: convolution.py [--tdc PATH] [--rounds N]
  --tdc PATH    the compiler (default build/release/bin/tdc)
  --rounds N    rounds (default 7)

Runs programs/convolution.tdsl: a convolution 3x3 of one image, and its gradients
for the image and for the weight, on one core. Each round measures the core's peak
with machine.c, and then each function. A row has the time and the fraction of the peak
(median and range over the rounds), and the memory of the function in a built
program: the most memory beyond a nearly empty program, and the size of its
operands and results; then the size of the windows of the image.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

import numpy as np

import measure

SHAPES = {56: 64, 14: 512}  # sides of the image, and channels
FUNCTIONS = {"forward": "y", "data": "gradient of x", "weight": "gradient of w"}


PROGRAM = measure.BENCH / "programs/convolution.tdsl"
BUILT = measure.CACHE / "convolution"


def call(name):
    side = int(name[-2:])
    files = [f"{one}={measure.CACHE}/convolution{side}.{one}.npy" for one in "xwg"]
    return ["--fn", name, *(word for file in files for word in ("--in", file))]


def seconds(tdc, name, repeats):
    outcome = measure.launch(tdc, "run", PROGRAM, *call(name), "--repeat", repeats)
    return json.loads(outcome.printed)["value"] * 1e-9


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("--tdc", type=Path, default=measure.ROOT / "build/release/bin/tdc")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    tdc = given.tdc.resolve()
    measure.CACHE.mkdir(parents=True, exist_ok=True)
    measure.build_launcher()
    measure.use_cores(1)
    machine = measure.Machine(operations=1, count=1 << 20)
    machine.start()
    random = np.random.default_rng(1)
    for side, channels in SHAPES.items():
        for name, shape in {"x": (1, channels, side, side), "w": (channels, channels, 3, 3),
                            "g": (1, channels, side, side)}.items():
            np.save(measure.CACHE / f"convolution{side}.{name}.npy",
                    random.standard_normal(shape, dtype=np.float32))

    names = [f"{kind}{side}" for side in SHAPES for kind in FUNCTIONS]
    peaks, parts = [], {name: [] for name in names}
    for _ in range(given.rounds):
        peaks.append(machine.speeds()[0])
        for name in names:
            side = int(name[-2:])
            operations = 2 * 9 * (SHAPES[side] * side) ** 2
            time = seconds(tdc, name, 30)
            parts[name].append((time, operations / time / peaks[-1]))
    measure.call(tdc, "build", PROGRAM, "-o", BUILT)
    idle = measure.launch(BUILT).memory

    print(f"peak {statistics.median(peaks) / 1e9:.1f} GFLOP/s\n")
    print("| | time | of the peak | memory | tensors | windows |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for name in names:
        side, kind = int(name[-2:]), name[:-2]
        channels = SHAPES[side]
        times, shares = zip(*parts[name])
        memory = measure.launch(BUILT, *call(name)).memory - idle
        image, weight = 4 * channels * side**2, 4 * 9 * channels**2
        tensors = 2 * image + weight + (weight if kind == "weight" else image)
        print(f"| {channels} to {channels} at {side}, {FUNCTIONS[kind]} "
              f"| {statistics.median(times) * 1e3:.2f} ms "
              f"| {statistics.median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f}) "
              f"| {memory / 1e6:.1f} MB | {tensors / 1e6:.1f} MB | {9 * image / 1e6:.1f} MB |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
