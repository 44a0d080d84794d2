#!/usr/bin/env python3
"""Writes cnn.json: the losses that PyTorch gets where cnn.tdsl trains.

usage: make_cnn.py     (needs PyTorch and NumPy)
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

HERE = Path(__file__).resolve().parent
DIGITS = HERE.parents[3] / "examples/data/digits"
STEPS, BATCHES, BATCH = 50, 44, 32


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(32 * 2 * 2, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        first = self.pool(torch.relu(self.conv1(x.reshape(-1, 1, 8, 8))))
        second = self.pool(torch.relu(self.conv2(first)))
        return self.fc2(torch.relu(self.fc1(second.flatten(1))))


def spread(parameter, bound):
    numbers = (torch.arange(parameter.numel()) * 4201 % 9973 - 4986).float() / 4986.0 * bound
    parameter.data = numbers.reshape(parameter.shape)


def train(dtype):
    """The loss of every step."""
    order, images, labels = (np.load(DIGITS / f"{name}.npy")
                             for name in ("order", "images", "labels"))
    x = torch.tensor(images[order]).flatten(1).to(dtype) / 16.0
    y = torch.tensor(labels[order])
    model = LeNet()
    for name, parameter in model.named_parameters():
        spread(parameter, 0.3 if name == "conv1.weight" else 0.2)
    model = model.to(dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    losses = []
    for step in range(STEPS):
        start = step % BATCHES * BATCH
        loss = nn.functional.cross_entropy(model(x[start:start + BATCH]), y[start:start + BATCH])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


torch.set_num_threads(1)
losses = train(torch.float32)
# With some other weights, a pool's greatest value or the sign at a relu is decided by
# rounding, and PyTorch itself gets other losses in f64.
assert np.allclose(losses, train(torch.float64), rtol=0, atol=1e-5)
(HERE / "cnn.json").write_text(json.dumps(
    {"torch": torch.__version__,
     "losses": {f"step {step}": [loss] for step, loss in enumerate(losses)}}, indent=1) + "\n")
