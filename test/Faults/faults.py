"""Each call that a program makes of the GPU's driver fails once, in each way.

usage: faults.py [--full | --seed N] [--program NAME] [--work DIR]
  --full     all cases, not a seeded part of them
  --seed     choose the part by this seed again
  --program  just this one

A case is a process (runner.c) in which the N-th call of an entry point does
nothing and returns a code: 1 (invalid value), 2 (out of memory), 600 (not ready),
719 (launch failed, which the context then says for good) or 999 (unknown). A second
fault in the same process reaches calls that are made only after a fault. (The runtime
calls neither cuStreamQuery nor cuEventQuery, where 600 is an answer.)

What has to happen:

 - The process does not crash or hang, and the GPUs' memory is free at its end.
 - The run in which the call fails does what it does without the fault, or it stops
   there with an error that names the cause: TR308 for want of memory, TR309 or
   TR310 for 719, else TR311 with the driver's name of the code. Nothing wrong is
   printed before. An error after the start of `main` names a line of the program,
   except where the host waits for the GPUs at its end.
 - It does not fail where the failed call is not needed: freeing, destroying,
   unloading, waiting before these, the version of a driver that works, direct access
   between GPUs, memory that is available at the second request.
 - An exported function that has failed has freed what it had allocated, and its
   next call works.
 - The program runs again in the same process, and gives the same. After 719 it
   stops with TR309 or TR310 unless it is opened for the cpu, where it runs.
"""

import collections
import pathlib
import re
import sys
import tempfile
from collections import namedtuple

import programs

CODES = {1: "CUDA_ERROR_INVALID_VALUE (1)", 2: "CUDA_ERROR_OUT_OF_MEMORY (2)",
         600: "CUDA_ERROR_NOT_READY (600)", 719: "CUDA_ERROR_LAUNCH_FAILED (719)",
         999: "CUDA_ERROR_UNKNOWN (999)"}
NO_MEMORY, STICKY = 2, 719
PART = 0.1  # of the cases, if not all
SHOWN = 5  # failures shown of one program

# They end the life of something. If they fail, that may live as long as the context.
RELEASES = {"cuMemFree_v2", "cuMemFreeHost", "cuStreamDestroy_v2", "cuEventDestroy_v2",
            "cuModuleUnload", "cuDevicePrimaryCtxRelease_v2"}
# What they would give is not needed.
OPTIONAL = {"cuDriverGetVersion", "cuCtxEnablePeerAccess"}
# They are called for destructors, too, which cannot fail.
CHOOSING = {"cuCtxGetCurrent", "cuCtxSetCurrent"}

# The faults of a process, as TDC_SIM_FAULT has them; the call that is looked at, its
# code, and the phase in which it is made.
Case = namedtuple("Case", "program faults entry code phase")


class Program:
    """What a program does and asks for without faults."""

    def __init__(self, name, runner):
        self.name, self.runner = name, runner
        self.good = programs.run(runner)
        self.calls = {phase: programs.run(runner, phase).stats["calls"]
                      for phase in programs.PHASES}
        if self.good.exit or self.good.errors:
            raise RuntimeError(f"{name}: exit {self.good.exit}\n{self.good.errors}")

    def count(self):
        return sum(self.calls["close"].values())

    def phase(self, entry, number):
        return next(phase for phase in programs.PHASES
                    if number <= self.calls[phase].get(entry, 0))

    def cases(self):
        for entry, number in self.calls["close"].items():
            for n in range(1, number + 1):
                for code in CODES:
                    yield Case(self, f"{entry}@{n}={code}", entry, code, self.phase(entry, n))
        for n in range(1, self.calls["close"]["cuMemAlloc_v2"] + 1):
            phase = self.phase("cuMemAlloc_v2", n)
            full = f"cuMemAlloc@{n}=2"
            if phase != "open":  # asked again
                full += f",cuMemAlloc@{n + 1}=2"
                yield Case(self, full, "cuMemAlloc_v2, twice", NO_MEMORY, phase)
            for code in CODES:
                yield Case(self, f"{full},cuMemGetInfo@1={code}", "cuMemGetInfo_v2", code, phase)
        for entry in "cuGetErrorName", "cuGetErrorString":
            for code in CODES:
                yield Case(self, f"cuStreamCreate@1=1,{entry}@1={code}", entry, code, "open")


#===--- What is expected -----------------------------------------------------===#


def check(case):
    """What is wrong with it, or None."""
    run = programs.run(case.program.runner, FAULT=case.faults)
    if run.exit != 0:
        return f"exit {run.exit}\n{run.errors}"
    if run.stats is None:
        return "no statistics"
    if any(memory["bytes"] for memory in run.stats["memory"]):
        return f"memory is not freed: {run.stats['memory']}"
    return check_leaks(case, run) or check_first(case, run) or check_later(case, run)


