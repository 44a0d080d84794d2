"""The part of a test's cases that CI runs: a third, by a seed that is printed.

`./tdc.sh test --full` runs all; TDC_TEST_SEED=N chooses those of seed N again.
"""

import os
import random
import secrets


def choose(items):
    """A third of the items, in their order."""
    items = list(items)
    if os.environ.get("TDC_TEST_FULL"):
        return items
    seed = int(os.environ.get("TDC_TEST_SEED") or secrets.randbelow(2**32))
    print(f"seed {seed}: a third of {len(items)}")
    kept = random.Random(seed).sample(range(len(items)), -(-len(items) // 3))
    return [items[i] for i in sorted(kept)]
