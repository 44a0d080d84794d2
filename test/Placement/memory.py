"""Programs take the memory that `tdc report` says.

    memory.py FOLDER EXAMPLES

The programs of FOLDER in the modes of suite.py and the forms of EXAMPLES of
training.py run on simulated GPUs. Where the report is exact, the most that the
runtime has counted on each device is what it says; else not more. On the simulated
GPUs the last bytes of each arena are written to, none behind it, and the driver has
given no more memory, but for what the runtime itself needs.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import runs
import suite
import training

ALIGNMENT = 64
SLACK = 64  # beyond what an arena is asked for
RECORD = 32 + SLACK  # of a bad index, where kernels may meet one


def report(program, options, memory=None):
    """The peaks by device; None where the program is refused."""
    done = subprocess.run(["tdc", "report", "--json", *options, program],
                          capture_output=True, text=True,
                          env=runs.environment(memory))
    if done.returncode:
        return None
    return {peak["device"]: peak for peak in json.loads(done.stdout)["peaks"]}


def execute(command, memory=None, folder=None):
    """What the runtime has counted and what the simulated driver has; None if the
    program does not run."""
    with tempfile.TemporaryDirectory() as scratch:
        counts, driver = (pathlib.Path(scratch) / name for name in ("r", "d"))
        done = subprocess.run(
            command, capture_output=True, cwd=folder or scratch,
            env={**runs.environment(memory), "TDC_STATS_JSON": str(counts),
                 "TDC_SIM_STATS": str(driver)})
        if done.returncode:
            return None
        return json.loads(counts.read_text()), json.loads(driver.read_text())


def compare(said, counted):
    """What is wrong with the peaks of a report, after a run."""
    if said is None or counted is None:
        refused = said is None and counted is None
        return [] if refused else [f"reported {said}, counted {counted}"]
    counts, driver = counted
    problems = []
    for device, peak in said.items():
        number, exact = peak["bytes"]["number"], peak["bytes"]["exact"]
        took = counts["peak"].get(device, 0)
        if peak["arena"] != counts["arena"].get(device, 0):
            problems.append(f"{device} has an arena of {counts['arena']}: {peak}")
        if number is not None and (took != number if exact else took > number):
            problems.append(f"{device} took {took} B, not {peak['bytes']}")
    for memory in driver["memory"]:
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
    return said, compare(said, counted)


def check_form(form, examples):
    said = training.run(form, examples, lambda program, words: report(
        program, [*training.OPTIONS, *training.fix(words)]))
    counted = training.run(form, examples, lambda program, words: execute(
        ["tdc", "run", *training.OPTIONS, program, *words],
        folder=program.parent))
    return said, compare(said, counted)


def main():
    folder, examples = map(pathlib.Path, sys.argv[1:])
    results = {(program.stem, mode): check_program(program, mode)
               for program in sorted(folder.glob("p*.tdsl"))
               for mode in suite.MODES}
    results |= {(form.name, form.what): check_form(form, examples)
                for form in training.FORMS}
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
