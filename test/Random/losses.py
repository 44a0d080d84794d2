"""Calls of losses with their options, and of distances."""

import dataclasses

import numpy as np

from elements import proposal, softplus
from operands import Operands, between, smooth
from pointwise import sigmoid
from values import DTYPES, Rejected

NEAR = between(-10, 10)


def log_softmax(x, dim):
    shifted = x - x.max(dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))


def reduced(values, reduction):
    return {"mean": np.mean, "sum": np.sum, "none": lambda x: x}[reduction](values)


def rows(g, least=1):
    """Operands with the first elements of a tensor as [N, C]: (operands, text, shape, dtype)."""
    x = g.static(lambda v: v.dtype in ("f32", "f64") and v.size >= 2 * least)
    if x is None:
        return None
    n, c = g.random.randint(1, 4), g.random.randint(least, 6)
    if n * c > g[x].size:
        n, c = 1, least
    o = Operands(g)
    return o, o.first(x, (n, c), NEAR), (n, c), g[x].dtype


@dataclasses.dataclass
class Loss:
    """The text of a call, where {0} is the input, {1} the target; the domain of the target, and
    of the input; the function of f64 arrays; where its pieces meet."""
    text: str
    function: object
    target: tuple = (-2, 2)
    domain: tuple = None
    steps: object = None


def bce(x, t):
    return -(t * np.log(x) + (1 - t) * np.log1p(-x))


def piece(limit):
    return lambda x, t, *_: np.sign([np.abs(x - t) - limit, x - t])


def smoothed(x, t, beta):
    d = np.abs(x - t)
    return np.where(d < beta, d * d / (2 * beta), d - beta / 2)


def logits(x, t):
    return np.maximum(x, 0) - x * t + softplus(-np.abs(x))


def stirling(t):
    return np.where(t > 1, t * np.log(np.maximum(t, 1)) - t + 0.5 * np.log(
        2 * np.pi * np.maximum(t, 1)), 0)


LOSSES = [
    Loss("mse_loss({0}, {1}", lambda x, t: (x - t)**2),
    Loss("l1_loss({0}, {1}", lambda x, t: np.abs(x - t), steps=piece(0)),
    Loss("smooth_l1_loss({0}, {1}, beta=0.5", lambda x, t: smoothed(x, t, 0.5), steps=piece(0.5)),
    Loss("huber_loss({0}, {1}, delta=1.5", lambda x, t: 1.5 * smoothed(x, t, 1.5),
         steps=piece(1.5)),
    Loss("binary_cross_entropy(sigmoid({0}), {1}", lambda x, t: bce(sigmoid(x), t), (0, 1),
         (-5, 5)),
    Loss("binary_cross_entropy_with_logits({0}, {1}", logits, (0, 1)),
    Loss("binary_cross_entropy_loss(sigmoid({0}), {1}", lambda x, t: bce(sigmoid(x), t), (0, 1),
         (-5, 5)),
    Loss("binary_cross_entropy_with_logits_loss({0}, {1}", logits, (0, 1)),
    Loss("kl_div_loss({0}, {1}", lambda x, t: t * (np.log(t) - x), (0.125, 1)),
    Loss("soft_margin_loss({0}, sign({1})", lambda x, t: softplus(-np.sign(t) * x), (0.25, 2)),
    Loss("kl_div({0}, {1}", lambda x, t: t * (np.log(t) - x), (0.125, 1)),
    Loss("kl_div({0}, {1}, log_target=true", lambda x, t: np.exp(t) * (t - x), (-2, 1)),
    Loss("poisson_nll_loss({0}, {1}", lambda x, t: np.exp(x) - t * x, (0, 2), (-4, 4)),
    Loss("poisson_nll_loss({0}, {1}, full=true", lambda x, t: np.exp(x) - t * x + stirling(t),
         (2, 5), (-4, 4)),
    Loss("poisson_nll_loss({0}.abs() + 1.0, {1}, log_input=false",
         lambda x, t: np.abs(x) + 1 - t * np.log(np.abs(x) + 1 + 1e-8), (0, 2),
         steps=lambda x, t: np.sign(x)),
    Loss("gaussian_nll_loss({0}, {1}, softplus({1}) + 0.5",
         lambda x, t: 0.5 * (np.log(softplus(t) + 0.5) + (x - t)**2 / (softplus(t) + 0.5))),
    Loss("margin_ranking_loss({0}, {1}, ones_like({1}), 0.5",
         lambda x, t: np.maximum(0, 0.5 - (x - t)), steps=lambda x, t: np.sign(x - t - 0.5)),
    Loss("hinge_embedding_loss({0}, -sign({1}), 2.0",
         lambda x, t: np.where(t < 0, x, np.maximum(0, 2 - x)), (0.25, 2),
         steps=lambda x, t: np.sign(x - 2)),
]


