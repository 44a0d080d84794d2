"""Prints which of PyTorch's operators the language has, and whether they are equal.

    python scoreboard.py TDC [--only REGEX] [--details] [--library FILE] [OPTIONS OF tdc run …]

Needs PyTorch and expecttest, and minutes to an hour, so it runs outside of CI; stored.test
runs a part of it from stored arrays. An operator is complete if every sample in scope is
equal, values and gradients: in f64 and f32, in every dtype if it only moves elements, and in
all integers if it has no floats.
"""

import argparse
import collections
import json
import multiprocessing
import random
import re
import tempfile

import programs
import samples


def judge(job):
    """Outcomes of the variants of one operator."""
    name, tdc, options, library, stores = job
    kinds = collections.Counter()
    outside = collections.Counter()
    examples = collections.defaultdict(list)
    everything = []
    for op in samples.operators():
        if op.name != name:
            continue
        for dtype in samples.dtypes_of(op):
            try:
                every = list(samples.samples_of(op, dtype, outside))
            except Exception as error:  # the samples of PyTorch may need a library
                outside[f"PyTorch: {type(error).__name__}: {error}"] += 1
                continue
            everything += every
            with tempfile.TemporaryDirectory() as folder:
                runner = programs.Runner(tdc, folder, options, library)
                for start in range(0, len(every), programs.AT_ONCE):
                    runner.run(every[start:start + programs.AT_ONCE])
            for line, kind, text in runner.outcomes:
                of = "gradients" if line.of_gradients else "values"
                kinds[f"{kind} {of}"] += 1
                if kind != "equal":
                    call = line.sample.call.replace("{}", "")
                    shapes = {name: programs.type_of(array)
                              for name, array in line.sample.inputs.items()}
                    examples[f"{kind}: {text}"].append(f"{of} {call} {shapes}")
    is_complete = kinds and all(kind.startswith("equal") for kind in kinds)
    return name, kinds, outside, examples, tenth(everything) if stores and is_complete else []


def tenth(every):
    """A tenth of the small samples of an operator, at least one, the same in each run."""
    small = [sample for sample in every if size_of(sample) <= 400]
    if not small:
        return []
    count = max(1, len(small) // 10)
    return random.Random(every[0].operator).sample(small, count)


def size_of(sample):
    """The number of elements of all arrays of a sample."""
    arrays = [*sample.inputs.values(), *sample.results, *sample.gradients.values(),
              *sample.weights.values()]
    return sum(array.size for array in arrays)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tdc")
    parser.add_argument("--only", default="", help="a regular expression for the names")
    parser.add_argument("--details", action="store_true", help="list what is not equal")
    parser.add_argument("--store", help="a file for a tenth of the samples of complete "
                        "operators, which stored.test runs")
    parser.add_argument("--json", help="a file for the counts")
    parser.add_argument("--library", help="a .tdsl file whose functions are tried in place "
                        "of the compiler's own")
    parser.add_argument("--jobs", type=int, default=2)
    arguments, options = parser.parse_known_args()
    names = sorted({op.name for op in samples.operators()
                    if re.fullmatch(arguments.only or ".*", op.name)})
    totals = collections.Counter()
    table = {}
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=8) as pool:
        jobs = [(name, arguments.tdc, options, arguments.library, bool(arguments.store))
                for name in names]
        stored = []
        for name, kinds, outside, examples, some in pool.imap(judge, jobs):
            stored += some
            table[name] = {"inside": kinds, "outside": outside, "examples": examples}
            bad = {kind: n for kind, n in kinds.items() if not kind.startswith("equal")}
            unknown = all("refused" in kind for kind in kinds)
            state = ("outside" if not kinds else "missing" if unknown else
                     "partial" if bad else "complete")
            totals[state] += 1
            totals.update(kinds)
            counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
            print(f"{state:9} {name:40} {counts}"
                  f"{f'; {sum(outside.values())} outside' if outside else ''}", flush=True)
            if arguments.details:
                for text, cases in examples.items():
                    print(f"          {len(cases)} x {text}\n            {cases[0]}")
                for why, n in outside.items():
                    print(f"          {n} outside: {why}")
    print("\n" + "\n".join(f"{n:7} {kind}" for kind, n in sorted(totals.items())))
    if arguments.store:
        programs.store(arguments.store, stored)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
