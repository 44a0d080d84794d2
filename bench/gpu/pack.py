#!/usr/bin/env python3
"""Makes build/gpu-bench, on a machine that builds tdc: the files that a machine with a GPU
needs in addition to the tracked ones. All copied folders take at most 64 MiB.

usage: pack.py   after `./tdc.sh test` has built the tests' tools and build/venv
"""

import concurrent.futures
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from machine import HERE, PACKED, ROOT, TOOLS
from workloads import WORKLOADS

sys.path.append(str(ROOT / "scripts"))
import ptxas  # noqa: E402

TRAVELS = [HERE, ROOT / "test/Placement", ROOT / "test/DataParallel",
           ROOT / "examples", ROOT / "bench/peers", ROOT / "bench/plot.py", PACKED]
LARGEST = 64 << 20
SEED = "0"
CHIP = "sm_90"
TABLES = [["matrix.py"], ["chains.py"], ["products.py"]]


class TooLarge(Exception):
    """The copied folders are too large."""


def call(*command, **options):
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True, **options)


def pack_tools(build, packed):
    for name, folder in TOOLS.items():
        with tempfile.TemporaryDirectory() as scratch:
            stripped = Path(scratch) / name
            call("strip", "-o", stripped, build / folder / name)
            (packed / f"{name}.xz").write_bytes(lzma.compress(stripped.read_bytes(), preset=6))


def archive(folder, packed):
    with tarfile.open(packed / f"{folder.name}.tar.xz", "w:xz") as file:
        file.add(folder, folder.name)


def pack_modules(build, packed, tables=TABLES):
    """A quarter of the op table, chains and products, with the results of simulated GPUs
    under three schedules. `tables` are command lines of test/OpTable."""
    tools = {**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as scratch:
        modules = Path(scratch) / "modules"
        for script, *options in tables:
            call(ROOT / "build/venv/bin/python", ROOT / "test/OpTable" / script, "--gpu",
                 "--seed", SEED, "--work", modules, *options, env=tools)
        for path in modules.glob("*.results.[0-9]*"):  # one per schedule; they are equal
            name, _, seed = path.name.partition(".results.")
            if seed in (SEED, f"{SEED}.json"):
                path.replace(modules / f"{name}.results{seed[len(SEED):]}")
            else:
                path.unlink()
        for path in modules.glob("*.refused.mlir"):
            path.unlink()
        archive(modules, packed)


def pack_programs(build, packed):
    """The workloads as executables of their sizes, with machine code for sm_90 in addition to
    the PTX, so that the driver has nothing to compile."""
    tools = {**os.environ, "PATH": os.pathsep.join([os.environ["PATH"], *ptxas.FOLDERS])}
    with tempfile.TemporaryDirectory() as scratch:
        programs = Path(scratch) / "programs"
        programs.mkdir()

        def build_one(workload):
            values = {**workload.arguments, **workload.sizes}
            call(build / "bin/tdc", "build", "--quiet", f"--cubin={CHIP}", *workload.options,
                 HERE / f"programs/{workload.program}.tdsl", "--sim-cuda=1",
                 *[f"--set={name}={value}" for name, value in values.items()],
                 "-o", programs / workload.file, env=tools)

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(build_one, WORKLOADS))
        archive(programs, packed)


def check_size(places):
    """Bytes of files, and of all files in folders. Raises TooLarge."""
    sizes = {path: path.stat().st_size for place in places
             for path in [place, *place.rglob("*")] if path.is_file()}
    total = sum(sizes.values())
    if total > LARGEST:
        most = sorted(sizes, key=sizes.get)[-5:]
        raise TooLarge(f"{total} bytes would travel, at most {LARGEST} may; the most is in "
                       + ", ".join(f"{path} ({sizes[path]})" for path in reversed(most)))
    return total


def main():
    shutil.rmtree(PACKED, ignore_errors=True)
    PACKED.mkdir(parents=True)
    release = ROOT / "build/release"
    call("cmake", "--preset", "release", "-DTDC_TESTS=ON")
    call("cmake", "--build", release, "--target", "tdc", "tdc-call", "tdc_sim_cuda")
    pack_tools(release, PACKED)
    pack_modules(ROOT / "build/dev", PACKED)
    pack_programs(release, PACKED)
    try:
        total = check_size(TRAVELS)
    except TooLarge as problem:
        print(f"pack.py: {problem}", file=sys.stderr)
        return 1
    print(f"{total / 2**20:.1f} MiB travel: {PACKED} and the tracked files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
