"""Programs with transfers, placed and run: their copies must match their headers.

    suite.py FOLDER

The header of each FOLDER/p*.tdsl has the numbers of copies and bytes,
`copies/bytes`: `eager` as it is written, `K0` with the fewest copies if all ops
keep their devices, `K1` if T-ops (casts, slices, constructors) run where they save
bytes, `KA` if all ops that nothing pins run where they cost least; a number that
is missing equals the one to its left. Every program is placed and run by
tdc-interpret, which has memory for each device and counts:

    off                  every copy as it is written: eager
    strict --no-t-ops    K0
    strict               K1
    optimize             KA; TD900 for two GPUs
    insert               at most as many as strict

In every mode it prints the same and writes the same files, and, except in off, makes
no more copies than K0 of its own run. `cpu` in a header gives the copies of the
program without a GPU; a program with `insert` alone is rejected by the other modes.
`capacity 6/3600 memory 1000`: its copies in every mode except off if a device has
that many bytes; off has unlimited memory.
"""

import pathlib
import re
import sys

import runs

MODES = {"off": ["--placement=off"],
         "K0": ["--placement=strict", "--no-t-ops"],
         "K1": ["--placement=strict"],
         "KA": ["--placement=optimize"],
         "insert": ["--placement=insert"]}


def run(program, mode, devices=2, memory=None):
    """Returns the output and files of the placed program, its copies and its K0."""
    machine = [f"--sim-cuda={devices}"] if devices else []
    output, counts = runs.interpret(program, [*machine, *MODES[mode]],
                                    memory=memory)
    if counts is None:
        return output, None, None
    copies = counts["copies"]
    return (output,
            (sum(c["logical"] for c in copies), sum(c["bytes"] for c in copies)),
            (counts["k0"]["copies"], counts["k0"]["bytes"]))


def expected(program):
    """Returns the columns of the header: {"eager": (34, 2632), ...}."""
    header = re.match(r"(#.*\n)+", program.read_text()).group()
    return {name: (int(copies), int(size)) for name, copies, size
            in re.findall(r"(\w+) (\d+)/(\d+)", header)}


def check(program):
    """Returns the failures of a program, a line each."""
    table = expected(program)
    if "capacity" in table:
        return check_capacity(program, table["capacity"])
    results = {mode: run(program, mode) for mode in MODES}
    if "insert" in table:
        return check_inserted(results, table["insert"])
    if "cuda:1" in program.read_text():
        output, _, _ = results.pop("KA")
        if "error[TD900" not in str(output):
            return [f"KA: {output}"]
    problems = [f"{mode}: {output}" for mode, (output, copies, _)
                in results.items() if copies is None]
    if problems:
        return problems
    for mode, (output, copies, least) in results.items():
        if output != results["off"][0]:
            problems.append(f"{mode}: another output than off:\n{output}\n"
                            f"{results['off'][0]}")
        if mode != "off" and copies != least:
            problems.append(f"{mode}: {copies}, needs {least}")
    if results["off"][1] != table["eager"]:
        problems.append(f"off: {results['off'][1]}, not {table['eager']}")
    wanted = None
    for column in ("K0", "K1", "KA"):
        wanted = table.get(column, wanted)
        if column in results and results[column][1] != wanted:
            problems.append(f"{column}: {results[column][1]}, not {wanted}")
    if "cpu" in table:
        _, copies, _ = run(program, "K0", devices=0)
        if copies != table["cpu"]:
            problems.append(f"without a GPU: {copies}, not {table['cpu']}")
    if any(i > s for i, s in zip(results["insert"][1], results["K1"][1])):
        problems.append(f"insert: {results['insert'][1]}, more than strict")
    return problems


def check_capacity(program, wanted):
    """Returns the failures of a program that needs more memory than there is."""
    memory = re.search(r"memory (\d+)", program.read_text()).group(1)
    free, *_ = run(program, "off")
    problems = []
    for mode in ("K0", "K1", "insert"):
        output, copies, _ = run(program, mode, memory=memory)
        if output != free or copies != wanted:
            problems.append(f"{mode}: {copies}, not {wanted}:\n{output}")
    return problems


def check_inserted(results, wanted):
    """Returns the failures of a program that lacks transfers."""
    _, copies, least = results["insert"]
    problems = [f"{mode}: not refused" for mode in ("off", "K0")
                if "error[TD50" not in str(results[mode][0])]
    if not wanted == copies == least:
        problems.append(f"insert: {copies}, needs {least}, not {wanted}")
    return problems


def main():
    programs = sorted(pathlib.Path(sys.argv[1]).glob("p*.tdsl"))
    failed = 0
    for program in programs:
        problems = check(program)
        failed += bool(problems)
        for problem in problems:
            print(f"{program.stem}: {problem}")
    print(f"{len(programs)} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