def steps_of(run, name):
    return [step for step in run.steps if step.run == name]


def sticks(run):
    """Has it broken a context? The simulated driver says so."""
    return "fails as TDC_SIM_FAULT says" in run.errors


def check_leaks(case, run):
    """What fails to be destroyed lives on, and so does all that is to be destroyed in
    a context that has failed, or that could not be chosen for that."""
    if sticks(run) or case.entry == "cuCtxSetCurrent" and case.phase == "close":
        return None
    live = run.stats["live"]
    objects = sum(number for what, number in live.items() if what != "bytes")
    return f"never destroyed: {live}" if objects > (case.entry in RELEASES) else None


def check_first(case, run):
    good, steps = (steps_of(one, "gpu") for one in (case.program.good, run))
    different = [(step, wanted) for step, wanted in zip(steps, good) if step != wanted]
    if not different:
        return None if may_succeed(case, run) else "nothing is said"
    step, wanted = different[0]
    if step.status == 0:
        return f"{step.name}: not what it is without the fault: {step}"
    if not wanted.output.startswith(step.output):
        return f"{step.name}: printed before the error: {step.output!r}"
    if must_succeed(case, run):
        return f"{step.name}: fails: {step.told}"
    if len(different) > 1 and not sticks(run):
        return f"a later step is not what it is without the fault: {different[1][0]}"
    if step.name not in ("open", "main") and step.bytes != good[1].bytes:
        return f"{step.name}: holds {step.bytes} bytes, not those of the program, {good[1].bytes}"
    return check_error(case, step)


def check_error(case, step):
    match = re.match(r"error\[TR(\d+)\]: (.*)\n", step.told)
    if not match or int(match[1]) != step.status:
        return f"{step.name}: no coded error: {step.told!r}"
    if not names_cause(case, step.status, match[2]):
        return f"{step.name}: does not name the cause: {step.told}"
    # A GPU is chosen before the first line.
    if case.phase == "statements" and case.entry not in CHOOSING and \
            not re.search(r"\.tdsl:\d+", step.told):
        return f"{step.name}: names no line: {step.told}"
    return None


def names_cause(case, code, message):
    if case.code == STICKY and code in (309, 310):
        return True
    if case.entry in ("cuGetErrorName", "cuGetErrorString"):
        return code == 311 and "(1)" in message
    if case.entry == "cuMemGetInfo_v2":
        return code == 308
    if case.code == NO_MEMORY and code == 308:
        return "out of memory on cuda:" in message
    return code == 311 and CODES[case.code] in message


def must_succeed(case, run):
    return case.phase == "close" or not sticks(run) and case.entry in RELEASES | OPTIONAL


def may_succeed(case, run):
    is_asked_again = (case.entry == "cuMemAlloc_v2" and case.code == NO_MEMORY and
                      case.phase != "open")
    has_failed = case.phase == "main" and steps_of(run, "gpu")[-1].status != 0
    return must_succeed(case, run) or is_asked_again or has_failed or case.entry in CHOOSING


def check_later(case, run):
    """The same again, and on the cpu."""
    good = case.program.good
    again, cpu = steps_of(run, "again"), steps_of(run, "cpu")
    if cpu != steps_of(good, "cpu"):
        return f"on the cpu: {cpu}"
    if again == steps_of(good, "again"):
        return None
    if sticks(run) and again[0].status in (309, 310):
        return None
    return f"again: {again}"


#===--- Running --------------------------------------------------------------===#


def check_program(program, workers, options):
    cases = programs.choose(program.cases(), PART, options, program.name)
    failures = [(case, problem) for case, problem in zip(cases, workers.map(check, cases))
                if problem]
    print(f"{program.name}: {program.count()} calls, {len(cases)} cases, {len(failures)} failed",
          flush=True)
    for case, problem in failures[:SHOWN]:
        print(f"  TDC_SIM_FAULT={case.faults} ({case.phase}): {problem}")
    kinds = collections.Counter((case.entry, case.code, case.phase) for case, _ in failures)
    for kind, number in kinds.most_common(20 if len(failures) > SHOWN else 0):
        print(f"  {number} x {kind}")
    return len(cases), len(failures)


def main():
    options = programs.parse_options(__doc__, ["*.tdsl", "parallel/*.tdsl"], "cases")
    with tempfile.TemporaryDirectory(dir=options.work) as folder, programs.pool() as workers:
        runners = programs.build_all(options.sources, pathlib.Path(folder))
        results = [check_program(Program(name, runner), workers, options)
                   for name, runner in runners.items()]
    cases, failed = map(sum, zip(*results))
    print(f"{len(results)} programs, {cases} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
