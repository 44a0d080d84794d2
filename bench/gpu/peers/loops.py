"""Serves a peer: reads a line `[WORKLOAD, N, TURNS]`, makes so many turns of it
and prints the seconds that they took. A workload is made once, and runs untimed
before it is timed.
"""

import json
import os
import sys
import time


def serve(make, synchronize):
    """make(name, n) gives a function of the number of turns."""
    # What libraries print must not end up between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    made = {}
    for line in sys.stdin:
        name, n, turns = json.loads(line)
        if (name, n) not in made:
            made[name, n] = make(name, n)
            made[name, n](3)
        synchronize()
        began = time.perf_counter()
        made[name, n](turns)
        synchronize()
        print(json.dumps(time.perf_counter() - began), file=answers)
