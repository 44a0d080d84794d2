"""Competitors, and the rounds in which they are timed.

A competitor has a name, a role ("tdc", "peer", or "bound" for a lower bound),
and three methods: `start` sets it up and returns its result, `round` returns the
time of one run of its work, `close` ends it. A method that cannot do its work
raises `Failed` with the reason.
"""

import json
import os
import re
import select
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
CACHE = ROOT / "build/bench"

ENVIRONMENT = os.environ | {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TDC_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "TORCHINDUCTOR_CACHE_DIR": str(CACHE / "inductor"),
    "PYTHONPATH": str(BENCH),
}
TIMEOUT = 600
FULL_SHARE = 0.95
ATTEMPTS = 4
LARGEST_DIFFERENCE = 1e-4


class Failed(Exception):
    """The reason why a competitor has no result."""


@dataclass
class Sample:
    """One round: seconds of one run, the fraction of its core that the process
    had, and its peak memory in bytes."""
    seconds: float
    share: float
    memory: int = 0


@dataclass
class Outcome(Sample):
    """One run of a program, with its output."""
    printed: str = ""


@dataclass
class Row:
    """The result of a competitor."""
    name: str
    role: str
    size: int = 0
    output: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    failure: str = ""
    verdict: str = ""
    is_wrong: bool = False

    @property
    def counts(self):
        return bool(self.samples) and not self.failure and not self.is_wrong

    @property
    def seconds(self):
        return statistics.median(s.seconds for s in self.samples)

    @property
    def memory(self):
        return statistics.median(s.memory for s in self.samples)

    @property
    def core_was_shared(self):
        return any(s.share < FULL_SHARE for s in self.samples)


def call(*command):
    """Runs a command of the set-up."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, timeout=TIMEOUT,
                              capture_output=True, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(str(error)) from error
    if done.returncode:
        raise Failed(f"exit {done.returncode}: {reason(done.stderr)}")
    return done.stdout


def reason(errors):
    """The line with the reason: a compiler's first error, or Python's last line."""
    lines = errors.strip().splitlines() or ["no message"]
    return next((line for line in lines if re.search(r"\berror\b", line)), lines[-1])


def build_launcher():
    call("cc", "-O2", "-static", BENCH / "launch.c", "-o", CACHE / "launch")


def launch(*command):
    """Runs a program through the launcher, which measures it."""
    report = CACHE / "launch.txt"
    printed = call(CACHE / "launch", report, *command)
    wall, busy, kilobytes = report.read_text().split()
    return Outcome(float(wall), float(busy) / float(wall), int(kilobytes) * 1024, printed)


class Program:
    """A whole process, from its start to its end; it prints its result as the
    last number. `build` is a command that builds it first, and `size` then
    returns the number of bytes to ship."""

    def __init__(self, name, command, role="peer", build=None, size=None):
        self.name, self.role = name, role
        self.command, self.build, self.measure_size = command, build, size
        self.size = 0

    def start(self):
        if self.build:
            call(*self.build)
        # The first run is not timed: it fills the system's file cache.
        numbers = re.findall(r"-?\d+\.\d+", launch(*self.command).printed)
        if not numbers:
            raise Failed("printed no number")
        if self.measure_size:
            self.size = self.measure_size()
        return [float(numbers[-1])]

    def round(self, seconds):
        runs = []
        while sum(run.seconds for run in runs) < seconds:
            runs.append(launch(*self.command))
        wall = sum(run.seconds for run in runs)
        share = sum(run.share * run.seconds for run in runs) / wall
        return Sample(statistics.median(run.seconds for run in runs), share,
                      max(run.memory for run in runs))

    def close(self):
        pass


class Worker:
    """A Python process that makes training steps on request; see
    peers/worker.py for its answers."""
    role = "peer"
    size = 0

    def __init__(self, name, script, folder):
        self.name, self.script, self.folder = name, script, folder
        self.log = folder / f"{name}.log"
        self.process = None

    def start(self):
        command = [sys.executable, BENCH / "peers" / self.script, self.name, self.folder]
        with self.log.open("w") as errors:
            self.process = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=errors, text=True)
        return self.answer()

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            raise Failed(reason(self.log.read_text()) if ready else f"no answer for {TIMEOUT} s")
        return json.loads(line)

    def round(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        return Sample(**self.answer())

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()


def compare(output, exact):
    """The largest relative difference, and whether it is small enough."""
    worst = np.max(np.abs(np.subtract(output, exact) / exact))
    return f"{worst:.0e}", bool(worst <= LARGEST_DIFFERENCE)


def undisturbed(competitor, seconds):
    """Repeats a round during which another process used the core."""
    for _ in range(ATTEMPTS):
        sample = competitor.round(seconds)
        if sample.share >= FULL_SHARE:
            break
    return sample


def compete(competitors, rounds, seconds):
    """Lets each competitor run for `seconds` in each round; every round starts
    with another one."""
    rows = [Row(c.name, c.role) for c in competitors]
    running = []
    try:
        for competitor, row in zip(competitors, rows):
            began = time.perf_counter()
            try:
                row.output = competitor.start()
                row.size = competitor.size
                running.append((competitor, row))
            except Failed as reason:
                row.failure = str(reason)
            print(f"  {row.name}: set up in {time.perf_counter() - began:.1f} s", file=sys.stderr)
        for number in range(rounds):
            first = number % len(competitors)
            for competitor, row in running[first:] + running[:first]:
                if row.failure:
                    continue
                try:
                    row.samples.append(undisturbed(competitor, seconds))
                except Failed as reason:
                    row.failure = str(reason)
    finally:
        for competitor in competitors:
            competitor.close()
    return rows
