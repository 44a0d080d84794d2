"""Compiles .tdsl tensor programs and runs them in this process.

    net = tdsl.load("net.tdsl")      # compiles; runs the top-level statements
    net.step(x, y)                   # calls an `export fn`
    net.state["net.fc1.weight"]      # a copy of a parameter
    net.save("net.safetensors")

Arrays of NumPy, PyTorch and JAX on the cpu go in without a copy, and results
come back as arrays of the same library.
"""

from tdsl._core import set_threads as _set_threads
from tdsl._core import version as _version
from tdsl._errors import (CompileError, CompileWarning, Diagnostic, Error, InternalError,
                          RunError, UsageError)
from tdsl._module import Function, Module
from tdsl._program import Program, compile, compile_text, load, load_text
from tdsl._state import Model, State, TensorType

__version__: str = _version()
__all__ = ["CompileError", "CompileWarning", "Diagnostic", "Error", "Function", "InternalError",
           "Model", "Module", "Program", "RunError", "State", "TensorType", "UsageError", "compile",
           "compile_text", "load", "load_text", "set_threads"]


def set_threads(count: int) -> None:
    """Sets how many threads the kernels of a call may use, 1 to 1024, in the whole process.

    Otherwise it is the variable TDC_THREADS, or 1. Raises UsageError if a kernel has started
    another number of threads before.
    """
    _set_threads(count)
