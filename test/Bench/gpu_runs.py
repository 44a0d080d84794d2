"""Runs bench/gpu on the simulated driver, and ends it in the middle.

usage: gpu_runs.py --build FOLDER [--kills N] [--seed S]
       gpu_runs.py --bare ROOT [--kills N] [--seed S]   as root, after bench/gpu/pack.py

The process group of a run is killed by SIGKILL, N times (default 4), at moments that the
seed chooses. Each row that it told of must be in the folder of results, each line there
must be whole, and a report must come of it. A run goes on where the one before was killed,
or in a new folder if that ended first; the last ones end by themselves with each row there
once.

--bare does so with all four parts where nothing is but Python: what travels is copied to
/tdc of ROOT, the root of a system that debootstrap has made, with /proc mounted, and runs
there by chroot. No part may take longer than 9 minutes.
"""

import argparse
import collections
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GPU = ROOT / "bench/gpu"
sys.path.append(str(GPU))
import loops  # noqa: E402
import pack  # noqa: E402
import rows  # noqa: E402

# Errors, a module and a whole program; a program on two GPUs; a loop.
PARTS = ["6/118", "7/118", "26/118"]
LONGEST = 3.0  # seconds until a run is killed
ALL_PARTS, LONGEST_OF_ALL = ["1/4", "2/4", "3/4", "4/4"], 15.0
PART_SECONDS = 9 * 60
BACKWARDS = """import time
readings = iter(range(10**9, 0, -1))
time.perf_counter = lambda: float(next(readings))
"""


def start(given, out, part, *options, **environment):
    """A run; of a bare system without options, and without this environment."""
    if given.bare:
        assert not options and not environment
        bare = {path: f"/{path.relative_to(given.bare)}" for path in (out, given.scratch)}
        command = ["chroot", given.bare, "/tdc/bench/gpu/run.sh", "--simulated",
                   "--out", bare[out], "--part", part]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": bare[given.scratch]}
    else:
        command = [GPU / "run.sh", "--simulated", "--tools", given.build, "--packed",
                   given.packed, "--out", out, "--part", part, *options]
        # A killed process does not remove its scratch files.
        environment = {**os.environ, "TMPDIR": str(given.scratch), **environment}
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True,
                            env=environment)


def find_told(output):
    """The keys of the rows that a run told of."""
    lines = (line for line in output.splitlines() if line.startswith("row "))
    return {tuple(part.strip() for part in line[4:].split("|")[:3]) for line in lines}


def kill(given, out, part, seconds):
    """Kills a run after so many seconds. Returns whether it had ended, and what is wrong
    with what it left."""
    process = start(given, out, part)
    try:
        output, ended = process.communicate(timeout=seconds)[0], True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, ended = process.communicate()[0], False
    told = find_told(output)
    for path in out.glob("*.json") if out.exists() else []:
        json.loads(path.read_text())
    for path in out.glob("*.jsonl") if out.exists() else []:
        for line in path.read_text().split("\n")[:-1]:
            json.loads(line)
    there = {rows.key(row) for row in rows.read(out)[0]}
    problems = [f"told of, and not there: {key}" for key in told - there]
    if there:
        report = subprocess.run([GPU / "run.sh", "report", out], capture_output=True, text=True)
        problems += [f"no report: {report.stderr}"] * (report.returncode != 0)
    print(f"{'ended' if ended else 'killed'} after {seconds:.2f} s: "
          f"{len(told)} rows told of, {len(there)} there")
    return ended, problems


def check_kills(given, folder):
    moments = random.Random(given.seed)
    parts, longest = (ALL_PARTS, LONGEST_OF_ALL) if given.bare else (PARTS, LONGEST)
    problems, kills, runs = [], 0, 0
    while kills < given.kills:
        out = folder / f"from-{runs}"
        ended = False
        while kills < given.kills and not ended:
            ended, found = kill(given, out, parts[runs % len(parts)],
                                moments.uniform(0.1, longest))
            kills += not ended
            runs += 1
            problems += found
    for part in parts:
        process = start(given, out, part)
        output = process.communicate()[0]
        problems += [f"exit {process.returncode}:\n{output}"] * (process.returncode != 0)
    counts = collections.Counter(rows.key(row) for row in rows.read(out)[0]
                                 if row["kind"] != "machine")
    kinds = {kind for kind, _, _ in counts}
    problems += [f"{count} times: {key}" for key, count in counts.items() if count > 1]
    if not {"peak", "error", "time", "module", "parallel"} <= kinds:
        problems.append(f"only {kinds} were measured")
    return problems


