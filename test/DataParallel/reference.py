#!/usr/bin/env python3
"""What PyTorch computes for the programs of this folder, by the rule of its
DataParallel: each part of a batch on its own, with the batch statistics of the part,
and the running statistics of the first part.

    reference.py > expected.json

needs PyTorch, and no GPU: the parts are computed one after the other. Per program
and number of GPUs the file has the printed numbers, and for each tensor of the state
its sum and the sum of its absolute values."""
import copy
import json

import torch
import torch.nn.functional as F
from torch import nn, optim


def wave(size, shift, scale=1.0):
    count = 1
    for n in size:
        count *= n
    return (scale * torch.sin(0.7 * torch.arange(count).float() + shift)).reshape(size)


def start(net):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(wave(list(p.shape), 1.3 * i, 0.3))
    return net


def in_parts(net, gpus, *args):
    """The results for the parts of the first dim, joined."""
    parts = zip(*(arg.chunk(gpus) if torch.is_tensor(arg) else [arg] * gpus for arg in args))
    buffers, results = None, []
    for part in parts:
        results.append(net(*part))
        if buffers is None:
            buffers = [b.clone() for b in net.buffers()]
    for buffer, first in zip(net.buffers(), buffers):
        buffer.data.copy_(first)
    if torch.is_tensor(results[0]):
        return torch.cat(results)
    return tuple(torch.cat(same) for same in zip(*results))


class Log(list):
    def add(self, *numbers):
        self.append([number.item() for number in numbers])


def train(net, opt, batches, gpus, log, clip=False, zero_first=True):
    for x, y in batches:
        opt.zero_grad()
        loss = F.cross_entropy(in_parts(net, gpus, x), y)
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        log.add(loss)


def with_norm(width=12):
    return start(nn.Sequential(
        nn.Linear(6, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, 3)))


def batches_of(x, y, size):
    return list(zip(x.split(size), y.split(size)))


def mlp(gpus, log):
    net = start(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5)))
    batch = wave([10, 6], 0.5), 3 * torch.arange(10) % 5
    train(net, optim.SGD(net.parameters(), lr=0.1, momentum=0.9), [batch] * 20, gpus, log)
    return {"fc1": net[0], "fc2": net[2]}


def digits(gpus, log):
    net = start(nn.Sequential(nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 10)))
    batches = batches_of(wave([40, 16], 0.5), 7 * torch.arange(40) % 10, 8)
    train(net, optim.Adam(net.parameters(), lr=0.01), batches * 4, gpus, log)
    return net


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 3, 3)
        self.conv2 = nn.Conv2d(3, 4, 3)
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def lenet(gpus, log):
    net = start(LeNet())
    batch = wave([6, 1, 14, 14], 0.5), torch.arange(6) % 5
    train(net, optim.SGD(net.parameters(), lr=0.05), [batch] * 20, gpus, log)
    return net


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(4)

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + x)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(2, 4, 3, padding=1)
        self.layer = nn.Sequential(Residual(), Residual())
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(self.layer(self.stem(x)).mean([2, 3]))


def resnet(gpus, log):
    net = start(ResNet())
    x, y = wave([8, 2, 5, 5], 0.5), torch.arange(8) % 3
    train(net, optim.SGD(net.parameters(), lr=0.05, momentum=0.9), [(x, y)] * 20, gpus, log)
    net.eval()
    log.add(in_parts(net, gpus, x).abs().sum())
    return net


class EncoderBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(8)
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 8)
        self.norm2 = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x):
        b, t = x.shape[0], x.shape[1]
        q, k, v = self.qkv(self.norm1(x)).reshape(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(b, t, 8))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock() for _ in range(2))
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def encoder(gpus, log):
    net = start(Encoder()).double()
    batch = wave([8, 5, 8], 0.5).double(), torch.arange(8) % 4
    train(net, optim.AdamW(net.parameters(), lr=0.01), [batch] * 20, gpus, log, clip=True)
    return net


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(11, 6)
        self.fc = nn.Linear(6, 3)

    def forward(self, ids, mask):
        x = self.table(ids) * mask.unsqueeze(2)
        return self.fc(x.sum(1) / mask.sum(1, keepdim=True))


