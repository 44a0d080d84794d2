"""The handwritten digits, split and scaled as in the example."""

from pathlib import Path

import numpy as np

EPOCHS, BATCH, TRAINED_ON = 20, 32, 1437


def load(folder):
    """Images and digits for training, then for testing."""
    folder = Path(folder)
    order = np.load(folder / "order.npy")
    images = np.load(folder / "images.npy")[order].reshape(-1, 64)
    images = (images / np.float32(16)).astype(np.float32)
    labels = np.load(folder / "labels.npy")[order]
    return images[:TRAINED_ON], labels[:TRAINED_ON], images[TRAINED_ON:], labels[TRAINED_ON:]


def print_accuracy(found, labels):
    print(f"accuracy {100 * (np.asarray(found) == labels).mean():.2f}%")
