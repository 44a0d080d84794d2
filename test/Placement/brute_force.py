"""Small straight-line programs whose ops may run on either device: a placed program
must cost as little as the best choice of devices, found here by trying all.

    brute_force.py --seed S --count N [--optimize]

Only T-ops may move, and only copied bytes cost. With --optimize any op may move, a
T-op may run on both devices, and ops have a cost too.

Needs tdc-opt and tdc-interpret in PATH.
"""

import argparse
import itertools
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PASSES = ["--td-choose-devices", "--td-place", "--td-verify-placement"]
PLACES = ["cpu", "gpu"]
SIZE = {"ui8": 1, "f32": 4}
T_OPS = ("cast", "slice")
# Operations of a device during the copy of one byte (Analysis/OpCosts).
SPEED = {"cpu": 20, "gpu": 800}


class Op:
    """One op: its kind, the device that the program gives it, and its operands."""

    def __init__(self, kind, dtype, count, place, ins):
        self.kind, self.dtype, self.count = kind, dtype, count
        self.place, self.ins = place, ins

    @property
    def bytes(self):
        return SIZE[self.dtype] * self.count

    def type(self, place=None):
        return f"tensor<{self.count}x{self.dtype}, #{place or self.place}>"


def generate(rng, most):
    """Returns up to `most` ops; the host reads the last ones."""
    ops = []
    for _ in range(rng.randint(3, most)):
        place = rng.choice(PLACES)
        source = rng.randrange(len(ops)) if ops else None
        kind = rng.choice(["make", "sin", "sin", "cast", "cast", "slice"])
        if source is None or kind == "make":
            dtype, count = rng.choice(["ui8", "f32"]), rng.choice([4, 8])
            ops.append(Op("load", dtype, count, "cpu", []) if rng.random() < .7
                       else Op("fill", dtype, count, place, []))
            continue
        read = ops[source]
        if kind == "sin" and read.dtype == "f32":
            ops.append(Op("sin", "f32", read.count, place, [source]))
        elif kind == "slice" and read.count > 1:
            ops.append(Op("slice", read.dtype, read.count // 2, place,
                          [source]))
        else:
            other = "f32" if read.dtype == "ui8" else "ui8"
            ops.append(Op("cast", other, read.count, place, [source]))
    return ops


def text(ops, files, attributes):
    lines = ["#cpu = #td.dev<cpu>", "#gpu = #td.dev<cuda, 0>",
             f"module attributes {{{attributes}}} {{",
             "func.func @main() {", "  %zero = arith.constant 0 : i64",
             "  %one = arith.constant 1.0 : f64"]
    moves = 0

    def at(index, place):
        nonlocal moves
        op = ops[index]
        if op.place == place:
            return f"%v{index}"
        moves += 1
        lines.append(f"  %m{moves} = td.to_device %v{index} : {op.type()} to "
                     f"{op.type(place)}")
        return f"%m{moves}"

    for i, op in enumerate(ops):
        ins = [(at(j, op.place), ops[j].type(op.place)) for j in op.ins]
        head = f"  %v{i} = td."
        if op.kind == "load":
            lines.append(f'  %s{i} = td.format "{files[op.dtype, op.count]}"')
            lines.append(f"{head}load %s{i} : {op.type()}")
        elif op.kind == "fill":
            lines.append(f"{head}fill %one : f64 -> {op.type()}")
        elif op.kind == "sin":
            lines.append(f"{head}sin {ins[0][0]} : {op.type()}")
        elif op.kind == "cast":
            lines.append(f"{head}cast {ins[0][0]} : {ins[0][1]} to "
                         f"{op.type()}")
        else:
            lines.append(f"{head}slice {ins[0][0]}[%zero] dim 0 step 1 : "
                         f"{ins[0][1]} to {op.type()}")
    for i in sinks(ops):
        lines.append(f'  %p{i} = td.format "{{}}\\0A"({at(i, "cpu")}) : '
                     f'{ops[i].type("cpu")}')
        lines.append(f"  td.print %p{i}")
    return "\n".join(lines + ["  return", "}", "}", ""])


