"""The command tdc of the package, and what the package needs."""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import tdsl
from conftest import ROOT

PACKAGE = Path(tdsl.__file__).parent
SCRIPT = next((path for path in (PACKAGE.parent / "bin/tdc", Path(sys.executable).parent / "tdc")
               if path.exists()), None)
BINARIES = [*PACKAGE.glob("*.so"), *PACKAGE.glob("lib/*.so*"), PACKAGE / "bin/tdc"]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120, **options)


@pytest.fixture(params=["module", "script"])
def tdc(request):
    if request.param == "module":
        return [sys.executable, "-m", "tdsl"]
    assert SCRIPT, "the wheel has no script tdc"
    return [sys.executable, SCRIPT]


def test_version(tdc):
    done = run(*tdc, "--version")
    assert done.returncode == 0 and tdsl.__version__ in done.stdout


def test_exit_codes_and_output(tdc, tmp_path):
    program = tmp_path / "p.tdsl"
    program.write_text("arg n: int = 1\nprint(n + 1)")
    done = run(*tdc, "run", program, "--n", "41")
    assert (done.returncode, done.stdout) == (0, "42\n")
    program.write_text("print(nowhere)")
    done = run(*tdc, "check", program)
    assert done.returncode == 1 and "nowhere" in done.stderr
    assert run(*tdc, "no-such-verb").returncode == 2


def test_build(tdc, tmp_path):
    """It finds the library that programs are linked with."""
    (tmp_path / "p.tdsl").write_text("print(zeros(2) + 1.0)")
    done = run(*tdc, "build", "p.tdsl", "-o", "p", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1" in run(tmp_path / "p").stdout


def test_simulated_gpus(tdc, tmp_path):
    """It finds the simulated driver."""
    program = tmp_path / "p.tdsl"
    program.write_text("let x = ones(4).to(cuda)\nprint((x + 1.0).sum())")
    done = run(*tdc, "run", "--sim-cuda=1", program)
    assert done.returncode == 0 and "8" in done.stdout, done.stderr


def test_nothing_is_missing():
    """The glibc of the wheel's tag is the oldest that all binaries load with, and they
    need no other library of the machine than those of manylinux."""
    tag = next(line for line in (metadata.distribution("tdsl").read_text("WHEEL") or "").split("\n")
               if line.startswith("Tag:"))
    minor = int(re.search(r"cp310-abi3-manylinux_2_(\d+)_x86_64$", tag)[1])
    allowed = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
               "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
    newest = 0
    for binary in BINARIES:
        symbols = run("objdump", "-T", binary, check=True).stdout
        newest = max([newest, *map(int, re.findall(r"GLIBC_2\.(\d+)", symbols))])
        headers = run("objdump", "-p", binary, check=True).stdout
        needed = set(re.findall(r"NEEDED +(\S+)", headers))
        assert {name for name in needed if not name.startswith("libtdc.so")} <= allowed, binary
    assert newest == minor


def test_metadata():
    data = metadata.metadata("tdsl")
    assert data["Version"] == tdsl.__version__ and data["Requires-Python"] == ">=3.10"
    assert data["License-Expression"] == (
        "Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND IJG AND libpng-2.0 "
        "AND MIT AND Zlib")
    assert data["Description-Content-Type"] == "text/markdown"
    assert "Typing :: Typed" in data.get_all("Classifier")
    assert "tdsl.load" in (data.get_payload() or data["Description"])
    assert os.access(PACKAGE / "bin/tdc", os.X_OK)


def test_licences():
    """The texts that the licences of the libraries in it ask for are in it."""
    parts = {str(path).partition(".dist-info/licenses/")[2]: path
             for path in metadata.files("tdsl") or []}
    assert "LICENSE" in parts
    for path in (ROOT / "LICENSES").iterdir():
        assert parts[f"LICENSES/{path.name}"].read_text() == path.read_text()
