"""Times loops on a GPU that take long enough that their start and end are negligible."""

import math
import time

LEAST = 0.5  # seconds that a loop on a GPU takes at least
LEAST_SIMULATED = 0.01


class Failed(Exception):
    """The reason why there is no time to report."""


def check(seconds):
    """`seconds`. Raises Failed unless they are a time: positive, and a number."""
    if not 0 < seconds < math.inf:
        raise Failed(f"a time of {seconds} s is none")
    return seconds


def count_for(least, count, seconds):
    """How many iterations take `least` seconds if `count` of them took `seconds`; at most
    64 times `count`, as a short measurement may be inaccurate."""
    return min(64 * count, max(count + 1, math.ceil(1.1 * least * count / check(seconds))))


def time_loop(run, least):
    """(iterations, seconds): `run(n)` makes n iterations and waits for their end. n grows
    until they take `least` seconds."""
    run(1)
    count = 1
    while True:
        began = time.perf_counter()
        run(count)
        seconds = check(time.perf_counter() - began)
        if seconds >= least:
            return count, seconds
        count = count_for(least, count, seconds)
