"""Tests that random programs of loops, branches, `break`, `continue` and `return` do the same
in `tdc run`, in a built program, in the interpreter of td IR and in Python.

A program is a list of lines and blocks. It is printed with braces for tdc and
with indentation for Python, which runs it with its own statements. It is built
once and run for several choices of its arguments; `tdc run` knows these while it
compiles, so that code decided at compile time is compared as well.

usage: control-flow.py FOLDER [SEED [PROGRAMS]]
"""

import random
import re
import subprocess
import sys
from pathlib import Path

LIMIT = 4000  # printed lines of one program


class Tensor(list):
    """A tensor of ints, with the operations that the programs use."""

    def __add__(self, other):
        others = other if isinstance(other, Tensor) else [other] * len(self)
        return Tensor(a + b for a, b in zip(self, others))

    def __mul__(self, factor):
        return Tensor(a * factor for a in self)

    def sum(self):
        return Tensor([sum(self)])

    def item(self):
        return sum(self)

    def __getitem__(self, at):
        return Tensor(super().__getitem__(at))


def batches(data, other, batch_size):
    return [(Tensor(data[i:i + batch_size]), Tensor(other[i:i + batch_size]))
            for i in range(0, len(data), batch_size)]


class Generator:
    """Writes one program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        self.functions = {}  # name to the kind of its result

    def fresh(self):
        self.names += 1
        return f"v{self.names}"

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, scope, depth=2):
        leaf = self.pick(*scope["int"], str(self.random.randint(-3, 9)))
        if depth == 0:
            return leaf
        calls = [f"{name}({leaf}, {self.tensor(scope, 0)})"
                 for name, kind in self.functions.items() if kind == "int"]
        return self.pick(
            leaf, f"({self.number(scope, depth - 1)} {self.pick('+', '-')} "
            f"{self.number(scope, depth - 1)})", f"({self.number(scope, depth - 1)} % 7)",
            f"{self.tensor(scope, 0)}.sum().item()", *calls)

    def tensor(self, scope, depth=1):
        leaf = self.pick(*scope["tensor"])
        return leaf if depth == 0 else self.pick(
            leaf, f"({leaf} + {self.number(scope, 0)})",
            f"({leaf} + {self.pick(*scope['tensor'])})")

    def condition(self, scope):
        test = f"{self.number(scope)} {self.pick('<', '>', '==', '!=')} {self.number(scope, 1)}"
        return self.pick(test, test, f"{test} or {self.number(scope, 0)} > 3",
                         f"{test} and {self.number(scope, 0)} < 4", "true", "1 > 2")

    def value(self, scope, kind):
        if kind == "int":
            return self.number(scope)
        if kind == "str":
            return self.pick('"no"', f'f"{{{self.number(scope, 0)}}}: {{{self.number(scope, 0)}}}"')
        if kind == "tensor":
            return self.tensor(scope)
        if kind == "slice":
            return f"{self.tensor(scope, 0)}[:{self.random.randint(0, 3)}]"
        if isinstance(kind, tuple):
            return "(" + ", ".join(self.value(scope, part) for part in kind) + ")"
        return ""

    def leave(self, scope):
        choices = ["break", "continue", "continue"] if scope["loop"] else []
        if scope["result"] is not None:
            value = self.value(scope, scope["result"])
            choices.append(f"return {value}".rstrip())
        return self.pick(*choices) if choices else self.assign(scope)

    def assign(self, scope):
        name = self.pick(*scope["vars"])
        value = self.tensor(scope) if name.startswith("t") else f"({self.number(scope)}) % 1000"
        return f"{name} = {value}"

    def block(self, scope, depth):
        inner = {key: list(val) if isinstance(val, list) else val for key, val in scope.items()}
        lines = []
        for _ in range(self.random.randint(1, 4)):
            lines += self.statement(inner, depth)
        return lines

    def statement(self, scope, depth):
        kind = self.pick("assign", "assign", "print", "let", "leave", "if", "if", "loop", "loop",
                         "with", "call") if depth else self.pick("assign", "print", "leave")
        if kind == "assign":
            return [self.assign(scope)]
        if kind == "print":
            return [f"print({self.names}, {self.number(scope)}, {self.tensor(scope)}.sum().item())"]
        if kind == "leave":
            return [(f"if {self.condition(scope)}", [self.leave(scope)])]
        if kind == "let":
            name = self.fresh()
            line = f"let {name} = {self.number(scope)}"
            scope["int"].append(name)
            return [line]
        if kind == "with":
            # Its body opens no scope.
            lines = [self.statement(scope, 0) for _ in range(2)]
            return [("with no_grad", sum(lines, []) + self.statement(scope, depth - 1))]
        if kind == "if":
            then = self.block(scope, depth - 1) + self.pick([], [self.leave(scope)])
            other = [("else", self.block(scope, depth - 1) + self.pick([], [self.leave(scope)]))]
            return [(f"if {self.condition(scope)}", then)] + self.pick([], other)
        if kind == "call":
            tuples = [n for n, kind in self.functions.items()
                      if isinstance(kind, tuple) and kind[0] == "int"]
            if not tuples:
                return []
            names = [self.fresh() for _ in range(2)]
            call = f"{self.pick(*tuples)}({self.number(scope)}, {self.tensor(scope, 0)})"
            scope["int"].append(names[0])
            return [f"let {names[0]}, {names[1]} = {call}",
                    f"print({names[0]}, {names[1]}.sum().item())"]
        return self.loop(scope, depth)

    def loop(self, scope, depth):
        index = self.fresh()
        inner = {**scope, "loop": True, "int": scope["int"] + [index]}
        small = f"({self.number(scope, 0)}) % 5"
        header = self.pick(f"for {index} in range({small})", f"for {index} in range(1, 6, 2)",
                           f"for {index} in range({small} + 3, -1, -2)",
                           f"for {index} in [3, 1, 2]", "while", "loader")
        if header == "while":
            start, step = f"var {index} = 0", f"{index} += 1"
            limit = self.pick(f"{index} < 4", f"{index} < {small}", "true")
            stop = [(f"if {index} > 4", ["break"])]
            return [start, (f"while {limit}", [step] + stop + self.block(inner, depth - 1))]
        if header == "loader":
            rows = self.pick("5", "6", "1", f"({self.number(scope, 0)}) % 7")
            batch = self.fresh()
            inner["int"] = scope["int"] + [f"{batch}.sum().item()"]
            data = f"arange({rows})"
            header = f"for {batch}, _ in DataLoader({data}, {data}, batch_size=2)"
        return [(header, self.block(inner, depth - 1))]

    def function(self):
        name = f"f{len(self.functions)}"
        kind = self.pick("int", "tensor", "slice", "str", "none", ("int", "tensor"),
                         ("int", "slice"), ("str", ("tensor", "int")))
        scope = {"int": ["n", "k"], "tensor": ["x", "t"], "vars": ["k", "t"], "loop": False,
                 "result": kind}
        body = ["var k, t = n, x"] + self.block(scope, 3)
        if kind != "none":
            body.append(f"return {self.value(scope, kind)}")
        self.functions[name] = kind
        parameters = self.pick("n, x", "n: int, x: i64[N]")
        result = ""
        if kind != "none" and ("slice" in kind or self.random.random() < 0.7):
            result = f" -> {self.type(kind)}"
        return (f"fn {name}({parameters}){result}", body)

    def type(self, kind):
        if isinstance(kind, tuple):
            return "(" + ", ".join(map(self.type, kind)) + ")"
        return {"int": "int", "tensor": "i64[3]", "slice": "i64[?]", "str": "str"}[kind]

    def program(self):
        functions = [self.function() for _ in range(3)]
        scope = {"int": ["a", "b", "i", "j"], "tensor": ["x", "t"], "vars": ["i", "j", "t"],
                 "loop": False, "result": None}
        body = ["let x = tensor([1, 2, 3])", "var i, j, t = a, 2, x"] + self.block(scope, 3)
        for name in self.functions:
            call = f"{name}({self.number(scope)}, t)"
            if self.functions[name] == "none":
                body.append((self.pick("if a != 0", "for _ in range(2)"), [call]))
            elif isinstance(self.functions[name], tuple) and self.functions[name][0] == "str":
                body += [f"let {name}_0, ({name}_1, {name}_2) = {call}",
                         f"print({name}_0, {name}_1.sum().item(), {name}_2)"]
            elif isinstance(self.functions[name], tuple):
                body += [f"let {name}_0, {name}_1 = {call}",
                         f"print({name}_0, {name}_1.sum().item())"]
            elif self.functions[name] in ("int", "str"):
                body.append(f"print({call})")
            else:
                body.append(f"print({call}.sum().item())")
        return functions, body + ["print(i, j, t.sum().item())"]


def tdsl(lines, depth=0):
    text = ""
    for line in lines:
        indent = "    " * depth
        if isinstance(line, str):
            text += f"{indent}{line}\n"
        else:
            text += f"{indent}{line[0]} {{\n{tdsl(line[1], depth + 1)}{indent}}}\n"
    return text


def python(lines, depth=0):
    text = ""
    for line in lines:
        indent = "    " * depth
        if isinstance(line, str):
            text += indent + re.sub(r"^(let|var) ", "", line) + "\n"
        else:
            header = re.sub(r" -> .*|: i\w+(\[N\])?|^with .*", "", line[0]) or "if true"
            header = re.sub(r"^fn ", "def ", header)
            text += f"{indent}{header}:\n{python(line[1] or ['pass'], depth + 1)}"
    return text


class TooLong(Exception):
    """The program prints more than is worth comparing."""


def expected(text, arguments):
    shown = []

    def show(*values):
        shown.append(" ".join(map(str, values)))
        if len(shown) > LIMIT:
            raise TooLong
    world = {"true": True, "false": False, "print": show, "tensor": Tensor,
             "DataLoader": batches, "arange": range}
    exec(text, {**world, **arguments})  # pylint: disable=exec-used
    return shown


def lines(*command):
    """Returns the output of a program, or its error, without warnings."""
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout + (done.stderr if done.returncode else "")).splitlines()


def compare(source, name, want, got, given):
    for number, (expect, found) in enumerate(zip(want + ["the end"], got + ["nothing"])):
        if expect != found and (number < len(want) or found != "nothing"):
            sys.exit(f"{source}: line {number + 1}\nPython: {expect}\n{name}: {found}\n{given}")


def main(folder, seed=0, count=20):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    done = 0
    for attempt in range(int(seed) * 100000, int(seed) * 100000 + 100000):
        if done == int(count):
            break
        functions, body = Generator(attempt).program()
        text = python(functions + body)
        choices = [{"a": a, "b": b} for a, b in ((3, -2), (0, 0), (7, 4))]
        try:
            wants = [expected(text, given) for given in choices]
        except TooLong:
            continue
        source, program = folder / f"{attempt}.tdsl", folder / f"{attempt}"
        source.write_text("".join(f"arg {name}: int = {value}\n"
                                  for name, value in choices[0].items()) +
                          tdsl(functions + body))
        failed = lines("tdc", "build", source, "-o", program)
        emitted = subprocess.run(["tdc", "emit", "--phase=grad", source], capture_output=True)
        meaning = subprocess.run(["tdc-interpret", "-"], input=emitted.stdout, capture_output=True)
        compare(source, "interpreter", wants[0], meaning.stdout.decode().splitlines(), [])
        for given, want in zip(choices, wants):
            arguments = [f"--{name}={value}" for name, value in given.items()]
            compare(source, "built", want, failed or lines(program, *arguments), arguments)
            compare(source, "tdc run", want, lines("tdc", "run", source, *arguments), arguments)
        done += 1
    print(f"{done} programs agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
