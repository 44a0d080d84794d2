"""Running programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy

from tdsl import _core
from tdsl._core import Function


class TensorType(NamedTuple):
    """The type of an input, of a result, or of a tensor of the state."""

    name: str
    dtype: str  #: "f32"
    shape: tuple[int | None, ...]  #: None for a size that is known only in a call

    def __str__(self) -> str:
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.dtype}[{sizes}]"


def describe(function: Function) -> str:
    """<predict(x: f32[?, 2]) -> f32[?, 1]>"""
    inputs = ", ".join(f"{type.name}: {type}" for type in function.inputs)
    outputs = ", ".join(map(str, function.outputs))
    return f"<{function.name}({inputs}) -> {outputs}>"


class State(Mapping[str, numpy.ndarray]):
    """The parameters and buffers of all models and the state of optimizers.

    Reading returns a copy, and writing copies the value: dtype and shape are fixed.
    """

    def __init__(self, handle: _core.Module) -> None:
        self._handle = handle
        #: The types of all tensors.
        self.types = {type.name: type for type in handle.state()}
        self._indices = {name: index for index, name in enumerate(self.types)}

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name not in self.types:
            raise KeyError(name)
        return self._handle.read(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._handle.write(self._indices[name], value)

    def __iter__(self) -> Iterator[str]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def __repr__(self) -> str:
        return f"<tdsl.State: {', '.join(f'{name}: {type}' for name, type in self.types.items())}>"


class Module:
    """A running program: its state and its random numbers.

    Each `export fn` is a function of this object, and in `functions` by name.
    Several threads may call them; calls that do not change the state run
    concurrently.
    """

    #: All functions by name, also those with the name of another attribute.
    functions: Mapping[str, Function]
    state: State

    def __init__(self, handle: _core.Module, name: str) -> None:
        self._handle = handle
        self._name = name
        self.state = State(handle)
        self.functions = {function.name: function for function in handle.functions()}
        for function in self.functions.values():
            if not hasattr(self, function.name):
                setattr(self, function.name, function)

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):  # copy and pickle look these up before __init__ runs
            raise AttributeError(name)
        raise AttributeError(f"{self._name} has no `export fn {name}`; it has: "
                             f"{', '.join(self.functions) or 'none'}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a checkpoint of the whole state, random numbers included."""
        self._handle.save(_spell(path))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Reads a checkpoint. Changes nothing if that fails."""
        self._handle.restore(_spell(path))

    def __repr__(self) -> str:
        return f"<tdsl.Module {self._name}: {', '.join(self.functions) or 'no functions'}>"


def _spell(path: str | os.PathLike[str]) -> str:
    """The path as a str that tdc accepts."""
    text = os.fsdecode(path)
    text.encode()  # raises UnicodeEncodeError
    return text
