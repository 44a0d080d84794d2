"""Exceptions and warnings, with their places in the program."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One error or warning of the compiler, or error of a running program."""

    severity: str  #: "error" or "warning"
    code: str  #: "TD401", "TR107"; "" if there is none
    message: str  #: one line
    file: str  #: "" if it has no place in a program
    line: int  #: from 1; this and the next three: 0 if not known
    column: int  #: from 1, in characters
    end_line: int
    end_column: int
    text: str  #: the whole report, with the line of the program


class Error(Exception):
    """An error of tdc. Its text is the whole report."""

    #: At least one.
    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, text: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(text.rstrip("\n"))
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self) -> tuple:
        return type(self), (str(self), list(self.diagnostics))

    @property
    def code(self) -> str:
        """The code of the first diagnostic, which `tdc explain` describes."""
        return self.diagnostics[0].code

    @property
    def message(self) -> str:
        """The first diagnostic on one line; this and the others are as in `Diagnostic`."""
        return self.diagnostics[0].message

    @property
    def file(self) -> str:
        return self.diagnostics[0].file

    @property
    def line(self) -> int:
        return self.diagnostics[0].line

    @property
    def column(self) -> int:
        return self.diagnostics[0].column

    @property
    def end_line(self) -> int:
        return self.diagnostics[0].end_line

    @property
    def end_column(self) -> int:
        return self.diagnostics[0].end_column


class CompileError(Error, ValueError):
    """The program has mistakes."""


class UsageError(Error, ValueError):
    """An option, an argument of the program, or a call has a mistake."""


class RunError(Error, RuntimeError):
    """An error while the program ran: in its data, of a device, of a file."""


class InternalError(Error, RuntimeError):
    """A bug in tdc."""


class CompileWarning(UserWarning):
    """A warning of the compiler."""


_KINDS = {1: CompileError, 2: UsageError, 3: RunError}  # tdc_status of tdc.h


def make_error(status: int, text: str, diagnostics: list[Diagnostic]) -> Error:
    """Makes the exception for a tdc_status. Called by the extension."""
    return _KINDS.get(status, InternalError)(text, diagnostics)
