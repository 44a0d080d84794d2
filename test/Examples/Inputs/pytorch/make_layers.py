#!/usr/bin/env python3
"""Writes what PyTorch makes of the model of layers.tdsl: layers.safetensors, the
state to start from, and layers-f64.safetensors and layers-f32.safetensors, the state
after three steps, the losses of every step, and the values in eval mode.

usage: make_layers.py     (needs PyTorch and safetensors)
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn, tensor

HERE = Path(__file__).resolve().parent
# Of what `forward` returns.
NAMES = [
    "batch_norm1d", "batch_norm1d_series", "batch_norm2d", "batch_norm2d_averaged",
    "batch_norm2d_untracked", "group_norm", "instance_norm2d", "local_response_norm", "layer_norm",
    "upsample", "upsample_corners", "pixel_shuffle", "attention", "attention weights", "encoder",
    "encoder_first", "decoder", "embedding_bag", "embedding_bag_sum", "bilinear", "cross_entropy",
    "binary", "triplet"]


def mixed(count, dtype):
    return (torch.arange(count) * 7 % 10).to(dtype) / 4.0 - 0.75


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.batch_norm1d = nn.BatchNorm1d(4)
        self.batch_norm1d_series = nn.BatchNorm1d(4, eps=1e-3, momentum=0.3, affine=False)
        self.batch_norm2d = nn.BatchNorm2d(4)
        self.batch_norm2d_averaged = nn.BatchNorm2d(4, momentum=None)
        self.batch_norm2d_untracked = nn.BatchNorm2d(4, track_running_stats=False)
        self.group_norm = nn.GroupNorm(2, 4)
        self.instance_norm2d = nn.InstanceNorm2d(4, affine=True)
        self.local_response_norm = nn.LocalResponseNorm(3, alpha=0.5, k=2.0)
        self.layer_norm = nn.LayerNorm((3, 2))
        self.upsample = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.upsample_corners = nn.Upsample(size=(5, 4), mode="bilinear", align_corners=True)
        self.pixel_shuffle = nn.PixelShuffle(2)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.encoder = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True)
        self.encoder_first = nn.TransformerEncoderLayer(
            8, 2, 12, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoderLayer(8, 2, 12, dropout=0.0, batch_first=True)
        self.embedding_bag = nn.EmbeddingBag(6, 3)
        self.embedding_bag_sum = nn.EmbeddingBag(6, 3, mode="sum", padding_idx=2)
        self.bilinear = nn.Bilinear(3, 4, 2)
        self.cross_entropy = nn.CrossEntropyLoss(
            weight=tensor([0.5, 2.0, 1.5]), ignore_index=1, label_smoothing=0.125)
        self.binary = nn.BCEWithLogitsLoss(pos_weight=tensor([0.5, 2.0, 1.5]))
        self.triplet = nn.TripletMarginLoss(margin=2.0, swap=True)
        maps = {f"maps{of}": (2, 4, 3, 2) for of in (
            "", "_averaged", "_untracked", "_grouped", "_each", "_responding", "_layer")}
        shapes = {
            "rows": (5, 4), "series": (3, 4, 2), **maps, "image": (1, 2, 3, 2),
            "image_corners": (1, 2, 3, 2), "image_shuffled": (1, 4, 3, 2), "query": (2, 3, 8),
            "keys": (2, 4, 8), "source": (2, 3, 8), "source_first": (2, 3, 8),
            "target": (2, 3, 8), "memory": (2, 4, 8), "left": (5, 3), "right": (5, 4),
            "scores": (4, 3), "logits": (4, 3), "anchor": (4, 3), "positive": (4, 3),
            "negative": (4, 3)}
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def forward(self, scale):
        padding = tensor([[False, False, False, True], [False, False, True, True]])
        words = tensor([1, 2, 2, 0, 5, 1, 2, 2])
        bags = tensor([0, 3, 3, 6])
        attended = self.attention(self.query * scale, self.keys, self.keys, padding)
        return (
            self.batch_norm1d(self.rows * scale),
            self.batch_norm1d_series(self.series * scale),
            self.batch_norm2d(self.maps * scale),
            self.batch_norm2d_averaged(self.maps_averaged * scale),
            self.batch_norm2d_untracked(self.maps_untracked * scale),
            self.group_norm(self.maps_grouped * scale),
            self.instance_norm2d(self.maps_each * scale),
            self.local_response_norm(self.maps_responding * scale),
            self.layer_norm(self.maps_layer * scale),
            self.upsample(self.image * scale),
            self.upsample_corners(self.image_corners * scale),
            self.pixel_shuffle(self.image_shuffled * scale),
            attended[0],
            attended[1],
            self.encoder(self.source * scale, src_key_padding_mask=padding[:, 1:]),
            self.encoder_first(self.source_first * scale),
            self.decoder(
                self.target * scale, self.memory, tgt_mask=torch.ones(3, 3).triu(1).bool(),
                memory_key_padding_mask=padding),
            self.embedding_bag(words, bags),
            self.embedding_bag_sum(words.reshape(2, 4)),
            self.bilinear(self.left * scale, self.right),
            self.cross_entropy(self.scores * scale, tensor([2, 0, 1, 0])),
            self.binary(self.logits * scale,
                        mixed(12, self.logits.dtype).reshape(4, 3) / 4.0 + 0.25),
            self.triplet(self.anchor * scale, self.positive, self.negative),
        )


def run(state, dtype):
    net = Layers().to(dtype)
    net.load_state_dict(state)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.125)
    losses = []
    for step in range(3):
        each = [(value * mixed(value.numel(), dtype).reshape(value.shape)).sum()
                for value in net(torch.tensor(step, dtype=dtype) * 0.5 + 1.0)]
        losses.append(torch.stack(each).detach())
        optimizer.zero_grad()
        sum(each).backward()
        optimizer.step()
    results = {f"state {name}": value.clone() for name, value in net.state_dict().items()}
    net.eval()
    values = net(torch.tensor(1.0, dtype=dtype))
    for name, value, of_steps in zip(NAMES, values, torch.stack(losses, 1), strict=True):
        results[f"value {name}"] = value.detach().contiguous()
        results[f"losses {name}"] = of_steps.clone()
    return results


torch.manual_seed(7)
torch.set_num_threads(1)
start = Layers().double()
with torch.no_grad():
    for parameter in start.parameters():
        parameter += torch.randn_like(parameter) * (0.25 if parameter.any() else 1.0)
        # What both dtypes can hold.
        parameter.copy_(parameter.float())
save_file(start.state_dict(), HERE / "layers.safetensors")
for name, dtype in (("f64", torch.float64), ("f32", torch.float32)):
    save_file(run(start.state_dict(), dtype), HERE / f"layers-{name}.safetensors")
