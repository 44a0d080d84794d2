"""Calls of convolutions, pools, windows and interpolation, and of norms of channels."""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from arrays import MOST_ELEMENTS, MOST_PRODUCTS
from elements import proposal
from operands import Operands, listed, moving, smooth
from values import Rejected, Value, check_sides


def image(g, ranks=(1, 2), accepts=lambda shape: True, dtypes=("f32", "f64")):
    """Operands with the first elements of a tensor as [N, C, L...]: (operands, text, shape,
    dtype)."""
    x = g.static(lambda v: v.dtype in dtypes and v.size >= 4)
    if x is None:
        return None
    for _ in range(10):
        rank = g.pick(ranks)
        shape = (g.random.randint(1, 2), g.pick([1, 2, 3, 4]),
                 *(g.random.randint(1, 7) for _ in range(rank)))
        if math.prod(shape) <= min(g[x].size, 400) and accepts(shape):
            o = Operands(g)
            return o, o.first(x, shape, lambda a: np.all(np.abs(a) <= 15)), shape, g[x].dtype
    return None


def pick_sizes(g, rank, low, high):
    return tuple(g.random.randint(low, high) for _ in range(rank))


def written(g, values):
    """One number for all dims where they are equal."""
    return str(values[0]) if len(set(values)) == 1 and g.flip(0.7) else listed(values)


def padded(x, sides, value=0.0):
    return np.pad(x, [(0, 0)] * (x.ndim - len(sides)) + [(s, s) for s in sides],
                  constant_values=value)


def windows(x, kernel, stride, dilation):
    """[N, C, places..., kernel...] of [N, C, L...]."""
    rank = len(kernel)
    spans = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation))
    view = sliding_window_view(x, spans, tuple(range(2, 2 + rank)))
    steps = tuple(slice(None, None, s) for s in stride)
    taps = tuple(slice(None, None, d) for d in dilation)
    return view[(slice(None), slice(None), *steps, *taps)]


def places(size, kernel, stride, pad, dilation):
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


