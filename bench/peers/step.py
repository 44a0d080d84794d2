"""The cases of `step`, and what is compared: the first losses, and the mean movement of
one weight. Later, Adam drives correct peers apart: it divides gradients that are
nearly zero by themselves."""

from dataclasses import dataclass

import numpy as np

from mlp import initial_weights
from peers.gpt import GPT
from peers.training import CNN, Encoder, LeNet, ResNet18

CHECKED_STEPS = 4


@dataclass
class MLP:
    """Linear layers with ReLU between them."""
    program: str  # of tdc
    steps: int  # of a call of tdc's
    sizes: tuple  # of the layers
    batches: int
    rows: int
    is_classifier: bool = False

    watched = "fc1.weight"
    rate = 1e-3
    is_in_numpy = is_in_iree = True

    @property
    def operations(self):
        """Of one step: three products for each layer, except for the gradient of the input."""
        first, *_ = layers = [n * m for n, m in zip(self.sizes, self.sizes[1:])]
        return 2 * self.rows * (3 * sum(layers) - first)

    def weights(self):
        return initial_weights(*self.sizes)

    def draw(self, random):
        """All batches, and what the model has to say of them."""
        rows = self.batches, self.rows
        xs = random.standard_normal((*rows, self.sizes[0]), dtype=np.float32)
        ys = random.integers(0, self.sizes[-1], rows) if self.is_classifier else \
            random.standard_normal((*rows, self.sizes[-1]), dtype=np.float32)
        return xs, ys

    def forward(self, ops, w, x):
        *inner, last = (f"fc{i}" for i in range(1, len(self.sizes)))
        for layer in inner:
            x = ops.relu(ops.linear(x, w[f"{layer}.weight"], w[f"{layer}.bias"]))
        return ops.linear(x, w[f"{last}.weight"], w[f"{last}.bias"])


CASES = {
    "full": MLP("step", 1000, (10, 50, 1), 1, 100),
    "batch20": MLP("step", 1000, (10, 50, 1), 5, 20),
    "wide": MLP("wide", 50, (784, 512, 512, 10), 8, 128, is_classifier=True),
    "gpt": GPT(),
    "lenet": LeNet(),
    "cnn": CNN(),
    "resnet18": ResNet18(),
    "encoder": Encoder(),
}


def arrays(name):
    """The initial weights, the batches, and what the model has to say of them."""
    return CASES[name].weights(), *CASES[name].draw(np.random.default_rng(1))


class Trainer:
    """A peer; subclasses set up in `prepare`, and have `train`, which makes a number of
    steps and returns the last loss, and `watched`, the case's weight of that name, as
    [out, in]: it is a layer's."""

    def __init__(self, name):
        self.case, self.steps = CASES[name], 0
        weights, xs, ys = arrays(name)
        self.prepare(weights, xs, ys)
        losses = [float(self.train(1)) for _ in range(CHECKED_STEPS)]
        moved = np.abs(self.watched() - weights[self.case.watched]).mean(dtype=np.float64)
        self.results = [*losses, moved]

    def next_batch(self):
        self.steps += 1
        return (self.steps - 1) % len(self.xs)

    def run(self, steps):
        float(self.train(steps))
