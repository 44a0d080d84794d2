"""What is out of the language's scope: families of operators, and properties of samples.

A property says what a program of this language cannot mean, not what is missing: a missing
operator or argument is in scope. The first properties were written before the operators that
they judge. Added later, when samples had shown them: mixed dtypes of a number, of pointwise
operators, denormal numbers, PyTorch's tag of sizes that depend on values, and results written
to an argument. The families were written last. They are a choice of what the language leaves
out, so an operator belongs to one only if the reason holds for it.
"""

import re

import torch
from torch.utils._python_dispatch import TorchDispatchMode

TENSOR_DTYPES = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64,
                 torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
                 torch.uint16, torch.uint32, torch.uint64}

# Families of operators that are not run at all, by regular expressions of names. tdc has no
# operator of them, and a program that names one is refused; docs/Operators.md has the codes.
FAMILIES = {
    "decompositions and solvers of linear algebra, and what is computed by them":
        r"linalg\.(?!(cross|diagonal|matrix_norm|matrix_power|multi_dot|norm|vander|vecdot|"
        r"vector_norm)$).*|"
        r"svd|svd_lowrank|pca_lowrank|lu|lu_solve|lu_unpack|cholesky\w*|geqrf|ormqr|pinverse|"
        r"logdet|triangular_solve",
    "Fourier transforms": r"fft\..*|i?stft",
    "windows of signals": r"signal\..*",
    "masked tensors": r"masked\..*",
    "sparse tensors": r"sparse\..*|to_sparse|_segment_reduce",
    "Bessel and Airy functions and orthogonal polynomials":
        r"special\.(?!(entr|erfcx|i0e|i1|i1e|log_ndtr|ndtr|ndtri|xlog1py|zeta|polygamma)$).*",
    "kernels that PyTorch's own code calls":
        r"torch\..*|_(?!_).*|native_.*|jiterator_.*|hash_tensor|max_pool2d_with_indices_backward|"
        r"grid_sampler_.d|unsafe_.*|constant_pad_nd|narrow_copy|slice|scalar_tensor|"
        r"(alias|as_strided|diagonal|expand|permute|split_with_sizes|squeeze|t|transpose|unbind|"
        r"unfold|unsqueeze|view)_copy",
    "sizes that depend on values": r"unique|unique_consecutive|nonzero|argwhere|masked_select",
    "strides and storage: the compiler chooses how elements are stored":
        r"as_strided\w*|new_empty_strided|empty_strided|empty_permuted|resize_|resize_as_",
}

UNINITIALIZED = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided",
                 "empty_permuted"}


class Called(TorchDispatchMode):
    """Notes whether an operator takes random numbers."""

    def __init__(self):
        super().__init__()
        self.is_random = False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        before = torch.get_rng_state()
        result = function(*args, **(kwargs or {}))
        if (torch.Tag.nondeterministic_seeded in function.tags and
                not torch.equal(before, torch.get_rng_state())):
            self.is_random = True
        return result


def family(name):
    """The family out of scope that an operator belongs to; None if there is none."""
    return next((reason for reason, names in FAMILIES.items() if re.fullmatch(names, name)),
                None)


def leaves(value):
    """The tensors, numbers and words in nested lists, tuples and dictionaries."""
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    else:
        yield value


def reason(op, sample, run):
    """Why a sample is out of scope; None if it is in scope.

    `run` calls the operator on the sample and returns what it gives."""
    parts = list(leaves([sample.input, sample.args, sample.kwargs]))
    tensors = [part for part in parts if isinstance(part, torch.Tensor)]
    if any(isinstance(part, complex) for part in parts) or any(
            tensor.is_complex() for tensor in tensors):
        return "complex numbers"
    if any(tensor.layout != torch.strided or tensor.is_quantized or tensor.is_nested
           for tensor in tensors):
        return "sparse, quantized or nested tensors"
    if any(isinstance(part, (torch.memory_format, torch.layout)) and
           part not in (torch.strided, torch.preserve_format, torch.contiguous_format)
           for part in parts):
        return "memory formats: the compiler chooses how elements are stored"
    if any(callable(part) for part in parts if not isinstance(part, torch.Tensor)):
        return "functions as arguments of an operator"
    if sample.kwargs.get("out") is not None or sample.kwargs.get("inplace"):
        return "results written to an argument"
    if any(tensor.dtype not in TENSOR_DTYPES for tensor in tensors):
        return "a dtype that NumPy has not either"
    whole = isinstance(sample.input, torch.Tensor) and not sample.input.is_floating_point()
    if whole and any(isinstance(part, float) for part in parts):
        return "mixed dtypes: the program says each conversion"
    kinds = {tensor.is_floating_point() for tensor in tensors if tensor.dtype != torch.bool}
    if is_pointwise(op) and len(kinds) > 1:
        return "mixed dtypes: the program says each conversion"
    floats = {tensor.dtype for tensor in tensors if tensor.is_floating_point()}
    if len(floats) > 1:
        return "mixed dtypes: the program says each conversion"
    if any(is_denormal(tensor) for tensor in tensors):
        return "denormal numbers: they count as 0"
    if is_sized_by_values(op):
        return "sizes that depend on values"
    before = [tensor.detach().clone() for tensor in tensors]
    try:
        with Called() as called:
            results = list(leaves(run()))
    except NotImplementedError:
        return "PyTorch does not have it on a cpu"
    if any(isinstance(part, complex) or isinstance(part, torch.Tensor) and part.is_complex()
           for part in results):
        return "complex numbers"
    if called.is_random:
        return "random numbers"
    if any(not torch.equal(a.nan_to_num(), b.detach().nan_to_num())
           for a, b in zip(before, tensors)):
        return "results written to an argument"
    if op.name in UNINITIALIZED:
        return "uninitialized results"
    if depends_on_values(op, sample, results):
        return "sizes that depend on values"
    return None


def is_denormal(tensor):
    """Whether a tensor has elements of f64 or f32 that are smaller than the normal ones."""
    if tensor.dtype not in (torch.float64, torch.float32):
        return False
    size = tensor.detach().abs()
    return bool(((size > 0) & (size < torch.finfo(tensor.dtype).tiny)).any())


def is_sized_by_values(op):
    """Whether PyTorch tags the operator so: the sizes of its results depend on values."""
    packet = getattr(torch.ops.aten, op.aten_name or "", None)
    return packet is not None and "default" in packet.overloads() and (
        torch.Tag.dynamic_output_shape in packet.default.tags)


def is_pointwise(op):
    """Whether PyTorch tags the operator so: an element for each element of its operands."""
    packet = getattr(torch.ops.aten, op.aten_name or "", None)
    return packet is not None and any(
        torch.Tag.pointwise in getattr(packet, overload).tags for overload in packet.overloads())


def filled(value, number):
    """The value with every tensor in it filled with a number."""
    if isinstance(value, torch.Tensor):
        return torch.full_like(value, number, requires_grad=False)
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(filled(part, number) for part in value)
    if isinstance(value, dict):
        return {name: filled(part, number) for name, part in value.items()}
    return value


def depends_on_values(op, sample, results):
    """Whether the sizes of the results change with the values of the sample's tensors."""
    for number in (0, 1):
        try:
            others = list(leaves(op(filled(sample.input, number), *filled(sample.args, number),
                                    **filled(sample.kwargs, number))))
        except (RuntimeError, IndexError, ValueError):
            continue  # no valid values for this operator
        if len(others) != len(results) or any(
                isinstance(a, torch.Tensor) and a.shape != b.shape
                for a, b in zip(results, others)):
            return True
    return False