@proposal(3)
def loss(g):
    """Of two tensors of one shape."""
    found = rows(g)
    if not found:
        return None
    o, x, shape, dtype = found
    row = g.pick([row for row in LOSSES if g.has_kinks or row.steps is None])
    if row.domain:
        o = Operands(g)
        x = o.part(shape, dtype, *row.domain)
    # Where the target is no parameter in PyTorch either, it has no gradient.
    target = o.part(shape, dtype, *row.target)
    if "binary" in row.text or "poisson" in row.text or "kl_div" in row.text or \
            "sign(" in row.text:
        target = f"{target}.detach()" if g.is_smooth and g.uses_torch else target
    reduction = g.pick(["mean", "sum", "none"])
    text = row.text.replace("{0}", x).replace("{1}", target)
    return o.call(f"{text}, reduction=\"{reduction}\")", smooth(
        lambda a, t: reduced(row.function(a, t), reduction), steps=row.steps, scale=512,
        bound=lambda a, t: np.asarray(np.max(np.abs(row.function(a, t)), initial=0) * a.size)))


def picked(logs, index):
    return np.take_along_axis(logs, index[:, None], 1)[:, 0]


@proposal(3)
def loss_of_classes(g):
    """`cross_entropy`, `nll_loss` and margins of class indices, with weights, ignored classes,
    smoothing and places."""
    found = rows(g, 2)
    if not found:
        return None
    o, x, (n, c), dtype = found
    index = o.indices((n,), c)
    kind = g.pick(["cross", "cross", "nll", "linear"] + ["margin"] * g.has_kinks)
    weighs, ignored = g.flip(0.4), g.pick([None, None, 0])
    reduction = g.pick(["mean", "sum", "none"])
    smoothing = g.pick([0.0, 0.25]) if kind == "cross" else 0.0
    weights = np.asarray(g.numbers.integers(4, 33, c)) / 16
    share = weights if weighs else np.ones(c)
    given = f", weight=tensor({weights.tolist()}, dtype={dtype})" * weighs
    if kind == "margin":
        p = g.pick([1, 2])

        def margins(a, i):
            part = np.maximum(0, 1 - picked(a, i)[:, None] + a) ** p * share[i][:, None]
            part[np.arange(n), i] = 0
            return reduced(part.sum(1) / c, reduction)
        return o.call(f"multi_margin_loss({x}, {index}, p={p}{given}, reduction=\"{reduction}\")",
                      smooth_of_index(margins, steps=lambda a, i: np.sign(
                          1 - picked(a, i)[:, None] + a)))
    if ignored is not None:
        given += f", ignore_index={ignored}"
    if smoothing:
        given += f", label_smoothing={smoothing}"

    def entropy(a, i, w=None):
        logs = a if kind == "nll" else log_softmax(a if w is None else a @ w.T, 1)
        counts = np.ones(n) if ignored is None else (i != ignored).astype(float)
        values = -(1 - smoothing) * picked(logs, i) * share[i]
        values -= smoothing * (logs * share).sum(1) / c
        values *= counts
        if reduction == "mean":
            total = (share[i] * counts).sum()
            if total == 0:
                raise Rejected
            return values.sum() / total
        return reduced(values, reduction)
    more = f"{given}, reduction=\"{reduction}\")"
    if kind == "linear":
        weight = o.part((c, c), dtype)
        return o.call(f"linear_cross_entropy({x}, {weight}, {index}{more}",
                      smooth_of_index(entropy, bound=lambda a, i, w: np.abs(a @ w.T).sum()))
    name = "nll_loss" if kind == "nll" else g.pick(["cross_entropy", "cross_entropy_loss"])
    return o.call(f"{name}({x}, {index}{more}", smooth_of_index(entropy))


@proposal(1)
def loss_of_labels(g):
    """`multilabel_soft_margin_loss` and `multilabel_margin_loss`."""
    found = rows(g, 2)
    if not found:
        return None
    o, x, (n, c), dtype = found
    reduction = g.pick(["mean", "sum", "none"])
    if not g.has_kinks or g.flip(0.5):
        targets = o.written(g.numbers.integers(0, 2, (n, c)).astype(DTYPES[dtype]))
        return o.call(f"multilabel_soft_margin_loss({x}, {targets}, reduction=\"{reduction}\")",
                      smooth(lambda a, t: reduced(logits(a, t).mean(1), reduction)))
    labels = np.full((n, c), -1)
    for row in labels:
        count = g.random.randint(0, c)
        row[:count] = g.numbers.permutation(c)[:count]

    def margins(a):
        """Of the row, the wanted class and the other one."""
        return 1 - a[:, :, None] + a[:, None, :]
    wanted = np.zeros((n, c), bool)
    for row, marks in zip(labels, wanted):
        marks[row[row >= 0]] = True
    pairs = wanted[:, :, None] & ~wanted[:, None, :]
    return o.call(
        f"multilabel_margin_loss({x}, tensor({labels.tolist()}), reduction=\"{reduction}\")",
        smooth(lambda a: reduced((np.maximum(0, margins(a)) * pairs).sum((1, 2)) / c, reduction),
               steps=lambda a: np.sign(margins(a)), scale=512))


