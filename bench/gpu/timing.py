"""Programs and single ops on the GPU, beside PyTorch and JAX.

tdc runs a whole program with more and with fewer turns of its loop; a turn takes
the difference. A peer is a process that lives through all rounds, and takes the
time of its loop itself, from an idle GPU to an idle GPU. All compute the same
from the same sizes; in each round each has its turn. Figures are medians.
"""

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

from machine import BUILD, HERE, ROOT

ROUNDS = 3
LOOP = 0.4  # seconds that the turns of one round should take


@dataclass
class Workload:
    """A loop in a program; `work` is what a turn does, in `unit`s."""
    name: str
    program: str
    n: int
    work: float
    unit: str
    options: tuple = ()
    op: str = ""

    def arguments(self, n, turns):
        return ["--", "--n", n, "--turns", turns, *(["--op", self.op] if self.op else [])]


def matmul(dtype, *options, name=None):
    n = 8192 if dtype in ("f16", "bf16") else 4096
    return Workload(name or f"matmul {dtype}", "kernels", n, 2 * n**3 * 1e-12, "TFLOP/s", options,
                    f"matmul_{dtype}")


def moving(op, n, arrays):
    """An op that is as fast as memory: it reads and writes so many matrices."""
    return Workload(op, "kernels", n, arrays * 4 * n**2 * 1e-9, "GB/s", (), op)


WORKLOADS = [
    matmul("f32"), matmul("f32", "--tf32", name="matmul tf32"), matmul("f16"), matmul("bf16"),
    moving("gelu", 8192, 3), moving("softmax", 8192, 2), moving("transpose", 8192, 3),
    moving("sum_rows", 8192, 1), moving("sum_columns", 8192, 1), moving("sum", 8192, 1),
    Workload("training step, 64 features", "mlp", 64, 1e-6, "steps/µs"),
    Workload("training step, 2048 features", "mlp", 2048, 18 * 2 * 2048**3 / 2 * 1e-12, "TFLOP/s"),
]
SMALL = 64  # what n is on the simulated driver


class Tdc:
    name = "tdc"

    def __init__(self, here, workload):
        self.here, self.workload = here, workload
        self.n = SMALL if here.simulated else workload.n
        self.few = 1
        self.many = 3 if here.simulated else 0

    def wall(self, turns):
        command = self.here.tdc("run", *self.workload.options,
                                HERE / f"programs/{self.workload.program}.tdsl",
                                *self.workload.arguments(self.n, turns))
        began = time.perf_counter()
        _, problem = self.here.run(*command)
        if problem:
            raise RuntimeError(problem)
        return time.perf_counter() - began

    def start(self):
        """Finds out how many turns make a round."""
        turns = 8
        while not self.many:
            loop = self.wall(turns) - self.wall(self.few)
            if loop > LOOP / 2 or turns > 1 << 20:
                self.many = turns
            turns *= max(2, min(16, round(LOOP / max(loop, 1e-3))))
        return self.many

    def round(self, turns):
        return (self.wall(self.many) - self.wall(self.few)) / (self.many - self.few)

    def close(self):
        pass


class Peer:
    """A process that is told `WORKLOAD N TURNS` and answers in seconds."""

    def __init__(self, name, workload):
        self.name, self.workload = name, workload
        self.process = subprocess.Popen(
            [sys.executable, HERE / f"peers/{name}_loops.py"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def round(self, turns):
        print(json.dumps([self.workload.name, self.workload.n, turns]),
              file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("ended without an answer")
        return json.loads(answer) / turns

    def close(self):
        self.process.kill()
        self.process.wait()


def time_workload(here, workload):
    row = {"name": workload.name, "unit": workload.unit, "work": workload.work,
           "n": workload.n, "tdc": None}
    tdc = Tdc(here, workload)
    everyone = [tdc] + [Peer(peer.split()[0], workload) for peer in here.peers]
    samples = {one.name: [] for one in everyone}
    try:
        turns = tdc.start()
        for number in range(ROUNDS):
            for one in everyone[number % len(everyone):] + everyone[:number % len(everyone)]:
                samples[one.name].append(one.round(turns))
    except RuntimeError as problem:
        row["problem"] = str(problem)
    finally:
        for one in everyone:
            one.close()
    row.update((name, statistics.median(times)) for name, times in samples.items() if times)
    row["samples"] = samples
    return row


def time_digits(here):
    """The whole program of 20 epochs, from its start to its end."""
    data = ROOT / "examples/data/digits"
    epochs = ["--epochs", "1"] if here.simulated else []
    commands = {"tdc": here.tdc("run", "--device=cuda", ROOT / "examples/digits.tdsl", "--",
                                *epochs, "--data", data, "--checkpoint", BUILD / "digits.safetensors")}
    if any(peer.startswith("torch") for peer in here.peers):
        commands["torch"] = [sys.executable, ROOT / "bench/peers/digits_torch.py", data, "cuda"]
    row = {"name": "digits, whole program", "unit": "programs/s", "work": 1, "n": 20, "tdc": None}
    samples = {name: [] for name in commands}
    for number in range(ROUNDS + 1):  # the first fills caches
        for name, command in commands.items():
            began = time.perf_counter()
            _, problem = here.run(*command)
            if problem:
                row["problem"] = f"{name}: {problem}"
            elif number:
                samples[name].append(time.perf_counter() - began)
    row.update((name, statistics.median(times)) for name, times in samples.items() if times)
    row["samples"] = samples
    return row


def run(here, seconds):
    began = time.monotonic()
    rows = [time_digits(here)]
    for workload in WORKLOADS:
        if time.monotonic() - began > seconds:
            print(f"run.sh: {seconds:.0f} s are over; left out from {workload.name} on",
                  file=sys.stderr)
            break
        rows.append(time_workload(here, workload))
        print(f"  {rows[-1]['name']}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return rows


def table(rows):
    peers = sorted({name for row in rows for name in row["samples"]} - {"tdc"})
    lines = [f"| | tdc | rate | {' | '.join(f'{peer} | tdc / {peer}' for peer in peers)} |"
             if peers else "| | tdc | rate |"]
    lines.append("| --- " * (lines[0].count("|") - 1) + "|")
    for row in rows:
        if row["tdc"] is None:
            lines.append(f"| {row['name']} | FAILED: {row.get('problem')} |")
            continue
        cells = [row["name"], f"{row['tdc'] * 1e6:.1f} µs",
                 f"{row['work'] / row['tdc']:.3g} {row['unit']}"]
        for peer in peers:
            cells += [f"{row[peer] * 1e6:.1f} µs", f"{row['tdc'] / row[peer]:.2f}"] \
                if peer in row else ["", ""]
        lines.append(f"| {' | '.join(cells)} |")
    return lines
