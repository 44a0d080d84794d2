"""A program from which one copy or one wait is taken away does not pass unseen.

usage: mutations.py [--full | --seed N] [--program NAME] [--work DIR]
  --full     all mutants, not a seeded part of them
  --seed     choose the part by this seed again
  --program  just this one

A mutant is a process (runner.c) with simulated GPUs that leave out one thing, which
the program believes to be done (TDC_SIM_SKIP): the programs of this folder, those of
parallel/, and those of waits/, which have what the others have not. It is detected if
it prints something else, fails, or if the simulated driver tells a mistake, under one
of 20 schedules.

 transfer   the N-th copy between two devices: a transfer of the program, or a piece of
            one. All must be detected but those in EQUIVALENT. (Copies of what kernels
            report, which are no transfers of the program, are not taken away.)
 wait       the N-th time that the host waits for a stream or an event, that an event
            is recorded for which something waits, or that a stream waits for one; and
            each instruction of the kernels by which threads wait for one another or
            for their copies. 95 % must be detected; the others are in EQUIVALENT,
            with the reason.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import namedtuple

import programs

TRANSFERS = "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyPeerAsync"
WAITS = "cuStreamSynchronize", "cuEventSynchronize", "cuEventRecord", "cuStreamWaitEvent"
OPCODES = "bar.", "barrier.", "cp.async.wait", "cp.async.bulk.wait", "mbarrier."
REPORT_BYTES = 40
SCHEDULES = range(1, 21)
PART = 0.25  # of the mutants, if not all
LEAST = 0.95  # of the waits

# How many mutants do what the program does, by program and what is left out, and why.
AT_THE_END = "nothing that the program's end waits for has failed; in waits/unseen.tdsl it has"
AFTER_ANOTHER = "what the other GPU reads is not written again before another wait"
NO_NEXT_ITERATION = "what is copied ahead for an iteration that does not come: a bad index ends " \
            "the program"
BEFORE_LOOP = "before a loop in a loop: the host has waited for the buffer's earlier use"
LAST_ITERATION = "in the last iteration of a loop, for what the host reads of it: it has waited " \
            "for that before the GPU is given more"
NO_REPORT = "a kernel that may report waits until reports before are read; here none reports, " \
            "in QueueTest.ManyReports some do"
OTHER_MEMORY = "the GPU has used other memory since the last wait: the runtime does not know " \
               "what a kernel uses"
LAST_STEP = "gradients of the last step, for a replica that nothing reads again"
ERROR_IS_TOLD = "the error has been told; what is waited for only clears it on the GPU"
EQUIVALENT = {
    ("bad-index", "cuMemcpyDtoHAsync_v2"): (2, "an iteration meets the bad index, the next one is "
                                               "under way, and neither's value is looked at"),
    ("bad-index", "cuMemcpyHtoDAsync_v2"): (1, NO_NEXT_ITERATION),
    ("bad-index", "cuStreamSynchronize"): (2, AT_THE_END),
    ("epochs", "cuEventRecord"): (2, BEFORE_LOOP),
    ("epochs", "cuStreamSynchronize"): (1, AT_THE_END),
    ("epochs", "cuStreamWaitEvent"): (5, f"{BEFORE_LOOP}; {LAST_ITERATION}"),
    ("exports", "cuStreamSynchronize"): (1, AT_THE_END),
    ("norm-parts", "cuEventRecord"): (2, f"{OTHER_MEMORY}; {LAST_STEP}"),
    ("norm-parts", "cuMemcpyPeerAsync"): (1, LAST_STEP),
    ("norm-parts", "cuStreamSynchronize"): (1, AT_THE_END),
    ("norm-parts", "cuStreamWaitEvent"): (7, f"{OTHER_MEMORY}; {NO_REPORT}; {LAST_STEP}"),
    ("on-demand", "cuStreamSynchronize"): (1, AT_THE_END),
    ("pipeline", "cuStreamSynchronize"): (1, AT_THE_END),
    ("pipeline", "cuEventRecord"): (1, AFTER_ANOTHER),
    ("pipeline", "cuStreamWaitEvent"): (1, AFTER_ANOTHER),
    ("training", "cuStreamWaitEvent"): (1, NO_REPORT),
    ("training-parts", "cuStreamWaitEvent"): (4, NO_REPORT),
    ("unseen", "cuStreamSynchronize"): (1, ERROR_IS_TOLD),
}

# The N-th `what` is left out.
Mutant = namedtuple("Mutant", "program kind what number")


class Program:
    def __init__(self, source, runner):
        self.name, self.source, self.runner = source.stem, source, runner
        trace = runner.with_suffix(".trace")
        self.good = programs.run(runner, "close", TRACE=trace)
        self.timeline = sorted(json.loads(trace.read_text())["traceEvents"],
                               key=lambda event: event.get("ts", 0))
        self.instructions = list(self.read_instructions())

    def mutants(self):
        calls = self.good.stats["calls"]
        numbers = [(kind, entry, range(1, calls.get(entry, 0) + 1))
                   for kind, entries in (("transfer", TRANSFERS), ("wait", WAITS))
                   for entry in entries]
        numbers += [("wait", opcode, self.find_opcodes(opcode)) for opcode in OPCODES]
        reports = self.find_reports()
        unwaited = self.good.stats["unwaited"]
        return [Mutant(self, kind, what, n) for kind, what, calls in numbers for n in calls
                if what != "cuMemcpyDtoHAsync_v2" or n not in reports
                if what != "cuEventRecord" or n not in unwaited]

    def find_reports(self):
        """Which copies to the host are those of tdrt_gpu_record. No program copies as
        many bytes of its own."""
        copies = [event for event in self.timeline
                  if re.fullmatch("copy of .* to the host", event["name"])]
        return {n for n, event in enumerate(copies, 1)
                if int(event["args"]["bytes"]) == REPORT_BYTES}

    def find_opcodes(self, opcode):
        """Which of the instructions that begin so are in kernels that are launched: they
        are counted over the modules of all devices, which are loaded when a device's
        first kernel is launched."""
        launched = [(event["pid"], event["args"]["kernel"]) for event in self.timeline
                    if "kernel" in event.get("args", {})]
        counted = [(device, kernel) for device in dict(launched)
                   for kernel, instruction in self.instructions if instruction.startswith(opcode)]
        return [n for n, one in enumerate(counted, 1) if one in launched]

    def read_instructions(self):
        """The opcodes of all kernels, each with the name of its kernel."""
        text = programs.must_run(["tdc", "emit", "--phase=ptx", "--device", "cuda",
                                  f"--sim-cuda={programs.DEVICES}", self.source])
        for kernel in text.split(".entry ")[1:]:
            for opcode in re.findall(r"^\s+(?:@!?%\w+\s+)?([a-z][\w.:]*)", kernel, re.MULTILINE):
                yield re.match(r"\w+", kernel)[0], opcode


def survives(mutant):
    return not any(differs(mutant, seed) for seed in SCHEDULES)


def differs(mutant, seed):
    good = mutant.program.good
    run = programs.run(mutant.program.runner, "close", SKIP=f"{mutant.what}@{mutant.number}",
                       SEED=seed)
    return (run._replace(stats=None) != good._replace(stats=None) or
            run.stats["fault"] or run.stats["live"] != good.stats["live"])


def check_program(program, workers, options):
    """Its mutants, and those that are not detected."""
    mutants = programs.choose(program.mutants(), PART, options, program.name)
    alive = [mutant for mutant, lives in zip(mutants, workers.map(survives, mutants)) if lives]
    return mutants, alive


def explain(alive):
    """Tells what is not detected and why; returns whether that is known of all."""
    is_known = True
    for (name, what), number in count(alive, lambda mutant: (mutant.program.name, mutant.what)):
        most, reason = EQUIVALENT.get((name, what), (0, None))
        numbers = [mutant.number for mutant in alive
                   if (mutant.program.name, mutant.what) == (name, what)]
        is_known &= number <= most
        print(f"{name}: not detected without {what} {numbers}: "
              f"{reason if number <= most else f'NOT EXPECTED, at most {most} are'}")
    return is_known


def count(mutants, key):
    return sorted(collections.Counter(map(key, mutants)).items())


def summarise(mutants, alive):
    """Returns the part of the waits that are detected."""
    left = collections.Counter((mutant.kind, mutant.what) for mutant in alive)
    totals = collections.Counter()
    for (kind, what), number in count(mutants, lambda mutant: (mutant.kind, mutant.what)):
        totals[kind, "all"] += number
        totals[kind, "detected"] += number - left[kind, what]
        print(f"{kind} {what}: {number - left[kind, what]} of {number} detected")
    for kind in "transfer", "wait":
        print(f"{kind}s: {totals[kind, 'all']} mutants, {totals[kind, 'detected']} detected")
    return totals["wait", "detected"] / max(totals["wait", "all"], 1)


def main():
    options = programs.parse_options(
        __doc__, ["*.tdsl", "parallel/*.tdsl", "waits/*.tdsl"], "mutants")
    mutants, alive = [], []
    with tempfile.TemporaryDirectory(dir=options.work) as folder, programs.pool() as workers:
        runners = programs.build_all(options.sources, pathlib.Path(folder))
        for source in options.sources:
            made, left = check_program(Program(source, runners[source.stem]), workers, options)
            mutants += made
            alive += left
    is_known = explain(alive)
    detected = summarise(mutants, alive)
    # A few are not a measure.
    is_enough = detected >= LEAST or not options.full or options.program
    return 0 if is_known and is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
