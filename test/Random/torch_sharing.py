#!/usr/bin/env python3
"""Random programs of names that share tensors print what PyTorch prints, or are refused (TD219).

usage: torch_sharing.py [--seed N] [--count N] [--show]

A program names tensors, views, lists and tuples, calls functions, changes tensors in place in
branches and loops, rotates names, and prints sums. Its text exists twice, for PyTorch and for tdc.
A program that tdc accepts and that prints something else is a failure, and so is an error other
than TD219. PyTorch also runs each refused program with a copy for each name. If that prints the
same, the refusal is false: the program prints nothing that depends on sharing. More false refusals
than MOST_FALSE of the programs are a failure, too. The last line is
"sharing: N accepted, N refused (N of them false), N failed, N invalid"; PyTorch stops in those that
are invalid.

It runs outside CI, by a Python with PyTorch.
"""

import argparse
import collections
import contextlib
import io
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from separate import copied, separate

MOST_FALSE = 0.2  # of the programs; of 497 it was 0.06, and of 60 0.15
PRELUDE = {
    "py": """import torch
import torch.nn as nn
import torch.nn.functional as F
torch.set_num_threads(1)
true, false = True, False
f32, i64 = torch.float32, torch.int64
zeros, ones, arange, tensor, stack, cat = (
    torch.zeros, torch.ones, torch.arange, torch.tensor, torch.stack, torch.cat)
transpose, flatten, unsqueeze, narrow = (
    torch.transpose, torch.flatten, torch.unsqueeze, torch.narrow)
relu, clone, reshape, permute = torch.relu, torch.clone, torch.reshape, torch.permute
act = nn.ReLU(inplace=True)
def ident(x):
    return x
def first(x):
    return x[0]
def bump(x):
    x += 1
    return x
def twice(x):
    return x * 2
def pair(x, y):
    return (x, y)
def places(x):
    storage = torch.arange(x.untyped_storage().nbytes() // x.element_size())
    return set(storage.as_strided(x.size(), x.stride(), x.storage_offset()).flatten().tolist())
def apart(value, target):
    # PyTorch does not say in which order it copies elements.
    if (isinstance(value, torch.Tensor)
            and value.untyped_storage().data_ptr() == target.untyped_storage().data_ptr()
            and places(value) & places(target)):
        raise RuntimeError("part of a tensor is assigned to another part of it that overlaps")
    return value
""",
    "tdsl": """let act = ReLU(inplace=true)
fn ident(x) = x
fn first(x) {
    return x[0]
}
fn bump(x) {
    var x = x
    x += 1
    return x
}
fn twice(x) = x * 2
fn pair(x, y) {
    return (x, y)
}
let _ = (ident(ones(1)), first(ones(1)), bump(ones(1)), twice(ones(1)), pair(1, 2), act(ones(1)))
""",
}


