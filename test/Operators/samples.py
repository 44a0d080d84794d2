"""PyTorch's own samples of its operators (OpInfo), as programs.Sample."""

import functools
import warnings

import ml_dtypes
import numpy as np
import torch
from torch.testing._internal.common_device_type import tol, toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map

import programs
import scope

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
          "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32, "i16": torch.int16,
          "i8": torch.int8, "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32,
          "u64": torch.uint64, "bool": torch.bool}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
# Operators that only move elements are compared in every dtype.
MOVEMENT = set("""
    __getitem__ atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to cat chunk clone
    column_stack contiguous diag diag_embed diagonal diagonal_scatter dsplit dstack expand
    expand_as flatten flip fliplr flipud gather hsplit hstack index_copy index_fill index_put
    index_select masked_fill meshgrid movedim narrow nn.functional.pad
    nn.functional.pixel_shuffle nn.functional.pixel_unshuffle permute ravel repeat
    repeat_interleave reshape reshape_as roll rot90 scatter select select_scatter slice
    slice_scatter split split_with_sizes squeeze stack swapaxes t take take_along_dim
    tensor_split tile transpose tril triu unbind unflatten unfold unsqueeze view view_as vsplit
    vstack where""".split())
MOST_ELEMENTS = 1 << 16  # of a sample's arrays, to keep programs small
OPERATORS = {"__radd__": "{} + {}", "__rsub__": "{} - {}", "__rmul__": "{} * {}",
             "__rdiv__": "{} / {}", "__rmod__": "{} % {}", "__rpow__": "{} ** {}",
             "__rand__": "{} & {}", "__ror__": "{} | {}", "__rxor__": "{} ^ {}",
             "__rmatmul__": "{} @ {}"}
PROPERTIES = ("T", "mT", "H", "mH")
# Functions of torch.linalg that are those of torch with other defaults, which the call gives.
DEFAULTS = {"linalg.cross": {"dim": "-1"}, "linalg.diagonal": {"dim1": "-2", "dim2": "-1"},
            "linalg.vander": {"increasing": "true"}}


class Unwritable(Exception):
    """A value that the language has no text for."""


def array_of(tensor):
    """The tensor as a NumPy array; bf16 by ml_dtypes."""
    tensor = tensor.detach().contiguous()
    if tensor._is_zerotensor():  # a gradient of zeros without memory
        tensor = torch.zeros(tensor.shape, dtype=tensor.dtype)
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16).copy()
    return tensor.numpy().copy()  # some operators change their arguments


class Writer:
    """Writes the values of a sample; tensors become inputs of the program."""

    def __init__(self):
        self.tensors = {}

    def name(self, tensor):
        name = "abcdefghijklmnopqrstuvwxyz"[len(self.tensors)]
        self.tensors[name] = tensor
        return "{}" + name

    def value(self, value):
        if isinstance(value, torch.Tensor):
            return self.name(value)
        if value is None or isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, (int, np.integer)):
            return str(int(value))
        if isinstance(value, (float, np.floating)):
            return repr(float(value))
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, list):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.value, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, torch.dtype) and value in NAMES:
            return NAMES[value]
        if isinstance(value, torch.device):
            return str(value)
        raise Unwritable(str(value))

    def index(self, value):
        """The text between the brackets of x[…]."""
        if value is Ellipsis:
            return "..."
        if isinstance(value, slice):
            ends = [value.start, value.stop] + [value.step] * (value.step is not None)
            return ":".join("" if end is None else self.value(end) for end in ends)
        return self.value(value)

    def call(self, op, sample):
        keywords = {name: value for name, value in sample.kwargs.items()
                    if name not in ("memory_format", "layout")
                    and not (name == "requires_grad" and not value)}  # which is the default
        keywords = [f"{name}={'cpu' if name == 'device' else self.value(value)}"
                    for name, value in keywords.items()]
        keywords += [f"{name}={value}" for name, value in DEFAULTS.get(op.name, {}).items()
                     if name not in sample.kwargs]
        if op.name == "__getitem__":
            tensor, at = self.value(sample.input), sample.args[0]
            return f"{tensor}[{', '.join(map(self.index, at if isinstance(at, tuple) else (at,)))}]"
        if op.name == "einsum":
            return f"einsum({', '.join(map(self.value, (*sample.args, *sample.input)))})"
        if op.name in OPERATORS:
            return OPERATORS[op.name].format(
                *map(self.value, (sample.args[0], sample.input)))
        if op.name in PROPERTIES:
            return f"{self.value(sample.input)}.{op.name}"
        arguments = [sample.input, *sample.args]
        arguments = ["cpu" if value == "cpu" else self.value(value) for value in arguments]
        if op.name in ("nn.functional.embedding", "where", "polygamma", "special.polygamma"):
            # OpInfo passes the weight first, the condition and the order second.
            arguments[:2] = arguments[1::-1]
        # Most functions are methods too; these are methods only.
        if op.name in METHODS:
            rest = ", ".join(arguments[1:] + keywords)
            return f"{arguments[0]}.{op.name}({rest})"
        if op.name == "zero_":
            return f"{arguments[0]}.clone().zero_()"  # OpInfo calls it with a clone, too
        # torch.linalg has these names alone, but for norm, which is another function in torch.
        name = op.name.replace("nn.functional.", "F.")
        name = name if name == "linalg.norm" else name.removeprefix("linalg.")
        return f"{name}({', '.join(arguments + keywords)})"


