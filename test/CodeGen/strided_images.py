"""Compares the results and gradients of strided-images.tdsl with NumPy's in f64."""

import itertools
import sys

import numpy as np

# Stride, padding, dilation, groups; the names of transposed convolutions.
ATTRIBUTES = {"up": (2, 0, 1, 1), "gan": (2, 1, 1, 1), "odd": (2, 1, 1, 1),
              "dilated": (3, 2, 2, 1), "groups": (3, 1, 1, 2), "patches": (18, 0, 1, 1),
              "sound": (8, 4, 1, 1), "volume": (2, 1, 1, 1), "none": (2, 1, 1, 1),
              "down": (2, 1, 1, 1), "one": (2, 0, 1, 1), "skips": (2, 0, 2, 1),
              "far": (4, 0, 1, 1), "gap": (4, 3, 1, 1), "gaps": (2, 1, (2, 1), 1),
              "mixed": ((3, 1), (2, 0), 1, 1), "f64": (2, 1, 1, 1)}
TRANSPOSED = ("up", "gan", "odd", "dilated", "groups", "patches", "sound", "volume", "none",
              "gaps")


def convolve(x, w, d, attributes):
    """The result of a convolution for the image `x`, and the gradients of `x` and `w` for the
    gradient `d` of the result; `d` has the shape of the result."""
    stride, padding, dilation, groups = attributes
    dims = w.ndim - 2
    summed = [0, *range(2, w.ndim)]
    stride, padding, dilation = (np.broadcast_to(value, dims)
                                 for value in (stride, padding, dilation))
    around = [(0, 0), (0, 0)] + [(size, size) for size in padding]
    images = np.pad(x, around)
    y, dimages, dw = np.zeros(d.shape), np.zeros(images.shape), np.zeros(w.shape)
    filters, channels = w.shape[0] // groups, w.shape[1]
    for group in range(groups):
        own = slice(group * filters, (group + 1) * filters)
        read = slice(group * channels, (group + 1) * channels)
        for tap in itertools.product(*(range(size) for size in w.shape[2:])):
            part = (slice(None), read) + tuple(
                slice(i * apart, i * apart + s * (n - 1) + 1, s)
                for i, s, apart, n in zip(tap, stride, dilation, d.shape[2:]))
            weight = w[(own, slice(None)) + tap]
            y[:, own] += np.einsum("nc...,fc->nf...", images[part], weight)
            dimages[part] += np.einsum("nf...,fc->nc...", d[:, own], weight)
            dw[(own, slice(None)) + tap] = np.tensordot(d[:, own], images[part], [summed] * 2)
    inner = tuple(slice(low, low + size) for (low, _), size in zip(around, x.shape))
    return y, dimages[inner], dw


for name, attributes in ATTRIBUTES.items():
    x, w, d, *got = (np.load(f"{sys.argv[1]}/{name}.{part}.npy").astype(float)
                     for part in ("x", "w", "d", "y", "dx", "dw"))
    if name in TRANSPOSED:
        # The result of a transposed convolution is the gradient of the other one's image.
        _, y, _ = convolve(np.zeros(d.shape), w, x, attributes)
        dx, _, dw = convolve(d, w, x, attributes)
        want = y, dx, dw
    else:
        want = convolve(x, w, d, attributes)
    for part, ours, theirs in zip(("y", "dx", "dw"), got, want):
        assert ours.shape == theirs.shape, (name, part, ours.shape, theirs.shape)
        error = np.abs(ours - theirs).max(initial=0) / max(np.abs(theirs).max(initial=0), 1e-30)
        assert error < (1e-14 if name == "f64" else 2e-6), (name, part, error)
