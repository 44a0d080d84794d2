"""Runs the programs of the generator in PyTorch, by their own text.

A program of the generator reads like PyTorch: its statements are written in Python's
syntax, its calls are left as they are. So nothing here knows what a function means, and
neither tdc nor NumPy computes a number of the result.
"""

import math
import re

import torch
import torch.nn.functional

from tree import Assign, Choice, Function, Let, Loop, Save, Update

torch.set_num_threads(1)
SAVED = "saved"


class Refused(Exception):
    """PyTorch cannot run the program."""


def sum_of(x, dim=None, keepdim=False, dtype=None):
    return torch.sum(x, dim, keepdim, dtype=dtype)


def prod(x, dim=None, keepdim=False):
    """PyTorch's has one dim at most."""
    for d in sorted([dim] if type(dim) is int else dim or range(x.ndim), reverse=True):
        x = torch.prod(x, d, keepdim)
    return x


def extreme(function):
    """`maximum(x, 2.0)`, which PyTorch has for tensors only."""
    return lambda x, y: function(*(value if torch.is_tensor(value) else
                                   torch.tensor(value, dtype=x.dtype) for value in (x, y)))


def hardsigmoid(x):
    """Without PyTorch's gradient, which is 1/6 rounded to f32 also in f64."""
    inside = (x > -3) & (x < 3)
    return torch.where(inside, x / 6 + 0.5, torch.nn.functional.hardsigmoid(x).detach())


def rearrange(x, pattern):
    """einops' function for names of one letter and groups of them on the right."""
    names, right = (side.split() for side in pattern.split("->"))
    groups = [re.findall(r"[a-z]", group)
              for group in re.findall(r"\([^)]*\)|[a-z]", " ".join(right))]
    sizes = dict(zip(names, x.shape))
    return x.permute([names.index(name) for group in groups for name in group]).reshape(
        [math.prod(sizes[name] for name in group) for group in groups])


def flip(x, dims):
    return torch.flip(x, (dims,) if type(dims) is int else dims)


def vander(x, count, increasing):
    """PyTorch's has no gradient: it changes a value that the gradient needs."""
    powers = [x ** i for i in range(count)]
    return torch.stack(powers if increasing else powers[::-1], 1)


def pad(x, sides, mode="constant", value=0.0):
    """PyTorch's other modes have [N, C, ...] only."""
    if mode == "constant":
        return torch.nn.functional.pad(x, sides, mode, value)
    kept = x.ndim - len(sides) // 2
    wide = torch.nn.functional.pad(x.reshape(1, -1, *x.shape[kept:]), sides, mode)
    return wide.reshape(*x.shape[:kept], *wide.shape[2:])


def loss_named(name):
    """tdc's name of a loss that PyTorch has without `_loss`."""
    return getattr(torch.nn.functional, name.removesuffix("_loss"))


def grad(loss, x):
    """None if the loss does not depend on x."""
    if not loss.requires_grad:
        return None
    return torch.autograd.grad(loss, x, retain_graph=True, allow_unused=True)[0]


ALIASES = ["binary_cross_entropy_loss", "binary_cross_entropy_with_logits_loss", "kl_div_loss",
           "cross_entropy_loss"]
# Names that PyTorch does not have, or with less.
OWN = {"sum": sum_of, "prod": prod, "maximum": extreme(torch.maximum),
       "minimum": extreme(torch.minimum), "flip": flip, "pad": pad, "rearrange": rearrange,
       "vander": vander, "hardsigmoid": hardsigmoid, "grad": grad,
       "true": True, "false": False, "none": None,
       "range": range, "inf": torch.inf, "tensor": torch.tensor,
       "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
       "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
       "u8": torch.uint8, "bool": torch.bool,
       "empty": torch.zeros,
       "causal_mask": lambda n, m: torch.ones(n, m, dtype=torch.bool).triu(1 + m - n),
       **{name: loss_named(name) for name in ALIASES}}
PLACES = [torch.nn.functional, torch, torch.special, torch.linalg, torch.Tensor]


def names_in(source):
    """What the names of a source mean that it does not define."""
    found = {}
    for word in set(re.findall(r"[A-Za-z_]\w*", source)):
        values = [getattr(place, word) for place in PLACES if hasattr(place, word)]
        if word in OWN or values:
            found[word] = OWN[word] if word in OWN else values[0]
    return found


def lines_of(statements, indent=""):
    inner = indent + "    "
    lines = []
    for statement in statements:
        match statement:
            case Update():
                # A tensor of tdc never aliases another.
                lines += [f"{indent}value = {statement.call}",
                          f"{indent}{statement.name} = {statement.name}.clone()",
                          f"{indent}{statement.name}[{statement.index}] = value"]
            case Let() | Assign():
                lines.append(f"{indent}{statement.name} = {statement.call}")
            case Loop():
                lines += [f"{indent}for {statement.iteration} in range({statement.times}):",
                          *block_of(statement.body, inner)]
            case Choice():
                lines += [f"{indent}if {statement.call}:", *block_of(statement.then, inner),
                          f"{indent}else:", *block_of(statement.other, inner)]
            case Function():
                lines += [f"{indent}def {statement.name}({', '.join(statement.parameters)}):",
                          *lines_of(statement.body, inner), f"{inner}return {statement.result}"]
            case Save():
                lines.append(f"{indent}{SAVED}['{statement.name}'] = {statement.name}")
            case _:
                raise TypeError(f"PyTorch has no {type(statement).__name__}")
    return lines


def block_of(statements, indent):
    return lines_of(statements, indent) or [f"{indent}pass"]


def run(statements, inputs):
    """What the statements save, by name: arrays, and None for a gradient with respect to a tensor
    that the loss does not depend on. `inputs` are arrays by name."""
    source = "\n".join(lines_of(statements))
    saved = {}
    names = {**names_in(source), SAVED: saved}
    for name, array in inputs.items():
        value = torch.tensor(array)
        names[name] = value.requires_grad_(value.is_floating_point())
    try:
        exec(source, names)
    except Exception as error:  # what a call with wrong arguments may raise is not documented
        raise Refused(f"{type(error).__name__}: {error}\n{source}") from error
    return {name: value if value is None else value.detach().numpy(force=True)
            for name, value in saved.items()}
