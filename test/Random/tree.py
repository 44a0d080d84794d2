"""Random programs as trees: their text, and their values.

A program is a list of statements. Every statement has `lines(indent)`, its text,
and `run(world)`, which computes it with NumPy; `parts()` are the lists of
statements inside, for shrinking.
"""

import copy
import dataclasses

from values import Rejected, Value


class Calls:
    """Counts the random tensors of a run."""

    def __init__(self):
        self.made = -1

    def __next__(self):
        self.made += 1
        return self.made


class World:
    """The state of a run: values by name, random numbers."""

    def __init__(self):
        self.names = Scope({})
        self.calls = Calls()

    def inner(self):
        """The same world for a block: its definitions end with it."""
        world = copy.copy(self)
        world.names = Scope(self.names)
        return world

    def apart(self):
        """A copy, changes of which are not visible outside."""
        return copy.deepcopy(self)

    def __getitem__(self, name):
        if name not in self.names:
            raise Rejected
        return self.names[name]


class Scope(dict):
    """Names of a block over those around it; `assign` reaches through."""

    def __init__(self, outer):
        super().__init__(outer)
        self.outer = outer
        self.own = set(outer) if type(outer) is dict else set()

    def define(self, name, value):
        self.own.add(name)
        self[name] = value

    def assign(self, name, value):
        self[name] = value
        if name not in self.own:
            self.outer.assign(name, value)


@dataclasses.dataclass
class Call:
    """An expression: a text with {0}, {1} for its operands, and its meaning, a
    function of the world and their values."""
    text: str
    operands: list
    meaning: object

    def __str__(self):
        return self.text.format(*self.operands)

    def value(self, world):
        return self.meaning(world, *(world[name] for name in self.operands))

    def inlined(self, name, inner):
        """The same with another call in the place of an operand that it has once."""
        at, count = self.operands.index(name), len(inner.operands)
        places = [f"{{{i}}}" for i in range(len(self.operands) + count - 1)]
        written = f"({inner.text.format(*places[at:at + count])})"

        def meaning(world, *values):
            value = inner.meaning(world, *values[at:at + count])
            return self.meaning(world, *values[:at], value, *values[at + count:])
        return Call(self.text.format(*places[:at], written, *places[at + count:]),
                    [*self.operands[:at], *inner.operands, *self.operands[at + 1:]], meaning)


class Statement:
    def parts(self):
        return []

    def count(self):
        return 1 + sum(statement.count() for part in self.parts() for statement in part)


@dataclasses.dataclass
class Let(Statement):
    """`let name = call`, or `var`."""
    name: str
    call: Call
    word: str = "let"

    def lines(self, indent):
        return [f"{indent}{self.word} {self.name} = {self.call}"]

    def run(self, world):
        world.names.define(self.name, self.call.value(world))


@dataclasses.dataclass
class Assign(Statement):
    """`name = call`: the sizes and the dtype stay."""
    name: str
    call: Call

    def lines(self, indent):
        return [f"{indent}{self.name} = {self.call}"]

    def run(self, world):
        old, new = world[self.name], self.call.value(world)
        if isinstance(old, Value) and (old.dims, old.dtype, old.place, old.is_compared) != \
                (new.dims, new.dtype, new.place, new.is_compared):
            raise Rejected
        world.names.assign(self.name, new)


@dataclasses.dataclass
class Update(Assign):
    """`name[index] = call`; the meaning of the call gives the whole tensor."""
    index: str

    def lines(self, indent):
        # Another name of the tensor keeps its values, and the call may read it.
        return [f"{indent}{self.name} = {self.name}.clone()",
                f"{indent}{self.name}[{self.index}] = {self.call}"]


@dataclasses.dataclass
class Loop(Statement):
    """`for iteration in range(times)`; times is a name if it is known at run time."""
    iteration: str
    times: object
    body: list

    def parts(self):
        return [self.body]

    def lines(self, indent):
        return [f"{indent}for {self.iteration} in range({self.times}) {{",
                *text_of(self.body, indent + "    "), f"{indent}}}"]

    def run(self, world):
        times = self.times if isinstance(self.times, int) else world[self.times]
        if times == 0:  # it must be well-formed all the same
            world = world.apart()
        for iteration in range(max(times, 1)):
            inner = world.inner()
            inner.names.define(self.iteration, iteration)
            run_all(self.body, inner)


@dataclasses.dataclass
class Unreached(Statement):
    """A loop without iterations, which reads and writes `tensor` far out of range, at an index
    that is computed from `number` at run time, as is the trip count."""
    variable: str
    tensor: str
    number: str
    value: int

    def lines(self, indent):
        far, inner = f"{self.number} + 5000000000", indent + "    "
        return [f"{indent}for _ in range({self.number} - {self.value}) {{",
                f"{inner}var part = {self.tensor}.clone()",
                f"{inner}part[{far}] = -{self.tensor}[{far}]",
                f"{inner}{self.variable} = part", f"{indent}}}"]

    def run(self, world):
        if world[self.number] != self.value:
            raise Rejected
        Assign(self.variable, Call("{0}", [self.tensor], lambda _, value: value)).run(world.apart())


@dataclasses.dataclass
class Choice(Statement):
    """`if call { then } else { other }`."""
    call: Call
    then: list
    other: list

    def parts(self):
        return [self.then, self.other]

    def lines(self, indent):
        lines = [f"{indent}if {self.call} {{", *text_of(self.then, indent + "    ")]
        if self.other:
            lines += [f"{indent}}} else {{", *text_of(self.other, indent + "    ")]
        return [*lines, f"{indent}}}"]

    def run(self, world):
        taken, left = (self.then, self.other) if self.call.value(world) else \
            (self.other, self.then)
        run_all(left, world.apart().inner())
        run_all(taken, world.inner())


@dataclasses.dataclass
class Function(Statement):
    """`fn name(parameters) { body; return result }`."""
    name: str
    parameters: list
    body: list
    result: str

    def parts(self):
        return [self.body]

    def lines(self, indent):
        return [f"{indent}fn {self.name}({', '.join(self.parameters)}) {{",
                *text_of(self.body, indent + "    "), f"{indent}    return {self.result}",
                f"{indent}}}"]

    def run(self, world):
        world.names.define(self.name, self)

    def __deepcopy__(self, memo):
        return self

    def call(self, world, *arguments):
        inner = copy.copy(world)
        inner.names = Scope(dict(zip(self.parameters, arguments)))
        run_all(self.body, inner)
        return inner[self.result]


@dataclasses.dataclass
class Save(Statement):
    """Writes a tensor, for the comparison; bf16 has no .npy file."""
    name: str
    dtype: str

    def lines(self, indent):
        written = f"{self.name}.to(f32)" if self.dtype == "bf16" else self.name
        return [f'{indent}save("{self.name}.npy", {written})']

    def run(self, world):
        if world[self.name].dtype != self.dtype:
            raise Rejected


def text_of(statements, indent=""):
    return [line for statement in statements for line in statement.lines(indent)]


def run_all(statements, world):
    for statement in statements:
        statement.run(world)
