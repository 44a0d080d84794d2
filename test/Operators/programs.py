"""Samples of one operator as a `.tdsl` program, run and compared.

A Sample has the expression that the operator's documentation would show, the arrays of its
names, and the results and gradients of PyTorch. This file knows no PyTorch: samples come
from samples.py, which does, or from a file (stored.py).
"""

import collections
import dataclasses
import json
import math
import pathlib
import re
import shutil
import subprocess
import typing

import ml_dtypes
import numpy as np

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "u8": np.uint8,
          "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
AT_ONCE = 60  # samples of one program
# What is equal, and the kinds of outcomes; a sample has the last one that its lines have.
GOOD = ("equal", "nearer", "rounded")
KINDS = (*GOOD, "refused", "stopped", "broken", "wrong")
# The error of a function that the language does not have.
UNKNOWN = r"TD900: `[\w.]+` is not built yet|TD20[12]: unknown name"


@dataclasses.dataclass
class Sample:
    """A call of an operator. An expression has `{}` for the prefix of the sample's names."""
    operator: str
    dtype: str
    call: str
    inputs: dict  # arrays by name
    results: list  # arrays
    picks: list  # what follows the call for each result: "" or "[0]"
    gradients: dict = dataclasses.field(default_factory=dict)  # by the input's name
    weights: dict = dataclasses.field(default_factory=dict)  # of each result's elements
    tolerance: tuple = (0.0, 0.0)  # relative, absolute
    # Gives the results and the gradients as PyTorch computes them in f64; not stored.
    exact: typing.Optional[typing.Callable] = None


FIELDS = ("operator", "dtype", "call", "picks", "tolerance")
ARRAYS = ("inputs", "gradients", "weights")


def store(path, samples):
    """Writes samples to an .npz file, with all elements of a dtype in one array of it: an array
    for each tensor would take ten times the space. `load` reads them."""
    elements = collections.defaultdict(list)

    def put(array):
        elements[NAMES[array.dtype]].append(array.ravel())
        return NAMES[array.dtype], array.shape

    rows = [{**{name: getattr(sample, name) for name in FIELDS},
             **{group: [(name, *put(array)) for name, array in getattr(sample, group).items()]
                for group in ARRAYS},
             "results": [put(array) for array in sample.results]} for sample in samples]
    np.savez_compressed(path, index=np.frombuffer(json.dumps(rows).encode(), np.uint8),
                        **{name: np.concatenate(parts) for name, parts in elements.items()})


def load(path):
    with np.load(path) as file:
        elements = {name: file[name] for name in file.files if name != "index"}
        rows = json.loads(bytes(file["index"]))
    if "bf16" in elements:  # NumPy does not know it
        elements["bf16"] = elements["bf16"].view(ml_dtypes.bfloat16)
    used = collections.Counter()

    def take(dtype, shape):
        start, count = used[dtype], math.prod(shape)
        used[dtype] += count
        return elements[dtype][start:start + count].reshape(shape)

    return [Sample(**{name: row[name] for name in FIELDS},
                   **{group: {name: take(*array) for name, *array in row[group]}
                      for group in ARRAYS},
                   results=[take(*array) for array in row["results"]]) for row in rows]


def type_of(array):
    return f"{NAMES[array.dtype]}[{', '.join(map(str, array.shape))}]"


