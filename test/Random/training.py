"""Models that are trained: gradients through them, optimizers, loaders.

NumPy does not compute them: the results of compiled code are compared to the
interpreter's, so all functions are smooth and of ordinary numbers.
"""

import dataclasses

import numpy as np

from tree import Save, Statement
from values import Value

ACTIVATIONS = ["tanh({})", "sigmoid({})", "silu({})", "gelu({})", "softplus({})", "sin({})",
               "{} * 0.5"]
LOSSES = {"mse_loss": "randn({n}, {d})", "smooth_l1_loss": "randn({n}, {d})",
          "binary_cross_entropy_with_logits": "rand({n}, {d})",
          "cross_entropy": "randint(0, {d}, ({n},))"}
OPTIMIZERS = ["SGD({}, lr=0.05)", "SGD({}, lr=0.02, momentum=0.9)",
              "SGD({}, lr=0.02, momentum=0.9, nesterov=true, weight_decay=0.01)",
              "Adam({}, lr=0.01, eps=0.01)", "AdamW({}, lr=0.01, eps=0.01, weight_decay=0.1)"]
SIZES = [1, 2, 3, 5, 8, 16, 17, 32, 40, 64]


@dataclasses.dataclass
class Training(Statement):
    """A model, its data and its loop. Shrinking a program sets the fields."""
    model: str
    sizes: list  # of the features between layers
    activations: list
    rows: int
    loss: str
    optimizer: str
    epochs: int
    batch: int = 0  # rows of one; 0: no loader
    shuffles: bool = False
    norms: bool = False  # not of two features: they become 1 and -1, whatever they were
    drops: bool = False
    moves: bool = False

    def smaller(self):
        """Yields the same with less, in every way."""
        if len(self.activations) > 1 and not (self.norms and self.sizes[2] == 2):
            yield dataclasses.replace(self, sizes=self.sizes[1:], activations=self.activations[1:])
        for field, least in (("epochs", 1), ("batch", 0), ("shuffles", False), ("norms", False),
                             ("drops", False), ("moves", False), ("optimizer", OPTIMIZERS[0]),
                             ("rows", 1)):
            if getattr(self, field) != least:
                yield dataclasses.replace(self, **{field: least})

    def lines(self, indent):
        m = self.model
        layers = list(zip(self.sizes, self.sizes[1:]))
        lines = [f"model M{m} {{"]
        lines += [f"    l{i} = Linear({a}, {b})" for i, (a, b) in enumerate(layers)]
        if self.norms:
            lines.append(f"    norm = LayerNorm({self.sizes[1]})")
        if self.drops:
            lines.append("    drop = Dropout(0.25)")
        lines += ["    param scale: f32[1] = init.uniform(0.5, 1.5)",
                  "    fn forward(x) {"]
        for i, activation in enumerate(self.activations):
            lines.append(f"        let x = {activation.format(f'self.l{i}(x)')}")
            if i == 0 and self.norms:
                lines.append("        let x = self.norm(x)")
            if i == 0 and self.drops:
                lines.append("        let x = self.drop(x)")
        to = ".to(device)" * self.moves
        target = LOSSES[self.loss].format(n=self.rows, d=self.sizes[-1])
        lines += ["        return x * self.scale", "    }", "}",
                  f"let m{m} = M{m}(){to}", f"let opt{m} = {self.optimizer.format(f'm{m}')}",
                  f"let data{m} = randn({self.rows}, {self.sizes[0]})",
                  f"let target{m} = {target}", f"var total{m} = 0.0",
                  f"for epoch in range({self.epochs}) {{"]
        step = [f"let y = m{m}(x{to})", f"let loss = {self.loss}(y, t{to})",
                f"opt{m}.zero_grad()", "loss.backward()", f"opt{m}.step()",
                f"total{m} += loss.item()"]
        if self.batch:
            shuffle = ", shuffle=true" * self.shuffles
            lines += [f"    for x, t in DataLoader(data{m}, target{m}, "
                      f"batch_size={self.batch}{shuffle}) {{",
                      *(f"        {line}" for line in step), "    }"]
        else:
            lines += [f"    let x, t = data{m}, target{m}", *(f"    {line}" for line in step)]
        lines += ["}", f"let w{m} = m{m}.l0.weight{'.cpu()' * self.moves}",
                  f"let s{m} = m{m}.scale{'.cpu()' * self.moves}",
                  f"let e{m} = tensor(total{m})"]
        return [indent + line for line in lines]

    def run(self, world):
        for name in ("w", "s", "e"):
            world.names.define(f"{name}{self.model}", Value([np.zeros(0, np.float32)],
                                                            is_compared=False))


def make(g):
    depth = g.random.randint(1, 3)
    sizes = [g.pick(SIZES) for _ in range(depth + 1)]
    loss = g.pick(list(LOSSES))
    if loss == "cross_entropy":
        sizes[-1] = max(sizes[-1], 2)
    rows = g.pick([1, 2, 7, 20, 33, 64])
    g.made += 1
    return [Training(str(g.made), sizes, [g.pick(ACTIVATIONS) for _ in range(depth)], rows, loss,
                     g.pick(OPTIMIZERS), g.random.randint(1, 3),
                     g.pick([0, 0, 3, 8, 16]), g.flip(0.4), g.flip(0.3) and sizes[1] != 2,
                     g.flip(0.2), g.moves)]
