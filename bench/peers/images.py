"""Networks of torchvision for images of 224 x 224, written once for every library, with random
weights under torchvision's names (without the `encoder_layer_` of ViT). Dims are those of PyTorch;
a library may have an order of its own, which `ops.images` and `ops.flat` convert from and to."""

import math
from dataclasses import dataclass
from typing import Callable

import numpy as np


class Nothing:
    """The `ops` and the images of a run that only notes the shapes of the weights: every function
    of it gives it again."""

    def __getattr__(self, name):
        return self

    def __call__(self, *_):
        return self

    def __getitem__(self, _):
        return self

    def __add__(self, _):
        return self


class Layers:
    """Layers with weights. Every layer is told its channels, so that a run without images and
    weights fills the dict of the weights with their shapes."""

    def __init__(self, ops, weights):
        self.ops, self.weights = ops, weights

    def get(self, name, *shape):
        return self.weights.setdefault(name, shape)

    def conv(self, x, name, inputs, outputs, kernel, stride=1, padding=0, groups=1, has_bias=True):
        weight = self.get(f"{name}.weight", outputs, inputs // groups, kernel, kernel)
        bias = self.get(f"{name}.bias", outputs) if has_bias else None
        return self.ops.conv(x, weight, bias, stride, padding, groups)

    def batch_norm(self, x, name, channels):
        return self.ops.batch_norm(x, *(self.get(f"{name}.{field}", channels) for field in
                                        ("weight", "bias", "running_mean", "running_var")), 1e-5)

    def conv_norm(self, x, conv, norm, inputs, outputs, kernel, stride=1, groups=1):
        """A convolution without a bias that keeps the size at stride 1, and a batch norm."""
        y = self.conv(x, conv, inputs, outputs, kernel, stride, kernel // 2, groups, False)
        return self.batch_norm(y, norm, outputs)

    def linear(self, x, name, inputs, outputs, parts=("weight", "bias")):
        weight, bias = (f"{name}{part}" for part in parts)
        return self.ops.linear(x, self.get(weight, outputs, inputs), self.get(bias, outputs))

    def layer_norm(self, x, name, size):
        return self.ops.layer_norm(x, self.get(f"{name}.weight", size),
                                   self.get(f"{name}.bias", size), 1e-6)


def vgg16(ops, w, images):
    net, x, inputs, number = Layers(ops, w), ops.images(images), 3, 0
    for channels, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            x = net.conv(x, f"features.{number}", inputs, channels, 3, padding=1)
            x = ops.relu(net.batch_norm(x, f"features.{number + 1}", channels))
            inputs, number = channels, number + 3
        x, number = ops.max_pool(x, 2, 2, 0), number + 1
    x = ops.relu(net.linear(ops.flat(x), "classifier.0.", 512 * 49, 4096))
    x = ops.relu(net.linear(x, "classifier.3.", 4096, 4096))
    return net.linear(x, "classifier.6.", 4096, 1000)


def resnet50(ops, w, images):
    net = Layers(ops, w)
    x = ops.relu(net.conv_norm(ops.images(images), "conv1", "bn1", 3, 64, 7, 2))
    x, inputs = ops.max_pool(x, 3, 2, 1), 64
    for layer, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
        for number in range(blocks):
            block, outputs = f"layer{layer}.{number}", 4 * width
            stride = 2 if number == 0 and layer > 1 else 1
            y = ops.relu(net.conv_norm(x, f"{block}.conv1", f"{block}.bn1", inputs, width, 1))
            y = ops.relu(net.conv_norm(y, f"{block}.conv2", f"{block}.bn2", width, width, 3,
                                       stride))
            y = net.conv_norm(y, f"{block}.conv3", f"{block}.bn3", width, outputs, 1)
            if number == 0:
                x = net.conv_norm(x, f"{block}.downsample.0", f"{block}.downsample.1", inputs,
                                  outputs, 1, stride)
            x, inputs = ops.relu(x + y), outputs
    return net.linear(ops.mean(x), "fc.", 2048, 1000)


def alexnet(ops, w, images):
    net = Layers(ops, w)
    x = ops.relu(net.conv(ops.images(images), "features.0", 3, 64, 11, 4, 2))
    x = ops.relu(net.conv(ops.max_pool(x, 3, 2, 0), "features.3", 64, 192, 5, 1, 2))
    x = ops.relu(net.conv(ops.max_pool(x, 3, 2, 0), "features.6", 192, 384, 3, 1, 1))
    x = ops.relu(net.conv(x, "features.8", 384, 256, 3, 1, 1))
    x = ops.relu(net.conv(x, "features.10", 256, 256, 3, 1, 1))
    x = ops.flat(ops.max_pool(x, 3, 2, 0))
    x = ops.relu(net.linear(x, "classifier.1.", 256 * 36, 4096))
    x = ops.relu(net.linear(x, "classifier.4.", 4096, 4096))
    return net.linear(x, "classifier.6.", 4096, 1000)


def mobilenet(ops, w, images):
    net = Layers(ops, w)
    x = ops.relu6(net.conv_norm(ops.images(images), "features.0.0", "features.0.1", 3, 32, 3, 2))
    inputs, number = 32, 1
    for expansion, outputs, blocks, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                               (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                               (6, 320, 1, 1)):
        for index in range(blocks):
            step, wide = stride if index == 0 else 1, inputs * expansion
            block, y, layer = f"features.{number}.conv", x, 0
            if expansion > 1:
                y = ops.relu6(net.conv_norm(y, f"{block}.0.0", f"{block}.0.1", inputs, wide, 1))
                layer = 1
            y = ops.relu6(net.conv_norm(y, f"{block}.{layer}.0", f"{block}.{layer}.1", wide, wide,
                                        3, step, wide))
            y = net.conv_norm(y, f"{block}.{layer + 1}", f"{block}.{layer + 2}", wide, outputs, 1)
            x = x + y if step == 1 and inputs == outputs else y
            inputs, number = outputs, number + 1
    x = ops.relu6(net.conv_norm(x, "features.18.0", "features.18.1", 320, 1280, 1))
    return net.linear(ops.mean(x), "classifier.1.", 1280, 1000)


def vit(ops, w, images):
    """ViT-B/16."""
    net, size, heads = Layers(ops, w), 768, 12
    patches = ops.positions(net.conv(ops.images(images), "conv_proj", 3, size, 16, 16))
    x = ops.prepend(net.get("class_token", 1, 1, size), patches) \
        + net.get("encoder.pos_embedding", 1, 197, size)
    for number in range(12):
        layer = f"encoder.layers.{number}"
        y = net.linear(net.layer_norm(x, f"{layer}.ln_1", size), f"{layer}.self_attention.", size,
                       3 * size, ("in_proj_weight", "in_proj_bias"))
        q, k, v = (ops.swap(y[:, :, n * size:(n + 1) * size].reshape(-1, 197, heads, size // heads),
                            1, 2) for n in range(3))
        y = ops.swap(ops.attention(q, k, v, False), 1, 2).reshape(-1, 197, size)
        x = x + net.linear(y, f"{layer}.self_attention.out_proj.", size, size)
        y = net.linear(net.layer_norm(x, f"{layer}.ln_2", size), f"{layer}.mlp.0.", size, 4 * size)
        x = x + net.linear(ops.gelu(y, False), f"{layer}.mlp.3.", 4 * size, size)
    return net.linear(net.layer_norm(x, "encoder.ln", size)[:, 0], "heads.head.", size, 1000)


@dataclass
class Network:
    forward: Callable
    images: int
    multiply_adds: float  # of an image, as torchvision's page of models gives them


CASES = {
    "vgg16-b1": Network(vgg16, 1, 15.47e9),
    "vgg16-b8": Network(vgg16, 8, 15.47e9),
    "resnet50-b1": Network(resnet50, 1, 4.09e9),
    "alexnet-b1": Network(alexnet, 1, 0.71e9),
    "mobilenet-b1": Network(mobilenet, 1, 0.30e9),
    "vit-b1": Network(vit, 1, 17.56e9),
}


def shapes(case):
    found = {}
    CASES[case].forward(Nothing(), found, Nothing())
    return found


def draw(random, name, shape):
    """He's initialisation, and statistics of a batch norm that are near those of its inputs."""
    array = random.standard_normal(shape, dtype=np.float32)
    field = name.rpartition(".")[2]
    if len(shape) > 1:
        return array * np.float32((2 / math.prod(shape[1:])) ** 0.5)
    if field == "running_var":
        return 1 + np.abs(array) / 2
    return array / 10 + float(field == "weight")


def tensors(case):
    random = np.random.default_rng(10)
    weights = {name: draw(random, name, shape) for name, shape in shapes(case).items()}
    random = np.random.default_rng(11)
    images = random.standard_normal((CASES[case].images, 3, 224, 224), dtype=np.float32)
    return {"images": images}, weights


def work(case):
    """Operations, and bytes read: those of the weights."""
    network = CASES[case]
    return 2 * network.images * network.multiply_adds, \
        4 * sum(math.prod(shape) for shape in shapes(case).values())
