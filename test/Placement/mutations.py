"""Every wait of a schedule is necessary, and its absence is detected.

    mutations.py FOLDER [PROGRAM]...

Programs of FOLDER, all if none is named, and of these a part (../tools/sample.py), are
scheduled for three GPUs. In the IR, one at a time, each td.copy_wait is left out, each
mark after which a copy starts is moved to the beginning, and each double-buffered copy
gets one buffer: td-verify-schedule must refuse the result. Then the programs run, and
the simulated driver leaves out one wait or one record at a time: it must detect that
under one of its schedules in SEEDS, except for the calls in UNSEEN.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

DEVICES = "--sim-cuda=3"
# Calls that can be left out, and the mutation of each.
CALLS = ["cuStreamWaitEvent", "cuEventRecord", "cuEventSynchronize"]
SEEDS = [str(seed) for seed in range(1, 21)]

# How many left-out calls are not detected, by program, and why.
NOT_AGAIN = "after a loop, or for an iteration: the program does not come back to the copy's buffer"
BEFORE_LOOP = "before a loop in a loop: the host has waited for the buffer's earlier use"
OTHER_MEMORY = "another GPU copies from this one, which overwrites something else next: the " \
               "runtime does not know what a kernel overwrites"
UNSEEN = {
    **dict.fromkeys(["p02", "p04", "p07", "p11", "p21", "p22", "p23", "p23b", "p23c", "p26"],
                    {"cuEventSynchronize": (1, NOT_AGAIN)}),
    **dict.fromkeys(["p06", "p25"], {"cuEventRecord": (2, BEFORE_LOOP),
                                     "cuStreamWaitEvent": (2, BEFORE_LOOP)}),
    "p09": {"cuEventSynchronize": (2, NOT_AGAIN)},
    "p10": {"cuEventSynchronize": (3, NOT_AGAIN),
            "cuStreamWaitEvent": (14, OTHER_MEMORY)},
    "p34": {"cuEventSynchronize": (2, NOT_AGAIN)},
}


def schedule(program):
    return subprocess.run(["tdc", "emit", "--phase=scheduled", DEVICES, program],
                          capture_output=True, text=True, check=True).stdout


def is_refused(source):
    done = subprocess.run(["tdc-opt", "--td-verify-schedule"], input=source, text=True,
                          capture_output=True)
    return "error: 'td." in done.stderr and done.returncode != 0


def mutants(source):
    """Yields a description of each mutation, and the mutated text."""
    lines = source.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if "td.copy_wait" in line:
            yield (f"line {number + 1} left out: {line.strip()}",
                   "".join(lines[:number] + lines[number + 1:]))
        if "td.copy_start" in line and " iteration " in line:
            start = next(i for i in range(number, -1, -1) if "func.func" in lines[i])
            changed = re.sub(r" iteration %\w+", " iteration %always", line)
            yield (f"line {number + 1} in one iteration: {line.strip()}",
                   "".join(lines[:start + 1] + ["%always = arith.constant 1 : i64\n"] +
                           lines[start + 1:number] + [changed] + lines[number + 1:]))
        if "td.copy_start" in line and " after " in line:
            device = re.search(r"to tensor<.*#td\.dev<cuda, (\d)>", line)[1]
            early = f"%early = td.mark <cuda, {device}> : !td.ticket\n"
            start = next(i for i in range(number, -1, -1) if "func.func" in lines[i])
            mark = next((i for i in range(number, -1, -1)
                         if re.search(r"after (%\w+)", line)[1] + " = td.mark" in lines[i]),
                        number)
            if not any(f"#td.dev<cuda, {device}>" in one for one in lines[start:mark]):
                continue  # the GPU has nothing to do before
            changed = re.sub(r"after %\w+", "after %early", line)
            yield (f"line {number + 1} after an early mark: {line.strip()}",
                   "".join(lines[:start + 1] + [early] + lines[start + 1:number] + [changed] +
                           lines[number + 1:]))


def run(program, folder, **settings):
    """Returns a run's exit code, its output and its messages."""
    done = subprocess.run(["tdc", "run", DEVICES, program.resolve()], cwd=folder,
                          capture_output=True, text=True,
                          env={**os.environ, **settings})
    # How long a phase of the compiler took is said on a busy machine.
    messages = re.sub(r"^compiling: .*\n", "", done.stderr, flags=re.MULTILINE)
    return done.returncode, done.stdout, messages


def check_run(program, counted):
    """Leaves out each call of a run; adds to `counted` (seen, unseen)."""
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        whole = run(program, folder, TDC_SIM_STATS=str(stats), TDC_SIM_SEED="1")
        counters = json.loads(stats.read_text())
        for name in CALLS:
            unwaited = counters["unwaited"] if name == "cuEventRecord" else []
            for number in range(1, counters["calls"].get(name, 0) + 1):
                if number in unwaited:
                    continue
                seen = any(run(program, folder, TDC_SIM_SEED=seed,
                               TDC_SIM_SKIP=f"{name}@{number}") != whole for seed in SEEDS)
                counted.append((program.name, name, number, seen))


def main():
    folder, *names = sys.argv[1:]
    programs = sample.choose([pathlib.Path(folder) / name for name in names] or
                             sorted(pathlib.Path(folder).glob("p*.tdsl")), 3)
    made = accepted = 0
    for program in programs:
        for what, source in mutants(schedule(program)):
            made += 1
            if not is_refused(source):
                accepted += 1
                print(f"{program.name}: accepted with {what}")
    print(f"verifier: {made} schedules, {accepted} accepted")
    counted = []
    for program in programs:
        check_run(program, counted)
    unseen = collections.defaultdict(list)
    for program, name, number, seen in counted:
        if not seen:
            unseen[pathlib.Path(program).stem, name].append(number)
    wrong = 0
    for program, name in sorted({(program.stem, name) for program in programs
                                 for name in CALLS}):
        numbers = unseen[program, name]
        count, reason = UNSEEN.get(program, {}).get(name, (0, None))
        wrong += len(numbers) != count
        if numbers or count:
            print(f"unseen: {program}: {name} {numbers}: "
                  f"{reason if len(numbers) == count else f'{count} ARE EXPECTED'}")
    print(f"simulated driver: {len(counted)} calls, {sum(map(len, unseen.values()))} unseen")
    return 1 if accepted or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
