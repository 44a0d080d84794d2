"""The NumPy function of every op of the table, and samples to try it on.

One entry of OPS per row of the table. An entry says how to make samples of a
dtype, how to write the op in td IR for one, and how to compute the expected result;
if the op has a gradient, also samples that are away from the kinks. The parts
of entries are in one file per family.
"""

import math

import numpy as np

from affine import (contract, contract_bound, contract_samples, emit_contract, emit_inset,
                    emit_window, inset, inset_samples, smooth_contract, window, window_samples)
from constructors import (constant_samples, emit_constant, emit_fill, emit_iota, emit_random,
                          fill, fill_samples, iota, iota_samples, random_numbers, random_samples)
from elementwise import (PREDICATES, above_one, anywhere, apart, away_from, away_from_integers,
                         binary, both, cast, cast_samples, compare_samples, emit_cast,
                         emit_compare, emit_select, positive, power, remainder_pairs,
                         select_samples, shift, sigmoid, smooth_cast, smooth_select, unary,
                         within_one)
from movement import (broadcast_samples, concat_samples, diagonal, diagonal_samples,
                      emit_broadcast, emit_concat, emit_diagonal, emit_gather, emit_permute,
                      emit_reshape, emit_scatter, emit_slice, emit_update_slice,
                      gather_along_samples, gather_samples, permute_samples, reshape_samples,
                      rows_shape, scatter, scatter_bound, slice_index, slice_samples, update_slice,
                      update_slice_samples, with_updates)
from reductions import (arg_reduce, arg_reduce_samples, emit_arg_reduce, emit_logsumexp,
                        emit_matmul, emit_reduce, emit_softmax, logsumexp, logsumexp_samples,
                        matmul, matmul_bound, matmul_samples, reduce, reduce_bound, reduce_samples,
                        smooth_logsumexp, smooth_matmul, smooth_reduce, smooth_softmax, softmax,
                        softmax_samples)
from samples import Op, small, wide
from scans import emit_scan, scan, scan_bound, scan_samples, smooth_scan


def floats(function):
    return unary(wide(function), anywhere)


def kinked(function, *kinks, signed_zeros=False):
    return unary(function, away_from(*kinks), signed_zeros)


def steps(function):
    return unary(function, away_from_integers, signed_zeros=True)


def moving(samples, emit, reference, wrt=(0,)):
    return lambda mnemonic: Op(samples, emit, reference, small(samples), lambda sample: wrt,
                               signed_zeros=True)


def plain(*fields, **options):
    return lambda mnemonic: Op(*fields, **options)


# A scatter that replaces is not smooth: of several updates of one element the last one counts.
SMOOTH = ("sum", "max", "min", "prod")

