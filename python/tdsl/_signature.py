"""What `inspect` and `help` say of exported functions."""

from __future__ import annotations

import inspect
import keyword

from tdsl._core import Function


class Written(str):
    """A type as the program writes it. Signatures show it without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def describe(function: Function) -> None:
    """Gives a function the attributes that Python's own functions have."""
    help, inputs, output = function._written()
    function.__name__ = function.__qualname__ = function.name
    function.__doc__ = help or None
    function.__signature__ = inspect.Signature(
        _parameters(function, inputs), return_annotation=_result(function, output))


def _parameters(function: Function, written: list[str]) -> list[inspect.Parameter]:
    names = [type.name for type in function.inputs]
    # A name that is a keyword of Python cannot be written in a call.
    last = max((i for i, name in enumerate(names) if keyword.iskeyword(name)), default=-1)
    return [inspect.Parameter(
        type.name,
        inspect.Parameter.POSITIONAL_ONLY if i <= last else inspect.Parameter.POSITIONAL_OR_KEYWORD,
        annotation=Written(text or type)) for i, (type, text) in enumerate(
            zip(function.inputs, written))]


def _result(function: Function, written: str) -> Written:
    types = ", ".join(map(str, function.outputs))
    return Written(written or (types if len(function.outputs) == 1 else f"({types})"))