def sinks(ops):
    read = {j for op in ops for j in op.ins}
    return [i for i in range(len(ops)) if i not in read]


def choices(ops, op, optimize):
    """Returns the sets of devices on which an op may run."""
    if op.kind == "load" or op.kind == "fill":
        return [{op.place}]
    if optimize:
        return [{"cpu"}, {"gpu"}] + [set(PLACES)] * (op.kind in T_OPS)
    # td-choose-devices' own words: an op that makes less of its operand where
    # that is, stays.
    source = ops[op.ins[0]]
    stays = source.bytes > op.bytes and source.place == op.place
    if op.kind not in T_OPS or stays:
        return [{op.place}]
    return [{"cpu"}, {"gpu"}]


def compute_cost(op, place):
    """Returns a cost in 64ths of a copied byte, the unit of the pass."""
    return math.ceil(64 * op.count / SPEED[place])


def least(ops, optimize):
    best = None
    for places in itertools.product(
            *(choices(ops, op, optimize) for op in ops)):
        demands = {(j, at) for i, op in enumerate(ops) for j in op.ins
                   for at in places[i]}
        demands |= {(i, "cpu") for i in sinks(ops)}
        cost = sum(64 * ops[j].bytes for j, at in demands
                   if ops[j].kind != "fill" and at not in places[j])
        if optimize:
            cost += sum(compute_cost(op, at) for op, ats in zip(ops, places)
                        if op.ins for at in ats)
        best = cost if best is None else min(best, cost)
    return best


def computed(placed):
    """Returns the cost of the ops of a placed program."""
    cost = 0
    for line in placed.splitlines():
        found = re.search(r"td\.(sin|cast|slice) .*tensor<(\d+)x\w+, "
                          r"#td\.dev<(cpu|cuda)", line)
        if found:
            place = "cpu" if found[3] == "cpu" else "gpu"
            cost += math.ceil(64 * int(found[2]) / SPEED[place])
    return cost


def write_files(folder):
    """Bytes and floats of the sizes that programs load, as npy."""
    files = {}
    for dtype, count in itertools.product(SIZE, (4, 8)):
        path = folder / f"{dtype}-{count}.npy"
        descr = {"ui8": "|u1", "f32": "<f4"}[dtype]
        header = (f"{{'descr': '{descr}', 'fortran_order': False, "
                  f"'shape': ({count},), }}").encode()
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" +
                         len(header).to_bytes(2, "little") + header +
                         bytes(SIZE[dtype] * count))
        files[dtype, count] = path
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--optimize", action="store_true")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = write_files(folder)
        written, placed = folder / "written.mlir", folder / "placed.mlir"
        counts = folder / "counts.json"
        for seed in range(options.seed, options.seed + options.count):
            # Three choices for an op are tried in the time of two for more.
            ops = generate(random.Random(seed), 9 if options.optimize else 12)
            written.write_text(text(
                ops, files, "td.optimize" if options.optimize else ""))
            subprocess.run(["tdc-opt", written, *PASSES, "-o", placed],
                           check=True)
            subprocess.run(["tdc-interpret", placed, "--transfers", counts],
                           check=True, stdout=subprocess.DEVNULL)
            copies = json.loads(counts.read_text())["copies"]
            got = 64 * sum(c["bytes"] for c in copies)
            if options.optimize:
                got += computed(placed.read_text())
            wanted = least(ops, options.optimize)
            if got != wanted:
                failed += 1
                print(f"seed {seed}: costs {got} / 64, least {wanted} / 64\n"
                      f"{written.read_text()}")
                if failed == 3:
                    break
    print(f"{options.count} programs from seed {options.seed}: "
          f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
