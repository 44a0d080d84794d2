#!/usr/bin/env python3
"""Writes what PyTorch makes of optimizers.tdsl: optimizers.json, with the losses of each
optimizer and the rates of each schedule.

usage: make_optimizers.py     (needs PyTorch)
"""

import json
import re
from pathlib import Path

import torch
from torch import nn
from torch.optim import *
from torch.optim.lr_scheduler import *

HERE = Path(__file__).resolve().parent
STEPS = 12


class Lion(Optimizer):
    """X. Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, maximize=False):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay,
                                      maximize=maximize))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                d = -p.grad if group["maximize"] else p.grad
                mean = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                beta1, beta2 = group["betas"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.sub_(group["lr"] * torch.sign(beta1 * mean + (1 - beta1) * d))
                mean.copy_(beta2 * mean + (1 - beta2) * d)


def mixed(*sizes):
    return (torch.arange(torch.Size(sizes).numel()) * 7 % 10).reshape(sizes) / 4.0 - 0.75


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Parameter(mixed(4, 3))
        self.even = nn.Parameter(mixed(2, 4))
        self.odd = nn.Parameter(-mixed(2, 4))


def group(params, **settings):
    return {"params": params, **settings}


def train(make):
    """The losses of STEPS steps; only every third one uses `odd`."""
    net = Heads()
    optimizer = make(net)
    losses = []
    for i in range(STEPS):
        optimizer.zero_grad()
        inner = torch.tanh(mixed(6, 3) * (1 + 0.1 * i) @ net.body.T)
        head = net.odd if i % 3 == 1 else net.even
        loss = (inner @ head.T - mixed(6, 2)).square().mean()
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    return losses


def rates(make):
    """The rates of two groups, and the momentum, at STEPS steps."""
    net = Heads()
    optimizer = AdamW([group([net.body], lr=0.3), group([net.even, net.odd])], lr=0.1)
    schedule = make(optimizer)
    rows = []
    for i in range(STEPS):
        rows += [*schedule.get_last_lr(), optimizer.param_groups[0]["betas"][0]]
        optimizer.step()
        if i == STEPS - 1:
            break
        if isinstance(schedule, ReduceLROnPlateau):
            schedule.step(abs(i - 3.0))
        else:
            schedule.step()
    return rows


def half(step):
    return 0.5 ** step


def alternating(step):
    return 0.5 if step % 2 == 0 else 0.75


def main():
    torch.set_default_dtype(torch.float64)
    text = (HERE / "optimizers.tdsl").read_text()
    wanted = {}
    for name, parameter, call in re.findall(r"^fn (\w+)\((net|opt)\) = (.*)$", text, re.MULTILINE):
        source = call.replace("true", "True").replace("false", "False")
        make = eval(f"lambda {parameter}: {source}")
        wanted[name] = train(make) if parameter == "net" else rates(make)
    (HERE / "optimizers.json").write_text(json.dumps(wanted, indent=1) + "\n")


main()
