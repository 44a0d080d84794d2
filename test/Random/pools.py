"""Calls of pools that give the places of the largest elements, and of their inverses."""

import math

import numpy as np

from elements import proposal
from images import (adaptive_windows, image, padded, pick_sizes, places, sure, windows, written)
from operands import listed, moving
from values import Value


def window_places(length, kernel, stride, pad, dilation):
    """The places in a channel that each window has, without the padding."""
    at = padded(np.arange(math.prod(length)).reshape(1, 1, *length), pad, -1)
    taps = windows(at, kernel, stride, dilation).reshape(-1, math.prod(kernel))
    return [row[row >= 0] for row in taps]


def largest(taps, counts, picks):
    """The function of an array [N, C, L...] that gives the largest element of each window, or its
    place: the first one of several."""
    def function(a):
        rows = a.reshape(*a.shape[:2], -1)
        at = [taps_of[np.argmax(rows[..., taps_of], -1)] for taps_of in taps]
        index = np.stack(at, -1)
        found = np.take_along_axis(rows, index, -1) if picks else index
        return found.reshape(*a.shape[:2], *counts)
    return function


def flag(g):
    return ", return_indices=true" * g.flip(0.3)


@proposal(2)
def pool_with_indices(g):
    found = image(g, (1, 1, 2, 2, 3))
    if not found or not g.has_kinks:
        return None
    o, x, (n, c, *length), dtype = found
    rank, picks = len(length), g.is_smooth or g.flip(0.4)
    part = 0 if picks else 1
    if g.flip(0.4):
        counts = tuple(g.random.randint(1, size) for size in length)
        taps = adaptive_windows(length, counts)
        return o.call(f"adaptive_max_pool{rank}d_with_indices({x}, {written(g, counts)}"
                      f"{flag(g)})[{part}]", sure(moving(largest(taps, counts, picks)), taps))
    kernel, stride = pick_sizes(g, rank, 1, 3), pick_sizes(g, rank, 1, 3)
    pad = tuple(g.random.randint(0, k // 2) for k in kernel)
    dilation = pick_sizes(g, rank, 1, 2)
    counts = [places(*each) for each in zip(length, kernel, stride, pad, dilation)]
    if min(counts) < 1:
        return None
    taps = window_places(length, kernel, stride, pad, dilation)
    if not all(map(len, taps)):  # a window of padding
        return None
    texts = ", ".join(written(g, values) for values in (kernel, stride, pad, dilation))
    return o.call(f"max_pool{rank}d_with_indices({x}, {texts}{flag(g)})[{part}]", sure(
        moving(largest(taps, counts, picks)), taps))


@proposal(2)
def unpool(g):
    """Of elements at the places that a pool gives. Its windows are apart, so that no place is
    given twice."""
    found = image(g, (1, 1, 2, 2, 3))
    if not found or not g.has_kinks:
        return None
    o, x, (n, c, *length), dtype = found
    rank = len(length)
    kernel = pick_sizes(g, rank, 1, 3)
    stride = tuple(g.random.randint(k, k + 1) for k in kernel)
    pad = tuple(g.random.randint(0, k // 2) for k in kernel)
    counts = [places(*each, 1) for each in zip(length, kernel, stride, pad)]
    if min(counts) < 1:
        return None
    taps = window_places(length, kernel, stride, pad, (1,) * rank)
    if not all(map(len, taps)):
        return None
    texts = ", ".join(listed(values) for values in (kernel, stride, pad))
    pool = f"max_pool{rank}d_with_indices({x}, {texts})"
    own = g.flip(0.5)
    source = f"{pool}[0]" if own else o.part((n, c, *counts), dtype)
    usual = [(count - 1) * s - 2 * p + k
             for count, s, p, k in zip(counts, stride, pad, kernel)]
    wanted = "" if usual == length and g.flip(0.5) else f", output_size={listed(length)}"
    text = f"max_unpool{rank}d({source}, {pool}[1], {texts}{wanted})"
    index_of = sure(moving(largest(taps, counts, False)), taps)

    def meaning(value, *sources):
        index = index_of(value).copies[0].reshape(n, c, -1)
        made = sources[0] if sources else moving(largest(taps, counts, True))(value)

        def spread(a):
            result = np.zeros((n, c, math.prod(length)), a.dtype)
            np.put_along_axis(result, index, a.reshape(index.shape), -1)
            return result.reshape(n, c, *length)
        return Value([spread(copy) for copy in made.copies])
    return o.call(text, meaning)
