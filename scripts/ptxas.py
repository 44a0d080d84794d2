#!/usr/bin/env python3
"""Assembles PTX with NVIDIA's ptxas for each chip that programs are made for.

usage: ptxas.py [--part PERCENT [--seed N]] FOLDER

FOLDER has the modules that tests loaded on simulated GPUs (TDC_SIM_MODULES). A
module fails if ptxas refuses it or leaves out a kernel, or if a kernel spills
registers to memory.
ptxas is taken from the PATH, the CUDA Toolkit or build/venv. The last line is
"ptx: N passed, M failed".
"""

import argparse
import concurrent.futures
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHIPS = ["sm_80", "sm_90"]
FOLDERS = ["/usr/local/cuda/bin",
           *map(str, ROOT.glob("build/venv/lib/*/site-packages/nvidia/cuda_nvcc/bin"))]
ENTRY = re.compile(r"\.entry\s+(\w+)")
KERNEL = re.compile(r"Compiling entry function '(\w+)' for 'sm_\w+'\n(?:.*\n)*?"
                    r" +(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
                    r"\n.*?Used (\d+) registers")


def find_ptxas():
    path = os.pathsep.join([os.environ["PATH"], *FOLDERS])
    return shutil.which("ptxas", path=path)


def assemble(ptxas, module, chip):
    """(kernels, the most registers of a kernel, the problem or nothing)."""
    process = subprocess.run([ptxas, "-v", f"-arch={chip}", module, "-o", os.devnull],
                             capture_output=True, text=True, errors="replace")
    kernels = KERNEL.findall(process.stderr)
    problems = [] if process.returncode == 0 else process.stderr.splitlines()[:5]
    missing = set(ENTRY.findall(module.read_text())) - {row[0] for row in kernels}
    if process.returncode == 0:
        problems += [f"{name} is not among the kernels assembled" for name in sorted(missing)]
    problems += [f"{name} spills {stores} bytes"
                 for name, _, stores, loads, _ in kernels if int(stores) or int(loads)]
    return len(kernels), max((int(row[-1]) for row in kernels), default=0), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--part", type=int, default=100, metavar="PERCENT")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    ptxas = find_ptxas()
    modules = sorted(options.folder.glob("*.ptx"))
    chosen = random.Random(options.seed)
    jobs = [(module, chip) for module in modules for chip in CHIPS
            if chosen.random() < options.part / 100]
    if not ptxas or not jobs:
        print("there is no ptxas: tests need NVIDIA's" if not ptxas else
              f"no modules are in {options.folder}")
        print("ptx: 0 passed, 1 failed")
        return 1

    failed, kernels, registers = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        reports = pool.map(lambda job: assemble(ptxas, *job), jobs)
        for (module, chip), (count, most, problems) in zip(jobs, reports):
            kernels += count
            registers = max(registers, most)
            failed += bool(problems)
            for problem in problems:
                print(f"{module}, {chip}: {problem}")
    print(f"seed {options.seed}; {len(modules)} modules, {kernels} kernels assembled, "
          f"at most {registers} registers")
    print(f"ptx: {len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
