"""One training step with Adam at 1e-3 (`resnet18`: 1e-5). `full` and `batch20`: Linear(10,
50)-ReLU-Linear(50, 1), mean squared error, 100 rows at once or 5 batches of 20, one after the
other. `wide`: 784-512-512-10, cross entropy, 8 batches of 128, one after the other. `gpt`: a
character GPT, cross entropy, 8 batches of 12 sentences of 64 characters. `lenet`, `cnn`,
`resnet18`, `encoder`: the networks of peers/training.py."""

import numpy as np
from safetensors.numpy import save_file

from measure import BENCH, CACHE, Function, Worker, compare
from peers.step import CASES, CHECKED_STEPS, arrays
from peers.step_numpy import Exact

CHECKED = "difference"
PEERS = {
    "jax-loop": "step_jax.py",
    "jax": "step_jax.py",
    "iree": "step_iree.py",
    "numpy": "step_numpy.py",
    "torch-fused": "step_torch.py",
    "torch-compile": "step_torch.py",
    "torch": "step_torch.py",
}


class Steps(Function):
    """The function that makes as many steps as its parameter `steps` says."""

    def output(self):
        """The checked steps run the same function that is timed."""
        results = []
        command = self.command
        for steps in range(1, CHECKED_STEPS + 1):
            self.command = [*command, "--in", f"steps={count(steps)}"]
            results.append(super().output())
        self.command = [*command, "--in", f"steps={count(self.steps)}"]
        return [*(loss for loss, _ in results), results[-1][1]]


def count(steps):
    """The file of that number."""
    path = CACHE / f"steps.{steps}.npy"
    np.save(path, np.int64(steps))
    return path


def of_tdc(case, tdc):
    folder = CACHE / f"step.{case}"
    folder.mkdir(exist_ok=True)
    weights, xs, ys = arrays(case)
    save_file(weights, folder / "weights.safetensors")
    np.save(folder / "xs.npy", xs)
    np.save(folder / "ys.npy", ys)
    return [Steps(tdc, BENCH / f"programs/{CASES[case].program}.tdsl", case,
                  {name: folder / f"{name}.npy" for name in ("xs", "ys")}, ["loss", "moved"],
                  ["--weights", folder / "weights.safetensors"], CASES[case].steps)]


def peers(case):
    is_there = {"numpy": CASES[case].is_in_numpy, "iree": CASES[case].is_in_iree}
    names = [name for name in PEERS if is_there.get(name, True)]
    return [Worker(name, PEERS[name], case) for name in names]


def work(case):
    """The bytes: a step reads and writes the parameters and their two means."""
    parameters = sum(weight.size for weight in CASES[case].weights().values())
    return CASES[case].operations, 2 * 3 * 4 * parameters


def judge(case, output):
    """Compares with NumPy in f64, networks that are not in NumPy with PyTorch in f64."""
    if CASES[case].is_in_numpy:
        return compare(output, Exact(case).results)
    from peers.step_torch import Exact as TorchExact  # where it is needed: it takes seconds
    return compare(output, TorchExact(case).results)
