"""The part of a test's cases that CI runs, by a seed that is printed.

`./tdc.sh test --full` runs all; TDC_TEST_SEED=N chooses those of seed N again.
"""

import math
import os
import random
import secrets


def pick(items, part, seed, most=None):
    """About that part of the items, in their order, and at most so many."""
    count = math.ceil(part * len(items))
    kept = random.Random(seed).sample(range(len(items)), min(count, most or count))
    return [items[i] for i in sorted(kept)]


def choose(items, each):
    """One of `each` items, or all, by the environment."""
    items = list(items)
    if os.environ.get("TDC_TEST_FULL"):
        return items
    seed = int(os.environ.get("TDC_TEST_SEED") or secrets.randbelow(2**32))
    print(f"seed {seed}: one of {each} of {len(items)}")
    return pick(items, 1 / each, seed)
