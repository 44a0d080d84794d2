"""DataParallel on all GPUs of this machine. With one GPU each row says why it is skipped.

Programs of test/DataParallel must print the same on all GPUs as on one, but for rounding,
and the same in two runs: they print all digits. A training step of the encoder of
transformer.tdsl has as many rows for each GPU as for one: `efficiency` is the time on one GPU,
with the rows of one, divided by the time on all."""

import os
import statistics

import loops
import timing
from machine import HERE, ROOT
from workloads import MINILM

PROGRAMS = ["mlp", "lenet", "dropout", "encoder"]
STEP = "step of minilm on all GPUs"
CLOSE = 1e-4  # of the largest number of a program: sums in another order, for 20 steps
SIMULATED = 2  # GPUs
ROWS = 64  # of each GPU


def count_gpus(here):
    return SIMULATED if here.simulated else here.facts["gpus"]


def find_reason_to_skip(here):
    return "one GPU can be seen, and DataParallel needs two" if count_gpus(here) < 2 else None


def tdc(here, gpus, *words):
    """A command line of the compiler, and its environment, for the first GPUs."""
    command = here.tdc("run", "--quiet", *words, gpus=gpus)
    if here.simulated:
        return command, {"TDC_SIM_CUDA": str(gpus)}
    seen = os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(count_gpus(here))))
    return command, {"CUDA_VISIBLE_DEVICES": ",".join(seen.split(",")[:gpus])}


def run(here, gpus, name):
    command, environment = tdc(here, gpus, ROOT / f"test/DataParallel/{name}.tdsl")
    printed, problem = here.run(*command, env=environment)
    if problem:
        raise loops.Failed(f"{gpus} GPUs: {problem}")
    return printed


def check(here, name):
    """The fields of a row."""
    if reason := find_reason_to_skip(here):
        return {"problem": None, "skipped": reason}
    gpus = count_gpus(here)
    one, several, again = (run(here, count, name) for count in (1, gpus, gpus))
    if several != again:
        return {"problem": f"two runs on {gpus} GPUs differ"}
    wanted, got = ([float(word) for word in text.split()] for text in (one, several))
    largest = max(map(abs, wanted), default=0) or 1
    far = max((abs(a - b) / largest for a, b in zip(wanted, got)), default=0)
    is_equal = len(wanted) == len(got) > 0 and far <= CLOSE
    return {"problem": None if is_equal else
            f"{len(got)} numbers of {gpus} GPUs, {len(wanted)} of one; {far:.2g} apart",
            "gpus": gpus, "apart": far}


def time(here):
    """The fields of a row."""
    if reason := find_reason_to_skip(here):
        return {"problem": None, "skipped": reason}
    least = loops.LEAST_SIMULATED if here.simulated else loops.LEAST
    seconds = {}
    for gpus in (1, count_gpus(here)):
        sizes = {"batch": 2 * gpus} if here.simulated else {**MINILM, "batch": ROWS * gpus}
        words = ["--op", "minilm", "--gpus", gpus,
                 *[word for name, value in sizes.items() for word in (f"--{name}", value)]]
        command, environment = tdc(here, gpus, HERE / "programs/transformer.tdsl", "--", *words)
        iterations, rounds = timing.time_tdc(
            here, lambda *loop, command=command: [*command, *timing.describe_loop(*loop)], least,
            environment)
        seconds[gpus] = statistics.median(rounds) / iterations
    one, several = seconds.values()
    return {"problem": None, "gpus": count_gpus(here), "seconds": several, "one": one,
            "efficiency": one / several}