def embedding(gpus, log):
    net = start(Words())
    opt = optim.Adam(net.parameters(), lr=0.02)
    ids = (torch.arange(48) * 5 % 11).reshape(8, 6)
    mask = (wave([8, 6], 0.2) > -0.5).float()
    for _ in range(20):
        opt.zero_grad()
        loss = F.cross_entropy(in_parts(net, gpus, ids, mask), torch.arange(8) % 3)
        loss.backward()
        opt.step()
        log.add(loss)
    return net


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 6)
        self.fc = nn.Linear(6, 6)
        self.head = nn.Linear(6, 9, bias=False)
        self.head.weight = self.table.weight

    def forward(self, ids):
        return self.head(torch.tanh(self.fc(self.table(ids))))


def tied(gpus, log):
    net = start(Tied())
    opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
    ids = (torch.arange(30) * 4 % 9).reshape(6, 5)
    for _ in range(20):
        opt.zero_grad()
        scores = in_parts(net, gpus, ids)
        loss = F.cross_entropy(scores.reshape(-1, 9), ((ids + 2) % 9).flatten())
        loss.backward()
        opt.step()
        log.add(loss)
    return net


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 12), nn.Tanh())
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.body(x))


def frozen(gpus, log):
    net = start(Frozen())
    opt = optim.Adam(net.parameters(), lr=0.02)
    batch = wave([9, 6], 0.5), torch.arange(9) % 3
    net.body.requires_grad_(False)
    train(net, opt, [batch] * 10, gpus, log)
    net.body.requires_grad_(True)
    train(net, opt, [batch] * 10, gpus, log)
    return net


def small():
    return start(nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3)))


def accumulation(gpus, log):
    net = small()
    opt = optim.AdamW(net.parameters(), lr=0.02)
    batches = batches_of(wave([32, 6], 0.5), torch.arange(32) % 3, 8)
    for _ in range(10):
        for i, (x, y) in enumerate(batches):
            loss = F.cross_entropy(in_parts(net, gpus, x), y) / 2.0
            loss.backward()
            if i % 2 == 1:
                opt.step()
                opt.zero_grad()
                log.add(loss)
    return net


def evaluation(gpus, log):
    net = with_norm()
    opt = optim.SGD(net.parameters(), lr=0.05)
    batches = batches_of(wave([32, 6], 0.5), torch.arange(32) % 3, 8)
    others = batches_of(wave([20, 6], 0.1), torch.arange(20) % 3, 8)
    for _ in range(5):
        net.train()
        train(net, opt, batches, gpus, log)
        net.eval()
        with torch.no_grad():
            scores = [(in_parts(net, gpus, x), y) for x, y in others]
        log.add(sum((s.argmax(1) == y).sum() for s, y in scores), sum(s.sum() for s, _ in scores))
    return net


def tail(gpus, log):
    net = small()
    opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    x = torch.sin(0.7 * torch.arange(126).float() + 0.5).reshape(21, 6)
    train(net, opt, batches_of(x, torch.arange(21) % 3, 8) * 7, gpus, log)
    return net


def resume(gpus, log):
    net = small()
    batch = wave([8, 6], 0.5), torch.arange(8) % 3
    train(net, optim.Adam(net.parameters(), lr=0.02), [batch] * 20, gpus, log)
    return net


def restored(gpus, log):
    net, y = small(), torch.arange(8) % 3
    opt = optim.Adam(net.parameters(), lr=0.02)
    batch, other = (wave([8, 6], 0.5), y), (wave([8, 6], 1.5), y)
    train(net, opt, [batch] * 10, gpus, log)
    saved = copy.deepcopy((net.state_dict(), opt.state_dict()))
    train(net, opt, [other] * 5, gpus, log)
    net.load_state_dict(saved[0])
    opt.load_state_dict(saved[1])
    train(net, opt, [batch] * 10, gpus, log)
    return net


