"""Running programs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import Any

from tdsl import _core
from tdsl._core import Function
from tdsl._signature import describe
from tdsl._state import Model, State, Stateful, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tdsl._program import Program


class Module(Stateful):
    """A running program: its state and its random numbers.

    Each `export fn` and each model is an attribute of this object, and in
    `functions` or `models` by name. Several threads may call the functions; calls
    that do not change the state run concurrently.
    """

    #: All functions and models by name, also those with the name of another attribute.
    functions: Mapping[str, Function]
    models: Mapping[str, Model]
    state: State

    def __init__(self, handle: _core.Module, program: Program) -> None:
        self._handle = handle
        self._program = program
        state = State(handle)
        whole, models = {}, {}
        for name, (model, key, kind, tied) in zip(state, handle.roles()):
            tensor = whole[name] = Tensor(name, kind, tied)
            if model:
                models.setdefault(model, {})[key] = tensor
        removed = set(handle.removed())
        super().__init__(program.name, state, whole, removed)
        self.models = {name: Model(name, state, tensors, _keys_of(name, removed))
                       for name, tensors in models.items()}
        self.functions = {function.name: function for function in handle.functions()}
        for function in self.functions.values():
            describe(function)
        for name, member in {**self.models, **self.functions}.items():
            if not hasattr(self, name):
                setattr(self, name, member)

    def __getattr__(self, name: str) -> Any:  # a Function, a Model, or an AttributeError
        if name.startswith("_"):  # copy and pickle look these up before __init__ runs
            raise AttributeError(name)
        raise AttributeError(f"{self._title} has no `export fn` and no model {name}; it has: "
                             f"{', '.join([*self.functions, *self.models]) or 'none'}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a checkpoint of the whole state, random numbers included."""
        self._handle.save(_spell(path))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Reads a checkpoint. Changes nothing if that fails."""
        self._handle.restore(_spell(path))

    def __reduce__(self) -> tuple:
        """The program and a checkpoint: a copy runs the statements again, then has the state."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return _open_again, (self._program, file.read())

    def __repr__(self) -> str:
        return f"<tdsl.Module {self._title}: {', '.join(self.functions) or 'no functions'}>"


def _keys_of(model: str, names: set[str]) -> set[str]:
    """Of names in the program, those of a model, as its keys."""
    prefix = f"{model}."
    return {name[len(prefix):] for name in names if name.startswith(prefix)}


def _open_again(program: Program, checkpoint: bytes) -> Module:
    module = program.open()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.safetensors")
        with open(path, "wb") as file:
            file.write(checkpoint)
        module.restore(path)
    return module


def _spell(path: str | os.PathLike[str]) -> str:
    """The path as a str that tdc accepts."""
    text = os.fsdecode(path)
    text.encode()  # raises UnicodeEncodeError
    return text