def smooth_of_index(function, steps=None, bound=None):
    """The second operand is class indices."""
    def with_index(other):
        return other and (lambda a, i, *rest: other(a, i.astype(np.int64), *rest))
    return smooth(with_index(function), steps=with_index(steps), bound=with_index(bound),
                  scale=512)


def lengths(x, p, dim=-1):
    if p == 1:
        return np.abs(x).sum(dim)
    return np.sqrt((x * x).sum(dim)) if p == 2 else (np.abs(x)**p).sum(dim)**(1 / p)


@proposal(2)
def distance(g):
    """Of rows: `cosine_similarity`, `pairwise_distance`, `cdist`, `pdist`, `dist`, and the losses
    of pairs and triples."""
    found = rows(g, 2)
    if not found or not g.has_kinks:
        return None
    o, x, (n, c), dtype = found
    kind = g.pick(["cosine", "pairwise", "cdist", "pdist", "dist", "embedding", "triplet"])
    p = g.pick([1.0, 2.0, 3.0])
    if kind == "pdist":
        if n < 2:
            return None
        pairs = np.triu_indices(n, 1)
        return o.call(f"pdist({x}, {p})", far(lambda a: a[pairs[0]] - a[pairs[1]],
                                              lambda a: lengths(a[pairs[0]] - a[pairs[1]], p)))
    if kind == "cdist":
        m = g.random.randint(1, 4)
        y = o.part((m, c), dtype)

        def between_rows(a, b):
            return a[:, None] - b[None]
        return o.call(f"cdist({x}, {y}, {p})", far(between_rows, lambda a, b: lengths(
            between_rows(a, b), p), scale=4096))
    y = o.part((n, c), dtype)
    if kind == "dist":
        return o.call(f"dist({x}, {y}, {p})", far(lambda a, b: (a - b).reshape(1, -1), lambda a, b:
                                                  lengths((a - b).ravel(), p)))
    if kind == "pairwise":
        return o.call(f"pairwise_distance({x}, {y}, {p}, 0.125)", far(
            lambda a, b: a - b + 0.125, lambda a, b: lengths(a - b + 0.125, p)))

    def cosine(a, b, epsilon=0.0):
        """`epsilon` is added to the squares of the lengths."""
        squares = [(x * x).sum(1) + epsilon for x in (a, b)]
        return (a * b).sum(1) / np.sqrt(squares[0] * squares[1])

    def long(function):
        def meaning(*values):
            if any(np.any(lengths(v.copies[0].astype(np.float64), 2) < 0.25) for v in values[:2]):
                raise Rejected
            return function(*values)
        return meaning
    if kind == "cosine":
        return o.call(f"cosine_similarity({x}, {y})", long(smooth(cosine, scale=256)))
    reduction = g.pick(["mean", "sum", "none"])
    if kind == "embedding":
        signs = np.asarray(g.numbers.choice([-1, 1], n), np.float64)
        epsilon = float(np.float32(1e-12))  # of PyTorch
        return o.call(
            f"cosine_embedding_loss({x}, {y}, tensor({signs.tolist()}, dtype={dtype}), 0.25, "
            f"reduction=\"{reduction}\")", long(smooth(lambda a, b: reduced(np.where(
                signs > 0, 1 - cosine(a, b, epsilon),
                np.maximum(0, cosine(a, b, epsilon) - 0.25)), reduction),
                scale=256, steps=lambda a, b: np.sign(cosine(a, b) - 0.25))))
    z = o.part((n, c), dtype)

    def triplet(a, b, d):
        return np.maximum(0, 0.5 + lengths(a - b + 1e-6, 2) - lengths(a - d + 1e-6, 2))

    def meaning(a, b, d):
        exact = [value.copies[0].astype(np.float64) for value in (a, b, d)]
        if min(lengths(exact[0] - exact[1], 2).min(), lengths(exact[0] - exact[2], 2).min()) < 0.25:
            raise Rejected
        return smooth(lambda *arrays: reduced(triplet(*arrays), reduction), scale=512,
                      steps=lambda *arrays: np.sign(triplet(*arrays)))(a, b, d)
    if g.flip(0.3):
        return o.call(f"triplet_margin_with_distance_loss({x}, {y}, {z}, margin=0.5, "
                      f"reduction=\"{reduction}\")", meaning)
    return o.call(f"triplet_margin_loss({x}, {y}, {z}, 0.5, reduction=\"{reduction}\")", meaning)


def far(differences, function, scale=512):
    """Rejects rows that are close, where the slope of their distance changes at once."""
    def meaning(*values):
        exact = differences(*(value.copies[0].astype(np.float64) for value in values))
        if np.any(np.abs(exact) < 0.05):
            raise Rejected
        return smooth(function, scale=scale)(*values)
    return meaning
