#!/usr/bin/env python3
"""Every op of the table on every dtype and shape, against NumPy.

usage: matrix.py [--full | --seed N] [--gpu] [--op NAME]... [--work DIR]
  --full   all cases, not a seeded part of them
  --seed   choose the part, and all numbers, by this seed again
  --gpu    in code for a simulated GPU only, under three schedules
  --op     just these ops

A case is a function of one op with static sizes, or with sizes at run time. It
is called in the interpreter, and as compiled code where there is tdc-call. Ops
must refuse every dtype that is not in their row. The last line is
"op table: N passed, N failed".
"""

import collections
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np

from harness import DTYPES, BackendFailure, Batch, Function, find_backends, find_gpu, parse_options
from references import OPS
from samples import holds_floats

SHOWN = 5  # failures shown of one op
# Relative and absolute error of ops that are not exact.
TOLERANCES = {"f64": (1e-7, 1e-7), "f32": (1.3e-6, 1e-5), "f16": (1e-3, 1e-5),
              "bf16": (1.6e-2, 1e-5)}


def flush(array):
    """Replaces denormal results by zeros, as compiled code does; denormals of f16 are ordinary
    numbers in f32, in which it computes, and stay."""
    if array.dtype == np.float16 or not holds_floats(array):
        return array
    tiny = ml_dtypes.finfo(array.dtype).tiny
    return np.where(np.abs(array) < tiny, np.copysign(array * 0, array), array)


class Case:
    def __init__(self, row, op, dtype, sample, dynamic):
        self.row, self.op, self.dtype, self.sample = row, op, dtype, sample
        self.dynamic = dynamic
        self.function = Function(dynamic)
        self.function.results = [op.emit(self.function, sample)]

    def __str__(self):
        shapes = " ".join(str(array.shape) for array in self.sample.arrays)
        return (f"td.{self.row['mnemonic']} {self.dtype} {shapes} {self.sample.options or ''} "
                f"{self.sample.label} {'sizes at run time' if self.dynamic else 'static sizes'}")

    def problem(self, outcome):
        """Returns the failure of a result, or None."""
        if isinstance(outcome, int):
            return f"stopped with status {outcome}"
        got, want = flush(outcome[0]), flush(np.asarray(self.op.reference(self.sample)))
        if got.shape != want.shape:
            return f"has shape {got.shape}, not {want.shape}"
        if not holds_floats(got):
            wrong = got != want
        else:
            wrong = ~self.close(got, want)
        if not wrong.any():
            return None
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        inputs = [array[at] for array in self.sample.arrays if array.shape == got.shape]
        return (f"{wrong.sum()} of {wrong.size} wrong, first at {at}: {got[at]!r}, "
                f"not {want[at]!r}" + (f", of {inputs}" if inputs else ""))

    def close(self, got, want):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        if self.op.signed_zeros:
            same &= (np.signbit(got) == np.signbit(want)) | np.isnan(got)
        tolerance = self.row["tolerance"]
        if tolerance == "exact" or (tolerance == "rounded" and self.row["mnemonic"] != "iota"):
            return same
        dtype = self.dtype if self.dtype in TOLERANCES else "f32"
        got, want = got.astype(np.float64), want.astype(np.float64)
        if tolerance == "accumulating":
            info = ml_dtypes.finfo(DTYPES[dtype])
            allowed = self.op.bound(self.sample) * info.eps + info.smallest_subnormal
            # A sum near the largest number may round to infinity.
            want = np.where(np.abs(want) > info.max, np.copysign(np.inf, want), want)
            return same | (got == want) | (np.abs(got - want) <= allowed)
        relative, absolute = TOLERANCES[dtype]
        return same | (np.abs(got - want) <= absolute + relative * np.abs(want))


def make_cases(row, random, part):
    op = OPS[row["mnemonic"]]
    for dtype in row["dtypes"]:
        for sample in op.samples(random, dtype):
            for dynamic in (False, True):
                if random.random() < part:
                    yield Case(row, op, dtype, sample, dynamic)


