"""Networks whose training step is measured: LeNet-5 and PyTorch's example network for MNIST, both
on images of 28 x 28, ResNet-18 on images of 32 x 32 as for CIFAR-10, and an encoder of sentences.
Names of weights and their order are PyTorch's."""

from dataclasses import dataclass

import numpy as np

from peers.images import Layers, Nothing


@dataclass
class Case:
    """What all of them have; a class adds its size and `forward`. `products`: multiplications of
    a forward pass for one row of a batch. Rows are images of the shape `image`."""
    program: str
    watched: str
    products: int
    batches: int
    rows: int
    steps: int

    is_classifier = True
    is_in_numpy = is_in_iree = False
    labels, image, rate = 10, None, 1e-3

    @property
    def operations(self):
        """Of one step: a forward pass and the two products of the gradient of each product."""
        return 3 * 2 * self.rows * self.products

    def weights(self):
        shapes, random = {}, np.random.default_rng(0)
        self.forward(Nothing(), shapes, Nothing())

        def draw(name, shape):
            if len(shape) > 1:
                return random.standard_normal(shape) / np.prod(shape[1:]) ** 0.5
            is_scale = name.endswith(".weight")
            return np.ones(shape) if is_scale else np.zeros(shape)
        return {name: draw(name, shape).astype(np.float32) for name, shape in shapes.items()}

    def inputs(self, random, rows):
        return random.standard_normal((*rows, *self.image), dtype=np.float32)

    def draw(self, random):
        """All batches, and their classes."""
        rows = self.batches, self.rows
        return self.inputs(random, rows), random.integers(0, self.labels, rows)


@dataclass
class LeNet(Case):
    program: str = "lenet"
    watched: str = "fc1.weight"
    products: int = 28 * 28 * 6 * 25 + 10 * 10 * 16 * 6 * 25 + 400 * 120 + 120 * 84 + 84 * 10
    batches: int = 8
    rows: int = 64
    steps: int = 50

    image = 1, 28, 28

    def forward(self, ops, w, images):
        net = Layers(ops, w)
        x = ops.relu(net.conv(ops.images(images), "conv1", 1, 6, 5, padding=2))
        x = ops.relu(net.conv(ops.max_pool(x, 2, 2, 0), "conv2", 6, 16, 5))
        x = ops.flat(ops.max_pool(x, 2, 2, 0))
        x = ops.relu(net.linear(x, "fc1.", 400, 120))
        x = ops.relu(net.linear(x, "fc2.", 120, 84))
        return net.linear(x, "fc3.", 84, self.labels)


@dataclass
class CNN(Case):
    """Two convolutions and two products, without dropout."""
    program: str = "cnn"
    watched: str = "fc1.weight"
    products: int = 26 * 26 * 32 * 9 + 24 * 24 * 64 * 32 * 9 + 9216 * 128 + 128 * 10
    batches: int = 8
    rows: int = 64
    steps: int = 8

    image = 1, 28, 28

    def forward(self, ops, w, images):
        net = Layers(ops, w)
        x = ops.relu(net.conv(ops.images(images), "conv1", 1, 32, 3))
        x = ops.relu(net.conv(x, "conv2", 32, 64, 3))
        x = ops.flat(ops.max_pool(x, 2, 2, 0))
        x = ops.relu(net.linear(x, "fc1.", 9216, 128))
        return net.linear(x, "fc2.", 128, self.labels)


class TrainedLayers(Layers):
    def batch_norm(self, x, name, channels):
        """By the mean and variance of the batch."""
        return self.ops.norm_batch(x, self.get(f"{name}.weight", channels),
                                   self.get(f"{name}.bias", channels), 1e-5)


@dataclass
class ResNet18(Case):
    program: str = "resnet18"
    watched: str = "fc.weight"
    products: int = 555_422_720
    batches: int = 2
    rows: int = 32
    steps: int = 2

    image = 3, 32, 32
    # With 1e-3, PyTorch's losses in f32 and f64 differ by a hundredth after 4 steps.
    rate = 1e-5

    def forward(self, ops, w, images):
        net = TrainedLayers(ops, w)
        x, inputs = ops.relu(net.conv_norm(ops.images(images), "conv1", "bn1", 3, 64, 3)), 64
        for layer, width in enumerate((64, 128, 256, 512), 1):
            for number in range(2):
                name, stride = f"layer{layer}.{number}", 2 if layer > 1 and number == 0 else 1
                y = net.conv_norm(x, f"{name}.conv1", f"{name}.bn1", inputs, width, 3, stride)
                y = ops.relu(y)
                y = net.conv_norm(y, f"{name}.conv2", f"{name}.bn2", width, width, 3)
                if inputs != width:
                    x = net.conv_norm(x, f"{name}.downsample.0", f"{name}.downsample.1", inputs,
                                      width, 1, stride)
                x, inputs = ops.relu(y + x), width
        return net.linear(ops.mean(x), "fc.", 512, self.labels)


@dataclass
class Encoder(Case):
    """6 layers with 4 heads, 8 sentences of 128 words."""
    program: str = "encoder"
    watched: str = "block.0.qkv.weight"
    products: int = 6 * 128 * (12 * 256**2 + 2 * 128 * 256) + 256 * 10
    batches: int = 4
    rows: int = 8
    steps: int = 4

    layers, heads, width, tokens, words = 6, 4, 256, 128, 1000

    def inputs(self, random, rows):
        return random.integers(0, self.words, (*rows, self.tokens))

    def forward(self, ops, w, ids):
        net, width = Layers(ops, w), self.width
        x = ops.embed(net.get("words.weight", self.words, width), ids) \
            + net.get("places.weight", self.tokens, width)
        for i in range(self.layers):
            name = f"block.{i}"
            qkv = net.linear(x, f"{name}.qkv.", width, 3 * width)
            q, k, v = (ops.swap(ops.heads(qkv[..., n * width:(n + 1) * width], self.heads), 1, 2)
                       for n in range(3))
            y = ops.merged(ops.swap(ops.attention(q, k, v, False), 1, 2))
            y = net.linear(y, f"{name}.out.", width, width)
            x = net.layer_norm(x + y, f"{name}.ln1", width)
            y = ops.gelu(net.linear(x, f"{name}.up.", width, 4 * width), False)
            y = net.linear(y, f"{name}.down.", 4 * width, width)
            x = net.layer_norm(x + y, f"{name}.ln2", width)
        return net.linear(ops.mean_of_words(x), "head.", width, self.labels)
