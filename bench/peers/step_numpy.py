"""The training step in hand-written NumPy. In f64 it is also the reference."""

import numpy as np

from peers.numpy_adam import Adam
from peers.step import Trainer
from peers.worker import serve


class NumPy(Trainer):
    dtype = np.float32

    def prepare(self, weights, xs, ys):
        self.xs = xs.astype(self.dtype)
        self.ys = ys if self.case.is_classifier else ys.astype(self.dtype)
        self.parameters = [w.T.astype(self.dtype) for w in weights.values()]
        self.adam = Adam(self.parameters)

    def train(self, steps):
        for _ in range(steps):
            batch = self.next_batch()
            loss = self.step(self.xs[batch], self.ys[batch])
        return loss

    def step(self, x, y):
        inputs = [x]
        layers = list(zip(self.parameters[::2], self.parameters[1::2]))
        for w, b in layers[:-1]:
            inputs.append(np.maximum(inputs[-1] @ w + b, 0))
        w, b = layers[-1]
        loss, slope = self.loss(inputs[-1] @ w + b, y)
        gradients = []
        for (w, _), x in zip(layers[::-1], inputs[::-1]):
            gradients = [x.T @ slope, slope.sum(0), *gradients]
            if x is not inputs[0]:
                slope = (slope @ w.T) * (x > 0)
        self.adam.step(gradients)
        return loss

    def loss(self, out, y):
        """The loss, and its gradient."""
        if not self.case.is_classifier:
            error = out - y
            return np.mean(error * error), error * (2 / error.size)
        shifted = out - out.max(1, keepdims=True)
        powers = np.exp(shifted)
        sums, rows = powers.sum(1, keepdims=True), np.arange(len(y))
        slope = powers / sums
        slope[rows, y] -= 1
        return np.mean(np.log(sums[:, 0]) - shifted[rows, y]), slope / len(y)

    def watched(self):
        return self.parameters[0].T


class Exact(NumPy):
    dtype = np.float64


if __name__ == "__main__":
    serve(lambda _, case: NumPy(case))
