"""Calls of products of tensors, and of layers that consist of them."""

import math

import numpy as np

from elements import proposal
from losses import NEAR
from operands import Operands, smooth
from values import compute


def matrix(g, least=1):
    """Operands with the first elements of a tensor as [N, M]: (operands, text, n, m, dtype)."""
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.size >= least * least)
    if x is None:
        return None
    n, m = g.random.randint(least, 5), g.random.randint(least, 5)
    if n * m > g[x].size:
        n = m = least
    o = Operands(g)
    return o, o.first(x, (n, m), NEAR), n, m, g[x].dtype


def product_of(o, text, function):
    return o.call(text, smooth(function, bound=function, scale=64))


def number(g):
    return g.pick([-1.5, 0.5, 2.0])


@proposal(4)
def named_product(g):
    found = matrix(g)
    if not found:
        return None
    o, x, n, m, dtype = found
    k, beta, alpha = g.random.randint(1, 4), number(g), number(g)
    scaled = f", beta={beta}, alpha={alpha}"
    a, b = np.abs(beta), np.abs(alpha)
    kind = g.pick(["mm", "mv", "dot", "inner", "outer", "kron", "addmm", "addmv", "addr", "trace",
                   "tensordot", "linear", "einsum", "vander", "cross", "bilinear",
                   "renorm", "power", "vecdot"])
    if kind == "renorm":
        def shortened(c):
            norms = np.sqrt((c * c).sum(1, keepdims=True))
            return np.where(norms > 2, c * 2 / (norms + 1e-7), c)
        # PyTorch's numbers have an f32 factor.
        return None if g.is_smooth else o.call(f"renorm({x}, 2.0, 0, 2.0)", smooth(
            shortened, steps=lambda c: np.sign((c * c).sum(1) - 4), scale=512))
    if kind == "power":
        square, times = Operands(g), g.random.randint(1 if g.is_smooth else 0, 4)
        return product_of(square, f"matrix_power({square.part((n, n), dtype)}, {times})",
                          lambda c: np.linalg.matrix_power(c, times))
    if kind == "vecdot":
        dim = g.pick([-1, 0])
        given = f", dim={dim}" if dim == 0 or g.flip(0.3) else ""
        return product_of(o, f"vecdot({x}, {o.part((n, m), dtype)}{given})",
                          lambda c, d: (c * d).sum(dim))
    if kind == "trace":
        return product_of(o, f"trace({x})", np.trace)
    if kind == "vander":
        o = Operands(g)
        x = o.part((n,), dtype)
        return product_of(o, f"vander({x}, {k}, increasing=true)",
                          lambda c: np.vander(c, k, increasing=True))
    if kind == "mm":
        name = g.pick(["mm", "matmul"])
        return product_of(o, f"{name}({x}, {o.part((m, k), dtype)})", lambda c, d: c @ d)
    if kind == "mv":
        return product_of(o, f"mv({x}, {o.part((m,), dtype)})", lambda c, d: c @ d)
    if kind == "inner":
        return product_of(o, f"inner({x}, {o.part((k, m), dtype)})", np.inner)
    if kind == "kron":
        return product_of(o, f"kron({x}, {o.part((2, k), dtype)})", np.kron)
    if kind == "linear":
        w, c = o.part((k, m), dtype), o.part((k,), dtype)
        return product_of(o, f"linear({x}, {w}, {c})", lambda c, d, e: c @ d.T + e)
    if kind == "tensordot":
        return product_of(o, f"tensordot({x}, {o.part((n, m), dtype)}, 2)",
                          lambda c, d: np.tensordot(c, d, 2))
    if kind == "bilinear":
        y, w = o.part((n, k), dtype), o.part((2, m, k), dtype)
        return product_of(o, f"bilinear({x}, {y}, {w})",
                          lambda c, d, e: np.einsum("ni,oij,nj->no", c, e, d))
    if kind == "einsum":
        equation = g.pick(["ab,bc->ac", "ab,bc->cab", "ab,bc->b", "ab,bc", "ab,bc->"])
        return product_of(o, f"einsum(\"{equation}\", {x}, {o.part((m, k), dtype)})",
                          lambda c, d: np.einsum(equation, c, d))
    if kind == "addmm":
        y, z = o.part((n, k), dtype), o.part((k, m), dtype)
        return o.call(f"addmm({x}, {y}, {z}{scaled})", smooth(
            lambda c, d, e: beta * c + alpha * (d @ e),
            bound=lambda c, d, e: a * c + b * (d @ e)))
    vectors = Operands(g)
    if kind == "addr":
        y, z = o.part((n,), dtype), o.part((m,), dtype)
        return o.call(f"addr({x}, {y}, {z}{scaled})", smooth(
            lambda c, d, e: beta * c + alpha * np.outer(d, e),
            bound=lambda c, d, e: a * c + b * np.outer(d, e)))
    if kind == "addmv":
        y, z = vectors.part((n,), dtype), vectors.part((n, m), dtype)
        w = vectors.part((m,), dtype)
        return vectors.call(f"addmv({y}, {z}, {w}{scaled})", smooth(
            lambda c, d, e: beta * c + alpha * (d @ e),
            bound=lambda c, d, e: a * c + b * (d @ e)))
    if kind == "cross":
        y, z = vectors.part((n, 3), dtype), vectors.part((n, 3), dtype)
        return vectors.call(f"cross({y}, {z}, 1)", smooth(np.cross, scale=1024))
    y, z = vectors.part((n,), dtype), vectors.part((n if kind == "dot" else m,), dtype)
    name = g.pick(["dot", "vdot"]) if kind == "dot" else "outer"
    return product_of(vectors, f"{name}({y}, {z})", np.dot if kind == "dot" else np.outer)


