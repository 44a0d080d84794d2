"""What bench/report.py and bench/measure.py make of times and results."""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "bench"))
import measure  # noqa: E402
import report  # noqa: E402


def test_intervals():
    # The ranks of the ends in the tables for the sign test, from 1.
    ranks = {6: (1, 6), 7: (1, 7), 8: (1, 8), 9: (2, 8), 10: (2, 9), 12: (3, 10), 15: (4, 12),
             20: (6, 15), 25: (8, 18)}
    for count, ends in ranks.items():
        assert report.median_interval(range(count, 0, -1))[1:] == ends, count
    assert report.median_interval([5, 1, 3, 2, 4]) == (3, None, None)
    assert report.median_interval([2.0, 1.0]) == (1.5, None, None)


def row(name, role, *seconds, **others):
    return measure.Row(name, role, samples=[measure.Sample(s, 1.0) for s in seconds], **others)


def test_ratios():
    # Round by round: what disturbs both does not count.
    tdc = row("tdc", "tdc", 1, 10, 1, 1, 1, 1)
    peer = row("jax", "peer", 2, 20, 2, 3, 2, 1)
    assert report.ratio(tdc, peer) == (2, 1, 3)
    assert report.ratio_text(tdc, peer) == "2.00 [1.00 .. 3.00]"
    assert report.ratio_text(tdc, None) == "no peer"


def test_best():
    wrong = row("torch", "peer", 1, is_wrong=True)
    failed = row("iree", "peer", 1, failure="died")
    right = row("jax", "peer", 3)
    tdc, bound = row("tdc", "tdc", 2), row("machine", "bound", 1)
    rows = [wrong, failed, tdc, bound, right, row("numpy", "peer", 4)]
    assert report.best(rows, "peer") is right
    line = report.summary({"case": rows}).splitlines()[2]
    assert [cell.strip() for cell in line.split("|")[1:-1]] == [
        "case", "tdc", "2.00 s", "jax", "3.00 s", "1.50", "0.50", ""]
    table = report.table(rows, "difference")
    assert "**WRONG**" in table and "died" in table


def test_compare():
    exact = [np.array([1.0, -100.0]), 2.0]
    assert measure.compare([np.float32([1.001, -100]), 2], exact) == ("1e-05", True)
    assert not measure.compare([np.float32([1, -100]), 2.001], exact)[1]
    assert not measure.compare([np.float32([np.nan, -100]), 2], exact)[1]
    assert not measure.compare([np.float32([1]), 2], exact)[1]


measure.use_cores(1)
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