OPS = {
    "neg": unary(np.negative, anywhere, signed_zeros=True),
    "abs": kinked(np.abs, 0, signed_zeros=True),
    # The sum: NumPy's sign of a bf16 is -0 of -0.
    "sign": kinked(lambda x: np.sign(x) + np.zeros_like(x), 0, signed_zeros=True),
    "exp": floats(np.exp),
    "expm1": floats(np.expm1),
    "log": unary(wide(np.log), positive),
    "log1p": unary(wide(np.log1p), positive),
    "sqrt": unary(np.sqrt, positive, signed_zeros=True),
    "rsqrt": unary(wide(lambda x: 1 / np.sqrt(x)), positive),
    "sin": floats(np.sin),
    "cos": floats(np.cos),
    "tan": unary(wide(np.tan), within_one),
    "asin": unary(wide(np.arcsin), within_one),
    "acos": unary(wide(np.arccos), within_one),
    "atan": floats(np.arctan),
    "sinh": floats(np.sinh),
    "cosh": floats(np.cosh),
    "tanh": floats(np.tanh),
    "acosh": unary(wide(np.arccosh), above_one),
    "erf": floats(lambda x: np.vectorize(math.erf, otypes=[np.float64])(x)),
    "sigmoid": floats(sigmoid),
    "watch": unary(np.positive, signed_zeros=True),
    "relu": kinked(lambda x: np.where(x < 0, 0, x).astype(x.dtype), 0),
    "floor": steps(np.floor),
    "ceil": steps(np.ceil),
    "trunc": steps(np.trunc),
    "round": unary(np.rint, away_from(-1.5, -0.5, 0.5, 1.5), signed_zeros=True),
    "not": unary(np.invert),
    "add": binary(np.add, both(anywhere, anywhere)),
    "sub": binary(np.subtract, both(anywhere, anywhere)),
    "mul": binary(np.multiply, both(anywhere, anywhere)),
    "div": binary(np.divide, both(anywhere, away_from(0, gap=0.3))),
    "floordiv": binary(np.floor_divide),
    "mod": binary(np.mod, remainder_pairs),
    "pow": binary(power, both(positive, anywhere)),
    "max": binary(np.maximum, apart),
    "min": binary(np.minimum, apart),
    "copysign": binary(np.copysign, both(away_from(0), away_from(0))),
    "atan2": binary(wide(np.arctan2), both(away_from(0), anywhere)),
    "and": binary(np.bitwise_and),
    "or": binary(np.bitwise_or),
    "xor": binary(np.bitwise_xor),
    "shl": shift(np.left_shift, is_left=True),
    "shr": shift(np.right_shift, is_left=False),
    "compare": plain(compare_samples, emit_compare, lambda sample:
                     PREDICATES[sample.predicate](*np.broadcast_arrays(*sample.arrays))),
    "select": plain(select_samples, emit_select, lambda sample: np.where(*sample.arrays),
                    smooth_select, lambda sample: [1, 2], signed_zeros=True),
    "cast": plain(cast_samples, emit_cast, lambda sample: cast(sample.arrays[0], sample.to),
                  smooth_cast, lambda sample: [0], signed_zeros=True),
    "constant": plain(constant_samples, emit_constant, lambda sample: sample.arrays[0],
                      signed_zeros=True),
    "fill": plain(fill_samples, emit_fill, fill, signed_zeros=True),
    "iota": plain(iota_samples, emit_iota, iota),
    "random": plain(random_samples, emit_random, random_numbers),
    "broadcast": moving(broadcast_samples, emit_broadcast,
                        lambda sample: np.broadcast_to(sample.arrays[0], sample.shape)),
    "reshape": moving(reshape_samples, emit_reshape,
                      lambda sample: sample.arrays[0].reshape(sample.shape)),
    "permute": moving(permute_samples, emit_permute,
                      lambda sample: sample.arrays[0].transpose(sample.order)),
    "slice": moving(slice_samples, emit_slice,
                    lambda sample: sample.arrays[0][slice_index(sample)]),
    "diagonal": moving(diagonal_samples, emit_diagonal, diagonal),
    "update_slice": moving(update_slice_samples, emit_update_slice, update_slice, (0, 1)),
    "window": moving(window_samples, emit_window, window),
    "inset": moving(inset_samples, emit_inset, inset, (0, 1)),
    "concat": plain(concat_samples, emit_concat,
                    lambda sample: np.concatenate(sample.arrays, sample.dim),
                    small(concat_samples), lambda sample: range(len(sample.arrays)),
                    signed_zeros=True),
    "gather": moving(gather_samples, emit_gather("gather", along=False), lambda sample:
                     np.take(*sample.arrays, axis=sample.dim, mode="wrap")
                     if sample.arrays[0].size or sample.arrays[1].size == 0
                     else np.zeros(rows_shape(sample.arrays[0].shape, sample.arrays[1].shape,
                                              sample.dim), sample.arrays[0].dtype)),
    "scatter": plain(with_updates(gather_samples, along=False), emit_scatter("scatter"),
                         lambda sample: scatter(sample, along=False),
                         small(with_updates(gather_samples, along=False, kinds=SMOOTH)),
                         lambda sample: [0, 2], bound=scatter_bound(along=False)),
    "gather_along": moving(gather_along_samples, emit_gather("gather_along", along=True),
                           lambda sample: np.take_along_axis(*sample.arrays, axis=sample.dim)),
    "scatter_along": plain(with_updates(gather_along_samples, along=True),
                               emit_scatter("scatter_along"),
                               lambda sample: scatter(sample, along=True),
                               small(with_updates(gather_along_samples, along=True, kinds=SMOOTH)),
                               lambda sample: [0, 2], bound=scatter_bound(along=True)),
    "reduce": plain(reduce_samples, emit_reduce, reduce, smooth_reduce, lambda sample: [0],
                    bound=reduce_bound),
    "arg_reduce": plain(arg_reduce_samples, emit_arg_reduce, arg_reduce),
    "matmul": plain(matmul_samples, emit_matmul, matmul, smooth_matmul, lambda sample: [0, 1],
                    bound=matmul_bound),
    "contract": plain(contract_samples, emit_contract, contract, smooth_contract,
                      lambda sample: [0, 1], bound=contract_bound),
    "scan": plain(scan_samples, emit_scan, scan, smooth_scan, lambda sample: [0],
                  bound=scan_bound),
    "logsumexp": plain(logsumexp_samples, emit_logsumexp, logsumexp, smooth_logsumexp,
                       lambda sample: [0]),
    "softmax": plain(softmax_samples, emit_softmax("softmax"),
                     lambda sample: softmax(sample, is_log=False), smooth_softmax,
                     lambda sample: [0]),
    "log_softmax": plain(softmax_samples, emit_softmax("log_softmax"),
                         lambda sample: softmax(sample, is_log=True), smooth_softmax,
                         lambda sample: [0]),
}
OPS = {mnemonic: make(mnemonic) for mnemonic, make in OPS.items()}
