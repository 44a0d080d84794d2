"""The programs of this folder, each in a process that goes on (runner.c)."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib
from collections import namedtuple

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import sample  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
INCLUDE = FOLDER.parent.parent / "runtime" / "include"
DEVICES = 2
PHASES = "open", "statements", "main", "calls", "close"
# A run takes hundredths of a second; one that hangs is a failure.
LIMIT = 60
MOST = 60  # cases of a program, if not all

# One step of a run: the run, the step, its status, the bytes allocated after it,
# the output of the program and the text of the runner.
Step = namedtuple("Step", "run name status bytes output told")
# What a process has done: its files are checksums by name.
Run = namedtuple("Run", "exit steps errors stats files")

STEP = re.compile(r"^-- (\w+) (\w+) (-?\d+) bytes (\d+)\n", re.MULTILINE)


def parse_options(description, patterns, what):
    """The command line of both tests; `sources` are the programs to test."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--program")
    parser.add_argument("--work", type=pathlib.Path)
    options = parser.parse_args()
    options.sources = sorted(path for pattern in patterns for path in FOLDER.glob(pattern)
                             if options.program in (None, path.stem))
    print(f"seed {options.seed}; {'all' if options.full else 'a part of the'} {what}")
    return options


def choose(items, part, options, name):
    """All of a program's, or about that part of them, by the seed, and at most MOST."""
    items = list(items)
    return items if options.full else sample.pick(items, part, f"{options.seed} {name}", MOST)


def must_run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def libraries():
    return pathlib.Path(shutil.which("tdc")).parent.parent / "lib"


def build(source, folder):
    """Compiles a program for GPUs and for the cpu, and links both to a runner."""
    tdc = shutil.which("tdc")
    gpu, cpu, runner = (folder / (source.stem + end) for end in (".gpu.o", ".cpu.o", ""))
    emit = [tdc, "emit", "--phase=obj", source]
    must_run([*emit, "--device", "cuda", f"--sim-cuda={DEVICES}", "-o", gpu])
    must_run([*emit, "--device", "cpu", "-o", cpu])
    must_run(["objcopy", "--redefine-sym", "tdc_program=cpu_program", cpu])
    must_run(["cc", "-std=c99", "-Wall", "-Werror", "-I", INCLUDE, FOLDER / "runner.c", gpu, cpu,
              libraries() / "libtdc_rt.a", "-lm", "-lpthread", "-o", runner])
    return runner


def build_all(sources, folder):
    """Runners by the names of their programs."""
    with pool() as workers:
        return dict(zip([source.stem for source in sources],
                        workers.map(lambda source: build(source, folder), sources)))


def pool():
    return concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))


def run(runner, last="all", **settings):
    """Runs it to the phase `last`, with settings of the simulated driver
    (FAULT="cuMemAlloc@1=2"), in an empty folder."""
    scratch = thread_folder(runner.parent)
    stats = scratch / "stats.json"
    env = {"TDC_SIM_CUDA": str(DEVICES), "TDC_SIM_SEED": "1", "TDC_SIM_STATS": str(stats),
           "TDC_SIM_CUDA_LIBRARY": str(libraries() / "libtdc_sim_cuda.so"),
           "LC_ALL": "C.UTF-8"}
    env |= {"TDC_SIM_" + name: str(value) for name, value in settings.items()}
    try:
        done = subprocess.run([runner, last], capture_output=True, text=True, errors="replace",
                              cwd=scratch, env=env, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Run("hangs", [], "", None, {})
    counted = json.loads(stats.read_text()) if stats.exists() else None
    stats.unlink(missing_ok=True)
    files = {}
    for file in scratch.iterdir():
        files[file.name] = zlib.crc32(file.read_bytes())
        file.unlink()
    return Run(done.returncode, parse(done.stdout), done.stderr, counted, files)


folders = threading.local()


def thread_folder(parent):
    if getattr(folders, "parent", None) != parent:
        folders.parent, folders.own = parent, pathlib.Path(tempfile.mkdtemp(dir=parent))
    return folders.own


def parse(text):
    """The steps that a runner has told. The line of a step is followed by its error
    or the results of a call; that of `open` by the output of main."""
    steps = []
    output, *parts = STEP.split(text)
    for run, name, status, size, text in zip(*[iter(parts)] * 5):
        is_open = name == "open" and status == "0"
        steps.append(Step(run, name, int(status), int(size), output, "" if is_open else text))
        output = text if is_open else ""
    return steps
