"""Functions of td IR with their arguments, and running many of them at once.

A Function is made twice from one sample: with static sizes, and with `?` for
every size that the op lets be known at run time only. A Batch is a module of
such functions and the calls of them; a backend is a program that makes the
calls (tools/tdc-interpret/Calls.h says how they are passed).
"""

import argparse
import dataclasses
import json
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8,
          "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_}
SCHEDULES = 3  # of one program on a simulated GPU
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


def element_type(dtype):
    return "i1" if dtype == "bool" else dtype.replace("u", "ui")


@dataclasses.dataclass(frozen=True)
class Value:
    """An SSA value; dims are numbers, or None where the type says `?`."""
    name: str
    dtype: str
    dims: tuple

    @property
    def type(self):
        dims = "".join(f"{'?' if dim is None else dim}x" for dim in self.dims)
        return f"tensor<{dims}{element_type(self.dtype)}>"

    def like(self, dtype=None, dims=None):
        """A value without a name, for its type."""
        return Value("", dtype or self.dtype, self.dims if dims is None else tuple(dims))


class Function:
    """The text of a function while it is written."""

    def __init__(self, dynamic):
        self.dynamic = dynamic
        self.parameters = []
        self.arguments = []
        self.lines = []
        self.results = []

    def input(self, array, fixed=()):
        """A parameter with its argument. Dims in `fixed` stay static."""
        array = np.asarray(array)
        dims = tuple(None if self.dynamic and d not in fixed else size
                     for d, size in enumerate(array.shape))
        value = Value(f"%a{len(self.parameters)}", NAMES[array.dtype], dims)
        self.parameters.append(value)
        self.arguments.append(array)
        return value

    def define(self, text):
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def op(self, text, result, suffix=None):
        """`text : suffix` gives a value of the type of `result`."""
        name = self.define(f"{text} : {result.type if suffix is None else suffix}")
        return Value(name, result.dtype, result.dims)

    def integer(self, number):
        """A host int: a constant, or an element read at run time."""
        return self.scalar(np.int64(number))

    def scalar(self, number):
        number = np.asarray(number)
        host = {"f": "f64", "i": "i64", "b": "i1"}[number.dtype.kind]
        if self.dynamic:
            value = self.input(number.astype({"f64": np.float64, "i64": np.int64,
                                              "i1": np.bool_}[host]))
            return self.define(f"td.item {value.name} : {value.type} -> {host}")
        return self.define(f"arith.constant {literal(number, host)}")

    def shape(self, dims, fixed=()):
        """A result's shape, and `sizes(...)` from an argument that has it."""
        if not self.dynamic or len(fixed) == len(dims):
            return tuple(dims), ""
        donor = self.input(np.zeros(dims, np.uint8))
        return self.sizes_of([None if d in fixed else (donor, d) for d in range(len(dims))], dims)

    def sizes_of(self, sources, dims):
        """Does the same from (value, dim) pairs; None where the size is static."""
        types, sizes = [], []
        for source, size in zip(sources, dims):
            if source is None or source[0].dims[source[1]] is not None:
                types.append(size)
                continue
            value, dim = source
            types.append(None)
            sizes.append(self.define(f"td.dim {value.name}, {dim} : {value.type}"))
        return tuple(types), f" sizes({', '.join(sizes)})" if sizes else ""

    def text(self, name):
        parameters = ", ".join(f"{value.name}: {value.type}" for value in self.parameters)
        types = ", ".join(value.type for value in self.results)
        results = ", ".join(value.name for value in self.results)
        body = "\n  ".join([*self.lines, f"return {results} : {types}"])
        return (f"func.func @{name}({parameters}) -> ({types}) attributes {{td.export}} {{\n"
                f"  {body}\n}}\n")


def literal(number, host):
    if host == "i1":
        return "true" if number else "false"
    if host == "i64":
        return f"{int(number)} : i64"
    bits = int(np.float64(number).view(np.uint64))
    return f"0x{bits:016X} : f64"


