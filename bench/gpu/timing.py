"""Times loops of programs on the GPU, and whole programs, of tdc, PyTorch and JAX.

A program of programs/ writes a mark before its loop and after each round; the time from
mark to mark is the time of a round, from an idle GPU to an idle one. A first process, with
growing rounds, finds how many iterations take loops.LEAST seconds; a second one makes
ROUNDS rounds of that many. Peers do the same with their own clock. Each function returns
the fields of a row, or raises loops.Failed.
"""

import functools
import json
import math
import os
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import loops
from machine import HERE, ROOT, first_lines

ROUNDS = 3
MARK = 132  # bytes of a scalar f32 as an .npy file
GROW = 4
LIMIT = 60  # seconds from mark to mark


class Marks:
    """The marks of a running program."""

    def __init__(self, here, command, env):
        self.here = here
        self.errors = tempfile.TemporaryFile()
        self.process = here.start(*command, stdout=subprocess.PIPE, stderr=self.errors, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def next(self):
        """The time of the next mark. Raises loops.Failed, TimeIsUp."""
        data = b""
        ends = time.monotonic() + min(LIMIT, self.here.left())
        while len(data) < MARK:
            if not select.select([self.process.stdout], [], [], max(0, ends - time.monotonic()))[0]:
                self.here.check_time()
                raise loops.Failed(f"no mark for {LIMIT} s")
            part = os.read(self.process.stdout.fileno(), MARK - len(data))
            if not part:
                status = self.process.wait()
                self.errors.seek(0)
                raise loops.Failed(f"exit {status}: "
                             f"{first_lines(self.errors.read().decode(errors='replace'))}")
            data += part
        came = time.perf_counter()
        if data[:6] != b"\x93NUMPY" or not math.isfinite(struct.unpack("<f", data[-4:])[0]):
            raise loops.Failed(f"a mark is not a finite number: {data[-4:].hex()}")
        return came


def measure_peak(here, name):
    """The fields of a row: a rate of peaks.py."""
    least = loops.LEAST_SIMULATED if here.simulated else loops.LEAST
    printed, problem = here.run(sys.executable, HERE / "peaks.py", name, least)
    if problem:
        raise loops.Failed(problem)
    return {"problem": None, **json.loads(printed)}


def describe_loop(rounds, iterations, grow):
    """Arguments of a program."""
    return ["--rounds", rounds, "--iterations", iterations, "--grow", grow]


def find_command(here, workload, *loop):
    arguments = describe_loop(*loop)
    if not here.simulated:
        return [here.unpack("programs") / workload.file, *arguments]
    for name, value in workload.arguments.items():
        arguments += [f"--{name}", value]
    return here.tdc("run", "--quiet", *workload.options, HERE / f"programs/{workload.program}.tdsl",
                    "--", *arguments)


def time_tdc(here, find, least, env=None):
    """(iterations of a round, seconds of each round). `find` returns the command of a loop with
    these rounds, iterations of the first one, and factor from each to the next."""
    iterations = 1
    with Marks(here, find(16, iterations, GROW), env) as marks:
        came = marks.next()
        while True:
            before, came = came, marks.next()
            if loops.check(came - before) >= least / 8 or iterations >= GROW ** 15:
                break
            iterations *= GROW
    iterations = loops.count_for(least, iterations, came - before)
    while True:
        with Marks(here, find(ROUNDS, iterations, 1), env) as marks:
            came = [marks.next() for _ in range(ROUNDS + 1)]
        seconds = [loops.check(after - before) for before, after in zip(came, came[1:])]
        if statistics.median(seconds) >= least:
            return iterations, seconds
        iterations = loops.count_for(least, iterations, statistics.median(seconds))


def time_peer(peer, workload, least):
    answer = peer.ask({"op": workload.op or workload.program, "dtype": workload.dtype,
                       "tf32": workload.tf32, **workload.sizes}, least, ROUNDS)
    if "problem" in answer:
        raise loops.Failed(answer["problem"])
    return answer["iterations"], [loops.check(seconds) for seconds in answer["seconds"]]


def time_loop(here, workload, system):
    """The fields of a row; `system` is None for tdc, else a peer."""
    least = loops.LEAST_SIMULATED if here.simulated else loops.LEAST
    iterations, seconds = time_peer(system, workload, least) if system else \
        time_tdc(here, functools.partial(find_command, here, workload), least)
    return {"problem": None, "iterations": iterations, "rounds": seconds,
            "seconds": statistics.median(seconds) / iterations, "unit": workload.unit,
            # Small sizes have another amount of work.
            "work": None if here.simulated else workload.work, "peak": workload.peak}


def time_digits(here, peer):
    """The whole program of 20 epochs, from its start to its end; `peer` is "torch"."""
    data = ROOT / "examples/data/digits"
    command = here.tdc("run", "--device=cuda", ROOT / "examples/digits.tdsl", "--",
                       *["--epochs", "1"] * here.simulated, "--data", data,
                       "--checkpoint", here.work / "digits.safetensors")
    if peer:
        command = [peer.python, ROOT / "bench/peers/digits_torch.py", data, "cuda"]
    seconds = []
    for _ in range(ROUNDS + 1):  # the first fills caches
        began = time.perf_counter()
        _, problem = here.run(*command)
        if problem:
            raise loops.Failed(problem)
        seconds.append(loops.check(time.perf_counter() - began))
    return {"problem": None, "iterations": 1, "rounds": seconds[1:],
            "seconds": statistics.median(seconds[1:]), "unit": "programs/s",
            "work": None if here.simulated else 1, "peak": ""}
