"""The training step in PyTorch: eager, with the fused Adam, compiled."""

from collections import OrderedDict

import torch

from peers.worker import serve


class Torch:
    options = {}

    def __init__(self, weights, xs, ys):
        self.xs, self.ys = list(torch.from_numpy(xs)), list(torch.from_numpy(ys))
        self.steps = 0
        self.model = torch.nn.Sequential(OrderedDict(
            fc1=torch.nn.Linear(10, 50), relu=torch.nn.ReLU(), fc2=torch.nn.Linear(50, 1)))
        self.model.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
        self.criterion = torch.nn.MSELoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), **{"lr": 1e-3, **self.options})

    def loss(self, x, y):
        return self.criterion(self.model(x), y)

    def update(self):
        self.optimizer.step()

    def train(self, steps):
        for _ in range(steps):
            batch = self.steps % len(self.xs)
            loss = self.loss(self.xs[batch], self.ys[batch])
            self.optimizer.zero_grad()
            loss.backward()
            self.update()
            self.steps += 1
        return loss.detach()

    def first_weight(self):
        return self.model.fc1.weight.detach().numpy()


class TorchFused(Torch):
    options = {"fused": True}


class TorchCompile(Torch):
    # A learning rate that is a tensor does not cause a recompilation.
    options = {"lr": torch.tensor(1e-3)}

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.loss = torch.compile(self.loss)
        self.update = torch.compile(self.update)


if __name__ == "__main__":
    serve({"torch": Torch, "torch-fused": TorchFused, "torch-compile": TorchCompile})
