"""Compares results of this machine's driver with those of the simulated driver.

Programs must print the same text as there, except for last digits, and make the same
copies at the same lines: calibration.json has both. Modules of the op table, which pack.py
packed with the simulated driver's results, must give the same results three times, each
time with the same bits: integers exactly, floats within the tolerance of sums in another
order in their dtype. Outside of tensor cores every operation follows IEEE 754, so most
floats are equal to the last bit; the number of equal results is counted. Programs that
must fail must do so with the error of their row.
Each check returns the fields of a row: `problem` is None if all is well.
"""

import itertools
import json
import math
import os
import shutil
import struct
import sys
import tempfile
from pathlib import Path

from machine import HERE, ROOT

sys.path.append(str(ROOT / "test/Placement"))
import runs  # noqa: E402

CALIBRATION = HERE / "calibration.json"
SCHEDULES = ("0", "1", "2")
LIMIT = 120  # seconds
# Relative and absolute tolerance for sums in another order.
CLOSE = {"f64": (1e-9, 1e-9), "f32": (1e-4, 1e-5), "f16": (4e-3, 1e-3), "bf16": (4e-2, 1e-2)}


#===--- Programs -------------------------------------------------------------===#

def programs():
    """{name: command line after `tdc run`} of all programs for one GPU. The mode `off`
    refuses some of them, which are not in calibration.json."""
    examples, on_gpu = ROOT / "examples", "--device=cuda"
    found = {name: [on_gpu, examples / f"{name}.tdsl"] for name in ("simple_model", "casts")}
    found["digits"] = [on_gpu, examples / "digits.tdsl", "--", "--epochs", "5",
                       "--data", examples / "data/digits"]
    found["products"] = [HERE / "programs/products.tdsl"]
    found["products, tf32"] = ["--tf32", HERE / "programs/products.tdsl"]
    placement = ROOT / "test/Placement"
    for path in sorted([*placement.glob("p*.tdsl"), *placement.glob("forgotten/*.tdsl")]):
        if "cuda:1" not in path.read_text():
            found.update((f"{path.stem} {mode}", [f"--placement={mode}", path])
                         for mode in ("insert", "off"))
    return found


def run_program(here, words):
    """((output of the program, {}), its copies); or (reason of failure, None)."""
    with tempfile.TemporaryDirectory(dir=here.work) as folder:
        counts = Path(folder) / "counts.json"
        printed, problem = here.run(*here.tdc("run", *words), limit=LIMIT, cwd=folder,
                                    env={"TDC_STATS_JSON": str(counts)})
        return (problem, None) if problem else ((printed, {}), json.loads(counts.read_text()))


def calibrate(here):
    """Writes calibration.json; returns the programs that cannot be placed."""
    rows, refused = {}, []
    for name, words in programs().items():
        output, counts = run_program(here, words)
        if counts is None:
            refused.append(name)
        else:
            rows[name] = {"output": output[0], "counts": counts}
    CALIBRATION.write_text(json.dumps(rows, indent=1) + "\n")
    return len(rows), refused


def read_calibration():
    return json.loads(CALIBRATION.read_text())


def check_program(here, name, wanted):
    output, counts = run_program(here, programs()[name])
    if counts is None:
        return {"problem": output, "made": 1, "equal": 0}
    expected = (wanted["output"], {})
    return {"problem": runs.compare((expected, wanted["counts"]), (output, counts)),
            "made": 1, "equal": int(output[0] == wanted["output"])}


#===--- Modules --------------------------------------------------------------===#

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


def read_results(path):
    """The results of a module's calls: [(status or None, [(dtype, dims, bytes)])]."""
    data = path.read_bytes()
    return [(row.get("status"), [
        (out["dtype"], out["dims"],
         data[out["at"]:out["at"] + math.prod(out["dims"]) * SIZES.get(out["dtype"], 1)])
        for out in row.get("out", [])])
        for row in map(json.loads, Path(f"{path}.json").read_text().splitlines())]


