"""Compiled programs."""

from __future__ import annotations

import dataclasses
import os
import stat
import warnings
from collections.abc import Mapping, Sequence

from tdsl import _core
from tdsl._errors import CompileWarning
from tdsl._module import Module

Arguments = Mapping[str, object] | Sequence[str]


@dataclasses.dataclass(frozen=True)
class Source:
    """What a program was compiled from."""

    name: str
    text: str | None  #: None: the file `name`
    args: tuple[str, ...]  #: words of a command line
    device: str | None
    placement: str | None
    transfer_guard: str | None
    memory_budget: str | None
    t_ops: bool
    tf32: bool
    check_numerics: bool
    strict_numerics: bool

    def compile(self) -> tuple[_core.Program, list]:
        return _core.compile(self.name, self.text, self.device, self.placement,
                             self.transfer_guard, self.memory_budget, self.t_ops, self.tf32,
                             self.check_numerics, self.strict_numerics, list(self.args))


class Program:
    """A compiled program: immutable code for this machine.

    A pickle has its text and options, and is compiled again. Files that the
    program imports or loads are not in it.
    """

    def __init__(self, handle: _core.Program, source: Source, content: bytes | None = None) -> None:
        self._handle = handle
        self._source = source
        self._content = content  # of the file, if the source names one

    @property
    def name(self) -> str:
        """The name of the file, as messages have it."""
        return self._source.name

    def open(self) -> Module:
        """Makes a new module and runs the top-level statements, as Python does
        with an imported module."""
        return Module(self._handle.open(), self)

    def __reduce__(self) -> tuple:
        source = self._source
        if source.text is None:
            if self._content is None:
                raise TypeError(f"cannot pickle a program from a pipe: {source.name}")
            source = dataclasses.replace(source, text=self._content.decode())
        return _compile_again, (source,)

    def __copy__(self) -> Program:
        return self

    def __deepcopy__(self, memo: dict) -> Program:
        return self

    def __repr__(self) -> str:
        return f"<tdsl.Program {self.name}>"


def compile(path: str | os.PathLike[str], *, args: Arguments = (), device: str | None = None,
            placement: str | None = None, transfer_guard: str | None = None,
            memory_budget: str | None = None, t_ops: bool = True, tf32: bool = False,
            check_numerics: bool = False, strict_numerics: bool = False) -> Program:
    """Compiles a file.

    args: the program's own arguments, {"epochs": 3} or ["--epochs", "3"].
    The others are options of `tdc run`; its --help explains them.
    Raises CompileError if the program has mistakes; warns with CompileWarning.
    """
    return _compile(os.fsdecode(path), None, _read(path), args, device, placement, transfer_guard,
                    memory_budget, t_ops, tf32, check_numerics, strict_numerics)


def compile_text(text: str, name: str = "program.tdsl", *, args: Arguments = (),
                 device: str | None = None, placement: str | None = None,
                 transfer_guard: str | None = None, memory_budget: str | None = None,
                 t_ops: bool = True, tf32: bool = False, check_numerics: bool = False,
                 strict_numerics: bool = False) -> Program:
    """Compiles a text. Messages use `name` as the name of the file, and imports are
    searched in its folder."""
    return _compile(name, _check(text), None, args, device, placement, transfer_guard,
                    memory_budget, t_ops, tf32, check_numerics, strict_numerics)


def load(path: str | os.PathLike[str], *, args: Arguments = (), device: str | None = None,
         placement: str | None = None, transfer_guard: str | None = None,
         memory_budget: str | None = None, t_ops: bool = True, tf32: bool = False,
         check_numerics: bool = False, strict_numerics: bool = False) -> Module:
    """Compiles a file and runs its statements: compile(...).open()."""
    return _compile(os.fsdecode(path), None, _read(path), args, device, placement, transfer_guard,
                    memory_budget, t_ops, tf32, check_numerics, strict_numerics).open()


def load_text(text: str, name: str = "program.tdsl", *, args: Arguments = (),
              device: str | None = None, placement: str | None = None,
              transfer_guard: str | None = None, memory_budget: str | None = None,
              t_ops: bool = True, tf32: bool = False, check_numerics: bool = False,
              strict_numerics: bool = False) -> Module:
    """Compiles a text and runs its statements: compile_text(...).open()."""
    return _compile(name, _check(text), None, args, device, placement, transfer_guard,
                    memory_budget, t_ops, tf32, check_numerics, strict_numerics).open()


def _compile_again(source: Source) -> Program:
    handle, _ = source.compile()  # its warnings were shown before
    return Program(handle, source)


def _check(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"a program is a str, not {type(text).__name__}")
    return text


def _read(path: str | os.PathLike[str]) -> bytes | None:
    """The content of a file, for pickles; None if it is a pipe, which is read once."""
    mode = os.stat(path).st_mode  # raises FileNotFoundError
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return None
    with open(path, "rb") as file:  # raises IsADirectoryError or another OSError
        return file.read()


def _compile(name: str, text: str | None, content: bytes | None, args: Arguments,
             device: str | None, placement: str | None, transfer_guard: str | None,
             memory_budget: str | None, t_ops: bool, tf32: bool, check_numerics: bool,
             strict_numerics: bool) -> Program:
    """Compiles for the public functions; warnings point to their callers."""
    words = _words(args)
    for given in (name, text, device, placement, transfer_guard, memory_budget, *words):
        if isinstance(given, str):
            given.encode()  # raises UnicodeEncodeError, which is a ValueError
    source = Source(name, text, words, device, placement, transfer_guard, memory_budget, t_ops,
                    tf32, check_numerics, strict_numerics)
    handle, found = source.compile()
    for diagnostic in found:
        warnings.warn(diagnostic.text.rstrip("\n"), CompileWarning, stacklevel=3)
    return Program(handle, source, content)


def _words(args: Arguments) -> tuple[str, ...]:
    """The arguments as words of a command line."""
    if isinstance(args, str):
        raise TypeError("args is a dict or a list of words, not a str")
    if not isinstance(args, Mapping):
        return tuple(str(word) for word in args)
    spelled = {True: "true", False: "false"}
    return tuple(f"--{name}={spelled[value] if isinstance(value, bool) else value}"
                 for name, value in args.items())
