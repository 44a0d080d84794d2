"""Calls that read images at places between their elements: `affine_grid` and `grid_sample`."""

import math

import numpy as np

from arrays import MOST_ELEMENTS
from elements import proposal
from images import image
from operands import Operands, listed, smooth
from values import DTYPES, Rejected

MARGIN = 1e-3  # nearer to the middle of two elements rounding decides which one is nearest


def grid_of(theta, length, corners):
    """[N, L..., rank]: the last dim counts from x on."""
    lines = []
    for size in length:
        line = np.linspace(-1, 1, size) if size > 1 else np.zeros(1)
        lines.append(line if corners else line * (size - 1) / size)
    base = np.stack([*np.meshgrid(*lines, indexing="ij")][::-1] + [np.ones(length)], -1)
    return np.einsum("...k,nrk->n...r", base, theta)


def folded(at, low, span):
    """Coordinates that both ends of an interval reflect."""
    if span == 0:
        return np.zeros_like(at)
    at = np.abs(at - low)
    count, rest = np.floor(at / span), np.mod(at, span)
    return low + np.where(count % 2 == 0, rest, span - rest)


def inside(at, size, padding, corners):
    """Coordinates by the rule for those outside."""
    if padding == "reflection":
        at = folded(at, 0, size - 1) if corners else folded(at, -0.5, size)
    return at if padding == "zeros" else np.clip(at, 0, size - 1)


def shares(mode, t):
    """(Place from the floor, its share) where t is the distance from it."""
    if mode == "bilinear":
        return [(0, 1 - t), (1, t)]
    a = -0.75

    def near(u):
        return ((a + 2) * u - (a + 3)) * u * u + 1

    def far(u):
        return ((a * u - 5 * a) * u + 8 * a) * u - 4 * a
    return [(-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))]


def sampled(x, grid, mode, padding, corners):
    length = x.shape[2:]
    ways = []  # of each dim: [(indices, shares)]
    for d, size in enumerate(length):
        at = grid[..., len(length) - 1 - d]
        at = (at + 1) / 2 * (size - 1) if corners else ((at + 1) * size - 1) / 2
        if mode != "bicubic":
            at = inside(at, size, padding, corners)
        if mode == "nearest":
            if np.any(np.abs(np.abs(at - np.floor(at)) - 0.5) < MARGIN):
                raise Rejected
            ways.append([(np.rint(at), np.ones(at.shape))])
            continue
        low = np.floor(at)
        ways.append([(inside(low + k, size, padding, corners) if mode == "bicubic" else low + k,
                      share) for k, share in shares(mode, at - low)])
    result = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for choice in np.ndindex(*(len(way) for way in ways)):
        parts = [way[i] for way, i in zip(ways, choice)]
        valid = np.all([(0 <= at) & (at < size) for (at, _), size in zip(parts, length)], 0)
        index = [np.clip(at, 0, size - 1).astype(np.int64)
                 for (at, _), size in zip(parts, length)]
        weight = np.prod([share for _, share in parts], 0) * valid
        for i in range(len(x)):
            result[i] += x[i][(slice(None), *(at[i] for at in index))] * weight[i]
    return result


def pieces(grid, length, corners):
    """A pattern that changes where the slope of a sampled image does."""
    found = []
    for d, size in enumerate(length):
        at = grid[..., len(length) - 1 - d]
        at = (at + 1) / 2 * (size - 1) if corners else ((at + 1) * size - 1) / 2
        found += [np.sign(2 * at - np.rint(2 * at)), np.rint(2 * at)]
    return found


@proposal(2)
def sampled_image(g):
    """`grid_sample` of a grid of the program's numbers, or of `affine_grid`; this alone."""
    found = image(g, (2, 2, 3))
    if not found:
        return None
    o, x, (n, c, *length), dtype = found
    rank = len(length)
    counts = tuple(g.random.randint(1, 3) for _ in range(rank))
    corners = g.flip(0.5)
    flag = "true" if corners else "false"
    mode = g.pick(["bilinear", "bilinear", "nearest"] + ["bicubic"] * (rank == 2))
    padding = g.pick(["zeros", "border", "reflection"])
    if n * c * math.prod(counts) > MOST_ELEMENTS or g.is_smooth and not g.has_kinks:
        return None
    size = listed((n, c, *counts))
    if g.flip(0.2):
        alone = Operands(g)
        theta = alone.part((n, rank, rank + 1), dtype)
        return alone.call(f"affine_grid({theta}, {size}, align_corners={flag})", smooth(
            lambda t: grid_of(t, counts, corners), scale=64))
    is_affine = g.flip(0.4)
    if mode == "nearest" and g.is_smooth:  # the slope in the grid is 0
        shape = (n, *counts, rank)
        if math.prod(shape) > 40:
            return None
        is_affine = False
        places = o.written((g.numbers.integers(-12, 13, shape) / 8).astype(DTYPES[dtype]))
    else:
        places = o.part((n, rank, rank + 1) if is_affine else (n, *counts, rank), dtype)
    grid = f"affine_grid({places}, {size}, align_corners={flag})" if is_affine else places

    def places_of(given):
        return grid_of(given, counts, corners) if is_affine else given

    def steps(a, given):
        at = places_of(given)
        return pieces(at, length, corners) if mode == "nearest" or g.is_smooth else 0
    return o.call(f"grid_sample({x}, {grid}, mode=\"{mode}\", padding_mode=\"{padding}\", "
                  f"align_corners={flag})", smooth(
        lambda a, given: sampled(a, places_of(given), mode, padding, corners),
        steps=steps, scale=1024))