@proposal(3)
def convolution_of(g):
    """With strides, padding, dilation and groups, of one dim to three; also transposed."""
    found = image(g, (1, 1, 2, 2, 3))
    if not found:
        return None
    o, x, (n, c, *length), dtype = found
    rank = len(length)
    stride, dilation = pick_sizes(g, rank, 1, 3), pick_sizes(g, rank, 1, 2)
    kernel, pad = pick_sizes(g, rank, 1, 3), pick_sizes(g, rank, 0, 2)
    groups = g.pick([d for d in range(1, c + 1) if c % d == 0])
    each, transposed = g.random.randint(1, 3), g.flip(0.4)
    if transposed:
        dilated = dilation
        extra = tuple(g.random.randrange(max(s, d)) for s, d in zip(stride, dilated))
        result = [(size - 1) * s - 2 * p + d * (k - 1) + e + 1 for size, s, p, d, k, e in
                  zip(length, stride, pad, dilated, kernel, extra)]
        weights = (c, each, *kernel)
    else:
        result = [places(*each) for each in zip(length, kernel, stride, pad, dilation)]
        weights = (groups * each, c // groups, *kernel)
    count = n * groups * each * math.prod(result) if min(result) > 0 else 0
    if not count or count > MOST_ELEMENTS or count * c * math.prod(kernel) > MOST_PRODUCTS:
        return None
    w = o.part(weights, dtype)
    has_bias = g.flip(0.5)
    bias = o.part((groups * each,), dtype) if has_bias else "none"

    def convolved(a, b, *biases):
        if transposed:
            y = transposed_convolution(a, b, groups, stride, pad, dilation, result)
        else:
            y = plain_convolution(a, b, groups, stride, pad, dilation)
        return y + biases[0].reshape(1, -1, *[1] * rank) if biases else y
    texts = [written(g, values) for values in (stride, pad, dilation)]
    if transposed:
        text = f"conv_transpose{rank}d({x}, {w}, {bias}, {texts[0]}, {texts[1]}, " \
               f"{written(g, extra)}, {groups}, {texts[2]})"
    else:
        text = f"conv{rank}d({x}, {w}, {bias}, {texts[0]}, {texts[1]}, {texts[2]}, {groups})"
    return o.call(text, smooth(convolved, bound=convolved, scale=64))


def plain_convolution(x, w, groups, stride, pad, dilation):
    rank = w.ndim - 2
    view = windows(padded(x, pad), w.shape[2:], stride, dilation)
    parts = []
    for a, b in zip(np.split(view, groups, 1), np.split(w, groups, 0)):
        axes = list(range(2 + rank, 2 + 2 * rank))
        y = np.tensordot(a, b, ([1, *axes], [1, *range(2, 2 + rank)]))
        parts.append(np.moveaxis(y, -1, 1))
    return np.concatenate(parts, 1)


def transposed_convolution(x, w, groups, stride, pad, dilation, result):
    """Every element adds the kernel, times itself, to the result."""
    n, c, *length = x.shape
    each, kernel = w.shape[1], w.shape[2:]
    full = [r + 2 * p for r, p in zip(result, pad)]
    for d, (size, s, k, dil) in enumerate(zip(length, stride, kernel, dilation)):
        full[d] = max(full[d], (size - 1) * s + dil * (k - 1) + 1)
    y = np.zeros((n, groups * each, *full))
    of_group = c // groups
    for channel in range(c):
        group = channel // of_group
        for at in np.ndindex(*length):
            for tap in np.ndindex(*kernel):
                place = tuple(i * s + t * d for i, s, t, d in zip(at, stride, tap, dilation))
                y[(slice(None), slice(group * each, (group + 1) * each), *place)] += \
                    np.multiply.outer(x[(slice(None), channel, *at)],
                                      w[(channel, slice(None), *tap)])
    return y[(slice(None), slice(None), *(slice(p, p + r) for p, r in zip(pad, result)))]


@proposal(3)
def pool(g):
    """`max_pool` and `avg_pool` with strides, padding and dilation, and adaptive pools."""
    found = image(g, (1, 1, 2, 2, 3))
    if not found:
        return None
    o, x, (n, c, *length), dtype = found
    rank = len(length)
    kind = g.pick((["max", "adaptive_max"] if g.has_kinks else []) + ["avg", "adaptive_avg"])
    kernel = pick_sizes(g, rank, 1, 3)
    stride = pick_sizes(g, rank, 1, 3)
    pad = tuple(g.random.randint(0, k // 2) for k in kernel)
    if kind.startswith("adaptive"):
        outputs = tuple(g.random.randint(1, size) for size in length)
        reduce = np.max if kind == "adaptive_max" else np.mean
        text = f"{kind}_pool{rank}d({x}, {written(g, outputs)})"
        meaning = smooth(lambda a: adaptive(a, outputs, reduce))
        if kind == "adaptive_avg":
            return o.call(text, meaning)
        return o.call(text, sure(moving(lambda a: adaptive(a, outputs, reduce)), adaptive_windows(
            length, outputs)))
    dilation = pick_sizes(g, rank, 1, 2) if kind == "max" else (1,) * rank
    if min(places(*each) for each in zip(length, kernel, stride, pad, dilation)) < 1:
        return None
    texts = [written(g, values) for values in (kernel, stride, pad, dilation)]
    if kind == "max":
        def largest(a):
            wide = padded(a, pad, -np.inf if a.dtype.kind == "f" else 0)
            return windows(wide, kernel, stride, dilation).max(tuple(range(-rank, 0)))
        taps = windows(padded(np.arange(math.prod(length)).reshape(1, 1, *length), pad, -1), kernel,
                       stride, dilation).reshape(-1, math.prod(kernel))
        return o.call(f"max_pool{rank}d({x}, {', '.join(texts)})", sure(moving(largest), [
            row[row >= 0] for row in taps]))
    if g.uses_torch and rank == 3 and any(k > size for k, size in zip(kernel, length)):
        return None  # PyTorch refuses it, although there is padding
    counts_pad = g.flip(0.5)

    def average(a):
        total = windows(padded(a, pad), kernel, stride, dilation).sum(tuple(range(-rank, 0)))
        if counts_pad:
            return total / math.prod(kernel)
        ones = padded(np.ones(a.shape), pad)
        return total / windows(ones, kernel, stride, dilation).sum(tuple(range(-rank, 0)))
    flag = "true" if counts_pad else "false"
    return o.call(f"avg_pool{rank}d({x}, {', '.join(texts[:3])}, count_include_pad={flag})",
                  smooth(average))


def bounds(size, count):
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def adaptive(x, outputs, reduce):
    result = np.zeros(x.shape[:2] + outputs, x.dtype)
    ranges = [bounds(size, count) for size, count in zip(x.shape[2:], outputs)]
    for at in np.ndindex(*outputs):
        part = x[(slice(None), slice(None), *(slice(*r[i]) for r, i in zip(ranges, at)))]
        result[(slice(None), slice(None), *at)] = reduce(part, tuple(range(2, x.ndim)))
    return result


def adaptive_windows(length, outputs):
    at = np.arange(math.prod(length)).reshape(length)
    ranges = [bounds(size, count) for size, count in zip(length, outputs)]
    return [at[tuple(slice(*r[i]) for r, i in zip(ranges, place))].ravel()
            for place in np.ndindex(*outputs)]


def sure(meaning, taps):
    """Rejects windows (lists of places of a channel) in which an error decides which of two
    elements is larger."""
    def checked(value):
        if not value.is_exact:
            rows = Value([copy.reshape(-1, math.prod(value.shape[2:])) for copy in value.copies])
            for window in taps:
                check_sides(lambda a: np.sign(a[:, window, None] - a[:, None, window]), [rows])
        return meaning(value)
    return checked


@proposal(2)
def patches(g):
    """`unfold`, `fold`, `pixel_shuffle`, `pixel_unshuffle` and `channel_shuffle`."""
    found = image(g, (2,), dtypes=("f32", "f64"))
    if not found:
        return None
    o, x, (n, c, h, w), dtype = found
    kind = g.pick(["unfold", "fold", "shuffle", "unshuffle", "channels"])
    r = g.pick([1, 2, 3])
    if kind == "channels":
        groups = g.pick([d for d in range(1, c + 1) if c % d == 0])
        return o.call(f"channel_shuffle({x}, {groups})", moving(lambda a: a.reshape(
            n, groups, c // groups, h, w).swapaxes(1, 2).reshape(n, c, h, w)))
    if kind == "shuffle":
        if c != 4:
            return None
        return o.call(f"pixel_shuffle({x}, 2)", moving(lambda a: a.reshape(
            n, 1, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, 1, 2 * h, 2 * w)))
    if kind == "unshuffle":
        if h % r or w % r:
            return None
        return o.call(f"pixel_unshuffle({x}, {r})", moving(lambda a: a.reshape(
            n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4).reshape(
                n, c * r * r, h // r, w // r)))
    kernel, stride = pick_sizes(g, 2, 1, 3), pick_sizes(g, 2, 1, 2)
    pad, dilation = pick_sizes(g, 2, 0, 1), pick_sizes(g, 2, 1, 2)
    counts = [places(*each) for each in zip((h, w), kernel, stride, pad, dilation)]
    if min(counts) < 1:
        return None
    taps = math.prod(kernel)
    texts = [written(g, values) for values in (kernel, dilation, pad, stride)]
    if n * c * taps * math.prod(counts) > MOST_ELEMENTS:
        return None

    def unfolded(a):
        view = windows(padded(a, pad), kernel, stride, dilation)
        return np.moveaxis(view, (4, 5), (2, 3)).reshape(n, c * taps, -1)
    unfold = f"unfold({x}, {', '.join(texts)})"
    if kind == "unfold":
        return o.call(unfold, moving(unfolded))

    def folded(a):
        columns = unfolded(a).reshape(n, c, *kernel, *counts)
        wide = np.zeros((n, c, h + 2 * pad[0], w + 2 * pad[1]))
        for i, j in np.ndindex(*kernel):
            rows = slice(i * dilation[0], i * dilation[0] + stride[0] * counts[0], stride[0])
            across = slice(j * dilation[1], j * dilation[1] + stride[1] * counts[1], stride[1])
            wide[:, :, rows, across] += columns[:, :, i, j]
        return wide[:, :, pad[0]:pad[0] + h, pad[1]:pad[1] + w]
    return o.call(f"fold({unfold}, ({h}, {w}), {', '.join(texts)})", smooth(folded, bound=folded))


def linear_weights(size, count, corners):
    """[count, size]: the shares of the elements of a row in those of a longer or shorter one."""
    result = np.zeros((count, size))
    for i in range(count):
        if corners:
            at = i * (size - 1) / (count - 1) if count > 1 else 0.0
        else:
            at = max((i + 0.5) * size / count - 0.5, 0.0)
        low = min(int(at), size - 1)
        high = min(low + 1, size - 1)
        result[i, low] += 1 - (at - low)
        result[i, high] += at - low
    return result


def cubic_weights(size, count, corners):
    a = -0.75

    def near(t):
        return (a + 2) * t**3 - (a + 3) * t**2 + 1

    def far(t):
        return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a
    result = np.zeros((count, size))
    for i in range(count):
        if corners:
            at = i * (size - 1) / (count - 1) if count > 1 else 0.0
        else:
            at = (i + 0.5) * size / count - 0.5
        low, t = math.floor(at), at - math.floor(at)
        for k, share in zip(range(-1, 3), (far(1 + t), near(t), near(1 - t), far(2 - t))):
            result[i, min(max(low + k, 0), size - 1)] += share
    return result


@proposal(2)
def interpolated(g):
    found = image(g)
    if not found:
        return None
    o, x, (n, c, *length), dtype = found
    rank = len(length)
    mode = g.pick(["nearest", "nearest-exact", "area"] + (
        ["linear"] if rank == 1 else ["bilinear", "bicubic"]))
    # Whole factors: where an element is at a boundary, rounding decides.
    counts = tuple(size * g.random.randint(1, 2) for size in length) if "nearest" in mode else \
        pick_sizes(g, rank, 1, 9)
    if n * c * math.prod(counts) > MOST_ELEMENTS:
        return None
    corners = mode in ("linear", "bilinear", "bicubic") and g.flip(0.5)
    more = f", align_corners={'true' if corners else 'false'}" if "linear" in mode or \
        "cubic" in mode else ""

    def meaning(a):
        if mode == "area":
            return adaptive_area(a, counts)
        for d, (size, count) in enumerate(zip(length, counts)):
            if "nearest" in mode:
                a = np.repeat(a, count // size, 2 + d)
            else:
                weights = (cubic_weights if mode == "bicubic" else linear_weights)(
                    size, count, corners)
                a = np.moveaxis(np.tensordot(a, weights, (2 + d, 1)), -1, 2 + d)
        return a
    text = f"{g.pick(['interpolate', 'upsample'])}({x}, size={written(g, counts)}, " \
           f"mode=\"{mode}\"{more})"
    if mode == "nearest" and g.flip(0.5):
        text = f"upsample_nearest({x}, {written(g, counts)})"
    if mode == "bilinear" and corners and g.flip(0.5):
        text = f"upsample_bilinear({x}, {written(g, counts)})"
    return o.call(text, moving(meaning) if "nearest" in mode else smooth(meaning, scale=256))


def adaptive_area(x, outputs):
    return adaptive(x, tuple(outputs), np.mean)


@proposal(3)
def norm_of_channels(g):
    """`batch_norm`, `instance_norm`, `group_norm`, `local_response_norm`, `layer_norm` and
    `rms_norm` with weights."""
    found = image(g, (1, 2), lambda shape: math.prod(shape[2:]) > 1)
    if not found:
        return None
    o, x, shape, dtype = found
    n, c, *length = shape
    rank = len(length)
    # PyTorch has no gradient by running statistics.
    kind = g.pick(["batch"] * (not g.is_smooth) + ["trained", "instance", "group", "response",
                                                   "layer", "rms"])
    own = (c,) if kind not in ("layer", "rms") else shape[-g.random.randint(1, 2):]
    if kind == "response":
        size = g.random.randint(1, 4)

        def response(a):
            squares = np.pad(a * a, [(0, 0), (size // 2, (size - 1) // 2)] + [(0, 0)] * rank)
            total = sliding_window_view(squares, size, 1).sum(-1)
            return a / (1.5 + 0.5 * total / size) ** 0.75
        return o.call(f"local_response_norm({x}, {size}, 0.5, 0.75, 1.5)", smooth(response))
    has_weight = g.flip(0.6)
    running = [o.part((c,), dtype), o.part((c,), dtype, 0.25, 2)] if kind == "batch" else []
    weight = o.part(own, dtype) if has_weight else "none"
    bias = o.part(own, dtype) if has_weight and kind != "rms" else "none"
    groups = g.pick([d for d in range(1, c + 1) if c % d == 0])
    spread = (1, c) + (1,) * rank if kind not in ("layer", "rms") else own

    def meaning(a, *rest):
        rest = list(rest)
        if kind == "batch":
            mean, var = (rest.pop(0).reshape(spread) for _ in range(2))
            y = (a - mean) / np.sqrt(var + 1e-5)
        elif kind == "rms":
            dims = tuple(range(-len(own), 0))
            y = a / np.sqrt((a * a).mean(dims, keepdims=True) + 0.01)
        else:
            view, dims = a, tuple(range(2, a.ndim))
            if kind == "trained":
                dims = (0, *dims)
            elif kind == "group":
                view, dims = a.reshape(n, groups, -1), (2,)
            elif kind == "layer":
                dims = tuple(range(-len(own), 0))
            mean, var = view.mean(dims, keepdims=True), view.var(dims, keepdims=True)
            if np.any(var < 0.01):
                raise Rejected
            y = ((view - mean) / np.sqrt(var + 1e-5)).reshape(a.shape)
        if rest:
            y = y * rest.pop(0).reshape(spread)
        return y + rest.pop(0).reshape(spread) if rest else y
    texts = {
        "batch": f"batch_norm({x}, {', '.join(running)}, {weight}, {bias})",
        "trained": f"batch_norm({x}, none, none, {weight}, {bias}, true)",
        "instance": f"instance_norm({x}, none, none, {weight}, {bias})",
        "group": f"group_norm({x}, {groups}, {weight}, {bias})",
        "layer": f"layer_norm({x}, {listed(own)}, {weight}, {bias})",
        "rms": f"rms_norm({x}, {listed(own)}, {weight}, 0.01)",
    }
    return o.call(texts[kind], smooth(meaning, scale=1024))
