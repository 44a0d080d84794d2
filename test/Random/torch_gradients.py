#!/usr/bin/env python3
"""Gradients of random programs equal those of PyTorch.

usage: torch_gradients.py [--seed N] [--count N] [--level LEVEL]... [--show] [--keep DIR]

The options are those of random_programs.py; a program is interpreted and compiled, a tenth
also for a simulated GPU. It is a function of tensors of f64; PyTorch evaluates its text and
gives the gradients with respect to all of them. Half of the inputs are multiples of 1/4, so
that many elements are equal, zero, or at the bound of a function: there PyTorch's convention
decides which slope is taken. Left out is what PyTorch does not define (which of equal elements
`topk` takes) and what docs/Language.md says is different. The last line is
"torch: N passed, N failed".

It runs outside CI, by a Python with PyTorch and ml_dtypes.
"""

import functools
import sys

import numpy as np

import levels
import pytorch
from generate import compute_program, generate_torch, text
from random_programs import explain
from tree import Function
from values import Rejected, kinks
from workers import parse_options, run_all

# Of an element, and of the largest one of its tensor: a sum of terms that cancel has the error of
# its largest term, which is about as large as another element in most programs.
RELATIVE = 1e-9
ABSOLUTE = 1e-12


def expected(program):
    """What PyTorch saves, and the program without the gradients that do not exist."""
    with kinks("exact"):
        names = compute_program(program)
    starts = [i for i, statement in enumerate(program) if isinstance(statement, Function)]
    if not starts:
        raise Rejected  # a smaller program, in which PyTorch would draw the inputs
    start = starts[0]
    inputs = {statement.name: names[statement.name].copies[0] for statement in program[:start]}
    saved = pytorch.run(program[start:], inputs)
    absent = {name for name, value in saved.items() if value is None}
    return saved, [statement for statement in program
                   if not hasattr(statement, "name") or statement.name not in absent]


def allowed(want):
    sizes = np.abs(want.astype(np.float64))
    return RELATIVE * (sizes + np.nanmax(sizes, initial=0)) + ABSOLUTE


def find_problems(server, program, chosen):
    wanted, program = expected(program)
    source, problems = text(program), []
    for level in chosen:
        status, folder = server.run(level, source)
        if status != "exit 0":
            problems.append(levels.Problem(level, status, f"{status}\n{levels.errors_in(folder)}"))
            continue
        for name, want in wanted.items():
            if want is None:
                continue
            wrong = levels.compare(np.load(folder / f"{name}.npy"), want, allowed(want))
            if wrong:
                problems.append(levels.Problem(level, "result", f"{name}: {wrong}"))
                break
    return problems


def check_seeds(server, seeds, options):
    for seed in seeds:
        chosen = options.level or [levels.INTERPRETER, "run"] + [levels.GPU] * (seed % 10 == 0)
        program = generate_torch(seed)
        try:
            problems = find_problems(server, program, chosen)
        except pytorch.Refused as error:
            yield seed, 0, f"  PyTorch: {error}", text(program)
            continue
        if not problems:
            yield seed, len(chosen), None, None
            continue
        yield (seed, len(chosen), *explain(program, problems, functools.partial(
            find_again, server, problems[0].level)))


def find_again(server, level, program):
    try:
        return find_problems(server, program, [level])
    except pytorch.Refused:
        return []


def main():
    return run_all("torch", parse_options(__doc__, with_levels=True),
                   lambda seed: text(generate_torch(seed)), check_seeds)


if __name__ == "__main__":
    sys.exit(main())