METHODS = set("""to float double half bfloat16 int long bool short char byte view view_as
                 expand expand_as unfold repeat reshape_as new_zeros new_ones new_full
                 contiguous sum_to_size masked_scatter item""".split())


def tolerance_of(op, dtype):
    """Relative and absolute tolerance that OpInfo sets for comparisons on a cpu, the widest
    of its tests, else the default of torch.testing."""
    default = torch.testing._comparison.get_tolerances(dtype, rtol=None, atol=None)
    widest = tol(atol=default[1], rtol=default[0])
    for decorator in op.decorators or ():
        of = getattr(decorator, "device_type", None)
        if of not in (None, "cpu"):
            continue
        for override in getattr(decorator, "decorators", [decorator]):
            if isinstance(override, toleranceOverride) and dtype in override.d:
                one = override.d[dtype]
                widest = tol(atol=max(widest.atol, one.atol), rtol=max(widest.rtol, one.rtol))
    return widest.rtol, widest.atol


def flat(value):
    """(pick, leaf) for each leaf of an operator's result."""
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        for i, part in enumerate(value):
            for pick, leaf in flat(part):
                yield f"[{i}]{pick}", leaf
    else:
        yield "", value


def weights_like(result, seed):
    """Numbers by which the elements of a result are multiplied before they are summed."""
    numbers = np.random.default_rng(seed).uniform(0.5, 1.5, tuple(result.shape))
    return torch.as_tensor(numbers, dtype=result.dtype)


def gradients_of(found, wrt, weights):
    """The gradients of the weighted sum of the results `found`, as arrays."""
    total = sum((found[i][1] * weight).sum() for i, weight in weights.items())
    gradients = torch.autograd.grad(total, wrt, allow_unused=True)
    return [array_of(torch.zeros_like(tensor) if gradient is None else gradient)
            for tensor, gradient in zip(wrt, gradients)]


def exactly(op, sample, wrt, weights):
    """The results and the gradients of a sample when its f32 numbers are taken as f64."""
    doubles = {}

    def widened(value):
        if isinstance(value, torch.Tensor) and value.dtype == torch.float32:
            if id(value) not in doubles:
                doubles[id(value)] = value.detach().double().requires_grad_(value.requires_grad)
            return doubles[id(value)]
        return torch.float64 if value is torch.float32 else value

    try:
        args, kwargs = tree_map(widened, (sample.args, sample.kwargs))
        found = list(flat(op(tree_map(widened, sample.input), *args, **kwargs)))
        results = [array_of(leaf) for _, leaf in found]
        if not weights:
            return results, []
        wide = {i: weight.double() for i, weight in weights.items()}
        return results, gradients_of(found, [widened(tensor) for tensor in wrt], wide)
    except (RuntimeError, TypeError):
        return [], []  # no f64 of this operator


def convert(op, dtype, sample):
    """The sample as a programs.Sample; Unwritable if there is no text for it."""
    writer = Writer()
    call = writer.call(op, sample)
    if sum(tensor.numel() for tensor in writer.tensors.values()) > MOST_ELEMENTS:
        raise Unwritable("a large sample")
    inputs = {name: array_of(tensor) for name, tensor in writer.tensors.items()}
    result = op(sample.input, *sample.args, **sample.kwargs)
    found = list(flat(result))
    made = programs.Sample(op.name, dtype, call, inputs, [], [],
                           tolerance=tolerance_of(op, DTYPES[dtype]))
    for pick, leaf in found:
        if not isinstance(leaf, torch.Tensor):
            raise Unwritable("a result that is no tensor")
        made.picks.append(pick)
        made.results.append(array_of(leaf))
    wrt, weights = {}, {}
    if op.supports_autograd and DTYPES[dtype].is_floating_point and dtype in ("f32", "f64"):
        wrt = {name: tensor for name, tensor in writer.tensors.items() if tensor.requires_grad}
        outputs = {i: leaf for i, (_, leaf) in enumerate(found) if leaf.requires_grad}
        if wrt and outputs:
            weights = {i: weights_like(leaf, i) for i, leaf in outputs.items()}
            made.gradients = dict(zip(wrt, gradients_of(found, list(wrt.values()), weights)))
            made.weights = {i: array_of(weight) for i, weight in weights.items()}
    if dtype == "f32":
        made.exact = functools.cache(
            lambda: exactly(op, sample, list(wrt.values()), weights))
    return made


def samples_of(op, dtype, counts):
    """The samples in scope of an OpInfo; `counts` counts the others by their reasons."""
    torch.manual_seed(0)
    grad = op.supports_autograd and dtype in ("f32", "f64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in op.sample_inputs("cpu", DTYPES[dtype], requires_grad=grad):
            def run(sample=sample):
                return op(sample.input, *sample.args, **sample.kwargs)
            try:
                why = scope.reason(op, sample, run)
                if why:
                    counts[why] += 1
                    continue
                yield convert(op, dtype, sample)
            except Unwritable as error:
                counts[f"no text for {error}"] += 1


def dtypes_of(op):
    """The dtypes in which an operator is compared."""
    supported = [name for name, dtype in DTYPES.items() if dtype in op.dtypes]
    if op.name in MOVEMENT:
        return supported
    floats = [name for name in supported if name in ("f64", "f32")]
    return floats or supported


def operators():
    return op_db
