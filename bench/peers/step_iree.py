"""The training step of step_jax.py, compiled by IREE."""

import jax
import numpy as np

from peers import jax_adam
from peers.iree_module import load
from peers.networks_jax import weights_of
from peers.step import Trainer
from peers.step_jax import step_of
from peers.worker import serve


class Iree(Trainer):
    def prepare(self, weights, xs, ys):
        leaves, self.tree = jax.tree.flatten(jax_adam.start(weights_of(weights)))
        xs, ys = (a.astype(np.int32) if a.dtype == np.int64 else a for a in (xs, ys))
        step = step_of(self.case)

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

    def watched(self):
        parameters = jax.tree.unflatten(self.tree, self.state)[0]
        return parameters[self.case.watched].to_host().T


if __name__ == "__main__":
    serve(lambda _, case: Iree(case))
