#!/usr/bin/env python3
"""The bytes that programs copy between each two devices, by their counters.

Expected: each row of a batch once, from the host to its GPU; the rows of the results once to the
first GPU, and their gradients back; of the gradients, a section from each GPU to the one that
sums it, and the sums back; of the parameters, those that the program starts with."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


class Program:
    """`parameters`: elements of those that learn; `batches`: the rows of each step; the
    bytes of a row of the inputs, of what only the first GPU gets, and of the results;
    `fresh`: whether each step has rows of its own."""

    def __init__(self, parameters, width, batches, x, y, result, fresh):
        self.parameters, self.width = parameters, width
        self.batches, self.fresh = batches, fresh
        self.x, self.y, self.result = x, y, result


PROGRAMS = {
    "mlp": Program(6 * 16 + 16 + 16 * 5 + 5, 4, [10] * 20, 24, 8, 20, False),
    "digits": Program(16 * 12 + 12 + 12 * 10 + 10, 4, [8] * 20, 64, 8, 40, True),
    "accumulation": Program(6 * 12 + 12 + 12 * 3 + 3, 4, [8] * 40, 24, 8, 12, True),
}


def expect(program, gpus):
    """By source and destination, `cpu` or the number of a GPU."""
    copies = {}

    def add(source, target, count):
        if source != target and count:
            copies[source, target] = copies.get((source, target), 0) + count

    for step, rows in enumerate(program.batches):
        each = -(-rows // gpus)
        parts = [min(each, rows - start) for start in range(0, rows, each)]
        first = program.fresh or step == 0
        for gpu, part in enumerate(parts):
            add("cpu", gpu, part * program.x * first)
            add(gpu, 0, part * program.result)
            add(0, gpu, part * program.result)
        add("cpu", 0, rows * program.y * first)
        n = len(parts)
        bounds = [i * program.parameters // n for i in range(n + 1)]
        sections = [(b - a) * program.width for a, b in zip(bounds, bounds[1:])]
        for sender in range(n):
            for receiver in range(n):
                add(sender, receiver, (sections[receiver] + sections[sender]) * (n > 1))
    return copies


def measure(name, gpus):
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        subprocess.run(["tdc", "run", f"--sim-cuda={gpus}", HERE / f"{name}.tdsl"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "TDC_STATS_JSON": str(stats)})
        place = {"cpu": "cpu", **{f"cuda:{i}": i for i in range(gpus)}}
        return {(place[c["src"]], place[c["dst"]]): c["bytes"]
                for c in json.loads(stats.read_text())["copies"]}


def main():
    runs = failed = 0
    for name, program in PROGRAMS.items():
        for gpus in range(1, 5):
            runs += 1
            expected, measured = expect(program, gpus), measure(name, gpus)
            start = program.parameters * program.width
            # The parameters that the program starts with come from the host or a GPU.
            moved = sum(measured.values()) - sum(
                count for (_, target), count in measured.items() if target == "cpu")
            if moved - sum(expected.values()) > start * gpus:
                failed += 1
                print(f"{name} on {gpus}: {moved} bytes, expected {sum(expected.values())}")
            for pair, count in expected.items():
                # What a program computes need not be copied.
                least = count if program.fresh or pair[0] != "cpu" else 0
                if not least <= measured.get(pair, 0) <= count + start * gpus:
                    failed += 1
                    print(f"{name} on {gpus}: {pair} {measured.get(pair, 0)}, expected {count}")
    print(f"{runs} runs, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
