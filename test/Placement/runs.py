"""Runs programs, interpreted and compiled, and compares what they do.

A run is ((its output, its files), its counts of copies), or (the reason why it does not
run, None).
"""

import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
from array import array

NUMBER = re.compile(r"-?(?:\d+\.\d*(?:e[+-]\d+)?|inf|nan)")
CHECKSUM = re.compile(rb'"[0-9a-f]{16}"')
# Sums in another order differ in their last digits; four places are printed.
RELATIVE, ABSOLUTE = 1e-3, 2e-4


def interpret(program, options, arguments=(), memory=None, folder=None):
    """Runs the placed program in tdc-interpret, in a new folder or in `folder`."""
    placed = subprocess.run(
        ["tdc", "emit", "--phase=placed", "--verbose", *options, program],
        capture_output=True, text=True, env=environment(memory))
    if placed.returncode:
        return "not placed:\n" + placed.stderr, None
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "placed.mlir"
        path.write_text(placed.stdout)
        return interpret_placed(path, arguments, folder)


def interpret_placed(path, arguments=(), folder=None):
    with tempfile.TemporaryDirectory() as scratch:
        counts = pathlib.Path(scratch) / "counts.json"
        return run(["tdc-interpret", path, "--transfers", counts, "--", *arguments],
                   counts, folder)


def execute(command, memory=None, folder=None):
    """Does the same with a compiled program, run by `command`."""
    with tempfile.TemporaryDirectory() as scratch:
        counts = pathlib.Path(scratch) / "counts.json"
        return run(command, counts, folder,
                   env={**environment(memory), "TDC_STATS_JSON": str(counts)})


def environment(memory):
    """Returns the environment with this many bytes on each simulated device."""
    limit = {} if memory is None else {"TDC_SIM_MEMORY": str(memory)}
    return {**os.environ, **limit}


def run(command, counts, folder, **options):
    with tempfile.TemporaryDirectory() as scratch:
        here = pathlib.Path(folder or scratch)
        done = subprocess.run(command, capture_output=True, text=True, cwd=here,
                              **options)
        if done.returncode:
            return f"exit {done.returncode}:\n" + done.stderr, None
        files = {f.name: f.read_bytes() for f in here.iterdir()}
        return (done.stdout, files), json.loads(counts.read_text())


#===--- Comparing ------------------------------------------------------------===#

def compare(interpreted, compiled):
    """Returns the difference of two runs, or None: both must print the same and write the
    same files, except for last digits, and make the same copies at each line."""
    (output, counts), (other, other_counts) = interpreted, compiled
    if (counts is None) != (other_counts is None):
        return f"interpreted: {output}\ncompiled: {other}"
    if counts is None:
        return None  # refused
    (text, files), (other_text, other_files) = output, other
    if not agree(text, other_text):
        return f"another output:\n{other_text}\ninterpreted:\n{text}"
    if files.keys() != other_files.keys():
        return f"files {sorted(other_files)}, interpreted {sorted(files)}"
    for name in files:
        if not agree_in_file(files[name], other_files[name]):
            return f"{name} has other contents"
    wanted, made = copies_of(counts), copies_of(other_counts)
    wrong = {key: (made.get(key), wanted.get(key)) for key in {*wanted, *made}
             if made.get(key) != wanted.get(key)}
    return f"copies and bytes, and those interpreted: {wrong}" if wrong else None


def agree(one, other):
    """Whether two texts are the same except for last digits."""
    return NUMBER.split(one) == NUMBER.split(other) and all(
        a == b or is_close(float(a), float(b))
        for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)))


def agree_in_file(one, other):
    """Whether two files are equal, or f32 and the same except for last digits."""
    if one == other:
        return True
    start = (10 + int.from_bytes(one[8:10], "little") if one[:1] == b"\x93"  # .npy
             else 8 + int.from_bytes(one[:8], "little"))  # .safetensors
    headers = [CHECKSUM.sub(b"", data[:start]) for data in (one, other)]
    numbers = [array("f", data[start:]) for data in (one, other)]
    return (headers[0] == headers[1] and len(one) == len(other) and
            all(map(is_close, *numbers)))


def is_close(a, b):
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def copies_of(counts):
    """Returns the copies and bytes between two devices, and those at each line."""
    links = {(c["src"], c["dst"]): (c["logical"], c["bytes"])
             for c in counts["copies"]}
    sites = {(s["line"], s["src"], s["dst"]): (s["executed"], s["bytes"])
             for s in counts["sites"]}
    return {**links, **sites}
