"""One seed, one program: a list of statements, all of which have been computed.

A statement is made by chance, computed at once with NumPy, and kept if it has a
result (values.py defines when it has none). So later statements know the values of
earlier ones, and no program has undefined behaviour.
"""

import copy
import math
import random

import numpy as np

import arrays
import assembled  # noqa: F401
import contractions  # noqa: F401
import counts  # noqa: F401
import elements
import images  # noqa: F401
import losses  # noqa: F401
import orders  # noqa: F401
import places  # noqa: F401
import pointwise  # noqa: F401, whose proposals are among all, as are those of windows
import pools  # noqa: F401
import sampled  # noqa: F401
import shapes  # noqa: F401
import training
import windows  # noqa: F401
from again import again
from functions import COMPARED, function, gradient, gradient_call, smooth_call, unused
from rows import rows, rows_to_number
from statements import choice, let, loop, move, nested, read, unreached, update
from tree import Assign, Call, Let, Save, Statement, World, run_all, text_of
from values import Number, Rejected, Value, is_float, kinks

SMALL_SIZES = [1, 2, 2, 3, 3, 4]  # of differentiated functions
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 33, 40, 64, 70, 80]
# Proposals for differentiated code, and those of its indices.
SMOOTH = {"unary", "binary", "with_number", "smooth", "softmax", "layer_norm", "reduce",
          "matmul", "permute", "reshape", "broadcast", "slice_of", "row", "concat", "stack",
          "gather", "gather_along", "scatter_add", "statistic", "unsqueeze", "arg_reduce",
          "flip", "roll", "repeat_interleave", "pad", "windows", "cumulative", "max_pool",
          "convolution", "function_of_one", "function_of_two", "other_name", "function_of_three",
          "glu", "sort", "median", "quantile", "extremes", "along", "counted", "covariance",
          "rearranged", "single_dims", "repeated", "part_of", "together", "diagonals",
          "rows_written", "combined", "put", "inserted", "convolution_of", "pool", "patches",
          "interpolated", "norm_of_channels", "loss", "loss_of_classes", "loss_of_labels",
          "distance", "named_product", "batched_product", "like", "masks", "pool_with_indices",
          "unpool", "sampled_image", "sets", "common_shape", "mode", "slopes"}
# Kinds of statements and how often they are: outside of blocks, inside, and in functions.
KINDS = [(let, 16), (again, 14), (rows, 2), (rows_to_number, 4), (update, 2), (read, 3),
         (loop, 2.5), (unreached, 2), (choice, 1.5), (function, 1), (gradient, 2), (move, 3)]
