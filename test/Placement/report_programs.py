"""Compares `tdc report` with the runs of random programs that move, train, save and read a
model and a tensor in loops of unknown trip count and in branches.

    report_programs.py [PROGRAM...] --seed S --count N [--keep FOLDER]

reports.py says what must match, here for each pair of devices. A program that the checker
refuses is replaced by the next one. Programs that do not match are written to FOLDER.
PROGRAMs are compared as well.
"""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile

import reports

DEVICES = ["cpu", "cuda:0", "cuda:1"]


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.loops = 0

    def program(self):
        lines = ["arg n: int = 3", "arg m: int = 2", "let net = Linear(2, 1)",
                 "let opt = SGD(net, lr=0.1)", "let t = ones(2, 2)", "var b = ones(2, 2)"]
        lines += self.block(self.rng.randint(3, 6), 0)
        return "\n".join([*lines, 'net.save("last.safetensors")', "print(b.sum())", ""])

    def block(self, length, depth):
        lines = []
        for _ in range(length):
            lines += self.statement(depth)
        return lines

    def statement(self, depth):
        device = self.rng.choice(DEVICES)
        simple = [f"net.to({device})",
                  'net.save("model.safetensors")',
                  "opt.step(grad(net(t).sum(), net))",
                  "print(net(t).sum().item())",
                  "print(net.weight.sum())",
                  f"b = (b * 2.0).to({device})",
                  f"b = b.to({device}) + t.to({device})",
                  "print(b[0, 0].item())"]
        if depth == 3 or self.rng.random() < 0.6:
            return [self.rng.choice(simple)]
        length = self.rng.randint(1, 3)
        if self.loops and self.rng.random() < 0.5:
            head = self.rng.choice([f"if i{self.loops} % 2 == 0 {{", "if n > m {"])
            inner = self.block(length, depth + 1)
        else:
            self.loops += 1
            head = f"for i{self.loops} in range({self.rng.choice(['n', 'm', '3'])}) {{"
            inner = self.block(length, depth + 1)
            self.loops -= 1
        return [head, *("    " + line for line in inner), "}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failed = sum(bool(check(program)[1]) for program in options.program)
    done = refused = open_counts = 0
    with tempfile.TemporaryDirectory() as folder:
        while done < options.count:
            path = pathlib.Path(folder) / f"{options.seed + done + refused}.tdsl"
            path.write_text(Generator(path.stem).program())
            report, problems = check(path)
            if report is None:
                refused += 1
                continue
            done += 1
            open_counts += any(site["copies"]["number"] is None for site in report["sites"])
            failed += bool(problems)
            if problems and options.keep:
                options.keep.mkdir(exist_ok=True)
                shutil.copy(path, options.keep)
    print(f"{done} programs, {open_counts} with open trip counts, {refused} refused, "
          f"{failed} wrong")
    return 1 if failed else 0


def check(program):
    """Returns the report of a program, none if it is refused, and what does not match."""
    report, counts = reports.run(program, "insert")
    problems = reports.check(report, counts, by_line=False) if report else []
    for problem in problems:
        print(f"{program}: {problem}")
    return report, problems


if __name__ == "__main__":
    sys.exit(main())
