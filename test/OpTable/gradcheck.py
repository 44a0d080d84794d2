#!/usr/bin/env python3
"""Every gradient rule against central differences, in f64.

usage: gradcheck.py [--full | --seed N] [--op NAME]... [--work DIR]

For each op with a gradient and each of its smooth samples: the loss is the sum
of the result times weights; td-grad makes the gradient, which is interpreted, and
compiled if there is a tdc-call. Its expected value is the central difference of the
interpreted loss a small step to either side of each input element.
The last line is "gradients: N passed, N failed".
"""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

import numpy as np

from harness import BackendFailure, Batch, Function, find_backends, parse_options
from reductions import reduce_value
from references import OPS

SHOWN = 5
STEP, ABSOLUTE, RELATIVE = 1e-6, 1e-5, 1e-3


def write_loss(op, sample, weights, dynamic, with_gradients):
    """The loss of a sample as a function, or its gradients."""
    function = Function(dynamic)
    result = op.emit(function, sample)
    # The results of some ops are not f64 although their inputs are.
    if result.dtype != "f64":
        result = function.op(f"td.cast {result.name}", result.like("f64"),
                             f"{result.type} to {result.like('f64').type}")
    fixed = [d for d, size in enumerate(result.dims) if size is not None]
    factor = function.input(weights, fixed)
    product = function.op(f"td.mul {result.name}, {factor.name}", result)
    loss = reduce_value(function, "sum", product, range(len(result.dims)))
    function.results = [loss]
    # The inputs of the sample come first; others are sizes and scalars.
    wrt = [function.parameters[index] for index in parameter_indexes(function, sample, op)]
    if with_gradients:
        types = ", ".join(value.type for value in wrt)
        names = ", ".join(value.name for value in wrt)
        name = function.define(f"td.grad {loss.name} wrt({names}) : ({loss.type}, {types}) "
                               f"-> ({types})" if len(wrt) > 1 else
                               f"td.grad {loss.name} wrt({names}) : ({loss.type}, {types}) "
                               f"-> {types}")
        if len(wrt) > 1:
            function.lines[-1] = function.lines[-1].replace(" = ", f":{len(wrt)} = ", 1)
            function.results = [type(value)(f"{name}#{i}", value.dtype, value.dims)
                                for i, value in enumerate(wrt)]
        else:
            function.results = [type(wrt[0])(name, wrt[0].dtype, wrt[0].dims)]
    return function


def parameter_indexes(function, sample, op):
    """Returns the positions of the inputs with a gradient among the function's parameters."""
    indexes = []
    for wanted in op.wrt(sample):
        array = sample.arrays[wanted]
        indexes.append(next(i for i, argument in enumerate(function.arguments)
                            if argument is array and i not in indexes))
    return indexes


class Check:
    """One sample, with static sizes or with sizes at run time."""

    def __init__(self, mnemonic, sample, dynamic, random, losses, gradients):
        self.mnemonic, self.sample, self.dynamic = mnemonic, sample, dynamic
        op = OPS[mnemonic]
        weights = random.uniform(-1, 1, np.shape(op.reference(sample)))
        loss = write_loss(op, sample, weights, dynamic, with_gradients=False)
        gradient = write_loss(op, sample, weights, dynamic, with_gradients=True)
        self.step = sample.options.get("step", STEP)
        self.indexes = parameter_indexes(loss, sample, op)
        self.arrays = [loss.arguments[index] for index in self.indexes]
        gradients.call(gradients.add(gradient), [gradients.store(a) for a in gradient.arguments])

        name = losses.add(loss)
        rows = [losses.store(argument) for argument in loss.arguments]
        for index, array in zip(self.indexes, self.arrays):
            for place in np.ndindex(array.shape):
                for sign in (1, -1):
                    moved = array.copy()
                    moved[place] += sign * self.step
                    losses.call(name, [*rows[:index], losses.store(moved), *rows[index + 1:]])

    def __str__(self):
        shapes = " ".join(str(array.shape) for array in self.sample.arrays)
        return (f"td.{self.mnemonic} {shapes} {self.sample.options or ''} {self.sample.label} "
                f"{'sizes at run time' if self.dynamic else 'static sizes'}")

    def take_slopes(self, losses):
        """Central differences from the next losses of an iterator, one array for
        each input."""
        slopes = []
        for array in self.arrays:
            values = [next(losses) for _ in range(2 * array.size)]
            values = np.array([np.nan if isinstance(value, int) else float(value[0])
                               for value in values]).reshape(-1, 2)
            slopes.append(((values[:, 0] - values[:, 1]) / (2 * self.step)).reshape(array.shape))
        return slopes

    def problem(self, gradients, slopes):
        if isinstance(gradients, int):
            return f"stopped with status {gradients}"
        for index, (array, gradient, slope) in enumerate(zip(self.arrays, gradients, slopes)):
            if gradient.shape != array.shape:
                return f"input {index}: has shape {gradient.shape}, not {array.shape}"
            wrong = ~(np.abs(gradient - slope) <= ABSOLUTE + RELATIVE * np.abs(slope))
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                return (f"input {index}: {wrong.sum()} of {wrong.size} wrong, first at {at}: "
                        f"{gradient[at]!r}, not {slope[at]!r}, at {array[at]!r}")
        return None