class Batch:
    """A module of functions, and calls of them with arrays; `mark` is an attribute that the
    module has."""

    def __init__(self, mark=None):
        self.mark = mark
        self.texts = []
        self.calls = []
        self.chunks = []
        self.bytes = 0

    def add(self, function):
        """Adds a function; returns its name."""
        name = f"f{len(self.texts)}"
        self.texts.append(function.text(name))
        return name

    def store(self, array):
        """Places an array in the data file, to be used in calls."""
        array = np.asarray(array)
        row = {"dtype": NAMES[array.dtype], "dims": list(array.shape), "at": self.bytes}
        data = array.tobytes()
        self.chunks.append(data.ljust(-len(data) % 64 + len(data), b"\0"))
        self.bytes += len(self.chunks[-1])
        return row

    def call(self, name, rows):
        self.calls.append({"fn": name, "in": rows})

    def write(self, stem):
        module = "func.func @main() {\n  return\n}\n" + "".join(self.texts)
        if self.mark:
            module = f"module attributes {{{self.mark}}} {{\n{module}}}\n"
        stem.with_suffix(".mlir").write_text(module)
        stem.with_suffix(".json").write_text(json.dumps(self.calls))
        # A kernel may read a vector past the end of a buffer.
        stem.with_suffix(".bin").write_bytes(b"".join(self.chunks) + bytes(64))

    def run(self, backend, stem, module=None, limit=240):
        """Returns the results of each call: a list of arrays, or a status. Raises
        BackendFailure if there are none, or if another seed gives others."""
        results = f"{stem}.results"
        process = subprocess.run(
            [*backend.command, str(module or stem.with_suffix(".mlir")),
             "--calls", str(stem.with_suffix(".json")), "--data", str(stem.with_suffix(".bin")),
             "--results", results, *(f"--seed={seed}" for seed in backend.seeds)],
            capture_output=True, text=True, errors="replace", timeout=limit)
        if process.returncode != 0:
            raise BackendFailure(process.stderr or f"exit code {process.returncode}")
        files = [f"{results}.{seed}" for seed in backend.seeds] or [results]
        runs = [(Path(file).read_bytes(), Path(f"{file}.json").read_text()) for file in files]
        if runs.count(runs[0]) != len(runs):
            raise BackendFailure(f"not the same under the seeds {backend.seeds}")
        data, lines = runs[0]
        outcome = [read_results(json.loads(line), data) for line in lines.splitlines()]
        if len(outcome) != len(self.calls):
            raise BackendFailure(f"{len(outcome)} of {len(self.calls)} calls made")
        return outcome, process.stderr


class BackendFailure(Exception):
    pass


@dataclasses.dataclass
class Backend:
    """A program that makes calls."""
    name: str
    command: list
    seeds: tuple = ()  # of schedules, under each of which the calls are made


def find_backends(target_cpu=None):
    """Returns the interpreter, and compiled code for a processor if that is built."""
    backends = [Backend("interpreter", [shutil.which("tdc-interpret")])]
    if compiled := shutil.which("tdc-call"):
        cpu = ["--target-cpu", target_cpu] if target_cpu else []
        backends.append(Backend("compiled", [compiled, *cpu]))
    return backends


def find_gpu(seed):
    """Code for a simulated GPU, with every check that it makes."""
    return Backend("gpu", ["env", "TDC_SIM_CUDA=1", shutil.which("tdc-call"), "--gpu"],
                   tuple(seed + schedule for schedule in range(SCHEDULES)))


def read_results(row, data):
    if "status" in row:
        return row["status"]
    arrays = []
    for tensor in row["out"]:
        dtype = np.dtype(DTYPES[tensor["dtype"]])
        count = int(np.prod(tensor["dims"], dtype=np.int64))
        arrays.append(np.frombuffer(data, dtype, count, tensor["at"]).reshape(tensor["dims"]))
    return arrays


def parse_options(description, *flags):
    """Parses the command line of these programs, with their own flags; makes the work folder,
    which is kept if it was named."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--op", action="append")
    parser.add_argument("--target-cpu")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--work", type=Path)
    for flag in flags:
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    options.keeps = options.work is not None
    options.work = options.work or Path(tempfile.mkdtemp())
    options.work.mkdir(parents=True, exist_ok=True)
    return options
