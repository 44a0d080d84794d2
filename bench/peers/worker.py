"""Serves a peer: one process that computes cases on request.

A peer is made from the name of a case. Its `results` are the arrays that are compared
with the exact ones; `run(n)` makes n steps and returns when the last one is done. The
process reads lines, `start CASE FILE` and `round SECONDS`, and answers each with a line
of JSON; a start writes the results to FILE.

usage: x.py PEER, with the lines on standard input
"""

import json
import os
import statistics
import sys
import time
import traceback
from pathlib import Path

import ml_dtypes  # noqa: F401, NumPy's casts from bf16
import numpy as np

SHORTEST = 0.01
clock = time.process_time if "BENCH_CLOCK" in os.environ else time.perf_counter


def forget_peak():
    """Whether the next peak is that of what comes now (proc(5), clear_refs): not in every
    sandbox."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def peak_memory():
    """In bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = next(line for line in lines if line.startswith("VmHWM")).split()[1]
    return int(kilobytes) * 1024


class Served:
    def __init__(self, peer, path, knows_peak):
        self.peer, self.steps, self.knows_peak = peer, 1, knows_peak
        np.savez(path, *(np.asarray(array, np.float64) for array in peer.results))
        while self.timed() < SHORTEST:
            self.steps *= 2

    def timed(self):
        began = clock()
        self.peer.run(self.steps)
        return clock() - began

    def round(self, seconds):
        times = []
        start, busy = time.perf_counter(), time.process_time()
        while time.perf_counter() - start < seconds:
            times.append(self.timed())
        share = (time.process_time() - busy) / (time.perf_counter() - start)
        return {"seconds": statistics.median(times) / self.steps, "share": share,
                "memory": peak_memory() if self.knows_peak else 0}


def serve(make):
    """`make` makes the peer from its name and the case."""
    # Output of libraries must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    served = None
    for line in sys.stdin:
        word, *words = line.rstrip("\n").split("\t")
        answer = {}
        try:
            if word == "start":
                case, path = words
                served = None  # its memory is free before the next one's
                knows_peak = forget_peak()
                served = Served(make(sys.argv[1], case), path, knows_peak)
            else:
                answer = served.round(float(words[0]))
        except Exception as error:
            traceback.print_exc()
            lines = str(error).strip().splitlines() or [""]
            answer = {"failure": f"{type(error).__name__}: {lines[0]}"}
        print(json.dumps(answer), file=answers)
