"""Compiled programs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence

from tdsl import _core
from tdsl._errors import CompileWarning
from tdsl._module import Module

Arguments = Mapping[str, object] | Sequence[str]


class Program:
    """A compiled program: immutable code for this machine."""

    def __init__(self, handle: _core.Program, name: str) -> None:
        self._handle = handle
        self._name = name

    def open(self) -> Module:
        """Makes a new module and runs the top-level statements, as Python does
        with an imported module."""
        return Module(self._handle.open(), self._name)

    def __repr__(self) -> str:
        return f"<tdsl.Program {self._name}>"


def compile(path: str | os.PathLike[str], *, args: Arguments = (), device: str | None = None,
            placement: str | None = None, transfer_guard: str | None = None,
            memory_budget: str | None = None, t_ops: bool = True, tf32: bool = False) -> Program:
    """Compiles a file.

    args: the program's own arguments, {"epochs": 3} or ["--epochs", "3"].
    The others are options of `tdc run`; its --help explains them.
    Raises CompileError if the program has mistakes; warns with CompileWarning.
    """
    return _compile(_check(path), None, args, device, placement, transfer_guard, memory_budget,
                    t_ops, tf32)


def compile_text(text: str, name: str = "program.tdsl", *, args: Arguments = (),
                 device: str | None = None, placement: str | None = None,
                 transfer_guard: str | None = None, memory_budget: str | None = None,
                 t_ops: bool = True, tf32: bool = False) -> Program:
    """Compiles a text. Messages use `name` as the name of the file, and imports are
    searched in its folder."""
    return _compile(name, text, args, device, placement, transfer_guard, memory_budget, t_ops,
                    tf32)


def load(path: str | os.PathLike[str], *, args: Arguments = (), device: str | None = None,
         placement: str | None = None, transfer_guard: str | None = None,
         memory_budget: str | None = None, t_ops: bool = True, tf32: bool = False) -> Module:
    """Compiles a file and runs its statements: compile(...).open()."""
    return _compile(_check(path), None, args, device, placement, transfer_guard, memory_budget,
                    t_ops, tf32).open()


def load_text(text: str, name: str = "program.tdsl", *, args: Arguments = (),
              device: str | None = None, placement: str | None = None,
              transfer_guard: str | None = None, memory_budget: str | None = None,
              t_ops: bool = True, tf32: bool = False) -> Module:
    """Compiles a text and runs its statements: compile_text(...).open()."""
    return _compile(name, text, args, device, placement, transfer_guard, memory_budget, t_ops,
                    tf32).open()


def _check(path: str | os.PathLike[str]) -> str:
    with open(path, "rb"):  # raises FileNotFoundError, IsADirectoryError or another OSError
        return os.fsdecode(path)


def _compile(name: str, text: str | None, args: Arguments, device: str | None,
             placement: str | None, transfer_guard: str | None,
             memory_budget: str | None, t_ops: bool, tf32: bool) -> Program:
    """Compiles for the public functions; warnings point to their callers."""
    if not isinstance(text, (str, type(None))):
        raise TypeError(f"a program is a str, not {type(text).__name__}")
    words = _words(args)
    for given in (name, text, device, placement, transfer_guard, memory_budget, *words):
        if isinstance(given, str):
            given.encode()  # raises UnicodeEncodeError, which is a ValueError
    handle, found = _core.compile(name, text, device, placement, transfer_guard, memory_budget,
                                  t_ops, tf32, words)
    for diagnostic in found:
        warnings.warn(diagnostic.text.rstrip("\n"), CompileWarning, stacklevel=3)
    return Program(handle, name)


def _words(args: Arguments) -> list[str]:
    """The arguments as words of a command line."""
    if isinstance(args, str):
        raise TypeError("args is a dict or a list of words, not a str")
    if not isinstance(args, Mapping):
        return [str(word) for word in args]
    spelled = {True: "true", False: "false"}
    return [f"--{name}={spelled[value] if isinstance(value, bool) else value}"
            for name, value in args.items()]
