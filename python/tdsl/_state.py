"""The state of a module, as a mapping and as PyTorch's state dicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple, NoReturn

import numpy

from tdsl import _core
from tdsl._arrays import convert

#: tdc_state_kind of tdc.h.
PARAMETER, BUFFER = 0, 1


class TensorType(NamedTuple):
    """The type of an input, of a result, or of a tensor of the state."""

    name: str
    dtype: str  #: "f32"
    shape: tuple[int | None, ...]  #: None for a size that is known only in a call

    def __str__(self) -> str:
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.dtype}[{sizes}]"


class Part:
    """A part of a module, which is pickled and copied only as a whole."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a tdsl.{type(self).__name__} cannot be pickled or copied: "
                        "pickle or copy its module")


class State(Part, Mapping[str, numpy.ndarray]):
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

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.types)


class IncompatibleKeys(NamedTuple("IncompatibleKeys", [("missing_keys", list[str]),
                                                       ("unexpected_keys", list[str])])):
    """What `load_state_dict(..., strict=False)` did not load."""

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"


class Tensor(NamedTuple):
    """A tensor of the state, in the state dict of a model."""

    name: str  #: in State
    kind: int  #: PARAMETER, BUFFER ...
    tied: int  #: equal for the names of one tensor


class Stateful:
    """The methods of `torch.nn.Module` for its tensors. Arrays are copies: what
    changes the state is `load_state_dict`, or an assignment to `state` of the module."""

    def __init__(self, title: str, state: State, tensors: dict[str, Tensor],
                 removed: Set[str]) -> None:
        self._title = title
        self.state = state
        self._tensors = tensors
        self._removed = removed  # keys of tensors that nothing in the program uses

    def state_dict(self) -> dict[str, numpy.ndarray]:
        """Copies of all tensors by name."""
        return {key: self.state[tensor.name] for key, tensor in self._tensors.items()}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True
                        ) -> IncompatibleKeys:
        """Copies tensors of NumPy, PyTorch or JAX in, and converts them to the dtypes here.
        Ignores those of the model that are not in the program because nothing uses them.

        Raises RuntimeError if a shape differs or, if it is strict, if the keys do, and
        TypeError for complex numbers. Changes nothing if it raises.
        """
        missing = [key for key in self._tensors if key not in state_dict]
        unexpected = [key for key in state_dict
                      if key not in self._tensors and key not in self._removed]
        problems = []
        for words, keys in (("Missing", missing), ("Unexpected", unexpected)):
            if strict and keys:
                listed = ", ".join(f'"{key}"' for key in keys)
                problems.append(f"{words} key(s) in state_dict: {listed}. ")
        values = {}
        for key, tensor in self._tensors.items():
            if key not in state_dict:
                continue
            type = self.state.types[tensor.name]
            values[tensor.name] = array = convert(state_dict[key], type.dtype, key)
            if array.shape != type.shape:
                problems.append(f"size mismatch for {key}: copying a param with shape "
                                f"{array.shape} from checkpoint, the shape in current model is "
                                f"{type.shape}.")
        if problems:
            text = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {self._title}:\n\t{text}")
        for name, array in values.items():
            self.state[name] = array
        return IncompatibleKeys(missing, unexpected)

    def named_parameters(self) -> Iterator[tuple[str, numpy.ndarray]]:
        """Names and copies of the parameters. A tied one has its first name only."""
        return self._of_kind(PARAMETER)

    def parameters(self) -> Iterator[numpy.ndarray]:
        """Copies of the parameters."""
        return (array for _, array in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, numpy.ndarray]]:
        """Names and copies of the buffers."""
        return self._of_kind(BUFFER)

    def buffers(self) -> Iterator[numpy.ndarray]:
        """Copies of the buffers."""
        return (array for _, array in self.named_buffers())

    def _of_kind(self, kind: int) -> Iterator[tuple[str, numpy.ndarray]]:
        seen = set()
        for key, tensor in self._tensors.items():
            if tensor.kind == kind and tensor.tied not in seen:
                seen.add(tensor.tied)
                yield key, self.state[tensor.name]


class Model(Part, Stateful):
    """A model of the program, with the keys that its file has: "fc1.weight"."""

    def __repr__(self) -> str:
        types = (f"{key}: {self.state.types[tensor.name]}" for key, tensor in self._tensors.items())
        return f"<tdsl.Model {self._title}: {', '.join(types)}>"
