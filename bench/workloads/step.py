"""One training step of Linear(10, 50)-ReLU-Linear(50, 1): mean squared error,
Adam at 1e-3, 100 rows at once or 5 batches of 20, one after the other."""

import json

import numpy as np
from safetensors.numpy import save_file

from measure import BENCH, CACHE, Sample, Worker, compare, launch
from mlp import initial_weights
from peers.step_numpy import NumPy
from peers.worker import CHECKED_STEPS, STEPS_PER_CALL, check, load

CASES = {"full": 100, "batch20": 20}
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


class TdcStep:
    """The exported function of step.tdsl, run by `tdc run --fn --repeat`. Each
    round is a new process and begins with the initial weights."""
    name = "tdc"
    role = "tdc"
    size = 0

    def __init__(self, tdc, case, folder):
        self.folder = folder
        self.command = [
            tdc, "run", BENCH / "programs/step.tdsl", "--fn", case,
            "--in", f"xs={folder}/xs.npy", "--in", f"ys={folder}/ys.npy"]
        self.arguments = ["--", "--weights", folder / "weights.safetensors"]

    def run(self, steps, *options):
        count = self.folder / f"steps{steps}.npy"
        np.save(count, np.int64(steps))
        return launch(*self.command, "--in", f"steps={count}", *options, *self.arguments)

    def timed(self, repeats):
        outcome = self.run(STEPS_PER_CALL, "--repeat", repeats)
        return json.loads(outcome.printed)["value"] * 1e-9, outcome

    def start(self):
        """The checked steps run the same function that is timed."""
        loss, moved = self.folder / "loss.npy", self.folder / "moved.npy"
        losses = []
        for steps in range(1, CHECKED_STEPS + 1):
            self.run(steps, "--out", f"loss={loss}", "--out", f"moved={moved}")
            losses.append(float(np.load(loss)))
        self.call_seconds, _ = self.timed(10)
        return [*losses, float(np.load(moved))]

    def round(self, seconds):
        self.call_seconds, outcome = self.timed(max(1, round(seconds / self.call_seconds)))
        return Sample(self.call_seconds / STEPS_PER_CALL, outcome.share)

    def close(self):
        pass


def competitors(case, tdc):
    folder = CACHE / f"step.{case}"
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    for name, columns in ("xs", 10), ("ys", 1):
        rows = random.standard_normal((100, columns), dtype=np.float32)
        np.save(folder / f"{name}.npy", rows.reshape(-1, CASES[case], columns))
    save_file(initial_weights(10, 50, 1), folder / "weights.safetensors")
    peers = [Worker(name, script, folder) for name, script in PEERS.items()]
    return [TdcStep(tdc, case, folder), *peers]


def judge(case, output):
    """Compares with NumPy in f64."""
    weights, xs, ys = load(CACHE / f"step.{case}")
    weights = {name: w.astype(np.float64) for name, w in weights.items()}
    exact = check(NumPy(weights, xs.astype(np.float64), ys.astype(np.float64)), weights)
    return compare(output, exact)
