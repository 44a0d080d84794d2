"""What there is to do, in the order of what it tells, and the parts of it."""

from dataclasses import dataclass
from typing import Callable

import check
import overlap
import peaks
import timing
from workloads import WORKLOADS

PEERS = ["torch", "jax"]


@dataclass(frozen=True)
class Job:
    """What makes one row: `run(here, peers, folder)` gives its fields. `seconds` are about
    those on an H100. Jobs that are `beside` others run several at once: no times are taken
    in them."""
    kind: str
    name: str
    who: str
    seconds: float
    beside: bool
    run: Callable

    @property
    def key(self):
        return self.kind, self.name, self.who


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
        for who in ["tdc", *PEERS]:
            seconds = 9 if who == "tdc" else 25 if workload.name.startswith("step") else 12
            yield Job("time", workload.name, who, seconds, False,
                      lambda here, peers, _, workload=workload, who=who:
                      timing.time_loop(here, workload, peers.get(who)))


def find_rest():
    yield Job("overlap", "overlap", "tdc", 6, False,
              lambda here, _, folder: overlap.check(here, folder))
    for name in check.SANITIZED:
        for tool in check.SANITIZERS:
            yield Job("sanitizer", name, tool, 5, True,
                      lambda here, *_, name=name, tool=tool:
                      check.check_sanitized(here, name, tool))


def find_peaks():
    """Every part measures them: it may have another machine."""
    for name in [*peaks.COPIES, *peaks.PEAKS]:
        yield Job("peak", name, "", 3, False,
                  lambda here, *_, name=name: timing.measure_peak(here, name))


def find(here, part, parts):
    """The jobs of a part, 1 to `parts`, which are about equally long. They do not depend on
    which peers are there: jobs for missing ones are left out afterwards."""
    jobs = [*find_checks(here), *find_times(), *find_rest()]
    each = sum(job.seconds for job in jobs) / parts
    chosen, passed = [*find_peaks()], 0.0
    for job in jobs:
        if min(parts, int(passed / each) + 1) == part:
            chosen.append(job)
        passed += job.seconds
    return chosen
