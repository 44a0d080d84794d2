"""Serves a peer of `step`: one process that makes training steps on request.

A peer is a class. It is made from the initial weights and the batches; its
`train` makes a number of steps and returns the last loss, `first_weight` returns
fc1.weight. The process prints a line of JSON when it is set up, and one for each
round; it reads the length of a round in seconds from standard input.

usage: step_x.py PEER FOLDER
"""

import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

CHECKED_STEPS = 4
STEPS_PER_CALL = 1000


def load(folder):
    folder = Path(folder)
    weights = load_file(folder / "weights.safetensors")
    return weights, np.load(folder / "xs.npy"), np.load(folder / "ys.npy")


def check(peer, weights):
    """The compared values: the first losses, and the mean movement of the first
    weight. Later, Adam drives correct peers apart: it divides gradients that are
    nearly zero by themselves."""
    losses = [float(peer.train(1)) for _ in range(CHECKED_STEPS)]
    moved = np.abs(peer.first_weight() - weights["fc1.weight"]).mean(dtype=np.float64)
    return [*losses, float(moved)]


def timed_round(peer, seconds):
    times = []
    start, busy = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        began = time.perf_counter()
        float(peer.train(STEPS_PER_CALL))
        times.append(time.perf_counter() - began)
    share = (time.process_time() - busy) / (time.perf_counter() - start)
    return {"seconds": statistics.median(times) / STEPS_PER_CALL, "share": share}


def serve(peers):
    # Output of libraries must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    name, folder = sys.argv[1:]
    weights, xs, ys = load(folder)
    peer = peers[name](weights, xs, ys)
    print(json.dumps(check(peer, weights)), file=answers)
    peer.train(STEPS_PER_CALL)
    for line in sys.stdin:
        print(json.dumps(timed_round(peer, float(line))), file=answers)
