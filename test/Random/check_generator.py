#!/usr/bin/env python3
"""Tests the programs of the generator, and the mistakes that its checks detect.

usage: check_generator.py

Ends with an AssertionError, or "generator: ok".
"""

import collections
import re
from pathlib import Path

import numpy as np

import again
import arrays
import elements
import functions
import levels
from generate import Generator, text
from tree import Call, Function, Let, World
from values import Rejected, Value, compute, is_float

COUNT = 250  # programs in which every kind of access and combination occurs
ROUNDS = 400  # of all proposals, at most, in which every function of the table occurs
REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "Reference.md"
LEFT_OUT = {
    "gives a value of the host": {"numel", "size", "dim", "is_floating_point", "allclose", "equal",
                                  "tolist", "broadcast_shapes"},
    "is the same tensor here": {"as_tensor", "cuda", "deepcopy"},
    "is part of statements": {"cpu", "item"},
    "draws random numbers in an order of its own": {
        "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout",
        "bernoulli", "multinomial", "gumbel_softmax"},
    "gives infinities": {"generate_square_subsequent_mask"},
}


def check_that_all_kinds_are_made():
    made = collections.Counter()

    def counted(function):
        def call(*arguments):
            result = function(*arguments)
            made[function.__name__] += bool(result)
            return result
        return call
    for table in (again.ACCESSES, again.COMBINATIONS):
        names = [function.__name__ for function, _ in table]
        table[:] = [(counted(function), weight) for function, weight in table]
        made.update(dict.fromkeys(names, 0))
    twice = 0
    for seed in range(COUNT):
        source = text(Generator(seed).program())
        # `x + x[i]`: a value and its picked rows in one expression.
        twice += bool(re.search(r"= (x\d+) .* \((\1\[x|index_select\(\1,|gather\(\1,)", source))
    assert all(made.values()), made
    assert twice > COUNT / 50, twice


def functions_of_tensors():
    """The names in the tables of the reference, without images and models."""
    text = REFERENCE.read_text()
    text = text[text.index("### Making tensors"):text.index("## Models")]
    start, end = text.index("## Images\n"), text.index("## Functions of torch.nn.functional")
    return set(re.findall(r"^\| `(?:x\.)?([a-z_0-9]+)\(", text[:start] + text[end:], re.MULTILINE))


def has_value(call, world):
    try:
        call.value(world)
    except Rejected:
        return False
    return True


def check_that_all_functions_are_made():
    """A function that a proposal makes with a result is made by programs, too, sooner or later."""
    missing = functions_of_tensors() - set().union(*LEFT_OUT.values())
    for seed in range(ROUNDS):
        g = Generator(seed)
        for dtype in ("f64", "f32", "i64", "bool"):
            shape = g.small_shape()
            call = arrays.random_tensor(g, shape, dtype) if is_float(dtype) else \
                arrays.random_ints(g, shape, dtype, 0, 2)
            g.attempt([Let(g.name(), call)])
        if seed % 2:  # larger than 1
            g.attempt([Let(g.name(), g.call("full((3,), 1.5, dtype=f64)", [], lambda world:
                                            Value([np.full(3, 1.5)])))])
        for proposal, weight in elements.PROPOSALS:
            for _ in range(weight):
                call = g.proposed(proposal)
                made = set(re.findall(r"([a-z_][a-z_0-9]*)\(", str(call))) & missing
                if made and has_value(call, g.world):
                    missing -= made
        if not missing:
            return
    raise AssertionError(f"no proposal makes {', '.join(sorted(missing))}: add one, as in "
                         "pointwise.py, or say why not in LEFT_OUT")


def check_inlined():
    world = World()
    for name, number in (("a", 7.0), ("b", 2.0), ("c", 3.0)):
        world.names.define(name, number)
    outer = Call("{0} - {1}", ["a", "d"], lambda world, x, y: x - y)
    inner = Call("{0} / {1}", ["b", "c"], lambda world, x, y: x / y)
    call = outer.inlined("d", inner)
    assert str(call) == "a - (b / c)", call
    assert call.value(world) == 7.0 - 2.0 / 3.0


def gradient_of(function, array):
    world, x = World(), Value([np.array(array)])
    call = Call("f({0})", ["p0"], lambda world, value: Value([function(value.copies[0])]))
    world.names.define("f", Function("f", ["p0"], [Let("y", call)], "y"))
    return functions.differences(world, "f", Value([np.array([1.0, -2.0])]), [x], 0)


def is_rejected(function, array):
    try:
        gradient_of(function, array)
    except Rejected:
        return True
    return False


def identity_of_kinks(array):
    x = Value([array])
    return compute("min", [x, compute("relu", [x])]).copies[0]


def check_differences():
    x = np.array([0.3, 1.2])
    slopes = gradient_of(np.sin, x)
    want = np.array([1, -2]) * np.cos(x)
    assert levels.compare(want, slopes.copies[0], slopes.allowed()) is None
    for wrong in (want[::-1], want + 1e-5, want * (1 + 1e-5)):
        assert levels.compare(wrong, slopes.copies[0], slopes.allowed())
    # A kink at x, and one near it; a function that is too steep, and one independent of x.
    assert is_rejected(np.abs, [0.0, 1.0])
    assert is_rejected(np.abs, [functions.STEP / 3, 1.0])
    # Two kinks that cancel.
    assert is_rejected(identity_of_kinks, [0.0, 1.0])
    assert not is_rejected(identity_of_kinks, -x)
    assert is_rejected(lambda a: np.sin(1e4 * a), x)
    assert is_rejected(np.ones_like, x)


def check_order():
    x = Value([np.array([1.0 + error]) for error in (0, 1e-7, -1e-7)])
    equal, larger = Value([np.array([1.0])]), Value([np.array([1.1])])
    for predicate in ("eq", "ne", "lt", "ge"):
        try:
            compute("compare", [x, equal], "bool", predicate=predicate)
            raise AssertionError(f"{predicate} of values that may be equal")
        except Rejected:
            pass
    assert compute("compare", [x, x], "bool", predicate="eq").copies[0]
    assert compute("compare", [x, larger], "bool", predicate="ne").copies[0]


def main():
    check_inlined()
    check_order()
    check_differences()
    check_that_all_kinds_are_made()
    check_that_all_functions_are_made()
    print("generator: ok")


if __name__ == "__main__":
    main()