def run_cases(cases, backend, stem):
    """Yields (case, problem or None) for each case. If a whole module fails, its halves are
    tried, to find the case and to continue with the others."""
    if not cases:
        return []
    batch = Batch()
    for case in cases:
        batch.call(batch.add(case.function),
                   [batch.store(array) for array in case.function.arguments])
    batch.write(stem)
    try:
        outcomes, messages = batch.run(backend, stem)
    except (BackendFailure, subprocess.TimeoutExpired) as problem:
        if len(cases) == 1:
            return [(cases[0], f"{str(problem).strip()[-2000:]}, in {stem}.mlir")]
        report = []
        for half, part in enumerate((cases[:len(cases) // 2], cases[len(cases) // 2:])):
            # An op that fails repeatedly is not tried further.
            if sum(problem is not None for _, problem in report) <= SHOWN:
                report += run_cases(part, backend, stem.with_name(f"{stem.name}-{half}"))
        return report
    report = [(case, case.problem(outcome)) for case, outcome in zip(cases, outcomes)]
    if messages and any(problem for _, problem in report):
        print(messages[-2000:], file=sys.stderr)
    return report


def refused_dtypes(row, tdc_opt, stem, random):
    """Writes the op for each dtype that is not in its row: each must be refused."""
    op = OPS[row["mnemonic"]]
    chunks, names = [], []
    for dtype in sorted(set(DTYPES) - set(row["dtypes"])):
        for sample in itertools.islice(op.samples(random, dtype), 5, 6):
            function = Function(dynamic=False)
            function.results = [op.emit(function, sample)]
            chunks.append(function.text("f"))
            names.append(f"td.{row['mnemonic']} on {dtype} must be refused")
    if not chunks:
        return []
    path = stem.with_suffix(".refused.mlir")
    path.write_text("// -----\n".join(chunks))
    process = subprocess.run([tdc_opt, "--split-input-file", str(path)], capture_output=True,
                             text=True, errors="replace")
    lines = sorted(int(line) for line in re.findall(r":(\d+):\d+: error: ", process.stderr))
    report, end = [], 0
    for name, chunk in zip(names, chunks):
        start, end = end, end + chunk.count("\n") + 1
        refused = any(start < line <= end for line in lines)
        report.append((name, None if refused else "accepted"))
    return report


def check_bijection(table):
    rows = {row["mnemonic"] for row in table}
    return ([(f"td.{name}", "has no reference in references.py") for name in rows - OPS.keys()] +
            [(f"{name} of references.py", "is no op of the table") for name in OPS.keys() - rows] +
            [(f"td.{row['mnemonic']}", "has a gradient but no samples for it") for row in table
             if row["gradient"] and row["mnemonic"] in OPS and not OPS[row["mnemonic"]].smooth])


def run_op(row, backends, options, tdc_opt, work):
    stem = work / row["mnemonic"]
    # Its own stream, so that an op has the same numbers alone and among all.
    random = np.random.default_rng([options.seed, *row["mnemonic"].encode()])
    cases = list(make_cases(row, random, options.part))
    report = []
    for backend in backends:
        report += [(f"{backend.name}: {case}", problem) for case, problem in
                   run_cases(cases, backend, work / f"{stem.name}-{backend.name}")]
    return report + refused_dtypes(row, tdc_opt, stem, random)


def main():
    options = parse_options(__doc__)
    work = options.work

    tdc_opt = shutil.which("tdc-opt")
    table = json.loads(subprocess.run([tdc_opt, "--dump-op-table"], check=True, text=True,
                                      capture_output=True).stdout)
    backends = [find_gpu(options.seed)] if options.gpu else find_backends(options.target_cpu)
    options.part = 1 if options.full else 1 / 10
    print(f"seed {options.seed}; {options.part:.0%} of the cases; "
          f"{', '.join(backend.name for backend in backends)}")
    problems = check_bijection(table)
    rows = [row for row in table if row["mnemonic"] in (options.op or OPS) and
            row["mnemonic"] in OPS]
    passed, shown = 0, collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [pool.submit(run_op, row, backends, options, tdc_opt, work) for row in rows]
        for row, job in zip(rows, jobs):
            for name, problem in job.result():
                if problem is None:
                    passed += 1
                    continue
                problems.append((name, problem))
    for name, problem in problems:
        key = re.match(r"(\w+: )?\S+", name)[0]
        shown[key] += 1
        if shown[key] <= SHOWN:
            print(f"FAILED: {name}\n  {problem}")
    for key, count in shown.items():
        if count > SHOWN:
            print(f"and {count - SHOWN} more of {key}")
    if not problems and not options.keeps:
        shutil.rmtree(work)
    elif problems:
        print(f"modules are in {work}; again by --seed {options.seed}")
    print(f"op table: {passed} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