class Program:
    """Lines of both texts; `kinds` counts what they do."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = {"py": [], "tdsl": []}
        self.depth = 0
        self.scopes = [{}]  # names of tensors with their shapes
        self.lists = [{}]   # names of lists with the shapes of their elements
        self.count = 0
        self.kinds = set()
        self.loops = 0
        self.make()

    # Text ------------------------------------------------------------------

    def line(self, python, tdsl=None):
        indent = "    " * self.depth
        self.lines["py"].append(indent + python)
        self.lines["tdsl"].append(indent + (python if tdsl is None else tdsl))

    def text(self, language):
        return PRELUDE[language] + "\n".join(self.lines[language]) + "\n"

    def open(self, python, tdsl):
        self.line(python + ":", tdsl + " {")
        self.depth += 1
        self.scopes.append({})
        self.lists.append({})

    def close(self):
        self.depth -= 1
        self.scopes.pop()
        self.lists.pop()
        self.lines["tdsl"].append("    " * self.depth + "}")

    # Names -----------------------------------------------------------------

    def tensors(self):
        return {name: shape for scope in self.scopes for name, shape in scope.items()}

    def all_lists(self):
        return {name: shapes for scope in self.lists for name, shapes in scope.items()}

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def declare(self, text, shape):
        name = self.fresh()
        self.line(f"{name} = {text}", f"var {name} = {text}")
        self.scopes[-1][name] = shape
        return name

    # Expressions -----------------------------------------------------------

    def pick(self):
        return self.random.choice(sorted(self.tensors().items()))

    def index(self, shape):
        """An index with numbers and slices, and the shape of the part."""
        dim = self.random.randrange(len(shape))
        size = shape[dim]
        before = ":, " * dim
        if self.random.random() < 0.4:
            i = self.random.randrange(-size, size)
            return f"[{before}{i}]", shape[:dim] + shape[dim + 1:]
        a = self.random.randrange(size)
        b = self.random.randrange(a + 1, size + 1)
        step = self.random.choice(["", "", "", ":2"])
        count = len(range(a, b, 2)) if step else b - a
        return f"[{before}{a}:{b}{step}]", shape[:dim] + (count,) + shape[dim + 1:]

    def expression(self, name, shape, pure=False):
        """Of a tensor: the text, and the shape."""
        choices = ["name", "index", "flatten", "unsqueeze", "clone", "add", "ident", "float",
                   "contiguous", "detach", "reshape", "twice", "relu"]
        if len(shape) == 2:
            choices += ["T", "transpose", "permute", "first", "narrow", "transposed", "chunk"]
        if not pure:
            choices += ["bump", "act", "inplace"]
        kind = self.random.choice(choices)
        self.kinds.add(kind)
        if kind == "name":
            return name, shape
        if kind == "index":
            if not shape:
                return name, shape
            index, part = self.index(shape)
            return name + index, part
        size = 1
        for one in shape:
            size *= one
        if kind == "flatten":
            return self.random.choice([f"{name}.flatten()", f"flatten({name})"]), (size,)
        if kind == "unsqueeze":
            return (f"{name}.unsqueeze(0).squeeze(0)" if len(shape) > 1
                    else f"unsqueeze({name}, 0)"), (shape if len(shape) > 1 else (1,) + shape)
        if kind == "reshape":
            return self.random.choice([f"{name}.reshape({size})", f"reshape({name}, ({size},))"]), (
                size,)
        if kind == "chunk":
            if shape[0] < 2:
                return name, shape
            return f"{name}.split(1)[0]", (1,) + shape[1:]
        simple = {"clone": f"{name}.clone()", "add": f"({name} + 1)", "ident": f"ident({name})",
                  "float": self.random.choice([f"{name}.float()", f"{name}.to(f32)"]),
                  "contiguous": f"{name}.contiguous()", "detach": f"{name}.detach()",
                  "twice": f"twice({name})", "relu": f"relu({name})", "bump": f"bump({name})",
                  "act": f"act({name})", "inplace": f"F.relu({name}, inplace=true)"}
        if kind in simple:
            return simple[kind], shape
        swapped = shape[::-1]
        if kind == "first":
            return f"first({name})", shape[1:]
        if kind == "narrow":
            return f"narrow({name}, 1, 0, 1)", (shape[0], 1)
        return {"T": f"{name}.T", "transpose": f"transpose({name}, 0, 1)",
                "permute": f"{name}.permute(1, 0)",
                "transposed": f"{name}.T.contiguous()"}[kind], swapped

    # Statements ------------------------------------------------------------

    def define(self):
        name, shape = self.pick()
        return self.declare(*self.expression(name, shape))

    def start(self):
        rows, columns = self.random.choice([(3, 4), (2, 4), (3, 3)])
        number = self.random.randrange(5)
        self.declare(f"arange({rows * columns}).to(f32).reshape({rows}, {columns}) - {number}",
                     (rows, columns))

    def change(self):
        name, shape = self.pick()
        number = self.random.randrange(1, 4)
        kind = self.random.choice(["whole", "part", "set", "whole", "part", "element"])
        made = self.all_lists()
        if kind == "element" and made and self.depth == 0:  # TD214 in a branch
            name = self.random.choice(sorted(made))
            i = self.random.randrange(len(made[name]))
            name, shape = f"{name}[{i}]", made[name][i]
        self.kinds.add("change " + kind)
        operator, method = self.random.choice([("+=", "add_"), ("*=", "mul_"), ("-=", "sub_")])
        change = self.random.choice([f" {operator} {number}", f".{method}({number})"])
        if kind in ("whole", "element") or not shape:
            self.line(f"{name}{change}")
        elif kind == "part":
            index, _ = self.index(shape)
            self.line(f"{name}{index}{change}")
        else:
            index, part = self.index(shape)
            others = [n for n, s in self.tensors().items() if s == part]
            value = self.random.choice(others) if others and self.random.random() < .5 else number
            self.line(f"{name}{index} = apart({value}, {name}{index})", f"{name}{index} = {value}")

    def assign(self):
        name, shape = self.pick()
        same = [n for n, s in self.tensors().items() if s == shape]
        other = self.random.choice(same)
        kind = self.random.choice(["name", "sum", "pure", "pure"])
        self.kinds.add("assign " + kind)
        if kind == "name":
            self.line(f"{name} = {other}")
        elif kind == "sum":
            self.line(f"{name} = {name} + {other}")
        else:
            text, made = self.expression(other, shape)
            self.line(f"{name} = {text if made == shape else other}")

    def keep(self):
        made = self.all_lists()
        if self.depth == 0 and made and self.random.random() < 0.5:
            name = self.random.choice(sorted(made))
            tensor, shape = self.pick()
            self.kinds.add("grow")
            self.line(f"{name} += [{tensor}]")
            made[name].append(shape)
            return
        name = self.fresh()
        kind = self.random.choice(["list", "rows", "tuple", "pair"])
        self.kinds.add(kind)
        (a, s), (b, t) = self.pick(), self.pick()
        if kind == "rows" and s:
            self.line(f"{name} = [{a}[i] for i in range({s[0]})]",
                      f"var {name} = [{a}[i] for i in range({s[0]})]")
            self.lists[-1][name] = [s[1:]] * s[0]
            return
        if kind == "list" or self.depth:
            self.line(f"{name} = [{a}, {b}]", f"var {name} = [{a}, {b}]")
            self.lists[-1][name] = [s, t]
            return
        other = self.fresh()
        value = f"pair({a}, {b})" if kind == "pair" else f"({a}, {b})"
        self.line(f"{name}, {other} = {value}", f"var {name}, {other} = {value}")
        self.scopes[-1][name], self.scopes[-1][other] = s, t

    def take(self):
        made = self.all_lists()
        if not made:
            return self.keep()
        name = self.random.choice(sorted(made))
        i = self.random.randrange(len(made[name]))
        self.kinds.add("take")
        return self.declare(f"{name}[{i}]", made[name][i])

    def show(self):
        made = self.all_lists()
        if made and self.random.random() < 0.3:
            name = self.random.choice(sorted(made))
            i = self.random.randrange(len(made[name]))
            self.line(f"print({name}[{i}].sum().item())")
            return
        name, shape = self.pick()
        if self.random.random() < 0.5 and shape:
            index, _ = self.index(shape)
            self.line(f"print({name}{index}.sum().item())")
        else:
            self.line(f"print({name}.sum().item())")

    def branch(self):
        name, _ = self.pick()
        number = self.random.randrange(-5, 40)
        self.kinds.add("branch")
        self.open(f"if {name}.sum().item() > {number}", f"if {name}.sum().item() > {number}")
        self.statements(self.random.randrange(1, 4))
        self.line("pass", "")
        self.close()
        if self.random.random() < 0.4:
            # `} else {`
            self.lines["tdsl"][-1] += " else {"
            self.lines["py"].append("    " * self.depth + "else:")
            self.depth += 1
            self.scopes.append({})
            self.lists.append({})
            self.statements(self.random.randrange(1, 3))
            self.line("pass", "")
            self.close()

    def loop(self):
        if self.loops == 2:
            return
        self.loops += 1
        self.kinds.add("loop")
        count = self.random.randrange(1, 4)
        self.open(f"for i{self.loops} in range({count})", f"for i{self.loops} in range({count})")
        self.statements(self.random.randrange(2, 6))
        self.line("pass", "")
        self.close()
        self.loops -= 1

    def rotate(self):
        """A loop after whose iterations each of 2 to 8 names has the tensor of the one before."""
        if self.loops == 2:
            return
        count = self.random.randrange(2, 9)
        self.kinds.add("rotate")
        names = [self.declare(f"tensor([{i}.0, {i + 1}.0])", (2,)) for i in range(count)]
        seen = self.declare(self.random.choice(names), (2,))
        self.loops += 1
        steps = self.random.randrange(1, 2 * count)
        self.open(f"for i{self.loops} in range({steps})", f"for i{self.loops} in range({steps})")
        last = self.fresh()
        self.line(f"{last} = {names[-1]}", f"let {last} = {names[-1]}")
        for i in reversed(range(1, count)):
            self.line(f"{names[i]} = {names[i - 1]}")
        self.line(f"{names[0]} = {last}")
        self.line(f"{self.random.choice(names)} += 1.0")
        self.close()
        self.loops -= 1
        self.line(f"print({seen}.sum().item())")

    def statements(self, count):
        for _ in range(count):
            self.random.choices(
                [self.define, self.change, self.assign, self.keep, self.take, self.show,
                 self.branch, self.loop, self.rotate], [5, 4, 3, 2, 2, 3, 0.7, 0.7, 0.3])[0]()

    def make(self):
        self.start()
        if self.random.random() < 0.5:
            self.start()
        self.statements(self.random.randrange(3, 9))
        for name in sorted(self.scopes[0]):
            if self.random.random() < 0.5:
                self.line(f"print({name}.sum().item())")


def run_pytorch(code):
    """What PyTorch prints; none if it stops in the program."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(code, {"copied": copied})  # pylint: disable=exec-used
    except (RuntimeError, IndexError, TypeError, ValueError):
        return None
    return output.getvalue()


