"""Trains on the digits in PyTorch.

usage: digits_torch.py FOLDER [DEVICE]
"""

import sys

import torch
from torch import nn

from peers.digits_data import BATCH, EPOCHS, load, print_accuracy

device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
images, labels, test_images, test_labels = (
    torch.from_numpy(array).to(device) for array in load(sys.argv[1]))
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for _ in range(EPOCHS):
    for batch in torch.randperm(len(images), device=device).split(BATCH):
        loss = criterion(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

with torch.no_grad():
    print_accuracy(model(test_images).argmax(1).cpu().numpy(), test_labels.cpu().numpy())
