"""Competitors, and the rounds in which they are timed.

A competitor has a name, a role ("tdc", "peer", or "bound" for a lower bound),
and three methods: `start` sets it up and returns its result, `round` returns the
time of one run of its work, `close` ends it. A method that cannot do its work
raises `Failed` with the reason.
"""

import json
import math
import os
import re
import select
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import ml_dtypes
import numpy as np

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
CACHE = Path(os.environ.get("TDC_BENCH_FOLDER", ROOT / "build/bench")).resolve()

CORES = sorted(os.sched_getaffinity(0))
ENVIRONMENT = os.environ | {
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "TDC_BENCH_FOLDER": str(CACHE),
    "TORCHINDUCTOR_CACHE_DIR": str(CACHE / "inductor"),
    "PYTHONPATH": str(BENCH),
}
if " avx512f " in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
    # OpenBLAS chooses by the processor's name, and has kernels for AVX2 under some.
    ENVIRONMENT["OPENBLAS_CORETYPE"] = "SkylakeX"
TIMEOUT = 600
SHORTEST = 0.01
FULL_SHARE = 0.95
ATTEMPTS = 4
LARGEST_DIFFERENCE = 1e-4
LARGEST_BF16 = 1e-2


def use_cores(count):
    """Pins this process, and what it starts from now on, to as many cores, and lets
    every competitor have as many threads."""
    os.sched_setaffinity(0, CORES[-count:])
    for name in "OMP", "MKL", "OPENBLAS":
        ENVIRONMENT[f"{name}_NUM_THREADS"] = str(count)
    ENVIRONMENT["TDC_THREADS"] = str(count)
    ENVIRONMENT["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false" if count == 1 else ""


def threads():
    return int(ENVIRONMENT["TDC_THREADS"])


def use_processor_time():
    """Times are those of the processor instead of the clock, for one thread on a machine
    that others use, too."""
    ENVIRONMENT["BENCH_CLOCK"] = "processor"


def is_processor_time():
    return "BENCH_CLOCK" in ENVIRONMENT


class Failed(Exception):
    """The reason why a competitor has no result."""


@dataclass
class Tdc:
    """A build of the compiler. Its name is that of its rows and of its files."""
    path: Path
    name: str = "tdc"


@dataclass
class Sample:
    """One round: seconds of one run, how many cores the process had, and its peak
    memory in bytes."""
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
    output: list = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    failure: str = ""
    verdict: str = ""
    is_wrong: bool = False
    threads: int = field(default_factory=threads)

    @property
    def counts(self):
        return bool(self.samples) and not self.failure and not self.is_wrong

    @property
    def seconds(self):
        if self.failure or not self.samples:
            return math.inf
        return statistics.median(s.seconds for s in self.samples)

    @property
    def memory(self):
        return max(s.memory for s in self.samples)

    @property
    def cores(self):
        """How many the process used."""
        return statistics.median(s.share for s in self.samples)

    @property
    def core_was_shared(self):
        return self.threads == 1 and not is_processor_time() \
            and any(s.share < FULL_SHARE for s in self.samples)


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
    seconds = float(busy if is_processor_time() else wall)
    return Outcome(seconds, float(busy) / seconds, int(kilobytes) * 1024, printed)


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
    """A Python process that computes cases on request; see peers/worker.py for its
    answers. It serves all cases of a workload, and is stopped while others compute:
    some runtimes wait busily."""
    role = "peer"
    size = 0
    processes = {}

    def __init__(self, name, script, case):
        self.name, self.case = name, case
        self.command = [sys.executable, BENCH / "peers" / script, name]
        self.log = CACHE / f"{Path(script).stem}.{name}.log"
        self.key = (script, name, threads())
        self.out = CACHE / f"{Path(script).stem}.{name}.npz"

    def start(self):
        if self.key not in self.processes:
            with self.log.open("w") as errors:
                self.processes[self.key] = subprocess.Popen(
                    self.command, env=ENVIRONMENT, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=errors, text=True)
        self.ask("start", self.case, self.out)
        with np.load(self.out) as made:
            return list(made.values())

    def ask(self, *words):
        process = self.processes[self.key]
        process.send_signal(signal.SIGCONT)
        try:
            print(*words, sep="\t", file=process.stdin, flush=True)
            ready, _, _ = select.select([process.stdout], [], [], TIMEOUT)
            line = process.stdout.readline() if ready else ""
        except BrokenPipeError:
            ready, line = True, ""
        if not line:
            process.kill()
            process.wait()
            del self.processes[self.key]
            raise Failed(reason(self.log.read_text()) if ready else f"no answer for {TIMEOUT} s")
        answer = json.loads(line)
        process.send_signal(signal.SIGSTOP)
        if "failure" in answer:
            raise Failed(answer["failure"])
        return answer

    def round(self, seconds):
        return Sample(**self.ask("round", seconds))

    def close(self):
        pass

    @classmethod
    def end_all(cls):
        for process in cls.processes.values():
            process.kill()
            process.wait()
        cls.processes.clear()


class Function:
    """An exported function of a program, built by tdc and run with `--fn --repeat`. Each
    round is a new process, and begins with the initial values of the program. `inputs` are
    the files of its parameters, `results` the names of its results; a call makes `steps`.
    `settings` are given to `tdc build --set`."""
    role = "tdc"
    size = 0

    def __init__(self, tdc, source, function, inputs, results, arguments=(), steps=1,
                 settings=()):
        self.name, self.steps = tdc.name, steps
        program = CACHE / f"{tdc.name}.{source.stem}"
        self.build = [tdc.path, "build", source, "-o", program, *options("--set", settings)]
        files = [f"{name}={path}" for name, path in inputs.items()]
        self.command = [program, "--fn", function, *arguments, *options("--in", files)]
        self.results = {name: CACHE / f"{tdc.name}.{name}.npy" for name in results}

    def start(self):
        call(*self.build)
        output = self.output()
        repeats = 1
        while True:
            self.call_seconds = self.timed(repeats).seconds
            if self.call_seconds * repeats > SHORTEST:
                return output
            repeats *= 8

    def output(self):
        files = [f"{name}={path}" for name, path in self.results.items()]
        launch(*self.command, *options("--out", files))
        return [load_array(path) for path in self.results.values()]

    def timed(self, repeats):
        """The seconds of one call."""
        outcome = launch(*self.command, "--repeat", repeats)
        times = json.loads(outcome.printed)
        clock, processor = times["value"], times.get("processor")
        if processor is None:  # tdc of November 2026
            if is_processor_time():
                raise Failed("this build of tdc prints no times of the processor")
            return Sample(clock * 1e-9, outcome.share, outcome.memory)
        return Sample((processor if is_processor_time() else clock) * 1e-9, processor / clock,
                      outcome.memory)

    def round(self, seconds):
        sample = self.timed(max(1, round(seconds / self.call_seconds)))
        self.call_seconds = sample.seconds
        return Sample(sample.seconds / self.steps, sample.share, sample.memory)

    def close(self):
        pass


def options(name, values):
    return [word for value in values for word in (name, value)]


def load_array(path):
    """NumPy stores bf16 as a dtype of two bytes."""
    array = np.load(path)
    return array.view(ml_dtypes.bfloat16) if array.dtype == "V2" else array


class Machine:
    """The lower bound of a case: its operations at the peak of the cores, or its bytes
    at the speed of a triad or a sum of as many bytes (so that these are in the same
    cache), if that takes longer. Both are measured in each round."""
    name = "machine"
    role = "bound"
    size = 0

    def __init__(self, operations, count):
        self.operations, self.bytes = operations, count

    def start(self):
        self.program = CACHE / "machine"
        call("cc", "-O3", "-march=native", "-ffp-contract=fast", "-fopenmp",
             BENCH / "machine.c", "-o", self.program)
        return []

    def speeds(self):
        """Operations and bytes per second."""
        flops, speed = launch(self.program, int(self.bytes)).printed.split()
        return float(flops), float(speed)

    def round(self, seconds):
        flops, speed = self.speeds()
        return Sample(max(self.operations / flops, self.bytes / speed), threads())

    def close(self):
        pass


def compare(output, exact, largest=LARGEST_DIFFERENCE):
    """The largest difference, relative to the largest magnitude of its array, and
    whether it is small enough."""
    worst = 0.0
    for array, right in zip(output, exact, strict=True):
        array, right = np.asarray(array, np.float64), np.asarray(right, np.float64)
        if array.shape != right.shape:
            return f"{array.shape} for {right.shape}", False
        worst = np.maximum(worst, np.max(np.abs(array - right)) / np.max(np.abs(right)))
    return f"{worst:.0e}", bool(worst <= largest)


def undisturbed(competitor, seconds):
    """Repeats a round during which another process used the core."""
    for _ in range(ATTEMPTS):
        sample = competitor.round(seconds)
        if threads() > 1 or is_processor_time() or sample.share >= FULL_SHARE:
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
