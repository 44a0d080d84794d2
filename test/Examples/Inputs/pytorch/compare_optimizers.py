#!/usr/bin/env python3
"""Compares what optimizers.tdsl prints with optimizers.json.

usage: compare_optimizers.py OUTPUT

Every number is within 1e-9 of PyTorch's, relative; Muon, whose steps are in bf16, within 2e-2.
"""

import collections
import json
import sys
from pathlib import Path

got = collections.defaultdict(list)
for line in Path(sys.argv[1]).read_text().splitlines():
    name, number = line.split()
    got[name].append(float(number))
wanted = json.loads((Path(__file__).parent / "optimizers.json").read_text())

problems = []
if got.keys() != wanted.keys():
    problems.append(f"only in one of both: {sorted(got.keys() ^ wanted.keys())}")
for name in sorted(got.keys() & wanted.keys()):
    limit = 2e-2 if name.startswith("muon") else 1e-9
    if len(got[name]) != len(wanted[name]):
        problems.append(f"{name}: {len(got[name])} numbers, not {len(wanted[name])}")
        continue
    error = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(got[name], wanted[name]))
    if not error <= limit:
        problems.append(f"{name}: {error:.1e} off")

print(f"{len(wanted)} optimizers and schedules compared")
if problems:
    sys.exit("\n".join(problems))
