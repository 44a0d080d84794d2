#!/usr/bin/env python3
"""Random programs with one random edit: no crash, no hang, no word of MLIR.

usage: mutated_programs.py [--seed N] [--count N] [--show] [--keep DIR]

The program of a seed, edited by it, is compiled all the way, a tenth for a
simulated GPU. What the compiler says must be for the author of the program. The
last line is "mutated: N passed, N failed".
"""

import sys

import levels
from generate import generate, text
from mutate import mutate
from workers import parse_options, run_all

EDITS = 10  # of one program


def source_of(seed):
    return mutate(text(generate(seed // EDITS)), seed)


def check_seeds(server, seeds, options):
    for seed in seeds:
        if seed % EDITS == 0 or seed == seeds[0]:
            program = text(generate(seed // EDITS))
        source = mutate(program, seed)
        level = "compile,gpu" if seed % 10 == 9 else "compile"
        complaint = levels.find_complaint(server, source, level)
        yield seed, 1, complaint and f"  {level}: {complaint}", source


def main():
    options = parse_options(__doc__)
    return run_all("mutated", options, source_of, check_seeds)


if __name__ == "__main__":
    sys.exit(main())
