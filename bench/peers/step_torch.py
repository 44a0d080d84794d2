"""The training step in PyTorch: eager, with the fused Adam, compiled."""

import torch

from peers.networks_torch import Network
from peers.step import Trainer
from peers.worker import serve


class Torch(Trainer):
    options = {}
    dtype = torch.float32

    def prepare(self, weights, xs, ys):
        xs = torch.from_numpy(xs)
        if xs.is_floating_point():
            xs = xs.to(self.dtype)
        self.xs, self.ys = list(xs), list(torch.from_numpy(ys))
        # The optimizer changes them in place.
        weights = {name: weight.copy() for name, weight in weights.items()}
        self.model = Network(self.case.forward, weights, is_trained=True).to(self.dtype)
        self.criterion = torch.nn.CrossEntropyLoss() if self.case.is_classifier \
            else torch.nn.MSELoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=self.rate(), **self.options)

    def rate(self):
        return self.case.rate

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

    def watched(self):
        return self.model.named()[self.case.watched].detach().numpy()


class TorchFused(Torch):
    options = {"fused": True}


class TorchCompile(Torch):
    def prepare(self, *arrays):
        super().prepare(*arrays)
        self.loss = torch.compile(self.loss)
        self.update = torch.compile(self.update)

    def rate(self):
        """A learning rate that is a tensor does not cause a recompilation."""
        return torch.tensor(self.case.rate)


class Exact(Torch):
    """The reference."""
    dtype = torch.float64


PEERS = {"torch": Torch, "torch-fused": TorchFused, "torch-compile": TorchCompile}

if __name__ == "__main__":
    serve(lambda name, case: PEERS[name](case))
