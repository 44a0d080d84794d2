"""The training step in JAX: jitted, and many steps in one jitted call."""

import jax
import jax.numpy as jnp
import numpy as np

from peers import jax_adam
from peers.networks_jax import Ops, weights_of
from peers.step import Trainer
from peers.worker import serve


def step_of(case):
    """A step as a function of the state and of a batch: the next state, and the loss."""
    def loss_of(weights, x, y):
        out = case.forward(Ops, weights, x)
        if not case.is_classifier:
            return jnp.mean((out - y) ** 2)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(out), y[:, None], 1))

    def step(state, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(state[0], x, y)
        return jax_adam.update(state, gradients, case.rate), loss
    return step


class Jax(Trainer):
    def prepare(self, weights, xs, ys):
        self.xs, self.ys = [jnp.asarray(x) for x in xs], [jnp.asarray(y) for y in ys]
        self.state = jax_adam.start(jax.tree.map(jnp.asarray, weights_of(weights)))
        self.one_step = step_of(self.case)
        self.step = jax.jit(self.one_step, donate_argnums=0)

    def train(self, steps):
        for _ in range(steps):
            batch = self.next_batch()
            self.state, loss = self.step(self.state, self.xs[batch], self.ys[batch])
        return loss

    def watched(self):
        return np.asarray(self.state[0][self.case.watched]).T


class JaxLoop(Jax):
    def prepare(self, weights, xs, ys):
        super().prepare(weights, xs, ys)
        self.xs, self.ys = jnp.asarray(xs), jnp.asarray(ys)

        def loop(steps, state, xs, ys):
            def body(_, carried):
                state, _ = carried
                batch = state[-1] % len(xs)
                return self.one_step(state, xs[batch], ys[batch])
            return jax.lax.fori_loop(0, steps, body, (state, jnp.float32(0)))
        self.loop = jax.jit(loop, donate_argnums=1)

    def train(self, steps):
        self.state, loss = self.loop(steps, self.state, self.xs, self.ys)
        return loss


PEERS = {"jax": Jax, "jax-loop": JaxLoop}

if __name__ == "__main__":
    serve(lambda name, case: PEERS[name](case))
