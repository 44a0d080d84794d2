"""Serves a peer: reads a line `[WORKLOAD, LEAST, ROUNDS]`, finds how many iterations take
LEAST seconds, and prints `{"iterations": …, "seconds": [of each round]}` or {"problem": …}.
WORKLOAD is a dict: `op`, `dtype`, `tf32` and the sizes of the corresponding tdc program
(../workloads.py)."""

import json
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import loops  # noqa: E402


def measure(run, least, rounds):
    """`run(n)` makes n iterations, from an idle device to an idle one."""
    def timed(iterations):
        began = time.perf_counter()
        run(iterations)
        return loops.check(time.perf_counter() - began)

    iterations, _ = loops.time_loop(run, least / 8)
    iterations = loops.count_for(least, iterations, timed(iterations))
    while True:
        seconds = [timed(iterations) for _ in range(rounds)]
        if statistics.median(seconds) >= least:
            return {"iterations": iterations, "seconds": seconds}
        iterations = loops.count_for(least, iterations, statistics.median(seconds))


def serve(make, release):
    """`make(workload)` returns a function of the number of iterations; `release()` frees the
    device's memory."""
    # Output of libraries must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        workload, least, rounds = json.loads(line)
        try:
            run = make(workload)
            run(3)
            answer = measure(run, least, rounds)
        except Exception as problem:  # any exception of a library is the row's problem
            answer = {"problem": f"{type(problem).__name__}: {str(problem)[:300]}"}
        run = None
        release()
        print(json.dumps(answer), file=answers)
