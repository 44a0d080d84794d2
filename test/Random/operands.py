"""Operands of any shape, made of the tensors of a program: the elements of one, in order, or
numbers that are written out."""

import math

import numpy as np

from values import DTYPES, Rejected, Value, compute_smooth, is_float

WRITTEN = 40  # numbers at most


def between(low, high):
    """The domain of numbers from low to high."""
    return lambda array: np.all((array >= low) & (array <= high))


def apart_from_zero(least, most=15):
    return lambda array: np.all((np.abs(array) >= least) & (np.abs(array) <= most))


ORDINARY = between(-15, 15)


def sizes(shape):
    return ", ".join(map(str, shape)) if shape else "()"


def listed(shape):
    """A tuple as the program writes it."""
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


class Operands:
    """Collects the operands of one call. What gives an operand returns its text."""

    def __init__(self, g):
        self.g, self.names, self.parts = g, [], []

    def tensor(self, name, text="{}", view=None, domain=None):
        """A tensor, or a view of it by a NumPy function that moves elements."""
        at = len(self.names)
        self.names.append(name)

        def part(values):
            value = values[at]
            if view:
                value = Value([view(copy) for copy in value.copies])
            if domain and not domain(value.copies[0].astype(np.float64)):
                raise Rejected
            return value
        self.parts.append(part)
        return text.replace("{}", f"{{{at}}}")

    def written(self, array):
        """Numbers in the program."""
        value = Value([array])
        self.parts.append(lambda values: value)
        if array.size == 0: # brackets do not tell the sizes
            return f"zeros({list(array.shape)}, dtype={value.dtype})"
        return f"tensor({array.tolist()}, dtype={value.dtype})".replace("True", "true").replace(
            "False", "false")

    def part(self, shape, dtype, low=-2, high=2, domain=None):
        """A tensor of that shape and dtype, whose elements are in the domain, or else numbers from
        low to high."""
        count = math.prod(shape)
        domain = domain or (between(low, high) if is_float(dtype) else None)
        name = self.g.static(lambda v: v.dtype == dtype and v.size >= count and (
            domain is None or domain(v.copies[0].flatten()[:count].astype(np.float64))))
        if name and self.g.flip(0.9):
            return self.first(name, shape, domain)
        if count > WRITTEN:
            raise Rejected
        if dtype == "bool":
            array = self.g.numbers.integers(0, 2, shape)
        elif is_float(dtype):
            array = self.g.numbers.integers(math.ceil(16 * low), math.floor(16 * high) + 1,
                                            shape) / 16
        else:
            least = max(low, 0) if dtype[0] == "u" else low
            array = self.g.numbers.integers(least, high + 1, shape)
        return self.written(np.asarray(array).astype(DTYPES[dtype]))

    def first(self, name, shape, domain=None):
        """The first elements of a tensor in another shape."""
        count = math.prod(shape)
        if self.g[name].shape == shape:
            return self.tensor(name, domain=domain)
        cut = f"[:{count}]" if self.g[name].size > count else ""
        return self.tensor(name, f"{{}}.flatten(){cut}.reshape({sizes(shape)})",
                           lambda a: a.flatten()[:count].reshape(shape), domain)

    def indices(self, shape, size):
        """Indices of that shape below `size`."""
        count = math.prod(shape)
        name = self.g.index(lambda v: v.size >= count) if self.g.flip(0.5) else None
        if name is None:
            if count > WRITTEN:
                raise Rejected
            return self.written(np.asarray(self.g.numbers.integers(0, size, shape)))
        text = self.first(name, shape)
        moved = self.parts.pop()
        self.parts.append(lambda values: Value([moved(values).copies[0] % size]))
        return f"({text} % {size})"

    def call(self, text, meaning, dims=None, keeps=None):
        return self.g.call(text, self.names, lambda world, *values: meaning(
            *(part(values) for part in self.parts)), keeps=keeps, dims=dims)


def moving(function):
    """The meaning of a function that moves elements."""
    def meaning(*values):
        count = max(len(value.copies) for value in values)
        return Value([function(*(value.copy(i) for value in values)) for i in range(count)])
    return meaning


def smooth(function, **options):
    """The meaning of a function of f64 arrays that computes."""
    return lambda *values: compute_smooth(function, values, values[0].dtype, **options)
