"""Programs take the memory that `tdc report` predicts.

    memory.py FOLDER EXAMPLES

The programs of FOLDER in the modes of suite.py, EXAMPLES and their forms of
training.py run on simulated GPUs. Where the report is exact, the peak that the
runtime has counted on each device equals it; else it is not larger. On the simulated
GPUs the last bytes of each arena are written to, none past its end, and the driver has
given no more memory, except what the runtime itself needs. No arena is larger than
OVERHEAD times the least that memory_bound.py finds.
"""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import memory_bound
import runs
import suite
import training

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

OVERHEAD = 1.05
# Examples that run on the cpu as well, with all their arguments.
ON_BOTH = {"casts": [], "query": [], "simple_model": ["--epochs", "5"],
           "simple_model_loader": ["--epochs", "5"]}
ALIGNMENT = 64
SLACK = 64  # beyond the size of an arena
RECORD = 40 + SLACK  # for what kernels report, if they may


def report(program, options, memory=None):
    """Returns the peaks by device, or None if the program is refused."""
    done = subprocess.run(["tdc", "report", "--json", *options, program],
                          capture_output=True, text=True,
                          env=runs.environment(memory))
    if done.returncode:
        return None
    return {peak["device"]: peak for peak in json.loads(done.stdout)["peaks"]}


def find_bounds(program, options, memory=None):
    emitted = subprocess.run(["tdc", "emit", "--phase=nvvm", *options, program],
                             capture_output=True, check=True,
                             env=runs.environment(memory))
    generic = subprocess.run(["tdc-opt", "--mlir-print-op-generic"],
                             input=emitted.stdout, capture_output=True, check=True)
    return memory_bound.Bound(generic.stdout.decode()).most


def check_bounds(said, program, options, memory=None):
    if said is None:
        return []
    bounds = find_bounds(program, options, memory)
    return [f"{device} needs {bounds[device]} B, its arena has {peak['arena']}"
            for device, peak in said.items()
            if not bounds[device] <= peak["arena"] <= OVERHEAD * bounds[device]]


def execute(command, memory=None, folder=None):
    """Returns the counts of the runtime and of the simulated driver, or None if the program
    does not run."""
    with tempfile.TemporaryDirectory() as scratch:
        counts, driver = (pathlib.Path(scratch) / name for name in ("r", "d"))
        done = subprocess.run(
            command, capture_output=True, cwd=folder or scratch,
            env={**runs.environment(memory), "TDC_STATS_JSON": str(counts),
                 "TDC_SIM_STATS": str(driver)})
        if done.returncode:
            return None
        # The cpu alone needs no driver.
        memories = (json.loads(driver.read_text())["memory"] if driver.exists()
                    else [])
        return json.loads(counts.read_text()), memories


def compare(said, counted):
    """Returns the mistakes in the peaks of a report, compared with a run."""
    if said is None or counted is None:
        refused = said is None and counted is None
        return [] if refused else [f"reported {said}, counted {counted}"]
    counts, memories = counted
    problems = []
    for device, peak in said.items():
        number, exact = peak["bytes"]["number"], peak["bytes"]["exact"]
        took = counts["peak"].get(device, 0)
        if peak["arena"] != counts["arena"].get(device, 0):
            problems.append(f"{device} has an arena of {counts['arena']}: {peak}")
        if number is not None and (took != number if exact else took > number):
            problems.append(f"{device} took {took} B, not {peak['bytes']}")
    for memory in memories:
        device = memory["device"]
        if device in said and "extents" in memory:
            problems += check_extents(device, said[device], memory)
    return problems


def check_extents(device, peak, memory):
    size = peak["arena"]
    reached = [extent["reached"] for extent in memory["extents"]
               if extent["bytes"] == size + SLACK]
    if not any(size - ALIGNMENT < end <= size for end in reached):
        return [f"{device}: {reached} bytes reached of {size}"]
    more = memory["peak"] - size - SLACK
    if peak["bytes"]["exact"] and more not in (0, RECORD):
        return [f"{device}: the driver gave {more} B more than {size}"]
    return []


def check_program(program, mode):
    options = ["--sim-cuda=2", *suite.MODES[mode]]
    memory = re.search(r"memory (\d+)", program.read_text())
    memory = memory.group(1) if memory and mode != "off" else None
    said = report(program, options, memory)
    counted = execute(["tdc", "run", *options, program.resolve()], memory)
    return said, compare(said, counted) + check_bounds(said, program, options,
                                                       memory)


def check_example(program, machine, words):
    options = [*machine, *training.fix(words)]
    said = report(program, options)
    counted = execute(["tdc", "run", *machine, program.resolve(), *words])
    return said, compare(said, counted) + check_bounds(said, program, options)


def check_form(form, examples):
    def inspect(program, words):
        options = [*training.OPTIONS, *training.fix(words)]
        said = report(program, options)
        return said, check_bounds(said, program, options)

    said, problems = training.run(form, examples, inspect)
    counted = training.run(form, examples, lambda program, words: execute(
        ["tdc", "run", *training.OPTIONS, program, *words],
        folder=program.parent))
    return said, problems + compare(said, counted)


def main():
    folder, examples = map(pathlib.Path, sys.argv[1:])
    checks = {(program.stem, mode): functools.partial(check_program, program, mode)
              for program in sorted(folder.glob("p*.tdsl"))
              for mode in suite.MODES}
    checks |= {(name, *machine): functools.partial(check_example, examples / f"{name}.tdsl",
                                                   machine, words)
               for name, words in ON_BOTH.items()
               for machine in ([], ["--sim-cuda=1"])}
    checks |= {(form.name, form.what): functools.partial(check_form, form, examples)
               for form in training.FORMS}
    results = {name: check() for name, check in sample.choose(checks.items(), 6)}
    failed = 0
    peaks = []
    for name, (said, problems) in results.items():
        failed += bool(problems)
        peaks += (said or {}).values()
        for problem in problems:
            print(f"{', '.join(name)}: {problem}")
    exact = sum(peak["bytes"]["exact"] for peak in peaks)
    print(f"{len(results)} programs, {len(peaks)} peaks, {exact} exact, "
          f"{failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