def is_false(program, want):
    """Whether the program prints the same if no names share a tensor."""
    alone = run_pytorch(separate(program.text("py")))
    return alone is not None and alike(alone, want)


def run_tdc(program, folder):
    path = Path(folder) / "program.tdsl"
    path.write_text(program.text("tdsl"), encoding="utf-8")
    done = subprocess.run(["tdc", "run", path.name], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def codes(errors):
    return sorted(set(re.findall(r"^error\[(\w+)\]", errors, re.M)))


def alike(one, other):
    a, b = one.split(), other.split()
    try:
        return len(a) == len(b) and all(abs(float(x) - float(y)) <= 1e-3 * (1 + abs(float(y)))
                                        for x, y in zip(a, b))
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    counts = collections.Counter()
    falses = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            program = Program(seed)
            want = run_pytorch(program.text("py"))
            if want is None:
                counts["invalid"] += 1
                continue
            status, output, errors = run_tdc(program, folder)
            if options.show:
                print(program.text("tdsl"), "PyTorch:", want, "tdc:", output, errors)
            found = codes(errors)
            if status != 0 and found == ["TD219"]:
                counts["refused"] += 1
                if is_false(program, want):
                    counts["false"] += 1
                    falses.append(seed)
            elif status != 0:
                counts["failed"] += 1
                print(f"seed {seed}: {errors}")
            elif alike(output, want):
                counts["accepted"] += 1
            else:
                counts["failed"] += 1
                print(f"seed {seed}: PyTorch {want.split()}, tdc {output.split()}")
    most = MOST_FALSE * (options.count - counts["invalid"])
    print("refused, and print nothing that depends on sharing: seeds " +
          " ".join(map(str, falses)))
    print(f"sharing: {counts['accepted']} accepted, {counts['refused']} refused "
          f"({counts['false']} of them false), {counts['failed']} failed, "
          f"{counts['invalid']} invalid")
    sys.exit(counts["failed"] != 0 or counts["false"] > most)


if __name__ == "__main__":
    main()