@proposal(2)
def batched_product(g):
    """`bmm`, `baddbmm`, `addbmm`, attention, `embedding_bag`."""
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.size >= 4)
    if x is None:
        return None
    dtype, o = g[x].dtype, Operands(g)
    b, n, m, k = (g.random.randint(1, 3) for _ in range(4))
    if b * n * m > g[x].size:
        b, n, m = 1, 2, 2
    first = o.first(x, (b, n, m), NEAR)
    beta, alpha = number(g), number(g)
    kind = g.pick(["bmm", "baddbmm", "addbmm", "attention", "attention", "bag", "ravelled"])
    if kind == "bmm":
        return product_of(o, f"bmm({first}, {o.part((b, m, k), dtype)})", lambda c, d: c @ d)
    if kind == "ravelled":
        y = o.part((k, m, b), dtype)
        return product_of(o, f"tensordot({first}, {y}, ([2, 0], [1, 2]))",
                          lambda c, d: np.tensordot(c, d, ([2, 0], [1, 2])))
    if kind in ("baddbmm", "addbmm"):
        y, z = o.part((b, n, k), dtype), o.part((b, k, m), dtype)
        scaled = f", beta={beta}, alpha={alpha}"
        if kind == "baddbmm":
            return o.call(f"baddbmm({first}, {y}, {z}{scaled})", smooth(
                lambda c, d, e: beta * c + alpha * (d @ e),
                bound=lambda c, d, e: 2 * c + 2 * (d @ e)))
        start = Operands(g)
        parts = [start.part(shape, dtype) for shape in ((n, m), (b, n, k), (b, k, m))]
        return start.call(f"addbmm({', '.join(parts)}{scaled})", smooth(
            lambda c, d, e: beta * c + alpha * (d @ e).sum(0),
            bound=lambda c, d, e: 2 * c + 2 * (d @ e).sum(0)))
    if kind == "bag":
        table, count, size = Operands(g), g.random.randint(1, 4), g.random.randint(1, 3)
        mode = g.pick(["sum", "mean"] + ["max"] * g.has_kinks)
        index = table.indices((count, size), 4)
        weight = table.part((4, m), dtype)
        reduce = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]

        def bags(i, w):
            return reduce(w[i.astype(np.int64)], 1)
        if mode == "max":
            def largest(i, w):
                return compute("reduce", [compute("gather", [w, i], dim=0)], kind="max", dims=(1,))
            return table.call(f"embedding_bag({index}, {weight}, mode=\"max\")", largest)
        return table.call(f"embedding_bag({index}, {weight}, mode=\"{mode}\")", lambda i, w: smooth(
            lambda v, j: bags(j, v), scale=64)(w, i))
    # Queries, keys and values of b heads.
    key, value = o.part((b, k, m), dtype), o.part((b, k, 2), dtype)
    is_causal, masked = g.flip(0.3), g.flip(0.4)
    mask = f", {o.part((n, k), dtype)}" if masked and not is_causal else ""

    def attention(q, c, v, *masks):
        scores = q @ c.swapaxes(1, 2) / math.sqrt(m)
        if is_causal:
            scores = np.where(np.tril(np.ones((n, k))) > 0, scores, -np.inf)
        elif masks:
            scores = scores + masks[0]
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        return shares / shares.sum(-1, keepdims=True) @ v
    causal = ", is_causal=true" * is_causal
    return o.call(f"scaled_dot_product_attention({first}, {key}, {value}{mask}{causal})",
                  smooth(attention, scale=1024))