def penalty(gpus, log):
    net = start(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5)))
    opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    x, y = wave([10, 6], 0.5), 3 * torch.arange(10) % 5
    for _ in range(10):
        opt.zero_grad()
        loss = F.cross_entropy(in_parts(net, gpus, x), y)
        g = torch.autograd.grad(loss, list(net.parameters()), create_graph=True)
        (loss + 0.1 * sum((a * a).sum() for a in g)).backward()
        opt.step()
        log.add(loss)
    return net


def train_two(nets, opt, loss_of, log):
    for _ in range(10):
        opt.zero_grad()
        loss = loss_of()
        loss.backward()
        opt.step()
        log.add(loss)
    return nets


def pair(parts, log):
    net1, net2 = small(), with_norm(8)
    opt = optim.SGD([*net1.parameters(), *net2.parameters()], lr=0.1, momentum=0.9)
    x, y = wave([10, 6], 0.5), torch.arange(10) % 3
    return train_two(
        {"net1": net1, "net2": net2}, opt,
        lambda: F.cross_entropy(in_parts(net1, parts, x) + in_parts(net2, parts, x), y), log)


def swapped(gpus, log):
    return pair(2 if gpus > 1 else 1, log)


def overlapping(gpus, log):
    return pair(2 if gpus > 2 else 1, log)


def exported(gpus, log):
    net = with_norm()
    batch = wave([8, 6], 0.5), torch.arange(8) % 3
    train(net, optim.SGD(net.parameters(), lr=0.05), [batch] * 10, gpus, log)
    return net


def names(gpus, log):
    net, other = with_norm(), with_norm()
    opt = optim.SGD([*net.parameters(), *other.parameters()], lr=0.05)
    x, y = wave([8, 6], 0.5), torch.arange(8) % 3
    return train_two(
        {"net": net, "replica1.net": other}, opt,
        lambda: F.cross_entropy(in_parts(net, gpus, x), y) + F.cross_entropy(other(0.5 * x), y),
        log)


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 16)
        self.fc2 = nn.Linear(16, 5)

    def forward(self, x, scale):
        h = torch.tanh(self.fc1(x)) * scale
        return self.fc2(h), h.mean(1)


def conditional(gpus, log):
    net = start(Two())
    opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(20):
        opt.zero_grad()
        scores, h = in_parts(net, min(gpus, 2), wave([10, 6], 0.5), 1.5)
        loss = F.cross_entropy(scores, 3 * torch.arange(10) % 5) + 0.1 * (h * h).mean()
        loss.backward()
        opt.step()
        log.add(loss)
    return net


PROGRAMS = [
    mlp, digits, lenet, resnet, encoder, embedding, tied, frozen, accumulation, evaluation,
    tail, resume, conditional, restored, penalty, swapped, overlapping, exported, names,
]


def state_of(net):
    parts = net if isinstance(net, dict) else {"": net}
    state, seen = {}, set()
    for name, part in parts.items():
        for key, value in part.state_dict().items():
            if value.data_ptr() not in seen:  # a tied tensor has its first name
                state[(name + "." if name else "") + key] = value
            seen.add(value.data_ptr())
    return state


def main():
    expected = {}
    for program in PROGRAMS:
        runs = expected[program.__name__] = {}
        for gpus in range(1, 5):
            torch.manual_seed(0)
            log = Log()
            state = state_of(program(gpus, log))
            runs[gpus] = {
                "printed": [[round(n, 7) for n in line] for line in log],
                "state": {
                    key: [round(float(value.double().sum()), 7),
                          round(float(value.double().abs().sum()), 7)]
                    for key, value in state.items()
                    if value.is_floating_point()
                },
            }
        for gpus in [4, 3, 2]:  # only where the number matters
            if close(runs[gpus], runs[1]):
                del runs[gpus]
    print(json.dumps(expected, indent=None, separators=(",", ":")).replace('},"', '},\n"'))


def close(a, b):
    def near(x, y):
        return all(abs(p - q) <= 1e-5 * max(1, abs(q)) for p, q in zip(x, y))

    return all(near(x, y) for x, y in zip(a["printed"], b["printed"])) and all(
        near(a["state"][key], b["state"][key]) for key in a["state"])


if __name__ == "__main__":
    main()