def run_op(mnemonic, options, work):
    random = np.random.default_rng([options.seed, *mnemonic.encode()])
    losses, gradients = Batch(), Batch()
    checks = [Check(mnemonic, sample, dynamic, random, losses, gradients)
              for sample in OPS[mnemonic].smooth(random) for dynamic in (False, True)
              if options.full or random.random() < 0.25]
    stem = work / mnemonic
    losses.write(stem.with_name(f"{mnemonic}-loss"))
    gradients.write(stem)
    reversed_module = stem.with_suffix(".grad.mlir")
    process = subprocess.run([shutil.which("tdc-opt"), "--td-grad", "--td-verify-grad",
                              str(stem.with_suffix(".mlir")), "-o", str(reversed_module)],
                             capture_output=True, text=True, errors="replace")
    if process.returncode != 0:
        return [(f"td.{mnemonic}", process.stderr.strip()[-2000:])]
    backends = find_backends()
    try:
        losses, _ = losses.run(backends[0], stem.with_name(f"{mnemonic}-loss"))
    except (BackendFailure, subprocess.TimeoutExpired) as problem:
        return [(f"td.{mnemonic}", str(problem).strip()[-2000:])]
    losses = iter(losses)
    slopes = [check.take_slopes(losses) for check in checks]
    report = []
    for backend in backends:
        try:
            results, messages = gradients.run(backend, stem, reversed_module)
        except (BackendFailure, subprocess.TimeoutExpired) as problem:
            report.append((f"{backend.name}: td.{mnemonic}", str(problem).strip()[-2000:]))
            continue
        report += [(f"{backend.name}: {check}", check.problem(*pair))
                   for check, *pair in zip(checks, results, slopes)]
        if messages:
            print(messages[-2000:], file=sys.stderr)
    return report


def main():
    options = parse_options(__doc__)
    work = options.work

    table = json.loads(subprocess.run([shutil.which("tdc-opt"), "--dump-op-table"], check=True,
                                      text=True, capture_output=True).stdout)
    names = [row["mnemonic"] for row in table if row["gradient"]
             and row["mnemonic"] in (options.op or OPS)]
    print(f"seed {options.seed}; {'all' if options.full else 'a quarter of the'} cases")
    passed, failed = 0, 0
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for report in pool.map(run_op, names, [options] * len(names), [work] * len(names)):
            problems = [(name, problem) for name, problem in report if problem]
            passed += len(report) - len(problems)
            failed += len(problems)
            for name, problem in problems[:SHOWN]:
                print(f"FAILED: {name}\n  {problem}")
            if len(problems) > SHOWN:
                print(f"and {len(problems) - SHOWN} more of the same op")
    if failed:
        print(f"modules are in {work}; again by --seed {options.seed}")
    elif not options.work:
        shutil.rmtree(work)
    print(f"gradients: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
