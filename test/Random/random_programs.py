#!/usr/bin/env python3
"""Random programs mean the same at every level of the compiler, and in NumPy.

usage: random_programs.py [--seed N] [--count N] [--level LEVEL]... [--show] [--keep DIR]
  --seed    the first seed; one seed is one program, for ever
  --count   how many programs
  --level   only these (test/tools/tdc-levels), for each program
  --show    print the programs and run nothing
  --keep    folder for the programs that fail, made smaller

Compared are the interpreter, code without and with LLVM's optimisation, code for
a simulated GPU, and pipelines without a pass. The last line is
"random: N passed, N failed".
"""

import functools
import sys
import time

import levels
from generate import generate, text
from shrink import count_ops, shrink
from values import Rejected
from workers import parse_options, run_all

SHRINKING = 60  # seconds at most for one program


def check_seeds(generate, server, seeds, options):
    for seed in seeds:
        chosen = options.level or levels.levels_of(seed)
        program = generate(seed)
        problems = levels.find_problems(server, program, chosen)
        if not problems:
            yield seed, len(chosen), None, None
            continue
        yield (seed, len(chosen), *explain(program, problems, functools.partial(
            find_again, server, problems[0])))


def find_again(server, problem, program):
    needs_reference = problem.kind == "result" and problem.level != levels.INTERPRETER
    return levels.find_problems(
        server, program, [levels.INTERPRETER] * needs_reference + [problem.level])


def explain(program, problems, find):
    """The problems as text, and a smaller program that has the first of them. `find` returns the
    problems of a program."""
    problem, deadline = problems[0], time.monotonic() + SHRINKING

    def fails(candidate):
        if time.monotonic() > deadline:
            return False
        try:
            found = find(candidate)
        except Rejected:
            return False
        return any((p.level, p.kind) == (problem.level, problem.kind) for p in found)
    smaller = shrink(program, fails)
    said = "\n".join(f"  {problem.level}: {problem.text}" for problem in problems)
    return f"{said}\n  made smaller, {count_ops(smaller)} ops:", text(smaller)


def main():
    return run_all("random", parse_options(__doc__, with_levels=True),
                   lambda seed: text(generate(seed)), functools.partial(check_seeds, generate))


if __name__ == "__main__":
    sys.exit(main())
