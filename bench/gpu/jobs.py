"""The jobs of a run, the most informative first, and their division into parts."""

from dataclasses import dataclass
from typing import Callable

import check
import overlap
import parallel
import peaks
import timing
from workloads import WORKLOADS

PEERS = ["torch", "jax"]


@dataclass(frozen=True)
class Job:
    """Makes one row: `run(here, peers, folder)` returns its fields. `seconds` is roughly its
    time on an H100. Jobs with `concurrent` run concurrently: they measure no times."""
    kind: str
    name: str
    system: str
    seconds: float
    concurrent: bool
    run: Callable

    @property
    def key(self):
        return self.kind, self.name, self.system


def find_checks(here):
    modules = here.unpack("modules")
    for name, wanted in check.read_calibration().items():
        yield Job("program", name, "tdc", 0.4, True,
                  lambda here, *_, name=name, wanted=wanted:
                  check.check_program(here, name, wanted))
    for name in check.errors():
        yield Job("error", name, "tdc", 0.4, True,
                  lambda here, *_, name=name: check.check_error(here, name))
    for path in sorted(modules.glob("*.mlir")):
        yield Job("module", path.stem, "tdc", 0.8, True,
                  lambda here, *_, path=path: check.check_module(here, path.with_suffix("")))


def find_times():
    yield Job("time", "digits, whole program", "tdc", 8, False,
              lambda here, *_: timing.time_digits(here, None))
    yield Job("time", "digits, whole program", "torch", 25, False,
              lambda here, peers, _: timing.time_digits(here, peers["torch"]))
    for workload in WORKLOADS:
        for system in ["tdc", *PEERS]:
            seconds = 4 if system == "tdc" else 16 if workload.name.startswith("step") else 6
            yield Job("time", workload.name, system, seconds, False,
                      lambda here, peers, _, workload=workload, system=system:
                      timing.time_loop(here, workload, peers.get(system)))


def find_rest():
    yield Job("overlap", "overlap", "tdc", 6, False,
              lambda here, _, folder: overlap.check(here, folder))
    for name in parallel.PROGRAMS:
        yield Job("parallel", name, "tdc", 4, True,
                  lambda here, *_, name=name: parallel.check(here, name))
    yield Job("parallel", parallel.STEP, "tdc", 10, False, lambda here, *_: parallel.time(here))
    for name in check.SANITIZED:
        for tool in check.SANITIZERS:
            yield Job("sanitizer", name, tool, 5, True,
                      lambda here, *_, name=name, tool=tool:
                      check.check_sanitized(here, name, tool))


def find_peaks():
    """Every part measures the peaks: it may run on another machine."""
    for name in [*peaks.COPIES, *peaks.PEAKS]:
        yield Job("peak", name, "", 3, False,
                  lambda here, *_, name=name: timing.measure_peak(here, name))


def find(here, part, parts):
    """The jobs of a part, 1 to `parts`; parts are about equally long. They do not depend on
    the available peers: jobs for missing ones are left out afterwards."""
    jobs = [*find_checks(here), *find_rest(), *find_times()]
    each = sum(job.seconds for job in jobs) / parts
    chosen, passed = [*find_peaks()], 0.0
    for job in jobs:
        if min(parts, int(passed / each) + 1) == part:
            chosen.append(job)
        passed += job.seconds
    return chosen
