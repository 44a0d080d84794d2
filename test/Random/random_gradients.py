#!/usr/bin/env python3
"""Gradients of random programs are the slopes of what NumPy computes.

usage: random_gradients.py [--seed N] [--count N] [--level LEVEL]... [--show] [--keep DIR]

The options are those of random_programs.py. A program is a smooth function of
tensors of few f64, whose gradients with respect to all of them are compared with
central differences at every level. The last line is
"gradients: N passed, N failed".
"""

import functools
import sys

from generate import generate_gradients, text
from random_programs import check_seeds
from workers import parse_options, run_all


def main():
    return run_all("gradients", parse_options(__doc__, with_levels=True),
                   lambda seed: text(generate_gradients(seed)),
                   functools.partial(check_seeds, generate_gradients))


if __name__ == "__main__":
    sys.exit(main())
