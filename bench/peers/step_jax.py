"""The training step in JAX: jitted, and many steps in one jitted call."""

import jax
import jax.numpy as jnp
import numpy as np

from peers import jax_adam
from peers.step import Trainer
from peers.worker import serve


def parameters_of(weights):
    """Weights as [in, out], the usual layout in JAX."""
    return {name: jnp.asarray(w.T if w.ndim == 2 else w) for name, w in weights.items()}


def loss_of(p, x, y):
    layers = len(p) // 2
    for i in range(1, layers + 1):
        x = x @ p[f"fc{i}.weight"] + p[f"fc{i}.bias"]
        if i < layers:
            x = jnp.maximum(x, 0)
    if y.ndim == 2:
        return jnp.mean((x - y) ** 2)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1))


def step(state, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(state[0], x, y)
    return jax_adam.update(state, gradients), loss


class Jax(Trainer):
    def prepare(self, weights, xs, ys):
        self.xs, self.ys = [jnp.asarray(x) for x in xs], [jnp.asarray(y) for y in ys]
        self.state = jax_adam.start(parameters_of(weights))
        self.step = jax.jit(step, donate_argnums=0)

    def train(self, steps):
        for _ in range(steps):
            batch = self.next_batch()
            self.state, loss = self.step(self.state, self.xs[batch], self.ys[batch])
        return loss

    def first_weight(self):
        return np.asarray(self.state[0]["fc1.weight"]).T


class JaxLoop(Jax):
    def prepare(self, weights, xs, ys):
        super().prepare(weights, xs, ys)
        self.xs, self.ys = jnp.asarray(xs), jnp.asarray(ys)

        def loop(steps, state, xs, ys):
            def body(_, carried):
                state, _ = carried
                batch = state[-1] % len(xs)
                return step(state, xs[batch], ys[batch])
            return jax.lax.fori_loop(0, steps, body, (state, jnp.float32(0)))
        self.loop = jax.jit(loop, donate_argnums=1)

    def train(self, steps):
        self.state, loss = self.loop(steps, self.state, self.xs, self.ys)
        return loss


PEERS = {"jax": Jax, "jax-loop": JaxLoop}

if __name__ == "__main__":
    serve(lambda name, case: PEERS[name](case))
