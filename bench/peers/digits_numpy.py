"""Trains on the digits in hand-written NumPy.

usage: digits_numpy.py FOLDER
"""

import sys

import numpy as np

from mlp import initial_weights
from peers.digits_data import BATCH, EPOCHS, load, print_accuracy
from peers.numpy_adam import Adam

images, labels, test_images, test_labels = load(sys.argv[1])
weights = initial_weights(64, 128, 10)
w1, b1 = weights["fc1.weight"].T.copy(), weights["fc1.bias"]
w2, b2 = weights["fc2.weight"].T.copy(), weights["fc2.bias"]
adam = Adam([w1, b1, w2, b2])
random = np.random.default_rng(0)

for _ in range(EPOCHS):
    order = random.permutation(len(images))
    for first in range(0, len(images), BATCH):
        batch = order[first:first + BATCH]
        x, y = images[batch], labels[batch]
        hidden = np.maximum(x @ w1 + b1, 0)
        scores = hidden @ w2 + b2
        slope = np.exp(scores - scores.max(1, keepdims=True))
        slope /= slope.sum(1, keepdims=True)
        slope[np.arange(len(y)), y] -= 1
        slope /= len(y)
        hidden_slope = (slope @ w2.T) * (hidden > 0)
        adam.step([x.T @ hidden_slope, hidden_slope.sum(0), hidden.T @ slope, slope.sum(0)])

print_accuracy((np.maximum(test_images @ w1 + b1, 0) @ w2 + b2).argmax(1), test_labels)