def check_whole(given, folder):
    """Each part from its beginning to its end."""
    problems = []
    for part in ALL_PARTS:
        began = time.monotonic()
        process = start(given, folder / part.replace("/", "-of-"), part)
        output = process.communicate()[0]
        seconds = time.monotonic() - began
        print(f"part {part}: {seconds:.0f} s")
        problems += [f"exit {process.returncode}:\n{output}"] * (process.returncode != 0)
        problems += [f"part {part} took {seconds:.0f} s"] * (seconds > PART_SECONDS)
    return problems


def check_backwards(given, folder):
    """A clock that runs backwards: each time is a failure, and so is the run."""
    (folder / "sitecustomize.py").write_text(BACKWARDS)
    process = start(given, folder / "backwards", "9/150", PYTHONPATH=str(folder))
    output = process.communicate()[0]
    wrong = [row for row in rows.read(folder / "backwards")[0] if row["kind"] in ("peak", "time")]
    good = [row["name"] for row in wrong if "is none" not in (row["problem"] or "")]
    return [f"exit {process.returncode}, not 1:\n{output}"] * (process.returncode != 1) + \
        [f"no failure: {good} of {len(wrong)}"] * (bool(good) or not wrong)


def check_times(given, folder):
    problems = []
    for seconds in (-1.0, 0.0, float("nan"), float("inf")):
        try:
            problems.append(f"{loops.check(seconds)} is a time")
        except loops.Failed:
            pass
    return problems


def check_time_up(given, folder):
    """A run whose time is up ends by itself, with what it has measured."""
    process = start(given, folder / "short", PARTS[0], "--minutes", "0.02")
    output = process.communicate()[0]
    there = {rows.key(row) for row in rows.read(folder / "short")[0]}
    lost = find_told(output) - there
    # Of a slow machine nothing may be known yet when the time is up.
    return [f"exit {process.returncode}, {lost} lost:\n{output}"] * (
        process.returncode not in (2, 3) or bool(lost))


def check_torn(given, folder):
    """A line without an end is no row; what follows is written after whole ones."""
    out = folder / "torn"
    before = rows.Rows(out)
    before.add({"kind": "time", "name": "a", "system": "tdc"})
    before.close()
    with (out / rows.FILE).open("a") as file:
        file.write('{"kind": "ti')
    again = rows.Rows(out)
    again.add({"kind": "time", "name": "b", "system": "tdc"})
    names = [row["name"] for row in rows.read(out)[0]]
    return [] if names == ["a", "b"] else [f"rows are {names}"]


def check_in_use(given, folder):
    first = rows.Rows(folder / "used")
    try:
        rows.Rows(folder / "used")
    except rows.InUse:
        return []
    return [f"two runs write to {first}"]


def check_size(given, folder):
    """More than 64 MiB does not travel."""
    large = folder / "large"
    large.mkdir()
    with (large / "file").open("wb") as file:
        file.truncate(pack.LARGEST)
    problems = [] if pack.check_size([large]) == pack.LARGEST else ["another size"]
    (large / "one-more").write_bytes(b"x")
    try:
        problems.append(f"{pack.check_size([large])} bytes travel")
    except pack.TooLarge:
        pass
    return problems


CHECKS = [check_times, check_torn, check_in_use, check_size, check_backwards, check_time_up,
          check_kills]


def travel(given):
    """Copies what travels to the bare system."""
    for place in pack.TRAVELS:
        target = given.bare / "tdc" / place.relative_to(ROOT)
        if place.is_dir():
            shutil.copytree(place, target, dirs_exist_ok=True)
        else:
            shutil.copy(place, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--build", type=Path)
    where.add_argument("--bare", type=Path, metavar="ROOT")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    given = parser.parse_args()
    given.bare = given.bare and given.bare.resolve()
    print(f"seed {given.seed}")
    failed = 0
    checks = [check_whole, check_kills] if given.bare else CHECKS
    with tempfile.TemporaryDirectory(dir=given.bare and given.bare / "tmp") as scratch:
        given.scratch, given.packed = Path(scratch), Path(scratch) / "packed"
        if given.bare:
            travel(given)
        else:
            given.packed.mkdir()
            pack.pack_modules(given.build, given.packed, [["matrix.py", "--op", "permute"]])
        for check in checks:
            folder = Path(scratch) / check.__name__
            folder.mkdir()
            problems = check(given, folder)
            failed += bool(problems)
            for problem in problems:
                print(f"{check.__name__}: {problem}")
    print(f"{len(checks)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
