"""One seed, one program: a list of statements, all of which have been computed.

A statement is made by chance, computed at once with NumPy, and kept if it has a
result (values.py says when not). So later statements know the values of earlier
ones, and no program asks for what is undefined.
"""

import copy
import math
import random

import numpy as np

import arrays
import elements
import training
from tree import (Assign, Call, Choice, Function, Let, Loop, Save, Statement, Update, World,
                  run_all, text_of)
from values import Number, Rejected, Value, compute, is_float

SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33, 40, 64, 70, 80]
SMOOTH_KINDS = {"unary", "binary", "with_number", "smooth", "softmax", "reduce", "matmul",
                "permute", "reshape", "broadcast", "slice_of", "concat", "gather", "statistic",
                "unsqueeze"}
TRIES = 40


class Device(Statement):
    """The name of the device that tensors are moved to."""

    def lines(self, indent):
        return [f"{indent}let device = cuda:0 if cuda.is_available() else cpu"]

    def run(self, world):
        world.names.define("device", "device")


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.world = World()
        self.made = 0
        self.is_smooth = False
        self.moves = self.flip(0.3)
        # Few sizes and dtypes, so that tensors fit each other.
        self.sizes = self.random.sample(SIZES, 3)
        self.dtypes = [self.pick(elements.FLOATS), self.pick(elements.FLOATS + elements.INTS)]

    # --- what the proposals use ---

    def pick(self, choices):
        return self.random.choice(sorted(choices) if isinstance(choices, set) else choices)

    def flip(self, probability):
        return self.random.random() < probability

    def shuffled(self, *items):
        return self.random.sample(items, len(items))

    def __getitem__(self, name):
        return self.world[name]

    def among(self, accepts):
        names = [name for name, value in self.world.names.items() if accepts(value)]
        # What is new is worth more: so chains become long.
        if not names:
            return None
        return self.pick(names[-4:]) if self.flip(0.5) else self.pick(names)

    def tensor(self, accepts=lambda value: True):
        return self.among(lambda value: type(value) is Value and value.is_compared and
                          (not self.is_smooth or is_float(value.dtype)) and accepts(value))

    def static(self, accepts=lambda value: True):
        return self.tensor(lambda value: value.is_static and accepts(value))

    def integer(self):
        return self.among(lambda value: type(value) is int)

    def number(self):
        return self.among(lambda value: type(value) in (int, Number))

    def broadcasts(self, x, y):
        """Whether two tensors can be elements of one call."""
        if not (x.is_static and y.is_static):
            return x.dims == y.dims
        try:
            shape = np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return False
        return math.prod(shape) <= arrays.MOST_ELEMENTS

    def size(self):
        return 0 if self.flip(0.02) else self.pick(self.sizes if self.flip(0.8) else SIZES)

    def dtype(self):
        return self.pick(self.dtypes) if self.flip(0.8) else \
            self.pick(elements.FLOATS + elements.INTS)

    def shape(self):
        rank = self.pick([0, 1, 1, 2, 2, 2, 3, 4])
        shape = tuple(self.size() for _ in range(rank))
        while math.prod(shape) > arrays.MOST_ELEMENTS:
            shape = tuple(self.size() for _ in range(rank))
        return shape

    def call(self, text, operands, meaning, keeps=None, dims=None, uses=0):
        """A Call of tensors, the last `uses` operands being host numbers. Its sizes are those of
        the operand `keeps`, or `dims`, or all known."""
        def value(world, *values):
            tensors = values[:len(values) - uses]
            result = meaning(world, *values)
            places = {value.place for value in tensors} - {""}
            if len(places) > 1:
                raise Rejected
            known = values[keeps].dims if keeps is not None else dims or result.shape
            if len(known) != len(result.shape) or keeps is None and dims is None and \
                    not all(value.is_static for value in tensors):
                raise Rejected
            return Value(result.copies, known, *places)
        return Call(text, operands, value)

    # --- statements ---

    def name(self):
        self.made += 1
        return f"x{self.made}"

    def attempt(self, statements):
        """Runs statements; whether they have results, which stay then."""
        trial = copy.deepcopy(self.world)
        try:
            run_all(statements, trial)
        except Rejected:
            return False
        self.world = trial
        return True

    def propose(self):
        """A call that may have no result, or None."""
        kinds = [(f, w) for f, w in elements.PROPOSALS
                 if not self.is_smooth or f.__name__ in SMOOTH_KINDS]
        function = self.random.choices([f for f, _ in kinds], [w for _, w in kinds])[0]
        return function(self)

    def let(self):
        call = self.propose()
        return call and [Let(self.name(), call)]

    def block(self, count, kinds, names=()):
        """Statements for a block of its own; `names` are defined in it. They are computed, but in
        a copy of the world."""
        outside = self.world
        self.world = copy.deepcopy(outside).inner()
        for name, value in names:
            self.world.names.define(name, value)
        try:
            body = self.statements(count, kinds)
            inside = self.world
        finally:
            self.world = outside
        return body, inside

    def statements(self, count, kinds):
        body = []
        for _ in range(count):
            for _ in range(TRIES):
                make = self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
                before = self.world  # what `make` tries out is not seen
                more = make()
                self.world = before
                if more and self.attempt(more):
                    body += more
                    break
        return body

    def variable(self):
        """`var name = x` of some tensor."""
        x = self.tensor(lambda value: value.size)
        return x and Let(self.name(), Call("{0}", [x], lambda world, value: value), "var")

    def assignment(self, name, world):
        """A new value for a variable, computed in the world of a block."""
        outside, self.world = self.world, copy.deepcopy(world)
        try:
            for _ in range(4 * TRIES):
                call = self.propose()
                if call and self.attempt([Assign(name, call)]):
                    return [Assign(name, call)]
            return []
        finally:
            self.world = outside

    def loop(self):
        variable = self.variable()
        if variable is None or not self.attempt([variable]):
            return None
        turn = f"turn{self.made}"
        times = self.integer() if self.flip(0.4) else None
        times = times or self.pick([0, 1, 2, 3, 3, 4])
        body, inside = self.block(self.random.randint(0, 3), self.inner_kinds, [(turn, 0)])
        body += self.assignment(variable.name, inside)
        if not body:
            return None
        # A loop that cannot be computed is tried again without the variable.
        return [variable, Loop(turn, times, body)]

    def condition(self):
        name = self.number()
        if name is None:
            return None
        if type(self[name]) is int:
            number = self.random.randint(0, 3)
            return self.pick([
                Call(f"{{0}} > {number}", [name], lambda world, n: n > number),
                Call(f"{{0}} % 2 == {number % 2}", [name], lambda world, n: n % 2 == number % 2)])
        limit = Value([np.float64(self.pick([-1, 0, 0.5, 2]))])
        return Call(f"{{0}} > {limit.copies[0]}", [name], lambda world, value: bool(
            compute("compare", [value, limit], "bool", predicate="gt").copies[0]))

    def choice(self):
        variable, condition = self.variable(), self.condition()
        if not condition or not variable or not self.attempt([variable]):
            return None
        arms = []
        for _ in range(2):
            body, inside = self.block(self.random.randint(0, 2), self.inner_kinds)
            arms.append(body + self.assignment(variable.name, inside))
        return [variable, Choice(condition, arms[0], arms[1] if self.flip(0.7) else [])]

    def read(self):
        """A number that the host asks for: an int, or a float."""
        x = self.tensor(lambda value: value.size)
        if x is None:
            return None
        if self[x].dtype in ("f32", "f64"):
            def mean(world, value):
                result = compute("reduce", [value], kind="sum",
                                 dims=tuple(range(len(value.shape))))
                return Number([copy.astype(np.float64) for copy in result.copies])
            return [Let(self.name(), Call("{0}.sum().item()", [x], mean))]
        if is_float(self[x].dtype):
            return None
        limit = self.random.randint(2, 6)

        def remainder(world, value):
            return int(value.copies[0].astype(np.int64).sum()) % limit
        return [Let(self.name(), Call(f"({{0}}.sum() % {limit}).item()", [x], remainder))]

    def update(self):
        """`x[a:b] = y` of a new variable."""
        variable = self.variable()
        if not variable:
            return None
        x = self[variable.call.operands[0]]
        if not x.is_static or not x.shape:
            return None
        dim = 0 if self.flip(0.7) else self.random.randrange(len(x.shape))
        text, start, step, size = arrays.choose_slice(self, x.shape[dim])
        shape = x.shape[:dim] + (size,) + x.shape[dim + 1:]
        y = self.static(lambda value: value.dtype == x.dtype and value.shape == shape)
        written, operands = "{1}", [variable.name, y]
        other = None
        if y is None:
            number = self.pick([0, 1, 2])
            other = Value([np.full(shape, number).astype(x.copies[0].dtype)])
            written = {"bool": "true" if number else "false"}.get(x.dtype, str(number))
            operands = [variable.name]

        def meaning(world, value, update=other):
            return compute("update_slice", [value, update], dim=dim, start=start,
                           step=step, size=size)
        call = self.call(written, operands, meaning)
        return [variable, Update(variable.name, call, ":, " * dim + text)]

    def function(self):
        names = [self.tensor() for _ in range(self.random.randint(1, 2))]
        if None in names:
            return None
        function = self.make_function([self[name] for name in names])
        return function and [function, Let(self.name(), self.call_of(function, names))]

    def make_function(self, values):
        outside, self.world = self.world, World()
        parameters = [f"p{i}" for i in range(len(values))]
        for parameter, value in zip(parameters, values):
            self.world.names.define(parameter, value)
        body = self.statements(self.random.randint(1, 4), [(self.let, 1)])
        self.world = outside
        return body and Function(f"fun{self.made}", parameters, body, body[-1].name)

    def call_of(self, function, names):
        places = ", ".join(f"{{{i}}}" for i in range(len(names)))
        return Call(f"{function.name}({places})", names,
                    lambda world, *values: world[function.name].call(world, *values))

    def gradient(self):
        """`grad` of the sum of a smooth function. Central differences say what it is where the
        function is of few f64, else the interpreter."""
        x = self.static(lambda value: is_float(value.dtype) and 0 < value.size <= 2000)
        if x is None:
            return None
        self.is_smooth = True
        function = self.make_function([self[x]])
        self.is_smooth = False
        if not function:
            return None

        def meaning(world, value):
            result = world[function.name].call(world, value)
            if result.dtype != value.dtype or result.size == 0 or not result.is_static:
                raise Rejected
            if value.dtype != "f64" or value.size > 24:
                return Value([value.copies[0]], place=value.place, is_compared=False)
            return differences(world, world[function.name], value)
        return [function, Let(self.name(), Call(f"grad({function.name}({{0}}).sum(), {{0}})", [x],
                                                meaning))]

    def move(self):
        x = self.tensor()
        if x is None or not self.moves:
            return None
        text, place = self.pick([("{0}.to(device)", "device"), ("{0}.cpu()", "cpu")])
        return [Let(self.name(), Call(text, [x], lambda world, value: Value(
            value.copies, value.dims, place)))]

    def train(self):
        return training.make(self)

    @property
    def inner_kinds(self):
        return [(self.let, 20), (self.update, 1), (self.read, 1), (self.move, 1),
                (self.nested, 1)]

    def nested(self):
        return self.pick([self.loop, self.choice])()

    @property
    def kinds(self):
        return [(self.let, 24), (self.update, 2), (self.read, 3), (self.loop, 2.5),
                (self.choice, 1.5), (self.function, 1), (self.gradient, 2), (self.move, 3)]

    def program(self):
        first = [Device()] if self.moves else []
        self.attempt(first)
        for _ in range(self.random.randint(1, 4)):
            more = [Let(self.name(), arrays.make(self))]
            if self.attempt(more):
                first += more
        body = first + self.statements(self.random.randint(2, 12), self.kinds)
        if self.flip(0.12):
            more = training.make(self)
            body += more
            run_all(more, self.world)
        return body + self.saves()

    def saves(self):
        names = [name for name, value in self.world.names.items() if type(value) is Value]
        unseen = [name for name in names if not self.world[name].is_compared]
        chosen = {*unseen, *names[-2:], *(name for name in names if self.flip(0.5))}
        return [Save(name, self.world[name].dtype) for name in names if name in chosen]


def differences(world, function, value):
    x, result = value.copies[0], np.zeros(value.shape)
    step = 1e-5
    for at in np.ndindex(*value.shape):
        sums = []
        for sign in (1, -1):
            moved = x.copy()
            moved[at] += sign * step
            sums.append(function.call(world, Value([moved])).copies[0].sum())
        result[at] = (sums[0] - sums[1]) / (2 * step)
    return Value([result, result + 1e-5 * (1 + np.abs(result)), result - 1e-5], place=value.place)


def generate(seed):
    """The program of a seed: its statements."""
    return Generator(seed).program()


def compute_program(program):
    """The values of its names after a run; Rejected if it has none."""
    world = World()
    run_all(program, world)
    return world.names


def text(program):
    return "\n".join(text_of(program)) + "\n"
