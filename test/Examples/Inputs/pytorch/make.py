#!/usr/bin/env python3
"""Makes the files of this folder: weights and data to start from, and the losses
that PyTorch gets with them.

usage: make.py     (needs PyTorch, safetensors and NumPy)
"""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent
EPOCHS = 30

torch.manual_seed(7)
torch.set_num_threads(1)
x, y = torch.randn(100, 10), torch.randn(100, 1)
labels = torch.randint(0, 5, (100,))


def regressor():
    return torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))


def classifier():
    return torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 5))


def train(make, weights, criterion, targets, optimizer, batch_size):
    model = make()
    model.load_state_dict(weights)
    optimizer = optimizer(model.parameters())
    losses = []
    for _ in range(EPOCHS):
        for i in range(0, len(x), batch_size):
            loss = criterion(model(x[i:i + batch_size]), targets[i:i + batch_size])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


weights, class_weights = regressor().state_dict(), classifier().state_dict()
mse, cross_entropy = torch.nn.MSELoss(), torch.nn.CrossEntropyLoss()
optim = torch.optim


def fit(optimizer, batch_size=100):
    return train(regressor, weights, mse, y, optimizer, batch_size)


losses = {
    "adam": fit(lambda p: optim.Adam(p, lr=1e-3)),
    "adam, batches of 16": fit(lambda p: optim.Adam(p, lr=1e-3), 16),
    "adam, weight decay": fit(
        lambda p: optim.Adam(p, lr=1e-2, betas=(0.8, 0.99), weight_decay=0.1)),
    "adamw": fit(lambda p: optim.AdamW(p, lr=1e-2, weight_decay=0.1)),
    "sgd": fit(lambda p: optim.SGD(p, lr=0.05)),
    "sgd, momentum": fit(lambda p: optim.SGD(p, lr=0.02, momentum=0.9, weight_decay=0.01), 16),
    "sgd, nesterov": fit(lambda p: optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True)),
    "cross entropy": train(classifier, class_weights, cross_entropy, labels,
                           lambda p: optim.Adam(p, lr=1e-2), 16),
}


def named(state):
    return {f"{layer}.{leaf}": state[f"{index}.{leaf}"].contiguous()
            for index, layer in ((0, "fc1"), (2, "fc2")) for leaf in ("weight", "bias")}


save_file(named(weights), HERE / "regressor.safetensors")
save_file(named(class_weights), HERE / "classifier.safetensors")
np.save(HERE / "x.npy", x.numpy())
np.save(HERE / "y.npy", y.numpy())
np.save(HERE / "labels.npy", labels.numpy())
(HERE / "losses.json").write_text(json.dumps(
    {"torch": torch.__version__, "losses": losses}, indent=1) + "\n")
