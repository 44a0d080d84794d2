"""Trains on the digits in JAX: one jitted call per step, or one for all steps.

usage: digits_jax.py FOLDER step|loop
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

from mlp import initial_weights
from peers import jax_adam
from peers.digits_data import BATCH, EPOCHS, load, print_accuracy


def forward(p, x):
    hidden = jnp.maximum(x @ p["fc1.weight"] + p["fc1.bias"], 0)
    return hidden @ p["fc2.weight"] + p["fc2.bias"]


def loss_of(p, x, y):
    logs = jax.nn.log_softmax(forward(p, x))
    return -jnp.mean(jnp.take_along_axis(logs, y[:, None], 1))


def step(state, x, y):
    return jax_adam.update(state, jax.grad(loss_of)(state[0], x, y), 1e-3)


def train_by_steps(state, images, labels, orders):
    jitted = jax.jit(step, donate_argnums=0)
    for order in orders:
        for first in range(0, len(order), BATCH):
            batch = order[first:first + BATCH]
            state = jitted(state, images[batch], labels[batch])
    return state


@jax.jit
def train_in_one_call(state, images, labels, orders):
    full = len(images) // BATCH * BATCH

    def on_batch(state, batch):
        return step(state, images[batch], labels[batch]), None

    def epoch(state, order):
        state, _ = jax.lax.scan(on_batch, state, order[:full].reshape(-1, BATCH))
        return on_batch(state, order[full:])
    return jax.lax.scan(epoch, state, orders)[0]


images, labels, test_images, test_labels = load(sys.argv[1])
weights = {name: w.T if w.ndim == 2 else w for name, w in initial_weights(64, 128, 10).items()}
random = np.random.default_rng(0)
orders = np.stack([random.permutation(len(images)) for _ in range(EPOCHS)])
train = {"step": train_by_steps, "loop": train_in_one_call}[sys.argv[2]]
state = train(jax_adam.start(jax.tree.map(jnp.asarray, weights)), images, labels, orders)
print_accuracy(forward(state[0], test_images).argmax(1), test_labels)
