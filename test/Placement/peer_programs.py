"""Random programs on two or three GPUs, with values copied back and forth.

    peer_programs.py --seed S --count N

They print the same as on the cpu, in every order of work of the simulated GPUs, and
td-verify-schedule rejects their schedules if a wait is left out.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import mutations

SEEDS = ["1", "2", "3"]
HEAD = """let one = cuda:0 if cuda.device_count() > 2 else cpu
let two = cuda:1 if cuda.device_count() > 2 else cpu
let three = cuda:2 if cuda.device_count() > 2 else cpu
"""
GPUS = ["one", "two", "three"]


class Program:
    """Returns products of small integers, which are exact on every device."""

    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.gpus = GPUS[:rng.randint(2, 3)]
        self.lines = []
        self.homes = {
            self.define("var", f"(arange(16).float().reshape(4, 4) + {i}).to({gpu})", ""): gpu
            for i, gpu in enumerate(self.gpus * 2)}
        self.block(self.homes, "", 2)
        self.lines += [f"print({name}.sum().item())" for name in self.homes]

    def define(self, word, value, indent):
        self.names += 1
        name = f"v{self.names}"
        self.lines.append(f"{indent}{word} {name} = {value}")
        return name

    def product(self, scope, gpu):
        left, right = self.rng.sample(scope, 2)
        return f"({left}.to({gpu}) @ {right}.to({gpu})) % 7.0"

    def assign(self, scope, indent):
        name, gpu = self.rng.choice(list(self.homes.items()))
        self.lines.append(f"{indent}{name} = {self.product(scope, gpu)}")

    def block(self, scope, indent, depth):
        scope = list(scope)
        for _ in range(self.rng.randint(3, 7)):
            kind = self.rng.choice(["let", "let", "let", "assign", "nested"])
            if kind == "let":
                value = self.product(scope, self.rng.choice(self.gpus))
                scope.append(self.define("let", value, indent))
            elif kind == "assign":
                self.assign(scope, indent)
            elif depth:
                self.names += 1
                head = self.rng.choice([f"for i{self.names} in range(3)",
                                        f"if {self.rng.choice(scope)}.sum().item() > 40.0"])
                self.lines.append(f"{indent}{head} {{")
                self.block(scope, indent + "    ", depth - 1)
                self.lines.append(indent + "}")
        self.assign(scope, indent)

    def text(self):
        return HEAD + "\n".join(self.lines) + "\n"


def run(program, *options, **settings):
    done = subprocess.run(["tdc", "run", *options, program], capture_output=True, text=True,
                          env={**os.environ, **settings})
    return done.stdout + done.stderr


def check(program, spoiled):
    """Returns mistakes, a line each; appends the mutations made to `spoiled` schedules."""
    expected = run(program)
    if not expected or "error" in expected:
        return [f"does not run: {expected}"]
    problems = []
    for seed in SEEDS:
        seen = run(program, mutations.DEVICES, TDC_SIM_SEED=seed)
        if seen != expected:
            problems.append(f"schedule {seed}: {seen}instead of\n{expected}")
    for what, source in mutations.mutants(mutations.schedule(program)):
        spoiled.append(what)
        if not mutations.is_refused(source):
            problems.append(f"accepted with {what}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    options = parser.parse_args()
    failed, spoiled = 0, []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "peers.tdsl"
        for seed in range(options.seed, options.seed + options.count):
            text = Program(random.Random(seed)).text()
            program.write_text(text)
            problems = check(program, spoiled)
            failed += bool(problems)
            if problems:
                print(f"seed {seed}: " + "\n".join(problems) + "\n" + text)
    print(f"{len(spoiled)} spoiled schedules; "
          f"{options.count} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
