"""The training step of step_jax.py, compiled by IREE."""

import jax
import numpy as np

from peers import jax_adam
from peers.iree_module import load
from peers.step import Trainer
from peers.step_jax import parameters_of, step
from peers.worker import serve


class Iree(Trainer):
    def prepare(self, weights, xs, ys):
        leaves, self.tree = jax.tree.flatten(jax_adam.start(parameters_of(weights)))
        ys = ys.astype(np.int32) if self.is_classifier else ys

        def flat_step(*arguments):
            *state, x, y = arguments
            state, loss = step(jax.tree.unflatten(self.tree, state), x, y)
            return *jax.tree.leaves(state), loss

        self.step, on_device = load(flat_step, *leaves, xs[0], ys[0])
        self.state = [on_device(leaf) for leaf in leaves]
        self.xs, self.ys = [on_device(x) for x in xs], [on_device(y) for y in ys]

    def train(self, steps):
        for _ in range(steps):
            batch = self.next_batch()
            *self.state, loss = self.step(*self.state, self.xs[batch], self.ys[batch])
        return loss.to_host()

    def first_weight(self):
        parameters = jax.tree.unflatten(self.tree, self.state)[0]
        return parameters["fc1.weight"].to_host().T


if __name__ == "__main__":
    serve(lambda _, case: Iree(case))
