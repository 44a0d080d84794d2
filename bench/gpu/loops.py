"""Times loops on a GPU that take so long that their start and end do not count."""

import math
import time

LEAST = 2.0  # seconds that a loop on a GPU takes
LEAST_SIMULATED = 0.01


class Failed(Exception):
    """Why there is no time to report."""


def check(seconds):
    """`seconds`. Raises Failed unless they are a time: positive, and a number."""
    if not 0 < seconds < math.inf:
        raise Failed(f"a time of {seconds} s is none")
    return seconds


def count_for(least, count, seconds):
    """How many iterations take `least` seconds if `count` of them took `seconds`. At most
    64 times as many: what was measured may be too short to be believed."""
    return min(64 * count, max(count + 1, math.ceil(1.1 * least * count / check(seconds))))


def time_loop(run, least):
    """(iterations, seconds): `run(n)` makes n iterations and waits for their end. It is
    called with more of them until they take `least` seconds."""
    run(1)
    count = 1
    while True:
        began = time.perf_counter()
        run(count)
        seconds = check(time.perf_counter() - began)
        if seconds >= least:
            return count, seconds
        count = count_for(least, count, seconds)
