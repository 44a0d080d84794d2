"""The GPU test-suite, run by this machine's driver.

Programs must print what they print on the simulated driver, but for last digits,
and make the same copies at the same lines: calibration.json has both. Modules of
the op table, which pack.py packed with the simulated driver's results, must give
them again: integers exactly, floats as close as their dtype lets sums in another
order be. Outside of tensor cores every operation is IEEE's, so most floats are
equal to the last bit; how many results are is counted.
"""

import concurrent.futures
import itertools
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from machine import BUILD, HERE, ROOT

sys.path.append(str(ROOT / "test/Placement"))
import runs  # noqa: E402

CALIBRATION = HERE / "calibration.json"
MODULES = BUILD / "modules.tar.xz"
# Relative and absolute, of sums in another order.
CLOSE = {"f64": (1e-9, 1e-9), "f32": (1e-4, 1e-5), "f16": (4e-3, 1e-3), "bf16": (4e-2, 1e-2)}


def programs():
    """(name, command line after `tdc run`) of all programs for one GPU; `off`
    refuses some, which are not in calibration.json."""
    found = []
    placement = ROOT / "test/Placement"
    for path in sorted([*placement.glob("p*.tdsl"), *placement.glob("forgotten/*.tdsl")]):
        if "cuda:1" not in path.read_text():
            found += [(f"{path.stem} {mode}", [f"--placement={mode}", path])
                      for mode in ("insert", "off")]
    examples = ROOT / "examples"
    on_gpu = "--device=cuda"
    found += [(name, [on_gpu, examples / f"{name}.tdsl"]) for name in ("simple_model", "casts")]
    found.append(("digits", [on_gpu, examples / "digits.tdsl", "--", "--epochs", "5",
                             "--data", examples / "data/digits"]))
    return found


def run_program(here, words):
    """What the program prints, and its copies; or why it failed, and None."""
    output, counts = runs.execute(here.tdc("run", *words))
    return (output, None) if counts is None else ((output[0], {}), counts)


def calibrate(here):
    rows, refused = {}, []
    for name, words in programs():
        output, counts = run_program(here, words)
        if counts is None:
            refused.append(name)
        else:
            rows[name] = {"output": output[0], "counts": counts}
    CALIBRATION.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{len(rows)} programs in {CALIBRATION}; refused: {', '.join(refused)}")


def check_program(here, name, words, wanted):
    output, counts = run_program(here, words)
    if counts is None:
        return {"name": name, "problem": output[:500], "equal": False}
    expected = (wanted["output"], {})
    return {"name": name, "problem": runs.compare((expected, wanted["counts"]), (output, counts)),
            "equal": output[0] == wanted["output"]}


# --- Modules ----------------------------------------------------------------

def decode(dtype, data):
    if dtype == "bf16":
        halves = struct.unpack(f"<{len(data) // 2}H", data)
        return struct.unpack(f"<{len(halves)}f", struct.pack(f"<{len(halves)}I",
                                                             *(half << 16 for half in halves)))
    code = {"f64": "d", "f32": "f", "f16": "e"}[dtype]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def is_close(dtype, one, other):
    relative, absolute = CLOSE[dtype]
    return all(a == b or math.isnan(a) and math.isnan(b) or
               math.isclose(a, b, rel_tol=relative, abs_tol=absolute)
               for a, b in zip(decode(dtype, one), decode(dtype, other)))


SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2}


def read(stem):
    """The results of a module's calls: (status or None, [(dtype, dims, bytes)])."""
    data = Path(f"{stem}.results").read_bytes()
    for line in Path(f"{stem}.results.json").read_text().splitlines():
        row = json.loads(line)
        yield row.get("status"), [
            (out["dtype"], out["dims"],
             data[out["at"]:out["at"] + math.prod(out["dims"]) * SIZES.get(out["dtype"], 1)])
            for out in row.get("out", [])]


def compare(wanted, got):
    """(what is wrong or None, whether all bits are equal) of one call."""
    if wanted == got:
        return None, True
    if wanted[0] != got[0]:
        return f"status {got[0]}, not {wanted[0]}", False
    for (dtype, dims, one), (_, other_dims, other) in zip(wanted[1], got[1]):
        if dims != other_dims or (one != other and
                                  (dtype not in CLOSE or not is_close(dtype, one, other))):
            return f"another {dtype} result", False
    return None, False


def check_module(here, stem):
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / stem.name
        try:
            done = subprocess.run(
                [here.tools["tdc-call"], f"{stem}.mlir", "--calls", f"{stem}.json",
                 "--data", f"{stem}.bin", "--results", f"{results}.results", "--gpu"],
                capture_output=True, text=True, errors="replace", timeout=300)
        except subprocess.TimeoutExpired:
            return [{"name": stem.name, "problem": "no end after 300 s", "equal": False}]
        if done.returncode:
            return [{"name": stem.name, "problem": done.stderr.strip()[:500], "equal": False}]
        rows = []
        for number, (wanted, got) in enumerate(itertools.zip_longest(read(stem), read(results))):
            problem, equal = compare(wanted, got) if wanted and got else ("not as many calls", False)
            rows.append({"name": f"{stem.name} call {number}", "problem": problem, "equal": equal})
        return rows


def run(here):
    wanted = json.loads(CALIBRATION.read_text())
    shutil.rmtree(BUILD / "modules", ignore_errors=True)
    with tarfile.open(MODULES) as packed:
        packed.extractall(BUILD)
    stems = sorted(path.with_suffix("") for path in (BUILD / "modules").glob("*.mlir"))
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        jobs = [pool.submit(check_module, here, stem) for stem in stems]
        rows = [check_program(here, name, words, wanted[name])
                for name, words in programs() if name in wanted]
        for job in jobs:
            rows += job.result()
    return rows
