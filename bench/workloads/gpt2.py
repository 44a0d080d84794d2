"""A decoder as large as GPT-2 small, with random weights. `decode`: one token after 256
cached ones, also with everything in bf16; `prefill`: 128 tokens."""

from measure import BENCH, LARGEST_BF16, LARGEST_DIFFERENCE, Function, compare
from peers import gpt2
from peers.networks_numpy import exact
from workloads import networks

CASES = list(gpt2.CASES)
CHECKED = "difference"
work = gpt2.work


def of_tdc(case, tdc):
    name, function = ("gpt2_bf16", "decode") if gpt2.is_bf16(case) else ("gpt2", case)
    files, weights = networks.save(name, gpt2, case)
    return [Function(tdc, BENCH / f"programs/{name}.tdsl", function, files,
                     ["logits", "keys", "values"], ["--weights", weights])]


def peers(case):
    return networks.peers("gpt2", case, networks.PEERS_OF_BF16 if gpt2.is_bf16(case)
                          else networks.PEERS)


def judge(case, output):
    """Compares with NumPy in f64."""
    # The 12 layers of bf16 round one after the other: PyTorch's are 1e-2 off, JAX's 2e-2.
    largest = 4 * LARGEST_BF16 if gpt2.is_bf16(case) else LARGEST_DIFFERENCE
    return compare(output, exact(gpt2, case), largest)
