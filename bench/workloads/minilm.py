"""all-MiniLM-L6-v2 with its weights: the embeddings of 1, 8 or 32 sentences of 128 tokens,
without padding."""

from measure import BENCH, Function, compare
from peers import minilm
from peers.networks_numpy import exact
from workloads import networks

CASES = list(minilm.CASES)
CHECKED = "difference"
work = minilm.work


def of_tdc(case, tdc):
    files, weights = networks.save("minilm", minilm, case)
    return [Function(tdc, BENCH / "programs/minilm.tdsl", "embed", files, ["embeddings"],
                     ["--weights", weights], settings=[f"sentences={minilm.CASES[case]}"])]


def peers(case):
    return networks.peers("minilm", case)


def judge(case, output):
    """Compares with NumPy in f64."""
    return compare(output, exact(minilm, case))
