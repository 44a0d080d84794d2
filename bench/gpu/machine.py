"""What there is on this machine: the compiler, a GPU, peers. Only the standard
library is used: nothing can be installed where a GPU is lent."""

import lzma
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build/gpu-bench"
TOOLS = {"tdc": "bin", "tdc-call": "bin", "libtdc_sim_cuda.so": "lib"}


class Unfit(Exception):
    """Why nothing can be measured here."""


@dataclass
class Machine:
    tools: dict         # name: path
    simulated: bool
    gpu: str
    version: str        # of tdc
    peers: list         # "torch 2.9", …

    def tdc(self, verb, *words):
        """A command line of the compiler for this machine's GPU."""
        return [self.tools["tdc"], verb, *["--sim-cuda=1"] * self.simulated, *words]

    def run(self, *command, limit=300):
        """(what it printed, None), or (what it printed, why it failed)."""
        try:
            done = subprocess.run([str(word) for word in command], cwd=ROOT, timeout=limit,
                                  text=True, errors="replace", capture_output=True)
        except subprocess.TimeoutExpired:
            return "", f"no end after {limit} s"
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()
            return done.stdout, f"exit {done.returncode}: {' '.join(last[:3])[:300]}"
        return done.stdout, None


def unpack(name):
    """The tool as pack.py packed it."""
    packed, path = BUILD / f"{name}.xz", BUILD / TOOLS[name] / name
    if not packed.exists():
        raise Unfit(f"there is no {packed}; bench/gpu/pack.py makes it on a machine that builds tdc")
    if not path.exists() or path.stat().st_mtime < packed.stat().st_mtime:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lzma.decompress(packed.read_bytes()))
        path.chmod(0o755)
    return path


def find_peers():
    """The peers that can use a GPU here."""
    question = {
        "torch": "import torch; assert torch.cuda.is_available(); print('torch', torch.__version__)",
        "jax": "import jax; assert jax.devices()[0].platform == 'gpu'; print('jax', jax.__version__)"}
    found = []
    for text in question.values():
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        if done.returncode == 0:
            found.append(done.stdout.strip())
    return found


def find(simulated):
    if simulated:  # with one schedule each time
        os.environ.update(TDC_SIM_CUDA="1", TDC_SIM_SEED="0")
    os.environ["PYTHONPATH"] = str(ROOT / "bench")
    tools = {name: unpack(name) for name in TOOLS}
    here = Machine(tools, simulated, "", "", [] if simulated else find_peers())
    here.version, problem = here.run(tools["tdc"], "version")
    if problem:
        raise Unfit(f"tdc does not run here: {problem}")
    here.version = here.version.splitlines()[0]
    asked, problem = here.run(*here.tdc("run", "--require=cuda", HERE / "programs/device.tdsl"))
    if problem:
        raise Unfit(problem)
    here.gpu = asked.strip()
    return here

