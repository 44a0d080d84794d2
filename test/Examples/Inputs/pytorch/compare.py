#!/usr/bin/env python3
"""Compares losses on standard input, "name: loss" per step, with PyTorch's.

usage: compare.py [FILE [STEPS]] < OUTPUT

Every loss must be within 1e-4 of those of FILE, losses.json if not given, and within
1e-4 of its own size; none may be missing, of the first STEPS names.
"""

import collections
import json
import sys
from pathlib import Path

LIMIT = 1e-4

got = collections.defaultdict(list)
for line in sys.stdin:
    name, loss = line.rsplit(": ", 1)
    got[name].append(float(loss))
file, steps = (sys.argv[1:] + ["losses.json", "0"][len(sys.argv) - 1:])[:2]
want = json.loads((Path(__file__).parent / file).read_text())["losses"]
want = dict(list(want.items())[:int(steps) or None])

wrong = got.keys() ^ want.keys()
for name in got.keys() & want.keys():
    if len(got[name]) != len(want[name]):
        print(f"{name}: {len(got[name])} steps, not {len(want[name])}")
        wrong.add(name)
        continue
    worst = max(abs(a - b) / min(1, abs(b)) for a, b in zip(got[name], want[name]))
    print(f"{name}: {worst:.1e}")
    if not worst <= LIMIT:
        wrong.add(name)
if wrong:
    sys.exit(f"not as PyTorch: {', '.join(sorted(wrong))}")