def compare(wanted, got):
    """(problem or None, whether all bits are equal) of one call."""
    if wanted is None or got is None:
        return "is made by one driver only", False
    if wanted == got:
        return None, True
    if wanted[0] != got[0] or len(wanted[1]) != len(got[1]):
        return f"status {got[0]}, not {wanted[0]}", False
    for (dtype, dims, one), (_, other_dims, other) in zip(wanted[1], got[1]):
        if dims != other_dims or (one != other and
                                  (dtype not in CLOSE or not is_close(dtype, one, other))):
            return f"another {dtype} result", False
    return None, False


def check_module(here, stem):
    with tempfile.TemporaryDirectory(dir=here.work) as folder:
        results = Path(folder) / "results"
        _, problem = here.run(
            here.tools["tdc-call"], f"{stem}.mlir", "--calls", f"{stem}.json", "--data",
            f"{stem}.bin", "--results", results, "--gpu",
            *[f"--seed={schedule}" for schedule in SCHEDULES], limit=LIMIT)
        if problem:
            return {"problem": problem, "made": 1, "equal": 0}
        first, *others = [read_results(Path(f"{results}.{schedule}")) for schedule in SCHEDULES]
    outcomes = [compare(*pair) for pair in
                itertools.zip_longest(read_results(Path(f"{stem}.results")), first)]
    problems = [f"call {number}: {problem}" for number, (problem, _) in enumerate(outcomes)
                if problem]
    problems += ["not the same bits in each run"] * any(other != first for other in others)
    return {"problem": "; ".join(problems[:5]) or None, "made": len(outcomes),
            "equal": sum(equal for _, equal in outcomes)}


#===--- Errors ---------------------------------------------------------------===#

def errors():
    """{name: (words after `tdc run`, environment, exit code, expected message)}."""
    program = HERE / "programs/errors.tdsl"
    here = HERE / "programs/products.tdsl"
    return {
        **{f"{op} out of range": ([program, "--", "--op", op], {}, 3, f"error[TR103]: {told}")
           for op, told in (("index", "index 6 "), ("gather", "index 6 "), ("scatter", "index 6 "),
                            ("class", "label 7 "), ("graph", "index 6 "))},
        "out of memory": ([program, "--", "--op", "memory", "--row", "1000"], {}, 3,
                          "error[TR308]: out of memory on cuda:0"),
        "assertion": ([program, "--", "--op", "assert"], {}, 3, "error[TR101]: assertion"),
        "no GPU visible": (["--require=cuda", here], {"CUDA_VISIBLE_DEVICES": ""}, 3,
                           "no GPU can be seen"),
        "no second GPU": ([HERE / "programs/second.tdsl"], {"CUDA_VISIBLE_DEVICES": "0"}, 1,
                          "error[TD506]: there is no device cuda:1"),
        "no such device": ([here], {"TDC_DEVICE": "tpu"}, 3, "error[TR313]"),
    }


def check_error(here, name):
    words, environment, status, told = errors()[name]
    _, problem = here.run(*here.tdc("run", *words), limit=LIMIT, env=environment)
    as_told = problem is not None and problem.startswith(f"exit {status}:") and told in problem
    return {"problem": None if as_told else f"exit {status} and «{told}» expected: {problem}",
            "made": 1, "equal": int(as_told), "told": problem}


#===--- compute-sanitizer ----------------------------------------------------===#

SANITIZER = shutil.which("compute-sanitizer", path=os.pathsep.join(
    [os.environ.get("PATH", os.defpath), "/usr/local/cuda/bin"]))
SANITIZERS = ["memcheck", "racecheck", "initcheck", "synccheck"]
SANITIZED = {"gpt": ("transformer", "gpt"), "embedding gradient": ("tables", "embedding gradient"),
             "softmax": ("layers", "softmax")}


def check_sanitized(here, name, tool):
    program, op = SANITIZED[name]
    _, problem = here.run(
        SANITIZER, f"--tool={tool}", "--error-exitcode=9",
        *here.tdc("run", "--quiet", HERE / f"programs/{program}.tdsl", "--", "--op", op,
                  "--rounds", "1", "--iterations", "2"), limit=LIMIT)
    return {"problem": problem, "made": 1, "equal": int(problem is None)}
