"""Programs that do not fit on a device, placed and run: evicting tensors and copying
them back costs little more than the minimum.

    capacity.py --seed S --count N [--mixed] [--keep DIR]

A program reads tensors of the host on a device, one after the other, and the
device has room for some of them. The minimum of bytes to copy is computed over the
sets of tensors that may be on the device after each use. With tensors of one size
the program must copy exactly the minimum; with --mixed, tensors of one to three
units, at most four times as much. The output must not depend on the device's room.
Needs tdc-opt and tdc-interpret in PATH.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

UNIT = 4096
SMALL = 64  # room for the numbers that the program computes in addition
PASSES = ["--td-normalize", "--td-choose-devices", "--td-place",
          "--td-fit-memory", "--td-verify-placement"]


def least(uses, sizes, room):
    """Returns the least number of units to copy, over all sets that may stay."""
    costs = {frozenset(): 0}
    for use in uses:
        after = {}
        for held, cost in costs.items():
            if use in held:
                choices = [held]
            else:
                cost += sizes[use]
                choices = [kept | {use} for kept in subsets(held)
                           if sum(sizes[x] for x in kept | {use}) <= room]
            for choice in choices:
                after[choice] = min(cost, after.get(choice, cost))
        costs = after
    return min(costs.values())


def subsets(held):
    result = [frozenset()]
    for one in held:
        result += [chosen | {one} for chosen in result]
    return result


def write(uses, sizes, room):
    """Returns the program, for a device with `room` units, or with unlimited memory."""
    memory = "" if room is None else (
        f' attributes {{td.working_set = {{"cuda:0" = {room * UNIT + SMALL} : i64}}}}')
    lines = ["#cpu = #td.dev<cpu>", "#g0 = #td.dev<cuda, 0>",
             f"module{memory} {{", "func.func @main() {",
             "%zero = arith.constant 0.0 : f64",
             "%s = td.fill %zero : f64 -> tensor<f32, #g0>"]
    for i, size in enumerate(sizes):
        count = size * UNIT // 4
        lines += [f"%f{i} = arith.constant {i + 0.5} : f64",
                  f"%a{i} = td.fill %f{i} : f64 -> tensor<{count}xf32, #cpu>",
                  f"%x{i} = td.sin %a{i} : tensor<{count}xf32, #cpu>"]
    total = "%s"
    for step, use in enumerate(uses):
        tensor = f"tensor<{sizes[use] * UNIT // 4}xf32"
        lines += [
            f"%g{step} = td.to_device %x{use} : {tensor}, #cpu> to {tensor}, #g0>",
            f"%m{step} = td.reduce max %g{step} [0] : {tensor}, #g0> to "
            "tensor<f32, #g0>",
            f"%h{step} = td.sin {total} : tensor<f32, #g0>",
            f"%s{step} = td.add %h{step}, %m{step} : tensor<f32, #g0>"]
        total = f"%s{step}"
    lines += [f"%r = td.to_device {total} : tensor<f32, #g0> to "
              "tensor<f32, #cpu>",
              '%t = td.format "{}"(%r) : tensor<f32, #cpu>', "td.print %t",
              "return", "}", "}"]
    return "\n".join(lines) + "\n"


def run(text, folder, name):
    """Returns the output, the bytes copied to the device and its peak, or a description of
    the failure."""
    program, placed = folder / f"{name}.mlir", folder / f"{name}-placed.mlir"
    counts = folder / f"{name}.json"
    program.write_text(text)
    for command in (["tdc-opt", program, *PASSES, "-o", placed],
                    ["tdc-interpret", placed, "--transfers", counts]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr[:2000], None, None
    counters = json.loads(counts.read_text())
    copies = counters["copies"]
    return (done.stdout, sum(c["bytes"] for c in copies if c["src"] == "cpu"),
            counters["peak"]["cuda:0"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failed, worst = 0, 1.0
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(exist_ok=True)
        for seed in range(options.seed, options.seed + options.count):
            rng = random.Random(seed)
            sizes = [rng.randint(1, 3) if options.mixed else 1
                     for _ in range(rng.randint(3, 8))]
            uses = [rng.randrange(len(sizes)) for _ in range(rng.randint(4, 40))]
            room = rng.randint(max(sizes), max(max(sizes), sum(sizes) - 1))
            output, brought, peak = run(write(uses, sizes, room), folder, "full")
            expected, *_ = run(write(uses, sizes, None), folder, "free")
            bound = least(uses, sizes, room) * UNIT
            problem = None
            if brought is None or output != expected:
                problem = f"another output:\n{output}\n{expected}"
            elif peak > room * UNIT + SMALL:
                problem = f"takes {peak} bytes"
            else:
                ratio = brought / bound
                worst = max(worst, ratio)
                if ratio > (4 if options.mixed else 1) or ratio < 1:
                    problem = f"brings {brought} bytes, the least is {bound}"
            if problem:
                failed += 1
                print(f"seed {seed}, uses {uses}, sizes {sizes}, room {room}: "
                      f"{problem}")
            if failed == 3:
                break
    print(f"{options.count} programs from seed {options.seed}: {failed} failed, "
          f"at most {worst:.2f} times the least")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
