#!/usr/bin/env python3
"""Writes models.json and models.safetensors: the names and sizes of torchvision's weights, and what
narrow networks compute with those of models.py, in f64.

usage: make_models.py     (needs PyTorch, torchvision and safetensors)
       make_models.py full TDC FOLDER     compares torchvision's networks in their full size, with
                                          weights in files, and measures tdc; keeps its files in
                                          FOLDER, 1 GB
"""

import json
import subprocess
import sys
from pathlib import Path

import models
import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from torchvision.models import mobilenet_v2, resnet, resnet18, resnet50, vgg, vgg16_bn

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[3] / "examples"
MARGIN = 4


def narrow_resnet(block, layers, width):
    """torchvision's, but for the 64 channels of the first layer."""
    net = resnet.ResNet(block, layers, num_classes=10)
    net.inplanes = width
    net.conv1 = nn.Conv2d(3, width, kernel_size=7, stride=2, padding=3, bias=False)
    net.bn1 = nn.BatchNorm2d(width)
    for i in range(4):
        part = net._make_layer(block, width * 2**i, layers[i], stride=1 if i == 0 else 2)
        setattr(net, f"layer{i + 1}", part)
    net.fc = nn.Linear(8 * width * block.expansion, 10)
    return net


def narrow_vgg(width):
    cfg = [v if v == "M" else v * width // 64 for v in vgg.cfgs["D"]]
    net = vgg.VGG(vgg.make_layers(cfg, batch_norm=True), num_classes=10, dropout=0.0)
    net.classifier[0] = nn.Linear(8 * width * 7 * 7, 64 * width)
    net.classifier[3] = nn.Linear(64 * width, 64 * width)
    net.classifier[6] = nn.Linear(64 * width, 10)
    return net


# As in github.com/milesial/Pytorch-UNet, with a width.


class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True))

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diffY = x2.size()[2] - x1.size()[2]
        diffX = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
        return self.conv(torch.cat([x2, x1], dim=1))


class OutConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=1)

    def forward(self, x):
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes, bilinear=False, width=64):
        super().__init__()
        factor = 2 if bilinear else 1
        self.inc = DoubleConv(n_channels, width)
        self.down1 = Down(width, 2 * width)
        self.down2 = Down(2 * width, 4 * width)
        self.down3 = Down(4 * width, 8 * width)
        self.down4 = Down(8 * width, 16 * width // factor)
        self.up1 = Up(16 * width, 8 * width // factor, bilinear)
        self.up2 = Up(8 * width, 4 * width // factor, bilinear)
        self.up3 = Up(4 * width, 2 * width // factor, bilinear)
        self.up4 = Up(2 * width, width, bilinear)
        self.outc = OutConv(width, n_classes)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x4 = self.down3(x3)
        x5 = self.down4(x4)
        x = self.up1(x5, x4)
        x = self.up2(x, x3)
        x = self.up3(x, x2)
        x = self.up4(x, x1)
        return self.outc(x)


NARROW = {
    "resnet18": lambda: narrow_resnet(resnet.BasicBlock, [2, 2, 2, 2], 8),
    "resnet50": lambda: narrow_resnet(resnet.Bottleneck, [3, 4, 6, 3], 4),
    "vgg16_bn": lambda: narrow_vgg(4),
    "mobilenet_v2": lambda: mobilenet_v2(num_classes=10, width_mult=0.1, dropout=0.0),
    "unet": lambda: UNet(3, 1, width=4),
    "unet_bilinear": lambda: UNet(3, 1, bilinear=True, width=4),
}


def watched(net, images):
    """What a network computes, and the inputs of its ReLUs and pools."""
    seen = []
    hooks = [part.register_forward_pre_hook(
                 lambda part, args: seen.append((part, args[0].detach().clone())))
             for part in net.modules() if isinstance(part, (nn.ReLU, nn.ReLU6, nn.MaxPool2d))]
    scores = net(images)
    for hook in hooks:
        hook.remove()
    return scores, seen


def kinks(part, x):
    """How far the elements are from where the slope changes."""
    if isinstance(part, nn.MaxPool2d):
        windows = F.unfold(F.pad(x, [part.padding] * 4, value=-1e9).flatten(0, 1).unsqueeze(1),
                           part.kernel_size, stride=part.stride)
        first, second = windows.topk(2, dim=1)[0].unbind(1)
        return (first - second)[first != second]  # the first one of equal ones counts
    if isinstance(part, nn.ReLU6):
        return torch.minimum(x.abs(), (x - 6.0).abs())
    return x.abs()


def results(network, dtype):
    """In eval mode and in train mode, before and after a step of SGD."""
    net = NARROW[network]().to(dtype)
    shapes = {name: list(value.shape) for name, value in net.state_dict().items()}
    state = models.state(network, shapes)
    net.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    images, labels = (torch.tensor(values) for values in models.data(network))
    images = images.to(dtype)
    segments = network.startswith("unet")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1 if segments else 0.001)
    values = {}
    for step in range(2):
        values[f"eval {step}"] = net.eval()(images).detach()
        scores, inputs = watched(net.train(), images)
        seen = inputs if step == 0 else seen  # those of the first gradient, which others depend on
        values[f"train {step}"] = scores.detach()
        optimizer.zero_grad()
        if segments:
            F.binary_cross_entropy_with_logits(scores, labels.to(dtype)).backward()
        else:
            F.cross_entropy(scores, labels).backward()
        optimizer.step()
    return shapes, values, seen


def write():
    shapes, wanted = {}, {}
    for network in NARROW:
        shapes[network], values, seen = results(network, torch.float64)
        _, rounded, near = results(network, torch.float32)
        # A rounding that changes the side of a kink changes the gradient.
        margin = min(kinks(part, x).min() / (x - y).abs().max()
                     for (part, x), (_, y) in zip(seen, near))
        assert margin > MARGIN, f"{network}: no margin, {margin:.1f}: take another seed"
        for name, value in values.items():
            wanted[f"{network} {name}"] = value.float().contiguous()
            error = (rounded[name] - value).abs().max() / value.abs().max()
            print(f"{network} {name}: max {value.abs().max():.2f}, f32 is {error:.1e} off")
    rows = [f'"{network}": ' + json.dumps(sizes) for network, sizes in shapes.items()]
    (HERE / "models.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")
    save_file(wanted, HERE / "models.safetensors")


def measured(what, *words):
    """Runs a command and prints its time, that of it on processors, and its most memory."""
    form = f"  {what}: %e s (%U s and %S s on processors), %M KB"
    subprocess.run(["/usr/bin/time", "-f", form, *words], check=True, stdout=subprocess.DEVNULL)


def full(tdc, folder):
    for make in (resnet18, resnet50, vgg16_bn, mobilenet_v2):
        network = make.__name__
        net = make()
        shapes = {name: list(value.shape) for name, value in net.state_dict().items()}
        state = models.state(network, shapes)
        net.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
        images = models.numbers(network, "full images").randn(1, 3, 224, 224).astype("f4")
        weights, given, got = (f"{folder}/{network}{end}" for end in (
            ".safetensors", "-images.npy", "-scores.npy"))
        save_file(net.state_dict(), weights)
        np.save(given, images)
        with torch.no_grad():
            want = net.double().eval()(torch.tensor(images).double())
            rounded = net.float()(torch.tensor(images))
        name, which = network, []
        if network.startswith("resnet"):
            name, which = "resnet", ["--network", network]
        program = str(EXAMPLES / f"{name}.tdsl")
        chosen = [f"--set={word[2:]}={value}" for word, value in zip(which[::2], which[1::2])]
        called = ["--weights", weights, "--fn", "classify", "--in", f"images={given}",
                  "--out", f"scores={got}"]
        measured("tdc run", tdc, "run", "--quiet", program, *which, *called)
        for text, scores in (("tdc", torch.tensor(np.load(got))), ("PyTorch's f32", rounded)):
            error = (scores - want).abs().max() / want.abs().max()
            print(f"{network}: {text} is {error:.1e} off", flush=True)
        built = f"{folder}/{network}"
        measured("tdc build", tdc, "build", "--quiet", program, *chosen, "-o", built)
        measured("program", built, *called)


if __name__ == "__main__":
    torch.set_num_threads(1)
    full(*sys.argv[2:]) if sys.argv[1:2] == ["full"] else write()
