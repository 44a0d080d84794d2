"""A decoder as large as GPT-2 small, with random weights. `decode`: one token after 256
cached ones; `prefill`: 128 tokens."""

from measure import BENCH, Function, compare
from peers import gpt2
from peers.networks_numpy import exact
from workloads import networks

CASES = list(gpt2.CASES)
CHECKED = "difference"
work = gpt2.work


def of_tdc(case, tdc):
    files, weights = networks.save("gpt2", gpt2, case)
    return [Function(tdc, BENCH / "programs/gpt2.tdsl", case, files, ["logits", "keys", "values"],
                     ["--weights", weights])]


def peers(case):
    return networks.peers("gpt2", case)


def judge(case, output):
    """Compares with NumPy in f64."""
    return compare(output, exact(gpt2, case))