class Line:
    """A part of a sample that compiles or not by itself: its values or its gradients."""

    def __init__(self, sample, prefix, folder, of_gradients):
        self.sample, self.of_gradients = sample, of_gradients
        self.expected = {}
        arrays = dict(sample.inputs)
        call = sample.call.format(*[prefix] * sample.call.count("{}"))
        made = f"{prefix}r"
        steps = []
        if of_gradients:
            arrays |= {f"w{i}": weight for i, weight in sample.weights.items()}
            terms = [f"({made}{sample.picks[i]} * {prefix}w{i}).sum()"
                     for i in sample.weights]
            wrt = ", ".join(prefix + name for name in sample.gradients)
            steps.append(f"let {prefix}g = grad({' + '.join(terms)}, ({wrt},))")
            picked = [(f"{prefix}g[{i}]", array)
                      for i, array in enumerate(sample.gradients.values())]
        else:
            picked = [(made + pick, array)
                      for pick, array in zip(sample.picks, sample.results)]
        for i, (value, array) in enumerate(picked):
            path = folder / f"{prefix}{i}.npy"
            self.expected[path] = array
            steps.append(f'save("{path}", {value})')
        self.arrays = {prefix + name: array for name, array in arrays.items()}
        loads = [f'let {name}: {type_of(array)} = load("{folder}/inputs.npz", key="{name}")'
                 for name, array in self.arrays.items()]
        self.text = "; ".join([*loads, f"let {made} = {call}", *steps])

    def exact(self):
        """The expected arrays in f64; none if PyTorch does not compute them."""
        return self.sample.exact()[self.of_gradients] if self.sample.exact else []


def state_of(kinds):
    """Whether an operator is complete, from the counts of its outcomes."""
    if not kinds:
        return "outside"
    if all(kind.split()[0] in GOOD for kind in kinds):
        return "complete"
    return "missing" if all("refused" in kind for kind in kinds) else "partial"


def errors_by_line(text, program):
    """The first error about each line of the program, from the lines of standard error."""
    found = {}
    for line in text.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if report["severity"] != "error":
            continue
        # A mistake in a library function points to its call, too.
        for place in [report["primary"], *report["secondary"], *report["notes"]]:
            if place.get("file") == str(program):
                found.setdefault(place["start"]["line"], report)
                break
    return found


def difference(array, expected, tolerance):
    """Says how two arrays differ; "" if they are close."""
    if array.dtype != expected.dtype:
        return f"is {type_of(array)}, not {type_of(expected)}"
    if array.shape != expected.shape:
        return f"is {type_of(array)}, not {type_of(expected)}"
    wide = np.float64 if NAMES[array.dtype][0] in "fb" else array.dtype
    a, b = array.astype(wide), expected.astype(wide)
    if wide is not np.float64:
        return "" if np.array_equal(a, b) else "differs"
    rtol, atol = tolerance
    near = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    if near.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~near)[0])
    return f"{(~near).sum()} of {a.size} elements differ, first {list(at)}: {a[at]}, not {b[at]}"


def times_as_far(array, expected, exact):
    """How many times as far an array is from the exact one as PyTorch's is, as points are: by
    the root of the sum of squares."""
    if array.dtype != expected.dtype or not array.shape == expected.shape == exact.shape:
        return math.inf
    if not NAMES[array.dtype].startswith("f"):
        return math.inf
    a, b, e = (one.astype(np.float64) for one in (array, expected, exact))
    finite = np.isfinite(e)
    if not np.array_equal(a[~finite], e[~finite], equal_nan=True):
        return math.inf
    ours, theirs = np.linalg.norm((a - e)[finite]), np.linalg.norm((b - e)[finite])
    return ours / theirs if theirs else math.inf if ours else 0.0


