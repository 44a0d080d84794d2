"""Tests that random expressions over host numbers, strs and indices have the same values in
`tdc run`, in a built program and in Python.

One program prints many expressions over its arguments. It is built once; for
every choice of arguments the built program, `tdc run` (which knows them when it
compiles) and Python's `eval` of the same text must print the same lines. Expressions
that Python cannot compute for some of the choices are left out.

usage: expressions.py FOLDER [SEED [EXPRESSIONS]]
"""

import ast
import math
import random
import re
import subprocess
import sys
from pathlib import Path

# The expansions of a nonterminal, short ones first: these are used at the maximum depth.
LEAVES = {
    "int": ["a", "b", "c", "0", "1", "2", "7", "-3", "12"],
    "float": ["f", "g", "h", "0.5", "2.0", "-0.25", "1e3", "123456.789", "1e-9"],
    "bool": ["p", "q", "true", "false"],
    "str": ["s", "t", "'ab'", "''", "'x y'"],
    "order": ["==", "!=", "<", "<=", ">", ">="],
    "equal": ["==", "!="],
    "sum": ["+", "-", "*", "//", "%"],
    "width": ["", "<9", ">12", "^11", "*<8", "*^13", "7"],
    "sign": ["", "+", " ", "0>9", "+9", "09"],
    "whole": ["", "d", "x", "b", ",", "e", ".2f", "g", "%"],
    "real": ["", ".3f", ".0f", "e", ".2e", "g", ".3g", ".1%", ",.2f", ".4", ".10g"],
}
RULES = {
    "int": ["(<int> <sum> <int>)", "(<int> <sum> <int>)", "(a ** 2)", "(b ** abs(c))",
            "(-<int>)", "(~<int>)", "abs(<int>)", "min(<int>, <int>)",
            "max(<int>, <int>)", "max(<int>, <int>, <int>)", "min([<int>, <int>, <int>])",
            "int(<float>)", "round(<float>)", "round(<int>, -1)", "round(<int>, 1)",
            "int(<bool>)",
            "(<int> if <bool> else <int>)", "(<int> + <bool>)", "int(x[<int>])",
            "int(x[<int>:<int>].sum())", "int(x[<int>:].sum())"],
    "float": ["(<float> <sum> <float>)", "(<float> <sum> <int>)",
              "(<int> <sum> <float>)", "(<float> / <float>)", "(<int> / <int>)",
              "(-<float>)", "abs(<float>)", "min(<float>, <float>)",
              "max(<float>, <float>)", "min(<float>, <float>, <float>)",
              "max((<float>, <float>, <float>))", "round(<float>, 2)",
              "round(<float>, 5)", "round(<float>, -1)", "float(<int>)",
              "sqrt(abs(<float>))",
              "(<float> if <bool> else <float>)", "(<int> if <bool> else <float>)",
              "(<float> if <bool> else <int>)", "(<float> ** 2)",
              "(<float> ** b)", "(<int> ** -1)", "(abs(<float>) ** 0.5)"],
    "bool": ["(<int> <order> <int>)", "(<float> <order> <float>)",
             "(<float> <order> <int>)", "(<str> <equal> <str>)",
             "(<bool> and <bool>)", "(<bool> or <bool>)", "(not <bool>)",
             "(<bool> == <bool>)", "bool(<int>)", "bool(<float>)"],
    "str": ["str(<int>)", "str(<float>)", "str(<bool>)", "(<str> + <str>)",
            "(<str> if <bool> else <str>)", 'f"{a:<sign><whole>}|{f:<sign><real>}"',
            'f"{b:<width>}{g:<width>}{h}"', 'f"{s:<width>}|{t:<width>.2}|{c * 2}"'],
}


class Row(list):
    """The tensor to index; the ends of a slice are not clipped."""

    def __getitem__(self, at):
        if not isinstance(at, slice):
            return super().__getitem__(at)
        start, stop = (end + len(self) if end < 0 else end
                       for end in (at.start, len(self) if at.stop is None else at.stop))
        if not 0 <= start <= stop <= len(self):
            raise IndexError
        return Row(list(self)[start:stop])

    def sum(self):
        return sum(self)


def spelt(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class Choices(ast.NodeTransformer):
    """`a if c else b` of an int and a float is a float, on either side."""

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("chosen", ast.Load()), [node.test, node.body, node.orelse], [])


def chosen(condition, then, other):
    taken = then if condition else other
    return float(taken) if isinstance(then, float) or isinstance(other, float) else taken


def bounded(function):
    """Ints end at 64 bits, where Python's grow."""
    def call(*arguments):
        result = function(*arguments)
        if isinstance(result, int) and abs(result) >= 2**62:
            raise OverflowError
        return result
    return call


MEANING = {"true": True, "false": False, "str": spelt, "sqrt": math.sqrt,
           "int": bounded(int), "round": bounded(round),
           "x": Row(range(0, 70, 7)), "chosen": chosen}


def expression(random, kind, depth):
    rules = RULES.get(kind, LEAVES[kind]) if depth else LEAVES[kind]
    return re.sub(r"<(\w+)>", lambda part: expression(random, part[1], max(depth - 1, 0)),
                  random.choice(rules))


def value(text, arguments):
    tree = Choices().visit(ast.parse(text, mode="eval"))
    code = compile(ast.fix_missing_locations(tree), text, "eval")
    result = eval(code, {**MEANING, **arguments})
    if isinstance(result, float) and not math.isfinite(result) or \
            isinstance(result, int) and abs(result) >= 2**62:
        raise OverflowError  # ints wrap, where Python's grow
    return spelt(result)


def choose(random):
    numbers = {name: random.randint(-9, 9) for name in "abc"}
    floats = {"f": round(random.uniform(-9, 9), 2), "g": random.choice([0.0, 1e6, 2.5]),
              "h": random.choice([-1.5, 1e15, 0.125])}
    flags = {name: random.random() < 0.5 for name in "pq"}
    return {**numbers, **floats, **flags, "s": random.choice(["", "ab"]), "t": "x y"}


def lines(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()


def main(folder, seed=0, count=300):
    source, program = Path(folder) / f"{seed}.tdsl", Path(folder) / f"{seed}"
    source.parent.mkdir(parents=True, exist_ok=True)
    generator = random.Random(int(seed))
    choices = [choose(generator) for _ in range(4)]
    texts, expected = [], []
    while len(texts) < int(count):
        text = expression(generator, generator.choice(list(RULES)), generator.randint(1, 4))
        try:
            expected.append([value(text, arguments) for arguments in choices])
        except (ArithmeticError, ValueError, IndexError, TypeError):
            continue
        texts.append(text)
    source.write_text("".join(f"arg {name}: {type(given).__name__}\n"
                              for name, given in choices[0].items()) +
                      "let x = arange(10) * 7\n" +
                      "".join(f"print({text})\n" for text in texts))
    failed = lines("tdc", "build", source, "-o", program)
    for i, arguments in enumerate(choices):
        given = [f"--{name}={spelt(value)}" for name, value in arguments.items()]
        python = [row[i] for row in expected]
        for name, command in (("tdc run", ["tdc", "run", source]), ("built", [program])):
            shown = failed or lines(*command, *given)
            for text, want, got in zip(texts + ["the end"], python + ["nothing"],
                                       shown + ["nothing"]):
                if want != got:
                    sys.exit(f"{text}\nPython: {want}\n{name}: {got}\n{' '.join(given)}")
    print(f"{len(texts)} expressions agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
