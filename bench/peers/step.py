"""The cases of `step`, and what is compared: the first losses, and the mean movement of
the first weight. Later, Adam drives correct peers apart: it divides gradients that are
nearly zero by themselves."""

from dataclasses import dataclass

import numpy as np

from mlp import initial_weights

CHECKED_STEPS = 4


@dataclass
class Case:
    sizes: tuple  # of the layers
    batches: int
    rows: int
    is_classifier: bool = False

    @property
    def operations(self):
        """Of one step: three products for each layer, except for the gradient of the input."""
        first, *_ = layers = [n * m for n, m in zip(self.sizes, self.sizes[1:])]
        return 2 * self.rows * (3 * sum(layers) - first)

    @property
    def bytes(self):
        """Of the parameters and their two means, which a step reads and writes."""
        return 4 * 2 * 3 * sum((n + 1) * m for n, m in zip(self.sizes, self.sizes[1:]))


CASES = {
    "full": Case((10, 50, 1), 1, 100),
    "batch20": Case((10, 50, 1), 5, 20),
    "wide": Case((784, 512, 512, 10), 8, 128, is_classifier=True),
}


def arrays(name):
    """The initial weights, the batches, and what the model has to say of them."""
    case, random = CASES[name], np.random.default_rng(1)
    rows = case.batches, case.rows
    xs = random.standard_normal((*rows, case.sizes[0]), dtype=np.float32)
    ys = random.integers(0, case.sizes[-1], rows) if case.is_classifier else \
        random.standard_normal((*rows, case.sizes[-1]), dtype=np.float32)
    return initial_weights(*case.sizes), xs, ys


class Trainer:
    """A peer; subclasses set up in `prepare`, and have `train`, which makes a number of
    steps and returns the last loss, and `first_weight`, fc1.weight."""

    def __init__(self, case):
        self.is_classifier, self.steps = CASES[case].is_classifier, 0
        weights, xs, ys = arrays(case)
        self.prepare(weights, xs, ys)
        losses = [float(self.train(1)) for _ in range(CHECKED_STEPS)]
        moved = np.abs(self.first_weight() - weights["fc1.weight"]).mean(dtype=np.float64)
        self.results = [*losses, moved]

    def next_batch(self):
        self.steps += 1
        return (self.steps - 1) % len(self.xs)

    def run(self, steps):
        float(self.train(steps))