class Runner:
    """Runs samples; `outcomes` has one (line, kind, text) each. Kinds: `equal`, `nearer` (not
    close to PyTorch's result, but at least as near to its result in f64 as its own is),
    `rounded` (the same, up to twice as far from it as its own is), `wrong`,
    `refused` (a coded error while compiling), `stopped` (a coded error of the run), `broken`
    (anything else)."""

    def __init__(self, tdc, folder, options=(), library=None):
        """`library`: a file whose functions are tried in place of the compiler's own."""
        self.tdc = pathlib.Path(shutil.which(tdc) or tdc).absolute()
        self.options = list(options)
        self.library = library and pathlib.Path(library)
        self.folder = pathlib.Path(folder)
        self.outcomes = []

    def head(self):
        """The first line of a program."""
        if not self.library:
            return "# Samples of PyTorch, one a line."
        target = self.folder / self.library.name
        target.write_text(self.library.read_text())
        names = re.findall(r"^(?:export )?fn ([a-z]\w*)", target.read_text(), re.MULTILINE)
        return f"from {self.library.stem} import {', '.join(names)}"

    def run_all(self, samples):
        """Runs samples of any number. Where the first one's function does not exist, neither
        does that of the others of the operator."""
        unknown = {}
        for start in range(0, len(samples), AT_ONCE):
            part = samples[start:start + AT_ONCE]
            if part[0].operator not in unknown:
                before = len(self.outcomes)
                self.run(part[:1])
                kind, text = self.outcomes[before][1:]
                exists = kind != "refused" or not re.match(UNKNOWN, text)
                unknown[part[0].operator] = None if exists else text
                part = part[1:]
            for sample in [one for one in part if unknown.get(one.operator)]:
                self.outcomes += [(line, "refused", unknown[sample.operator])
                                  for line in self.lines_of(sample, "s")]
            self.run([one for one in part if not unknown.get(one.operator)])

    def lines_of(self, sample, prefix):
        """The lines of a sample: its values, and its gradients."""
        return [Line(sample, f"{prefix}{'vg'[of_gradients]}_", self.folder, of_gradients)
                for of_gradients in ([False, True] if sample.gradients else [False])]

    def run(self, samples):
        """Makes one program of at most AT_ONCE samples and runs it, without the lines that
        it reports until none is reported."""
        lines = []
        for number, sample in enumerate(samples):
            lines += self.lines_of(sample, f"s{number}")
        while lines:
            lines = self.try_once(lines)

    def try_once(self, lines):
        """Runs the program of the lines; returns those to try again."""
        for path in self.folder.glob("*.npy"):
            path.unlink()
        arrays = {name: array for line in lines for name, array in line.arrays.items()}
        np.savez(self.folder / "inputs.npz", **arrays)
        program = self.folder / "program.tdsl"
        texts = [self.head(), *(line.text for line in lines)]
        text = "\n".join(texts) + "\n"
        program.write_text(text.replace("F.", "") if self.library else text)
        try:
            done = subprocess.run(
                [self.tdc, "run", "--message-format", "json", "--quiet", program,
                 *self.options], capture_output=True, text=True, timeout=600,
                cwd=self.folder)  # where a crash leaves its report
            code, errors = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            code, errors = "timeout", ""
        if code == 0:
            for line in lines:
                self.compare(line)
            return []
        blamed = errors_by_line(errors, program)
        if not blamed:
            if len(lines) == 1:
                self.outcomes.append((lines[0], "broken", f"exit {code}: {errors[-500:]}"))
                return []
            half = len(lines) // 2
            return self.try_once(lines[:half]) + self.try_once(lines[half:])
        rest = []
        for number, line in enumerate(lines, 2):
            if number not in blamed:
                rest.append(line)
                continue
            first = blamed[number]
            is_flat = line.of_gradients and not any(
                array.any() for array in line.expected.values())
            if first["code"] == "TD602" and is_flat:
                # PyTorch gives zeros; docs/Language.md says why this is an error here.
                self.outcomes.append((line, "equal", ""))
                continue
            kind = "stopped" if first["code"].startswith("TR") else "refused"
            self.outcomes.append((line, kind, f"{first['code']}: {first['title']}"))
        return rest

    def compare(self, line):
        kind, tolerance = "equal", line.sample.tolerance
        for i, (path, expected) in enumerate(line.expected.items()):
            array = np.load(path)
            if array.dtype == np.dtype("V2"):
                array = array.view(ml_dtypes.bfloat16)
            text = difference(array, expected, tolerance)
            if not text:
                continue
            exact = line.exact()
            far = times_as_far(array, expected, exact[i]) if exact else math.inf
            if not far <= 2:
                self.outcomes.append((line, "wrong", text))
                return
            kind = "rounded" if far > 1 or kind == "rounded" else "nearer"
        self.outcomes.append((line, kind, ""))
