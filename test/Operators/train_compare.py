#!/usr/bin/env python3
"""Trains five models with tdc and with PyTorch, and compares every loss.

    python train_compare.py TDC [--only REGEX] [--seed N] [--steps N] [--smooth] [--spread N]
                                [--json FILE] [--keep FOLDER] [OPTIONS OF tdc run …]

For each model there are a program in Inputs/training, a PyTorch model here, and one file of
initial weights and batches. All are trained by SGD with momentum, and some also by Adam. At
every step the condition is

    f32: |tdc f32 - torch f64| <= 2 * (largest |torch f32 - torch f64| so far) + 1e-6 * |torch f64|
    f64: |tdc f64 - torch f64| <= 1e-8 * |torch f64|

The table has for each run the largest ratio of the left side to the right side, and its step.

An f32 run may be further from f64 than another by chance: where the input of a relu is next to 0,
rounding decides whether it has a gradient, and training amplifies the difference. Two
options show whether a failure is of this kind; they change no verdict.

- `--spread N`: PyTorch trains N more times in f32, from weights that differ in about their
  last bit. The table says how many of these runs fulfil the condition for f32, and their
  largest ratios.
- `--smooth`: gelu for relu and means for maxima, which have no such points. A failure that
  remains is an operator that rounds too much; rounding.py compares them one by one.

`--json FILE` adds the largest ratios of each run to FILE, from which page.py makes the table of
docs/Operators.md.

Needs PyTorch and safetensors, and minutes, so it runs outside of CI. It exits with 1 if a
condition is not fulfilled.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

PROGRAMS = Path(__file__).resolve().parent / "Inputs/training"
STEPS, BATCH = 50, 8


# Replaced by --smooth.
bend = torch.relu


def pool(x):
    return F.avg_pool2d(x, 2) if bend is F.gelu else F.max_pool2d(x, 2)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        first = pool(bend(self.conv1(x)))
        second = pool(bend(self.conv2(first)))
        hidden = bend(self.fc2(bend(self.fc1(second.flatten(1)))))
        return self.fc3(hidden)

    def loss(self, x, y):
        return F.cross_entropy(self(x), y)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = bend(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return bend(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    """The stem is that for images of 32x32 pixels: no stride and no pool."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = nn.Sequential(Block(16, 16, 1), Block(16, 16, 1))
        self.layer2 = nn.Sequential(Block(16, 32, 2), Block(32, 32, 1))
        self.layer3 = nn.Sequential(Block(32, 64, 2), Block(64, 64, 1))
        self.layer4 = nn.Sequential(Block(64, 128, 2), Block(128, 128, 1))
        self.fc = nn.Linear(128, 10)

    def forward(self, x):
        y = bend(self.bn1(self.conv1(x)))
        y = self.layer4(self.layer3(self.layer2(self.layer1(y))))
        return self.fc(F.adaptive_avg_pool2d(y, 1).flatten(1))

    def loss(self, x, y):
        return F.cross_entropy(self(x), y)


class DoubleConvolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)

    def forward(self, x):
        return bend(self.conv2(bend(self.conv1(x))))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = DoubleConvolution(1, 8)
        self.down2 = DoubleConvolution(8, 16)
        self.bottom = DoubleConvolution(16, 32)
        self.up2 = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.merge2 = DoubleConvolution(32, 16)
        self.up1 = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.merge1 = DoubleConvolution(16, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        first = self.down1(x)
        second = self.down2(pool(first))
        bottom = self.bottom(pool(second))
        third = self.merge2(torch.cat([second, self.up2(bottom)], 1))
        return self.out(self.merge1(torch.cat([first, self.up1(third)], 1)))

    def loss(self, x, y):
        return F.binary_cross_entropy_with_logits(self(x), y)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.fc21 = nn.Linear(128, 8)
        self.fc22 = nn.Linear(128, 8)
        self.fc3 = nn.Linear(8, 128)
        self.fc4 = nn.Linear(128, 64)

    def loss(self, x, noise):
        hidden = bend(self.fc1(x))
        mu, logvar = self.fc21(hidden), self.fc22(hidden)
        z = mu + noise * torch.exp(0.5 * logvar)
        reconstructed = torch.sigmoid(self.fc4(bend(self.fc3(z))))
        bce = F.binary_cross_entropy(reconstructed, x, reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return (bce + kld) / x.shape[0]


class Encoder(nn.Module):
    """Names the next token of sequences that repeat."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(20, 32)
        self.places = nn.Embedding(16, 32)
        activation = "gelu" if bend is F.gelu else "relu"
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0.0, activation, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 20)

    def loss(self, x, y):
        h = self.tokens(x) + self.places.weight
        hidden = torch.triu(torch.ones(16, 16, dtype=torch.bool), 1)
        return F.cross_entropy(self.head(self.encoder(h, mask=hidden)).flatten(0, 1), y.flatten())


def classes(random, channels, size):
    """Images of ten classes: squares of 4x4 pixels, in a pattern of the class, and noise."""
    labels = random.integers(0, 10, (STEPS, BATCH))
    patterns = random.standard_normal((10, channels, size // 4, size // 4))
    squares = patterns.repeat(4, axis=2).repeat(4, axis=3)
    noise = random.standard_normal((STEPS, BATCH, channels, size, size))
    return (squares[labels] + 0.5 * noise).astype(np.float32), labels


def discs(random):
    """Noisy discs, and where they are."""
    row, column = (random.uniform(8, 24, (STEPS, BATCH, 1, 1, 1)) for _ in range(2))
    radius = random.uniform(4, 8, (STEPS, BATCH, 1, 1, 1))
    y, x = np.mgrid[:32, :32]
    inside = (y - row) ** 2 + (x - column) ** 2 < radius ** 2
    image = inside + 0.5 * random.standard_normal(inside.shape)
    return image.astype(np.float32), inside.astype(np.float32)


def bars(random):
    """Images of 8x8 pixels between 0 and 1 with a bright row or column, and noise of a VAE."""
    place, upright = random.integers(0, 8, (STEPS, BATCH)), random.random((STEPS, BATCH)) < 0.5
    rows = np.broadcast_to(np.eye(8)[place][..., None], (STEPS, BATCH, 8, 8))
    image = np.where(upright[..., None, None], rows.swapaxes(2, 3), rows)
    image = (0.8 * image + 0.2 * random.random(image.shape)).reshape(STEPS, BATCH, 64)
    return image.astype(np.float32), random.standard_normal((STEPS, BATCH, 8)).astype(np.float32)


def sequences(random):
    """Sequences with a period of 3 to 6 tokens, and their next tokens."""
    period = random.integers(3, 7, (STEPS, BATCH, 1))
    token = random.integers(0, 20, (STEPS, BATCH, 6))
    whole = np.take_along_axis(token, np.arange(17) % period, 2)
    return whole[..., :-1], whole[..., 1:]


# The model, its batches, and the learning rates of SGD, with momentum 0.9, and of Adam.
RUNS = {
    "lenet sgd": (LeNet, lambda random: classes(random, 1, 28), 0.02),
    "resnet18 sgd": (ResNet18, lambda random: classes(random, 3, 32), 0.001),
    "unet sgd": (UNet, discs, 0.05),
    "vae sgd": (VAE, bars, 0.004),
    "vae adam": (VAE, bars, 0.005),
    "transformer sgd": (Encoder, sequences, 0.1),
    "transformer adam": (Encoder, sequences, 0.005),
}


def floats(tensor, dtype):
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def train_torch(model, state, x, y, optimizer, rate, dtype):
    """The loss of every step, in f64."""
    net = model().to(dtype)
    net.load_state_dict({name: floats(value, dtype) for name, value in state.items()})
    kind = {"sgd": lambda p: torch.optim.SGD(p, lr=rate, momentum=0.9),
            "adam": lambda p: torch.optim.Adam(p, lr=rate)}[optimizer]
    stepper = kind(net.parameters())
    losses = []
    for batch, target in zip(floats(x, dtype), floats(y, dtype)):
        loss = net.loss(batch, target)
        stepper.zero_grad()
        loss.backward()
        stepper.step()
        losses.append(loss.item())
    return np.array(losses)


def changed(state, seed):
    """The weights, each changed by up to 2**-23 of itself: by its last bit, or not at all."""
    generator = torch.Generator().manual_seed(seed)

    def change(value):
        part = torch.rand(value.shape, generator=generator, dtype=torch.float64) * 2 - 1
        return (value * (1 + part * 2.0 ** -23)).float() if value.is_floating_point() else value

    return {name: change(value) for name, value in state.items()}


def train_tdc(tdc, options, folder, name, optimizer, rate, dtype, steps):
    out = folder / f"{dtype}.npy"
    command = [tdc, "run", *options, PROGRAMS / f"{name}.tdsl", "--folder", folder, "--losses", out,
               "--optimizer", optimizer, "--lr", str(rate), "--type", dtype, "--steps", str(steps),
               *(["--smooth"] if bend is F.gelu else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    return np.load(out)


def f32_ratios(losses, torch32, torch64):
    so_far = np.maximum.accumulate(np.abs(torch32 - torch64))
    return np.abs(losses - torch64) / (2 * so_far + 1e-6 * np.abs(torch64))


def f64_ratios(losses, torch64):
    return np.abs(losses - torch64) / (1e-8 * np.abs(torch64))


def worst(ratios):
    """The largest ratio and its step; NaN is the worst."""
    step = int(np.argmax(np.where(np.isnan(ratios), np.inf, ratios)))
    return ratios[step], step


def compare(name, folder, options):
    model, batches, rate = RUNS[name]
    program, optimizer = name.split()
    random = np.random.default_rng(options.seed)
    x, y = (torch.from_numpy(values[:options.steps].copy()) for values in batches(random))
    torch.manual_seed(options.seed)
    state = model().state_dict()
    folder.mkdir(parents=True, exist_ok=True)
    save_file(state, folder / "weights.safetensors")
    np.save(folder / "x.npy", x.numpy())
    np.save(folder / "y.npy", y.numpy())

    torch64, torch32 = (train_torch(model, state, x, y, optimizer, rate, dtype)
                        for dtype in (torch.float64, torch.float32))
    tdc64, tdc32 = (train_tdc(options.tdc, options.options, folder, program, optimizer, rate,
                              dtype, options.steps) for dtype in ("f64", "f32"))
    np.savez(folder / "losses.npz", torch64=torch64, torch32=torch32, tdc64=tdc64, tdc32=tdc32)
    in_f32, step32 = worst(f32_ratios(tdc32, torch32, torch64))
    in_f64, step64 = worst(f64_ratios(tdc64, torch64))
    row = [name, f"{torch64[0]:.3f} {torch64[-1]:.3f}", f"{in_f32:.2f}", f"{step32}",
           f"{in_f64:.1e}", f"{step64}",
           *(f"{np.max(np.abs(losses - torch64) / torch64):.1e}" for losses in (tdc32, torch32))]
    figures = {"f64": float(f"{in_f64:.1e}"), "f32": float(f"{in_f32:.3g}")}
    if options.spread:
        others = [worst(f32_ratios(
            train_torch(model, changed(state, seed), x, y, optimizer, rate, torch.float32),
            torch32, torch64))[0] for seed in range(options.spread)]
        inside = sum(ratio <= 1 for ratio in others)
        row.append(f"{inside}/{len(others)}, {min(others):.2f} to {max(others):.2f}")
        figures["spread"] = [float(f"{ratio:.3g}") for ratio in others]
    if options.json:
        note(options.json, name, options.seed, figures)
    return row, in_f32 <= 1 and in_f64 <= 1


def note(path, name, seed, figures):
    """Adds the figures of a run to a file of all runs, a line each."""
    table = json.loads(path.read_text()) if path.exists() else {}
    table.setdefault(name, {})[str(seed)] = figures
    runs = [f'"{name}": {{\n  ' + ",\n  ".join(
        f'"{seed}": {json.dumps(row)}' for seed, row in sorted(seeds.items())) + "}"
            for name, seeds in table.items()]
    path.write_text("{" + ",\n ".join(runs) + "}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tdc")
    parser.add_argument("--only", default="", help="a regular expression of the runs")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=7, help="of the weights and batches")
    parser.add_argument("--spread", type=int, default=0, help="more runs of PyTorch in f32")
    parser.add_argument("--smooth", action="store_true", help="no relu and no maximum")
    parser.add_argument("--json", type=Path, help="a file to which the ratios are added")
    parser.add_argument("--keep", type=Path, help="the folder for weights, batches and losses")
    options, options.options = parser.parse_known_args()

    if options.smooth:
        global bend
        bend = F.gelu
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # as tdc does
    titles = ["run", "first, last loss", "f32 ratio", "step", "f64 ratio", "step",
              "tdc f32", "torch f32"] + ["PyTorch's spread"] * bool(options.spread)
    print(" | ".join(titles))
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in RUNS:
            if re.search(options.only, name):
                start = time.monotonic()
                row, good = compare(name, (options.keep or Path(temporary)) / name, options)
                print(" | ".join(row), f"({time.monotonic() - start:.0f} s)", flush=True)
                if not good:
                    failed.append(name)
    if failed:
        sys.exit(f"condition not fulfilled: {', '.join(failed)}")


if __name__ == "__main__":
    main()
