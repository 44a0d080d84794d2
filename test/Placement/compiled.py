"""Compiled programs make the copies that the interpreter counts.

    compiled.py FOLDER EXAMPLES

For the programs of FOLDER in the modes of suite.py, with two GPUs and three, the
programs of FOLDER/forgotten, and training.py's forms of EXAMPLES, runs.py compares
`tdc run` on simulated GPUs with tdc-interpret. (random_programs.py --compiled does
that for its programs.) A placed program takes no more memory on a GPU than the
interpreter counts: fusion saves some, rounding to 64 bytes costs some.
"""

import functools
import pathlib
import re
import sys

import runs
import suite
import training

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

ROUNDING = 32 * 64  # of that many buffers


def check_program(program, mode, devices):
    options = [f"--sim-cuda={devices}", *suite.MODES[mode]]
    memory = re.search(r"memory (\d+)", program.read_text())
    memory = memory.group(1) if memory and mode != "off" else None
    interpreted = runs.interpret(program, options, memory=memory)
    compiled = runs.execute(["tdc", "run", *options, program.resolve()], memory)
    return (runs.compare(interpreted, compiled) or
            mode != "off" and compare_peaks(interpreted[1], compiled[1]) or None)


def compare_peaks(wanted, made):
    return ", ".join(
        f"{device}: {size} bytes, interpreted {wanted['peak'].get(device, 0)}"
        for device, size in (made["peak"] if made else {}).items()
        if device != "cpu" and
        size > wanted["peak"].get(device, 0) + ROUNDING)


def check_form(form, examples):
    return runs.compare(training.run(form, examples, training.interpret_fixed),
                        training.run(form, examples, training.execute))


def main():
    folder, examples = map(pathlib.Path, sys.argv[1:])
    checks = {}
    for program in sorted(folder.glob("p*.tdsl")):
        for mode in suite.MODES:
            checks[program.stem, mode] = functools.partial(check_program, program, mode, 2)
        if "cuda:1" in program.read_text():
            checks[program.stem, "3 GPUs"] = functools.partial(check_program, program, "insert", 3)
    for program in sorted(folder.glob("forgotten/*.tdsl")):
        checks[program.stem, "insert"] = functools.partial(check_program, program, "insert", 2)
    for form in training.FORMS:
        checks[form.name, form.what] = functools.partial(check_form, form, examples)
    problems = {name: check() for name, check in sample.choose(checks.items(), 6)}
    failed = {name: problem for name, problem in problems.items() if problem}
    for name, problem in failed.items():
        print(f"{', '.join(name)}: {problem}")
    print(f"{len(problems)} programs, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