INNER_KINDS = [(let, 17), (again, 4), (rows, 0.5), (update, 1), (read, 1), (move, 1), (nested, 1)]
FUNCTION_KINDS = [(let, 6), (again, 2), (rows, 0.3)]
SMOOTH_KINDS = [(let, 8), (again, 6), (rows, 1), (update, 1), (loop, 1)]
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
        self.is_smooth = False  # whether what is made is differentiated,
        self.has_kinks = True  # and whether it may have kinks
        self.uses_torch = False  # whether PyTorch gives the gradients
        self.moves = self.flip(0.3)
        # Few sizes and dtypes, so that tensors fit each other.
        self.sizes = self.random.sample(SIZES, 3)
        self.dtypes = [self.pick(elements.FLOATS), self.pick(elements.FLOATS + elements.INTS)]

    # --- what the proposals use ---

    def pick(self, choices):
        return self.random.choice(sorted(choices) if isinstance(choices, set) else choices)

    def flip(self, probability):
        return self.random.random() < probability

    def replaces(self):
        """Whether writes replace elements, rather than add to them. In gradients only PyTorch is a
        reference for that: an element that a later write replaces has a gradient, although the
        result does not change with it."""
        return (self.uses_torch or not self.is_smooth) and self.flip(0.5)

    def shuffled(self, *items):
        return self.random.sample(items, len(items))

    def __getitem__(self, name):
        return self.world[name]

    def among(self, accepts):
        names = [name for name, value in self.world.names.items() if accepts(value)]
        # New tensors have larger weights, so that chains become long.
        if not names:
            return None
        return self.pick(names[-4:]) if self.flip(0.5) else self.pick(names)

    def tensor(self, accepts=lambda value: True):
        return self.among(lambda value: type(value) is Value and value.is_compared and
                          (not self.is_smooth or is_float(value.dtype)) and accepts(value))

    def index(self, accepts):
        return self.among(lambda value: type(value) is Value and value.is_static and
                          value.dtype == "i64" and accepts(value))

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

    def small_shape(self):
        shape = tuple(self.pick(self.sizes) for _ in range(self.pick([1, 1, 2, 2, 2, 3])))
        return shape if math.prod(shape) <= COMPARED else shape[1:]

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
        """Runs statements; returns whether they have results, which are kept then."""
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
                 if not self.is_smooth or f.__name__ in SMOOTH]
        return self.proposed(self.random.choices([f for f, _ in kinds], [w for _, w in kinds])[0])

    def proposed(self, proposal):
        """The call that a proposal makes, or None."""
        try:
            return proposal(self)
        except Rejected:
            return None

    def block(self, count, names=()):
        """Statements for a block of its own; `names` are defined in it. They are computed, but in
        a copy of the world."""
        outside = self.world
        self.world = copy.deepcopy(outside).inner()
        for name, value in names:
            self.world.names.define(name, value)
        try:
            body = self.statements(count, SMOOTH_KINDS if self.is_smooth else INNER_KINDS)
            inside = self.world
        finally:
            self.world = outside
        return body, inside

    def statements(self, count, kinds):
        body = []
        for _ in range(count):
            for _ in range(TRIES):
                make = self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
                before = self.world  # attempts of `make` are not visible outside
                more = make(self)
                self.world = before
                if more and self.attempt(more):
                    body += more
                    break
        return body

    def function_body(self, count):
        return self.statements(count, SMOOTH_KINDS if self.is_smooth else FUNCTION_KINDS)

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

    def program(self):
        first = [Device()] if self.moves else []
        self.attempt(first)
        for _ in range(self.random.randint(1, 4)):
            more = [Let(self.name(), arrays.make(self))]
            if self.attempt(more):
                first += more
        body = first + self.statements(self.random.randint(2, 12), KINDS)
        if self.flip(0.12):
            more = training.make(self)
            body += more
            run_all(more, self.world)
        return body + self.saves(body)

    def gradients(self, uses_torch=False):
        """A program of the gradients of one function with respect to all its inputs."""
        self.uses_torch = uses_torch
        dtypes = ["f64"] * self.random.randint(1, 3) + ["i64"] * self.random.randint(0, 1)
        # Central differences compute the function twice for every element.
        self.sizes = self.random.sample(SMALL_SIZES + [5, 8, 17] * uses_torch, 2)
        new = arrays.quarters if uses_torch and self.flip(0.5) else arrays.random_tensor
        inputs = [Let(self.name(), new(self, self.small_shape(), dtype)) for dtype in dtypes]
        run_all(inputs, self.world)
        names = [statement.name for statement in inputs]
        count = self.random.randint(2, 8)
        call = self.statements(1, [(lambda g: smooth_call(g, names, count), 1)])
        gradients = []
        for name in names[:dtypes.count("f64")] if call else []:
            # None where the function makes nothing of it.
            more = [Let(self.name(), gradient_call(self, call, names, name))]
            gradients += more * self.attempt(more)
        body = inputs + call + gradients
        return body + self.saves(body)

    def saves(self, body):
        """Saves the values without uses, which would be dead code, and some of the others."""
        names = [name for name, value in self.world.names.items() if type(value) is Value]
        ends = unused(body, names)
        chosen = {name for name in names if name in ends or self.flip(0.4)}
        return [Save(name, self.world[name].dtype) for name in names if name in chosen]


def generate(seed):
    """The program of a seed: its statements."""
    return Generator(seed).program()


def generate_gradients(seed):
    """The program of a seed whose gradients NumPy follows."""
    return Generator(seed).gradients()


def generate_torch(seed):
    """The program of a seed whose gradients PyTorch gives."""
    with kinks("exact"):
        return Generator(seed).gradients(uses_torch=True)


def compute_program(program):
    """The values of its names after a run; Rejected if it has none."""
    world = World()
    run_all(program, world)
    return world.names


def text(program):
    return "\n".join(text_of(program)) + "\n"
