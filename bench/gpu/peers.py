"""PyTorch and JAX, each a process that starts once in a run and times the requested loops
(peers/server.py)."""

import json
import select
import subprocess
import sys

from machine import HERE

FOUND = {
    "torch": "import torch; assert torch.cuda.is_available(); print(torch.__version__)",
    "jax": "import jax; assert jax.devices()[0].platform == 'gpu'; print(jax.__version__)"}
LIMIT = 150  # seconds for one answer, the compilation of a training step included


class Peer:
    """`name` is torch or jax. The process starts at the first request, and again after it
    has failed to answer."""
    python = sys.executable

    def __init__(self, here, name):
        self.here, self.name = here, name
        self.log = here.work / f"{name}.log"
        self.process = None

    def ask(self, workload, least, rounds):
        """{"iterations": iterations of a round, "seconds": [of each round]}, or
        {"problem": text}. Raises TimeIsUp."""
        if self.process is None:
            with self.log.open("w") as log:
                self.process = self.here.start(
                    self.python, HERE / f"peers/{self.name}_loops.py", "cuda",
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                    env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
        answer, status = "", None
        try:
            print(json.dumps([workload, least, rounds]), file=self.process.stdin, flush=True)
            ends = min(LIMIT, max(0, self.here.left()))
            if select.select([self.process.stdout], [], [], ends)[0]:
                answer = self.process.stdout.readline()
                status = None if answer else self.process.wait()
        except BrokenPipeError:
            status = self.process.wait()
        if answer:
            return json.loads(answer)
        self.close()
        self.here.check_time()
        if status is None:
            return {"problem": f"no answer for {LIMIT} s"}
        return {"problem": f"exit {status}: {self.log.read_text(errors='replace')[-400:]}"}

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def find(here):
    """({name: version or reason why it is missing}, the peers that can use the GPU)."""
    versions, peers = {}, []
    for name, question in FOUND.items():
        printed, problem = here.run(sys.executable, "-c", question)
        versions[name] = problem or printed.strip()
        if not problem:
            peers.append(Peer(here, name))
    return versions, peers
