"""The training step in PyTorch: eager, with the fused Adam, compiled."""

from collections import OrderedDict

import torch

from peers.step import Trainer
from peers.worker import serve


def network(weights):
    layers = OrderedDict()
    for name, weight in weights.items():
        if name.endswith("weight"):
            layer = name.removesuffix(".weight")
            layers[layer] = torch.nn.Linear(*weight.T.shape)
            layers[f"relu of {layer}"] = torch.nn.ReLU()
    layers.popitem()
    return torch.nn.Sequential(layers)


class Torch(Trainer):
    options = {}

    def prepare(self, weights, xs, ys):
        self.xs, self.ys = list(torch.from_numpy(xs)), list(torch.from_numpy(ys))
        self.model = network(weights)
        self.model.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
        self.criterion = torch.nn.CrossEntropyLoss() if self.is_classifier else torch.nn.MSELoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), **{"lr": 1e-3, **self.options})

    def loss(self, x, y):
        return self.criterion(self.model(x), y)

    def update(self):
        self.optimizer.step()

    def train(self, steps):
        for _ in range(steps):
            batch = self.next_batch()
            loss = self.loss(self.xs[batch], self.ys[batch])
            self.optimizer.zero_grad()
            loss.backward()
            self.update()
        return loss.detach()

    def first_weight(self):
        return self.model.fc1.weight.detach().numpy()


class TorchFused(Torch):
    options = {"fused": True}


class TorchCompile(Torch):
    # A learning rate that is a tensor does not cause a recompilation.
    options = {"lr": torch.tensor(1e-3)}

    def prepare(self, *arrays):
        super().prepare(*arrays)
        self.loss = torch.compile(self.loss)
        self.update = torch.compile(self.update)


PEERS = {"torch": Torch, "torch-fused": TorchFused, "torch-compile": TorchCompile}

if __name__ == "__main__":
    serve(lambda name, case: PEERS[name](case))
