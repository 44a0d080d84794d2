"""What can go wrong, with the place in the program."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One thing that the compiler, or a running program, has to say."""

    severity: str  #: "error" or "warning"
    code: str  #: "TD401", "TR107"; "" if there is none
    message: str  #: in a line
    file: str  #: "" if it is about no place in a program
    line: int  #: from 1; 0 if not known, as the next three
    column: int  #: from 1, in characters
    end_line: int
    end_column: int
    text: str  #: the whole report, with the line of the program


class Error(Exception):
    """Whatever goes wrong in tdc. Its text is the whole report."""

    #: At least one.
    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, text: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(text.rstrip("\n"))
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self) -> tuple:
        return type(self), (str(self), list(self.diagnostics))

    @property
    def code(self) -> str:
        """Of the first diagnostic: `tdc explain` has more to say about it."""
        return self.diagnostics[0].code


class CompileError(Error):
    """The program has mistakes."""


class UsageError(Error, ValueError):
    """An option, an argument of the program, or a call has a mistake."""


class RunError(Error, RuntimeError):
    """Something failed while the program ran: its data, a device, a file."""


class InternalError(Error):
    """A bug in tdc."""


class CompileWarning(UserWarning):
    """What the compiler warns of."""


_KINDS = {1: CompileError, 2: UsageError, 3: RunError}  # tdc_status of tdc.h


def make_error(status: int, text: str, diagnostics: list[Diagnostic]) -> Error:
    """For the extension."""
    return _KINDS.get(status, InternalError)(text, diagnostics)
