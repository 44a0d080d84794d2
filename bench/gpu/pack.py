#!/usr/bin/env python3
"""Makes what a machine with a GPU needs beside the tracked files, on one that
builds tdc: build/gpu-bench, 64 MiB at most.

usage: pack.py   after `./tdc.sh test` has built the tests' tools
"""

import lzma
import os
import shutil
import subprocess
import sys
import tarfile

from machine import BUILD, ROOT, TOOLS

LARGEST = 64 << 20
SEED = "0"


def call(*command, **options):
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True, **options)


def pack_tools():
    call("cmake", "--preset", "release", "-DTDC_TESTS=ON")
    call("cmake", "--build", ROOT / "build/release", "--target",
         "tdc", "tdc-call", "tdc_sim_cuda")
    for name, folder in TOOLS.items():
        stripped = BUILD / name
        call("strip", "-o", stripped, ROOT / "build/release" / folder / name)
        (BUILD / f"{name}.xz").write_bytes(lzma.compress(stripped.read_bytes(), preset=6))
        stripped.unlink()


def pack_modules():
    """A quarter of the op table, and products, with what simulated GPUs make of
    them."""
    modules = BUILD / "modules"
    shutil.rmtree(modules, ignore_errors=True)
    dev = ROOT / "build/dev/bin"
    tools = {**os.environ, "PATH": f"{dev}:{os.environ['PATH']}", "TDC_SIM_SEED": SEED}
    python = ROOT / "build/venv/bin/python"
    for script in ("matrix.py", "products.py"):
        call(python, ROOT / "test/OpTable" / script, "--gpu", "--seed", SEED,
             "--work", modules, env=tools)
    for path in modules.glob("*.results.[0-9]*"):  # of each schedule: they are equal
        name, _, seed = path.name.partition(".results.")
        if seed in (SEED, f"{SEED}.json"):
            path.rename(modules / f"{name}.results{seed[len(SEED):]}")
        else:
            path.unlink()
    for path in modules.glob("*.refused.mlir"):
        path.unlink()
    with tarfile.open(BUILD / "modules.tar.xz", "w:xz") as packed:
        packed.add(modules, "modules")
    shutil.rmtree(modules)


def main():
    BUILD.mkdir(parents=True, exist_ok=True)
    pack_tools()
    pack_modules()
    sizes = {path.name: path.stat().st_size for path in BUILD.glob("*.xz")}
    for name, size in sizes.items():
        print(f"{size / 1e6:6.1f} MB  {name}")
    if sum(sizes.values()) > LARGEST:
        print(f"pack.py: more than {LARGEST >> 20} MiB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
