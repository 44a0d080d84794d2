"""Runs programs in many ways and compares what they save.

A level is a way in which tdc-levels runs a program. NumPy gives the expected values;
the interpreter does for gradients and training, which NumPy does not compute.
"""

import dataclasses
import functools
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

from generate import compute_program, text
from tree import Save
from values import NAMES, is_float

INTERPRETER = "interpret=grad"
CPU = ["run", "run,unoptimized"]
GPU = "run,gpu"
# Processors with shorter vectors and fewer registers, if this one can run their code.
PROCESSORS = {"haswell": "avx2", "x86-64-v2": "sse4_2"}
# Without these passes a program means the same. Where nothing is on a GPU, some have nothing to
# do. All others are needed: td-grad computes gradients, td-resolve gives tensors the device that
# type conversion asks for, td-data-parallel removes td.sum_parts, td-place puts the copies,
# td-form-kernels cuts what the conversions compile, and those conversions are the compiler.
OPTIONAL = ["td-unused-loops", "td-gradient-presence", "td-simplify", "td-sink-reshapes",
            "td-fuse-stages", "td-assign-layouts", "td-hoist-scalars"]
OPTIONAL_ON_GPUS = [*OPTIONAL, "td-verify-replicas", "td-choose-devices", "td-fit-memory",
                    "td-verify-grad", "td-verify-placement", "td-schedule", "td-verify-schedule",
                    "merge-launches", "td-verify-buffers", "td-verify-memory"]
# Optional parts of passes.
PARTS = ["td-form-kernels:merge=false", "kernel-to-cpu:always-panels=true",
         "kernel-to-cpu:always-threads=true"]
PARTS_ON_GPUS = ["td-form-kernels:merge=false", "kernel-to-gpu:split=false"]
PREFIXES = ["interpret=resolved", "interpret=placed", "interpret=kernels",
            "interpret=scheduled"]
# Tolerances of values that NumPy does not follow.
UNSEEN = {"f64": 1e-7, "f32": 5e-3, "f16": 0.1, "bf16": 0.3}
# Where terms of about 1 cancel, as in the gradient of a sum of softmax, only their rounding
# errors remain.
ROUNDING = {"f64": 2**-53, "f32": 2**-24, "f16": 2**-11, "bf16": 2**-8}
# Words of the program in a message, and what no author of a program can read.
QUOTED = re.compile(r"`[^`\n]*`|^ *\d+ \|.*$", re.MULTILINE)
INTERNAL = re.compile(r"\b(td|scf|arith|math|func|llvm|nvvm|gpu|vector|builtin|ub|cf)\.[a-z_]+\b|"
                      r"failed to legalize|\bbug\b|MLIR|LLVM|%\d", re.IGNORECASE)


def levels_of(seed):
    """The levels of a seed's program. A fifth is compiled without each pass, one at a time, and
    interpreted in each phase; a tenth goes through a simulated GPU, half of those without each
    pass there; a tenth is compiled for other processors."""
    levels = [INTERPRETER, *CPU]
    if seed % 10 == 3:
        levels += other_processors()
    if seed % 10 == 0:
        levels.append(GPU)
    if seed % 20 == 0:
        levels += [f"{GPU},without={name}" for name in OPTIONAL_ON_GPUS]
        levels += [f"{GPU},{part}" for part in PARTS_ON_GPUS]
    if seed % 5 == 1:
        levels += [f"run,without={name}" for name in OPTIONAL] + PREFIXES
        levels += [f"run,{part}" for part in PARTS]
    return levels


@functools.cache
def other_processors():
    flags = Path("/proc/cpuinfo").read_text().split()
    return [f"run,processor={name}" for name, flag in PROCESSORS.items() if flag in flags]


class Server:
    """A process of tdc-levels and a folder for its programs."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen([shutil.which("tdc-levels")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, level, source):
        """The status of a program and the folder where it ran."""
        here = self.folder / re.sub(r"\W", "-", level)
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        path = self.folder / "program.tdsl"
        path.write_text(source)
        print(level, path, here, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip(), here

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@dataclasses.dataclass
class Problem:
    level: str
    kind: str  # `exit 70`, `x3`: the part that is the same for smaller programs
    text: str


def find_problems(server, program, levels):
    """Returns the failure of a program that has been computed; raises Rejected if it cannot be."""
    names = compute_program(program)
    source = text(program)
    saves = [statement for statement in program if isinstance(statement, Save)]
    reference, problems = {}, []
    for level in levels:
        status, folder = server.run(level, source)
        if status != "exit 0":
            problems.append(Problem(level, status, f"{status}\n{errors_in(folder)}"))
            continue
        for save in saves:
            value = names[save.name]
            wrong = None
            got = np.load(folder / f"{save.name}.npy")
            if level == INTERPRETER:
                reference[save.name] = got
            if value.is_compared:
                wrong = compare(got, value.copies[0], value.allowed())
            elif save.name in reference:
                wrong = compare(got, reference[save.name],
                                unseen_error(reference[save.name], save.dtype))
            if wrong:
                problems.append(Problem(level, "result", f"{save.name}: {wrong}"))
                break
    return problems


def errors_in(folder):
    """Returns the messages, without warnings."""
    parts = (folder / "errors").read_text(errors="replace").split("\n\n")
    return "\n\n".join(part for part in parts if not part.startswith("warning"))[:2000]


def unseen_error(array, dtype):
    if not is_float(dtype) or array.size == 0:
        return np.zeros(array.shape)
    sizes = np.abs(array.astype(np.float64))
    return (UNSEEN[dtype] * (sizes + np.nanmax(sizes, initial=0) * 0.1 + 1e-4) +
            ROUNDING[dtype])


def compare(got, want, allowed):
    """Returns a difference of two arrays above the tolerance, or None."""
    if got.shape != want.shape:
        return f"has shape {got.shape}, not {want.shape}"
    if NAMES[want.dtype] == "bf16":
        want = want.astype(np.float32)
    if got.dtype != want.dtype:
        return f"is {got.dtype}, not {want.dtype}"
    if want.dtype.kind != "f":
        wrong = got != want
    else:
        one, other = got.astype(np.float64), want.astype(np.float64)
        wrong = ~((one == other) | (np.abs(one - other) <= allowed) |
                  (np.isnan(one) & np.isnan(other)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{wrong.sum()} of {wrong.size} elements wrong, first at {at}: {got[at]!r}, "
            f"not {want[at]!r}" + (f" (+- {allowed[at]:.2g})" if want.dtype.kind == "f" else ""))


def find_complaint(server, source, level):
    """Returns what is wrong with the compiler's messages for any program, or None."""
    status, folder = server.run(level, source)
    said = (folder / "errors").read_text(errors="replace")
    if status not in ("exit 0", "exit 1"):
        return f"{status}\n{said[:2000]}"
    if status == "exit 1" and not re.search(r"^error", said, re.MULTILINE):
        return "refused without an error"
    if found := INTERNAL.search(QUOTED.sub("", said)):
        return f"says `{found[0]}`:\n{said[:2000]}"
    return None
