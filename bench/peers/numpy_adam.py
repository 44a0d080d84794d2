"""Adam in NumPy, in place, with PyTorch's formula."""

import numpy as np


class Adam:
    def __init__(self, parameters, rate=1e-3):
        self.parameters, self.rate, self.steps = parameters, rate, 0
        self.means = [np.zeros_like(p) for p in parameters]
        self.squares = [np.zeros_like(p) for p in parameters]

    def step(self, gradients):
        self.steps += 1
        rate = self.rate / (1 - 0.9 ** self.steps)
        correction = 1 / (1 - 0.999 ** self.steps) ** 0.5
        for p, m, v, g in zip(self.parameters, self.means, self.squares, gradients):
            m *= 0.9
            m += 0.1 * g
            v *= 0.999
            v += 0.001 * g * g
            p -= rate * m / (np.sqrt(v) * correction + 1e-8)
