"""Networks for images with random weights: the logits of one image or 8."""

from measure import BENCH, Function, compare
from peers import images
from peers.networks_numpy import exact
from workloads import networks

CASES = list(images.CASES)
CHECKED = "difference"
work = images.work


def of_tdc(case, tdc):
    name = case.partition("-")[0]
    files, weights = networks.save(name, images, case)
    program = BENCH / f"programs/{name}.tdsl"
    return [Function(tdc, program, "classify", files, ["logits"], ["--weights", weights],
                     settings=[f"count={images.CASES[case].images}"])]


def peers(case):
    return networks.peers("images", case)


def judge(case, output):
    """Compares with NumPy in f64."""
    return compare(output, exact(images, case))
